/* The command line, linked with the passes of the compiler wrapped (the linker's --wrap): at its end it says on
   stderr how often some were called, and the order in which all were called first. tests/cli/walks.sh asks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/proof.h"
#include "compile/compile.h"
#include "compile/regular_expand.h"
#include "recognise/recognise.h"
#include "soften/soften.h"
#include "temper.h"

enum { MOST_CALLS = 64 };

static const char *calls[MOST_CALLS]; /* names, in order */
static int call_count;

static void note(const char *name) {
    if (call_count < MOST_CALLS) calls[call_count++] = name;
}

static int times(const char *name) {
    int count = 0;
    for (int k = 0; k < call_count; k++) count += strcmp(calls[k], name) == 0;
    return count;
}

__attribute__((destructor)) static void tell(void) {
    if (!getenv("TEMPER_WALKS")) return;
    fprintf(stderr, "parse %d lower %d recognise %d soften %d\npasses", times("temper_spec_parse"),
            times("model_from_draft"), times("recognise"), times("soften_by_roles"));
    for (int k = 0; k < call_count; k++) fprintf(stderr, " %s", calls[k]);
    fputc('\n', stderr);
}

#define WRAP(result, name, parameters, arguments)                                                                    \
    result __real_##name parameters;                                                                                 \
    result __wrap_##name parameters;                                                                                 \
    result __wrap_##name parameters {                                                                                \
        note(#name);                                                                                                 \
        return __real_##name arguments;                                                                              \
    }
#define WRAP_VOID(name, parameters, arguments)                                                                       \
    void __real_##name parameters;                                                                                   \
    void __wrap_##name parameters;                                                                                   \
    void __wrap_##name parameters {                                                                                  \
        note(#name);                                                                                                 \
        __real_##name arguments;                                                                                     \
    }

WRAP(temper_status, temper_spec_parse,
     (temper_spec * *out, const char *source, size_t length, const temper_spec_options *options, temper_error *err),
     (out, source, length, options, err))
WRAP_VOID(regular_expand, (regular_expansion * out, const temper_spec *spec, bool prefixes, arena *a, arena *scratch),
          (out, spec, prefixes, a, scratch))
WRAP_VOID(formula_simplify, (normal_form * out, const temper_spec *spec, match_use use, arena *a),
          (out, spec, use, a))
WRAP_VOID(draft_from_normal,
          (draft * d, const normal_form *normal, const temper_spec *spec, gate_limits gates,
           const char *const *labels, arena *a),
          (d, normal, spec, gates, labels, a))
WRAP_VOID(model_from_draft, (temper_model * m, const draft *d, uint32_t **channel_of, arena *scratch),
          (m, d, channel_of, scratch))
WRAP_VOID(model_check, (const temper_model *m, trap *t), (m, t))
WRAP(recognition *, recognise, (const temper_model *m, const temper_spec *spec, bool hard, arena *a),
     (m, spec, hard, a))
WRAP_VOID(soften_by_roles,
          (temper_model * m, const temper_model *hard, temper_method method, temper_type type, entry *e),
          (m, hard, method, type, e))
WRAP_VOID(model_prover_longest, (model_prover * p, length_bracket *b), (p, b))
