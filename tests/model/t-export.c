/* Exported folders: the weights read back to the same model, the vectors are what a run gives, JSON that parses
   whatever the letters are, refusals, and memory that runs out anywhere. What other runtimes make of the files is
   tested by make test-interop. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_read.h"
#include "corpus.h"
#include "onnx.pb-c.h"
#include "test.h"
#include "proved.h"
#include "ordinary_calls.h"

static char folder[TEST_FOLDER];

static const char *path_of(const char *name) {
    static char path[4][512];
    static unsigned turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static void remove_folder(void) {
    unlink(path_of("onnx/model.onnx"));
    rmdir(path_of("onnx"));
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (*e->d_name != '.') unlink(path_of(e->d_name));
    if (d) closedir(d);
    rmdir(folder);
}

static size_t count_files(void) {
    size_t count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) count += *e->d_name != '.';
    if (d) closedir(d);
    return count;
}

static char *read_part(const char *name, size_t *length) {
    char *bytes;
    temper_error err;
    temper_status status = temper_file_read(&bytes, length, path_of(name), &err);
    CHECK(status == TEMPER_OK, "%s: %s", name, err.text);
    return status == TEMPER_OK ? bytes : NULL;
}

static temper_model *make_model(const temper_spec *spec, temper_method method) {
    temper_model *hard, *soft;
    if (temper_build(&hard, spec, NULL, NULL) != TEMPER_OK) return NULL;
    if (method == TEMPER_METHOD_HARD) return hard;
    if (temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = method}, NULL) != TEMPER_OK) soft = NULL;
    temper_model_free(hard);
    return soft;
}

static temper_model *model_of(const char *source, const char *alphabet, int tokens, temper_method method) {
    temper_spec_options o = {.alphabet = alphabet, .tokens = tokens};
    temper_spec *spec;
    temper_error err;
    if (temper_spec_parse(&spec, source, strlen(source), &o, &err) != TEMPER_OK) {
        CHECK(false, "%s: %s", source, err.text);
        return NULL;
    }
    temper_model *m = make_model(spec, method);
    temper_spec_free(spec);
    return m;
}

/* ---- the parts ---- */

static void check_weights(const char *name, const temper_model *m) {
    temper_model *back;
    temper_error err;
    char *before, *after;
    size_t n1, n2;
    temper_status status = temper_model_load(&back, path_of("model.safetensors"), &err);
    if (!CHECK(status == TEMPER_OK, "%s: %s", name, err.text)) return;
    temper_model_print(&before, &n1, m, NULL);
    temper_model_print(&after, &n2, back, NULL);
    CHECK(n1 == n2 && memcmp(before, after, n1) == 0, "%s: other weights after reading them back", name);
    temper_free(before);
    temper_free(after);
    temper_model_free(back);
}

/* Valid JSON, without duplicate keys. */
static void check_json(const char *name, const char *file) {
    trap t;
    arena a;
    size_t length;
    char *bytes = read_part(file, &length);
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "%s: %s: line %zu: %s", name, file, t.error.line, t.error.text);
    } else if (bytes) {
        json_reader r;
        jread_begin(&r, bytes, length, &a, &t);
        jread_skip(&r, &a);
        jread_end(&r);
        CHECK(true, "%s", name);
    }
    arena_free(&a);
    temper_free(bytes);
}

/* Letters map to their numbers, and the sentinels to the two that follow. */
static void check_vocabulary(const char *name, const temper_model *m) {
    trap t;
    arena a;
    size_t length;
    char *bytes = read_part("vocab.json", &length);
    temper_model_info info = temper_model_about(m);
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "%s: %s", name, t.error.text);
    } else if (bytes) {
        json_reader r;
        size_t count = 0;
        jread_begin(&r, bytes, length, &a, &t);
        jread_object(&r);
        for (json_text key; jread_key(&r, &key); count++) {
            uint64_t id = jread_integer(&r, 1u << 20, "an id");
            CHECK(id == count, "%s: id %llu in place %zu", name, (unsigned long long)id, count);
            if (count < info.letters)
                CHECK(jread_is(key, temper_model_letter(m, count)), "%s: letter %zu", name, count);
        }
        CHECK(count == info.letters + 1 + (size_t)info.has_end, "%s: %zu entries", name, count);
    }
    arena_free(&a);
    temper_free(bytes);
}

