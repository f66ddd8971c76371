#include "bound/role_proof.h"

#include <math.h>
#include <string.h>

#include "bound/every_length.h"
#include "bound/language_proof.h"
#include "bound/role_bounds.h"
#include "bound/role_conditions.h"

struct role_prover {
    certification *c;
    recognition *recognition;
    language_proofs languages;  /* of the source */
    output_proof *outputs;      /* [outputs] of a language model; NULL: there are none */
    const score_proofs *scores; /* of one with logits; NULL: it has none, or nothing is claimed of them */
    recognised_model recognised;
    every_length **every; /* [shapes] NULL until needed */
    arena scratch;        /* of one attempt */
    bounds b;
    head_certificate *heads; /* [shapes] */
    const ball **gates;      /* [ramp shapes] G */
    bool *tried;             /* [shapes] "every length" */
    const ball *error;       /* the largest of all */
    const ball *logits;      /* of the logits; NULL: there are none */
    const ball *chances;     /* how far they are from what the source says; NULL: not proved, ... */
    const char *unproved;    /* ... for this reason */
};

/* ---- heads ---- */

static void fail_head(role_prover *p, size_t shape, const char *why) {
    const head_shape *s = &p->recognised.shapes[shape];
    certification_unable(p->c, s->first_layer + 1, s->first_head + 1, "%s: %s",
                         certification_head(p->c, s->first_layer + 1, s->first_head + 1), why);
}

/* By bound; the first head that fails is told. */
static bool bound_heads(role_prover *p) {
    bool fine = true;
    for (size_t k = 0; k < p->recognised.shape_count; k++) {
        const head_shape *s = &p->recognised.shapes[k];
        p->heads[k] = p->c->hard ? head_certify_hard(&p->b, s) : head_certify(&p->b, s);
        p->tried[k] = false;
        bool holds = !p->heads[k].failure && ball_is_at_most(p->heads[k].error, p->b.quarter);
        if (holds) continue;
        fine = false;
        if (p->heads[k].failure) {
            fail_head(p, k, p->heads[k].failure);
        } else {
            char error[BALL_TEXT];
            ball_upper_text(error, p->heads[k].error);
            const char *why[] = {"its output may be off by ", error, ", more than a quarter"};
            text t;
            text_init(&t, &p->scratch);
            for (size_t w = 0; w < 3; w++) text_puts(&t, why[w]);
            fail_head(p, k, text_string(&t));
        }
    }
    return fine;
}

/* Nearest heads once more, length by length. False if that cannot be done; the reason that bounds gave stays then. */
static bool try_heads(role_prover *p) {
    bool fine = true;
    for (size_t k = 0; k < p->recognised.shape_count; k++) {
        const head_shape *s = &p->recognised.shapes[k];
        double rest, logit;
        if (s->role == ROLE_NEAREST) {
            if (!p->every[k]) p->every[k] = every_length_begin(p->c, s);
            if (!p->every[k] || !every_length_bound(&rest, &logit, p->every[k], p->b.size)) return false;
            p->heads[k] = head_certify_rest(&p->b, rest, logit);
            p->tried[k] = true;
        }
        fine = fine && !p->heads[k].failure && ball_is_at_most(p->heads[k].error, p->b.quarter);
    }
    return fine;
}

/* ---- gates ---- */

static bool bound_gates(role_prover *p) {
    for (size_t k = 0; k < p->recognised.ramp_count; k++)
        p->gates[k] = ramp_bound(&p->b, &p->recognised.ramps[k], p->heads);
    for (uint32_t l = 0; l < p->c->model->layer_count; l++) {
        const recognised_layer *layer = &p->recognised.layers[l];
        for (size_t k = 0; k < layer->ramp_count; k++)
            if (!ball_is_at_most(p->gates[layer->ramps[k]], p->b.quarter)) {
                certification_unable(
                    p->c, l + 1, 0,
                    "a gate of layer %u sums unrounded values that may be off by %.4g together, more "
                    "than a quarter",
                    l + 1, ball_upper(p->gates[layer->ramps[k]]));
                return false;
            }
    }
    return true;
}

