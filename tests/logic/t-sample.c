/* Strings out of language models: each is a member, every short member is reached, strings that are counted come
   equally often (chi-square with fixed seeds), and those of weights as often as their probability says, which is
   computed a second time from the specification's own answers. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "temper.h"

enum { LENGTH = 12 };

typedef struct subject {
    temper_spec *language, *next;
    temper_model *model;
    size_t letters;
    const char *text;
} subject;

static bool open_subject(subject *x, const char *source, temper_syntax syntax) {
    temper_error e = {0};
    temper_spec_options plain = {.syntax = syntax}, o = {.syntax = syntax, .kind = TEMPER_KIND_NEXT};
    temper_build_options b = {.method = TEMPER_METHOD_TEMPERATURE};
    *x = (subject){.text = source};
    bool fine = temper_spec_parse(&x->language, source, strlen(source), &plain, &e) == TEMPER_OK &&
                temper_spec_parse(&x->next, source, strlen(source), &o, &e) == TEMPER_OK &&
                temper_build(&x->model, x->next, &b, &e) == TEMPER_OK;
    CHECK(fine, "%s: %s", source, e.text);
    if (fine) x->letters = temper_spec_about(x->next).letters;
    return fine;
}

static void close_subject(subject *x) {
    temper_model_free(x->model);
    temper_spec_free(x->language);
    temper_spec_free(x->next);
}

static bool is_member(const subject *x, const uint32_t *w, size_t n) {
    int accept = 0;
    temper_spec_eval(&accept, NULL, x->language, w, n, NULL);
    return accept;
}

/* The number of a string among those of its length. */
static size_t number_of(const uint32_t *w, size_t n, size_t letters) {
    size_t number = 0;
    for (size_t k = 0; k < n; k++) number = number * letters + w[k];
    return number;
}

static size_t power(size_t base, size_t n) { return n ? base * power(base, n - 1) : 1; }

/* How often each string of at most `longest` letters was drawn: seen[length][number]. */
static size_t draw_all(const subject *x, temper_sampling by, size_t length, size_t longest, size_t draws,
                       size_t **seen) {
    temper_sampler *s;
    temper_error e = {0};
    size_t counted = 0;
    temper_sample_options o = {.by = by, .length = length, .seed = 12345, .run = {.unchecked = 1}};
    if (!CHECK(temper_sampler_open(&s, x->model, &o, &e) == TEMPER_OK, "%s: %s", x->text, e.text)) return 0;
    for (size_t k = 0; k < draws; k++) {
        uint32_t *w;
        size_t n;
        if (!CHECK(temper_sampler_draw(&w, &n, NULL, s, &e) == TEMPER_OK, "%s: %s", x->text, e.text)) break;
        CHECK(is_member(x, w, n), "%s: a sample of %zu letters is no member", x->text, n);
        CHECK(by == TEMPER_SAMPLING_STRINGS ? n == length : n <= length, "%s: %zu letters", x->text, n);
        if (n <= longest) {
            seen[n][number_of(w, n, x->letters)]++;
            counted++;
        }
        temper_free(w);
    }
    temper_sampler_free(s);
    return counted;
}

static size_t **new_counts(size_t letters, size_t longest) {
    size_t **seen = malloc((longest + 1) * sizeof *seen);
    for (size_t n = 0; n <= longest; n++) seen[n] = calloc(power(letters, n), sizeof **seen);
    return seen;
}

static void free_counts(size_t **seen, size_t longest) {
    for (size_t n = 0; n <= longest; n++) free(seen[n]);
    free(seen);
}

/* Every member of at most `longest` letters comes up in so many draws. */
static void check_reached(const char *source, temper_syntax syntax, size_t longest, size_t draws) {
    subject x;
    if (open_subject(&x, source, syntax)) {
        size_t **seen = new_counts(x.letters, longest), missing = 0;
        draw_all(&x, TEMPER_SAMPLING_LETTERS, 40, longest, draws, seen);
        for (size_t n = 0; n <= longest; n++) {
            uint32_t w[LENGTH] = {0};
            do missing += is_member(&x, w, n) && !seen[n][number_of(w, n, x.letters)];
            while (corpus_next_word(w, n, x.letters));
        }
        CHECK(!missing, "%s: %zu short members were not drawn", source, missing);
        free_counts(seen, longest);
    }
    close_subject(&x);
}

