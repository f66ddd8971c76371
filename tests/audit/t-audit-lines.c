/* Certificates whose text is changed in ways that leave them JSON, or nearly: a line is missing, stands twice, is
   cut, or says something else in one place. Everything is compared with what the auditor would write, so each is
   refused, and the message says where the first difference is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addressed.h"
#include "random_model.h"

typedef struct subject {
    const char *name;
    char *model, *certificate;
    size_t model_size, size;
} subject;

static size_t refused, members;

static void check(const subject *s, const char *text, size_t size, const char *what) {
    temper_error e = {0};
    temper_status status = temper_audit(text, size, s->model, s->model_size, NULL, &e);
    bool told = status == TEMPER_RANGE || status == TEMPER_FORMAT || status == TEMPER_SYNTAX ||
                status == TEMPER_LIMIT || status == TEMPER_UNSUPPORTED;
    CHECK(told && e.text[0], "%s, %s: status %d, '%s'", s->name, what, (int)status, e.text);
    refused++;
    if (!strstr(e.text, "but the audit finds") && !strstr(e.text, "not written as the audit writes it")) return;
    members++;
    CHECK(e.line > 0, "%s, %s: no line is named: %s", s->name, what, e.text);
}

/* The certificate with `count` bytes at `at` taken out, and others in their place. */
static void replace(const subject *s, size_t at, size_t count, const char *by, size_t length, const char *what) {
    size_t size = s->size - count + length;
    char *made = malloc(size + 1);
    if (!made) abort();
    memcpy(made, s->certificate, at);
    memcpy(made + at, by, length);
    memcpy(made + at + length, s->certificate + at + count, s->size - at - count);
    made[size] = 0;
    if (size != s->size || memcmp(made, s->certificate, size) != 0) check(s, made, size, what);
    free(made);
}

static void change_lines(const subject *s) {
    size_t at = 0;
    for (size_t line = 1; at < s->size; line++) {
        const char *from = s->certificate + at, *end = memchr(from, '\n', s->size - at);
        size_t length = end ? (size_t)(end - from) + 1 : s->size - at;
        char what[60];
        snprintf(what, sizeof what, "line %zu", line);
        replace(s, at, length, "", 0, what);
        replace(s, at, 0, from, length, what);
        replace(s, at, s->size - at, "", 0, what);
        replace(s, at, s->size - at, "}\n", 2, what);
        if (length > 8) {
            replace(s, at + length / 2, length - length / 2, "\n", 1, what);
            replace(s, at + 4, 0, "{", 1, what);
        }
        at += length;
    }
    replace(s, s->size, 0, "\n", 1, "one more line");
    replace(s, s->size, 0, "{}", 2, "something behind the end");
}

/* A formula is only looked at for what it means: with a blank more or less it is as good. */
static bool is_in_formula(const subject *s, size_t at) {
    const char *from = s->certificate, *end = from;
    while ((from = strstr(end, "\"formula\": \""))) {
        from += strlen("\"formula\": \"");
        end = from + strcspn(from, "\"");
        if (at >= (size_t)(from - s->certificate) && at < (size_t)(end - s->certificate)) return true;
    }
    return false;
}

/* One character is another, at every place but those of very long files. */
static void change_characters(const subject *s) {
    static const char *const others[] = {"0", "9", "\"", "[", "]", "{", "}", ",", ":", " ", "x", "\\", ""};
    size_t step = 1 + s->size / 400;
    for (size_t at = 0, k = 0; at < s->size; at += step, k++) {
        const char *by = others[k % (sizeof others / sizeof *others)];
        char what[60];
        snprintf(what, sizeof what, "'%s' at byte %zu", by, at);
        bool blanks = (!*by || *by == ' ') && is_in_formula(s, at);
        if (!blanks) replace(s, at, 1, by, strlen(by), what);
    }
}

/* An entry of an array is missing, or there is one more. */
static void change_arrays(const subject *s) {
    for (const char *at = s->certificate; (at = strstr(at, ", ")); at++) {
        size_t place = (size_t)(at - s->certificate);
        if ((place * 7) % 5) continue;
        const char *end = at + 2 + strcspn(at + 2, ",]}\n");
        replace(s, place, (size_t)(end - at), "", 0, "an entry less");
        replace(s, place, 0, at, (size_t)(end - at), "an entry twice");
    }
}

