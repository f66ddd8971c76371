/* Text to the parts of a regular expression, by two stacks: operands that are finished, and operators that wait for
   their right side. Nothing recurses, so nesting has no limit. */
#include "audit/audit_regex.h"

#include <string.h>

_Noreturn void audit_regex_refuse(const audit_regex_text *p, const char *why) {
    trap_raise(p->arena->trap, TEMPER_RANGE, 0, 0, "the language %s, at byte %zu: %s",
               text_escaped(p->arena, p->bytes, p->length, 60), p->at + 1, why);
}

bool audit_regex_has(const audit_regex_text *p, const char *characters) {
    size_t k = 0;
    while (characters[k] && audit_regex_look(p, k) == characters[k]) k++;
    return !characters[k];
}

/* Operators by how tightly they bind. */
typedef enum waiting { WAITS_GROUP, WAITS_OR, WAITS_BOTH, WAITS_CAT, WAITS_NOT } waiting;

typedef struct reader {
    audit_regex_text t;
    audit_regex *out;
    bool extended;
    unsigned char *stack; /* of enum waiting */
    size_t depth, capacity;
    audit_regex_group *groups;
    size_t group_count, group_capacity;
    bool operand;                  /* one ended here, which a repetition may follow */
    bool repeated;                 /* the operand has its repetition */
    bool after_not;                /* "~" waits for an operand */
    bool quoting;                  /* inside \Q...\E */
    size_t cluster, cluster_count; /* parts of the first \X */
} reader;

static void emit(reader *r, audit_regex_part part) {
    audit_regex *out = r->out;
    array_push(r->t.arena, out->parts, out->count, out->capacity, part);
}

/* Operators that bind at least as tightly come first. */
static void finish(reader *r, waiting least) {
    static const audit_regex_op ops[] = {AUDIT_REGEX_EMPTY, AUDIT_REGEX_OR, AUDIT_REGEX_BOTH, AUDIT_REGEX_CAT,
                                         AUDIT_REGEX_NOT};
    while (r->depth && r->stack[r->depth - 1] >= least) emit(r, (audit_regex_part){.op = ops[r->stack[--r->depth]]});
}

static void wait_for(reader *r, waiting w) {
    array_push(r->t.arena, r->stack, r->depth, r->capacity, (unsigned char)w);
}

/* Something begins: what stood before it in the sequence is joined to it. */
static void begin_operand(reader *r) {
    if (!r->operand) return;
    finish(r, WAITS_CAT);
    wait_for(r, WAITS_CAT);
    r->operand = r->repeated = false;
}

static void end_operand(reader *r) {
    r->operand = true;
    r->repeated = r->after_not = false;
}

/* A sequence ends: one of nothing is the empty word. */
static void end_sequence(reader *r) {
    if (r->after_not) audit_regex_refuse(&r->t, "nothing follows '~'");
    if (!r->operand) emit(r, (audit_regex_part){.op = AUDIT_REGEX_EMPTY});
    r->operand = r->repeated = false;
}

