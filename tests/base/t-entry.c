/* The frame of public functions: what is released when, and which error is reported. */
#include <string.h>

#include "base/entry.h"
#include "test.h"

typedef struct trace {
    int order[3 * ENTRY_DUTIES], count; /* the numbers of the duties, as they were done */
    bool fail;
    int duties;
} trace;

typedef struct numbered {
    trace *trace;
    int number;
} numbered;

static void note(void *what) {
    const numbered *n = what;
    n->trace->order[n->trace->count++] = n->number;
}

static numbered *make(entry *e, trace *t, int number) {
    numbered *n = arena_alloc(&e->memory, 1, sizeof *n);
    *n = (numbered){t, number};
    return n;
}

static void with_duties(entry *e, void *context) {
    trace *t = context;
    arena_alloc(&e->scratch, 1000, 1000);
    for (int k = 0; k < t->duties; k++) {
        entry_on_failure(e, note, make(e, t, k));
        entry_on_leaving(e, note, make(e, t, 100 + k));
    }
    if (t->fail) trap_raise_hint(e->trap, TEMPER_LIMIT, 3, 4, "less", "too much of %s", "it");
}

/* Failures first, the last one first; without an error only what is for every way out. */
static void check_order(bool fail, int duties) {
    trace t = {.fail = fail, .duties = duties};
    temper_error err = {.code = TEMPER_IO};
    temper_status status = entry_run(&err, with_duties, &t);
    CHECK(status == (fail ? TEMPER_LIMIT : TEMPER_OK) && err.code == status, "status %d, %d", status, err.code);
    if (fail)
        CHECK(err.line == 3 && err.column == 4 && !strcmp(err.text, "too much of it") && !strcmp(err.hint, "less"),
              "%zu:%zu: %s (%s)", err.line, err.column, err.text, err.hint);
    CHECK(t.count == (fail ? 2 : 1) * duties, "%d duties done of %d", t.count, duties);
    for (int k = 0; k < t.count; k++) {
        bool early = fail && k < duties;
        int expected = early ? duties - 1 - k : 100 + duties - 1 - (fail ? k - duties : k);
        CHECK(t.order[k] == expected, "duty %d is %d, not %d", k, t.order[k], expected);
    }
    t.count = 0;
    CHECK(entry_run(NULL, with_duties, &t) == status, "without a report");
}

/* One thing too many is refused, and released all the same. */
static void check_too_many(void) {
    trace t = {.duties = ENTRY_DUTIES + 1};
    CHECK(entry_run(NULL, with_duties, &t) == TEMPER_LIMIT, "more than %d", ENTRY_DUTIES);
    CHECK(t.count == 2 * ENTRY_DUTIES + 1, "%d done", t.count);
    CHECK(t.order[0] == ENTRY_DUTIES, "the one too many goes first, not %d", t.order[0]);
}

static void without_memory(entry *e, void *context) {
    trace *t = context;
    entry_on_failure(e, note, make(e, t, 1));
    arena_fail_after(1);
    arena_alloc(&e->scratch, 1 << 20, 1);
}

static void check_memory(void) {
    trace t = {0};
    temper_error err;
    CHECK(entry_run(&err, without_memory, &t) == TEMPER_NO_MEMORY && t.count == 1, "%s, %d done", err.text, t.count);
    arena_fail_after(0);
}

/* ---- an error that goes no further ---- */

typedef struct inner_call {
    trap trap;
    bool fail;
} inner_call;

static void inner(void *context) {
    inner_call *c = context;
    if (c->fail) trap_raise(&c->trap, TEMPER_RANGE, 0, 0, "inner");
}

static void outer(entry *e, void *context) {
    inner_call *c = context;
    if (!trap_attempt(&c->trap, NULL, inner, c))
        trap_raise(e->trap, TEMPER_FORMAT, 0, 0, "outer: %s", c->trap.error.text);
}

static void check_attempt(bool fail) {
    inner_call call = {.fail = fail};
    temper_error err;
    temper_status status = entry_run(&err, outer, &call);
    CHECK(status == (fail ? TEMPER_FORMAT : TEMPER_OK), "status %d", status);
    CHECK(!strcmp(err.text, fail ? "outer: inner" : ""), "'%s'", err.text);
}

int main(void) {
    for (int duties = 0; duties <= ENTRY_DUTIES; duties++) {
        check_order(false, duties);
        check_order(true, duties);
    }
    check_too_many();
    check_memory();
    check_attempt(false);
    check_attempt(true);
    return test_finish("entry");
}