/* Members that every certificate has, and versions that there are not. */
static void change_head(const subject *s) {
    static const char *const keys[] = {"temper-certificate", "length", "claim", "type", "model"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char key[40];
        snprintf(key, sizeof key, "\"%s\": ", keys[k]);
        const char *at = strstr(s->certificate, key);
        if (CHECK(at, "%s has no %s", s->name, key)) {
            size_t place = (size_t)(at - s->certificate);
            replace(s, place + 1, 1, "_", 1, keys[k]); /* another key: this one is missing */
        }
    }
    const char *version = strstr(s->certificate, "\"temper-certificate\": ");
    if (!version) return;
    size_t place = (size_t)(version - s->certificate) + strlen("\"temper-certificate\": ");
    for (const char *by = "0149"; *by; by++) replace(s, place, 1, by, 1, "another version");
}

/* Entries without the formula, or the table, that they stand for. */
static void change_entries(const subject *s) {
    static const char *const keys[] = {"\"formula\": ", "\"rows\": ", "\"states\": ", "\"output\": "};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (const char *at = s->certificate; (at = strstr(at, keys[k])); at++)
            replace(s, (size_t)(at - s->certificate) + 1, 1, "_", 1, keys[k]);
}

/* ---- models that say something else, with certificates that name their digest ---- */

/* A certificate about one model is none about another, though it names its digest. */
static void check_other_model(const subject *s, char *model, size_t size, const char *what) {
    char *certificate = malloc(s->size + 1), hex[SHA256_HEX + 1];
    if (!certificate) abort();
    memcpy(certificate, s->certificate, s->size + 1);
    sha256_of(hex, model, size);
    char *place = strstr(certificate, "\"sha256\": \"");
    if (CHECK(place != NULL, "%s: the certificate names no model", s->name)) {
        memcpy(place + strlen("\"sha256\": \""), hex, SHA256_HEX);
        subject other = *s;
        other.model = model;
        other.model_size = size;
        check(&other, certificate, s->size, what);
    }
    free(certificate);
}

/* The first `from` of the model becomes `to`. */
static void change_model(const subject *s, const char *from, const char *to) {
    const char *at = strstr(s->model, from), *digest = strstr(s->model, "\ndigest ");
    size_t end = digest ? (size_t)(digest - s->model) + 1 : s->model_size;
    if (!CHECK(at != NULL && at < s->model + end, "%s: the model has no %s", s->name, from)) return;
    size_t before = (size_t)(at - s->model), rest = end - before - strlen(from), size = before + strlen(to) + rest;
    char *made = malloc(size + 1);
    if (!made) abort();
    memcpy(made, s->model, before);
    memcpy(made + before, to, strlen(to));
    memcpy(made + before + strlen(to), at + strlen(from), rest);
    made[size] = 0;
    check_other_model(s, made, size, to);
    free(made);
}

typedef struct change {
    const char *from, *to;
} change;

static void check_subject(const char *name, const temper_model *m, size_t length, temper_type type,
                          const change *changes, const temper_model *hard) {
    subject s = {.name = name};
    temper_error e;
    temper_certificate *c = NULL;
    bool ok = CHECK(!temper_model_print(&s.model, &s.model_size, m, &e), "%s: %s", name, e.text);
    temper_certify_options o = {.length = length, .type = type, .threads = 1};
    ok = ok && CHECK(!temper_certify(&c, m, s.model, s.model_size, &o, &e), "%s: %s", name, e.text) &&
         CHECK(!temper_certificate_print(&s.certificate, &s.size, c, &e), "%s: %s", name, e.text);
    if (ok && CHECK(!temper_audit(s.certificate, s.size, s.model, s.model_size, NULL, &e), "%s: %s", name, e.text)) {
        change_lines(&s);
        change_characters(&s);
        change_arrays(&s);
        change_head(&s);
        change_entries(&s);
        for (; changes->from; changes++) change_model(&s, changes->from, changes->to);
        char *other = NULL;
        size_t size;
        if (hard && CHECK(!temper_model_print(&other, &size, hard, &e), "%s: %s", name, e.text))
            check_other_model(&s, other, size, "the hard model");
        temper_free(other);
    }
    temper_certificate_free(c);
    temper_free(s.model);
    temper_free(s.certificate);
}

