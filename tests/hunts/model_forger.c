#include "model_forger.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "random_language.h"

enum { MOST_LINES = 4000, ROOM = 900, MOST_EXPRESSION = 300 };

typedef struct forger {
    test_random *r;
    char *lines[MOST_LINES]; /* each has ROOM more bytes than it needs */
    size_t count;
} forger;

#define PICK(f, list) (list)[random_below((f)->r, sizeof(list) / sizeof *(list))]

/* ---- lines ---- */

static char *copy_line(const char *line, size_t length) {
    char *copy = malloc(length + ROOM);
    if (!copy) abort();
    memcpy(copy, line, length);
    copy[length] = 0;
    return copy;
}

static void split(forger *f, const char *from) {
    f->count = 0;
    for (const char *end; (end = strchr(from, '\n')) && f->count < MOST_LINES - 40; from = end + 1)
        if (strncmp(from, "digest", 6) != 0) f->lines[f->count++] = copy_line(from, (size_t)(end - from));
}

static char *join(forger *f, bool with_digest) {
    size_t size = 100;
    for (size_t k = 0; k < f->count; k++) size += strlen(f->lines[k]) + 1;
    char *out = malloc(size), *p = out;
    if (!out) abort();
    *p = 0;
    for (size_t k = 0; k < f->count; k++) {
        p += sprintf(p, "%s\n", f->lines[k]);
        free(f->lines[k]);
    }
    if (with_digest) sprintf(p, "digest %016llx\n", (unsigned long long)model_digest(out, (size_t)(p - out)));
    return out;
}

static bool begins(const char *line, const char *word) { return strncmp(line, word, strlen(word)) == 0; }

/* A line that begins so, or one with weights (NULL); NULL: there is none. */
static char **pick_line(forger *f, const char *word) {
    char **found = NULL;
    uint64_t seen = 0;
    for (size_t k = 0; k < f->count; k++) {
        const char *line = f->lines[k];
        bool labelled = begins(line, "channel") || begins(line, "head") || begins(line, "source");
        bool fits = word ? begins(line, word) : !labelled && strchr(line, ':') != NULL;
        if (fits && random_below(f->r, ++seen) == 0) found = &f->lines[k];
    }
    return found;
}

static void insert(forger *f, size_t at, const char *line) {
    if (f->count >= MOST_LINES - 2 || at > f->count) return;
    memmove(f->lines + at + 1, f->lines + at, (f->count - at) * sizeof *f->lines);
    f->lines[at] = copy_line(line, strlen(line));
    f->count++;
}

static void drop(forger *f, size_t at) {
    free(f->lines[at]);
    memmove(f->lines + at, f->lines + at + 1, (f->count - at - 1) * sizeof *f->lines);
    f->count--;
}

static void swap(char **x, char **y) {
    char *kept = *x;
    *x = *y;
    *y = kept;
}

/* Replaces the text from `at` to `end`, within a line. */
static void put(char *at, const char *end, const char *with) {
    char *rest = copy_line(end, strlen(end));
    sprintf(at, "%s%s", with, rest);
    free(rest);
}

/* ---- expressions ---- */

static const char *const numbers[] = {
    "0",        "1",       "-1",     "2",        "3",         "4",         "7",
    "8",        "9",       "16",     "0.5",      "0x1p-1074", "0x1p-1022", "0x1p-535",
    "0x1p1023", "0x1p53",  "0x1p52", "0x1p26",   "0x1p62",    "1e300",     "0x1.0000000000001p0",
    "-0",       "0x1p-60", "0x1p20", "67108865", "255",       "256",       "65536"};

