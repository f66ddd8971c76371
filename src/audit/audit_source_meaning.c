/* One case per reading of an operator, each with the reason why the question asked is the operator's definition.
   Throughout i is the position, and "nearest" the last j <= i for operators that look back, the first j >= i for
   those that look forward.

   Lemma. phi S psi at i iff psi holds at the nearest j with (psi or not phi). If psi holds at that j, phi holds at
   all k behind it up to i, for none of them has not phi: since holds. Conversely let psi hold at j and phi at all k
   behind it; the nearest j' with (psi or not phi) is j or one of these k, and has psi since phi holds at all of the
   latter. The mirror image is until. */
#include "audit/audit_source_meaning.h"

#include "audit/audit_match.h"
#include "audit/audit_operator.h"

#include <math.h>
#include <stdlib.h>

typedef struct reader {
    meaning *m;
    diagram *d;
    const formula *f;
    const temper_spec *spec;
    const dd *languages;
    dd *of;
    arena *arena;
} reader;

static dd kid(const reader *r, node_id id, size_t k) { return r->of[formula_kid(r->f, id, k)]; }

static dd left(const reader *r, node_id id) { return kid(r, id, 0); }
static dd right(const reader *r, node_id id) { return kid(r, id, 1); }

static dd letters_of(const reader *r, node_id id) {
    size_t count = 0, all = r->spec->letters.count;
    arena_reset(r->m->scratch);
    uint32_t *members = arena_alloc(r->m->scratch, all, sizeof *members);
    for (uint32_t l = 0; l < all; l++)
        if (formula_has_letter(r->f, id, l)) members[count++] = l;
    return meaning_letters(r->m, members, count);
}

static dd gate(const reader *r, node_id id, dd_op op, dd neutral) {
    /* in pairs, so that a long chain costs little more than its result */
    size_t count = formula_at(r->f, id)->kid_count;
    if (count == 0) return neutral;
    dd *part = arena_alloc(r->arena, count, sizeof *part);
    for (size_t k = 0; k < count; k++) part[k] = kid(r, id, k);
    while (count > 1) {
        size_t kept = 0;
        for (size_t k = 0; k + 1 < count; k += 2) part[kept++] = dd_apply(r->d, op, part[k], part[k + 1]);
        if (count % 2) part[kept++] = part[count - 1];
        count = kept;
    }
    return part[0];
}

/* phi S psi, or phi U psi. */
static dd since(const reader *r, bool past, dd phi, dd psi) {
    return meaning_chosen(r->m, past ? TEMPER_MASK_UP_TO : TEMPER_MASK_FROM, past,
                          dd_or(r->d, psi, dd_not(r->d, phi)), psi);
}

static dd negated_since(const reader *r, bool past, dd phi, dd psi) {
    return dd_not(r->d, since(r, past, dd_not(r->d, phi), dd_not(r->d, psi)));
}

static dd everywhere(const reader *r, temper_mask mask, dd phi) {
    return dd_not(r->d, meaning_exists(r->m, mask, dd_not(r->d, phi)));
}

/* What the node says of itself in other operators, its last operand, is not looked at. */
static dd match(const reader *r, node_id id) {
    const formula_node *n = formula_at(r->f, id);
    size_t count = n->kid_count / 2 - 1;
    dd *there = arena_alloc(r->arena, count, sizeof *there), *here = arena_alloc(r->arena, count, sizeof *here);
    for (size_t k = 0; k < count; k++) {
        there[k] = kid(r, id, 2 * k);
        here[k] = kid(r, id, 2 * k + 1);
    }
    return audit_alike(r->m, n->mask, n->choice == TEMPER_CHOICE_RIGHTMOST, there, here, count,
                       kid(r, id, 2 * count));
}

/* ---- sums of counts ---- */

typedef __int128 wide;

typedef struct sum_term {
    dd f;
    bool past;
    wide weight;
} sum_term;

typedef struct sum {
    sum_term *terms; /* different functions, weights not 0 */
    size_t count;
    wide constant;
} sum;

/* The sum of a COMPARE, MODULO or AT node; counts of the same function are one. Weights modulo `modulus` unless it is
   0. */
