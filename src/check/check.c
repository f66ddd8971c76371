/* The formula, the model with hard choices and the model as it is, compared string by string: as a job of numbered
   units, and at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_plan.h"
#include "check/compare.h"
#include "job/journal.h"

/* ---- its digest ---- */

static void add_bytes(sha256 *h, const char *bytes, size_t length) {
    unsigned char size[8];
    for (int k = 0; k < 8; k++) size[k] = (unsigned char)((uint64_t)length >> 8 * k);
    sha256_add(h, size, sizeof size);
    sha256_add(h, bytes, length);
}

static void add_text(sha256 *h, const char *string) { add_bytes(h, string, strlen(string)); }

static void add_number(sha256 *h, uint64_t number) {
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)(number >> 8 * k);
    sha256_add(h, bytes, sizeof bytes);
}

static void add_spec(sha256 *h, const temper_spec *spec, trap *t) {
    temper_error inner;
    char *printed;
    add_number(h, temper_spec_about(spec).letters);
    for (size_t k = 0; k < temper_spec_about(spec).letters; k++) add_text(h, temper_spec_letter(spec, k));
    add_number(h, (uint64_t)temper_spec_about(spec).at);
    add_number(h, (uint64_t)temper_spec_about(spec).accepts_empty);
    if (temper_spec_print(&printed, spec, &inner)) trap_reraise(t, &inner);
    add_text(h, printed);
    temper_free(printed);
}

static void make_digest(char out[SHA256_HEX + 1], const check_plan *p, trap *t) {
    sha256 h;
    unsigned char digest[SHA256_SIZE];
    temper_error inner;
    char *printed;
    size_t length;
    sha256_start(&h);
    add_text(&h, "temper check");
    add_text(&h, temper_version());
    add_number(&h, p->spec != NULL);
    if (p->spec) add_spec(&h, p->spec, t);
    if (temper_model_print(&printed, &length, p->model, &inner)) trap_reraise(t, &inner);
    add_bytes(&h, printed, length);
    temper_free(printed);
    add_number(&h, p->exhaustive);
    add_number(&h, p->random);
    add_number(&h, p->most);
    add_number(&h, p->seed);
    add_number(&h, p->units.exhaustive); /* another cut is another job */
    add_number(&h, p->units.random);
    sha256_finish(digest, &h);
    sha256_hex(out, digest);
}

/* ---- results as bytes: whether found, strings, margin; and if found what the counterexample is, and of models that
   are no acceptors the output ---- */

enum { AGREED = 0, FOUND = 1, AGREED_SIZE = 1 + 8 + 8, FOUND_SIZE = AGREED_SIZE + 8 + 4 + 8, OUTPUT_SIZE = 4 };

static void put(text *t, uint64_t x, int bytes) {
    for (; bytes > 0; bytes--, x >>= 8) text_putc(t, (char)(x & 255));
}

static uint64_t get(const unsigned char **p, int bytes) {
    uint64_t x = 0;
    for (int k = 0; k < bytes; k++) x |= (uint64_t) * (*p)++ << 8 * k;
    return x;
}

static void encode(text *t, const unit_result *r, const check_plan *p) {
    double margin = isnan(r->margin) ? NAN : r->margin;
    uint64_t bits;
    memcpy(&bits, &margin, sizeof bits);
    if (isnan(margin)) bits = 0x7FF8000000000000u;
    put(t, r->found ? FOUND : AGREED, 1);
    put(t, r->strings, 8);
    put(t, bits, 8);
    if (!r->found) return;
    put(t, r->position, 8);
    put(t, r->left, 1);
    put(t, r->right, 1);
    put(t, r->left_value, 1);
    put(t, r->right_value, 1);
    put(t, r->n, 8);
    if (p->about.kind != TEMPER_KIND_ACCEPTOR) put(t, r->output, OUTPUT_SIZE);
    for (size_t k = 0; k < r->n; k++) put(t, r->word[k], 4);
}

