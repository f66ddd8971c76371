#include "lab/lab_job.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plan ---- */

static uint64_t units_of_seed(const lab_plan *p) { return p->firsts[p->count]; }

lab_run_plan lab_plan_run(const lab_plan *p, uint64_t index) {
    size_t k = (size_t)(index % p->count);
    uint64_t turn = index / p->count;
    return (lab_run_plan){p->experiments[k], p->seed + turn, turn * units_of_seed(p) + p->firsts[k],
                          (size_t)(p->firsts[k + 1] - p->firsts[k])};
}

static uint64_t run_of_unit(const lab_plan *p, uint64_t unit) {
    uint64_t turn = unit / units_of_seed(p), within = unit % units_of_seed(p);
    size_t k = 0;
    while (p->firsts[k + 1] <= within) k++;
    return turn * p->count + k;
}

static void make_plan(lab_plan *p, const char *const *names, size_t count, const temper_lab_job_options *o,
                      arena *a) {
    enum { MOST = 1000 };
    static const temper_lab_job_options defaults = {.seed = 1};
    if (!o) o = &defaults;
    if (count == 0 || count > MOST)
        trap_raise(a->trap, TEMPER_RANGE, 0, 0, "a job of the lab has 1 to %d experiments, not %zu", MOST, count);
    p->experiments = arena_alloc(a, count, sizeof *p->experiments);
    p->firsts = arena_zalloc(a, count + 1, sizeof *p->firsts);
    p->count = count;
    p->seed = o->seed;
    p->sweep = o->seeds > 0;
    p->seeds = o->seeds ? o->seeds : 1;
    p->quick = o->quick != 0;
    for (size_t k = 0; k < count; k++) {
        const lab_experiment *e = lab_experiment_find(names[k]);
        if (!e)
            trap_raise_hint(a->trap, TEMPER_RANGE, 0, 0, "temper lab lists the experiments",
                            "there is no experiment '%s'", text_escaped(a, names[k], strlen(names[k]), 60));
        p->experiments[k] = e;
        p->firsts[k + 1] = p->firsts[k] + lab_unit_count(e, p->quick);
    }
    if (p->seeds > JOB_MOST_UNITS / units_of_seed(p) || p->seed > UINT64_MAX - (p->seeds - 1))
        trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "%llu seeds from %llu are too many: a job has at most %d units",
                   (unsigned long long)p->seeds, (unsigned long long)p->seed, JOB_MOST_UNITS);
}

/* What the folder has already is not run. It is no part of the digest: units and their results are the same. */
static void look_into_folder(lab_plan *p, const char *folder, arena *a) {
    if (p->sweep) trap_raise(a->trap, TEMPER_RANGE, 0, 0, "a sweep over seeds keeps no experiment in a folder");
    p->folder = arena_copy(a, folder, strlen(folder));
    p->outcomes = arena_zalloc(a, p->count, sizeof *p->outcomes);
    p->had = arena_zalloc(a, p->count, sizeof *p->had);
    p->written = arena_zalloc(a, p->count, sizeof *p->written);
    arena *scratch = arena_alloc(a, 1, sizeof *scratch);
    arena_init(scratch, a->trap);
    arena_on_release(a, (void (*)(void *))arena_free, scratch);
    for (size_t k = 0; k < p->count; k++)
        p->had[k] = lab_is_kept(&p->outcomes[k], p->experiments[k], p->seed, p->quick, folder, scratch);
    arena_free(scratch);
}

static void add_number(sha256 *h, uint64_t number) {
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)(number >> 8 * k);
    sha256_add(h, bytes, sizeof bytes);
}

static void add_text(sha256 *h, const char *string) {
    add_number(h, strlen(string));
    sha256_add(h, string, strlen(string));
}

static void make_digest(char out[SHA256_HEX + 1], const lab_plan *p) {
    sha256 h;
    unsigned char digest[SHA256_SIZE];
    sha256_start(&h);
    add_text(&h, "temper lab");
    add_text(&h, temper_version());
    add_number(&h, p->count);
    for (size_t k = 0; k < p->count; k++) add_text(&h, p->experiments[k]->name);
    add_number(&h, p->seed);
    add_number(&h, p->seeds);
    add_number(&h, p->sweep);
    add_number(&h, p->quick);
    sha256_finish(digest, &h);
    sha256_hex(out, digest);
}

/* ---- units ---- */

typedef struct lab_worker {
    const lab_plan *plan;
    trap *trap; /* of the worker */
    lab lab;
    arena scratch;
    const job_watch *watch; /* of the unit, its weight, and how much of it was told */
    uint64_t weight, told;
    bool stopped;
} lab_worker;

static void release_worker(void *worker) {
    lab_worker *w = worker;
    arena_free(&w->lab.memory);
    arena_free(&w->scratch);
}

static void *open_worker(const temper_job *job, unsigned threads, arena *a) {
    lab_worker *w = arena_zalloc(a, 1, sizeof *w);
    (void)threads;
    w->plan = job->plan;
    w->trap = a->trap;
    arena_init(&w->lab.memory, a->trap);
    arena_init(&w->scratch, a->trap);
    arena_on_release(a, release_worker, w);
    return w;
}

static void close_worker(void *state) { (void)state; }

static int tell(void *context, uint64_t done, uint64_t total) {
    lab_worker *w = context;
    uint64_t now =
        total == 0 || done >= total ? w->weight : (uint64_t)((double)w->weight * (double)done / (double)total);
    uint64_t more = now > w->told ? now - w->told : 0;
    w->told += more;
    if (w->watch->tick(w->watch->context, more)) w->stopped = true;
    return w->stopped;
}

