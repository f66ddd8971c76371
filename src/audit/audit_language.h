/* Whether a formula is a regular language at every position, by a table that covers all that can happen
   (doc/certificate.md, "Regular languages"). A row is a state of the language's least automaton with what the
   operators of the formula remember of the letters so far. The table is right if it has the beginning, if every
   letter leads from each row to a row, and if the formula is then true exactly where the automaton accepts. By
   induction on the length this holds of all strings. */
#ifndef AUDIT_AUDIT_LANGUAGE_H
#define AUDIT_AUDIT_LANGUAGE_H

#include "audit/audit_regex.h"
#include "logic/formula.h"

/* What operators remember: one coordinate per node that looks back (or forward), in the order of the nodes. */
typedef enum memory_kind {
    REMEMBERS_EDGE,   /* first, last: whether no letter came yet */
    REMEMBERS_KID,    /* Y Z X wX: the kid, one position before */
    REMEMBERS_SELF,   /* O H S T F G U R W M: the node, one position before */
    REMEMBERS_REST,   /* a remainder: the sum modulo m */
    REMEMBERS_AMOUNT, /* a comparison: the sum without its sign, up to one more than decides */
    REMEMBERS_STATE,  /* a regular language: the state of its automaton */
    REMEMBERS_CHOICE  /* attention: 0 no candidate so far, 1 the chosen one has not the value, 2 it has */
} memory_kind;

typedef struct coordinate {
    node_id node;
    memory_kind kind;
    uint32_t start; /* before any letter */
    uint32_t most;
} coordinate;

#define ANYTHING UINT32_MAX /* the value of a coordinate that a row leaves open */

typedef struct language_table {
    const temper_spec *spec; /* of the formula */
    const automaton *language;
    const automaton *const *languages; /* [languages of the graph] NULL: the formula may not name any */
    bool is_source;                    /* no rows, so that nothing is open: it may have attention */
    bool forward;                      /* the formula looks forward, and the automaton reads from the end */
    arena *arena;
    coordinate *coordinates;
    size_t width, capacity;
    node_id *nodes; /* what a step computes, in order */
    size_t node_count, node_capacity;
    uint32_t *rows; /* [row_count][1 + width] a state and coordinates */
    size_t row_count;
} language_table;

enum { LANGUAGE_MODULUS = 1 << 16, LANGUAGE_AMOUNT = 1 << 16 };
#define LANGUAGE_WORK ((uint64_t)1 << 32)
enum { LANGUAGE_LETTERS = 1 << 26 }; /* of all its sets */

/* The sign of a count's weight in a sum; sums have no weight 0. */
static inline bool language_weighs_down(const language_table *t, node_id sum, size_t count) {
    return formula_weight(&t->spec->graph, sum, count) < 0;
}

/* The formula's coordinates. Raises TEMPER_RANGE if it has operators that a table cannot hold, or looks both ways. */
void language_begin(language_table *t, const temper_spec *spec, const automaton *language, bool forward, arena *a);

/* The same for a formula that may name languages; fills what language_begin fills, with spec, languages, forward and
   arena set. */
void language_coordinates(language_table *t);

/* The truth of a formula where some coordinates are open. */
enum { LANGUAGE_OPEN = 2 };

typedef struct language_stepping {
    const language_table *t;
    unsigned char *truth;    /* [nodes of the graph] */
    uint32_t *coordinate_of; /* [nodes of the graph] */
    uint32_t *after;         /* [width] set by whoever steps */
} language_stepping;

void language_stepping_begin(language_stepping *s, const language_table *t);

/* The formula's truth at a position whose letter is this, and the coordinates after it. */
unsigned language_step(language_stepping *s, const uint32_t *before, uint32_t letter);

/* The least automaton of the words at whose last letter the formula holds, and of the empty word if accepts_empty. A
   formula that looks forward: at whose first letter. spec may name languages, whose automata are given. Raises
   TEMPER_RANGE if the formula has operators without coordinates or looks the other way, TEMPER_LIMIT if there are
   more states than are audited. */
automaton *language_automaton(const temper_spec *spec, bool forward, bool accepts_empty,
                              const automaton *const *languages, arena *a);

/* Reads rows as a certificate writes them, and checks the table. Raises TEMPER_RANGE where something is not so. */
void language_read_rows(language_table *t, const char *const *rows, size_t count);
void language_check(const language_table *t);

/* A row as it is written. */
void language_write_row(text *out, const language_table *t, size_t row);

#endif
