/* Derivatives of terms with look-around. A state is what the rest of the string must be, and for each look-behind
   what its body has still to read, as if it began at every position so far. Before a letter is read each look is
   true or false here; what that means for the rest behind the letter is a term, its guard:

       look-ahead    the derivative of its body and then anything
       look-behind   all or nothing, unless its body has look-ahead: then cases, each a body with a guard of its own

   A term with tests is derived once for each choice of the tests that it asks for here; the derivative is the
   disjunction of all choices, each with the guards of what was chosen. A test that is asked for positively and turns
   out false needs no guard: the derivative for "false" is part of that for "true". */
#include "automata/regex_look.h"

#include <stdlib.h>
#include <string.h>

#define NO_CLASS UINT32_MAX /* the string ends here */

enum { NO, YES, OPEN };

/* If the rest of the string is in guard, this is the term. */
typedef struct look_case {
    term_id guard, term;
} look_case;

typedef struct case_list {
    look_case *all;
    size_t count, capacity;
} case_list;

/* Results for terms, valid while the round is theirs. */
typedef struct notes {
    uint32_t round, *seen; /* [room] */
    term_id *derived;      /* [room] */
    unsigned char *empty;  /* [room] the empty word is in it */
    size_t room;
} notes;

typedef struct choice {
    uint32_t test;
    bool other; /* the opposite test was settled with it */
} choice;

typedef struct lookout {
    terms *t;
    arena *arena;
    uint32_t class;       /* the letter that is read */
    case_list *behind;    /* [looks] of those that look behind */
    unsigned char *value; /* [2 * looks] of tests */
    term_id *guard;       /* [2 * looks] */
    notes choice, step;   /* of one choice of tests; of one letter in one state */
    term_id *stack, *outer;
    size_t stack_count, stack_capacity, outer_count, outer_capacity;
    choice *trail;
    size_t trail_count, trail_capacity;
    uint32_t wanted; /* a test that is open */
} lookout;

static void begin_notes(lookout *l, notes *n) {
    n->round++;
    if (l->t->count <= n->room) return;
    n->room = 2 * l->t->count;
    n->seen = arena_zalloc(l->arena, n->room, sizeof *n->seen);
    n->derived = arena_alloc(l->arena, n->room, sizeof *n->derived);
    n->empty = arena_alloc(l->arena, n->room, sizeof *n->empty);
}

static bool is_noted(const notes *n, term_id x) { return x < n->room && n->seen[x] == n->round; }

static void note(notes *n, term_id x, bool empty, term_id derived) {
    n->seen[x] = n->round;
    n->empty[x] = empty;
    n->derived[x] = derived;
}

/* ---- one choice of tests ---- */

static void push(lookout *l, term_id x) { array_push(l->arena, l->stack, l->stack_count, l->stack_capacity, x); }

/* Puts a part on the stack whose notes are needed first; false: there is none. */
static bool push_part(lookout *l, const term *x) {
    const notes *n = &l->choice;
    switch (x->op) {
    case TERM_OP_ATOM:
    case TERM_OP_SET:
    case TERM_OP_TEST: return false;
    case TERM_OP_STAR:
    case TERM_OP_NOT:
    case TERM_OP_JOIN:
        if (!is_noted(n, x->first)) return push(l, x->first), true;
        if (x->op != TERM_OP_JOIN || !n->empty[x->first] || is_noted(n, x->second)) return false;
        return push(l, x->second), true;
    case TERM_OP_OR:
    case TERM_OP_AND:
        for (uint32_t k = 0; k < x->second; k++)
            if (!is_noted(n, l->t->kids[x->first + k])) return push(l, l->t->kids[x->first + k]), true;
        return false;
    }
    return false;
}

/* require the notes of the parts */
static void note_nary(lookout *l, term_id id, const term *x) {
    notes *n = &l->choice;
    term_id small[32], *kids = x->second <= 32 ? small : arena_alloc(l->arena, x->second, sizeof *kids);
    bool is_or = x->op == TERM_OP_OR, empty = !is_or;
    for (uint32_t k = 0; k < x->second; k++) {
        term_id kid = l->t->kids[x->first + k];
        empty = is_or ? empty || n->empty[kid] : empty && n->empty[kid];
        kids[k] = n->derived[kid];
    }
    note(n, id, empty, l->class == NO_CLASS ? TERM_NONE : term_nary(l->t, is_or, kids, x->second));
}