/* Each line's string, run again, has the line's answer. */
static void check_vectors(const char *name, const temper_model *m) {
    size_t length;
    volatile size_t lines = 0;
    char *bytes = read_part("testvectors.jsonl", &length);
    trap t;
    arena a;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "%s: test vector %zu: %s", name, lines, t.error.text);
    } else if (bytes) {
        for (char *line = bytes, *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
            static const char *const keys[] = {"string",  "tokens", "accept",  "truth",
                                               "margins", "proved", "outputs", NULL};
            json_reader r;
            uint32_t seen = 0, *letters;
            char *string = NULL;
            bool accept = false, verdict = temper_model_about(m).kind == TEMPER_KIND_ACCEPTOR;
            size_t n, truths = 0, outputs = verdict;
            uint64_t code = 0, expected = 0; /* of all answers in their order */
            jread_begin(&r, line, (size_t)(end - line), &a, &t);
            jread_object(&r);
            for (int k; (k = jread_field(&r, keys, &seen)) >= 0;) {
                if (k == 0)
                    string = jread_c_string(&r, &a, "a string");
                else if (k == 2)
                    accept = jread_bool(&r, "accept");
                else if (k == 3) {
                    jread_array(&r);
                    for (; jread_element(&r); truths++) code = 3 * code + jread_integer(&r, 1, "0 or 1");
                } else if (k == 6) {
                    jread_array(&r);
                    for (; jread_element(&r); outputs++) {
                        jread_array(&r);
                        for (; jread_element(&r); truths++) code = 3 * code + jread_integer(&r, 1, "0 or 1");
                    }
                } else
                    jread_skip(&r, &a);
            }
            CHECK(seen == (verdict ? 63 : 115), "%s: fields of vector %zu", name, lines);
            temper_error err;
            temper_run *run;
            if (temper_model_encode(&letters, &n, m, string, strlen(string), &err)) trap_reraise(&t, &err);
            if (temper_model_run(&run, m, letters, n, NULL, &err)) trap_reraise(&t, &err);
            size_t size = temper_run_about(run).size;
            CHECK(outputs == temper_model_about(m).outputs && truths == outputs * size, "%s: vector %zu: %zu outputs",
                  name, lines, outputs);
            for (size_t o = 0; o < outputs; o++)
                for (size_t i = 0; i < size; i++) expected = 3 * expected + temper_run_output(run, o)[i];
            CHECK((!verdict || accept == temper_run_about(run).accept) && code == expected, "%s: vector %zu: '%s'",
                  name, lines, string);
            temper_run_free(run);
            temper_free(letters);
        }
        CHECK(lines == 64, "%s: %zu test vectors", name, lines);
    }
    arena_free(&a);
    temper_free(bytes);
}

/* The graph unpacks, has its version, and every value is made before it is used. */
static void check_graph(const char *name, const char *file, size_t outputs) {
    size_t length;
    char *bytes = read_part(file, &length);
    Onnx__ModelProto *model = bytes ? onnx__model_proto__unpack(NULL, length, (const uint8_t *)bytes) : NULL;
    if (CHECK(model != NULL, "%s: the graph does not unpack", name)) {
        Onnx__GraphProto *g = model->graph;
        trap t;
        arena a;
        table known;
        bool fresh;
        arena_init(&a, &t);
        if (trap_set(&t, NULL)) {
            CHECK(false, "%s: %s", name, t.error.text);
        } else {
            table_init(&known, &a);
            CHECK(model->ir_version == 8 && model->n_opset_import == 1 && model->opset_import[0]->version == 17,
                  "%s: versions", name);
            table_put(&known, "input_ids", 9, 0, &fresh);
            for (size_t k = 0; k < g->n_initializer; k++) {
                const char *tensor = g->initializer[k]->name;
                table_put(&known, tensor, strlen(tensor), 0, &fresh);
                CHECK(fresh, "%s: %s twice", name, tensor);
            }
            for (size_t k = 0; k < g->n_node; k++) {
                const Onnx__NodeProto *n = g->node[k];
                for (size_t i = 0; i < n->n_input; i++)
                    CHECK(table_find(&known, n->input[i], strlen(n->input[i])) != NULL, "%s: %s uses %s too early",
                          name, n->name, n->input[i]);
                table_put(&known, n->output[0], strlen(n->output[0]), 0, &fresh);
                CHECK(fresh && strcmp(n->op_type, "Gemm") != 0, "%s: %s", name, n->output[0]);
            }
            CHECK(g->n_output == outputs, "%s: %zu outputs", name, g->n_output);
            for (size_t k = 0; k < g->n_output; k++)
                CHECK(table_find(&known, g->output[k]->name, strlen(g->output[k]->name)) != NULL, "%s: output", name);
        }
        arena_free(&a);
        onnx__model_proto__free_unpacked(model, NULL);
    }
    temper_free(bytes);
}

