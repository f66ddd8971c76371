/* The audit of ordinary transformers tells specifications apart. Every model of a group is audited with the source of
   every other one: what is accepted is what the emulator of the model says on all strings, letter by letter; a model
   with its own source is accepted. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "export/gguf_write.h"
#include "run/stock_run.h"
#include "stock/stock_answer.h"
#include "stock_certificate_page.h"
#include "stock_trials.h"

static struct { size_t models, pairs, accepted, refused, same; } total;

enum { MOST = 28, LENGTH = 6 };

typedef struct group {
    const char *letters;
    temper_at at;
    bool may_be_unable; /* not every model is audited */
    const char *sources[MOST];
} group;

/* A model of one source, and what it says. */
typedef struct subject {
    const char *source;
    temper_spec *spec;
    const temper_spec *read;
    temper_kind kind; /* of the hard model */
    struct stock_model *m;
    const undo *u;
    text bytes;
    float *logits; /* [strings][LENGTH + 1][vocabulary] */
} subject;

typedef struct trial {
    const group *g;
    struct stock_options options;
    size_t length;
    test_random *random;
} trial;

static char folder[TEST_FOLDER], path[TEST_FOLDER + 40];

/* ---- all strings ---- */

static size_t string_count(size_t letters, size_t n) {
    size_t count = 1;
    for (size_t k = 0; k < n; k++) count *= letters;
    return count;
}

static void string_at(uint32_t *out, size_t n, size_t letters, size_t which) {
    for (size_t k = 0; k < n; k++, which /= letters) out[k] = (uint32_t)(which % letters);
}

static void run_strings(subject *x, size_t n, entry *e) {
    size_t letters = x->read->letters.count, strings = string_count(letters, n), row = (n + 1) * x->m->vocabulary;
    const stock_runner *runner = stock_runner_new(&e->memory, x->m, &(struct stock_kernel){0});
    uint32_t word[LENGTH], tokens[LENGTH + 1] = {STOCK_START};
    x->logits = arena_alloc(&e->memory, strings * row, sizeof *x->logits);
    for (size_t k = 0; k < strings; k++) {
        string_at(word, n, letters, k);
        for (size_t j = 0; j < n; j++) tokens[j + 1] = STOCK_FIRST_LETTER + word[x->m->mirrored ? n - 1 - j : j];
        stock_run(x->logits + k * row, runner, tokens, n + 1, &e->scratch);
    }
}

/* How many strings have a prefix after which x does not say what the other one's specification says. */
static size_t count_wrong(const subject *x, const subject *other, size_t n, arena *a) {
    size_t letters = x->read->letters.count, strings = string_count(letters, n), row = (n + 1) * x->m->vocabulary;
    uint32_t word[LENGTH];
    temper_error e;
    size_t wrong = 0;
    stock_answers answers = {x->m, other->read, other->kind,
                             arena_alloc(a, (spec_output_count(other->read) + 1) * (n + 1), 1)};
    for (size_t k = 0; k < strings; k++) {
        string_at(word, n, letters, k);
        temper_spec_eval_outputs(answers.truth, other->read, word, n, &e);
        bool right = true;
        for (size_t j = 0; right && j <= n; j++)
            right = stock_answer_is_right(&answers, x->logits + k * row + j * x->m->vocabulary, j, n);
        wrong += !right;
    }
    return wrong;
}

/* ---- one model, one claim ---- */

static bool make(subject *x, const trial *t, entry *e) {
    temper_error why = {0};
    temper_spec_options o = {.alphabet = t->g->letters, .at = t->g->at, .tokens = strchr(t->g->letters, ' ') != NULL};
    gguf_file f;
    struct stock_file file;
    temper_status s = temper_spec_parse(&x->spec, x->source, strlen(x->source), &o, &why);
    if (!CHECK(s == TEMPER_OK, "%s: %s", x->source, why.text)) return false;
    const temper_model *hard = stock_hard_model(e, x->spec, &x->read);
    x->kind = hard->kind;
    x->m = stock_from_model(&e->memory, hard, &t->options);
    text_init(&x->bytes, &e->memory);
    gguf_print(&x->bytes, x->m, stock_tokens_make(x->m, &e->memory), "a name", t->options.weights == STOCK_F16);
    gguf_open(&f, x->bytes.data, x->bytes.length, &e->memory);
    stock_read(&file, &f, &e->memory);
    x->u = undo_stock(&file, STOCK_GGUF, &e->memory);
    run_strings(x, t->length, e);
    total.models++;
    return true;
}

