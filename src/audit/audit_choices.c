/* The claim "hard choices" (doc/certificate.md, "Models without Boolean channels"), for models without Boolean
   channels: what is known of the hard model is found anew, then the certificate that follows from it is written. */
#include <math.h>

#include "audit/audit_choices_facts.h"

/* ---- extents ---- */

int exact_grid(const rational *x) {
    long k;
    if (rational_is_zero(x)) return GRID_ZERO;
    return rational_power_of_two_part(&k, x) && k > GRID_NONE && k < GRID_ZERO ? (int)k : GRID_NONE;
}

void extent_see_ends(extent *e, const rational *lo, const rational *hi, int grid) {
    if (!e->seen || rational_cmp(lo, &e->ends[0]) < 0) rational_set(&e->ends[0], lo);
    if (!e->seen || rational_cmp(hi, &e->ends[1]) > 0) rational_set(&e->ends[1], hi);
    e->grid = e->seen && e->grid < grid ? e->grid : grid;
    e->seen = true;
}

void extent_see(extent *e, const rational *x) { extent_see_ends(e, x, x, exact_grid(x)); }

void extent_close(extent *e) {
    if (!e->seen) {
        e->grid = GRID_ZERO;
        return;
    }
    double lo = rational_below(&e->ends[0]), hi = rational_above(&e->ends[1]);
    e->size = fmax(fabs(lo), fabs(hi));
    e->width = lo == hi ? 0 : lo == 0 ? hi : nextafter(hi - lo, INFINITY);
}

double least_of(double x, double y) { return x < y ? x : y; }

/* ---- numbers of the model ---- */

exact_rows exact_rows_make(rational_pool *pool, const model_rows *rows) {
    size_t terms = rows->start[rows->count];
    exact_rows e = {rows, rational_array(pool, terms)};
    for (size_t k = 0; k < terms; k++) rational_set_double(&e.weights[k], rows->terms[k].weight);
    return e;
}

key_range choices_keys(temper_mask mask, size_t i, size_t positions) {
    switch (mask) {
    case TEMPER_MASK_BEFORE: return (key_range){0, i};
    case TEMPER_MASK_UP_TO: return (key_range){0, i + 1};
    case TEMPER_MASK_AFTER: return (key_range){i + 1, positions};
    case TEMPER_MASK_FROM: return (key_range){i, positions};
    case TEMPER_MASK_ALL: break;
    }
    return (key_range){0, positions};
}

static extent *extents(hard_choices *g, size_t count) {
    extent *e = arena_zalloc(g->audit->arena, count, sizeof *e);
    for (size_t k = 0; k < count; k++) e[k].ends = rational_array(&g->pool, 2);
    return e;
}

static void check_head(const hard_choices *g, uint32_t layer, uint32_t number, const model_head *h) {
    const audit *a = g->audit;
    if (h->hard_choice == TEMPER_CHOICE_SOFTMAX) audit_refuse(a, layer, number, "it stands for no hard choice");
    if (h->scale && expression_uses(h->scale, EXPR_I)) audit_refuse(a, layer, number, "its scale reads the position");
}

static void count_heads(hard_choices *g) {
    const temper_model *m = g->model;
    g->layer_heads = arena_zalloc(g->audit->arena, m->layer_count + 1, sizeof *g->layer_heads);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        g->head_count += m->layers[l].head_count;
        g->layer_heads[l + 1] = g->head_count;
    }
}

static void begin_heads(hard_choices *g) {
    const temper_model *m = g->model;
    g->heads = arena_zalloc(g->audit->arena, g->head_count, sizeof *g->heads);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t k = 0; k < m->layers[l].head_count; k++) {
            const model_head *h = &m->layers[l].heads[k];
            head_claim *f = &g->heads[g->layer_heads[l] + k];
            check_head(g, l + 1, k + 1, h);
            *f = (head_claim){.layer = l + 1,
                              .number = k + 1,
                              .exact = {h, exact_rows_make(&g->pool, &h->query), exact_rows_make(&g->pool, &h->key),
                                        exact_rows_make(&g->pool, &h->value), exact_rows_make(&g->pool, &h->output)},
                              .query = extents(g, h->query.count),
                              .key = extents(g, h->key.count),
                              .value = extents(g, h->value.count),
                              .output = extents(g, h->value.count),
                              .single = true,
                              .gap = arena_alloc(g->audit->arena, g->length + 1, sizeof(double))};
            for (size_t n = 0; n <= g->length; n++) f->gap[n] = INFINITY;
        }
}

