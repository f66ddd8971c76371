/* Where a regular language sits, read off its minimal automaton, with witnesses. Each test is polynomial, except that
   the last two look at all image sets of states. What takes more than the limits is UNKNOWN, with the limit
   (doc/automaton.md has the definitions and sources). */
#ifndef AUTOMATA_CLASSIFY_H
#define AUTOMATA_CLASSIFY_H

#include "automata/dfa_words.h"

typedef enum language_class {
    CLASS_FINITE,             /* finitely many words */
    CLASS_DEFINITE,           /* the last k letters decide */
    CLASS_REVERSE_DEFINITE,   /* the first k letters decide */
    CLASS_LOCALLY_TESTABLE,   /* the set of factors of k letters decides, with the first and the last k - 1 */
    CLASS_PIECEWISE_TESTABLE, /* the set of subwords of k letters decides */
    CLASS_R_TRIVIAL,          /* the automaton never comes back to a state that it has left */
    CLASS_STAR_FREE,          /* no word's powers cycle */
    CLASS_SOLVABLE,           /* all groups are solvable */
    LANGUAGE_CLASSES
} language_class;

typedef enum class_answer { CLASS_NO, CLASS_YES, CLASS_UNKNOWN } class_answer;

/* A family of words, one for each n = 0, 1, 2, ...: parts in a row, some of them to the power of n. */
enum { WORD_PARTS = 12 };

typedef struct word_family {
    word_part parts[WORD_PARTS];
    size_t count; /* 0: no family */
} word_family;

typedef struct class_verdict {
    class_answer answer;
    size_t degree; /* YES: FINITE the longest word, (REVERSE_)DEFINITE the least k; else 0 */
    /* NO: for every n the first word is accepted and the second, if there is one, is not; for n large enough no
       language of the class tells the two apart. Not for SOLVABLE. */
    word_family accepted, rejected;
    /* Groups. NO of STAR_FREE or SOLVABLE: so many states are permuted; SOLVABLE has the order of the group and of
       its perfect subgroup, and words that generate it. */
    uint32_t group_states, group_order, core_order;
    word_part generators[2];
    size_t generator_count;
    /* UNKNOWN: the limit, "it has" more than `most` "states". */
    const char *beyond, *of;
    uint64_t most;
} class_verdict;

/* d must be minimal, as dfa_minimise makes it. verdicts[LANGUAGE_CLASSES]; words are in a. */
void dfa_classify(class_verdict *verdicts, const dfa *d, arena *a);

const char *language_class_name(language_class c); /* "locally testable" */

static inline class_verdict class_unknown(const char *beyond, uint64_t most, const char *of) {
    return (class_verdict){.answer = CLASS_UNKNOWN, .beyond = beyond, .most = most, .of = of};
}

/* What classify_groups.c decides: STAR_FREE and SOLVABLE. */
void classify_groups(class_verdict *star_free, class_verdict *solvable, const dfa *d, arena *a);

#endif
