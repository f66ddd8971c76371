#include "audit/audit_sheet.h"

#include <string.h>

#include "base/ascii.h"
#include "number/sheet_text.h"

/* ---- the lines ---- */

static const char *skip_blanks(const char *at) {
    while (*at == ' ') at++;
    return at;
}

static bool is_name(char c) { return ascii_is_name(c) || c == '_'; }

static size_t name_length(const char *at) {
    size_t n = 0;
    if (!ascii_is_digit(*at))
        while (is_name(at[n])) n++;
    return n;
}

/* `flag NAME`, `natural NAME`, `integer NAME` and `real NAME` state what is given; other lines go on behind the name
   with '=', ':' or parameters. */
static void read_line(stated_line *line, const char *at) {
    const char *second = skip_blanks(at + name_length(at));
    line->is_flag = strncmp(at, "flag ", 5) == 0;
    line->name = name_length(second) ? second : at;
    line->length = name_length(line->name);
    if (line->name == second) return;
    at = second;
    for (size_t k = 0; k < 2 && (*at == '(' || *at == ','); k++) {
        line->parameter[k] = skip_blanks(at + 1);
        at = skip_blanks(line->parameter[k] + name_length(line->parameter[k]));
    }
    if (*at == ')') at = skip_blanks(at + 1);
    line->body = at;
}

void audit_sheet_read(audit_sheet *s, calculus *c) {
    *s = (audit_sheet){.c = c};
    for (const char *at = (const char *)sheet_files[0].bytes; at && *at;) {
        if (name_length(at) && s->count < SHEET_LINES) read_line(&s->line[s->count++], at);
        at = strchr(at, '\n');
        if (at) at++;
    }
}

void audit_sheet_begin(audit_sheet *s) {
    memset(s->value, 0, sizeof s->value);
    memset(s->whole, 0, sizeof s->whole);
}

/* SHEET_LINES: there is none. */
static size_t find(const audit_sheet *s, const char *name, size_t length) {
    for (size_t k = 0; k < s->count; k++)
        if (s->line[k].length == length && memcmp(s->line[k].name, name, length) == 0) return k;
    return SHEET_LINES;
}

void audit_sheet_give(audit_sheet *s, const char *name, const ball *value) {
    size_t k = find(s, name, strlen(name));
    if (k < s->count) s->value[k] = value;
}

void audit_sheet_whole(audit_sheet *s, const char *name, int64_t value) {
    size_t k = find(s, name, strlen(name));
    if (k < s->count) s->whole[k] = value;
}

/* ---- what a line says ---- */

typedef struct walk {
    audit_sheet *s;
    const stated_line *line;
    const char *at;
    const ball *given[2]; /* for the parameters */
    bool idle;            /* the other side of a choice: read, not computed */
} walk;

static const ball *sum(walk *w);
static const ball *line_value(audit_sheet *s, size_t line, const ball *first, const ball *second);

/* No bound. */
static const ball *unknown(const audit_sheet *s) { return over(s->c, num(s->c, 1), num(s->c, 0)); }

static bool next_is(walk *w, const char *sign) {
    w->at = skip_blanks(w->at);
    size_t n = strlen(sign);
    if (strncmp(w->at, sign, n) != 0) return false;
    if (is_name(sign[0]) && is_name(w->at[n])) return false;
    w->at += n;
    return true;
}

/* A flag, perhaps behind "not". False: something else stands here, and nothing was read. */
static bool read_flag(walk *w, bool *holds) {
    const char *back = w->at;
    bool turned = next_is(w, "not");
    w->at = skip_blanks(w->at);
    size_t n = name_length(w->at), k = find(w->s, w->at, n);
    bool found = k < w->s->count && w->s->line[k].is_flag;
    if (found) *holds = (w->s->whole[k] != 0) != turned;
    w->at = found ? w->at + n : back;
    return found;
}

static int64_t read_digits(walk *w) {
    int64_t x = 0;
    for (; ascii_is_digit(*w->at); w->at++) x = 10 * x + (*w->at - '0');
    return x;
}

/* Exponents are numbers, names, and sums and products of these in parentheses. */
static int64_t whole_factor(walk *w) {
    w->at = skip_blanks(w->at);
    if (ascii_is_digit(*w->at)) return read_digits(w);
    size_t n = name_length(w->at), k = find(w->s, w->at, n);
    w->at += n;
    return k < w->s->count ? w->s->whole[k] : 0;
}

static int64_t whole_product(walk *w) {
    int64_t x = whole_factor(w);
    while (next_is(w, "*")) x *= whole_factor(w);
    return x;
}

static int64_t exponent(walk *w) {
    if (!next_is(w, "(")) return whole_factor(w);
    int64_t x = whole_product(w);
    for (;;) {
        if (next_is(w, "+"))
            x += whole_product(w);
        else if (next_is(w, "-"))
            x -= whole_product(w);
        else
            break;
    }
    next_is(w, ")");
    return x;
}

