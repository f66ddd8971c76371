/* Models as safetensors: what is saved loads back to the same text form, byte for byte, for compiled models, random
   ones written by hand and awkward names; edits lose the proof, another order of the tensors does not; loading keeps
   to its memory; the container's number types against their definitions. tests/bad has the refusals,
   tests/base/t-hostile.c damaged files. */
#define _GNU_SOURCE
#include "test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/arena.h"
#include "corpus.h"
#include "model/model.h"
#include "model/tensor_file.h"
#include "random_formula.h"
#include "temper.h"

static char folder[TEST_FOLDER], path[64];

/* ---- there and back ---- */

/* The model of a safetensors file, loaded from the file and from memory, which must print alike. */
static char *print_saved(const char *name, const char *file) {
    char *bytes, *first, *second;
    size_t length, first_length, second_length;
    temper_model *m, *again;
    temper_error e;
    if (!CHECK(temper_model_load(&m, file, &e) == TEMPER_OK, "%s: %s", name, e.text)) return NULL;
    CHECK(temper_model_print(&first, &first_length, m, &e) == TEMPER_OK, "%s", e.text);
    CHECK(temper_file_read(&bytes, &length, file, &e) == TEMPER_OK, "%s", e.text);
    CHECK(length > 8 && !memcmp(bytes + 8, "{\"__metadata__\"", 15), "%s: not safetensors", name);
    if (CHECK(temper_model_read(&again, bytes, length, &e) == TEMPER_OK, "%s: %s", name, e.text)) {
        CHECK(temper_model_print(&second, &second_length, again, &e) == TEMPER_OK, "%s", e.text);
        CHECK(first_length == second_length && !memcmp(first, second, first_length), "%s: memory and file differ",
              name);
        temper_free(second);
    }
    temper_model_free(again);
    temper_model_free(m);
    temper_free(bytes);
    return first;
}

static void check_round_trip(const temper_model *m, const char *name) {
    char *printed, *back;
    size_t length;
    temper_error e;
    CHECK(temper_model_print(&printed, &length, m, &e) == TEMPER_OK, "%s: %s", name, e.text);
    if (CHECK(temper_model_save(path, m, &e) == TEMPER_OK, "%s: %s", name, e.text) &&
        (back = print_saved(name, path))) {
        CHECK(!strcmp(printed, back), "%s: other model\n%s\n%s", name, printed, back);
        temper_free(back);
    }
    temper_free(printed);
}

static void check_spec(const temper_spec *spec, const char *name) {
    temper_model *hard = NULL, *soft;
    temper_error e;
    if (!spec || temper_build(&hard, spec, NULL, &e) != TEMPER_OK) return;
    check_round_trip(hard, name);
    for (int k = 0; k < 2; k++)
        if (CHECK(temper_soften(
                      &soft, NULL, hard,
                      &(temper_soften_options){.method = k ? TEMPER_METHOD_POSITIONS : TEMPER_METHOD_TEMPERATURE},
                      &e) == TEMPER_OK,
                  "%s: %s", name, e.text)) {
            check_round_trip(soft, name);
            temper_model_free(soft);
        }
    temper_model_free(hard);
    static const temper_type types[] = {TEMPER_TYPE_BF16, TEMPER_TYPE_F16, TEMPER_TYPE_E4M3, TEMPER_TYPE_E5M2,
                                        TEMPER_TYPE_F32};
    temper_type type = types[strlen(name) % 5];
    temper_build_options o = {.method = TEMPER_METHOD_DIGITS, .digits = type};
    if (CHECK(!temper_build(&soft, spec, &o, &e), "%s: %s", name, e.text)) check_round_trip(soft, name);
    temper_model_free(soft);
}

