/* Ordinary GPT-2s and Llamas made of hard models, in the emulator with the roundings of kernels: every verdict and
   every legal letter after every prefix, against the evaluator of formulas. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "lab/sequences.h"
#include "logic/formula.h"
#include "ordinary/run/ordinary_answer.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary_trials.h"

typedef struct totals {
    size_t specs, models, strings, dead, rows, refused, mirrored, most_layers, most_width;
} totals;
static totals total;

/* One specification in one setting. */
typedef struct trial {
    const char *name;
    const temper_spec *spec;
    struct ordinary_options options;
    struct ordinary_kernel kernel;
    size_t strings;
    size_t long_strings; /* of these, with as many letters as the model takes */
    test_random *random;
    bool must; /* a refusal is a failure */
} trial;

typedef struct subject {
    const trial *t;
    const temper_spec *read;
    const struct ordinary_model *m;
    const ordinary_runner *runner;
    temper_kind kind;
    size_t outputs;
    unsigned char *truth; /* [outputs][n] */
    float *logits;
    arena *memory, *scratch;
} subject;

static const char *setting(const trial *t) { return ordinary_setting_text(t->name, &t->options); }

static const char *shown(const subject *x, const uint32_t *w, size_t n) {
    static char out[200];
    size_t at = 0;
    out[0] = 0;
    for (size_t k = 0; k < n && at + 40 < sizeof out; k++)
        at += (size_t)snprintf(out + at, sizeof out - at, "%s", temper_spec_letter(x->read, w[k]));
    return out;
}

static void check_row(const subject *x, const uint32_t *w, size_t n, size_t row) {
    const float *logits = x->logits + row * x->m->vocabulary;
    ordinary_answers answers = {x->m, x->read, x->kind, x->truth};
    total.rows++;
    bool ok = ordinary_answer_is_right(&answers, logits, row, n);
    if (!CHECK(ok, "%s: row %zu of '%s'", setting(x->t), row, shown(x, w, n)) && getenv("ORDINARY_SHOW"))
        for (uint32_t t = 0; t < x->m->vocabulary; t++) printf("  %s %g\n", x->m->tokens[t], (double)logits[t]);
}

static void check_string(const subject *x, const uint32_t *w, size_t n) {
    temper_error e;
    uint32_t *tokens = arena_alloc(x->memory, n + 1, sizeof *tokens);
    tokens[0] = ORDINARY_BOS;
    for (size_t k = 0; k < n; k++) tokens[k + 1] = ORDINARY_LETTERS + w[x->m->mirrored ? n - 1 - k : k];
    if (n) temper_spec_eval_outputs(x->truth, x->read, w, n, &e);
    ordinary_run(x->logits, x->runner, tokens, n + 1, x->scratch);
    total.strings++;
    for (size_t row = 0; row <= n; row++) check_row(x, w, n, row);
    if (x->m->mirrored || x->t->spec->kind != TEMPER_KIND_ACCEPTOR) return;
    for (size_t k = 0; k < 4; k++) { /* membership of prefixes, by the source itself */
        size_t row = random_below(x->t->random, n + 1);
        int accept = 0;
        temper_spec_eval(&accept, NULL, x->t->spec, w, row, &e);
        bool said = x->logits[row * x->m->vocabulary + ORDINARY_EOS] > -64;
        CHECK(said == (bool)accept, "%s: prefix %zu of '%s'", setting(x->t), row, shown(x, w, n));
    }
}

/* Tokens that are neither letters nor the start, one or many of them: from the first one on only <dead> may come,
   with a probability of exactly 1 in f32. */
static void check_dead(const subject *x, const uint32_t *w, size_t n) {
    uint32_t size = x->m->vocabulary, dead = size - 1, letters = (uint32_t)x->read->letters.count;
    uint32_t *tokens = arena_alloc(x->memory, n + 1, sizeof *tokens);
    size_t first = 1 + random_below(x->t->random, n), many = random_below(x->t->random, 3);
    tokens[0] = ORDINARY_BOS;
    for (size_t k = 1; k <= n; k++) {
        bool is_dead = k == first || (k > first && many && random_below(x->t->random, many * many) == 0);
        uint32_t which = (uint32_t)random_below(x->t->random, size - letters - 1);
        tokens[k] = !is_dead ? ORDINARY_LETTERS + w[k - 1]
                    : which  ? ORDINARY_LETTERS + letters + which - 1
                             : ORDINARY_EOS;
    }
    ordinary_run(x->logits, x->runner, tokens, n + 1, x->scratch);
    for (size_t row = first; row <= n; row++)
        for (uint32_t t = 0; t < dead; t++) {
            const float *logits = x->logits + row * size;
            CHECK(logits[dead] > -160 && logits[t] < logits[dead] - 104,
                  "%s: token %u has a logit of %g, <dead> of %g, at row %zu after token %u at %zu", setting(x->t), t,
                  (double)logits[t], (double)logits[dead], row, tokens[first], first);
        }
    total.dead++;
}

