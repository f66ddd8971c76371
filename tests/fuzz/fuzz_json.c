/* JSON: read value by value, and skipped at once; both agree on where it ends and whether it is JSON. */
#include "base/entry.h"
#include "base/json_read.h"
#include "fuzz.h"

typedef struct input {
    const char *bytes;
    size_t size;
} input;

static void skip_all(entry *e, void *context) {
    const input *in = context;
    json_reader r;
    jread_begin(&r, in->bytes, in->size, &e->scratch, e->trap);
    jread_skip(&r, &e->memory);
    jread_end(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    temper_error err;
    input in = {fuzz_copy(data, size), size};
    temper_status status = entry_run(&err, skip_all, &in);
    MUST(status == TEMPER_OK || err.text[0], "status %d, and no message", status);
    fuzz_count(status == TEMPER_OK);
    return 0;
}
