/* Certificates of models with several outputs. Random transducers are proved, and their proofs audited, in random
   number types, at random lengths and at the proved one. Then their read-outs are changed: rows, weights, names,
   order, number, kind. What is still proved, or still passes the audit with the old claim, must give the source's
   answers on all short strings. Language models are written by hand from formulas, for languages that are given
   in three ways, and changed in the same ways. */
#include "addressed.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "bytes.h"
#include "corpus.h"
#include "logic/formula_print.h"
#include "random_formula.h"

enum { OUTPUTS = 5, LENGTH = 3 };

static trap unused;
static struct { size_t proved, short_formats, changed, kept, still_proved, languages, tables; } met;

/* ---- models ---- */

static void random_text(char *out, size_t size, test_random *r) {
    static const char *const names[] = {"x", "y", "a long text", "1", "b"};
    random_shape shape = {.letters = 2 + (unsigned)random_below(r, 2), .size = 1 + random_below(r, 6), .depth = 4};
    shape.past = random_below(r, 4);
    shape.future = !shape.past || !random_below(r, 3);
    shape.counting = !random_below(r, 3);
    shape.modulo = !random_below(r, 5);
    temper_spec *s = make_spec(&unused, shape.letters, TEMPER_AT_LAST);
    size_t count = 1 + random_below(r, OUTPUTS), at;
    at = (size_t)snprintf(out, size, "alphabet a b%s\ntransduce\n", shape.letters == 3 ? " c" : "");
    for (size_t k = 0; k < count; k++) {
        text t;
        text_init(&t, &s->memory);
        formula_label(&t, &s->graph, &s->letters, random_formula(&s->graph, r, &shape), 0);
        if (k && k + 1 == count && random_below(r, 2))
            at += (size_t)snprintf(out + at, size - at, "emit '%s' otherwise\n", names[k]);
        else
            at += (size_t)snprintf(out + at, size - at, "emit '%s' = %s\n", names[k], text_string(&t));
    }
    finish_spec(s, 0);
    temper_spec_free(s);
}

static bool model_text(bytes *out, const char *source, temper_method method) {
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    temper_error e;
    temper_build_options b = {.method = method};
    temper_spec_options o = {0};
    bool ok = CHECK(temper_spec_parse(&spec, source, strlen(source), &o, &e) == TEMPER_OK &&
                        temper_build(&m, spec, &b, &e) == TEMPER_OK &&
                        temper_model_print(&out->data, &out->length, m, &e) == TEMPER_OK,
                    "%s: %s", source, e.text);
    temper_model_free(m);
    temper_spec_free(spec);
    return ok;
}

/* ---- what is right ---- */

typedef bool (*oracle)(size_t output, const uint32_t *word, size_t n);

static bool agrees(const temper_model *m, size_t outputs, const temper_spec *spec, oracle says) {
    size_t letters = temper_model_about(m).letters;
    if (temper_model_about(m).outputs != outputs) return false;
    for (size_t n = 0; n <= LENGTH; n++) {
        uint32_t word[LENGTH + 1] = {0};
        do {
            temper_run *run = NULL;
            temper_error e;
            temper_run_options o = {.unchecked = 1, .threads = 1};
            bool ok = temper_model_run(&run, m, word, n, &o, &e) == TEMPER_OK;
            for (size_t i = 0; ok && i <= n; i++)
                for (size_t k = 0; ok && k < outputs; k++) {
                    unsigned char truth[LENGTH + 1];
                    int accept = says && says(k, word, i);
                    if (!says && i == 0) temper_spec_eval(&accept, NULL, temper_spec_output(spec, k), word, 0, &e);
                    if (!says && i > 0) {
                        int whole;
                        temper_spec_eval(&whole, truth, temper_spec_output(spec, k), word, n, &e);
                        accept = truth[i - 1];
                    }
                    ok = temper_run_output(run, k)[i] == accept;
                }
            temper_run_free(run);
            if (!ok) return false;
        } while (corpus_next_word(word, n, letters));
    }
    return true;
}

