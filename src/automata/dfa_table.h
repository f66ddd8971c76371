/* Automata as texts that a person can write:

       start q0              where it begins
       accept q1 q2          where it accepts
       q0 a q1               from q0 by the letter a to q1
       q0 [0-9_] q2          by one of these letters; labels are the sets of regular expressions
       q1 \x20 q0  -- a comment

   A move that is not written leads to where nothing is accepted any more. A semicolon ends a line as well, so that a
   table may stand in braces within one line of a specification: dfa { start q0; accept q1; q0 a q1 }. The lines
   `alphabet LABEL ...` and `tokens yes` say what the letters are. A file of JFLAP (.jff) is such a table too. */
#ifndef AUTOMATA_DFA_TABLE_H
#define AUTOMATA_DFA_TABLE_H

#include "automata/dfa.h"
#include "automata/symbols.h"

typedef struct table_move {
    uint32_t from, to;
    symbol_set letters;
    size_t line, column;
} table_move;

typedef struct dfa_table {
    const char **names; /* [state_count] */
    unsigned char *accepts;
    size_t state_count, state_capacity, accept_capacity, accept_count;
    uint32_t start;
    table_move *moves;
    size_t move_count, move_capacity;
    symbol_set alphabet; /* of the line; no items: there is none */
    bool tokens;
} dfa_table;

enum { TABLE_STATES = 20000, TABLE_CELLS = 1 << 24 };

/* Reads bytes[0..length), which begin at a place of a larger text. braces: the text begins with "{" and ends with
   the "}" that closes it; *used is its length in bytes. tokens: letters are words, unless the table says otherwise
   in a line. Raises TEMPER_SYNTAX with line and column. */
dfa_table *dfa_table_parse(arena *a, const char *bytes, size_t length, bool braces, bool tokens, size_t line,
                           size_t column, size_t *used);

/* Its minimal automaton over the letters. Raises TEMPER_SYNTAX, with the place, where two moves of a state share a
   letter and lead to different states. */
dfa *dfa_from_table(arena *a, const dfa_table *t, const alphabet *letters, arena *scratch);

/* An automaton as a table, a line each, without lines about letters; over the same letters it reads back to the same
   language. States are q0, q1, ...; the state from which nothing is accepted is left out unless it is the start. */
void dfa_print_table(text *out, const dfa *d, const alphabet *letters);

/* The letters by which `from` moves to `to`, as a label; from DFA_ANYWHERE: all letters. */
#define DFA_ANYWHERE UINT32_MAX
void dfa_print_label(text *out, const dfa *d, const alphabet *letters, uint32_t from, uint32_t to);

#endif