static const char *const odd[] = {"i",
                                  "N - 1 - i",
                                  "i/N",
                                  "(N - 1 - i)/N",
                                  "1/(i + 1)",
                                  "1/(N - i)",
                                  "i/(N*N)",
                                  "[i = 0]/N",
                                  "[i = N - 1]*16*N",
                                  "[i = 1]*[1 <= n]",
                                  "[i = n]*[1 <= n]",
                                  "[i = n]",
                                  "ln(N) + 8",
                                  "-4*floor(-(ln(N) + 8)/4)",
                                  "ln(max(i, 1))/(16*N)",
                                  "ln(max(N - 1 - i, 1))/(16*N)",
                                  "8*N",
                                  "8*N*N",
                                  "16*N*N*N",
                                  "ceil2(16*N)",
                                  "ceil2(16*N)/256",
                                  "i - floor(N/2)",
                                  "[i % 2 = 0]",
                                  "[(N - 1 - i) % 3 <= 1]",
                                  "i*0x1p-1070/N*0x1p535*0x1p535",
                                  "8*N*N/N",
                                  "i/(1/(i + 1))/(i + 1)",
                                  "1",
                                  "0",
                                  "1/i",
                                  "0/0",
                                  "ln(0)"};

/* Ways to write x, of which most are worth something else, at some length or everywhere. */
static const char *const dresses[] = {
    "(%s)",         "%s*1",         "1*(%s)",       "%s + 0",           "0 + %s",           "-(-(%s))",
    "%s*2/2",       "%s*C/C",       "%s + C - C",   "max(%s, C)",       "min(%s, C)",       "floor(%s)",
    "(%s) % C",     "[%s = 0]",     "ceil2(%s)",    "%s*[C <= N]",      "%s + [N = 9]",     "%s + [i = 3]",
    "%s - [N = 2]", "%s + 0x1p-60", "(%s)*[i < 5]", "[(%s) % 2 = 1]",   "ln(%s)",           "%s*N/N",
    "%s/(i + 1)",   "N*(%s)",       "(%s)*(i + 1)", "%s + [n = 0]*1e9", "%s + 0x1p-1074*i", "(%s)*C"};

static void dress(forger *f, char *out, const char *is) {
    const char *form = PICK(f, dresses), *number = PICK(f, numbers);
    size_t used = 0;
    for (; *form && used + strlen(is) + 40 < MOST_EXPRESSION; form++)
        if (form[0] == '%' && form[1] == 's')
            used += (size_t)sprintf(out + used, "%s", is), form++;
        else if (*form == 'C')
            used += (size_t)sprintf(out + used, "%s", number);
        else
            out[used++] = *form;
    out[used] = 0;
}

/* Another number, variable or operator somewhere in it. */
static void exchange(forger *f, char *out, const char *is) {
    static const char *const variables[] = {"i", "N", "n", "(N - 1 - i)", "(i + 1)", "floor(N/2)"};
    static const char *const operators[] = {"+", "-", "*", "/", "%", "<=", "=", "<"};
    size_t at = 0, length = 0;
    uint64_t seen = 0;
    const char *with = "";
    for (size_t k = 0; is[k]; k++) {
        bool inside = k > 0 && (isalnum((unsigned char)is[k - 1]) || is[k - 1] == '.');
        bool digit = isdigit((unsigned char)is[k]) && !inside;
        bool variable = strchr("iNn", is[k]) && !inside && !isalnum((unsigned char)is[k + 1]);
        bool operator= strchr("+-*/%=<", is[k]) != NULL;
        if ((!digit && !variable && !operator) || random_below(f->r, ++seen) != 0) continue;
        at = k;
        length = digit ? strspn(is + k, "0123456789.xabcdefp") : 1;
        with = digit ? PICK(f, numbers) : variable ? PICK(f, variables) : PICK(f, operators);
    }
    snprintf(out, MOST_EXPRESSION, "%.*s%s%s", (int)at, is, with, is + at + length);
}

/* The quoted expression behind `word` in a line; false: there is none. */
static bool find_expression(char *line, const char *word, char **at, char **end) {
    char *found = strstr(line, word);
    if (!found) return false;
    *at = found + strlen(word);
    *end = strchr(*at, '"');
    return *end && *end - *at < MOST_EXPRESSION / 2;
}

