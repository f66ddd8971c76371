#include "recognise/source_reading.h"

#include <math.h>
#include <stdlib.h>

#include "logic/core.h"

typedef struct reading {
    questions *q;
    decisions *d;
    const formula *f;
    size_t letters;
    fn *of;
    bool too_large; /* a number of the present comparison */
} reading;

static fn kid(const reading *r, node_id id, size_t k) { return r->of[formula_kid(r->f, id, k)]; }

/* ---- letters ---- */

/* Runs of equal bits; whole words at a time where a set has few letters. */
static fn read_letters(reading *r, node_id id) {
    const letter_set *set = &r->f->sets[formula_at(r->f, id)->set];
    decision_run *runs = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t l = 0; l < r->letters;) {
        bool member = formula_has_letter(r->f, id, l);
        uint64_t bits = l / 64 < set->words ? set->bits[l / 64] : 0;
        uint32_t end = l + 1;
        if (l / 64 >= set->words) end = (uint32_t)r->letters;
        if (l / 64 < set->words && l % 64 == 0 && (bits == 0 || bits == ~(uint64_t)0)) end = l + 64;
        if (end > r->letters) end = (uint32_t)r->letters;
        fn to = member ? FN_TRUE : FN_FALSE;
        if (count && runs[count - 1].to == to)
            runs[count - 1].end = end;
        else
            array_push(r->q->arena, runs, count, capacity, (decision_run){end, to});
        l = end;
    }
    return fn_node(r->d, DECISION_LETTER, runs, count);
}

/* ---- temporal operators ---- */

/* x since y holds iff y holds at the last position up to here that has y or lacks x: after it x held all the time. */
static fn since(reading *r, bool forward, fn x, fn y) {
    temper_mask mask = forward ? TEMPER_MASK_FROM : TEMPER_MASK_UP_TO;
    temper_choice choice = forward ? TEMPER_CHOICE_LEFTMOST : TEMPER_CHOICE_RIGHTMOST;
    return ask_choice(r->q, mask, choice, fn_or(r->d, y, fn_not(r->d, x)), y);
}

static fn triggered(reading *r, bool forward, fn x, fn y) {
    return fn_not(r->d, since(r, forward, fn_not(r->d, x), fn_not(r->d, y)));
}

/* x holds from here on to the end, or up to a y: there is no later position without x and y before which y never
   held. */
static fn weak_since(reading *r, bool forward, fn x, fn y) {
    fn neither = fn_not(r->d, fn_or(r->d, x, y));
    return fn_not(r->d, since(r, forward, fn_not(r->d, y), neither));
}

static fn binary(reading *r, core c, fn x, fn y) {
    if (c.all) return c.beyond ? triggered(r, c.forward, x, y) : since(r, c.forward, y, fn_and(r->d, x, y));
    return c.beyond ? weak_since(r, c.forward, x, y) : since(r, c.forward, x, y);
}

static fn range(reading *r, core c, fn x) {
    temper_mask mask = c.forward ? TEMPER_MASK_FROM : TEMPER_MASK_UP_TO;
    return c.all ? fn_not(r->d, ask_exists(r->q, mask, fn_not(r->d, x))) : ask_exists(r->q, mask, x);
}

static fn step(reading *r, core c, fn x) {
    return c.beyond ? fn_not(r->d, ask_step(r->q, c.forward, fn_not(r->d, x))) : ask_step(r->q, c.forward, x);
}

static fn attend(reading *r, const formula_node *n, fn where, fn value) {
    if (n->choice == TEMPER_CHOICE_AVERAGE) return ask_exists(r->q, n->mask, where);
    return ask_choice(r->q, n->mask, n->choice, where, fn_and(r->d, where, value));
}

/* ---- sums ---- */

static bool is_past(const reading *r, node_id count) { return !core_at(r->f, count).forward; }

typedef struct counted {
    bool forward;
    fn f;
    __int128 weight;
} counted;

static int by_function(const void *x, const void *y) {
    const counted *a = x, *b = y;
    if (a->forward != b->forward) return a->forward - b->forward;
    return (a->f > b->f) - (a->f < b->f);
}