static void check_model(const char *name, const temper_model *m) {
    temper_error err;
    temper_model_info info;
    temper_export_options o = {.seed = 7};
    info = temper_model_about(m);
    bool verdict = info.kind == TEMPER_KIND_ACCEPTOR;
    if (!CHECK(temper_export(folder, m, &o, &err) == TEMPER_OK, "%s: %s", name, err.text)) return;
    CHECK(count_files() == 12, "%s: %zu files", name, count_files());
    check_weights(name, m);
    check_json(name, "config.json");
    check_json(name, "tokenizer.json");
    check_json(name, "tokenizer_config.json");
    check_vocabulary(name, m);
    check_vectors(name, m);
    check_graph(name, "onnx/model.onnx", verdict ? 2 : 1);
    size_t with_heads = 0;
    for (size_t l = 1; l <= info.layers; l++) with_heads += temper_model_layer(m, l).heads > 0;
    o.outputs = TEMPER_EXPORT_PATTERNS | TEMPER_EXPORT_CHANNELS | TEMPER_EXPORT_HEADS;
    o.type = proved_lengths(m, TEMPER_TYPE_F32, false) ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64;
    CHECK(temper_export_onnx(path_of("more.onnx"), m, &o, &err) == TEMPER_OK, "%s: %s", name, err.text);
    check_graph(name, "more.onnx", (verdict ? 3 : 2) + info.layers + 2 * with_heads);
    unlink(path_of("more.onnx"));
}

/* ---- all ---- */

static void check_corpus(void) {
    test_random r = test_seed(11);
    size_t step = (size_t)(16 / test_effort()) + 1;
    for (size_t e = random_below(&r, step); e < corpus_size(); e += 1 + random_below(&r, step)) {
        temper_spec *spec = corpus_parse(corpus_at(e));
        temper_model *m = spec ? make_model(spec, (temper_method)random_below(&r, 3)) : NULL;
        if (m) check_model(corpus_at(e)->name, m);
        temper_model_free(m);
        temper_spec_free(spec);
    }
}

static void check_letters(void) {
    temper_model *m = model_of("O '<start>' & O '\\\\\"'", "<start> <<start>> <end> \\\" ``` \x01 \xc3\xa9 ]", 1,
                               TEMPER_METHOD_TEMPERATURE);
    if (m) check_model("letters that need escaping", m);
    temper_model_free(m);
    m = model_of("F '`' & X '\\\\'", "\"`\\", 0, TEMPER_METHOD_POSITIONS);
    if (m) check_model("characters that need escaping", m);
    temper_model_free(m);
}

static void check_sequences(void) {
    static const char *const texts[] = {
        "transduce\nemit '1' = [bc] ^ Y([bc] S d)\nemit '0' otherwise\n",
        "transduce\nemit '`\"' = b & X a\nemit nothing = c\nemit '\\\\' otherwise\n",
        "next\nH(b -> O a) & c\n",
        "next\nregex a*(b|cd)*\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        temper_model *m = model_of(texts[k], "abcd", 0, k % 2 ? TEMPER_METHOD_POSITIONS : TEMPER_METHOD_TEMPERATURE);
        if (m) check_model(texts[k], m);
        temper_model_free(m);
    }
}

