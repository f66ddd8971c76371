/* ordinary_prove against the emulator: what is proved is right on every prefix of random and awkward strings, in
   every kernel that the setting allows; what should be proved is; and a file with an edited weight is not proved,
   or is right all the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "number/format.h"
#include "ordinary/run/ordinary_answer.h"
#include "ordinary/proof/ordinary_proof.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary_trials.h"

static struct { size_t proved, unable, refused, strings, rows, edits, edits_refused, wide; } total;

typedef struct trial {
    const char *name;
    const temper_spec *spec;
    struct ordinary_options options;
    test_random *random;
    size_t strings, edits;
    bool must;   /* be proved */
    bool cannot; /* be proved: the reason has to name this */
    const char *reason;
    size_t wrong; /* found beyond what is proved */
} trial;

static const char *setting(const trial *t) { return ordinary_setting_text(t->name, &t->options); }

typedef struct subject {
    entry *e;
    trial *t;
    const temper_model *hard;
    ordinary_answers answers;
    uint32_t *letters, *tokens;
    float *logits;
    double error; /* what the proof says of logits */
} subject;

/* Long runs of one letter, few letters that are different, and anything. */
static void awkward_word(uint32_t *w, size_t n, uint32_t letters, test_random *r) {
    uint64_t kind = random_below(r, 4);
    uint32_t most = (uint32_t)random_below(r, letters), other = (uint32_t)random_below(r, letters);
    for (size_t k = 0; k < n; k++) {
        bool rare = kind == 1 ? random_below(r, n) < 2 : kind == 2 ? k % 2 == 1 : kind == 3 && 2 * k >= n;
        w[k] = kind == 0 ? (uint32_t)random_below(r, letters) : rare ? other : most;
    }
}

/* How many rows are wrong; the distance of logits from what they should be is compared with the proof's. */
static size_t count_wrong(subject *x, const ordinary_runner *runner, size_t n) {
    size_t wrong = 0, vocabulary = x->answers.m->vocabulary;
    temper_error e;
    x->tokens[0] = ORDINARY_BOS;
    for (size_t k = 0; k < n; k++)
        x->tokens[k + 1] = ORDINARY_LETTERS + x->letters[x->answers.m->mirrored ? n - 1 - k : k];
    if (n) temper_spec_eval_outputs(x->answers.truth, x->answers.read, x->letters, n, &e);
    ordinary_run(x->logits, runner, x->tokens, n + 1, &x->e->scratch);
    for (size_t row = 0; row <= n; row++) {
        const float *logits = x->logits + row * vocabulary;
        total.rows++;
        wrong += !ordinary_answer_is_right(&x->answers, logits, row, n);
        for (size_t v = 0; v < vocabulary && x->error > 0; v++) {
            double at = (double)logits[v], away = fmin(fmin(fabs(at), fabs(at + 128)), fabs(at + 256));
            CHECK(away <= x->error, "%s: a logit is off by %g, proved is %g", setting(x->t), away, x->error);
        }
    }
    total.strings++;
    return wrong;
}

/* Kernels that keep to what is assumed in the setting. */
static const ordinary_runner *some_runner(subject *x, const struct ordinary_model *m) {
    const struct ordinary_options *o = &x->t->options;
    test_random *r = x->t->random;
    bool llama_cpp = random_below(r, 3) != 0;
    struct ordinary_kernel kernel = {.f16_weights = o->weights == ORDINARY_F16 && llama_cpp,
                                     .f16_cache = o->kv == ORDINARY_F16 && llama_cpp,
                                     .fused = random_below(r, 2),
                                     .f32_norm = !llama_cpp};
    return ordinary_runner_new(&x->e->memory, m, &kernel);
}

/* Weights of f16 in kernels that do not round activations: the file's numbers are what counts. */
static void round_weights(float *x, size_t count) {
    for (size_t k = 0; k < count; k++) x[k] = (float)format_round(&format_f16, (double)x[k]);
}

static void round_model(struct ordinary_model *m) {
    size_t all = (size_t)m->heads * m->head_size * m->width, net = (size_t)m->hidden * m->width;
    round_weights(m->token_embedding, (size_t)m->vocabulary * m->width);
    round_weights(m->output, (size_t)m->vocabulary * m->width);
    for (uint32_t k = 0; k < m->layer_count; k++) {
        struct ordinary_layer *l = &m->layers[k];
        round_weights(l->query, all);
        round_weights(l->key, all);
        round_weights(l->value, all);
        round_weights(l->mix, all);
        if (l->gate) round_weights(l->gate, net);
        round_weights(l->up, net);
        round_weights(l->down, net);
    }
}