/* require the notes of the parts */
static void note_one(lookout *l, term_id id, const term *x) {
    terms *t = l->t;
    notes *n = &l->choice;
    bool letter = l->class != NO_CLASS;
    if (!x->looks) {
        note(n, id, x->has_empty, letter ? term_derive(t, id, l->class) : TERM_NONE);
        return;
    }
    term_id first =
        x->op == TERM_OP_OR || x->op == TERM_OP_AND || x->op == TERM_OP_TEST ? TERM_NONE : n->derived[x->first];
    switch (x->op) {
    case TERM_OP_TEST: note(n, id, l->value[x->first] == YES, TERM_NONE); break;
    case TERM_OP_STAR: note(n, id, true, letter ? term_join(t, first, id) : TERM_NONE); break;
    case TERM_OP_NOT: note(n, id, !n->empty[x->first], letter ? term_not(t, first) : TERM_NONE); break;
    case TERM_OP_JOIN: {
        bool reaches = n->empty[x->first];
        term_id made = letter ? term_join(t, first, x->second) : TERM_NONE;
        if (reaches && letter) made = term_nary(t, true, (term_id[]){made, n->derived[x->second]}, 2);
        note(n, id, reaches && n->empty[x->second], made);
        break;
    }
    default: note_nary(l, id, x);
    }
}

/* False: a test that it needs is open. */
static bool choose(lookout *l, term_id root) {
    begin_notes(l, &l->choice);
    l->stack_count = 0;
    push(l, root);
    while (l->stack_count) {
        term_id id = l->stack[l->stack_count - 1];
        const term x = l->t->all[id];
        terms_spend(l->t, 1);
        if (x.op == TERM_OP_TEST && l->value[x.first] == OPEN) {
            l->wanted = x.first;
            return false;
        }
        if (!is_noted(&l->choice, id)) {
            if (x.looks && push_part(l, &x)) continue;
            note_one(l, id, &x);
        }
        l->stack_count--;
    }
    return true;
}

/* ---- all choices ---- */

/* Of two cases with the same term the wider guard is enough. */
static void add_one(lookout *l, case_list *list, term_id guard, term_id x) {
    size_t kept = 0;
    terms_spend(l->t, 1 + list->count / 8);
    for (size_t k = 0; k < list->count; k++) {
        const look_case old = list->all[k];
        if (old.term == x && term_is_within(l->t, guard, old.guard)) return;
        if (old.term != x || !term_is_within(l->t, old.guard, guard)) list->all[kept++] = old;
    }
    list->count = kept;
    array_push(l->arena, list->all, list->count, list->capacity, (look_case){guard, x});
}

/* Alternatives are cases of their own: what holds without a guard is then not said again with one, and derivatives of
   derivatives do not nest. */
static void add_case(lookout *l, case_list *list, term_id guard, term_id x) {
    const term n = l->t->all[x];
    if (guard == TERM_NONE || x == TERM_NONE) return;
    for (uint32_t k = 0; n.op == TERM_OP_OR && k < n.second; k++) add_one(l, list, guard, l->t->kids[n.first + k]);
    if (n.op != TERM_OP_OR) add_one(l, list, guard, x);
}

static term_id trail_guard(lookout *l, bool inverted) {
    term_id guard = TERM_ALL;
    for (size_t k = 0; k < l->trail_count; k++) {
        uint32_t test = l->trail[k].test;
        if (l->value[test] == YES) guard = term_together(l->t, l->arena, guard, l->guard[test]);
        if (l->value[test] == NO && inverted)
            guard = term_together(l->t, l->arena, guard, term_not(l->t, l->guard[test]));
    }
    return guard;
}

static void try_yes(lookout *l, uint32_t test) {
    choice c = {test, l->value[test ^ 1] == OPEN};
    array_push(l->arena, l->trail, l->trail_count, l->trail_capacity, c);
    l->value[test] = YES;
    if (c.other) l->value[test ^ 1] = NO;
}

/* The next choice; false: there is none. */
static bool try_no(lookout *l) {
    for (; l->trail_count; l->trail_count--) {
        const choice *c = &l->trail[l->trail_count - 1];
        if (c->other) l->value[c->test ^ 1] = OPEN;
        if (l->value[c->test] == YES) return l->value[c->test] = NO, true;
        l->value[c->test] = OPEN;
    }
    return false;
}

/* The derivatives of x, or whether it has the empty word (TERM_EMPTY or TERM_NONE), by guards. */
static case_list split(lookout *l, term_id x, bool derive) {
    case_list list = {0};
    bool inverted = l->t->all[x].inverted;
    do {
        while (!choose(l, x)) try_yes(l, l->wanted);
        term_id made = derive ? l->choice.derived[x] : l->choice.empty[x] ? TERM_EMPTY : TERM_NONE;
        add_case(l, &list, trail_guard(l, inverted), made);
    } while (try_no(l));
    return list;
}