/* The word stays in the bytes. False: not what encode makes for this plan. */
static bool decode(unit_result *r, const unsigned char **word, const check_plan *p, const journal_result *from) {
    const unsigned char *bytes = from->bytes;
    *r = (unit_result){0};
    if (from->size < AGREED_SIZE || *bytes > FOUND) return false;
    r->found = *bytes++ == FOUND;
    r->strings = get(&bytes, 8);
    uint64_t bits = get(&bytes, 8);
    memcpy(&r->margin, &bits, sizeof bits);
    if (!r->found) return from->size == AGREED_SIZE;
    if (from->size < FOUND_SIZE) return false;
    r->position = get(&bytes, 8);
    r->left = *bytes++;
    r->right = *bytes++;
    r->left_value = *bytes++;
    r->right_value = *bytes++;
    r->n = get(&bytes, 8);
    size_t head = FOUND_SIZE + (p->about.kind != TEMPER_KIND_ACCEPTOR ? OUTPUT_SIZE : 0);
    if (r->n > p->longest || from->size != head + 4 * r->n) return false;
    if (head > FOUND_SIZE) r->output = (uint32_t)get(&bytes, OUTPUT_SIZE);
    if (r->output >= p->about.outputs) return false;
    *word = bytes;
    bool known = true;
    for (size_t k = 0; k < r->n; k++) known &= get(&bytes, 4) < p->about.letters;
    return known && r->position <= r->n && r->left < r->right && r->right < SIDES;
}

/* ---- the job ---- */

typedef struct check_worker {
    const check_plan *plan;
    comparison *comparison;
} check_worker;

static void *open_worker(const temper_job *job, unsigned threads, arena *a) {
    check_worker *w = arena_alloc(a, 1, sizeof *w);
    *w = (check_worker){job->plan, comparison_new(job->plan, threads, a)};
    return w;
}

static void close_worker(void *state) { comparison_free(((check_worker *)state)->comparison); }

static bool run_unit(text *result, void *state, uint64_t unit, const job_watch *watch) {
    const check_worker *worker = state;
    unit_result r;
    if (!comparison_run(&r, worker->comparison, unit, watch)) return false;
    encode(result, &r, worker->plan);
    return true;
}

/* In a tree of suffixes any unit of a layer may have the first string. */
static uint64_t needed(const temper_job *job, uint64_t unit, const unsigned char *result, size_t size) {
    const check_plan *p = job->plan;
    const unit_layer *l = units_layer(&p->units, unit);
    if (size == 0 || result[0] != FOUND) return job->units;
    return l && p->mirrored ? l->first + l->units : unit + 1;
}

static uint64_t weight(const temper_job *job, uint64_t unit) {
    const check_plan *p = job->plan;
    return units_strings(&p->units, unit);
}

static const job_kind check_kind = {"check", open_worker, close_worker, run_unit, needed, weight, NULL, NULL};

typedef struct job_call {
    temper_job **out;
    const temper_spec *spec;
    const temper_model *model;
    const temper_check_options *options;
    bool named; /* with a digest */
} job_call;

static void make_job(entry *e, void *context) {
    const job_call *c = context;
    temper_job *job = entry_job(e);
    check_plan *p = arena_zalloc(&job->arena, 1, sizeof *p);
    p->spec = c->spec;
    p->model = c->model;
    check_plan_make(p, c->options, &job->arena, &e->scratch);
    job->kind = &check_kind;
    job->plan = p;
    job->narrow = p->units.exhaustive;
    job->units = p->units.exhaustive + p->units.random;
    job->total = p->total;
    if (c->named) make_digest(job->digest, p, e->trap);
    job->arena.trap = NULL;
    *c->out = job;
}

static const temper_check_options check_defaults;

temper_status temper_check_job(temper_job **out, const temper_spec *spec, const temper_model *model,
                               const temper_check_options *options, temper_error *err) {
    job_call call = {out, spec, model, options ? options : &check_defaults, true};
    *out = NULL;
    return entry_run(err, make_job, &call);
}

typedef struct classes_call {
    size_t *out;
    const temper_spec *spec;
    const temper_model *model;
} classes_call;

static void count_classes(entry *e, void *context) {
    const classes_call *c = context;
    check_plan p = {.spec = c->spec, .model = c->model};
    check_plan_sides(&p, &e->memory, &e->scratch);
    *c->out = p.sides.classes;
}

temper_status temper_check_classes(size_t *out, const temper_spec *spec, const temper_model *model,
                                   temper_error *err) {
    classes_call call = {out, spec, model};
    return entry_run(err, count_classes, &call);
}

/* ---- all results put together ---- */

