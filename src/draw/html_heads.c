/* Layer by layer, each head as a table of cells: rows are queries, columns keys, shades weights. What is exact stands
   in the tooltips: weight, score, logit, the hard weight and the value. */
#include "draw/html.h"

#include <math.h>
#include <string.h>

enum {
    HEAT_CELLS = 100000, /* on the page; beyond it cells are blocks */
    PART_CELLS = 12000,  /* of a part of a page: all are written out */
    NUMBERED = 24,       /* positions up to which weights are written into the cells */
    VALUES_SHOWN = 3,
    VALUES_TOLD = 32,
    LABEL_SHOWN = 80
};

void html_fit(html_page *p) {
    heat_map *m = &p->map;
    if (!m->panel_count) return;
    size_t most = (size_t)sqrt((double)(p->is_part ? PART_CELLS : HEAT_CELLS) / (double)m->panel_count);
    if (m->size > most) heat_map_fit(m, most);
}

/* ---- one row ---- */

typedef struct row_view {
    const double *weights, *scores, *logits, *hard; /* [N] of the row; all but weights: may be NULL */
    double winner;                                  /* the weight whose keys are outlined; NaN: none is */
} row_view;

static row_view view_row(const html_page *p, const heat_panel *panel, size_t i) {
    size_t size = p->map.size, layer = panel->layer, head = panel->head;
    const double *scores = temper_run_head(p->run, layer, head).scores;
    const double *hard = p->hard ? temper_run_head(p->hard, layer, head).weights : NULL;
    const double *logits = temper_run_head(p->run, layer, head).logits;
    row_view v = {.weights = panel->weights + i * size};
    if (scores) v.scores = scores + i * size;
    if (logits) v.logits = logits + i * size;
    if (hard && panel->info.hard_choice != TEMPER_CHOICE_SOFTMAX) v.hard = hard + i * size;
    v.winner = heat_winner(v.hard ? v.hard : v.weights, panel, i, size);
    return v;
}

/* ---- cells ---- */

static void put_fact(html *h, const char *name, double x) {
    markup_raw(h, html_newline);
    markup_put(h, name);
    html_number(h, x, 0);
}

static void put_vector(html *h, const double *values, size_t count, size_t most, int digits) {
    for (size_t k = 0; k < count && k < most; k++) {
        if (k) markup_put(h, " ");
        html_number(h, values[k], digits);
    }
    if (count > most) markup_put(h, " \u2026");
}

static void put_class(html_page *p, double weight, bool wins) {
    if (isnan(weight)) {
        p->broken = true;
        markup_string(&p->out, "class", "nan");
    } else {
        html_format(&p->out, "class", "s%d%s", (int)(heat_shade(weight) * (HTML_SHADES - 1) + 0.5), wins ? " w" : "");
    }
}

static const char *letter_name(const html_page *p, size_t position) {
    return position == 0 ? "start" : position > p->map.n ? "end" : p->letters[position];
}

static void put_facts(html_page *p, const heat_panel *panel, const row_view *v, size_t i, size_t j) {
    html *h = &p->out;
    html_title_begin(h);
    html_print(h, "query %zu ", i);
    markup_put(h, letter_name(p, i));
    html_print(h, ", key %zu ", j);
    markup_put(h, letter_name(p, j));
    put_fact(h, "weight ", v->weights[j]);
    if (v->scores) put_fact(h, "score ", v->scores[j]);
    if (v->logits) put_fact(h, "logit ", v->logits[j]);
    if (v->hard && p->hard != p->run) put_fact(h, "hard weight ", v->hard[j]);
    const double *value = temper_run_row(p->run, panel->layer, panel->head, j).value;
    if (value && panel->info.value_size) {
        markup_raw(h, html_newline);
        markup_put(h, "value ");
        put_vector(h, value, panel->info.value_size, VALUES_TOLD, 0);
    }
    html_title_end(h);
}

static void put_cell(html_page *p, const heat_panel *panel, const row_view *v, size_t i, size_t j) {
    html *h = &p->out;
    double weight = v->weights[j];
    char number[8];
    markup_open(h, "td");
    put_class(p, weight, (v->hard ? v->hard : v->weights)[j] == v->winner);
    if (!p->is_part || p->map.size <= NUMBERED) put_facts(p, panel, v, i, j);
    if (p->map.size <= NUMBERED) markup_put(h, heat_short(number, weight));
    html_close(h);
}

