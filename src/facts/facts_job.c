#include "facts/facts_job.h"

#include <math.h>
#include <string.h>

#include "base/entry.h"
#include "facts/facts_lengths.h"

enum { LONGEST = 1 << 14, MOST_UNITS = 64, LEAST_LENGTHS = 8, FOUND = 0, FAILED = 1 };

typedef struct facts_plan {
    const temper_model *model;
    size_t length;
    size_t *first; /* [units + 1]: where a unit's lengths begin */
} facts_plan;

/* ---- facts as words ---- */

/* What facts of a length hold, word after word: into `words`, or from there. */
typedef struct transfer {
    uint64_t *words;
    size_t at;
    bool in;
} transfer;

static void move_double(transfer *t, double *x) {
    if (t->in)
        memcpy(x, &t->words[t->at], sizeof *x);
    else
        memcpy(&t->words[t->at], x, sizeof *x);
    t->at++;
}

static void move_flag(transfer *t, bool *x) {
    if (t->in)
        *x = t->words[t->at] != 0;
    else
        t->words[t->at] = *x;
    t->at++;
}

static void move_known(transfer *t, known *k, size_t count) {
    for (; count > 0; count--, k++) {
        move_double(t, &k->lo);
        move_double(t, &k->hi);
        if (t->in)
            k->grid = (int)(int64_t)t->words[t->at];
        else
            t->words[t->at] = (uint64_t)(int64_t)k->grid;
        t->at++;
    }
}

static void move_head(transfer *t, head_facts *h, const model_head *head) {
    move_flag(t, &h->uniform);
    move_flag(t, &h->tieless);
    move_double(t, &h->gap);
    move_double(t, &h->log2_gap);
    move_known(t, h->query, head->query.count);
    move_known(t, h->key, head->key.count);
    move_known(t, h->value, head->value.count);
    move_known(t, h->output, head->value.count);
}

static void move_facts(transfer *t, const subject_model *s, facts *f) {
    const temper_model *m = s->model;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        layer_facts *layer = &f->layers[l];
        move_known(t, layer->before, m->channel_count);
        move_known(t, layer->middle, m->channel_count);
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) move_head(t, &layer->heads[h], &m->layers[l].heads[h]);
        for (uint32_t b = 0; b < s->bundles[l].count; b++) {
            move_known(t, &layer->bundles[b].input, 1);
            for (uint32_t k = 0; k <= s->bundles[l].items[b].corner_count; k++)
                move_double(t, &layer->bundles[b].distance[k]);
        }
    }
    move_known(t, f->after, m->channel_count);
    move_double(t, &f->margin);
    move_double(t, &f->margin_everywhere);
}

static size_t word_count(const subject_model *s) {
    const temper_model *m = s->model;
    size_t count = 3 * (size_t)m->channel_count * (2 * (size_t)m->layer_count + 1) + 2;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            count += 4 + 6 * ((size_t)m->layers[l].heads[h].query.count + m->layers[l].heads[h].value.count);
        for (uint32_t b = 0; b < s->bundles[l].count; b++) count += 4 + (size_t)s->bundles[l].items[b].corner_count;
    }
    return count;
}

/* ---- words as bytes: those that differ from the length before, in runs ---- */

static void put_number(text *t, uint64_t x) {
    for (; x >= 128; x >>= 7) text_putc(t, (char)(x | 128));
    text_putc(t, (char)x);
}

static void put_words(text *t, const uint64_t *words, const uint64_t *before, size_t count) {
    for (size_t at = 0, end; at < count; at = end) {
        size_t from = at;
        while (from < count && words[from] == before[from]) from++;
        for (end = from; end < count && words[end] != before[end]; end++) {
        }
        put_number(t, from - at);
        put_number(t, end - from);
        for (size_t k = from; k < end; k++)
            for (int byte = 0; byte < 8; byte++) text_putc(t, (char)(words[k] >> 8 * byte));
    }
}

typedef struct source {
    const unsigned char *at, *end;
    bool bad;
} source;

static uint64_t get_number(source *s) {
    uint64_t x = 0;
    for (int shift = 0; s->at < s->end && shift < 63; shift += 7) {
        x |= (uint64_t)(*s->at & 127) << shift;
        if (*s->at++ < 128) return x;
    }
    s->bad = true;
    return 0;
}

