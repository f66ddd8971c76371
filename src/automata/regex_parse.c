/* Text to a tree of a regular expression. Nesting has no limit, so there is no recursion: open groups wait on a
   stack, and finished parts on another.

       regex  = "(?&)"? or                      the prefix switches "&" and "~" on
       or     = and ("|" and)*
       and    = join ("&" join)*
       join   = ("~"* repeat | FLAGS | COMMENT)*         "~" takes all of "x*" behind it
       repeat = atom (("*" | "+" | "?" | "{" M "}" | "{" M "," "}" | "{" M "," N "}" | "{" "," N "}") "?"?)?
       atom   = OPENING or ")" | SET | ASSERTION | "\Q" CHARACTER* "\E"

   regex_opening.c has openings and flags, regex_assert.c assertions, symbols.c sets. */
#include "automata/regex_reader.h"

#include <string.h>

static _Noreturn void refuse(const regex_reader *p, size_t column, const char *hint, const char *message) {
    trap_raise_hint(p->r.arena->trap, TEMPER_SYNTAX, p->r.line, column, hint, "%s", message);
}

static regex_group *inner(regex_reader *p) { return &p->groups[p->group_count - 1]; }

static void push_value(regex_reader *p, uint32_t node) {
    array_push(p->r.arena, p->values, p->value_count, p->value_capacity, node);
}

static uint32_t make_node(regex_reader *p, regex_node n) {
    regex *out = p->out;
    if (out->count >= UINT32_MAX || out->kid_count >= UINT32_MAX)
        trap_raise(p->r.arena->trap, TEMPER_LIMIT, p->r.line, p->r.column, "the expression has more than 2^32 parts");
    array_push(p->r.arena, out->nodes, out->count, out->capacity, n);
    return (uint32_t)(out->count - 1);
}

void regex_push_set(regex_reader *p, symbol_set set) {
    regex *out = p->out;
    regex_node n = {.op = REGEX_SET, .set = (uint32_t)out->set_count};
    array_push(p->r.arena, out->sets, out->set_count, out->set_capacity, set);
    push_value(p, make_node(p, n));
}

void regex_reduce(regex_reader *p, size_t start, regex_op op) {
    size_t count = p->value_count - start;
    if (count == 1) return;
    regex *out = p->out;
    regex_node n = {
        .op = count ? op : REGEX_EMPTY, .kid_start = (uint32_t)out->kid_count, .kid_count = (uint32_t)count};
    for (size_t k = start; k < p->value_count; k++)
        array_push(p->r.arena, out->kids, out->kid_count, out->kid_capacity, p->values[k]);
    p->value_count = start;
    push_value(p, make_node(p, n));
}

void regex_wrap(regex_reader *p, regex_node n) {
    regex *out = p->out;
    n.kid_start = (uint32_t)out->kid_count;
    n.kid_count = 1;
    array_push(p->r.arena, out->kids, out->kid_count, out->kid_capacity, p->values[p->value_count - 1]);
    p->values[p->value_count - 1] = make_node(p, n);
}

void regex_set_flags(regex_reader *p, regex_flags flags) {
    p->flags = flags;
    p->r.fold = flags.fold;
    p->r.ascii = flags.ascii;
    p->r.apart = flags.apart;
    p->r.crlf = flags.crlf;
    p->r.unicode = flags.unicode;
    p->r.plain = flags.plain;
    p->r.dot_all = flags.dot_all;
    p->r.class_blanks = flags.class_blanks;
}

static void open_group(regex_reader *p, regex_group g) {
    g.or_start = g.and_start = g.join_start = p->value_count;
    array_push(p->r.arena, p->groups, p->group_count, p->group_capacity, g);
}

static void end_join(regex_reader *p) {
    regex_group *g = inner(p);
    if (g->nots)
        refuse(p, p->r.column, "'~' stands before what must not match: ~(ab); all but the empty string is ~()",
               "expected something after '~'");
    regex_reduce(p, g->join_start, REGEX_JOIN);
    g->join_start = p->value_count;
}

static void end_and(regex_reader *p) {
    regex_group *g = inner(p);
    end_join(p);
    regex_reduce(p, g->and_start, REGEX_AND);
    g->and_start = g->join_start = p->value_count;
}

static void end_group(regex_reader *p) {
    end_and(p);
    regex_reduce(p, inner(p)->or_start, REGEX_OR);
    p->group_count--;
}

/* ---- what means nothing ---------------------------------------------------------------------------------------- */

