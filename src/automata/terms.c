#include "automata/terms.h"

#include <stdlib.h>
#include <string.h>

#include "base/work.h"

/* A term takes about as much memory as this many steps take time. */
enum { NEW_TERM = 32 };

void terms_spend(terms *t, size_t work) {
    work_at(t->work += work);
    if (t->work > t->most_work)
        trap_raise_remedy(t->arena->trap, TEMPER_LIMIT, t->line, t->column, TEMPER_REMEDY_EFFORT,
                          "the derivatives of the regular expression take more than %zu steps", t->most_work);
}

void terms_too_many(const terms *t, size_t most) {
    trap_raise_remedy(t->arena->trap, TEMPER_LIMIT, t->line, t->column, TEMPER_REMEDY_EFFORT,
                      "the regular expression has more than %zu derivatives", most);
}

static term_id add(terms *t, term x) {
    array_push(t->arena, t->all, t->count, t->capacity, x);
    return (term_id)(t->count - 1);
}

void terms_init(terms *t, arena *a, uint32_t classes, size_t most_work) {
    memset(t, 0, sizeof *t);
    t->arena = a;
    t->classes = classes;
    t->words = (classes + 63) / 64;
    t->most_work = most_work;
    table_init(&t->index, a);
    table_init(&t->set_index, a);
    add(t, (term){.op = TERM_OP_ATOM});
    add(t, (term){.op = TERM_OP_ATOM, .has_empty = true});
    add(t, (term){.op = TERM_OP_ATOM, .has_empty = true});
}

/* What its parts say about tests. */
static void note_tests(const terms *t, term *x) {
    term_id pair[2] = {x->first, x->second};
    bool nary = x->op == TERM_OP_OR || x->op == TERM_OP_AND;
    const term_id *kids = nary ? t->kids + x->first : pair;
    size_t count = nary                                            ? x->second
                   : x->op == TERM_OP_JOIN                         ? 2
                   : x->op == TERM_OP_STAR || x->op == TERM_OP_NOT ? 1
                                                                   : 0;
    for (size_t k = 0; k < count; k++) {
        x->looks |= t->all[kids[k]].looks;
        x->inverted |= t->all[kids[k]].inverted;
    }
    x->inverted |= x->op == TERM_OP_NOT && x->looks;
    if (x->op == TERM_OP_NOT && x->looks) x->has_empty = false;
    if (x->op != TERM_OP_TEST) return;
    uint32_t look = x->first / 2;
    x->looks = (uint64_t)1 << (look % 64) | t->all[t->looks[look].body].looks;
}

/* The term with this content, made if it is new. Kids of OR and AND are given apart. */
static term_id share(terms *t, term x, const term_id *kids) {
    uint32_t small[64], count = kids ? x.second : 0;
    size_t bytes = (3 + (size_t)count) * sizeof *small;
    terms_spend(t, 1 + count);
    uint32_t *key = bytes <= sizeof small ? small : arena_alloc(t->arena, bytes, 1);
    key[0] = x.op;
    key[1] = kids ? 0 : x.first;
    key[2] = x.second;
    if (count) memcpy(key + 3, kids, count * sizeof *kids);
    const uint32_t *known = table_find(&t->index, key, bytes);
    if (known) return *known;
    terms_spend(t, NEW_TERM);
    uint32_t *kept = arena_alloc(t->arena, bytes, 1);
    memcpy(kept, key, bytes);
    if (kids) {
        x.first = (uint32_t)t->kid_count;
        for (uint32_t k = 0; k < count; k++) array_push(t->arena, t->kids, t->kid_count, t->kid_capacity, kids[k]);
    }
    note_tests(t, &x);
    bool fresh;
    return *table_put(&t->index, kept, bytes, add(t, x), &fresh);
}

term_id term_set(terms *t, const uint64_t *bits) {
    bool some = false, fresh;
    for (uint32_t w = 0; w < t->words; w++) some |= bits[w] != 0;
    if (!some) return TERM_NONE;
    size_t bytes = t->words * sizeof *bits;
    terms_spend(t, t->words);
    const uint32_t *known = table_find(&t->set_index, bits, bytes);
    if (known) return share(t, (term){.op = TERM_OP_SET, .first = *known}, NULL);
    uint64_t *key = arena_alloc(t->arena, bytes, 1);
    memcpy(key, bits, bytes);
    uint32_t set = (uint32_t)(t->set_count / t->words);
    table_put(&t->set_index, key, bytes, set, &fresh);
    for (uint32_t w = 0; w < t->words; w++) array_push(t->arena, t->sets, t->set_count, t->set_capacity, bits[w]);
    return share(t, (term){.op = TERM_OP_SET, .first = set}, NULL);
}

