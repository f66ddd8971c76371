/* Models of regular expressions and automata are certified and audited: the claim is about the expression. Each real
   expression of tests/automata/regexes.txt is proved to the length that we promise, in f64 and where it needs no
   counters in f32. Then a forger changes tables, formulas, and the language that the model says it computes, and
   addresses the certificate anew; what the auditor accepts of that must still be true. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addressed.h"
#include "bytes.h"
#include "model/model.h"
#include "temper.h"
#include "test.h"

/* .{8,64} is two counts compared with constants; sums of 65 times as many halves as positions end where f32 does. */
static const size_t LONG = 1000000000, WITH_COUNTERS = 7000000, IN_F32 = 130000, COMPARED_IN_F32 = 128000;

typedef struct subject {
    const char *name, *text;
    temper_spec_options options;
    int whole; /* for whole strings: perhaps read from the right */
    temper_model *model;
    bytes file, certificate;
} subject;

static bool compile(subject *s) {
    temper_spec *spec;
    temper_error e;
    temper_status status = temper_spec_parse(&spec, s->text, strlen(s->text), &s->options, &e);
    if (!CHECK(status == TEMPER_OK, "%s: %s", s->name, e.text)) return false;
    temper_build_options soft = {.method = TEMPER_METHOD_TEMPERATURE, .whole = s->whole};
    status = temper_build(&s->model, spec, &soft, &e);
    temper_spec_free(spec);
    if (!CHECK(status == TEMPER_OK, "%s: %s", s->name, e.text)) return false;
    status = temper_model_print(&s->file.data, &s->file.length, s->model, &e);
    return CHECK(status == TEMPER_OK, "%s: %s", s->name, e.text);
}

/* The certificate for a length is kept; false: unable, and *why. */
static bool certify(subject *s, size_t length, temper_type type, char why[200]) {
    temper_certificate *c;
    temper_error e;
    temper_certify_options o = {.length = length, .type = type};
    temper_free(s->certificate.data);
    s->certificate = (bytes){0};
    if (!CHECK(temper_certify(&c, s->model, s->file.data, s->file.length, &o, &e) == TEMPER_OK, "%s: %s", s->name,
               e.text))
        return false;
    temper_certificate_info about = temper_certificate_about(c);
    snprintf(why, 200, "%s%s", about.reason, about.note);
    bool proved = about.verdict == TEMPER_PROVED;
    if (proved) {
        CHECK(about.claim == TEMPER_CLAIM_FORMULA && about.every_position, "%s: another claim: %s", s->name, why);
        CHECK(temper_certificate_print(&s->certificate.data, &s->certificate.length, c, &e) == TEMPER_OK, "%s: %s",
              s->name, e.text);
    }
    temper_certificate_free(c);
    return proved;
}

static bool audit(const bytes *certificate, const bytes *file, temper_error *e) {
    return temper_audit(certificate->data, certificate->length, file->data, file->length, NULL, e) == TEMPER_OK;
}

static void check_audit(const subject *s, const char *type) {
    temper_error e;
    if (!s->certificate.data) return;
    CHECK(strstr(s->certificate.data, "\"languages\": [") != NULL, "%s: no languages in the certificate", s->name);
    CHECK(audit(&s->certificate, &s->file, &e), "%s in %s: %s", s->name, type, e.text);
}

static void release(subject *s) {
    temper_free(s->certificate.data);
    temper_free(s->file.data);
    temper_model_free(s->model);
}

/* ---- real expressions ---- */

/* Layers that were promised, for models that answer at every prefix. */
static void check_layers(const char *name, size_t layers) {
    static const struct {
        const char *name;
        size_t most;
    } promised[] = {{"log-line", 16}, {"common-log", 20}, {"combined-log", 20}, {"iso-timestamp", 10},
                    {"ipv4", 13},     {"uuid", 24},       {"semver", 11},       {"password-length", 3}};
    for (size_t k = 0; k < sizeof promised / sizeof *promised; k++)
        if (!strcmp(name, promised[k].name))
            CHECK(layers <= promised[k].most, "%s: %zu layers, at most %zu", name, layers, promised[k].most);
}