static void test_compiled(void) {
    test_random r = test_seed(21);
    size_t step = test_effort() < 1 ? 3 : 1;
    for (size_t k = 0; k < corpus_size(); k += step) {
        temper_spec *spec = corpus_parse(corpus_at(k));
        check_spec(spec, corpus_at(k)->name);
        temper_spec_free(spec);
    }
    size_t rounds = (size_t)(30 * test_effort());
    for (size_t k = 0; k < rounds; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 3),
                              .size = 1 + random_below(&r, 16),
                              .depth = 1 + random_below(&r, 6),
                              .past = true,
                              .future = k % 2,
                              .counting = k % 3,
                              .large = k % 5 == 0};
        temper_spec *spec = random_spec(&r, &shape, random_below(&r, 2) ? TEMPER_AT_FIRST : TEMPER_AT_LAST);
        check_spec(spec, "a random formula");
        temper_spec_free(spec);
    }
}

/* ---- random models written by hand ---- */

typedef struct author {
    test_random *r;
    char bytes[1 << 16];
    size_t length;
    size_t channels;
} author;

static void compose(author *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void compose(author *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    a->length += (size_t)vsnprintf(a->bytes + a->length, sizeof a->bytes - a->length, format, args);
    va_end(args);
}

static size_t below(author *a, size_t n) { return random_below(a->r, n); }

static void write_label(author *a) {
    static const char *const pieces[] = {
        "a", " ",         "\\\"",  "\\\\", "\\n",          "\\t", "\\x01", "\\x7F", "\xC3\xA9", "\xF0\x9F\x98\x80",
        "{", "\\\\u0041", "\\x1F", "/",    "\xE2\x80\xAE", ","};
    compose(a, "\"");
    for (size_t k = below(a, 5); k; k--) compose(a, "%s", pieces[below(a, 16)]);
    compose(a, "\"");
}

static void write_number(author *a) {
    static const char *const numbers[] = {
        "1",    "-1",         "0x1.8p-3", "0x1p-1074", "-0x1.fffffffffffffp+1023", "0x1.921fb54442d18p+1",
        "1e-7", "12345678901"};
    compose(a, "%s", numbers[below(a, 8)]);
}

static void write_row(author *a) {
    for (size_t c = 0; c < a->channels; c++)
        if (!below(a, 2)) {
            compose(a, " %zu:", c);
            write_number(a);
        }
}

static const char *const letters[] = {"a", "\xC3\xA9", "\\\"", "\\\\", "\\x01", " "};
static const char *const expressions[] = {
    "i", "n*2 - 1", "[i = 0]", "ln(max(i, 1))/(16*N)", "0x1.999999999999ap-4", "-(2)", "min(i, N) % 3"};
static const char *const scales[] = {"N", "8*N", "ln(N) + 8", "16*N*N*N", "n/3"};

static void write_head(author *a, bool soft) {
    static const char *const masks[] = {"all", "j<i", "j<=i", "j>i", "j>=i"};
    static const char *const choices[] = {"leftmost", "rightmost", "average"};
    compose(a, "head ");
    write_label(a);
    compose(a, " mask %s choice ", masks[below(a, 5)]);
    if (soft && below(a, 3)) {
        compose(a, "softmax");
        bool stands = below(a, 2);
        if (stands) compose(a, " for %s", choices[below(a, 3)]);
        size_t kind = below(a, 3);
        if (kind == 1) compose(a, " scale \"%s\"", scales[below(a, 5)]);
        if (kind == 2 && stands) compose(a, " adaptive \"%s\"", scales[below(a, 5)]);
    } else {
        compose(a, "%s", choices[below(a, 3)]);
    }
    compose(a, "\n");
    for (size_t q = below(a, 4); q; q--) {
        compose(a, "query");
        write_row(a);
        compose(a, "\nkey");
        write_row(a);
        compose(a, "\n");
    }
    for (size_t v = below(a, 4); v; v--) {
        compose(a, "value");
        write_row(a);
        compose(a, "\noutput");
        write_row(a);
        compose(a, "\n");
    }
}

static void write_model(author *a) {
    static const char *const methods[] = {"hard", "temperature", "positions"}, *const syntaxes[] = {"spec", "crasp",
                                                                                                    "brasp", "regex",
                                                                                                    "dfa"};
    size_t letter_count = 1 + below(a, 6), method = below(a, 3), layers = below(a, 4);
    a->length = 0;
    a->channels = below(a, 8) ? below(a, 9) : 0;
    compose(a, "temper-model 1\nmethod %s\nsyntax %s\nsource ", methods[method], syntaxes[below(a, 5)]);
    write_label(a);
    compose(a, "\nalphabet");
    bool tokens = letter_count < 6 && below(a, 2);
    for (size_t k = 0; k < letter_count; k++) compose(a, " \"%s%s\"", letters[k], tokens ? "word" : "");
    compose(a, "\ntokens %s\nat %s\nempty %s\nend %s\n", tokens ? "yes" : "no", below(a, 2) ? "first" : "last",
            below(a, 2) ? "accept" : "reject", below(a, 2) ? "yes" : "no");
    if (!below(a, 4))
        compose(a, "bound 0x1.8p-7 %s %s\n", below(a, 2) ? "0.5" : "1e-1", below(a, 2) ? "verdict" : "positions");
    for (size_t c = 0; c < a->channels; c++) {
        compose(a, "channel %zu ", c);
        write_label(a);
        size_t kind = below(a, 3);
        if (kind == 1 || (kind == 2 && method))
            compose(a, " %s \"%s\"", kind == 1 ? "position" : "soft", expressions[below(a, 7)]);
        compose(a, "\n");
    }
    for (size_t k = 0; k < letter_count + 2; k++) {
        if (k < letter_count)
            compose(a, "embed \"%s%s\"", letters[k], tokens ? "word" : "");
        else
            compose(a, "embed %s", k == letter_count ? "start" : "end");
        write_row(a);
        compose(a, "\n");
    }
    for (size_t l = 1; l <= layers; l++) {
        compose(a, "layer %zu\n", l);
        for (size_t h = below(a, 4); h; h--) write_head(a, method > 0);
        for (size_t u = below(a, 4); u; u--) {
            compose(a, "unit %s", below(a, 2) ? "-0x0p+0" : "0.5");
            write_row(a);
            compose(a, " ->");
            write_row(a);
            compose(a, "\n");
        }
    }
    compose(a, "read");
    write_row(a);
    compose(a, "\n");
    for (size_t p = below(a, 3); p; p--) {
        compose(a, "part ");
        write_label(a);
        compose(a, " layer %zu", below(a, layers + 1));
        if (a->channels && below(a, 2)) compose(a, " channel %zu", below(a, a->channels));
        compose(a, "\n");
    }
}

static void test_random_models(void) {
    test_random r = test_seed(22);
    author *a = malloc(sizeof *a);
    a->r = &r;
    for (size_t k = 0, rounds = (size_t)(300 * test_effort()); k < rounds; k++) {
        temper_model *m;
        temper_error e;
        write_model(a);
        if (CHECK(temper_model_read(&m, a->bytes, a->length, &e) == TEMPER_OK, "%zu:%zu: %s\n%s", e.line, e.column,
                  e.text, a->bytes))
            check_round_trip(m, a->bytes);
        temper_model_free(m);
    }
    free(a);
}

/* ---- edits, and what is no edit ---- */

static temper_model *make_soft(const char *source) {
    temper_error e;
    temper_spec *spec = NULL;
    temper_model *hard = NULL, *soft = NULL;
    temper_spec_options o = {.alphabet = "ab", .at = TEMPER_AT_LAST};
    temper_status s = temper_spec_parse(&spec, source, strlen(source), &o, &e);
    if (!s) s = temper_build(&hard, spec, NULL, &e);
    temper_soften_options how = {.method = TEMPER_METHOD_TEMPERATURE, .length = 4};
    if (!s) s = temper_soften(&soft, NULL, hard, &how, &e);
    CHECK(!s, "%s: %s", source, e.text);
    temper_spec_free(spec);
    temper_model_free(hard);
    return soft;
}

static void expect_record(const char *bytes, size_t length, bool kept, const char *what) {
    temper_model *m;
    temper_error e;
    if (!CHECK(temper_model_read(&m, bytes, length, &e) == TEMPER_OK, "%s: %s", what, e.text)) return;
    CHECK(model_has_record(&m->record) == kept, "%s: margin %g", what, m->record.margin);
    temper_model_free(m);
}

/* The same tensors in the opposite order, header and data. */
static char *turn_round(size_t *length, const char *bytes, size_t size) {
    trap t;
    arena a;
    tensor_file f;
    char *out = malloc(size * 2), *header = malloc(size * 2);
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) abort();
    tensor_file_open(&f, (tensor_source){.bytes = bytes, .size = size}, &a, &t);
    size_t used = (size_t)sprintf(header, "{"), at = 0;
    char *data = malloc(size);
    for (size_t k = f.count; k > 0; k--) {
        const tensor *x = &f.tensors[k - 1];
        size_t n = (size_t)(x->end - x->begin);
        memcpy(data + at, bytes + x->begin, n);
        used += (size_t)sprintf(header + used, "%s\"%s\" : {\"shape\":[", k < f.count ? "," : "", x->name);
        for (unsigned d = 0; d < x->rank; d++)
            used += (size_t)sprintf(header + used, "%s%llu", d ? "," : "", (unsigned long long)x->shape[d]);
        used += (size_t)sprintf(header + used, "],\"data_offsets\":[%zu,%zu],\n\"dtype\":\"F\\u00364\"}", at, at + n);
        at += n;
    }
    used += (size_t)sprintf(header + used, ",\"__metadata__\":{");
    for (size_t k = 0; k < f.metadata_count; k++)
        used += (size_t)sprintf(header + used, "%s\"%.*s\":\"%.*s\"", k ? "," : "", (int)f.metadata[k].key.length,
                                f.metadata[k].key.bytes, (int)f.metadata[k].value.length, f.metadata[k].value.bytes);
    used += (size_t)sprintf(header + used, "}}   ");
    for (int b = 0; b < 8; b++) out[b] = (char)(used >> (8 * b));
    memcpy(out + 8, header, used);
    memcpy(out + 8 + used, data, at);
    *length = 8 + used + at;
    arena_free(&a);
    free(header);
    free(data);
    return out;
}

