/* The automaton of a specification as the library hands it out. */
#ifndef DECIDE_AUTOMATON_H
#define DECIDE_AUTOMATON_H

#include "automata/classify.h"
#include "logic/formula.h"

struct temper_automaton {
    arena memory;
    dfa *d; /* minimal */
    alphabet letters;
    uint32_t dead; /* UINT32_MAX: none */
    class_verdict verdicts[LANGUAGE_CLASSES];
    const char *because[LANGUAGE_CLASSES];
};

/* automaton_witness.c: what is known of a class, in a sentence; in the automaton's memory. */
const char *verdict_words(temper_automaton *m, language_class c);

/* automaton_print.c */
void automaton_print(text *out, const temper_automaton *m, temper_automaton_format format);

#endif
