#include "run/dense.h"

#include "run/dense_work.h"

static bool is_both(const dense_setting *s, const number_format *f) {
    return s->storage == f && s->accumulation == f;
}

void dense_run(dense_answer *out, const temper_model *m, const uint32_t *letters, size_t n, const dense_setting *s,
               arena *stream, arena *scratch) {
    size_t heads = 0, size = n + 1 + m->has_end, numbers = size * m->channel_count;
    for (uint32_t l = 0; l < m->layer_count; l++) heads += m->layers[l].head_count;
    doubt doubts = {.m = m, .n = n, .size = size, .memory = stream};
    dense_work p = {.m = m, .s = s, .letters = letters, .n = n, .size = size, .scratch = scratch, .out = out};
    if (s->doubts) p.doubt = &doubts;
    *out = (dense_answer){.size = size};
    out->truth = arena_zalloc(stream, model_output_count(m) * size, 1);
    if (model_has_logits(m)) out->logits = arena_zalloc(stream, model_output_count(m) * size, sizeof *out->logits);
    out->heads = arena_zalloc(stream, heads, sizeof *out->heads);
    if (s->keep) out->channels = arena_zalloc(s->keep, (size_t)m->layer_count + 1, sizeof *out->channels);
    p.x = out->x = arena_zalloc(stream, numbers, sizeof *p.x);
    p.delta = arena_zalloc(stream, numbers, sizeof *p.delta);
    if (!s->row) run_work_pairs(&p.told, m, size, 20);
    if (is_both(s, &format_f64))
        dense_pass_f64(&p);
    else if (is_both(s, &format_f32))
        dense_pass_f32(&p);
    else
        dense_pass_any(&p);
    out->doubtful = doubt_reaches(&doubts);
    out->doubted = doubts.first;
}
