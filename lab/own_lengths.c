/* Whether scales of a user carry the five operators at given lengths, in a number format: yes by proof, no by a
   string that is hardest by construction and was run. Every row of the string counts: a factor may read i. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "lab/scale_proof.h"
#include "limits/word_runs.h"
#include "model/model.h"
#include "number/elementary.h"
#include "number/number_type.h"
#include "temper_lab.h"

enum { LENGTHS_MOST = 64, STRING_SHOWN = 200 };

static const size_t LONGEST = (size_t)1 << 24;

struct temper_lengths {
    arena memory;
    temper_length_row *rows;
    size_t count;
};

size_t temper_lengths_count(const temper_lengths *l) { return l->count; }
temper_length_row temper_lengths_at(const temper_lengths *l, size_t k) { return l->rows[k]; }

void temper_lengths_free(temper_lengths *l) {
    if (!l) return;
    arena_free(&l->memory);
    free(l);
}

/* One scale, one operator, one length. */
typedef struct question {
    lab *l;
    const schedule *s;
    const expression *scale; /* base times factor, as the model has it */
    operator_kind op;
    temper_type type;
    double base;
    size_t n, size; /* N */
    arena *memory, *scratch;
} question;

static double scale_at(const question *q, double i) {
    return expression_eval(q->scale, i, (double)q->n, (double)q->size);
}

/* ---- yes ---- */

static const char *const proved[SCHEDULED][2] = {
    {"O a"}, {"b S a", "Y a"}, {"#[a] >= #[b]"}, {"#[a] >= #>[b]"}, {"#[a] % 3 = 1"}};

static scale_proof *proof_of(const question *q, const char *formula) {
    return scale_proof_begin(trial_build(q->l, formula, q->scratch), q->type, q->scratch);
}

/* The rows of sentinels: a scale that overflows there breaks the run, too, and so does one of 0 that divides. */
static void add_sentinels(const question *q, double *low, double *high) {
    double start = scale_at(q, 0),
           end = scale_at(q, (double)q->size - 1); /* a letter's, if there is no end sentinel */
    bool divides = q->op == SCHEDULED_COMPARE || q->op == SCHEDULED_BALANCE;
    if (divides) *low = fmin(*low, fmin(start, end));
    *high = fmax(*high, fmax(start, end));
}

/* Once asks more of later rows, so that rows are taken a twentieth more at a time: row i is the last one of a string
   of i letters, but for its scale. The others ask for the same in every row. */
static bool rows_hold(const question *q, scale_proof *p, temper_length_cell *cell) {
    bool by_row = expression_uses(q->scale, EXPR_I), blocks = by_row && q->op == SCHEDULED_ONCE;
    for (size_t first = 1, last; first <= q->n; first = last + 1) {
        double low, high, error;
        last = !blocks || first + first / 20 > q->n ? q->n : first + first / 20;
        schedule_range(&low, &high, q->scale, q->s->name, (double)first, (double)last, (double)q->n, (double)q->size,
                       q->l->trap);
        add_sentinels(q, &low, &high);
        if (!scale_proof_holds(p, blocks ? last + 1 : q->size, low, high, &error, &cell->why)) return false;
        cell->error = fmax(cell->error, error);
    }
    return true;
}

static bool is_proved(const question *q, temper_length_cell *cell) {
    for (size_t k = 0; k < 2 && proved[q->op][k]; k++)
        if (!rows_hold(q, proof_of(q, proved[q->op][k]), cell)) return false;
    cell->answer = TEMPER_LENGTH_YES;
    cell->why = NULL;
    return true;
}

/* ---- no ---- */

/* What is left of the scale in row i beside what the operator asks for there. */
static double slack(const question *q, double i) {
    double c = scale_at(q, i);
    switch (q->op) {
    case SCHEDULED_ONCE: return c - log_f64(3 * i);
    case SCHEDULED_SINCE: return i > 1 ? c : INFINITY;
    default: return c / (i + 1);
    }
}

/* The row with the least, of several the last. */
static size_t hardest_row(const question *q) {
    size_t row = q->n;
    for (size_t i = q->n; expression_uses(q->scale, EXPR_I) && i > 0; i--)
        if (slack(q, (double)i) < slack(q, (double)row)) row = i;
    return row;
}

static double stored_key(const question *q, double i) {
    const number_format *f = number_type_of(q->type)->storage;
    return format_round(f, 1 + format_round(f, i / (double)q->size));
}

/* since: the last row beside which the keys before it weigh most as they are stored; two that meet weigh the same. */
static size_t closest_row(const question *q) {
    enum { BEFORE = 8 };
    size_t row = q->n;
    double most = 0;
    for (size_t i = q->n; i > 1; i--) {
        double c = scale_at(q, (double)i), key = stored_key(q, (double)i), rest = 0;
        for (size_t j = i > BEFORE ? i - BEFORE : 1; j < i; j++)
            rest += exp_f64(c * (stored_key(q, (double)j) - key));
        if (rest > most) most = rest, row = i;
    }
    return row;
}

static bool is_wrong(const question *q, trial_model *m, size_t which, size_t row, temper_length_cell *cell) {
    word_run *runs;
    arena *a = arena_alloc(q->scratch, 1, sizeof *a);
    arena_init(a, q->l->trap);
    arena_on_release(q->scratch, (void (*)(void *))arena_free, a);
    uint32_t *w = arena_alloc(a, q->n, sizeof *w);
    size_t letter = trial_string(w, q->op, which, q->n, row);
    bool wrong = trial_wrong_at(m, w, q->n, letter, a);
    if (wrong) {
        const temper_model *names = trial_build(q->l, trial_formula(q->op), a);
        size_t count = word_runs_of(&runs, w, q->n, a);
        const char *shown = word_runs_text(runs, count, &names->letters, STRING_SHOWN, a);
        *cell = (temper_length_cell){.answer = TEMPER_LENGTH_NO, .formula = trial_formula(q->op), .letter = letter};
        cell->string = arena_copy(q->memory, shown, strlen(shown));
    }
    arena_reset(a);
    return wrong;
}