static void check_real(const char *name, const char *written, int whole, unsigned counted[2]) {
    subject s = {
        .name = name, .text = written, .whole = whole, .options = {.syntax = TEMPER_SYNTAX_REGEX, .ascii = 1}};
    char why[200];
    if (compile(&s) && (!whole || temper_model_about(s.model).whole)) {
        check_layers(name, temper_model_about(s.model).layers);
        bool is_long = certify(&s, LONG, TEMPER_TYPE_F64, why);
        if (!is_long)
            CHECK(certify(&s, WITH_COUNTERS, TEMPER_TYPE_F64, why), "%s: not proved to %zu in f64: %s", name,
                  WITH_COUNTERS, why);
        check_audit(&s, "f64");
        bool counts = s.certificate.data && strstr(s.certificate.data, "\"kind\": \"compare\"");
        if (is_long) {
            size_t most = counts ? COMPARED_IN_F32 : IN_F32;
            CHECK(certify(&s, most, TEMPER_TYPE_F32, why), "%s: not proved to %zu in f32: %s", name, most, why);
            check_audit(&s, "f32");
        }
        counted[is_long]++;
    }
    release(&s);
}

static void check_file(const char *path) {
    static char line[4000], name[100];
    unsigned counted[2] = {0, 0}, reversed[2] = {0, 0};
    FILE *f = fopen(path, "r");
    if (!CHECK(f != NULL, "%s cannot be read", path)) return;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "= ", 2) != 0) continue;
        snprintf(name, sizeof name, "%.90s", line + 2);
        if (!fgets(line, sizeof line, f)) break;
        line[strcspn(line, "\n")] = 0;
        check_real(name, line, 0, counted);
        check_real(name, line, 1, reversed);
    }
    fclose(f);
    CHECK(counted[0] + counted[1] >= 30 && counted[1] >= 20, "%u expressions with counters, %u without", counted[0],
          counted[1]);
    CHECK(reversed[0] + reversed[1] >= 5, "only %u are read from the right", reversed[0] + reversed[1]);
}

/* ---- tables, and languages inside formulas ---- */

static void check_others(void) {
    static const struct {
        const char *text;
        temper_syntax syntax;
    } cases[] = {{"start p\naccept q\np a q\nq b p\nq a q\n", TEMPER_SYNTAX_DFA},
                 {"alphabet a b c\nstart q0; accept q0 -- three\nq0 [ab] q1; q1 [ab] q2\nq2 . q0 // back\n",
                  TEMPER_SYNTAX_DFA},
                 {"alphabet a b c\nword = /[ab]+c/\nO word & !Y word", TEMPER_SYNTAX_SPEC},
                 {"alphabet a b c\nat last\n/(ab)*/ | (F c & /a.*/) | #[a] > #[b] & !/(..)*/", TEMPER_SYNTAX_SPEC},
                 {"alphabet a b\nat first\nX /a(a|b)*b/ | G (/b*/ -> !Y b)", TEMPER_SYNTAX_SPEC},
                 {"alphabet a b\ndfa { start p; accept p; p a q; q a p; q b q; p b p } S a", TEMPER_SYNTAX_SPEC},
                 {"(?&)~(.*aa.*)&(a|b){2,7}", TEMPER_SYNTAX_REGEX},
                 {"()", TEMPER_SYNTAX_REGEX}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s = {.name = cases[k].text, .text = cases[k].text, .options = {.syntax = cases[k].syntax}};
        char why[200];
        if (strcmp(cases[k].text, "()") == 0) s.options.alphabet = "a";
        if (compile(&s)) {
            CHECK(certify(&s, 100000, TEMPER_TYPE_F64, why), "%s: %s", s.name, why);
            check_audit(&s, "f64");
        }
        release(&s);
    }
}

/* ---- the forger ---- */

