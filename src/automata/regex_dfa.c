/* The automaton of a regular expression: letters that no set tells apart become one class, the expression becomes a
   term, its derivatives are the states. */
#include "automata/regex.h"

#include <string.h>

#include "automata/regex_look.h"
#include "base/work.h"

/* Sets times letters that are looked at to find the classes. */
#define MEMBERSHIPS ((size_t)1 << 28)

typedef struct letter_classes {
    uint32_t count;
    uint32_t *class_of, *first_letter; /* per letter, per class */
    const unsigned char **members;     /* per set: [letters] */
} letter_classes;

/* What the members follow from, as numbers; NULL: words, which are compared by their letters. */
static const uint32_t *set_key(arena *a, size_t *count, const symbol_set *set) {
    uint32_t *key = arena_alloc(a, 8 * (set->count + 1), sizeof *key), n = 0;
    key[n++] = (uint32_t)(set->negated | set->ascii << 1 | set->apart << 2 | set->fold << 3);
    for (size_t k = 0; k < set->count; k++) {
        const symbol_item *x = &set->items[k];
        if (x->word) return NULL;
        const uint32_t fields[] = {x->use,           x->low,           x->high,
                                   x->barred,        x->property.kind, x->property.categories,
                                   x->property.line, x->lacking};
        memcpy(key + n, fields, sizeof fields);
        n += sizeof fields / sizeof *fields;
    }
    *count = n;
    return key;
}

/* Sets with the same members share a row, and split the classes once. Equal sets are looked at once. */
static letter_classes find_classes(arena *a, const regex *r, const alphabet *letters) {
    letter_classes c = {.count = letters->count > 0};
    c.class_of = arena_zalloc(a, letters->count, sizeof *c.class_of);
    c.members = arena_alloc(a, r->set_count, sizeof *c.members);
    unsigned char *row = arena_alloc(a, letters->count, 1);
    uint32_t *wide = arena_alloc(a, letters->count, sizeof *wide);
    const unsigned char **rows = NULL;
    size_t row_count = 0, row_capacity = 0, work = 0;
    table seen, equal; /* a row -> its number; what a set is -> the first such set */
    table_init(&seen, a);
    table_init(&equal, a);
    for (size_t k = 0; k < r->set_count; k++) {
        bool fresh = true;
        size_t count = 0;
        const uint32_t *key = set_key(a, &count, &r->sets[k]);
        uint32_t first = key ? *table_put(&equal, key, count * sizeof *key, (uint32_t)k, &fresh) : 0;
        if (!fresh) {
            c.members[k] = c.members[first];
            continue;
        }
        work += symbol_cost(&r->sets[k]) * letters->count;
        if (work > MEMBERSHIPS)
            trap_raise(a->trap, TEMPER_LIMIT, r->line, r->column,
                       "the regular expression has too many classes for an alphabet of %zu letters", letters->count);
        symbol_members(row, &r->sets[k], letters);
        const uint32_t *known = table_find(&seen, row, letters->count);
        if (known) {
            c.members[k] = rows[*known];
            continue;
        }
        unsigned char *kept = arena_alloc(a, letters->count, 1);
        memcpy(kept, row, letters->count);
        table_put(&seen, kept, letters->count, (uint32_t)row_count, &fresh);
        array_push(a, rows, row_count, row_capacity, kept);
        c.members[k] = kept;
        for (size_t i = 0; i < letters->count; i++) wide[i] = row[i];
        c.class_of = classes_join(&c.count, c.class_of, wide, (uint32_t)letters->count, a);
    }
    c.first_letter = arena_alloc(a, c.count, sizeof *c.first_letter);
    for (size_t i = letters->count; i-- > 0;) c.first_letter[c.class_of[i]] = (uint32_t)i;
    return c;
}

static term_id set_term(terms *t, const letter_classes *c, size_t set, uint64_t *bits) {
    memset(bits, 0, t->words * sizeof *bits);
    for (uint32_t k = 0; k < c->count; k++)
        if (c->members[set][c->first_letter[k]]) bits[k / 64] |= (uint64_t)1 << (k % 64);
    return term_set(t, bits);
}