/* All position features of the model, whoever reads them. */
static bool check_features(role_prover *p) {
    for (size_t k = 0; k < p->recognised.feature_count; k++) {
        quantity q = quantity_feature(&p->b, &p->recognised.features[k]);
        if (quantity_fits(&q, p->b.most_s)) continue;
        certification_unable(p->c, 0, 0, "position features of up to %.4g overflow %s, whose largest number is %.4g",
                             ball_upper(q.size), p->b.s->name, p->b.s->largest);
        return false;
    }
    return true;
}

/* ---- logits ---- */

/* Weights that are stored as they are, on one grid, and not too large: no partial sum is rounded. */
/* Coq: asc_exact. */
static bool logit_row_is_exact(const bounds *b, const model_rows *rows, uint32_t row) {
    const ball *sum = b->zero;
    int grid = GRID_OF_ZERO;
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        double weight = fabs(rows->terms[k].weight);
        if (format_round(b->s, weight) != weight) return false;
        if (grid_of(weight) < grid) grid = grid_of(weight);
        sum = b_add(b, sum, b_double(b, weight));
    }
    if (grid == GRID_OF_ZERO) return true;
    return b_is_at_most(b, b->tiny_a, b_power_of_two(b, grid)) && b_is_at_most(b, sum, b->most_a) &&
           b_is_at_most(b, sum, b_power_of_two(b, grid + b->a->precision));
}

/* A row of any weights over exact Booleans: what storing the weights and adding them up rounds. False: something
   overflows. */
/* On paper: "Gates". */
static bool logit_row_error(const bounds *b, const model_rows *rows, uint32_t row, const ball **error) {
    const ball *sum = NULL;
    *error = b->zero;
    if (logit_row_is_exact(b, rows, row)) return true;
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        double weight = fabs(rows->terms[k].weight);
        const ball *exact = b_double(b, weight), *stored = b_after(b, b->s, exact);
        if (format_round(b->s, weight) != weight) *error = b_add(b, *error, b_half(b, b->s, exact));
        if (!b_is_at_most(b, exact, b->most_s)) return false;
        if (sum) {
            sum = b_add(b, sum, stored);
            *error = b_add(b, *error, b_half(b, b->a, sum));
            sum = b_after(b, b->a, sum);
        } else {
            sum = stored;
        }
        if (!b_is_at_most(b, sum, b->most_a)) return false;
    }
    return true;
}

/* On paper: "Probabilities". */
static bool bound_logits(role_prover *p) {
    const temper_model *m = p->c->model;
    p->logits = p->chances = NULL;
    if (!model_has_logits(m)) return true;
    p->logits = p->b.zero;
    p->unproved = !p->scores ? "nothing is proved of its source" : p->scores->why_not;
    if (!p->unproved) p->chances = p->b.zero;
    for (uint32_t k = 0; k < m->logits.count; k++) {
        const ball *error;
        if (!logit_row_error(&p->b, &m->logits, k, &error)) {
            certification_unable(p->c, 0, 0, "a logit may overflow %s", p->c->type->name);
            return false;
        }
        p->logits = b_max(&p->b, p->logits, error);
        if (p->chances) p->chances = b_max(&p->b, p->chances, b_add(&p->b, p->scores->off[k], error));
    }
    if (p->chances && !b_is_at_most(&p->b, p->logits, p->b.one)) {
        p->chances = NULL;
        p->unproved = "what never comes may get a probability above 0 in this format";
    }
    if (p->chances) p->c->logit_error = ball_upper(p->chances); /* no length enters */
    return true;
}

/* ---- the file ---- */