static bool any_expression(char *line, char **at, char **end) {
    return find_expression(line, " position \"", at, end) || find_expression(line, " soft \"", at, end) ||
           find_expression(line, " scale \"", at, end);
}

static void change_expression(forger *f) {
    char **line = NULL, *at, *end, is[MOST_EXPRESSION], becomes[MOST_EXPRESSION] = "";
    uint64_t seen = 0;
    for (size_t k = 0; k < f->count; k++)
        if (any_expression(f->lines[k], &at, &end) && random_below(f->r, ++seen) == 0) line = &f->lines[k];
    if (!line || !any_expression(*line, &at, &end)) return;
    snprintf(is, sizeof is, "%.*s", (int)(end - at), at);
    switch (random_below(f->r, 4)) {
    case 0: snprintf(becomes, sizeof becomes, "%s", PICK(f, odd)); break;
    case 1: dress(f, becomes, is); break;
    case 2: { /* that of another line */
        char **other = pick_line(f, random_below(f->r, 2) ? "channel" : "head"), *from, *to;
        if (!other || !any_expression(*other, &from, &to)) return;
        snprintf(becomes, sizeof becomes, "%.*s", (int)(to - from), from);
        break;
    }
    default: exchange(f, becomes, is);
    }
    put(at, end, becomes);
}

/* ---- numbers and terms ---- */

static double other_number(forger *f, double x) {
    static const double ends[] = {0x1p-1074, 0x1p-149,  0x1p-24, 0x1p-9,   448, 464,    65504, 65520, 57344,
                                  0x1p52,    0x1p53,    0x1p127, 0x1p1023, 1.5, 0x1p-8, 255.5, 257,   0x1.8p-1,
                                  0x1p-1022, 0x1p-1000, 0x1p24,  16777217, 3,   0x1p20, -0.0,  2.5,   3.5};
    switch (random_below(f->r, 12)) {
    case 0: return -x;
    case 1: return x * 2;
    case 2: return x / 2;
    case 3: return x + 1;
    case 4: return x - 1;
    case 5: return nextafter(x, INFINITY);
    case 6: return x * 0x1p-120;
    case 7: return x + 0.5;
    case 8: return x * 0x1p100;
    case 9: return PICK(f, ends);
    case 10: return -PICK(f, ends);
    default: return x * 1.5;
    }
}

static void change_number(forger *f, char *line) {
    char *at = NULL, *end, number[40];
    uint64_t seen = 0;
    for (char *p = line; (p = strchr(p, ':')); p++)
        if (random_below(f->r, ++seen) == 0) at = p + 1;
    bool bias = begins(line, "unit ") && random_below(f->r, 3) == 0;
    if (bias) at = line + 5;
    if (!at) return;
    double x = other_number(f, strtod(at, &end));
    snprintf(number, sizeof number, "%a", x == 0 && !bias ? 0x1p-149 : x);
    put(at, end, number);
}

/* A term somewhere in a line: from `at`, "12:0x1p+3", to `end`. */
static bool find_term(forger *f, char *line, char **at, char **end) {
    uint64_t seen = 0;
    bool found = false;
    for (char *p = line; (p = strchr(p, ':')); p++) {
        if (random_below(f->r, ++seen) != 0) continue;
        found = true;
        *at = p;
        while (*at > line && isdigit((unsigned char)(*at)[-1])) --*at;
        *end = p + strcspn(p, " ");
    }
    return found;
}

static size_t channel_count(const forger *f) {
    size_t count = 0;
    for (size_t k = 0; k < f->count; k++) count += begins(f->lines[k], "channel");
    return count;
}

static void change_channel(forger *f, char *line) {
    char *at, *end, number[20];
    size_t channels = channel_count(f);
    if (!channels || !find_term(f, line, &at, &end)) return;
    snprintf(number, sizeof number, "%d", (int)random_below(f->r, channels));
    put(at, strchr(at, ':'), number);
}