/* The bytes of a blank of (?x): U+0085, U+200E, U+200F, U+2028 and U+2029 are some, too; 0: there is none. */
static size_t blank_size(const regex_reader *p) {
    static const char *const wide[] = {"\xC2\x85", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xA8", "\xE2\x80\xA9"};
    char c = symbol_look(&p->r, 0);
    if (c && strchr(" \t\n\r", c)) return 1;
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
        if (regex_has(p, wide[k])) return strlen(wide[k]);
    return 0;
}

/* One piece of it: blanks and comments of (?x), (?#...), \E, \Q\E. */
static bool skip_one(regex_reader *p) {
    char c = symbol_look(&p->r, 0);
    size_t blank = p->flags.spaced ? blank_size(p) : 0;
    if (blank) {
        symbol_advance(&p->r, blank);
        if (c == '\n') p->r.line++, p->r.column = 1;
        return true;
    }
    if (p->flags.spaced && c == '#') {
        while ((c = symbol_look(&p->r, 0)) != 0 && c != '\n') symbol_advance(&p->r, 1);
        return true;
    }
    if (regex_has(p, "(?#")) return !regex_read_opening(p, &(regex_group){0});
    if (p->r.tokens) return false;
    bool at_end = p->r.length - p->r.at == 2;
    size_t size = regex_has(p, "\\E") || (at_end && regex_has(p, "\\Q")) ? 2 : regex_has(p, "\\Q\\E") ? 4 : 0;
    symbol_advance(&p->r, size);
    return size > 0;
}

static void skip(regex_reader *p) {
    while (skip_one(p)) continue;
}

/* ---- repetitions ----------------------------------------------------------------------------------------------- */

/* Digits; false: there are none. */
static bool read_count(const regex_reader *p, size_t *ahead, uint32_t *count) {
    size_t start = *ahead;
    *count = 0;
    for (char c; (c = symbol_look(&p->r, *ahead)) >= '0' && c <= '9'; ++*ahead)
        if (*count <= REGEX_REPEAT_LIMIT) *count = *count * 10 + (uint32_t)(c - '0');
    return *ahead > start;
}

/* "{m}", "{m,}", "{m,n}", "{,n}": the bytes of it; 0: it is none, and "{" is a letter. */
static size_t read_braces(const regex_reader *p, regex_node *n) {
    size_t ahead = 1;
    bool low = read_count(p, &ahead, &n->least), high = low;
    n->most = n->least;
    if (symbol_look(&p->r, ahead) == ',') {
        ahead++;
        high = read_count(p, &ahead, &n->most);
        if (!high) n->most = REGEX_FOREVER;
    }
    if ((!low && !high) || symbol_look(&p->r, ahead) != '}') return 0;
    if (n->least > REGEX_REPEAT_LIMIT || (n->most > REGEX_REPEAT_LIMIT && n->most != REGEX_FOREVER))
        trap_raise(p->r.arena->trap, TEMPER_LIMIT, p->r.line, p->r.column, "more than %d repetitions",
                   REGEX_REPEAT_LIMIT);
    if (n->least > n->most)
        refuse(p, p->r.column, "swap the two numbers", "the least number of repetitions is larger than the most");
    return ahead + 1;
}

/* A repetition here: its bytes, or 0. */
static size_t read_repeat(const regex_reader *p, regex_node *n) {
    *n = (regex_node){.op = REGEX_REPEAT, .most = REGEX_FOREVER};
    switch (symbol_look(&p->r, 0)) {
    case '*': return 1;
    case '+': n->least = 1; return 1;
    case '?': n->most = 1; return 1;
    case '{': return read_braces(p, n);
    default: return 0;
    }
}

/* The "~" that waited for an atom. */
static void end_atom(regex_reader *p) {
    for (regex_group *g = inner(p); g->nots; g->nots--) regex_wrap(p, (regex_node){.op = REGEX_NOT});
}

/* After an atom: its repetition, then the "~" that waited for both. */
static void finish_atom(regex_reader *p) {
    regex_node n;
    skip(p);
    size_t size = read_repeat(p, &n);
    if (size) {
        symbol_advance(&p->r, size);
        if (symbol_look(&p->r, 0) == '?') symbol_advance(&p->r, 1); /* lazy: the same strings match */
        if (symbol_look(&p->r, 0) == '+')
            trap_raise_hint(p->r.arena->trap, TEMPER_UNSUPPORTED, p->r.line, p->r.column,
                            "without the second sign the language is larger; for 'repeated twice' use parentheses",
                            "a possessive repetition is not supported");
        regex_wrap(p, n);
        skip(p);
        if (read_repeat(p, &n))
            refuse(p, p->r.column, "put parentheses around the first: (x*)*", "two repetitions follow each other");
    }
    end_atom(p);
}

/* ---- the text -------------------------------------------------------------------------------------------------- */

static void read_open(regex_reader *p) {
    regex_group g = {.line = p->r.line, .column = p->r.column, .outer = p->flags};
    if (regex_read_opening(p, &g)) open_group(p, g);
}

static void read_close(regex_reader *p) {
    if (p->group_count == 1) refuse(p, p->r.column, "the letter ')' is '\\)'", "this ')' closes nothing");
    const regex_group g = *inner(p);
    end_group(p);
    symbol_advance(&p->r, 1);
    regex_set_flags(p, g.outer);
    if (g.is_look) regex_wrap(p, g.look);
    finish_atom(p);
}

/* "^" and "$" at the ends of the text or of its alternatives say nothing: the whole string must match. */
static void read_anchor(regex_reader *p, bool is_start) {
    regex_group *g = inner(p);
    regex_node n;
    symbol_advance(&p->r, 1);
    char after = symbol_look(&p->r, 0);
    bool begins = p->value_count == g->join_start && !read_repeat(p, &n);
    bool ends = !after || after == '|' || (after == '&' && p->extended);
    if (p->group_count == 1 && !g->nots && !p->flags.lines && (is_start ? begins : ends)) return;
    (is_start ? regex_push_start : regex_push_end)(p);
    finish_atom(p);
}

/* \Q...\E: letters, of which a repetition takes the last. */
static void read_quotation(regex_reader *p) {
    symbol_advance(&p->r, 2);
    for (bool more = true; more;) {
        regex_push_set(p, symbol_read_literal(&p->r));
        more = symbol_look(&p->r, 0) && !regex_has(p, "\\E");
        if (more)
            end_atom(p);
        else
            finish_atom(p);
    }
}

static void read_atom(regex_reader *p) {
    if (!p->r.tokens && regex_has(p, "\\Q")) {
        read_quotation(p);
        return;
    }
    regex_node n;
    bool not_newline = regex_has(p, "\\N{") && !symbol_is_numbered(&p->r);
    if (!regex_read_assertion(p)) regex_push_set(p, symbol_read(&p->r));
    if (not_newline && !read_repeat(p, &n))
        refuse(p, p->r.column, "write \\N{U+41}, \\u{41}", "a character by its name behind '\\N' is not known");
    finish_atom(p);
}

static void read_one(regex_reader *p, char c) {
    static const char nothing[] = "the letter itself is written with a backslash before it";
    regex_node n;
    switch (c) {
    case '(': read_open(p); break;
    case ')': read_close(p); break;
    case '|':
        end_and(p);
        symbol_advance(&p->r, 1);
        break;
    case '^':
    case '$': read_anchor(p, c == '^'); break;
    case '*':
    case '+':
    case '?':
    case '{':
        if (read_repeat(p, &n)) refuse(p, p->r.column, nothing, "a repetition of nothing");
        read_atom(p);
        break;
    case '&':
    case '~':
        if (!p->extended && p->r.tokens)
            refuse(p, p->r.column, "write the prefix (?&) before the whole expression",
                   "'&' and '~' must be switched on");
        if (p->extended && c == '&') end_join(p);
        if (p->extended && c == '~') inner(p)->nots++;
        if (p->extended)
            symbol_advance(&p->r, 1);
        else
            read_atom(p);
        break;
    case ' ':
        if (p->r.tokens)
            symbol_advance(&p->r, 1);
        else
            read_atom(p);
        break;
    default: read_atom(p);
    }
}

/* One level deep: texts of ours have no escape that is itself a text. */
void regex_push_text(regex_reader *p, const char *bytes) {
    const symbol_reader outside = p->r;
    const regex_flags flags = p->flags;
    p->r.bytes = bytes;
    p->r.length = strlen(bytes);
    p->r.at = 0;
    regex_set_flags(p, (regex_flags){0});
    open_group(p, (regex_group){0});
    while (symbol_look(&p->r, 0)) read_one(p, symbol_look(&p->r, 0));
    end_group(p);
    p->r = outside;
    p->flags = flags;
}

regex *regex_parse(arena *a, const char *bytes, size_t length, bool tokens, size_t line, size_t column) {
    regex_reader p = {
        .r = {.arena = a, .bytes = bytes, .length = length, .line = line, .column = column, .tokens = tokens}};
    p.out = arena_zalloc(a, 1, sizeof *p.out);
    p.out->line = line;
    p.out->column = column;
    symbol_check_text(&p.r, "the expression");
    if (!length) refuse(&p, column, "the empty string alone is ()", "the expression is empty");
    if (regex_has(&p, "(?&)")) {
        p.extended = true;
        symbol_advance(&p.r, 4);
    }
    open_group(&p, (regex_group){.line = line, .column = column});
    for (skip(&p); symbol_look(&p.r, 0); skip(&p)) read_one(&p, symbol_look(&p.r, 0));
    if (p.group_count > 1)
        trap_raise_hint(a->trap, TEMPER_SYNTAX, inner(&p)->line, inner(&p)->column, "the letter '(' is '\\('",
                        "this '(' is never closed");
    end_group(&p);
    return p.out;
}
