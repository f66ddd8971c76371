#include "base/trap.h"

#include "base/print.h"

#include "base/remedy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void trap_begin(trap *t, temper_error *report) {
    memset(&t->error, 0, sizeof t->error);
    t->report = report;
    if (report) *report = t->error;
}

void trap_clear(trap *t) {
    if (t->report) memset(t->report, 0, sizeof *t->report);
}

#ifdef __wasm__
__attribute__((import_module("env"), import_name("trap_leave"))) _Noreturn void trap_leave(trap *t);
#else
static _Noreturn void trap_leave(trap *t) { longjmp(t->env, 1); }
#endif

static _Noreturn void leave(trap *t) {
    if (t->report) *t->report = t->error;
    trap_leave(t);
}

/* A cut in the middle of a UTF-8 character would make the message invalid: drop the partial character. */
static void trim_partial(char *text, size_t size) {
    size_t length = strlen(text);
    if (length + 1 < size) return;
    size_t start = length;
    while (start > 0 && length - start < 4 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) start--;
    if (start == 0) return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t need = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length - (start - 1) < need) text[start - 1] = 0;
}

static void fill(temper_error *e, temper_status code, size_t line, size_t column, const char *hint,
                 const char *format, va_list args) {
    e->code = code;
    e->remedy = TEMPER_REMEDY_NONE;
    e->line = line;
    e->column = column;
    print_list(e->text, sizeof e->text, format, args);
    snprintf(e->hint, sizeof e->hint, "%s", hint ? hint : "");
    trim_partial(e->text, sizeof e->text);
    trim_partial(e->hint, sizeof e->hint);
}

_Noreturn void trap_raise(trap *t, temper_status code, size_t line, size_t column, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(&t->error, code, line, column, "", format, args);
    va_end(args);
    leave(t);
}

_Noreturn void trap_raise_hint(trap *t, temper_status code, size_t line, size_t column, const char *hint,
                               const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(&t->error, code, line, column, hint, format, args);
    va_end(args);
    leave(t);
}

_Noreturn void trap_raise_remedy(trap *t, temper_status code, size_t line, size_t column, temper_remedy remedy,
                                 const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(&t->error, code, line, column, remedy_words(remedy), format, args);
    va_end(args);
    t->error.remedy = remedy;
    leave(t);
}

temper_status error_write(temper_error *error, temper_status code, size_t line, size_t column, const char *hint,
                          const char *format, ...) {
    va_list args;
    if (!error) return code;
    va_start(args, format);
    fill(error, code, line, column, hint, format, args);
    va_end(args);
    return code;
}

_Noreturn void trap_reraise(trap *t, const temper_error *error) {
    t->error = *error;
    leave(t);
}

const char *temper_status_name(temper_status status) {
    switch (status) {
    case TEMPER_OK: return "ok";
    case TEMPER_SYNTAX: return "syntax";
    case TEMPER_RANGE: return "range";
    case TEMPER_UNSUPPORTED: return "unsupported";
    case TEMPER_FORMAT: return "format";
    case TEMPER_LIMIT: return "limit";
    case TEMPER_IO: return "io";
    case TEMPER_NO_MEMORY: return "no memory";
    }
    return "unknown";
}
