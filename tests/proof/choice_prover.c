#include "choice_prover.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "bound/choice_errors.h"
#include "bound/choice_file.h"

typedef struct prover {
    trap trap;
    arena keep, scratch;
    const char *source;
    const temper_model *m;
    size_t n;
    temper_type type;
    bool strings;
    choice_proved *result;
    certification c;
} prover;

static bool is_below(const ball *error, double margin, ball *t) {
    if (margin == INFINITY) return true;
    ball_set_double(t, margin);
    return ball_is_less(error, t);
}

/* What choice_proof.c does with one kind of facts, and the sizes of channels. */
static void prove(void *context) {
    prover *p = context;
    const number_type *type = number_type_of(p->type);
    p->c = (certification){.model = p->m,
                           .bytes = p->source,
                           .size = strlen(p->source),
                           .options = {.length = p->n, .type = p->type},
                           .type = type,
                           .ascending = number_type_is_emulated(p->type),
                           .arena = &p->keep,
                           .trap = &p->trap,
                           .claim = TEMPER_CLAIM_CHOICES};
    text_init(&p->c.reason, &p->keep);
    text_init(&p->c.json, &p->keep);
    hard_facts *f = arena_zalloc(&p->keep, 1, sizeof *f);
    recursion *r = arena_zalloc(&p->keep, 1, sizeof *r);
    if (p->strings && !hard_facts_by_strings(p->m, p->n)) return;
    hard_facts_find(f, &p->c, p->strings, &p->keep, &p->scratch);
    if (!recursion_begin(r, f, type, p->c.ascending, &p->keep, &p->scratch)) return;
    choice_results results;
    choice_results_begin(&results, f, &p->keep);
    ball *t = ball_array(&p->keep, 1);
    bool below = true, everywhere = true;
    for (size_t n = 0; n <= p->n; n++) {
        recursion_run(r, n);
        if (r->too_large) return;
        below = below && is_below(r->answer, f->margin[n], t);
        everywhere = everywhere && is_below(r->answer, f->margin_everywhere[n], t);
        choice_results_take(&results, r, n);
    }
    p->result->channels = p->m->channel_count;
    for (size_t k = 0; k < p->m->channel_count && k < PROVED_CHANNELS; k++)
        p->result->reach[k] = known_size(&f->all->after[k]) + ball_upper(&r->channels[k]);
    if (!below) return;
    choice_file_write(&p->c, f, &results, everywhere);
    p->result->length = p->c.json.length;
    p->result->text = malloc(p->c.json.length + 1);
    if (!p->result->text) abort();
    memcpy(p->result->text, p->c.json.data, p->c.json.length + 1);
}

void choice_prove(choice_proved *out, const temper_model *m, const char *source, size_t n, temper_type type,
                  bool strings) {
    prover p = {.source = source, .m = m, .n = n, .type = type, .strings = strings, .result = out};
    temper_error why = {0};
    *out = (choice_proved){0};
    arena_init(&p.keep, &p.trap);
    arena_init(&p.scratch, &p.trap);
    if (!trap_attempt(&p.trap, &why, prove, &p)) snprintf(out->why, sizeof out->why, "%s", why.text);
    arena_free(&p.keep);
    arena_free(&p.scratch);
}
