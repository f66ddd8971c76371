#include "bound/choice_facts.h"

#include "base/entry.h"
#include "number/upward.h"
#include "run/exact_run.h"
#include "facts/facts_cost.h"
#include "facts/facts_exhaustive.h"
#include "facts/facts_job.h"
#include "facts/facts_lengths.h"

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

/* A run of one string looks at all pairs of its positions. Of an alphabet of one letter there are few
   strings, and they are long. */
bool hard_facts_by_strings(const temper_model *m, size_t length) {
    double size = (double)length + 2, strings = (double)strings_up_to(m->letters.count, length);
    return strings <= FACTS_STRINGS && strings * size * size <= 0x1p22;
}

/* At every length each head looks at all pairs of positions, and each layer at what its channels and gates hold at
   every position. */
size_t hard_facts_easy(const temper_model *m) {
    double rows = m->channel_count;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        rows += 2.0 * m->channel_count + 16 * (double)m->layers[l].in.count;
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            rows += 2.0 * m->layers[l].heads[h].query.count + m->layers[l].heads[h].value.count + 1;
    }
    double size = 2;
    while (size < 64 && rows * size * size * size <= 0x1p19) size++;
    return (size_t)size - 2;
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

/* What earlier attempts found, in arenas whose errors go where the present attempt wants them: errors of the
   embedding and facts by strings; and facts by sets, one length after the other, with the run that finds them. */
typedef struct found_facts {
    arena kept;
    embedding_run *embedding;
    facts **by_strings;
    size_t string_count, string_capacity;
    arena arena;
    subject_model s;
    facts_run *run; /* NULL: an error stopped it */
    bool behind;    /* other runs have found more lengths since */
    facts **lengths;
    size_t count, capacity;
    double *steps; /* [count]: what it took up to this length */
    size_t step_count, step_capacity;
} found_facts;

static void free_found(void *what) {
    found_facts *f = what;
    arena_free(&f->kept);
    arena_free(&f->arena);
}

static found_facts *open_found(certification *c, trap *t) {
    if (!c->found) {
        c->found = arena_zalloc(c->arena, 1, sizeof *c->found);
        arena_init(&c->found->kept, t);
        arena_init(&c->found->arena, t);
        arena_on_release(c->arena, free_found, c->found);
    }
    c->found->kept.trap = c->found->arena.trap = t;
    return c->found;
}

embedding_run *hard_facts_embedding(certification *c, trap *t) {
    found_facts *f = open_found(c, t);
    if (!f->embedding) f->embedding = embedding_begin(c->model, c->type->storage, c->type->accumulation, &f->kept);
    return f->embedding;
}

static const facts *found_by_strings(certification *c, const subject_model *s, size_t n, arena *scratch) {
    found_facts *f = open_found(c, scratch->trap);
    while (f->string_count <= n) {
        string_watch silent = {0};
        facts *next = facts_exhaustive(s, f->string_count, &silent, &f->kept, scratch);
        array_push(&f->kept, f->by_strings, f->string_count, f->string_capacity, next);
    }
    return f->by_strings[n];
}

static found_facts *open_sets(certification *c, trap *t) {
    found_facts *f = open_found(c, t);
    if (f->run) return f;
    arena_reset(&f->arena);
    subject_model_init(&f->s, c->model, &f->arena);
    f->lengths = NULL;
    f->steps = NULL;
    f->count = f->capacity = f->step_count = f->step_capacity = 0;
    f->behind = false;
    f->run = facts_run_begin(&f->s, 0, &f->arena);
    return f;
}

static const facts *found_by_sets(certification *c, size_t n, trap *t) {
    found_facts *f = open_sets(c, t);
    while (f->count <= n) {
        facts_run *run = f->run;
        f->run = NULL;
        if (f->behind) run = facts_run_begin(&f->s, f->count, &f->arena);
        f->behind = false;
        facts *next = facts_run_next(run, &f->arena);
        array_push(&f->arena, f->steps, f->step_count, f->step_capacity, facts_run_steps(run));
        array_push(&f->arena, f->lengths, f->count, f->capacity, next);
        f->run = run;
    }
    return f->lengths[n];
}