/* Changes `words` from one length to the next. */
static void get_words(source *s, uint64_t *words, size_t count) {
    for (size_t at = 0; at < count && !s->bad;) {
        uint64_t skip = get_number(s), more = get_number(s);
        s->bad = s->bad || skip > count - at || more > count - at - skip || more > (size_t)(s->end - s->at) / 8 ||
                 (skip == 0 && more == 0);
        for (at += s->bad ? 0 : (size_t)skip; more > 0 && !s->bad; more--, at++) {
            words[at] = 0;
            for (int byte = 0; byte < 8; byte++) words[at] |= (uint64_t)*s->at++ << 8 * byte;
        }
    }
}

/* ---- a unit ---- */

/* A worker goes on with its run where the next unit begins where the last one ended. */
typedef struct facts_worker {
    const facts_plan *plan;
    arena *keep;
    trap trap; /* of what is found: an error is a result */
    arena work, one;
    subject_model s;
    facts_run *run;
    size_t next; /* length that `run` finds next */
    size_t count;
    uint64_t *words, *before; /* [count] */
} facts_worker;

static void *open_worker(const temper_job *job, unsigned threads, arena *a) {
    facts_worker *w = arena_zalloc(a, 1, sizeof *w);
    (void)threads;
    w->plan = job->plan;
    w->keep = a;
    subject_model_init(&w->s, w->plan->model, a);
    w->count = word_count(&w->s);
    w->words = arena_zalloc(a, w->count, sizeof *w->words);
    w->before = arena_zalloc(a, w->count, sizeof *w->before);
    arena_init(&w->work, &w->trap);
    arena_init(&w->one, &w->trap);
    return w;
}

static void close_worker(void *state) {
    facts_worker *w = state;
    arena_free(&w->work);
    arena_free(&w->one);
}

typedef struct unit_call {
    facts_worker *w;
    text *result;
    size_t first, end;
    const job_watch *watch;
    bool stopped;
} unit_call;

static void find_unit(void *context) {
    unit_call *c = context;
    facts_worker *w = c->w;
    if (!w->run || w->next != c->first) {
        w->run = NULL;
        arena_reset(&w->work);
        w->run = facts_run_begin(&w->s, c->first, &w->work);
        w->next = c->first;
    }
    memset(w->before, 0, w->count * sizeof *w->before);
    for (; w->next < c->end; w->next++) {
        arena_reset(&w->one);
        facts *f = facts_run_next(w->run, &w->one);
        move_facts(&(transfer){.words = w->words}, &w->s, f);
        put_words(c->result, w->words, w->before, w->count);
        memcpy(w->before, w->words, w->count * sizeof *w->words);
        c->stopped = c->watch->tick(c->watch->context, 1);
        if (c->stopped) break;
    }
    if (c->stopped) w->next = SIZE_MAX; /* it stands inside a unit */
}

static bool run_unit(text *result, void *state, uint64_t unit, const job_watch *watch) {
    facts_worker *w = state;
    text bytes;
    text_init(&bytes, result->arena);
    unit_call call = {w, &bytes, w->plan->first[unit], w->plan->first[unit + 1], watch, false};
    temper_error why;
    bool done = trap_attempt(&w->trap, &why, find_unit, &call);
    if (call.stopped) return false;
    text_putc(result, done ? FOUND : FAILED);
    if (done) {
        text_add(result, bytes.data, bytes.length);
        return true;
    }
    w->run = NULL;
    if (why.code == TEMPER_NO_MEMORY) trap_reraise(w->keep->trap, &why);
    put_number(result, (uint64_t)why.code);
    text_puts(result, why.text);
    return true;
}

static uint64_t needed(const temper_job *job, uint64_t unit, const unsigned char *result, size_t size) {
    return size && result[0] == FAILED ? unit + 1 : job->units;
}

static uint64_t weight(const temper_job *job, uint64_t unit) {
    const facts_plan *p = job->plan;
    return p->first[unit + 1] - p->first[unit];
}

static const job_kind facts_kind = {"facts", open_worker, close_worker, run_unit, needed, weight, NULL, NULL};

/* ---- the job ---- */

/* What is found of a length goes into proofs, so a journal of other rules must not be taken, not even of another
   build of the same version: this number grows whenever facts of some model may change. */
enum { FACTS_RULES = 1 };

