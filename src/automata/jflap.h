/* Finite automata in the XML files of JFLAP (.jff). */
#ifndef AUTOMATA_JFLAP_H
#define AUTOMATA_JFLAP_H

#include "base/text.h"

/* Whether the text is XML at all. */
bool jflap_is(const char *bytes, size_t length);

/* The automaton as a table of dfa_table.h, line by line where it stands in the file, so that places agree. Raises
   TEMPER_FORMAT for other machines, and for moves without a letter, which only other automata have. */
void jflap_to_table(text *out, const char *bytes, size_t length);

#endif
