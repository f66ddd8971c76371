/* Regular expressions as the auditor reads them, and the automata that it makes of them. The first automaton
   guesses; it is put together from the parts of the expression. The second one follows all guesses at once. The
   compiler takes derivatives instead; the two share no code. */
#ifndef AUDIT_AUDIT_PATTERN_H
#define AUDIT_AUDIT_PATTERN_H

#include "base/alphabet.h"

/* ---- expressions ---- */

typedef enum audit_regex_op {
    AUDIT_REGEX_EMPTY, /* the empty word */
    AUDIT_REGEX_SET,   /* one letter of a set */
    AUDIT_REGEX_CAT,
    AUDIT_REGEX_OR,
    AUDIT_REGEX_BOTH, /* & */
    AUDIT_REGEX_NOT,  /* ~ */
    AUDIT_REGEX_REPEAT,
    AUDIT_REGEX_LOOK /* the empty word where the operand matches what follows or precedes, or does not */
} audit_regex_op;

#define AUDIT_REGEX_NO_END UINT32_MAX

/* Parts stand in the order in which they end in the text: both operands of a part come before it, the right one
   directly. */
typedef struct audit_regex_part {
    audit_regex_op op;
    uint32_t set;         /* SET: index into sets */
    uint32_t least, most; /* REPEAT; most may be AUDIT_REGEX_NO_END */
    bool behind, negated; /* LOOK */
} audit_regex_part;

typedef struct audit_regex {
    const alphabet *letters;
    audit_regex_part *parts;
    size_t count, capacity;
    bool **sets; /* [sets][letters] */
    size_t set_count, set_capacity;
} audit_regex;

/* Raises TEMPER_RANGE for what it does not understand. */
audit_regex *audit_regex_read(arena *a, const char *bytes, size_t length, const alphabet *letters);

/* Switches inside an expression. */
typedef struct audit_regex_flags {
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
} audit_regex_flags;

/* A place in the text of an expression. */
typedef struct audit_regex_text {
    arena *arena;
    const char *bytes;
    size_t length, at;
    const alphabet *letters;
    uint64_t looked; /* at letters, for all sets so far */
    audit_regex_flags flags;
} audit_regex_text;

_Noreturn void audit_regex_refuse(const audit_regex_text *p, const char *why);
static inline char audit_regex_look(const audit_regex_text *p, size_t ahead) {
    return ahead < p->length - p->at ? p->bytes[p->at + ahead] : 0;
}
/* Whether these characters stand here. */
bool audit_regex_has(const audit_regex_text *p, const char *characters);
/* An open group: what its ")" ends. */
typedef struct audit_regex_group {
    audit_regex_flags outside;
    char look; /* '=' or '!': an assertion; 0: none */
    bool behind;
} audit_regex_group;
/* Takes what opens a group; false: it was only flags. */
bool audit_regex_opening(audit_regex_text *t, audit_regex_group *g);
/* No letters yet. Every set, range and class goes through the alphabet; a hostile text must not make that too many:
   raises TEMPER_LIMIT. */
bool *audit_regex_new_set(audit_regex_text *p);
/* The set that is written here: a character, an escape, a class, `.`, a word; [letters]. */
bool *audit_regex_read_set(audit_regex_text *p);
/* The character that stands here, whatever it is. */
bool *audit_regex_read_quoted(audit_regex_text *p);
/* The letters among these pairs of characters, low and high, up to a 0. */
bool *audit_regex_ranges_set(audit_regex_text *p, const uint32_t *pairs);
/* \w, in one case; whether \N{U+41} stands here. */
bool *audit_regex_word_set(audit_regex_text *p);
bool audit_regex_is_numbered(const audit_regex_text *p);
void audit_regex_complement(const audit_regex_text *p, bool *set);

/* ---- automata ---- */

/* Complete; state 0 is the start. */
typedef struct automaton {
    uint32_t states, classes;
    uint32_t *class_of;     /* [letters] numbered by their first letters */
    uint32_t *next;         /* [states][classes] */
    unsigned char *accepts; /* [states] */
} automaton;

enum { AUTOMATON_STATES = 1 << 14, AUTOMATON_GUESSES = 1 << 20 };
#define AUTOMATON_WORK      ((uint64_t)1 << 28)
#define AUDIT_REGEX_LETTERS ((uint64_t)1 << 26) /* looked at for all sets of a language */

/* The least automaton of the expression; of its reversed words if `reversed`. States are numbered in the order of the
   least words that lead to them: shorter words first, then by the letters' numbers. Raises TEMPER_LIMIT if it takes
   more than the limits above. */
automaton *automaton_from_regex(arena *a, const audit_regex *p, bool reversed);

/* The same of an automaton that is written as a table of moves. */
automaton *automaton_from_table(arena *a, const char *bytes, size_t length, const alphabet *letters);

/* Letters that no set of the expression tells apart, numbered by their first letters. */
uint32_t *audit_regex_classes(uint32_t *count, const audit_regex *p, arena *a);

/* The least automaton of the same language; letters that all states treat alike share a class in the result. */
automaton *automaton_least(arena *a, const automaton *x, size_t letters);
automaton *automaton_reversed(arena *a, const automaton *x, size_t letters);

#endif
