/* The outputs of a language model (doc/sequence.md): for each letter whether it may come next, and whether the string
   may end. They look back only, so that each position answers for its prefix. */
#ifndef COMPILE_NEXT_OUTPUTS_H
#define COMPILE_NEXT_OUTPUTS_H

#include "base/entry.h"
#include "logic/formula.h"

/* How the outputs were found. */
typedef struct next_report {
    const dfa *automaton; /* of the language, minimal, in the specification's memory; NULL: it has none */
    size_t tested;        /* without an automaton: prefixes that the line `viable` was tested on */
} next_report;

/* Fills outputs and views of s, whose kind is NEXT, which has none yet and which nobody else sees. An output of a
   finite-state language holds where it should, by its automaton. For other languages letter x is legal where the line
   `viable` holds after one more x; with `test` that line is tried on strings, and a string that contradicts it is
   TEMPER_RANGE. TEMPER_UNSUPPORTED: no automaton, and no line `viable`. scratch is reset. */
void spec_make_outputs(temper_spec *s, next_report *r, bool test, arena *scratch);

/* A copy of a specification as a language model with outputs; acceptors become ones. It is freed when the entry is
   left. */
const temper_spec *entry_next_spec(entry *e, const temper_spec *spec, bool test);

#endif
