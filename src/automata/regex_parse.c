/* Text to a tree of a regular expression. Nesting has no limit, so there is no recursion: open groups wait on a
   stack, and finished parts on another.

       regex  = "(?&)"? or                      the prefix switches "&" and "~" on
       or     = and ("|" and)*
       and    = join ("&" join)*
       join   = ("~"* repeat)*                  "~" takes all of "x*" behind it
       repeat = atom (("*" | "+" | "?" | "{" M "}" | "{" M "," "}" | "{" M "," N "}" | "{" "," N "}") "?"?)?
       atom   = "(" or ")" | "(?:" or ")" | "(?P<name>" or ")" | "(?<name>" or ")" | SET
       "^" and "$" may stand at the two ends of each alternative outside of groups */
#include "automata/regex.h"

#include <string.h>

/* An open group, or the whole text. Its parts are values[or_start..]: finished alternatives, from and_start on
   finished sides of "&", from join_start on the parts of the present sequence. */
typedef struct group {
    size_t or_start, and_start, join_start;
    size_t nots; /* "~" that wait for the next atom */
    size_t column;
    bool ended; /* "$" came */
} group;

typedef struct parser {
    symbol_reader r;
    regex *out;
    bool extended;
    uint32_t *values;
    size_t value_count, value_capacity;
    group *groups;
    size_t group_count, group_capacity;
} parser;

static _Noreturn void refuse(const parser *p, size_t column, const char *hint, const char *message) {
    trap_raise_hint(p->r.arena->trap, TEMPER_SYNTAX, p->r.line, column, hint, "%s", message);
}

static group *inner(parser *p) { return &p->groups[p->group_count - 1]; }

static void push_value(parser *p, uint32_t node) {
    array_push(p->r.arena, p->values, p->value_count, p->value_capacity, node);
}

static uint32_t make_node(parser *p, regex_node n) {
    regex *out = p->out;
    if (out->count >= UINT32_MAX || out->kid_count >= UINT32_MAX)
        trap_raise(p->r.arena->trap, TEMPER_LIMIT, p->r.line, p->r.column, "the expression has more than 2^32 parts");
    array_push(p->r.arena, out->nodes, out->count, out->capacity, n);
    return (uint32_t)(out->count - 1);
}

