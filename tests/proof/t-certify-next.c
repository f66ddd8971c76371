/* Language models as they are built, of random regular expressions, formulas that look one way, and counts with a
   line `viable`: what certify proves of them passes the audit, whatever the claim, and models of languages with
   an automaton that both programs can follow are proved to say what comes next. A certificate of one language
   does not pass for another one whose source is put in its place. */
#include "addressed.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "bytes.h"
#include "logic/formula_print.h"
#include "random_formula.h"
#include "random_regex.h"

static trap unused;
static struct { size_t viable, built, refused, formula, choices, swapped; } met;

typedef struct subject {
    char source[3000];
    temper_at at;
    bool one_way; /* it looks one way and is read at its end: the claim must be "formula" */
} subject;

/* ---- sources ---- */

static void random_language(subject *x, test_random *r) {
    const random_regex *e = regex_random(r, 2 + random_below(r, 6), random_below(r, 2));
    *x = (subject){.at = TEMPER_AT_LAST, .one_way = true};
    snprintf(x->source, sizeof x->source, "next\nregex %s\n", regex_random_text(e));
}

static void random_source(subject *x, test_random *r, bool attends) {
    random_shape shape = {.letters = 2 + (unsigned)random_below(r, 2), .size = 1 + random_below(r, 7), .depth = 4};
    bool both = !random_below(r, 6);
    shape.past = both || random_below(r, 3);
    shape.future = both || !shape.past;
    shape.modulo = !random_below(r, 3);
    shape.mixed_attend = attends;
    *x = (subject){.at = shape.past ? TEMPER_AT_LAST : TEMPER_AT_FIRST, .one_way = !both};
    temper_spec *s = make_spec(&unused, shape.letters, x->at);
    text t;
    text_init(&t, &s->memory);
    formula_label(&t, &s->graph, &s->letters, random_formula(&s->graph, r, &shape), 0);
    snprintf(x->source, sizeof x->source, "alphabet a b%s\nnext\n%s\n", shape.letters == 3 ? " c" : "",
             text_string(&t));
    finish_spec(s, 0);
    temper_spec_free(s);
}

static void counting_source(subject *x, test_random *r) {
    static const char *const texts[] = {
        "next\nviable H (#[a] >= #[b])\n#[a] = #[b] & H (#[a] >= #[b])\n",
        "next\nviable H (#[a] >= #[b]) & H (a -> !O b)\n#[a] = #[b] & H (#[a] >= #[b]) "
        "& H (a -> !O b)\n"};
    *x = (subject){.at = TEMPER_AT_LAST};
    snprintf(x->source, sizeof x->source, "alphabet a b\n%s", texts[random_below(r, 2)]);
}

/* Every prefix of a string whose positions all have something has it, too. */
static void viable_source(subject *x, test_random *r) {
    random_shape shape = {.letters = 2, .size = 1 + random_below(r, 7), .depth = 4, .past = true, .counting = true};
    shape.modulo = random_below(r, 2);
    *x = (subject){.at = TEMPER_AT_LAST};
    temper_spec *s = make_spec(&unused, shape.letters, x->at);
    text t;
    text_init(&t, &s->memory);
    formula_label(&t, &s->graph, &s->letters, random_formula(&s->graph, r, &shape), 0);
    snprintf(x->source, sizeof x->source, "alphabet a b\nempty accept\nnext\nviable H (%s)\nH (%s)\n",
             text_string(&t), text_string(&t));
    finish_spec(s, 0);
    temper_spec_free(s);
}

static bool built(bytes *out, const subject *x, temper_method method) {
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    temper_error e;
    temper_build_options b = {.method = method};
    temper_spec_options o = {.at = x->at};
    if (temper_spec_parse(&spec, x->source, strlen(x->source), &o, &e) != TEMPER_OK) {
        /* some are refused, and the average has no text */
        CHECK(strstr(x->source, "regex") || strstr(x->source, "average["), "%s: %s", x->source, e.text);
        return false;
    }
    temper_status status = temper_build(&m, spec, &b, &e);
    CHECK(status == TEMPER_OK || status == TEMPER_UNSUPPORTED || status == TEMPER_LIMIT, "%s: %s", x->source, e.text);
    met.refused += status != TEMPER_OK;
    bool ok = status == TEMPER_OK && temper_model_print(&out->data, &out->length, m, &e) == TEMPER_OK;
    temper_model_free(m);
    temper_spec_free(spec);
    return ok;
}

/* ---- certificates ---- */

static bytes certified(const bytes *file, temper_type type, size_t n, temper_certificate_info *about,
                       temper_certificate **kept) {
    bytes out = {0};
    temper_model *m = NULL;
    temper_error e;
    temper_certify_options o = {.length = n, .type = type};
    *kept = NULL;
    if (CHECK(temper_model_read(&m, file->data, file->length, &e) == TEMPER_OK &&
                  temper_certify(kept, m, file->data, file->length, &o, &e) == TEMPER_OK,
              "%s\n%s", e.text, file->data)) {
        *about = temper_certificate_about(*kept);
        if (about->verdict == TEMPER_PROVED) temper_certificate_print(&out.data, &out.length, *kept, &e);
    }
    temper_model_free(m);
    return out;
}

