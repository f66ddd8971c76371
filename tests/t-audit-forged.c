/* Models that were changed after they were compiled: weights, biases, units, channels, masks, features. The audit
   refuses nearly all of them. Whatever it would certify must still answer as its source does, on every string that is
   tried. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "corpus.h"
#include "random_formula.h"
#include "run/format_run.h"
#include "test.h"

enum { MOST_LINES = 4000, ROOM = 200, LONGEST = 40, WORDS = 12 };

typedef struct forger {
    test_random r;
    char *lines[MOST_LINES];
    size_t count;
    uint64_t tried, readable, certified, strings;
} forger;

/* ---- lines ---- */

static char *copy_line(const char *line, size_t length) {
    char *copy = malloc(length + ROOM); /* a changed line may grow */
    if (!copy) abort();
    memcpy(copy, line, length);
    copy[length] = 0;
    return copy;
}

/* All lines but the digest. */
static void split(forger *f, const char *from) {
    f->count = 0;
    for (const char *end; (end = strchr(from, '\n')) && f->count < MOST_LINES - 10; from = end + 1)
        if (strncmp(from, "digest", 6) != 0) f->lines[f->count++] = copy_line(from, (size_t)(end - from));
}

static char *join(forger *f) {
    size_t size = 1;
    for (size_t k = 0; k < f->count; k++) size += strlen(f->lines[k]) + 1;
    char *out = malloc(size), *p = out;
    if (!out) abort();
    *p = 0;
    for (size_t k = 0; k < f->count; k++) {
        p += sprintf(p, "%s\n", f->lines[k]);
        free(f->lines[k]);
    }
    return out;
}

/* A line with this word, or with weights; NULL: there is none. */
static char **pick(forger *f, const char *word) {
    char **found = NULL;
    uint64_t seen = 0;
    for (size_t k = 0; k < f->count; k++) {
        const char *line = f->lines[k];
        bool fits = word ? strstr(line, word) != NULL : strncmp(line, "channel", 7) != 0 && strchr(line, ':') != NULL;
        if (fits && random_below(&f->r, ++seen) == 0) found = &f->lines[k];
    }
    return found;
}

static void insert(forger *f, char **at, const char *line) {
    char *fresh = copy_line(line, strlen(line));
    memmove(at + 1, at, (size_t)(f->lines + f->count - at) * sizeof *at);
    *at = fresh;
    f->count++;
}

/* Replaces the text from `at` to `end`, within a line. */
static void put(char *at, const char *end, const char *with) {
    char *rest = copy_line(end, strlen(end));
    sprintf(at, "%s%s", with, rest);
    free(rest);
}

/* ---- changes ---- */

static double other_number(forger *f, double x) {
    switch (random_below(&f->r, 10)) {
    case 0: return -x;
    case 1: return x * 2;
    case 2: return x / 2;
    case 3: return x + 1;
    case 4: return x - 1;
    case 5: return nextafter(x, INFINITY);
    case 6: return x * 0x1p-120;
    case 7: return x + 0.5;
    case 8: return x * 0x1p100;
    default: return x * 1.5;
    }
}

/* The last term of a line: where its channel begins, and its colon. */
static char *last_term(char *line, char **colon) {
    char *p = *colon = strrchr(line, ':');
    while (p && p > line && p[-1] >= '0' && p[-1] <= '9') p--;
    return p;
}

static void change_number(forger *f, char *line) {
    char *at = NULL, *end, number[40];
    uint64_t seen = 0;
    for (char *p = line; (p = strchr(p, ':')); p++)
        if (random_below(&f->r, ++seen) == 0) at = p + 1;
    bool bias = strncmp(line, "unit ", 5) == 0 && random_below(&f->r, 3) == 0;
    if (bias) at = line + 5;
    if (!at) return;
    double x = other_number(f, strtod(at, &end));
    snprintf(number, sizeof number, "%a", x == 0 && !bias ? 0x1p-149 : x);
    put(at, end, number);
}

static void change_channel(forger *f, char *line) {
    char *colon, *at = last_term(line, &colon), number[20];
    if (!at) return;
    snprintf(number, sizeof number, "%d", abs(atoi(at) + (random_below(&f->r, 2) ? 1 : -1)));
    put(at, colon, number);
}

static void add_term(forger *f, char *line) {
    static const char *const weights[] = {"1", "-1", "0x1p-100"};
    char *colon, *at = last_term(line, &colon), term[40];
    if (!at) return;
    snprintf(term, sizeof term, " %d:%s", atoi(at) + 1 + (int)random_below(&f->r, 3),
             weights[random_below(&f->r, 3)]);
    strcat(line, term);
}