/* By the source that the model carries, or by an oracle. */
static bool is_right(const temper_model *m, oracle says) {
    temper_spec *spec = NULL;
    temper_error e;
    if (temper_model_spec(&spec, m, &e) != TEMPER_OK) return false;
    size_t outputs = says ? temper_model_about(m).letters + 1 : temper_spec_about(spec).outputs;
    bool right = temper_spec_about(spec).kind == temper_model_about(m).kind && agrees(m, outputs, spec, says);
    for (size_t k = 0; right && !says && k < outputs; k++)
        right = !strcmp(temper_spec_output_name(spec, k), temper_model_output_name(m, k));
    temper_spec_free(spec);
    return right;
}

/* ---- certificates ---- */

/* What certify says; empty data: it proves nothing. */
static bytes certified(const bytes *file, size_t n, temper_type type, temper_certificate_info *about) {
    bytes out = {0};
    temper_model *m = NULL;
    temper_certificate *c = NULL;
    temper_error e;
    temper_certify_options o = {.length = n, .type = type};
    *about = (temper_certificate_info){0};
    if (temper_model_read(&m, file->data, file->length, &e) == TEMPER_OK &&
        CHECK(temper_certify(&c, m, file->data, file->length, &o, &e) == TEMPER_OK, "%s\n%s", e.text, file->data)) {
        *about = temper_certificate_about(c);
        if (about->verdict == TEMPER_PROVED)
            CHECK(temper_certificate_print(&out.data, &out.length, c, &e) == TEMPER_OK, "%s", e.text);
    }
    temper_certificate_free(c);
    temper_model_free(m);
    return out;
}

static const temper_type TYPES[] = {TEMPER_TYPE_F64,      TEMPER_TYPE_F32,     TEMPER_TYPE_F32,
                                    TEMPER_TYPE_BF16_F32, TEMPER_TYPE_F16_F32, TEMPER_TYPE_F16};

/* A model that ought to be what its source says. Returns its certificate. */
static bytes check_honest(const bytes *file, size_t n, temper_type type, oracle says) {
    temper_certificate_info about;
    temper_model *m = NULL;
    temper_error e;
    temper_proof p;
    if (!CHECK(temper_model_read(&m, file->data, file->length, &e) == TEMPER_OK, "%s\n%s", e.text, file->data))
        return (bytes){0};
    CHECK(is_right(m, says), "a model with other answers than its source's:\n%s", file->data);
    CHECK(temper_model_proof(&p, m, type, 0, &e) == TEMPER_OK, "%s", e.text);
    if (n > p.length) n = p.length;
    bytes c = certified(file, n, type, &about);
    CHECK((p.claim != TEMPER_CLAIM_NONE) == (about.verdict == TEMPER_PROVED) &&
              (!c.data || about.claim == TEMPER_CLAIM_FORMULA),
          "to %zu in %s: claim %s, %s%s\n%s", n, temper_type_name(type), temper_claim_name(p.claim), about.note,
          about.reason, file->data);
    if (c.data) {
        CHECK(temper_audit(c.data, c.length, file->data, file->length, NULL, &e) == TEMPER_OK, "%s\n%s\n%s", e.text,
              c.data, file->data);
        CHECK(strstr(c.data, "\"temper-certificate\": 3,"), "%s", c.data);
        met.proved++;
        met.short_formats += type > TEMPER_TYPE_F32;
    }
    temper_model_free(m);
    return c;
}

/* ---- changed read-outs ---- */

static char *drift_number(char *data, const char *begin, size_t which) {
    for (char *at = strstr(data, begin); at; at = strstr(at + 1, begin))
        if (which-- == 0) return at + 1;
    return NULL;
}

static size_t count_lines(char *data, const char *begin) {
    size_t count = 0;
    while (drift_number(data, begin, count)) count++;
    return count;
}

