/* temper eval: the formula's own answers. */
#include <stdio.h>
#include <stdlib.h>

#include "remedy_words.h"
#include "answer.h"
#include "subject.h"

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
    char origin[40];
    place at = {line_origin(origin, l), l->is_input ? l->number : 0, 0, NULL, 0};
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
