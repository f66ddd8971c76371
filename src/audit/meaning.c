#include "audit/meaning.h"

#include <math.h>
#include <string.h>

typedef enum question { ASK_EXISTS, ASK_ELSEWHERE, ASK_NEAREST, ASK_FARTHEST, ASK_ANYWHERE, ASK_STEP, ASK_SUM, ASK_COUNT, ASK_RESIDUE } question;

/* What an atom is known by. Unused fields are 0; no padding. */
typedef struct atom_key {
    uint32_t question, past, f, g;
    int64_t number[4];
} atom_key;

void meaning_init(meaning *m, uint64_t letters, arena *a, arena *scratch) {
    *m = (meaning){.arena = a, .scratch = scratch, .letters = letters, .letter_bits = dd_bits(letters)};
    diagram_init(&m->d, a);
    dd_new_vars(&m->d, m->letter_bits);
    m->first = dd_variable(&m->d, dd_new_vars(&m->d, 1));
    m->last = dd_variable(&m->d, dd_new_vars(&m->d, 1));
    table_init(&m->atoms, a);
    table_init(&m->yesterday, a);
    table_init(&m->exists, a);
    table_init(&m->everywhere, a);
}

dd meaning_letters(meaning *m, const uint32_t *members, size_t count) {
    return dd_members(&m->d, 0, m->letter_bits, m->letters, members, count);
}

/* ---- atoms ---- */

static const dd *find(const table *t, const void *key, size_t length) { return table_find(t, key, length); }

static void keep(meaning *m, table *t, const void *key, size_t length, dd value) {
    bool fresh;
    table_put(t, arena_copy(m->arena, key, length), length, value, &fresh);
}

/* The first variable of the atom, made if it is new. */
static uint32_t variables(meaning *m, const atom_key *key, uint32_t count, bool *fresh) {
    const uint32_t *known = find(&m->atoms, key, sizeof *key);
    *fresh = !known;
    if (known) return *known;
    uint32_t var = dd_new_vars(&m->d, count);
    keep(m, &m->atoms, key, sizeof *key, var);
    return var;
}

static dd edge(const meaning *m, bool past) { return past ? m->first : m->last; }

typedef struct compound_key {
    uint32_t past;
    dd f;
} compound_key;

/* `loose` includes the position itself, `strict` is the same question about those before. A compound that does not depend on its own
   atom could have been met before the atom was, and then nothing is noted: what is found must not depend on the order. */
static void note_compound(meaning *m, table *t, bool past, dd loose, dd strict, uint32_t var) {
    compound_key key = {past, loose};
    if (dd_depends(&m->d, loose, var)) keep(m, t, &key, sizeof key, strict);
}

static bool compound(const table *t, bool past, dd f, dd *strict) {
    compound_key key = {past, f};
    const dd *known = find(t, &key, sizeof key);
    if (known) *strict = *known;
    return known;
}

static dd exists_before(meaning *m, bool past, dd f) {
    diagram *d = &m->d;
    dd strict;
    if (f == 0) return 0;
    if (f == 1) return dd_not(d, edge(m, past));
    if (compound(&m->exists, past, f, &strict)) return strict;
    bool fresh;
    uint32_t var = variables(m, &(atom_key){.question = ASK_EXISTS, .past = past, .f = f}, 1, &fresh);
    strict = dd_and(d, dd_not(d, edge(m, past)), dd_variable(d, var));
    if (fresh) {
        dd loose = dd_or(d, f, strict);
        note_compound(m, &m->yesterday, past, loose, strict, var);
        note_compound(m, &m->exists, past, loose, strict, var);
    }
    return strict;
}

/* Is there a j other than i with f? */
static dd exists_elsewhere(meaning *m, dd f) {
    diagram *d = &m->d;
    dd others = dd_not(d, dd_and(d, m->first, m->last)), strict;
    if (f == 0) return 0;
    if (f == 1) return others;
    if (compound(&m->everywhere, false, f, &strict)) return dd_and(d, f, others); /* f is the same everywhere */
    bool fresh;
    uint32_t var = variables(m, &(atom_key){.question = ASK_ELSEWHERE, .f = f}, 1, &fresh);
    strict = dd_and(d, others, dd_variable(d, var));
    if (fresh) note_compound(m, &m->everywhere, false, dd_or(d, f, strict), strict, var);
    return strict;
}

static bool is_past(temper_mask mask) { return mask == TEMPER_MASK_BEFORE || mask == TEMPER_MASK_UP_TO; }
static bool is_strict(temper_mask mask) { return mask == TEMPER_MASK_BEFORE || mask == TEMPER_MASK_AFTER; }

dd meaning_exists(meaning *m, temper_mask mask, dd f) {
    if (mask == TEMPER_MASK_ALL) return dd_or(&m->d, f, exists_elsewhere(m, f));
    dd strict = exists_before(m, is_past(mask), f);
    return is_strict(mask) ? strict : dd_or(&m->d, f, strict);
}

