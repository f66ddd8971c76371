/* Expressions of i, n and N: what is read prints as a text that is read as the same, and is worth the same. */
#include <math.h>
#include <string.h>

#include "base/entry.h"
#include "fuzz.h"
#include "model/expression.h"

typedef struct input {
    const char *bytes;
    size_t size;
} input;

static bool same(double x, double y) { return (isnan(x) && isnan(y)) || (x == y && signbit(x) == signbit(y)); }

static void read_twice(entry *e, void *context) {
    const input *in = context;
    text once, twice;
    text_init(&once, &e->memory);
    text_init(&twice, &e->memory);
    const expression *x = expression_parse(&e->memory, in->bytes, in->size, 1, 1);
    expression_print(&once, x);
    const expression *y = expression_parse(&e->memory, text_string(&once), once.length, 1, 1);
    expression_print(&twice, y);
    MUST(strcmp(text_string(&once), text_string(&twice)) == 0, "%s\n%s", text_string(&once), text_string(&twice));
    static const double at[][3] = {{0, 0, 1}, {1, 1, 2}, {3, 7, 9}, {1000, 1023, 1024}, {0, 1e9, 1e9 + 1}};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        double a = expression_eval(x, at[k][0], at[k][1], at[k][2]),
               b = expression_eval(y, at[k][0], at[k][1], at[k][2]);
        MUST(same(a, b), "%s is %a and %a", text_string(&once), a, b);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    temper_error err;
    input in = {fuzz_copy(data, size), size};
    temper_status status = entry_run(&err, read_twice, &in);
    MUST(status == TEMPER_OK || err.text[0], "status %d, and no message", status);
    fuzz_count(status == TEMPER_OK);
    return 0;
}