/* Weights of equal counts together; what counts nothing is left out. Returns how many there are, and what all weights
   have in common. */
static size_t counts_of(reading *r, node_id id, counted *out, __int128 *divisor) {
    const formula_node *n = formula_at(r->f, id);
    size_t count = 0, kept = 0;
    for (size_t k = core_of(n->op).kind == CORE_AT; k < n->kid_count; k++) { /* AT's first kid is no count */
        node_id c = formula_kid(r->f, id, k);
        if (kid(r, c, 0) != FN_FALSE)
            out[count++] = (counted){!is_past(r, c), kid(r, c, 0), formula_weight(r->f, id, k)};
    }
    if (count) qsort(out, count, sizeof *out, by_function);
    for (size_t k = 0; k < count; k++)
        if (kept && by_function(&out[kept - 1], &out[k]) == 0)
            out[kept - 1].weight += out[k].weight;
        else
            out[kept++] = out[k];
    *divisor = 0;
    for (size_t k = 0; k < kept; k++)
        for (__int128 b = out[k].weight < 0 ? -out[k].weight : out[k].weight; b != 0;) {
            __int128 rest = *divisor % b;
            *divisor = b;
            b = rest;
        }
    if (*divisor == 0) *divisor = 1;
    return kept;
}

static double coefficient(reading *r, __int128 x) {
    if (x <= (__int128)1 << 52 && x >= -((__int128)1 << 52)) return (double)x;
    r->too_large = true;
    return 0;
}

static count_id side(reading *r, const counted *all, size_t count, __int128 divisor, bool forward) {
    count_term *terms = arena_alloc(r->q->arena, count, sizeof *terms);
    size_t kept = 0;
    for (size_t k = 0; k < count; k++)
        if (all[k].forward == forward && all[k].weight != 0)
            terms[kept++] = (count_term){all[k].f, coefficient(r, all[k].weight / divisor)};
    return count_from_terms(&r->q->counts, terms, kept);
}

/* The largest whole number that is not above a/b. */
static __int128 quotient(__int128 a, __int128 b) { return a / b - (a % b != 0 && a < 0); }

/* A constant beyond 2^52 matters only where some positions add less than 0 and it is above, or more and it is
   below. */
static fn at_least(reading *r, count_id past, count_id future, __int128 b) {
    const __int128 most = (__int128)1 << 52;
    if (b <= most && b >= -most) return ask_sum(r->q, past, future, (double)b);
    fn x = ask_sum(r->q, past, future, b > 0 ? 0x1p52 : -0x1p52);
    if (x != (b > 0 ? FN_TRUE : FN_FALSE)) r->too_large = true;
    return x;
}

static fn compare(reading *r, node_id id) {
    const formula_node *n = formula_at(r->f, id);
    counted *all = arena_alloc(r->q->arena, n->kid_count, sizeof *all);
    __int128 divisor, b = n->constant;
    size_t count = counts_of(r, id, all, &divisor);
    r->too_large = false;
    count_id past = side(r, all, count, divisor, false), future = side(r, all, count, divisor, true);
    bool strict = n->compare == CMP_GT || n->compare == CMP_LE, equal = n->compare == CMP_EQ || n->compare == CMP_NE;
    /* > is >= of one less */
    fn reached = at_least(r, past, future, quotient(strict ? b - 1 : b, divisor));
    if (equal) reached = fn_and(r->d, reached, fn_not(r->d, at_least(r, past, future, quotient(b - 1, divisor))));
    bool negated = n->compare == CMP_LT || n->compare == CMP_LE || n->compare == CMP_NE;
    if (r->too_large) return ask_unsaid(r->q, id); /* perhaps it does not matter */
    return negated ? fn_not(r->d, reached) : reached;
}

/* Whether every position adds the same to a sum: then it is this number times i, or times n + 1 - i. */
static bool is_regular(reading *r, count_id sum, double *each) {
    const count_form *f = count_at(&r->q->counts, sum);
    if (f->count || !fn_is_leaf(r->d, f->letters)) return false;
    *each = decision_at(r->d, f->letters)->value;
    return true;
}

/* y at the position that the sum names. Where one direction adds the same everywhere, #[true] + #>[true] = n + 1
   turns it to the other one; else no head is known that reads there. */