static void try_pair(const trial *t, const subject *x, const subject *other, arena *a) {
    text certificate;
    temper_error why = {0};
    if (x->kind != other->kind) return;
    size_t wrong = count_wrong(x, other, t->length, a);
    bool right = wrong == 0, near = 4 * wrong <= string_count(x->read->letters.count, t->length);
    if ((!near || t->options.architecture == STOCK_LLAMA) && x != other && random_below(t->random, 8)) return;
    text_init(&certificate, a);
    stock_certificate_page(&certificate, &t->options, other->read, x->m, x->u, &x->bytes);
    temper_status s = temper_audit_stock(certificate.data, certificate.length, path, &why);
    total.pairs++;
    total.same += right && x != other;
    total.accepted += s == TEMPER_OK;
    total.refused += s != TEMPER_OK;
    CHECK(s == TEMPER_OK || s == TEMPER_RANGE || s == TEMPER_FORMAT, "'%s' as '%s': %s", x->source, other->source,
          why.text);
    CHECK(right || s != TEMPER_OK, "%s: the model of '%s' is accepted as '%s'",
          stock_setting_text(x->source, &t->options), x->source, other->source);
    if (x == other && !t->g->may_be_unable)
        CHECK(right && s == TEMPER_OK, "%s: %s", stock_setting_text(x->source, &t->options), why.text);
}

typedef struct family {
    const trial *t;
    subject all[MOST];
    size_t count;
} family;

static void compare_all(const family *f, arena *a) {
    for (size_t k = 0; k < f->count; k++) {
        temper_error why;
        const subject *x = &f->all[k];
        snprintf(path, sizeof path, "%s/%d-%zu.gguf", folder, (int)getpid(),
                 k); /* a mutant is a process of its own */
        if (!CHECK(temper_file_write(path, x->bytes.data, x->bytes.length, &why) == TEMPER_OK, "%s", why.text))
            return;
        for (size_t j = 0; j < f->count; j++) try_pair(f->t, x, &f->all[j], a);
        unlink(path);
    }
}

/* A call holds a few models only: each is made in one of its own, inside the one before. */
static void run_group(entry *e, void *context) {
    family *f = context;
    subject *x = &f->all[f->count];
    temper_error why = {0};
    x->source = f->t->g->sources[f->count];
    if (!x->source || f->count + 1 == MOST) {
        compare_all(f, &e->memory);
        return;
    }
    if (!make(x, f->t, e)) return;
    f->count++;
    CHECK(entry_run(&why, run_group, f) == TEMPER_OK, "%s: %s", x->source, why.text);
    temper_spec_free(x->spec);
}

static void try_group(const group *g, uint64_t number, enum stock_positions positions, size_t length,
                      test_random *r) {
    temper_error e = {0};
    trial t = {.g = g, .options = stock_setting(number, length), .length = length, .random = r};
    t.options.positions = positions;
    family f = {.t = &t};
    CHECK(entry_run(&e, run_group, &f) == TEMPER_OK, "%s: %s", g->sources[0], e.text);
}