static void test_edits(void) {
    static const char *const sources[] = {"O a", "a S b", "#[a] > 2*#[b]"};
    for (size_t k = 0; k < 3; k++) {
        temper_model *m = make_soft(sources[k]);
        char *bytes, *turned, *p;
        size_t length, turned_length;
        temper_error e;
        CHECK(temper_model_save(path, m, &e) == TEMPER_OK, "%s", e.text);
        CHECK(temper_file_read(&bytes, &length, path, &e) == TEMPER_OK, "%s", e.text);
        expect_record(bytes, length, true, "as it was written");
        turned = turn_round(&turned_length, bytes, length);
        expect_record(turned, turned_length, true, "in another order");
        free(turned);
        for (size_t at = length - 8, n = 0; n < 40 && at > length / 2;
             at -= 8, n++) { /* one for zero, signs turned */
            char before = bytes[at + 7];
            if (!(before & 0x7F)) continue;
            bytes[at + 7] = (char)(before ^ 0x80);
            expect_record(bytes, length, false, "a sign turned");
            bytes[at + 7] = before;
        }
        p = memmem(bytes, length, "\\\"safe\\\":", 9);
        p[9] = p[9] == '9' ? '8' : '9';
        expect_record(bytes, length, false, "another safe length");
        p = memmem(bytes, length, "\"digest\":\"", 10);
        memset(p, ' ', 28); /* with its comma */
        expect_record(bytes, length, false, "without a digest");
        temper_free(bytes);
        temper_model_free(m);
    }
}

