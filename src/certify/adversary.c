#include "certify/adversary.h"

#include <string.h>

#include "certify/rebuild.h"

typedef struct search {
    const temper_model *m;
    const temper_spec *spec;
    temper_type type;
    uint64_t left, state; /* of the budget; of the random numbers */
    uint32_t *letters;
    unsigned char *truth;
} search;

static uint64_t draw(search *s) {
    s->state ^= s->state << 13;
    s->state ^= s->state >> 7;
    return s->state ^= s->state << 17;
}

/* Runs of one letter, alternations, a letter far left or right, random strings. */
enum { FAMILIES = 6 };

static void fill(search *s, size_t n, unsigned family) {
    uint32_t count = (uint32_t)s->m->letters.count, x = (uint32_t)(draw(s) % count), y = (uint32_t)(draw(s) % count);
    for (size_t k = 0; k < n; k++) {
        switch (family) {
        case 0: s->letters[k] = x; break;
        case 1: s->letters[k] = k % 2 ? x : y; break;
        case 2: s->letters[k] = k < 2 ? x : y; break;
        case 3: s->letters[k] = k + 2 > n ? x : y; break;
        case 4: s->letters[k] = k < n / 2 ? x : y; break;
        default: s->letters[k] = (uint32_t)(draw(s) % count);
        }
    }
}

/* True if an answer of the run differs from the specification's, at a position or in the verdict. */
static bool is_wrong(search *s, size_t n, size_t *position) {
    temper_run *run;
    int accept;
    temper_run_options o = {.unchecked = 1, .type = s->type, .threads = 1};
    s->left -= s->left > n ? n + 1 : s->left;
    if (temper_spec_eval(&accept, s->truth, s->spec, s->letters, n, NULL) != TEMPER_OK ||
        temper_model_run(&run, s->m, s->letters, n, &o, NULL) != TEMPER_OK)
        return false;
    bool wrong = !!temper_run_accept(run) != !!accept;
    *position = wrong ? (s->m->at == TEMPER_AT_FIRST && n ? 1 : n) : 0;
    for (size_t k = n; k-- > 0;)
        if (!!temper_run_truth(run, k + 1) != s->truth[k]) *position = k + 1, wrong = true;
    temper_run_free(run);
    return wrong;
}

bool adversary_find(wrong_answer *out, const temper_model *m, temper_type type, size_t longest, uint64_t budget,
                    arena *a, trap *t) {
    search s = {.m = m, .spec = rebuild_spec(m, a), .type = type, .left = budget, .state = 88172645463325252};
    (void)t;
    if (!s.spec || !m->letters.count) return false;
    size_t most = longest < budget ? longest : (size_t)budget;
    s.letters = arena_alloc(a, most + 1, sizeof *s.letters);
    s.truth = arena_alloc(a, most + 1, 1);
    for (size_t n = 0; n <= most && s.left; n = n < 40 ? n + 1 : n + n / 8)
        for (unsigned round = 0; round < 3 * FAMILIES && s.left; round++) {
            size_t position;
            fill(&s, n, round % FAMILIES);
            if (!is_wrong(&s, n, &position)) continue;
            *out = (wrong_answer){.letters = s.letters, .n = n, .position = position};
            return true;
        }
    return false;
}