static term_id collapse(lookout *l, term_id x) {
    const case_list list = split(l, x, true);
    term_id *kids = arena_alloc(l->arena, list.count, sizeof *kids);
    for (size_t k = 0; k < list.count; k++)
        kids[k] = term_together(l->t, l->arena, list.all[k].guard, list.all[k].term);
    return term_any(l->t, l->arena, kids, list.count);
}

/* ---- one letter ---- */

/* The derivative of what all the rest of the string must be. Guards pass through | & ~, so parts are split apart. */
static term_id rest_of(lookout *l, term_id root) {
    terms *t = l->t;
    notes *n = &l->step;
    l->outer_count = 0;
    array_push(l->arena, l->outer, l->outer_count, l->outer_capacity, root);
    while (l->outer_count) {
        term_id id = l->outer[l->outer_count - 1];
        const term x = t->all[id];
        bool is_nary = x.op == TERM_OP_OR || x.op == TERM_OP_AND;
        size_t before = l->outer_count;
        if (n->room <= id) begin_notes(l, n); /* forgets what is noted, and no more */
        if (is_noted(n, id)) {
            l->outer_count--;
            continue;
        }
        if (!x.looks || (!is_nary && x.op != TERM_OP_NOT)) {
            note(n, id, false, x.looks ? collapse(l, id) : term_derive(t, id, l->class));
            continue;
        }
        term_id kid = x.first;
        const term_id *kids = is_nary ? t->kids + x.first : &kid;
        size_t count = is_nary ? x.second : 1;
        for (size_t k = 0; k < count; k++)
            if (!is_noted(n, kids[k])) array_push(l->arena, l->outer, l->outer_count, l->outer_capacity, kids[k]);
        if (l->outer_count > before) continue;
        term_id *made = arena_alloc(l->arena, count, sizeof *made);
        for (size_t k = 0; k < count; k++) made[k] = n->derived[kids[k]];
        term_id all = TERM_ALL;
        for (size_t k = 0; k < count && x.op == TERM_OP_AND; k++) all = term_together(l->t, l->arena, all, made[k]);
        note(n, id, false,
             x.op == TERM_OP_AND ? all
             : is_nary           ? term_any(l->t, l->arena, made, count)
                                 : term_not(t, made[0]));
    }
    return n->derived[root];
}

static bool is_needed(const lookout *l, size_t look, term_id root) {
    return l->t->all[root].looks >> (look % 64) & 1;
}

static void settle(lookout *l, size_t look, term_id guard) {
    l->guard[2 * look] = guard;
    l->guard[2 * look + 1] = term_not(l->t, guard);
    for (size_t k = 2 * look; k < 2 * look + 2; k++)
        l->value[k] = l->guard[k] == TERM_ALL ? YES : l->guard[k] == TERM_NONE ? NO : OPEN;
}

/* The guard of a look-behind: a case whose body ends here. */
static term_id behind_guard(lookout *l, const case_list *list) {
    term_id guard = TERM_NONE;
    for (size_t k = 0; k < list->count; k++) {
        term_id before = rest_of(l, list->all[k].guard);
        const case_list ends = split(l, list->all[k].term, false);
        for (size_t j = 0; j < ends.count; j++)
            if (ends.all[j].term == TERM_EMPTY)
                guard = term_either(l->t, l->arena, guard, term_together(l->t, l->arena, before, ends.all[j].guard));
    }
    return guard;
}

/* fills the value and guard of all tests that the state has, inner ones first */
static void settle_all(lookout *l, term_id root) {
    begin_notes(l, &l->step);
    for (size_t k = 0; k < l->t->look_count; k++) {
        if (!is_needed(l, k, root)) continue;
        const term_look look = l->t->looks[k];
        settle(l, k, look.behind ? behind_guard(l, &l->behind[k]) : rest_of(l, term_join(l->t, look.body, TERM_ALL)));
    }
}

static int compare_cases(const void *x, const void *y) {
    const look_case *a = x, *b = y;
    if (a->term != b->term) return a->term < b->term ? -1 : 1;
    return (a->guard > b->guard) - (a->guard < b->guard);
}

static case_list step_behind(lookout *l, const case_list *list) {
    case_list made = {0};
    for (size_t k = 0; k < list->count; k++) {
        term_id before = rest_of(l, list->all[k].guard);
        const case_list next = split(l, list->all[k].term, true);
        for (size_t j = 0; j < next.count; j++)
            add_case(l, &made, term_together(l->t, l->arena, before, next.all[j].guard), next.all[j].term);
    }
    if (made.count > 1) qsort(made.all, made.count, sizeof *made.all, compare_cases);
    return made;
}

/* ---- states ---- */

/* A state as numbers: what the rest must be; for each look-behind that it has a count, and cases. */
typedef struct look_state {
    uint32_t *numbers;
    size_t count, capacity;
} look_state;