static bool is_refuted(const question *q, temper_length_cell *cell) {
    trial_model *m = trial_make_in(q->l, q->s, q->op, q->base, q->type, q->scratch);
    size_t tried[3] = {0};
    for (size_t k = 0; k < (q->op == SCHEDULED_SINCE ? 3 : 2); k++) {
        tried[k] = k == 0 ? q->n : k == 1 ? hardest_row(q) : closest_row(q);
        if (k > 0 && (tried[k] == tried[0] || (k > 1 && tried[k] == tried[1]))) continue;
        for (size_t which = 0; which < trial_strings(q->op); which++)
            if (is_wrong(q, m, which, tried[k], cell)) return true;
    }
    return false;
}

static temper_length_cell decide(const question *q) {
    temper_length_cell cell = {0};
    if (!is_proved(q, &cell) && !is_refuted(q, &cell)) {
        cell.answer = TEMPER_LENGTH_OPEN;
        cell.why = arena_copy(q->memory, cell.why, strlen(cell.why));
    }
    return cell;
}

/* ---- all of them ---- */

typedef struct lengths_call {
    temper_lengths **out;
    const temper_schedule_options *options;
    const size_t *lengths;
    size_t count;
} lengths_call;

static void free_lengths(void *l) { temper_lengths_free(l); }

static void check(const lengths_call *c, trap *t) {
    const number_type *type = number_type_of(c->options->type);
    if (!type || !type->storage) trap_raise(t, TEMPER_RANGE, 0, 0, "a softmax needs a floating-point type");
    if (c->options->count > LENGTHS_MOST || c->count > LENGTHS_MOST)
        trap_raise(t, TEMPER_RANGE, 0, 0, "at most %d scales and lengths are looked at", LENGTHS_MOST);
    for (size_t k = 0; k < c->count; k++)
        if (c->lengths[k] < 1 || c->lengths[k] > LONGEST)
            trap_raise(t, TEMPER_RANGE, 0, 0, "the length %zu is not between 1 and %zu", c->lengths[k], LONGEST);
    if (!(c->options->base >= 0) || !isfinite(c->options->base))
        trap_raise(t, TEMPER_RANGE, 0, 0, "the base is no number");
}

static void decide_row(temper_lengths *all, const lengths_call *c, const schedule *s, size_t n, double base, lab *l,
                       arena *scratch) {
    temper_length_row *row = &all->rows[all->count];
    arena *a = &all->memory;
    const temper_schedule_options *o = c->options;
    *row = (temper_length_row){
        arena_copy(a, s->name, strlen(s->name)), arena_copy(a, s->factor, strlen(s->factor)), n, {{0}}};
    for (size_t op = 0; op < SCHEDULED; op++) {
        question q = {.l = l, .s = s, .op = (operator_kind)op, .type = o->type, .base = base, .n = n};
        q.size = n + (op == SCHEDULED_BALANCE ? 2 : 1);
        q.memory = a;
        q.scratch = scratch;
        arena_reset(scratch);
        q.scale = expression_make(scratch, "%.17g*(%s)", base, s->factor);
        double low, high;
        schedule_range(&low, &high, expression_make(scratch, "%s", s->factor), s->name, 0, (double)q.size - 1,
                       (double)n, (double)q.size, l->trap);
        row->cells[op] = decide(&q);
        size_t total = (o->count ? o->count : schedule_count) * c->count * SCHEDULED;
        if (o->progress && o->progress(o->context, all->count * SCHEDULED + op + 1, total))
            trap_raise(l->trap, TEMPER_LIMIT, 0, 0, "stopped");
    }
    all->count++;
}

static void make(entry *e, void *context) {
    const lengths_call *c = context;
    const temper_schedule_options *o = c->options;
    check(c, e->trap);
    temper_lengths *all = caller_alloc(e->trap, 1, sizeof *all);
    memset(all, 0, sizeof *all);
    arena_init(&all->memory, e->trap);
    entry_on_failure(e, free_lengths, all);
    double base = o->base > 0 ? o->base : sqrt(o->head_size ? (double)o->head_size : 128);
    size_t scales = o->count ? o->count : schedule_count;
    all->rows = arena_zalloc(&all->memory, scales * c->count, sizeof *all->rows);
    lab l = {.trap = e->trap, .random = 1};
    for (size_t k = 0; k < scales; k++) {
        schedule s = o->count
                         ? (schedule){.name = o->scales[k], .factor = schedule_factor(o->scales[k], &all->memory)}
                         : schedules[k];
        s.per_row = false; /* the scale itself reads i */
        expression_parse(&all->memory, s.factor, strlen(s.factor), 1, 1);
        for (size_t at = 0; at < c->count && !s.adaptive; at++)
            decide_row(all, c, &s, c->lengths[at], base, &l, &e->scratch);
    }
    all->memory.trap = NULL;
    *c->out = all;
}

temper_status temper_lengths_find(temper_lengths **out, const temper_schedule_options *options, const size_t *lengths,
                                  size_t count, temper_error *err) {
    lengths_call call = {out, options, lengths, count};
    *out = NULL;
    return entry_run(err, make, &call);
}