static void check_source(const char *source, const change *changes) {
    temper_spec_options letters = {.alphabet = "ab"};
    temper_build_options o = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_spec *spec = NULL;
    temper_model *m = NULL, *hard = NULL;
    temper_error e;
    if (CHECK(!temper_spec_parse(&spec, source, strlen(source), &letters, &e), "%s: %s", source, e.text) &&
        CHECK(!temper_build(&m, spec, &o, &e) && !temper_build(&hard, spec, NULL, &e), "%s: %s", source, e.text))
        check_subject(source, m, 3, TEMPER_TYPE_F32, changes, hard);
    temper_model_free(m);
    temper_model_free(hard);
    temper_spec_free(spec);
}

static void check_text(const char *name, const char *source, const change *changes) {
    temper_model *m = model_from(source);
    if (m) check_subject(name, m, 3, TEMPER_TYPE_F32, changes, NULL);
    temper_model_free(m);
}

/* A head that finds out whether there was an a; the source is about b, so that only the weights are claimed. */
static const char *const read_off =
    "temper-model 1\nmethod temperature\nsource \"#[b] >= 1\"\nalphabet \"a\" \"b\"\n"
    "channel 0 \"a\"\nchannel 1 \"one\" position \"1\"\nchannel 2 \"real\"\nchannel 3 \"raw\"\nchannel 4 \"Y a\"\n"
    "channel 5 \"i/N\" soft \"i/N\"\nembed \"a\" 0:1 2:1\nembed \"b\" 2:1\nembed start\nembed end\nlayer 1\n"
    "head \"Y a\" role nearest mask j<i choice softmax for rightmost scale \"8*N\"\n query 1:1\n key 5:1\n value "
    "0:1\n"
    " output 3:1\nunit -0x1.4p+1 2:2 3:2 -> 4:1\nunit -0x1.cp+1 2:2 3:2 -> 4:-1\nread 4:1\n";

int main(void) {
    static const change nothing[] = {{0}},
                        of_formula[] = {{"method temperature", "method hard"},
                                        {"source \"", "source \"at first\\n"},
                                        {"source \"", "source \"empty accept\\n"},
                                        {"source \"", "source \"alphabet b a\\n"},
                                        {"source \"", "source \"next\\n"},
                                        {"source \"", "source \"\"\nexpansion \""},
                                        {"at last", "at first"},
                                        {"empty reject", "empty accept"},
                                        {"alphabet \"a\" \"b\"", "alphabet \"b\" \"a\""},
                                        {0}},
                        of_choices[] = {{"method temperature", "method hard"},
                                        {" for average", ""},
                                        {"scale \"", "scale \"i + "},
                                        {0}},
                        of_read_off[] = {{" for rightmost", " for leftmost"},
                                         {" for rightmost", " for average"},
                                         {" for rightmost", ""},
                                         {"soft \"i/N\"", "position \"i/N\""},
                                         {"position \"1\"", "soft \"1\""},
                                         {"method temperature", "method hard"},
                                         {0}};
    check_source("O a & Y b", of_formula);
    check_source("#[a] >= #[b]", of_formula);
    check_source("transduce\nemit 'x' = O a\nemit 'y' otherwise\n", nothing);
    check_source("next\nprobabilities uniform\n/(ab)*/\n", nothing);
    check_source("/(ab)*/ & O a", of_formula);
    check_text("a formula that is read off", read_off, of_read_off);
    temper_model *hard = NULL, *soft = NULL;
    temper_error e;
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = 4};
    if (CHECK(!temper_gallery_model(&hard, "majority", &e) && !temper_soften(&soft, NULL, hard, &o, &e), "%s",
              e.text))
        check_subject("majority, softened", soft, 4, TEMPER_TYPE_F64, of_choices, hard);
    temper_model_free(hard);
    temper_model_free(soft);
    printf("%zu changed certificates, of %zu a member is named\n", refused, members);
    CHECK(members > 500, "only %zu", members);
    return test_finish("t-audit-lines");
}