static size_t run_strings(subject *x, const struct ordinary_model *m, size_t strings) {
    size_t wrong = 0, n = x->t->options.length;
    for (size_t k = 0; k < strings; k++) {
        size_t size = k == 0 ? n : 1 + random_below(x->t->random, n);
        awkward_word(x->letters, size, (uint32_t)x->answers.read->letters.count, x->t->random);
        wrong += count_wrong(x, some_runner(x, m), size);
    }
    return wrong;
}

static float *some_weight(float *x, size_t count, test_random *r) {
    size_t at = random_below(r, count);
    for (size_t k = 0; k < count && x[at] == 0; k++) at = (at + 1) % count;
    return &x[at];
}

/* Edits of several numbers at once, which an attack found: zero sums with unequal parts, values beyond f16, steps
   whose arguments f16 does not have. */
static void edit_shape(struct ordinary_model *m, test_random *r, const char **what) {
    struct ordinary_layer *l = &m->layers[random_below(r, m->layer_count)];
    size_t dimensions = (size_t)m->heads * m->head_size;
    switch (random_below(r, 3)) {
    case 0:
        *what = "balances";
        if (m->zero_sums < 2) return;
        float *row = m->token_embedding + (size_t)(2 + random_below(r, m->vocabulary - 3)) * m->width;
        row[3] += 1000;
        row[4] -= 1000;
        return;
    case 1: {
        *what = "values beyond f16";
        size_t v = (size_t)(some_weight(l->value, dimensions * m->width, r) - l->value) / m->width;
        for (uint32_t c = 0; c < m->width; c++) l->value[v * m->width + c] *= 0x1p17F;
        for (uint32_t c = 0; c < m->width; c++) l->mix[c * dimensions + v] *= 0x1p-17F;
        return;
    }
    default: {
        *what = "large units";
        float *in = m->architecture == ORDINARY_LLAMA ? l->gate : l->up;
        for (size_t k = 0; k < (size_t)m->hidden * m->width; k++) in[k] *= 15.84375F;
        for (size_t k = 0; k < (size_t)m->hidden * m->width; k++) l->down[k] /= 15.84375F;
    }
    }
}

/* One number of some tensor becomes another one. */
static void edit(struct ordinary_model *m, test_random *r, const char **what) {
    struct ordinary_layer *l = &m->layers[random_below(r, m->layer_count)];
    size_t all = (size_t)m->heads * m->head_size * m->width, net = (size_t)m->hidden * m->width;
    struct part {
        float *x;
        size_t count;
        const char *name;
    } parts[] = {{m->token_embedding, (size_t)m->vocabulary * m->width, "token embedding"},
                 {m->output, (size_t)m->vocabulary * m->width, "output"},
                 {l->query, all, "query"},
                 {l->key, all, "key"},
                 {l->value, all, "value"},
                 {l->mix, all, "mix"},
                 {l->up, net, "up"},
                 {l->down, net, "down"},
                 {l->gate, l->gate ? net : 0, "gate"},
                 {l->attention_gain, m->width, "attention gain"},
                 {l->net_gain, m->width, "net gain"},
                 {m->final_gain, m->width, "final gain"}};
    struct part *p;
    do p = &parts[random_below(r, sizeof parts / sizeof *parts)];
    while (!p->count);
    size_t at = random_below(r, p->count);
    bool any = random_below(r, 4) == 0; /* most zeros are read by nobody */
    for (size_t k = 0; k < p->count && !any && p->x[at] == 0; k++) at = (at + 1) % p->count;
    float was = p->x[at];
    switch (random_below(r, 4)) {
    case 0: p->x[at] = was == 0 ? 1 : 0; break;
    case 1: p->x[at] = was == 0 ? -0.5F : -was; break;
    case 2: p->x[at] = was == 0 ? 64 : was * 2; break;
    default: p->x[at] = was == 0 ? 0.25F : was * 0.75F;
    }
    *what = p->name;
}