static void close_facts(hard_choices *g) {
    for (size_t k = 0; k < (2 * (size_t)g->model->layer_count + 1) * g->channels; k++) extent_close(&g->stages[k]);
    for (size_t k = 0; k < g->head_count; k++) {
        head_claim *f = &g->heads[k];
        for (uint32_t d = 0; d < f->exact.head->query.count; d++) {
            extent_close(&f->query[d]);
            extent_close(&f->key[d]);
        }
        for (uint32_t d = 0; d < f->exact.head->value.count; d++) {
            extent_close(&f->value[d]);
            extent_close(&f->output[d]);
        }
    }
    for (size_t k = 0; k < g->bundle_count; k++) extent_close(&g->bundles[k].z);
}

/* Whether there are at most STRINGS_MOST strings up to the length. */
static bool are_few(size_t letters, size_t length) {
    size_t count = 1, level = 1;
    for (size_t k = 0; k < length; k++) {
        if (level > STRINGS_MOST / (letters ? letters : 1)) return false;
        level *= letters;
        count += level;
        if (count > STRINGS_MOST) return false;
    }
    return true;
}

static void check_cost(const hard_choices *g) {
    double positions = (double)choices_positions(g, g->length);
    if (g->by_sets && g->length > SETS_LONGEST)
        trap_raise(g->audit->trap, TEMPER_LIMIT, 0, 0, "facts about lengths beyond %d are not looked for",
                   SETS_LONGEST);
    for (uint32_t l = 0; l < g->model->layer_count; l++)
        if (g->model->layers[l].in.count > 1 << 15)
            trap_raise(g->audit->trap, TEMPER_LIMIT, 0, 0, "layer %u has too many units for exact runs", l + 1);
    bool pairs = !g->by_sets && positions * positions * (double)g->head_count > 0x1p26;
    if (positions * ((double)g->channels + 16) > 0x1p24 || pairs)
        trap_raise(g->audit->trap, TEMPER_LIMIT, 0, 0, "the model is too large for exact runs at length %zu",
                   g->length);
}

void choices_tell(const hard_choices *g, bool errors, size_t n) {
    const temper_audit_options *watch = g->audit->watch;
    uint64_t lengths = (uint64_t)g->length + 1, done = (errors ? lengths : 0) + n + 1;
    if (watch && watch->progress && watch->progress(watch->context, done, 2 * lengths))
        trap_raise(g->audit->trap, TEMPER_LIMIT, 0, 0, "stopped at length %zu of %zu", n, g->length);
}

void choices_begin(hard_choices *g, audit *a) {
    const temper_model *m = a->model;
    *g = (hard_choices){.audit = a, .model = m, .length = a->length, .channels = m->channel_count};
    g->by_sets = !a->strings;
    if (a->strings && !are_few(m->letters.count, g->length))
        audit_refuse(a, 0, 0, "there are more than %d strings up to the length", STRINGS_MOST);
    rational_pool_init(&g->pool, a->arena);
    count_heads(g);
    check_cost(g);
    g->embedding = exact_rows_make(&g->pool, &m->embedding);
    g->read = exact_rows_make(&g->pool, &m->read);
    g->stages = extents(g, (2 * (size_t)m->layer_count + 1) * g->channels);
    g->margin = arena_alloc(a->arena, g->length + 1, sizeof *g->margin);
    g->verdict = arena_alloc(a->arena, g->length + 1, sizeof *g->verdict);
    for (size_t n = 0; n <= g->length; n++) g->margin[n] = g->verdict[n] = INFINITY;
    g->features = rational_array(&g->pool, choices_positions(g, g->length) * g->channels);
    begin_heads(g);
    choices_find_bundles(g);
}

const char *audit_general(audit *a, size_t *length) {
    hard_choices *g = arena_zalloc(a->arena, 1, sizeof *g);
    if (a->model->method == TEMPER_METHOD_HARD) audit_refuse(a, 0, 0, "the model makes hard choices");
    choices_begin(g, a);
    if (g->by_sets)
        choices_run_sets(g);
    else
        choices_run_strings(g);
    close_facts(g);
    choices_recursion(g);
    text out;
    text_init(&out, a->arena);
    choices_print(&out, g);
    *length = out.length;
    return text_string(&out);
}
