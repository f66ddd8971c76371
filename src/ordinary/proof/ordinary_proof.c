#include "ordinary/proof/ordinary_proof.h"

#include <math.h>
#include <string.h>

#include "bound/language_proof.h"
#include "number/format.h"
#include "ordinary/proof/term_hard.h"

static const double LLAMA_PIN = 0x1p15, GPT2_PIN = 0x1p13;
static const double MOST_ERROR = 32;

/* ---- the embedding ---- */

static bool is_input(const prover *p, uint32_t token) {
    return token == ORDINARY_BOS || (token >= ORDINARY_LETTERS && token < ORDINARY_LETTERS + p->x->letters);
}

/* Numbers that are added up exactly in doubles, thousands of them. */
static bool is_short(double x) { return x == 0 || (fabs(x) <= 0x1p15 && prover_lowest_bit(x) >= 0x1p-24); }

/* Pins, and rows that add up to 0. */
static bool check_embedding(prover *p) {
    const struct ordinary_model *m = p->m;
    bool gpt2 = m->architecture == ORDINARY_GPT2;
    for (uint32_t t = 0; t < m->vocabulary; t++) {
        const float *row = m->token_embedding + (size_t)t * p->width;
        double sum = 0;
        if (!is_input(p, t)) continue;
        bool right = prover_weight(p, row[0]) == (gpt2 ? GPT2_PIN : LLAMA_PIN);
        if (gpt2) right = right && prover_weight(p, row[1]) == -GPT2_PIN && row[2] == 0;
        for (uint32_t c = 0; c < p->width; c++) {
            sum += prover_weight(p, row[c]);
            right = right && is_short(prover_weight(p, row[c]));
        }
        if (!right || (gpt2 && sum != 0))
            return prover_fail(p, "a token has no pin, or its numbers do not add up to 0");
        if (!prover_is_zero_sum(p, row, 1)) return prover_fail(p, "zero-sum columns get unequal parts");
    }
    for (uint32_t i = 0; m->position_embedding && i < p->positions; i++) {
        const float *row = m->position_embedding + (size_t)i * p->width;
        double sum = 0;
        for (uint32_t c = 0; c < p->width; c++) {
            sum += (double)row[c];
            if (!is_short((double)row[c]) || (c < GPT2_PINS && row[c] != 0)) /* the table is f32 in every file */
                return prover_fail(p, "a number of a position has too many bits, or is added to a pin");
        }
        if (sum != 0) return prover_fail(p, "numbers of a position do not add up to 0");
        if (!prover_is_zero_sum(p, row, 1)) return prover_fail(p, "zero-sum columns get unequal parts");
    }
    return true;
}

static bool embed(prover *p) {
    const struct ordinary_model *m = p->m;
    double *letters = arena_alloc(p->arena, p->x->letters + 1, sizeof *letters), sizes = 0;
    double *places = arena_alloc(p->arena, p->positions, sizeof *places);
    if (!check_embedding(p)) return false;
    for (uint32_t c = p->first; c < p->width; c++) {
        proved_column *k = &p->columns[c];
        double most = 0, far = 0;
        for (size_t t = 0; t < p->x->letters; t++) {
            letters[t] = prover_weight(p, m->token_embedding[(ORDINARY_LETTERS + t) * p->width + c]);
            most = fmax(most, fabs(letters[t]));
        }
        double start = prover_weight(p, m->token_embedding[c]);
        most = fmax(most, fabs(start));
        k->form = ideal_letters(p->x, letters, start);
        for (size_t i = 0; i < p->positions; i++) {
            places[i] = m->position_embedding ? (double)m->position_embedding[i * p->width + c] : 0;
            far = fmax(far, fabs(places[i]));
        }
        if (most != 0 && far != 0) return prover_fail(p, "a column has letters and positions");
        if (far != 0) k->form = ideal_place(p->x, places);
        ideal_finish(p->x, &k->form);
        sizes = up_add(sizes, up_add(most, far));
    }
    if (m->architecture == ORDINARY_GPT2) prover_sum_to_zero(p, up_mul(UNIT, sizes)); /* zero sums add two numbers */
    return true;
}

/* ---- the outputs ---- */

static uint32_t token_of(const prover *p, const temper_model *hard, uint32_t output) {
    uint32_t letters = (uint32_t)hard->letters.count;
    if (hard->kind == TEMPER_KIND_ACCEPTOR) return ORDINARY_EOS;
    if (hard->kind == TEMPER_KIND_NEXT) return output < letters ? ORDINARY_LETTERS + output : (uint32_t)ORDINARY_EOS;
    for (uint32_t t = ORDINARY_LETTERS; t + 1 < p->m->vocabulary && *hard->output_names[output]; t++)
        if (!strcmp(p->m->tokens[t], hard->output_names[output])) return t;
    return ORDINARY_EOS;
}

