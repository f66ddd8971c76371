/* How far terms of a logit that depend on i - j carry operators, in a number format: the law of bias_law.c is proved
   in real arithmetic; models with these terms are run, in the format, at the length and with one letter more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "lab/biases.h"
#include "lab/reach_panel.h"
#include "lab/schedules.h"
#include "number/elementary.h"
#include "number/number_type.h"
#include "temper_lab.h"

_Static_assert((int)TEMPER_BIASED == (int)BIASED, "the public number of operators");

enum { BIASES_MOST = 64, ALL_STRINGS = 5, RANDOM_STRINGS = 6, LAW_MOST = 50000, PAIRS = 64 };

struct temper_biases {
    arena memory;
    temper_bias_row *rows;
    size_t count;
    double base;
    temper_type type;
};

size_t temper_biases_count(const temper_biases *b) { return b->count; }
temper_bias_row temper_biases_at(const temper_biases *b, size_t k) { return b->rows[k]; }

void temper_biases_free(temper_biases *b) {
    if (!b) return;
    arena_free(&b->memory);
    free(b);
}

const char *temper_bias_operator(size_t k) { return k < BIASED ? biased_names[k] : ""; }

/* ---- published terms ---- */

/* The frequency of pair k of rotary positions with base 10,000. */
static double frequency(size_t k) { return exp_f64(-log_f64(10000) * (double)k / PAIRS); }

/* The mean of the waves first .. first + count - 1: a balanced sum, for chains are bounded. */
static void put_waves(text *t, size_t first, size_t count) {
    if (count == 1) {
        text_printf(t, "cos(d*%.10g)", frequency(first));
        return;
    }
    text_putc(t, '(');
    put_waves(t, first, count / 2);
    text_printf(t, " + ");
    put_waves(t, first + count / 2, count - count / 2);
    text_putc(t, ')');
}

typedef struct named_bias {
    const char *name, *bias;
} named_bias;

enum { PUBLISHED = 8 };

static const char *wave(arena *a, double height, size_t first, size_t count) {
    text t;
    text_init(&t, a);
    text_printf(&t, "%.10g*", height);
    put_waves(&t, first, count);
    return text_string(&t);
}

/* ALiBi's slopes of eight heads are 1/2, 1/4, ..., 1/256. A rotary head whose content is all in other pairs has a
   wave of each pair that it leaves to positions, at most as high as the base; with all pairs it is their mean. */
static void publish(named_bias out[PUBLISHED], double base, arena *a) {
    out[0] = (named_bias){"none", "0"};
    out[1] = (named_bias){"ALiBi, slope 1/2", "-d/2"};
    out[2] = (named_bias){"ALiBi, slope 1/16", "-d/16"};
    out[3] = (named_bias){"ALiBi, slope 1/256", "-d/256"};
    out[4] = (named_bias){"RoPE, first pair", wave(a, base, 0, 1)};
    out[5] = (named_bias){"RoPE, middle pair", wave(a, base, PAIRS / 2, 1)};
    out[6] = (named_bias){"RoPE, last pair", wave(a, base, PAIRS - 1, 1)};
    out[7] = (named_bias){"RoPE, all pairs", wave(a, base / PAIRS, 0, PAIRS)};
}

/* ---- one cell ---- */

typedef struct search {
    lab *l;
    const biased_head *head;
    const biased_model *model;
    biased_kind op;
    size_t good, bad; /* right up to good as far as was tried; wrong at bad, SIZE_MAX: nowhere */
    arena *scratch;
} search;

static bool all_right(search *s, size_t n) {
    uint32_t w[ALL_STRINGS];
    size_t count = 1;
    for (size_t j = 0; j < n; j++) count *= 3;
    for (size_t number = 0; number < count; number++) {
        for (size_t j = 0, rest = number; j < n; j++, rest /= 3) w[j] = (uint32_t)(rest % 3);
        if (!biased_right(s->model, w, n, s->l->trap)) return false;
    }
    return true;
}