/* ---- memory ---- */

/* A dense random model: W_Q, W_K, W_V, W_O without zeros, and units. */
static temper_model *make_dense(trap *t, uint32_t channels, uint32_t heads, uint32_t rows, uint32_t units) {
    test_random r = test_seed(23);
    temper_model *m = model_new(t);
    arena *a = &m->memory;
    alphabet_init(&m->letters, a, false);
    alphabet_add(&m->letters, "a", 1);
    m->at = TEMPER_AT_LAST;
    m->channel_count = channels;
    m->channels = arena_zalloc(a, channels, sizeof *m->channels);
    for (uint32_t c = 0; c < channels; c++) m->channels[c].label = "channel";
    m->layer_count = 1;
    model_layer *l = m->layers = arena_zalloc(a, 1, sizeof *m->layers);
    l->head_count = heads;
    l->heads = arena_zalloc(a, heads, sizeof *l->heads);
    l->bias = arena_zalloc(a, units, sizeof *l->bias);
    size_t matrices = 4 + 4 * (size_t)heads;
    for (size_t k = 0; k < matrices; k++) {
        model_head *h = &l->heads[k < 4 ? 0 : (k - 4) / 4];
        model_rows *all[] = {&h->query, &h->key, &h->value, &h->output},
                   *others[] = {&m->embedding, &m->read, &l->in, &l->out};
        uint32_t sizes[] = {3, 1, units, units}, count = k < 4 ? sizes[k] : rows;
        rows_builder b;
        rows_begin(&b, a);
        for (uint32_t row = 0; row < count; row++) {
            for (uint32_t c = 0; c < channels; c++) rows_term(&b, c, (double)random_below(&r, 1 << 20) + 0.5);
            rows_end_row(&b);
        }
        *(k < 4 ? others[k] : all[k % 4]) = rows_finish(&b);
        h->label = "head";
        h->choice = h->hard_choice = TEMPER_CHOICE_AVERAGE;
    }
    model_check(m, t);
    model_seal(m);
    return m;
}