static void make_digest(temper_job *job, const facts_plan *p, arena *scratch) {
    sha256 h;
    unsigned char digest[SHA256_SIZE];
    text t;
    text_init(&t, scratch);
    text_printf(&t, "temper facts %s %d %zu %llu\n", temper_version(), FACTS_RULES, p->length,
                (unsigned long long)job->units);
    model_print(&t, p->model);
    sha256_start(&h);
    sha256_add(&h, t.data, t.length);
    sha256_finish(digest, &h);
    sha256_hex(job->digest, digest);
}

typedef struct job_call {
    temper_job **out;
    const temper_model *model;
    size_t length;
} job_call;

/* Lengths take the longer the longer they are: about equal parts of the sum of all. */
static void make_job(entry *e, void *context) {
    const job_call *c = context;
    if (c->length > LONGEST)
        trap_raise(e->trap, TEMPER_LIMIT, 0, 0, "hard choices are proved up to length %d, not %zu", LONGEST,
                   c->length);
    temper_job *job = entry_job(e);
    facts_plan *p = arena_zalloc(&job->arena, 1, sizeof *p);
    size_t lengths = c->length + 1, units = lengths / LEAST_LENGTHS;
    *p = (facts_plan){.model = c->model, .length = c->length};
    units = units < 1 ? 1 : units > MOST_UNITS ? MOST_UNITS : units;
    p->first = arena_zalloc(&job->arena, units + 1, sizeof *p->first);
    for (size_t k = 1; k < units; k++) {
        size_t at = (size_t)((double)lengths * sqrt((double)k / (double)units));
        p->first[k] = at <= p->first[k - 1] ? p->first[k - 1] + 1 : at;
    }
    p->first[units] = lengths;
    job->kind = &facts_kind;
    job->plan = p;
    job->units = units;
    /* Where a length is found on the way to a longer one, one worker does all units, one after the other. */
    job->narrow = facts_lengths_threads(c->model, 0, c->length, 2) > 1 ? units : 0;
    job->in_rows = true;
    job->total = lengths;
    make_digest(job, p, &e->scratch);
    job->arena.trap = NULL;
    *c->out = job;
}

temper_status temper_choices_job(temper_job **out, const temper_model *model, size_t length, temper_error *err) {
    job_call call = {out, model, length};
    *out = NULL;
    return entry_run(err, make_job, &call);
}

/* ---- what it found ---- */

void facts_job_check(const temper_journal *journal, const temper_model *m, size_t last, trap *t) {
    const temper_job *job = journal->job;
    const facts_plan *p = job->plan;
    if (job->kind != &facts_kind || p->model != m || p->length < last)
        trap_raise(t, TEMPER_RANGE, 0, 0, "the journal is that of another job");
    if (journal->first_unknown < journal->needed)
        trap_raise(t, TEMPER_RANGE, 0, 0, "the journal is not complete: unit %llu of %llu is not known",
                   (unsigned long long)journal->first_unknown, (unsigned long long)job->units);
}

static _Noreturn void raise_failure(source *from, trap *t) {
    uint64_t code = get_number(from);
    trap_raise(t, code > TEMPER_OK && code < TEMPER_NO_MEMORY ? (temper_status)code : TEMPER_FORMAT, 0, 0, "%.*s",
               (int)(from->end - from->at), (const char *)from->at);
}

void facts_job_take(facts **out, const subject_model *s, const temper_journal *journal, size_t first, size_t last,
                    arena *keep) {
    const facts_plan *p = journal->job->plan;
    size_t count = word_count(s);
    uint64_t *words = arena_zalloc(keep, count, sizeof *words);
    facts_job_check(journal, s->model, last, keep->trap);
    for (uint64_t unit = 0; unit < journal->job->units && p->first[unit] <= last; unit++) {
        const journal_result *r = &journal->results[unit];
        source from = {r->bytes + 1, r->bytes + r->size, r->size == 0};
        if (!from.bad && r->bytes[0] == FAILED) raise_failure(&from, keep->trap);
        memset(words, 0, count * sizeof *words);
        for (size_t n = p->first[unit]; n < p->first[unit + 1] && !from.bad; n++) {
            get_words(&from, words, count);
            if (from.bad || n < first || n > last) continue;
            out[n] = facts_new(s, n, keep);
            move_facts(&(transfer){.words = words, .in = true}, s, out[n]);
        }
        if (from.bad || (from.at != from.end && p->first[unit + 1] <= last))
            trap_raise(keep->trap, TEMPER_FORMAT, 0, 0, "unit %llu has a result that is none of this job",
                       (unsigned long long)unit);
    }
}
