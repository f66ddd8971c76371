/* Sets of letters as a regular expression or a table of an automaton writes them: [a-z_], \d, `.`, <word>. They are
   read before the alphabet is complete, so they speak of characters and words; which letters of an alphabet they hold
   is found out later. */
#ifndef AUTOMATA_SYMBOLS_H
#define AUTOMATA_SYMBOLS_H

#include "base/alphabet.h"
#include "base/property.h"

typedef enum symbol_use {
    SYMBOL_LETTER, /* a member, written by itself: an alphabet that is given must have it */
    SYMBOL_RANGE,  /* members: of an alphabet that is given, those that it has; otherwise all of them are letters */
    SYMBOL_OTHERS, /* members that are not mentioned, such as all but digits for \D inside a class */
    SYMBOL_BARRED  /* mentioned, but no members: the digits of \D inside a class */
} symbol_use;

typedef struct symbol_item {
    symbol_use use;
    uint32_t low, high; /* characters; with tokens not used */
    uint32_t barred;    /* OTHERS: all but this named class, its number + 1; 0: low to high */
    property property;  /* OTHERS: members have it; NONE: not by this */
    bool lacking;       /* ... or have it not */
    const char *word;   /* with tokens; else NULL */
    size_t word_length;
    size_t line, column; /* where it is written */
} symbol_item;

typedef struct symbol_set {
    symbol_item *items;
    size_t count, capacity;
    bool negated; /* the members are all other letters */
    bool ascii;   /* folding knows ASCII only */
    bool apart;   /* folding does not mix ASCII and others */
    bool fold;    /* a character stands for all that differ from it by case only */
} symbol_set;

/* Classes that are of ASCII even behind (?u): \d, \s, \w and \b, [:name:], [:digit:] and [:xdigit:]. */
enum symbol_plain { PLAIN_D = 1, PLAIN_S = 2, PLAIN_W = 4, PLAIN_POSIX = 8, PLAIN_DIGITS = 16, PLAIN_ALL = 31 };

/* A place in a text that is read character by character. */
typedef struct symbol_reader {
    arena *arena;
    const char *bytes; /* valid UTF-8 */
    size_t length, at;
    size_t line, column; /* of `at` */
    bool tokens;         /* a letter is a word in angle brackets */
    bool fold;           /* (?i) */
    bool ascii;          /* (?-u): folding knows ASCII only */
    bool apart;          /* (?r): folding does not mix ASCII and others */
    bool unicode;        /* (?u): named classes are Unicode's */
    unsigned plain;      /* (?a): ... but these */
    bool crlf;           /* (?R:): `.` is no carriage return either */
    bool dot_all;        /* (?s): `.` is also the newline */
    bool class_blanks;   /* (?xx): blanks inside classes mean nothing */
} symbol_reader;

static inline char symbol_look(const symbol_reader *r, size_t ahead) {
    return ahead < r->length - r->at ? r->bytes[r->at + ahead] : 0;
}

/* Moves over whole characters of one line. */
void symbol_advance(symbol_reader *r, size_t bytes);

/* Raises TEMPER_SYNTAX with the place if the text has control bytes or invalid UTF-8; `what` begins the message. */
void symbol_check_text(symbol_reader *r, const char *what);

/* The set that is written here: one character, an escape, a class, `.`, or with tokens <word>. Raises TEMPER_SYNTAX
   for what is none, TEMPER_UNSUPPORTED by its name for what no regular expression can say. */
symbol_set symbol_read(symbol_reader *r);

/* The character that stands here, whatever it means elsewhere: inside \Q...\E. */
symbol_set symbol_read_literal(symbol_reader *r);

/* Sets of assertions, which name no letters, and of \R, which names \r and \n. */
typedef enum symbol_builtin {
    SYMBOL_ANY,      /* every letter */
    SYMBOL_NEWLINE,  /* \n */
    SYMBOL_IN_LINE,  /* every letter but the newline */
    SYMBOL_WORD,     /* \w */
    SYMBOL_RETURN,   /* \r */
    SYMBOL_LINE_ENDS /* what ends a line alone, but \r: \n \x0B \f \x85 \u2028 \u2029 */
} symbol_builtin;
symbol_set symbol_built_in(const symbol_reader *r, symbol_builtin which);

/* Whether \N{U+41} stands here. */
bool symbol_is_numbered(const symbol_reader *r);

/* \pL \PL \p{Lu} \p{^Lu} \p{scx:Greek}; false: it is none. *lacking: all characters but these are meant. Raises
   TEMPER_UNSUPPORTED for names that are not known. */
bool symbol_read_property(symbol_reader *r, property *out, bool *lacking);

/* Whether a named class of ASCII, by its number, has a character. */
bool symbol_class_has(uint32_t named, uint32_t code);

/* Steps that symbol_members takes for each letter. */
size_t symbol_cost(const symbol_set *set);

/* member[k] = 1 iff letter k of the alphabet is in the set. */
void symbol_members(unsigned char *member, const symbol_set *set, const alphabet *letters);

/* Calls mention for each letter that the set names. If an alphabet is given, only for those that are written by
   themselves, which it has to have, in one of their cases if the set folds. Otherwise a set that folds names both
   cases; of an ASCII letter only those that are ASCII. */
typedef void symbol_mention(void *context, const char *letter, size_t length, size_t line, size_t column);
void symbol_each_mention(const symbol_set *set, const alphabet *given, symbol_mention *mention, void *context);

#endif
