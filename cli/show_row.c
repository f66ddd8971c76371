#include "real.h"
#include "show_row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "json.h"

static bool read_count(size_t *out, const char **text) {
    size_t x = 0;
    const char *p = *text;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (x > (SIZE_MAX - 9) / 10) return false;
        x = 10 * x + (size_t)(*p - '0');
    }
    if (p == *text) return false;
    *text = p;
    *out = x;
    return true;
}

bool row_read(row_place *out, const char *text) {
    return read_count(&out->layer, &text) && *text++ == '.' && read_count(&out->head, &text) && *text++ == '@' &&
           read_count(&out->position, &text) && !*text;
}

typedef struct row_view {
    const temper_model *model;
    const temper_run *soft, *hard;
    const uint32_t *letters;
    size_t n, size;
    row_place at;
    temper_head_info about;
    const double *scores, *logits, *weights, *hard_weights; /* [size] */
    double scale;
    double best, gap; /* adaptive heads: the largest score, and how far the next different one is; 0: there is none */
} row_view;

/* "start", "end", or the letter itself. */
static const char *letter_at(const row_view *v, size_t position) {
    if (position == 0) return "start";
    return position <= v->n ? temper_model_letter(v->model, v->letters[position - 1]) : "end";
}

static bool is_masked(const row_view *v, size_t j) {
    size_t i = v->at.position;
    switch (v->about.mask) {
    case TEMPER_MASK_ALL: return false;
    case TEMPER_MASK_BEFORE: return j >= i;
    case TEMPER_MASK_UP_TO: return j > i;
    case TEMPER_MASK_AFTER: return j <= i;
    case TEMPER_MASK_FROM: return j < i;
    }
    return false;
}

static void find_gap(row_view *v) {
    double next = -INFINITY;
    v->best = -INFINITY;
    for (size_t j = 0; j < v->size; j++)
        if (!is_masked(v, j) && v->scores[j] > v->best) v->best = v->scores[j];
    for (size_t j = 0; j < v->size; j++)
        if (!is_masked(v, j) && v->scores[j] < v->best && v->scores[j] > next) next = v->scores[j];
    v->gap = isinf(next) ? 0 : v->best - next;
}

/* ---- columns: one cell at a time, so that widths can be found first --------------------------------------- */

enum {
    COLUMN_J,
    COLUMN_LETTER,
    COLUMN_KEY,
    COLUMN_SCORE,
    COLUMN_LOGIT,
    COLUMN_WEIGHT,
    COLUMN_HARD,
    COLUMN_VALUE,
    COLUMNS
};
static const char *const column_name[COLUMNS] = {"j", "letter", "key", "score", "logit", "weight", "hard", "value"};

typedef struct cell {
    char text[128];
} cell;

static void format_vector(cell *c, const double *values, size_t count) {
    size_t used = 0;
    if (!values) count = 0;
    c->text[0] = 0;
    for (size_t k = 0; k < count; k++) {
        if (used > sizeof c->text - 40) {
            snprintf(c->text + used, sizeof c->text - used, " ...");
            return;
        }
        used += (size_t)snprintf(c->text + used, sizeof c->text - used, "%s%s", k ? " " : "",
                                 real_of("%.6g", values[k]).text);
    }
    if (!count) strcpy(c->text, "-");
}

static void format_cell(cell *c, const row_view *v, int column, size_t j) {
    size_t layer = v->at.layer, head = v->at.head;
    bool masked = is_masked(v, j);
    strcpy(c->text, column == COLUMN_SCORE ? "masked" : "");
    switch (column) {
    case COLUMN_J: snprintf(c->text, sizeof c->text, "%zu", j); break;
    case COLUMN_LETTER: snprintf(c->text, sizeof c->text, "%.60s", letter_at(v, j)); break;
    case COLUMN_KEY: format_vector(c, temper_run_row(v->soft, layer, head, j).key, v->about.query_size); break;
    case COLUMN_VALUE: format_vector(c, temper_run_row(v->soft, layer, head, j).value, v->about.value_size); break;
    case COLUMN_SCORE:
        if (!masked) temper_real_format(c->text, sizeof c->text, "%.9g", v->scores[j]);
        break;
    case COLUMN_LOGIT:
        if (!masked) temper_real_format(c->text, sizeof c->text, "%.9g", v->logits[j]);
        break;
    case COLUMN_WEIGHT:
        if (!masked) temper_real_format(c->text, sizeof c->text, "%.6g", v->weights[j]);
        break;
    case COLUMN_HARD:
        if (!masked) temper_real_format(c->text, sizeof c->text, "%.6g", v->hard_weights[j]);
        break;
    default: break;
    }
}

