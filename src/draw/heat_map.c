#include "draw/heat_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const temper_draw_options heat_map_defaults;

const char heat_no_heads[] =
    "The model has no attention heads: embedding and feed-forward nets alone give the answer.";

const char *heat_mask_text(temper_mask mask) {
    switch (mask) {
    case TEMPER_MASK_ALL: return "all keys";
    case TEMPER_MASK_BEFORE: return "keys j < i";
    case TEMPER_MASK_UP_TO: return "keys j <= i";
    case TEMPER_MASK_AFTER: return "keys j > i";
    case TEMPER_MASK_FROM: return "keys j >= i";
    }
    return "";
}

bool heat_is_masked(temper_mask mask, size_t i, size_t j) {
    switch (mask) {
    case TEMPER_MASK_ALL: return false;
    case TEMPER_MASK_BEFORE: return j >= i;
    case TEMPER_MASK_UP_TO: return j > i;
    case TEMPER_MASK_AFTER: return j <= i;
    case TEMPER_MASK_FROM: return j < i;
    }
    return false;
}

enum { EXPRESSION_LENGTH = 32 };

static const char *describe(arena *a, const heat_panel *p, double scale) {
    text t;
    text_init(&t, a);
    if (p->info.role && *p->info.role) text_printf(&t, "%s: ", label_shown(a, p->info.role));
    text_printf(&t, "%s, %s", heat_mask_text(p->info.mask), temper_choice_name(p->info.choice));
    if (p->info.choice != TEMPER_CHOICE_SOFTMAX) return text_string(&t);
    if (p->info.hard_choice != TEMPER_CHOICE_SOFTMAX)
        text_printf(&t, " for %s", temper_choice_name(p->info.hard_choice));
    text value;
    text_init(&value, a);
    label_number(&value, scale, 5);
    const char *expression = label_shown(a, p->info.scale ? p->info.scale : "");
    bool told = *expression && strlen(expression) <= EXPRESSION_LENGTH; /* what is cut must not be the value */
    text_printf(&t, ", %sscale %s", p->info.adaptive ? "adaptive " : "", told ? expression : text_string(&value));
    if (p->info.row_scale) {
        text_puts(&t, told ? "" : " at the last letter");
        return text_string(&t);
    }
    if (told && strcmp(expression, text_string(&value))) text_printf(&t, " = %s", text_string(&value));
    if (*expression && !told) text_puts(&t, " at this length");
    return text_string(&t);
}

static void add_panel(heat_map *m, const temper_run *run, size_t *capacity, size_t layer, size_t head) {
    heat_panel p = {.layer = layer, .head = head};
    temper_error inner;
    trap *t = m->arena->trap;
    if (temper_model_head(&p.info, m->model, layer, head, &inner)) trap_reraise(t, &inner);
    p.weights = temper_run_head(run, layer, head).weights;
    if (!p.weights)
        trap_raise_hint(t, TEMPER_RANGE, 0, 0, "run with capture set, on the same model",
                        "the run holds no weights of head %zu.%zu", layer, head);
    p.label = label_shown(m->arena, p.info.label ? p.info.label : "");
    p.detail = describe(m->arena, &p, temper_run_row(run, layer, head, m->n).scale);
    text name;
    text_init(&name, m->arena);
    text_printf(&name, "%zu.%zu", layer, head);
    if (*p.label) text_printf(&name, "  %s", p.label);
    p.name = text_string(&name);
    array_push(m->arena, m->panels, m->panel_count, *capacity, p);
}