/* One change of the lines that begin with `read`, or of the kind; false: there is nothing to change so. */
static bool change_read_out(bytes *b, test_random *r) {
    char *digest = strstr(b->data, "\ndigest ");
    if (digest) splice(b, (size_t)(digest + 1 - b->data), b->length - (size_t)(digest + 1 - b->data), "");
    size_t rows = count_lines(b->data, "\nread ");
    char *row = drift_number(b->data, "\nread ", random_below(r, rows)), *end = strchr(row, '\n'), with[400];
    char *other = drift_number(b->data, "\nread ", random_below(r, rows)), *other_end = strchr(other, '\n');
    char *quote = strchr(row + 6, '"'), *colon = strrchr(row, ':');
    size_t at = (size_t)(row - b->data), length = (size_t)(end - row);
    colon = NULL;
    for (char *p = quote ? quote : row; p < end; p++)
        if (*p == ':' && (!colon || random_below(r, 2))) colon = p;
    switch (random_below(r, 9)) {
    case 0: splice(b, at, length + 1, ""); return true;                     /* removed */
    case 1: snprintf(with, sizeof with, "%.*s\n", (int)length, row); break; /* twice */
    case 2:                                                                 /* a name */
        splice(b, at, (size_t)(quote + 1 - row), random_below(r, 2) ? "read \"z\"" : "read \"\"");
        return true;
    case 3:
        if (!colon) return false;
        splice(b, (size_t)(colon + 1 - b->data), 0, "-"); /* a sign */
        return true;
    case 4: /* another channel */
        if (!colon || colon[-1] < '0' || colon[-1] > '8') return false;
        colon[-1]++;
        return true;
    case 5:
        if (row == other || !quote) return false;
        /* the weights of another row */
        snprintf(with, sizeof with, "%.*s%.*s", (int)(quote + 1 - row), row,
                 (int)(other_end - (strchr(other + 6, '"') + 1)), strchr(other + 6, '"') + 1);
        splice(b, at, length, with);
        return true;
    case 6:
        snprintf(with, sizeof with, "%.*s 0:1", (int)length, row);
        splice(b, at, length, with);
        return true;
    case 7: {
        char *kind = strstr(b->data, "\nkind ");
        bool next = kind && !strncmp(kind + 6, "next", 4);
        if (!kind) return false;
        splice(b, (size_t)(kind + 6 - b->data), next ? 4 : 10, next ? "transducer" : "next");
        return true;
    }
    default: /* nothing is read */
        splice(b, at + (size_t)(quote + 1 - row), length - (size_t)(quote + 1 - row), "");
        return true;
    }
    splice(b, at, 0, with);
    return true;
}

static void check_changed(const bytes *file, const bytes *certificate, size_t n, temper_type type, oracle says,
                          test_random *r) {
    bytes changed = copy_of(file, 2000);
    temper_model *m = NULL;
    temper_error e;
    temper_certificate_info about;
    if (change_read_out(&changed, r) && temper_model_read(&m, changed.data, changed.length, &e) == TEMPER_OK) {
        bool right = is_right(m, says);
        bytes old = copy_of(certificate, 200);
        address_to(&old, &changed);
        bool audited = temper_audit(old.data, old.length, changed.data, changed.length, NULL, &e) == TEMPER_OK;
        bytes c = certified(&changed, n, type, &about);
        bool as_formula = c.data && about.claim == TEMPER_CLAIM_FORMULA;
        CHECK(right || !audited, "the audit accepts other answers:\n%s\n%s", old.data, changed.data);
        CHECK(right || !as_formula, "certify proves other answers:\n%s\n%s", c.data ? c.data : "", changed.data);
        if (c.data)
            CHECK(temper_audit(c.data, c.length, changed.data, changed.length, NULL, &e) == TEMPER_OK, "%s\n%s\n%s",
                  e.text, c.data, changed.data);
        met.changed++;
        met.kept += right;
        met.still_proved += c.data && !as_formula;
        temper_free(c.data);
        free(old.data);
    }
    temper_model_free(m);
    free(changed.data);
}

/* Every byte of a certificate counts. */
static void check_hostile(const bytes *file, const bytes *certificate, test_random *r) {
    static const char *const pieces[] = {"\"",  "{", "]", "null", "-1", "\\u0000", "accept", ", \"table\": []",
                                         "[[[["};
    temper_error e;
    bytes c = copy_of(certificate, 100);
    size_t at = random_below(r, c.length), cut = random_below(r, 3);
    if (cut > c.length - at) cut = c.length - at;
    splice(&c, at, cut, pieces[random_below(r, sizeof pieces / sizeof *pieces)]);
    if (c.length != certificate->length || memcmp(c.data, certificate->data, c.length) != 0)
        CHECK(temper_audit(c.data, c.length, file->data, file->length, NULL, &e) != TEMPER_OK,
              "a changed certificate:\n%s", c.data);
    free(c.data);
}