static void check_refusals(void) {
    temper_error err;
    temper_model *hard, *soft, *formula = model_of("O a", "ab", 0, TEMPER_METHOD_TEMPERATURE);
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = 8};
    temper_gallery_model(&hard, "dyck-1", &err);
    temper_export_options e = {0};
    CHECK(temper_export(folder, hard, &e, &err) == TEMPER_LIMIT && strstr(err.text, "no length is proved"), "%s",
          err.text);
    e.unchecked = 1;
    CHECK(temper_export(folder, hard, &e, &err) == TEMPER_OK, "%s", err.text);
    e.unchecked = 0;
    CHECK(temper_soften(&soft, NULL, hard, &o, &err) == TEMPER_OK, "%s", err.text);
    CHECK(temper_export(folder, soft, NULL, &err) == TEMPER_OK, "%s", err.text);
    e.type = TEMPER_TYPE_F32;
    temper_status f32 = temper_export(folder, soft, &e, &err);
    CHECK(f32 == (proved_lengths(soft, TEMPER_TYPE_F32, false) ? TEMPER_OK : TEMPER_LIMIT), "%s", err.text);
    e.type = TEMPER_TYPE_BF16;
    CHECK(temper_export(folder, formula, &e, &err) == TEMPER_RANGE, "%s", err.text);
    e = (temper_export_options){.outputs = 64};
    CHECK(temper_export_onnx(path_of("x.onnx"), formula, &e, &err) == TEMPER_RANGE, "%s", err.text);
    CHECK(temper_export("", formula, NULL, &err) == TEMPER_RANGE, "%s", err.text);
    CHECK(temper_export(path_of("config.json"), formula, NULL, &err) == TEMPER_IO, "%s", err.text);
    CHECK(temper_export(path_of("none/none"), formula, NULL, &err) == TEMPER_IO, "%s", err.text);
    temper_model_free(formula);
    temper_model_free(soft);
    temper_model_free(hard);
}

/* ---- ordinary transformers ---- */

/* The GGUF file alone is the one that a folder gets, whatever its name is, and what is refused is refused in the same
   words. */
static void check_gguf(void) {
    static const char *const sources[] = {"H(b -> O a)", "#[a] > #[b]", "F a", "O a & F b"};
    for (size_t k = 0; k < 2 * sizeof sources / sizeof *sources; k++) {
        temper_error err, other;
        temper_spec *spec;
        temper_spec_options so = {.alphabet = "abc", .at = k / 2 == 3 ? TEMPER_AT_LAST : (temper_at)0};
        temper_ordinary_options o = {.architecture = k % 2 ? TEMPER_ORDINARY_LLAMA : TEMPER_ORDINARY_GPT2,
                                     .length = 20};
        temper_ordinary_info whole = {0}, alone = {0};
        char *bytes = NULL, *file = NULL;
        size_t length = 0, size = 0;
        const char *source = sources[k / 2];
        CHECK(temper_spec_parse(&spec, source, strlen(source), &so, &err) == TEMPER_OK, "%s: %s", source, err.text);
        temper_status first = ordinary_folder_once(&whole, folder, spec, &o, &err);
        temper_status second = ordinary_gguf_once(&alone, &bytes, &length, spec, &o, &other);
        CHECK(first == second && !strcmp(err.text, other.text), "%s: %s, alone %s", source, err.text, other.text);
        if (first == TEMPER_OK) {
            file = read_part("model.gguf", &size);
            CHECK(size == length && !memcmp(file, bytes, size), "%s: %zu bytes, alone %zu", source, size, length);
            CHECK(whole.proof.proved == alone.proof.proved && whole.width == alone.width, "%s: other facts", source);
        } else {
            CHECK(!bytes, "%s: bytes of what was refused", source);
        }
        temper_free(file);
        temper_free(bytes);
        temper_spec_free(spec);
        remove_folder();
    }
}

/* ---- certificates ---- */

/* One for the bytes of a file, NULL: the text form. */
static char *certificate_of(const temper_model *m, const char *file, size_t *length) {
    temper_certificate *c = NULL;
    temper_error err;
    char *bytes = NULL, *json = NULL;
    size_t size = 0;
    temper_certify_options o = {.length = 50};
    if (file) bytes = read_part(file, &size);
    CHECK(temper_certify(&c, m, bytes, size, &o, &err) == TEMPER_OK &&
              temper_certificate_about(c).verdict == TEMPER_PROVED &&
              temper_certificate_print(&json, length, c, &err) == TEMPER_OK,
          "no certificate: %s", err.text);
    temper_certificate_free(c);
    temper_free(bytes);
    return json;
}

static void write_certificate(const char *json, size_t length) {
    temper_error err;
    CHECK(temper_file_write(path_of("given.json"), json, length, &err) == TEMPER_OK, "%s", err.text);
}