/* Numbers that file formats and f16 cannot hold, and weights that would make them. */
static void check_weights(const subject *x) {
    const struct ordinary_model *m = x->m;
    size_t all = (size_t)m->heads * m->head_size * m->width;
    CHECK(m->heads * m->head_size <= m->width, "%s: heads are wider than the model", setting(x->t));
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (size_t k = 0; k < all; k++) {
            float q = m->layers[l].query[k], w = m->layers[l].key[k];
            if (fabsf(q) > 65504 || fabsf(w) > 65504) CHECK(false, "%s: a weight beyond f16", setting(x->t));
        }
}

static void run_trial(entry *e, void *context) {
    const trial *t = context;
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model(e, t->spec, &read);
    const struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &t->options);
    size_t n = t->options.length, outputs = hard->read.count;
    subject x = {.t = t,
                 .read = read,
                 .m = m,
                 .runner = ordinary_runner_new(&e->memory, m, &t->kernel),
                 .kind = hard->kind,
                 .outputs = outputs,
                 .truth = arena_alloc(&e->memory, outputs * n, 1),
                 .logits = arena_alloc(&e->memory, (n + 1) * m->vocabulary, sizeof *x.logits),
                 .memory = &e->memory,
                 .scratch = &e->scratch};
    uint32_t *w = arena_alloc(&e->memory, n, sizeof *w);
    total.models++;
    total.mirrored += m->mirrored;
    if (m->layer_count > total.most_layers) total.most_layers = m->layer_count;
    if (m->width > total.most_width) total.most_width = m->width;
    check_weights(&x);
    check_string(&x, w, 0);
    for (size_t k = 0; k < t->strings; k++) {
        size_t size = k < t->long_strings ? n : 1 + random_below(t->random, n < 24 ? n : 24);
        random_word(w, size, (unsigned)read->letters.count, t->random);
        check_string(&x, w, size);
        check_dead(&x, w, size);
    }
}

static bool try_spec(trial *t) {
    temper_error e = {0};
    temper_status status = entry_run(&e, run_trial, t);
    total.refused += status != TEMPER_OK;
    if (t->must) CHECK(status == TEMPER_OK, "%s: %s", setting(t), e.text);
    if (status != TEMPER_OK && getenv("ORDINARY_SHOW")) printf("refused: %s: %s\n", setting(t), e.text);
    CHECK(status == TEMPER_OK || status == TEMPER_UNSUPPORTED || status == TEMPER_LIMIT, "%s: %s", setting(t),
          e.text);
    return status == TEMPER_OK;
}

/* A setting by a number: architecture, weights, cache, kernel. */
static void set_options(trial *t, uint64_t number, size_t length) {
    t->options = ordinary_setting((number & 7) | (number & 16 ? 8 : 0), length);
    t->kernel = (struct ordinary_kernel){.f16_weights = number & 2,
                                         .f16_cache = number & 4,
                                         .fused = number & 8,
                                         .f32_norm = !(number & 2) && random_below(t->random, 2)};
}

static void check_random_formulas(test_random *r) {
    size_t count = (size_t)(150 * test_effort());
    for (size_t k = 0; k < count; k++) {
        random_shape shape = ordinary_random_shape(r);
        shape.modulo = random_below(r, 5) == 0;
        shape.attend = random_below(r, 6) == 0 && !shape.counting && !shape.modulo;
        char *printed = NULL;
        temper_spec *s = ordinary_random_formula(&printed, r, &shape);
        if (!s) continue;
        trial t = {.name = printed, .spec = s, .strings = 6, .long_strings = 1, .random = r};
        set_options(&t, random_below(r, 32), 20 + random_below(r, 60));
        total.specs++;
        try_spec(&t);
        temper_free(printed);
        temper_spec_free(s);
    }
}

