/* Text to the parts of a regular expression, by two stacks: operands that are finished, and operators that wait for
   their right side. Nothing recurses, so nesting has no limit. */
#include "audit/audit_pattern.h"

#include <string.h>

_Noreturn void pattern_refuse(const pattern_text *p, const char *why) {
    trap_raise(p->arena->trap, TEMPER_RANGE, 0, 0, "the language %s, at byte %zu: %s",
               text_escaped(p->arena, p->bytes, p->length, 60), p->at + 1, why);
}

bool pattern_has(const pattern_text *p, const char *characters) {
    size_t k = 0;
    while (characters[k] && pattern_look(p, k) == characters[k]) k++;
    return !characters[k];
}

/* Operators by how tightly they bind. */
typedef enum waiting { WAITS_GROUP, WAITS_OR, WAITS_BOTH, WAITS_CAT, WAITS_NOT } waiting;

typedef struct reader {
    pattern_text t;
    pattern *out;
    bool extended;
    unsigned char *stack; /* of enum waiting */
    size_t depth, capacity;
    size_t groups;  /* open ones */
    bool operand;   /* one ended here, which a repetition or a closing anchor may follow */
    bool ended;     /* "$" came: nothing may follow in this alternative */
    bool repeated;  /* the operand has its repetition */
    bool after_not; /* "~" waits for an operand */
} reader;

static void emit(reader *r, pattern_part part) {
    pattern *out = r->out;
    array_push(r->t.arena, out->parts, out->count, out->capacity, part);
}

/* Operators that bind at least as tightly come first. */
static void finish(reader *r, waiting least) {
    static const pattern_op ops[] = {PATTERN_EMPTY, PATTERN_OR, PATTERN_BOTH, PATTERN_CAT, PATTERN_NOT};
    while (r->depth && r->stack[r->depth - 1] >= least) emit(r, (pattern_part){.op = ops[r->stack[--r->depth]]});
}

static void wait_for(reader *r, waiting w) {
    array_push(r->t.arena, r->stack, r->depth, r->capacity, (unsigned char)w);
}

/* Something begins: what stood before it in the sequence is joined to it. */
static void begin_operand(reader *r) {
    if (r->ended) pattern_refuse(&r->t, "something follows '$'");
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
    if (r->after_not) pattern_refuse(&r->t, "nothing follows '~'");
    if (!r->operand) emit(r, (pattern_part){.op = PATTERN_EMPTY});
    r->operand = r->repeated = r->ended = false;
}

static void between(reader *r, waiting w) {
    end_sequence(r);
    finish(r, w);
    wait_for(r, w);
    r->t.at++;
}

/* ---- groups ---- */

