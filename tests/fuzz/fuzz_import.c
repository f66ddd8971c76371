/* The JSON file beside imported weights: it is refused with a message, or gives a model that prints. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static const char *weights;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    weights = getenv("FUZZ_WEIGHTS");
    MUST(weights, "FUZZ_WEIGHTS names the weights of the example of doc/import.md");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    temper_model *model;
    temper_error err;
    char *text;
    size_t length;
    temper_status status = temper_model_import(&model, weights, fuzz_file(data, size), &err);
    MUST((status == TEMPER_OK) == (model != NULL) && (status == TEMPER_OK || err.text[0]), "status %d", status);
    fuzz_count(status == TEMPER_OK);
    if (status != TEMPER_OK) return 0;
    MUST(temper_model_print(&text, &length, model, &err) == TEMPER_OK, "%s", err.text);
    temper_free(text);
    temper_model_free(model);
    return 0;
}
