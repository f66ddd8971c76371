#include "agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

temper_spec *spec_of(const char *source, const char *letters, temper_at at) {
    temper_spec *spec = NULL;
    temper_error e;
    temper_spec_options options = {.alphabet = letters, .at = at};
    CHECK(!temper_spec_parse(&spec, source, strlen(source), &options, &e), "%s: %s", source, e.text);
    return spec;
}

temper_model *digits_of(const temper_spec *spec, temper_type type) {
    temper_model *model = NULL;
    temper_build_options o = {.method = TEMPER_METHOD_DIGITS, .digits = type};
    temper_error e;
    CHECK(!temper_build(&model, spec, &o, &e), "build: %s", e.text);
    return model;
}

temper_model *model_of(const temper_spec *spec, temper_method method) {
    temper_model *model = NULL;
    temper_build_options o = {.method = method};
    temper_error e;
    CHECK(!temper_build(&model, spec, &o, &e), "build: %s", e.text);
    return model;
}

bool agree_compile(agree_set *s, const char *name, const temper_spec *spec) {
    temper_error e;
    memset(s, 0, sizeof *s);
    s->name = name;
    s->spec = spec;
    bool ok = temper_build(&s->hard, spec, NULL, &e) == TEMPER_OK;
    ok = ok && temper_soften(&s->soft[0], NULL, s->hard,
                             &(temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE}, &e) == TEMPER_OK;
    ok = ok && temper_build(&s->soft[1], spec, &(temper_build_options){.method = TEMPER_METHOD_POSITIONS}, &e) ==
                   TEMPER_OK; /* from the start: heads that look for patterns would keep their scale */
    static const temper_type types[] = {TEMPER_TYPE_BF16, TEMPER_TYPE_F16, TEMPER_TYPE_E4M3, TEMPER_TYPE_E5M2,
                                        TEMPER_TYPE_F32};
    if (ok) s->soft[2] = digits_of(spec, types[strlen(name) % 5]);
    return CHECK(ok && s->soft[2], "%s: does not compile: %s", name, ok ? "" : e.text);
}

void agree_free(agree_set *s) {
    temper_model_free(s->hard);
    temper_model_free(s->soft[0]);
    temper_model_free(s->soft[1]);
    temper_model_free(s->soft[2]);
}

static const char *shown(const agree_set *s, const uint32_t *word, size_t n) {
    static char buffer[2000];
    size_t used = 0;
    for (size_t k = 0; k < n && used + 20 < sizeof buffer; k++)
        used += (size_t)snprintf(buffer + used, sizeof buffer - used, "%.12s%s", temper_spec_letter(s->spec, word[k]),
                                 temper_spec_about(s->spec).tokens ? " " : "");
    buffer[used] = 0;
    return buffer;
}

/* The leak in real arithmetic, with room for the rounding of logits, exp and sums in f64 on strings as short as
   these. */
static double margin_bound(const model_head *h) {
    double bound = head_bound(h->role, h->role == ROLE_LOOKUP ? MODEL_KAPPA_LOOKUP : MODEL_KAPPA);
    return bound == 0 ? 0 : bound * (1 + 0x1p-10) + 64 * 0x1p-53;
}

/* Every head's error before rounding is below its bound. */
static bool margins_hold(const agree_set *s, const temper_model *m, const temper_run *r, const char *what,
                         const uint32_t *word, size_t n) {
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            double margin = temper_run_head(r, l + 1, h + 1).error;
            double bound = margin_bound(&m->layers[l].heads[h]);
            if (margin <= bound) continue;
            return CHECK(false, "%s on '%s': %s head %u.%u (%s) is off by %g, bound %g", s->name, shown(s, word, n),
                         what, l + 1, h + 1, m->layers[l].heads[h].label, margin, bound);
        }
    return true;
}