static void check_transducer(test_random *r) {
    char source[4000];
    bytes file = {0};
    static const size_t lengths[] = {0, 1, 7, 100, 5000, SIZE_MAX};
    temper_type type = TYPES[random_below(r, sizeof TYPES / sizeof *TYPES)];
    random_text(source, sizeof source, r);
    if (!model_text(&file, source, (temper_method)(TEMPER_METHOD_TEMPERATURE + random_below(r, 3)))) return;
    size_t n = lengths[random_below(r, sizeof lengths / sizeof *lengths)];
    bytes c = check_honest(&file, n, type, NULL);
    for (int k = 0; k < 4 && c.data; k++) check_changed(&file, &c, 3, type, NULL, r);
    for (int k = 0; k < 4 && c.data; k++) check_hostile(&file, &c, r);
    temper_free(c.data);
    temper_free(file.data);
}

/* ---- language models ---- */

/* Whether `next` may come after a word, by search; next = letters: whether it may end. */
typedef bool (*membership)(const uint32_t *word, size_t n);

static bool can_go_on(membership is_member, uint32_t *word, size_t n, size_t most) {
    if (is_member(word, n)) return true;
    for (uint32_t l = 0; n < most && l < 2; l++) {
        word[n] = l;
        if (can_go_on(is_member, word, n + 1, most)) return true;
    }
    return false;
}

static bool follows(membership is_member, size_t output, const uint32_t *word, size_t n) {
    uint32_t longer[LENGTH + 4];
    if (output == 2) return is_member(word, n);
    memcpy(longer, word, n * sizeof *word);
    longer[n] = (uint32_t)output;
    return can_go_on(is_member, longer, n + 1, n + 3);
}

/* (ab)*, and a*b?: every second letter; at most one b, and nothing behind it. */
static bool is_alternating(const uint32_t *w, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (w[k] != k % 2) return false;
    return n % 2 == 0;
}
static bool is_a_then_b(const uint32_t *w, size_t n) {
    for (size_t k = 0; k + 1 < n; k++)
        if (w[k] != 0) return false;
    return true;
}
static bool alternates(size_t output, const uint32_t *w, size_t n) { return follows(is_alternating, output, w, n); }
static bool a_then_b(size_t output, const uint32_t *w, size_t n) { return follows(is_a_then_b, output, w, n); }

typedef struct language {
    const char *source, *at; /* the text, and where it is read */
    const char *next_a, *next_b, *end;
    const char *empty; /* which outputs hold before the first letter */
    oracle says;
} language;

#define ALTERNATES "H (a -> first | Y b) & H (b -> Y a)"
static const language LANGUAGES[] = {
    {"next\nregex (ab)*\n", "last", ALTERNATES " & b", ALTERNATES " & a", ALTERNATES " & b", "a.e", alternates},
    {"next\n" ALTERNATES " & b\n", "last", "b & " ALTERNATES, ALTERNATES " & a", ALTERNATES " & b", "a.e",
     alternates},
    {"next\na & G ((a -> X b) & (b -> wX a))\n", "first", ALTERNATES " & b", ALTERNATES " & a", ALTERNATES " & b",
     "a.e", alternates},
    {"next\n/(ab)*/ & !O(b & first)\n", "last", ALTERNATES " & b", ALTERNATES " & a", ALTERNATES " & b", "a.e",
     alternates},
    {"next\nregex a*b?\n", "last", "H a", "H a", "!Y O b", "abe", a_then_b},
    {"next\n!Y O b\n", "last", "!O b", "#[b] = 0", "H (b -> !Y O b) & !Y O b", "abe", a_then_b},
};
enum { LANGUAGE_COUNT = sizeof LANGUAGES / sizeof *LANGUAGES };