static void check_corpus(test_random *r) {
    for (size_t k = 0; k < corpus_size(); k++) {
        const corpus_entry *c = corpus_at(k);
        if (random_below(r, 100) >= 30 * test_effort()) continue;
        temper_spec *s = corpus_parse(c);
        if (!s) continue;
        trial t = {.name = c->name, .spec = s, .strings = 4, .long_strings = 1, .random = r};
        set_options(&t, random_below(r, 32), 12 + random_below(r, 40));
        total.specs++;
        try_spec(&t);
        temper_spec_free(s);
    }
}

/* Random regular expressions: what comes next by their automata. */
static void check_regexes(test_random *r) {
    size_t count = (size_t)(15 * test_effort());
    for (size_t k = 0; k < count; k++) {
        char regex[ORDINARY_REGEX];
        temper_spec *s = ordinary_random_regex(regex, r);
        if (!s) continue;
        trial t = {.name = regex, .spec = s, .strings = 6, .long_strings = 1, .random = r};
        set_options(&t, random_below(r, 32), 20 + random_below(r, 40));
        total.specs++;
        try_spec(&t);
        temper_spec_free(s);
    }
}

/* Language models and transducers that look back only, in every setting. */
static void check_tasks(test_random *r) {
    for (const sequence_task *task = sequence_suite; task < sequence_suite + sequence_count(); task++) {
        temper_spec *s = ordinary_parse(task->text, task->alphabet);
        if (!s) continue;
        trial t = {.name = task->name, .spec = s, .strings = 5, .long_strings = 1, .random = r};
        for (unsigned number = 0; number<4; number += test_effort()> 1 ? 1 : 2) {
            set_options(&t, number | random_below(r, 2) | (random_below(r, 8) << 2), 30 + random_below(r, 60));
            total.specs++;
            try_spec(&t);
        }
        temper_spec_free(s);
    }
}

/* As many letters as models take: every operator, counts at the boundary, remainders, in every setting. */
typedef struct far_case {
    const char *text;
    size_t most; /* letters with an f16 cache or f16 weights; 0: as many as without */
} far_case;

static const far_case far_cases[] = {
    {"H(b -> O a)", 0},     {"H(c -> Y (a S b))", 0},          {"(Y a) S (b & Y c)", 0},
    {"Z (a T b)", 0},       {"Y Y Y Y Y (a | first)", 0},      {"#[true] % 3 = 1 & a", 0},
    {"#[a] >= #[b]", 1000}, {"2 * #[a] >= 3 * #[b] + 1", 300}, {"H(#[a] >= #[b]) & #[a] = #[b]", 1000},
    {"#[a] % 3 = 1", 300},
};

static void check_far(test_random *r, size_t length) {
    for (size_t k = 0; k < sizeof far_cases / sizeof *far_cases; k++) {
        temper_spec *s = ordinary_parse(far_cases[k].text, "abc");
        if (!s) continue;
        unsigned step = length > 300 || test_effort() > 1 ? 1 : 7;
        for (unsigned number = (unsigned)random_below(r, step); number < 32; number += step) {
            trial t = {
                .name = far_cases[k].text, .spec = s, .strings = 1, .long_strings = 1, .random = r, .must = true};
            set_options(&t, number, length);
            bool is_short = t.options.weights == ORDINARY_F16 || t.options.kv == ORDINARY_F16;
            if (is_short && far_cases[k].most && length > far_cases[k].most) t.options.length = far_cases[k].most;
            if (!strcmp(far_cases[k].text, "#[a] % 3 = 1") && t.options.length > 1000) t.options.length = 1000;
            total.specs++;
            try_spec(&t);
        }
        temper_spec_free(s);
    }
}

/* A refusal names the largest length, which is taken; one letter more is not. */
static void only_lower(entry *e, void *context) {
    const trial *t = context;
    const temper_spec *read;
    (void)ordinary_from_model(&e->memory, ordinary_hard_model(e, t->spec, &read), &t->options);
}

static void check_refusal(const char *source, enum ordinary_architecture architecture, enum ordinary_number weights,
                          enum ordinary_number kv, enum ordinary_positions positions, size_t most) {
    temper_error e;
    temper_spec *s = ordinary_parse(source, "abc");
    if (!s) return;
    trial t = {.name = source, .spec = s, .options = {architecture, most + 1, weights, kv, positions}};
    char number[40];
    snprintf(number, sizeof number, "up to %zu letters", most);
    CHECK(entry_run(&e, only_lower, &t) == TEMPER_LIMIT && strstr(e.text, number) && strstr(e.text, "head "),
          "%s: %s", setting(&t), e.text);
    t.options.length = most;
    if (most) CHECK(entry_run(&e, only_lower, &t) == TEMPER_OK, "%s: %s", setting(&t), e.text);
    temper_spec_free(s);
}