void heat_map_make(heat_map *m, arena *a, const temper_model *model, const temper_run *run, const uint32_t *letters,
                   const temper_draw_options *options) {
    trap *t = a->trap;
    memset(m, 0, sizeof *m);
    m->arena = a;
    m->model = model;
    m->letters = letters;
    m->about = temper_model_about(model);
    m->type = temper_run_about(run).type;
    m->size = m->cells = temper_run_about(run).size;
    m->block = 1;
    size_t sentinels = m->about.has_end ? 2 : 1;
    if (m->size < sentinels) trap_raise(t, TEMPER_RANGE, 0, 0, "the run is not one of this model");
    m->n = m->size - sentinels;
    for (size_t k = 0; k < m->n; k++)
        if (letters[k] >= m->about.letters)
            trap_raise(t, TEMPER_RANGE, 0, k + 1, "no letter %u at position %zu: the model has %zu", letters[k],
                       k + 1, m->about.letters);

    size_t capacity = 0;
    if (options->layer > m->about.layers)
        trap_raise(t, TEMPER_RANGE, 0, 0, "no layer %zu: the model has %zu", options->layer, m->about.layers);
    for (size_t layer = 1; layer <= m->about.layers; layer++) {
        if (options->layer && layer != options->layer) continue;
        size_t heads = temper_model_layer(model, layer).heads;
        if (options->layer && options->head > heads)
            trap_raise(t, TEMPER_RANGE, 0, 0, "no head %zu in layer %zu: it has %zu", options->head, layer, heads);
        for (size_t head = 1; head <= heads; head++)
            if (!options->head || head == options->head) add_panel(m, run, &capacity, layer, head);
    }
    if (m->panel_count == 0 && options->head)
        trap_raise(t, TEMPER_RANGE, 0, 0, "no layer of the model has a head %zu", options->head);
}

void heat_map_check_size(trap *t, const char *what, size_t positions, size_t most) {
    if (positions > most)
        trap_raise_hint(t, TEMPER_LIMIT, 0, 0, "draw a shorter string, or use the terminal picture",
                        "%zu positions are too many for %s: the limit is %zu", positions, what, most);
}

typedef struct fits_call {
    const temper_model *model;
    size_t length, most;
    const char *what;
} fits_call;

static void check_length(entry *e, void *context) {
    const fits_call *c = context;
    size_t sentinels = temper_model_about(c->model).has_end ? 2 : 1;
    heat_map_check_size(e->trap, c->what, c->length < SIZE_MAX - sentinels ? c->length + sentinels : SIZE_MAX,
                        c->most);
}

temper_status heat_map_fits(const temper_model *model, size_t length, const char *what, size_t most,
                            temper_error *err) {
    fits_call call = {model, length, most, what};
    return entry_run(err, check_length, &call);
}

void heat_map_fit(heat_map *m, size_t most) {
    if (most == 0) most = 1;
    m->block = m->size / most + (m->size % most != 0);
    if (m->block == 0) m->block = 1;
    m->cells = m->size / m->block + (m->size % m->block != 0);
}

size_t heat_map_first(const heat_map *m, size_t cell) { return cell * m->block; }

size_t heat_map_last(const heat_map *m, size_t cell) {
    size_t end = (cell + 1) * m->block;
    return (end < m->size ? end : m->size) - 1;
}

bool heat_map_weight(double *weight, const heat_map *m, const heat_panel *p, size_t row, size_t column) {
    bool seen = false;
    *weight = 0;
    for (size_t i = heat_map_first(m, row); i <= heat_map_last(m, row); i++) {
        for (size_t j = heat_map_first(m, column); j <= heat_map_last(m, column); j++) {
            if (heat_is_masked(p->info.mask, i, j)) continue;
            seen = true;
            double w = p->weights[i * m->size + j];
            if (isnan(w) || w > *weight) *weight = w;
            if (isnan(w)) return true;
        }
    }
    return seen;
}

const char *heat_map_letter(const heat_map *m, size_t position) {
    if (position == 0) return "^";
    if (position > m->n) return "$";
    return label_shown(m->arena, temper_model_letter(m->model, m->letters[position - 1]));
}

const char *heat_map_blocks(const heat_map *m) {
    if (m->block == 1) return NULL;
    text t;
    text_init(&t, m->arena);
    text_printf(&t, "%zu positions: each cell shows the largest weight of %zu x %zu", m->size, m->block, m->block);
    return text_string(&t);
}

const char *heat_map_note(const heat_map *m) {
    text t;
    text_init(&t, m->arena);
    if (m->about.rescaled) text_puts(&t, "scales chosen by hand, nothing is proved");
    if (m->type != TEMPER_TYPE_F64)
        text_printf(&t, "%snumbers in %s", t.length ? "; " : "", temper_type_name(m->type));
    if (m->block > 1) text_printf(&t, "%s%s", t.length ? "; " : "", heat_map_blocks(m));
    return t.length ? text_string(&t) : NULL;
}

