#include "scale.h"

#include <stdio.h>

/* LAYER.HEAD=EXPR, or EXPR for all heads. An EXPR never begins like that. */
static temper_scale read_scale(const char *text) {
    temper_scale out = {.scale = text};
    size_t part[2] = {0, 0}, k = 0;
    for (int p = 0; p < 2; p++) {
        size_t begin = k;
        for (; text[k] >= '0' && text[k] <= '9' && k - begin < 9; k++)
            part[p] = 10 * part[p] + (size_t)(text[k] - '0');
        if (k == begin || text[k] != (p ? '=' : '.')) return out;
        k++;
    }
    return (temper_scale){.layer = part[0], .head = part[1], .scale = text + k};
}

bool scale_model(temper_model **model, session *s) {
    temper_scale scales[OPTION_LIST];
    temper_model *scaled;
    temper_error err;
    size_t count = s->opt.list_count;
    if (!is_given(s, OPT_SCALE)) return true;
    if (is_given(s, OPT_HARD)) {
        message_usage(s, NULL, "--hard and --scale exclude each other: a hard choice has no scale");
        return false;
    }
    for (size_t k = 0; k < count; k++) scales[k] = read_scale(s->opt.list[k]);
    if (temper_model_with_scale(&scaled, *model, scales, count, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    temper_model_free(*model);
    *model = scaled;
    return true;
}
