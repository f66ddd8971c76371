/* The auditor against everything it should prove, and against everything it must not.

   - the corpus and random formulas, by every method: what the compiler makes is proved in f64 and f32; in any type
   the prover's
     certificate is the audit's, byte by byte, and where there is none the audit refuses, too
   - tampered certificates are refused, always - tampered models are refused with their certificate, and with one
   whose SHA-256 was made to fit; or else, where the change means
     nothing, the changed model still gives the source's answers on all short strings
   - texts that are no certificate are refused and crash nothing */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "addressed.h"
#include "bytes.h"
#include "corpus.h"
#include "random_formula.h"

/* A model as text. */
static bool model_text(bytes *out, const temper_spec *spec, temper_method method) {
    temper_model *model = NULL;
    temper_build_options o = {.method = method};
    temper_error e;
    bool ok = temper_build(&model, spec, &o, &e) == TEMPER_OK &&
              temper_model_print(&out->data, &out->length, model, &e) == TEMPER_OK;
    temper_model_free(model);
    return ok;
}

static temper_status certificate_of(bytes *out, const bytes *model, uint64_t n, temper_type type, temper_error *e) {
    return audit_certificate(&out->data, &out->length, model->data, model->length, n, type, e);
}

/* ---- proofs ---- */

/* What the audit writes, it accepts. */
static void check_proof(const char *name, const bytes *model, uint64_t n, temper_type type) {
    bytes c = {0};
    temper_error e;
    if (CHECK(certificate_of(&c, model, n, type, &e) == TEMPER_OK, "%s in %s: %s", name, temper_type_name(type),
              e.text))
        CHECK(temper_audit(c.data, c.length, model->data, model->length, NULL, &e) == TEMPER_OK, "%s in %s: %s", name,
              temper_type_name(type), e.text);
    temper_free(c.data);
}

/* How many claims the prover made, and how many of them are about a formula that it read off: it need not see that a
   source with huge coefficients is what the model computes. */
static struct { size_t claims, read_off; } both;

/* Prover and auditor, which share no thought, write the same, or both nothing. */
static void check_both(const char *name, const bytes *model, test_random *r) {
    static const size_t lengths[] = {0, 1, 2, 7, 20, 50, 90, 127, 128, 255, 300, 1000, 65535, 1000000, 1000000000};
    size_t n = lengths[random_below(r, sizeof lengths / sizeof *lengths)];
    temper_type type = TEMPER_TYPE_EXACT;
    while (type == TEMPER_TYPE_EXACT) type = (temper_type)random_below(r, NUMBER_TYPES);
    if (n > 300 && n < 4096 && type != TEMPER_TYPE_F64 && type != TEMPER_TYPE_F32) n = 60; /* trying takes its time */
    temper_model *read = NULL;
    temper_certificate *proof = NULL;
    bytes prover = {0}, auditor = {0};
    temper_error e;
    temper_certify_options o = {.length = n, .type = type};
    bool ok = CHECK(temper_model_read(&read, model->data, model->length, &e) == TEMPER_OK &&
                        temper_certify(&proof, read, model->data, model->length, &o, &e) == TEMPER_OK,
                    "%s: %s", name, e.text);
    bool proved = ok && temper_certificate_about(proof).verdict == TEMPER_PROVED;
    if (proved) temper_certificate_print(&prover.data, &prover.length, proof, &e);
    bool audited = certificate_of(&auditor, model, n, type, &e) == TEMPER_OK;
    const char *reason = ok && !proved ? temper_certificate_about(proof).reason : "";
    if (ok)
        CHECK(proved == audited, "%s to %zu in %s: the prover %s, the auditor %s", name, n, temper_type_name(type),
              proved ? "proves it" : reason, audited ? "proves it" : e.text);
    bool of_source = proved && strstr(prover.data, "\"claim\": \"formula\"") != NULL;
    both.claims += proved;
    both.read_off += proved && !of_source;
    if (proved)
        CHECK(temper_audit(prover.data, prover.length, model->data, model->length, NULL, &e) == TEMPER_OK,
              "%s to %zu in %s: %s", name, n, temper_type_name(type), e.text);
    if (of_source && audited)
        CHECK(prover.length == auditor.length && memcmp(prover.data, auditor.data, prover.length) == 0,
              "%s to %zu in %s: the prover writes\n%s\nthe auditor\n%s", name, n, temper_type_name(type), prover.data,
              auditor.data);
    temper_free(prover.data);
    temper_free(auditor.data);
    temper_certificate_free(proof);
    temper_model_free(read);
}