static void print_cell(const char *text, size_t width, bool left) {
    size_t used = show_width(text, strlen(text), 0);
    int fill = used < width ? (int)(width - used) : 0;
    if (!left) printf("%*s", fill, "");
    show_write(stdout, text, strlen(text), 0);
    if (left) printf("%*s", fill, "");
}

static void print_table(const row_view *v) {
    size_t width[COLUMNS];
    cell c;
    for (int k = 0; k < COLUMNS; k++) {
        width[k] = strlen(column_name[k]);
        for (size_t j = 0; j < v->size; j++) {
            format_cell(&c, v, k, j);
            size_t used = show_width(c.text, strlen(c.text), 0);
            if (used > width[k]) width[k] = used;
        }
    }
    for (int k = 0; k < COLUMNS; k++) {
        fputs("  ", stdout);
        print_cell(column_name[k], k == COLUMN_VALUE ? 0 : width[k], k == COLUMN_LETTER || k == COLUMN_VALUE);
    }
    putchar('\n');
    for (size_t j = 0; j < v->size; j++) {
        for (int k = 0; k < COLUMNS; k++) {
            format_cell(&c, v, k, j);
            fputs("  ", stdout);
            print_cell(c.text, k == COLUMN_VALUE ? 0 : width[k], k == COLUMN_LETTER || k == COLUMN_VALUE);
        }
        putchar('\n');
    }
}

/* ---- what becomes of the output ------------------------------------------------------------------------------ */

/* Where this head's output is rounded: in channels of its own or, fused, in the gates of the layer. */
static bool next_part(temper_part_info *out, size_t *k, const row_view *v, bool fused) {
    while (*k < temper_model_about(v->model).parts) {
        if (is_done(temper_model_part(out, v->model, (*k)++, NULL)) && out->layer == v->at.layer &&
            out->channel >= 0 && (fused ? out->head < 0 : out->head == (long)v->at.head))
            return true;
    }
    return false;
}

/* Its head's output is Boolean but has no channel: the gates round as they combine. */
static bool is_fused(const row_view *v) {
    temper_part_info part;
    size_t k = 0;
    return temper_run_head(v->soft, v->at.layer, v->at.head).error >= 0 && !next_part(&part, &k, v, false);
}

static void print_rounded(const row_view *v) {
    const double *soft = temper_run_channels(v->soft, v->at.layer, v->at.position);
    const double *hard = temper_run_channels(v->hard, v->at.layer, v->at.position);
    bool fused = is_fused(v);
    temper_part_info part;
    size_t k = 0, shown = 0;
    if (fused) printf("%-9s in the gates of layer %zu, which round as they combine:\n", "rounded", v->at.layer);
    while (next_part(&part, &k, v, fused)) {
        printf("%-9s %s   hard %s   channel %ld: ", shown++ || fused ? "" : "rounded",
               real_of("%.17g", soft[part.channel]).text, real_of("%.17g", hard[part.channel]).text, part.channel);
        show_write(stdout, part.formula, strlen(part.formula), 60);
        putchar('\n');
    }
    if (!shown && !fused)
        printf("%-9s nothing is rounded here: the next layer reads the output as it is\n", "rounded");
}

static void print_text(const row_view *v) {
    const temper_head_info *about = &v->about;
    size_t layer = v->at.layer, head = v->at.head, i = v->at.position;
    cell c;
    printf("head %zu.%zu  ", layer, head);
    show_write(stdout, about->label, strlen(about->label), 60);
    printf("  (%s%smask %s, %s", about->role, *about->role ? ", " : "", temper_mask_name(about->mask),
           temper_choice_name(about->choice));
    if (about->choice != about->hard_choice) printf(" standing for %s", temper_choice_name(about->hard_choice));
    printf(")\nrow %zu: %s", i, i >= 1 && i <= v->n ? "letter " : "sentinel ");
    const char *letter = letter_at(v, i);
    show_write(stdout, letter, strlen(letter), 40);
    format_vector(&c, temper_run_row(v->soft, layer, head, i).query, about->query_size);
    printf("\n\nquery     %s\n", c.text);
    temper_real_format(c.text, sizeof c.text, "%.9g", v->scale);
    printf("scale     %s", c.text);
    if (about->choice == TEMPER_CHOICE_SOFTMAX) {
        if (strcmp(c.text, about->scale) != 0) {
            printf(" = ");
            show_write(stdout, about->scale, strlen(about->scale), 0);
        }
        if (v->gap > 0) printf(", divided by the gap %s of this row", real_of("%.6g", v->gap).text);
        if (v->scale != 0) printf(", temperature %s", real_of("%.6g", (v->gap > 0 ? v->gap : 1) / v->scale).text);
    }
    printf("\n\n");
    print_table(v);
    format_vector(&c, temper_run_row(v->soft, layer, head, i).output, about->value_size);
    printf("\n%-9s %s", "output", c.text);
    format_vector(&c, temper_run_row(v->hard, layer, head, i).output, about->value_size);
    printf("   hard %s\n", c.text);
    print_rounded(v);
}

