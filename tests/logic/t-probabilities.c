/* Certificates of language models with probabilities. Random languages with random weights of the three forms, and
   counts with a line `viable`, are built and proved, and their proofs audited. Logits on all short strings are
   compared with probabilities that are computed here from the table. Then rows of logits are edited, and weights of
   the source: what still passes as proved must be within the bound that it states. */
#include "addressed.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "bytes.h"
#include "corpus.h"

enum { LENGTH = 4, LETTERS = 5, STATES = 3, NEVER = -1024 };

static struct { size_t built, proved, unproved, edited, harmless, sources, viable; } met;

/* ---- sources ---- */

typedef enum form { FORM_UNIFORM, FORM_LETTERS, FORM_AFTER, FORM_STATES } form;

typedef struct subject {
    char source[2000];
    form form;
    size_t letters;
    double letter[LETTERS + 1];             /* the end comes last */
    double after[LETTERS + 1][LETTERS + 1]; /* the start comes last */
    double end[STATES];
    struct {
        int from, letter, to;
        double weight;
    } move[8];
    size_t moves;
} subject;

/* A weight as a text, and its value. */
static double random_weight(char *out, size_t size, test_random *r) {
    unsigned top = (unsigned)random_below(r, 9) + 1, bottom = (unsigned)random_below(r, 7) + 1;
    switch (random_below(r, 3)) {
    case 0: snprintf(out, size, "%u", top); return top;
    case 1: snprintf(out, size, "%u.%u", top, bottom); return top + bottom / 10.0;
    default: snprintf(out, size, "%u/%u", top, bottom); return (double)top / bottom;
    }
}

static const char *letter_name(const subject *x, size_t k) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    return k == x->letters ? "end" : names[k];
}

static size_t add_weights(subject *x, size_t at, test_random *r) {
    size_t size = sizeof x->source;
    char weight[30];
    for (size_t k = 0; k <= LETTERS; k++) {
        x->letter[k] = 1;
        for (size_t j = 0; j <= LETTERS; j++) x->after[k][j] = 1;
    }
    if (x->form == FORM_UNIFORM) return at + (size_t)snprintf(x->source + at, size - at, "probabilities uniform\n");
    at += (size_t)snprintf(x->source + at, size - at, "probabilities {\n");
    if (x->form == FORM_LETTERS)
        for (size_t k = 0; k <= x->letters; k++) {
            x->letter[k] = random_weight(weight, sizeof weight, r);
            at += (size_t)snprintf(x->source + at, size - at, "%s %s\n", letter_name(x, k), weight);
        }
    for (size_t n = 0; x->form == FORM_AFTER && n < 4; n++) {
        size_t q = random_below(r, x->letters + 1), k = random_below(r, x->letters + 1);
        x->after[q][k] = random_weight(weight, sizeof weight, r);
        at += (size_t)snprintf(x->source + at, size - at, "after %s %s %s\n",
                               q == x->letters ? "start" : letter_name(x, q), letter_name(x, k), weight);
    }
    if (x->form == FORM_STATES) {
        at += (size_t)snprintf(x->source + at, size - at, "start q0\n");
        for (int q = 0; q < STATES; q++) {
            x->end[q] = random_weight(weight, sizeof weight, r);
            at += (size_t)snprintf(x->source + at, size - at, "q%d end %s\n", q, weight);
            for (int k = 0; k < 2; k++) {
                int to = (int)random_below(r, STATES);
                double w = random_weight(weight, sizeof weight, r);
                x->move[x->moves].from = q;
                x->move[x->moves].letter = k;
                x->move[x->moves].to = to;
                x->move[x->moves++].weight = w;
                at += (size_t)snprintf(x->source + at, size - at, "q%d %s q%d %s\n", q, letter_name(x, (size_t)k), to,
                                       weight);
            }
        }
    }
    return at + (size_t)snprintf(x->source + at, size - at, "}\n");
}

