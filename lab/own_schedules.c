/* How far softmax scales of a user carry the five operators, in a number format: the law of schedule_law.c says how
   far in real arithmetic, and models with these scales are run, in the format, at the length and with one letter
   more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "lab/reach_panel.h"
#include "lab/schedules.h"
#include "number/number_type.h"
#include "temper_lab.h"

_Static_assert((int)TEMPER_SCHEDULED == (int)SCHEDULED, "the public number of operators");

enum { OWN_MOST = 64, ALL_STRINGS = 4, RANDOM_STRINGS = 6 };

static const double EVERY = 1e15;

struct temper_schedules {
    arena memory;
    temper_schedule_row *rows;
    size_t count;
    double base;
    temper_type type;
};

size_t temper_schedules_count(const temper_schedules *s) { return s->count; }
temper_schedule_row temper_schedules_at(const temper_schedules *s, size_t k) { return s->rows[k]; }

void temper_schedules_free(temper_schedules *s) {
    if (!s) return;
    arena_free(&s->memory);
    free(s);
}

const char *temper_schedule_operator(size_t k) { return k < SCHEDULED ? operator_names[k] : ""; }

/* ---- one cell ---- */

typedef struct search {
    lab *l;
    trial_model *model;
    size_t good, bad; /* right up to good as far as was tried; wrong at bad, SIZE_MAX: nowhere */
    arena *scratch;
} search;

/* All short strings; then the worst one, and a few random ones, of this length: a cell says that one letter more than
   it has is wrong. */
static bool is_right(search *s, size_t n) {
    arena_reset(s->scratch);
    if (n <= ALL_STRINGS) return trial_all(s->model, n, s->scratch);
    if (!trial_worst(s->model, n, s->scratch)) return false;
    return trial_random(s->model, s->l, n, n, n < 300 ? RANDOM_STRINGS : 1, s->scratch) == 0;
}

static void try_length(search *s, size_t n) {
    if (n <= s->good || n >= s->bad) return;
    *(is_right(s, n) ? &s->good : &s->bad) = n;
}

/* Every short length, then a fifth more each time, and where the law ends; then what lies between. */
static void find(search *s, size_t longest, double law, double farthest) {
    for (size_t n = 1; n <= longest && s->bad == SIZE_MAX; n = n < 48 ? n + 1 : n + n / 5) try_length(s, n);
    if (s->bad == SIZE_MAX) try_length(s, longest);
    for (size_t more = 0; more < 2; more++)
        if (law + (double)more <= farthest) try_length(s, (size_t)law + more);
    while (s->bad != SIZE_MAX && s->bad - s->good > 1) try_length(s, s->good + (s->bad - s->good) / 2);
}

/* Up to here lengths are tried; what looks at all pairs of positions takes the square. */
static size_t longest_of(bool pairs, operator_kind op) {
    if (op == SCHEDULED_BALANCE || op == SCHEDULED_LOOKUP) return pairs ? 200 : 400;
    return pairs ? 1000 : 4000;
}

static temper_schedule_cell cell_of(lab *l, const schedule *s, const expression *factor, operator_kind op,
                                    const temper_schedule_options *o, double base, arena *model, arena *scratch) {
    search x = {.l = l, .bad = SIZE_MAX, .scratch = scratch};
    double law = schedule_law(factor, op, base, EVERY);
    bool by_row = expression_uses(factor, EXPR_I), in_passes = op == SCHEDULED_ONCE || op == SCHEDULED_SINCE;
    bool pairs = by_row || (number_type_is_emulated(o->type) && !in_passes);
    x.model = trial_make_in(l, s, op, base, o->type, model);
    find(&x, longest_of(pairs, op), law, pairs ? 3000 : 100000); /* and where the law ends, if it is not too far */
    arena_reset(model);
    return (temper_schedule_cell){.reach = x.good, .ends = x.bad != SIZE_MAX, .law = law >= EVERY ? INFINITY : law};
}

/* ---- all of them ---- */

typedef struct schedules_call {
    temper_schedules **out;
    const temper_schedule_options *options;
} schedules_call;

static void free_schedules(void *s) { temper_schedules_free(s); }

/* At some lengths, in the rows of the start sentinel, of the first letter and of the last one. */
static void require_factor(const expression *e, const char *written, trap *t) {
    double low, high;
    for (double n = 1; n < 2000; n = floor(n * 1.5) + 1) {
        schedule_range(&low, &high, e, written, 0, 1, n, n + 1, t);
        schedule_range(&low, &high, e, written, n, n, n, n + 1, t);
    }
}

