/* The gallery: each transformer, with hard attention, against its oracle, in floating and in exact arithmetic, and
   against its formula: on all short strings, on random ones, on members made by structure, and on near misses of
   those. */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include "base/arena.h"
#include "model/model.h"
#include "temper.h"

enum { LONGEST = 64, LONGEST_EXACT = 24, WIDE = 10000 /* strings of the exhaustive part, about */ };

typedef struct string {
    uint32_t w[2 * LONGEST];
    size_t n;
} string;

typedef struct subject {
    temper_gallery_info about;
    temper_model *model;
    temper_spec *spec; /* NULL: no formula */
    size_t letters;
    size_t compared, accepted, rejected;
    size_t refused; /* floating arithmetic could not tell a tie from rounding, and said so */
} subject;

static const char *shown(const subject *x, const string *s) {
    static char out[2 * LONGEST + 1];
    for (size_t i = 0; i < s->n; i++) out[i] = x->about.alphabet[s->w[i]];
    out[s->n] = 0;
    return out;
}

/* ---- one string, every opinion ---- */

enum { PLANNED, DENSE, EXACT, CHECKED, REFUSED = 2 };

static int run_hard(const subject *x, const string *s, int how) {
    temper_run *run = NULL;
    temper_error e;
    temper_run_options o = {.hard = 1, .unchecked = how != CHECKED, .dense = how == DENSE, .threads = 1};
    if (how == EXACT) o.type = TEMPER_TYPE_EXACT;
    temper_status status = temper_model_run(&run, x->model, s->w, s->n, &o, &e);
    if (how == CHECKED && status == TEMPER_UNSUPPORTED) return REFUSED;
    if (!CHECK(status == TEMPER_OK, "%s: %s on '%s'", x->about.name, e.text, shown(x, s))) return -1;
    int accept = temper_run_about(run).accept;
    temper_run_free(run);
    return accept;
}

static void compare(subject *x, const string *s, bool with_formula) {
    int oracle = -1, formula = -1;
    temper_error e;
    temper_status status = temper_gallery_oracle(&oracle, x->about.name, s->w, s->n, &e);
    if (!CHECK(status == TEMPER_OK, "%s: %s", x->about.name, e.text)) return;
    int dense = run_hard(x, s, DENSE), planned = run_hard(x, s, PLANNED);
    CHECK(dense == oracle, "%s: dense %d, oracle %d on '%s'", x->about.name, dense, oracle, shown(x, s));
    CHECK(planned == oracle, "%s: planned %d, oracle %d on '%s'", x->about.name, planned, oracle, shown(x, s));
    if (x->spec && with_formula) {
        status = temper_spec_eval(&formula, NULL, x->spec, s->w, s->n, &e);
        CHECK(status == TEMPER_OK && formula == oracle, "%s: formula %d, oracle %d on '%s'", x->about.name, formula,
              oracle, shown(x, s));
    }
    if (x->compared++ % 40 == 0 && s->n <= LONGEST_EXACT) {
        int exact = run_hard(x, s, EXACT);
        int checked = run_hard(x, s, CHECKED);
        CHECK(checked == oracle || checked == REFUSED, "%s: checked %d, oracle %d on '%s'", x->about.name, checked,
              oracle, shown(x, s));
        x->refused += checked == REFUSED;
        CHECK(exact == oracle, "%s: exact %d, oracle %d on '%s'", x->about.name, exact, oracle, shown(x, s));
    }
    x->accepted += oracle == 1;
    x->rejected += oracle == 0;
}

/* What is read at the verdict is not only on the right side of 1/2: it is 0 or 1. */
static void check_read(const subject *x, const string *s) {
    temper_run *run = NULL;
    temper_error e;
    temper_model_info info;
    temper_run_options o = {.hard = 1, .unchecked = 1, .capture = 1};
    info = temper_model_about(x->model);
    if (!CHECK(temper_model_run(&run, x->model, s->w, s->n, &o, &e) == TEMPER_OK, "%s", e.text)) return;
    for (size_t i = 0; i <= s->n; i++) {
        double read = rows_dot(&x->model->read, 0, temper_run_channels(run, info.layers, i));
        CHECK(read == 0 || read == 1, "%s reads %a at %zu of '%s'", x->about.name, read, i, shown(x, s));
    }
    temper_run_free(run);
}

/* ---- all short strings ---- */