/* a S b by a ramp, on b c b c ...: with keys in f16 it is right as far as the lowering takes it, and wrong after. */
static void run_ramp(entry *e, void *context) {
    const trial *t = context;
    const temper_spec *read;
    arena scratch;
    struct ordinary_model *m = ordinary_from_model(&e->memory, ordinary_hard_model(e, t->spec, &read), &t->options);
    size_t n = t->options.length, wrong = 0, first = 0;
    uint32_t *ids = arena_zalloc(&e->memory, n + 1, sizeof *ids);
    float *logits = arena_alloc(&e->memory, (n + 1) * m->vocabulary, sizeof *logits);
    for (size_t i = 1; i <= n; i++) ids[i] = i % 2 ? 3 : 4;
    arena_init(&scratch, e->memory.trap);
    ordinary_run(logits, ordinary_runner_new(&e->memory, m, &t->kernel), ids, n + 1, &scratch);
    arena_free(&scratch);
    for (size_t i = 1; i <= n; i++)
        if ((logits[i * m->vocabulary + 1] > -64) != (ids[i] == 3)) {
            wrong++;
            if (!first) first = i;
        }
    if (n == 1492) CHECK(wrong == 0, "%s: wrong from %zu letters on", setting(t), first);
    if (n == 1493) CHECK(wrong == 1 && first == 1129, "%s: %zu wrong, from %zu on", setting(t), wrong, first);
}

static void check_ramp(void) {
    temper_error e;
    temper_spec *s = ordinary_parse("a S b", "abc");
    for (size_t n = 1492; n <= 1493; n++) {
        enum ordinary_number kv = n == 1492 ? ORDINARY_F16 : ORDINARY_F32;
        trial t = {.name = "a S b",
                   .spec = s,
                   .options = {ORDINARY_LLAMA, n, ORDINARY_F32, kv, ORDINARY_POSITIONS_RAMP},
                   .kernel = {.f16_cache = true, .fused = true}};
        CHECK(entry_run(&e, run_ramp, &t) == TEMPER_OK, "%s: %s", setting(&t), e.text);
    }
    temper_spec_free(s);
}

static void check_refusals(void) {
    enum ordinary_positions any = ORDINARY_POSITIONS_AUTO;
    check_refusal("#[a] >= #[b]", ORDINARY_GPT2, ORDINARY_F32, ORDINARY_F16, any, 1023);
    check_refusal("2 * #[a] >= 3 * #[b] + 1", ORDINARY_LLAMA, ORDINARY_F32, ORDINARY_F16, any, 341);
    check_refusal("#[a] % 3 = 1", ORDINARY_GPT2, ORDINARY_F32, ORDINARY_F32, any, 1000);
    check_refusal("#[a] % 3 = 1", ORDINARY_GPT2, ORDINARY_F32, ORDINARY_F16, any, 300);
    check_refusal("#[a] % 3 = 1", ORDINARY_LLAMA, ORDINARY_F16, ORDINARY_F32, any, 300);
    check_refusal("a S b", ORDINARY_LLAMA, ORDINARY_F32, ORDINARY_F16, ORDINARY_POSITIONS_RAMP, 1492);
    check_refusal("70000 * #[a] >= #[b]", ORDINARY_GPT2, ORDINARY_F32, ORDINARY_F32, any, 59);
    check_refusal("70000 * #[a] >= #[b]", ORDINARY_GPT2, ORDINARY_F16, ORDINARY_F32, any, 0);
    check_refusal("70000 * #[a] >= #[b]", ORDINARY_LLAMA, ORDINARY_F32, ORDINARY_F16, any, 0);
}

int main(int argc, char **argv) {
    test_random r = test_seed(16);
    if (argc > 1) /* t-ordinary LENGTH: only that, for longer strings than a test has time for */
        check_far(&r, (size_t)atol(argv[1]));
    else
        check_far(&r, 256);
    if (argc == 1) {
        check_refusals();
        check_ramp();
        check_regexes(&r);
        check_tasks(&r);
        check_random_formulas(&r);
        check_corpus(&r);
    }
    printf("%zu specifications: %zu models (%zu mirrored, %zu refused), %zu strings, %zu with <dead>, "
           "%zu rows; %zu layers and %zu wide "
           "at most\n",
           total.specs, total.models, total.mirrored, total.refused, total.strings, total.dead, total.rows,
           total.most_layers, total.most_width);
    return test_finish("t-ordinary");
}