static void make(entry *e, void *context) {
    const schedules_call *c = context;
    const temper_schedule_options *o = c->options;
    const number_type *type = number_type_of(o->type);
    if (!type || !type->storage) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "a softmax needs a floating-point type");
    if (o->count > OWN_MOST) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "at most %d scales are compared", OWN_MOST);
    if (!(o->base >= 0) || !isfinite(o->base)) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the base is no number");
    temper_schedules *all = caller_alloc(e->trap, 1, sizeof *all);
    memset(all, 0, sizeof *all);
    arena_init(&all->memory, e->trap);
    entry_on_failure(e, free_schedules, all);
    all->base = o->base > 0 ? o->base : sqrt(o->head_size ? (double)o->head_size : 128);
    all->type = o->type;
    size_t published = o->published ? schedule_count : 0, done = 0;
    all->rows = arena_zalloc(&all->memory, o->count + published, sizeof *all->rows);
    lab l = {.trap = e->trap, .random = 1};
    arena *model = arena_alloc(&all->memory, 1, sizeof *model);
    arena_init(model, e->trap);
    arena_on_release(&all->memory, (void (*)(void *))arena_free, model);
    for (size_t k = 0; k < o->count + published; k++) {
        schedule s = k < o->count
                         ? (schedule){.name = o->scales[k], .factor = schedule_factor(o->scales[k], &all->memory)}
                         : schedules[k - o->count];
        if (s.adaptive) continue; /* no fixed scale */
        const expression *factor = expression_parse(&all->memory, s.factor, strlen(s.factor), 1, 1);
        require_factor(factor, s.name, e->trap);
        s.per_row = false; /* the scale itself reads i */
        temper_schedule_row *row = &all->rows[all->count++];
        row->name = arena_copy(&all->memory, s.name, strlen(s.name));
        row->factor = arena_copy(&all->memory, s.factor, strlen(s.factor));
        row->own = k < o->count;
        for (size_t op = 0; op < SCHEDULED; op++, done++) {
            row->cells[op] = cell_of(&l, &s, factor, (operator_kind)op, o, all->base, model, &e->scratch);
            if (o->progress && o->progress(o->context, done + 1, (o->count + published) * SCHEDULED))
                trap_raise(e->trap, TEMPER_LIMIT, 0, 0, "stopped");
        }
    }
    all->memory.trap = model->trap = NULL;
    *c->out = all;
}

temper_status temper_schedules_find(temper_schedules **out, const temper_schedule_options *options,
                                    temper_error *err) {
    schedules_call call = {out, options};
    *out = NULL;
    return entry_run(err, make, &call);
}

/* ---- a figure ---- */

enum { EDGE = 200000 };

typedef struct draw_call {
    char **out;
    const temper_schedules *s;
} draw_call;

static chart_panel panel_of(arena *a, const temper_schedules *s, size_t op, const char **names) {
    const temper_schedule_cell **cells = arena_alloc(a, s->count, sizeof *cells);
    for (size_t k = 0; k < s->count; k++) cells[k] = &s->rows[k].cells[op];
    return reach_panel(a, operator_names[op], op, cells, names, s->count, EDGE);
}

static void draw(entry *e, void *context) {
    const draw_call *c = context;
    const temper_schedules *s = c->s;
    chart_panel panels[SCHEDULED];
    const char **names = arena_alloc(&e->memory, s->count, sizeof *names);
    text title;
    for (size_t k = 0; k < s->count; k++) names[s->count - 1 - k] = s->rows[k].name;
    for (size_t op = 0; op < SCHEDULED; op++) panels[op] = panel_of(&e->memory, s, op, names);
    text_init(&title, &e->memory);
    text_printf(&title, "How far these scales carry each operator in %s, base %.4g", temper_type_name(s->type),
                s->base);
    chart drawing = {.title = text_string(&title),
                     .caption =
                         "Coloured mark: the longest worst string that is right; one letter more was run and is "
                         "wrong. Faint mark: the same in real arithmetic. A line to the right edge: every "
                         "length by the law, and nothing wrong as far as strings were run.",
                     .panels = panels,
                     .panel_count = SCHEDULED,
                     .columns = SCHEDULED,
                     .panel_width = 116,
                     .panel_height = 24 + 18 * (double)s->count,
                     .shared_y = true};
    const char *picture = chart_svg(&e->memory, &drawing);
    *c->out = entry_hand_out(e, picture, strlen(picture));
}

temper_status temper_schedules_draw(char **svg, const temper_schedules *found, temper_error *err) {
    draw_call call = {svg, found};
    *svg = NULL;
    return entry_run(err, draw, &call);
}