/* Numbers that are none, or overflow, in rows that may have no reader. */
static void check_infinite(subject *x, const struct ordinary_options *o) {
    static const float values[] = {NAN, INFINITY, -INFINITY, 3e38F};
    struct ordinary_model *m = ordinary_from_model(&x->e->memory, x->hard, o);
    for (size_t k = 0; k < 6; k++) {
        struct ordinary_layer *l = &m->layers[random_below(x->t->random, m->layer_count)];
        size_t all = (size_t)m->heads * m->head_size * m->width, net = (size_t)m->hidden * m->width;
        float *parts[] = {l->query, l->key, l->value, l->mix, l->up, l->down};
        float *at = parts[k] + random_below(x->t->random, k < 4 ? all : net), was = *at;
        *at = values[random_below(x->t->random, 4)];
        ordinary_proof p = ordinary_prove(&x->e->memory, m, x->hard, x->answers.read, o);
        CHECK(!p.proved, "%s: proved with %g in part %zu", setting(x->t), (double)*at, k);
        *at = was;
    }
}

static void check_edits(subject *x, const struct ordinary_options *o) {
    if (x->t->edits && random_below(x->t->random, 4) == 0) check_infinite(x, o);
    for (size_t k = 0; k < x->t->edits; k++) {
        const char *what;
        struct ordinary_model *m = ordinary_from_model(&x->e->memory, x->hard, o);
        if (k % 3)
            edit(m, x->t->random, &what);
        else
            edit_shape(m, x->t->random, &what);
        total.edits++;
        ordinary_proof p = ordinary_prove(&x->e->memory, m, x->hard, x->answers.read, o);
        if (!p.proved) {
            total.edits_refused++;
            continue;
        }
        if (o->weights == ORDINARY_F16) round_model(m);
        x->answers.m = m;
        x->error = p.details->logit_error;
        size_t wrong = run_strings(x, m, 4);
        CHECK(wrong == 0, "%s: proved with an edited weight of '%s', and %zu rows are wrong", setting(x->t), what,
              wrong);
    }
}

static void run_trial(entry *e, void *context) {
    trial *t = context;
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model(e, t->spec, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &t->options);
    ordinary_proof p = ordinary_prove(&e->memory, m, hard, read, &t->options);
    size_t n = t->options.length;
    if (t->must) CHECK(p.proved, "%s: unable, head %u.%u: %s", setting(t), p.layer, p.head, p.reason ? p.reason : "");
    if (t->cannot) CHECK(!p.proved && strstr(p.reason, t->reason), "%s: proved, or for another reason", setting(t));
    total.proved += p.proved;
    total.unable += !p.proved;
    if (getenv("ORDINARY_SHOW") && !p.proved)
        printf("unable: %s: head %u.%u: %s\n", setting(t), p.layer, p.head, p.reason);
    if (!p.proved) return;
    subject x = {.e = e, .t = t, .hard = hard, .error = p.details->logit_error};
    x.answers = (ordinary_answers){m, read, hard->kind, arena_alloc(&e->memory, hard->read.count * (n + 1), 1)};
    x.letters = arena_alloc(&e->memory, n + 1, sizeof *x.letters);
    x.tokens = arena_alloc(&e->memory, n + 1, sizeof *x.tokens);
    x.logits = arena_alloc(&e->memory, (n + 1) * m->vocabulary, sizeof *x.logits);
    if (t->options.weights == ORDINARY_F16) round_model(m);
    size_t wrong = run_strings(&x, m, t->strings);
    CHECK(wrong == 0, "%s: proved, and %zu rows are wrong", setting(t), wrong);
    check_edits(&x, &t->options);
}

static void try_spec(trial *t) {
    temper_error e = {0};
    temper_status status = entry_run(&e, run_trial, t);
    total.refused += status != TEMPER_OK;
    if (t->must || t->cannot) CHECK(status == TEMPER_OK, "%s: %s", setting(t), e.text);
}

/* Every kind of head, in every setting. */
static void check_kinds(test_random *r) {
    static const char *const sources[] = {"a",
                                          "H(b -> O a)",
                                          "H(c -> Y (a S b))",
                                          "(Y a) S (b & Y c)",
                                          "Z (a T b)",
                                          "Y Y Y (a | first)",
                                          "#[true] % 3 = 1 & a",
                                          "#[a] >= #[b]",
                                          "2 * #[a] >= 3 * #[b] + 1",
                                          "H(#[a] >= #[b]) & #[a] = #[b]",
                                          "#[a] >= 3 & #[O b] <= 7",
                                          "/(ab|c)*/",
                                          "/a*b*c*/",
                                          "G(a -> F b)"};
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        temper_spec *s = ordinary_parse(sources[k], "abc");
        for (uint64_t number = 0; s && number < 16; number++) {
            bool hard = (number & 7) == 7 || (strstr(sources[k], "O b") && (number & 2));
            trial t = {.name = sources[k], .spec = s, .random = r, .strings = 2, .edits = 1, .must = !hard};
            if (!(number & 1) && (number & 8)) continue;
            t.options = ordinary_setting(number, 40 + random_below(r, 40));
            try_spec(&t);
        }
        temper_spec_free(s);
    }
}

