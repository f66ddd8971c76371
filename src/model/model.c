#include "model/model.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "number/elementary.h"

static const char *unnamed[] = {""}; /* the output of an acceptor */

temper_model *model_new(trap *t) {
    temper_model *m = caller_alloc(t, 1, sizeof *m);
    memset(m, 0, sizeof *m);
    arena_init(&m->memory, t);
    m->source = "";
    m->output_names = unnamed;
    m->record = MODEL_NO_RECORD;
    return m;
}

static void free_model(void *m) { temper_model_free(m); }

temper_model *entry_model(entry *e) {
    temper_model *m = model_new(e->trap);
    entry_on_failure(e, free_model, m);
    return m;
}

temper_model *entry_passing_model(entry *e) {
    temper_model *m = model_new(e->trap);
    entry_on_leaving(e, free_model, m);
    return m;
}

static const char *text_of(arena *a, const expression *e, const char *none) {
    if (!e) return none;
    text t;
    text_init(&t, a);
    expression_print(&t, e);
    return text_string(&t);
}

static void release_memo(temper_model *m) {
    for (size_t k = 0; k < MODEL_MEMOS; k++) {
        model_memo *memo = atomic_exchange(&m->memo[k], NULL);
        if (memo) memo->release(memo);
    }
}

unsigned model_version(const temper_model *m) {
    bool is_new = m->kind != TEMPER_KIND_ACCEPTOR || m->letters.other != UINT32_MAX;
    return is_new || model_reads_position(m, NULL, NULL) ? 2 : 1;
}

void model_seal(temper_model *m) {
    for (uint32_t k = 0; k < m->channel_count; k++)
        m->channels[k].position_text = text_of(&m->memory, m->channels[k].position, "");
    for (uint32_t k = 0; k < m->layer_count; k++)
        for (uint32_t h = 0; h < m->layers[k].head_count; h++)
            m->layers[k].heads[h].scale_text = text_of(&m->memory, m->layers[k].heads[h].scale, "1");
    if (!model_has_record(&m->record)) m->record = MODEL_NO_RECORD; /* files of older versions have a length alone */
    if (!m->memo) m->memo = arena_zalloc(&m->memory, MODEL_MEMOS, sizeof *m->memo);
    release_memo(m); /* a model that was built further */
    m->memory.trap = NULL;
}

void temper_model_free(temper_model *m) {
    if (!m) return;
    if (m->memo) release_memo(m);
    temper_spec_free(m->spec);
    arena_free(&m->memory);
    free(m);
}

/* ---- rows ---- */

void rows_begin(rows_builder *b, arena *a) {
    memset(b, 0, sizeof *b);
    b->arena = a;
    array_push(a, b->start, b->count, b->start_capacity, 0);
    b->count = 0;
}

void rows_term(rows_builder *b, uint32_t channel, double weight) {
    array_push(b->arena, b->terms, b->term_count, b->term_capacity, (model_term){channel, weight});
}

static int by_channel(const void *x, const void *y) {
    uint32_t a = ((const model_term *)x)->channel, b = ((const model_term *)y)->channel;
    return (a > b) - (a < b);
}

void rows_end_row(rows_builder *b) {
    size_t first = b->start[b->count], kept = first;
    if (b->term_count - first > 1) qsort(b->terms + first, b->term_count - first, sizeof *b->terms, by_channel);
    for (size_t k = first; k < b->term_count;) {
        model_term t = b->terms[k++];
        while (k < b->term_count && b->terms[k].channel == t.channel) t.weight += b->terms[k++].weight;
        if (t.weight != 0) b->terms[kept++] = t;
    }
    b->term_count = kept;
    if (kept > UINT32_MAX) trap_raise(b->arena->trap, TEMPER_LIMIT, 0, 0, "more than 2^32 weights in a matrix");
    size_t used = b->count + 1;
    array_push(b->arena, b->start, used, b->start_capacity, (uint32_t)kept);
    b->count++;
}

model_rows rows_finish(rows_builder *b) {
    if (!b->terms)
        b->terms = arena_alloc(b->arena, 0, sizeof *b->terms); /* a place to count from, even if nothing is there */
    return (model_rows){.count = (uint32_t)b->count, .start = b->start, .terms = b->terms};
}

model_rows rows_copy(arena *a, const model_rows *rows) {
    model_rows copy = {.count = rows->count};
    size_t terms = rows->start[rows->count];
    copy.start = arena_alloc(a, rows->count + 1, sizeof *copy.start);
    memcpy(copy.start, rows->start, (rows->count + 1) * sizeof *copy.start);
    copy.terms = arena_alloc(a, terms, sizeof *copy.terms);
    if (terms) memcpy(copy.terms, rows->terms, terms * sizeof *copy.terms);
    return copy;
}

/* ---- names ---- */

const char *head_role_name(head_role role) {
    static const char *const names[] = {"", "once", "nearest", "count", "compare", "balance", "lookup", "match"};
    return names[role];
}

temper_growth head_growth(head_role role) {
    switch (role) {
    case ROLE_ONCE: return TEMPER_GROWTH_LOG;
    case ROLE_NEAREST:
    case ROLE_MATCH:
    case ROLE_COMPARE: return TEMPER_GROWTH_LINEAR;
    case ROLE_BALANCE:
    case ROLE_LOOKUP: return TEMPER_GROWTH_SQUARE;
    case ROLE_NONE:
    case ROLE_COUNT: break;
    }
    return TEMPER_GROWTH_NONE;
}

double head_bound(head_role role, double kappa) {
    double leak = exp_f64(-kappa);
    switch (role) {
    case ROLE_ONCE:
    case ROLE_MATCH:
    case ROLE_NEAREST: return leak;
    case ROLE_COMPARE:
    case ROLE_BALANCE: return leak / (1 + leak);
    case ROLE_LOOKUP: return 2 * leak / (1 - leak);
    case ROLE_NONE:
    case ROLE_COUNT: break;
    }
    return 0;
}

const char *temper_choice_name(temper_choice choice) {
    static const char *const names[] = {"leftmost", "rightmost", "average", "softmax"};
    return names[choice];
}

const char *temper_mask_name(temper_mask mask) {
    static const char *const names[] = {"all", "j<i", "j<=i", "j>i", "j>=i"};
    return names[mask];
}

const char *temper_method_name(temper_method method) {
    static const char *const names[] = {"hard", "temperature", "positions", "digits"};
    return names[method];
}

const char *temper_growth_name(temper_growth growth) {
    static const char *const names[] = {"none", "log n", "n", "n^2"};
    return names[growth];
}
