/* The text of a model, or its safetensors: it is refused with a message, or it prints as a text that is read as the
   same again. Nothing is proved or run here, so that there are thousands of inputs a second; fuzz_proved.c does. */
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    temper_model *model, *again;
    temper_error err;
    char *text = NULL, *second = NULL;
    size_t length, second_length;
    temper_status status = temper_model_read(&model, fuzz_copy(data, size), size, &err);
    MUST((status == TEMPER_OK) == (model != NULL) && (status == TEMPER_OK || err.text[0]), "status %d", status);
    fuzz_count(status == TEMPER_OK);
    if (status != TEMPER_OK) return 0;
    MUST(temper_model_print(&text, &length, model, &err) == TEMPER_OK, "%s", err.text);
    MUST(temper_model_read(&again, text, length, &err) == TEMPER_OK, "what was printed is refused: %s\n%s", err.text,
         text);
    MUST(temper_model_print(&second, &second_length, again, &err) == TEMPER_OK, "%s", err.text);
    MUST(length == second_length && memcmp(text, second, length) == 0, "printed twice:\n%s\n%s", text, second);
    temper_free(text);
    temper_free(second);
    temper_model_free(again);
    temper_model_free(model);
    return 0;
}