static void change_word(forger *f) {
    static const char *const words[][3] = {{"head", "j<=i", "j<i"},
                                           {"head", "j<i", "j<=i"},
                                           {"head", "j>=i", "j>i"},
                                           {"head", "j<=i", "all"},
                                           {"head", "mask all", "mask j<=i"},
                                           {"head", "for rightmost", "for leftmost"},
                                           {"head", "for average", "for rightmost"},
                                           {"head", "ln(N) + 8", "ln(N) + 7"},
                                           {"head", "ln(N) + 8", "ln(N) + 80"},
                                           {"head", "8*N", "7*N"},
                                           {"head", "16*N", "15*N"},
                                           {"head", "N*N", "N"},
                                           {"head", " scale \"", " scale \"1 + "},
                                           {"channel", "position", "soft"},
                                           {"channel", "soft", "position"},
                                           {"channel", "i/N", "i/(N + 1)"},
                                           {"channel", "i = 0", "i = 1"},
                                           {"channel", "16*N", "14*N"},
                                           {"channel", "8*N", "9*N"},
                                           {"channel", "max(i, 1)", "max(i, 2)"},
                                           {"channel", "\"1\"", "\"2\""},
                                           {"channel", "N", "n"},
                                           {"channel", "%", "*"},
                                           {"end ", "yes", "no"},
                                           {"empty", "accept", "reject"}};
    const char *const *w = words[random_below(&f->r, sizeof words / sizeof *words)];
    char **line = pick(f, w[0]), *at = line ? strstr(*line, w[1]) : NULL;
    if (at) put(at, at + strlen(w[1]), w[2]);
}

static void change_units(forger *f) {
    char **unit = pick(f, "unit "), **other = pick(f, "unit "), made[60], *kept;
    int c = (int)random_below(&f->r, 12);
    if (!unit) return;
    switch (random_below(&f->r, 4)) {
    case 0: insert(f, unit, *unit); return; /* twice */
    case 1:
        free(*unit);
        memmove(unit, unit + 1, (size_t)(f->lines + f->count - unit - 1) * sizeof *unit);
        f->count--;
        return;
    case 2:
        kept = *unit;
        *unit = *other;
        *other = kept;
        return;
    default: /* one that clears a channel, or doubles it */
        snprintf(made, sizeof made, "unit 0 %d:%s1 -> %d:%s1", c, random_below(&f->r, 2) ? "" : "-", c,
                 random_below(&f->r, 2) ? "" : "-");
        insert(f, unit, made);
    }
}

static void change(forger *f) {
    char **line = pick(f, NULL);
    uint64_t what = random_below(&f->r, 10);
    if (!line) return;
    if (what < 4)
        change_number(f, *line);
    else if (what == 4)
        change_channel(f, *line);
    else if (what == 5)
        add_term(f, *line);
    else if (what < 8)
        change_units(f);
    else
        change_word(f);
}

/* ---- what the audit takes ---- */

typedef struct forged {
    const char *source, *text;
    const temper_spec *spec;
    const temper_model *m;
    temper_type type;
    size_t length;
} forged;

static bool blame(const forged *g, const char *what, size_t n) {
    return CHECK(false, "'%s' in %s to %zu: %s, on a string of length %zu\n%s", g->source, temper_type_name(g->type),
                 g->length, what, n, g->text);
}

static bool emulate(const forged *g, const uint32_t *word, size_t n, const unsigned char *truth, int accept) {
    const number_type *type = number_type_of(g->type);
    format_setting s = {.storage = type->storage, .accumulation = type->accumulation};
    format_answer answer;
    trap guard;
    arena stream, scratch;
    volatile bool same = false;
    arena_init(&stream, &guard);
    arena_init(&scratch, &guard);
    if (!trap_set(&guard, NULL)) {
        format_run(&answer, g->m, word, n, &s, &stream, &scratch);
        bool equal = !answer.broken && (n > 0 || answer.truth[0] == accept);
        for (size_t k = 0; k < n && equal; k++) equal = answer.truth[k + 1] == truth[k];
        same = equal;
        trap_clear(&guard);
    }
    arena_free(&stream);
    arena_free(&scratch);
    return same || blame(g, "certified and wrong", n);
}

static bool run(const forged *g, const uint32_t *word, size_t n, const unsigned char *truth) {
    temper_run_options o = {.type = g->type, .unchecked = 1, .threads = 1};
    temper_run *r;
    temper_error e;
    temper_status status = temper_model_run(&r, g->m, word, n, &o, &e);
    if (status != TEMPER_OK) return status == TEMPER_UNSUPPORTED || blame(g, e.text, n); /* no plan in f32 */
    bool same = true;
    for (size_t k = 0; k < n && same; k++) same = temper_run_truth(r, k + 1) == truth[k];
    temper_run_free(r);
    return same || blame(g, "certified, and wrong in the runner", n);
}