static void fix_digest(bytes *m) {
    char *last = NULL, line[40];
    for (char *p = m->data; (p = strstr(p, "\ndigest ")) != NULL; p++) last = p + 1;
    snprintf(line, sizeof line, "digest %016llx\n",
             (unsigned long long)model_digest(m->data, (size_t)(last - m->data)));
    splice(m, (size_t)(last - m->data), m->length - (size_t)(last - m->data), line);
}

static void replace(bytes *b, const char *key, const char *old, const char *new) {
    char *at = strstr(b->data, key);
    if (!CHECK(at && strncmp(at + strlen(key), old, strlen(old)) == 0, "no %s%s in %s", key, old, b->data)) return;
    splice(b, (size_t)(at - b->data) + strlen(key), strlen(old), new);
}

/* The model and its certificate say another expression; nothing else changes. */
static void check_other_language(const subject *s, const char *other, bool is_same) {
    bytes file = copy_of(&s->file, 400), certificate = copy_of(&s->certificate, 400);
    temper_error e;
    replace(&file, "\nsource \"", s->text, other);
    fix_digest(&file);
    replace(&certificate, "\"source\": \"", s->text, other);
    replace(&certificate, "{\"language\": \"", s->text, other);
    address_to(&certificate, &file);
    CHECK(audit(&certificate, &file, &e) == is_same, "%s as %s: %s", s->text, other, e.text);
    free(file.data);
    free(certificate.data);
}

/* Random changes inside the list of languages. Only few are accepted: a blank more in a formula, or another formula
   for the same language with the same table, says nothing that is false. */
static void check_edits(const subject *s, test_random *r, unsigned trials) {
    char *from = strstr(s->certificate.data, "{\"language\": "), *to = strstr(from, "\"channels\"");
    size_t start = (size_t)(from - s->certificate.data), size = (size_t)(to - from);
    static const char *const pieces[] = {"0", "1",  "-", "2", "",  "\"", ",", ", \"0:\"",
                                         "!", "O ", "a", "b", "(", " ",  "[]"};
    unsigned accepted = 0;
    for (unsigned k = 0; k < trials; k++) {
        bytes b = copy_of(&s->certificate, 20);
        temper_error e;
        splice(&b, start + (size_t)random_below(r, size), (size_t)random_below(r, 3),
               pieces[random_below(r, sizeof pieces / sizeof *pieces)]);
        bool same = b.length == s->certificate.length && memcmp(b.data, s->certificate.data, b.length) == 0;
        bool fine = audit(&b, &s->file, &e);
        accepted += fine && !same;
        free(b.data);
    }
    CHECK(accepted * 20 <= trials, "%s: %u of %u edits accepted", s->text, accepted, trials);
}

static void check_forgeries(test_random *r) {
    subject s = {.name = "(ab)*", .text = "(ab)*", .options = {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "abc"}};
    char why[200];
    temper_error e;
    if (compile(&s) && CHECK(certify(&s, 1000, TEMPER_TYPE_F64, why), "%s", why)) {
        static const char *const others[] = {"(ba)*", "(ab)+", "(ab)*c?", "(ab|ab|abab)*|c", ".*", "(ab){0,400}"};
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) check_other_language(&s, others[k], false);
        check_other_language(&s, "(abab)*|(ab)*", true);
        check_other_language(&s, "((ab)*)*(a(?:b))*", true);
        check_edits(&s, r, 400);
        bytes b = copy_of(&s.certificate, 20); /* without its languages */
        char *from = strstr(b.data, "  \"languages\""), *to = strstr(from, "  \"channels\"");
        splice(&b, (size_t)(from - b.data), (size_t)(to - from), "");
        CHECK(!audit(&b, &s.file, &e) && strstr(e.text, "1 regular languages, the certificate 0"), "%s", e.text);
        free(b.data);
    }
    release(&s);
}

int main(void) {
    test_random r = test_seed(41);
    check_others();
    check_forgeries(&r);
    check_file("tests/automata/regexes.txt");
    return test_finish("t-certify-regex");
}
