/* The reader of GGUF files: every key, every array and every number of what it opens. */
#include "base/entry.h"
#include "fuzz.h"
#include "ordinary/files/gguf_file.h"

typedef struct input {
    const char *bytes;
    size_t size;
} input;

static void read_all(entry *e, void *context) {
    const input *in = context;
    gguf_file f;
    double sum = 0;
    gguf_open(&f, in->bytes, in->size, &e->memory);
    for (size_t k = 0; k < f.tensor_count; k++) {
        const gguf_tensor *t = &f.tensors[k];
        MUST(gguf_tensor_find(&f, t->name) == t, "tensor '%s'", t->name);
        for (uint64_t n = 0; n < t->elements && n < 64; n++) sum += gguf_number(&f, t, n);
        if (t->elements) sum += gguf_number(&f, t, t->elements - 1);
    }
    for (size_t k = 0; k < f.key_count; k++) MUST(gguf_find(&f, f.keys[k].name) == &f.keys[k], "%s", f.keys[k].name);
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    temper_error err;
    input in = {fuzz_copy(data, size), size};
    temper_status status = entry_run(&err, read_all, &in);
    MUST(status == TEMPER_OK || err.text[0], "status %d, and no message", status);
    fuzz_count(status == TEMPER_OK);
    return 0;
}
