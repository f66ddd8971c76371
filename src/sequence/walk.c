#include "sequence/walk.h"

#include <math.h>

static void release(void *what) {
    walk *w = what;
    temper_stream_free(w->stream);
    temper_run_free(w->run);
}

/* The whole prefix again. */
static void run_prefix(walk *w, trap *t) {
    temper_error error;
    temper_run_free(w->run);
    w->run = NULL;
    if (temper_model_run(&w->run, w->model, w->word, w->length, &w->options, &error) != TEMPER_OK)
        trap_reraise(t, &error);
    w->proved = w->proved && temper_run_about(w->run).proved;
}

void walk_open(walk *w, const temper_model *m, const temper_run_options *o, arena *a) {
    temper_error error;
    *w = (walk){.model = m, .options = *o, .memory = a};
    if (m->kind != TEMPER_KIND_NEXT)
        trap_raise_hint(a->trap, TEMPER_UNSUPPORTED, 0, 0, "compile its specification with a line 'next'",
                        "the model is no language model: it does not say what comes next");
    arena_on_release(a, release, w);
    temper_status status = temper_stream_open(&w->stream, m, o, &error);
    if (status != TEMPER_OK && status != TEMPER_UNSUPPORTED) trap_reraise(a->trap, &error);
    walk_restart(w, a->trap);
}

void walk_restart(walk *w, trap *t) {
    w->length = 0;
    w->proved = true;
    if (!w->stream) {
        run_prefix(w, t);
        return;
    }
    temper_stream_reset(w->stream);
    w->proved = temper_stream_about(w->stream).proved;
}

void walk_push(walk *w, uint32_t letter, trap *t) {
    temper_error error;
    trap *outer = w->memory->trap;
    w->memory->trap = t;
    array_push(w->memory, w->word, w->length, w->capacity, letter);
    w->memory->trap = outer;
    if (!w->stream) {
        run_prefix(w, t);
        return;
    }
    if (temper_stream_push(w->stream, letter, NULL, &error) != TEMPER_OK) trap_reraise(t, &error);
    w->proved = w->proved && temper_stream_about(w->stream).proved;
}

bool walk_output(const walk *w, size_t output) {
    return w->stream ? temper_stream_output(w->stream, output) : temper_run_output(w->run, output)[w->length];
}

double walk_logit(const walk *w, size_t output) {
    if (w->stream) return temper_stream_logit(w->stream, output);
    const double *logits = temper_run_logits(w->run, output);
    return logits ? logits[w->length] : NAN;
}
