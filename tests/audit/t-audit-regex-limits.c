/* A class of many elements over many letters is refused before it takes long: 2^26 looks at letters are the limit. */
#include <stdlib.h>
#include <string.h>

#include "audit/audit_regex.h"
#include "base/entry.h"
#include "test.h"

enum { MANY = 20000, ELEMENTS = (1 << 26) / (MANY + 1) };

typedef struct reading {
    arena arena;
    const char *text;
    alphabet letters;
    const audit_regex *read;
} reading;

static void add_letters(void *context) {
    reading *x = context;
    alphabet_init(&x->letters, &x->arena, false);
    for (uint32_t k = 0; k < MANY; k++) {
        char utf8[4];
        alphabet_add(&x->letters, utf8, utf8_encode(utf8, 0x4E00 + k));
    }
}

static void read_text(void *context) {
    reading *x = context;
    x->read = audit_regex_read(&x->arena, x->text, strlen(x->text), &x->letters);
}

int main(void) {
    static char class[ELEMENTS + 4];
    trap inside;
    temper_error e;
    reading x = {.text = class};
    arena_init(&x.arena, &inside);
    if (!CHECK(trap_attempt(&inside, &e, add_letters, &x), "%s", e.text)) return test_finish("t-audit-regex-limits");
    for (size_t more = 0; more < 2; more++) {
        size_t count = ELEMENTS - 1 + more; /* and one look for the set itself */
        memset(class, 'a', count + 2);
        class[0] = '[';
        class[count + 1] = ']';
        x.read = NULL;
        bool done = trap_attempt(&inside, &e, read_text, &x);
        CHECK(done == !more && (x.read != NULL) == !more && (done || e.code == TEMPER_LIMIT), "%zu elements: %s",
              count, e.text);
    }
    arena_free(&x.arena);
    return test_finish("t-audit-regex-limits");
}
