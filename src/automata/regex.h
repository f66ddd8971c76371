/* Regular expressions: POSIX extended with what RE2 and PCRE2 added and is regular, read as a match of the whole
   string. doc/regex.md has the syntax. Reading needs no alphabet; the automaton is made when the alphabet is
   complete. */
#ifndef AUTOMATA_REGEX_H
#define AUTOMATA_REGEX_H

#include "automata/dfa.h"
#include "automata/symbols.h"

typedef enum regex_op {
    REGEX_EMPTY,  /* the empty word */
    REGEX_SET,    /* one letter of a set */
    REGEX_JOIN,   /* kids one after the other */
    REGEX_OR,     /* one of the kids */
    REGEX_AND,    /* all of the kids; only after "(?&)" */
    REGEX_NOT,    /* what the kid does not match; only after "(?&)" */
    REGEX_REPEAT, /* the kid, least to most times */
    REGEX_LOOK    /* nothing, where the kid matches what follows or precedes, or does not */
} regex_op;

enum { REGEX_REPEAT_LIMIT = 20000 };
#define REGEX_FOREVER UINT32_MAX /* `most` of x* and x{2,} */

typedef struct regex_node {
    regex_op op;
    uint32_t set; /* SET: index into sets */
    uint32_t kid_start, kid_count;
    uint32_t least, most; /* REPEAT */
    bool behind, negated; /* LOOK */
} regex_node;

/* Kids come before their parents; the root is the last node. */
typedef struct regex {
    regex_node *nodes;
    uint32_t *kids;
    size_t count, capacity, kid_count, kid_capacity;
    symbol_set *sets;
    size_t set_count, set_capacity;
    size_t line, column; /* where the text begins */
} regex;

/* Reads bytes[0..length), which begins at a place of a larger text (1, 1 if it stands alone). Raises TEMPER_SYNTAX,
   or TEMPER_UNSUPPORTED for what is not regular or not known, with line and column. */
regex *regex_parse(arena *a, const char *bytes, size_t length, bool tokens, size_t line, size_t column);

/* Its minimal automaton over the letters. Raises TEMPER_LIMIT, by name, if more than REGEX_DERIVATIVES states or
   REGEX_WORK steps would be needed. */
enum { REGEX_DERIVATIVES = 20000, REGEX_WORK = 20000000 };
dfa *dfa_from_regex(arena *a, const regex *r, const alphabet *letters, arena *scratch);

#endif