static void put_block(html_page *p, size_t row, size_t column, double weight) {
    html *h = &p->out;
    const heat_map *m = &p->map;
    markup_open(h, "td");
    put_class(p, weight, false);
    html_title_begin(h);
    html_print(h, "queries %zu\u2013%zu, keys %zu\u2013%zu", heat_map_first(m, row), heat_map_last(m, row),
               heat_map_first(m, column), heat_map_last(m, column));
    put_fact(h, "largest weight ", weight);
    html_title_end(h);
    html_close(h);
}

static void put_masked(html *h) {
    markup_open(h, "td");
    markup_string(h, "class", "m");
    html_close(h);
}

static void put_output(html_page *p, const heat_panel *panel, size_t i) {
    html *h = &p->out;
    const double *out = temper_run_row(p->run, panel->layer, panel->head, i).output;
    size_t count = out ? panel->info.value_size : 0;
    markup_open(h, "td");
    markup_string(h, "class", "o");
    html_title_begin(h);
    html_print(h, "output at %zu ", i);
    markup_put(h, letter_name(p, i));
    markup_raw(h, html_newline);
    put_vector(h, out, count, VALUES_TOLD, 0);
    html_title_end(h);
    put_vector(h, out, count, VALUES_SHOWN, 6);
    html_close(h);
}

/* Cells of large heads are made by the script: written out they would take megabytes. */
static bool is_packed(const html_page *p) { return !p->is_part && p->map.block == 1 && p->map.size > NUMBERED; }

static void put_row(html_page *p, const heat_panel *panel, size_t row) {
    html *h = &p->out;
    const heat_map *m = &p->map;
    markup_open(h, "tr");
    markup_open(h, "th");
    markup_string(h, "scope", "row");
    markup_open(h, "small");
    if (m->block == 1)
        html_print(h, "%zu", row);
    else
        html_print(h, "%zu\u2013%zu", heat_map_first(m, row), heat_map_last(m, row));
    html_close(h);
    if (m->block == 1) {
        markup_open(h, "b");
        if (row == 0 || row > m->n) markup_string(h, "class", "sentinel");
        markup_string(h, "title", row == 0 ? "start sentinel" : row > m->n ? "end sentinel" : p->letters[row]);
        markup_put(h, p->letters[row]);
        html_close(h);
    }
    html_close(h);
    row_view v = {0};
    if (m->block == 1 && !is_packed(p)) v = view_row(p, panel, row);
    for (size_t column = 0; column < m->cells && !is_packed(p); column++) {
        double weight;
        if (!heat_map_weight(&weight, m, panel, row, column))
            put_masked(h);
        else if (m->block == 1)
            put_cell(p, panel, &v, row, column);
        else
            put_block(p, row, column, weight);
    }
    if (m->block == 1) put_output(p, panel, row);
    html_close(h);
}

/* ---- heads and layers ---- */

static const char *detail_of(const html_page *p, const heat_panel *panel) {
    const temper_head_info *info = &panel->info;
    if (!p->is_hard || info->choice != TEMPER_CHOICE_SOFTMAX) return panel->detail;
    text t;
    text_init(&t, p->arena);
    if (*info->role) text_printf(&t, "%s: ", label_shown(p->arena, info->role));
    text_printf(&t, "%s, %s (the hard choice that its softmax stands for)", heat_mask_text(info->mask),
                temper_choice_name(info->hard_choice));
    return text_string(&t);
}

static void put_head(html_page *p, const heat_panel *panel) {
    html *h = &p->out;
    const heat_map *m = &p->map;
    markup_open(h, "figure");
    if (!p->is_part) html_format(h, "id", "head-%zu-%zu", panel->layer, panel->head);
    markup_open(h, "h3");
    html_print(h, "Head %zu.%zu ", panel->layer, panel->head);
    markup_open(h, "code");
    markup_string(h, "title", panel->label);
    markup_put(h, label_cut(p->arena, panel->label, LABEL_SHOWN, label_columns, "\u2026"));
    html_close(h);
    html_close(h);
    markup_open(h, "p");
    markup_string(h, "class", "detail");
    markup_put(h, detail_of(p, panel));
    double margin = temper_run_head(p->run, panel->layer, panel->head).error;
    if (margin >= 0 && panel->info.choice == TEMPER_CHOICE_SOFTMAX && !p->is_hard) {
        markup_put(h, "; largest error before rounding ");
        html_number(h, margin, 3);
        if (panel->info.bound > 0) {
            markup_put(h, ", in real arithmetic at most ");
            html_number(h, panel->info.bound, 3);
        }
    }
    html_close(h);
    if (is_packed(p))
        html_element(h, "noscript", NULL,
                     "The cells of a string as long as this are drawn by a script, which is off here. "
                     "The pictures for the terminal and as SVG need none.");
    markup_open(h, "div");
    markup_string(h, "class", "scroll");
    markup_string(h, "role", "region");
    html_format(h, "aria-label", "weights of head %zu.%zu", panel->layer, panel->head);
    markup_string(h, "tabindex", "0");
    markup_open(h, "table");
    markup_string(h, "class",
                  m->block > 1          ? "cells heat blocks"
                  : m->size <= NUMBERED ? "cells heat numbered"
                  : m->size > 100       ? "cells heat wide"
                                        : "cells heat");
    html_format(h, "data-block", "%zu", m->block);
    markup_open(h, "thead");
    markup_open(h, "tr");
    markup_open(h, "th");
    markup_string(h, "class", "corner");
    html_element(h, "small", NULL, "query \\ key");
    html_close(h);
    html_put_columns(p, m->cells, m->block);
    if (m->block == 1) {
        markup_open(h, "th");
        markup_string(h, "scope", "col");
        markup_string(h, "class", "o");
        html_element(h, "small", NULL, "output");
        html_close(h);
    }
    html_close(h);
    html_close(h);
    markup_open(h, "tbody");
    if (is_packed(p)) html_put_packed(p, panel);
    for (size_t row = 0; row < m->cells; row++) put_row(p, panel, row);
    html_close(h);
    html_close(h);
    html_close(h);
    html_close(h);
}

