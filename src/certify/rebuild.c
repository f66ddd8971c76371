#include "certify/rebuild.h"

#include <string.h>

#include "model/model_spec.h"

static void release_model(void *model) { temper_model_free(model); }

/* ---- the model ---- */

static const temper_model *rebuild(const temper_model *m, const temper_spec *spec, arena *a) {
    temper_model *made;
    temper_build_options o = {.method = m->method};
    if (m->method == TEMPER_METHOD_DIGITS) o.digits = m->digits->type;
    if (temper_build(&made, spec, &o, NULL) != TEMPER_OK) return NULL;
    arena_on_release(a, release_model, made);
    return made;
}

/* ---- the comparison ---- */

static bool same_letters(const alphabet *x, const alphabet *y) {
    if (x->count != y->count || x->tokens != y->tokens) return false;
    for (size_t k = 0; k < x->count; k++)
        if (strcmp(x->letters[k], y->letters[k]) != 0) return false;
    return true;
}

static bool same_rows(const model_rows *x, const model_rows *y) {
    if (x->count != y->count || memcmp(x->start, y->start, ((size_t)x->count + 1) * sizeof *x->start) != 0)
        return false;
    for (uint32_t k = 0; k < x->start[x->count]; k++)
        if (x->terms[k].channel != y->terms[k].channel || x->terms[k].weight != y->terms[k].weight) return false;
    return true;
}

/* The texts of expressions are made from them, and read back to the same. */
static bool same_channel(const model_channel *x, const model_channel *y) {
    return strcmp(x->label, y->label) == 0 && !x->position == !y->position &&
           strcmp(x->position_text, y->position_text) == 0 && x->soft_only == y->soft_only;
}

static bool same_head(const model_head *x, const model_head *y) {
    return strcmp(x->label, y->label) == 0 && x->role == y->role && x->mask == y->mask && x->choice == y->choice &&
           x->hard_choice == y->hard_choice && !x->scale == !y->scale && strcmp(x->scale_text, y->scale_text) == 0 &&
           x->adaptive == y->adaptive && same_rows(&x->query, &y->query) && same_rows(&x->key, &y->key) &&
           same_rows(&x->value, &y->value) && same_rows(&x->output, &y->output);
}

static bool same_part(const model_part *x, const model_part *y) {
    return strcmp(x->formula, y->formula) == 0 && x->layer == y->layer && x->head == y->head &&
           x->channel == y->channel;
}

static const char *layer_difference(const certification *c, const model_layer *x, const model_layer *y, uint32_t l) {
    text t;
    text_init(&t, c->arena);
    if (x->head_count != y->head_count) {
        text_printf(&t, "the number of heads of layer %u", l + 1);
        return text_string(&t);
    }
    for (uint32_t h = 0; h < x->head_count; h++)
        if (!same_head(&x->heads[h], &y->heads[h])) return certification_head(c, l + 1, h + 1);
    bool net = same_rows(&x->in, &y->in) && same_rows(&x->out, &y->out);
    for (uint32_t u = 0; net && u < x->in.count; u++) net = x->bias[u] == y->bias[u];
    if (net) return NULL;
    text_printf(&t, "the feed-forward net of layer %u", l + 1);
    return text_string(&t);
}

static const char *difference(const certification *c, const temper_model *x, const temper_model *y) {
    if (x->method != y->method || x->digits != y->digits || x->syntax != y->syntax || x->at != y->at ||
        x->has_end != y->has_end || x->accepts_empty != y->accepts_empty || strcmp(x->source, y->source) != 0 ||
        !same_letters(&x->letters, &y->letters))
        return "a setting";
    if (x->channel_count != y->channel_count || x->layer_count != y->layer_count || x->part_count != y->part_count)
        return "the size";
    for (uint32_t k = 0; k < x->channel_count; k++)
        if (!same_channel(&x->channels[k], &y->channels[k])) return "a channel";
    if (!same_rows(&x->embedding, &y->embedding)) return "the embedding";
    for (uint32_t l = 0; l < x->layer_count; l++) {
        const char *found = layer_difference(c, &x->layers[l], &y->layers[l], l);
        if (found) return found;
    }
    if (!same_rows(&x->read, &y->read)) return "the read-out";
    for (size_t k = 0; k < x->part_count; k++)
        if (!same_part(&x->parts[k], &y->parts[k])) return "a part";
    return NULL;
}

const char *rebuild_difference(certification *c) {
    const temper_spec *spec = model_spec(c->model, c->arena);
    if (!spec) return *c->model->source ? "the specification itself" : "the specification, which is missing";
    const temper_model *again = rebuild(c->model, spec, c->arena);
    return again ? difference(c, c->model, again) : "the specification, which does not compile";
}
