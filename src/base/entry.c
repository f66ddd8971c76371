#include "base/entry.h"

#include <string.h>

#ifdef __wasm__
/* Calls body(context), and says whether it returned: 0 if trap_leave(t) was called instead (web/engine/host.js). */
__attribute__((import_module("env"), import_name("trap_call"))) int trap_call(trap *t, void (*body)(void *context),
                                                                              void *context);

static bool call(trap *t, void (*body)(void *context), void *context) { return trap_call(t, body, context) != 0; }
#else
static bool call(trap *t, void (*body)(void *context), void *context) {
    if (setjmp(t->env)) return false;
    body(context);
    return true;
}
#endif

bool trap_attempt(trap *t, temper_error *report, void (*body)(void *context), void *context) {
    trap_begin(t, report);
    if (!call(t, body, context)) return false;
    trap_clear(t);
    return true;
}

typedef struct entry_call {
    entry *e;
    void (*body)(entry *e, void *context);
    void *context;
} entry_call;

static void call_body(void *context) {
    const entry_call *c = context;
    c->body(c->e, c->context);
}

static void release(const entry_duty *duties, size_t count) {
    while (count-- > 0) duties[count].release(duties[count].what);
}

temper_status entry_run(temper_error *err, void (*body)(entry *e, void *context), void *context) {
    trap t;
    entry e = {.trap = &t};
    entry_call call = {&e, body, context};
    arena_init(&e.memory, &t);
    arena_init(&e.scratch, &t);
    bool done = trap_attempt(&t, err, call_body, &call);
    if (!done) release(e.failure, e.failure_count);
    release(e.leaving, e.leaving_count);
    arena_free(&e.scratch);
    arena_free(&e.memory);
    return done ? TEMPER_OK : t.error.code;
}

static void add_duty(entry_duty *duties, size_t *count, entry_duty duty, trap *t) {
    if (*count == ENTRY_DUTIES) {
        duty.release(duty.what);
        trap_raise(t, TEMPER_LIMIT, 0, 0, "a call holds more than %d things to release", ENTRY_DUTIES);
    }
    duties[(*count)++] = duty;
}

void entry_on_failure(entry *e, void (*release_it)(void *what), void *what) {
    add_duty(e->failure, &e->failure_count, (entry_duty){release_it, what}, e->trap);
}

void entry_on_leaving(entry *e, void (*release_it)(void *what), void *what) {
    add_duty(e->leaving, &e->leaving_count, (entry_duty){release_it, what}, e->trap);
}

char *entry_hand_out(const entry *e, const char *bytes, size_t length) {
    char *copy = caller_alloc(e->trap, length + 1, 1);
    if (length) memcpy(copy, bytes, length);
    copy[length] = 0;
    return copy;
}
