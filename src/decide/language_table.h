/* Whether a formula that looks one way is a regular language at every position, and the table that shows it
   (doc/certificate.md, "Regular languages"): every state of the automaton with what the formula's operators can
   remember there. Once no letter leads out of a state any more, most of what they remember does not matter, and the
   table leaves it open; so it stays small where a cascade wanders on after its answer is settled. */
#ifndef DECIDE_LANGUAGE_TABLE_H
#define DECIDE_LANGUAGE_TABLE_H

#include "automata/dfa.h"
#include "logic/formula.h"

enum { LANGUAGE_TABLE_ROWS = 1 << 16 };
#define LANGUAGE_TABLE_WORK ((uint64_t)1 << 28) /* nodes looked at, 64 classes of letters at a time */

typedef struct language_rows {
    const char **rows; /* as a certificate writes them, in order */
    size_t count;
    const char *why_not; /* a clause; NULL: the formula is the language, and the rows show it */
} language_rows;

/* root holds at i iff the automaton, which must be minimal, accepts the letters up to i; with `forward` those from i
   on, read backwards. Results in arena a. */
language_rows language_table_of(const formula *f, node_id root, const dfa *d, bool forward, arena *a);

#endif