/* Loads a file in a process of its own: the status, and the peak of memory, in bytes, less what the process had
   before. */
static temper_status load_elsewhere(long *peak, const char *file) {
    int ends[2], status = TEMPER_NO_MEMORY;
    *peak = -1;
    fflush(NULL);
    if (pipe(ends)) return TEMPER_NO_MEMORY;
    pid_t child = fork();
    if (child == 0) {
        struct rusage before, after;
        temper_model *m;
        getrusage(RUSAGE_SELF, &before);
        temper_status s = temper_model_load(&m, file, NULL);
        getrusage(RUSAGE_SELF, &after);
        _exit(dprintf(ends[1], "%d %ld", s, (after.ru_maxrss - before.ru_maxrss) * 1024) < 0);
    }
    char answer[40] = "";
    close(ends[1]);
    if (read(ends[0], answer, sizeof answer - 1) > 0) sscanf(answer, "%d %ld", &status, peak);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return (temper_status)status;
}

#if defined(__SANITIZE_ADDRESS__)
enum { MEASURABLE = 0 }; /* the sanitizer's own memory is in the way */
#else
enum { MEASURABLE = 1 };
#endif

static void test_memory(void) {
    trap t;
    char small[80];
    if (trap_set(&t, NULL)) abort();
    snprintf(small, sizeof small, "%s/dense.safetensors", folder);
    pid_t maker = fork(); /* so that this process stays small */
    if (maker == 0) {
        temper_model *m = make_dense(&t, 300, 40, 60, 100);
        _exit(temper_model_save(small, m, NULL) != TEMPER_OK);
    }
    int status = 1;
    waitpid(maker, &status, 0);
    FILE *f = fopen(small, "rb");
    if (!CHECK(status == 0 && f, "the dense model is not written")) return;
    fseek(f, 0, SEEK_END);
    long size = ftell(f), peak;
    fclose(f);
    CHECK(load_elsewhere(&peak, small) == TEMPER_OK, "the dense model is not loaded");
    if (!MEASURABLE) peak = size;
    CHECK(size > 20000000 && peak >= 0 && peak <= 2 * size + (16 << 20), "%ld bytes of memory for a file of %ld",
          peak, size);
    CHECK(peak >= size, "only %ld bytes measured for a file of %ld", peak, size);
    unlink(small);
}

