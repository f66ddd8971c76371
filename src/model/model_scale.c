/* A copy of a model with other softmax scales: a deliberately wrong temperature, or somebody else's. */
#include <string.h>

#include "model/model.h"

bool head_reads_position(const model_head *h) { return h->scale && expression_uses(h->scale, EXPR_I); }

bool model_reads_position(const temper_model *m, size_t *layer, size_t *head) {
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            if (head_reads_position(&m->layers[l].heads[h])) {
                if (layer) *layer = l + 1;
                if (head) *head = h + 1;
                return true;
            }
    return false;
}

typedef struct scale_call {
    temper_model **out;
    const temper_model *model;
    const temper_scale *scales;
    size_t count;
} scale_call;

/* "0.2x" is a factor of the scale that the head has. */
static bool read_factor(double *factor, const char *scale) {
    size_t length = strlen(scale);
    return length > 1 && scale[length - 1] == 'x' && text_to_double(factor, scale, length - 1);
}

static const expression *number(arena *a, double x) {
    expression *e = arena_zalloc(a, 1, sizeof *e);
    e->op = EXPR_CONSTANT;
    e->constant = x;
    return e;
}

static const expression *product(arena *a, double factor, const expression *of) {
    if (!of) return number(a, factor);
    if (factor == 1) return of;
    expression *e = arena_zalloc(a, 1, sizeof *e);
    e->op = EXPR_MUL;
    e->a = number(a, factor);
    e->b = of;
    return e;
}

/* The scale as text would be read back with one level more. */
static size_t depth_of(const expression *e) { /* the parser bounds it */
    if (!e) return 0;
    size_t a = depth_of(e->a), b = depth_of(e->b);
    return 1 + (a > b ? a : b);
}

static void set_scale(temper_model *m, model_head *h, const char *scale) {
    arena *a = &m->memory;
    double factor;
    temper_error inner;
    if (read_factor(&factor, scale)) {
        if (depth_of(h->scale) >= EXPRESSION_DEPTH)
            trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "the scale of the head is too deep to be multiplied");
        h->scale = product(a, factor, h->scale);
        return;
    }
    const expression *e = expression_try(a, scale, &inner);
    if (!e)
        trap_raise_hint(a->trap, TEMPER_SYNTAX, 0, 0,
                        "an expression of N, n and i such as 8*N, or a factor such as 0.2x", "the scale '%s': %s",
                        text_escaped(a, scale, strlen(scale), 40), inner.text);
    h->scale = e;
}

/* The last that speaks of the head; NULL: none. */
static const char *scale_for(const scale_call *c, size_t layer, size_t head) {
    for (size_t k = c->count; k-- > 0;)
        if (!c->scales[k].layer || (c->scales[k].layer == layer && c->scales[k].head == head))
            return c->scales[k].scale;
    return NULL;
}

static void check_scale(const temper_model *m, const temper_scale *s, trap *t) {
    if (!s->scale) trap_raise(t, TEMPER_RANGE, 0, 0, "a scale is missing");
    if (!s->layer && !s->head) return;
    if (s->head < 1 || s->head > temper_model_layer(m, s->layer).heads)
        trap_raise_hint(t, TEMPER_RANGE, 0, 0, "temper explain lists the heads",
                        "there is no head %zu.%zu to be scaled", s->layer, s->head);
    const model_head *h = &m->layers[s->layer - 1].heads[s->head - 1];
    if (h->choice != TEMPER_CHOICE_SOFTMAX)
        trap_raise(t, TEMPER_RANGE, 0, 0, "head %zu.%zu makes a hard choice, which has no scale", s->layer, s->head);
}

temper_model *model_copy(entry *e, const temper_model *m) {
    text printed;
    text_init(&printed, &e->scratch);
    model_print(&printed, m);
    temper_model *copy = entry_model(e);
    model_read(copy, printed.data, printed.length, &e->scratch);
    copy->memory.trap = e->trap;
    return copy;
}

static void scale_heads(entry *e, void *context) {
    const scale_call *c = context;
    for (size_t k = 0; k < c->count; k++) check_scale(c->model, &c->scales[k], e->trap);
    temper_model *m = model_copy(e, c->model);
    size_t scaled = 0;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            model_head *head = &m->layers[l].heads[h];
            const char *scale = scale_for(c, l + 1, h + 1);
            if (!scale || head->choice != TEMPER_CHOICE_SOFTMAX) continue;
            set_scale(m, head, scale);
            scaled++;
        }
    if (c->count && !scaled)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the model has no softmax head, so there is nothing to scale");
    m->rescaled = true;
    m->record = MODEL_NO_RECORD;
    model_check(m, e->trap);
    model_seal(m);
    *c->out = m;
}

temper_status temper_model_with_scale(temper_model **out, const temper_model *model, const temper_scale *scales,
                                      size_t count, temper_error *err) {
    scale_call call = {out, model, scales, count};
    *out = NULL;
    return entry_run(err, scale_heads, &call);
}