static void test_short(subject *x) {
    size_t total = 1, wide = (size_t)(WIDE * test_effort()), number = 0;
    for (size_t n = 0, words = 1; n < 16 && total <= wide; n++, words *= x->letters, total += words)
        for (size_t k = 0; k < words; k++) {
            string s = {.n = n};
            for (size_t i = 0, rest = k; i < n; i++, rest /= x->letters) s.w[i] = (uint32_t)(rest % x->letters);
            compare(x, &s, number % 3 == 0 || n < 5);
            if (number++ % 101 == 0) check_read(x, &s);
        }
}

/* ---- members by structure ---- */

static void put(string *s, size_t letter) { s->w[s->n++] = (uint32_t)letter; }

static void fill(string *s, test_random *r, size_t n, size_t letters) {
    while (s->n < n) put(s, random_below(r, letters));
}

/* A balanced string of n letters (n even), never deeper than `deepest`. */
static void make_balanced(string *s, test_random *r, size_t n, size_t kinds, size_t deepest) {
    size_t stack[2 * LONGEST], depth = 0;
    for (n -= n % 2; s->n < n;) {
        bool must_close = depth == n - s->n || depth == deepest;
        if (depth == 0 || (!must_close && random_below(r, 2))) {
            stack[depth] = random_below(r, kinds);
            put(s, 2 * stack[depth++]);
        } else {
            put(s, 2 * stack[--depth] + 1);
        }
    }
}

static void make_shuffled(string *s, test_random *r, size_t n) {
    string left = {.n = 0}, right = {.n = 0};
    make_balanced(&left, r, n / 2, 1, n);
    make_balanced(&right, r, n / 2, 1, n);
    for (size_t i = 0, j = 0; i < left.n || j < right.n;) {
        if (j == right.n || (i < left.n && random_below(r, 2)))
            put(s, left.w[i++]);
        else
            put(s, 2 + right.w[j++]);
    }
}

static void make_flip_flop(string *s, test_random *r, size_t n) {
    size_t memory = 3;
    while (s->n + 1 < n) {
        size_t order = s->n ? random_below(r, 3) : 0, bit = 3 + random_below(r, 2);
        if (order == 0) memory = bit;
        put(s, order);
        put(s, order == 1 ? memory : bit);
    }
}

static void make_sorted(string *s, test_random *r, size_t n) {
    fill(s, r, n / 2, 3);
    size_t left = s->n;
    put(s, 3);
    for (uint32_t letter = 0; letter < 3; letter++)
        for (size_t i = 0; i < left; i++)
            if (s->w[i] == letter) put(s, letter);
}

/* Best shares that come again: 1/2 after "a", after "aba", after "ababa"; 2/4 after "ab" is no "best", so the prefix
   is kept. */
static void make_best(string *s, test_random *r, size_t n) {
    while (s->n < n) put(s, s->n % 2 ? (random_below(r, 8) ? 2 : random_below(r, 3)) : random_below(r, 2));
}

/* A string of about n letters that is, or may well be, in the language. */
static void make_member(string *s, const subject *x, test_random *r, size_t n) {
    const char *name = x->about.name;
    s->n = 0;
    if (!strncmp(name, "dyck", 4)) {
        const char *depth = strstr(name, "depth-");
        make_balanced(s, r, n, name[5] == '2' ? 2 : 1, depth ? (size_t)(depth[6] - '0') : n);
    } else if (!strcmp(name, "shuffle-dyck-2")) {
        make_shuffled(s, r, n);
    } else if (!strcmp(name, "flip-flop")) {
        make_flip_flop(s, r, n);
    } else if (!strcmp(name, "sort")) {
        make_sorted(s, r, n);
    } else if (!strcmp(name, "best-prefix")) {
        make_best(s, r, n);
    } else if (!strcmp(name, "anbncn")) {
        for (size_t k = 0; k < n / 3 * 3; k++) put(s, k / (n / 3));
    } else if (!strcmp(name, "palindrome") || !strcmp(name, "copy")) {
        fill(s, r, n / 2, 2);
        if (name[0] == 'p' && n % 2) put(s, random_below(r, 2));
        for (size_t k = 0; k < n / 2; k++) put(s, s->w[name[0] == 'p' ? n / 2 - 1 - k : k]);
    } else if (!strcmp(name, "retrieve-by-key")) {
        while (s->n + 1 < n) put(s, s->n % 2 ? 3 + random_below(r, 2) : random_below(r, 3));
    } else {
        uint64_t rare = random_below(r, 2 * x->letters); /* some strings hold mostly one letter */
        while (s->n < n) put(s, rare < x->letters && random_below(r, 3) ? rare : random_below(r, x->letters));
    }
}