term_id term_test(terms *t, term_id body, bool behind, bool negated) {
    size_t look = 0;
    if (body == TERM_NONE) return negated ? TERM_EMPTY : TERM_NONE;
    while (look < t->look_count && (t->looks[look].body != body || t->looks[look].behind != behind)) look++;
    terms_spend(t, look);
    if (look == t->look_count)
        array_push(t->arena, t->looks, t->look_count, t->look_capacity, (term_look){body, behind});
    return share(t, (term){.op = TERM_OP_TEST, .first = (uint32_t)(2 * look + negated)}, NULL);
}

/* (xy)z is x(yz), so that both ways of writing it are one term. */
term_id term_join(terms *t, term_id first, term_id second) {
    if (first == TERM_NONE || second == TERM_NONE) return TERM_NONE;
    if (first == TERM_EMPTY) return second;
    if (second == TERM_EMPTY) return first;
    size_t bottom = t->stack_count;
    while (t->all[first].op == TERM_OP_JOIN) {
        array_push(t->arena, t->stack, t->stack_count, t->stack_capacity, t->all[first].first);
        first = t->all[first].second;
    }
    for (;;) {
        bool has_empty = t->all[first].has_empty && t->all[second].has_empty;
        second = share(t, (term){.op = TERM_OP_JOIN, .first = first, .second = second, .has_empty = has_empty}, NULL);
        if (t->stack_count == bottom) return second;
        first = t->stack[--t->stack_count];
    }
}

term_id term_star(terms *t, term_id x) {
    if (x == TERM_NONE || x == TERM_EMPTY) return TERM_EMPTY;
    if (x == TERM_ALL || t->all[x].op == TERM_OP_STAR) return x;
    return share(t, (term){.op = TERM_OP_STAR, .first = x, .has_empty = true}, NULL);
}

term_id term_not(terms *t, term_id x) {
    if (x == TERM_NONE) return TERM_ALL;
    if (x == TERM_ALL) return TERM_NONE;
    if (t->all[x].op == TERM_OP_NOT) return t->all[x].first;
    return share(t, (term){.op = TERM_OP_NOT, .first = x, .has_empty = !t->all[x].has_empty}, NULL);
}

static int compare_ids(const void *x, const void *y) {
    term_id a = *(const term_id *)x, b = *(const term_id *)y;
    return (a > b) - (a < b);
}

/* The sets among the list become one, their union or intersection. */
static void merge_sets(terms *t, bool is_or) {
    size_t kept = 0, found = 0;
    uint64_t *bits = NULL;
    for (size_t k = 0; k < t->list_count; k++) {
        const term *x = &t->all[t->list[k]];
        if (x->op != TERM_OP_SET) {
            t->list[kept++] = t->list[k];
            continue;
        }
        const uint64_t *other = t->sets + (size_t)x->first * t->words;
        if (!found++) {
            bits = arena_alloc(t->arena, t->words, sizeof *bits);
            memcpy(bits, other, t->words * sizeof *bits);
            continue;
        }
        for (uint32_t w = 0; w < t->words; w++) bits[w] = is_or ? bits[w] | other[w] : bits[w] & other[w];
    }
    if (!found) return;
    t->list_count = kept;
    term_id made = term_set(t, bits);
    array_push(t->arena, t->list, t->list_count, t->list_capacity, made);
}

/* x | x = x, x | none = x, x | all = all, and the empty word is dropped beside a term that has it; likewise for "and".
   Kids must not lie in t->list. */
term_id term_nary(terms *t, bool is_or, const term_id *kids, size_t count) {
    term_op op = is_or ? TERM_OP_OR : TERM_OP_AND;
    term_id nothing = is_or ? TERM_NONE : TERM_ALL, everything = is_or ? TERM_ALL : TERM_NONE;
    t->list_count = 0;
    for (size_t k = 0; k < count; k++) {
        const term *x = &t->all[kids[k]];
        if (x->op != op) array_push(t->arena, t->list, t->list_count, t->list_capacity, kids[k]);
        for (uint32_t j = 0; x->op == op && j < x->second; j++)
            array_push(t->arena, t->list, t->list_count, t->list_capacity, t->kids[x->first + j]);
    }
    terms_spend(t, t->list_count);
    merge_sets(t, is_or);
    if (t->list_count > 1) qsort(t->list, t->list_count, sizeof *t->list, compare_ids);
    size_t kept = 0;
    bool empty = false, has_empty = !is_or;
    for (size_t k = 0; k < t->list_count; k++) {
        term_id x = t->list[k];
        if (x == everything) return everything;
        if (x == nothing || (kept && t->list[kept - 1] == x)) continue;
        if (is_or && x == TERM_EMPTY) {
            empty = true;
            continue;
        }
        has_empty = is_or ? has_empty || t->all[x].has_empty : has_empty && t->all[x].has_empty;
        t->list[kept++] = x;
    }
    t->list_count = kept;
    if (empty && !has_empty) { /* TERM_EMPTY is less than all that are left */
        array_push(t->arena, t->list, t->list_count, t->list_capacity, 0);
        memmove(t->list + 1, t->list, kept * sizeof *t->list);
        t->list[0] = TERM_EMPTY;
        kept++;
        has_empty = true;
    }
    if (kept == 0) return nothing;
    if (kept == 1) return t->list[0];
    return share(t, (term){.op = op, .second = (uint32_t)kept, .has_empty = has_empty}, t->list);
}