/* Lengths near to the largest of a setting, which pins the constants of the constructions and of the bounds: one more
   step of the same kind is not proved, or the emulator would be wrong. The numbers are letters. */
static void check_far(test_random *r) {
    static const struct {
        const char *source;
        uint64_t setting;
        enum ordinary_positions positions;
        size_t proved, unable;
        const char *reason;
    } cases[] = {{"a S b", 5, ORDINARY_POSITIONS_RAMP, 1492, 1493, "other positions may get"},
                 {"#[a] >= #[b]", 4, ORDINARY_POSITIONS_AUTO, 1020, 0, NULL},
                 {"#[a] >= #[b]", 5, ORDINARY_POSITIONS_AUTO, 1020, 0, NULL},
                 {"H(b -> O a)", 4, ORDINARY_POSITIONS_AUTO, 1000, 0, NULL},
                 {"(Y a) S (b & Y c)", 4, ORDINARY_POSITIONS_AUTO, 1500, 0, NULL},
                 {"a S b", 13, ORDINARY_POSITIONS_DIGITS, 1600, 0, NULL},
                 {"#[a] % 2 = 0", 4, ORDINARY_POSITIONS_AUTO, 252, 300, "a place of up to 300 may move by"},
                 {"#[a] % 2 = 0", 9, ORDINARY_POSITIONS_DIGITS, 313, 316, "too small for a step"},
                 {"a @ #[b]", 11, ORDINARY_POSITIONS_DIGITS, 219, 300, "a place of up to 300 may move by"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *s = ordinary_parse(cases[k].source, "abc");
        trial t = {.name = cases[k].source, .spec = s, .random = r, .strings = 1, .must = true};
        t.options = ordinary_setting(cases[k].setting, cases[k].proved);
        t.options.positions = cases[k].positions;
        if (s) try_spec(&t);
        if (s && cases[k].unable) {
            t.must = false;
            t.cannot = true;
            t.reason = cases[k].reason;
            t.options.length = cases[k].unable;
            t.options.unchecked = true; /* the lowering knows it, too */
            try_spec(&t);
        }
        temper_spec_free(s);
    }
}

/* Look-ups: remainders of counts, sums of them, and letters at a computed position. */
static void check_lookups(test_random *r) {
    static const char *const sources[] = {"#[a] % 2 = 0", "#[b] % 3 = 1 & #[a] % 2 = 1", "(#[a] + 2 * #[b]) % 5 = 2",
                                          "a @ #[b]", "c @ (#[a] - 1)"};
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        temper_spec *s = ordinary_parse(sources[k], "abc");
        for (uint64_t number = 0; s && number < 16; number++) {
            bool both = (number & 6) == 6, gpt2_f16 = !(number & 1) && (number & 2);
            bool cancels = strchr(sources[k], '-') && (number & 4); /* a count that is 0 again */
            trial t = {.name = sources[k],
                       .spec = s,
                       .random = r,
                       .strings = 3,
                       .edits = 2,
                       .must = !both && !gpt2_f16 && !cancels};
            if ((number & 1) ? !(number & 8) : number & 8) continue; /* a Llama looks up by digits */
            t.options = ordinary_setting(number, 40 + random_below(r, 50));
            try_spec(&t);
        }
        temper_spec_free(s);
    }
}

/* The same number again and again, so that counts are as large as they get. */
static void run_beyond(entry *e, void *context) {
    trial *t = context;
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model(e, t->spec, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &t->options);
    size_t n = t->options.length;
    ordinary_proof p = ordinary_prove(&e->memory, m, hard, read, &t->options);
    CHECK(!p.proved, "%s: proved", setting(t));
    subject x = {.e = e, .t = t, .hard = hard};
    x.answers = (ordinary_answers){m, read, hard->kind, arena_alloc(&e->memory, hard->read.count * (n + 1), 1)};
    x.letters = arena_zalloc(&e->memory, n + 1, sizeof *x.letters);
    x.tokens = arena_alloc(&e->memory, n + 1, sizeof *x.tokens);
    x.logits = arena_alloc(&e->memory, (n + 1) * m->vocabulary, sizeof *x.logits);
    struct ordinary_kernel kernel = {.f16_weights = t->options.weights == ORDINARY_F16, .f16_cache = true};
    t->wrong = count_wrong(&x, ordinary_runner_new(&e->memory, m, &kernel), n);
}

