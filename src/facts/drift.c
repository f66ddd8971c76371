/* Channels whose feature is X(i)/T(n), such as i/(2N): at every length all their sets are others, but each is one
   that never changes, moved by X(i)/T(n). So they are kept as integers, in units of 2^-LINE_BITS, with how far they
   move, and what facts need of a length is found from those: where sets begin and end, on which grid they lie, and in
   drift_head.c what heads do whose keys read such a channel. A length at which something is not as simple as that
   is looked at set by set, as elsewhere; what is found is the same. */
#include <math.h>

#include "facts/drift.h"
#include "model/expression_rational.h"

enum { SHORTEST = 64 };                                /* lengths before are looked at set by set */
static const int64_t NUMBER_MOST = (int64_t)1 << 40;   /* of sets */
static const int64_t TOGETHER_MOST = (int64_t)1 << 61; /* of all that is computed */

/* ---- numbers ---- */

bool drift_number(facts_run *p, int64_t *out, int64_t *most, const rational *x) {
    rational *t = &p->r[7];
    rational_set_int(t, 1 << LINE_BITS);
    rational_mul(t, t, x);
    if (!rational_to_int64(out, t) || *out > NUMBER_MOST || *out < -NUMBER_MOST) return false;
    if (*out > *most) *most = *out;
    if (-*out > *most) *most = -*out;
    return true;
}

bool drift_numbers(facts_run *p, drift_set *out, int64_t *most, const spread *x, const rational *moves) {
    return drift_number(p, &out->a, most, &x->a) && drift_number(p, &out->g, most, &x->g) &&
           drift_number(p, &out->lo, most, &x->lo) && drift_number(p, &out->hi, most, &x->hi) &&
           drift_number(p, &out->moves, most, moves);
}

void drift_base(spread *out, const drift_set *x) {
    rational_set_ratio(&out->a, x->a, 1 << LINE_BITS);
    rational_set_ratio(&out->g, x->g, 1 << LINE_BITS);
    rational_set_ratio(&out->lo, x->lo, 1 << LINE_BITS);
    rational_set_ratio(&out->hi, x->hi, 1 << LINE_BITS);
}

static void place(rational *out, int64_t x, int64_t t) {
    rational_set_ratio(out, (long)x, (unsigned long)t << LINE_BITS);
}

void drift_spread(spread *out, const drift_set *x, int64_t t) {
    place(&out->a, x->a * t + x->moves, t);
    place(&out->lo, x->lo * t + x->moves, t);
    place(&out->hi, x->hi * t + x->moves, t);
    rational_set_ratio(&out->g, (long)x->g, 1 << LINE_BITS);
}

bool drift_fits(int64_t most, int64_t t) { return most < TOGETHER_MOST / 4 / (t + 1); }

/* ---- what facts tell of a column ---- */

static int power_of_two_in(int64_t x) { return __builtin_ctzll((unsigned long long)x); }

/* x/(t 2^LINE_BITS) is a multiple of which power of two? */
static int grid_of(int64_t x, int64_t odd, int twos) {
    if (x == 0) return GRID_ANY;
    return x % odd ? GRID_NONE : power_of_two_in(x) - twos;
}

void drift_known(facts_run *p, known *out, const drift_set *sets, size_t count, int64_t t) {
    int twos = power_of_two_in(t), grid = GRID_ANY;
    int64_t odd = t >> twos, least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        int64_t lo = sets[i].lo * t + sets[i].moves, hi = sets[i].hi * t + sets[i].moves;
        least = lo < least ? lo : least;
        most = hi > most ? hi : most;
    }
    for (size_t i = 0; i < count && grid > GRID_NONE; i++) {
        int a = grid_of(sets[i].a * t + sets[i].moves, odd, twos + LINE_BITS), g = grid_of(sets[i].g, 1, LINE_BITS);
        grid = a < grid ? a : grid;
        grid = g < grid ? g : grid;
    }
    *out = (known){INFINITY, -INFINITY, grid};
    place(&p->r[5], least, t);
    place(&p->r[6], most, t);
    known_add_interval(out, &p->r[5], &p->r[6], grid);
    p->steps += (double)count / 128;
}