size_t heat_map_step(double cell_size, double room) {
    size_t step = 1;
    for (unsigned k = 0; (double)step * cell_size < room && step < SIZE_MAX / 4; k++)
        step = k % 3 == 1 ? step / 2 * 5 : step * 2; /* 1 2 5 10 20 50 100 */
    return step;
}

double heat_shade(double weight) { return weight <= 0 ? 0 : weight >= 1 ? 1 : sqrt(weight); }

const char *heat_short(char out[8], double weight) {
    if (isnan(weight))
        snprintf(out, 8, "?");
    else if (weight <= 0 || weight >= 0.995)
        snprintf(out, 8, weight <= 0 ? "0" : "1");
    else if (weight >= 0.005)
        snprintf(out, 8, ".%02d", (int)(weight * 100 + 0.5));
    else {
        char digits[32]; /* "3e-05" */
        print_to(digits, sizeof digits, "%.0e", weight);
        long power = strtol(digits + 2, NULL, 10);
        if (power < -99)
            snprintf(out, 8, "~0");
        else
            snprintf(out, 8, "%ce-%02u", digits[0], (unsigned)-power % 100);
        if (power > -10 && power < 0) memmove(out + 3, out + 4, 2); /* 3e-5 */
    }
    return out;
}

double heat_winner(const double *weights, const heat_panel *panel, size_t i, size_t size) {
    double most = -INFINITY, least = INFINITY;
    size_t seen = 0;
    for (size_t j = 0; j < size; j++) {
        if (heat_is_masked(panel->info.mask, i, j)) continue;
        if (isnan(weights[j])) return NAN;
        seen++;
        most = fmax(most, weights[j]);
        least = fmin(least, weights[j]);
    }
    return seen == 1 || (seen > 1 && most > least) ? most : NAN;
}

const char *heat_role_words(const char *role) {
    static const struct {
        const char *role, *words;
    } known[HEAT_ROLES] = {{"once", "once: is there such a position among the keys?"},
                           {"nearest", "nearest: what holds at the nearest such position"},
                           {"count", "count: the share of the keys where it holds"},
                           {"compare", "compare: which of two counts is larger"},
                           {"balance", "balance: compares counts that look both ways"},
                           {"lookup", "lookup: what holds at the position that a count says"},
                           {"match", "match: what holds at the nearest position that looks alike"}};
    for (size_t k = 0; k < HEAT_ROLES; k++)
        if (strcmp(role, known[k].role) == 0) return known[k].words;
    return NULL;
}

size_t heat_map_roles(const char *lines[HEAT_ROLES], const heat_map *m) {
    size_t count = 0;
    for (size_t k = 0; k < m->panel_count; k++) {
        const char *words = heat_role_words(m->panels[k].info.role);
        size_t seen = 0;
        while (words && seen < count && lines[seen] != words) seen++;
        if (words && seen == count && count < HEAT_ROLES) lines[count++] = words;
    }
    return count;
}

const char *heat_map_string(const heat_map *m, size_t most) {
    text t;
    text_init(&t, m->arena);
    for (size_t k = 1; k <= m->n && k <= most; k++) {
        if (m->about.tokens && k > 1) text_putc(&t, ' ');
        text_puts(&t, heat_map_letter(m, k));
    }
    if (m->n > most) text_puts(&t, "\u2026");
    if (m->n == 0) text_puts(&t, "the empty string");
    return text_string(&t);
}

const char *heat_map_verdict(const heat_map *m, const temper_run *run) {
    text t;
    text_init(&t, m->arena);
    if (m->about.kind == TEMPER_KIND_ACCEPTOR)
        text_printf(&t, "%s: ", temper_run_about(run).accept ? "accept" : "reject");
    text_puts(&t, heat_map_string(m, 60));
    if (m->n > 8) text_printf(&t, " (%zu letters)", m->n);
    return text_string(&t);
}
