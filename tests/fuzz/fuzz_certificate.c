/* Certificates of some models: the audit accepts nothing but what certify itself writes for that length and type.
   Only formulas that stand for a regular language are the certificate's own choice: any that means the language will
   do. The first byte says which model. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

typedef struct subject {
    const char *formula;
    temper_method method;
    temper_model *model;
    char *text;
    size_t length;
} subject;

static subject subjects[] = {{"a S b", TEMPER_METHOD_TEMPERATURE, NULL, NULL, 0},
                             {"O a & #[b] >= 2", TEMPER_METHOD_TEMPERATURE, NULL, NULL, 0},
                             {"#[a] % 3 = 1", TEMPER_METHOD_POSITIONS, NULL, NULL, 0},
                             {"Y(a S b)", TEMPER_METHOD_DIGITS, NULL, NULL, 0},
                             {"/(ab)*c/", TEMPER_METHOD_TEMPERATURE, NULL, NULL, 0}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    for (size_t k = 0; k < SUBJECTS; k++) {
        subject *s = &subjects[k];
        temper_spec *spec;
        temper_error err;
        temper_spec_options o = {.alphabet = "abc"};
        temper_build_options build = {.method = s->method};
        MUST(temper_spec_parse(&spec, s->formula, strlen(s->formula), &o, &err) == TEMPER_OK, "%s", err.text);
        MUST(temper_build(&s->model, spec, &build, &err) == TEMPER_OK, "%s", err.text);
        MUST(temper_model_print(&s->text, &s->length, s->model, &err) == TEMPER_OK, "%s", err.text);
        temper_spec_free(spec);
    }
    return 0;
}

/* What certify writes for the length and the type that an accepted certificate names. */
static char *honest(size_t *length, const subject *s, const char *text) {
    temper_certificate *made;
    temper_error err;
    temper_certify_options o = {0};
    char name[32] = "", *out = NULL;
    const char *at = strstr(text, "\n  \"length\": "), *type = strstr(text, "\n  \"type\": \"");
    MUST(at && type && sscanf(type + 12, "%31[^\"]", name) == 1, "accepted without length or type");
    o.length = strtoull(at + 13, NULL, 10);
    while (strcmp(temper_type_name(o.type), name) != 0) MUST(++o.type < 64, "accepted with the type %s", name);
    MUST(temper_certify(&made, s->model, s->text, s->length, &o, &err) == TEMPER_OK, "%s", err.text);
    MUST(temper_certificate_print(&out, length, made, &err) == TEMPER_OK, "accepted, and certify proves nothing: %s",
         temper_certificate_about(made).reason);
    temper_certificate_free(made);
    return out;
}

/* The formula of a line means the source, which is one language, at every position of all short strings. */
static void check_formula(const subject *s, const char *line, size_t length) {
    enum { LONGEST = 5 };
    static const char key[] = "\"formula\": \"";
    const char *from = memmem(line, length, key, sizeof key - 1);
    MUST(from, "no formula: %.*s", (int)length, line);
    from += sizeof key - 1;
    const char *end = memchr(from, '"', length - (size_t)(from - line));
    MUST(end && !memchr(from, '\\', (size_t)(end - from)), "a formula with escapes: %.*s", (int)length, line);
    temper_spec *source, *formula;
    temper_error err;
    temper_spec_options o = {.alphabet = "abc"};
    uint32_t word[LONGEST];
    size_t n = 0;
    MUST(temper_spec_parse(&source, s->formula, strlen(s->formula), &o, &err) == TEMPER_OK, "%s", err.text);
    MUST(temper_spec_parse(&formula, from, (size_t)(end - from), &o, &err) == TEMPER_OK, "%s", err.text);
    do {
        unsigned char left[LONGEST], right[LONGEST];
        int accept;
        if (!n) continue; /* the model says whether it accepts the empty string */
        MUST(temper_spec_eval(&accept, left, source, word, n, &err) == TEMPER_OK, "%s", err.text);
        MUST(temper_spec_eval(&accept, right, formula, word, n, &err) == TEMPER_OK, "%s", err.text);
        MUST(memcmp(left, right, n) == 0, "%s is not %.*s", s->formula, (int)(end - from), from);
    } while (fuzz_next_word(word, &n, 3, LONGEST));
    temper_spec_free(source);
    temper_spec_free(formula);
}

static void compare(const subject *s, const char *found, const char *made) {
    static const char begin[] = "    {\"language\": ";
    const char *x = found, *y = made;
    while (*x && *y) {
        size_t m = strcspn(x, "\n"), n = strcspn(y, "\n");
        bool same = m == n && memcmp(x, y, n) == 0;
        MUST(same || (!strncmp(x, begin, sizeof begin - 1) && !strncmp(y, begin, sizeof begin - 1)),
             "accepted:\n%s\ncertify writes:\n%s", found, made);
        if (!same) check_formula(s, x, m);
        x += m + (x[m] != 0);
        y += n + (y[n] != 0);
    }
    MUST(!*x && !*y, "accepted:\n%s\ncertify writes:\n%s", found, made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    temper_error err;
    if (!size) return 0;
    const subject *s = &subjects[data[0] % SUBJECTS];
    temper_status status = temper_audit(fuzz_copy(data + 1, size - 1), size - 1, s->text, s->length, NULL, &err);
    MUST(status == TEMPER_OK || err.text[0], "status %d, and no message", status);
    fuzz_count(status == TEMPER_OK);
    if (status != TEMPER_OK) return 0;
    char *copy = malloc(size), *made;
    size_t length;
    memcpy(copy, data + 1, size - 1);
    copy[size - 1] = 0;
    made = honest(&length, s, copy);
    if (length != size - 1 || memcmp(made, copy, length) != 0) compare(s, copy, made);
    temper_free(made);
    free(copy);
    return 0;
}