/* Counted strings: chi-square of the members' numbers. With a fixed seed it is a number, which is far below what one
   chance in a million allows: for k degrees of freedom k + 7 sqrt(2k). */
static void check_counted(const char *source, temper_syntax syntax, size_t length) {
    subject x;
    if (open_subject(&x, source, syntax)) {
        size_t **seen = new_counts(x.letters, length), members = 0, draws;
        uint32_t w[LENGTH] = {0};
        do members += is_member(&x, w, length);
        while (corpus_next_word(w, length, x.letters));
        draws = draw_all(&x, TEMPER_SAMPLING_STRINGS, length, length, 40 * members, seen);
        double chi = 0;
        memset(w, 0, sizeof w);
        do {
            double expected = (double)draws / (double)members,
                   got = (double)seen[length][number_of(w, length, x.letters)];
            if (is_member(&x, w, length)) chi += (got - expected) * (got - expected) / expected;
        } while (corpus_next_word(w, length, x.letters));
        double freedom = (double)members - 1;
        CHECK(chi <= freedom + 7 * sqrt(2 * freedom) && (members < 20 || chi > 0), "%s: chi-square %g of %zu strings",
              source, chi, members);
        free_counts(seen, length);
    }
    close_subject(&x);
}

/* ---- probabilities ---- */

/* By the table of weights that the test knows: of letters and the end, after letters if there are any. */
typedef struct known_weights {
    const char *text;   /* the specification */
    double after[4][4]; /* [last letter, or 3 at the start][letter, or the number of letters] */
} known_weights;

static double known_probability(const subject *x, const known_weights *k, const uint32_t *w, size_t n,
                                size_t output) {
    double sum = 0, own = 0;
    size_t last = n ? w[n - 1] : 3;
    for (size_t o = 0; o <= x->letters; o++) {
        int legal = 0;
        temper_spec_eval(&legal, NULL, temper_spec_output(x->next, o), w, n, NULL);
        if (!legal) continue;
        sum += k->after[last][o];
        if (o == output) own = k->after[last][o];
    }
    return sum > 0 ? own / sum : 0;
}

static void check_weights(const known_weights *k) {
    subject x;
    temper_spec *made = NULL;
    if (open_subject(&x, k->text, TEMPER_SYNTAX_SPEC) &&
        CHECK(temper_spec_next(&made, NULL, x.next, NULL) == TEMPER_OK, "%s", k->text)) {
        temper_spec_free(x.next);
        x.next = made;
        size_t longest = 4, **seen = new_counts(x.letters, longest), draws = 4000;
        draw_all(&x, TEMPER_SAMPLING_WEIGHTS, 1000, longest, draws, seen);
        for (size_t n = 0; n <= longest; n++) {
            uint32_t w[LENGTH] = {0};
            do {
                double p = 1;
                for (size_t i = 0; i < n; i++) p *= known_probability(&x, k, w, i, w[i]);
                p *= known_probability(&x, k, w, n, x.letters);
                temper_likelihood found;
                temper_run_options o = {.unchecked = 1}, f32 = {.unchecked = 1, .type = TEMPER_TYPE_F32};
                temper_error e = {0};
                for (int single = 0; single < 2; single++) {
                    CHECK(temper_model_likelihood(&found, x.model, w, n, single ? &f32 : &o, &e) == TEMPER_OK,
                          "%s: %s", k->text, e.text);
                    CHECK(p > 0 ? fabs(found.log_probability - log(p)) <= found.error + 1e-14 * (double)(n + 1)
                                : isinf(found.log_probability),
                          "%s: log-probability %.17g, not %.17g, error %g", k->text, found.log_probability, log(p),
                          found.error);
                    CHECK(single || found.error < 1e-8 || isinf(found.log_probability), "%s: error %g", k->text,
                          found.error);
                }
                double got = (double)seen[n][number_of(w, n, x.letters)], wanted = (double)draws * p;
                CHECK(fabs(got - wanted) <= 6 * sqrt(wanted + 1), "%s: drawn %g times, not %g", k->text, got, wanted);
            } while (corpus_next_word(w, n, x.letters));
        }
        free_counts(seen, longest);
    }
    close_subject(&x);
}