static void check_corpus(test_random *r, size_t step) {
    for (size_t k = 0; k < corpus_size(); k += step) {
        const corpus_entry *e = corpus_at(k);
        temper_spec *spec = corpus_parse(e);
        for (temper_method m = TEMPER_METHOD_TEMPERATURE; spec && m <= TEMPER_METHOD_DIGITS; m++) {
            bytes model;
            if (!model_text(&model, spec, m)) continue; /* t-agree-corpus knows which cannot be compiled */
            check_proof(e->name, &model, 300, k % 3 ? TEMPER_TYPE_F64 : TEMPER_TYPE_F32);
            if ((k + m) % 2) check_both(e->name, &model, r);
            temper_free(model.data);
        }
        temper_spec_free(spec);
    }
}

static random_shape shape_of(test_random *r) {
    uint64_t way = random_below(r, 3), kind = random_below(r, 4);
    bool places = kind != 3 && random_below(r, 3) == 0;
    return (random_shape){.letters = 1 + (unsigned)random_below(r, 4),
                          .size = 1 + random_below(r, 24),
                          .depth = 1 + random_below(r, 8),
                          .past = way != 1,
                          .future = way != 0,
                          .counting = kind == 1 || kind == 2,
                          .modulo = kind == 2,
                          .places = places,
                          .attend = kind == 3,
                          .large = !places && random_below(r, 4) == 0};
}

/* A random formula as text, and parsed from it: a model carries the text. */
static temper_spec *random_source(char **printed, test_random *r) {
    random_shape shape = shape_of(r);
    temper_spec *drawn = random_spec(r, &shape, random_below(r, 2) ? TEMPER_AT_FIRST : TEMPER_AT_LAST), *spec = NULL;
    temper_error e;
    char letters[8] = "abcd";
    letters[shape.letters] = 0;
    temper_spec_options o = {.syntax = shape.attend ? TEMPER_SYNTAX_BRASP : TEMPER_SYNTAX_SPEC,
                             .alphabet = letters,
                             .at = temper_spec_about(drawn).at,
                             .empty = random_below(r, 2) ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT};
    if (CHECK(temper_spec_print(printed, drawn, &e) == TEMPER_OK, "%s", e.text))
        CHECK(temper_spec_parse(&spec, *printed, strlen(*printed), &o, &e) == TEMPER_OK, "%s: %s", *printed, e.text);
    temper_spec_free(drawn);
    return spec;
}

static void check_random(test_random *r, size_t count) {
    for (size_t k = 0; k < count; k++) {
        char *printed = NULL;
        bytes model;
        temper_spec *spec = random_source(&printed, r);
        temper_method m = (temper_method)(TEMPER_METHOD_TEMPERATURE + k % 3);
        if (spec && model_text(&model, spec, m)) {
            check_proof(printed, &model, 100, TEMPER_TYPE_F64);
            check_both(printed, &model, r);
            temper_free(model.data);
        }
        temper_free(printed);
        temper_spec_free(spec);
    }
}

/* ---- tampered certificates ---- */

static size_t line_start(const bytes *b, size_t number) {
    size_t at = 0;
    for (; number && at < b->length; at++) number -= b->data[at] == '\n';
    return at;
}

static size_t count_lines(const bytes *b) {
    size_t lines = 0;
    for (size_t k = 0; k < b->length; k++) lines += b->data[k] == '\n';
    return lines;
}

static void swap_lines(bytes *b, size_t x, size_t y) {
    if (x > y) {
        size_t swap = x;
        x = y, y = swap;
    }
    size_t a = line_start(b, x), a_end = line_start(b, x + 1), c = line_start(b, y), c_end = line_start(b, y + 1);
    if (x == y || a_end > c) return;
    char *data = malloc(b->length + 1);
    size_t used = 0;
    const size_t part[][2] = {{0, a}, {c, c_end}, {a_end, c}, {a, a_end}, {c_end, b->length}};
    for (size_t k = 0; k < 5; k++) {
        memcpy(data + used, b->data + part[k][0], part[k][1] - part[k][0]);
        used += part[k][1] - part[k][0];
    }
    data[used] = 0;
    free(b->data);
    b->data = data;
}

/* A number somewhere in the text, as written: where and how long. */
static bool find_number(const bytes *b, test_random *r, size_t from, size_t to, size_t *at, size_t *length) {
    size_t found = 0;
    for (size_t k = from; k < to; k++) {
        if (b->data[k] < '0' || b->data[k] > '9' || (k > from && strchr("0123456789abcdefx.", b->data[k - 1])))
            continue;
        size_t n = strspn(b->data + k, "0123456789");
        if (random_below(r, ++found) == 0) *at = k, *length = n;
    }
    return found > 0;
}