static void random_subject(subject *x, test_random *r) {
    static const char *const languages[] = {"regex [ab]*\n",     "regex (ab|ba)*\n", "regex a*b*\n",
                                            "regex (a|bb)*a?\n", "regex (aab?)*\n",  "O a -> Y b\n",
                                            "H (a -> Y b)\n",    "#[a] % 3 = 1\n",   "a S b\n"};
    bool counts = !random_below(r, 5);
    *x = (subject){.letters = 2};
    x->form = (form)random_below(r, counts ? 2 : 4);
    size_t at = (size_t)snprintf(x->source, sizeof x->source, "alphabet a b\nnext\n");
    at = add_weights(x, at, r);
    if (counts)
        snprintf(x->source + at, sizeof x->source - at,
                 "viable H (#[a] >= #[b])%s\n#[a] = #[b] & H (#[a] >= #[b])%s\n", random_below(r, 2) ? "" : " & true",
                 "");
    else
        snprintf(x->source + at, sizeof x->source - at, "%s",
                 languages[random_below(r, sizeof languages / sizeof *languages)]);
}

static bool built(bytes *out, const subject *x, temper_method method) {
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    temper_error e;
    temper_build_options b = {.method = method};
    temper_spec_options o = {0};
    bool ok = temper_spec_parse(&spec, x->source, strlen(x->source), &o, &e) == TEMPER_OK &&
              temper_build(&m, spec, &b, &e) == TEMPER_OK &&
              temper_model_print(&out->data, &out->length, m, &e) == TEMPER_OK;
    CHECK(ok, "%s: %s", x->source, e.text);
    temper_model_free(m);
    temper_spec_free(spec);
    return ok;
}

/* ---- what is right ---- */

/* The probability of each output after a word, by the table and by what is legal there; all 0: nothing comes. */
static void chances(double *out, const subject *x, const uint32_t *word, size_t n, const bool *legal) {
    double state[STATES] = {1}, sum = 0;
    for (size_t k = 0; k <= x->letters; k++)
        out[k] = x->form == FORM_AFTER ? x->after[n ? word[n - 1] : x->letters][k] : x->letter[k];
    if (x->form == FORM_STATES) {
        for (size_t i = 0; i < n; i++) {
            double next[STATES] = {0};
            for (size_t k = 0; k < x->moves; k++)
                if ((uint32_t)x->move[k].letter == word[i])
                    next[x->move[k].to] += state[x->move[k].from] * x->move[k].weight;
            memcpy(state, next, sizeof state);
        }
        for (size_t k = 0; k <= x->letters; k++) out[k] = 0;
        for (size_t k = 0; k < x->moves; k++) out[x->move[k].letter] += state[x->move[k].from] * x->move[k].weight;
        for (int q = 0; q < STATES; q++) out[x->letters] += state[q] * x->end[q];
    }
    for (size_t k = 0; k <= x->letters; k++) sum += out[k] = legal[k] ? out[k] : 0;
    for (size_t k = 0; k <= x->letters && sum > 0; k++) out[k] /= sum;
}

/* The largest distance of a logit from log p on all short strings; infinite where what never comes has another logit
   than -1024. */
static double distance(const temper_model *m, const subject *x, temper_type type) {
    double most = 0;
    for (size_t n = 0; n <= LENGTH; n++) {
        uint32_t word[LENGTH + 1] = {0};
        do {
            temper_run *run = NULL;
            temper_error e;
            temper_run_options o = {.unchecked = 1, .threads = 1, .type = type};
            if (!CHECK(temper_model_run(&run, m, word, n, &o, &e) == TEMPER_OK, "%s", e.text)) return INFINITY;
            for (size_t i = 0; i <= n; i++) {
                bool legal[LETTERS + 1];
                double p[LETTERS + 1];
                for (size_t k = 0; k <= x->letters; k++) legal[k] = temper_run_output(run, k)[i];
                chances(p, x, word, i, legal);
                for (size_t k = 0; k <= x->letters; k++) {
                    double logit = temper_run_logits(run, k)[i], off = fabs(logit - (p[k] > 0 ? log(p[k]) : NEVER));
                    if (p[k] == 0 && !(temper_probability(logit) == 0)) off = INFINITY;
                    if (off > most) most = off;
                }
            }
            temper_run_free(run);
        } while (corpus_next_word(word, n, x->letters));
    }
    return most;
}