static void check_all_weights(void) {
    static const known_weights known[] = {
        {"next\nprobabilities uniform\nregex (ab|ba)*", {{1, 1, 1}, {1, 1, 1}, {0}, {1, 1, 1}}},
        {"next\nprobabilities {\n a 3\n b 0.5 -- half\n end 1/4\n}\nregex (a|b)*a",
         {{3, .5, .25}, {3, .5, .25}, {0}, {3, .5, .25}}},
        {"next\nprobabilities {\nafter a b 4\nafter start a 2\nafter b end 3\n}\nalphabet a b\nH(b -> O a)",
         {{1, 4, 1}, {1, 1, 3}, {0}, {2, 1, 1}}},
        {"next\nprobabilities {\nstart s\ns a p 2\ns b q 2/3\np a p 1\np b q 3\np end 1\nq a p 5\nq b q 1\nq end "
         "0.5\ns end 1\n}\nregex [ab]*",
         {{1, 3, 1}, {5, 1, .5}, {0}, {2, 2.0 / 3, 1}}},
        {"next\nprobabilities {\n a 1\n b 2\n}\nviable H(#[a] >= #[b])\nH(#[a] >= #[b]) & #[a] = #[b]",
         {{1, 2, 1}, {1, 2, 1}, {0}, {1, 2, 1}}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) check_weights(&known[k]);
}

/* ---- at most a length ---- */

/* Strings that have not ended in time are dropped, and no other string is more likely for it but in proportion: the
   exact fractions of all strings, over their sum, by hand. */
typedef struct cut_case {
    const char *text;
    temper_sampling by;
    size_t length;
    struct {
        const char *string;
        unsigned of; /* numerator */
    } known[8];
} cut_case;

static const char *spelled(char out[LENGTH + 1], const uint32_t *w, size_t n) {
    for (size_t k = 0; k < n; k++) out[k] = (char)('a' + w[k]);
    out[n] = 0;
    return out;
}

static void check_cut(const cut_case *c) {
    enum { DRAWS = 6000 };
    subject x;
    temper_sampler *s;
    temper_error e = {0};
    temper_sample_options o = {.by = c->by, .length = c->length, .seed = 99, .run = {.unchecked = 1}};
    size_t seen[8] = {0}, known = 0;
    double all = 0, chi = 0;
    while (known < 8 && c->known[known].string) all += c->known[known++].of;
    if (!open_subject(&x, c->text, TEMPER_SYNTAX_SPEC) ||
        !CHECK(!temper_sampler_open(&s, x.model, &o, &e), "%s: %s", c->text, e.text)) {
        close_subject(&x);
        return;
    }
    for (size_t turn = 0; turn < DRAWS; turn++) {
        uint32_t *w = NULL;
        size_t n = 0, k = 0;
        char shown[LENGTH + 1];
        if (!CHECK(!temper_sampler_draw(&w, &n, NULL, s, &e) && n <= c->length, "%s: %s", c->text, e.text)) break;
        while (k < known && strcmp(c->known[k].string, spelled(shown, w, n))) k++;
        if (CHECK(k < known, "%s: '%s' is drawn", c->text, shown)) seen[k]++;
        temper_free(w);
    }
    for (size_t k = 0; k < known; k++) {
        double wanted = DRAWS * c->known[k].of / all, off = (double)seen[k] - wanted;
        chi += off * off / wanted;
    }
    double freedom = (double)known - 1;
    CHECK(chi <= freedom + 7 * sqrt(2 * freedom), "%s by %d up to %zu letters: chi-square %g of %zu strings", c->text,
          (int)c->by, c->length, chi, known);
    temper_sampler_free(s);
    close_subject(&x);
}

static void check_cuts(void) {
#define WEIGHED(weights, language) "next\nprobabilities {\n" weights "}\nregex " language
    static const cut_case cases[] = {
        {WEIGHED("a 1\nend 1\n", "a*"), TEMPER_SAMPLING_WEIGHTS, 3, {{"", 8}, {"a", 4}, {"aa", 2}, {"aaa", 1}}},
        {"regex a*", TEMPER_SAMPLING_LETTERS, 3, {{"", 8}, {"a", 4}, {"aa", 2}, {"aaa", 1}}},
        {WEIGHED("a 1\nend 1/9\n", "a*"), TEMPER_SAMPLING_WEIGHTS, 2, {{"", 100}, {"a", 90}, {"aa", 81}}},
        {WEIGHED("a 3\nb 1\nend 2\n", "(a|b)*"),
         TEMPER_SAMPLING_WEIGHTS,
         2,
         {{"", 36}, {"a", 18}, {"b", 6}, {"aa", 9}, {"ab", 3}, {"ba", 3}, {"bb", 1}}},
        {"regex (ab)*", TEMPER_SAMPLING_LETTERS, 3, {{"", 2}, {"ab", 1}}},
        {"regex a*b", TEMPER_SAMPLING_LETTERS, 2, {{"b", 2}, {"ab", 1}}},
        {"regex a*b?", TEMPER_SAMPLING_LETTERS, 1, {{"", 3}, {"a", 1}, {"b", 3}}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_cut(&cases[k]);
}

/* Where no string ends in time, a limit that the caller sets ends the search. */
static void check_tries(void) {
    subject x;
    temper_sampler *s = NULL;
    temper_error e = {0};
    temper_sample_options o = {.length = 3, .run = {.unchecked = 1}, .tries = 7};
    if (open_subject(&x, "a{5}", TEMPER_SYNTAX_REGEX) &&
        CHECK(!temper_sampler_open(&s, x.model, &o, &e), "%s", e.text)) {
        uint32_t *w;
        size_t n;
        CHECK(temper_sampler_draw(&w, &n, NULL, s, &e) == TEMPER_LIMIT && !w &&
                  !strcmp(e.text, "none of 7 strings came to an end within 3 letters"),
              "%s", e.text);
    }
    temper_sampler_free(s);
    close_subject(&x);
}

/* Two ways to read a letter: the probability of a string is the sum over both. */
static void check_nondeterministic(void) {
    static const char source[] = "next\nprobabilities {\nstart s\ns a s 1\ns a t 1\ns end 1\nt a t 1\nt end 3\n}\n"
                                 "regex a*";
    subject x;
    temper_error e = {0};
    temper_spec_options o = {.kind = TEMPER_KIND_NEXT};
    temper_spec *spec;
    temper_model *m = NULL;
    temper_spec_parse(&spec, source, strlen(source), &o, &e);
    /* beliefs never repeat: (1 + 2^-k) and so on */
    CHECK(spec && temper_build(&m, spec, NULL, &e) == TEMPER_LIMIT && strstr(e.text, "nondeterministic"), "%s",
          e.text);
    temper_spec_free(spec);
    static const char few[] = "next\nprobabilities {\nstart s\ns a t 1\ns a u 2\nt a s 1\nt end 1\nu a s 1\nu end 3\n"
                              "s end 0\n}\nregex a*";
    if (open_subject(&x, few, TEMPER_SYNTAX_SPEC)) {
        uint32_t w[3] = {0};
        temper_likelihood found;
        temper_run_options run = {.unchecked = 1};
        double end = (1.0 * 1 + 2.0 * 3) / 3, on = 1, p = end / (end + on);
        temper_model_likelihood(&found, x.model, w, 1, &run, &e);
        CHECK(fabs(found.log_probability - log(p)) < 1e-9, "%g, not %g", found.log_probability, log(p));
        temper_model_likelihood(&found, x.model, w, 3, &run, &e);
        CHECK(fabs(found.log_probability - log((1 - p) * p)) < 1e-9, "%g", found.log_probability);
        temper_model_likelihood(&found, x.model, w, 2, &run, &e);
        CHECK(isinf(found.log_probability), "%g", found.log_probability);
    }
    close_subject(&x);
}

int main(void) {
    check_reached("(ab|ba)*", TEMPER_SYNTAX_REGEX, 6, 3000);
    check_reached("a*b*", TEMPER_SYNTAX_REGEX, 4, 3000);
    check_reached("alphabet a b\nG (a -> F b)", TEMPER_SYNTAX_SPEC, 4, 3000);
    check_reached("alphabet a b\n#[a] % 3 = 1", TEMPER_SYNTAX_SPEC, 4, 3000);
    check_counted("(ab|ba)*", TEMPER_SYNTAX_REGEX, 8);
    check_counted("alphabet a b\nH (b -> Y a)", TEMPER_SYNTAX_SPEC, 9);
    check_counted("alphabet a b\n#[a] % 3 = 1", TEMPER_SYNTAX_SPEC, 7);
    check_counted("(a|b|c)*ab(a|b|c)*", TEMPER_SYNTAX_REGEX, 5);
    check_counted("alphabet a b\nF (a & X a)", TEMPER_SYNTAX_SPEC, 6);
    check_all_weights();
    check_cuts();
    check_tries();
    check_nondeterministic();
    return test_finish("t-sample");
}
