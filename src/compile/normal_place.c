/* A position in normal form counts in one direction: #[true] and #>[true] together are n + 1 (doc/theory.md, "Look-up:
   a computed position"). */
#include "compile/normal_place.h"

static _Noreturn void refuse(const formula *g, const formula_note *at, temper_status status, const char *hint,
                             const char *message) {
    trap_raise_hint(g->arena->trap, status, at->line, at->column, hint, "%s", message);
}

/* The counts that are not of `true`, and `each` times all positions of their direction. */
static linear_sum one_way(formula *g, const linear_sum *sum, const place_sum *p, bool future) {
    linear_sum made;
    formula_op op = future ? OP_COUNT_FUTURE : OP_COUNT_PAST;
    int64_t each = future == p->future ? p->each : -p->each;
    sum_init(&made, g->arena, p->constant);
    for (size_t k = 0; k < sum->count; k++)
        if (formula_at(g, formula_kid(g, sum->counts[k], 0))->op != OP_TRUE)
            sum_add_count(&made, sum->counts[k], sum->weights[k]);
    sum_add_count(&made, formula_unary(g, op, formula_atom(g, OP_TRUE)), each);
    return made;
}

static place_case simple_case(const place_sum *p) {
    if (p->counts) return PLACE_READ;
    if (p->each == 1 && p->ends == 0 && p->constant == 0) return PLACE_HERE;
    if (p->each == 1 && p->ends == 0 && p->constant == -1) return PLACE_BEFORE;
    if (p->each == 1 && p->ends == 0 && p->constant == 1) return PLACE_AFTER;
    if (p->each == 0 && p->ends == 0 && p->constant <= 0) return PLACE_NOWHERE;
    if (p->each == 0 && p->ends == 1 && p->constant >= 0) return PLACE_NOWHERE;
    return PLACE_READ;
}

place_case normal_place(node_id *place_node, formula *g, node_id value, const linear_sum *sum,
                        const formula_note *at) {
    node_id written = formula_read_at(g, value, sum);
    place_sum p = place_of_sum(g, written);
    if (p.both)
        refuse(g, at, TEMPER_UNSUPPORTED,
               "means over the two ranges have different denominators; only '#[true]' and '#>[true]' may look the "
               "other way",
               "no head reads at a position that counts both over j <= i and over j >= i");
    if (!p.fits) refuse(g, at, TEMPER_LIMIT, "", "a coefficient of this position does not fit in 64 bits");
    place_case simple = simple_case(&p);
    if (simple != PLACE_READ) return simple;
    int64_t turned = 0; /* times n + 1, where the position is written with #>[true] */
    bool turns = !p.counts && !__builtin_add_overflow(p.ends, p.each, &turned) && (turned == 0 || turned == 1);
    bool future = p.future || (p.after && !p.before) || (p.ends != 0 && p.ends != 1 && turns);
    int64_t ends = future == p.future ? p.ends : turned;
    if (ends != 0 && ends != 1)
        refuse(g, at, TEMPER_UNSUPPORTED,
               p.future ? "'#[true]' may stand beside counts over j >= i once, or not at all"
                        : "'#>[true]' may stand beside '#[true]' and other counts over j <= i once, or not at all",
               "no head reads at a position that has n, the length, more than once or less than 0 times in it");
    linear_sum one = one_way(g, sum, &p, future);
    temper_mask mask = p.before ? TEMPER_MASK_UP_TO : p.after ? TEMPER_MASK_FROM : TEMPER_MASK_ALL;
    *place_node = formula_read_place(g, value, &one, ends, mask);
    return PLACE_READ;
}
