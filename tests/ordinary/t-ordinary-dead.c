/* <dead> in the weights of an ordinary transformer: readers of files refuse a model that forgets it, though no string
   of letters shows that. Each edit is one weight; the reason must be about it. */
#include <stdio.h>
#include <string.h>

#include "base/entry.h"
#include "ordinary/lift/lift.h"
#include "ordinary_trials.h"
#include "test.h"

enum { BOS, EOS, LETTER, LAST_LETTER = LETTER + 1, WRITTEN, DEAD };

typedef struct trial {
    const char *source;
    struct ordinary_options options;
    size_t edits;
} trial;

static const lift *read_model(struct ordinary_model *m, arena *a) {
    return lift_file(&(struct ordinary_file){.model = m, .name = ""}, ORDINARY_GGUF, a);
}

typedef struct attempt {
    struct ordinary_model *m;
    arena *arena;
} attempt;

static void read_again(void *context) {
    attempt *x = context;
    read_model(x->m, x->arena);
}

/* The weight as it is not; balancing columns and the ground of a GPT-2 go with it. */
static void refuse(trial *t, struct ordinary_model *m, arena *a, const lift *u, float *row, size_t stride,
                   uint32_t column, float to, const char *reason) {
    trap inside, *outside = a->trap;
    temper_error e = {0};
    bool gpt2 = m->architecture == ORDINARY_GPT2, reads = stride == 0;
    if (reads) stride = 1;
    float *at = &row[(u->first + column) * stride], before = *at, ground = row[2 * stride];
    float parts = (to - before) / (float)(u->zero_sums ? u->zero_sums : 1);
    *at = to;
    if (gpt2 && reads) row[2] -= to - before;
    for (uint32_t k = 0; gpt2 && !reads && k < u->zero_sums; k++) row[(3 + k) * stride] -= parts;
    attempt x = {m, a};
    a->trap = &inside;
    bool done = trap_attempt(&inside, &e, read_again, &x);
    a->trap = outside;
    CHECK(!done && strstr(e.text, reason), "%s as %s: %g instead of %g is %s, not '%s'", t->source,
          gpt2 ? "gpt2" : "llama", (double)to, (double)before, done ? "taken" : e.text, reason);
    *at = before;
    if (gpt2 && reads) row[2] = ground;
    for (uint32_t k = 0; gpt2 && !reads && k < u->zero_sums; k++) row[(3 + k) * stride] += parts;
    t->edits++;
}

static void run(entry *e, void *context) {
    trial *t = context;
    const temper_spec *read;
    temper_spec *spec = ordinary_parse(t->source, "01");
    if (!spec) return;
    const temper_model *hard = ordinary_hard_model(e, spec, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &t->options);
    const lift *u = read_model(m, &e->memory);
    const lift_head *h = NULL;
    for (size_t k = 0; k < u->head_count; k++)
        if (u->heads[k].values[0].column == u->died) h = &u->heads[k];
    if (!CHECK(h && m->vocabulary == DEAD + 1, "%s: %u tokens", t->source, m->vocabulary)) return;
    const struct ordinary_layer *l = &m->layers[h->layer - 1];
    size_t width = m->width, inner = (size_t)m->heads * m->head_size, first = (size_t)h->slot * m->head_size;
    float *embedding = m->token_embedding, *value = l->value + (first + h->values[0].dimension) * width;
    float *key = l->key + (first + h->products[0].dimension) * width;
    arena *a = &e->memory;
    refuse(t, m, a, u, embedding + DEAD * width, 1, u->dead, 0, "<dead> has no number");
    refuse(t, m, a, u, embedding + DEAD * width, 1, u->real, 1, "<dead> has two numbers");
    refuse(t, m, a, u, embedding + EOS * width, 1, u->dead, 0, "a token that is no letter is not <dead>");
    refuse(t, m, a, u, embedding + WRITTEN * width, 1, u->dead, 0, "a token that is no letter is not <dead>");
    refuse(t, m, a, u, embedding + LETTER * width, 1, u->dead, 1, "a token that is no letter is not <dead>");
    refuse(t, m, a, u, embedding + BOS * width, 1, u->dead, 1, "a token that is no letter is not <dead>");
    refuse(t, m, a, u, key, 0, u->dead, key[u->first + u->dead] / 4, "not sharp enough");
    refuse(t, m, a, u, key, 0, u->dead, 0, "not the one that remembers it");
    refuse(t, m, a, u, key, 0, u->real, 1, "once");
    refuse(t, m, a, u, value, 0, u->dead, 2, "not the one that remembers it");
    refuse(t, m, a, u, value, 0, u->dead, -1, "not the one that remembers it");
    refuse(t, m, a, u, l->mix + first + h->values[0].dimension, inner, u->died, 0, "a value goes nowhere");
    for (uint32_t token = BOS; token <= DEAD; token++) {
        float *row = m->output + token * width;
        bool goes_down = token != BOS && token != DEAD;
        refuse(t, m, a, u, row, 0, u->died, goes_down ? 0 : -4096, "after <dead>");
        refuse(t, m, a, u, row, 0, u->died, goes_down ? -2048 : 4096, "after <dead>");
        refuse(t, m, a, u, row, 0, u->dead, -4096, "after <dead>");
        if (goes_down) refuse(t, m, a, u, row, 0, u->real, 8192, "may be legal after <dead>");
    }
    for (size_t k = 0; k < u->head_count; k++) {
        const lift_head *x = &u->heads[k];
        size_t dimension = (size_t)x->slot * m->head_size + x->values[0].dimension;
        if (x->role != LIFT_YESTERDAY) continue;
        refuse(t, m, a, u, m->layers[x->layer - 1].value + dimension * width, 0, u->real, 0x1p20f,
               "as large as the pin");
    }
    temper_spec_free(spec);
}

int main(void) {
    trial t = {.source = "transduce\nemit \"10\" = '1' & Y '0'\nemit '0' otherwise"};
    for (uint64_t k = 0; k < 8; k++) {
        temper_error e = {0};
        t.options = ordinary_setting(k, 24);
        CHECK(entry_run(&e, run, &t) == TEMPER_OK, "%s", e.text);
    }
    printf("%zu edits\n", t.edits);
    return test_finish("t-ordinary-dead");
}
