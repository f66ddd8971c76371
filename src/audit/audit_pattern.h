/* Regular expressions as the auditor reads them, and the automata that it makes of them: an automaton that guesses,
   put together from the parts of the expression, then one that follows all guesses at once. The compiler takes
   derivatives instead; the two share no code. */
#ifndef AUDIT_AUDIT_PATTERN_H
#define AUDIT_AUDIT_PATTERN_H

#include "base/alphabet.h"

/* ---- expressions ---- */

typedef enum pattern_op {
    PATTERN_EMPTY, /* the empty word */
    PATTERN_SET,   /* one letter of a set */
    PATTERN_CAT,
    PATTERN_OR,
    PATTERN_BOTH, /* & */
    PATTERN_NOT,  /* ~ */
    PATTERN_REPEAT,
    PATTERN_LOOK /* the empty word where the operand matches what follows or precedes, or does not */
} pattern_op;

#define PATTERN_NO_END UINT32_MAX

/* Parts stand in the order in which they end in the text: both operands of a part come before it, the right one
   directly. */
typedef struct pattern_part {
    pattern_op op;
    uint32_t set;         /* SET: index into sets */
    uint32_t least, most; /* REPEAT; most may be PATTERN_NO_END */
    bool behind, negated; /* LOOK */
} pattern_part;

typedef struct pattern {
    const alphabet *letters;
    pattern_part *parts;
    size_t count, capacity;
    bool **sets; /* [sets][letters] */
    size_t set_count, set_capacity;
} pattern;

/* Raises TEMPER_RANGE for what it does not understand. */
pattern *pattern_read(arena *a, const char *bytes, size_t length, const alphabet *letters);

/* Switches inside an expression. */
typedef struct pattern_flags {
    bool any_case; /* i */
    bool ascii;    /* -u: only letters of ASCII have cases */
    bool crlf;     /* R: \r ends a line, too, and \r\n is one end */
    bool apart;    /* r: cases do not mix ASCII and others */
    bool unicode;  /* u: named classes are Unicode's, but those of ASCII behind a */
    bool plain_d, plain_s, plain_w, plain_posix, plain_digits;
    bool lines;        /* m: ^ and $ are ends of lines */
    bool dot_newline;  /* s */
    bool free;         /* x: blanks and comments mean nothing */
    bool free_classes; /* xx: nor do blanks inside classes */
} pattern_flags;

/* A place in the text of an expression. */
typedef struct pattern_text {
    arena *arena;
    const char *bytes;
    size_t length, at;
    const alphabet *letters;
    uint64_t looked; /* at letters, for all sets so far */
    pattern_flags flags;
} pattern_text;

_Noreturn void pattern_refuse(const pattern_text *p, const char *why);
static inline char pattern_look(const pattern_text *p, size_t ahead) {
    return ahead < p->length - p->at ? p->bytes[p->at + ahead] : 0;
}
/* Whether these characters stand here. */
bool pattern_has(const pattern_text *p, const char *characters);
/* No letters yet. Every set, range and class goes through the alphabet; a hostile text must not make that too many:
   raises TEMPER_LIMIT. */
bool *pattern_new_set(pattern_text *p);
/* The set that is written here: a character, an escape, a class, `.`, a word; [letters]. */
bool *pattern_read_set(pattern_text *p);
/* The character that stands here, whatever it is. */
bool *pattern_read_quoted(pattern_text *p);
/* The letters among these pairs of characters, low and high, up to a 0. */
bool *pattern_ranges_set(pattern_text *p, const uint32_t *pairs);
/* \w, in one case; whether \N{U+41} stands here. */
bool *pattern_word_set(pattern_text *p);
bool pattern_is_numbered(const pattern_text *p);
void pattern_complement(const pattern_text *p, bool *set);

/* ---- automata ---- */

/* Complete; state 0 is the start. */
typedef struct automaton {
    uint32_t states, classes;
    uint32_t *class_of;     /* [letters] numbered by their first letters */
    uint32_t *next;         /* [states][classes] */
    unsigned char *accepts; /* [states] */
} automaton;

enum { AUTOMATON_STATES = 1 << 14, AUTOMATON_GUESSES = 1 << 20 };
#define AUTOMATON_WORK  ((uint64_t)1 << 28)
#define PATTERN_LETTERS ((uint64_t)1 << 26) /* looked at for all sets of a language */

/* The least automaton of the expression; of its reversed words if `reversed`. States are numbered in the order of the
   least words that lead to them: shorter words first, then by the letters' numbers. Raises TEMPER_LIMIT if it takes
   more than the limits above. */
automaton *automaton_from_pattern(arena *a, const pattern *p, bool reversed);

/* The same of an automaton that is written as a table of moves. */
automaton *automaton_from_table(arena *a, const char *bytes, size_t length, const alphabet *letters);

/* Letters that no set of the expression tells apart, numbered by their first letters. */
uint32_t *pattern_classes(uint32_t *count, const pattern *p, arena *a);

/* The least automaton of the same language; letters that all states treat alike share a class in the result. */
automaton *automaton_least(arena *a, const automaton *x, size_t letters);
automaton *automaton_reversed(arena *a, const automaton *x, size_t letters);

#endif