/* ---- channels ---- */

/* The sets of positions that are new. */
static bool extend(facts_run *p, drift_channel *c, uint32_t channel) {
    spread *x = &p->one[0];
    for (; c->count < p->room.size; c->count++) {
        drift_set set;
        set_embed_letters(p, x, channel, c->count);
        if (!expression_rational(&p->r[0], c->share, c->count, 0, 0, &p->pool)) return false;
        if (!drift_numbers(p, &set, &c->most, x, &p->r[0])) return false;
        size_t count = c->count;
        array_push(p->pool.arena, c->sets, count, c->capacity, set);
    }
    return true;
}

bool drift_embed(facts_run *p, uint32_t channel) {
    drift_channel *c = p->drifts[channel];
    if (!c) return false;
    c->ready = false;
    if (!c->usable || p->room.old < SHORTEST) return false;
    set_column *column = p->embedding[channel];
    bool whole = expression_rational(&p->r[0], c->over, 0, p->n, p->room.size, &p->pool) &&
                 rational_to_int64(&c->t, &p->r[0]) && c->t > 0 && c->t < NUMBER_MOST;
    c->usable = whole && extend(p, c, channel) && drift_fits(c->most, c->t);
    if (!c->usable) return false;
    drift_known(p, &column->known, c->sets, c->count, c->t);
    c->here = false;
    c->ready = c->stale = column->moved = true;
    return true;
}

/* ---- where there are some ---- */

static bool reads(const model_rows *rows, uint32_t channel) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++)
        if (rows->terms[k].channel == channel) return true;
    return false;
}

static bool only_keys_read(const temper_model *m, uint32_t channel) {
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        if (reads(&layer->in, channel) || reads(&layer->out, channel)) return false;
        for (uint32_t h = 0; h < layer->head_count; h++) {
            const model_head *head = &layer->heads[h];
            if (reads(&head->query, channel) || reads(&head->value, channel) || reads(&head->output, channel))
                return false;
        }
    }
    return !reads(&m->read, channel);
}

static drift_channel *new_channel(facts_run *p, uint32_t channel) {
    const model_channel *c = &p->m->channels[channel];
    const expression *e = c->soft_only ? NULL : c->position;
    if (!e || e->op != EXPR_DIV || p->m->has_end) return NULL;
    if (expression_uses(e->a, EXPR_LENGTH) || expression_uses(e->a, EXPR_SIZE) || expression_uses(e->b, EXPR_I))
        return NULL;
    if (!expression_uses(e->b, EXPR_LENGTH) && !expression_uses(e->b, EXPR_SIZE)) return NULL;
    if (!only_keys_read(p->m, channel)) return NULL;
    drift_channel *drift = arena_zalloc(p->pool.arena, 1, sizeof *drift);
    drift->share = e->a;
    drift->over = e->b;
    return drift;
}

/* One of the head's keys reads one such channel, once. */
static void find_in_head(facts_run *p, set_head *w) {
    const model_rows *key = &w->h->key;
    for (uint32_t d = 0; d < key->count; d++)
        for (uint32_t k = key->start[d]; k < key->start[d + 1]; k++) {
            drift_channel *c = p->drifts[key->terms[k].channel];
            if (!c) continue;
            if (w->drift.channel || (w->h->mask != TEMPER_MASK_UP_TO && w->h->mask != TEMPER_MASK_BEFORE)) {
                w->drift.channel = NULL;
                return;
            }
            drift_head_init(p, w, c, d);
        }
    if (w->drift.channel) w->drift.channel->usable = true;
}

void drift_find(facts_run *p) {
    p->drifts = arena_zalloc(p->pool.arena, p->m->channel_count, sizeof *p->drifts);
    for (uint32_t c = 0; c < p->m->channel_count; c++) p->drifts[c] = new_channel(p, c);
    for (uint32_t l = 0; l < p->m->layer_count; l++)
        for (uint32_t h = 0; h < p->m->layers[l].head_count; h++) find_in_head(p, &p->layers[l].heads[h]);
}
