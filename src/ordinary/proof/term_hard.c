#include "ordinary/proof/term_hard.h"

#include <math.h>

typedef struct hard_reader {
    ideals *x;
    const temper_model *m;
    bool mirrored;
    ideal_form *channels; /* [channel_count] */
    const char **unknown; /* [channel_count] why a channel has no form; NULL: it has one */
    bool *written;        /* [channel_count] by a head or a net */
    const char *why;      /* of the first that was read */
} hard_reader;

/* ---- the embedding ---- */

static double embedded(const temper_model *m, uint32_t token, uint32_t channel) {
    const model_rows *e = &m->embedding;
    for (uint32_t k = e->start[token]; k < e->start[token + 1]; k++)
        if (e->terms[k].channel == channel) return e->terms[k].weight;
    return 0;
}

/* At position i of the causal transformer, for strings of n letters; a mirrored one counts from the end. */
static double place_at(const hard_reader *r, const expression *e, double i, double n) {
    double size = n + 1 + r->m->has_end;
    return expression_eval(e, r->mirrored ? size - 1 - i : i, n, size);
}

enum { PAIRS_LIMIT = 2048 };

/* [i <= n] does not: no position of a causal transformer comes after its string. */
static bool reads_length(const expression *e) {
    if (!e || (e->op == EXPR_LE && e->a->op == EXPR_I && e->b->op == EXPR_LENGTH)) return false;
    return e->op == EXPR_LENGTH || e->op == EXPR_SIZE || reads_length(e->a) || reads_length(e->b);
}

/* A feature that is another one in longer strings is nothing that a causal transformer has. */
static const char *embed_place(hard_reader *r, const expression *e, ideal_form *out) {
    size_t n = r->x->positions;
    double most = (double)n - 1, *values = arena_alloc(r->x->arena, n, sizeof *values);
    for (size_t i = 0; i < n; i++) values[i] = place_at(r, e, (double)i, most);
    bool fixed = !r->mirrored && !reads_length(e);
    if (!fixed && n > PAIRS_LIMIT) return "reads the length of the string, which is looked at up to 2,047 letters";
    for (size_t i = 0; !fixed && i < n; i++)
        for (size_t k = i ? i : 1; k < n; k++)
            if (place_at(r, e, (double)i, (double)k) != values[i]) return "reads where the string ends";
    ideal_form f = ideal_place(r->x, values);
    ideal_add(r->x, out, &f, 1);
    return NULL;
}

static void embed(hard_reader *r) {
    const temper_model *m = r->m;
    double *values = arena_alloc(r->x->arena, r->x->letters + 1, sizeof *values);
    uint32_t sentinel = r->mirrored ? model_end_token(m) : model_start_token(m);
    for (uint32_t c = 0; c < m->channel_count; c++) {
        for (uint32_t t = 0; t < r->x->letters; t++) values[t] = embedded(m, t, c);
        r->channels[c] = ideal_letters(r->x, values, embedded(m, sentinel, c));
        if (m->channels[c].position && !m->channels[c].soft_only) {
            r->unknown[c] = embed_place(r, m->channels[c].position, &r->channels[c]);
        }
        ideal_finish(r->x, &r->channels[c]);
    }
}

/* ---- rows ---- */

/* shifted: one position before, 0 on the start sentinel, channel by channel. */
static ideal_form row_form(hard_reader *r, const model_rows *rows, size_t row, bool shifted) {
    ideal_form out = {0};
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        const char *unknown = r->unknown[rows->terms[k].channel];
        if (unknown && !r->why) r->why = unknown;
        ideal_form f = ideal_settled(r->x, &r->channels[rows->terms[k].channel]);
        if (shifted) f = ideal_before(r->x, &f, 0);
        ideal_add(r->x, &out, &f, rows->terms[k].weight);
    }
    ideal_finish(r->x, &out);
    return out;
}

static double row_start(hard_reader *r, const model_rows *rows, size_t row) {
    double sum = 0;
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++)
        sum += rows->terms[k].weight * r->channels[rows->terms[k].channel].start;
    return sum;
}

/* ---- heads ---- */

static bool is_start_key(const ideal_form *f) { return f->count == 0 && f->one == 0 && f->start == 1; }