/* ---- several threads ---- */

enum { ALONE = 63 }; /* letters that one run looks at first: what it takes says what others will take */

static bool report_lengths(void *context, size_t done) {
    const certification *c = context;
    size_t lengths = c->options.length + 1;
    return c->options.progress && c->options.progress(c->options.context, done, 2 * lengths);
}

/* Finds lengths by several threads where that is worth while. */
static void find_together(certification *c, size_t length, trap *t) {
    if (length <= ALONE) return;
    found_by_sets(c, ALONE, t);
    found_facts *f = c->found;
    const temper_journal *journal = c->options.facts;
    if (f->count > length) return;
    if (!journal && facts_lengths_threads(c->model, f->count, length, c->options.threads) == 1) return;
    facts **found = arena_zalloc(&f->arena, length + 1, sizeof *found);
    facts_run *run = f->run;
    f->run = NULL; /* an error leaves it so */
    if (journal)
        facts_job_take(found, &f->s, journal, f->count, length, &f->arena);
    else if (!facts_lengths_find(found, &f->s, f->count, length, c->options.threads, report_lengths, c, &f->arena))
        trap_raise(t, TEMPER_LIMIT, 0, 0, "stopped before length %zu", length);
    double steps = f->steps[f->step_count - 1]; /* nobody asks for those of longer ones */
    for (size_t n = f->count; n <= length; n++) {
        array_push(&f->arena, f->steps, f->step_count, f->step_capacity, steps);
        array_push(&f->arena, f->lengths, f->count, f->capacity, found[n]);
    }
    f->run = run;
    f->behind = true;
}

/* ---- what it costs ---- */

enum { COST_LENGTH = 48, COST_LIMIT = 1 << 18 };

/* Lengths up to COST_LENGTH, or fewer if they take many steps. */
typedef struct cost_sample {
    certification *c;
    trap trap;
    facts_cost cost;
} cost_sample;

static void take_sample(void *context) {
    cost_sample *s = context;
    for (size_t n = 0; n <= COST_LENGTH && s->cost.steps <= COST_LIMIT; n++) {
        found_by_sets(s->c, n, &s->trap);
        s->cost = (facts_cost){n, s->c->found->steps[n], s->c->found->steps[n / 2]};
    }
}

static facts_cost sample_cost(certification *c) {
    cost_sample s = {.c = c};
    temper_error why;
    if (!trap_attempt(&s.trap, &why, take_sample, &s)) { /* who tries will be told */
        if (why.code == TEMPER_NO_MEMORY) trap_reraise(c->trap, &why);
        return (facts_cost){0};
    }
    return s.cost;
}

double hard_facts_cost(certification *c, size_t length) {
    facts_cost cost = sample_cost(c);
    return facts_cost_at(&cost, c->model, length);
}

size_t hard_facts_reach(certification *c, double steps) {
    facts_cost cost = sample_cost(c);
    size_t low = 0, high = FACTS_LONGEST; /* it grows */
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (facts_cost_at(&cost, c->model, middle) <= steps)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void hard_facts_find(hard_facts *f, certification *c, bool strings, arena *keep, arena *scratch) {
    hard_facts_begin(f, c->model, c->options.length, keep);
    f->strings = strings;
    if (!strings) find_together(c, f->length, keep->trap);
    for (size_t n = 0; n <= f->length; n++) {
        hard_facts_add(f, strings ? found_by_strings(c, &f->s, n, scratch) : found_by_sets(c, n, keep->trap));
        if (strings || !c->found->behind) certification_progress(c, n + 1, 2 * (f->length + 1));
    }
    arena_reset(scratch);
}
