/* The cells of a large head as a few attributes, which the page's script makes cells of. Every number is written
   once:

       data-n  the numbers; others name them by their place, to base 36
       data-s  a line for each query and a sign for each key: "." masked, "?" not a number, else a shade from "a" on, in
               capitals if the hard head chooses it
       data-w, data-x, data-l, data-h   weights, scores, logits, hard weights: "-3" three masked keys, "^3" three as in
               the line before, "2k*3" three times number 2k
       data-v  the value of each key

   Lines are separated by "/". */
#include "draw/html.h"

#include <math.h>
#include <string.h>

#include "base/table.h"

typedef struct packer {
    html_page *page;
    const heat_panel *panel;
    table places; /* bits of a number -> its place */
    text numbers;
    uint32_t count;
} packer;

static bool is_masked(const packer *k, size_t i, size_t j) { return heat_is_masked(k->panel->info.mask, i, j); }

static bool is_same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static uint32_t place_of(packer *k, const double *x) {
    bool fresh;
    uint32_t place = *table_put(&k->places, x, sizeof *x, k->count, &fresh);
    if (fresh) {
        if (k->count++) text_putc(&k->numbers, ' ');
        label_number(&k->numbers, *x, 0);
    }
    return place;
}

static void put_base36(text *t, uint32_t x) {
    char digits[8];
    size_t count = 0;
    do digits[count++] = "0123456789abcdefghijklmnopqrstuvwxyz"[x % 36];
    while (x /= 36);
    while (count) text_putc(t, digits[--count]);
}

/* One line of data-w and its like: [size] numbers of query i. */
static void put_line(packer *k, text *t, const double *all, size_t i) {
    size_t size = k->page->map.size;
    const double *row = all + i * size, *last = i ? row - size : NULL;
    for (size_t j = 0, run; j < size; j += run) {
        if (j) text_putc(t, ' ');
        run = 1;
        if (is_masked(k, i, j)) {
            while (j + run < size && is_masked(k, i, j + run)) run++;
            text_printf(t, "-%zu", run);
            continue;
        }
        size_t copied = 0;
        while (last && j + copied < size && !is_masked(k, i, j + copied) && !is_masked(k, i - 1, j + copied) &&
               is_same(row[j + copied], last[j + copied]))
            copied++;
        if (copied) {
            run = copied;
            text_printf(t, "^%zu", run);
            continue;
        }
        while (j + run < size && !is_masked(k, i, j + run) && is_same(row[j], row[j + run])) run++;
        put_base36(t, place_of(k, &row[j]));
        if (run > 1) text_printf(t, "*%zu", run);
    }
}

static const char *lines_of(packer *k, const double *all) {
    text t;
    text_init(&t, k->page->arena);
    for (size_t i = 0; i < k->page->map.size; i++) {
        if (i) text_putc(&t, '/');
        put_line(k, &t, all, i);
    }
    return text_string(&t);
}

static const char *shades_of(packer *k, const double *hard) {
    html_page *p = k->page;
    size_t size = p->map.size;
    text t;
    text_init(&t, p->arena);
    for (size_t i = 0; i < size; i++) {
        const double *weights = k->panel->weights + i * size, *chosen = hard ? hard + i * size : weights;
        double winner = heat_winner(chosen, k->panel, i, size);
        if (i) text_putc(&t, '/');
        for (size_t j = 0; j < size; j++) {
            int shade = isnan(weights[j]) ? 0 : (int)(heat_shade(weights[j]) * (HTML_SHADES - 1) + 0.5);
            if (is_masked(k, i, j))
                text_putc(&t, '.');
            else if (isnan(weights[j]))
                text_putc(&t, '?');
            else
                text_putc(&t, (char)((chosen[j] == winner ? 'A' : 'a') + shade));
            p->broken |= !is_masked(k, i, j) && isnan(weights[j]);
        }
    }
    return text_string(&t);
}

static const char *values_of(const packer *k) {
    enum { TOLD = 32 };
    const heat_panel *panel = k->panel;
    text t;
    text_init(&t, k->page->arena);
    for (size_t j = 0; j < k->page->map.size; j++) {
        const double *value = temper_run_row(k->page->run, panel->layer, panel->head, j).value;
        if (!value) return NULL;
        if (j) text_putc(&t, '/');
        for (size_t c = 0; c < panel->info.value_size && c < TOLD; c++) {
            if (c) text_putc(&t, ' ');
            label_number(&t, value[c], 0);
        }
        if (panel->info.value_size > TOLD) text_puts(&t, " \u2026");
    }
    return text_string(&t);
}

void html_put_packed(html_page *p, const heat_panel *panel) {
    packer k = {.page = p, .panel = panel};
    html *h = &p->out;
    size_t layer = panel->layer, head = panel->head;
    const double *scores = temper_run_head(p->run, layer, head).scores, *hard = NULL;
    const double *logits = temper_run_head(p->run, layer, head).logits;
    if (p->hard && panel->info.hard_choice != TEMPER_CHOICE_SOFTMAX)
        hard = temper_run_head(p->hard, layer, head).weights;
    table_init(&k.places, p->arena);
    text_init(&k.numbers, p->arena);
    markup_string(h, "data-s", shades_of(&k, hard));
    markup_string(h, "data-w", lines_of(&k, panel->weights));
    if (scores) markup_string(h, "data-x", lines_of(&k, scores));
    if (logits) markup_string(h, "data-l", lines_of(&k, logits));
    if (hard && p->hard != p->run) markup_string(h, "data-h", lines_of(&k, hard));
    const char *values = panel->info.value_size ? values_of(&k) : NULL;
    if (values) markup_string(h, "data-v", values);
    markup_string(h, "data-n", text_string(&k.numbers));
}
