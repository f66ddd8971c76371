#include "lab/mechanism_model.h"

#include <math.h>
#include <string.h>

#include "run/positions.h"

/* ---- the forward pass ---- */

typedef struct pass {
    const temper_model *model;
    const mechanism *m;
    const model_maps *maps;
    const search_room *room;
    double *x; /* [N][channels] */
    double *next;
    size_t n, N;
} pass;

static double *vector_at(const pass *p, double *x, size_t i) { return x + i * p->model->channel_count; }

/* The normaliser of a comparison is the map's business. */
static bool is_normaliser(const model_channel *c) { return c->soft_only && !strncmp(c->label, "ln(", 3); }

static void embed(pass *p, const uint32_t *letters) {
    const temper_model *m = p->model;
    for (size_t i = 0; i < p->N; i++) {
        size_t token = i == 0 ? model_start_token(m) : i <= p->n ? letters[i - 1] : model_end_token(m);
        double *x = vector_at(p, p->x, i);
        const model_term *terms = rows_begin_of(&m->embedding, token);
        for (size_t k = 0; k < rows_size(&m->embedding, token); k++) x[terms[k].channel] += terms[k].weight;
        for (size_t c = 0; c < m->channel_count; c++)
            if (m->channels[c].position && !is_normaliser(&m->channels[c]))
                x[c] += expression_eval(m->channels[c].position, (double)i, (double)p->n, (double)p->N);
    }
}

static double score_of(const pass *p, const model_head *h, size_t i, size_t j) {
    double sum = 0;
    for (size_t r = 0; r < h->query.count; r++)
        sum += rows_dot(&h->query, r, vector_at(p, p->x, i)) * rows_dot(&h->key, r, vector_at(p, p->x, j));
    return sum;
}

/* A head that looks for patterns gives the sentinel the largest score, in its last row, beside the tie-break. */
static double sentinel_score(const model_head *h) {
    double most = 0;
    for (uint32_t k = h->key.start[h->key.count - 1]; k < h->key.start[h->key.count]; k++)
        most = fmax(most, h->key.terms[k].weight);
    return most;
}

/* The row as the mechanism takes it, after the map of the head's kind. The sentinel of a comparison is the first
   key. */
static attention_row make_row(const pass *p, const model_head *h, size_t i, const size_t *keys, size_t count) {
    arena *scratch = p->room->scratch;
    double N = (double)p->N, *scores = arena_alloc(scratch, count, sizeof *scores), ceiling = 0;
    if (h->role == ROLE_COMPARE) {
        double y = 2 * N * score_of(p, h, i, keys[0]), level = p->maps->level[count];
        return mechanism_sentinel_row(p->m, p->maps->scale * y + level, p->maps->others,
                                      p->maps->scale * 2 * N + level, count, scratch);
    }
    for (size_t k = 0; k < count; k++) {
        if (h->role == ROLE_COUNT)
            scores[k] = ceiling = p->maps->uniform[count];
        else if (h->role == ROLE_ONCE)
            scores[k] = score_mapped(p->maps->once, score_of(p, h, i, keys[k]));
        else
            scores[k] = score_mapped(p->maps->since, N * score_of(p, h, i, keys[k]));
    }
    if (h->role == ROLE_ONCE) ceiling = score_mapped(p->maps->once, 1);
    if (h->role == ROLE_NEAREST) ceiling = score_mapped(p->maps->since, 2 * N - 1);
    if (h->role == ROLE_MATCH) ceiling = score_mapped(p->maps->since, N * sentinel_score(h) + N - 1);
    return mechanism_row(p->m, scores, count, ceiling, scratch);
}

static void attend(pass *p, const model_head *h, size_t i) {
    key_range seen = mask_keys(h->mask, i, p->N);
    size_t count = 0, *keys = arena_alloc(p->room->scratch, p->N, sizeof *keys);
    double *out = vector_at(p, p->next, i);
    for (size_t j = seen.first; j < seen.end; j++) keys[count++] = j;
    if (count == 0) return;
    attention_row row = make_row(p, h, i, keys, count);
    for (size_t v = 0; v < h->value.count; v++) {
        double *values = p->room->values;
        for (size_t k = 0; k < count; k++) values[k] = rows_dot(&h->value, v, vector_at(p, p->x, keys[k]));
        double y = p->m->gain * mechanism_output(p->m, &row, values, NULL, p->room->scratch);
        const model_term *terms = rows_begin_of(&h->output, v);
        for (size_t k = 0; k < rows_size(&h->output, v); k++) out[terms[k].channel] += terms[k].weight * y;
    }
}

static void feed(pass *p, const model_layer *l, size_t i) {
    double *x = vector_at(p, p->next, i), *out = vector_at(p, p->x, i);
    memcpy(out, x, p->model->channel_count * sizeof *x);
    for (size_t u = 0; u < l->in.count; u++) {
        double y = rows_dot(&l->in, u, x) + l->bias[u];
        if (y <= 0) continue; /* NaN goes on */
        const model_term *terms = rows_begin_of(&l->out, u);
        for (size_t k = 0; k < rows_size(&l->out, u); k++) out[terms[k].channel] += terms[k].weight * y;
    }
}