static sum sum_of(const reader *r, node_id id, int64_t modulus, arena *a) {
    const formula_node *n = formula_at(r->f, id);
    sum s = {.terms = arena_alloc(a, n->kid_count, sizeof *s.terms), .constant = n->constant};
    table known;
    table_init(&known, a);
    for (size_t k = 0; k < n->kid_count; k++) {
        node_id count = formula_kid(r->f, id, k);
        if (!formula_weight(r->f, id, k)) continue; /* what AT reads is no count */
        struct {
            uint32_t past;
            dd f;
        } *key = arena_alloc(a, 1, sizeof *key);
        key->past = !audit_operator_of(formula_at(r->f, count)->op).forward;
        key->f = r->of[formula_kid(r->f, count, 0)];
        if (key->f == 0) continue;
        bool fresh;
        uint32_t at = *table_put(&known, key, sizeof *key, (uint32_t)s.count, &fresh);
        if (fresh) s.terms[s.count++] = (sum_term){.f = key->f, .past = key->past};
        s.terms[at].weight += formula_weight(r->f, id, k);
    }
    size_t kept = 0;
    for (size_t k = 0; k < s.count; k++) {
        if (modulus) s.terms[k].weight = (s.terms[k].weight % modulus + modulus) % modulus;
        if (s.terms[k].weight) s.terms[kept++] = s.terms[k];
    }
    s.count = kept;
    return s;
}

static bool is_before(const sum_term *x, const sum_term *y) {
    return x->f < y->f || (x->f == y->f && x->past && !y->past);
}

static int by_function(const void *left, const void *right) {
    return is_before(right, left) - is_before(left, right);
}

/* A sum with numbers that are too large to handle, or a position of both directions: a variable that nothing in a
   model can mean, known by the sum and some numbers more. The source may still be proved where it does not depend on
   it. */
static dd opaque(const reader *r, question asked, const sum *s, wide factor, wide first, wide second, wide third) {
    wide *key = NULL;
    size_t length = 0, capacity = 0;
    bool fresh;
    array_push(r->arena, key, length, capacity, asked);
    array_push(r->arena, key, length, capacity, first);
    array_push(r->arena, key, length, capacity, second);
    array_push(r->arena, key, length, capacity, third);
    qsort(s->terms, s->count, sizeof *s->terms, by_function);
    for (size_t k = 0; k < s->count; k++) {
        array_push(r->arena, key, length, capacity, s->terms[k].f);
        array_push(r->arena, key, length, capacity, s->terms[k].past);
        array_push(r->arena, key, length, capacity, s->terms[k].weight / factor);
    }
    return dd_variable(r->d, meaning_variables(r->m, key, length * sizeof *key, 1, &fresh));
}

static wide floor_div(wide a, wide b) { return a / b - (a % b < 0); } /* b > 0 */
static wide magnitude(wide x) { return x < 0 ? -x : x; }

/* sum >= 0. Where all weights have one sign, large ones need not be numbers of a diagram: see meaning_at_least, which
   does the same for the values of a position. */
static dd at_least(const reader *r, const sum *s, wide constant) {
    diagram *d = r->d;
    wide common = 0;
    bool up = true, down = true;
    for (size_t k = 0; k < s->count; k++) {
        wide w = s->terms[k].weight, b = magnitude(w), c = common;
        while (b) {
            wide rest = c % b;
            c = b, b = rest;
        }
        common = c;
        up = up && w > 0;
        down = down && w < 0;
    }
    if (s->count == 0) return constant >= 0;
    if (up && constant >= 0) return 1;
    if (down && constant < 0) return 0;
    wide most = (wide)1 << 52, fixed = floor_div(constant, common);
    dd part[2] = {0, 0};
    for (size_t k = 0; k < s->count; k++) {
        wide w = s->terms[k].weight / common;
        /* with one sign, a weight beyond the constant decides alone, whatever it is */
        wide bound = magnitude(fixed) + 1;
        if ((up || down) && bound < most) w = w > most ? bound : w < -most ? -bound : w;
        if (w > most || w < -most || fixed > most || fixed < -most)
            return opaque(r, ASK_OPAQUE, s, common, fixed, 0, 0);
        int side = s->terms[k].past ? 0 : 1;
        part[side] = dd_add(d, part[side], dd_times(d, s->terms[k].f, (double)w));
    }
    return meaning_at_least(r->m, part[0], part[1], (double)fixed);
}

static dd compare(const reader *r, node_id id) {
    sum s = sum_of(r, id, 0, r->arena);
    dd least = at_least(r, &s, s.constant), above = at_least(r, &s, s.constant - 1), result = 0;
    switch (formula_at(r->f, id)->compare) {
    case CMP_GE: result = least; break;
    case CMP_LT: result = dd_not(r->d, least); break;
    case CMP_GT: result = above; break;
    case CMP_LE: result = dd_not(r->d, above); break;
    case CMP_EQ: result = dd_and(r->d, least, dd_not(r->d, above)); break;
    case CMP_NE: result = dd_or(r->d, dd_not(r->d, least), above); break;
    }
    return result;
}

