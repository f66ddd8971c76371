/* The table of limits, as a job and at once: for every case one unit that certifies and one that looks for wrong
   answers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/proved.h"
#include "job/journal.h"
#include "limits/adversary.h"
#include "limits/limits.h"
#include "number/number_type.h"

enum {
    CASES_MOST = 4096,
    UNIT_CERTIFY = 0,
    UNIT_SEARCH = 1,
    UNITS = 2, /* of a case */
    CERTIFY_WEIGHT = 1000,
    STRING_SHOWN = 64, /* letters of a string that is shown as it is */
    STRING_TEXT = 120  /* bytes of one that is not, about */
};

static const size_t LONGEST = (size_t)1 << 24;
static const double ROW_BUDGET = 2e9; /* nanoseconds, about; in f64 and f32 FAST times as much, for long strings */
static const double FAST = 3, MOST_EFFORT = 1e6, WEIGHT = 1e6;

typedef struct limits_plan {
    temper_limits_case *cases;
    size_t count;
    size_t longest;
    double effort;
    uint64_t seed;
} limits_plan;

static uint64_t budget_of(const limits_plan *p, size_t row) {
    bool fast = !number_type_is_emulated(p->cases[row].type);
    return (uint64_t)(ROW_BUDGET * p->effort * (fast ? FAST : 1));
}

/* ---- the plan ---- */

static bool is_soft(const temper_model *m) { return m->method != TEMPER_METHOD_HARD; }

static void check_case(const limits_plan *p, size_t k, trap *t) {
    const temper_limits_case *c = &p->cases[k];
    const number_type *type = number_type_of(c->type);
    if (!c->model) trap_raise(t, TEMPER_RANGE, 0, 0, "case %zu has no model", k + 1);
    if (!is_soft(c->model))
        trap_raise_remedy(t, TEMPER_RANGE, 0, 0, TEMPER_REMEDY_SOFTEN,
                          "a hard model has no limits: it does not depend on a number format");
    if (!type || !type->storage)
        trap_raise(t, TEMPER_RANGE, 0, 0, "there is no rounding in type '%s'", temper_type_name(c->type));
    if (!alphabet_same(&c->model->letters, &p->cases[0].model->letters))
        trap_raise(t, TEMPER_RANGE, 0, 0, "all models of a table must have the same letters");
}

static void make_plan(limits_plan *p, const temper_limits_case *cases, size_t count, const temper_limits_options *o,
                      arena *a) {
    if (count == 0 || count > CASES_MOST)
        trap_raise(a->trap, TEMPER_RANGE, 0, 0, "a table of limits has 1 to %d rows, not %zu", CASES_MOST, count);
    p->cases = arena_alloc(a, count, sizeof *p->cases);
    memcpy(p->cases, cases, count * sizeof *cases);
    p->count = count;
    for (size_t k = 0; k < count; k++) check_case(p, k, a->trap);
    p->longest = o->length ? o->length : LONGEST;
    p->effort = o->effort == 0 ? 1 : o->effort;
    p->seed = o->seed;
    if (!(p->effort > 0 && p->effort <= MOST_EFFORT))
        trap_raise(a->trap, TEMPER_RANGE, 0, 0, "the effort must be above 0 and at most %g", MOST_EFFORT);
}

/* ---- its digest ---- */

static void add_number(sha256 *h, uint64_t number) {
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)(number >> 8 * k);
    sha256_add(h, bytes, sizeof bytes);
}

static void add_bytes(sha256 *h, const char *bytes, size_t length) {
    add_number(h, length);
    sha256_add(h, bytes, length);
}

static void make_digest(char out[SHA256_HEX + 1], const limits_plan *p, trap *t) {
    sha256 h;
    unsigned char digest[SHA256_SIZE];
    uint64_t effort;
    sha256_start(&h);
    add_bytes(&h, "temper limits", 13);
    add_bytes(&h, temper_version(), strlen(temper_version()));
    for (size_t k = 0; k < p->count; k++) {
        temper_error inner;
        char *printed;
        size_t length;
        add_bytes(&h, temper_type_name(p->cases[k].type), strlen(temper_type_name(p->cases[k].type)));
        if (temper_model_print(&printed, &length, p->cases[k].model, &inner)) trap_reraise(t, &inner);
        add_bytes(&h, printed, length);
        temper_free(printed);
    }
    memcpy(&effort, &p->effort, sizeof effort);
    add_number(&h, p->longest);
    add_number(&h, effort);
    add_number(&h, p->seed);
    sha256_finish(digest, &h);
    sha256_hex(out, digest);
}

