/* Recognition: what the compiler makes of a formula is recognised as that formula, by all methods, whatever the file
   says of roles, labels and parts. What was edited is recognised as what it truly computes, or not at all: the exact
   run of the hard model and the formula that was read off agree on all short strings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agree.h"
#include "base/entry.h"
#include "corpus.h"
#include "logic/formula_eval.h"
#include "random_formula.h"
#include "recognise/recognise.h"
#include "run/exact_run.h"

/* ---- models ---- */

enum { METHODS = 4 };
static const char *const METHOD_NAMES[METHODS] = {"hard", "temperature", "positions", "digits"};

static temper_model *build(const temper_spec *spec, int method) {
    static const temper_method methods[METHODS] = {TEMPER_METHOD_HARD, TEMPER_METHOD_TEMPERATURE,
                                                   TEMPER_METHOD_POSITIONS, TEMPER_METHOD_DIGITS};
    temper_build_options o = {.method = methods[method]};
    temper_model *model;
    temper_build(&model, spec, &o, NULL);
    return model;
}

/* A copy that may be edited. */
static temper_model *copy_of(const temper_model *m) {
    char *written = NULL;
    size_t length;
    temper_model *copy = NULL;
    if (!temper_model_print(&written, &length, m, NULL)) temper_model_read(&copy, written, length, NULL);
    temper_free(written);
    return copy;
}

/* ---- what was recognised ---- */

typedef struct result {
    trap trap;
    arena arena;
    recognition *r;
    const char *reason;
    bool done, formula;
    const char *why;
} result;

typedef struct request {
    result *out;
    const temper_model *m;
    bool hard;
} request;

static void begin(void *context) {
    request *q = context;
    size_t layer, head;
    q->out->r = recognise(q->m, NULL, q->hard, &q->out->arena);
    q->out->done = recognition_model(q->out->r) != NULL;
    q->out->reason = recognition_reason(q->out->r, &layer, &head);
    q->out->formula = q->out->done && recognition_is_formula(q->out->r, &q->out->why);
}

static void recognise_it(result *out, const temper_model *m, bool hard) {
    *out = (result){0};
    request q = {out, m, hard};
    arena_init(&out->arena, &out->trap);
    CHECK(trap_attempt(&out->trap, NULL, begin, &q), "recognise raised: %s", out->trap.error.text);
}

static void release(result *r) { arena_free(&r->arena); }

/* ---- what was read off, against the exact hard run ---- */

typedef struct comparison {
    arena arena;
    const temper_model *m;
    const temper_spec *spec;
    const uint32_t *word;
    size_t n;
    bool refused; /* exact runs do not take ln */
    bool same;
} comparison;

static void compare_word(void *context) {
    comparison *c = context;
    rational_pool pool;
    rational_pool_init(&pool, &c->arena);
    rational *want = rational_array(&pool, 2);
    rational_set_ratio(&want[1], 1, 1);
    const rational *y = exact_run(c->m, c->word, c->n, NULL, &pool, &c->arena);
    unsigned char *truth = arena_zalloc(&c->arena, c->n + 1, 1);
    formula_eval(truth, &c->spec->graph, c->spec->root, c->word, c->n, &c->arena);
    c->same = true;
    for (size_t i = 0; i < c->n; i++) c->same = c->same && rational_cmp(&y[i + 1], &want[truth[i]]) == 0;
    if (c->n == 0) c->same = rational_cmp(&y[0], &want[c->m->accepts_empty]) == 0;
}

/* The text that was read off, parsed with the model's letters. */
static temper_spec *parse_text(const temper_model *m, const char *written) {
    char *letters = calloc(m->letters.count * 5 + 1, 1);
    temper_error e;
    bool blank = false;
    for (size_t k = 0; k < m->letters.count; k++) {
        blank = blank || strchr(" \t\r\n", m->letters.letters[k][0]);
        if (m->letters.tokens && k) strcat(letters, " ");
        strcat(letters, m->letters.letters[k]);
    }
    temper_spec_options o = {.alphabet = blank ? NULL : letters, .tokens = m->letters.tokens, .at = m->at};
    temper_spec *spec = NULL;
    CHECK(!temper_spec_parse(&spec, written, strlen(written), &o, &e), "read off, and does not parse: %s: %s",
          written, e.text);
    free(letters);
    return spec;
}

