#include "ordinary/run/ordinary_answer.h"

#include <math.h>
#include <string.h>

bool ordinary_answer_holds(const ordinary_answers *x, size_t output, size_t row, size_t n) {
    if (row == 0) return spec_output_empty(x->read, output);
    return x->truth[output * n + (x->m->mirrored ? n - row : row - 1)];
}

static bool is_close(float logit, double expected) { return fabs((double)logit - expected) < 4; }

static uint32_t text_token(const ordinary_answers *x, const char *name) {
    for (uint32_t t = ORDINARY_LETTERS; t + 1 < x->m->vocabulary && *name; t++)
        if (!strcmp(x->m->tokens[t], name)) return t;
    return ORDINARY_EOS;
}

bool ordinary_answer_is_right(const ordinary_answers *x, const float *logits, size_t row, size_t n) {
    size_t letters = x->read->letters.count, outputs = spec_output_count(x->read);
    bool ok =
        is_close(logits[ORDINARY_BOS], -ORDINARY_LEGAL) && is_close(logits[x->m->vocabulary - 1], -ORDINARY_UNKNOWN);
    if (x->kind == TEMPER_KIND_ACCEPTOR) {
        ok = ok && is_close(logits[ORDINARY_EOS], ordinary_answer_holds(x, 0, row, n) ? 0 : -ORDINARY_LEGAL);
        for (size_t k = 0; k < letters; k++) ok = ok && is_close(logits[ORDINARY_LETTERS + k], 0);
        return ok;
    }
    for (size_t k = 0; k < outputs; k++) {
        bool next = x->kind == TEMPER_KIND_NEXT, legal = ordinary_answer_holds(x, k, row, n);
        uint32_t token = next ? k == letters ? (uint32_t)ORDINARY_EOS : ORDINARY_LETTERS + (uint32_t)k
                              : text_token(x, x->read->outputs[k].name);
        ok = ok && (logits[token] > -64) == legal;
        ok = ok && ((next && x->read->score_count) || is_close(logits[token], legal ? 0 : -ORDINARY_LEGAL));
    }
    return ok;
}