/* ---- results as bytes ---- */

enum { CERTIFY_SIZE = 1 + 8, SEARCH_SIZE = 1 + 8 + 8, FOUND_SIZE = SEARCH_SIZE + 4 * 8 + 1 + 8 };

static void put(text *t, uint64_t x, int bytes) {
    for (; bytes > 0; bytes--, x >>= 8) text_putc(t, (char)(x & 255));
}

typedef struct bytes {
    const unsigned char *at;
    size_t left;
    bool short_;
} bytes;

static uint64_t get(bytes *b, int count) {
    uint64_t x = 0;
    if (b->left < (size_t)count) {
        b->short_ = true;
        return 0;
    }
    for (int k = 0; k < count; k++) x |= (uint64_t)b->at[k] << 8 * k;
    b->at += count;
    b->left -= (size_t)count;
    return x;
}

static void put_search(text *t, const wrong_answer *w, bool found, arena *a) {
    word_run *runs;
    put(t, found, 1);
    put(t, w->swept, 8);
    put(t, w->tried, 8);
    if (!found) return;
    put(t, w->n, 8);
    put(t, w->position, 8);
    put(t, w->layer, 8);
    put(t, w->head, 8);
    put(t, (uint64_t)w->why, 1);
    size_t count = word_runs_of(&runs, w->letters, w->n, a);
    put(t, count, 8);
    for (size_t k = 0; k < count; k++) {
        put(t, runs[k].length, 1);
        put(t, runs[k].count, 8);
        for (uint32_t i = 0; i < runs[k].length; i++) put(t, runs[k].word[i], 4);
    }
}

/* False: no runs that make n letters of the alphabet. */
static bool get_runs(word_run **runs, size_t *count, bytes *b, size_t n, size_t letters, arena *a) {
    size_t made = 0;
    *count = (size_t)get(b, 8);
    if (*count > b->left) return false; /* every run takes more than a byte */
    *runs = arena_alloc(a, *count, sizeof **runs);
    for (size_t k = 0; k < *count; k++) {
        word_run *r = &(*runs)[k];
        r->length = (uint32_t)get(b, 1);
        r->count = (size_t)get(b, 8);
        if (b->short_ || r->length < 1 || r->length > RUN_WORD || r->count < 1 || r->count > (n - made) / r->length)
            return false;
        made += r->count * r->length;
        for (uint32_t i = 0; i < r->length; i++)
            if ((r->word[i] = (uint32_t)get(b, 4)) >= letters) return false;
    }
    return !b->short_ && b->left == 0 && made == n;
}

/* ---- units ---- */

typedef struct limits_worker {
    const limits_plan *plan;
    arena *arena;  /* the worker's, with its trap */
    arena *memory; /* of a unit */
} limits_worker;

static void release_arena(void *memory) { arena_free(memory); }

static void *open_worker(const temper_job *job, unsigned threads, arena *a) {
    limits_worker *w = arena_zalloc(a, 1, sizeof *w);
    (void)threads;
    w->plan = job->plan;
    w->arena = a;
    w->memory = arena_zalloc(a, 1, sizeof *w->memory);
    arena_init(w->memory, a->trap);
    arena_on_release(a, release_arena, w->memory);
    return w;
}

static void close_worker(void *state) { (void)state; }

static void certify(text *result, limits_worker *w, const temper_limits_case *c) {
    temper_proof p = proved_longest(c->model, c->type, false, w->arena->trap);
    put(result, (uint64_t)p.claim, 1);
    put(result, p.length, 8);
    text_puts(result, p.obstacle);
}

/* The watch hears of thousandths of WEIGHT. */
typedef struct meter {
    const job_watch *watch;
    double spent;
    uint64_t told, most;
} meter;

static bool tick(void *context, uint64_t more) {
    meter *m = context;
    m->spent += (double)more;
    uint64_t now = (uint64_t)(m->spent / WEIGHT);
    if (now > m->most) now = m->most;
    more = now - m->told;
    m->told = now;
    return m->watch->tick(m->watch->context, more);
}