/* What is claimed of each output. */
static void write_outputs(const role_prover *p) {
    const temper_model *m = p->c->model;
    if (m->kind == TEMPER_KIND_ACCEPTOR) return;
    certificate_array(p->c, "outputs");
    for (size_t k = 0; k < model_output_count(m); k++) {
        certificate_element(p->c);
        certificate_text(p->c, "output", m->output_names[k]);
        certificate_text(p->c, "empty", recognition_empty(p->recognition, k) ? "accept" : "reject");
        if (p->c->note) certificate_text(p->c, "formula", recognition_formula(p->recognition, k));
        if (p->outputs) {
            certificate_text(p->c, "formula", p->outputs[k].formula);
            certificate_texts(p->c, "table", p->outputs[k].rows.rows, p->outputs[k].rows.count);
        }
        certificate_element_end(p->c);
    }
    certificate_array_end(p->c);
}

static void write_scores(const role_prover *p) {
    if (!p->chances || !p->scores->all) return;
    certificate_array(p->c, "scores");
    for (size_t k = 0; k < p->scores->count; k++) {
        const score_proof *x = &p->scores->all[k];
        certificate_element(p->c);
        certificate_text(p->c, "formula", x->formula);
        certificate_texts(p->c, "table", x->rows.rows, x->rows.count);
        certificate_element_end(p->c);
    }
    certificate_array_end(p->c);
}

static const ball *layer_error(const role_prover *p, const recognised_layer *layer) {
    const ball *most = p->b.zero;
    for (size_t k = 0; k < layer->ramp_count; k++) most = b_max(&p->b, most, p->gates[layer->ramps[k]]);
    return layer->ramp_count ? most : p->b.zero;
}

static void write_languages(const role_prover *p) {
    if (!p->languages.count) return;
    certificate_array(p->c, "languages");
    for (size_t k = 0; k < p->languages.count; k++) {
        const language_proof *l = &p->languages.all[k];
        certificate_element(p->c);
        certificate_bytes(p->c, "language", l->language, l->length);
        certificate_text(p->c, "formula", l->formula);
        certificate_texts(p->c, "table", l->rows.rows, l->rows.count);
        certificate_element_end(p->c);
    }
    certificate_array_end(p->c);
}

/* The parts of a source with languages are parts of formulas that it does not have; so are those of language
   models. */
static void write_channels(const role_prover *p) {
    const temper_model *m = p->c->model;
    certificate_array(p->c, "channels");
    bool claimed = !p->c->note && !p->languages.count && m->kind != TEMPER_KIND_NEXT;
    for (size_t k = 0; k < m->part_count && claimed; k++) {
        if (m->parts[k].channel < 0) continue;
        certificate_element(p->c);
        certificate_count(p->c, "layer", m->parts[k].layer);
        certificate_count(p->c, "channel", (uint64_t)m->parts[k].channel);
        certificate_text(p->c, "formula", m->parts[k].formula);
        certificate_element_end(p->c);
    }
    certificate_array_end(p->c);
}

static void write_heads(role_prover *p) {
    const temper_model *m = p->c->model;
    certificate_array(p->c, "heads");
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            uint32_t shape = p->recognised.layers[l].head_shapes[h];
            const head_certificate *x = &p->heads[shape];
            certificate_head(p->c, l + 1, h + 1, head_role_name(p->recognised.shapes[shape].role),
                             p->tried[shape] ? "every length" : "bound", x->logit, x->rounding, x->error);
            p->error = b_max(&p->b, p->error, x->error);
        }
    certificate_array_end(p->c);
}

static void write_gates(role_prover *p) {
    certificate_array(p->c, "gates");
    for (uint32_t l = 0; l < p->c->model->layer_count; l++) {
        const recognised_layer *layer = &p->recognised.layers[l];
        if (!layer->units) continue;
        const ball *error = layer_error(p, layer);
        certificate_element(p->c);
        certificate_count(p->c, "layer", l + 1);
        certificate_count(p->c, "units", layer->units);
        certificate_count(p->c, "raw", layer->raw);
        certificate_bound(p->c, "error", error);
        certificate_element_end(p->c);
        p->error = b_max(&p->b, p->error, error);
    }
    certificate_array_end(p->c);
}