static bool agrees(const temper_model *m, const temper_spec *spec, size_t most, const char *name,
                   const char *written) {
    uint32_t word[16] = {0};
    size_t letters = m->letters.count;
    trap t;
    comparison c = {.m = m, .spec = spec, .word = word};
    bool fine = true;
    arena_init(&c.arena, &t);
    for (c.n = 0; c.n <= most && fine; c.n++) {
        memset(word, 0, sizeof word);
        do {
            arena_reset(&c.arena);
            if (!trap_attempt(&t, NULL, compare_word, &c)) { /* ln has no rational value */
                arena_free(&c.arena);
                return true;
            }
            fine = CHECK(c.same, "%s: a string of length %zu (%u %u %u ...) is not what was read off: %s", name, c.n,
                         word[0], word[1], word[2], written);
        } while (fine && corpus_next_word(word, c.n, letters));
    }
    arena_free(&c.arena);
    return fine;
}

static size_t length_for(const temper_model *m) { return corpus_length(m->letters.count, 120, 5); }

/* The formula that was read off is what the model computes; so is its source where the claim is `formula`. */
static void check_meaning(const temper_model *m, result *r, const char *name) {
    const char *written = recognition_formula(r->r, 0);
    if (!CHECK(written, "%s: nothing was read off", name)) return;
    temper_spec *spec = parse_text(m, written);
    if (spec) agrees(m, spec, length_for(m), name, written);
    temper_spec_free(spec);
    if (!r->formula) return;
    spec = NULL;
    if (CHECK(!temper_model_spec(&spec, m, NULL), "%s: a source that cannot be read was recognised", name))
        agrees(m, spec, length_for(m), name, m->source);
    temper_spec_free(spec);
}

/* ---- claims of the file that do not count ---- */

static void forget_claims(temper_model *m) {
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            m->layers[l].heads[h].role = (head_role)((l + h) % (ROLE_LAST_ + 1));
            m->layers[l].heads[h].label = "garbage";
        }
    for (uint32_t c = 0; c < m->channel_count; c++) m->channels[c].label = "garbage";
}

/* Recognised as its source; the same without roles and labels; without a source it is what it is. */
static void check_compiled(const temper_spec *spec, int method, const char *name, bool inside) {
    char what[160];
    result r;
    snprintf(what, sizeof what, "%.100s by %s", name, METHOD_NAMES[method]);
    temper_model *m = build(spec, method);
    if (!m) return;
    recognise_it(&r, m, false);
    if (CHECK(r.done, "%s: %s", what, r.reason))
        CHECK(r.formula, "%s is not recognised as its source: %s", what, r.why);
    release(&r);
    recognise_it(&r, m, true);
    CHECK(r.done && r.formula, "%s, hard: %s", what, r.reason);
    release(&r);
    if (inside) {
        forget_claims(m);
        m->source = "";
        recognise_it(&r, m, false);
        if (CHECK(r.done && !r.formula, "%s without roles: %s", what, r.reason)) check_meaning(m, &r, what);
        release(&r);
    }
    temper_model_free(m);
}

static void test_corpus(void) {
    for (size_t k = 0; k < corpus_size(); k++) {
        temper_spec *spec = corpus_parse(corpus_at(k));
        for (int method = 0; spec && method < METHODS; method++)
            check_compiled(spec, method, corpus_at(k)->name, k % 4 == (size_t)method);
        temper_spec_free(spec);
    }
}

/* A random formula as written, so that its models carry a source. */
static temper_spec *random_text(test_random *r, size_t k, char **written) {
    random_shape shape = {.letters = 1 + (unsigned)random_below(r, 4),
                          .size = 1 + random_below(r, k % 10 == 0 ? 60 : 12),
                          .depth = 6,
                          .past = k % 3 != 1,
                          .future = k % 3 != 0,
                          .counting = k % 2 == 0,
                          .modulo = k % 5 < 2,
                          .places = k % 3 == 1,
                          .attend = k % 7 == 6};
    temper_spec *made = random_spec(r, &shape, k % 2 ? TEMPER_AT_LAST : TEMPER_AT_FIRST), *spec = NULL;
    temper_spec_options o = {0};
    *written = NULL;
    if (!temper_spec_print(written, made, NULL)) {
        if (shape.attend) o.syntax = TEMPER_SYNTAX_BRASP;
        temper_spec_parse(&spec, *written, strlen(*written), &o, NULL);
    }
    temper_spec_free(made);
    return spec;
}

static void test_random_formulas(void) {
    test_random r = test_seed(17);
    for (size_t k = 0; k < (size_t)(200 * test_effort()); k++) {
        char *written;
        temper_spec *spec = random_text(&r, k, &written);
        for (int method = 0; spec && method < METHODS; method++)
            check_compiled(spec, method, written, k % 4 == (size_t)method);
        temper_spec_free(spec);
        temper_free(written);
    }
}