/* A term goes to another line, or is there twice, or is gone. */
static void move_term(forger *f) {
    char **from = pick_line(f, NULL), **to = pick_line(f, NULL), *at, *end, term[80];
    if (!from || !to || !find_term(f, *from, &at, &end)) return;
    snprintf(term, sizeof term, " %.*s", (int)(end - at), at);
    if (random_below(f->r, 3)) put(at, end, "");
    if (random_below(f->r, 4)) strcat(*to, term);
}

static void add_term(forger *f, char *line) {
    static const char *const weights[] = {"1", "-1", "2", "0x1p-100", "0x1p-1074", "0x1p100"};
    char term[40];
    size_t channels = channel_count(f);
    if (!channels) return;
    snprintf(term, sizeof term, " %d:%s", (int)random_below(f->r, channels), PICK(f, weights));
    strcat(line, term);
}

/* Two channels that hold the same letter, and a row that reads both with opposite weights. */
static void add_twins(forger *f) {
    static const char *const weights[] = {"1", "0x1p40", "0x1p-40", "3", "0x1p52"};
    static const char *const letters[] = {"embed \"a\"", "embed \"b\"", "embed start"};
    char **letter = pick_line(f, PICK(f, letters)), **row, line[80];
    size_t channels = channel_count(f), last = 0;
    const char *w = PICK(f, weights);
    if (!letter) return;
    snprintf(line, sizeof line, " %zu:1 %zu:1", channels, channels + 1);
    strcat(*letter, line);
    if (!(row = pick_line(f, random_below(f->r, 2) ? "  " : "unit "))) return;
    char *arrow = strstr(*row, " ->");
    snprintf(line, sizeof line, " %zu:%s %zu:-%s", channels, w, channels + 1, w);
    if (arrow)
        put(arrow, arrow, line);
    else
        strcat(*row, line);
    for (size_t k = 0; k < f->count; k++)
        if (begins(f->lines[k], "channel")) last = k + 1;
    for (int k = 1; k >= 0; k--) {
        snprintf(line, sizeof line, "channel %zu \"twin\"", channels + (size_t)k);
        insert(f, last, line);
    }
}

/* A unit, or a head's output, writes to a channel that nobody reads, beside its own. */
static void add_target(forger *f) {
    char **row = pick_line(f, random_below(f->r, 3) ? "unit " : "  output "), line[80];
    size_t channels = channel_count(f), last = 0;
    if (!row) return;
    snprintf(line, sizeof line, " %zu:%s", channels, random_below(f->r, 3) ? "1" : "-1");
    strcat(*row, line);
    for (size_t k = 0; k < f->count; k++)
        if (begins(f->lines[k], "channel")) last = k + 1;
    snprintf(line, sizeof line, "channel %zu \"second\"", channels);
    insert(f, last, line);
}

/* ---- rows, heads, layers ---- */

/* Two lines of the kinds of rows that a head has change places, or only what they hold does. */
static void swap_rows(forger *f) {
    static const char *const rows[] = {"  query", "  key", "  value", "  output"};
    const char *one = PICK(f, rows), *two = random_below(f->r, 2) ? one : PICK(f, rows);
    char **x = pick_line(f, one), **y = pick_line(f, two);
    if (!x || !y || x == y) return;
    swap(x, y);
    if (one == two) return;
    put(*y, *y + strlen(one), two);
    put(*x, *x + strlen(two), one);
}

static size_t block_end(const forger *f, size_t at) {
    size_t end = at + 1;
    while (end < f->count && begins(f->lines[end], "  ")) end++;
    return end;
}

