#include "decide/same_language.h"

#include <stdlib.h>
#include <string.h>

#include "base/entry.h"

dfa *dfa_with_letters(arena *a, const dfa *d, const uint32_t *number, uint32_t letters) {
    uint32_t dead = d->state_count, foreign = d->class_count;
    dfa *made = dfa_new(a, dead + 1, foreign + 1, letters);
    made->start = d->start;
    memcpy(made->accepts, d->accepts, dead);
    for (uint32_t s = 0; s <= dead; s++)
        for (uint32_t c = 0; c <= foreign; c++)
            made->next[(size_t)s * (foreign + 1) + c] = s == dead || c == foreign ? dead : dfa_next(d, s, c);
    for (uint32_t k = 0; k < letters; k++) made->class_of[k] = foreign;
    for (uint32_t k = 0; k < d->letter_count; k++)
        if (number[k] != UINT32_MAX) made->class_of[number[k]] = d->class_of[k];
    return made;
}

/* ---- one alphabet for both ---- */

typedef struct side {
    const temper_spec *spec;
    uint32_t *number; /* of its letters among all */
} side;

static void add_letters(language_answer *out, table *known, side *s, arena *a) {
    size_t count = s->spec->letters.count;
    s->number = arena_alloc(a, count, sizeof *s->number);
    for (size_t k = 0; k < count; k++) {
        const char *letter = s->spec->letters.letters[k];
        bool fresh;
        s->number[k] = *table_put(known, letter, strlen(letter), out->letter_count, &fresh);
        if (fresh) out->letters[out->letter_count++] = letter;
    }
}

/* Regular expressions and tables were read over the alphabet that the specification has, so that it is stated. */
static bool has_language(const temper_spec *s, arena *a) {
    const unsigned char *marks = formula_reachable(&s->graph, s->root, a);
    bool has = false;
    for (node_id id = 1; id <= s->root; id++) {
        formula_op op = formula_at(&s->graph, id)->op;
        has |= marks[id] && (op == OP_MATCHES || op == OP_MATCHES_REST);
    }
    return has;
}

/* A formula whose alphabet was not stated is read over one letter more, which stands for all letters that it does not
   name; then the letters are renumbered. */
static dfa *dfa_over_all(language_answer *out, arena *a, const side *s, const decide_limits *limits) {
    const temper_spec *spec = s->spec;
    uint32_t own = (uint32_t)spec->letters.count;
    if (spec->alphabet_given || own == out->letter_count || has_language(spec, a))
        return dfa_minimise(a, dfa_with_letters(a, spec_dfa(a, spec, limits), s->number, out->letter_count));
    dfa *d = formula_dfa(a, &spec->graph, spec->root, &spec->letters, own + 1, spec->at, spec->accepts_empty, limits);
    dfa *made = dfa_new(a, d->state_count, d->class_count, out->letter_count);
    memcpy(made->accepts, d->accepts, d->state_count);
    memcpy(made->next, d->next, (size_t)d->state_count * d->class_count * sizeof *d->next);
    for (uint32_t k = 0; k < out->letter_count; k++) made->class_of[k] = d->class_of[own];
    for (uint32_t k = 0; k < own; k++) made->class_of[s->number[k]] = d->class_of[k];
    return dfa_minimise(a, made);
}

void specs_compare(language_answer *out, arena *a, const temper_spec *left, const temper_spec *right,
                   const decide_limits *limits) {
    side sides[2] = {{.spec = left}, {.spec = right}};
    table known;
    if (left->letters.tokens != right->letters.tokens)
        trap_raise(a->trap, TEMPER_RANGE, 0, 0, "letters of the %s specification are tokens, those of the %s are not",
                   left->letters.tokens ? "first" : "second", left->letters.tokens ? "second" : "first");
    *out = (language_answer){0};
    out->letters = arena_alloc(a, left->letters.count + right->letters.count, sizeof *out->letters);
    table_init(&known, a);
    add_letters(out, &known, &sides[0], a);
    add_letters(out, &known, &sides[1], a);
    out->left = dfa_over_all(out, a, &sides[0], limits);
    out->right = dfa_over_all(out, a, &sides[1], limits);
    out->same = dfa_same_language(&out->word, &out->n, out->left, out->right, a);
    if (!out->same) out->in_left = dfa_accepts(out->left, out->word, out->n);
}

/* ---- the public function ---- */

typedef struct compare_call {
    temper_difference *out;
    const temper_spec *left, *right;
} compare_call;

static void compare(entry *e, void *context) {
    const compare_call *c = context;
    language_answer answer;
    specs_compare(&answer, &e->memory, c->left, c->right, NULL);
    *c->out = (temper_difference){.same = answer.same,
                                  .length = answer.n,
                                  .left_states = answer.left->state_count,
                                  .right_states = answer.right->state_count};
    if (answer.same) return;
    text string;
    text_init(&string, &e->memory);
    for (size_t k = 0; k < answer.n; k++) {
        if (k && c->left->letters.tokens) text_putc(&string, ' ');
        text_puts(&string, answer.letters[answer.word[k]]);
    }
    c->out->left = answer.in_left;
    c->out->right = !answer.in_left;
    c->out->string = entry_hand_out(e, text_string(&string), string.length);
}

temper_status temper_spec_compare(temper_difference *out, const temper_spec *left, const temper_spec *right,
                                  temper_error *err) {
    compare_call call = {out, left, right};
    memset(out, 0, sizeof *out);
    return entry_run(err, compare, &call);
}

void temper_difference_clear(temper_difference *difference) {
    if (!difference) return;
    free(difference->string);
    memset(difference, 0, sizeof *difference);
}