static void check_audit(const char *file) {
    size_t length, size;
    temper_error err;
    char *certificate = read_part("certificate.json", &length), *model = read_part(file, &size);
    char *readme = read_part("README.md", &(size_t){0}), wanted[160];
    CHECK(temper_audit(certificate, length, model, size, NULL, &err) == TEMPER_OK, "%s: %s", file, err.text);
    const char *name = strrchr(folder, '/') + 1;
    snprintf(wanted, sizeof wanted, "temper audit %s/certificate.json %s/%s\n", name, name, file);
    CHECK(strstr(readme, wanted), "README.md does not say %s", wanted);
    temper_free(certificate);
    temper_free(model);
    temper_free(readme);
}

/* Certificates of either file of the folder go in and can be audited there; others are refused, and nothing of the
   folder changes. */
static void check_certificates(void) {
    temper_model *m = model_of("a S b", "ab", 0, TEMPER_METHOD_TEMPERATURE),
                 *other = model_of("a S b", "abc", 0, TEMPER_METHOD_TEMPERATURE);
    temper_error err;
    char given[64];
    snprintf(given, sizeof given, "%s", path_of("given.json"));
    temper_export_options o = {.certificate = given};
    static const char *const files[] = {NULL, "model.temper", "model.safetensors"};
    CHECK(temper_export(folder, m, NULL, &err) == TEMPER_OK, "%s", err.text);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        size_t length;
        char *json = certificate_of(m, files[k], &length);
        write_certificate(json, length);
        CHECK(temper_export(folder, m, &o, &err) == TEMPER_OK, "%s: %s", files[k] ? files[k] : "text", err.text);
        check_audit(files[k] ? files[k] : "model.temper");
        CHECK(temper_export(folder, other, &o, &err) == TEMPER_RANGE && strstr(err.text, "about other bytes"),
              "another model: %s", err.text);
        check_audit(files[k] ? files[k] : "model.temper");
        strstr(json, "\"length\": 50")[11] = '2';
        write_certificate(json, length);
        CHECK(temper_export(folder, m, &o, &err) == TEMPER_RANGE && strstr(err.text, "does not pass the audit"),
              "a longer length: %s", err.text);
        check_audit(files[k] ? files[k] : "model.temper");
        temper_free(json);
    }
    static const struct {
        const char *json, *message;
    } bad[] = {{"{\"a\": 1}", "not a certificate of temper"},
               {"[]", "expected an object"},
               {"{\"temper-certificate\": 1, \"model\": {}, \"type\": \"f64\", \"claim\": \"formula\"}",
                "not a certificate of temper"},
               {"{\"claim\": \"mine\"}", "\"formula\" or \"hard choices\""}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_certificate(bad[k].json, strlen(bad[k].json));
        CHECK(temper_export(folder, m, &o, &err) == TEMPER_FORMAT && strstr(err.text, bad[k].message), "%s: %s",
              bad[k].json, err.text);
    }
    CHECK(temper_export(folder, m, NULL, &err) == TEMPER_RANGE, "an old certificate: %s", err.text);
    unlink(path_of("certificate.json"));
    unlink(path_of("given.json"));
    temper_model_free(m);
    temper_model_free(other);
}

/* Wherever memory runs out there is an error, and neither a leak (seen by the sanitizer) nor a broken file. */
static void check_memory(void) {
    temper_model *m = model_of("a S b & #[a] > #[b]", "ab", 0, TEMPER_METHOD_TEMPERATURE);
    temper_error err;
    temper_status status = TEMPER_NO_MEMORY;
    unsigned long k = 1;
    size_t length;
    char *json = certificate_of(m, NULL, &length);
    write_certificate(json, length);
    temper_free(json);
    char given[64];
    snprintf(given, sizeof given, "%s", path_of("given.json"));
    temper_export_options o = {.certificate = given};
    for (; status == TEMPER_NO_MEMORY && k < 100000; k += 1 + k / 8) {
        arena_fail_after(k);
        status = temper_export(folder, m, &o, &err);
        arena_fail_after(0);
        CHECK(status == TEMPER_OK || status == TEMPER_NO_MEMORY, "allocation %lu: %s", k, err.text);
        CHECK(count_files() <= 14, "allocation %lu left a file behind", k);
    }
    CHECK(status == TEMPER_OK && k > 10, "an export of %lu allocations", k);
    temper_model_free(m);
}

int main(void) {
    if (!test_folder(folder)) return test_finish("t-export");
    check_corpus();
    check_letters();
    check_sequences();
    check_refusals();
    check_certificates();
    check_memory();
    check_gguf();
    remove_folder();
    return test_finish("t-export");
}