static term_id root_term(terms *t, const regex *r, const letter_classes *c) {
    term_id *made = arena_alloc(t->arena, r->count, sizeof *made), *kids = NULL;
    uint64_t *bits = arena_alloc(t->arena, t->words, sizeof *bits);
    size_t capacity = 0;
    for (size_t k = 0; k < r->count; k++) {
        const regex_node *n = &r->nodes[k];
        const uint32_t *old = n->kid_count ? r->kids + n->kid_start : NULL;
        kids = arena_grow(t->arena, kids, &capacity, n->kid_count, sizeof *kids);
        for (uint32_t i = 0; i < n->kid_count; i++) kids[i] = made[old[i]];
        switch (n->op) {
        case REGEX_EMPTY: made[k] = TERM_EMPTY; break;
        case REGEX_SET: made[k] = set_term(t, c, n->set, bits); break;
        case REGEX_OR:
        case REGEX_AND: made[k] = term_nary(t, n->op == REGEX_OR, kids, n->kid_count); break;
        case REGEX_NOT: made[k] = term_not(t, kids[0]); break;
        case REGEX_LOOK: made[k] = term_test(t, kids[0], n->behind, n->negated); break;
        case REGEX_REPEAT: made[k] = term_repeat(t, kids[0], n->least, n->most); break;
        case REGEX_JOIN:
            made[k] = TERM_EMPTY;
            for (uint32_t i = n->kid_count; i-- > 0;) made[k] = term_join(t, kids[i], made[k]);
            break;
        }
    }
    return made[r->count - 1];
}

/* The derivatives of the root, which has no tests, are the states, in the order in which they are met. */
static dfa *derivatives(arena *a, terms *t, term_id root, const letter_classes *c, uint32_t letters) {
    term_id *states = NULL;
    uint32_t *next = NULL;
    size_t count = 0, capacity = 0, next_count = 0, next_capacity = 0;
    table seen; /* a term's number, as its bytes, -> state */
    bool fresh;
    table_init(&seen, a);
    term_id *key = arena_alloc(a, 1, sizeof *key);
    *key = root;
    table_put(&seen, key, sizeof *key, 0, &fresh);
    array_push(a, states, count, capacity, root);
    for (size_t s = 0; s < count; s++)
        for (uint32_t k = 0; k < c->count; k++) {
            term_id to = term_derive(t, states[s], k);
            const uint32_t *known = table_find(&seen, &to, sizeof to);
            uint32_t state = known ? *known : (uint32_t)count;
            if (!known) {
                if (count == work_limit(REGEX_DERIVATIVES)) terms_too_many(t, count);
                key = arena_alloc(a, 1, sizeof *key);
                *key = to;
                table_put(&seen, key, sizeof *key, state, &fresh);
                array_push(a, states, count, capacity, to);
            }
            array_push(a, next, next_count, next_capacity, state);
        }
    dfa *d = dfa_new(a, (uint32_t)count, c->count, letters);
    if (next_count) memcpy(d->next, next, next_count * sizeof *next);
    for (size_t s = 0; s < count; s++) d->accepts[s] = t->all[states[s]].has_empty;
    return d;
}

dfa *dfa_from_regex(arena *a, const regex *r, const alphabet *letters, arena *scratch) {
    letter_classes classes = find_classes(scratch, r, letters);
    terms t;
    terms_init(&t, scratch, classes.count, work_limit(REGEX_WORK));
    work_begin("deriving the regular expression", t.most_work);
    t.line = r->line;
    t.column = r->column;
    term_id root = root_term(&t, r, &classes);
    uint32_t count = (uint32_t)letters->count;
    dfa *d = t.all[root].looks ? dfa_from_tests(scratch, &t, root, count, work_limit(REGEX_DERIVATIVES))
                               : derivatives(scratch, &t, root, &classes, count);
    if (count) memcpy(d->class_of, classes.class_of, count * sizeof *d->class_of);
    return dfa_copy(a, dfa_minimise(scratch, d));
}