/* ---- edited models ---- */

static double changed_weight(test_random *r, double x) {
    static const double values[] = {-1, 1, 2, -2, 0.5, -0.5, 1.5, 3};
    switch (random_below(r, 6)) {
    case 0: return -x;
    case 1: return 2 * x;
    case 2: return x / 2;
    case 3: return x + 1 != 0 ? x + 1 : 2;
    default: return values[random_below(r, 8)];
    }
}

static void change_term(test_random *r, model_rows *rows, uint32_t channels) {
    uint32_t count = rows->start[rows->count];
    if (!count) return;
    uint32_t k = (uint32_t)random_below(r, count), to = (uint32_t)random_below(r, channels);
    bool first = false, last = false;
    for (uint32_t row = 0; row < rows->count; row++) {
        first = first || k == rows->start[row];
        last = last || k + 1 == rows->start[row + 1];
    }
    bool fits = (first || rows->terms[k - 1].channel < to) && (last || to < rows->terms[k + 1].channel);
    if (fits && random_below(r, 2))
        rows->terms[k].channel = to;
    else
        rows->terms[k].weight = changed_weight(r, rows->terms[k].weight);
}

static void change_head(test_random *r, model_head *h, uint32_t channels) {
    switch (random_below(r, 8)) {
    case 0: h->mask = (temper_mask)random_below(r, TEMPER_MASK_FROM + 1); break;
    case 1:
        h->hard_choice = (temper_choice)random_below(r, 3);
        if (h->choice != TEMPER_CHOICE_SOFTMAX) h->choice = h->hard_choice;
        break;
    case 2: change_term(r, &h->query, channels); break;
    case 3:
    case 4: change_term(r, &h->key, channels); break;
    case 5:
    case 6: change_term(r, &h->value, channels); break;
    default: change_term(r, &h->output, channels);
    }
}

static void change_feature(test_random *r, temper_model *m) {
    uint32_t a = (uint32_t)random_below(r, m->channel_count), b = (uint32_t)random_below(r, m->channel_count);
    model_channel *x = &m->channels[a], *y = &m->channels[b];
    if (random_below(r, 3)) {
        const expression *other = x->position;
        const char *words = x->position_text;
        x->position = y->position, x->position_text = y->position_text;
        y->position = other, y->position_text = words;
    } else if (x->position) {
        x->soft_only = !x->soft_only;
    }
}

static void change_model(test_random *r, temper_model *m) {
    uint64_t where = random_below(r, 10);
    if (!m->channel_count) return;
    model_layer *l = m->layer_count ? &m->layers[random_below(r, m->layer_count)] : NULL;
    if (where == 0) change_term(r, &m->embedding, m->channel_count);
    if (where == 1) change_term(r, &m->read, m->channel_count);
    if (where == 2) change_feature(r, m);
    if (where == 3) m->has_end = !m->has_end;
    if (!l) return;
    if (where >= 4 && where <= 6 && l->head_count)
        change_head(r, &l->heads[random_below(r, l->head_count)], m->channel_count);
    if (where == 7) change_term(r, &l->in, m->channel_count);
    if (where == 8) change_term(r, &l->out, m->channel_count);
    if (where == 9 && l->in.count) {
        uint64_t u = random_below(r, l->in.count);
        l->bias[u] = changed_weight(r, l->bias[u]);
    }
}

static temper_spec *attacked(test_random *r, size_t k, char **written) {
    *written = NULL;
    if (k % 3) return random_text(r, k, written);
    return corpus_parse(corpus_at(random_below(r, corpus_size())));
}

/* Random edits: whenever the result is recognised, it computes what was read off. */
static void test_attack(void) {
    test_random r = test_seed(23);
    size_t recognised = 0, different = 0, kept = 0;
    for (size_t k = 0; k < (size_t)(200 * test_effort()); k++) {
        char *written;
        temper_spec *spec = attacked(&r, k, &written);
        temper_model *m = spec && spec->letters.count < 8 ? build(spec, (int)random_below(&r, 2)) : NULL;
        for (int edit = 0; m && edit < 12; edit++) {
            char name[160];
            temper_model *copy = copy_of(m);
            if (!copy) break;
            for (uint64_t more = 1 + random_below(&r, 2); more > 0; more--) change_model(&r, copy);
            result x;
            recognise_it(&x, copy, false);
            snprintf(name, sizeof name, "attack %zu.%d on %.80s", k, edit, m->source);
            if (x.done) {
                check_meaning(copy, &x, name);
                recognised++;
                different += !x.formula;
                kept += x.formula;
            }
            release(&x);
            temper_model_free(copy);
        }
        temper_model_free(m);
        temper_spec_free(spec);
        temper_free(written);
    }
    CHECK(test_effort() < 0.1 || (different > 10 * test_effort() && kept > 10 * test_effort()),
          "%zu edited models recognised, %zu as something else: the attack is too weak", recognised, different);
}