static bool check_outputs(prover *p, const temper_model *hard, const temper_spec *read, const ideal_form *reads) {
    const struct ordinary_model *m = p->m;
    if (!prover_norm(p, m->final_gain)) return false;
    for (uint32_t t = 0; t < m->vocabulary; t++) {
        bool acceptor = hard->kind == TEMPER_KIND_ACCEPTOR, letter = t >= ORDINARY_LETTERS;
        double below = t + 1 == m->vocabulary ? ORDINARY_UNKNOWN : acceptor && letter ? 0 : ORDINARY_LEGAL;
        ideal_form expected = ideal_constant(-below, -below);
        proved_row row;
        for (uint32_t k = 0; k < hard->read.count; k++) {
            if (token_of(p, hard, k) != t) continue;
            double start = expected.start + ORDINARY_LEGAL * spec_output_empty(read, k);
            ideal_add(p->x, &expected, &reads[k], ORDINARY_LEGAL);
            expected.start = start;
        }
        ideal_finish(p->x, &expected);
        if (!prover_row(p, &row, m->output + (size_t)t * p->width)) return false;
        if (!ideal_is_equal(&row.form, &expected))
            return prover_fail(p, "the logit of token %u is not what the hard model says", t);
        p->logit_error = fmax(p->logit_error, prover_row_error(&row));
    }
    return p->logit_error < MOST_ERROR || prover_fail(p, "logits are off by up to %.3g", p->logit_error);
}

/* ---- the proof ---- */

static bool prove_layers(prover *p) {
    for (uint32_t l = 0; l < p->m->layer_count; l++) {
        const struct ordinary_layer *layer = &p->m->layers[l];
        proved_layer *out = &p->layers[l];
        if (!prover_norm(p, layer->attention_gain) || !prover_heads(p, layer, l)) return false;
        out->attention_norm = p->norm_error;
        p->at_layer = l + 1;
        if (!prover_norm(p, layer->net_gain) || !prover_net(p, layer, out)) return false;
        p->at_layer = 0;
        out->net_norm = p->norm_error;
        for (uint32_t c = p->first; c < p->width; c++) out->error = fmax(out->error, p->columns[c].error);
    }
    return true;
}

/* In exact arithmetic, at any length. */
static bool prove_hard(prover *p, const temper_model *hard, temper_claim *claim) {
    source_recognition source = recognise_source(hard, true, p->arena);
    size_t layer, head;
    *claim = source_claim(source);
    if (*claim == TEMPER_CLAIM_FORMULA || *claim == TEMPER_CLAIM_VIABLE) return true;
    const char *why = source.why;
    if (!why) why = recognition_reason(source.recognition, &layer, &head);
    return prover_fail(p, "that the hard model computes its source is not proved: %s", why ? why : "");
}

/* Frequencies of pairs that nobody uses count, too: 0 times what is no number is none. */
static bool check_numbers(prover *p) {
    const struct ordinary_model *m = p->m;
    bool right = m->epsilon >= 0 && m->epsilon <= 1;
    for (uint32_t k = 0; m->architecture == ORDINARY_LLAMA && k < m->head_size / 2; k++) {
        double f = prover_frequency(p, k);
        right = right && f >= 0 && f <= 8;
    }
    return right || prover_fail(p, "a frequency, or the norm's epsilon, is out of range");
}

static bool prove_all(prover *p, const temper_model *hard, const temper_spec *read, temper_claim *claim) {
    size_t layer, head;
    if (model_has_logits(hard)) return prover_fail(p, "logits of probabilities are not proved");
    if (!ordinary_reads_where_it_stands(hard, p->m->mirrored))
        return prover_fail(p, "the source is not read where the transformer stands after the string");
    if (!check_numbers(p) || !prove_hard(p, hard, claim)) return false;
    ideal_form *reads = arena_alloc(p->arena, hard->read.count, sizeof *reads);
    const char *why = ideal_from_model(p->x, reads, hard, p->m->mirrored, &layer, &head);
    if (why) {
        if (head) return prover_fail(p, "head %zu.%zu of the hard model %s", layer, head, why);
        return prover_fail(p, "of the hard model: %s", why);
    }
    return embed(p) && prove_layers(p) && check_outputs(p, hard, read, reads);
}

ordinary_proof ordinary_prove(arena *a, const struct ordinary_model *m, const temper_model *hard,
                              const temper_spec *read, const struct ordinary_options *o) {
    ordinary_proof out = {0};
    prover *p = arena_zalloc(a, 1, sizeof *p);
    *p = (prover){.arena = a, .m = m, .options = *o, .width = m->width, .positions = m->positions};
    p->first = m->architecture == ORDINARY_GPT2 ? GPT2_PINS + m->zero_sums : 1;
    p->x = ideals_new(a, m->positions, hard->letters.count);
    p->columns = arena_zalloc(a, m->width, sizeof *p->columns);
    p->heads = arena_zalloc(a, m->hint_count + 1, sizeof *p->heads);
    p->layers = arena_zalloc(a, m->layer_count + 1, sizeof *p->layers);
    out.details = p;
    out.proved = prove_all(p, hard, read, &out.claim);
    if (!out.proved) {
        out.reason = p->reason ? p->reason : "it is not known why";
        out.layer = p->at_layer;
        out.head = p->at_head;
    }
    return out;
}