static const char *other_number(char out[32], const char *old, size_t length, test_random *r) {
    long value = strtol(old, NULL, 10), fresh = value;
    static const long corners[] = {0, 1, 2, 3, 7, 8, 9, 16, 100, 255, 4096};
    (void)length;
    switch (random_below(r, 4)) {
    case 0: fresh = value + 1; break;
    case 1: fresh = value > 0 ? value - 1 : 5; break;
    case 2: fresh = 2 * value + 1; break;
    default: fresh = corners[random_below(r, sizeof corners / sizeof *corners)];
    }
    snprintf(out, 32, "%ld", fresh);
    return out;
}

static void tamper_certificate(bytes *c, test_random *r) {
    size_t lines = count_lines(c), at = 0, length = 0;
    char number[32];
    switch (random_below(r, 7)) {
    case 0: c->data[random_below(r, c->length)] ^= (char)(1 << random_below(r, 8)); break;
    case 1: splice(c, random_below(r, c->length), 1, ""); break;
    case 2: splice(c, random_below(r, c->length + 1), 0, random_below(r, 2) ? " " : "0"); break;
    case 3: swap_lines(c, random_below(r, lines), random_below(r, lines)); break;
    case 4: { /* a line twice, or not at all */
        size_t line = random_below(r, lines), begin = line_start(c, line), end = line_start(c, line + 1);
        char *text_of = calloc(end - begin + 1, 1);
        memcpy(text_of, c->data + begin, end - begin);
        splice(c, begin, random_below(r, 2) ? 0 : end - begin, random_below(r, 2) ? text_of : "");
        free(text_of);
        break;
    }
    case 5: {
        static const char *const types[] = {"f64", "f32", "bf16", "f16", "bf16/f32", "exact", "e4m3", "any", "once"};
        const char *where = strstr(c->data, "\"type\": \"");
        if (!where) break;
        size_t begin = (size_t)(where - c->data) + 9;
        splice(c, begin, strcspn(c->data + begin, "\""), types[random_below(r, sizeof types / sizeof *types)]);
        break;
    }
    default:
        if (find_number(c, r, 0, c->length, &at, &length))
            splice(c, at, length, other_number(number, c->data + at, length, r));
    }
}

/* What a certificate claims, if it can be told: a changed one may be the true one of another length or type. */
static bool is_true_of_another(const bytes *c, const bytes *model) {
    const char *length = strstr(c->data, "\n  \"length\": "), *type = strstr(c->data, "\n  \"type\": \"");
    if (!length || !type) return false;
    for (int k = 0; *temper_type_name((temper_type)k); k++) {
        bytes made = {0};
        size_t n = strlen(temper_type_name((temper_type)k));
        if (strncmp(type + 12, temper_type_name((temper_type)k), n) || type[12 + n] != '"') continue;
        bool same =
            certificate_of(&made, model, strtoull(length + 13, NULL, 10), (temper_type)k, NULL) == TEMPER_OK &&
            made.length == c->length && memcmp(made.data, c->data, c->length) == 0;
        temper_free(made.data);
        return same;
    }
    return false;
}

static void check_tampered_certificates(const bytes *model, const bytes *certificate, test_random *r, size_t count) {
    for (size_t k = 0; k < count; k++) {
        bytes c = copy_of(certificate, 0);
        for (uint64_t times = 1 + random_below(r, 2); times > 0; times--) tamper_certificate(&c, r);
        bool same = c.length == certificate->length && memcmp(c.data, certificate->data, c.length) == 0;
        temper_error e;
        temper_status s = temper_audit(c.data, c.length, model->data, model->length, NULL, &e);
        CHECK(s == e.code && (s == TEMPER_OK) == (same || is_true_of_another(&c, model)),
              "a tampered certificate is accepted:\n%s", c.data);
        CHECK(s == TEMPER_OK || *e.text, "refused without a reason");
        free(c.data);
    }
}

/* ---- tampered models ---- */

/* The text with its digest put right. */
static void fix_digest(bytes *m) {
    char *last = m->data, line[40];
    for (char *p = m->data; (p = strstr(p, "\ndigest ")) != NULL; p++) last = p + 1;
    if (last == m->data) return;
    snprintf(line, sizeof line, "digest %016llx\n",
             (unsigned long long)model_digest(m->data, (size_t)(last - m->data)));
    splice(m, (size_t)(last - m->data), m->length - (size_t)(last - m->data), line);
}

static const char *pick(test_random *r, const char *const *words, size_t count) {
    return words[random_below(r, count)];
}