/* ---- fixed cases ---- */

typedef struct edit {
    const char *source, *letters;
    int method;
    const char *from, *to; /* in the text of the model */
    const char *reads;     /* what is read off; NULL: not recognised */
} edit;

static const edit EDITS[] = {
    {"O a", "ab", 1, "source \"O a\"", "source \"\"", "O a"},
    {"O a", "ab", 1, "source \"O a\"", "source \"F a\"", "O a"},
    {"O a", "ab", 1, "role once", "role nearest", "O a"},
    {"O a", "ab", 1, "role once", "role none", "O a"},
    {"a S b", "abc", 1, "source \"a S b\"", "source \"\"", "a S b"},
    {"a S b", "abc", 2, "source \"a S b\"", "source \"\"", "a S b"},
    {"a S b", "abc", 1, "8*N", "4*N", "a S b"},
    {"a S b", "abc", 1, "i/N", "(N - 1 - i)/N", NULL},
    {"a S b", "abc", 1, "i/N", "8*i/N", NULL},
    {"#[a] % 2 = 0", "ab", 1, "source \"#[a] % 2 = 0\"", "source \"\"", "#[a] % 2 = 0"},
    {"#[a] % 4 = 0", "ab", 1, "[i % 4 = 0]", "[i % 4 = 1]", "#[a] % 4 = 1"},
    {"#[a] % 4 = 0", "ab", 1, "[i % 4 = 0]", "[(i + 5 % 3 + 3) % 4 = 0]", NULL},
    {"#[a] % 4 = 0", "ab", 1, "[i % 4 = 0]", "[i % (4 % 3) = 0]", NULL},
    {"#[a] % 3 = 0", "ab", 1, "[i % 3 = 0]", "[((i + 4503599627370496) % 3 * 2047 % 3 + 4503599627370496) % 3 = 1]",
     NULL},
    {"#[a] > #[b]", "ab", 1, "source \"#[a] > #[b]\"", "source \"\"", "#[a] >= #[b] + 1"},
    /* what cancels out takes the last bits of 1/(i + 1), or of what keeps a total at the start, away */
    {"#[a] > #>[b]", "ab", 1, "unit 0 1:1 2:1 3:-1", "unit 0 0:0x1p30 1:0x1.00000004p30 2:1 3:-0x1.00000004p30",
     NULL},
    {"#[a] > #>[b]", "ab", 1, "unit 0 3:-16 5:-16 9:1", "unit 0 0:0x1p30 1:0x1p30 3:-0x1.00000040p30 5:-16 9:1",
     NULL},
    {"#[a] > #>[b]", "ab", 1, "unit 0 3:-16 5:-16 9:1", "unit 0 0:-1 3:-16 5:-16 9:1", NULL},
    {"a & Y b", "ab", 1, "source \"a & Y b\"", "source \"\"", "a & Y b"},
};

static char *replace_all(const char *in, const char *from, const char *to) {
    size_t size = strlen(in) + 1, count = 0;
    for (const char *p = strstr(in, from); p; p = strstr(p + strlen(from), from)) count++;
    char *out = calloc(size + count * (strlen(to) + 1), 1), *at = out;
    for (const char *p = in; *p;)
        if (strncmp(p, from, strlen(from)) == 0) {
            at += sprintf(at, "%s", to);
            p += strlen(from);
        } else {
            *at++ = *p++;
        }
    return out;
}

static void check_edit(const edit *e) {
    temper_spec *spec = spec_of(e->source, e->letters, TEMPER_AT_LAST);
    temper_model *m = spec ? build(spec, e->method) : NULL, *other = NULL;
    char *before = NULL, name[200];
    size_t length;
    temper_error err;
    snprintf(name, sizeof name, "%s, %s -> %s", e->source, e->from, e->to);
    if (m && !temper_model_print(&before, &length, m, NULL)) {
        char *after = replace_all(before, e->from, e->to), *digest = strstr(after, "digest");
        if (digest) *digest = 0; /* the last line */
        CHECK(strcmp(before, after) != 0, "%s: nothing was changed", name);
        if (CHECK(!temper_model_read(&other, after, strlen(after), &err), "%s: %s", name, err.text)) {
            result r;
            recognise_it(&r, other, false);
            CHECK(r.done == (e->reads != NULL), "%s: %s", name, r.done ? "was recognised" : r.reason);
            if (r.done && e->reads) {
                check_meaning(other, &r, name);
                const char *read = recognition_formula(r.r, 0);
                CHECK(read && strcmp(read, e->reads) == 0, "%s reads as %s, not as %s", name, read, e->reads);
            }
            release(&r);
        }
        free(after);
    }
    temper_model_free(other);
    temper_free(before);
    temper_model_free(m);
    temper_spec_free(spec);
}

