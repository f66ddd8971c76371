/* Products of queries and keys: how far each is off (doc/ordinary.md, "Heads that choose"). */
#include <math.h>

#include "ordinary/proof/prover.h"

/* A query or key in one dimension: size, and error after f16. */
typedef struct operand {
    double size, error;
} operand;

static uint32_t partner_of(const prover *p, uint32_t d) {
    uint32_t half = p->m->head_size / 2;
    return d < half ? d + half : d - half;
}

double head_angle(const prover *p, uint32_t d) {
    return prover_is_llama(p) ? up_mul(prover_frequency(p, d % (p->m->head_size / 2)), (double)p->positions) : 0;
}

/* 1 - cos of an angle, at most. */
static double less_cosine(double angle) { return fmin(up_mul(angle, angle / 2), 2); }

static operand operand_of(const prover *p, const proved_row *rows, uint32_t d) {
    const proved_row *own = &rows[d], *other = &rows[partner_of(p, d)];
    operand out = {own->size, prover_row_error(own)};
    if (own->is_zero && (!prover_is_llama(p) || other->is_zero)) return (operand){0, 0};
    if (prover_is_llama(p)) {
        double sine = fmin(head_angle(p, d), 1), off = prover_row_error(other);
        double turned =
            up_add(up_mul(own->size, less_cosine(head_angle(p, d))), up_mul(up_add(other->size, off), sine));
        double turn = up_add(prover_turn_error(p, d % (p->m->head_size / 2), (double)p->positions), 4 * UNIT);
        out.error = up_add(out.error, up_add(turned, up_mul(up_add(own->size, other->size), turn)));
    }
    if (p->options.kv == ORDINARY_F16) out.error = fmax(out.error, prover_half(own->size, own->grid, out.error));
    return out;
}

/* Whether a dimension has content and its partner nothing. Such a pair makes q k cos(turn), and errors are those of
   the turned numbers. */
static bool is_alone(const prover *p, const head_work *h, uint32_t d) {
    uint32_t e = partner_of(p, d);
    return prover_is_llama(p) && h->query[e].is_zero && h->key[e].is_zero;
}

/* Errors of the two turned numbers: of x cos and of x sin, x being at most size. */
static void turned_errors(const prover *p, const proved_row *x, uint32_t d, double errors[2]) {
    double angle = fmin(head_angle(p, d), 1), off = prover_row_error(x);
    double turn = up_add(prover_turn_error(p, d % (p->m->head_size / 2), (double)p->positions), 4 * UNIT);
    double e = up_add(off, up_mul(turn, up_add(x->size, off)));
    errors[0] = errors[1] = e;
    if (p->options.kv != ORDINARY_F16) return;
    double size = up_add(x->size, e), most = up_add(up_mul(HALF_UNIT, size), HALF_TINY);
    double near =
        up_add(up_mul(x->size, less_cosine(head_angle(p, d))), e); /* from the number itself, if f16 has it */
    bool has = x->grid >= 2 * HALF_TINY && x->size <= 2048 * x->grid;
    errors[0] = up_add(e, has ? fmin(most, near) : most);
    /* rounded back to the number itself, and 0 to at most twice what it was */
    if (has && near < 0x1p-12 * x->grid)
        errors[0] = fmax(up_mul(x->size, less_cosine(head_angle(p, d))), up_mul(2, e < x->zero ? e : x->zero));
    errors[1] = up_add(e, up_add(up_mul(HALF_UNIT, up_mul(size, angle)), HALF_TINY));
}

static double rounding_of(const head_work *h, double size) {
    return up_mul(up_mul((double)h->products + 4, 1.01 * UNIT), size);
}

/* ties: between two keys that are meant to be equal, for which the query is the same; half of how far they may be
   apart. */
static double pair_product_error(const prover *p, const head_work *h, uint32_t d, bool ties) {
    double eq[2], ek[2], angle = fmin(head_angle(p, d), 1), q = h->query[d].size, k = h->key[d].size;
    turned_errors(p, &h->query[d], d, eq);
    turned_errors(p, &h->key[d], d, ek);
    double turned = up_mul(up_mul(q, k), less_cosine(head_angle(p, d)));
    double keys = up_add(up_mul(up_add(q, eq[0]), ek[0]), up_mul(up_add(up_mul(q, angle), eq[1]), ek[1]));
    double queries = up_add(up_mul(k, eq[0]), up_mul(up_mul(k, angle), eq[1]));
    double rounding = rounding_of(h, up_mul(up_add(q, eq[0]), up_add(k, ek[0])));
    /* with several products two keys may tie by different ones, and then errors of queries count */
    double apart = up_add(ties ? turned / 2 : turned, ties && h->hint->content <= 1 ? 0 : queries);
    double all = up_add(keys, up_add(rounding, apart));
    return up_div(all, h->root);
}

