/* Automata that are written as tables of moves, as the auditor reads them. Lines end with a newline or a semicolon; a
   field that begins with -- or // begins a comment. A move that is not written leads to a state of its own, from
   which nothing is accepted. */
#include <string.h>

#include "audit/audit_regex.h"
#include "base/work.h"

typedef struct move {
    uint32_t from, set, to;
} move;

typedef struct reader {
    audit_regex_text t;
    audit_regex labels; /* its sets */
    table index;        /* name -> state */
    uint32_t states;
    uint32_t *accepting;
    size_t accepting_count, accepting_capacity;
    move *moves;
    size_t move_count, move_capacity;
    uint32_t start; /* UINT32_MAX: not said */
} reader;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool is_end(char c) { return !c || c == '\n' || c == ';'; }

/* Whether the line has another field, which begins here. */
static bool next_field(reader *r) {
    audit_regex_text *t = &r->t;
    while (is_blank(audit_regex_look(t, 0))) t->at++;
    char c = audit_regex_look(t, 0);
    if ((c == '-' || c == '/') && audit_regex_look(t, 1) == c)
        while (audit_regex_look(t, 0) && audit_regex_look(t, 0) != '\n') t->at++;
    return !is_end(audit_regex_look(t, 0));
}

static size_t word_size(const reader *r) {
    size_t size = 0;
    for (char c = audit_regex_look(&r->t, 0); !is_end(c) && !is_blank(c) && c != '{' && c != '}';)
        c = audit_regex_look(&r->t, ++size);
    return size;
}

static bool is_word(const reader *r, const char *word) {
    return word_size(r) == strlen(word) && memcmp(r->t.bytes + r->t.at, word, strlen(word)) == 0;
}

static bool take(reader *r, const char *word) {
    if (!is_word(r, word)) return false;
    r->t.at += strlen(word);
    return true;
}

static uint32_t read_state(reader *r) {
    bool fresh;
    if (!next_field(r) || !word_size(r)) audit_regex_refuse(&r->t, "a state should stand here");
    if (is_word(r, "start") || is_word(r, "accept") || is_word(r, "alphabet") || is_word(r, "tokens"))
        audit_regex_refuse(&r->t, "this word is no state");
    if (r->states > work_limit(AUTOMATON_STATES))
        trap_raise_remedy(r->t.arena->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "a table of more states than are audited");
    uint32_t state = *table_put(&r->index, r->t.bytes + r->t.at, word_size(r), r->states, &fresh);
    r->states += fresh;
    r->t.at += word_size(r);
    return state;
}

/* A set as in expressions; with tokens also a bare word. */
static bool *read_label(reader *r) {
    audit_regex_text *t = &r->t;
    if (!next_field(r) || audit_regex_has(t, "{") || audit_regex_has(t, "}"))
        audit_regex_refuse(t, "a letter should stand here");
    if (!t->letters->tokens || audit_regex_has(t, "<") || audit_regex_has(t, "[") || is_word(r, "."))
        return audit_regex_read_set(t);
    bool *set = audit_regex_new_set(t);
    uint32_t letter = alphabet_find(t->letters, t->bytes + t->at, word_size(r));
    if (letter != UINT32_MAX) set[letter] = true;
    t->at += word_size(r);
    return set;
}

static void read_move(reader *r) {
    move m = {.from = read_state(r), .set = (uint32_t)r->labels.set_count};
    bool *set = read_label(r);
    char c = audit_regex_look(&r->t, 0);
    if (!is_blank(c)) audit_regex_refuse(&r->t, "a letter or class should end here");
    array_push(r->t.arena, r->labels.sets, r->labels.set_count, r->labels.set_capacity, set);
    m.to = read_state(r);
    array_push(r->t.arena, r->moves, r->move_count, r->move_capacity, m);
}

static void read_line(reader *r) {
    if (take(r, "start")) {
        if (r->start != UINT32_MAX) audit_regex_refuse(&r->t, "a second start");
        r->start = read_state(r);
    } else if (take(r, "accept")) {
        while (next_field(r)) {
            uint32_t state = read_state(r);
            array_push(r->t.arena, r->accepting, r->accepting_count, r->accepting_capacity, state);
        }
    } else if (take(r, "alphabet")) { /* letters are the model's */
        while (next_field(r)) read_label(r);
    } else if (take(r, "tokens")) {
        if (!next_field(r) || !take(r, r->t.letters->tokens ? "yes" : "no"))
            audit_regex_refuse(&r->t, "other letters than the model's");
    } else {
        read_move(r);
    }
    if (next_field(r)) audit_regex_refuse(&r->t, "the line should end here");
}

/* State 0 is the start: the two change places. */
static uint32_t number_of(const reader *r, uint32_t state) {
    return state == r->start ? 0 : state == 0 ? r->start : state;
}

automaton *automaton_from_table(arena *a, const char *bytes, size_t length, const alphabet *letters) {
    reader r = {.t = {.arena = a, .bytes = bytes, .length = length, .letters = letters}, .start = UINT32_MAX};
    r.labels.letters = letters;
    table_init(&r.index, a);
    for (; r.t.at < length; r.t.at++) {
        if (next_field(&r)) read_line(&r);
        if (r.t.at < length && !audit_regex_look(&r.t, 0)) audit_regex_refuse(&r.t, "a NUL byte");
    }
    if (r.start == UINT32_MAX) audit_regex_refuse(&r.t, "it has no start");
    automaton x = {.states = r.states + 1};
    x.class_of = audit_regex_classes(&x.classes, &r.labels, a);
    uint64_t most = work_limit(AUTOMATON_WORK);
    if ((uint64_t)x.states * x.classes > most / 16 || (uint64_t)r.move_count * x.classes > most)
        trap_raise_remedy(a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "a table of more moves than are audited");
    uint32_t *some = arena_alloc(a, x.classes, sizeof *some); /* a letter of each class */
    for (uint32_t k = 0; k < letters->count; k++) some[x.class_of[k]] = k;
    x.next = arena_alloc(a, (size_t)x.states * x.classes, sizeof *x.next);
    for (size_t k = 0; k < (size_t)x.states * x.classes; k++) x.next[k] = r.states;
    for (size_t k = 0; k < r.move_count; k++)
        for (uint32_t c = 0; c < x.classes; c++) {
            if (!r.labels.sets[r.moves[k].set][some[c]]) continue;
            uint32_t *to = &x.next[(size_t)number_of(&r, r.moves[k].from) * x.classes + c];
            if (*to != r.states && *to != number_of(&r, r.moves[k].to))
                audit_regex_refuse(&r.t, "one letter leads to two states");
            *to = number_of(&r, r.moves[k].to);
        }
    x.accepts = arena_zalloc(a, x.states, 1);
    for (size_t k = 0; k < r.accepting_count; k++) x.accepts[number_of(&r, r.accepting[k])] = 1;
    return automaton_least(a, &x, letters->count);
}