/* ---- certificates ---- */

static bytes certified(const bytes *file, temper_type type, char *bound, size_t size, temper_claim *claim) {
    bytes out = {0};
    temper_model *m = NULL;
    temper_certificate *c = NULL;
    temper_error e;
    temper_certify_options o = {.length = 9, .type = type};
    *bound = 0;
    if (CHECK(temper_model_read(&m, file->data, file->length, &e) == TEMPER_OK &&
                  temper_certify(&c, m, file->data, file->length, &o, &e) == TEMPER_OK,
              "%s\n%s", e.text, file->data)) {
        temper_certificate_info about = temper_certificate_about(c);
        *claim = about.claim;
        snprintf(bound, size, "%s", about.log_probabilities);
        CHECK(about.verdict != TEMPER_PROVED || !*bound == (*about.logits_note != 0), "%s", about.logits_note);
        if (about.verdict == TEMPER_PROVED) temper_certificate_print(&out.data, &out.length, c, &e);
    }
    temper_certificate_free(c);
    temper_model_free(m);
    return out;
}

static temper_error audit_error;

static bool audit_passes(const bytes *certificate, const bytes *file) {
    return temper_audit(certificate->data, certificate->length, file->data, file->length, NULL, &audit_error) ==
           TEMPER_OK;
}

/* Numbers here are rounded, too. */
static bool is_within(double off, const char *bound) { return off <= strtod(bound, NULL) * (1 + 1e-9) + 1e-14; }

/* ---- edits ---- */

static void without_digest(bytes *b) {
    char *digest = strstr(b->data, "\ndigest ");
    splice(b, (size_t)(digest + 1 - b->data), b->length - (size_t)(digest + 1 - b->data), "");
}

/* The model's source, written as its file does. */
static void put_source(bytes *b, const char *source) {
    char line[3000], *at = strstr(b->data, "\nsource \""), *end = at ? strstr(at, "\"\n") : NULL;
    size_t used = (size_t)snprintf(line, sizeof line, "\nsource \"");
    for (const char *p = source; *p; p++)
        used += (size_t)snprintf(line + used, sizeof line - used, *p == '\n' ? "\\n" : "%c", *p);
    if (CHECK(at && end, "no source in\n%s", b->data)) splice(b, (size_t)(at - b->data), (size_t)(end - at), line);
}

static size_t count_logits(const bytes *b) {
    size_t count = 0;
    for (const char *at = strstr(b->data, "\nlogit "); at && *at; at++)
        count += *at == ':' && strchr(" 0123456789", at[-1]);
    return count;
}

/* One weight of the rows of logits: this one, or any if there are not so many. It may be left out. */
static bool edit_logit(bytes *b, size_t which, bool leave_out, test_random *r) {
    size_t count = count_logits(b);
    char with[60], *row = strstr(b->data, "\nlogit ");
    if (!count) return false;
    if (which >= count) which = random_below(r, count);
    for (char *at = row; *at; at++) {
        if (*at != ':' || !strchr(" 0123456789", at[-1]) || which--) continue;
        char *end = at + 1;
        double weight = strtod(at + 1, &end);
        static const double by[] = {0x1p-6, -0x1p-10, 1, 0x1p-30, -512, 0x1p-45};
        weight += by[random_below(r, sizeof by / sizeof *by)];
        if (!random_below(r, 6)) weight = NEVER;
        if (!random_below(r, 6)) weight = -weight;
        if (leave_out) {
            char *begin = at;
            while (*begin != ' ') begin--;
            splice(b, (size_t)(begin - b->data), (size_t)(end - begin), "");
            return true;
        }
        snprintf(with, sizeof with, "%a", weight);
        splice(b, (size_t)(at + 1 - b->data), (size_t)(end - at - 1), with);
        return true;
    }
    return false;
}

