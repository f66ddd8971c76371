/* Heads that look for patterns: known tasks against plain programs at every position, their sizes and certificates;
   steps of every length; and texts that meant something before attention was written in specifications. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "temper.h"
#include "test.h"

enum { LONGEST = 300 };

static temper_spec *parse(const char *source, const char *alphabet) {
    return spec_of(source, alphabet, TEMPER_AT_LAST);
}

/* ---- tasks as programs ---- */

/* The letter after the last earlier place of w[i], or -1. */
static long follower(const uint32_t *w, long i) {
    for (long j = i - 1; j >= 1; j--)
        if (w[j - 1] == w[i]) return j;
    return -1;
}

static bool induction(const uint32_t *w, long i) {
    long j = follower(w, i);
    return j >= 0 && w[j] == 0;
}

/* Two hops: the induction of the position that induction finds. */
static bool two_hops(const uint32_t *w, long i) {
    long j = follower(w, i);
    return j >= 0 && induction(w, j);
}

/* The last two letters occurred before: what followed then? */
static bool bigram(const uint32_t *w, long i) {
    if (i < 1) return false; /* there is no earlier position */
    for (long j = i - 1; j >= 1; j--) {
        bool first = j >= 2 ? w[j - 2] == w[i - 1] : false;
        if (w[j - 1] == w[i] && first) return w[j] == 0;
    }
    return false;
}

/* The last earlier place of this letter had an a before it. */
static bool seen_after_a(const uint32_t *w, long i) {
    for (long j = i - 1; j >= 0; j--)
        if (w[j] == w[i]) return j > 0 && w[j - 1] == 0;
    return false;
}

static bool first_seen_after_a(const uint32_t *w, long i) {
    for (long j = 0; j < i; j++)
        if (w[j] == w[i]) return j > 0 && w[j - 1] == 0;
    return false;
}

static const struct {
    const char *source;
    bool (*program)(const uint32_t *w, long i);
    size_t layers, heads; /* by temperature; 0: whatever */
} tasks[] = {
    {"rightmost[j<i, Y letter is letter] a", induction, 2, 2},
    {"rightmost[j<i, Y letter is letter] rightmost[j<i, Y letter is letter] a", two_hops, 3, 3},
    {"rightmost[j<i, Y letter is letter, Y^2 letter is Y letter] a", bigram, 2, 3},
    {"rightmost[j<i, letter is letter] Y a", seen_after_a, 2, 2},
    {"leftmost[j<i, letter is letter] Y a", first_seen_after_a, 0, 0},
};

static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32};

static void certify(const char *name, const temper_model *m, size_t n, temper_type type) {
    temper_certificate *c = NULL;
    temper_certify_options o = {.type = type, .length = n};
    char *text = NULL, *model = NULL;
    size_t length, size;
    temper_error e;
    bool ok = !temper_certify(&c, m, NULL, 0, &o, &e) && !temper_certificate_print(&text, &length, c, &e) &&
              !temper_model_print(&model, &size, m, &e);
    if (CHECK(ok && temper_certificate_about(c).claim == TEMPER_CLAIM_FORMULA, "%s to %zu in %s: %s", name, n,
              temper_type_name(type), ok ? "not proved" : e.text))
        CHECK(!temper_audit(text, length, model, size, NULL, &e), "%s to %zu in %s: the audit says %s", name, n,
              temper_type_name(type), e.text);
    temper_free(text);
    temper_free(model);
    temper_certificate_free(c);
}

static void run_tasks(test_random *r) {
    static const char *const alphabets[] = {"ab", "abc", "abcdefgh", "abcdefghijklmnopqrstuvwxyz"};
    uint32_t word[LONGEST];
    unsigned char truth[LONGEST];
    for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++)
        for (size_t k = 0; k < sizeof alphabets / sizeof *alphabets; k++) {
            if (t > 0 && strlen(alphabets[k]) > 3 + 5 * (t < 3))
                continue; /* the others take many heads by positions */
            temper_spec *spec = parse(tasks[t].source, alphabets[k]);
            agree_set s;
            if (!spec || !agree_compile(&s, tasks[t].source, spec)) continue;
            temper_model_info about = temper_model_about(s.soft[0]);
            if (tasks[t].heads)
                CHECK(about.layers == tasks[t].layers && about.heads == tasks[t].heads,
                      "%s over %s: %zu layers, %zu heads", tasks[t].source, alphabets[k], about.layers, about.heads);
            for (size_t n = 0; n < 20; n++) {
                size_t length = n < 12 ? n : 20 + random_below(r, LONGEST - 20);
                unsigned letters = n % 3 ? 2 : (unsigned)strlen(alphabets[k]);
                for (size_t i = 0; i < length; i++) word[i] = (uint32_t)random_below(r, letters);
                int accept;
                temper_error e;
                CHECK(!temper_spec_eval(&accept, truth, spec, word, length, &e), "%s", e.text);
                size_t wrong = 0;
                for (size_t i = 0; i < length; i++) wrong += truth[i] != tasks[t].program(word, (long)i);
                CHECK(wrong == 0, "%s over %s: wrong at %zu of %zu positions", tasks[t].source, alphabets[k], wrong,
                      length);
                agree_on(&s, word, length, false);
            }
            if (k < 2)
                for (size_t y = 0; y < 2; y++) certify(tasks[t].source, s.soft[0], y ? 100000 : 1000000000, types[y]);
            agree_free(&s);
            temper_spec_free(spec);
        }
}