static bool word_is(const char *word, size_t length, const char *name) {
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static const ball *negative(calculus *c, const ball *x) { return sub(c, num(c, 0), x); }

static const ball *function(walk *w, const char *name, size_t length, const ball *x, const ball *y) {
    calculus *c = w->s->c;
    if (word_is(name, length, "exp")) return expo(c, x);
    if (word_is(name, length, "ln")) return logarithm(c, x);
    if (word_is(name, length, "max") && y) return larger(c, x, y);
    if (word_is(name, length, "min") && y) return negative(c, larger(c, negative(c, x), negative(c, y)));
    return line_value(w->s, find(w->s, name, length), x, y);
}

static const ball *name_value(walk *w, const char *name, size_t length) {
    for (size_t k = 0; k < 2; k++) {
        const char *parameter = w->line->parameter[k];
        if (parameter && name_length(parameter) == length && memcmp(parameter, name, length) == 0)
            return w->given[k] ? w->given[k] : unknown(w->s);
    }
    size_t k = find(w->s, name, length);
    if (k >= w->s->count) return unknown(w->s);
    if (!w->s->value[k]) w->s->value[k] = line_value(w->s, k, NULL, NULL);
    return w->s->value[k];
}

static const ball *choice(walk *w) {
    bool holds, idle = w->idle;
    if (!read_flag(w, &holds)) return sum(w);
    next_is(w, "?");
    w->idle = idle || !holds;
    const ball *yes = choice(w);
    next_is(w, ":");
    w->idle = idle || holds;
    const ball *no = choice(w);
    w->idle = idle;
    return holds ? yes : no;
}

static const ball *primary(walk *w) {
    calculus *c = w->s->c;
    w->at = skip_blanks(w->at);
    if (ascii_is_digit(*w->at)) return num(c, (double)read_digits(w));
    if (next_is(w, "(")) {
        const ball *inner = choice(w);
        next_is(w, ")");
        return inner;
    }
    const char *name = w->at;
    size_t length = name_length(name);
    w->at += length;
    if (!next_is(w, "(")) return w->idle ? num(c, 0) : name_value(w, name, length);
    const ball *x = choice(w), *y = next_is(w, ",") ? choice(w) : NULL;
    next_is(w, ")");
    return w->idle ? num(c, 0) : function(w, name, length, x, y);
}

static const ball *raised(walk *w) {
    const char *from = skip_blanks(w->at);
    const ball *base = primary(w);
    bool is_two = w->at == from + 1 && *from == '2';
    if (!next_is(w, "^")) return base;
    int64_t k = exponent(w);
    if (w->idle) return base;
    if (is_two) return two_to(w->s->c, (long)k);
    return k >= 0 ? power(w->s->c, base, (uint64_t)k) : unknown(w->s);
}

static const ball *product(walk *w) {
    calculus *c = w->s->c;
    const ball *x = next_is(w, "-") ? negative(c, raised(w)) : raised(w);
    for (;;) {
        if (next_is(w, "*"))
            x = mul(c, x, raised(w));
        else if (next_is(w, "/"))
            x = over(c, x, raised(w));
        else
            return x;
    }
}

static const ball *sum(walk *w) {
    calculus *c = w->s->c;
    const ball *x = product(w);
    for (;;) {
        if (next_is(w, "+"))
            x = add(c, x, product(w));
        else if (next_is(w, "-"))
            x = sub(c, x, product(w));
        else
            return x;
    }
}

/* ---- what is asked ---- */

static bool at_end(const walk *w) { return *skip_blanks(w->at) == '\n'; }

static bool begin(walk *w, audit_sheet *s, size_t line, const char *sign, const ball *first, const ball *second) {
    if (line >= s->count || !s->line[line].body) return false;
    *w = (walk){.s = s, .line = &s->line[line], .at = s->line[line].body, .given = {first, second}};
    return next_is(w, sign);
}

static const ball *line_value(audit_sheet *s, size_t line, const ball *first, const ball *second) {
    walk w;
    if (line < s->count && !s->line[line].body) /* what is no real number is a whole one */
        return s->value[line] ? s->value[line] : num(s->c, (double)s->whole[line]);
    if (!begin(&w, s, line, "=", first, second)) return unknown(s);
    const ball *x = choice(&w);
    return at_end(&w) ? x : unknown(s);
}

const ball *audit_sheet_value(audit_sheet *s, const char *name, const ball *first, const ball *second) {
    size_t line = find(s, name, strlen(name));
    if (line < s->count && s->value[line]) return s->value[line];
    const ball *x = line_value(s, line, first, second);
    if (line < s->count && !first) s->value[line] = x;
    return x;
}

bool audit_sheet_holds(audit_sheet *s, const char *name, const ball *first, const ball *second) {
    walk w;
    bool holds;
    if (!begin(&w, s, find(s, name, strlen(name)), ":", first, second)) return false;
    while (read_flag(&w, &holds)) {
        if (!holds) return true;
        if (!next_is(&w, "and") && !next_is(&w, "=>")) return false;
    }
    const ball *left = sum(&w);
    bool equal = next_is(&w, "<=");
    if (!equal && !next_is(&w, "<")) return false;
    const ball *right = choice(&w);
    if (!at_end(&w)) return false;
    return equal ? ball_is_at_most(left, right) : ball_is_less(left, right);
}