static void mutate(string *s, const subject *x, test_random *r) {
    size_t at = s->n ? random_below(r, s->n) : 0;
    switch (random_below(r, 4)) {
    case 0: put(s, random_below(r, x->letters)); break;
    case 1:
        if (s->n) s->w[at] = (uint32_t)random_below(r, x->letters);
        break;
    case 2:
        if (s->n) memmove(s->w + at, s->w + at + 1, (--s->n - at) * sizeof *s->w);
        break;
    default:
        if (s->n > 1) {
            size_t other = random_below(r, s->n);
            uint32_t t = s->w[at];
            s->w[at] = s->w[other];
            s->w[other] = t;
        }
    }
}

static void test_long(subject *x) {
    test_random r = test_seed(7);
    size_t rounds = (size_t)(120 * test_effort());
    for (size_t k = 0; k < rounds + 10; k++) {
        string s = {.n = 0};
        make_member(&s, x, &r, random_below(&r, LONGEST - 3));
        compare(x, &s, k % 4 == 0);
        mutate(&s, x, &r);
        compare(x, &s, k % 4 == 0);
        mutate(&s, x, &r);
        compare(x, &s, false);
        s.n = 0;
        fill(&s, &r, random_below(&r, LONGEST - 3), x->letters);
        compare(x, &s, k % 4 == 0);
        if (k % 16 == 0) check_read(x, &s);
    }
}

/* ---- what an entry promises ---- */

static void check_heads(const subject *x) {
    temper_model_info info;
    size_t average = 0;
    info = temper_model_about(x->model);
    for (size_t l = 1; l <= info.layers; l++)
        for (size_t h = 1; h <= temper_model_layer(x->model, l).heads; h++) {
            temper_head_info head;
            CHECK(temper_model_head(&head, x->model, l, h, NULL) == TEMPER_OK, "%s", x->about.name);
            CHECK(head.choice != TEMPER_CHOICE_SOFTMAX && !*head.role, "%s: head %zu.%zu", x->about.name, l, h);
            average += head.choice == TEMPER_CHOICE_AVERAGE;
        }
    bool fits = !strcmp(x->about.class_name, "UHAT")                   ? average == 0
                : !strcmp(x->about.class_name, "AHAT uniform-tieless") ? average == info.heads
                                                                       : average > 0;
    CHECK(fits, "%s: %zu of %zu heads are average, class %s", x->about.name, average, info.heads,
          x->about.class_name);
    CHECK(info.letters == x->letters, "%s", x->about.name);
}

/* The highest score of a row comes once in tieless heads, unless all scores are equal and have no query (uniform). */
static void check_ties(const subject *x, const string *s, bool *tied) {
    temper_run *run = NULL;
    temper_error e;
    temper_model_info info;
    temper_run_options o = {.hard = 1, .unchecked = 1, .capture = 1};
    info = temper_model_about(x->model);
    if (!CHECK(temper_model_run(&run, x->model, s->w, s->n, &o, &e) == TEMPER_OK, "%s", e.text)) return;
    size_t size = temper_run_about(run).size;
    for (size_t l = 1; l <= info.layers; l++)
        for (size_t h = 1; h <= temper_model_layer(x->model, l).heads; h++) {
            temper_head_info head;
            const double *weights = temper_run_head(run, l, h).weights;
            temper_model_head(&head, x->model, l, h, NULL);
            for (size_t k = 0; k < size * size && head.query_size && !*tied; k++)
                *tied = weights[k] != 0 && weights[k] != 1;
        }
    temper_run_free(run);
}

static void test_class(const subject *x) {
    test_random r = test_seed(11);
    bool tied = false;
    for (size_t k = 0; k < 60; k++) {
        string s = {.n = 0};
        if (k % 2)
            make_member(&s, x, &r, random_below(&r, 20));
        else
            fill(&s, &r, random_below(&r, 20), x->letters);
        check_ties(x, &s, &tied);
    }
    CHECK(tied == !strcmp(x->about.class_name, "AHAT tied"), "%s: %s ties", x->about.name, tied ? "has" : "no");
}

