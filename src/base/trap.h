/* Errors inside the library. A public function runs its body in the frame of base/entry.h. Whatever the body calls
   raises errors through a trap. Control then returns to the frame, which frees what the body held. So passes need
   no error plumbing, and nothing leaks, because everything a pass allocates lives in an arena. */
#ifndef BASE_TRAP_H
#define BASE_TRAP_H

#include <stdbool.h>
#include "temper.h"

/* WebAssembly has no setjmp for 64-bit addresses; its host unwinds the stack (entry.c). */
#ifdef __wasm__
typedef char trap_frame;
#else
#include <setjmp.h>
typedef jmp_buf trap_frame;
#define trap_set(t, err) (trap_begin((t), (err)), setjmp((t)->env))
#endif

typedef struct trap {
    trap_frame env;
    temper_error error;
    temper_error *report; /* the caller's, may be NULL */
} trap;

void trap_begin(trap *t, temper_error *report);
void trap_clear(trap *t);

/* `format` is printf's; arguments that hold user text must have gone through text_escaped. */
_Noreturn void trap_raise(trap *t, temper_status code, size_t line, size_t column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same with a hint. */
_Noreturn void trap_raise_hint(trap *t, temper_status code, size_t line, size_t column, const char *hint,
                               const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The same with a remedy, whose neutral words become the hint. */
_Noreturn void trap_raise_remedy(trap *t, temper_status code, size_t line, size_t column, temper_remedy remedy,
                                 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Writes an error that is not raised: to *error (may be NULL) as it would be reported. Returns the code. */
temper_status error_write(temper_error *error, temper_status code, size_t line, size_t column, const char *hint,
                          const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Passes on an error that a nested entry point reported. */
_Noreturn void trap_reraise(trap *t, const temper_error *error);

#endif
