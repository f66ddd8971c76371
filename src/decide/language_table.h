/* Whether a formula that looks one way is a regular language at every position, and the table that shows it
   (doc/certificate.md, "Regular languages"). The table has every state of the automaton with what the formula's
   operators can remember there. Most of that does not matter in most states, and the table leaves it open. So the
   table stays small where a cascade wanders on in what is free, or after its answer is settled. */
#ifndef DECIDE_LANGUAGE_TABLE_H
#define DECIDE_LANGUAGE_TABLE_H

#include "automata/dfa.h"
#include "logic/formula.h"

typedef struct table_limits {
    uint64_t work; /* nodes looked at, 64 classes of letters at a time */
    size_t rows;
} table_limits;

static const table_limits LANGUAGE_TABLE_LIMITS = {(uint64_t)1 << 30, 1 << 16};
table_limits language_table_allowed(void); /* these, by the effort of base/work.h */

typedef struct language_rows {
    const char **rows; /* as a certificate writes them, in order */
    size_t count;
    uint64_t work;       /* that it took */
    const char *why_not; /* a clause; NULL: the formula is the language, and the rows show it */
} language_rows;

/* root holds at i iff the automaton, which must be minimal, accepts the letters up to i; with `forward` those from i
   on, read backwards. Results in arena a. */
language_rows language_table_of(const formula *f, node_id root, const dfa *d, bool forward,
                                const table_limits *limits, arena *a);

#endif
