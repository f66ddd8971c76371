/* Lengths shared among threads. A thread takes lengths that follow each other, with facts of its own, and begins with
   a length of which it knows nothing; what it has found is put together afterwards. Facts are exact, so it makes no
   difference who finds them. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit_choices_facts.h"
#include "base/entry.h"

enum { PARTS_MOST = 16, LENGTHS_LEAST = 96 };

typedef struct set_part {
    audit audit; /* as the caller's, with memory of its own */
    hard_choices facts;
    arena memory, scratch;
    trap trap;
    temper_error why;
    size_t first, end;
    double cost;
    bool done, started;
    pthread_t thread;
} set_part;

static void run_part(void *context) {
    set_part *p = context;
    choices_begin(&p->facts, &p->audit);
    p->cost = choices_run_lengths(&p->facts, p->first, p->end);
}

static void do_part(set_part *p) { p->done = trap_attempt(&p->trap, &p->why, run_part, p); }

static void *do_part_apart(void *context) {
    do_part(context);
    rational_thread_end();
    return NULL;
}

static void free_part(void *context) {
    set_part *p = context;
    arena_free(&p->memory);
    arena_free(&p->scratch);
}

/* ---- putting together ---- */

static void merge_extents(extent *to, const extent *from, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (from[k].seen) extent_see_ends(&to[k], &from[k].ends[0], &from[k].ends[1], from[k].grid);
}

static void merge(hard_choices *g, const set_part *p) {
    const hard_choices *from = &p->facts;
    merge_extents(g->stages, from->stages, (2 * (size_t)g->model->layer_count + 1) * g->channels);
    for (size_t k = 0; k < g->head_count; k++) {
        head_claim *to = &g->heads[k];
        const head_claim *of = &from->heads[k];
        merge_extents(to->query, of->query, to->exact.head->query.count);
        merge_extents(to->key, of->key, to->exact.head->key.count);
        merge_extents(to->value, of->value, to->exact.head->value.count);
        merge_extents(to->output, of->output, to->exact.head->value.count);
        to->single = to->single && of->single;
        for (size_t n = p->first; n < p->end; n++) to->gap[n] = of->gap[n];
    }
    for (size_t k = 0; k < g->bundle_count; k++) {
        merge_extents(&g->bundles[k].z, &from->bundles[k].z, 1);
        for (size_t c = 0; c <= g->bundles[k].corner_count; c++)
            g->bundles[k].distance[c] = least_of(g->bundles[k].distance[c], from->bundles[k].distance[c]);
    }
    for (size_t n = p->first; n < p->end; n++) {
        g->margin[n] = from->margin[n];
        g->verdict[n] = from->verdict[n];
    }
}

/* ---- all parts ---- */

/* Whether a length is looked at by itself: else what it needs is found on the way to it. */
static bool reads_length(const hard_choices *g) {
    const temper_model *m = g->model;
    if (m->has_end) return true;
    for (uint32_t c = 0; c < m->channel_count; c++)
        if (choices_reads_length(g, c)) return true;
    for (size_t h = 0; h < g->head_count; h++) {
        temper_mask mask = g->heads[h].exact.head->mask;
        if (mask != TEMPER_MASK_BEFORE && mask != TEMPER_MASK_UP_TO) return true;
    }
    return false;
}

static size_t parts_of(const hard_choices *g) {
    const temper_audit_options *watch = g->audit->watch;
    long cores = watch && watch->threads ? (long)watch->threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < 2 || g->length < LENGTHS_LEAST || !reads_length(g)) return 1;
    return cores < PARTS_MOST ? (size_t)cores : PARTS_MOST;
}

/* False: it has to be done in one go, because a part failed, or because all together took more steps than one run
   may. One run takes fewer, so that it is refused for that reason only if this is. */
static bool run_parts(hard_choices *g, set_part *parts, size_t count) {
    double last = (double)g->length + 1, cost = 0;
    bool done = true;
    for (size_t k = 0; k < count; k++) {
        set_part *p = &parts[k];
        p->first = k ? parts[k - 1].end : 0;
        p->end = k + 1 == count ? g->length + 1 : (size_t)(last * sqrt((double)(k + 1) / (double)count));
        arena_init(&p->memory, &p->trap);
        arena_init(&p->scratch, &p->trap);
        arena_on_release(g->audit->arena, free_part, p);
        p->audit = *g->audit;
        p->audit.arena = &p->memory;
        p->audit.scratch = &p->scratch;
        p->audit.trap = &p->trap;
        if (k + 1 < count) p->audit.watch = NULL; /* the caller takes the last part, and tells of it */
    }
    for (size_t k = 0; k + 1 < count; k++)
        parts[k].started = pthread_create(&parts[k].thread, NULL, do_part_apart, &parts[k]) == 0;
    do_part(&parts[count - 1]);
    for (size_t k = 0; k + 1 < count; k++) {
        if (parts[k].started)
            pthread_join(parts[k].thread, NULL);
        else
            do_part(&parts[k]);
    }
    for (size_t k = 0; k < count; k++) {
        parts[k].memory.trap = parts[k].scratch.trap = NULL;
        done = done && parts[k].done;
        cost += parts[k].cost;
    }
    const set_part *told = &parts[count - 1];
    if (!told->done && !strncmp(told->why.text, "stopped", 7)) trap_reraise(g->audit->trap, &told->why);
    return done && cost <= choices_steps_most();
}

void choices_run_sets(hard_choices *g) {
    size_t count = parts_of(g);
    if (count > 1) {
        set_part *parts = arena_zalloc(g->audit->arena, count, sizeof *parts);
        bool done = run_parts(g, parts, count);
        for (size_t k = 0; k < count; k++) {
            if (done) merge(g, &parts[k]);
            free_part(&parts[k]); /* what comes then, if only one run, may need the memory */
        }
        if (done) return;
    }
    choices_run_lengths(g, 0, g->length + 1);
}
