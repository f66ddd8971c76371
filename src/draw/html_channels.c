/* The residual stream: what every channel holds at every position after a layer. */
#include "draw/html.h"

enum {
    CHANNEL_CELLS = 60000, /* on the page: channels times positions times layers */
    OPEN_CELLS = 3000,     /* up to this many it is not folded away in models that have no subformulas to show */
    LABEL_SHOWN = 48
};

static double cell_count(const html_page *p) {
    const temper_model_info *about = &p->map.about;
    return (double)about->channels * (double)p->map.size * (double)(about->layers + 1);
}

bool html_has_channels(const html_page *p) { return cell_count(p) <= CHANNEL_CELLS; }

static void put_value(html_page *p, size_t position, double x) {
    html *h = &p->out;
    markup_open(h, "td");
    markup_string(h, "class", x == 0 ? "z" : x == 1 ? "one" : "v");
    html_title_begin(h);
    html_print(h, "position %zu, ", position);
    markup_put(h, position == 0 ? "start sentinel" : position > p->map.n ? "end sentinel" : p->letters[position]);
    markup_put(h, ": ");
    html_number(h, x, 0);
    html_title_end(h);
    html_number(h, x, 3);
    html_close(h);
}

void html_put_channels(html_page *p, size_t layer) {
    html *h = &p->out;
    const temper_model_info *about = &p->map.about;
    if (!html_has_channels(p) || !about->channels || !temper_run_channels(p->run, layer, 0)) return;
    markup_open(h, "details");
    if (!p->compiled && cell_count(p) <= OPEN_CELLS) markup_string(h, "open", "open");
    markup_open(h, "summary");
    if (layer)
        html_print(h, "Channels after layer %zu", layer);
    else
        markup_put(h, "Channels before the first layer: embedding and position features");
    html_close(h);
    markup_open(h, "div");
    markup_string(h, "class", "scroll");
    markup_string(h, "role", "region");
    html_format(h, "aria-label", "channels after layer %zu", layer);
    markup_string(h, "tabindex", "0");
    markup_open(h, "table");
    markup_string(h, "class", "cells channels");
    markup_open(h, "thead");
    markup_open(h, "tr");
    html_element(h, "th", "corner", "channel");
    html_put_columns(p, p->map.size, 1);
    html_close(h);
    html_close(h);
    markup_open(h, "tbody");
    for (size_t c = 0; c < about->channels; c++) {
        temper_channel_info info;
        if (temper_model_channel(&info, p->model, c, NULL)) continue;
        const char *label = label_shown(p->arena, info.label);
        markup_open(h, "tr");
        markup_open(h, "th");
        markup_string(h, "scope", "row");
        markup_open(h, "small");
        html_print(h, "%zu", c);
        html_close(h);
        markup_put(h, " ");
        markup_open(h, "span");
        markup_string(h, "title", label);
        markup_put(h, label_cut(p->arena, label, LABEL_SHOWN, label_columns, "\u2026"));
        html_close(h);
        html_close(h);
        for (size_t i = 0; i < p->map.size; i++) put_value(p, i, temper_run_channels(p->run, layer, i)[c]);
        html_close(h);
    }
    html_close(h);
    html_close(h);
    html_close(h);
    html_close(h);
}
