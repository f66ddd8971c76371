/* Regular languages out of specifications: every /regex/ and table becomes the formula of its automaton
   (compile/regular_choose.h), and what is left is an ordinary specification. Languages that are sets of states of one
   automaton are made together. */
#ifndef COMPILE_REGULAR_EXPAND_H
#define COMPILE_REGULAR_EXPAND_H

#include "compile/regular_choose.h"

typedef struct expanded_regular {
    uint32_t language; /* in the source's graph */
    node_id source;    /* the node that stands for it there */
    node_id root;      /* its formula in the new graph */
    regular_choice choice;
} expanded_regular;

typedef struct regular_expansion {
    temper_spec *spec; /* letters and source are borrowed; the graph is its own */
    expanded_regular *languages;
    size_t count; /* 0: there were none, and spec is the one given */
    bool reverse; /* spec is read at the first position and answers for whole strings only */
} regular_expansion;

/* `prefixes`: the formula must be right at every position, so no language is read from the right. Only a
   specification that is one regular language and nothing else ever is. Raises TEMPER_UNSUPPORTED for a language
   whose group is not solvable, TEMPER_LIMIT for one whose formula would be too large. All in a; scratch is reset. */
void regular_expand(regular_expansion *out, const temper_spec *spec, bool prefixes, arena *a, arena *scratch);

/* The formula of a node of the expansion, as a text that parses, without a newline at its end. */
const char *regular_expansion_text(const regular_expansion *x, node_id root, arena *a);

#endif
