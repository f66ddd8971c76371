#include "limits/answer_key.h"

#include <string.h>

#include "compile/model_next.h"
#include "logic/formula_eval.h"
#include "model/model_spec.h"
#include "run/positions.h"

struct answer_key {
    const temper_model *m;
    const temper_spec *spec; /* with outputs; NULL: hard choices */
    arena *arena;
    arena *scratch; /* of one evaluation */
    size_t heads;
};

static void release_arena(void *memory) { arena_free(memory); }

static void need_hard_choices(const answer_key *k) {
    const temper_model *m = k->m;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            if (m->layers[l].heads[h].hard_choice == TEMPER_CHOICE_SOFTMAX)
                trap_raise(k->arena->trap, TEMPER_UNSUPPORTED, 0, 0,
                           "the model carries no specification, and its head %u.%u stands for no hard choice: there "
                           "is nothing to compare answers with",
                           l + 1, h + 1);
}

static bool has_same_outputs(const temper_spec *s, const temper_model *m) {
    bool same = spec_output_count(s) == model_output_count(m);
    for (size_t k = 0; same && k < s->output_count; k++) same = !strcmp(s->outputs[k].name, m->output_names[k]);
    return same;
}

answer_key *answer_key_new(const temper_model *m, arena *a) {
    answer_key *k = arena_zalloc(a, 1, sizeof *k);
    k->m = m;
    k->arena = a;
    for (uint32_t l = 0; l < m->layer_count; l++) k->heads += m->layers[l].head_count;
    k->spec = model_spec(m, a);
    if (m->kind == TEMPER_KIND_NEXT) { /* a language says nothing of outputs by itself */
        next_report report;
        k->spec = model_next_spec(m, &report, a);
    }
    if (k->spec && !has_same_outputs(k->spec, m)) k->spec = NULL;
    if (!k->spec) need_hard_choices(k);
    k->scratch = arena_zalloc(a, 1, sizeof *k->scratch);
    arena_init(k->scratch, a->trap);
    arena_on_release(a, release_arena, k->scratch);
    return k;
}

/* By the model's proof, or guarded; where doubles cannot tell a tie from rounding, in rationals; what has no rational
   value as it is. */
static temper_run *run_hard(const answer_key *k, const uint32_t *letters, size_t n) {
    static const temper_run_options ways[] = {{.hard = 1, .threads = 1},
                                              {.hard = 1, .type = TEMPER_TYPE_EXACT, .threads = 1},
                                              {.hard = 1, .unchecked = 1, .threads = 1}};
    temper_error inner;
    temper_run *run;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        temper_status status = temper_model_run(&run, k->m, letters, n, &ways[w], &inner);
        if (status == TEMPER_OK) return run;
        if (status != TEMPER_LIMIT && status != TEMPER_UNSUPPORTED) break;
    }
    trap_reraise(k->arena->trap, &inner);
}

void answer_key_truth(unsigned char *truth, size_t *from, size_t *to, answer_key *k, size_t output,
                      const uint32_t *letters, size_t n) {
    bool one = n == 0 || k->m->record.verdict_only;
    *from = one ? verdict_position(k->m, n) : 1;
    *to = one ? *from : n;
    if (k->spec && n > 0) {
        arena_reset(k->scratch);
        formula_eval(truth, &k->spec->graph, spec_output_root(k->spec, output), letters, n, k->scratch);
    } else if (k->spec) {
        truth[0] = spec_output_empty(k->spec, output);
    } else {
        temper_run *run = run_hard(k, letters, n);
        const unsigned char *found = temper_run_output(run, output);
        if (n == 0) truth[0] = found[0];
        for (size_t i = 1; i <= n; i++) truth[i - 1] = found[i];
        temper_run_free(run);
    }
}

double answer_key_cost(const answer_key *k, size_t n) {
    double size = ((double)n + 2) * (double)model_output_count(k->m);
    return k->spec ? size * (5 + 3 * (double)k->spec->node_count) : size * (50 + 30 * (double)k->heads * size);
}