/* A head goes to another head's place, or is there twice, or is gone. */
static void change_heads(forger *f) {
    char **head = pick_line(f, "head"), **other = pick_line(f, random_below(f->r, 2) ? "head" : "layer");
    if (!head || !other) return;
    size_t at = (size_t)(head - f->lines), count = block_end(f, at) - at, to = (size_t)(other - f->lines);
    if (begins(*other, "layer")) to++;
    char *block[60];
    if (count > 60) return;
    for (size_t k = 0; k < count; k++) block[k] = copy_line(f->lines[at + k], strlen(f->lines[at + k]));
    bool stays = random_below(f->r, 3) == 0, goes = random_below(f->r, 4) != 0;
    if (!stays)
        for (size_t k = 0; k < count; k++) drop(f, at);
    if (!stays && to > at) to = to > at + count ? to - count : at;
    if (goes)
        for (size_t k = 0; k < count; k++) insert(f, to + k, block[k]);
    for (size_t k = 0; k < count; k++) free(block[k]);
}

static void change_units(forger *f) {
    char **unit = pick_line(f, "unit "), **other = pick_line(f, "unit "), made[60];
    int c = (int)random_below(f->r, channel_count(f) + 1);
    if (!unit) return;
    switch (random_below(f->r, 4)) {
    case 0: insert(f, (size_t)(unit - f->lines), *unit); return; /* twice */
    case 1: drop(f, (size_t)(unit - f->lines)); return;
    case 2: swap(unit, other); return;
    default: /* one that clears a channel, or doubles it */
        snprintf(made, sizeof made, "unit 0 %d:%s1 -> %d:%s1", c, random_below(f->r, 2) ? "" : "-", c,
                 random_below(f->r, 2) ? "" : "-");
        insert(f, (size_t)(unit - f->lines), made);
    }
}

/* Two channels change their numbers everywhere: the same model, with sums in another order. */
static void renumber(forger *f) {
    size_t count = channel_count(f), x = random_below(f->r, count + !count), y = random_below(f->r, count + !count);
    char **lines[2] = {NULL, NULL}, number[20];
    for (size_t k = 0; k < f->count; k++) {
        char *line = f->lines[k], *p = line;
        bool labelled = begins(line, "channel") || begins(line, "part");
        if (labelled) { /* the number is a word, behind the labels */
            const char *word = begins(line, "channel") ? "channel " : " channel ";
            p = begins(line, "channel") ? line : strrchr(line, '"');
            char *at = p ? strstr(p, word) : NULL;
            if (!at) continue;
            at += strlen(word);
            size_t c = strtoul(at, &p, 10);
            if (c != x && c != y) continue;
            if (begins(line, "channel")) lines[c == y] = &f->lines[k];
            snprintf(number, sizeof number, "%zu", c == x ? y : x);
            put(at, p, number);
            continue;
        }
        if (begins(line, "head") || begins(line, "source") || begins(line, "alphabet")) continue;
        if (begins(line, "embed \"")) p = strrchr(line, '"');
        while ((p = strchr(p, ':'))) {
            char *at = p;
            while (at > line && isdigit((unsigned char)at[-1])) at--;
            size_t c = strtoul(at, NULL, 10);
            if (at < p && (c == x || c == y)) {
                snprintf(number, sizeof number, "%zu", c == x ? y : x);
                put(at, p, number);
                p = at + strlen(number);
            }
            p++;
        }
    }
    if (lines[0] && lines[1]) swap(lines[0], lines[1]); /* channels are listed in order */
}

/* ---- words ---- */

