/* Three forms, told apart by their first words:

       a 3                 a letter has a weight, whatever came before; end 1/2 for the end
       after a b 3         a letter has a weight after another one, or after start
       start q0            a weighted automaton: q0 a q1 3, and q0 end 1/2

   In the first two forms a letter that is not named weighs 1, in the third what is not named weighs 0. */
#include "compile/letter_odds.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "number/decimal.h"

enum { WORDS = 4, STATES = 4096 };

typedef enum weight_form { FORM_NONE, FORM_LETTERS, FORM_AFTER, FORM_AUTOMATON } weight_form;

typedef struct word {
    const char *text;
    size_t length;
    bool quoted;
} word;

typedef struct reader {
    letter_odds *w;
    const temper_spec *s;
    rational_pool *pool;
    arena *a;
    const char *at, *end;
    size_t line; /* of the table, from 0 */
    word words[WORDS + 1];
    size_t count;
    weight_form form;
    table states; /* names */
} reader;

__attribute__((format(printf, 3, 4))) static _Noreturn void refuse(const reader *r, const char *hint,
                                                                   const char *format, ...) {
    const spec_probabilities *p = &r->s->probabilities;
    char message[200];
    va_list arguments;
    va_start(arguments, format);
    print_list(message, sizeof message, format, arguments);
    va_end(arguments);
    if (p->file)
        trap_raise_hint(r->a->trap, TEMPER_SYNTAX, p->line, p->column, hint, "%s:%zu: %s",
                        text_escaped(r->a, p->file, strlen(p->file), 40), r->line + 1, message);
    trap_raise_hint(r->a->trap, TEMPER_SYNTAX, p->line + r->line, 0, hint, "%s", message);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is_word(const word *w, const char *what) {
    return !w->quoted && w->length == strlen(what) && !memcmp(w->text, what, w->length);
}

static const char *shown(const reader *r, const word *w) { return text_escaped(r->a, w->text, w->length, 40); }

/* The words of the next line; false at the end. */
static bool read_line(reader *r) {
    if (r->at >= r->end) return false;
    r->count = 0;
    while (r->at < r->end && *r->at != '\n') {
        if (is_blank(*r->at)) {
            r->at++;
            continue;
        }
        if (r->end - r->at >= 2 && r->at[0] == '-' && r->at[1] == '-') {
            while (r->at < r->end && *r->at != '\n') r->at++;
            break;
        }
        word w = {.text = r->at, .quoted = *r->at == '\''};
        if (w.quoted) {
            const char *close = memchr(r->at + 1, '\'', (size_t)(r->end - r->at - 1));
            if (!close || close == r->at + 1) refuse(r, "a quoted letter is 'x'", "a quote that is never closed");
            w.text++;
            w.length = (size_t)(close - w.text);
            r->at = close + 1;
        } else {
            while (r->at < r->end && !is_blank(*r->at) && *r->at != '\n') r->at++;
            w.length = (size_t)(r->at - w.text);
        }
        if (r->count == WORDS + 1) refuse(r, "", "a line has at most %d words", WORDS);
        r->words[r->count++] = w;
    }
    if (r->at < r->end) r->at++;
    return true;
}

static size_t skip_digits(const word *w, size_t at) {
    while (at < w->length && w->text[at] >= '0' && w->text[at] <= '9') at++;
    return at;
}

/* The whole number that text[from..to) spells. */
static const rational *read_digits(reader *r, const word *w, size_t from, size_t to) {
    if (to - from > DECIMAL_DIGITS)
        refuse(r, "", "a weight of %zu digits: at most %d are read", to - from, DECIMAL_DIGITS);
    rational *x = rational_array(r->pool, 1);
    decimal_set(x, r->pool, w->text + from, to - from);
    return x;
}

/* 3, 0.25 or 1/3. */
static const rational *read_weight(reader *r, const word *w) {
    size_t whole = skip_digits(w, 0), start = whole < w->length ? whole + 1 : whole, end = skip_digits(w, start);
    char sign = whole < w->length ? w->text[whole] : 0;
    bool good = end == w->length && (!sign || sign == '.' || (sign == '/' && whole && end > start));
    rational *x = rational_array(r->pool, 1);
    if (good && whole + end - start) {
        rational_set(x, read_digits(r, w, 0, whole));
        const rational *y = read_digits(r, w, start, end);
        if (sign != '/') {
            rational *after = rational_array(r->pool, 1);
            rational_set(after, y);
            decimal_shift(after, end - start);
            rational_add(x, x, after);
            return x;
        }
        if (!rational_is_zero(y)) {
            rational_div(x, x, y);
            return x;
        }
    }
    refuse(r, "weights are written as 3, 0.25 or 1/3", "'%s' is no weight", shown(r, w));
}

/* A letter's number, or that of the end. */
static uint32_t read_letter(reader *r, const word *w) {
    if (is_word(w, "end")) return (uint32_t)r->s->letters.count;
    uint32_t letter = alphabet_find(&r->s->letters, w->text, w->length);
    if (letter == UINT32_MAX)
        refuse(r, "a letter of the alphabet, or end", "'%s' is not in the alphabet", shown(r, w));
    return letter;
}

static void add_move(reader *r, uint32_t from, uint32_t letter, uint32_t to, const rational *weight) {
    array_push(r->a, r->w->moves, r->w->move_count, r->w->move_capacity, (odds_move){from, letter, to, weight});
}

static void set_move(reader *r, uint32_t from, uint32_t letter, const rational *weight) {
    for (size_t k = 0; k < r->w->move_count; k++) {
        odds_move *m = &r->w->moves[k];
        if (m->from == from && m->letter == letter) m->weight = weight;
    }
}

/* All weights are 1: with one state, or with one for each letter that was the last. */
static void begin_dense(reader *r, bool after) {
    uint32_t letters = (uint32_t)r->s->letters.count;
    rational *one = rational_array(r->pool, 1);
    rational_set_int(one, 1);
    r->w->state_count = after ? letters + 1 : 1;
    r->w->start = after ? letters : 0;
    if ((uint64_t)r->w->state_count * (letters + 1) > (uint64_t)1 << 20)
        trap_raise(r->a->trap, TEMPER_LIMIT, r->s->probabilities.line, r->s->probabilities.column,
                   "weights after each of %u letters are too many", letters);
    for (uint32_t q = 0; q < r->w->state_count; q++)
        for (uint32_t x = 0; x <= letters; x++) add_move(r, q, x, after ? x : 0, one);
}

static uint32_t state_of(reader *r, const word *w) {
    bool fresh;
    uint32_t q = *table_put(&r->states, w->text, w->length, r->w->state_count, &fresh);
    if (fresh && r->w->state_count == STATES) refuse(r, "", "more than %d states", STATES);
    r->w->state_count += fresh;
    return q;
}

static void begin_form(reader *r, weight_form form) {
    if (r->form == form) return;
    if (r->form != FORM_NONE)
        refuse(r, "lines are all 'a 3', all 'after a b 3', or those of an automaton", "this line is of another form");
    r->form = form;
    if (form != FORM_AUTOMATON) begin_dense(r, form == FORM_AFTER);
}

static void take_line(reader *r) {
    const word *w = r->words;
    if (is_word(&w[0], "start") && r->count == 2) {
        if (r->form == FORM_AUTOMATON) refuse(r, "", "a second start");
        begin_form(r, FORM_AUTOMATON);
        r->w->start = state_of(r, &w[1]);
    } else if (r->form == FORM_AUTOMATON && r->count == 3 && is_word(&w[1], "end")) {
        uint32_t from = state_of(r, &w[0]);
        add_move(r, from, (uint32_t)r->s->letters.count, 0, read_weight(r, &w[2]));
    } else if (r->form == FORM_AUTOMATON && r->count == 4) {
        uint32_t from = state_of(r, &w[0]), letter = read_letter(r, &w[1]), to = state_of(r, &w[2]);
        add_move(r, from, letter, to, read_weight(r, &w[3]));
    } else if (is_word(&w[0], "after") && r->count == 4 && r->form != FORM_AUTOMATON) {
        begin_form(r, FORM_AFTER);
        uint32_t from = is_word(&w[1], "start") ? (uint32_t)r->s->letters.count : read_letter(r, &w[1]);
        uint32_t letter = read_letter(r, &w[2]);
        set_move(r, from, letter, read_weight(r, &w[3]));
    } else if (r->count == 2 && r->form != FORM_AUTOMATON) {
        begin_form(r, FORM_LETTERS);
        uint32_t letter = read_letter(r, &w[0]);
        set_move(r, 0, letter, read_weight(r, &w[1]));
    } else {
        refuse(r, "as in 'a 3', 'after a b 3', 'start q0' or 'q0 a q1 3'", "this line says no weight");
    }
}

void letter_odds_read(letter_odds *out, const temper_spec *s, rational_pool *pool, arena *a) {
    reader r = {.w = out, .s = s, .pool = pool, .a = a};
    *out = (letter_odds){0};
    table_init(&r.states, a);
    if (s->probabilities.text) {
        r.at = s->probabilities.text;
        r.end = r.at + s->probabilities.length;
        for (; read_line(&r); r.line++)
            if (r.count) take_line(&r);
    }
    if (r.form == FORM_NONE) begin_dense(&r, false);
    out->has_memory = out->state_count > 1;
}