static void add_number(lookout *l, look_state *s, uint32_t x) {
    array_push(l->arena, s->numbers, s->count, s->capacity, x);
}

static bool is_behind(const lookout *l, size_t look, term_id root) {
    return l->t->looks[look].behind && is_needed(l, look, root);
}

static void add_cases(lookout *l, look_state *s, const case_list *list) {
    add_number(l, s, (uint32_t)list->count);
    for (size_t k = 0; k < list->count; k++) {
        add_number(l, s, list->all[k].guard);
        add_number(l, s, list->all[k].term);
    }
}

static look_state first_state(lookout *l, term_id root) {
    look_state s = {0};
    add_number(l, &s, root);
    for (size_t k = 0; k < l->t->look_count; k++) {
        look_case all = {TERM_ALL, TERM_NONE};
        if (!is_behind(l, k, root)) continue;
        all.term = term_join(l->t, TERM_ALL, l->t->looks[k].body);
        add_cases(l, &s, &(case_list){&all, 1, 1});
    }
    return s;
}

static void enter(lookout *l, const look_state *s) {
    const uint32_t *at = s->numbers + 1;
    for (size_t k = 0; k < l->t->look_count; k++) {
        case_list *list = &l->behind[k];
        if (!is_behind(l, k, s->numbers[0])) continue;
        list->count = 0;
        for (uint32_t left = *at++; left; left--, at += 2)
            array_push(l->arena, list->all, list->count, list->capacity, (look_case){at[0], at[1]});
    }
}

/* require enter */
static look_state step(lookout *l, term_id root, uint32_t class) {
    look_state s = {0};
    l->class = class;
    settle_all(l, root);
    term_id next = rest_of(l, root);
    add_number(l, &s, next);
    for (size_t k = 0; k < l->t->look_count; k++) {
        if (!is_behind(l, k, next)) continue;
        const case_list list = step_behind(l, &l->behind[k]);
        add_cases(l, &s, &list);
    }
    return s;
}

static bool has_empty(lookout *l, term_id x) {
    choose(l, x);
    return l->choice.empty[x];
}

/* require enter */
static bool accepts(lookout *l, term_id root) {
    l->class = NO_CLASS;
    for (size_t k = 0; k < l->t->look_count; k++) {
        if (!is_needed(l, k, root)) continue;
        const term_look look = l->t->looks[k];
        bool holds = !look.behind && has_empty(l, look.body);
        for (size_t j = 0; look.behind && j < l->behind[k].count; j++)
            holds |= has_empty(l, l->behind[k].all[j].guard) && has_empty(l, l->behind[k].all[j].term);
        l->value[2 * k] = holds ? YES : NO;
        l->value[2 * k + 1] = holds ? NO : YES;
    }
    return has_empty(l, root);
}

typedef struct exploration {
    look_state *states;
    size_t count, capacity;
    unsigned char *accepts;
    size_t accept_count, accept_capacity;
    table index;
} exploration;

static uint32_t state_number(lookout *l, exploration *e, look_state s, uint32_t most) {
    bool fresh;
    uint32_t number = *table_put(&e->index, s.numbers, s.count * sizeof *s.numbers, (uint32_t)e->count, &fresh);
    if (!fresh) return number;
    if (e->count == most) terms_too_many(l->t, most);
    array_push(l->arena, e->states, e->count, e->capacity, s);
    enter(l, &s);
    array_push(l->arena, e->accepts, e->accept_count, e->accept_capacity, accepts(l, s.numbers[0]));
    return number;
}

dfa *dfa_from_tests(arena *a, terms *t, term_id root, uint32_t letters, uint32_t most_states) {
    lookout l = {.t = t, .arena = t->arena};
    exploration e = {0};
    uint32_t *next = NULL;
    size_t next_count = 0, next_capacity = 0;
    l.behind = arena_zalloc(l.arena, t->look_count, sizeof *l.behind);
    l.value = arena_zalloc(l.arena, 2 * t->look_count, sizeof *l.value);
    l.guard = arena_zalloc(l.arena, 2 * t->look_count, sizeof *l.guard);
    table_init(&e.index, l.arena);
    state_number(&l, &e, first_state(&l, root), most_states);
    for (size_t k = 0; k < e.count; k++)
        for (uint32_t c = 0; c < t->classes; c++) {
            enter(&l, &e.states[k]);
            uint32_t to = state_number(&l, &e, step(&l, e.states[k].numbers[0], c), most_states);
            array_push(l.arena, next, next_count, next_capacity, to);
        }
    dfa *d = dfa_new(a, (uint32_t)e.count, t->classes, letters);
    if (next_count) memcpy(d->next, next, next_count * sizeof *next);
    memcpy(d->accepts, e.accepts, e.count);
    return d;
}