static double product_error(const prover *p, const head_work *h, uint32_t d, bool ties) {
    if (is_alone(p, h, d)) return pair_product_error(p, h, d, ties);
    if (is_alone(p, h, partner_of(p, d))) return 0; /* counted there */
    operand q = operand_of(p, h->query, d), k = operand_of(p, h->key, d);
    double query = up_add(q.size, q.error), product = up_mul(query, k.error);
    if (!ties || h->hint->content > 1) product = up_add(product, up_mul(k.size, q.error));
    return up_div(up_add(product, rounding_of(h, up_mul(query, up_add(k.size, k.error)))), h->root);
}

static bool fits_half(const prover *p, const proved_row *r) {
    return p->options.kv != ORDINARY_F16 || up_add(r->size, up_mul(2, prover_row_error(r))) <= HALF_MOST;
}

double head_product_error(prover *p, const head_work *h, uint32_t d) {
    return fits_half(p, &h->query[d]) && fits_half(p, &h->key[d]) ? product_error(p, h, d, false) : INFINITY;
}

double head_product_size(const head_work *h, uint32_t d) {
    return up_div(up_mul(h->query[d].size, h->key[d].size), h->root);
}

/* Whether the dimension takes part in scores at all. */
bool head_uses(const prover *p, const head_work *h, uint32_t d) {
    uint32_t half = p->m->head_size / 2, e = d < half ? d + half : d - half;
    bool q = !h->query[d].is_zero || (prover_is_llama(p) && !h->query[e].is_zero);
    bool k = !h->key[d].is_zero || (prover_is_llama(p) && !h->key[e].is_zero);
    return q && k;
}

static bool is_named(const head_work *h, uint32_t d, uint32_t from, uint32_t to) {
    for (uint32_t r = from; r < to; r++)
        if (h->hint->dimensions[r] == d) return true;
    return false;
}

bool head_all_errors(prover *p, const head_work *h, uint32_t turning, double *error, double *ties) {
    uint32_t half = p->m->head_size / 2;
    *error = *ties = 0;
    for (uint32_t d = 0; d < p->m->head_size; d++) {
        if (!head_uses(p, h, d) || d % half == turning) continue;
        uint32_t e = d < half ? d + half : d - half;
        bool named = is_named(h, d, 0, h->hint->rows);
        if (!named && !(prover_is_llama(p) && is_named(h, e, 0, h->hint->rows)))
            return prover_fail(p, "a head has products that its role does not have");
        if (!named && (!h->query[d].is_zero || !h->key[d].is_zero))
            return prover_fail(p, "a head has products that its role does not have");
        bool content = is_named(h, d, 0, h->hint->content) || !named;
        *error = up_add(*error, head_product_error(p, h, d));
        *ties = up_add(*ties, content ? product_error(p, h, d, true) : head_product_error(p, h, d));
    }
    return isfinite(*error) || prover_fail(p, "a query or key is beyond f16");
}

double head_candidates_apart(const prover *p, const head_work *h, uint32_t d) {
    const proved_row *q = &h->query[d], *k = &h->key[d];
    double eq[2], ek[2], angle = fmin(head_angle(p, d), 1);
    double near = up_add(up_mul(k->size, less_cosine(head_angle(p, d))), prover_row_error(k));
    turned_errors(p, k, d, ek);
    near = up_add(near, ek[1]); /* which has the error of turning */
    bool back = k->grid >= 2 * HALF_TINY && k->size <= 2048 * k->grid && near < 0x1p-12 * k->grid;
    if (!is_alone(p, h, d) || !back) return up_mul(2, product_error(p, h, d, true));
    turned_errors(p, q, d, eq);
    double second = up_mul(up_add(up_mul(q->size, angle), eq[1]), up_add(up_mul(k->size, angle), up_mul(2, ek[1])));
    double rounding = rounding_of(h, up_mul(up_add(q->size, eq[0]), up_add(k->size, near)));
    return up_div(up_add(second, up_mul(2, rounding)), h->root);
}