static fn read_at(reading *r, node_id id, fn y) {
    const formula_node *n = formula_at(r->f, id);
    count_forms *c = &r->q->counts;
    counted *all = arena_alloc(r->q->arena, n->kid_count, sizeof *all);
    __int128 divisor;
    size_t count = counts_of(r, id, all, &divisor);
    r->too_large = false;
    count_id past = count_merge(c, side(r, all, count, 1, false)),
             future = count_merge(c, side(r, all, count, 1, true));
    double b = coefficient(r, n->constant), each = 0, ends = 0;
    bool forward = future && is_regular(r, past, &each);
    if (r->too_large) return ask_unsaid(r->q, id);
    if (past && future) {
        if (!forward && !is_regular(r, future, &each)) return ask_unsaid(r->q, id);
        count_term turned = {FN_TRUE, -each};
        count_id other = count_from_terms(c, &turned, each != 0);
        ends = each;
        *(forward ? &future : &past) = count_combine(c, other, 1, forward ? future : past);
    }
    fn x = ask_read(r->q, forward, forward ? future : past, ends, b, y);
    return x ? x : ask_unsaid(r->q, id);
}

static int64_t modulo(int64_t a, int64_t m) {
    int64_t rest = a % m;
    return rest < 0 ? rest + m : rest;
}

typedef struct addend {
    bool forward;
    fn counted;
    int64_t factor; /* in 1 ... m - 1 */
    uint32_t variable;
} addend;

static int by_counted(const void *x, const void *y) {
    const addend *a = x, *b = y;
    if (a->forward != b->forward) return a->forward - b->forward;
    return (a->counted > b->counted) - (a->counted < b->counted);
}