static void test_edits(void) {
    for (size_t k = 0; k < sizeof EDITS / sizeof *EDITS; k++) check_edit(&EDITS[k]);
}

/* ---- time ---- */

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Large formulas are recognised, and quickly; the limits are far above what was measured. */
static void check_time(const char *name, const char *source, const char *letters, double most, bool tokens) {
    temper_spec_options o = {.alphabet = letters, .tokens = tokens, .at = TEMPER_AT_LAST};
    temper_spec *spec = NULL;
    temper_error e;
    if (!CHECK(!temper_spec_parse(&spec, source, strlen(source), &o, &e), "%s: %s", name, e.text)) return;
    temper_model *m = build(spec, 1);
    if (CHECK(m != NULL, "%s does not compile", name)) {
        result r;
        double start = seconds();
        recognise_it(&r, m, false);
        double taken = seconds() - start;
        CHECK(r.done && r.formula, "%s: %s", name, r.done ? r.why : r.reason);
        CHECK(taken < most, "%s takes %.4f s", name, taken);
        if (getenv("TEMPER_TEST_TIMES")) fprintf(stderr, "%s: %.6f s\n", name, taken);
        release(&r);
    }
    temper_model_free(m);
    temper_spec_free(spec);
}

/* Random formulas of about a thousand operators. */
static void test_large_random(void) {
    test_random r = test_seed(31);
    for (size_t k = 0; k < 6; k++) {
        random_shape shape = {.letters = 3,
                              .size = 1000,
                              .depth = 8 + k,
                              .past = true,
                              .future = k % 2,
                              .counting = true,
                              .modulo = k % 3 == 0,
                              .places = k % 2 == 1};
        temper_spec *made = random_spec(&r, &shape, TEMPER_AT_LAST);
        char *written = NULL;
        if (!temper_spec_print(&written, made, NULL))
            check_time("a random formula of 1,000 operators", written, NULL, 5, false);
        temper_free(written);
        temper_spec_free(made);
    }
}

static void test_time(void) {
    enum { LARGE = 10000 };
    char *source = calloc(LARGE, 64), *letters = calloc(LARGE, 16), *at = source, *to = letters;
    check_time("since", "a S b", "abc", 0.05, false);
    check_time("a step, twice", "Y a & Y (#[c] - #[b] + #[!a] + 3 >= 0 T a)", "abc", 0.5, false);
    check_time("once before, not first", "Y O a | Y (#[c] - #[b] + #[!a] + 3 >= 0 T O a)", "abc", 0.5, false);
    for (int k = 0; k < 150; k++)
        at += sprintf(at, "%s(a S (b & O %c)) %c Y (#[%c] > %d)", k ? " & " : "", 'a' + k % 3, k % 2 ? '|' : '^',
                      'a' + k % 2, k);
    check_time("a formula of 1,000 nodes", source, "abc", 5, false);
    for (int k = 0; k < LARGE; k++) to += sprintf(to, "%sx%d", k ? " " : "", k);
    at = source;
    for (int k = 0; k < LARGE; k++) at += sprintf(at, "%s%d*#[x%d]", k ? " + " : "", 1 + k % 7, k);
    sprintf(at, " > 12*#[x1] + 5");
    check_time("a sum of 10,000 letters", source, letters, 10, true);
    at = source;
    for (int k = 0; k < 4000; k++) at += sprintf(at, "%sY(x%d)", k ? " | " : "", k);
    check_time("an or of 4,000 steps", source, letters, 10, true);
    at = source;
    for (int k = 0; k < 2000; k++) at += sprintf(at, "%s%d*#[O x%d]", k ? " + " : "", 1 + k % 7, k);
    sprintf(at, " > 12*#[x1] + 5");
    check_time("a sum of 2,000 conditions", source, letters, 10, true);
    free(source);
    free(letters);
}

int main(void) {
    test_edits();
    test_time();
    test_large_random();
    test_corpus();
    test_random_formulas();
    test_attack();
    return test_finish("t-recognise");
}