/* ---- remainders ---- */

typedef struct remainder_test {
    double modulus, constant, residue;
    compare_op op;
} remainder_test;

static double test_remainder(void *context, double x) {
    const remainder_test *t = context;
    double rest = fmod(x + t->constant, t->modulus);
    return compare_holds(t->op, (rest > t->residue) - (rest < t->residue));
}

static double reduce(void *context, double x) { return fmod(x, *(const double *)context); }

enum { RESIDUE_PAIRS = 1 << 20 };

/* Whether the sum has no more than RESIDUE_PAIRS pairs of a residue so far and one of the next count, and so many
   numbers at its leaves before it is tested. A weight w reaches m / gcd(w, m) residues, and two groups of residues
   together the least common multiple of theirs. */
static bool has_few_residues(const sum *s, int64_t modulus) {
    int64_t reached = 1, pairs = 0;
    if (modulus > RESIDUE_TABLE) return false;
    for (size_t k = 0; k < s->count && pairs <= RESIDUE_PAIRS; k++) {
        int64_t period = modulus / meaning_divisor(modulus, (int64_t)s->terms[k].weight);
        pairs += reached * period;
        reached *= period / meaning_divisor(reached, period);
    }
    return pairs <= RESIDUE_PAIRS;
}

/* Many counts: the remainders of the products are numbers below the modulus; their sum is reduced as it grows. */
static dd many_counts(const reader *r, const sum *s, int64_t modulus, remainder_test *t) {
    double m = (double)modulus;
    dd total = 0;
    for (size_t k = 0; k < s->count; k++) {
        dd one = meaning_remainder(r->m, s->terms[k].past, s->terms[k].f, (int64_t)s->terms[k].weight, modulus);
        total = dd_map(r->d, dd_add(r->d, total, one), reduce, &m);
    }
    return dd_map(r->d, total, test_remainder, t);
}

static dd modulo(const reader *r, node_id id) {
    const formula_node *n = formula_at(r->f, id);
    int64_t m = n->modulus, residue = n->residue;
    sum s = sum_of(r, id, m, r->arena);
    int64_t constant = (int64_t)((s.constant % m + m) % m);
    dd result;
    /* a remainder lies in 0 ... m - 1, whatever it is compared with */
    bool negated = n->compare == CMP_NE || n->compare == CMP_GT || n->compare == CMP_GE;
    bool equal = n->compare == CMP_EQ || n->compare == CMP_NE;
    bool below = n->compare == CMP_LT || n->compare == CMP_GE; /* x < r is x <= r - 1 */
    if (residue < 0 || (below && residue == 0) || (equal && residue >= m)) {
        result = negated;
    } else if (!equal && residue - below >= m - 1) {
        result = !negated;
    } else {
        if (below) residue--;
        if (s.count == 0) {
            result = equal ? constant == residue : constant <= residue;
        } else if (m >= (int64_t)1 << 62 || (s.count > 1 && !has_few_residues(&s, m))) {
            result = opaque(r, ASK_OPAQUE, &s, 1, m, equal ? constant - residue : constant, equal ? -1 : residue);
        } else if (s.count == 1) {
            result = meaning_residue(r->m, s.terms[0].past, s.terms[0].f, (int64_t)s.terms[0].weight, constant, m,
                                     equal ? RESIDUE_EQUAL : RESIDUE_AT_MOST, residue);
        } else {
            remainder_test t = {(double)m, (double)constant, (double)residue, equal ? CMP_EQ : CMP_LE};
            result = many_counts(r, &s, m, &t);
        }
        if (negated) result = dd_not(r->d, result);
    }
    return result;
}

/* ---- computed positions ---- */

/* phi @ e. Where both directions count, one of them must add the same everywhere: a*i = a*(n + 1) - a*(n + 1 - i). */
static dd read_at(const reader *r, node_id id, dd value) {
    diagram *d = r->d;
    sum s = sum_of(r, id, 0, r->arena);
    wide most = (wide)1 << 52;
    dd part[2] = {0, 0};
    bool large = s.constant > most || s.constant < -most;
    for (size_t k = 0; k < s.count && !large; k++) {
        wide w = s.terms[k].weight;
        large = w > most || w < -most;
        dd *to = &part[s.terms[k].past ? 0 : 1];
        if (!large) *to = dd_add(d, *to, dd_times(d, s.terms[k].f, (double)w));
    }
    bool past = dd_is_leaf(d, part[1]), future = dd_is_leaf(d, part[0]);
    if (large || (!past && !future)) return opaque(r, ASK_READ, &s, 1, s.constant, value, 0);
    dd turned = past ? part[1] : part[0], kept = past ? part[0] : part[1];
    double a = dd_value(d, turned);
    if (a != 0) kept = dd_add(d, kept, dd_number(d, 0 - a));
    return meaning_read(r->m, past, kept, a, (double)s.constant, value);
}

