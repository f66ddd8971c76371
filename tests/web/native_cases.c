/* make test-web: what the native library says of random formulas and strings, one line of JSON a case, for
   tests/web/bits.mjs to compare with WebAssembly bit by bit.

       native_cases COUNT SEED
       native_cases gallery       every transformer of the gallery, softened for 32 letters as the page does

   Numbers are digests of their bytes (FNV-1a, 32 bits) or hexadecimal. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "temper.h"
#include "random_formula.h"
#include "ordinary_calls.h"

static uint32_t digest(uint32_t d, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    for (size_t k = 0; k < size; k++) d = (d ^ p[k]) * UINT32_C(16777619);
    return d;
}

static const uint32_t START = UINT32_C(2166136261);

static void print_text(const char *s) {
    putchar('"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            printf("\\u%04x", (unsigned)*s);
        else
            putchar(*s);
    }
    putchar('"');
}

static void fail(const char *what, const temper_error *err) {
    fprintf(stderr, "native_cases: %s: %s\n", what, err->text);
    exit(1);
}

/* Weights, scores and logits of all heads, and every channel after every layer. */
static uint32_t digest_run(const temper_model *m, const temper_run *run, size_t size) {
    temper_model_info info = temper_model_about(m);
    uint32_t d = START;
    for (size_t l = 1; l <= info.layers; l++) {
        for (size_t h = 1; h <= temper_model_layer(m, l).heads; h++) {
            temper_run_head_info head = temper_run_head(run, l, h);
            d = digest(d, head.weights, size * size * sizeof(double));
            d = digest(d, head.scores, size * size * sizeof(double));
            if (head.logits) d = digest(d, head.logits, size * size * sizeof(double));
        }
        for (size_t i = 0; i < size; i++)
            d = digest(d, temper_run_channels(run, l, i), info.channels * sizeof(double));
    }
    return d;
}

/* Digests of the GGUF files of an ordinary GPT-2 and Llama and what is proved of them, or why there is none. */
static void print_gguf(const temper_spec *spec) {
    temper_error err;
    printf(",\"gguf\":[");
    for (int architecture = 0; architecture < 2; architecture++) {
        temper_ordinary_options o = {.architecture = (temper_ordinary_architecture)architecture, .length = 64};
        temper_ordinary_info info;
        char *bytes;
        size_t length;
        if (architecture) printf(",");
        if (ordinary_gguf_once(&info, &bytes, &length, spec, &o, &err)) {
            print_text(err.text);
        } else {
            char words[64 + sizeof info.proof.reason];
            snprintf(words, sizeof words, "%" PRIu32 " %zu %d %s", digest(START, bytes, length), length,
                     info.proof.proved, info.proof.reason);
            print_text(words);
            temper_free(bytes);
        }
    }
    printf("]");
}

static void print_case(const char *source, temper_type type, temper_method method, const char *letters_of,
                       const char *string, int certify, int gguf) {
    temper_error err;
    temper_spec *spec;
    temper_model *model;
    temper_spec_options so = {.alphabet = letters_of};
    temper_build_options bo = {.method = method};
    if (temper_spec_parse(&spec, source, strlen(source), &so, &err)) fail(source, &err);
    if (temper_build(&model, spec, &bo, &err)) {
        temper_spec_free(spec);
        return;
    }
    uint32_t *letters;
    size_t n;
    temper_run *run;
    if (temper_model_encode(&letters, &n, model, string, strlen(string), &err)) fail(string, &err);
    temper_run_options ro = {.capture = 1, .unchecked = 1, .type = type, .threads = 1};
    if (temper_model_run(&run, model, letters, n, &ro, &err)) fail("run", &err);
    temper_run_info info = temper_run_about(run);
    char *printed;
    size_t length;
    if (temper_model_print(&printed, &length, model, &err)) fail("print", &err);
    printf("{\"formula\":");
    print_text(source);
    printf(",\"alphabet\":\"%s\",\"string\":\"%s\",\"type\":\"%s\",\"method\":\"%s\",\"accept\":%d,\"proved\":%d,"
           "\"truth\":\"",
           letters_of, string, temper_type_name(type), temper_method_name(method), info.accept, info.proved);
    for (size_t i = 0; i < info.size; i++) putchar('0' + info.truth[i]);
    printf("\",\"numbers\":%" PRIu32 ",\"model\":%" PRIu32 ",\"errors\":[", digest_run(model, run, info.size),
           digest(START, printed, length));
    temper_model_info about = temper_model_about(model);
    for (size_t l = 1, k = 0; l <= about.layers; l++)
        for (size_t h = 1; h <= temper_model_layer(model, l).heads; h++) {
            double error = temper_run_head(run, l, h).error;
            uint64_t bits;
            memcpy(&bits, &error, sizeof bits);
            printf("%s\"%016" PRIx64 "\"", k++ ? "," : "", bits);
        }
    printf("]");
    if (certify) {
        temper_proof proof;
        temper_certificate *c;
        temper_certify_options co = {.length = n + 1, .type = type};
        if (temper_model_proof(&proof, model, type, 0, &err)) fail("proof", &err);
        if (temper_certify(&c, model, NULL, 0, &co, &err)) fail("certify", &err);
        char *certificate = NULL;
        size_t size = 0;
        if (temper_certificate_about(c).verdict == TEMPER_PROVED &&
            temper_certificate_print(&certificate, &size, c, &err))
            fail("certificate", &err);
        printf(",\"length\":%zu,\"claim\":\"%s\",\"certificate\":%" PRIu32, proof.length,
               temper_claim_name(proof.claim), certificate ? digest(START, certificate, size) : 0);
        temper_free(certificate);
        temper_certificate_free(c);
    }
    if (gguf) print_gguf(spec);
    printf("}\n");
    temper_free(printed);
    temper_run_free(run);
    temper_free(letters);
    temper_model_free(model);
    temper_spec_free(spec);
}