dd meaning_step(meaning *m, bool past, dd f) {
    diagram *d = &m->d;
    dd inside = dd_not(d, edge(m, past)), strict, negated;
    if (f == 0) return 0;
    if (f == 1) return inside;
    if (compound(&m->yesterday, past, f, &strict)) return strict;
    negated = dd_not(d, f);
    if (compound(&m->yesterday, past, negated, &strict)) return dd_and(d, inside, dd_not(d, strict));
    if (dd_at_zero(d, f) != 0) return dd_and(d, inside, dd_not(d, meaning_step(m, past, negated)));
    bool fresh;
    uint32_t var = variables(m, &(atom_key){.question = ASK_STEP, .past = past, .f = f}, 1, &fresh);
    return dd_and(d, inside, dd_variable(d, var));
}

static dd nearest(meaning *m, bool past, bool strictly, dd where, dd value) {
    diagram *d = &m->d;
    dd strict;
    if (where == 1) {
        strict = meaning_step(m, past, value);
    } else {
        bool fresh;
        uint32_t var = variables(
            m, &(atom_key){.question = ASK_NEAREST, .past = past, .f = where, .g = value}, 1, &fresh);
        strict = dd_and(d, dd_not(d, edge(m, past)), dd_variable(d, var));
        if (fresh) {
            dd loose = dd_or(d, value, dd_and(d, dd_not(d, where), strict));
            note_compound(m, &m->yesterday, past, loose, strict, var);
        }
    }
    return strictly ? strict : dd_or(d, value, dd_and(d, dd_not(d, where), strict));
}

static dd farthest(meaning *m, bool past, bool strictly, dd where, dd value) {
    diagram *d = &m->d;
    bool fresh;
    uint32_t var = variables(
        m, &(atom_key){.question = ASK_FARTHEST, .past = past, .f = where, .g = value}, 1, &fresh);
    dd strict = dd_and(d, dd_not(d, edge(m, past)), dd_variable(d, var));
    dd loose = dd_or(d, strict, dd_and(d, dd_not(d, exists_before(m, past, where)), value));
    if (fresh) note_compound(m, &m->yesterday, past, loose, strict, var);
    return strictly ? strict : loose;
}

dd meaning_chosen(meaning *m, temper_mask mask, bool last, dd where, dd value) {
    if (value == 0) return 0;
    if (value == where) return meaning_exists(m, mask, where);
    if (mask == TEMPER_MASK_ALL) {
        bool fresh;
        return dd_variable(&m->d, variables(m,
                                            &(atom_key){.question = ASK_ANYWHERE, .past = last, .f = where, .g = value},
                                            1, &fresh));
    }
    bool past = is_past(mask);
    return past == last ? nearest(m, past, is_strict(mask), where, value)
                        : farthest(m, past, is_strict(mask), where, value);
}

/* ---- counting ---- */

static double common_factor(double a, double b) {
    a = fabs(a), b = fabs(b);
    while (b != 0) {
        double rest = fmod(a, b);
        a = b, b = rest;
    }
    return a;
}

typedef struct leaf_facts {
    double low, high;      /* least and greatest */
    double least, largest; /* the least above 0 and the greatest below; infinite if there is none */
    double factor;
} leaf_facts;

static void look_at(meaning *m, dd f, leaf_facts *x) {
    size_t count;
    arena_reset(m->scratch);
    const double *v = dd_leaves(&m->d, f, &count, m->scratch);
    for (size_t k = 0; k < count; k++) {
        if (v[k] < x->low) x->low = v[k];
        if (v[k] > x->high) x->high = v[k];
        if (v[k] > 0 && v[k] < x->least) x->least = v[k];
        if (v[k] < 0 && v[k] > x->largest) x->largest = v[k];
        if (v[k] != floor(v[k]))
            trap_raise(m->arena->trap, TEMPER_RANGE, 0, 0, "a sum of counts whose weights are not whole numbers");
        x->factor = common_factor(x->factor, v[k]);
    }
}

static double divided(void *context, double x) { return x / *(const double *)context; }

static double is_not_zero(void *context, double x) {
    (void)context;
    return x != 0;
}

/* Sums that are always or never at least 0, and those that only ask whether anything was counted, are told from the values that one
   position can add; the rest is an atom, divided by the common factor of these values: sum >= -b iff sum/g >= -floor(b/g). */
