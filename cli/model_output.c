#include "model_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "json.h"
#include "real.h"

void stage_print(session *s, const char *name, const char *text, size_t length, bool titled) {
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "stage", name);
        json_bytes(&j, "text", text, length);
        json_close(&j);
        return;
    }
    if (titled) printf("== %s ==\n", name);
    fwrite(text, 1, length, stdout);
    if (length && text[length - 1] != '\n') putchar('\n');
}

bool model_output_print(session *s, const temper_model *model, const char *name, bool titled) {
    char *text;
    size_t length;
    temper_error err;
    if (temper_model_print(&text, &length, model, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    stage_print(s, name, text, length, titled);
    temper_free(text);
    return true;
}

bool model_output_write(size_t *bytes, session *s, const temper_model *model, const char *path) {
    temper_error err;
    struct stat st;
    *bytes = 0;
    if (temper_model_save(path, model, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) *bytes = (size_t)st.st_size; /* none of a pipe or device */
    return true;
}

const char *bound_show(char out[32], double value, bool up) {
    double x = value;
    for (int k = 0; k < 20; k++, x *= up ? 1.001 : 0.999) {
        temper_real_format(out, 32, "%.3g", x);
        if (up ? real_read(out) >= value : real_read(out) <= value) break;
    }
    return out;
}