/* The gallery as the page has it. The string has every letter, as far as 6 positions go. */
static void print_gallery(void) {
    for (size_t k = 0; k < temper_gallery_count(); k++) {
        temper_error err;
        temper_gallery_info about;
        temper_model *hard, *soft;
        temper_soften_options so = {.method = TEMPER_METHOD_TEMPERATURE, .length = 32};
        if (temper_gallery_about(&about, k, &err) || temper_gallery_model(&hard, about.name, &err))
            fail("gallery", &err);
        temper_status status = temper_soften(&soft, NULL, hard, &so, &err);
        temper_model_free(hard);
        printf("{\"name\":");
        print_text(about.name);
        if (status) {
            printf(",\"refused\":");
            print_text(err.text);
            printf("}\n");
            continue;
        }
        temper_model_info info = temper_model_about(soft);
        uint32_t letters[6];
        char string[256] = "";
        for (size_t i = 0; i < 6; i++) {
            letters[i] = (uint32_t)(i % info.letters);
            strcat(string, i && info.tokens ? " " : "");
            strcat(string, temper_model_letter(soft, letters[i]));
        }
        temper_run *run;
        temper_run_options ro = {.capture = 1, .unchecked = 1, .threads = 1};
        if (temper_model_run(&run, soft, letters, 6, &ro, &err)) fail(about.name, &err);
        printf(",\"string\":");
        print_text(string);
        printf(",\"accept\":%d,\"numbers\":%" PRIu32 "}\n", temper_run_about(run).accept,
               digest_run(soft, run, temper_run_about(run).size));
        temper_run_free(run);
        temper_model_free(soft);
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "gallery")) {
        print_gallery();
        return 0;
    }
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    test_random r = {argc > 2 ? strtoul(argv[2], NULL, 10) : 1};
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32};
    for (size_t k = 0; k < count; k++) {
        unsigned kind = (unsigned)random_below(&r, 4);
        random_shape shape = {.letters = 3,
                              .size = 2 + random_below(&r, 10),
                              .depth = 5,
                              .past = kind != 1,
                              .future = kind == 1,
                              .counting = kind == 2,
                              .modulo = kind == 3};
        temper_spec *spec = random_spec(&r, &shape, TEMPER_AT_LAST);
        temper_error err;
        char *source, string[64];
        size_t n = random_below(&r, 30);
        if (temper_spec_output_formula(&source, spec, 0, &err)) fail("formula", &err);
        temper_spec_free(spec);
        for (size_t i = 0; i < n; i++) string[i] = (char)('a' + random_below(&r, 3));
        string[n] = 0;
        size_t length = strlen(source);
        int whole = length < 3 || strcmp(source + length - 3, "...") != 0;
        if (whole)
            print_case(source, types[k % 3], (temper_method)(1 + random_below(&r, 3)), "abc", string, k % 4 == 0,
                       k % 8 == 0);
        else
            count++; /* another one in its place */
        temper_free(source);
    }
    return 0;
}