static pass begin(const model_case *c, size_t k, const mechanism *m, const model_maps *maps,
                  const search_room *room) {
    size_t N = c->n + 1 + c->model->has_end, size = N * c->model->channel_count;
    arena_reset(c->memory);
    double *x = arena_zalloc(c->memory, size, sizeof *x), *next = arena_alloc(c->memory, size, sizeof *next);
    pass p = {c->model, m, maps, room, x, next, c->n, N};
    embed(&p, c->letters + k * c->n);
    return p;
}

static void run_layer(pass *p, const model_layer *l) {
    memcpy(p->next, p->x, p->N * p->model->channel_count * sizeof *p->x);
    for (size_t h = 0; h < l->head_count; h++)
        for (size_t i = 0; i < p->N; i++) {
            arena_reset(p->room->scratch);
            attend(p, &l->heads[h], i);
        }
    for (size_t i = 0; i < p->N; i++) feed(p, l, i);
}

bool mechanism_model_answer(const model_case *c, size_t k, const mechanism *m, const model_maps *maps,
                            const search_room *room) {
    pass p = begin(c, k, m, maps, room);
    for (size_t l = 0; l < c->model->layer_count; l++) run_layer(&p, &c->model->layers[l]);
    return rows_dot(&c->model->read, 0, vector_at(&p, p.x, c->n)) > 0.5;
}

double *mechanism_model_keys(size_t *size, const model_case *c, size_t k, head_role role, const model_maps *maps,
                             const search_room *room, arena *a) {
    pass p = begin(c, k, mechanism_find("softmax"), maps, room);
    for (size_t l = 0; l < c->model->layer_count; l++) {
        const model_layer *layer = &c->model->layers[l];
        for (size_t h = 0; h < layer->head_count; h++) {
            const model_rows *key = &layer->heads[h].key;
            if (layer->heads[h].role != role) continue;
            *size = key->count ? key->count : 1; /* a count has no keys: all are alike */
            double *keys = arena_zalloc(a, p.N * *size, sizeof *keys);
            for (size_t i = 0; i < p.N; i++)
                for (size_t r = 0; r < key->count; r++) keys[i * *size + r] = rows_dot(key, r, vector_at(&p, p.x, i));
            return keys;
        }
        run_layer(&p, layer);
    }
    return NULL;
}

/* ---- searching ---- */

typedef struct attempt {
    const model_case *c;
    const mechanism *m;
    model_maps *maps;
    const search_room *room;
} attempt;

static bool is_right(const attempt *a) {
    for (size_t k = 0; k < a->c->count; k++)
        if (mechanism_model_answer(a->c, k, a->m, a->maps, a->room) != a->c->truth[k]) return false;
    return true;
}

static bool try_once(const score_map *map, void *context) {
    attempt *a = context;
    a->maps->once = *map;
    return is_right(a);
}

static bool try_since(const score_map *map, void *context) {
    attempt *a = context;
    a->maps->since = *map;
    return is_right(a);
}

static bool search_compare(attempt *a, size_t N) {
    static const double others[] = {0, -1, -10, 1};
    for (size_t keys = 1; keys <= N; keys++) {
        score_map map = {0, 0, 0};
        mechanism_works(&map, a->m, HEAD_COUNT, keys, a->room);
        a->maps->uniform[keys] = map.offset;
    }
    for (size_t o = 0; o < (a->m->claims & SHIFT_INVARIANT ? 1u : 4u); o++) {
        a->maps->others = others[o];
        for (size_t keys = 1; keys <= N; keys++) /* alone, the sentinel's score is of no use */
            a->maps->level[keys] = keys > 1 ? mechanism_half_level(a->m, others[o], keys, a->room) : 0;
        double scale;
        for (int k = 0; (scale = mechanism_scale_step(a->m, k)) > 0; k++) {
            a->maps->scale = scale;
            if (is_right(a)) return true;
        }
    }
    return false;
}

bool mechanism_model_works(model_maps *maps, const model_case *c, const mechanism *m, head_kind kind,
                           const search_room *room) {
    attempt a = {c, m, maps, room};
    size_t N = c->n + 1 + c->model->has_end;
    score_map map = kind == HEAD_ONCE ? maps->once : maps->since;
    if (N > room->longest)
        trap_raise(room->scratch->trap, TEMPER_RANGE, 0, 0, "mechanism: length %zu is too large", c->n);
    if (kind == HEAD_ONCE) return mechanism_try_maps(&map, m, 0, 1, N, try_once, &a);
    if (kind == HEAD_SINCE) return mechanism_try_maps(&map, m, 0, 2 * (double)N - 1, N, try_since, &a);
    return search_compare(&a, N);
}
