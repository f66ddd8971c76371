#include "outputs_show.h"

#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "message.h"
#include "remedy_words.h"

static const char *const answers[] = {"proved", "tested", "refuted"};

void one_output_words(char *out, size_t size, const temper_one_output *one) {
    switch (one->answer) {
    case TEMPER_ONE_PROVED: snprintf(out, size, "proved for strings of every length"); break;
    case TEMPER_ONE_TESTED:
        snprintf(out, size, "tested on %zu strings, not proved: %s", one->tested, one->why);
        break;
    case TEMPER_ONE_REFUTED: snprintf(out, size, "not so: %s of '%s'", one->why, one->string); break;
    }
}

void one_output_json(json *j, const temper_one_output *one) {
    json_text(j, "one_output", answers[one->answer]);
    if (one->tested) json_count(j, "tested", one->tested);
    if (one->string) {
        json_text(j, "counterexample", one->string);
        json_count(j, "position", one->position);
    }
    if (one->why) json_text(j, "why", one->why);
}

void one_output_line(session *s, const temper_spec *spec) {
    temper_one_output one;
    temper_error err;
    if (!spec || temper_spec_about(spec).kind != TEMPER_KIND_TRANSDUCER) return;
    if (temper_spec_one_output(&one, spec, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return;
    }
    if (one.answer == TEMPER_ONE_REFUTED) session_fail(s, EXIT_NO);
    if (!s->quiet && s->json) {
        json j;
        json_open(&j, stdout);
        one_output_json(&j, &one);
        json_close(&j);
    } else if (!s->quiet && one.answer == TEMPER_ONE_REFUTED) {
        fputs("counterexample\t", stdout);
        escape_write(stdout, one.string, strlen(one.string), 0);
        printf("\t%s\n", one.why);
    } else if (!s->quiet) {
        char words[600];
        one_output_words(words, sizeof words, &one);
        printf("%s\texactly one output at each position\t%s\n", answers[one.answer], words + strlen("proved "));
    }
    temper_one_output_clear(&one);
}

void one_output_warn(session *s, const temper_spec *spec) {
    temper_one_output one;
    if (!spec || temper_spec_about(spec).kind != TEMPER_KIND_TRANSDUCER) return;
    if (!is_done(temper_spec_one_output(&one, spec, NULL))) return;
    if (one.answer == TEMPER_ONE_REFUTED)
        message_warning(s, "not exactly one output holds at each position: %s of '%s'", one.why, one.string);
    temper_one_output_clear(&one);
}

/* ---- explain ---- */

/* Freed by temper_free; NULL: the model carries no formula of it. */
static char *formula_of(const temper_spec *spec, size_t output) {
    char *formula = NULL;
    if (spec) is_done(temper_spec_output_formula(&formula, spec, output, NULL));
    return formula;
}

static const char *shown_name(const temper_model *model, size_t output) {
    const char *name = temper_model_output_name(model, output);
    if (*name) return name;
    return temper_model_about(model).kind == TEMPER_KIND_NEXT ? "the end" : "nothing";
}

void outputs_print(const temper_model *model) {
    temper_model_info info = temper_model_about(model);
    temper_spec *spec = NULL;
    if (info.kind == TEMPER_KIND_ACCEPTOR) return;
    if (is_done(temper_model_spec(&spec, model, NULL)) && !temper_spec_about(spec).outputs) {
        temper_spec_free(spec); /* a language model's are not formulas of its text */
        spec = NULL;
    }
    printf("\noutputs (read-out: the channels, after the last layer, that are added up)\n");
    printf("output        read-out                          formula\n");
    for (size_t k = 0; k < info.outputs; k++) {
        char *read = NULL, *formula = formula_of(spec, k);
        is_done(temper_model_read_out(&read, model, k, NULL));
        const char *shown = shown_name(model, k);
        size_t used = show_write(stdout, shown, strlen(shown), 12);
        used += (size_t)printf("%*s", used < 13 ? (int)(13 - used) : 0, "");
        putchar(' ');
        used = read ? show_write(stdout, read, strlen(read), 32) : 0;
        printf("%*s ", used < 33 ? (int)(33 - used) : 0, "");
        if (formula) show_write(stdout, formula, strlen(formula), 100);
        putchar('\n');
        temper_free(read);
        temper_free(formula);
    }
    temper_spec_free(spec);
}

void outputs_json(const temper_model *model) {
    temper_model_info info = temper_model_about(model);
    temper_spec *spec = NULL;
    if (info.kind == TEMPER_KIND_ACCEPTOR) return;
    is_done(temper_model_spec(&spec, model, NULL));
    for (size_t k = 0; k < info.outputs; k++) {
        char *read = NULL, *formula = formula_of(spec, k);
        json j;
        is_done(temper_model_read_out(&read, model, k, NULL));
        json_open(&j, stdout);
        json_text(&j, "kind", "output");
        json_text(&j, "output", temper_model_output_name(model, k));
        json_text(&j, "read_out", read ? read : "");
        if (formula) json_text(&j, "formula", formula);
        json_close(&j);
        temper_free(read);
        temper_free(formula);
    }
    temper_spec_free(spec);
}

/* ---- show ---- */

enum { NAME_WIDTH = 12 };

static size_t width_of(const char *letter) { return show_width(letter, strlen(letter), 0); }

static void print_padded(const char *text, size_t width) {
    size_t used = show_write(stdout, text, strlen(text), width);
    printf("%*s", used < width ? (int)(width - used) : 0, "");
}

static void outputs_of_run_json(const temper_model *model, const temper_run *run, size_t first, size_t n) {
    for (size_t k = 0, outputs = temper_model_about(model).outputs; k < outputs; k++) {
        const unsigned char *truth = temper_run_output(run, k);
        json j;
        json_open(&j, stdout);
        json_text(&j, "output", temper_model_output_name(model, k));
        json_count(&j, "from", first);
        json_begin(&j, "holds", '[');
        for (size_t i = first; i <= n; i++) json_count(&j, NULL, truth[i] != 0);
        json_end(&j, ']');
        json_close(&j);
    }
}

void outputs_of_run(session *s, const temper_model *model, const temper_run *run, const uint32_t *letters, size_t n) {
    temper_model_info info = temper_model_about(model);
    size_t first = info.kind == TEMPER_KIND_NEXT ? 0 : 1;
    if (info.kind == TEMPER_KIND_ACCEPTOR) return;
    if (s->json) {
        outputs_of_run_json(model, run, first, n);
        return;
    }
    puts("\noutputs (1: it holds)");
    print_padded("", NAME_WIDTH);
    if (!first) fputs(" ^", stdout);
    for (size_t i = 0; i < n; i++) {
        putchar(' ');
        print_padded(temper_model_letter(model, letters[i]), width_of(temper_model_letter(model, letters[i])));
    }
    putchar('\n');
    for (size_t k = 0; k < info.outputs; k++) {
        const unsigned char *truth = temper_run_output(run, k);
        print_padded(shown_name(model, k), NAME_WIDTH);
        for (size_t i = first; i <= n; i++) {
            size_t width = i ? width_of(temper_model_letter(model, letters[i - 1])) : 1;
            printf(" %c%*s", truth[i] ? '1' : '.', width > 1 ? (int)width - 1 : 0, "");
        }
        putchar('\n');
    }
}