static void attack(forger *f, const forged *g) {
    uint32_t word[LONGEST];
    unsigned char truth[LONGEST];
    bool ok = true;
    for (int k = 0; k < WORDS && ok; k++) {
        size_t most = g->length < LONGEST ? g->length : LONGEST;
        size_t n = random_below(&f->r, (k % 2 && most > 8 ? 8 : most) + 1);
        int accept = 0;
        random_word(word, n, (unsigned)temper_spec_letter_count(g->spec), &f->r);
        if (temper_spec_eval(&accept, truth, g->spec, word, n, NULL) != TEMPER_OK) continue;
        ok = emulate(g, word, n, truth, accept);
        if (ok && !number_type_is_emulated(g->type)) ok = run(g, word, n, truth);
        f->strings++;
    }
    CHECK(ok, "%s", g->source);
}

static void forge(forger *f, forged g, const char *from) {
    temper_model *m = NULL;
    temper_error e;
    char *json;
    size_t size;
    do g.type = (temper_type)random_below(&f->r, TEMPER_TYPE_BF16_F64 + 1);
    while (g.type == TEMPER_TYPE_EXACT);
    g.length = 1 + random_below(&f->r, random_below(&f->r, 2) ? 30 : 200);
    split(f, from);
    for (uint64_t k = 1 + random_below(&f->r, 3); k > 0; k--) change(f);
    char *made = join(f);
    g.text = made;
    f->tried++;
    if (temper_model_read(&m, made, strlen(made), &e) == TEMPER_OK) {
        audit_request q = {.length = g.length, .type = g.type};
        g.m = m;
        f->readable++;
        if (audit_requested(&json, &size, made, strlen(made), &q, &e) == TEMPER_OK) {
            f->certified++;
            temper_free(json);
            attack(f, &g);
        }
    }
    temper_model_free(m);
    free(made);
}

static temper_model *soften(forger *f, const temper_spec *spec) {
    static const temper_type storages[] = {TEMPER_TYPE_BF16, TEMPER_TYPE_F16, TEMPER_TYPE_E5M2, TEMPER_TYPE_F32};
    temper_type storage = storages[random_below(&f->r, 4)];
    uint64_t method = random_below(&f->r, 3);
    temper_model *hard = NULL, *soft = NULL;
    if (method == 2) {
        if (temper_compile_for(&hard, spec, storage, NULL) == TEMPER_OK)
            temper_soften_digits(&soft, hard, storage, NULL);
    } else if (temper_compile(&hard, spec, NULL) == TEMPER_OK) {
        temper_soften(&soft, hard, method ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS, NULL);
    }
    temper_model_free(hard);
    return soft;
}

int main(void) {
    static forger f;
    f.r = test_seed(1066);
    for (double k = 0; k < 120 * test_effort(); k++) {
        random_shape shape = {
            .letters = 1 + (unsigned)random_below(&f.r, 3), .size = 1 + random_below(&f.r, 7), .depth = 5};
        shape.past = random_below(&f.r, 3) != 0;
        shape.future = !shape.past || random_below(&f.r, 3) == 0;
        shape.counting = random_below(&f.r, 3) == 0;
        shape.modulo = random_below(&f.r, 6) == 0;
        temper_spec *spec = random_below(&f.r, 2) ? random_spec(&f.r, &shape, TEMPER_AT_LAST)
                                                  : corpus_parse(corpus_at(random_below(&f.r, corpus_size())));
        temper_model *m = spec ? soften(&f, spec) : NULL;
        char *printed = NULL, *source = NULL;
        size_t size;
        if (m && temper_model_print(&printed, &size, m, NULL) == TEMPER_OK && size < 20000 &&
            temper_spec_print(&source, spec, NULL) == TEMPER_OK)
            for (int j = 0; j < 40; j++) forge(&f, (forged){.source = source, .spec = spec}, printed);
        temper_free(printed);
        temper_free(source);
        temper_model_free(m);
        temper_spec_free(spec);
    }
    printf("%llu changed models, %llu readable, %llu certified, %llu strings\n", (unsigned long long)f.tried,
           (unsigned long long)f.readable, (unsigned long long)f.certified, (unsigned long long)f.strings);
    CHECK(test_effort() < 1 || f.certified > 10, "only %llu certified", (unsigned long long)f.certified);
    CHECK(f.certified * 4 < f.readable, "%llu of %llu changed models are certified", (unsigned long long)f.certified,
          (unsigned long long)f.readable);
    return test_finish("t-audit-forged");
}