/* values[start..] become one value. */
static void reduce(parser *p, size_t start, regex_op op) {
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

/* The value on top becomes the only kid of a new node. */
static void wrap(parser *p, regex_node n) {
    regex *out = p->out;
    n.kid_start = (uint32_t)out->kid_count;
    n.kid_count = 1;
    array_push(p->r.arena, out->kids, out->kid_count, out->kid_capacity, p->values[p->value_count - 1]);
    p->values[p->value_count - 1] = make_node(p, n);
}

static void open_group(parser *p, size_t column) {
    size_t at = p->value_count;
    group g = {.or_start = at, .and_start = at, .join_start = at, .column = column};
    array_push(p->r.arena, p->groups, p->group_count, p->group_capacity, g);
}

static void end_join(parser *p) {
    group *g = inner(p);
    if (g->nots)
        refuse(p, p->r.column, "'~' stands before what must not match: ~(ab); all but the empty string is ~()",
               "expected something after '~'");
    reduce(p, g->join_start, REGEX_JOIN);
    g->join_start = p->value_count;
    g->ended = false;
}

static void end_and(parser *p) {
    group *g = inner(p);
    end_join(p);
    reduce(p, g->and_start, REGEX_AND);
    g->and_start = g->join_start = p->value_count;
}

static void end_group(parser *p) {
    end_and(p);
    reduce(p, inner(p)->or_start, REGEX_OR);
    p->group_count--;
}

/* ---- repetitions ----------------------------------------------------------------------------------------------- */

/* Digits; false: there are none. */
static bool read_count(parser *p, size_t *ahead, uint32_t *count) {
    size_t start = *ahead;
    *count = 0;
    for (char c; (c = symbol_look(&p->r, *ahead)) >= '0' && c <= '9'; ++*ahead) {
        *count = *count * 10 + (uint32_t)(c - '0');
        if (*count > REGEX_REPEAT_LIMIT)
            trap_raise(p->r.arena->trap, TEMPER_LIMIT, p->r.line, p->r.column, "more than %d repetitions",
                       REGEX_REPEAT_LIMIT);
    }
    return *ahead > start;
}

/* "{m}", "{m,}", "{m,n}", "{,n}": the bytes of it. */
static size_t read_braces(parser *p, regex_node *n) {
    size_t ahead = 1;
    bool low = read_count(p, &ahead, &n->least), high = low;
    n->most = n->least;
    if (symbol_look(&p->r, ahead) == ',') {
        ahead++;
        high = read_count(p, &ahead, &n->most);
        if (!high) n->most = REGEX_FOREVER;
    }
    if ((!low && !high) || symbol_look(&p->r, ahead) != '}')
        refuse(p, p->r.column, "repetitions are x{3}, x{3,}, x{3,5} and x{,5}; the letter '{' is '\\{'",
               "'{' does not begin a repetition");
    if (n->least > n->most)
        refuse(p, p->r.column, "swap the two numbers", "the least number of repetitions is larger than the most");
    return ahead + 1;
}

/* A repetition here: its bytes, or 0. */
static size_t read_repeat(parser *p, regex_node *n) {
    *n = (regex_node){.op = REGEX_REPEAT, .most = REGEX_FOREVER};
    switch (symbol_look(&p->r, 0)) {
    case '*': return 1;
    case '+': n->least = 1; return 1;
    case '?': n->most = 1; return 1;
    case '{': return read_braces(p, n);
    default: return 0;
    }
}

/* After an atom: its repetition, then the "~" that waited for both. */
static void finish_atom(parser *p) {
    regex_node n;
    size_t size = read_repeat(p, &n);
    if (size) {
        symbol_advance(&p->r, size);
        if (symbol_look(&p->r, 0) == '?') symbol_advance(&p->r, 1); /* lazy: the same strings match */
        if (symbol_look(&p->r, 0) == '+')
            trap_raise_hint(p->r.arena->trap, TEMPER_UNSUPPORTED, p->r.line, p->r.column,
                            "without the second sign the language is larger; for 'repeated twice' use parentheses",
                            "a possessive repetition is not supported");
        wrap(p, n);
        if (read_repeat(p, &n))
            refuse(p, p->r.column, "put parentheses around the first: (x*)*", "two repetitions follow each other");
    }
    for (group *g = inner(p); g->nots; g->nots--) wrap(p, (regex_node){.op = REGEX_NOT});
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */

/* "(?P<name>" and "(?<name>": the bytes of it; 0: it is none. */
static size_t named_group(const parser *p) {
    size_t k = symbol_look(&p->r, 2) == 'P' ? 3 : 2, start = k + 1;
    if (symbol_look(&p->r, k) != '<') return 0;
    for (k++;; k++) {
        char c = symbol_look(&p->r, k);
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(c >= '0' && c <= '9' && k > start)) break;
    }
    return k > start && symbol_look(&p->r, k) == '>' ? k + 1 : 0;
}

/* What "(?" means in other tools and not here. */
static _Noreturn void refuse_group(const parser *p) {
    static const struct {
        const char *begins, *what, *hint;
    } known[] = {
        {"(?=", "look-ahead", "behind the prefix (?&) write (x.*)&y for 'y that begins with x'"},
        {"(?!", "negative look-ahead", "behind the prefix (?&) write ~(x.*)&y for 'y that does not begin with x'"},
        {"(?<=", "look-behind", "behind the prefix (?&) two languages are joined by '&'"},
        {"(?<!", "negative look-behind", "behind the prefix (?&) two languages are joined by '&', and '~' is not"},
        {"(?>", "an atomic group", "write (?:...) if the language may be the larger one"},
        {"(?|", "a branch reset", "write (?:...)"},
        {"(?P=", "a back reference", "no automaton can compare two parts of a string with each other"},
        {"(?P>", "a recursion", "no automaton can nest without limit"},
        {"(?R", "a recursion", "no automaton can nest without limit"},
        {"(?0", "a recursion", "no automaton can nest without limit"},
        {"(?1", "a recursion", "no automaton can nest without limit"},
        {"(?(", "a condition", "no automaton remembers which group has matched; write both cases out"},
        {"(?#", "a comment inside an expression", "leave it out"},
        {"(?&)", "the prefix for '&' and '~', but it does not stand at the beginning", "move it to the front"},
        {"(?&", "a recursion", "no automaton can nest without limit"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t size = strlen(known[k].begins);
        if (p->r.length - p->r.at >= size && !memcmp(p->r.bytes + p->r.at, known[k].begins, size))
            trap_raise_hint(p->r.arena->trap, TEMPER_UNSUPPORTED, p->r.line, p->r.column, known[k].hint,
                            "'%s' is %s%s", known[k].begins, known[k].what,
                            known[k].begins[2] == '&' && known[k].begins[3] ? "" : ", which is not supported");
    }
    trap_raise_hint(p->r.arena->trap, TEMPER_UNSUPPORTED, p->r.line, p->r.column,
                    "groups are (...), (?:...), (?P<name>...) and (?<name>...); write both cases of a letter: [aA]",
                    "'(?' begins flags or a group that is not supported");
}

static void read_open(parser *p) {
    size_t column = p->r.column, size = 1;
    if (symbol_look(&p->r, 1) == '?') {
        size = symbol_look(&p->r, 2) == ':' ? 3 : named_group(p);
        if (!size) refuse_group(p);
    }
    if (symbol_look(&p->r, 1) == '*')
        trap_raise_hint(p->r.arena->trap, TEMPER_UNSUPPORTED, p->r.line, column, "the letter '*' is '\\*'",
                        "'(*' begins a verb of another tool, or a repetition of nothing");
    symbol_advance(&p->r, size);
    open_group(p, column);
}

static void read_close(parser *p) {
    if (p->group_count == 1) refuse(p, p->r.column, "the letter ')' is '\\)'", "this ')' closes nothing");
    end_group(p);
    symbol_advance(&p->r, 1);
    finish_atom(p);
}

/* ---- the text -------------------------------------------------------------------------------------------------- */

static void read_anchor(parser *p, bool is_start) {
    group *g = inner(p);
    bool begins = p->value_count == g->join_start && !g->ended;
    char after = symbol_look(&p->r, 1);
    bool ends = !after || after == '|' || (after == '&' && p->extended);
    if (p->group_count > 1 || g->nots || !(is_start ? begins : ends))
        trap_raise_hint(p->r.arena->trap, TEMPER_UNSUPPORTED, p->r.line, p->r.column,
                        is_start ? "the whole string must match anyway, so leave it out; the letter is '\\^'"
                                 : "the whole string must match anyway, so leave it out; the letter is '\\$'",
                        "the anchor '%c' stands inside the expression; only its ends may have one",
                        is_start ? '^' : '$');
    g->ended |= !is_start;
    symbol_advance(&p->r, 1);
}

static void read_atom(parser *p) {
    regex *out = p->out;
    symbol_set set = symbol_read(&p->r);
    regex_node n = {.op = REGEX_SET, .set = (uint32_t)out->set_count};
    array_push(p->r.arena, out->sets, out->set_count, out->set_capacity, set);
    push_value(p, make_node(p, n));
    finish_atom(p);
}

static void read_all(parser *p) {
    static const char nothing[] = "the letter itself is written with a backslash before it";
    for (char c; (c = symbol_look(&p->r, 0)) != 0;) {
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
        case '{': refuse(p, p->r.column, nothing, "a repetition of nothing"); break;
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
}

regex *regex_parse(arena *a, const char *bytes, size_t length, bool tokens, size_t line, size_t column) {
    parser p = {
        .r = {.arena = a, .bytes = bytes, .length = length, .line = line, .column = column, .tokens = tokens}};
    p.out = arena_zalloc(a, 1, sizeof *p.out);
    p.out->line = line;
    p.out->column = column;
    symbol_check_text(&p.r, "the expression");
    if (!length) refuse(&p, column, "the empty string alone is ()", "the expression is empty");
    if (length >= 4 && !memcmp(bytes, "(?&)", 4)) {
        p.extended = true;
        symbol_advance(&p.r, 4);
    }
    open_group(&p, column);
    read_all(&p);
    if (p.group_count > 1) refuse(&p, inner(&p)->column, "the letter '(' is '\\('", "this '(' is never closed");
    end_group(&p);
    return p.out;
}
