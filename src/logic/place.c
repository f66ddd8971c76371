#include "logic/place.h"

typedef __int128 wide;

static bool fits(wide x) { return x >= -INT64_MAX && x <= INT64_MAX; }

static const formula_node *counted(const formula *f, node_id id, size_t k) {
    return formula_at(f, formula_kid(f, formula_kid(f, id, k), 0));
}

static bool is_real(const formula *f, node_id id, size_t k) {
    formula_op op = counted(f, id, k)->op;
    return op != OP_TRUE && op != OP_FALSE;
}

/* What one position adds at most, `sign` times: letters exclude each other, of other conditions all may hold. */
static wide most_added(const formula *f, node_id id, int sign, wide each) {
    const formula_node *n = formula_at(f, id);
    uint32_t words = 0;
    wide others = sign * each, best = 0;
    for (size_t k = 1; k < n->kid_count; k++) {
        if (!is_real(f, id, k)) continue;
        const formula_node *c = counted(f, id, k);
        wide weight = (wide)sign * formula_weight(f, id, k);
        if (c->op == OP_LETTERS && f->sets[c->set].words > words) words = f->sets[c->set].words;
        if (c->op != OP_LETTERS && weight > 0) others += weight;
    }
    for (uint32_t letter = 0; letter <= 64 * words; letter++) { /* the last one stands for all that are not named */
        wide sum = 0;
        for (size_t k = 1; k < n->kid_count; k++)
            if (counted(f, id, k)->op == OP_LETTERS &&
                formula_has_letter(f, formula_kid(f, formula_kid(f, id, k), 0), letter))
                sum += (wide)sign * formula_weight(f, id, k);
        if (letter == 0 || sum > best) best = sum;
    }
    return others + best;
}

place_sum place_of_sum(const formula *f, node_id id) {
    const formula_node *n = formula_at(f, id);
    wide here = 0, there = 0; /* of #[true] and #>[true] */
    bool past = false, future = false;
    for (size_t k = 1; k < n->kid_count; k++) {
        bool forward = formula_at(f, formula_kid(f, id, k))->op == OP_COUNT_FUTURE;
        if (counted(f, id, k)->op == OP_TRUE && forward)
            there += formula_weight(f, id, k);
        else if (counted(f, id, k)->op == OP_TRUE)
            here += formula_weight(f, id, k);
        else if (is_real(f, id, k))
            *(forward ? &future : &past) = true;
    }
    bool forward = future && !past;
    wide each = forward ? there - here : here - there, ends = forward ? here : there, constant = n->constant;
    place_sum p = {.both = past && future, .future = forward, .counts = past || future};
    p.fits = fits(each) && fits(ends);
    if (p.both || !p.fits) return p;
    p.each = (int64_t)each;
    p.ends = (int64_t)ends;
    p.constant = n->constant;
    if (!forward) p.before = ends == 0 && constant <= 0 && most_added(f, id, 1, each) <= 1;
    /* from the end: n + 1 - e is never above n + 1 - i. Without counts, each * i is each * (n + 1) less each * (n + 1
       - i) */
    if (forward) p.after = ends == 1 && constant >= 0 && most_added(f, id, -1, each) <= 1;
    if (!p.counts) p.after = ends + each == 1 && constant >= 0 && each <= 1;
    return p;
}

char place_direction(const formula *f, node_id id) {
    place_sum p = place_of_sum(f, id);
    return p.before ? 'b' : p.after ? 'f' : '2';
}