/* Beyond what is proved of look-ups the emulator is wrong somewhere. */
static void check_beyond_lookups(test_random *r) {
    static const size_t lengths[] = {320, 400, 512, 640, 800, 1000};
    temper_spec *s = ordinary_parse("#[a] % 2 = 0", "abc");
    size_t wrong = 0;
    for (size_t k = 0; s && k < sizeof lengths / sizeof *lengths && !wrong; k++) {
        temper_error e = {0};
        trial t = {.name = "#[a] % 2 = 0", .spec = s, .random = r, .options = ordinary_setting(15, lengths[k])};
        t.options.unchecked = true;
        CHECK(entry_run(&e, run_beyond, &t) == TEMPER_OK, "%s: %s", setting(&t), e.text);
        wrong += t.wrong;
        if (getenv("ORDINARY_SHOW")) printf("%zu letters: %zu rows are wrong\n", lengths[k], t.wrong);
    }
    CHECK(wrong > 0, "look-ups in f16 are right up to 1,000 letters");
    temper_spec_free(s);
}

/* What is not proved, with its reason. */
static void check_reasons(test_random *r) {
    static const struct {
        const char *source, *reason;
    } cases[] = {{"#[a] % 3 = 1", "a place of up to 100 may move by"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *s = ordinary_parse(cases[k].source, "abc");
        trial t = {.name = cases[k].source, .spec = s, .random = r, .cannot = true, .reason = cases[k].reason};
        t.options = ordinary_setting(2, 100);
        if (s) try_spec(&t);
        temper_spec_free(s);
    }
}

static void check_random(test_random *r) {
    size_t count = (size_t)(40 * test_effort());
    for (size_t k = 0; k < count; k++) {
        random_shape shape = ordinary_random_shape(r);
        shape.attend = random_below(r, 4) == 0 && !shape.counting;
        char *printed = NULL;
        temper_spec *s = ordinary_random_formula(&printed, r, &shape);
        trial t = {.name = printed, .spec = s, .random = r, .strings = 4, .edits = 1};
        t.options = ordinary_setting(random_below(r, 16), 10 + random_below(r, 60));
        if (s) try_spec(&t);
        temper_free(printed);
        temper_spec_free(s);
    }
}

static void check_corpus(test_random *r) {
    for (size_t k = 0; k < corpus_size(); k++) {
        const corpus_entry *c = corpus_at(k);
        if (random_below(r, 100) >= 10 * test_effort()) continue;
        temper_spec *s = corpus_parse(c);
        if (!s) continue;
        trial t = {.name = c->name, .spec = s, .random = r, .strings = 3, .edits = 1};
        t.options = ordinary_setting(random_below(r, 16), 10 + random_below(r, 40));
        try_spec(&t);
        temper_spec_free(s);
    }
}

/* Keys of halves, with a strict mask and without; scores that may be negative; once of what is not seen to be a
   Boolean by intervals alone; and what attention finds. */
static void check_matches(void) {
    static const char *const sources[] = {
        "/(ab|ba|cc)*/", "H(b -> Y(!b S a)) & H(a -> Z(!a S b | H !a))",
        "transduce\nemit a = rightmost[j<i, true, Y letter is letter] a\nemit '.' otherwise"};
    test_random r = test_seed(22);
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        temper_spec *s = ordinary_parse(sources[k], "abc");
        for (uint64_t number = 0; s && number < 7; number++) {
            trial t = {.name = sources[k], .spec = s, .random = &r, .strings = 2, .must = !(number & 6)};
            t.options = ordinary_setting(number, 30);
            try_spec(&t);
        }
        temper_spec_free(s);
    }
}

static double some_share(test_random *r) { return (double)random_below(r, 1 << 20) / (1 << 20); }

/* doc/ordinary.md, "Heads that choose": candidates of weights from 1 - a to 1, whose sum in f16 is scaled down by a
   in all. Each weight is what it is to the largest so far. */