static bool is_never_negative(const ideals *x, const ideal_form *f) {
    double least, most;
    ideal_range(x, f, &least, &most);
    return least >= 0;
}

typedef struct hard_head {
    ideal_product *products;
    size_t *rows; /* of each product, in the head */
    size_t count;
    bool strict;
} hard_head;

/* Products that are 0 whatever the string do not count. */
static hard_head read_products(hard_reader *r, const model_head *h, bool strict) {
    hard_head out = {.products = arena_alloc(r->x->arena, h->query.count, sizeof *out.products),
                     .rows = arena_alloc(r->x->arena, h->query.count, sizeof *out.rows),
                     .strict = strict};
    for (size_t k = 0; k < h->query.count; k++) {
        if (rows_size(&h->query, k) == 0 || rows_size(&h->key, k) == 0) continue;
        out.rows[out.count] = k;
        out.products[out.count++] =
            (ideal_product){row_form(r, &h->query, k, false), row_form(r, &h->key, k, strict)};
    }
    return out;
}

static const char *average(hard_reader *r, const hard_head *h, const ideal_form *value, ideal_form *out) {
    const ideal_product *p = h->products;
    if (h->count == 0) {
        if (h->strict) return "takes the mean of earlier positions only";
        *out = ideal_mean(r->x, value);
        return NULL;
    }
    bool asks = ideal_is_constant(&p->query) && p->query.one > 0 && p->query.one == p->query.start;
    if (h->count == 1 && asks && ideal_is_equal(&p->key, value) && (!h->strict || is_never_negative(r->x, value)))
        *out = ideal_once(r->x, value);
    else if (h->count == 1 && is_start_key(&p->key) && !h->strict)
        *out = ideal_positive(r->x, &p->query, &p->key, value);
    else
        return "takes a mean that is neither of all positions nor of candidates";
    return NULL;
}

/* The query is never negative where the start sentinel has a positive key, and never positive where a negative. */
static bool is_start_welcome(hard_reader *r, const model_head *head, size_t product, const ideal_form *query) {
    double least, most, key = row_start(r, &head->key, product);
    ideal_range(r->x, query, &least, &most);
    return key == 0 || (key > 0 ? least >= 0 : most <= 0);
}

/* Positions of a strict head are those of the shifted numbers, and the start sentinel, where all of these are 0. Its
   score is then 0, and that of its copy on the first letter is no less if `is_start_welcome`. So it is not chosen if
   the last counts; and if the first does, it has the value that the copy has. */
static const char *choose(hard_reader *r, const model_head *head, const hard_head *h, bool last, size_t v,
                          const ideal_form *value, ideal_form *out) {
    if (h->count == 0 && h->strict && last) {
        ideal_form own = row_form(r, &head->value, v, false);
        *out = ideal_before(r->x, &own, 0);
        return NULL;
    }
    for (size_t k = 0; k < h->count && h->strict; k++)
        if (!is_start_welcome(r, head, h->rows[k], &h->products[k].query))
            return "looks at earlier positions only, with a score on the start sentinel that may be negative";
    if (h->strict && !last && row_start(r, &head->value, v) != 0)
        return "looks at earlier positions only, for the first one, and the start sentinel has a value";
    *out = ideal_nearest(r->x, h->products, h->count, last, value);
    return NULL;
}

/* ---- look-ups ---- */

/* The feature that a row has and nothing else, at position i in strings of n letters; NULL: it has something else. */
static const expression *feature_of(const hard_reader *r, const model_rows *rows, size_t row, double *weight) {
    if (rows_size(rows, row) != 1) return NULL;
    uint32_t c = rows_begin_of(rows, row)->channel;
    *weight = rows_begin_of(rows, row)->weight;
    for (uint32_t t = 0; t < r->m->embedding.count; t++)
        if (embedded(r->m, t, c) != 0) return NULL;
    return r->written[c] ? NULL : r->m->channels[c].position;
}

static bool is_close(double x, double y) { return fabs(x - y) <= fabs(y) * 0x1p-44; }

/* Whether scores are a positive number times 2 e j - j^2, e being the mean times the number of positions, in strings
   of every length. Features are computed in doubles: their roundings move the place by far less than a half. */
