/* Compiles a formula to a transformer and runs it on strings.

       cc answer.c $(pkg-config --cflags --libs temper) -o answer
       ./answer 'H(b -> O a)' abc caab cab cba */
#include <stdio.h>
#include <string.h>
#include <temper.h>

static int failed(const temper_error *e) {
    if (e->line) fprintf(stderr, "%zu:%zu: ", e->line, e->column);
    fprintf(stderr, "%s\n", e->text);
    if (*e->hint) fprintf(stderr, "hint: %s\n", e->hint);
    return 2;
}

/* Every object is made by one call and freed by another, and does not need the one it was made from. */
static int make_model(temper_model **model, const char *formula, const char *alphabet, temper_error *e) {
    temper_spec_options options;
    temper_spec *spec;
    temper_build_options build;
    memset(&options, 0, sizeof options);
    memset(&build, 0, sizeof build);
    build.method = TEMPER_METHOD_TEMPERATURE;
    options.alphabet = alphabet;
    int status = temper_spec_parse(&spec, formula, strlen(formula), &options, e);
    if (!status) status = temper_build(model, spec, &build, e);
    temper_spec_free(spec);
    return status;
}

static int answer(const temper_model *model, const char *string, temper_error *e) {
    uint32_t *letters;
    size_t n;
    temper_run *run = NULL;
    int status = temper_model_encode(&letters, &n, model, string, strlen(string), e);
    if (!status) status = temper_model_run(&run, model, letters, n, NULL, e);
    if (!status) {
        printf("%s\t%s\t", temper_run_about(run).accept ? "accept" : "reject", string);
        for (size_t i = 1; i <= n; i++) putchar(temper_run_about(run).truth[i] ? '1' : '0');
        putchar('\n');
    }
    temper_run_free(run);
    temper_free(letters);
    return status;
}

int main(int argc, char **argv) {
    temper_model *model = NULL;
    temper_error e;
    if (argc < 3) {
        fprintf(stderr, "usage: answer FORMULA ALPHABET STRING...\n");
        return 2;
    }
    if (make_model(&model, argv[1], argv[2], &e)) return failed(&e);
    for (int k = 3; k < argc; k++)
        if (answer(model, argv[k], &e)) {
            temper_model_free(model);
            return failed(&e);
        }
    temper_model_free(model);
    return 0;
}
