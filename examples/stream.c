/* Reads words from standard input and says after each whether the stream so far is in the language, in constant
   memory.

       cc stream.c $(pkg-config --cflags --libs temper) -o stream
       echo wait request grant | ./stream */
#include <stdio.h>
#include <string.h>
#include <temper.h>

static int failed(const temper_error *e) {
    fprintf(stderr, "%s\n", e->text);
    return 2;
}

static int watch(temper_stream *stream, const temper_model *model, temper_error *e) {
    char word[80];
    while (scanf("%79s", word) == 1) {
        uint32_t *letters;
        size_t n;
        int accept = 0;
        int status = temper_model_encode(&letters, &n, model, word, strlen(word), e);
        if (!status) status = temper_stream_push(stream, letters[0], &accept, e);
        temper_free(letters);
        if (status) return status;
        printf("%zu\t%s\t%s\n", temper_stream_about(stream).length, word,
               accept ? "fine" : "a grant without a request");
    }
    return 0;
}

int main(void) {
    const char *formula = "H(grant -> O request)";
    temper_spec_options options;
    temper_spec *spec;
    temper_build_options build;
    temper_model *model = NULL;
    temper_stream *stream = NULL;
    temper_error e;
    memset(&options, 0, sizeof options);
    memset(&build, 0, sizeof build);
    build.method = TEMPER_METHOD_TEMPERATURE;
    options.alphabet = "request grant wait";
    options.tokens = 1;
    int status = temper_spec_parse(&spec, formula, strlen(formula), &options, &e);
    if (!status) status = temper_build(&model, spec, &build, &e);
    if (!status) status = temper_stream_open(&stream, model, NULL, &e);
    if (!status) status = watch(stream, model, &e);
    temper_stream_free(stream); /* before the model, which it uses */
    temper_model_free(model);
    temper_spec_free(spec);
    return status ? failed(&e) : 0;
}
