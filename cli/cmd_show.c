/* temper show: the attention of each head on a string, in the terminal, as SVG, as a page, as numbers, or one row in
   full. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "escape.h"
#include "json.h"
#include "outputs_show.h"
#include "picture_file.h"
#include "show_row.h"
#include "subject.h"

static size_t terminal_width(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char *columns = getenv("COLUMNS");
    size_t width = 0;
    for (; columns && *columns >= '0' && *columns <= '9' && width < 10000; columns++)
        width = 10 * width + (size_t)(*columns - '0');
    return width >= 20 ? width : 80;
}

/* Some terminals say "15;0", text and background; those that say nothing are mostly dark. */
static bool is_dark_terminal(void) {
    const char *colours = getenv("COLORFGBG"), *last = colours ? strrchr(colours, ';') : NULL;
    return !last || (strcmp(last, ";7") != 0 && strcmp(last, ";15") != 0);
}

static void print_heads(const temper_model *model, const temper_run *run, const temper_draw_options *o) {
    temper_model_info info;
    size_t size = temper_run_about(run).size;
    json j;
    info = temper_model_about(model);
    size_t last = size - 1 - (size_t)(info.has_end != 0); /* letter */
    for (size_t layer = 1; layer <= info.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(model, layer).heads; head++) {
            temper_head_info about;
            const double *weights = temper_run_head(run, layer, head).weights;
            if ((o->layer && o->layer != layer) || (o->head && o->head != head) || !weights) continue;
            if (!is_done(temper_model_head(&about, model, layer, head, NULL))) continue;
            json_open(&j, stdout);
            json_count(&j, "layer", layer);
            json_count(&j, "head", head);
            json_text(&j, "label", about.label);
            json_text(&j, "mask", temper_mask_name(about.mask));
            json_real(&j, "scale", temper_run_row(run, layer, head, last).scale);
            json_begin(&j, "weights", '[');
            for (size_t i = 0; i < size; i++) json_reals(&j, NULL, weights + i * size, size);
            json_end(&j, ']');
            json_close(&j);
        }
}

static bool is_page(const session *s) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    return is_given(s, OPT_HTML) || (path && (path_ends(path, ".html") || path_ends(path, ".htm")));
}

/* What -o asks for, or standard output if it is "-" or not given. */
static void write_picture(session *s, const char *picture) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    if (!path || strcmp(path, "-") == 0)
        fputs(picture, stdout);
    else if (is_page(s))
        file_write(s, path, picture, strlen(picture));
    else
        picture_write(s, path, picture);
}

/* Beside a soft run pictures and pages show what the hard heads choose, if the model knows, and if the string is so
   short that there is a cell for every pair of positions. */
enum { PAIRS_SHOWN = 320 };

static void draw_failed(session *s, temper_error *err) {
    if (!*err->hint && (is_given(s, OPT_LAYER) || is_given(s, OPT_HEAD)))
        snprintf(err->hint, sizeof err->hint, "temper explain lists the heads");
    message_error(s, err, NULL, NULL, 0);
}

/* The run with hard choices in *made, which the caller frees, or `run` itself; NULL: there is none, or it is long. */
static const temper_run *hard_run(temper_run **made, const session *s, const temper_model *model,
                                  const temper_run *run, const uint32_t *letters, size_t n) {
    temper_run_options o = {.hard = 1, .unchecked = 1, .capture = 1}; /* in f64: what is meant */
    *made = NULL;
    if (is_given(s, OPT_HARD)) return run;
    if (n <= PAIRS_SHOWN) is_done(temper_model_run(made, model, letters, n, &o, NULL));
    return *made;
}

static void draw_page(session *s, const temper_model *model, const temper_run *run, const uint32_t *letters,
                      size_t n) {
    temper_draw_options o = {.layer = s->opt.value[OPT_LAYER].number, .head = s->opt.value[OPT_HEAD].number};
    temper_error err;
    temper_run *made;
    char *page = NULL;
    o.hard = hard_run(&made, s, model, run, letters, n);
    if (memory_was_short()) return; /* no page without what it should show; the end of the program says so */
    if (temper_draw_html(&page, model, run, letters, &o, &err) == TEMPER_OK)
        write_picture(s, page);
    else
        draw_failed(s, &err);
    temper_free(page);
    temper_run_free(made);
}

static void draw(session *s, const temper_model *model, const temper_run *run, const uint32_t *letters, size_t n) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    temper_draw_options o = {.layer = s->opt.value[OPT_LAYER].number, .head = s->opt.value[OPT_HEAD].number};
    temper_error err;
    temper_run *made = NULL;
    char *picture = NULL;
    if (!path && s->json) {
        print_heads(model, run, &o);
        return;
    }
    o.colour = s->colour_out;
    o.dark = is_dark_terminal();
    o.width = terminal_width();
    if (path) o.hard = hard_run(&made, s, model, run, letters, n);
    if (memory_was_short()) return;
    temper_status status = path ? temper_draw_svg(&picture, model, run, letters, &o, &err)
                                : temper_draw_terminal(&picture, model, run, letters, &o, &err);
    if (status == TEMPER_OK)
        write_picture(s, picture);
    else
        draw_failed(s, &err);
    temper_free(picture);
    temper_run_free(made);
}

