/* A copy of a model with another way to read letters that its alphabet does not have. */
#include <string.h>

#include "model/model.h"

typedef struct other_call {
    temper_model **out;
    const temper_model *model;
    const char *other;
} other_call;

static void set_other(entry *e, void *context) {
    const other_call *c = context;
    const alphabet *letters = &c->model->letters;
    uint32_t other = c->other ? alphabet_find(letters, c->other, strlen(c->other)) : UINT32_MAX;
    if (c->other && other == UINT32_MAX)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the alphabet has no letter '%s'",
                   text_escaped(&e->scratch, c->other, strlen(c->other), 40));
    temper_model *m = model_copy(e, c->model);
    m->letters.other = other;
    m->rescaled = c->model->rescaled;
    model_seal(m);
    *c->out = m;
}

temper_status temper_model_with_other(temper_model **out, const temper_model *model, const char *other,
                                      temper_error *err) {
    other_call call = {out, model, other};
    *out = NULL;
    return entry_run(err, set_other, &call);
}