/* All short strings; then the worst ones, and a few random ones of this length. */
static bool is_right(search *s, size_t n) {
    arena_reset(s->scratch);
    if (n <= ALL_STRINGS) return all_right(s, n);
    uint32_t *w = arena_alloc(s->scratch, n, sizeof *w);
    for (size_t k = 0; k < BIAS_WORST; k++)
        if (bias_worst(w, s->head, s->op, n, k, s->scratch) && !biased_right(s->model, w, n, s->l->trap))
            return false;
    for (size_t k = 0; k < (n < 300 ? RANDOM_STRINGS : 1); k++) {
        size_t common = lab_random(s->l) % 3;
        for (size_t j = 0; j < n; j++) w[j] = (uint32_t)(lab_random(s->l) % 8 ? common : lab_random(s->l) % 3);
        if (!biased_right(s->model, w, n, s->l->trap)) return false;
    }
    return true;
}

static void try_length(search *s, size_t n) {
    if (n <= s->good || n >= s->bad) return;
    *(is_right(s, n) ? &s->good : &s->bad) = n;
}

/* Every short length, then a fifth more each time, and where the law ends; then what lies between. */
static void find(search *s, size_t longest, size_t law) {
    for (size_t n = 1; n <= longest && s->bad == SIZE_MAX; n = n < 48 ? n + 1 : n + n / 5) try_length(s, n);
    if (s->bad == SIZE_MAX) try_length(s, longest);
    for (size_t more = 0; more < 2; more++)
        if (law + more <= LAW_MOST) try_length(s, law + more);
    while (s->bad != SIZE_MAX && s->bad - s->good > 1) try_length(s, s->good + (s->bad - s->good) / 2);
}

static temper_bias_cell cell_of(lab *l, const biased_head *h, biased_kind op, temper_type type, arena *model,
                                arena *scratch) {
    bool every;
    double law = bias_law(h, op, LAW_MOST, &every, scratch);
    search x = {.l = l, .head = h, .op = op, .bad = SIZE_MAX, .scratch = scratch};
    x.model = biased_make(h, op, type, model);
    find(&x, op == BIASED_COMPARE ? 600 : 2000, (size_t)law);
    arena_reset(model);
    return (temper_bias_cell){.reach = x.good, .ends = x.bad != SIZE_MAX, .law = every ? INFINITY : law};
}

/* ---- all of them ---- */

typedef struct biases_call {
    temper_biases **out;
    const temper_bias_options *options;
} biases_call;

typedef struct work {
    const temper_bias_options *o;
    temper_biases *all;
    lab l;
    arena *model, *scratch;
    size_t done, total;
} work;

static void add_row(work *w, const char *name, const char *bias, const char *factor, bool own, trap *t) {
    arena *a = &w->all->memory;
    text content, shown;
    text_init(&content, a);
    text_printf(&content, "%.17g*(%s)", w->all->base, factor);
    biased_head h = biased_read(bias, text_string(&content), a);
    temper_bias_row *row = &w->all->rows[w->all->count++];
    text_init(&shown, a);
    text_printf(&shown, "%s%s%s", name, strcmp(factor, "1") ? ", scale " : "", strcmp(factor, "1") ? factor : "");
    *row = (temper_bias_row){text_string(&shown), h.bias, arena_copy(a, factor, strlen(factor)), own, {{0}}};
    for (size_t op = 0; op < BIASED; op++) {
        row->cells[op] = cell_of(&w->l, &h, (biased_kind)op, w->o->type, w->model, w->scratch);
        if (w->o->progress && w->o->progress(w->o->context, ++w->done, w->total))
            trap_raise(t, TEMPER_LIMIT, 0, 0, "stopped");
    }
}

static void free_biases(void *b) { temper_biases_free(b); }