/* The head and the row exist; a message says what there is. */
static bool row_exists(session *s, const temper_model *model, const temper_run *run, const row_place *at) {
    temper_model_info info = temper_model_about(model);
    size_t heads = temper_model_layer(model, at->layer).heads, size = temper_run_about(run).size;
    if (at->layer < 1 || at->layer > info.layers)
        message_usage(s, "temper explain lists the heads", "--row: there is no layer %zu; the model has %zu",
                      at->layer, info.layers);
    else if (at->head < 1 || at->head > heads)
        message_usage(s, "temper explain lists the heads", "--row: layer %zu has no head %zu; it has %zu", at->layer,
                      at->head, heads);
    else if (at->position >= size)
        message_usage(s, "0 is the start sentinel, 1 the first letter",
                      "--row: there is no position %zu; the last is %zu", at->position, size - 1);
    else
        return true;
    return false;
}

static temper_type asked_type(const session *s) { /* choices are numbered as types are, from 1; 0: not given */
    uint64_t type = s->opt.value[OPT_TYPE].number;
    return type ? (temper_type)(type - 1) : TEMPER_TYPE_F64;
}

static bool capture(temper_run **out, session *s, const temper_model *model, const uint32_t *letters, size_t n,
                    bool hard, temper_type type) {
    temper_error err;
    temper_run_options o = {
        .hard = hard, .unchecked = is_given(s, OPT_UNCHECKED) || is_given(s, OPT_SCALE), .capture = 1, .type = type};
    if (temper_model_run(out, model, letters, n, &o, &err) == TEMPER_OK) return true;
    message_error(s, &err, NULL, NULL, 0);
    return false;
}

/* What would not be drawn is not run: that takes minutes and gigabytes. */
static bool fits(session *s, const temper_model *model, size_t n) {
    temper_error err = {0};
    if (!is_page(s) && !s->opt.value[OPT_OUTPUT].text) return true;
    if ((is_page(s) ? temper_draw_html_fits : temper_draw_svg_fits)(model, n, &err) == TEMPER_OK) return true;
    message_error(s, &err, NULL, NULL, 0);
    return false;
}

static void show_line(session *s, const temper_model *model, const line *l) {
    uint32_t *letters = NULL;
    size_t n = 0;
    temper_error err;
    temper_run *run = NULL, *hard = NULL;
    row_place at;
    const char *row = s->opt.value[OPT_ROW].text;
    if (row && !row_read(&at, row)) {
        message_usage(s, "for example --row 1.1@3", "--row: '%.40s' is not of the form LAYER.HEAD@POSITION", row);
        return;
    }
    if (subject_encode(&letters, &n, &err, s, NULL, model, l) && fits(s, model, n) &&
        capture(&run, s, model, letters, n, is_given(s, OPT_HARD), asked_type(s))) {
        if (is_given(s, OPT_SCALE))
            message_warning(s, "the softmax scales are those of --scale: nothing is proved of this run");
        else if (!temper_run_about(run).proved)
            message_warning(s, "nothing is proved of this run, in %s on %zu letters", temper_type_name(asked_type(s)),
                            n);
        if (is_page(s))
            draw_page(s, model, run, letters, n);
        else if (!row) {
            draw(s, model, run, letters, n);
            if (!is_given(s, OPT_OUTPUT)) outputs_of_run(s, model, run, letters, n);
        } else if (row_exists(s, model, run, &at) && capture(&hard, s, model, letters, n, true, TEMPER_TYPE_F64))
            row_print(s, model, run, hard, letters, n, &at);
    }
    temper_run_free(run);
    temper_run_free(hard);
    temper_free(letters);
}

static bool check_usage(session *s) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    bool to_file = path && strcmp(path, "-") != 0;
    if (is_given(s, OPT_ROW) && path)
        message_usage(s, "without -o the row is printed", "--row and -o exclude each other: the row is text");
    else if (is_page(s) && (is_given(s, OPT_ROW) || s->json))
        message_usage(s, "leave one of them out", "--html and --%s exclude each other: the page has it all",
                      s->json ? "json" : "row");
    else if (to_file && is_given(s, OPT_HTML) && is_picture_path(path))
        message_usage(s, "name the file FILE.html, or leave --html out", "--html writes a page, not a picture");
    else if (to_file && !is_page(s) && !is_picture_path(path))
        message_usage(s, "such as -o attention.svg or -o page.html",
                      "-o FILE must end in .svg, .png, .pdf or .html: the name says what is drawn");
    else
        return true;
    return false;
}

void cmd_show(session *s) {
    subject x = {0};
    lines *in = malloc(sizeof *in);
    line l;
    if (!in) {
        message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
        return;
    }
    if (!check_usage(s)) {
        free(in);
        return;
    }
    if (subject_model(&x, s) && lines_start(in, s, x.first)) {
        if (s->opt.count > x.first + 1)
            message_usage(s, "quote a string that holds blanks", "show draws one string at a time");
        else if (lines_next(&l, in))
            show_line(s, x.model, &l);
        else if (s->exit_code == EXIT_FINE)
            message_usage(s, NULL, "there is no line on standard input");
        lines_stop(in);
    }
    free(in);
    subject_free(&x);
}