/* The formulas of all outputs, those of several below their names. NULL: one is too large to write down. */
static const char *read_all_off(const role_prover *p) {
    const temper_model *m = p->c->model;
    if (m->kind == TEMPER_KIND_ACCEPTOR) return recognition_formula(p->recognition, 0);
    text t;
    text_init(&t, p->c->arena);
    for (size_t k = 0; k < model_output_count(m); k++) {
        const char *name = m->output_names[k], *read = recognition_formula(p->recognition, k);
        if (!read) return NULL;
        text_printf(&t, "%soutput '%s'\n%s", k ? "\n" : "", text_escaped(p->c->arena, name, strlen(name), 60), read);
    }
    return text_string(&t);
}

/* False: what was read off is too large to write down. */
static bool write_file(role_prover *p) {
    p->error = p->b.zero;
    if (p->c->note) {
        p->c->read_off = read_all_off(p);
        if (!p->c->read_off) {
            certification_unable(p->c, 0, 0, "%s, and the formula that was read off is too large to write down",
                                 p->c->note);
            return false;
        }
    }
    certificate_begin(p->c);
    write_outputs(p);
    write_scores(p);
    write_languages(p);
    write_channels(p);
    write_heads(p);
    write_gates(p);
    certificate_member_bound(p->c, "error", p->error);
    certificate_member_bound(p->c, "allowed", p->b.quarter);
    if (p->logits) certificate_member_bound(p->c, "logits", p->logits);
    if (p->chances)
        certificate_member_bound(p->c, "log-probabilities", p->chances);
    else if (p->logits)
        certificate_member_text(p->c, "log-probabilities", "not proved");
    p->c->chances_why_not = p->logits && !p->chances ? p->unproved : NULL;
    certificate_end(p->c);
    return true;
}

/* ---- attempts ---- */

static void release_scratch(void *scratch) { arena_free(scratch); }

role_prover *role_prover_begin(certification *c) {
    role_prover *p = arena_zalloc(c->arena, 1, sizeof *p);
    p->c = c;
    if (!bounds_cover(c->type, c->ascending)) {
        certification_unable(c, 0, 0, "the lemmas do not hold for %s", c->type->name);
        return NULL;
    }
    size_t layer, head;
    source_recognition source = recognise_source(c->model, c->hard, c->arena);
    p->recognition = source.recognition;
    const recognised_model *found = recognition_model(p->recognition);
    if (!found) {
        c->unlike = recognition_reason(p->recognition, &layer, &head);
        return NULL;
    }
    p->recognised = *found;
    p->languages = source.languages;
    p->outputs = source.outputs;
    p->scores = source.scores;
    c->claim = source_claim(source);
    c->note = source.is_formula ? NULL : source.why;
    if (!role_conditions(c, &p->recognised)) return NULL;
    p->every = arena_zalloc(c->arena, p->recognised.shape_count, sizeof *p->every);
    p->heads = arena_zalloc(c->arena, p->recognised.shape_count, sizeof *p->heads);
    p->tried = arena_zalloc(c->arena, p->recognised.shape_count, sizeof *p->tried);
    p->gates = arena_zalloc(c->arena, p->recognised.ramp_count, sizeof *p->gates);
    arena_init(&p->scratch, c->trap);
    arena_on_release(c->arena, release_scratch, &p->scratch);
    return p;
}

static bool attempt(role_prover *p) {
    if (!check_features(p) || !bound_logits(p)) return false;
    if (bound_heads(p) && bound_gates(p)) return true;
    if (p->c->hard || !p->b.ascending || p->b.size > EVERY_LENGTH_MOST) return false;
    return try_heads(p) && bound_gates(p);
}

bool role_prover_try(role_prover *p, size_t length, bool write) {
    certification *c = p->c;
    arena_reset(&p->scratch);
    bounds_init(&p->b, c->type, c->ascending, (uint64_t)length + 1 + c->model->has_end, &p->scratch);
    if (!attempt(p)) return false;
    c->reason.length = 0; /* what bounds alone could not do */
    c->fault = (temper_fault){0};
    return !write || write_file(p);
}
