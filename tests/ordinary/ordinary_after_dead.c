#include "ordinary_after_dead.h"

#include <math.h>

enum { PIN, GROUND = 2 };

size_t after_dead_draw(uint32_t *tokens, size_t n, const struct ordinary_model *m, test_random *r) {
    size_t first = 1 + random_below(r, n), kind = random_below(r, 4);
    for (size_t j = first; j <= n; j++) {
        bool here = j == first || kind == 0 || (kind == 1 && random_below(r, 2)) || (kind == 2 && j % 7 == 0);
        if (here) tokens[j] = random_below(r, 4) ? m->vocabulary - 1 : ORDINARY_EOS;
    }
    return first;
}

/* f32 has no exp(-104). */
bool after_dead_holds(uint32_t *token, const float *logits, const struct ordinary_model *m) {
    uint32_t dead = m->vocabulary - 1;
    for (*token = 0; *token <= dead; ++*token) {
        float x = logits[*token];
        if (!isfinite(x) || (*token < dead && !(x < logits[dead] - 104))) return false;
    }
    return true;
}

void after_dead_add(const struct ordinary_model *m, const lift *u, float *row, double by) {
    double sum = 0;
    row[PIN] = (float)((double)row[PIN] + by);
    row[u->first + u->real] = (float)((double)row[u->first + u->real] - by);
    row[u->first + u->start] = (float)((double)row[u->first + u->start] - by);
    for (uint32_t c = u->first; c < m->width; c++) sum += (double)row[c];
    if (m->architecture == ORDINARY_GPT2) row[GROUND] = (float)-sum;
}
