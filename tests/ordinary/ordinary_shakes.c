#include "ordinary_shakes.h"

#include <math.h>
#include <string.h>

void shake_put(shakes *c, const void *at, const void *value, size_t size) {
    if (c->count == SHAKES_MOST) return;
    shake *x = &c->all[c->count++];
    memcpy(&x->at, &at, sizeof at);
    x->size = size;
    memcpy(x->old, at, size);
    memcpy(x->at, value, size);
}

void shake_put_number(shakes *c, const double *at, double value) { shake_put(c, at, &value, sizeof value); }
void shake_put_whole(shakes *c, const uint32_t *at, uint32_t value) { shake_put(c, at, &value, sizeof value); }
void shake_put_truth(shakes *c, const bool *at, bool value) { shake_put(c, at, &value, sizeof value); }

void shake_undo(shakes *c, size_t from) {
    while (c->count > from) {
        const shake *x = &c->all[--c->count];
        memcpy(x->at, x->old, x->size);
    }
}

double shake_error(test_random *r, int least) {
    return random_below(r, 3) ? ldexp(1 + (double)random_below(r, 1000) / 1000, least - (int)random_below(r, 40)) : 0;
}

double shake_factor(test_random *r) {
    switch (random_below(r, 8)) {
    case 0: return ldexp(1, (int)random_below(r, 25) - 12);
    case 1: return (double)(1 + random_below(r, 64)) / 16;
    case 2: return -1;
    case 3: return random_below(r, 4) ? 3 : 0;
    default: return ldexp(1, (int)random_below(r, 7) - 3);
    }
}

void shake_scale(shakes *c, const double *at, double by) { shake_put_number(c, at, *at * by); }

void shake_scale_form(shakes *c, const lift_form *f, double by) {
    shake_scale(c, &f->one, by);
    for (size_t k = 0; k < f->count; k++) shake_scale(c, &f->terms[k].weight, by);
}

void shake_move_factor(shakes *c, const lift_head *h, double by, test_random *r) {
    size_t which = random_below(r, h->product_count + h->turn_count + 1);
    if (which < h->product_count) {
        shake_scale_form(c, &h->products[which].query, by);
        shake_scale_form(c, &h->products[which].key, 1 / by);
    } else if (which < h->product_count + h->turn_count) {
        const lift_turn *t = &h->turns[which - h->product_count];
        shake_scale(c, &t->first, by);
        shake_scale(c, &t->second, by);
        shake_scale(c, &t->key_weight, 1 / by);
    }
}

const lift_form *shake_form_of(const lift_head *h, test_random *r) {
    size_t which = random_below(r, 2 * h->product_count + h->value_count);
    if (which < h->product_count) return &h->products[which].query;
    if (which < 2 * h->product_count) return &h->products[which - h->product_count].key;
    return &h->values[which - 2 * h->product_count].value;
}

void shake_form(shakes *c, const lift_form *f, test_random *r) {
    size_t which = random_below(r, f->count + 3);
    if (which < f->count)
        shake_scale(c, &f->terms[which].weight, shake_factor(r));
    else if (which == f->count)
        shake_put_number(c, &f->one, (f->one == 0 ? 1 : f->one) * shake_factor(r));
    else if (which == f->count + 1)
        shake_put_number(c, &f->rest, shake_error(r, -8));
    else
        shake_scale_form(c, f, shake_factor(r));
}

void shake_column(shakes *c, const lift *u, uint32_t at, test_random *r) {
    const lift_column *x = &u->columns[at];
    switch (random_below(r, 6)) {
    case 0: shake_put_number(c, &x->low, random_below(r, 2) ? -shake_factor(r) : 0); break;
    case 1: shake_put_number(c, &x->high, fabs(shake_factor(r))); break;
    case 2:
        shake_put_number(c, &x->grain,
                         random_below(r, 4) ? ldexp((double)(1 + random_below(r, 3)), -(int)random_below(r, 27)) : 0);
        break;
    case 3: shake_put_truth(c, &x->mean, !x->mean); break;
    case 4: shake_put_truth(c, &x->returns, !x->returns); break;
    default:
        if (x->writer == LIFT_TOKEN)
            shake_put_number(c, &x->tokens[random_below(r, 2 + u->letters)], (double)random_below(r, 4));
        break;
    }
}

static void shake_turn(shakes *c, const lift_head *h, test_random *r) {
    const lift_turn *t = &h->turns[random_below(r, h->turn_count)];
    switch (random_below(r, 5)) {
    case 0: shake_scale(c, &t->first, shake_factor(r)); break;
    case 1: shake_scale(c, &t->second, shake_factor(r)); break;
    case 2: shake_scale(c, &t->key_weight, shake_factor(r)); break;
    case 3: shake_put_number(c, &t->frequency, fmin(8, t->frequency * fabs(shake_factor(r)))); break;
    default: shake_put_number(c, &t->frequency, ldexp(1.3, -(int)random_below(r, 10))); break;
    }
}

/* Which positions there are decides how many numbers are added up; ramps have many pairs of them. */
static uint32_t shake_positions(const lift_head *h, test_random *r) {
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 20, 50, 341, 682, 683, 1023, 1024, 1025, 2047, 2048, 2049};
    return sizes[random_below(r, h->role == LIFT_NEAREST && h->turn_count ? 9 : sizeof sizes / sizeof *sizes)];
}

/* Any, or one that a product stands in. */
static uint32_t shake_pair(const lift *u, const lift_head *h, test_random *r) {
    uint32_t half = u->m->head_size / 2;
    if (h->product_count && random_below(r, 2))
        return h->products[random_below(r, h->product_count)].dimension % half;
    return (uint32_t)random_below(r, half);
}

void shake_any(shakes *c, const lift *u, const lift_head *h, test_random *r) {
    size_t kind = random_below(r, 13);
    const lift_form *f = shake_form_of(h, r);
    if (kind < 3)
        shake_form(c, f, r);
    else if (kind < 5 && f->count)
        shake_column(c, u, f->terms[random_below(r, f->count)].channel, r);
    else if (kind == 5)
        shake_put_whole(c, &u->m->positions, shake_positions(h, r));
    else if (kind == 6 && h->product_count)
        shake_put_whole(c, &h->products[random_below(r, h->product_count)].dimension,
                        (uint32_t)random_below(r, u->m->head_size));
    else if (kind == 7 && u->frequencies)
        shake_put_number(c, &u->frequencies[shake_pair(u, h, r)], ldexp(1.3, -(int)random_below(r, 28)));
    else if (kind == 8)
        shake_move_factor(c, h, ldexp(1, (int)random_below(r, 31) - 15), r);
    else if (kind == 9 && h->turn_count)
        shake_turn(c, h, r);
    else if (kind == 10)
        shake_put_truth(c, &h->last, !h->last);
    else if (kind == 11)
        shake_scale(c, &h->slope, shake_factor(r));
    else if (h->value_count)
        shake_scale(c, &h->values[random_below(r, h->value_count)].scale, shake_factor(r));
}