static void put_source(bytes *b, const char *begin, const char *end_of, const char *source) {
    char line[3200], *at = strstr(b->data, begin), *end = at ? strstr(at, end_of) : NULL;
    size_t used = (size_t)snprintf(line, sizeof line, "%s", begin);
    for (const char *p = source; *p; p++)
        if (*p == '\n')
            used += (size_t)snprintf(line + used, sizeof line - used, "\\n");
        else
            used += (size_t)snprintf(line + used, sizeof line - used, *p == '\\' || *p == '"' ? "\\%c" : "%c", *p);
    if (CHECK(at && end, "no %s in\n%s", begin, b->data)) splice(b, (size_t)(at - b->data), (size_t)(end - at), line);
}

/* The same weights with the complement for a source: certificate and model both say so. */
static void check_swapped(const bytes *file, const bytes *certificate, const subject *x) {
    char other[3100];
    const char *formula_begin = strstr(x->source, "next\n") + 5;
    if (!strncmp(formula_begin, "regex", 5) || strstr(formula_begin, "viable")) return;
    snprintf(other, sizeof other, "%.*s!(%.*s)\n", (int)(formula_begin - x->source), x->source,
             (int)strlen(formula_begin) - 1, formula_begin);
    bytes m = copy_of(file, 4000), c = copy_of(certificate, 4000);
    char *digest = strstr(m.data, "\ndigest ");
    temper_error e;
    splice(&m, (size_t)(digest + 1 - m.data), m.length - (size_t)(digest + 1 - m.data), "");
    put_source(&m, "source \"", "\"\n", other);
    put_source(&c, "\"source\": \"", "\",\n", other);
    address_to(&c, &m);
    temper_model *read = NULL;
    if (CHECK(temper_model_read(&read, m.data, m.length, &e) == TEMPER_OK, "%s\n%s", e.text, m.data)) {
        CHECK(temper_audit(c.data, c.length, m.data, m.length, NULL, &e) != TEMPER_OK,
              "the audit takes %s for %s:\n%s", x->source, other, c.data);
        met.swapped++;
    }
    temper_model_free(read);
    free(m.data);
    free(c.data);
}

static void check(const subject *x, test_random *r) {
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32};
    temper_type type = types[random_below(r, 3)];
    bytes file = {0};
    temper_certificate *kept;
    temper_certificate_info about = {0};
    temper_error e;
    if (!built(&file, x, (temper_method)(TEMPER_METHOD_TEMPERATURE + random_below(r, 3)))) return;
    met.built++;
    bytes c = certified(&file, type, 12, &about, &kept);
    if (c.data) {
        CHECK(temper_audit(c.data, c.length, file.data, file.length, NULL, &e) == TEMPER_OK, "%s: %s\n%s\n%s",
              x->source, e.text, c.data, file.data);
        CHECK(!x->one_way || about.claim != TEMPER_CLAIM_CHOICES || strstr(about.note, ": too ") ||
                  strstr(about.note, " too much"),
              "%s: %s", x->source, about.note);
        met.viable += about.claim == TEMPER_CLAIM_VIABLE;
        CHECK((about.claim == TEMPER_CLAIM_VIABLE) ==
                  (strstr(c.data, "\"claim\": \"formula if viable is right\"") != NULL),
              "%s", c.data);
        met.formula += about.claim == TEMPER_CLAIM_FORMULA;
        met.choices += about.claim == TEMPER_CLAIM_CHOICES;
        if (about.claim != TEMPER_CLAIM_CHOICES) check_swapped(&file, &c, x);
    }
    temper_certificate_free(kept);
    temper_free(c.data);
    temper_free(file.data);
}

int main(void) {
    test_random r = test_seed(1551);
    size_t count = (size_t)(140 * test_effort()) + 40;
    for (size_t k = 0; k < count; k++) {
        subject x;
        if (k % 10 == 9)
            counting_source(&x, &r);
        else if (k % 10 >= 7)
            viable_source(&x, &r);
        else if (k % 2)
            random_language(&x, &r);
        else
            random_source(&x, &r, false);
        check(&x, &r);
    }
    for (size_t k = 0; k < count / 4; k++) {
        subject x;
        random_source(&x, &r, true);
        check(&x, &r);
    }
    CHECK(met.built > count / 2 && met.formula > count / 4 && met.choices > 0 && met.swapped > 0 && met.viable > 0,
          "%zu built, %zu refused, %zu proved, %zu by hard choices, %zu swapped, %zu viable", met.built, met.refused,
          met.formula, met.choices, met.swapped, met.viable);
    printf("%zu built, %zu refused, %zu proved, %zu by hard choices, %zu swapped, %zu viable\n", met.built,
           met.refused, met.formula, met.choices, met.swapped, met.viable);
    return test_finish("t-certify-next");
}
