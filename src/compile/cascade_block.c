/* A component of an automaton as an automaton of its own, with one more state for "elsewhere". Its letters are those
   of the string, and each of them again together with the state that is entered from elsewhere. Letters that enter
   are not defined inside, since nobody enters twice: the cascade may do there what it likes. */
#include "compile/cascade_words.h"

/* A class of letters that enters a state. */
typedef struct entrance {
    uint32_t class, to;
} entrance;

typedef struct block {
    emitter e;        /* over the extended letters; e.letters leads back here */
    emitter *outer;   /* over the letters of the string */
    dfa d;            /* states: the members, then elsewhere, then one that is never reached */
    entrance *enters; /* classes behind those of the string */
    size_t enter_count, enter_capacity;
    node_id *entered; /* [members] what holds at a letter that enters this state */
} block;

static bool has(const uint64_t *bits, size_t k) { return bits[k / 64] >> (k % 64) & 1; }

/* OR of the members that are entered by class c, and whose extended letter is in the set iff `in`. */
static node_id entered_by(block *b, const uint64_t *set, uint32_t c, bool in) {
    size_t count = 0, plain = b->outer->d->class_count;
    node_id *kids = arena_alloc(b->e.arena, b->enter_count + 1, sizeof *kids);
    for (size_t k = 0; k < b->enter_count; k++)
        if (b->enters[k].class == c && has(set, plain + k) == in) kids[count++] = b->entered[b->enters[k].to];
    return formula_nary(b->e.f, OP_OR, kids, count);
}

/* A set of extended letters: letters, with what may or must not be entered by them; equal conditions together. 0: all
   letters. */
static node_id extended_letters(emitter *e, const uint64_t *set) {
    block *b = e->context;
    const dfa *d = b->outer->d;
    size_t width = (d->class_count + 63) / 64, count = 0;
    node_id *conditions = arena_alloc(e->arena, d->class_count, sizeof *conditions);
    uint64_t **letters = arena_alloc(e->arena, d->class_count, sizeof *letters);
    for (uint32_t c = 0; c < d->class_count; c++) {
        node_id only = entered_by(b, set, c, true);
        node_id condition = has(set, c) ? not_node(e, entered_by(b, set, c, false)) : only;
        if (formula_at(e->f, condition)->op == OP_FALSE) continue;
        size_t k = 0;
        while (k < count && conditions[k] != condition) k++;
        if (k == count) {
            letters[count] = arena_zalloc(e->arena, width, sizeof **letters);
            conditions[count++] = condition;
        }
        letters[k][c / 64] |= (uint64_t)1 << (c % 64);
    }
    node_id *kids = arena_alloc(e->arena, count + 1, sizeof *kids);
    for (size_t k = 0; k < count; k++) {
        node_id some = letters_node(b->outer, letters[k]), both[2] = {conditions[k], some};
        if (!some && formula_at(e->f, conditions[k])->op == OP_TRUE) return 0;
        term t = term_and(e, &(term){0}, both, some ? 2 : 1);
        kids[k] = term_node(e, &t);
    }
    return formula_nary(e->f, OP_OR, kids, count);
}

static void list_entrances(block *b, const words *w, const uint32_t *number, uint32_t count) {
    const dfa *d = w->e.d;
    for (uint32_t c = 0; c < d->class_count; c++)
        for (uint32_t q = 0; q < count; q++) {
            bool any = false;
            for (uint32_t p = 0; p < d->state_count && !any; p++)
                any = w->seen[p].count && number[p] == UINT32_MAX && number[dfa_next(d, p, c)] == q;
            if (any)
                array_push(b->e.arena, b->enters, b->enter_count, b->enter_capacity, (entrance){.class = c, .to = q});
        }
}

static void make_automaton(block *b, const words *w, const uint32_t *members, const uint32_t *number,
                           uint32_t count) {
    const dfa *d = w->e.d;
    uint32_t elsewhere = count, never = count + 1, plain = d->class_count;
    b->d = *dfa_new(b->e.arena, count + 2, plain + (uint32_t)b->enter_count, d->letter_count);
    b->d.class_of = d->class_of;
    b->d.start = number[d->start] == UINT32_MAX ? elsewhere : number[d->start];
    for (uint32_t q = 0; q < b->d.state_count; q++)
        for (uint32_t c = 0; c < b->d.class_count; c++) {
            uint32_t to = c < plain ? elsewhere : q == elsewhere ? b->enters[c - plain].to : never;
            if (q < count && c < plain && number[dfa_next(d, members[q], c)] != UINT32_MAX)
                to = number[dfa_next(d, members[q], c)];
            if (q == never) to = never;
            b->d.next[(size_t)q * b->d.class_count + c] = to;
        }
}

bool words_add_block(words *w, const uint32_t *members, uint32_t count) {
    emitter *e = &w->e;
    block b = {.e = *e, .outer = e};
    uint32_t *number = arena_alloc(e->arena, e->d->state_count, sizeof *number);
    unsigned char *wanted = arena_zalloc(e->arena, e->d->state_count, 1);
    for (uint32_t q = 0; q < e->d->state_count; q++) number[q] = UINT32_MAX;
    for (uint32_t k = 0; k < count; k++) number[members[k]] = k;
    list_entrances(&b, w, number, count);
    b.entered = arena_zalloc(e->arena, count, sizeof *b.entered);
    for (uint32_t k = 0; k < count; k++) {
        wanted[members[k]] = 1;
        b.entered[k] = words_arrivals(w, wanted, w->component[members[k]]);
        wanted[members[k]] = 0;
    }
    make_automaton(&b, w, members, number, count);
    b.e.d = &b.d;
    b.e.letters = extended_letters;
    b.e.context = &b;
    node_id *at = arena_zalloc(e->arena, count, sizeof *at);
    b.e.term_count = e->term_count;
    bool made = !e->over && cascade_states(&b.e, at, count, count + 1, w->options);
    e->term_count = b.e.term_count;
    e->over = e->over || b.e.over;
    for (uint32_t k = 0; k < count && made; k++) words_add_anchor(w, members[k], at[k], 0);
    return made;
}