/* One word of the line, if it is there, becomes another of its kind. */
static void change_word(bytes *m, size_t begin, size_t end, test_random *r) {
    static const char *const masks[] = {"mask all", "mask j<i", "mask j<=i", "mask j>i", "mask j>=i"};
    static const char *const choices[] = {"choice softmax", "choice average", "choice leftmost", "choice rightmost"};
    static const char *const symbols[] = {"i", "N", "n", "+", "-", "*", "/", "max", "min", "ln", "="};
    const char *old = NULL, *fresh = NULL;
    switch (random_below(r, 3)) {
    case 0: old = pick(r, masks, 5), fresh = pick(r, masks, 5); break;
    case 1: old = pick(r, choices, 4), fresh = pick(r, choices, 4); break;
    default: old = pick(r, symbols, 11), fresh = pick(r, symbols, 11);
    }
    char *where = strstr(m->data + begin, old);
    if (where && where + strlen(old) <= m->data + end) splice(m, (size_t)(where - m->data), strlen(old), fresh);
}

/* A line of the weights, and where its label ends: names mean nothing. */
static size_t random_line(const bytes *m, test_random *r, size_t *begin) {
    for (size_t lines = count_lines(m);;) {
        size_t line = random_below(r, lines), at = line_start(m, line);
        const char *p = m->data + at;
        bool labelled = !strncmp(p, "channel", 7) || !strncmp(p, "head", 4);
        if (!labelled && strncmp(p, "embed", 5) && strncmp(p, "unit", 4) && strncmp(p, "read", 4) &&
            strncmp(p, "  ", 2) && random_below(r, 20))
            continue;
        if (labelled) at = (size_t)(strchr(strchr(p, '"') + 1, '"') - m->data) + 1;
        if (m->data[at] == '\n') continue;
        *begin = at;
        return line;
    }
}

static void tamper_model(bytes *m, test_random *r) {
    size_t lines = count_lines(m), begin, line = random_line(m, r, &begin);
    size_t end = line_start(m, line + 1), at = 0, length = 0;
    char number[32];
    switch (random_below(r, 8)) {
    case 0: change_word(m, begin, end, r); break;
    case 1: swap_lines(m, line, 1 + random_below(r, lines - 2)); break;
    case 2: splice(m, line_start(m, line), end - line_start(m, line), ""); break;
    case 3: { /* a sign */
        char *colon = memchr(m->data + begin, ':', end - begin);
        if (colon) splice(m, (size_t)(colon - m->data) + 1, colon[1] == '-', colon[1] == '-' ? "" : "-");
        break;
    }
    case 4: { /* a row's first term goes away */
        char *colon = memchr(m->data + begin, ':', end - begin), *from = colon;
        while (from && from > m->data + begin && from[-1] != ' ') from--;
        if (colon) splice(m, (size_t)(from - m->data), strcspn(from, " \n"), "");
        break;
    }
    default:
        if (find_number(m, r, begin, end, &at, &length))
            splice(m, at, length, other_number(number, m->data + at, length, r));
    }
}

/* The certificate with this model's SHA-256 and size. */
static bytes fitted(const bytes *certificate, const bytes *model) {
    bytes c = copy_of(certificate, 0);
    char line[160], hex[SHA256_HEX + 1];
    sha256_of(hex, model->data, model->length);
    snprintf(line, sizeof line, "  \"model\": {\"sha256\": \"%s\", \"bytes\": %zu},\n", hex, model->length);
    splice(&c, line_start(&c, 2), line_start(&c, 3) - line_start(&c, 2), line);
    return c;
}

/* The source's answers at every position of all short strings. */
static bool still_right(const temper_model *m, const temper_spec *spec) {
    size_t letters = temper_spec_about(spec).letters, most = corpus_length(letters, 400, 6);
    for (size_t n = 0; n <= most; n++) {
        uint32_t word[16] = {0};
        unsigned char truth[16];
        do {
            int accept;
            temper_error e;
            temper_run *run = NULL;
            temper_run_options o = {.unchecked = 1, .threads = 1};
            bool ok = temper_spec_eval(&accept, truth, spec, word, n, &e) == TEMPER_OK &&
                      temper_model_run(&run, m, word, n, &o, &e) == TEMPER_OK &&
                      temper_run_about(run).accept == accept;
            for (size_t i = 1; ok && i <= n; i++) ok = temper_run_about(run).truth[i] == truth[i - 1];
            temper_run_free(run);
            if (!ok) return false;
        } while (corpus_next_word(word, n, letters));
    }
    return true;
}

typedef struct tally {
    size_t unreadable, refused, harmless;
} tally;

