#include "bound/choice_facts.h"

#include "number/upward.h"
#include "run/exact_run.h"
#include "facts/facts_exhaustive.h"

double known_width(const known *k) { return k->hi > k->lo ? sub_up(k->hi, k->lo) : 0; }

/* ---- what holds at one length and at others ---- */

static void merge_known(known *to, const known *from, size_t count) {
    for (size_t k = 0; k < count; k++) {
        to[k].lo = fmin(to[k].lo, from[k].lo);
        to[k].hi = fmax(to[k].hi, from[k].hi);
        if (from[k].grid < to[k].grid) to[k].grid = from[k].grid;
    }
}

static void merge_head(head_facts *to, const head_facts *from, const model_head *h) {
    to->uniform = to->uniform && from->uniform;
    to->tieless = to->tieless && from->tieless;
    merge_known(to->query, from->query, h->query.count);
    merge_known(to->key, from->key, h->key.count);
    merge_known(to->value, from->value, h->value.count);
    merge_known(to->output, from->output, h->value.count);
}

void hard_facts_add(hard_facts *f, const facts *from) {
    size_t n = from->n;
    const temper_model *m = f->s.model;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        layer_facts *to = &f->all->layers[l];
        merge_known(to->before, from->layers[l].before, m->channel_count);
        merge_known(to->middle, from->layers[l].middle, m->channel_count);
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            merge_head(&to->heads[h], &from->layers[l].heads[h], &m->layers[l].heads[h]);
            f->gap[f->head_start[l] + h][n] = from->layers[l].heads[h].gap;
        }
        for (uint32_t b = 0; b < f->s.bundles[l].count; b++) {
            merge_known(&to->bundles[b].input, &from->layers[l].bundles[b].input, 1);
            for (uint32_t p = 0; p <= f->s.bundles[l].items[b].corner_count; p++)
                to->bundles[b].distance[p] = fmin(to->bundles[b].distance[p], from->layers[l].bundles[b].distance[p]);
        }
    }
    merge_known(f->all->after, from->after, m->channel_count);
    f->margin[n] = from->margin;
    f->margin_everywhere[n] = from->margin_everywhere;
}

/* ---- all lengths ---- */

static void check_cost(const hard_facts *f, trap *t) {
    double cost = ((double)f->length + 2) * ((double)f->s.model->channel_count + 16);
    if (f->length > FACTS_LONGEST)
        trap_raise(t, TEMPER_LIMIT, 0, 0, "hard choices are proved for at most %d letters", FACTS_LONGEST);
    if (cost > 0x1p24)
        trap_raise(t, TEMPER_LIMIT, 0, 0,
                   "length %zu with %u channels needs more exact numbers than are allowed (2^24)", f->length,
                   f->s.model->channel_count);
}

/* At every length each head looks at all pairs of positions, and each layer at what its channels and gates hold at
   every position. A gate is looked at for some values of its sum. */
double hard_facts_cost(const temper_model *m, size_t length) {
    enum { GATE_VALUES = 16 };
    double size = (double)length + 2, pairs = m->channel_count, rows = 0;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        rows += 2.0 * m->channel_count + GATE_VALUES * (double)m->layers[l].in.count;
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            pairs += 2.0 * m->layers[l].heads[h].query.count + m->layers[l].heads[h].value.count + 1;
    }
    return pairs * size * size * size / 3 + rows * size * size / 2;
}

size_t hard_facts_reach(const temper_model *m, double steps) {
    size_t length = 0;
    while (length < FACTS_LONGEST && hard_facts_cost(m, length + 1) <= steps) length++;
    return length;
}

bool hard_facts_by_strings(const temper_model *m, size_t length) {
    return strings_up_to(m->letters.count, length) <= FACTS_STRINGS;
}

void hard_facts_begin(hard_facts *f, const temper_model *m, size_t length, arena *keep) {
    *f = (hard_facts){.length = length};
    subject_model_init(&f->s, m, keep);
    check_cost(f, keep->trap);
    exact_require(m, keep->trap);
    f->head_start = arena_zalloc(keep, (size_t)m->layer_count + 1, sizeof *f->head_start);
    for (uint32_t l = 0; l < m->layer_count; l++) f->head_start[l + 1] = f->head_start[l] + m->layers[l].head_count;
    f->gap = arena_zalloc(keep, f->head_start[m->layer_count], sizeof *f->gap);
    for (uint32_t h = 0; h < f->head_start[m->layer_count]; h++)
        f->gap[h] = arena_zalloc(keep, length + 1, sizeof **f->gap);
    f->margin = arena_zalloc(keep, length + 1, sizeof *f->margin);
    f->margin_everywhere = arena_zalloc(keep, length + 1, sizeof *f->margin_everywhere);
    f->all = facts_new(&f->s, length, keep);
}

/* Facts by sets, one length after the other: the run and what it found, in an arena whose errors go where the present
   attempt wants them. */
typedef struct found_facts {
    arena arena;
    subject_model s;
    facts_run *run; /* NULL: an error stopped it */
    facts **lengths;
    size_t count, capacity;
} found_facts;

static void free_found(void *what) { arena_free(&((found_facts *)what)->arena); }

static found_facts *open_found(certification *c, trap *t) {
    if (!c->found) {
        c->found = arena_zalloc(c->arena, 1, sizeof *c->found);
        arena_init(&c->found->arena, t);
        arena_on_release(c->arena, free_found, c->found);
    }
    found_facts *f = c->found;
    f->arena.trap = t;
    if (f->run) return f;
    arena_reset(&f->arena);
    subject_model_init(&f->s, c->model, &f->arena);
    f->lengths = NULL;
    f->count = f->capacity = 0;
    f->run = facts_run_begin(&f->s, 0, &f->arena);
    return f;
}

static const facts *found_by_sets(certification *c, size_t n, trap *t) {
    found_facts *f = open_found(c, t);
    while (f->count <= n) {
        facts_run *run = f->run;
        f->run = NULL;
        facts *next = facts_run_next(run, &f->arena);
        array_push(&f->arena, f->lengths, f->count, f->capacity, next);
        f->run = run;
    }
    return f->lengths[n];
}

void hard_facts_find(hard_facts *f, certification *c, bool strings, arena *keep, arena *one, arena *scratch) {
    string_watch silent = {0};
    hard_facts_begin(f, c->model, c->options.length, keep);
    f->strings = strings;
    for (size_t n = 0; n <= f->length; n++) {
        if (strings) {
            arena_reset(scratch);
            hard_facts_add(f, facts_exhaustive(&f->s, n, &silent, one, scratch));
            arena_reset(one);
        } else {
            hard_facts_add(f, found_by_sets(c, n, keep->trap));
        }
        certification_progress(c, n + 1, 2 * (f->length + 1));
    }
    arena_reset(scratch);
}