static void check_sums(test_random *r, size_t trials) {
    for (size_t k = 0; k < trials; k++) {
        double value = 1 + (double)random_below(r, 9), sum = 0, whole = 0;
        bool tight = random_below(r, 2);
        double apart = ldexp(0.999 - (random_below(r, 2) ? 0.5 * some_share(r) : 0), tight ? -12 : -10), top = -apart;
        uint64_t kind = random_below(r, 4);
        for (size_t n = 2048 / (size_t)value; n > 0; n--) {
            /* scores lie between -a and 0 */
            double score = kind == 0 ? -apart : kind == 1 ? top : -apart * some_share(r);
            if (kind != 0 && random_below(r, kind == 2 ? 3 : 40) == 0) score = top + (0 - top) * some_share(r);
            if (score > top) {
                sum = format_round(&format_f16, sum * exp(top - score));
                top = score;
            }
            sum = format_round(&format_f16, sum + value * exp((kind == 0 ? -apart : score) - (kind == 0 ? 0 : top)));
            whole += value;
            double most = tight ? 0 : 20 * 0x1p-11 * whole;
            if (!CHECK(fabs(whole - sum) <= most, "sums of %g, weights apart by %g, kind %d: %g instead of %g", value,
                       apart, (int)kind, sum, whole))
                return;
        }
    }
}

/* ---- values of which none is 0 ---- */

/* What a kernel that adds in f16 makes of a choice: the right key has the value `right`, and `others` keys after it
   the value `right` - 1 and the share `share` each, of which f16 may round each away. */
static double short_choice(double right, size_t others, double share) {
    double sum = right, weights = 1;
    for (size_t k = 0; k < others; k++) {
        sum = format_round(&format_f16, sum + share * (right - 1));
        weights += share;
    }
    return sum / weights;
}

typedef struct wide_choice {
    const temper_spec *spec;
    double constant, slower;
} wide_choice;

/* A head for the position before, whose values are a constant more, and whose scores lie closer together: what it is
   off by the proof is at least what some kernel makes of shares as small as the proof says. */
static void check_wide_choice(entry *e, void *context) {
    const wide_choice *w = context;
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model(e, w->spec, &read);
    struct ordinary_options o = {.architecture = ORDINARY_GPT2, .length = 60, .kv = ORDINARY_F16};
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &o);
    const struct ordinary_hint *hint = &m->hints[0];
    struct ordinary_layer *l = &m->layers[hint->layer];
    size_t size = m->head_size, width = m->width, first = hint->slot * size, at = SIZE_MAX;
    CHECK(hint->role == ORDINARY_YESTERDAY, "the first head of Y a is no head for the position before");
    for (size_t d = first; d < first + size; d++)
        for (size_t c = 0; c < width; c++) {
            l->query[d * width + c] *= (float)w->slower;
            if (l->value[d * width + c] != 0) at = d;
        }
    l->value[at * width] += (float)w->constant; /* the pin, which is 1 after the norm */
    ordinary_proof p = ordinary_prove(&e->memory, m, hard, read, &o);
    const proved_head *made = &p.details->heads[0];
    if (!CHECK(p.details->head_count > 0 && made->error > 0, "nothing is said of the head: %s", p.reason)) return;
    double share = fmin(made->leak / (double)(o.length - 1), 0x1p-13), right = w->constant + 1;
    double off = fabs(short_choice(right, o.length - 1, share) - right);
    CHECK(off <= made->error, "values of %g, of which others get %g: off by %g, the proof says %g", right, made->leak,
          off, made->error);
    total.wide += off > 2;
}

static void check_wide(void) {
    temper_spec *s = ordinary_parse("Y a", "abc");
    for (double slower = 1; s && slower > 0.2; slower -= 0.05)
        for (double constant = 100; constant < 2000; constant *= 2) {
            wide_choice w = {s, constant, slower};
            temper_error e = {0};
            CHECK(entry_run(&e, check_wide_choice, &w) == TEMPER_OK, "%s", e.text);
        }
    temper_spec_free(s);
    CHECK(total.wide > 0, "no choice was off by much");
}

int main(void) {
    test_random r = test_seed(21);
    check_matches();
    check_wide();
    check_sums(&r, (size_t)(350 * test_effort()));
    check_kinds(&r);
    check_far(&r);
    check_reasons(&r);
    check_lookups(&r);
    check_beyond_lookups(&r);
    check_random(&r);
    check_corpus(&r);
    CHECK(10 * total.edits_refused >= 5 * total.edits, "only %zu of %zu edited files are refused",
          total.edits_refused, total.edits);
    printf("%zu proved, %zu unable, %zu refused by the lowering; %zu strings, %zu rows; %zu of %zu edits refused\n",
           total.proved, total.unable, total.refused, total.strings, total.rows, total.edits_refused, total.edits);
    return test_finish("t-ordinary-proof");
}
