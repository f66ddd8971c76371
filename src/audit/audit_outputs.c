/* What the outputs of a model must be, by the claim, and whether its read-out rows are that (doc/certificate.md, "What
   each channel means"): an acceptor's answer, each output of a transducer, and what a language model says comes
   next. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "audit/audit_bounds.h"
#include "audit/audit_source_meaning.h"
#include "logic/formula_print.h"

enum { LABEL_LENGTH = 72 };

static void release_spec(void *spec) { temper_spec_free(spec); }

/* ---- what they must be ---- */

/* Each formula of the certificate is what its output means; before the first letter rows say it themselves. */
static void outputs_read_off(audit *a, const audit_request *request) {
    for (size_t k = 0; k < model_output_count(a->model); k++) {
        if (!request->outputs[k].formula) audit_refuse(a, 0, 0, "output %zu has no formula", k + 1);
        temper_spec *spec = audit_read_spec(a, request->outputs[k].formula, TEMPER_SYNTAX_SPEC, TEMPER_KIND_ACCEPTOR,
                                            "the formula that was read off");
        arena_on_release(a->arena, release_spec, spec);
        a->outputs[k].formula = request->outputs[k].formula;
        a->outputs[k].meaning = source_meanings(&a->meaning, spec, NULL, a->arena)[spec->root];
    }
}

static void check_names(const audit *a, const temper_spec *source) {
    if (source->output_count != model_output_count(a->model))
        audit_refuse(a, 0, 0, "the model's source has %zu outputs, the model %u", source->output_count,
                     model_output_count(a->model));
    for (size_t k = 0; k < source->output_count; k++)
        if (strcmp(source->outputs[k].name, a->model->output_names[k]) != 0)
            audit_refuse(a, 0, 0, "output %zu has another name in the model's source", k + 1);
}

const temper_spec *audit_outputs(audit *a, const audit_request *request, temper_spec **keep, const dd **meanings) {
    const temper_model *m = a->model;
    size_t count = model_output_count(m);
    bool several = m->kind != TEMPER_KIND_ACCEPTOR;
    a->outputs = arena_zalloc(a->arena, count, sizeof *a->outputs);
    if (several && request->output_count != count)
        audit_refuse(a, 0, 0, "the model has %zu outputs, the certificate %zu", count, request->output_count);
    if (several && a->choices) {
        outputs_read_off(a, request);
        return NULL;
    }
    temper_spec *source = *keep = a->choices
                                      ? audit_read_spec(a, a->read_off, TEMPER_SYNTAX_SPEC, TEMPER_KIND_ACCEPTOR,
                                                        "the formula that was read off")
                                      : audit_read_spec(a, m->source, m->syntax, m->kind, "the model's source");
    if (m->kind == TEMPER_KIND_NEXT) {
        if (request->outputs[0].formula)
            audit_next(a, source, request);
        else
            audit_viable(a, source, request);
        return NULL;
    }
    if (several) check_names(a, source);
    const dd *languages = audit_languages(a, source, request);
    *meanings = source_meanings(&a->meaning, source, languages, a->arena);
    text label;
    text_init(&label, a->arena);
    if (!several) formula_label(&label, &source->graph, &source->letters, source->root, LABEL_LENGTH);
    for (size_t k = 0; k < count; k++) {
        a->outputs[k].label = text_escaped(a->arena, text_string(&label), label.length, 80);
        a->outputs[k].meaning = (*meanings)[spec_output_root(source, k)];
        a->outputs[k].empty = spec_output_empty(source, k);
    }
    return a->choices || a->language_count ? NULL : source;
}

/* ---- what they are ---- */

