/* An ordinary transformer that is asked one thing: built, asked, freed. */
#ifndef TESTS_ORDINARY_CALLS_H
#define TESTS_ORDINARY_CALLS_H

#include "temper.h"

/* *info may be NULL. */
static inline temper_status ordinary_folder_once(temper_ordinary_info *info, const char *folder,
                                                 const temper_spec *spec, const temper_ordinary_options *o,
                                                 temper_error *err) {
    temper_ordinary *x;
    temper_status s = temper_ordinary_build(&x, spec, o, err);
    if (!s) s = temper_ordinary_write(x, folder, err);
    if (!s && info) *info = temper_ordinary_about(x);
    temper_ordinary_free(x);
    return s;
}

static inline temper_status ordinary_gguf_once(temper_ordinary_info *info, char **out, size_t *length,
                                               const temper_spec *spec, const temper_ordinary_options *o,
                                               temper_error *err) {
    temper_ordinary *x;
    temper_status s = temper_ordinary_build(&x, spec, o, err);
    *out = NULL;
    if (!s) s = temper_ordinary_gguf(out, length, x, err);
    if (!s && info) *info = temper_ordinary_about(x);
    temper_ordinary_free(x);
    return s;
}

static inline temper_status ordinary_certify_once(temper_ordinary_verdict *out, const temper_spec *spec,
                                                  const temper_ordinary_options *o, temper_error *err) {
    temper_ordinary *x;
    temper_status s = temper_ordinary_build(&x, spec, o, err);
    if (!s) s = temper_ordinary_certify(out, x, err);
    temper_ordinary_free(x);
    return s;
}

#endif