static uint64_t weight_of(const temper_job *job, uint64_t unit) {
    const lab_plan *p = job->plan;
    lab_run_plan run = lab_plan_run(p, run_of_unit(p, unit));
    return lab_unit_weight(run.experiment, p->quick, (size_t)(unit - run.first));
}

/* Empty, for another unit, with a trap of its own: to be stopped is no error. */
static void begin_unit(lab_worker *w, uint64_t seed, trap *t) {
    arena memory = w->lab.memory;
    arena_reset(&w->scratch);
    arena_reset(&memory);
    memory.trap = w->scratch.trap = t;
    w->lab = (lab){.memory = memory,
                   .seed = seed,
                   .quick = w->plan->quick,
                   .claims_only = w->plan->sweep,
                   .progress = tell,
                   .context = w};
}

typedef struct unit_call {
    text *result;
    lab_worker *worker;
    const lab_experiment *experiment;
    size_t within; /* the number of the unit in its experiment */
    uint64_t seed;
    trap trap;
} unit_call;

static void do_unit(void *context) {
    unit_call *c = context;
    begin_unit(c->worker, c->seed, &c->trap);
    lab_unit_run(c->result, &c->worker->lab, c->experiment, c->within, &c->worker->scratch);
}

static bool run_unit(text *result, void *state, uint64_t unit, const job_watch *watch) {
    lab_worker *w = state;
    lab_run_plan run = lab_plan_run(w->plan, run_of_unit(w->plan, unit));
    unit_call call = {result, w, run.experiment, (size_t)(unit - run.first), run.seed, .trap = {.report = NULL}};
    w->watch = watch;
    w->weight = lab_unit_weight(run.experiment, w->plan->quick, call.within);
    w->told = 0;
    w->stopped = false;
    if (!trap_attempt(&call.trap, NULL, do_unit, &call)) {
        if (w->stopped) return false;
        trap_reraise(w->trap, &call.trap.error);
    }
    tell(w, 1, 1); /* what is done is kept, even if asked to stop */
    return true;
}

static bool is_needless(const temper_job *job, uint64_t unit) {
    const lab_plan *p = job->plan;
    return p->had && p->had[run_of_unit(p, unit)];
}

/* ---- results ---- */

static void release_lab(void *l) { arena_free(&((lab *)l)->memory); }

void lab_plan_fill(lab *l, const lab_plan *p, const temper_journal *journal, uint64_t index, arena *scratch) {
    lab_run_plan run = lab_plan_run(p, index);
    lab_result *results = arena_alloc(scratch, run.units, sizeof *results);
    for (size_t k = 0; k < run.units; k++) {
        const journal_result *r = &journal->results[run.first + k];
        if (!r->bytes)
            trap_raise(scratch->trap, TEMPER_RANGE, 0, 0, "unit %llu is not done yet",
                       (unsigned long long)(run.first + k));
        results[k] = (lab_result){r->bytes, r->size};
    }
    l->seed = run.seed;
    l->quick = p->quick;
    l->claims_only = p->sweep;
    lab_assemble(l, run.experiment, results, scratch);
}

lab *lab_plan_assemble(const lab_plan *p, const temper_journal *journal, uint64_t index, arena *a) {
    lab *l = arena_zalloc(a, 1, sizeof *l);
    arena_init(&l->memory, a->trap);
    arena_on_release(a, release_lab, l);
    lab_plan_fill(l, p, journal, index, a);
    return l;
}

/* With a folder: an experiment goes there, and gets its stamp, as soon as its last unit is known. */
static void keep_run(const temper_job *job, const temper_journal *journal, uint64_t unit, arena *scratch) {
    const lab_plan *p = job->plan;
    if (!p->folder) return;
    uint64_t index = run_of_unit(p, unit);
    lab_run_plan run = lab_plan_run(p, index);
    for (size_t k = 0; k < run.units; k++)
        if (!journal->results[run.first + k].bytes) return;
    lab_keep(lab_plan_assemble(p, journal, index, scratch), p->folder, scratch);
    p->written[index] = true;
}

const job_kind lab_kind = {"lab", open_worker, close_worker, run_unit, NULL, weight_of, is_needless, keep_run};

/* ---- for callers ---- */

typedef struct job_call {
    temper_job **out;
    const char *const *names;
    size_t count;
    const temper_lab_job_options *options;
} job_call;

static void make_job(entry *e, void *context) {
    const job_call *c = context;
    temper_job *job = entry_job(e);
    lab_plan *p = arena_zalloc(&job->arena, 1, sizeof *p);
    make_plan(p, c->names, c->count, c->options, &job->arena);
    if (c->options && c->options->folder) look_into_folder(p, c->options->folder, &job->arena);
    job->kind = &lab_kind;
    job->plan = p;
    job->units = job->narrow = p->seeds * units_of_seed(p);
    for (uint64_t unit = 0; unit < units_of_seed(p); unit++) job->total += p->seeds * weight_of(job, unit);
    make_digest(job->digest, p);
    job->arena.trap = NULL;
    *c->out = job;
}

temper_status temper_lab_job(temper_job **out, const char *const *names, size_t count,
                             const temper_lab_job_options *options, temper_error *err) {
    job_call call = {out, names, count, options};
    *out = NULL;
    return entry_run(err, make_job, &call);
}

size_t temper_lab_job_count(const temper_job *job) {
    const lab_plan *p = job->plan;
    return job->kind == &lab_kind ? (size_t)(p->count * p->seeds) : 0;
}
