/* Classes of letters: [abc], [^ab], [a-z0-9], and with tokens [req ack "odd one"]. */
#include "logic/parse_values.h"

#include <string.h>

enum { RANGE_LIMIT = 65536, CLASS_LIMIT = 1 << 20 };

typedef struct reader {
    value_context *c;
    const token *t;
    size_t at, column; /* into t->text */
    uint32_t *letters;
    size_t count, capacity;
} reader;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static bool at_end(const reader *r) { return r->at == r->t->length; }

static void advance(reader *r, size_t bytes) {
    for (size_t k = 0; k < bytes; k++)
        if (((unsigned char)r->t->text[r->at + k] & 0xC0) != 0x80) r->column++;
    r->at += bytes;
}

static void add(reader *r, const char *letter, size_t length, size_t column) {
    value_context *c = r->c;
    if (r->count == CLASS_LIMIT)
        trap_raise(c->scratch->trap, TEMPER_LIMIT, r->t->line, r->t->column, "the class names more than %d letters",
                   CLASS_LIMIT);
    uint32_t number = spec_letter_number(c->spec, c->header, letter, length, r->t->line, column);
    array_push(c->scratch, r->letters, r->count, r->capacity, number);
}

/* One character, perhaps escaped. */
static uint32_t read_character(reader *r) {
    uint32_t code = 0;
    const char *bytes = r->t->text + r->at;
    size_t left = r->t->length - r->at, size;
    if (*bytes == '\\') {
        size = escape_decode(&code, bytes, left, "[]^- ");
        if (!size) escape_refuse(r->c->scratch, bytes, left, r->t->line, r->column);
    } else {
        size = utf8_decode(&code, bytes, left);
    }
    advance(r, size);
    return code;
}

/* element = CHARACTER | CHARACTER "-" CHARACTER; a "-" at either end of the class is itself */
static void read_element(reader *r) {
    trap *raise = r->c->scratch->trap;
    size_t column = r->column, start = r->at;
    if (is_blank(r->t->text[r->at]))
        trap_raise_hint(raise, TEMPER_SYNTAX, r->t->line, column,
                        "letters of a class stand side by side, [abc]; the blank as a letter is '\\ '",
                        "unexpected blank in a class");
    uint32_t low = read_character(r), high = low;
    if (r->at + 1 < r->t->length && r->t->text[r->at] == '-') {
        advance(r, 1);
        high = read_character(r);
        const char *shown = text_escaped(r->c->scratch, r->t->text + start, r->at - start, 0);
        if (high < low)
            trap_raise_hint(raise, TEMPER_SYNTAX, r->t->line, column,
                            "swap its ends; the letter '-' stands first or last, or is escaped '\\-'",
                            "the range '%s' is reversed", shown);
        if (high - low >= RANGE_LIMIT)
            trap_raise(raise, TEMPER_LIMIT, r->t->line, column, "the range '%s' has more than %d letters", shown,
                       RANGE_LIMIT);
    }
    for (uint32_t code = low; code <= high; code++) {
        if (code >= 0xD800 && code <= 0xDFFF) continue;
        char utf8[4];
        add(r, utf8, utf8_encode(utf8, code), column);
    }
}

/* word = QUOTED | CHARACTER+; words are separated by blanks */
static void read_word(reader *r) {
    size_t column = r->column;
    text word;
    text_init(&word, r->c->scratch);
    char quote = r->t->text[r->at];
    if (quote != '\'' && quote != '"') quote = 0;
    if (quote) advance(r, 1);
    while (!at_end(r)) {
        char c = r->t->text[r->at];
        if (quote ? c == quote : is_blank(c) || c == '\'' || c == '"') break;
        char utf8[4];
        text_add(&word, utf8, utf8_encode(utf8, read_character(r)));
    }
    if (quote && !at_end(r)) advance(r, 1);
    if (!at_end(r) && !is_blank(r->t->text[r->at]))
        trap_raise(r->c->scratch->trap, TEMPER_SYNTAX, r->t->line, r->column,
                   "expected a blank between tokens of a class");
    if (word.length == 0)
        trap_raise(r->c->scratch->trap, TEMPER_SYNTAX, r->t->line, column,
                   "the quotes are empty, so they name no letter");
    add(r, text_string(&word), word.length, column);
}

node_id letter_class(value_context *c, const token *t) {
    reader r = {.c = c, .t = t, .column = t->column + 1};
    bool negated = t->text[0] == '^';
    if (negated) advance(&r, 1);
    while (!at_end(&r)) {
        if (!c->spec->letters.tokens)
            read_element(&r);
        else if (is_blank(t->text[r.at]))
            advance(&r, 1);
        else
            read_word(&r);
    }
    if (r.count == 0)
        trap_raise_hint(c->scratch->trap, TEMPER_SYNTAX, t->line, t->column,
                        negated ? "any letter is 'true'; the letter '^' is quoted"
                                : "no letter is 'false'; always is '[]' or 'G'",
                        "the class names no letters");
    node_id id = formula_letters(&c->spec->graph, r.letters, r.count, negated);
    formula_note_place(&c->spec->graph, id, t->line, t->column);
    return id;
}
