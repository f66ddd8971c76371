/* Formulas as text that parses back. */
#ifndef LOGIC_FORMULA_PRINT_H
#define LOGIC_FORMULA_PRINT_H

#include "logic/formula.h"

/* The whole specification, header lines included. Subformulas that are used more than once and are large become
   definitions, so that the text is linear in the size of the graph.

   Specifications print in spec syntax; so do C-RASP programs, whose graphs hold nothing but counts, comparisons and
   Boolean connectives. Both parse back to the same graph, node for node, except that a set of all letters or of none
   (which no text but a full `[...]` or `[^...]` denotes) comes back as such a class over the alphabet: the same set.
   A graph of attention and Boolean connectives prints in B-RASP syntax and parses back to an equivalent formula; one
   that came from a B-RASP text and holds more (no parser makes it) is TEMPER_UNSUPPORTED, raised through the text's
   arena. */
void spec_print(text *out, const temper_spec *s);

/* The same without header lines: definitions, and the answer on the last line. */
void spec_print_formula(text *out, const temper_spec *s);

/* The syntax of what spec_print prints: BRASP if the formula came from a B-RASP text, or has attention and
   nothing else that looks at other positions; else SPEC. */
temper_syntax spec_print_syntax(const temper_spec *s);

/* One node on one line for labels and messages, cut with "..." after about `most` characters (0: never cut); names of
   definitions are not used. ATTEND nodes print as "rightmost[j<i, where] value". */
void formula_label(text *out, const formula *f, const alphabet *letters, node_id id, size_t most);

/* ---- shared by formula_print.c and spec_print.c ---------------------------------------------------------------- */

typedef struct formula_printer {
    text *out;
    arena *scratch;
    const formula *f;
    const alphabet *letters;
    const char *const *names; /* per node: the definition to print instead, or NULL; NULL: none */
    char variable;            /* 'i' or 'j': B-RASP, letters and names are applied to it; 0: spec syntax */
    bool is_label;            /* tables of automata are not written out, sets are short */
    size_t limit;             /* stop when out is this long; SIZE_MAX: never */
} formula_printer;

/* The node itself, even if it has a name; below it names are used. */
void formula_print_node(formula_printer *p, node_id id);

/* The same as an operand: its name if it has one, with parentheses if it is neither an atom nor unary. */
void formula_print_operand(formula_printer *p, node_id id);

/* A letter as an atom of the spec syntax: bare or quoted. */
void letter_print(text *out, const char *letter, bool tokens);
void letter_print_quoted(text *out, const char *letter);

/* Is this a word that means something of its own at the start of a line or inside a formula? */
bool word_is_reserved(const char *word);

/* The length of a LETTERS node's text, about. */
size_t letters_print_cost(const formula *f, const alphabet *letters, node_id id);

/* The length of a MATCHES node's text. */
size_t matches_print_cost(const formula *f, node_id id);

const char *mask_print_name(temper_mask mask); /* "j<i" ... "1" */

#endif