dd meaning_at_least(meaning *m, dd past, dd future, double constant) {
    diagram *d = &m->d;
    leaf_facts x = {.low = 0, .high = 0, .least = INFINITY, .largest = -INFINITY};
    look_at(m, past, &x);
    look_at(m, future, &x);
    if (x.low >= 0 && constant >= 0) return 1;
    if (x.high <= 0 && constant < 0) return 0;
    if (past == 0 || future == 0) {
        temper_mask mask = future == 0 ? TEMPER_MASK_UP_TO : TEMPER_MASK_FROM;
        dd some = future == 0 ? past : future;
        if (x.low >= 0 && x.least >= -constant) return meaning_exists(m, mask, dd_map(d, some, is_not_zero, NULL));
        if (x.high <= 0 && x.largest + constant < 0)
            return dd_not(d, meaning_exists(m, mask, dd_map(d, some, is_not_zero, NULL)));
    }
    double factor = x.factor; /* of all values, so quotients are whole */
    atom_key key = {.question = ASK_SUM,
                    .f = dd_map(d, past, divided, &factor),
                    .g = dd_map(d, future, divided, &factor),
                    .number = {(int64_t)floor(constant / factor)}};
    bool fresh;
    return dd_variable(d, variables(m, &key, 1, &fresh));
}

/* ---- residues ---- */

static int64_t greatest_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

static int64_t reduce(int64_t a, int64_t m) {
    int64_t r = a % m;
    return r < 0 ? r + m : r;
}

static int64_t multiply(int64_t a, int64_t b, int64_t m) {
    return (int64_t)((__int128)a * b % m);
}

/* The x with a x = 1 modulo m, which have no common divisor. */
static int64_t inverse(int64_t a, int64_t m) {
    int64_t r = m, next = a % m, t = 0, tn = 1;
    while (next) {
        int64_t q = r / next, swap = t - q * tn;
        t = tn, tn = swap;
        swap = r - q * next;
        r = next, next = swap;
    }
    return m == 1 ? 0 : reduce(t, m);
}

/* c mod period in binary: the variables of the count's block. */
static uint32_t block(meaning *m, bool past, dd f, int64_t period, uint32_t *bits) {
    bool fresh;
    *bits = dd_bits((uint64_t)period);
    return variables(m, &(atom_key){.question = ASK_COUNT, .past = past, .f = f, .number = {period}}, *bits, &fresh);
}

dd meaning_remainder(meaning *m, bool past, dd f, int64_t weight, int64_t modulus) {
    weight = reduce(weight, modulus);
    int64_t period = modulus / greatest_divisor(modulus, weight);
    if (f == 0 || period == 1) return 0;
    double *values = arena_alloc(m->arena, (size_t)period, sizeof *values);
    for (int64_t c = 0; c < period; c++) values[c] = (double)multiply(weight, c, modulus);
    uint32_t bits, var = block(m, past, f, period, &bits);
    return dd_table(&m->d, var, bits, (uint64_t)period, values);
}

/* weight c + constant = residue modulo m is c = r' modulo m/g, g the common divisor of weight and m, or never. */
static dd residue_equal(meaning *m, bool past, dd f, int64_t weight, int64_t constant, int64_t modulus,
                        int64_t residue) {
    int64_t g = greatest_divisor(modulus, weight), period = modulus / g;
    int64_t wanted = reduce(residue - constant, modulus);
    if (wanted % g) return 0;
    if (period == 1) return 1;
    uint32_t r = 0;
    int64_t c = multiply(wanted / g, inverse(weight / g, period), period);
    if (period > RESIDUE_TABLE) {
        bool fresh;
        atom_key key = {.question = ASK_RESIDUE, .past = past, .f = f, .number = {period, c, -1, 0}};
        return dd_variable(&m->d, variables(m, &key, 1, &fresh));
    }
    uint32_t bits, var = block(m, past, f, period, &bits);
    r = (uint32_t)c;
    return dd_members(&m->d, var, bits, (uint64_t)period, &r, 1);
}

static dd residue_at_most(meaning *m, bool past, dd f, int64_t weight, int64_t constant, int64_t modulus,
                          int64_t residue) {
    int64_t period = modulus / greatest_divisor(modulus, weight);
    if (residue == modulus - 1) return 1;
    if (period == 1) return constant <= residue;
    if (period > RESIDUE_TABLE) {
        bool fresh;
        atom_key key = {.question = ASK_RESIDUE,
                        .past = past,
                        .f = f,
                        .number = {modulus, weight, constant, residue}};
        return dd_variable(&m->d, variables(m, &key, 1, &fresh));
    }
    double *values = arena_alloc(m->arena, (size_t)period, sizeof *values);
    for (int64_t c = 0; c < period; c++)
        values[c] = (multiply(weight, c, modulus) + constant) % modulus <= residue;
    uint32_t bits, var = block(m, past, f, period, &bits);
    return dd_table(&m->d, var, bits, (uint64_t)period, values);
}

dd meaning_residue(meaning *m, bool past, dd f, int64_t weight, int64_t constant, int64_t modulus, residue_test test,
                   int64_t residue) {
    weight = f == 0 ? 0 : reduce(weight, modulus);
    constant = reduce(constant, modulus);
    return test == RESIDUE_EQUAL ? residue_equal(m, past, f, weight, constant, modulus, residue)
                                 : residue_at_most(m, past, f, weight, constant, modulus, residue);
}
