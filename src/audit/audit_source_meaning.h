/* The meaning of every subformula of a source, by induction from the definitions of doc/language.md. */
#ifndef AUDIT_AUDIT_SOURCE_MEANING_H
#define AUDIT_AUDIT_SOURCE_MEANING_H

#include "audit/audit_meaning.h"
#include "logic/formula.h"

#define NO_MEANING UINT32_MAX

/* [spec->graph.count]; NO_MEANING for counts, which are numbers, and for nodes that no output reaches.
   languages: [spec->graph.language_count] the meanings of the formulas that stand for them; NULL: it may not name
   any. */
dd *source_meanings(meaning *m, const temper_spec *spec, const dd *languages, arena *a);

#endif