static void between(reader *r, waiting w) {
    end_sequence(r);
    finish(r, w);
    wait_for(r, w);
    r->t.at++;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* ---- groups ---- */

static void open(reader *r) {
    audit_regex_group g = {.outside = r->t.flags};
    size_t start = r->t.at;
    if (!audit_regex_opening(&r->t, &g)) {
        r->repeated = r->operand; /* no repetition follows flags */
        return;
    }
    size_t end = r->t.at;
    r->t.at = start;
    begin_operand(r);
    r->t.at = end;
    wait_for(r, WAITS_GROUP);
    array_push(r->t.arena, r->groups, r->group_count, r->group_capacity, g);
    r->after_not = false;
}

static void close_group(reader *r) {
    if (!r->group_count) audit_regex_refuse(&r->t, "this ')' closes nothing");
    const audit_regex_group g = r->groups[--r->group_count];
    end_sequence(r);
    finish(r, WAITS_OR);
    r->depth--;
    r->t.at++;
    r->t.flags = g.outside;
    if (g.look) emit(r, (audit_regex_part){.op = AUDIT_REGEX_LOOK, .behind = g.behind, .negated = g.look == '!'});
    end_operand(r);
}

/* ---- repetitions ---- */

enum { REPEAT_MOST = 20000 };

static bool read_count(audit_regex_text *t, uint32_t *count) {
    size_t start = t->at;
    uint32_t x = 0;
    for (; is_digit(audit_regex_look(t, 0)); t->at++) {
        x = x * 10 + (uint32_t)(audit_regex_look(t, 0) - '0');
        if (x > REPEAT_MOST) x = REPEAT_MOST + 1;
    }
    if (t->at > start) *count = x;
    return t->at > start;
}

/* False: "{" begins no repetition, and is a letter. */
static bool read_braces(audit_regex_text *t, audit_regex_part *x) {
    size_t start = t->at++;
    bool low = read_count(t, &x->least), comma = audit_regex_look(t, 0) == ',';
    if (comma) t->at++;
    x->most = comma ? AUDIT_REGEX_NO_END : x->least;
    bool high = comma && read_count(t, &x->most);
    if ((!low && !high) || audit_regex_look(t, 0) != '}') return t->at = start, false;
    if (x->least > REPEAT_MOST || (x->most > REPEAT_MOST && x->most != AUDIT_REGEX_NO_END) || x->least > x->most)
        audit_regex_refuse(t, "no repetition, or more than 20000");
    t->at++;
    return true;
}

/* False: there is none here. */
static bool repeat(reader *r) {
    audit_regex_part x = {.op = AUDIT_REGEX_REPEAT, .most = AUDIT_REGEX_NO_END};
    char c = audit_regex_look(&r->t, 0);
    if (c == '{') {
        if (!read_braces(&r->t, &x)) return false;
    } else if (c == '*' || c == '+' || c == '?') {
        x.least = c == '+';
        if (c == '?') x.most = 1;
        r->t.at++;
    } else {
        return false;
    }
    if (!r->operand || r->repeated) audit_regex_refuse(&r->t, "nothing stands before this repetition");
    if (audit_regex_look(&r->t, 0) == '?') r->t.at++; /* lazy: the same words */
    if (audit_regex_look(&r->t, 0) == '+') audit_regex_refuse(&r->t, "a possessive repetition");
    emit(r, x);
    r->repeated = true;
    return true;
}

/* ---- assertions ---- */

/* Pairs of characters, up to a 0. */
static const uint32_t newline[] = {'\n', '\n', 0}, carriage[] = {'\r', '\r', 0};
static const uint32_t line_ends[] = {'\n', '\f', 0x85, 0x85, 0x2028, 0x2029, 0};
static const uint32_t line_ends_of_two[] = {'\n', '\n', '\r', '\r', 0}, none[] = {0};

static void emit_set(reader *r, bool *set) {
    emit(r, (audit_regex_part){.op = AUDIT_REGEX_SET, .set = (uint32_t)r->out->set_count});
    array_push(r->t.arena, r->out->sets, r->out->set_count, r->out->set_capacity, set);
}

/* One letter of these characters, or of all others; the switches do not matter. */
static void emit_letters(reader *r, const uint32_t *pairs, bool others) {
    audit_regex_flags flags = r->t.flags;
    r->t.flags = (audit_regex_flags){0};
    bool *set = audit_regex_ranges_set(&r->t, pairs);
    r->t.flags = flags;
    if (others) audit_regex_complement(&r->t, set);
    emit_set(r, set);
}

static void emit_op(reader *r, audit_regex_op op) { emit(r, (audit_regex_part){.op = op}); }

static void emit_look(reader *r, bool behind, bool negated) {
    emit(r, (audit_regex_part){.op = AUDIT_REGEX_LOOK, .behind = behind, .negated = negated});
}

/* No letter, or in lines none but the newline, stands before or behind. */
static void emit_edge(reader *r, bool behind, bool lines) {
    bool two = lines && r->t.flags.crlf;
    emit_letters(r, two ? line_ends_of_two : lines ? newline : none, true);
    emit_look(r, behind, true);
    if (!two) return;
    emit_letters(r, carriage, false);
    emit_look(r, true, true);
    emit_letters(r, newline, false);
    emit_look(r, false, true);
    emit_op(r, AUDIT_REGEX_OR);
    emit_op(r, AUDIT_REGEX_CAT);
}

/* Whether a letter of a word stands before, or behind, or does not. */
static void emit_word(reader *r, bool behind, bool negated) {
    emit_set(r, audit_regex_word_set(&r->t));
    emit_look(r, behind, negated);
}

/* Where a word starts or ends, or where it could: its bytes; 0: none of these. */
static size_t emit_side_of_word(reader *r) {
    static const char *const sides[] = {"\\b{start}", "\\b{end}", "\\b{start-half}", "\\b{end-half}"};
    size_t k = 0;
    while (k < 4 && !audit_regex_has(&r->t, sides[k])) k++;
    if (k == 4) return 0;
    if (k != 3) emit_word(r, true, k != 1);
    if (k != 2) emit_word(r, false, k != 0);
    if (k < 2) emit_op(r, AUDIT_REGEX_CAT);
    return strlen(sides[k]);
}

static void emit_boundary(reader *r, bool same) {
    for (int before = 0; before < 2; before++) {
        emit_set(r, audit_regex_word_set(&r->t));
        emit_look(r, true, !before);
        emit_set(r, audit_regex_word_set(&r->t));
        emit_look(r, false, (before != 0) != same);
        emit_op(r, AUDIT_REGEX_CAT);
    }
    emit_op(r, AUDIT_REGEX_OR);
}

/* The end, or the newline before it. */
static void emit_last_line(reader *r) {
    emit_letters(r, newline, false);
    emit(r, (audit_regex_part){.op = AUDIT_REGEX_REPEAT, .most = 1});
    emit_edge(r, false, false);
    emit_op(r, AUDIT_REGEX_CAT);
    emit_look(r, false, false);
}

/* Two characters that end a line together are not taken apart. */
static void emit_line_end(reader *r) {
    emit_letters(r, carriage, false);
    emit_letters(r, newline, false);
    emit_op(r, AUDIT_REGEX_CAT);
    emit_letters(r, line_ends, false);
    emit_op(r, AUDIT_REGEX_OR);
    emit_letters(r, carriage, false);
    emit_letters(r, newline, false);
    emit_look(r, false, true);
    emit_op(r, AUDIT_REGEX_CAT);
    emit_op(r, AUDIT_REGEX_OR);
}

/* \X by the rules of Unicode's annex 29: characters between which there is no boundary, up to one. What joiners join
   goes together; other rules ask for neighbours, and for pairs of flags. ENDS is all that GOES_ON is not. */
/* clang-format off */
#define IS(name) "\\p{gcb=" name "}"
#define CONTROL  "[" IS("Control") IS("CR") IS("LF") "]"
#define MARK     "[" IS("Extend") IS("SpacingMark") IS("ZWJ") "]"
#define FLAG     IS("Regional_Indicator")
#define EMOJI    IS("Pictographic")
#define ZWJ_NEXT IS("Extend") "*" IS("ZWJ") EMOJI
#define UNIT     "(?:[^" EMOJI "]|" EMOJI "(?:" ZWJ_NEXT ")*(?!" ZWJ_NEXT "))"
#define PAIR(left, right)    "(?<=" left ")(?=" right ")|"
#define NO_PAIR(left, right) "(?:(?<!" left ")|(?!" right "))"
#define PAIRS(pair)                                                      \
    pair(IS("CR"), IS("LF"))                                             \
    pair(IS("L"), "[" IS("L") IS("V") IS("LV") IS("LVT") "]")            \
    pair("[" IS("V") IS("LV") "]", "[" IS("V") IS("T") "]")              \
    pair("[" IS("LVT") IS("T") "]", IS("T"))                             \
    pair(IS("Prepend"), "[^" IS("Control") IS("CR") IS("LF") "]")        \
    pair("(?<!" FLAG ")" FLAG "(?:" FLAG FLAG ")*", FLAG)
#define GOES_ON PAIRS(PAIR) "(?<!" CONTROL ")(?=" MARK ")"
#define ENDS    PAIRS(NO_PAIR) "(?:(?<=" CONTROL ")|(?!" MARK "))"
/* clang-format on */
static const char cluster[] = "(?:" UNIT "(?:(?:" GOES_ON ")" UNIT ")*" ENDS ")";

/* ^ and $ at the ends of the text or of its alternatives: what they say is so of all words. */
static bool is_idle(const reader *r, bool start) {
    char next = audit_regex_look(&r->t, 1);
    if (r->group_count || r->after_not || r->t.flags.lines) return false;
    if (start) return !r->operand && !(next && strchr("*+?{", next));
    return !next || next == '|' || (next == '&' && r->extended);
}

/* ^ $ and the escapes that stand for no set; false: it is none of them. */
static bool read_assertion(reader *r) {
    char c = audit_regex_look(&r->t, 0), d = audit_regex_look(&r->t, 1);
    bool anchor = c == '^' || c == '$', lines = r->t.flags.lines;
    if (!anchor && (c != '\\' || !d || !strchr("AzZbBR", d))) return false;
    if (!anchor && r->t.letters->tokens && d != 'A' && d != 'z')
        audit_regex_refuse(&r->t, "an escape for characters, where letters are words");
    if (anchor && is_idle(r, c == '^')) return r->t.at++, true;
    begin_operand(r);
    size_t size = emit_side_of_word(r);
    if (size) {
        r->t.at += size;
        end_operand(r);
        return true;
    }
    if (anchor)
        emit_edge(r, c == '^', lines);
    else if (d == 'A' || d == 'z')
        emit_edge(r, d == 'A', false);
    else if (d == 'Z')
        emit_last_line(r);
    else if (d == 'R')
        emit_line_end(r);
    else
        emit_boundary(r, d == 'B');
    r->t.at += anchor ? 1 : 2;
    end_operand(r);
    return true;
}

/* ---- the text ---- */

/* Blanks and comments, where they mean nothing, and quotations that begin or end. */
static bool skip(reader *r) {
    audit_regex_text *t = &r->t;
    char c = audit_regex_look(t, 0);
    if (!r->quoting && audit_regex_has(t, "(?#")) {
        while (!audit_regex_has(t, ")")) {
            if (!audit_regex_look(t, 0)) audit_regex_refuse(t, "this comment does not end");
            t->at++;
        }
        return t->at++, true;
    }
    static const char *const blanks[] = {
        " ", "\t", "\n", "\r", "\xC2\x85", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xA8", "\xE2\x80\xA9"};
    for (size_t k = 0; !r->quoting && t->flags.free && k < sizeof blanks / sizeof *blanks; k++)
        if (audit_regex_has(t, blanks[k])) return t->at += strlen(blanks[k]), true;
    if (!r->quoting && t->flags.free && c == '#') {
        while (audit_regex_look(t, 0) && !audit_regex_has(t, "\n")) t->at++;
        return true;
    }
    if (t->letters->tokens || (!audit_regex_has(t, "\\E") && (r->quoting || !audit_regex_has(t, "\\Q"))))
        return false;
    r->quoting = audit_regex_has(t, "\\Q");
    return t->at += 2, true;
}

static void read_letter(reader *r) {
    begin_operand(r);
    bool named = !r->quoting && audit_regex_has(&r->t, "\\N{") && !audit_regex_is_numbered(&r->t);
    emit_set(r, r->quoting ? audit_regex_read_quoted(&r->t) : audit_regex_read_set(&r->t));
    end_operand(r);
    if (named && !repeat(r)) audit_regex_refuse(&r->t, "a character by its name");
}

static void read_one(reader *r);

/* Parts of the first \X stand for all: they are the same. */
static void read_cluster(reader *r) {
    begin_operand(r);
    if (!r->cluster_count) {
        const audit_regex_text outside = r->t;
        r->t.bytes = cluster;
        r->t.length = strlen(cluster);
        r->t.at = 0;
        r->t.flags = (audit_regex_flags){0};
        r->cluster = r->out->count;
        while (r->t.at < r->t.length) read_one(r);
        r->cluster_count = r->out->count - r->cluster;
        r->t.bytes = outside.bytes;
        r->t.length = outside.length;
        r->t.at = outside.at;
        r->t.flags = outside.flags;
    } else {
        for (size_t k = 0; k < r->cluster_count; k++) emit(r, r->out->parts[r->cluster + k]);
    }
    end_operand(r);
    r->t.at += 2;
}

static void read_one(reader *r) {
    char c = audit_regex_look(&r->t, 0);
    if (skip(r)) return;
    if (r->quoting) {
        read_letter(r);
    } else if (c == '(') {
        open(r);
    } else if (c == ')') {
        close_group(r);
    } else if (c == '|') {
        between(r, WAITS_OR);
    } else if (c == '&' && r->extended) {
        between(r, WAITS_BOTH);
    } else if (c == '~' && r->extended) {
        begin_operand(r);
        wait_for(r, WAITS_NOT);
        r->after_not = true;
        r->t.at++;
    } else if (c == ' ' && r->t.letters->tokens) {
        r->repeated = r->operand; /* a repetition stands directly behind what it repeats */
        r->t.at++;
    } else if (audit_regex_has(&r->t, "\\X") && !r->t.letters->tokens) {
        read_cluster(r);
    } else if (!repeat(r) && !read_assertion(r)) {
        read_letter(r);
    }
}

audit_regex *audit_regex_read(arena *a, const char *bytes, size_t length, const alphabet *letters) {
    audit_regex *out = arena_zalloc(a, 1, sizeof *out);
    out->letters = letters;
    reader r = {.t = {.arena = a, .bytes = bytes, .length = length, .letters = letters}, .out = out};
    if (!length) audit_regex_refuse(&r.t, "it is empty");
    if (memchr(bytes, 0, length)) audit_regex_refuse(&r.t, "it has a NUL byte");
    if (length >= UINT32_MAX / 4) trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "a regular expression of too many bytes");
    static const char extended[] = "(?&)";
    if (audit_regex_has(&r.t, extended)) {
        r.extended = true;
        r.t.at = strlen(extended);
    }
    while (r.t.at < length) read_one(&r);
    if (r.group_count) audit_regex_refuse(&r.t, "a '(' is never closed");
    end_sequence(&r);
    finish(&r, WAITS_OR);
    return out;
}
