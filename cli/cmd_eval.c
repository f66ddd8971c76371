/* temper eval: the formula's own answers. */
#include <stdio.h>
#include <stdlib.h>

#include "remedy_words.h"
#include "answer.h"
#include "subject.h"

/* What the formulas say at each position, as texts [n] for malloc's free; NULL: there is no memory, or an error that
   is said already. */
static const char **texts_of(const temper_spec *spec, const uint32_t *letters, size_t n) {
    size_t outputs = temper_spec_about(spec).outputs;
    const char **texts = malloc((n + 1) * sizeof *texts);
    unsigned char *truth = malloc(outputs * n + 1);
    bool fine = texts && truth && is_done(temper_spec_eval_outputs(truth, spec, letters, n, NULL));
    for (size_t i = 0; fine && i < n; i++)
        for (size_t k = 0; k < outputs; k++)
            if (truth[k * n + i]) texts[i] = temper_spec_output_name(spec, k);
    free(truth);
    if (fine) return texts;
    free(texts);
    return NULL;
}

/* The string that a transducer writes; it does not know what to write where no formula holds, or several. */
static bool write_line(session *s, const temper_spec *spec, const line *l, const uint32_t *letters, size_t n) {
    answer a = {.n = n};
    temper_error err;
    char *written = NULL, origin[40];
    const char **texts = NULL;
    place at = {line_origin(origin, l), l->input ? l->number : 0, 0, NULL, 0};
    if (temper_spec_write(&written, &a.written_length, spec, letters, n, &err) != TEMPER_OK) {
        a.error = err.text;
        message_print(s, exit_code_of(err.code), &at, err.text, error_hint(&err));
    } else if (is_given(s, OPT_PER_POSITION) && !(texts = texts_of(spec, letters, n))) {
        a.error = "out of memory";
        message_print(s, EXIT_LIMIT, &at, a.error, NULL);
    }
    a.written = written;
    a.texts = texts;
    bool ok = answer_print(s, l, &a);
    free(texts);
    temper_free(written);
    return ok;
}

/* One string; false if the output is broken. */
static bool eval_line(session *s, const temper_spec *spec, const line *l) {
    answer a = {0};
    temper_error err;
    uint32_t *letters = NULL;
    unsigned char *truth = NULL;
    int accept = 0;
    if (!subject_encode(&letters, &a.n, &err, s, spec, NULL, l)) {
        a.error = err.text;
        return answer_print(s, l, &a);
    }
    if (temper_spec_about(spec).kind == TEMPER_KIND_TRANSDUCER) {
        bool fine = write_line(s, spec, l, letters, a.n);
        temper_free(letters);
        return fine;
    }
    char origin[40];
    place at = {line_origin(origin, l), l->input ? l->number : 0, 0, NULL, 0};
    if (is_given(s, OPT_PER_POSITION) && !(truth = malloc(a.n + 1))) {
        a.error = "out of memory";
        message_print(s, EXIT_LIMIT, &at, a.error, NULL);
    } else if (temper_spec_eval(&accept, truth, spec, letters, a.n, &err) != TEMPER_OK) {
        a.error = err.text;
        message_print(s, exit_code_of(err.code), &at, err.text, error_hint(&err));
    }
    a.accept = accept;
    a.truth = truth;
    bool ok = answer_print(s, l, &a);
    free(truth);
    temper_free(letters);
    return ok;
}

void cmd_eval(session *s) {
    subject x;
    lines *in = malloc(sizeof *in);
    line l;
    if (!in) {
        message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
        return;
    }
    if (subject_formula(&x, s) && lines_start(in, s, x.first)) {
        for (bool on = true; on && lines_next(&l, in);) on = eval_line(s, x.spec, &l);
        lines_stop(in);
    }
    free(in);
    subject_free(&x);
}
