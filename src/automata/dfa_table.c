#include "automata/dfa_table.h"

#include <string.h>

#include "automata/jflap.h"
#include "base/table.h"

/* ---- reading --------------------------------------------------------------------------------------------------- */

typedef struct reader {
    symbol_reader r;
    dfa_table *t;
    bool braces, has_start, has_tokens;
    size_t start_line;
    table index;           /* name -> state */
    unsigned char *occurs; /* [state_count] in a move */
    size_t occurs_count, occurs_capacity;
} reader;

static _Noreturn void refuse(const reader *p, size_t column, const char *hint, const char *message) {
    trap_raise_hint(p->r.arena->trap, TEMPER_SYNTAX, p->r.line, column, hint, "%s", message);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* To the next field of the line; false: the line is over. */
static bool skip(reader *p) {
    symbol_reader *r = &p->r;
    while (is_blank(symbol_look(r, 0))) symbol_advance(r, 1);
    char c = symbol_look(r, 0), d = symbol_look(r, 1);
    if ((c == '-' && d == '-') || (c == '/' && d == '/'))
        while (symbol_look(r, 0) && symbol_look(r, 0) != '\n') symbol_advance(r, 1);
    c = symbol_look(r, 0);
    return c && c != '\n' && c != ';' && !(c == '}' && p->braces);
}

static bool ends_field(char c) { return !c || is_blank(c) || c == '\n' || c == ';'; }

/* The bytes of a name. */
static size_t name_size(const reader *p) {
    size_t size = 0;
    for (char c; !ends_field(c = symbol_look(&p->r, size)) && c != '{' && c != '}'; size++) continue;
    return size;
}

static bool is_word(const reader *p, const char *word) {
    return name_size(p) == strlen(word) && !memcmp(p->r.bytes + p->r.at, word, strlen(word));
}

static void end_line(reader *p) {
    if (!skip(p)) return;
    trap_raise_hint(p->r.arena->trap, TEMPER_SYNTAX, p->r.line, p->r.column,
                    "a line is 'start q0', 'accept q1 q2' or 'q0 a q1', a state, a letter, a state",
                    "expected the end of the line, found '%s'",
                    text_escaped(p->r.arena, p->r.bytes + p->r.at, name_size(p) ? name_size(p) : 1, 40));
}

static uint32_t read_state(reader *p, bool in_move, const char *expected) {
    static const char *const words[] = {"start", "accept", "alphabet", "tokens"};
    if (!skip(p)) refuse(p, p->r.column, "a move is written 'q0 a q1': a state, a letter, a state", expected);
    size_t size = name_size(p), column = p->r.column;
    if (!size) refuse(p, column, "a state is a word such as q0", "expected the name of a state");
    for (size_t k = 0; k < 4; k++)
        if (is_word(p, words[k]))
            refuse(p, column, "choose another name", "a state cannot be called start, accept, alphabet or tokens");
    arena *a = p->r.arena;
    dfa_table *t = p->t;
    char *name = arena_copy(a, p->r.bytes + p->r.at, size);
    bool fresh;
    uint32_t state = *table_put(&p->index, name, size, (uint32_t)t->state_count, &fresh);
    if (fresh) {
        if (t->state_count == TABLE_STATES)
            trap_raise(a->trap, TEMPER_LIMIT, p->r.line, column, "the automaton has more than %d states",
                       TABLE_STATES);
        array_push(a, t->names, t->state_count, t->state_capacity, name);
        array_push(a, t->accepts, t->accept_count, t->accept_capacity, 0);
        array_push(a, p->occurs, p->occurs_count, p->occurs_capacity, 0);
    }
    p->occurs[state] |= in_move;
    symbol_advance(&p->r, size);
    return state;
}

/* A label: a set of a regular expression, or with tokens a bare word. */
static symbol_set read_label(reader *p) {
    symbol_reader *r = &p->r;
    if (!skip(p))
        refuse(p, r->column, "a move is written 'q0 a q1': a state, a letter, a state", "expected a letter");
    char c = symbol_look(r, 0);
    size_t column = r->column;
    if (c == '}' || c == '{') refuse(p, column, "the letters are written '\\{' and '\\}'", "unexpected brace");
    symbol_set set = {0};
    if (r->tokens && c != '<' && c != '[' && !(c == '.' && ends_field(symbol_look(r, 1)))) {
        size_t size = name_size(p);
        symbol_item item = {.use = SYMBOL_LETTER,
                            .word = arena_copy(r->arena, r->bytes + r->at, size),
                            .word_length = size,
                            .line = r->line,
                            .column = column};
        array_push(r->arena, set.items, set.count, set.capacity, item);
        symbol_advance(r, size);
    } else {
        set = symbol_read(r);
    }
    if (!ends_field(symbol_look(r, 0)) && symbol_look(r, 0) != '}')
        refuse(p, column, "several letters that lead to the same state are a class: [abc]",
               "a label is one letter or one class");
    return set;
}

static void read_alphabet(reader *p, size_t column) {
    symbol_set *all = &p->t->alphabet;
    while (skip(p)) {
        size_t at = p->r.column;
        symbol_set set = read_label(p);
        if (set.negated)
            refuse(p, at, "name the letters: alphabet a b [0-9]", "an alphabet cannot be 'all but' some");
        for (size_t k = 0; k < set.count; k++)
            array_push(p->r.arena, all->items, all->count, all->capacity, set.items[k]);
    }
    if (!all->count) refuse(p, column, "write them after it: alphabet a b c", "the alphabet has no letters");
}

static void read_tokens(reader *p, size_t column) {
    if (p->has_tokens) refuse(p, column, "", "a second line 'tokens'");
    if (p->t->move_count || p->t->alphabet.count)
        refuse(p, column, "move it to the top", "the line 'tokens' stands before the letters");
    if (!skip(p) || (!is_word(p, "yes") && !is_word(p, "no")))
        refuse(p, p->r.column, "", "expected 'yes' or 'no' after 'tokens'");
    p->has_tokens = true;
    p->t->tokens = p->r.tokens = is_word(p, "yes");
    symbol_advance(&p->r, name_size(p));
}

static void read_line(reader *p) {
    size_t column = p->r.column, line = p->r.line;
    if (is_word(p, "start")) {
        symbol_advance(&p->r, strlen("start"));
        if (p->has_start) refuse(p, column, "an automaton begins in one state", "a second line 'start'");
        p->has_start = true;
        p->t->start = read_state(p, false, "expected a state after 'start'");
    } else if (is_word(p, "accept")) {
        symbol_advance(&p->r, strlen("accept"));
        while (skip(p)) {
            uint32_t state = read_state(p, false, ""); /* it may move the array */
            p->t->accepts[state] = 1;
        }
    } else if (is_word(p, "alphabet")) {
        symbol_advance(&p->r, strlen("alphabet"));
        read_alphabet(p, column);
    } else if (is_word(p, "tokens")) {
        symbol_advance(&p->r, strlen("tokens"));
        read_tokens(p, column);
    } else {
        table_move m = {.line = line, .column = column};
        m.from = read_state(p, true, "");
        m.letters = read_label(p);
        m.to = read_state(p, true, "expected the state that the move leads to");
        array_push(p->r.arena, p->t->moves, p->t->move_count, p->t->move_capacity, m);
    }
    end_line(p);
}

/* Every line, up to the end or the closing brace. */
static void read_lines(reader *p) {
    for (;;) {
        if (skip(p)) {
            read_line(p);
            continue;
        }
        char c = symbol_look(&p->r, 0);
        if (c == '\n') {
            p->r.at++;
            p->r.line++;
            p->r.column = 1;
        } else if (c == ';') {
            symbol_advance(&p->r, 1);
        } else {
            return;
        }
    }
}

static void check_states(reader *p, size_t line, size_t column) {
    dfa_table *t = p->t;
    if (!p->has_start)
        trap_raise_hint(p->r.arena->trap, TEMPER_SYNTAX, line, column, "write 'start q0'",
                        "the automaton has no line 'start'");
    for (size_t k = 0; k < t->state_count; k++)
        if (!p->occurs[k] && k != t->start)
            trap_raise_hint(p->r.arena->trap, TEMPER_SYNTAX, line, column, "is the name spelled right?",
                            "no move leaves or enters the state '%s'",
                            text_escaped(p->r.arena, t->names[k], strlen(t->names[k]), 40));
}

static void check_text(const reader *p) {
    size_t line = p->r.line, column = p->r.column;
    for (size_t k = 0; k < p->r.length; column++) {
        uint32_t code;
        size_t size = utf8_decode(&code, p->r.bytes + k, p->r.length - k);
        if (!size)
            trap_raise_hint(p->r.arena->trap, TEMPER_SYNTAX, line, column, "save the text as UTF-8",
                            "byte 0x%02X is not valid UTF-8", (unsigned char)p->r.bytes[k]);
        bool ends_line = code == '\r' && k + 1 < p->r.length && p->r.bytes[k + 1] == '\n';
        if ((code < 0x20 && code != '\n' && code != '\t' && !ends_line) || code == 0x7F)
            trap_raise(p->r.arena->trap, TEMPER_SYNTAX, line, column, "control byte 0x%02X in the text",
                       (unsigned)code);
        if (code == '\n') line++, column = 0;
        k += size;
    }
}

dfa_table *dfa_table_parse(arena *a, const char *bytes, size_t length, bool braces, bool tokens, size_t line,
                           size_t column, size_t *used) {
    reader p = {
        .braces = braces,
        .r = {.arena = a, .bytes = bytes, .length = length, .line = line, .column = column, .tokens = tokens}};
    check_text(&p);
    if (!braces && jflap_is(bytes, length)) {
        text written;
        text_init(&written, a);
        jflap_to_table(&written, bytes, length);
        p.r.bytes = text_string(&written);
        p.r.length = written.length;
    }
    p.t = arena_zalloc(a, 1, sizeof *p.t);
    p.t->tokens = tokens;
    table_init(&p.index, a);
    if (braces) symbol_advance(&p.r, 1);
    read_lines(&p);
    if (braces && !symbol_look(&p.r, 0))
        trap_raise_hint(a->trap, TEMPER_SYNTAX, line, column, "a table stands in braces: dfa { start q0; ... }",
                        "this '{' is never closed");
    if (braces) symbol_advance(&p.r, 1);
    check_states(&p, line, column);
    if (used) *used = p.r.at;
    return p.t;
}

/* ---- the automaton --------------------------------------------------------------------------------------------- */

static void check_alphabet(arena *a, const dfa_table *t) {
    if (!t->alphabet.count) return;
    for (size_t k = 0; k < t->move_count; k++)
        for (size_t i = 0; i < t->moves[k].letters.count; i++) {
            const symbol_item *x = &t->moves[k].letters.items[i];
            bool found = x->use != SYMBOL_LETTER;
            for (size_t j = 0; !found && j < t->alphabet.count; j++) {
                const symbol_item *y = &t->alphabet.items[j];
                found = x->word ? y->word && !strcmp(x->word, y->word) : y->low <= x->low && x->high <= y->high;
            }
            if (!found)
                trap_raise_hint(a->trap, TEMPER_RANGE, x->line, x->column, "add it to the line 'alphabet'",
                                "a letter of this move is not in the alphabet");
        }
}

dfa *dfa_from_table(arena *a, const dfa_table *t, const alphabet *letters, arena *scratch) {
    uint32_t n = (uint32_t)letters->count, states = (uint32_t)t->state_count + 1, classes = n > 0;
    check_alphabet(scratch, t);
    if (t->move_count * (size_t)n > (size_t)1 << 28)
        trap_raise(scratch->trap, TEMPER_LIMIT, 0, 0, "the automaton has too many moves for %u letters", n);
    unsigned char *member = arena_alloc(scratch, t->move_count * (size_t)n, 1);
    uint32_t *class_of = arena_zalloc(scratch, n, sizeof *class_of), *wide = arena_alloc(scratch, n, sizeof *wide);
    for (size_t k = 0; k < t->move_count; k++) {
        symbol_members(member + k * n, &t->moves[k].letters, letters);
        for (uint32_t i = 0; i < n; i++) wide[i] = member[k * n + i];
        class_of = classes_join(&classes, class_of, wide, n, scratch);
    }
    if ((size_t)states * classes > TABLE_CELLS)
        trap_raise(scratch->trap, TEMPER_LIMIT, 0, 0, "the automaton has %u states and %u classes of letters", states,
                   classes);
    dfa *d = dfa_new(scratch, states, classes, n);
    size_t *by = arena_zalloc(scratch, (size_t)states * classes, sizeof *by); /* the move + 1 that filled a cell */
    d->start = t->start;
    memcpy(d->accepts, t->accepts, t->state_count);
    if (n) memcpy(d->class_of, class_of, n * sizeof *class_of);
    for (size_t k = 0; k < (size_t)states * classes; k++) d->next[k] = states - 1;
    for (size_t k = 0; k < t->move_count; k++) {
        const table_move *m = &t->moves[k];
        for (uint32_t i = 0; i < n; i++) {
            if (!member[k * n + i]) continue;
            size_t cell = (size_t)m->from * classes + class_of[i];
            if (by[cell] && d->next[cell] != m->to)
                trap_raise_hint(scratch->trap, TEMPER_SYNTAX, m->line, m->column,
                                "a deterministic automaton has one move for each letter",
                                "by '%s' the state '%s' moves elsewhere on line %zu",
                                text_escaped(scratch, letters->letters[i], strlen(letters->letters[i]), 40),
                                text_escaped(scratch, t->names[m->from], strlen(t->names[m->from]), 40),
                                t->moves[by[cell] - 1].line);
            d->next[cell] = m->to;
            by[cell] = k + 1;
        }
    }
    return dfa_copy(a, dfa_minimise(scratch, d));
}