static void check_tampered_models(const temper_spec *spec, const bytes *model, const bytes *certificate,
                                  test_random *r, size_t count, tally *t) {
    for (size_t k = 0; k < count; k++) {
        bytes m = copy_of(model, 0);
        temper_error e;
        temper_model *read = NULL;
        tamper_model(&m, r);
        fix_digest(&m);
        bool same = m.length == model->length && memcmp(m.data, model->data, m.length) == 0;
        temper_status plain = temper_audit(certificate->data, certificate->length, m.data, m.length, NULL, &e);
        CHECK((plain == TEMPER_OK) == same, "the certificate of another model is accepted for\n%s", m.data);
        bytes c = fitted(certificate, &m);
        temper_status s = temper_audit(c.data, c.length, m.data, m.length, NULL, &e);
        if (temper_model_read(&read, m.data, m.length, NULL) != TEMPER_OK)
            t->unreadable++;
        else if (s != TEMPER_OK)
            t->refused++;
        else
            t->harmless++;
        /* the fields of the certificate say which source it is about, so the answers must be that source's */
        if (s == TEMPER_OK && !same)
            CHECK(read && still_right(read, spec), "a changed model with other answers is accepted:\n%s", m.data);
        temper_model_free(read);
        free(c.data);
        free(m.data);
    }
}

static const char *const victims[] = {"O a & Y b",          "a S (b & O a)",      "#[a] > #>[b] | X a",
                                      "#[a] % 3 = 1 ^ a",   "2*#[a] - #[b] >= 1", "(#[a] + 2*#[b]) % 3 = 2",
                                      "G (a -> F b)",       "a U b W a",          "#>[a] % 2 = 0 & H b",
                                      "Z (a T b) -> first", "#[a] = #[b] | last", "O (a & #[b] >= 2)"};

static void check_tampering(test_random *r, size_t each) {
    tally t = {0};
    for (size_t k = 0; k < 2 * (sizeof victims / sizeof *victims); k++) {
        const char *source = victims[k / 2];
        temper_spec *spec = NULL;
        temper_error e;
        bytes model, certificate;
        temper_spec_options o = {.alphabet = "ab", .at = TEMPER_AT_LAST, .empty = TEMPER_EMPTY_ACCEPT};
        CHECK(temper_spec_parse(&spec, source, strlen(source), &o, &e) == TEMPER_OK, "%s: %s", source, e.text);
        if (!CHECK(model_text(&model, spec, k % 2 ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS), "%s",
                   source))
            continue;
        if (CHECK(certificate_of(&certificate, &model, 77, TEMPER_TYPE_F64, &e) == TEMPER_OK, "%s: %s", source,
                  e.text)) {
            check_tampered_certificates(&model, &certificate, r, each);
            check_tampered_models(spec, &model, &certificate, r, each, &t);
        }
        temper_free(model.data);
        temper_free(certificate.data);
        temper_spec_free(spec);
    }
    size_t all = t.refused + t.unreadable + t.harmless; /* of a few, more may be unreadable by chance */
    CHECK(all < 100 || t.refused > t.unreadable, "%zu models were refused, %zu could not be read, %zu meant the same",
          t.refused, t.unreadable, t.harmless);
}

/* ---- models that leave the range of a short format ---- */

/* `from` becomes `to` in the model of a formula, which means the same in exact arithmetic, and in wide formats. */
typedef struct forgery {
    const char *formula, *from[3], *to[3];
    temper_type type;
} forgery;

static void check_forgery(const forgery *f) {
    static const temper_spec_options o = {.alphabet = "ab", .at = TEMPER_AT_LAST, .empty = TEMPER_EMPTY_REJECT};
    temper_spec *spec = NULL;
    temper_error e;
    bytes made = {0}, c = {0};
    CHECK(temper_spec_parse(&spec, f->formula, strlen(f->formula), &o, &e) == TEMPER_OK, "%s", e.text);
    if (!CHECK(model_text(&made, spec, TEMPER_METHOD_TEMPERATURE), "%s", f->formula)) return;
    bytes m = copy_of(&made, 1000);
    CHECK(certificate_of(&c, &m, 5, f->type, &e) == TEMPER_OK, "%s: %s", f->formula, e.text);
    temper_free(c.data);
    for (size_t k = 0; k < 3 && f->from[k]; k++) {
        const char *at = strstr(m.data, f->from[k]);
        if (CHECK(at, "%s: there is no %s in\n%s", f->formula, f->from[k], m.data))
            splice(&m, (size_t)(at - m.data), strlen(f->from[k]), f->to[k]);
    }
    fix_digest(&m);
    c.data = NULL;
    CHECK(certificate_of(&c, &m, 5, f->type, &e) != TEMPER_OK, "proved in %s:\n%s", temper_type_name(f->type),
          m.data);
    temper_free(c.data);
    c.data = NULL;
    CHECK(certificate_of(&c, &m, 5, TEMPER_TYPE_F64, &e) == TEMPER_OK, "%s:\n%s", e.text, m.data);
    temper_free(c.data);
    free(m.data);
    temper_free(made.data);
    temper_spec_free(spec);
}