static void check_row(audit *a, uint32_t output) {
    row_value r = contents_row(a, &a->model->read, output, 0, 0);
    const model_term *terms = rows_begin_of(&a->model->read, output);
    audited_output *x = &a->outputs[output];
    bool several = a->model->kind != TEMPER_KIND_ACCEPTOR;
    for (size_t k = 0; k < rows_size(&a->model->read, output); k++)
        if (terms[k].weight != floor(terms[k].weight))
            audit_refuse(a, 0, 0, "the read-out has a weight that is not whole");
    if (!r.exact) audit_refuse(a, 0, 0, "the read-out reads a channel that is not exactly Boolean");
    if (r.weight > 1 / a->type.ua) audit_refuse(a, 0, 0, "the read-out may be rounded");
    if (r.letters != x->meaning && several)
        audit_refuse(a, 0, 0, "read-out %u does not mean what output %u is claimed to be", output + 1, output + 1);
    if (r.letters != x->meaning) audit_refuse(a, 0, 0, "the read-out does not mean %s", x->label);
    if (r.start != 0 && r.start != 1) audit_refuse(a, 0, 0, "the read-out at the start sentinel is not 0 or 1");
    if (several && a->choices) x->empty = r.start == 1;
    if (several && r.start != x->empty)
        audit_refuse(a, 0, 0, "read-out %u is wrong before the first letter", output + 1);
    if (r.start != x->empty)
        audit_refuse(a, 0, 0, "the answer for the empty string is not to %s it", x->empty ? "accept" : "reject");
}

void audit_read_out(audit *a) {
    const temper_model *m = a->model;
    for (uint32_t k = 0; k < model_output_count(m); k++) check_row(a, k);
    if (!model_has_logits(m)) return;
    for (uint32_t k = 0; k < m->logits.start[m->logits.count]; k++)
        if (a->channels[m->logits.terms[k].channel].kind != HOLDS_EXACT)
            audit_refuse(a, 0, 0, "a logit reads a channel that is not exactly Boolean");
    audit_log_probabilities(a);
}

/* ---- logits ---- */

/* Weights that are stored as they are, on one grid, and not too large: no partial sum is rounded. */
static bool sums_are_exact(const audit *a, const model_rows *rows, uint32_t row) {
    const ball *size;
    calculus c;
    int grid = INT_MAX;
    calc_init(&c, a->scratch);
    size = num(&c, 0);
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        double weight = rows->terms[k].weight;
        if (!audit_is_stored(a, weight)) return false;
        if (weight != 0 && audit_grid_of(weight) < grid) grid = audit_grid_of(weight);
        size = add(&c, size, num(&c, fabs(weight)));
    }
    /* the format of sums has every grid that a stored number has (audit_type_begin) */
    return grid == INT_MAX || ball_is_at_most(size, num(&c, fmin(ldexp(1, grid + a->type.pa), a->type.fa)));
}

/* What storing the weights of a row rounds, and adding them up, with Booleans 0 and 1. */
static const ball *logit_error(audit_bounding *b, uint32_t row) {
    const model_rows *rows = &b->a->model->logits;
    rounding storage = rounding_storage(b->a), sums = rounding_sums(b->a);
    calculus *c = b->c;
    const ball *error = num(c, 0), *sum = num(c, 0);
    bool begun = false;
    if (sums_are_exact(b->a, rows, row)) return error;
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++, begun = true) {
        double weight = fabs(rows->terms[k].weight);
        const ball *exact = num(c, weight);
        if (weight > storage.largest) audit_refuse(b->a, 0, 0, "a weight of a logit is beyond the type");
        if (!audit_is_stored(b->a, weight)) error = add(c, error, rounding_half(b, &storage, exact));
        sum = add(c, sum, rounding_after(b, &storage, exact));
        if (begun) {
            error = add(c, error, rounding_half(b, &sums, sum));
            sum = rounding_after(b, &sums, sum);
        }
        if (!ball_is_at_most(sum, num(c, sums.largest))) audit_refuse(b->a, 0, 0, "a logit may overflow");
    }
    return error;
}

void audit_logits(audit *a) {
    const temper_model *m = a->model;
    if (!model_has_logits(m)) return;
    ball *most = ball_array(a->arena, 2), *chances = most + 1;
    ball_set_int(most, 0);
    ball_set_int(chances, 0);
    for (uint32_t k = 0; k < m->logits.count; k++) {
        audit_bounding b = {.a = a, .c = &a->calculus};
        calc_begin(&a->calculus);
        const ball *error = logit_error(&b, k);
        ball_max(most, most, error);
        if (a->off) ball_max(chances, chances, add(&a->calculus, a->off[k], error));
    }
    a->logits = most;
    if (!a->off) return;
    if (!ball_is_at_most(most, num(&a->calculus, 1)))
        audit_refuse(a, 0, 0, "what never comes may get a probability above 0");
    a->chances = chances;
}