static term_id term_or(terms *t, term_id x, term_id y) {
    term_id kids[2] = {x, y};
    return term_nary(t, true, kids, 2);
}

/* x{2,4} = x x (x (x)?)? */
term_id term_repeat(terms *t, term_id x, uint32_t least, uint32_t most) {
    term_id made = TERM_EMPTY;
    if (x == TERM_EMPTY || (x == TERM_NONE && !least)) return TERM_EMPTY; /* 20000 steps that nothing counts */
    if (x == TERM_NONE) return TERM_NONE;
    if (most == UINT32_MAX)
        made = term_star(t, x);
    else
        for (uint32_t k = least; k < most; k++) made = term_or(t, TERM_EMPTY, term_join(t, x, made));
    for (uint32_t k = 0; k < least; k++) made = term_join(t, x, made);
    return made;
}

/* ---- derivatives ----------------------------------------------------------------------------------------------- */

static term_id known(const terms *t, term_id x, uint32_t class) {
    return t->all[x].derivatives ? t->all[x].derivatives[class] : UINT32_MAX;
}

/* Puts the kids whose derivatives are still needed on the stack; false: there are none. */
static bool push_needed(terms *t, const term *x, uint32_t class) {
    size_t before = t->stack_count;
    term_id pair[2] = {x->first, x->second};
    const term_id *kids = pair;
    size_t count = 0;
    switch (x->op) {
    case TERM_OP_ATOM:
    case TERM_OP_TEST:
    case TERM_OP_SET: break;
    case TERM_OP_JOIN: count = t->all[x->first].has_empty ? 2 : 1; break;
    case TERM_OP_STAR:
    case TERM_OP_NOT: count = 1; break;
    case TERM_OP_OR:
    case TERM_OP_AND:
        kids = t->kids + x->first;
        count = x->second;
        break;
    }
    for (size_t k = 0; k < count; k++)
        if (known(t, kids[k], class) == UINT32_MAX)
            array_push(t->arena, t->stack, t->stack_count, t->stack_capacity, kids[k]);
    return t->stack_count > before;
}

/* require derivatives of the kids that are needed */
static term_id derive_one(terms *t, term_id id, uint32_t class) {
    const term x = t->all[id];
    switch (x.op) {
    case TERM_OP_TEST: return TERM_NONE;
    case TERM_OP_ATOM: return id == TERM_ALL ? TERM_ALL : TERM_NONE;
    case TERM_OP_SET:
        return t->sets[(size_t)x.first * t->words + class / 64] >> (class % 64) & 1 ? TERM_EMPTY : TERM_NONE;
    case TERM_OP_JOIN: {
        term_id made = term_join(t, known(t, x.first, class), x.second);
        return t->all[x.first].has_empty ? term_or(t, made, known(t, x.second, class)) : made;
    }
    case TERM_OP_STAR: return term_join(t, known(t, x.first, class), id);
    case TERM_OP_NOT: return term_not(t, known(t, x.first, class));
    case TERM_OP_OR:
    case TERM_OP_AND: break;
    }
    term_id small[32], *kids = x.second <= 32 ? small : arena_alloc(t->arena, x.second, sizeof *kids);
    for (uint32_t k = 0; k < x.second; k++) kids[k] = known(t, t->kids[x.first + k], class);
    return term_nary(t, x.op == TERM_OP_OR, kids, x.second);
}

term_id term_derive(terms *t, term_id x, uint32_t class) {
    size_t bottom = t->stack_count;
    array_push(t->arena, t->stack, t->stack_count, t->stack_capacity, x);
    while (t->stack_count > bottom) {
        term_id top = t->stack[t->stack_count - 1];
        if (known(t, top, class) != UINT32_MAX) {
            t->stack_count--;
            continue;
        }
        if (push_needed(t, &t->all[top], class)) continue;
        term_id made = derive_one(t, top, class);
        if (!t->all[top].derivatives) {
            terms_spend(t, t->classes);
            t->all[top].derivatives = arena_alloc(t->arena, t->classes, sizeof(term_id));
            memset(t->all[top].derivatives, 0xFF, t->classes * sizeof(term_id));
        }
        t->all[top].derivatives[class] = made;
        t->stack_count--;
    }
    return known(t, x, class);
}
