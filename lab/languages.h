/* The suite of languages: each with a formula and with an oracle that was written without it. */
#ifndef LAB_LANGUAGES_H
#define LAB_LANGUAGES_H

#include "lab/lab.h"

typedef enum language_class {
    CLASS_ONCE,      /* once and its mirror and duals only */
    CLASS_YESTERDAY, /* ... and yesterday */
    CLASS_SINCE,     /* ... and since */
    CLASS_COUNTING,  /* sums of counts are compared */
    CLASS_MODULAR,   /* remainders of counts */
    CLASS_OUTSIDE,   /* no formula has it: the one given is an approximation */
    CLASSES
} language_class;

extern const char *const language_class_names[CLASSES];

/* How interesting strings of a language without an automaton are made. */
typedef enum language_maker {
    MAKE_BLEND,   /* letters in the proportions of `blend`, shuffled */
    MAKE_BLOCKS,  /* the same, in order */
    MAKE_NESTED,  /* balanced brackets of all kinds, inside each other */
    MAKE_SHUFFLE, /* balanced brackets, each kind by itself, shuffled */
    MAKE_LEAD,    /* the first letter's lead stays below three, and comes to three at the end or not */
    MAKE_FEW,     /* a handful of the first letter */
    MAKE_MIRROR,  /* palindromes */
    MAKE_TWICE,   /* ww */
    MAKE_SQUARE,  /* of a square length */
    MAKE_DOUBLE   /* of a length that is a power of two */
} language_maker;

typedef struct language {
    const char *name;
    language_class class_;
    const char *alphabet; /* one character a letter */
    bool empty;           /* has the empty string */
    const char *about;    /* the definition, in words */
    const char *formula;
    /* The oracle: an automaton or a program. The automaton has a row for each state, separated by blanks, with the
       next state for each letter; states are 0-9a-z, 0 is the initial one. */
    const char *next, *accept; /* accept: a 0 or 1 for each state */
    bool (*program)(const uint32_t *w, size_t n);
    language_maker maker;
    const char *blend;   /* a digit for each letter; NULL: equal */
    const char *gallery; /* a hard model that has the language exactly, or NULL */
} language;

extern const language language_suite[];
size_t language_count(void);
size_t language_letters(const language *g);
bool language_has(const language *g, const uint32_t *w, size_t n);

/* A string of at most n letters, with at least n - 7 where the language lets it: w has room for n. What kinds there
   are: */
typedef enum string_kind {
    STRING_MEMBER, /* of the language, where the maker can */
    STRING_OTHER,  /* not of it, or random */
    STRING_EDITED, /* a member with one letter changed */
    /* one letter all over, but for a few others or a short word: near the start, near the end, or anywhere */
    STRING_NEEDLES,
    STRING_KINDS
} string_kind;
/* `random` is asked for numbers; scratch is used, and not reset. Returns the length. */
size_t language_string(uint32_t *w, size_t n, const language *g, string_kind kind, uint64_t (*random)(void *context),
                       void *context, arena *scratch);

/* doc/languages.md's table of the suite: a test compares it with the file. */
const char *language_table(arena *a);

#endif