static int by_variable(const void *x, const void *y) {
    const addend *a = x, *b = y;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

/* Factors modulo m, of equal counts together. Returns how many there are. */
static size_t addends(reading *r, node_id id, addend *out) {
    const formula_node *n = formula_at(r->f, id);
    size_t count = 0, kept = 0;
    for (size_t k = 0; k < n->kid_count; k++) {
        node_id c = formula_kid(r->f, id, k);
        out[count++] = (addend){!is_past(r, c), kid(r, c, 0), modulo(formula_weight(r->f, id, k), n->modulus), 0};
    }
    if (count) qsort(out, count, sizeof *out, by_counted);
    for (size_t k = 0; k < count; k++) {
        if (out[k].counted == FN_FALSE) continue;
        if (kept && by_counted(&out[kept - 1], &out[k]) == 0)
            out[kept - 1].factor = (int64_t)(((__int128)out[kept - 1].factor + out[k].factor) % (__int128)n->modulus);
        else
            out[kept++] = out[k];
    }
    count = kept;
    kept = 0;
    for (size_t k = 0; k < count; k++)
        if (out[k].factor) out[kept++] = out[k];
    return kept;
}

/* Whether (a_1 c_1 + a_2 c_2 + ... + b) modulo m is the remainder: by the remainder of the first one, then of the
   second ... */
static fn several_remainders(reading *r, addend *sum, size_t count, int64_t b, int64_t m, bool at_most,
                             int64_t rest) {
    enum { MOST_CASES = 1 << 22 };
    if (m > QUESTION_MODULUS || (int64_t)count * m > MOST_CASES / m) return 0;
    for (size_t k = 0; k < count; k++) sum[k].variable = ask_remainder(r->q, sum[k].forward, sum[k].counted, m);
    qsort(sum, count, sizeof *sum, by_variable);
    fn *after = arena_alloc(r->q->arena, (size_t)m, sizeof *after);
    fn *before = arena_alloc(r->q->arena, (size_t)m, sizeof *before);
    decision_run *runs = arena_alloc(r->q->arena, (size_t)m, sizeof *runs);
    for (int64_t s = 0; s < m; s++) after[s] = (at_most ? s <= rest : s == rest) ? FN_TRUE : FN_FALSE;
    for (size_t k = count; k-- > 0;) {
        for (int64_t s = 0; s < m; s++) {
            int64_t to = s;
            for (int64_t c = 0; c < m; c++, to = (to + sum[k].factor) % m)
                runs[c] = (decision_run){(uint32_t)c + 1, after[to]};
            before[s] = fn_node(r->d, sum[k].variable, runs, (size_t)m);
        }
        fn *other = before;
        before = after;
        after = other;
    }
    return after[b];
}

static fn remainder_of(reading *r, node_id id) {
    const formula_node *n = formula_at(r->f, id);
    int64_t m = n->modulus, b = modulo(n->constant, m), rest = n->residue;
    bool equal = n->compare == CMP_EQ || n->compare == CMP_NE;
    bool negated = n->compare == CMP_NE || n->compare == CMP_GT || n->compare == CMP_GE;
    if (n->compare == CMP_LT || n->compare == CMP_GE) { /* x < r is x <= r - 1 */
        if (rest <= 0) return negated ? FN_TRUE : FN_FALSE;
        rest--;
    }
    addend *sum = arena_alloc(r->q->arena, n->kid_count, sizeof *sum);
    size_t count = addends(r, id, sum);
    fn x;
    if (rest < 0)
        x = FN_FALSE;
    else if (count == 0)
        x = (equal ? b == rest : b <= rest) ? FN_TRUE : FN_FALSE;
    else if (count == 1)
        x = ask_residue(r->q, sum->forward, sum->counted, sum->factor, b, m, !equal, rest);
    else
        x = several_remainders(r, sum, count, b, m, !equal, rest);
    if (!x) return ask_unsaid(r->q, id);
    return negated ? fn_not(r->d, x) : x;
}

/* ---- the pass ---- */

static fn gate(reading *r, node_id id) {
    const formula_node *n = formula_at(r->f, id);
    fn *parts = arena_alloc(r->q->arena, n->kid_count, sizeof *parts);
    for (size_t k = 0; k < n->kid_count; k++) parts[k] = kid(r, id, k);
    return core_of(n->op).all ? fn_and_all(r->d, parts, n->kid_count) : fn_or_all(r->d, parts, n->kid_count);
}

/* requires the kids' meanings */
static fn read_node(reading *r, node_id id) {
    const formula_node *n = formula_at(r->f, id);
    fn x = n->kid_count > 0 ? kid(r, id, 0) : 0, y = n->kid_count > 1 ? kid(r, id, 1) : 0;
    decisions *d = r->d;
    core c = core_of(n->op);
    switch (c.kind) {
    case CORE_CONSTANT: return c.all ? FN_TRUE : FN_FALSE;
    case CORE_EDGE: return ask_edge(r->q, c.forward);
    case CORE_LETTERS: return read_letters(r, id);
    case CORE_NOT: return fn_not(d, x);
    case CORE_GATE: return gate(r, id);
    case CORE_XOR: x = fn_xor(d, x, y); return c.all ? fn_not(d, x) : x;
    case CORE_IMPLIES: return fn_or(d, fn_not(d, x), y);
    case CORE_STEP: return step(r, c, x);
    case CORE_RANGE: return range(r, c, x);
    case CORE_SINCE: return binary(r, c, x, y);
    case CORE_COMPARE: return compare(r, id);
    case CORE_MODULO: return remainder_of(r, id);
    case CORE_AT: return read_at(r, id, x);
    case CORE_ATTEND: return attend(r, n, x, y);
    case CORE_MATCH: return kid(r, id, (size_t)n->kid_count - 1); /* in other operators */
    case CORE_LANGUAGE:
        trap_raise(r->q->arena->trap, TEMPER_UNSUPPORTED, r->f->notes[id].line, r->f->notes[id].column,
                   "a regular language is no question about one position");
    case CORE_COUNT: break;
    }
    return 0;
}

const fn *source_read(questions *q, const temper_spec *spec) {
    const formula *f = &spec->graph;
    reading r = {.q = q, .d = &q->d, .f = f, .letters = spec->letters.count};
    r.of = arena_zalloc(q->arena, f->count, sizeof *r.of);
    const unsigned char *marks = spec_outputs_reachable(spec, q->arena);
    for (node_id id = 1; id < f->count; id++)
        if (marks[id]) r.of[id] = read_node(&r, id);
    return r.of;
}