static void print_json(const row_view *v) {
    size_t layer = v->at.layer, head = v->at.head, i = v->at.position;
    json j;
    json_open(&j, stdout);
    json_count(&j, "layer", layer);
    json_count(&j, "head", head);
    json_count(&j, "position", i);
    json_text(&j, "label", v->about.label);
    json_text(&j, "mask", temper_mask_name(v->about.mask));
    json_text(&j, "choice", temper_choice_name(v->about.choice));
    json_text(&j, "hard_choice", temper_choice_name(v->about.hard_choice));
    const double *query = temper_run_row(v->soft, layer, head, i).query;
    json_reals(&j, "query", query, query ? v->about.query_size : 0);
    json_real(&j, "scale", v->scale);
    json_text(&j, "scale_expression", v->about.scale);
    if (v->about.adaptive) json_real(&j, "gap", v->gap);
    json_begin(&j, "keys", '[');
    for (size_t k = 0; k < v->size; k++) {
        json_begin(&j, NULL, '{');
        json_count(&j, "position", k);
        json_text(&j, "letter", letter_at(v, k));
        json_reals(&j, "key", temper_run_row(v->soft, layer, head, k).key, v->about.query_size);
        json_reals(&j, "value", temper_run_row(v->soft, layer, head, k).value, v->about.value_size);
        json_flag(&j, "masked", is_masked(v, k));
        if (!is_masked(v, k)) {
            json_real(&j, "score", v->scores[k]);
            json_real(&j, "logit", v->logits[k]);
            json_real(&j, "weight", v->weights[k]);
            json_real(&j, "hard_weight", v->hard_weights[k]);
        }
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_reals(&j, "output", temper_run_row(v->soft, layer, head, i).output, v->about.value_size);
    json_reals(&j, "hard_output", temper_run_row(v->hard, layer, head, i).output, v->about.value_size);
    bool fused = is_fused(v);
    json_flag(&j, "fused", fused);
    json_begin(&j, "rounded", '[');
    temper_part_info part;
    const double *soft = temper_run_channels(v->soft, layer, i), *hard = temper_run_channels(v->hard, layer, i);
    for (size_t k = 0; next_part(&part, &k, v, fused);) {
        json_begin(&j, NULL, '{');
        json_text(&j, "formula", part.formula);
        json_count(&j, "channel", (uint64_t)part.channel);
        json_real(&j, "value", soft[part.channel]);
        json_real(&j, "hard_value", hard[part.channel]);
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_close(&j);
}

void row_print(const session *s, const temper_model *model, const temper_run *soft, const temper_run *hard,
               const uint32_t *letters, size_t n, const row_place *at) {
    row_view v = {.model = model, .soft = soft, .hard = hard, .letters = letters, .n = n, .at = *at};
    v.size = temper_run_about(soft).size;
    if (!is_done(temper_model_head(&v.about, model, at->layer, at->head, NULL))) return;
    v.scores = temper_run_head(soft, at->layer, at->head).scores + at->position * v.size;
    v.weights = temper_run_head(soft, at->layer, at->head).weights + at->position * v.size;
    v.hard_weights = temper_run_head(hard, at->layer, at->head).weights + at->position * v.size;
    const double *logits = temper_run_head(soft, at->layer, at->head).logits;
    v.logits = logits ? logits + at->position * v.size : v.scores; /* a hard choice compares scores */
    v.scale = temper_run_row(soft, at->layer, at->head, at->position).scale;
    if (v.about.adaptive) find_gap(&v);
    if (s->json)
        print_json(&v);
    else
        print_text(&v);
}
