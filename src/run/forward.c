#include "run/forward.h"

#include <string.h>

#include "number/number_type.h"

void run_prepare_capture(temper_run *r, const temper_model *m, bool capture) {
    arena *a = &r->memory;
    size_t heads = r->head_start[m->layer_count];
    r->captured = capture;
    r->query_size = arena_zalloc(a, heads, sizeof *r->query_size);
    r->value_size = arena_zalloc(a, heads, sizeof *r->value_size);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            r->query_size[r->head_start[l] + h] = m->layers[l].heads[h].query.count;
            r->value_size[r->head_start[l] + h] = m->layers[l].heads[h].value.count;
        }
    r->channels = arena_zalloc(a, (size_t)m->layer_count + 1, sizeof *r->channels);
}

_Noreturn static void refuse_broken(const dense_answer *a, const temper_model *m, temper_type type, trap *t) {
    if (type == TEMPER_TYPE_F64) run_not_finite(t, a->position);
    if (a->layer == m->layer_count)
        trap_raise(t, TEMPER_RANGE, 0, a->position, "in %s the answer at position %zu is infinite or not a number",
                   temper_type_name(type), a->position);
    trap_raise(t, TEMPER_RANGE, 0, a->position,
               "in %s head %u.%u overflows at position %zu: its weights have no finite sum", temper_type_name(type),
               a->layer + 1, a->head + 1, a->position);
}

/* Many doubts are about heads that nobody listens to, so the run goes on and looks at the end. A proof that covers
   the string has settled them all. */
static void report_doubt(temper_run *r, const dense_answer *a) {
    const doubt_place *d = &a->doubted;
    if (r->claim != TEMPER_CLAIM_NONE || !a->doubtful) return;
    text t;
    text_init(&t, &r->memory);
    text_printf(&t,
                "head %u.%u at position %zu: the scores of positions %zu and %zu differ by %.3g, which rounding "
                "alone explains: an "
                "adaptive temperature takes it for a gap",
                d->layer + 1, d->head + 1, d->i, d->best, d->next, d->gap);
    r->warning = text_string(&t);
}

void forward_run(temper_run *r, const temper_model *m, const uint32_t *letters, size_t n, const temper_run_options *o,
                 arena *stream, arena *scratch) {
    const number_type *type = number_type_of(o->type);
    bool native = !number_type_is_emulated(o->type);
    dense_setting s = {.storage = type->storage,
                       .accumulation = type->accumulation,
                       .tile = type->tile,
                       .hard = o->hard,
                       .pairs = o->dense || native,
                       .unlimited = native,
                       .doubts = true,
                       .keep = o->capture ? &r->memory : NULL};
    dense_answer a;
    run_prepare_capture(r, m, o->capture);
    dense_run(&a, m, letters, n, &s, stream, scratch);
    if (a.broken) refuse_broken(&a, m, o->type, scratch->trap);
    memcpy(r->truth, a.truth, r->output_count * a.size);
    if (a.logits) memcpy(r->logits, a.logits, r->output_count * a.size * sizeof *a.logits);
    size_t heads = r->head_start[m->layer_count];
    if (heads) memcpy(r->heads, a.heads, heads * sizeof *r->heads);
    if (o->capture) r->channels = a.channels;
    report_doubt(r, &a);
}
