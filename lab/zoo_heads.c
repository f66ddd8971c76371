/* Compiled heads with another normaliser: up to which length are their decisions right? */
#include "lab/mechanism_search.h"
#include "lab/zoo.h"

#include <math.h>
#include <string.h>

/* 2, 3, 4, 6, 8, 12, ... up to `most`. */
static size_t list_lengths(size_t *out, size_t most) {
    size_t count = 0;
    for (size_t n = 2; n <= most; n *= 2) {
        out[count++] = n;
        if (n + n / 2 <= most) out[count++] = n + n / 2;
    }
    return count;
}

static size_t reach_of(const lab_table *t, const char *name, const char *kind) {
    for (size_t r = 0; r < lab_rows(t); r++)
        if (!strcmp(lab_cell_at(t, r, 0)->text, name) && !strcmp(lab_cell_at(t, r, 1)->text, kind))
            return (size_t)lab_cell_at(t, r, 2)->count;
    return 0;
}

/* One panel per head, the mechanisms below one another. A mechanism that goes all the way has a line to the edge. */
static void draw(lab *l, const size_t (*reach)[HEAD_KINDS], size_t most) {
    size_t count = mechanism_count();
    const char **names = arena_alloc(&l->memory, count, sizeof *names);
    chart_panel panels[HEAD_KINDS];
    chart_series series[HEAD_KINDS][2];
    for (size_t k = 0; k < count; k++) names[count - 1 - k] = mechanism_at(k)->name; /* the first on top */
    for (size_t h = 0; h < HEAD_KINDS; h++) {
        double *x = arena_alloc(&l->memory, count, sizeof *x), *y = arena_alloc(&l->memory, count, sizeof *y);
        double *line_x = arena_alloc(&l->memory, 3 * count, sizeof *x),
               *line_y = arena_alloc(&l->memory, 3 * count, sizeof *y);
        for (size_t k = 0; k < count; k++) {
            x[k] = reach[k][h] ? (double)reach[k][h] : 1;
            y[k] = (double)(count - 1 - k);
            line_x[3 * k] = 1, line_x[3 * k + 1] = x[k], line_x[3 * k + 2] = NAN; /* a gap before the next */
            line_y[3 * k] = line_y[3 * k + 1] = line_y[3 * k + 2] = y[k];
        }
        series[h][0] = (chart_series){"", line_x, line_y, 3 * count, DRAW_LINE, (int)h + 1};
        series[h][1] = (chart_series){"", x, y, count, DRAW_MARKERS, (int)h + 1};
        panels[h] = (chart_panel){head_kind_names[h],
                                  {"length", SCALE_LOG, 0.9, (double)most * 1.2, NULL, 0},
                                  {"", SCALE_NAMES, 0, 0, names, count},
                                  series[h],
                                  2,
                                  NULL,
                                  0};
    }
    chart c = {
        "Which mechanisms can run compiled models, and how far",
        "The largest length at which every decision of a head is right (1: not even 2), with the scale and shift "
        "that suit the mechanism best at each length, on "
        "adversarial rows. Costly mechanisms (Sinkhorn, SOFT with landmarks) were tried to smaller lengths only.",
        panels,
        HEAD_KINDS,
        HEAD_KINDS,
        150,
        15 * (double)count,
        true,
        false};
    lab_figure_add(l, "heads", &c);
}

/* Lengths that are tried: all of them, and the first `few` for costly mechanisms. */
typedef struct ladder {
    size_t lengths[32], count, few;
} ladder;

static ladder make_ladder(bool quick) {
    ladder x = {.count = 0};
    x.count = list_lengths(x.lengths, quick ? 256 : 8192);
    while (x.few < x.count && x.lengths[x.few] <= (quick ? 16 : 128)) x.few++;
    return x;
}

static size_t last_tried(const ladder *x, const mechanism *m) {
    return x->lengths[(mechanism_is_costly(m) ? x->few : x->count) - 1];
}

size_t zoo_heads_cells(bool quick) {
    (void)quick;
    return mechanism_count();
}

void zoo_heads_cell(text *result, lab *l, size_t cell, arena *scratch) {
    const mechanism *m = mechanism_at(cell);
    ladder x = make_ladder(l->quick);
    size_t most = x.lengths[x.count - 1];
    search_room room = {arena_alloc(&l->memory, most, sizeof(double)), arena_alloc(&l->memory, most, sizeof(double)),
                        most, scratch};
    for (size_t h = 0; h < HEAD_KINDS; h++) {
        score_map map = {NAN, NAN, NAN};
        lab_bytes_count(result, mechanism_reach(&map, m, (head_kind)h, x.lengths,
                                                mechanism_is_costly(m) ? x.few : x.count, &room));
        lab_bytes_number(result, map.scale);
        lab_bytes_number(result, map.anchor);
        lab_bytes_number(result, map.offset);
        lab_progress(l, h + 1, HEAD_KINDS);
    }
}

