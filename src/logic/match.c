#include "logic/match.h"

#include <string.h>

/* ---- patterns ---- */

/* A pattern: which conditions hold, and the letters that can have it, at i and at j (0: any). */
typedef struct pattern {
    uint64_t holds;
    node_id here, there;
} pattern;

static bool is_letters(const formula *f, node_id id) { return formula_at(f, id)->op == OP_LETTERS; }

/* The letters of x (0: all) that are in y, or are not. */
static node_id meet(formula *f, node_id x, node_id y, bool is_in) {
    const letter_set *b = &f->sets[formula_at(f, y)->set];
    letter_set all = {.rest = true}, *a = x ? &f->sets[formula_at(f, x)->set] : &all;
    letter_set made = {.words = a->words > b->words ? a->words : b->words, .rest = a->rest && (b->rest == is_in)};
    made.bits = arena_alloc(f->arena, made.words, sizeof *made.bits);
    for (uint32_t w = 0; w < made.words; w++) {
        uint64_t p = w < a->words ? a->bits[w] : a->rest ? ~(uint64_t)0 : 0;
        uint64_t q = w < b->words ? b->bits[w] : b->rest ? ~(uint64_t)0 : 0;
        made.bits[w] = p & (is_in ? q : ~q);
    }
    return formula_letter_set(f, &made);
}

static bool is_empty(const formula *f, node_id letters) {
    const letter_set *s = &f->sets[formula_at(f, letters)->set];
    return s->words == 0 && !s->rest; /* sets are trimmed */
}

bool letters_exclude(formula *f, node_id x, node_id y) { return is_empty(f, meet(f, x, y, true)); }

/* All but those that are in neither. */
node_id letters_join(formula *f, node_id x, node_id y) {
    return meet(f, 0, meet(f, meet(f, 0, x, false), y, false), false);
}

/* Narrows the letters at one position by a condition that holds there, or does not; false: nothing is left. */
static bool narrow(formula *f, node_id *letters, node_id condition, bool holds) {
    formula_op op = formula_at(f, condition)->op;
    if (op == OP_TRUE || op == OP_FALSE) return (op == OP_TRUE) == holds;
    if (op == OP_NOT && is_letters(f, formula_kid(f, condition, 0)))
        return narrow(f, letters, formula_kid(f, condition, 0), !holds);
    if (!is_letters(f, condition)) return true;
    *letters = meet(f, *letters, condition, holds);
    return !is_empty(f, *letters);
}

/* All patterns that some letters here and there can have. */
static size_t list_patterns(formula *f, const node_id *conditions, size_t count, pattern *out, size_t line,
                            size_t column) {
    size_t found = 1;
    pattern *next = arena_alloc(f->arena, 2 * MATCH_CLASSES, sizeof *next);
    out[0] = (pattern){0};
    for (size_t k = 0; k < count; k++) {
        size_t made = 0;
        for (size_t p = 0; p < found; p++)
            for (int holds = 0; holds < 2; holds++) {
                pattern x = out[p];
                if (!narrow(f, &x.there, conditions[2 * k], holds)) continue;
                if (!narrow(f, &x.here, conditions[2 * k + 1], holds)) continue;
                x.holds |= (uint64_t)holds << k;
                next[made++] = x;
            }
        if (made > MATCH_CLASSES)
            trap_raise(f->arena->trap, TEMPER_LIMIT, line, column, "the conditions tell more than %d patterns apart",
                       MATCH_CLASSES);
        memcpy(out, next, made * sizeof *out);
        found = made;
    }
    return found;
}

/* The conjunction of what a pattern asks at one position: its letters, and the other conditions one by one. */
static node_id all_of(formula *f, const node_id *conditions, size_t count, node_id letters, uint64_t holds) {
    node_id kids[MATCH_CONDITIONS]; /* letters stand for a condition at least */
    size_t found = 0;
    if (letters) kids[found++] = letters;
    for (size_t k = 0; k < count; k++) {
        node_id x = conditions[2 * k];
        formula_op op = formula_at(f, x)->op;
        bool folded = op == OP_TRUE || op == OP_FALSE || op == OP_LETTERS ||
                      (op == OP_NOT && is_letters(f, formula_kid(f, x, 0)));
        if (folded) continue;
        x = holds >> k & 1 ? x : op == OP_NOT ? formula_kid(f, x, 0) : formula_unary(f, OP_NOT, x);
        bool known = false;
        for (size_t q = 0; q < found; q++) known = known || kids[q] == x;
        if (!known) kids[found++] = x;
    }
    return formula_nary(f, OP_AND, kids, found);
}

/* ---- the node ---- */

static bool asks_here(const formula *f, const node_id *conditions, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (formula_at(f, conditions[2 * k + 1])->op != OP_TRUE) return true;
    return false;
}

static node_id attend(formula *f, temper_choice choice, temper_mask mask, node_id where, node_id value, size_t line,
                      size_t column) {
    node_id made = formula_attend(f, choice, mask, where, value);
    formula_note_place(f, made, line, column);
    return made;
}