/* ---- steps ---- */

static void run_steps(test_random *r) {
    static const size_t steps[] = {1, 2, 3, 4, 5, 8, 13, 31, 63, 64, 65, 128, 130};
    uint32_t word[LONGEST];
    unsigned char truth[LONGEST];
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        for (int back = 0; back < 2; back++) {
            size_t by = steps[k];
            char source[40];
            snprintf(source, sizeof source, "%s^%zu a", back ? "Y" : "X", by);
            temper_spec *spec = spec_of(source, "ab", back ? TEMPER_AT_LAST : TEMPER_AT_FIRST);
            temper_model *m = spec ? model_of(spec, TEMPER_METHOD_TEMPERATURE) : NULL;
            if (!m) continue;
            size_t heads = (by + 63) / 64;
            temper_model_info about = temper_model_about(m);
            CHECK(about.layers == heads && about.heads == heads, "%s: %zu layers, %zu heads", source, about.layers,
                  about.heads);
            for (int round = 0; round < 6; round++) {
                size_t n = round == 0 ? by : round == 1 ? by + 1 : random_below(r, LONGEST);
                for (size_t i = 0; i < n; i++) word[i] = (uint32_t)random_below(r, 2);
                for (size_t i = 0; i < n; i++) {
                    bool inside = back ? i >= by : i + by < n;
                    truth[i] = inside && word[back ? i - by : i + by] == 0;
                }
                for (int hard = 0; hard < 2; hard++) {
                    temper_run *run;
                    temper_error e;
                    temper_run_options o = {.hard = hard, .threads = 1};
                    if (!CHECK(!temper_model_run(&run, m, word, n, &o, &e), "%s: %s", source, e.text)) continue;
                    size_t wrong = 0;
                    for (size_t i = 0; i < n; i++) wrong += temper_run_about(run).truth[i + 1] != truth[i];
                    CHECK(wrong == 0, "%s, %s, n = %zu: wrong at %zu positions", source, hard ? "hard" : "soft", n,
                          wrong);
                    temper_run_free(run);
                }
            }
            if (k % 3 == 0) certify(source, m, 100000, TEMPER_TYPE_F32);
            temper_model_free(m);
            temper_spec_free(spec);
        }
}

/* ---- texts that had a meaning before ---- */

static void read_old_texts(void) {
    static const struct {
        const char *text, *same, *alphabet;
        bool tokens;
    } old[] = {
        {"rightmost = Y a\nleftmost = a\nrightmost & leftmost", "Y a & a", "ab", false},
        {"is = a | b\nletter = Y is\nO (letter & is)", "O (Y (a | b) & (a | b))", "abc", false},
        {"rightmost = [ab]\nO rightmost", "O [ab]", "abc", false},
        {"letter & Y rightmost | O is | leftmost", "letter & Y rightmost | O is | leftmost",
         "letter rightmost is leftmost", true},
        {"Y[a]", "Y a", "ab", false},
        {"Y a ^ b", "(Y a) ^ b", "ab", false},
        {"O a ^ Y b ^ a", "((O a) ^ (Y b)) ^ a", "ab", false},
    };
    for (size_t k = 0; k < sizeof old / sizeof *old; k++) {
        temper_spec_options o = {.alphabet = old[k].alphabet, .tokens = old[k].tokens};
        temper_spec *x = NULL, *y = NULL;
        temper_error e;
        bool ok = !temper_spec_parse(&x, old[k].text, strlen(old[k].text), &o, &e) &&
                  !temper_spec_parse(&y, old[k].same, strlen(old[k].same), &o, &e);
        if (CHECK(ok, "%s: %s", old[k].text, e.text)) {
            size_t letters = temper_spec_about(x).letters;
            for (uint32_t code = 0; code < 81; code++) {
                uint32_t word[4], rest = code;
                unsigned char p[4], q[4];
                int a, b;
                for (size_t i = 0; i < 4; i++, rest /= 3) word[i] = rest % 3 % (uint32_t)letters;
                ok = !temper_spec_eval(&a, p, x, word, 4, &e) && !temper_spec_eval(&b, q, y, word, 4, &e);
                CHECK(ok && !memcmp(p, q, 4), "%s is not %s", old[k].text, old[k].same);
            }
        }
        temper_spec_free(x);
        temper_spec_free(y);
    }
}

int main(void) {
    test_random r = test_seed(14);
    run_tasks(&r);
    run_steps(&r);
    read_old_texts();
    return test_finish("t-match");
}