static bool has_squares(const hard_reader *r, const model_head *head) {
    double mean = rows_begin_of(&head->query, 0)->weight, inverse, linear, square, most = (double)r->x->positions - 1;
    const expression *one = feature_of(r, &head->query, 1, &inverse), *j = feature_of(r, &head->key, 0, &linear),
                     *jj = feature_of(r, &head->key, 1, &square);
    if (!one || !j || !jj) return false;
    for (double n = 1; n <= most; n++) {
        double unit = mean * linear * place_at(r, j, 1, n) / 2;
        if (!(unit > 0)) return false;
        for (double i = 0; i <= n; i++)
            if (!is_close(mean * linear * place_at(r, j, i, n), 2 * unit * i) ||
                !is_close(-square * place_at(r, jj, i, n) * inverse * place_at(r, one, i, n) * (i + 1), unit * i * i))
                return false;
    }
    return true;
}

/* The value at the position whose number is a sum over all positions up to here. */
static const char *look_up(hard_reader *r, const model_head *head, bool strict, ideal_form *added) {
    enum { MOST = 4096 };
    ideals *x = r->x;
    if (strict || head->choice != TEMPER_CHOICE_AVERAGE || head->query.count != 2 || rows_size(&head->query, 0) != 1)
        return "looks up a position in a way that is not read";
    if (x->positions > MOST) return "looks up a position, which is looked at up to 4,095 letters";
    ideal_form mean = row_form(r, &head->query, 0, false), number;
    bool fits = mean.count == 1 && mean.one == 0 && x->nodes[mean.terms[0].node].kind == IDEAL_MEAN;
    if (!fits || !is_close(mean.terms[0].weight, rows_begin_of(&head->query, 0)->weight) || !has_squares(r, head))
        return "looks up a position in a way that is not read";
    number = x->forms[x->nodes[mean.terms[0].node].value];
    if (number.start != 0) { /* as if the first letter had it */
        double *first = arena_zalloc(x->arena, x->positions, sizeof *first), start = number.start;
        ideal_form sum = {.one = number.one}, place;
        if (x->positions > 1) first[1] = 1;
        for (size_t k = 0; k < number.count; k++)
            ideal_add_node(x, &sum, number.terms[k].node, number.terms[k].weight);
        place = ideal_place(x, first);
        ideal_add(x, &sum, &place, start);
        ideal_finish(x, &sum);
        number = sum;
        number.start = 0;
    }
    for (size_t v = 0; v < head->value.count; v++) {
        ideal_form value = row_form(r, &head->value, v, false), out = ideal_lookup(x, &number, &value);
        for (uint32_t k = head->output.start[v]; k < head->output.start[v + 1]; k++)
            ideal_add(x, &added[head->output.terms[k].channel], &out, head->output.terms[k].weight);
    }
    return NULL;
}

static void note_written(hard_reader *r, const model_layer *l) {
    for (uint32_t h = 0; h < l->head_count; h++)
        for (uint32_t k = 0; k < l->heads[h].output.start[l->heads[h].output.count]; k++)
            r->written[l->heads[h].output.terms[k].channel] = true;
    for (uint32_t k = 0; k < l->out.start[l->out.count]; k++) r->written[l->out.terms[k].channel] = true;
}

static const char *read_head(hard_reader *r, const model_head *head, ideal_form *added) {
    temper_mask strict = r->mirrored ? TEMPER_MASK_AFTER : TEMPER_MASK_BEFORE;
    temper_mask up_to = r->mirrored ? TEMPER_MASK_FROM : TEMPER_MASK_UP_TO;
    temper_choice last = r->mirrored ? TEMPER_CHOICE_LEFTMOST : TEMPER_CHOICE_RIGHTMOST;
    if (head->mask != strict && head->mask != up_to) return "looks at positions that a causal transformer cannot see";
    if (head->choice == TEMPER_CHOICE_SOFTMAX) return "is not hard";
    if (head->role == ROLE_LOOKUP) return look_up(r, head, head->mask == strict, added);
    hard_head h = read_products(r, head, head->mask == strict);
    for (size_t v = 0; v < head->value.count; v++) {
        ideal_form value = row_form(r, &head->value, v, h.strict), out;
        const char *why = head->choice == TEMPER_CHOICE_AVERAGE
                              ? average(r, &h, &value, &out)
                              : choose(r, head, &h, head->choice == last, v, &value, &out);
        if (why) return why;
        if (h.strict) out.start = 0; /* it sees nothing there */
        for (uint32_t k = head->output.start[v]; k < head->output.start[v + 1]; k++)
            ideal_add(r->x, &added[head->output.terms[k].channel], &out, head->output.terms[k].weight);
    }
    return NULL;
}