/* Files that promise much in few bytes. */
static void check_bomb(const char *metadata, const char *tensors, size_t repeat, const char *unit, const char *tail) {
    char name[80];
    snprintf(name, sizeof name, "%s/bomb.safetensors", folder);
    FILE *f = fopen(name, "wb+");
    fwrite("\0\0\0\0\0\0\0\0", 1, 8, f);
    fprintf(f, "{\"__metadata__\":{\"temper\":\"%s", metadata);
    for (size_t k = 0; k < repeat; k++) fputs(unit, f);
    fprintf(f, "%s\"}%s}", tail, tensors);
    long size = ftell(f);
    rewind(f);
    for (int b = 0; b < 8; b++) fputc((int)((size - 8) >> (8 * b) & 255), f);
    fclose(f);
    long peak;
    temper_status status = load_elsewhere(&peak, name);
    CHECK(status == TEMPER_FORMAT || status == TEMPER_LIMIT, "a bomb of %ld bytes gives %d: %s", size, status,
          metadata);
    CHECK(!MEASURABLE || (peak >= 0 && peak <= 2 * size + (64 << 20)), "%ld bytes of memory for %ld: %s", peak, size,
          metadata);
    unlink(name);
}

static void test_bombs(void) {
#define BEGIN "{\\\"version\\\":1,\\\"alphabet\\\":[\\\"a\\\"],"
#define HEAD(q)                                                                                                      \
    "{\\\"label\\\":\\\"\\\",\\\"mask\\\":\\\"all\\\",\\\"choice\\\":\\\"average\\\",\\\"query\\\":" q               \
    ",\\\"value\\\":0}"
#define LAYER   "{\\\"heads\\\":[],\\\"units\\\":0}"
#define CHANNEL "{\\\"label\\\":\\\"\\\"}"
#define NO_SIZE ",\"shape\":[1,0,4294967294],\"data_offsets\":[0,0]}"
    size_t many = (size_t)(test_effort() < 1 ? 10000 : 200000);
    check_bomb(BEGIN "\\\"channels\\\":[],\\\"layers\\\":[{\\\"units\\\":0,\\\"heads\\\":[" HEAD("4294967294") "]}]}",
               ",\"blocks.0.attn.W_Q\":{\"dtype\":\"F64\"" NO_SIZE ",\"blocks.0.attn.W_K\":{\"dtype\":\"F64\"" NO_SIZE
               ",\"blocks.0.attn.W_V\":{\"dtype\":\"F64\"" NO_SIZE
               ",\"blocks.0.attn.W_O\":{\"dtype\":\"F64\",\"shape\":[1,4294967294,0],\"data_offsets\":[0,0]}"
               ",\"embed.W_E\":{\"dtype\":\"F64\",\"shape\":[3,0],\"data_offsets\":[0,0]}"
               ",\"unembed.W_U\":{\"dtype\":\"F64\",\"shape\":[0,1],\"data_offsets\":[0,0]}",
               0, "", "");
    check_bomb(BEGIN "\\\"channels\\\":[],\\\"layers\\\":[{\\\"units\\\":4294967294,\\\"heads\\\":[]}]}", "", 0, "",
               "");
    check_bomb(BEGIN "\\\"channels\\\":[],\\\"layers\\\":[{\\\"units\\\":0,\\\"heads\\\":[" HEAD("0"), "", many,
               "," HEAD("0"), "]}]}");
    check_bomb(BEGIN "\\\"channels\\\":[],\\\"layers\\\":[" LAYER, "", 2 * many, "," LAYER, "]}");
    check_bomb(BEGIN "\\\"layers\\\":[],\\\"channels\\\":[" CHANNEL, "", 2 * many, "," CHANNEL, "]}");
    check_bomb(BEGIN "\\\"layers\\\":[],\\\"channels\\\":[{\\\"label\\\":\\\"\\\",\\\"position\\\":\\\"i", "",
               2 * many, "+(i)", "\\\"}]}");
    check_bomb(BEGIN "\\\"layers\\\":[],\\\"channels\\\":[", "", 5 * many, "{},", "{}]}");
    check_bomb(BEGIN
               "\\\"channels\\\":[],\\\"layers\\\":[],\\\"parts\\\":[{\\\"formula\\\":\\\"\\\",\\\"layer\\\":0}",
               "", many, ",{\\\"formula\\\":\\\"\\\",\\\"layer\\\":0}", "]}");
    check_bomb("", ",\"x\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}", many, "\\u0000", "");
}

/* ---- the container ---- */

static double pow2(int e) { return ldexp(1, e); }