static void make(entry *e, void *context) {
    const biases_call *c = context;
    const temper_bias_options *o = c->options;
    const number_type *type = number_type_of(o->type);
    if (!type || !type->storage) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "a softmax needs a floating-point type");
    if (o->count > BIASES_MOST || o->scale_count > BIASES_MOST)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "at most %d biases and %d scales are compared", BIASES_MOST,
                   BIASES_MOST);
    if (!(o->base >= 0) || !isfinite(o->base)) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the base is no number");
    temper_biases *all = caller_alloc(e->trap, 1, sizeof *all);
    memset(all, 0, sizeof *all);
    arena_init(&all->memory, e->trap);
    entry_on_failure(e, free_biases, all);
    all->base = o->base > 0 ? o->base : sqrt(o->head_size ? (double)o->head_size : 128);
    all->type = o->type;
    arena *model = arena_alloc(&all->memory, 1, sizeof *model);
    arena_init(model, e->trap);
    arena_on_release(&all->memory, (void (*)(void *))arena_free, model);
    named_bias published[PUBLISHED];
    size_t known = o->published ? PUBLISHED : 0, rows = o->count * (1 + o->scale_count) + known;
    publish(published, all->base, &all->memory);
    all->rows = arena_zalloc(&all->memory, rows, sizeof *all->rows);
    work w = {.o = o,
              .all = all,
              .l = {.trap = e->trap, .random = 1},
              .model = model,
              .scratch = &e->scratch,
              .total = rows * BIASED};
    for (size_t k = 0; k < o->count; k++)
        for (size_t s = 0; s <= o->scale_count; s++)
            add_row(&w, o->biases[k], o->biases[k], s ? schedule_factor(o->scales[s - 1], &w.all->memory) : "1", true,
                    e->trap);
    for (size_t k = 0; k < known; k++) add_row(&w, published[k].name, published[k].bias, "1", false, e->trap);
    all->memory.trap = model->trap = NULL;
    *c->out = all;
}

temper_status temper_biases_find(temper_biases **out, const temper_bias_options *options, temper_error *err) {
    biases_call call = {out, options};
    *out = NULL;
    return entry_run(err, make, &call);
}

/* ---- a figure ---- */

enum { EDGE = 60000 };

typedef struct draw_call {
    char **out;
    const temper_biases *b;
} draw_call;

static chart_panel panel_of(arena *a, const temper_biases *b, size_t op, const char **names) {
    const temper_schedule_cell **cells = arena_alloc(a, b->count, sizeof *cells);
    for (size_t k = 0; k < b->count; k++) cells[k] = &b->rows[k].cells[op];
    return reach_panel(a, biased_names[op], op, cells, names, b->count, EDGE);
}

static void draw(entry *e, void *context) {
    const draw_call *c = context;
    const temper_biases *b = c->b;
    chart_panel panels[BIASED];
    const char **names = arena_alloc(&e->memory, b->count, sizeof *names);
    text title;
    for (size_t k = 0; k < b->count; k++) names[b->count - 1 - k] = b->rows[k].name;
    for (size_t op = 0; op < BIASED; op++) panels[op] = panel_of(&e->memory, b, op, names);
    text_init(&title, &e->memory);
    text_printf(&title, "How far these biases of i − j carry each operator in %s, base %.4g",
                temper_type_name(b->type), b->base);
    chart drawing = {.title = text_string(&title),
                     .caption =
                         "Coloured mark: the longest worst string that is right; one letter more was run and is "
                         "wrong. Faint mark: proved up to here in real arithmetic. A line to the right edge: "
                         "proved at every length, and nothing wrong as far as strings were run.",
                     .panels = panels,
                     .panel_count = BIASED,
                     .columns = BIASED,
                     .panel_width = 140,
                     .panel_height = 24 + 18 * (double)b->count,
                     .shared_y = true};
    const char *picture = chart_svg(&e->memory, &drawing);
    *c->out = entry_hand_out(e, picture, strlen(picture));
}

temper_status temper_biases_draw(char **svg, const temper_biases *found, temper_error *err) {
    draw_call call = {svg, found};
    *svg = NULL;
    return entry_run(err, draw, &call);
}
