#include "audit/audit_meaning.h"

#include <math.h>
#include <string.h>

#include "base/work.h"

void meaning_init(meaning *m, uint64_t letters, arena *a, arena *scratch) {
    *m = (meaning){.arena = a, .scratch = scratch, .letters = letters, .letter_bits = dd_bits(letters)};
    diagram_init(&m->d, a);
    work_begin("finding what the model computes", m->d.most);
    dd_new_vars(&m->d, m->letter_bits);
    m->first = dd_variable(&m->d, dd_new_vars(&m->d, 1));
    m->last = dd_variable(&m->d, dd_new_vars(&m->d, 1));
    table_init(&m->atoms, a);
    table_init(&m->yesterday, a);
    table_init(&m->exists, a);
    table_init(&m->everywhere, a);
    table_init(&m->readings, a);
    table_init(&m->remainders, a);
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

static uint32_t variables(meaning *m, const atom_key *key, uint32_t count, bool *fresh) {
    return meaning_variables(m, key, sizeof *key, count, fresh);
}

uint32_t meaning_variables(meaning *m, const void *key, size_t length, uint32_t count, bool *fresh) {
    const uint32_t *known = find(&m->atoms, key, length);
    *fresh = !known;
    if (known) return *known;
    uint32_t var = dd_new_vars(&m->d, count);
    keep(m, &m->atoms, key, length, var);
    return var;
}

static dd edge(const meaning *m, bool past) { return past ? m->first : m->last; }

typedef struct compound_key {
    uint32_t past;
    dd f;
} compound_key;

/* `loose` includes the position itself, `strict` is the same question about those before. A compound that does not
   depend on its own atom could have been met before the atom was, and then nothing is noted: what is found must not
   depend on the order. */
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

/* ---- readings at one position ---- */

enum { MOST_READINGS = 512 }; /* of one choice; further ones are atoms by themselves */

dd meaning_reading(meaning *m, const atom_key *key, const atom_key *place, dd inside, dd value) {
    diagram *d = &m->d;
    bool fresh;
    uint32_t var = variables(m, key, 1, &fresh);
    const uint32_t *known = find(&m->readings, place, sizeof *place);
    uint32_t last = known ? *known : 0;
    for (uint32_t k = last; k && !fresh; k = m->read[k - 1].before)
        if (m->read[k - 1].value == value) return m->read[k - 1].answer;
    dd answer = dd_and(d, inside, dd_variable(d, var));
    uint32_t count = last ? m->read[last - 1].count : 0;
    if (!fresh || count >= MOST_READINGS) return answer;
    for (uint32_t k = last; k; k = m->read[k - 1].before)
        if (dd_implies(d, value, dd_not(d, m->read[k - 1].value)))
            answer = dd_and(d, answer, dd_not(d, m->read[k - 1].answer));
        else if (dd_implies(d, value, m->read[k - 1].value))
            answer = dd_and(d, answer, m->read[k - 1].answer);
    for (uint32_t k = last; k; k = m->read[k - 1].before)
        if (dd_implies(d, m->read[k - 1].value, value)) answer = dd_or(d, answer, m->read[k - 1].answer);
    array_push(m->arena, m->read, m->read_count, m->read_capacity,
               (struct audit_reading){value, answer, last, count + 1});
    bool new_place;
    *table_put(&m->readings, arena_copy(m->arena, (const char *)place, sizeof *place), sizeof *place, 0, &new_place) =
        (uint32_t)m->read_count;
    return answer;
}

/* The answer of an atom that reads `value` at the position that (question, past, where) is about. `edge` positions
   have none. */
static dd reading(meaning *m, question asked, bool past, dd where, dd value) {
    atom_key key = {.question = asked, .past = past, .f = asked == ASK_STEP ? value : where};
    if (asked != ASK_STEP) key.g = value;
    atom_key place = {.question = asked, .past = past, .f = where};
    return meaning_reading(m, &key, &place, dd_not(&m->d, edge(m, past)), value);
}

static uint32_t atom_of(meaning *m, question asked, bool past, dd where, dd value) {
    bool fresh;
    atom_key key = {.question = asked, .past = past, .f = where, .g = value};
    return variables(m, &key, 1, &fresh);
}

static dd exists_before(meaning *m, bool past, dd f) {
    diagram *d = &m->d;
    dd strict;
    if (f == 0) return 0;
    if (f == 1) return dd_not(d, edge(m, past));
    if (compound(&m->exists, past, f, &strict)) return strict;
    if (dd_implies(d, dd_not(d, edge(m, past)), f))
        return meaning_step(m, past, f); /* "there is a j <= i" is f itself */
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

static bool is_past(temper_mask mask) { return mask == TEMPER_MASK_BEFORE || mask == TEMPER_MASK_UP_TO; }
static bool is_strict(temper_mask mask) { return mask == TEMPER_MASK_BEFORE || mask == TEMPER_MASK_AFTER; }

/* Before, here or after. The answer is the same at all positions, so asking again says no more. */
static dd exists_anywhere(meaning *m, dd f) {
    diagram *d = &m->d;
    dd unused;
    if (compound(&m->everywhere, false, f, &unused)) return f;
    dd all = dd_or(d, f, dd_or(d, exists_before(m, true, f), exists_before(m, false, f)));
    compound_key key = {false, all};
    if (!find(&m->everywhere, &key, sizeof key)) keep(m, &m->everywhere, &key, sizeof key, all);
    return all;
}

dd meaning_exists(meaning *m, temper_mask mask, dd f) {
    if (mask == TEMPER_MASK_ALL) return exists_anywhere(m, f);
    dd strict = exists_before(m, is_past(mask), f);
    return is_strict(mask) ? strict : dd_or(&m->d, f, strict);
}

/* What a test of a remainder was at the position before: of c - 1 if i is counted, of c if not. */
static bool remainder_before(meaning *m, bool past, dd f, dd *before) {
    diagram *d = &m->d;
    const uint32_t *known = find(&m->remainders, &f, sizeof f);
    if (!known || m->tested[*known - 1].past != past) return false;
    struct audit_remainder t = m->tested[*known - 1];
    dd less = meaning_residue(m, past, t.f, t.weight, t.constant - t.weight, t.modulus, t.test, t.residue);
    dd either = dd_or(d, dd_and(d, t.f, less), dd_and(d, dd_not(d, t.f), f));
    *before = dd_and(d, dd_not(d, edge(m, past)), either);
    return true;
}

dd meaning_step(meaning *m, bool past, dd f) {
    diagram *d = &m->d;
    dd inside = dd_not(d, edge(m, past)), strict, negated;
    if (f == 0) return 0;
    if (f == 1) return inside;
    if (compound(&m->yesterday, past, f, &strict)) return strict;
    if (remainder_before(m, past, f, &strict)) return strict;
    negated = dd_not(d, f);
    if (remainder_before(m, past, negated, &strict)) return dd_and(d, inside, dd_not(d, strict));
    if (compound(&m->yesterday, past, negated, &strict)) return dd_and(d, inside, dd_not(d, strict));
    if (dd_at_zero(d, f) != 0) return dd_and(d, inside, dd_not(d, meaning_step(m, past, negated)));
    return reading(m, ASK_STEP, past, 1, f);
}

static dd nearest(meaning *m, bool past, bool strictly, dd where, dd value) {
    diagram *d = &m->d;
    dd strict;
    if (dd_implies(d, dd_not(d, edge(m, past)),
                   where)) { /* then the last j <= i with `where` is i, or has no value */
        strict = meaning_step(m, past, value);
    } else {
        strict = reading(m, ASK_NEAREST, past, where, value);
        dd loose = dd_or(d, value, dd_and(d, dd_not(d, where), strict)), known;
        if (!compound(&m->yesterday, past, loose, &known))
            note_compound(m, &m->yesterday, past, loose, strict, atom_of(m, ASK_NEAREST, past, where, value));
    }
    return strictly ? strict : dd_or(d, value, dd_and(d, dd_not(d, where), strict));
}

/* The first j with `where` has the value: there is a j with the value, before which there is no `where`. */
static dd farthest(meaning *m, bool past, bool strictly, dd where, dd value) {
    diagram *d = &m->d;
    dd here = dd_and(d, value, dd_not(d, exists_before(m, past, where))), strict = exists_before(m, past, here);
    return strictly ? strict : dd_or(d, here, strict);
}

/* The last of all is the last after i if there is one there, else the last up to i; the first likewise. */
static dd chosen_anywhere(meaning *m, bool last, dd where, dd value) {
    diagram *d = &m->d;
    dd beyond = exists_before(m, !last, where), near = nearest(m, last, false, where, value);
    return dd_or(d, farthest(m, !last, true, where, value), dd_and(d, dd_not(d, beyond), near));
}

dd meaning_chosen(meaning *m, temper_mask mask, bool last, dd where, dd value) {
    if (value == 0) return 0;
    if (value == where) return meaning_exists(m, mask, where);
    if (mask == TEMPER_MASK_ALL) return chosen_anywhere(m, last, where, value);
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

/* Sums that are always or never at least 0, and those that only ask whether anything was counted, are told from the
   values that one position can add; the rest is an atom, divided by the common factor of these values: sum >= -b iff
   sum/g >= -floor(b/g). */
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
