/* The invariants of a model, checked after every pass and after reading a file: what the runner relies on. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

typedef struct checker {
    const temper_model *model;
    trap *trap;
    char where[80];
} checker;

#define REQUIRE(c, condition, ...)                                                                                   \
    do {                                                                                                             \
        if (!(condition)) fail((c), __VA_ARGS__);                                                                    \
    } while (0)

static _Noreturn void fail(const checker *c, const char *what) {
    trap_raise(c->trap, TEMPER_FORMAT, 0, 0, "not a well-formed model: %s: %s", c->where, what);
}

static void check_rows(const checker *c, const model_rows *r, const char *missing) {
    REQUIRE(c, r->start && r->start[0] == 0, missing);
    REQUIRE(c, r->terms, "rows without a place for their terms"); /* nothing is ever added to a null pointer */
    for (uint32_t row = 0; row < r->count; row++) {
        REQUIRE(c, r->start[row] <= r->start[row + 1], "rows out of order");
        for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++) {
            REQUIRE(c, r->terms[k].channel < c->model->channel_count, "a channel that does not exist");
            REQUIRE(c, isfinite(r->terms[k].weight), "a weight that is not finite");
            REQUIRE(c, r->terms[k].weight != 0, "a weight that is zero");
            REQUIRE(c, k == r->start[row] || r->terms[k - 1].channel < r->terms[k].channel,
                    "channels of a row not in ascending order");
        }
    }
}

/* What soften relies on in the hard heads of a compiled formula. */
static void check_role(const checker *c, const model_head *h) {
    static const uint32_t sizes[] = {0, 1, 1, 0, 1, 2, 2, 0}; /* rows of the query, by role */
    if (h->role == ROLE_NONE || h->choice == TEMPER_CHOICE_SOFTMAX) return;
    bool match = h->role == ROLE_MATCH, nearest = h->role == ROLE_NEAREST || match,
         average = h->choice == TEMPER_CHOICE_AVERAGE;
    REQUIRE(c, match ? h->query.count > 1 : h->query.count == sizes[h->role],
            "a role that needs another number of query rows");
    REQUIRE(c, nearest != average, "a role that needs another choice");
    REQUIRE(c, h->role != ROLE_NEAREST || h->query.start[1] > 0, "role nearest with an empty query");
    REQUIRE(c, !match || h->query.start[h->query.count] > 0, "role match with an empty query");
}

static void check_head(const checker *c, const model_head *h) {
    REQUIRE(c, h->label && h->role <= ROLE_LAST_, "no label or an unknown role");
    REQUIRE(c, h->mask <= TEMPER_MASK_FROM, "an unknown mask");
    REQUIRE(c, h->choice <= TEMPER_CHOICE_SOFTMAX, "an unknown choice");
    REQUIRE(c, h->hard_choice <= TEMPER_CHOICE_SOFTMAX, "an unknown hard choice");
    REQUIRE(c, h->choice == TEMPER_CHOICE_SOFTMAX || h->choice == h->hard_choice,
            "a hard head that stands for another choice");
    REQUIRE(c, h->choice == TEMPER_CHOICE_SOFTMAX || !h->scale, "a hard head with a scale");
    REQUIRE(c, !h->adaptive || (h->scale && h->choice == TEMPER_CHOICE_SOFTMAX),
            "an adaptive head that is no softmax head with a scale");
    REQUIRE(c, !h->adaptive || h->hard_choice != TEMPER_CHOICE_SOFTMAX,
            "an adaptive head that stands for no hard choice");
    check_rows(c, &h->query, "no query");
    check_rows(c, &h->key, "no key");
    check_rows(c, &h->value, "no value");
    check_rows(c, &h->output, "no output");
    REQUIRE(c, h->query.count == h->key.count, "query and key of different size");
    REQUIRE(c, h->value.count == h->output.count, "value and output of different size");
    REQUIRE(c, h->choice != TEMPER_CHOICE_SOFTMAX || c->model->method != TEMPER_METHOD_HARD,
            "a softmax head in a hard model");
    check_role(c, h);
}