/* "feed-forward net: b -> O a (channel 6)" */
static void put_gates(html_page *p, size_t layer) {
    html *h = &p->out;
    size_t shown = 0;
    for (size_t k = 0; k < p->row_count; k++) {
        const truth_row *r = &p->rows[k];
        if (!r->placed || r->layer != layer || r->head > 0) continue;
        markup_put(h, shown++ ? ", " : "; made by its feed-forward net: ");
        html_element(h, "code", NULL, label_cut(p->arena, r->label, LABEL_SHOWN, label_columns, "\u2026"));
        if (r->channel >= 0) html_print(h, " (channel %ld)", r->channel);
    }
}

static void put_layer(html_page *p, size_t layer, const heat_panel *panels, size_t count) {
    html *h = &p->out;
    size_t heads = temper_model_layer(p->model, layer).heads, hidden = temper_model_layer(p->model, layer).hidden;
    markup_open(h, "section");
    if (!p->is_part) html_format(h, "id", "layer-%zu", layer);
    markup_open(h, "h2");
    html_print(h, "Layer %zu", layer);
    html_close(h);
    markup_open(h, "p");
    html_print(h, "%zu head%s, %zu hidden unit%s", heads, heads == 1 ? "" : "s", hidden, hidden == 1 ? "" : "s");
    put_gates(p, layer);
    html_close(h);
    markup_open(h, "div");
    markup_string(h, "class", "heads");
    for (size_t k = 0; k < count; k++) put_head(p, &panels[k]);
    html_close(h);
    if (!p->is_part) html_put_channels(p, layer);
    html_close(h);
}

void html_put_layers(html_page *p) {
    const heat_map *m = &p->map;
    size_t next = 0;
    for (size_t layer = 1; layer <= m->about.layers; layer++) {
        size_t first = next;
        while (next < m->panel_count && m->panels[next].layer == layer) next++;
        if (next > first || (p->whole && !temper_model_layer(p->model, layer).heads))
            put_layer(p, layer, m->panels + first, next - first);
    }
}

static void put_key(html *h, const char *class_name, const char *meaning) {
    markup_open(h, "span");
    markup_open(h, "i");
    markup_string(h, "class", class_name);
    html_close(h);
    markup_put(h, meaning);
    html_close(h);
}

void html_put_legend(html_page *p) {
    html *h = &p->out;
    if (!p->map.panel_count) {
        html_element(h, "p", NULL, heat_no_heads);
        return;
    }
    markup_open(h, "p");
    markup_string(h, "class", "legend");
    html_element(h, "span", NULL, "rows are queries i, columns keys j");
    markup_open(h, "span");
    markup_put(h, "weight 0");
    markup_open(h, "span");
    markup_string(h, "class", "ramp");
    markup_string(h, "aria-hidden", "true");
    html_close(h);
    markup_put(h, "1");
    html_close(h);
    put_key(h, "key m", "masked");
    if (p->map.block > 1) {
        html_element(h, "span", NULL, "each cell is a block of positions");
    } else {
        put_key(h, "key w",
                !p->hard     ? "largest weight (no outline: all keys tie)"
                : p->is_hard ? "chosen (no outline: all keys tie)"
                             : "chosen by the hard head (no outline: all keys tie)");
    }
    html_close(h);
    const char *roles[HEAT_ROLES];
    for (size_t k = 0, count = heat_map_roles(roles, &p->map); k < count; k++) html_element(h, "p", "role", roles[k]);
}