static void check_range(void) {
    static const char *const either = "O (first | a)";
    static const forgery forgeries[] = {
        {"O a", {"ln(N) + 8"}, {"ln(N) + 70000"}, TEMPER_TYPE_F16}, /* the scale overflows */
        {either,                                                    /* a sum overflows */
         {"unit 0 0:1 1:1 -> 4:1", "unit 0 0:1 1:1 2:-1 -> 4:-1"},
         {"unit 0 0:32768 1:32768 -> 4:0x1p-15", "unit 0 0:32768 1:32768 2:-32768 -> 4:-0x1p-15"},
         TEMPER_TYPE_F16},
        {either,
         {"unit 0 0:1 1:1 -> 4:1", "unit 0 0:1 1:1 2:-1 -> 4:-1"},
         {"unit 0 0:256 1:256 -> 4:0x1p-8", "unit 0 0:256 1:256 2:-256 -> 4:-0x1p-8"},
         TEMPER_TYPE_E4M3_F32},
        {either, /* channel 5 is 0, but 3/2 and 1/2 of the least number tie to even */
         {"channel 4 \"first | a\"\n", "unit 0 0:1 -> 0:-1\n"},
         {"channel 4 \"first | a\"\nchannel 5 \"x\"\n",
          "unit 0x1.8p+0 -> 5:0x1p-24\nunit 0x1p-1 -> 5:-0x1p-24\nunit 0x1p-1 -> 5:-0x1p-24\n"
          "unit 0x1p-1 -> 5:-0x1p-24\nunit 0 0:1 -> 0:-1\n"},
         TEMPER_TYPE_F16},
    };
    for (size_t k = 0; k < sizeof forgeries / sizeof *forgeries; k++) check_forgery(&forgeries[k]);
}

/* ---- the order of units ---- */

/* An exclusive or is two ramps. If their units are added crosswise, partial sums may be rounded, and what is left
   over is no Boolean. */
static void check_order(void) {
    static const temper_spec_options o = {.alphabet = "ab", .at = TEMPER_AT_LAST};
    static const char formula_text[] = "(O a) ^ (Y b)";
    temper_spec *spec = NULL;
    temper_error e;
    bytes model = {0}, proof = {0};
    CHECK(temper_spec_parse(&spec, formula_text, sizeof formula_text - 1, &o, &e) == TEMPER_OK &&
              model_text(&model, spec, TEMPER_METHOD_TEMPERATURE) &&
              certificate_of(&proof, &model, 9, TEMPER_TYPE_F64, &e) == TEMPER_OK,
          "%s", e.text);
    temper_free(proof.data);
    size_t first = 0, lines = count_lines(&model);
    while (first < lines && strncmp(model.data + line_start(&model, first), "unit", 4) != 0) first++;
    for (size_t k = 0; k < 4; k++)
        for (size_t j = k + 1; j < 4; j++) {
            bytes m = copy_of(&model, 0);
            swap_lines(&m, first + k, first + j);
            fix_digest(&m);
            proof.data = NULL;
            bool accepted = certificate_of(&proof, &m, 9, TEMPER_TYPE_F64, &e) == TEMPER_OK, apart = k / 2 == j / 2;
            CHECK(accepted == apart, "units %zu and %zu change places: %s\n%s", k, j, accepted ? "accepted" : e.text,
                  m.data);
            temper_free(proof.data);
            free(m.data);
        }
    temper_free(model.data);
    temper_spec_free(spec);
}

/* ---- versions, and formulas that were read off ---- */

static bool replaced(bytes *b, const char *from, const char *to) {
    const char *at = strstr(b->data, from);
    if (at) splice(b, (size_t)(at - b->data), strlen(from), to);
    return at;
}

static void check_versions(void) {
    static const temper_spec_options o = {.alphabet = "ab", .at = TEMPER_AT_LAST};
    static const char *const others[][2] = {{"1", "certify again"}, {"4", "does not know"}, {"0", "certify again"}};
    temper_spec *spec = NULL;
    temper_error e;
    bytes model = {0}, proof = {0};
    CHECK(temper_spec_parse(&spec, "O a", 3, &o, &e) == TEMPER_OK &&
              model_text(&model, spec, TEMPER_METHOD_POSITIONS) &&
              certificate_of(&proof, &model, 9, TEMPER_TYPE_F64, &e) == TEMPER_OK,
          "%s", e.text);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        bytes c = copy_of(&proof, 10);
        char line[40];
        snprintf(line, sizeof line, "\"temper-certificate\": %s", others[k][0]);
        CHECK(replaced(&c, "\"temper-certificate\": 2", line), "no version:\n%s", c.data);
        CHECK(temper_audit(c.data, c.length, model.data, model.length, NULL, &e) == TEMPER_FORMAT &&
                  strstr(e.text, others[k][1]),
              "version %s: %s", others[k][0], e.text);
        free(c.data);
    }
    temper_free(proof.data);
    temper_free(model.data);
    temper_spec_free(spec);
}

