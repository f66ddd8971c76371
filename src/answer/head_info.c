/* What a head is. Its growth and its error before rounding are those of the role which its weights have, not of the
   one that the file names. */
#include "answer/proved.h"
#include "base/entry.h"

typedef struct head_call {
    temper_head_info *out;
    const temper_model *model;
    size_t layer, head;
} head_call;

static void tell_head(entry *e, void *context) {
    const head_call *c = context;
    const temper_model *m = c->model;
    if (c->head < 1 || c->head > temper_model_layer(m, c->layer).heads)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "there is no such head");
    const model_head *h = &m->layers[c->layer - 1].heads[c->head - 1];
    proved_head found = proved_head_of(m, c->layer, c->head, e->trap);
    *c->out = (temper_head_info){.label = h->label,
                                 .role = head_role_name(h->role),
                                 .mask = h->mask,
                                 .choice = h->choice,
                                 .hard_choice = h->hard_choice,
                                 .scale = h->scale_text,
                                 .row_scale = head_reads_position(h),
                                 .adaptive = h->adaptive,
                                 .growth = found.growth,
                                 .bound = found.bound,
                                 .query_size = h->query.count,
                                 .value_size = h->value.count};
}

temper_status temper_model_head(temper_head_info *out, const temper_model *model, size_t layer, size_t head,
                                temper_error *err) {
    head_call call = {out, model, layer, head};
    return entry_run(err, tell_head, &call);
}
