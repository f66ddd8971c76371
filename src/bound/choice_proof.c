#include "bound/choice_proof.h"

#include "base/entry.h"
#include "bound/choice_errors.h"
#include "bound/choice_file.h"

/* Work that is freed with the certificate's arena, wherever an error goes. Errors in it mean that nothing can be
   proved, not that the caller did something wrong. */
typedef struct workshop {
    trap trap;
    arena keep, scratch;
} workshop;

static void close_workshop(void *what) {
    workshop *w = what;
    arena_free(&w->keep);
    arena_free(&w->scratch);
}

static workshop *open_workshop(certification *c) {
    workshop *w = arena_zalloc(c->arena, 1, sizeof *w);
    arena_init(&w->keep, &w->trap);
    arena_init(&w->scratch, &w->trap);
    arena_on_release(c->arena, close_workshop, w);
    return w;
}

/* ---- verdicts ---- */

static void blame(certification *c, const recursion *r, size_t n, double margin) {
    const temper_model *m = r->m;
    uint32_t layer = 0, head = 0, worst = 0;
    bool blunt = false;
    for (uint32_t l = 0; l < m->layer_count && !blunt; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count && !blunt; h++) {
            uint32_t k = r->f->head_start[l] + h;
            blunt = ball_upper(&r->share[k]) >= 1;
            if (blunt || k == 0 || ball_upper(&r->error[k]) > ball_upper(&r->error[worst]))
                worst = k, layer = l + 1, head = h + 1;
        }
    c->fault.length = n;
    double error = ball_upper(r->answer);
    if (blunt)
        certification_unable(c, layer, head,
                             "%s at length %zu: its scores cannot be told apart with certainty (the gap is %.3g), so "
                             "its choice is not known",
                             certification_head(c, layer, head), n, r->f->gap[worst][n]);
    else if (margin == 0)
        certification_unable(c, 0, 0, "length %zu: an answer of the hard model may lie at the threshold 1/2", n);
    else if (head)
        certification_unable(c, layer, head,
                             "length %zu: answers are known to within %.3g only, but are as near as %.3g to 1/2; the "
                             "largest error is that of %s, %.3g",
                             n, error, margin, certification_head(c, layer, head), ball_upper(&r->error[worst]));
    else
        certification_unable(c, 0, 0,
                             "length %zu: answers are known to within %.3g only, but are as near as %.3g to 1/2", n,
                             error, margin);
}

/* Whether the error is certainly below the margin. */
static bool is_below(const ball *error, double margin, ball *t) {
    if (margin == INFINITY) return true;
    ball_set_double(t, margin);
    return ball_is_less(error, t);
}

static void prove(certification *c, const hard_facts *f, workshop *w, bool write) {
    recursion r;
    if (!recursion_begin(&r, f, c->type, c->ascending, &w->keep, &w->scratch)) {
        certification_unable(c, 0, 0, "a weight is too large or too small for %s", c->type->storage->name);
        return;
    }
    r.embed = hard_facts_embedding(c, &w->trap);
    choice_results results;
    if (write) choice_results_begin(&results, f, &w->keep);
    ball *t = ball_array(&w->keep, 1);
    bool everywhere = true;
    for (size_t n = 0; n <= f->length; n++) {
        recursion_run(&r, n);
        if (r.too_large) {
            c->fault.length = n;
            if (r.head && c->model->layers[r.layer - 1].heads[r.head - 1].adaptive)
                certification_unable(
                    c, r.layer, r.head,
                    "%s at length %zu: it divides by the gap of each row, and rounding may feign one",
                    certification_head(c, r.layer, r.head), n);
            else if (r.head)
                certification_unable(c, r.layer, r.head, "%s at length %zu: a number may be too large for %s",
                                     certification_head(c, r.layer, r.head), n, c->type->name);
            else
                certification_unable(c, r.layer, 0, "layer %u at length %zu: a number may be too large for %s",
                                     r.layer, n, c->type->name);
            return;
        }
        if (!is_below(r.answer, f->margin[n], t)) {
            blame(c, &r, n, f->margin[n]);
            return;
        }
        everywhere = everywhere && is_below(r.answer, f->margin_everywhere[n], t);
        if (write) choice_results_take(&results, &r, n);
        certification_progress(c, f->length + 2 + n, 2 * (f->length + 1));
    }
    c->every_position = everywhere;
    if (write) choice_file_write(c, f, &results, everywhere);
    c->verdict = TEMPER_PROVED;
}

/* Heads of which nothing can be said, whatever the length. */
static bool heads_are_fit(certification *c) {
    const temper_model *m = c->model;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            const model_head *head = &m->layers[l].heads[h];
            if (head->hard_choice == TEMPER_CHOICE_SOFTMAX)
                certification_unable(
                    c, l + 1, h + 1,
                    "%s is softmax and stands for no hard choice: there is nothing to compare it with",
                    certification_head(c, l + 1, h + 1));
            else if (head_reads_position(head))
                certification_unable(c, l + 1, h + 1, "%s has a scale that reads the position",
                                     certification_head(c, l + 1, h + 1));
            else
                continue;
            return false;
        }
    return true;
}

typedef struct attempt_call {
    certification *c;
    workshop *w;
    bool strings, write;
} attempt_call;

static void attempt(void *context) {
    const attempt_call *a = context;
    hard_facts *f = arena_zalloc(&a->w->keep, 1, sizeof *f);
    hard_facts_find(f, a->c, a->strings, &a->w->keep, &a->w->scratch);
    prove(a->c, f, a->w, a->write);
}

/* With facts by strings or by sets; facts that cannot be found are a reason like any other. */
static void try_facts(certification *c, bool strings, bool write) {
    workshop *w = open_workshop(c);
    attempt_call call = {c, w, strings, write};
    temper_error why;
    c->every_position = false;
    bool done = trap_attempt(&w->trap, &why, attempt, &call);
    close_workshop(w);
    if (!done && why.code == TEMPER_NO_MEMORY) trap_reraise(c->trap, &why);
    if (!done) certification_unable(c, 0, 0, "%s", why.text);
}

/* doc/certificate.md, "Facts about the hard model": sets where they prove every position, else strings where they are
   few and prove more. */
bool choice_proof_try(certification *c, bool write) {
    if (!heads_are_fit(c)) return false;
    certification before = *c;
    try_facts(c, false, write);
    bool proved = c->verdict == TEMPER_PROVED;
    if ((proved && c->every_position) || !hard_facts_by_strings(c->model, c->options.length)) return proved;
    certification sets = *c;
    *c = before;
    c->found = sets.found;
    text_init(&c->reason, c->arena);
    text_init(&c->json, c->arena);
    try_facts(c, true, write);
    if (proved && !(c->verdict == TEMPER_PROVED && c->every_position)) *c = sets;
    return c->verdict == TEMPER_PROVED;
}