/* Every 16-bit number by the definition of its format, read through a file in memory. */
static void test_numbers(void) {
    static const struct {
        tensor_type type;
        int exponent_bits, fraction_bits;
    } formats[] = {{TENSOR_F16, 5, 10}, {TENSOR_BF16, 8, 7}};
    for (size_t k = 0; k < 2; k++)
        for (volatile uint32_t bits = 0; bits < 65536; bits++) {
            int e = (int)(bits >> formats[k].fraction_bits & ((1u << formats[k].exponent_bits) - 1));
            int bias = (1 << (formats[k].exponent_bits - 1)) - 1, f = formats[k].fraction_bits;
            double m = (double)(bits & ((1u << f) - 1)) * pow2(-f), x = 0;
            double value = (bits >> 15 ? -1 : 1) * (e ? (1 + m) * pow2(e - bias) : m * pow2(1 - bias));
            bool finite = e < (1 << formats[k].exponent_bits) - 1;
            char file[200], header[180];
            sprintf(header, "{\"x\":{\"dtype\":\"%s\",\"shape\":[1],\"data_offsets\":[0,2]}}",
                    tensor_type_name(formats[k].type));
            size_t n = strlen(header);
            memset(file, 0, 8);
            file[0] = (char)n;
            memcpy(file + 8, header, n);
            file[8 + n] = (char)(bits & 255);
            file[9 + n] = (char)(bits >> 8);
            trap t;
            arena a;
            arena_init(&a, &t);
            volatile bool read = false;
            if (!trap_set(&t, NULL)) {
                tensor_file open;
                tensor_file_open(&open, (tensor_source){.bytes = file, .size = n + 10}, &a, &t);
                tensor_read(&x, &open, tensor_find(&open, "x"), 0, 1);
                read = true;
            }
            arena_free(&a);
            CHECK(read == finite && (!finite || (x == value && !signbit(x) == !signbit(value))),
                  "%s %04x: %a, not %a", tensor_type_name(formats[k].type), bits, x, value);
        }
}

/* ---- saving fails whole ---- */

static void test_save(void) {
    temper_model *m = make_soft("O a");
    temper_error e;
    char missing[100], wide[] = "temper-model 1\nalphabet \"a\"\n";
    snprintf(missing, sizeof missing, "%s/none/m.safetensors", folder);
    CHECK(temper_model_save(missing, m, &e) == TEMPER_IO && strstr(e.text, "none"), "%s", e.text);
    temper_model_free(m);
    CHECK(temper_model_load(&m, missing, &e) == TEMPER_IO && !m, "%s", e.text);
    CHECK(temper_model_load(&m, folder, &e) == TEMPER_IO && !m, "a folder: %s", e.text);
    /* 70,000 channels, 70,000 units: 2 * 70,000^2 dense numbers, none of them there */
    size_t capacity = 8 << 20, used = 0;
    char *bytes = malloc(capacity);
    used += (size_t)sprintf(bytes, "%s", wide);
    for (int c = 0; c < 70000; c++) used += (size_t)sprintf(bytes + used, "channel %d \"\"\n", c);
    used += (size_t)sprintf(bytes + used, "embed \"a\"\nembed start\nembed end\nlayer 1\n");
    for (int c = 0; c < 70000; c++) used += (size_t)sprintf(bytes + used, "unit 0 ->\n");
    used += (size_t)sprintf(bytes + used, "read\n");
    if (CHECK(temper_model_read(&m, bytes, used, &e) == TEMPER_OK, "%s", e.text)) {
        unlink(path);
        CHECK(temper_model_save(path, m, &e) == TEMPER_LIMIT && strstr(e.text, "4 GiB"), "%s", e.text);
        CHECK(access(path, F_OK) != 0, "a file was left behind");
    }
    temper_model_free(m);
    free(bytes);
}

int main(void) {
    if (!test_folder(folder)) return test_finish("safetensors");
    snprintf(path, sizeof path, "%s/m.safetensors", folder);
    test_memory(); /* first, while this process is small */
    test_bombs();
    test_compiled();
    test_random_models();
    test_edits();
    test_numbers();
    test_save();
    unlink(path);
    CHECK(rmdir(folder) == 0, "temporary files are left in %s", folder);
    return test_finish("safetensors");
}