static void change_word(forger *f) {
    static const char *const words[][3] = {{"head", "j<=i", "j<i"},
                                           {"head", "j<i", "j<=i"},
                                           {"head", "j>=i", "j>i"},
                                           {"head", "j>i", "j>=i"},
                                           {"head", "j<=i", "j>=i"},
                                           {"head", "j>=i", "j<=i"},
                                           {"head", "j<=i", "all"},
                                           {"head", "mask all", "mask j<=i"},
                                           {"head", "for rightmost", "for leftmost"},
                                           {"head", "for leftmost", "for rightmost"},
                                           {"head", "for average", "for rightmost"},
                                           {"head", "softmax for average", "average"},
                                           {"head", "role once", "role nearest"},
                                           {"head", "role nearest ", ""},
                                           {"head", "head \"", "head \"x"},
                                           {"head", " scale", " adaptive scale"},
                                           {"channel", "position", "soft"},
                                           {"channel", "soft", "position"},
                                           {"end ", "yes", "no"},
                                           {"end ", "no", "yes"},
                                           {"empty", "accept", "reject"},
                                           {"empty", "reject", "accept"},
                                           {"at ", "first", "last"},
                                           {"at ", "last", "first"},
                                           {"method", "temperature", "positions"},
                                           {"method", "positions", "hard"},
                                           {"tokens", "no", "yes"},
                                           {"alphabet", "\"a\" \"b\"", "\"b\" \"a\""},
                                           {"embed", "\"a\"", "\"b\""},
                                           {"embed", "\"b\"", "\"a\""},
                                           {"embed", "start", "end"},
                                           {"embed", "end", "start"},
                                           {"part", "\" layer 1", "\" layer 0"},
                                           {"part", "\" layer 1", "\" layer 2"},
                                           {"part", "channel 0", "channel 1"},
                                           {"part", "a", "b"},
                                           {"source", "a", "b"},
                                           {"source", "O", "H"},
                                           {"source", "S", "T"},
                                           {"source", " & ", " | "},
                                           {"source", " | ", " & "},
                                           {"source", "= 0", "= 1"},
                                           {"source", ">=", ">"},
                                           {"source", "source \"", "source \"!"},
                                           {"source", "source \"", "source \"Y "},
                                           {"syntax", "spec", "crasp"},
                                           {"layer", "1", "2"}};
    const char *const *w = PICK(f, words);
    char **line = pick_line(f, w[0]), *at = line ? strstr(*line, w[1]) : NULL;
    if (at) put(at, at + strlen(w[1]), w[2]);
}

/* Another text of the source; above all another regular expression. */
static void change_source(forger *f) {
    char **line = pick_line(f, "source"), changed[2000], *at, *end;
    if (!line || !(at = strchr(*line, '"')) || !(end = strrchr(*line, '"')) || end <= at) return;
    change_language(changed, sizeof changed, at + 1, (size_t)(end - at - 1), f->r);
    if (strlen(changed) < (size_t)(end - at) + ROOM / 4 && !strchr(changed, '"')) put(at + 1, end, changed);
}

/* A line anywhere is gone, or twice, or elsewhere. */
static void change_lines(forger *f) {
    size_t at = random_below(f->r, f->count), to = random_below(f->r, f->count);
    switch (random_below(f->r, 3)) {
    case 0: drop(f, at); break;
    case 1: insert(f, to, f->lines[at]); break;
    default: swap(&f->lines[at], &f->lines[to]);
    }
}

static void change(forger *f) {
    char **line = pick_line(f, NULL);
    uint64_t what = random_below(f->r, 25);
    if (!line || f->count < 4) return;
    switch (what) {
    case 0:
    case 1:
    case 2:
    case 3: change_number(f, *line); break;
    case 4: change_channel(f, *line); break;
    case 5: add_term(f, *line); break;
    case 6: move_term(f); break;
    case 7:
    case 8: change_units(f); break;
    case 9: swap_rows(f); break;
    case 10: change_heads(f); break;
    case 11: renumber(f); break;
    case 12: change_lines(f); break;
    case 13:
    case 14:
    case 15: change_word(f); break;
    case 16: add_twins(f); break;
    case 17: add_target(f); break;
    case 18:
    case 19: change_source(f); break;
    default: change_expression(f);
    }
}

char *forge_model(const char *honest, test_random *r) {
    static forger f;
    f.r = r;
    split(&f, honest);
    for (uint64_t k = random_below(r, 2) ? 1 : 1 + random_below(r, 3); k > 0; k--) change(&f);
    return join(&f, random_below(r, 4) != 0);
}