static void keep_counterexample(temper_check_result *out, const unit_result *r, const unsigned char *word, trap *t) {
    out->agreed = 0;
    out->counterexample = caller_alloc(t, r->n, sizeof *out->counterexample);
    for (size_t k = 0; k < r->n; k++) out->counterexample[k] = (uint32_t)get(&word, 4);
    out->counterexample_length = r->n;
    out->position = r->position;
    out->output = r->output;
    out->left = side_names[r->left];
    out->right = side_names[r->right];
    out->left_value = r->left_value;
    out->right_value = r->right_value;
}

/* Units in their order. Of a layer with counterexamples the first string counts, which in a tree of suffixes any unit
   may have. With `partly` units may be missing. */
static void merge(temper_check_result *out, const temper_job *job, const temper_journal *j, bool partly, trap *t) {
    const check_plan *p = job->plan;
    const unit_layer *layer = NULL;
    uint64_t before = 0; /* strings of layers before this one, or of random units */
    double margin = 0;
    unit_result r, best = {0};
    const unsigned char *word, *best_word = NULL;
    out->agreed = 1;
    out->classes = p->sides.classes;
    double layer_size = out->stand_for = 1;
    for (size_t k = 0; k < p->exhaustive && layer_size < 0x1p1000; k++)
        out->stand_for += layer_size *= (double)p->about.letters;
    for (uint64_t unit = 0; unit < j->needed; unit++) {
        const journal_result *known = &j->results[unit];
        const unit_layer *l = units_layer(&p->units, unit);
        if (l != layer || !l) {
            before = out->strings;
            margin = out->margin;
        }
        layer = l;
        if (!known->bytes && partly) continue;
        if (!known->bytes) trap_raise(t, TEMPER_RANGE, 0, 0, "unit %llu is not done yet", (unsigned long long)unit);
        if (!decode(&r, &word, p, known))
            trap_raise(t, TEMPER_FORMAT, 0, 0, "unit %llu has a result that is none of this job",
                       (unsigned long long)unit);
        if (!r.found) {
            out->strings += r.strings;
            out->margin = margin_larger(out->margin, r.margin);
        } else if (!best.found || r.strings < best.strings) {
            best = r;
            best_word = word;
        }
    }
    if (!best.found) return;
    out->strings = before + best.strings;
    out->margin = margin_larger(margin, best.margin);
    keep_counterexample(out, &best, best_word, t);
}

typedef struct merge_call {
    temper_check_result *out;
    const temper_job *job;
    const temper_journal *journal;
    bool partly;
} merge_call;

static void clear_result(void *result) { temper_check_clear(result); }

static void merge_all(entry *e, void *context) {
    const merge_call *c = context;
    entry_on_failure(e, clear_result, c->out);
    if (c->job->kind != &check_kind || c->journal->job != c->job)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the journal is not one of this check");
    merge(c->out, c->job, c->journal, c->partly, e->trap);
}

static temper_status merge_units(temper_check_result *out, const temper_job *job, const temper_journal *journal,
                                 bool partly, temper_error *err) {
    merge_call call = {out, job, journal, partly};
    memset(out, 0, sizeof *out);
    return entry_run(err, merge_all, &call);
}

temper_status temper_check_merge(temper_check_result *out, const temper_job *job, const temper_journal *journal,
                                 temper_error *err) {
    return merge_units(out, job, journal, false, err);
}

temper_status temper_check(temper_check_result *out, const temper_spec *spec, const temper_model *model,
                           const temper_check_options *options, temper_error *err) {
    const temper_check_options *o = options ? options : &check_defaults;
    temper_job *job = NULL;
    job_call call = {&job, spec, model, o, false};
    temper_journal *journal = NULL;
    int stopped = 0;
    memset(out, 0, sizeof *out);
    temper_status status = entry_run(err, make_job, &call);
    if (!status) status = temper_journal_open(&journal, NULL, job, err);
    if (!status) status = temper_job_run(&stopped, journal, o->threads, o->progress, o->context, err);
    if (!status) status = merge_units(out, job, journal, stopped, err);
    if (!status) out->stopped = stopped;
    if (journal) temper_journal_close(journal, NULL);
    temper_job_free(job);
    return status;
}

void temper_check_clear(temper_check_result *result) {
    if (!result) return;
    free(result->counterexample);
    memset(result, 0, sizeof *result);
}