/* The channel of every subformula is exactly 0.0 or 1.0 after its layer, on sentinels too (0.0 there). */
static bool channels_heal(const agree_set *s, const temper_model *m, const temper_run *r, const char *what,
                          const uint32_t *word, size_t n) {
    for (size_t k = 0; k < m->part_count; k++) {
        const model_part *p = &m->parts[k];
        if (p->channel < 0) continue;
        for (size_t i = 0; i < temper_run_about(r).size; i++) {
            double x = temper_run_channels(r, p->layer, i)[p->channel];
            bool letter = i >= 1 && i <= n;
            if (x == 0 || (letter && x == 1)) continue;
            return CHECK(false, "%s on '%s': %s channel %lld (%s) is %a at %zu after layer %u", s->name,
                         shown(s, word, n), what, (long long)p->channel, p->formula, x, i, p->layer);
        }
    }
    return true;
}

/* Temperature: position features are at most 1, and all growth is in the scale. Positions: the scale is 1. */
static bool method_holds(const agree_set *s, const temper_model *m, const temper_run *r, const char *what) {
    for (uint32_t l = 0; l < m->layer_count && m->method == TEMPER_METHOD_POSITIONS; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            if (m->layers[l].heads[h].scale)
                return CHECK(false, "%s: %s head %u.%u has a scale", s->name, what, l + 1, h + 1);
    for (uint32_t c = 0; c < m->channel_count && m->method == TEMPER_METHOD_TEMPERATURE; c++)
        for (size_t i = 0; i < temper_run_about(r).size; i++) {
            double x = temper_run_channels(r, 0, i)[c];
            if (!(x >= 0 && x <= 1))
                return CHECK(false, "%s: %s feature %s is %g at %zu", s->name, what, m->channels[c].label, x, i);
        }
    return true;
}

static bool one_model(const agree_set *s, const temper_model *m, bool hard, const char *what, const uint32_t *word,
                      size_t n, bool inside, int accept, const unsigned char *truth) {
    temper_error e;
    temper_run *r;
    temper_run_options o = {.hard = hard, .capture = inside};
    if (temper_model_run(&r, m, word, n, &o, &e) != TEMPER_OK)
        return CHECK(false, "%s on '%s': %s does not run: %s", s->name, shown(s, word, n), what, e.text);
    size_t bad = 0;
    for (size_t i = 1; i <= n && !bad; i++)
        if (temper_run_about(r).truth[i] != truth[i - 1]) bad = i;
    bool ok = !bad && temper_run_about(r).accept == accept;
    CHECK(ok, "%s on '%s': %s disagrees with the formula at %zu (verdict %d, formula %d)", s->name, shown(s, word, n),
          what, bad, temper_run_about(r).accept, accept);
    ok = margins_hold(s, m, r, what, word, n) && ok;
    if (inside) ok = channels_heal(s, m, r, what, word, n) && method_holds(s, m, r, what) && ok;
    temper_run_free(r);
    return ok;
}

bool agree_on(const agree_set *s, const uint32_t *word, size_t n, bool inside) {
    temper_error e;
    int accept;
    unsigned char *truth = calloc(n + 1, 1);
    bool ok =
        CHECK(temper_spec_eval(&accept, truth, s->spec, word, n, &e) == TEMPER_OK, "%s: no evaluation", s->name);
    ok = ok && one_model(s, s->hard, true, "hard", word, n, inside, accept, truth);
    ok = ok && one_model(s, s->soft[0], false, "temperature", word, n, inside, accept, truth);
    ok = ok && one_model(s, s->soft[1], false, "positions", word, n, inside, accept, truth);
    ok = ok && one_model(s, s->soft[2], false, "digits", word, n, inside, accept, truth);
    ok = ok &&
         (n > 64 || one_model(s, s->soft[0], true, "temperature with hard choices", word, n, false, accept, truth));
    ok = ok &&
         (n > 64 || one_model(s, s->soft[1], true, "positions with hard choices", word, n, false, accept, truth));
    ok = ok && (n > 64 || one_model(s, s->soft[2], true, "digits with hard choices", word, n, false, accept, truth));
    free(truth);
    return ok;
}
