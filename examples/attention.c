/* Prints what every head looks at, and what it makes of it.

       cc attention.c $(pkg-config --cflags --libs temper) -o attention
       ./attention model.temper caab */
#include <stdio.h>
#include <string.h>
#include <temper.h>

static int failed(const temper_error *e) {
    fprintf(stderr, "%s\n", e->text);
    return 2;
}

static const char *position_name(const temper_model *model, const uint32_t *letters, size_t n, size_t i) {
    return i == 0 ? "^" : i <= n ? temper_model_letter(model, letters[i - 1]) : "$";
}

static int print_head(const temper_model *model, const temper_run *run, const uint32_t *letters, size_t n,
                      size_t layer, size_t head, temper_error *e) {
    temper_head_info info;
    int status = temper_model_head(&info, model, layer, head, e);
    if (status) return status;
    size_t size = temper_run_about(run).size;
    const double *weights = temper_run_head(run, layer, head).weights; /* [size][size], the run's */
    printf("head %zu.%zu, %s, scale %s = %g\n", layer, head, info.label, info.scale,
           temper_run_row(run, layer, head, n).scale);
    for (size_t i = 0; i < size; i++) {
        printf("  %-3s", position_name(model, letters, n, i));
        for (size_t j = 0; j < size; j++) printf(" %6.4f", weights[i * size + j]);
        printf("   -> %.4f\n", temper_run_row(run, layer, head, i).output[0]);
    }
    return 0;
}

static int look(const temper_model *model, const char *string, temper_error *e) {
    temper_model_info info;
    temper_run_options options;
    uint32_t *letters;
    size_t n;
    temper_run *run = NULL;
    info = temper_model_about(model);
    memset(&options, 0, sizeof options);
    options.capture = 1;
    int status = temper_model_encode(&letters, &n, model, string, strlen(string), e);
    if (!status) status = temper_model_run(&run, model, letters, n, &options, e);
    for (size_t layer = 1; layer <= info.layers && !status; layer++)
        for (size_t head = 1; head <= temper_model_layer(model, layer).heads && !status; head++)
            status = print_head(model, run, letters, n, layer, head, e);
    temper_run_free(run);
    temper_free(letters);
    return status;
}

int main(int argc, char **argv) {
    temper_model *model;
    temper_error e;
    if (argc != 3) {
        fprintf(stderr, "usage: attention MODEL STRING\n");
        return 2;
    }
    if (temper_model_load(&model, argv[1], &e)) return failed(&e);
    int status = look(model, argv[2], &e);
    temper_model_free(model);
    return status ? failed(&e) : 0;
}