typedef struct reading {
    const char *formula, *read_off;
    const char *from, *to; /* a change of the model, or NULL */
    const char *refused;   /* what the refusal says; NULL: it is proved */
} reading;

/* A model without its source; what it computes is claimed instead. */
static void check_reading(const reading *x, temper_method method) {
    static const temper_spec_options o = {.alphabet = "ab", .at = TEMPER_AT_LAST};
    temper_spec *spec = NULL;
    temper_error e;
    bytes made = {0}, proof = {0};
    CHECK(temper_spec_parse(&spec, x->formula, strlen(x->formula), &o, &e) == TEMPER_OK, "%s", e.text);
    if (!CHECK(model_text(&made, spec, method), "%s", x->formula)) return;
    bytes m = copy_of(&made, 1000);
    char source[200];
    snprintf(source, sizeof source, "source \"%s\"\n", x->formula);
    CHECK(replaced(&m, source, ""), "%s", m.data);
    if (x->from) CHECK(replaced(&m, x->from, x->to), "no %s in\n%s", x->from, m.data);
    fix_digest(&m);
    audit_request q = {.length = 20, .type = TEMPER_TYPE_F64, .choices = true, .read_off = x->read_off};
    temper_status s = audit_requested(&proof.data, &proof.length, m.data, m.length, &q, &e);
    CHECK((s == TEMPER_OK) == !x->refused, "%s read as %s: %s\n%s", x->formula, x->read_off,
          s == TEMPER_OK ? "proved" : e.text, m.data);
    if (s != TEMPER_OK)
        CHECK(x->refused && strstr(e.text, x->refused), "%s read as %s: %s", x->formula, x->read_off, e.text);
    if (s == TEMPER_OK) {
        CHECK(strstr(proof.data, "\"claim\": \"hard choices\"") && strstr(proof.data, "\"read-off\": ") &&
                  strstr(proof.data, "\"channels\": []"),
              "%s", proof.data);
        CHECK(temper_audit(proof.data, proof.length, m.data, m.length, NULL, &e) == TEMPER_OK, "%s", e.text);
    }
    temper_free(proof.data);
    free(m.data);
    temper_free(made.data);
    temper_spec_free(spec);
}

static void check_readings(void) {
    static const reading readings[] = {
        {"O a & Y b", "O a & Y b", NULL, NULL, NULL},
        {"O a & Y b", "Y b & !(H !a)", NULL, NULL, NULL}, /* the same in other words */
        {"O a & Y b", "O a | Y b", NULL, NULL, "does not mean"},
        {"O a & Y b", "O a &", NULL, NULL, "the formula that was read off"},
        {"O a & Y b", "alphabet: ba\nO a & Y b", NULL, NULL, "the formula that was read off"},
        {"O a", "O a", "empty reject", "empty accept", "the empty string is not to accept it"},
        {"Y a", "Y a", NULL, NULL, NULL},
        {"Y a", "Y a", "for rightmost", "for leftmost", "not the side"},
        {"Y a", "Y a", "for rightmost", "for average", "not the side"},
        {"#[a] >= #[b]", "#[a] >= #[b]", NULL, NULL, NULL},
        {"#[a] >= #[b]", "#[a] >= #[b]", "for average", "for rightmost", "no average"},
        {"#[a] >= #[b]", "#[a] >= #[b]", " soft \"ln(max(i, 1))", " position \"ln(max(i, 1))", "not soft"},
        {"first", "first", " position \"[i = 1]", " soft \"[i = 1]", "no tie-break"},
        {"#[a] % 3 = 1", "#[a] % 3 = 1", NULL, NULL, NULL},
    };
    for (size_t k = 0; k < sizeof readings / sizeof *readings; k++)
        for (temper_method m = TEMPER_METHOD_TEMPERATURE; m <= TEMPER_METHOD_POSITIONS; m++)
            check_reading(&readings[k], m);
}

/* A certificate that was found by trying every length is accepted; one that does not say so is refused before that is
   tried, and one for more letters than that holds for as soon as a length fails. */