static uint64_t weight(const temper_job *job, uint64_t unit) {
    const limits_plan *p = job->plan;
    if (unit % UNITS == UNIT_CERTIFY) return CERTIFY_WEIGHT;
    return (uint64_t)((double)budget_of(p, (size_t)(unit / UNITS)) / WEIGHT) + 1;
}

static bool run_unit(text *result, void *state, uint64_t unit, const job_watch *watch) {
    limits_worker *w = state;
    const limits_plan *p = w->plan;
    size_t row = (size_t)(unit / UNITS);
    wrong_answer found;
    bool stopped;
    if (unit % UNITS == UNIT_CERTIFY) {
        certify(result, w, &p->cases[row]);
        return !watch->tick(watch->context, CERTIFY_WEIGHT);
    }
    meter m = {.watch = watch, .most = (uint64_t)((double)budget_of(p, row) / WEIGHT) + 1};
    job_watch inner = {tick, &m};
    adversary_options o = {.longest = p->longest, .budget = budget_of(p, row), .seed = p->seed, .watch = &inner};
    arena_reset(w->memory);
    bool wrong = adversary_search(&found, &stopped, p->cases[row].model, p->cases[row].type, &o, w->memory);
    if (stopped) return false;
    put_search(result, &found, wrong, w->memory);
    arena_reset(w->memory);
    return !watch->tick(watch->context, m.most - m.told);
}

static const job_kind limits_kind = {"limits", open_worker, close_worker, run_unit, NULL, weight, NULL, NULL};

typedef struct job_call {
    temper_job **out;
    const temper_limits_case *cases;
    size_t count;
    const temper_limits_options *options;
} job_call;

static void make_job(entry *e, void *context) {
    const job_call *c = context;
    temper_job *job = entry_job(e);
    limits_plan *p = arena_zalloc(&job->arena, 1, sizeof *p);
    make_plan(p, c->cases, c->count, c->options, &job->arena);
    job->kind = &limits_kind;
    job->plan = p;
    job->units = job->narrow = UNITS * (uint64_t)c->count;
    for (uint64_t unit = 0; unit < job->units; unit++) job->total += weight(job, unit);
    make_digest(job->digest, p, e->trap);
    job->arena.trap = NULL;
    *c->out = job;
}

temper_status temper_limits_job(temper_job **out, const temper_limits_case *cases, size_t count,
                                const temper_limits_options *options, temper_error *err) {
    static const temper_limits_options defaults;
    job_call call = {out, cases, count, options ? options : &defaults};
    *out = NULL;
    return entry_run(err, make_job, &call);
}

/* ---- all results put together ---- */

static bool read_proof(temper_limits_row *row, bytes b, arena *a) {
    row->claim = (temper_claim)get(&b, 1);
    row->proved = (size_t)get(&b, 8);
    if (b.short_ || row->claim > TEMPER_CLAIM_VIABLE || row->proved > TEMPER_LONGEST) return false;
    row->obstacle = arena_copy(a, (const char *)b.at, b.left);
    return true;
}

static const char *show_string(const temper_limits *l, const word_run *runs, size_t count, const uint32_t *letters,
                               size_t n, arena *a) {
    text t;
    if (n > STRING_SHOWN) return word_runs_text(runs, count, &l->letters, STRING_TEXT, a);
    text_init(&t, a);
    for (size_t k = 0; k < n; k++) {
        if (k && l->letters.tokens) text_putc(&t, ' ');
        text_puts(&t, l->letters.letters[letters[k]]);
    }
    return text_string(&t);
}

static bool read_search(temper_limits_row *row, bytes b, const temper_limits *l, const limits_plan *p, arena *a) {
    word_run *runs;
    size_t count;
    uint64_t found = get(&b, 1);
    row->found = found != 0;
    row->swept = (size_t)get(&b, 8);
    row->tried = (size_t)get(&b, 8);
    if (b.short_ || found > 1 || row->tried > p->longest || row->swept > row->tried) return false;
    if (!found) return b.left == 0;
    row->wrong = (size_t)get(&b, 8);
    row->position = (size_t)get(&b, 8);
    row->layer = (size_t)get(&b, 8);
    row->head = (size_t)get(&b, 8);
    uint64_t why = get(&b, 1);
    row->why = (temper_why)why;
    if (b.short_ || why > TEMPER_WHY_GATE || row->wrong > row->tried || row->position > row->wrong ||
        !get_runs(&runs, &count, &b, row->wrong, l->letters.count, a))
        return false;
    row->letters = word_runs_expand(runs, count, row->wrong, a);
    row->string = show_string(l, runs, count, row->letters, row->wrong, a);
    return true;
}

