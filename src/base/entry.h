/* The frame of every public function, and the only place that catches errors. A public function puts its arguments
   into a struct and runs a body:

       typedef struct print_call {
           char **out;
           const temper_spec *spec;
       } print_call;

       static void print(entry *e, void *context) {
           const print_call *c = context;
           text printed;
           text_init(&printed, &e->scratch);
           spec_print(&printed, c->spec);
           *c->out = entry_hand_out(e, text_string(&printed), printed.length);
       }

       temper_status temper_spec_print(char **out, const temper_spec *spec, temper_error *err) {
           print_call call = {out, spec};
           *out = NULL;
           return entry_run(err, print, &call);
       }

   The body and all that it calls raise errors through the trap. Both arenas are freed when the body is left, in
   either way. */
#ifndef BASE_ENTRY_H
#define BASE_ENTRY_H

#include "base/arena.h"

typedef struct entry_duty {
    void (*release)(void *what);
    void *what;
} entry_duty;

enum { ENTRY_DUTIES = 8 };

typedef struct entry {
    trap *trap;
    arena memory;  /* lives as long as the body */
    arena scratch; /* the same; those whom it is passed to may reset it */
    entry_duty failure[ENTRY_DUTIES], leaving[ENTRY_DUTIES];
    size_t failure_count, leaving_count;
} entry;

/* Runs body(e, context): TEMPER_OK if it comes to its end, else the status of the error it raised. *err (may be NULL)
   has the error, or zeros. */
temper_status entry_run(temper_error *err, void (*body)(entry *e, void *context), void *context);

/* Calls release(what) when the body is left: by an error, or in either way. What came last is released first, before
   the arenas. At most ENTRY_DUTIES of each; nothing is allocated, so `what` cannot be lost. The body is gone by then:
   `what` lives in an arena of the entry, in the struct of arguments, or on the heap. */
void entry_on_failure(entry *e, void (*release)(void *what), void *what);
void entry_on_leaving(entry *e, void (*release)(void *what), void *what);

/* A copy for the caller of the library, with a NUL byte after it; freed with temper_free. */
char *entry_hand_out(const entry *e, const char *bytes, size_t length);

/* Inside the library, for an error that is not to go further: runs body(context) with t as its trap. False: an error
   was raised through t, and t->error has it. *report may be NULL. A trap that is in use already loses its frame: keep
   a copy. */
bool trap_attempt(trap *t, temper_error *report, void (*body)(void *context), void *context);

#endif
