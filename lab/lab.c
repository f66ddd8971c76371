/* The list of experiments, results as they are put together, and random numbers. */
#include "lab/lab.h"

#include "base/random.h"
#include "number/elementary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern const lab_experiment lab_gap, lab_languages, lab_ordinary, lab_precision, lab_schedules, lab_sequences,
    lab_zoo;

const lab_experiment *const lab_experiments[] = {&lab_gap,       &lab_languages, &lab_ordinary, &lab_precision,
                                                 &lab_schedules, &lab_sequences, &lab_zoo,      NULL};

const lab_experiment *lab_experiment_find(const char *name) {
    if (!strcmp(name, "stock")) name = "ordinary"; /* its name of before, until 1.0 */
    for (size_t k = 0; lab_experiments[k]; k++)
        if (!strcmp(lab_experiments[k]->name, name)) return lab_experiments[k];
    return NULL;
}

bool lab_holds(const lab *l) {
    for (size_t k = 0; k < l->claim_count; k++)
        if (!l->claims[k].holds) return false;
    return true;
}

/* ---- tables ---- */

static const char *keep(lab *l, const char *string) { return arena_copy(&l->memory, string, strlen(string)); }

lab_table *lab_table_add(lab *l, const char *name, const char *title, const lab_column *columns, size_t column_count,
                         size_t shown) {
    lab_table *t = arena_zalloc(&l->memory, 1, sizeof *t);
    *t = (lab_table){.lab = l,
                     .name = keep(l, name),
                     .title = keep(l, title),
                     .columns = columns,
                     .column_count = column_count,
                     .shown = shown};
    array_push(&l->memory, l->tables, l->table_count, l->table_capacity, t);
    return t;
}

static void put(lab_table *t, lab_type type, lab_cell cell) {
    const lab_column *column = &t->columns[t->cell_count % t->column_count];
    if (column->type != type)
        trap_raise(t->lab->trap, TEMPER_RANGE, 0, 0, "lab table %s: a cell of another type in column %s", t->name,
                   column->name);
    array_push(&t->lab->memory, t->cells, t->cell_count, t->capacity, cell);
}

void lab_put_text(lab_table *t, const char *string) { put(t, LAB_TEXT, (lab_cell){.text = keep(t->lab, string)}); }
void lab_put_number(lab_table *t, double x) { put(t, LAB_NUMBER, (lab_cell){.number = x}); }
void lab_put_count(lab_table *t, uint64_t k) { put(t, LAB_COUNT, (lab_cell){.count = k}); }
void lab_put_flag(lab_table *t, bool b) { put(t, LAB_FLAG, (lab_cell){.flag = b}); }

size_t lab_rows(const lab_table *t) { return t->cell_count / t->column_count; }

const lab_cell *lab_cell_at(const lab_table *t, size_t row, size_t column) {
    return &t->cells[row * t->column_count + column];
}

/* ---- claims, figures, notes ---- */

static const char *printed(lab *l, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = print_list(NULL, 0, format, again);
    va_end(again);
    if (length < 0) trap_raise(l->trap, TEMPER_RANGE, 0, 0, "lab: a text cannot be written");
    char *out = arena_alloc(&l->memory, (size_t)length + 1, 1);
    print_list(out, (size_t)length + 1, format, args);
    return out;
}

void lab_claim_add(lab *l, bool holds, const char *claim, const char *measured, ...) {
    va_list args;
    va_start(args, measured);
    lab_claim c = {keep(l, claim), printed(l, measured, args), l->about ? l->about : "", holds};
    va_end(args);
    array_push(&l->memory, l->claims, l->claim_count, l->claim_capacity, c);
}

const char *lab_text(lab *l, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *made = printed(l, format, args);
    va_end(args);
    return made;
}

void lab_note_add(lab *l, const lab_prose *prose, const char *value) {
    const char *gap = strstr(prose->text, "{}");
    text t;
    if (!gap != !value) trap_raise(l->trap, TEMPER_RANGE, 0, 0, "lab note %s: a value is missing", prose->title);
    text_init(&t, &l->memory);
    text_add(&t, prose->text, gap ? (size_t)(gap - prose->text) : strlen(prose->text));
    if (gap) {
        text_puts(&t, value);
        text_puts(&t, gap + 2);
    }
    lab_note n = {prose->title, text_string(&t)};
    array_push(&l->memory, l->notes, l->note_count, l->note_capacity, n);
}

void lab_figure_add(lab *l, const char *name, const chart *c) {
    if (l->claims_only) return;
    lab_figure f = {keep(l, name), keep(l, c->title), keep(l, c->caption ? c->caption : ""),
                    chart_svg(&l->memory, c)};
    array_push(&l->memory, l->figures, l->figure_count, l->figure_capacity, f);
}

void lab_about(lab *l, const char *figure) { l->about = keep(l, figure); }

void lab_progress(lab *l, uint64_t done, uint64_t total) {
    if (l->progress && l->progress(l->context, done, total))
        trap_raise(l->trap, TEMPER_LIMIT, 0, 0, "lab %s: stopped", l->experiment->name);
}

/* ---- random numbers ---- */

/* Mixed twice: streams that began at seed times the step would be one stream, shifted by one from seed to seed. */
void lab_reseed(lab *l, uint64_t part) { l->random = random_mix(random_mix(l->seed + RANDOM_STEP) + part); }

uint64_t lab_random(lab *l) { return random_next(&l->random); }

double lab_uniform(lab *l) { return ((double)(lab_random(l) >> 12) + 0.5) * 0x1p-52; }

double lab_normal(lab *l) {
    for (;;) {
        double x = 2 * lab_uniform(l) - 1, y = 2 * lab_uniform(l) - 1, r = x * x + y * y;
        if (r < 1 && r > 0) return x * sqrt(-2 * log_f64(r) / r);
    }
}