static const char *label_of(const temper_model *m, const temper_limits_row *row, arena *a) {
    temper_head_info info;
    if (!row->layer || temper_model_head(&info, m, row->layer, row->head, NULL)) return "";
    return arena_copy(a, info.label, strlen(info.label));
}

static void merge(temper_limits *l, const temper_job *job, const temper_journal *j) {
    const limits_plan *p = job->plan;
    arena *a = &l->memory;
    const temper_model *first = p->cases[0].model;
    alphabet_copy(&l->letters, a, &first->letters);
    l->letters.tokens = first->letters.tokens;
    l->source = arena_copy(a, first->source, strlen(first->source));
    l->count = p->count;
    l->rows = arena_zalloc(a, p->count, sizeof *l->rows);
    for (uint64_t unit = 0; unit < job->units; unit++) {
        const journal_result *known = &j->results[unit];
        temper_limits_row *row = &l->rows[unit / UNITS];
        const temper_limits_case *c = &p->cases[unit / UNITS];
        bytes b = {known->bytes, known->size, false};
        if (!known->bytes)
            trap_raise(a->trap, TEMPER_RANGE, 0, 0, "unit %llu is not done yet", (unsigned long long)unit);
        row->type = c->type;
        row->method = c->model->method;
        if (unit % UNITS == UNIT_CERTIFY) row->string = row->label = "";
        bool ok = unit % UNITS == UNIT_CERTIFY ? read_proof(row, b, a) : read_search(row, b, l, p, a);
        if (!ok)
            trap_raise(a->trap, TEMPER_FORMAT, 0, 0, "unit %llu has a result that is none of this job",
                       (unsigned long long)unit);
        row->label = label_of(c->model, row, a);
    }
}

typedef struct merge_call {
    temper_limits **out;
    const temper_job *job;
    const temper_journal *journal;
} merge_call;

static void free_limits(void *limits) { temper_limits_free(limits); }

static void merge_all(entry *e, void *context) {
    const merge_call *c = context;
    if (c->job->kind != &limits_kind || c->journal->job != c->job)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the journal is not one of these limits");
    temper_limits *l = caller_alloc(e->trap, 1, sizeof *l);
    memset(l, 0, sizeof *l);
    arena_init(&l->memory, e->trap);
    entry_on_failure(e, free_limits, l);
    merge(l, c->job, c->journal);
    l->memory.trap = NULL;
    *c->out = l;
}

temper_status temper_limits_merge(temper_limits **out, const temper_job *job, const temper_journal *journal,
                                  temper_error *err) {
    merge_call call = {out, job, journal};
    *out = NULL;
    return entry_run(err, merge_all, &call);
}

static temper_status report_stop(temper_error *err) {
    return error_write(err, TEMPER_LIMIT, 0, 0, "", "stopped before all rows were done");
}

temper_status temper_limits_find(temper_limits **out, const temper_limits_case *cases, size_t count,
                                 const temper_limits_options *options, temper_error *err) {
    static const temper_limits_options defaults;
    const temper_limits_options *o = options ? options : &defaults;
    temper_job *job;
    temper_journal *journal = NULL;
    int stopped = 0;
    *out = NULL;
    temper_status status = temper_limits_job(&job, cases, count, o, err);
    if (!status) status = temper_journal_open(&journal, NULL, job, err);
    if (!status) status = temper_job_run(&stopped, journal, o->threads, o->progress, o->context, err);
    if (!status) status = stopped ? report_stop(err) : temper_limits_merge(out, job, journal, err);
    if (journal) temper_journal_close(journal, NULL);
    temper_job_free(job);
    return status;
}

void temper_limits_free(temper_limits *limits) {
    if (!limits) return;
    arena_free(&limits->memory);
    free(limits);
}

size_t temper_limits_count(const temper_limits *limits) { return limits->count; }

temper_limits_row temper_limits_at(const temper_limits *limits, size_t row) {
    return row < limits->count ? limits->rows[row] : (temper_limits_row){.obstacle = "", .string = "", .label = ""};
}