static void check_edited(const bytes *file, const bytes *certificate, const char *bound, const subject *x,
                         temper_type type, size_t which, bool leave_out, test_random *r) {
    bytes changed = copy_of(file, 2000);
    temper_model *m = NULL;
    temper_error e;
    char now[40];
    temper_claim claim;
    without_digest(&changed);
    if (edit_logit(&changed, which, leave_out, r) &&
        temper_model_read(&m, changed.data, changed.length, &e) == TEMPER_OK) {
        double off = distance(m, x, type);
        bytes old = copy_of(certificate, 400);
        address_to(&old, &changed);
        bytes c = certified(&changed, type, now, sizeof now, &claim);
        CHECK(is_within(off, bound) || !audit_passes(&old, &changed), "off by %g, and the audit accepts:\n%s\n%s",
              off, old.data, changed.data);
        CHECK(!*now || is_within(off, now), "off by %g, and certify says %s:\n%s\n%s", off, now, x->source,
              changed.data);
        if (c.data) CHECK(audit_passes(&c, &changed), "%s\n%s\n%s", audit_error.text, c.data, changed.data);
        met.edited++;
        met.harmless += is_within(off, bound);
        temper_free(c.data);
        free(old.data);
    }
    temper_model_free(m);
    free(changed.data);
}

/* How far the logits of two models are apart, on all short strings. */
static double apart(const temper_model *m, const temper_model *other, size_t letters) {
    double most = 0;
    temper_run_options o = {.unchecked = 1, .threads = 1};
    for (size_t n = 0; n <= LENGTH; n++) {
        uint32_t word[LENGTH + 1] = {0};
        do {
            temper_run *run = NULL, *also = NULL;
            temper_error e;
            if (!CHECK(temper_model_run(&run, m, word, n, &o, &e) == TEMPER_OK &&
                           temper_model_run(&also, other, word, n, &o, &e) == TEMPER_OK,
                       "%s", e.text))
                most = INFINITY;
            for (size_t i = 0; run && also && i <= n; i++)
                for (size_t k = 0; k <= letters; k++)
                    most = fmax(most, fabs(temper_run_logits(run, k)[i] - temper_run_logits(also, k)[i]));
            temper_run_free(run);
            temper_run_free(also);
        } while (corpus_next_word(word, n, letters));
    }
    return most;
}

/* The first digit of the weights is another one. Returns whether there is one. */
static bool edit_weight(char *text) {
    char *table = strstr(text, "probabilities {");
    if (!table) return false;
    char *digit = table + strcspn(table, "123456789"); /* of a weight, or of a state's number */
    *digit = *digit == '9' ? '1' : (char)(*digit + 1);
    return true;
}

/* A weight of the source, in model and certificate alike. It may not matter, if a later line says it again or if
   nothing else is legal there: then a model of the other source has the same logits. */
static void check_other_source(const bytes *file, const bytes *certificate, const subject *x) {
    bytes m = copy_of(file, 400), c = copy_of(certificate, 400), other = {0};
    subject y = *x;
    temper_model *here = NULL, *there = NULL;
    temper_error e;
    without_digest(&m);
    if (x->form != FORM_STATES && edit_weight(m.data) && edit_weight(c.data) && edit_weight(y.source) &&
        built(&other, &y, TEMPER_METHOD_TEMPERATURE) &&
        CHECK(temper_model_read(&here, file->data, file->length, &e) == TEMPER_OK &&
                  temper_model_read(&there, other.data, other.length, &e) == TEMPER_OK,
              "%s", e.text)) {
        bytes old = copy_of(&c, 400);
        address_to(&old, &m);
        bool same = apart(here, there, x->letters) < 1e-9;
        CHECK(!audit_passes(&old, &m) || same, "the audit takes other weights:\n%s\n%s", old.data, m.data);
        met.sources += !same;
        free(old.data);
    }
    temper_model_free(here);
    temper_model_free(there);
    temper_free(other.data);
    free(m.data);
    free(c.data);
}

