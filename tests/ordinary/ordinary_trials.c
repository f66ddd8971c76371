#include "ordinary_trials.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "random_regex.h"

struct ordinary_options ordinary_setting(uint64_t number, size_t length) {
    return (struct ordinary_options){.architecture = number & 1 ? ORDINARY_LLAMA : ORDINARY_GPT2,
                                     .length = length,
                                     .weights = number & 2 ? ORDINARY_F16 : ORDINARY_F32,
                                     .kv = number & 4 ? ORDINARY_F16 : ORDINARY_F32,
                                     .positions = number & 8 ? ORDINARY_POSITIONS_DIGITS : ORDINARY_POSITIONS_AUTO};
}

const char *ordinary_setting_text(const char *name, const struct ordinary_options *o) {
    static char out[300];
    static const char *const positions[] = {"", " ramp", " digits"};
    snprintf(out, sizeof out, "%.160s as %s%s, %zu letters, weights %s, kv %s", name,
             o->architecture == ORDINARY_GPT2 ? "gpt2" : "llama", positions[o->positions], o->length,
             o->weights == ORDINARY_F16 ? "f16" : "f32", o->kv == ORDINARY_F16 ? "f16" : "f32");
    return out;
}

/* ---- specifications ---- */

temper_spec *ordinary_parse(const char *source, const char *letters) {
    temper_error e;
    temper_spec *s = NULL;
    temper_spec_options o = {.alphabet = letters};
    CHECK(temper_spec_parse(&s, source, strlen(source), &o, &e) == TEMPER_OK, "%s: %s", source, e.text);
    return s;
}

temper_spec *ordinary_random_regex(char out[ORDINARY_REGEX], test_random *r) {
    temper_spec *s = NULL;
    temper_spec_options o = {.alphabet = "abc"};
    snprintf(out, ORDINARY_REGEX, "/%s/", regex_random_text(regex_random(r, 2 + random_below(r, 8), false)));
    return temper_spec_parse(&s, out, strlen(out), &o, NULL) == TEMPER_OK ? s : NULL;
}

random_shape ordinary_random_shape(test_random *r) {
    return (random_shape){.letters = 1 + (unsigned)random_below(r, 3),
                          .size = 1 + random_below(r, 8),
                          .depth = 5,
                          .past = true,
                          .counting = random_below(r, 3) == 0};
}

temper_spec *ordinary_random_formula(char **out, test_random *r, const random_shape *shape) {
    temper_error e;
    temper_spec *made = random_spec(r, shape, shape->future ? TEMPER_AT_FIRST : TEMPER_AT_LAST), *s = NULL;
    temper_spec_options o = {.syntax = made->syntax};
    temper_spec_print(out, made, &e);
    temper_spec_free(made);
    CHECK(temper_spec_parse(&s, *out, strlen(*out), &o, &e) == TEMPER_OK, "%s: %s", *out, e.text);
    return s;
}

/* ---- weights ---- */

static float changed(float x, uint64_t how) {
    switch (how) {
    case 0: return x == 0 ? 1 : 0;
    case 1: return x == 0 ? 0x1p-10f : -x;
    case 2: return x == 0 ? -1 : 2 * x;
    case 3: return x == 0 ? 64 : x * (1 + 0x1p-9f);
    default: return x == 0 ? -256 : x + 1;
    }
}

bool ordinary_change_weight(ordinary_change *out, const ordinary_tensors *all, test_random *r) {
    const ordinary_tensor *x = &all->all[random_below(r, all->count)];
    uint64_t shape[2], row, column;
    int tries = 0;
    ordinary_tensor_shape(shape, x);
    do {
        row = random_below(r, shape[0]);
        column = random_below(r, shape[1]);
        out->at = ordinary_tensor_at(x, row, column);
    } while (tries++ < 300 && out->at && *out->at == 0 && random_below(r, 30));
    if (!out->at) return false;
    out->old = *out->at;
    *out->at = changed(out->old, random_below(r, 5));
    if (fabsf(*out->at) > 65504) *out->at = 0;
    snprintf(out->what, sizeof out->what, "%s[%llu][%llu] %g to %g", x->name, (unsigned long long)row,
             (unsigned long long)column, (double)out->old, (double)*out->at);
    return true;
}