/* ---- nets ---- */

/* x - relu(x) + relu(-x) clears a channel; the second is not needed where x is never negative. */
typedef struct clearing {
    bool positive, negative;
} clearing;

static bool is_clearing(const model_layer *l, uint32_t u, clearing *channels) {
    if (rows_size(&l->in, u) != 1 || rows_size(&l->out, u) != 1 || l->bias[u] != 0) return false;
    const model_term *in = rows_begin_of(&l->in, u), *out = rows_begin_of(&l->out, u);
    if (in->channel != out->channel || fabs(in->weight) != 1 || out->weight != -in->weight) return false;
    *(in->weight > 0 ? &channels[in->channel].positive : &channels[in->channel].negative) = true;
    return true;
}

static const char *read_net(hard_reader *r, const model_layer *l) {
    ideals *x = r->x;
    size_t channels = r->m->channel_count, count = 0;
    clearing *cleared = arena_zalloc(x->arena, channels, sizeof *cleared);
    ideal_unit *units = arena_zalloc(x->arena, l->in.count, sizeof *units);
    for (uint32_t u = 0; u < l->in.count; u++) {
        if (is_clearing(l, u, cleared)) continue;
        ideal_unit *made = &units[count++];
        made->in = row_form(r, &l->in, u, false);
        made->in.one += l->bias[u];
        made->in.start += l->bias[u];
        made->count = rows_size(&l->out, u);
        uint32_t *to = arena_alloc(x->arena, made->count, sizeof *to);
        double *weights = arena_alloc(x->arena, made->count, sizeof *weights);
        for (size_t k = 0; k < made->count; k++) {
            to[k] = rows_begin_of(&l->out, u)[k].channel;
            weights[k] = rows_begin_of(&l->out, u)[k].weight;
        }
        made->columns = to;
        made->weights = weights;
    }
    for (size_t c = 0; c < channels; c++) {
        if (!cleared[c].positive && !cleared[c].negative) continue;
        bool positive = is_never_negative(x, &r->channels[c]);
        if (!cleared[c].positive || !(cleared[c].negative || positive)) return "a unit of the hard model is no gate";
        r->channels[c] = ideal_constant(0, 0);
    }
    return ideal_net(x, r->channels, channels, units, count);
}

const char *ideal_from_model(ideals *x, ideal_form *reads, const temper_model *m, bool mirrored, size_t *layer,
                             size_t *head) {
    hard_reader r = {.x = x, .m = m, .mirrored = mirrored};
    const char *why = NULL;
    r.channels = arena_zalloc(x->arena, m->channel_count, sizeof *r.channels);
    r.unknown = arena_zalloc(x->arena, m->channel_count, sizeof *r.unknown);
    r.written = arena_zalloc(x->arena, m->channel_count, sizeof *r.written);
    *layer = *head = 0;
    if (mirrored && !m->has_end) return "it looks forward and has no end sentinel";
    embed(&r);
    for (uint32_t l = 0; l < m->layer_count && !why; l++) {
        ideal_form *added = arena_zalloc(x->arena, m->channel_count, sizeof *added);
        *layer = l + 1;
        for (uint32_t h = 0; h < m->layers[l].head_count && !why; h++) {
            *head = h + 1;
            why = read_head(&r, &m->layers[l].heads[h], added);
            if (r.why) why = r.why;
        }
        if (why) break;
        *head = 0;
        for (uint32_t c = 0; c < m->channel_count; c++) {
            if (!added[c].count && added[c].one == 0 && added[c].start == 0) continue;
            ideal_add(x, &r.channels[c], &added[c], 1);
            ideal_finish(x, &r.channels[c]);
        }
        note_written(&r, &m->layers[l]);
        why = read_net(&r, &m->layers[l]);
        if (r.why) why = r.why;
    }
    if (why) return why;
    *layer = 0;
    for (size_t k = 0; k < m->read.count; k++) reads[k] = row_form(&r, &m->read, k, false);
    return r.why;
}