static void check(test_random *r) {
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32};
    temper_type type = types[random_below(r, 4)];
    subject x;
    bytes file = {0};
    temper_model *m = NULL;
    char bound[40];
    temper_claim claim = TEMPER_CLAIM_NONE;
    temper_error e;
    random_subject(&x, r);
    if (!built(&file, &x, (temper_method)(TEMPER_METHOD_TEMPERATURE + random_below(r, 3)))) return;
    met.built++;
    bytes c = certified(&file, type, bound, sizeof bound, &claim);
    if (c.data && CHECK(temper_model_read(&m, file.data, file.length, &e) == TEMPER_OK, "%s", e.text)) {
        double off = distance(m, &x, type);
        CHECK(audit_passes(&c, &file), "%s\n%s\n%s", audit_error.text, c.data, file.data);
        CHECK(type != TEMPER_TYPE_F64 || *bound, "%s: nothing is proved of logits\n%s", x.source, c.data);
        CHECK(!*bound || is_within(off, bound), "%s: off by %g, not %s", x.source, off, bound);
        CHECK(!strstr(x.source, "viable") == (claim != TEMPER_CLAIM_VIABLE), "%s: %s", x.source, c.data);
        met.proved += *bound != 0;
        met.unproved += !*bound;
        met.viable += claim == TEMPER_CLAIM_VIABLE;
        for (int k = 0; *bound && k < 4; k++)
            check_edited(&file, &c, bound, &x, type, SIZE_MAX, !random_below(r, 4), r);
        if (*bound) check_other_source(&file, &c, &x);
    }
    temper_model_free(m);
    temper_free(c.data);
    temper_free(file.data);
}

/* ---- written ones ---- */

#define NESTED "viable H (#[a] >= #[b])\n#[a] = #[b] & H (#[a] >= #[b])\n"

/* As many outputs as a line `viable` may have; a first letter that cannot begin; a letter that always comes; letters
   that nothing tells apart; a state that is left by its first letter alone. */
static const struct {
    subject subject;
    bool edit_all;
} WRITTEN[] = {
    {{"alphabet a b c d e\nnext\nprobabilities uniform\n" NESTED, .letters = 5, .letter = {1, 1, 1, 1, 1, 1}}, false},
    {{"alphabet b a\nempty accept\nnext\nprobabilities {\nb 2\na 1/4\nend 3/8\n}\n" NESTED, .form = FORM_LETTERS,
      .letters = 2, .letter = {2, 0.25, 0.375}},
     true},
    {{"alphabet a\nnext\nprobabilities {\nend 0\n}\nregex a*\n", .form = FORM_LETTERS, .letters = 1,
      .letter = {1, 0}},
     true},
    {{"alphabet a b c\nnext\nprobabilities {\nc 3\n}\nregex ([ab]c)*\n", .form = FORM_LETTERS, .letters = 3,
      .letter = {1, 1, 3, 1}},
     false},
    {{"alphabet a b\nnext\nprobabilities {\na 2\n}\nregex (ba)*a\n", .form = FORM_LETTERS, .letters = 2,
      .letter = {2, 1, 1}},
     true},
};