static void check_layer(checker *c, const model_layer *l, uint32_t number) {
    for (uint32_t k = 0; k < l->head_count; k++) {
        snprintf(c->where, sizeof c->where, "layer %u, head %u", number, k + 1);
        check_head(c, &l->heads[k]);
    }
    snprintf(c->where, sizeof c->where, "layer %u, feed-forward net", number);
    check_rows(c, &l->in, "no input weights");
    check_rows(c, &l->out, "no output weights");
    REQUIRE(c, l->in.count == l->out.count, "input and output of different size");
    for (uint32_t k = 0; k < l->in.count; k++) REQUIRE(c, isfinite(l->bias[k]), "a bias that is not finite");
}

/* Readers refuse names that come twice, which takes memory. */
static void check_outputs(const checker *c) {
    const temper_model *m = c->model;
    REQUIRE(c, m->kind <= TEMPER_KIND_LAST_, "an unknown kind");
    check_rows(c, &m->read, "missing");
    REQUIRE(c, m->kind != TEMPER_KIND_ACCEPTOR || m->read.count == 1, "not one row");
    REQUIRE(c, m->read.count > 0, "no row");
    for (uint32_t k = 0; k < m->read.count; k++) REQUIRE(c, m->output_names[k], "an output without a name");
    REQUIRE(c, m->kind != TEMPER_KIND_ACCEPTOR || !*m->output_names[0], "an acceptor's output has no name");
    if (m->kind == TEMPER_KIND_NEXT) {
        REQUIRE(c, m->read.count == m->letters.count + 1, "what comes next is a letter of the alphabet or the end");
        for (size_t k = 0; k < m->letters.count; k++)
            REQUIRE(c, strcmp(m->output_names[k], m->letters.letters[k]) == 0,
                    "outputs for letters are not in the order of the alphabet");
        REQUIRE(c, !*m->output_names[m->letters.count], "the last output is not that of the end");
    }
    if (!model_has_logits(m)) return;
    REQUIRE(c, m->kind == TEMPER_KIND_NEXT, "logits of what does not come next");
    check_rows(c, &m->logits, "no logits");
    REQUIRE(c, m->logits.count == m->read.count, "not one row of logits for each output");
}

void model_check(const temper_model *m, trap *t) {
    checker c = {.model = m, .trap = t, .where = "model"};
    REQUIRE(&c, m->letters.count > 0, "no letters");
    REQUIRE(&c, m->at == TEMPER_AT_FIRST || m->at == TEMPER_AT_LAST, "no place to read the answer");
    REQUIRE(&c, m->source && m->record.reason, "no source");
    REQUIRE(&c, (m->digits != NULL) == (m->method == TEMPER_METHOD_DIGITS),
            "digits without a format, or a format alone");
    REQUIRE(&c, m->record.margin == 0 || (m->record.error >= 0 && m->record.error < m->record.margin),
            "a bound of the error that is not below the margin");
    for (uint32_t k = 0; k < m->channel_count; k++)
        REQUIRE(&c, m->channels[k].label != NULL, "a channel without a label");
    for (uint32_t k = 0; k < m->channel_count; k++)
        REQUIRE(&c, !m->channels[k].soft_only || m->channels[k].position,
                "a soft channel without a position expression");
    for (uint32_t k = 0; k < m->channel_count; k++)
        REQUIRE(&c, !m->channels[k].soft_only || m->method != TEMPER_METHOD_HARD, "a soft channel in a hard model");
    snprintf(c.where, sizeof c.where, "embedding");
    check_rows(&c, &m->embedding, "missing");
    REQUIRE(&c, m->embedding.count == m->letters.count + 2, "not one row per letter and sentinel");
    for (uint32_t k = 0; k < m->layer_count; k++) check_layer(&c, &m->layers[k], k + 1);
    snprintf(c.where, sizeof c.where, "read-out");
    check_outputs(&c);
    snprintf(c.where, sizeof c.where, "parts");
    for (size_t k = 0; k < m->part_count; k++) {
        const model_part *p = &m->parts[k];
        REQUIRE(&c, p->layer <= m->layer_count, "a layer that does not exist");
        REQUIRE(&c, p->head < 0 || (p->layer > 0 && p->head < m->layers[p->layer - 1].head_count),
                "a head that does not exist");
        REQUIRE(&c, p->channel < (int64_t)m->channel_count, "a channel that does not exist");
    }
}
