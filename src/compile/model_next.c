#include "compile/model_next.h"

#include <string.h>

typedef struct work {
    temper_spec *made;
    next_report *report;
    arena *scratch;
} work;

static void make_outputs(void *context) {
    const work *w = context;
    spec_make_outputs(w->made, w->report, false, w->scratch);
}

static void release_spec(void *spec) { temper_spec_free(spec); }
static void release_arena(void *what) { arena_free(what); }

const temper_spec *model_next_spec(const temper_model *m, next_report *r, arena *a) {
    trap inner;
    temper_error why;
    temper_spec_options o = {.syntax = m->syntax,
                             .letters = m->letters.letters,
                             .letter_count = m->letters.count,
                             .tokens = m->letters.tokens,
                             .at = m->at,
                             .empty = m->accepts_empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT,
                             .kind = TEMPER_KIND_NEXT};
    work w = {.report = r, .scratch = arena_alloc(a, 1, sizeof *w.scratch)};
    temper_status status = temper_spec_parse(&w.made, m->source, strlen(m->source), &o, &why);
    if (status == TEMPER_NO_MEMORY) trap_reraise(a->trap, &why);
    if (status != TEMPER_OK) return NULL;
    arena_on_release(a, release_spec, w.made);
    arena_init(w.scratch, &inner);
    arena_on_release(a, release_arena, w.scratch);
    w.made->memory.trap = &inner;
    bool made = trap_attempt(&inner, &why, make_outputs, &w);
    w.made->memory.trap = w.scratch->trap = NULL;
    if (!made && why.code == TEMPER_NO_MEMORY) trap_reraise(a->trap, &why);
    return made ? w.made : NULL;
}
