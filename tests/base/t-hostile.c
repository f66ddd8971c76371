/* Hostile model files: every prefix and every one-bit flip of four small models, in both forms, is refused with a
   message or gives a model that runs; nothing crashes, also when memory runs out. */
#define _GNU_SOURCE
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "temper.h"

static const char *const models[] = {
    /* does it begin with a? */
    "temper-model 1\nalphabet \"a\" \"b\"\nchannel 0 \"one\" position \"1\"\nchannel 1 \"a\"\n"
    "channel 2 \"at 1\" position \"[i = 1]\"\nembed \"a\" 1:1\nembed \"b\"\nembed start\nembed end\nlayer 1\n"
    "head \"h\" mask j<=i choice leftmost\nquery 0:1\nkey 2:1\nvalue 1:1\noutput 1:1\nread 1:0.5\n",
    /* is there an a? softmax, units, a soft channel, an end sentinel, a part */
    "temper-model 1\nmethod temperature\nsource \"O a\"\nalphabet \"a\"\nend yes\nchannel 0 \"x\" soft \"i/N\"\n"
    "channel 1 \"\xC3\xA9\"\nembed \"a\" 1:1\nembed start\nembed end\nlayer 1\n"
    "head \"\\\"\" mask all choice softmax for average scale \"ln(N) + 8\"\nquery 1:1\nkey 1:1\nvalue 1:1\noutput "
    "0:1\n"
    "unit -0.5 0:2 -> 1:1\nread 1:1\npart \"O a\" layer 1 head 1 channel 1\n",
    /* no channels, no layers, tokens */
    "temper-model 1\nalphabet \"req\" \"ack\"\ntokens yes\nat first\nempty accept\nembed \"req\"\nembed \"ack\"\n"
    "embed start\nembed end\nread\n",
    /* a transducer */
    "temper-model 2\nkind transducer\nsource \"transduce\\nemit x = a\\nemit nothing otherwise\"\nalphabet \"a\" "
    "\"b\"\n"
    "channel 0 \"a\"\nchannel 1 \"!a\"\nembed \"a\" 0:1\nembed \"b\" 1:1\nembed start\nembed end\nread \"x\" 0:1\n"
    "read \"\" 1:1\n"};

enum { MODELS = sizeof models / sizeof *models };

/* Runs a model on a few strings, whatever comes out. */
static void run_model(const temper_model *m) {
    static const uint32_t word[6] = {0, 1, 0, 0, 1, 1};
    temper_model_info info = temper_model_about(m);
    uint32_t letters[6];
    for (size_t k = 0; k < 6; k++) letters[k] = word[k] % (uint32_t)info.letters;
    for (int k = 0; k < 4; k++) {
        temper_run *run;
        temper_error e;
        temper_run_options o = {.hard = k % 2, .unchecked = 1, .threads = 1, .dense = k == 2};
        size_t n = k == 0 ? 0 : k == 3 ? 6 : (size_t)k;
        (void)temper_model_run(&run, m, letters, n, &o, &e);
        temper_run_free(run);
    }
}

static size_t tried, loaded;

static void try_bytes(const char *bytes, size_t length) {
    temper_model *m = NULL;
    temper_error e = {0};
    char *copy = malloc(length + !length); /* of its size, so that the sanitizer sees a step outside */
    memcpy(copy, bytes, length);
    temper_status s = temper_model_read(&m, copy, length, &e);
    tried++;
    CHECK((s == TEMPER_OK) == (m != NULL) && s == e.code, "status %d, code %d, model %p", s, e.code, (void *)m);
    CHECK(s == TEMPER_OK || *e.text, "no message");
    if (m) {
        loaded++;
        run_model(m);
    }
    temper_model_free(m);
    free(copy);
}

/* The same from a file, which is read in pieces. */
static void try_file(const char *bytes, size_t length, const char *path) {
    temper_model *m;
    temper_error e;
    FILE *f = fopen(path, "wb");
    if (!CHECK(f && fwrite(bytes, 1, length, f) == length && !fclose(f), "cannot write %s", path)) return;
    CHECK((temper_model_load(&m, path, &e) == TEMPER_OK) == (m != NULL), "%zu bytes: %s", length, e.text);
    temper_model_free(m);
}

static void attack(char *bytes, size_t length, const char *path) {
    for (size_t k = 0; k <= length; k++) {
        try_bytes(bytes, k);
        try_file(bytes, k, path);
    }
    for (size_t k = 0; k < length; k++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[k] = (char)(bytes[k] ^ 1 << bit);
            try_bytes(bytes, length);
            bytes[k] = (char)(bytes[k] ^ 1 << bit);
        }
}

/* Save and load with the k-th allocation failing, for every k, until nothing fails any more. */
static void starve(const temper_model *m, const char *path) {
    for (unsigned long k = 1;; k++) {
        temper_model *back = NULL;
        temper_error e = {0};
        arena_fail_after(k);
        temper_status s = temper_model_save(path, m, &e);
        if (!s) s = temper_model_load(&back, path, &e);
        arena_fail_after(0);
        CHECK(s == e.code && (s == TEMPER_OK) == (back != NULL), "allocation %lu: status %d", k, s);
        CHECK(s == TEMPER_OK || s == TEMPER_NO_MEMORY, "allocation %lu: %s", k, e.text);
        temper_model_free(back);
        if (s == TEMPER_OK || k > 10000) break;
    }
}

int main(void) {
    char folder[TEST_FOLDER], path[2][80];
    if (!test_folder(folder)) return test_finish("hostile");
    snprintf(path[0], sizeof path[0], "%s/m.temper", folder);
    snprintf(path[1], sizeof path[1], "%s/m.safetensors", folder);
    for (size_t k = 0; k < MODELS; k++) {
        temper_model *m = NULL;
        temper_error e = {0};
        if (!CHECK(temper_model_read(&m, models[k], strlen(models[k]), &e) == TEMPER_OK, "model %zu: %zu:%zu: %s", k,
                   e.line, e.column, e.text))
            continue;
        for (int form = 0; form < 2; form++) {
            char *bytes;
            size_t length;
            CHECK(temper_model_save(path[form], m, &e) == TEMPER_OK, "%s", e.text);
            if (!CHECK(temper_file_read(&bytes, &length, path[form], &e) == TEMPER_OK, "%s", e.text)) continue;
            tried = loaded = 0;
            attack(bytes, length, path[form]);
            CHECK(loaded * 100 > tried && loaded < tried, "model %zu, form %d: %zu of %zu load", k, form, loaded,
                  tried);
            temper_free(bytes);
            starve(m, path[form]);
        }
        temper_model_free(m);
    }
    unlink(path[0]);
    unlink(path[1]);
    CHECK(rmdir(folder) == 0, "temporary files are left in %s", folder);
    return test_finish("hostile");
}