static void check_written(test_random *r) {
    for (size_t k = 0; k < sizeof WRITTEN / sizeof *WRITTEN; k++) {
        const subject *x = &WRITTEN[k].subject;
        bytes file = {0};
        temper_model *m = NULL;
        char bound[40];
        temper_claim claim = TEMPER_CLAIM_NONE;
        temper_error e;
        if (!built(&file, x, TEMPER_METHOD_TEMPERATURE)) continue;
        bytes c = certified(&file, TEMPER_TYPE_F64, bound, sizeof bound, &claim);
        if (CHECK(c.data && *bound, "%s: nothing is proved", x->source) &&
            CHECK(temper_model_read(&m, file.data, file.length, &e) == TEMPER_OK, "%s", e.text)) {
            double off = distance(m, x, TEMPER_TYPE_F64);
            CHECK(is_within(off, bound), "%s: off by %g, not %s", x->source, off, bound);
            CHECK(audit_passes(&c, &file), "%s\n%s\n%s", audit_error.text, c.data, file.data);
            size_t edits = WRITTEN[k].edit_all ? count_logits(&file) : 0;
            for (size_t j = 0; j < 2 * edits; j++)
                check_edited(&file, &c, bound, x, TEMPER_TYPE_F64, j / 2, j % 2, r);
        }
        temper_model_free(m);
        temper_free(c.data);
        temper_free(file.data);
    }
}

/* Another source in place of the one that was built: certify says that nothing is proved of the logits, and why. */
static void check_unproved(void) {
    static const struct {
        const char *source, *other, *why;
    } cases[] = {
        {"alphabet a b\nnext\nprobabilities {\na 1\n}\nregex ab\n",
         "alphabet a b\nnext\nprobabilities {\na 0\n}\nregex ab\n", "weight 0"},
        {"alphabet a b\nnext\nprobabilities {\na 3 -- three\n}\n" NESTED,
         "alphabet a b\nnext\nprobabilities {\nafter a b 1 \n}\n" NESTED, "nothing is proved"},
        {"alphabet a b\nnext\nprobabilities {\na 1\n}\n" NESTED,
         "alphabet a b\nnext\nprobabilities {\na 0\n}\n" NESTED, "nothing is proved"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject x = {.letters = 2};
        bytes file = {0};
        temper_model *m = NULL;
        temper_certificate *c = NULL;
        temper_error e;
        temper_certify_options o = {.length = 9};
        snprintf(x.source, sizeof x.source, "%s", cases[k].source);
        if (!built(&file, &x, TEMPER_METHOD_TEMPERATURE)) continue;
        bytes other = copy_of(&file, 2000), proof = {0};
        without_digest(&other);
        put_source(&other, cases[k].other);
        if (CHECK(temper_model_read(&m, other.data, other.length, &e) == TEMPER_OK &&
                      temper_certify(&c, m, other.data, other.length, &o, &e) == TEMPER_OK,
                  "%s: %s", cases[k].other, e.text)) {
            temper_certificate_info about = temper_certificate_about(c);
            CHECK(about.verdict == TEMPER_PROVED && !*about.log_probabilities &&
                      strstr(about.logits_note, cases[k].why),
                  "%s: %s%s", cases[k].other, about.log_probabilities, about.logits_note);
            if (about.verdict == TEMPER_PROVED) temper_certificate_print(&proof.data, &proof.length, c, &e);
            if (proof.data) CHECK(audit_passes(&proof, &other), "%s\n%s", audit_error.text, proof.data);
        }
        temper_free(proof.data);
        temper_certificate_free(c);
        temper_model_free(m);
        free(other.data);
        temper_free(file.data);
    }
}

int main(void) {
    test_random r = test_seed(1516);
    check_written(&r);
    check_unproved();
    size_t count = (size_t)(60 * test_effort()) + 12;
    for (size_t k = 0; k < count; k++) check(&r);
    CHECK(met.proved > count / 2 && met.edited > count && met.harmless < met.edited && met.viable && met.sources,
          "%zu built, %zu proved, %zu not, %zu edited, %zu of them harmless, %zu viable", met.built, met.proved,
          met.unproved, met.edited, met.harmless, met.viable);
    printf("%zu proved, %zu not, %zu edited, %zu of them harmless, %zu other sources, %zu viable\n", met.proved,
           met.unproved, met.edited, met.harmless, met.sources, met.viable);
    return test_finish("t-probabilities");
}
