/* The command line, linked with the steps of the compiler wrapped (the linker's --wrap): at its end it says on stderr
   how often each was called. tests/cli/walks.sh asks. */
#include <stdio.h>
#include <stdlib.h>

#include "compile/draft.h"
#include "recognise/recognise.h"
#include "soften/soften.h"
#include "temper.h"

static int parses, lowerings, recognitions, softenings;

__attribute__((destructor)) static void tell(void) {
    if (getenv("TEMPER_WALKS"))
        fprintf(stderr, "parse %d lower %d recognise %d soften %d\n", parses, lowerings, recognitions, softenings);
}

#define WRAP(result, name, counter, parameters, arguments)                                                           \
    result __real_##name parameters;                                                                                 \
    result __wrap_##name parameters;                                                                                 \
    result __wrap_##name parameters {                                                                                \
        counter++;                                                                                                   \
        return __real_##name arguments;                                                                              \
    }

WRAP(temper_status, temper_spec_parse, parses,
     (temper_spec * *out, const char *source, size_t length, const temper_spec_options *options, temper_error *err),
     (out, source, length, options, err))
WRAP(recognition *, recognise, recognitions, (const temper_model *m, const temper_spec *spec, bool hard, arena *a),
     (m, spec, hard, a))
#define WRAP_VOID(name, counter, parameters, arguments)                                                              \
    void __real_##name parameters;                                                                                   \
    void __wrap_##name parameters;                                                                                   \
    void __wrap_##name parameters {                                                                                  \
        counter++;                                                                                                   \
        __real_##name arguments;                                                                                     \
    }

WRAP_VOID(model_from_draft, lowerings, (temper_model * m, const draft *d, uint32_t **channel_of, arena *scratch),
          (m, d, channel_of, scratch))
WRAP_VOID(soften_by_roles, softenings,
          (temper_model * m, const temper_model *hard, temper_method method, temper_type type, entry *e),
          (m, hard, method, type, e))