#define END "\nemit '.' otherwise"
static const group groups[] = {
    /* finite machines */
    {.letters = "ab",
     .sources = {"a",
                 "b",
                 "O a",
                 "Y a",
                 "Y Y a",
                 "Y (a & Y b)",
                 "a S b",
                 "b S a",
                 "H a",
                 "first & a",
                 "Z a",
                 "O (a & Y b)",
                 "O (b & Y a)",
                 "#[true] % 2 = 0",
                 "#[true] % 3 = 1",
                 "#[true] % 3 = 2 & a",
                 "O a & #[true] = 6",
                 "O a & #[true] >= 5",
                 "/(ab|ba)*/",
                 "/(ab|ba)*a?/",
                 "H (b -> O a)",
                 "(Y a) S (b & Y b)"}},
    /* counts that only go up, or only go down */
    {.letters = "ab",
     .sources = {"#[a] >= 2", "#[a] >= 3", "#[a] = 3", "#[a] < 3", "#[a] < 4 & #[b] >= 1", "#[a] <= 1 | H b",
                 "#[a] >= 6", "#[a & Y b] >= 2", "#[b & Y a] >= 2", "#[a] + 2*#[b] >= 5", "#[a] + 2*#[b] <= 5"}},
    /* counts on both sides: by meaning */
    {.letters = "ab",
     .sources = {"#[a] >= #[b]",
                 "#[a] > #[b]",
                 "#[b] >= #[a]",
                 "#[a] = #[b]",
                 "2*#[a] >= #[b]",
                 "#[a] >= 2*#[b]",
                 "#[a] >= #[b] + 1",
                 "#[a] >= #[b] & O a",
                 "#[a] >= #[b] | Y a",
                 "H(#[a] >= #[b])",
                 "#[a] >= #[b] & #[true] % 2 = 0",
                 "#[a] >= #[b] & #[true] % 3 = 1",
                 "#[a] >= #[b] & #[true] % 3 = 2",
                 "#[a] >= #[b] & #[true] = 3",
                 "#[a] >= #[b] & first",
                 "#[a] >= #[b] & (a S b)",
                 "#[a] >= #[b] & (b S a)",
                 "#[a] >= #[b] & Y (a S b)",
                 "#[a & Y a] >= #[b]",
                 "#[Y a] >= #[b]",
                 "#[O b] >= #[a]",
                 "O (#[a] > #[b])",
                 "Y (#[a] > #[b])",
                 "#[a] >= #[b] | #[true] = 5"}},
    /* the same, of three letters, with the empty string and without */
    {.letters = "abc",
     .sources = {"#[a] >= #[b]", "#[a] >= #[b] + #[c]", "#[a] + #[b] >= #[c]", "#[a] - #[b] >= #[c] - 1",
                 "empty accept\n#[a] > #[b]", "#[a] > #[b]", "#[a] >= #[c]", "#[a] + 1 >= #[b]"}},
    /* what is legal is said */
    {.letters = "ab",
     .sources = {"next\nempty accept\nok = H (#[a] >= #[b])\nviable ok\nok & #[a] <= #[b]",
                 "next\nempty accept\nok = H (#[a] >= #[b])\nviable ok\nok",
                 "next\nempty accept\nok = H (#[b] >= #[a])\nviable ok\nok & #[b] <= #[a]",
                 "next\nempty reject\nok = H (#[a] >= #[b])\nviable ok\nok & #[a] <= #[b]"}},
    /* transducers */
    {.letters = "ab",
     .sources = {"transduce\nemit a = a" END, "transduce\nemit a = b" END, "transduce\nemit a = Y a" END,
                 "transduce\nemit b = Y a" END, "transduce\nemit a = Y a\nemit b = Y b" END,
                 "transduce\nemit a = #[a] >= #[b]" END, "transduce\nemit a = #[a] > #[b]" END,
                 "transduce\nemit a = O a & O b" END, "transduce\nemit 'x' = a S b" END,
                 "transduce\nemit a = a S b" END}},
    /* fed from right to left */
    {.letters = "ab",
     .at = TEMPER_AT_FIRST,
     .sources = {"G(a -> F b)", "F a", "X a", "X X a", "a U b", "b U a", "#>[a] >= #>[b]", "#>[a] > #>[b]",
                 "G(#>[a] >= #>[b])", "#>[a] >= #>[b] & (a U b)", "#>[a] >= #>[b] & last", "#>[a] >= #>[b] & X last",
                 "#>[true] % 3 = 1", "#>[a] >= #>[b] & #>[true] % 3 = 1", "#>[a] >= 2"}},
    /* words */
    {.letters = "req ack", .sources = {"O req", "O ack", "H(req -> Y ack)", "#[req] >= #[ack]"}},
};

int main(void) {
    test_random r = test_seed(64);
    if (!test_folder(folder)) return 1;
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        size_t letters = strcmp(groups[k].letters, "abc") == 0 ? 3 : 2;
        try_group(&groups[k], 0, STOCK_POSITIONS_AUTO, letters == 3 ? 4 : LENGTH, &r);
        uint64_t number = 1 + 2 * random_below(&r, 2); /* with an f16 cache values may not be exact enough */
        if (test_effort() >= 0.1)
            try_group(&groups[k], number, STOCK_POSITIONS_DIGITS, letters == 3 ? 4 : LENGTH, &r);
    }
    rmdir(folder);
    printf("%zu models, %zu pairs: %zu accepted, %zu refused; %zu say the same by other words\n", total.models,
           total.pairs, total.accepted, total.refused, total.same);
    return test_finish("t-audit-stock-sources");
}
