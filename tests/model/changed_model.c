#include "changed_model.h"

#include <stdlib.h>
#include <string.h>

static void replace_all(bytes *b, const char *from, const char *to) {
    for (size_t at = 0; at + strlen(from) <= b->length; at++)
        if (memcmp(b->data + at, from, strlen(from)) == 0) {
            bytes grown = copy_of(b, strlen(to));
            splice(&grown, at, strlen(from), to);
            free(b->data);
            *b = grown;
            at += strlen(to) - 1;
        }
}

bool changed_text(bytes *out, const char *formula, temper_method method, const char *from, const char *to) {
    temper_spec *spec = NULL;
    temper_model *model = NULL;
    temper_error e = {0};
    bytes printed = {0};
    temper_spec_options o = {.alphabet = "abc"};
    temper_build_options build = {.method = method};
    bool ok = CHECK(temper_spec_parse(&spec, formula, strlen(formula), &o, &e) == TEMPER_OK &&
                        temper_build(&model, spec, &build, &e) == TEMPER_OK &&
                        temper_model_print(&printed.data, &printed.length, model, &e) == TEMPER_OK,
                    "%s: %s", formula, e.text);
    temper_model_free(model);
    temper_spec_free(spec);
    if (!ok) return false;
    *out = copy_of(&printed, 0);
    temper_free(printed.data);
    char *digest = strstr(out->data, "\ndigest ");
    out->length = (size_t)(digest - out->data) + 1;
    out->data[out->length] = 0;
    if (from) replace_all(out, from, to);
    return true;
}

temper_model *changed_model(const char *formula, temper_method method, const char *from, const char *to) {
    bytes file;
    temper_model *m = NULL;
    temper_error e;
    if (!changed_text(&file, formula, method, from, to)) return NULL;
    CHECK(temper_model_read(&m, file.data, file.length, &e) == TEMPER_OK, "%s, %s: %s", formula, to ? to : "",
          e.text);
    free(file.data);
    return m;
}
