/* What all the rest of a string must be: disjunctions and conjunctions of terms with tests. */
#include "automata/terms.h"

static term_id both(terms *t, bool is_or, term_id x, term_id y) {
    term_id kids[2] = {x, y};
    return term_nary(t, is_or, kids, 2);
}

bool term_is_within(const terms *t, term_id x, term_id y) {
    if (y == TERM_ALL || x == y) return true;
    const term *a = &t->all[x], *b = &t->all[y];
    const term_id *few = b->op == TERM_OP_AND ? t->kids + b->first : &y, *many = t->kids + a->first;
    size_t few_count = b->op == TERM_OP_AND ? b->second : 1, found = 0;
    if (a->op != TERM_OP_AND) return false;
    for (size_t k = 0; k < a->second && found < few_count; k++) found += many[k] == few[found]; /* both are sorted */
    return found == few_count;
}

term_id term_any(terms *t, arena *scratch, const term_id *given, size_t given_count) {
    term_id *kids = NULL;
    size_t count = 0, capacity = 0, kept = 0;
    for (size_t k = 0; k < given_count; k++) {
        const term x = t->all[given[k]];
        for (uint32_t j = 0; x.op == TERM_OP_OR && j < x.second; j++)
            array_push(scratch, kids, count, capacity, t->kids[x.first + j]);
        if (x.op != TERM_OP_OR && given[k] != TERM_NONE) array_push(scratch, kids, count, capacity, given[k]);
    }
    terms_spend(t, count * count / 8);
    for (size_t k = 0; k < count; k++) {
        bool wanted = true;
        for (size_t j = 0; j < count && wanted; j++) {
            bool same = kids[j] == kids[k];
            wanted = same ? j >= k : !term_is_within(t, kids[k], kids[j]);
        }
        if (wanted) kids[kept++] = kids[k];
    }
    return term_nary(t, true, kids, kept);
}

term_id term_either(terms *t, arena *scratch, term_id x, term_id y) {
    term_id kids[2] = {x, y};
    return term_any(t, scratch, kids, 2);
}

/* The alternatives of a term with tests, or the term itself. */
static size_t alternatives(const terms *t, const term_id **kids, const term_id *x) {
    const term *n = &t->all[*x];
    bool apart = n->op == TERM_OP_OR && n->looks;
    *kids = apart ? t->kids + n->first : x;
    return apart ? n->second : 1;
}

term_id term_together(terms *t, arena *scratch, term_id x, term_id y) {
    const term_id *left, *right;
    size_t rows = alternatives(t, &left, &x), columns = alternatives(t, &right, &y);
    if (rows * columns == 1) return both(t, false, x, y);
    terms_spend(t, 4 * rows * columns);
    term_id *made = arena_alloc(scratch, rows * columns, sizeof *made);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            alternatives(t, &left, &x); /* new terms may move the kids of others */
            alternatives(t, &right, &y);
            made[i * columns + j] = both(t, false, left[i], right[j]);
        }
    return term_any(t, scratch, made, rows * columns);
}