static void check_trials(void) {
    static const temper_spec_options o = {.alphabet = "abc", .at = TEMPER_AT_LAST};
    static const char *const changes[][2] = {{"\"every length\"", "\"bound\""},
                                             {"\"every length\"", "\"every length"},
                                             {"\"length\": 32", "\"length\": 4000"}};
    temper_spec *spec = NULL;
    temper_error e;
    bytes model = {0}, proof = {0};
    CHECK(temper_spec_parse(&spec, "Y a", 3, &o, &e) == TEMPER_OK &&
              model_text(&model, spec, TEMPER_METHOD_TEMPERATURE) &&
              certificate_of(&proof, &model, 32, TEMPER_TYPE_BF16, &e) == TEMPER_OK,
          "%s", e.text);
    CHECK(temper_audit(proof.data, proof.length, model.data, model.length, NULL, &e) == TEMPER_OK, "%s", e.text);
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        bytes c = copy_of(&proof, 10);
        CHECK(replaced(&c, changes[k][0], changes[k][1]), "no %s:\n%s", changes[k][0], c.data);
        temper_status s = temper_audit(c.data, c.length, model.data, model.length, NULL, &e);
        CHECK(k == 1 ? s == TEMPER_FORMAT : s == TEMPER_RANGE && strstr(e.text, "its output may be off by"), "%s: %s",
              changes[k][1], s == TEMPER_OK ? "accepted" : e.text);
        free(c.data);
    }
    temper_free(proof.data);
    temper_free(model.data);
    temper_spec_free(spec);
}

/* The formula that stands for a language is the certificate's own: spelt in another way it is still one, but a
   formula that means something else is none. */
static void check_witness(void) {
    static const temper_spec_options o = {.alphabet = "abc", .at = TEMPER_AT_LAST};
    static const struct {
        const char *from, *to;
        bool accepted;
    } changes[] = {{" | b & !Y a)", " |b & !Y a)", true},
                   {"c & !O", "c & (!O", false},
                   {"c & !O", "a & !O", false},
                   {" | b & !Y a)", " | b & !Y c)", false},
                   {"\"3:01-\"", "\"3:01-\" ", false}};
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    temper_certificate *made = NULL;
    temper_error e;
    bytes model = {0}, proof = {0};
    temper_build_options build = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_certify_options certify = {.length = 3, .type = TEMPER_TYPE_F32};
    CHECK(temper_spec_parse(&spec, "/(ab)*c/", 8, &o, &e) == TEMPER_OK &&
              temper_build(&m, spec, &build, &e) == TEMPER_OK &&
              temper_model_print(&model.data, &model.length, m, &e) == TEMPER_OK &&
              temper_certify(&made, m, model.data, model.length, &certify, &e) == TEMPER_OK &&
              temper_certificate_print(&proof.data, &proof.length, made, &e) == TEMPER_OK,
          "%s", e.text);
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        bytes c = copy_of(&proof, 10);
        CHECK(replaced(&c, changes[k].from, changes[k].to), "no %s:\n%s", changes[k].from, c.data);
        temper_status s = temper_audit(c.data, c.length, model.data, model.length, NULL, &e);
        CHECK((s == TEMPER_OK) == changes[k].accepted, "%s: %s", changes[k].to, s == TEMPER_OK ? "accepted" : e.text);
        free(c.data);
    }
    temper_certificate_free(made);
    temper_free(proof.data);
    temper_free(model.data);
    temper_model_free(m);
    temper_spec_free(spec);
}

/* ---- texts that are no certificates ---- */

static void check_hostile(void) {
    char *deep = malloc(100001);
    memset(deep, '[', 100000);
    deep[100000] = 0;
    const char *const texts[] = {
        "",
        "{",
        "{}",
        "[]",
        "null",
        "{\"length\": 1e9}",
        "{\"length\": 99999999999999999999999999}",
        "{\"length\": 1, \"length\": 1}",
        "{\"claim\": \"formula\", \"length\": 5, \"type\": \"f64\", \"model\": {\"sha256\": \"00\"}}",
        "{\"claim\": \"nothing\"}",
        "{\"type\": \"\xff\"}",
        "{\"source\": \"\xc0\x80\"}",
        "{\"model\": 3}",
        "{\"model\": {\"sha256\": \"a\", \"sha256\": \"b\"}}",
        deep};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        temper_error e;
        temper_status s = temper_audit(texts[k], strlen(texts[k]), "temper-model 1\n", 15, NULL, &e);
        CHECK(s != TEMPER_OK && s == e.code && *e.text, "accepted: %.60s", texts[k]);
    }
    free(deep);
}

int main(void) {
    test_random r = test_seed(23);
    double effort = test_effort();
    check_corpus(&r, effort < 0.1 ? 5 : 1);
    check_random(&r, (size_t)(250 * effort));
    CHECK(both.read_off * 20 <= both.claims, "%zu of %zu certificates are not about the source", both.read_off,
          both.claims);
    check_tampering(&r, (size_t)(45 * effort) + 1);
    check_range();
    check_order();
    check_versions();
    check_readings();
    check_trials();
    check_witness();
    check_hostile();
    return test_finish("t-audit");
}