node_id match_make(formula *f, temper_choice choice, temper_mask mask, const node_id *conditions, size_t count,
                   node_id value, size_t line, size_t column) {
    if (count > MATCH_CONDITIONS)
        trap_raise(f->arena->trap, TEMPER_LIMIT, line, column, "a pattern of more than %d conditions",
                   MATCH_CONDITIONS);
    if (!asks_here(f, conditions, count)) {
        node_id where[MATCH_CONDITIONS];
        for (size_t k = 0; k < count; k++) where[k] = conditions[2 * k];
        return attend(f, choice, mask, formula_nary(f, OP_AND, where, count), value, line, column);
    }
    pattern *patterns = arena_alloc(f->arena, MATCH_CLASSES, sizeof *patterns);
    size_t found = list_patterns(f, conditions, count, patterns, line, column);
    node_id *cases = arena_alloc(f->arena, found, sizeof *cases), *kids;
    for (size_t p = 0; p < found; p++) {
        const pattern *x = &patterns[p];
        node_id there = all_of(f, conditions, count, x->there, x->holds);
        node_id pair[2] = {all_of(f, conditions + 1, count, x->here, x->holds),
                           attend(f, choice, mask, there, value, line, column)};
        cases[p] = formula_at(f, pair[0])->op == OP_TRUE ? pair[1] : formula_nary(f, OP_AND, pair, 2);
    }
    kids = arena_alloc(f->arena, 2 * count + 2, sizeof *kids);
    memcpy(kids, conditions, 2 * count * sizeof *kids);
    kids[2 * count] = value;
    kids[2 * count + 1] = formula_nary(f, OP_OR, cases, found);
    return formula_match(f, choice, mask, kids, 2 * count + 2);
}

/* ---- letters ---- */

/* The steps of a chain over TRUE, over something else. */
static node_id below_steps(formula *f, node_id steps, node_id x) {
    formula_op *ops = NULL;
    size_t count = 0, capacity = 0;
    for (; formula_at(f, steps)->kid_count; steps = formula_kid(f, steps, 0))
        array_push(f->arena, ops, count, capacity, formula_at(f, steps)->op);
    while (count) x = formula_unary(f, ops[--count], x);
    return x;
}

size_t match_letters(formula *f, size_t letters, node_id steps_there, node_id steps_here, node_id *out) {
    size_t bits = 0;
    uint32_t *members = arena_alloc(f->arena, letters, sizeof *members);
    for (; letters >> bits; bits++) {
        size_t count = 0;
        for (uint32_t l = 0; l < letters; l++)
            if (((size_t)l + 1) >> bits & 1) members[count++] = l;
        node_id x = formula_letters(f, members, count, false);
        out[2 * bits] = below_steps(f, steps_there, x);
        out[2 * bits + 1] = below_steps(f, steps_here, x);
    }
    return bits;
}

/* ---- evaluation ---- */

typedef struct remembered {
    table index; /* pattern -> its number */
    unsigned char *value;
    size_t count, capacity;
} remembered;

static uint64_t pattern_at(const unsigned char *const *rows, size_t count, size_t i) {
    uint64_t p = 0;
    for (size_t k = 0; k < count; k++) p |= (uint64_t)(rows[k][i] != 0) << k;
    return p;
}

/* Position i is met; the one that was met last counts, or the first one. */
static void remember(remembered *m, uint64_t p, unsigned char value, bool last) {
    const uint32_t *known = table_find(&m->index, &p, sizeof p);
    if (known) {
        if (last) m->value[*known] = value;
        return;
    }
    uint64_t *key = arena_alloc(m->index.arena, 1, sizeof *key);
    bool fresh;
    *key = p;
    table_put(&m->index, key, sizeof *key, (uint32_t)m->count, &fresh);
    array_push(m->index.arena, m->value, m->count, m->capacity, value);
}

static unsigned char recalled(const remembered *m, uint64_t p) {
    const uint32_t *known = table_find(&m->index, &p, sizeof p);
    return known ? m->value[*known] : 0;
}

void match_eval(unsigned char *out, const formula_node *n, const unsigned char *const *there,
                const unsigned char *const *here, const unsigned char *value, size_t length, arena *scratch) {
    size_t count = match_conditions(n);
    bool forward = n->mask != TEMPER_MASK_AFTER && n->mask != TEMPER_MASK_FROM; /* the way that positions are met */
    bool strict = n->mask == TEMPER_MASK_BEFORE || n->mask == TEMPER_MASK_AFTER, all = n->mask == TEMPER_MASK_ALL;
    bool last = n->choice == (forward ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST);
    remembered m = {0};
    table_init(&m.index, scratch);
    for (size_t k = 0; k < length; k++) {
        size_t i = forward ? k : length - 1 - k;
        if (strict) out[i] = recalled(&m, pattern_at(here, count, i));
        remember(&m, pattern_at(there, count, i), value[i], last);
        if (!strict) out[i] = recalled(&m, pattern_at(here, count, i));
    }
    for (size_t i = 0; all && i < length; i++) out[i] = recalled(&m, pattern_at(here, count, i));
}
