/* The meaning of a specification, subformula by subformula, from the definitions of doc/language.md. */
#ifndef RECOGNISE_SOURCE_READING_H
#define RECOGNISE_SOURCE_READING_H

#include "logic/formula.h"
#include "recognise/questions.h"

/* [node] what each node below the outputs is; 0 for counts and other nodes. Raises TEMPER_LIMIT where that cannot be
   said. */
const fn *source_read(questions *q, const temper_spec *spec);

#endif