/* ---- the induction ---- */

/* phi U psi or always phi: the nearest j with (psi or not phi) has psi, or there is none. So it fails iff that j has
   neither phi nor psi. */
static dd weak_since(const reader *r, bool past, dd phi, dd psi) {
    diagram *d = r->d;
    dd neither = dd_not(d, dd_or(d, phi, psi));
    return dd_not(d, meaning_chosen(r->m, past ? TEMPER_MASK_UP_TO : TEMPER_MASK_FROM, past,
                                    dd_or(d, psi, dd_not(d, phi)), neither));
}

static dd weak_step(const reader *r, bool past, dd phi) {
    return dd_or(r->d, past ? r->m->first : r->m->last, meaning_step(r->m, past, phi));
}

static dd attention(const reader *r, node_id id) {
    const formula_node *n = formula_at(r->f, id);
    if (n->choice == TEMPER_CHOICE_AVERAGE) return meaning_exists(r->m, n->mask, left(r, id));
    return meaning_chosen(r->m, n->mask, n->choice == TEMPER_CHOICE_RIGHTMOST, left(r, id),
                          dd_and(r->d, left(r, id), right(r, id)));
}

static dd meaning_of(const reader *r, node_id id) {
    const formula_node *n = formula_at(r->f, id);
    diagram *d = r->d;
    meaning *m = r->m;
    audit_operator o = audit_operator_of(n->op);
    bool past = !o.forward;
    temper_mask mask = past ? TEMPER_MASK_UP_TO : TEMPER_MASK_FROM;
    switch (o.reading) {
    case READS_TRUE: return 1;
    case READS_FALSE: return 0;
    case READS_EDGE: return past ? m->first : m->last;
    case READS_LETTERS: return letters_of(r, id);
    case READS_NOT: return dd_not(d, left(r, id));
    case READS_AND: return gate(r, id, DD_AND, 1);
    case READS_OR: return gate(r, id, DD_OR, 0);
    case READS_XOR: return dd_xor(d, left(r, id), right(r, id));
    case READS_IMPLIES: return dd_or(d, dd_not(d, left(r, id)), right(r, id));
    case READS_IFF: return dd_not(d, dd_xor(d, left(r, id), right(r, id)));
    case READS_STEP: return meaning_step(m, past, left(r, id));
    case READS_WEAK_STEP: return weak_step(r, past, left(r, id));
    case READS_SOMEWHERE: return meaning_exists(m, mask, left(r, id));
    case READS_EVERYWHERE: return everywhere(r, mask, left(r, id));
    case READS_SINCE: return since(r, past, left(r, id), right(r, id));
    /* not (at each j: psi, or phi at some k before it) is: not psi at some j, and not phi at all k before */
    case READS_TRIGGERED: return negated_since(r, past, left(r, id), right(r, id));
    case READS_WEAK_SINCE: return weak_since(r, past, left(r, id), right(r, id));
    /* phi at some j, psi up to and including it: psi until (phi and psi) */
    case READS_STRONG_TRIGGERED: return since(r, past, right(r, id), dd_and(d, left(r, id), right(r, id)));
    case READS_COMPARE: return compare(r, id);
    case READS_MODULO: return modulo(r, id);
    case READS_AT: return read_at(r, id, left(r, id));
    case READS_ATTEND: return attention(r, id);
    case READS_MATCH: return match(r, id);
    case READS_LANGUAGE:
        if (o.forward) break; /* no text has it */
        if (!r->languages) trap_raise(r->arena->trap, TEMPER_RANGE, 0, 0, "a regular language without a formula");
        return r->languages[n->set];
    case READS_COUNT: break;
    }
    return NO_MEANING;
}

dd *source_meanings(meaning *m, const temper_spec *spec, const dd *languages, arena *a) {
    reader r = {.m = m, .d = &m->d, .f = &spec->graph, .spec = spec, .languages = languages, .arena = a};
    r.of = arena_alloc(a, spec->graph.count, sizeof *r.of);
    const unsigned char *marks = spec_outputs_reachable(spec, a);
    for (node_id id = 0; id < spec->graph.count; id++) r.of[id] = id && marks[id] ? meaning_of(&r, id) : NO_MEANING;
    return r.of;
}