/* The transducer of the three formulas, made a language model by hand. */
static bytes language_model(const language *l, temper_method method) {
    char source[1000], line[1200];
    bytes made = {0};
    snprintf(source, sizeof source, "alphabet a b\ntransduce\nemit 'a' = %s\nemit 'b' = %s\nemit nothing = %s\n",
             l->next_a, l->next_b, l->end);
    if (!model_text(&made, source, method)) return made;
    bytes b = copy_of(&made, 4000);
    temper_free(made.data);
    char *digest = strstr(b.data, "\ndigest ");
    splice(&b, (size_t)(digest + 1 - b.data), b.length - (size_t)(digest + 1 - b.data), "");
    char *at = strstr(b.data, "kind transducer");
    splice(&b, (size_t)(at - b.data), 15, "kind next");
    at = strstr(b.data, "source \"");
    char *end = strchr(at, '\n');
    size_t used = (size_t)snprintf(line, sizeof line, "source \"");
    for (const char *p = l->source; *p; p++)
        used += (size_t)snprintf(line + used, sizeof line - used, *p == '\n' ? "\\n" : "%c", *p);
    snprintf(line + used, sizeof line - used, "\"");
    splice(&b, (size_t)(at - b.data), (size_t)(end - at), line);
    at = strstr(b.data, "\nat last");
    snprintf(line, sizeof line, "\nat %s", l->at);
    splice(&b, (size_t)(at - b.data), 8, line);
    at = strstr(b.data, "\nempty reject");
    if (strchr(l->empty, 'e')) splice(&b, (size_t)(at - b.data), 13, "\nempty accept");
    size_t channels = count_lines(b.data, "\nchannel ");
    at = strstr(b.data, "\nembed start");
    snprintf(line, sizeof line, " %zu:1", channels);
    splice(&b, (size_t)(strchr(at + 1, '\n') - b.data), 0, line);
    at = strstr(b.data, "\nembed ");
    snprintf(line, sizeof line, "\nchannel %zu \"before\"", channels);
    splice(&b, (size_t)(at - b.data), 0, line);
    for (size_t k = 0; k < 3; k++) {
        if (!strchr(l->empty, "abe"[k])) continue;
        char *row = drift_number(b.data, "\nread ", k);
        snprintf(line, sizeof line, " %zu:1", channels);
        splice(&b, (size_t)(strchr(row, '\n') - b.data), 0, line);
    }
    return b;
}

static void check_language(size_t which, test_random *r) {
    const language *l = &LANGUAGES[which % LANGUAGE_COUNT];
    temper_type type = TYPES[random_below(r, sizeof TYPES / sizeof *TYPES)];
    bytes file = language_model(l, (temper_method)(TEMPER_METHOD_TEMPERATURE + random_below(r, 3)));
    if (!file.data) return;
    bytes c = check_honest(&file, random_below(r, 2) ? 20 : SIZE_MAX, type, l->says);
    if (c.data) {
        met.languages++;
        met.tables += strstr(c.data, "\"table\": [\"0:") != NULL;
        CHECK(strstr(c.data, "\"kind\": \"next\"") && strstr(c.data, "\"channels\": []"), "%s", c.data);
    }
    for (int k = 0; k < 3 && c.data; k++) check_changed(&file, &c, 3, type, l->says, r);
    for (int k = 0; k < 5 && c.data; k++) check_hostile(&file, &c, r);
    temper_free(c.data);
    free(file.data);
}

/* Another language: the outputs are proved as what they are, not as what comes next. */
static void check_other_language(void) {
    language l = LANGUAGES[4];
    temper_certificate_info about;
    temper_error e;
    l.end = "H a";
    bytes file = language_model(&l, TEMPER_METHOD_TEMPERATURE), c = certified(&file, 9, TEMPER_TYPE_F64, &about);
    CHECK(about.verdict == TEMPER_PROVED && about.claim == TEMPER_CLAIM_CHOICES &&
              temper_audit(c.data, c.length, file.data, file.length, NULL, &e) == TEMPER_OK,
          "%s", c.data ? c.data : file.data);
    temper_free(c.data);
    free(file.data);
}

int main(void) {
    test_random r = test_seed(1515);
    size_t count = (size_t)(120 * test_effort()) + 20;
    for (size_t k = 0; k < count; k++) check_transducer(&r);
    for (size_t k = 0; k < count / 4 + LANGUAGE_COUNT; k++) check_language(k, &r);
    check_other_language();
    CHECK(met.proved > count / 2 && met.short_formats > 2 && met.changed > count && met.languages > count / 5 &&
              met.tables == met.languages && met.still_proved > 2,
          "%zu proved, %zu in short formats; %zu changed, %zu of them right, %zu with another claim; %zu languages, "
          "%zu tables",
          met.proved, met.short_formats, met.changed, met.kept, met.still_proved, met.languages, met.tables);
    printf("%zu proved, %zu changed, %zu of them right, %zu proved as what they are, %zu language models\n",
           met.proved, met.changed, met.kept, met.still_proved, met.languages);
    return test_finish("t-certify-outputs");
}