void zoo_heads(lab *l, arena *scratch) {
    static const lab_column columns[] = {
        {"mechanism", LAB_TEXT, "name"},
        {"head", LAB_TEXT, "once, since, count or compare"},
        {"length", LAB_COUNT, "largest length such that it and all smaller ones tried are right; 0: none"},
        {"tried", LAB_COUNT, "largest length tried"},
        {"scale", LAB_NUMBER, "that it was right with"},
        {"anchor", LAB_NUMBER, "score that the map sends to the offset (compare: added to the sentinel)"},
        {"offset", LAB_NUMBER, "added after scaling (compare: the others' score)"}};
    static const lab_column summary[] = {
        {"mechanism", LAB_TEXT, "name"},  {"once", LAB_COUNT, "length"},
        {"since", LAB_COUNT, "length"},   {"count", LAB_COUNT, "length"},
        {"compare", LAB_COUNT, "length"}, {"runs_models", LAB_FLAG, "all four, to the longest tried"}};
    ladder x = make_ladder(l->quick);
    size_t most = x.lengths[x.count - 1];
    (void)scratch;
    lab_table *t = LAB_TABLE(l, "heads", "Compiled heads with another normaliser", columns, 0);
    lab_table *s =
        LAB_TABLE(l, "lengths", "The largest length at which compiled heads decide rightly", summary, SIZE_MAX);
    size_t(*reach)[HEAD_KINDS] = arena_zalloc(&l->memory, mechanism_count(), sizeof *reach);
    size_t able = 0;
    for (size_t k = 0; k < mechanism_count(); k++) {
        const mechanism *m = mechanism_at(k);
        lab_reader r = lab_cell_read(l, k);
        bool all = true;
        for (size_t h = 0; h < HEAD_KINDS; h++) {
            reach[k][h] = lab_read_below(&r, most + 1);
            all = all && reach[k][h] == last_tried(&x, m);
            lab_put_text(t, m->name);
            lab_put_text(t, head_kind_names[h]);
            lab_put_count(t, reach[k][h]);
            lab_put_count(t, last_tried(&x, m));
            lab_put_number(t, lab_read_number(&r));
            lab_put_number(t, lab_read_number(&r));
            lab_put_number(t, lab_read_number(&r));
        }
        lab_read_end(&r);
        able += all;
        lab_put_text(s, m->name);
        for (size_t h = 0; h < HEAD_KINDS; h++) lab_put_count(s, reach[k][h]);
        lab_put_flag(s, all);
    }
    draw(l, (const size_t(*)[HEAD_KINDS])reach, most);

    static const char *const runners[] = {"softmax",      "log-n",  "ssmax",    "focal",    "softermax",
                                          "differential", "affine", "integral", "sparsemax"};
    bool fine = true;
    for (size_t k = 0; k < sizeof runners / sizeof *runners; k++)
        for (size_t h = 0; h < HEAD_KINDS; h++) fine = fine && reach_of(t, runners[k], head_kind_names[h]) == most;
    lab_claim_add(l, fine,
                  "Softmax at any temperature schedule, differential, affine and integral attention and sparsemax "
                  "run all four heads",
                  "all lengths to %zu; %zu of %zu mechanisms run all four to the longest length tried", most, able,
                  mechanism_count());
    size_t ceiling = reach_of(t, "softermax-fixed", "count"), bottom = reach_of(t, "softermax-floor", "count");
    lab_claim_add(l, ceiling < 256 && bottom < 256,
                  "Softermax in its fixed-point widths cannot average over 256 keys",
                  "its count head is right up to length %zu (ceiling) and %zu (floor)", ceiling, bottom);
    size_t once = reach_of(t, "sinkhorn", "once"), mean = reach_of(t, "sinkhorn", "count");
    lab_claim_add(l, once == 0 && mean == x.lengths[x.few - 1],
                  "Sinkhorn cannot let two queries read one key, but averages", "once is right to %zu, count to %zu",
                  once, mean);
    size_t since = reach_of(t, "hardmax-average", "since"), left = reach_of(t, "hardmax-leftmost", "count");
    lab_claim_add(l, since == most && left < 3,
                  "Average-hard attention runs since; unique-hard attention cannot count",
                  "average: since to %zu; leftmost: count to %zu", since, left);
}