/* A model whose source is its formula agrees with it at every position; the text form keeps every bit. */
static void test_source(const subject *x) {
    temper_model_info info;
    temper_check_result result;
    temper_check_options o = {.exhaustive = 4, .random = 40, .length = 40, .seed = 1, .threads = 1};
    temper_error e;
    char *printed = NULL, *again = NULL;
    size_t length = 0, length_again = 0;
    temper_model *copy = NULL;
    info = temper_model_about(x->model);
    if (*info.source) {
        bool ok = temper_check(&result, x->spec, x->model, &o, &e) == TEMPER_OK;
        if (CHECK(ok, "%s: %s", x->about.name, e.text)) {
            CHECK(result.agreed, "%s differs from its source at %zu of a string of %zu letters", x->about.name,
                  result.position, result.counterexample_length);
            temper_check_clear(&result);
        }
    }
    CHECK(!temper_model_print(&printed, &length, x->model, &e) && !temper_model_read(&copy, printed, length, &e) &&
              !temper_model_print(&again, &length_again, copy, &e) && length == length_again &&
              !memcmp(printed, again, length),
          "%s: printed and read back, it is another", x->about.name);
    temper_model_free(copy);
    temper_free(printed);
    temper_free(again);
}

static void test_entry(size_t k) {
    subject x = {0};
    temper_error e;
    if (!CHECK(temper_gallery_about(&x.about, k, &e) == TEMPER_OK, "%s", e.text)) return;
    x.letters = strlen(x.about.alphabet);
    if (!CHECK(temper_gallery_model(&x.model, x.about.name, &e) == TEMPER_OK, "%s: %s", x.about.name, e.text)) return;
    if (*x.about.formula)
        CHECK(temper_spec_parse(&x.spec, x.about.formula, strlen(x.about.formula), NULL, &e) == TEMPER_OK,
              "%s: %zu:%zu %s (%s)", x.about.name, e.line, e.column, e.text, e.hint);
    check_heads(&x);
    test_short(&x);
    test_long(&x);
    CHECK(x.accepted > 15 && x.rejected > 15, "%s: %zu accepted, %zu rejected", x.about.name, x.accepted, x.rejected);
    CHECK(!x.refused || !strcmp(x.about.name, "best-prefix"), "%s: %zu refused", x.about.name, x.refused);
    test_class(&x);
    test_source(&x);
    temper_model_free(x.model);
    temper_spec_free(x.spec);
}

/* ---- errors ---- */

static void check_unknown(const char *name, const char *hint) {
    temper_model *m;
    temper_error e;
    CHECK(temper_gallery_model(&m, name, &e) == TEMPER_RANGE && !m && strstr(e.hint, hint), "'%s': '%s' '%s'", name,
          e.text, e.hint);
}

static void test_errors(void) {
    temper_gallery_info info;
    temper_error e;
    int accept;
    uint32_t bad[] = {0, 7};
    check_unknown("parrity", "did you mean parity?");
    check_unknown("dyck", "dyck-1 or ");
    check_unknown("induction", "did you mean induction-head?");
    check_unknown("zzzzzzzz", "the gallery can be listed");
    check_unknown("", "");
    check_unknown("a name that is much longer than any that the gallery could ever have",
                  "the gallery can be listed");
    CHECK(temper_gallery_about(&info, temper_gallery_count(), &e) == TEMPER_RANGE, "%s", e.text);
    CHECK(temper_gallery_oracle(&accept, "parity", bad, 2, &e) == TEMPER_RANGE, "%s", e.text);
    CHECK(temper_gallery_oracle(&accept, "pariti", bad, 1, &e) == TEMPER_RANGE && strstr(e.hint, "parity"), "%s",
          e.hint);
}

static void test_memory(void) {
    static const char *const names[] = {"dyck-2", "dyck-1-depth-3"};
    for (size_t k = 0; k < 2; k++) {
        temper_status status = TEMPER_NO_MEMORY;
        for (unsigned long fail = 1; fail < 2000 && status == TEMPER_NO_MEMORY; fail++) {
            temper_model *m;
            arena_fail_after(fail);
            status = temper_gallery_model(&m, names[k], NULL);
            arena_fail_after(0);
            CHECK((status == TEMPER_OK) == (m != NULL), "%s: allocation %lu", names[k], fail);
            temper_model_free(m);
        }
        CHECK(status == TEMPER_OK, "%s: %s", names[k], temper_status_name(status));
    }
}

int main(void) {
    for (size_t k = 0; k < temper_gallery_count(); k++) test_entry(k);
    test_errors();
    test_memory();
    return test_finish("gallery");
}