static bool is_in_word(char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Takes "(", "(?:", "(?<name>" or "(?P<name>". */
static void take_opening(pattern_text *t) {
    static const char *const openings[] = {"(?:", "(?<", "(?P<", "("};
    size_t k = 0;
    while (!pattern_has(t, openings[k])) k++;
    t->at += strlen(openings[k]);
    if (!strchr(openings[k], '<')) return;
    if (!is_in_word(pattern_look(t, 0))) pattern_refuse(t, "a group without a name");
    while (is_in_word(pattern_look(t, 0)) || is_digit(pattern_look(t, 0))) t->at++;
    if (pattern_look(t, 0) != '>') pattern_refuse(t, "this name of a group does not end");
    t->at++;
}

static void open_group(reader *r) {
    begin_operand(r);
    take_opening(&r->t);
    wait_for(r, WAITS_GROUP);
    r->groups++;
    r->after_not = false;
}

static void close_group(reader *r) {
    if (!r->groups) pattern_refuse(&r->t, "this ')' closes nothing");
    end_sequence(r);
    finish(r, WAITS_OR);
    r->depth--;
    r->groups--;
    r->t.at++;
    end_operand(r);
}

/* ---- repetitions ---- */

enum { REPEAT_MOST = 20000 };

static bool read_count(pattern_text *t, uint32_t *count) {
    size_t start = t->at;
    uint32_t x = 0;
    for (; is_digit(pattern_look(t, 0)); t->at++) {
        x = x * 10 + (uint32_t)(pattern_look(t, 0) - '0');
        if (x > REPEAT_MOST) pattern_refuse(t, "more than 20000 repetitions");
    }
    if (t->at > start) *count = x;
    return t->at > start;
}

static void read_braces(pattern_text *t, pattern_part *x) {
    t->at++;
    bool low = read_count(t, &x->least), comma = pattern_look(t, 0) == ',';
    if (comma) t->at++;
    x->most = comma ? PATTERN_NO_END : x->least;
    bool high = comma && read_count(t, &x->most);
    if ((!low && !high) || pattern_look(t, 0) != '}' || x->least > x->most)
        pattern_refuse(t, "this is no repetition");
    t->at++;
}

static void repeat(reader *r) {
    pattern_part x = {.op = PATTERN_REPEAT, .most = PATTERN_NO_END};
    if (!r->operand || r->repeated || r->ended) /* also of groups that begin with "(?" and are of no known kind */
        pattern_refuse(&r->t, "nothing stands before this repetition");
    char c = pattern_look(&r->t, 0);
    if (c == '{') {
        read_braces(&r->t, &x);
    } else {
        x.least = c == '+';
        if (c == '?') x.most = 1;
        r->t.at++;
    }
    if (pattern_look(&r->t, 0) == '?') r->t.at++; /* lazy: the same words */
    if (pattern_look(&r->t, 0) == '+') pattern_refuse(&r->t, "a possessive repetition");
    emit(r, x);
    r->repeated = true;
}

/* ---- the text ---- */

static void anchor(reader *r, bool start) {
    char after = pattern_look(&r->t, 1);
    bool at_end = !after || after == '|' || (after == '&' && r->extended);
    if (r->groups || r->after_not || r->ended || (start ? r->operand : !at_end))
        pattern_refuse(&r->t, "an anchor inside the expression");
    r->ended = !start;
    r->t.at++;
}

static void read_one(reader *r) {
    char c = pattern_look(&r->t, 0);
    if (c == '(') {
        open_group(r);
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
    } else if (c == '^' || c == '$') {
        anchor(r, c == '^');
    } else if (c == '*' || c == '+' || c == '?' || c == '{') {
        repeat(r);
    } else if (c == ' ' && r->t.letters->tokens) {
        r->repeated = r->operand; /* a repetition stands directly behind what it repeats */
        r->t.at++;
    } else {
        begin_operand(r);
        pattern_part part = {.op = PATTERN_SET, .set = (uint32_t)r->out->set_count};
        bool *set = pattern_read_set(&r->t);
        array_push(r->t.arena, r->out->sets, r->out->set_count, r->out->set_capacity, set);
        emit(r, part);
        end_operand(r);
    }
}

pattern *pattern_read(arena *a, const char *bytes, size_t length, const alphabet *letters) {
    pattern *out = arena_zalloc(a, 1, sizeof *out);
    out->letters = letters;
    reader r = {.t = {.arena = a, .bytes = bytes, .length = length, .letters = letters}, .out = out};
    if (!length) pattern_refuse(&r.t, "it is empty");
    if (memchr(bytes, 0, length)) pattern_refuse(&r.t, "it has a NUL byte");
    if (length >= UINT32_MAX / 4) trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "a regular expression of too many bytes");
    static const char extended[] = "(?&)";
    if (pattern_has(&r.t, extended)) {
        r.extended = true;
        r.t.at = strlen(extended);
    }
    while (r.t.at < length) read_one(&r);
    if (r.groups) pattern_refuse(&r.t, "a '(' is never closed");
    end_sequence(&r);
    finish(&r, WAITS_OR);
    return out;
}
