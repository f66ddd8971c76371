/* Writes a model of the gallery, made soft for a length, as a folder for PyTorch, Hugging Face, TransformerLens and
   ONNX runtimes.

       cc export.c $(pkg-config --cflags --libs temper) -o export
       ./export dyck-1 32 out */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <temper.h>

int main(int argc, char **argv) {
    temper_model *hard = NULL, *soft = NULL;
    temper_soften_options soften;
    temper_soften_report report;
    temper_export_options options;
    temper_error e;
    if (argc != 4) {
        fprintf(stderr, "usage: export NAME LENGTH FOLDER\n");
        return 2;
    }
    memset(&soften, 0, sizeof soften);
    memset(&report, 0, sizeof report);
    soften.method = TEMPER_METHOD_TEMPERATURE;
    soften.length = (size_t)strtoull(argv[2], NULL, 10);
    memset(&options, 0, sizeof options);
    options.outputs = TEMPER_EXPORT_PATTERNS;
    int status = temper_gallery_model(&hard, argv[1], &e);
    if (!status) status = temper_soften(&soft, &report, hard, &soften, &e);
    if (!status) status = temper_export(argv[3], soft, &options, &e);
    if (status)
        fprintf(stderr, "%s\n", e.text);
    else
        printf("%s: right up to length %zu, error at most %.2g of %.2g allowed\n", argv[3], soften.length,
               report.error, report.margin);
    temper_model_free(soft);
    temper_model_free(hard);
    return status ? 2 : 0;
}
