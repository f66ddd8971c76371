/* The reader of regular expressions: what its files share. */
#ifndef AUTOMATA_REGEX_READER_H
#define AUTOMATA_REGEX_READER_H

#include "automata/regex.h"

/* What (?i), (?m), (?s), (?x), (?xx), (?u), (?-u), (?r), (?R:) and (?a) switch; (?U), (?J) and (?n) do not change
   what matches. */
typedef struct regex_flags {
    bool fold, lines, dot_all, spaced, class_blanks, ascii, unicode, apart, crlf;
    unsigned plain; /* of symbol_plain */
} regex_flags;

/* An open group, or the whole text. Its parts are values[or_start..]: finished alternatives, from and_start on
   finished sides of "&", from join_start on the parts of the present sequence. */
typedef struct regex_group {
    size_t or_start, and_start, join_start;
    size_t nots; /* "~" that wait for the next atom */
    size_t line, column;
    bool is_look;      /* an assertion, as `look` says */
    regex_node look;   /* LOOK */
    regex_flags outer; /* what holds again behind it */
} regex_group;

typedef struct regex_reader {
    symbol_reader r; /* its flags follow `flags` */
    regex_flags flags;
    regex *out;
    bool extended; /* (?&) */
    uint32_t *values;
    size_t value_count, value_capacity;
    regex_group *groups;
    size_t group_count, group_capacity;
} regex_reader;

/* Values: a node of one set; what stands from `start` on becomes one; the last becomes the only kid of a new node. */
void regex_push_set(regex_reader *p, symbol_set set);
void regex_reduce(regex_reader *p, size_t start, regex_op op);
void regex_wrap(regex_reader *p, regex_node n);

/* What a text without flags means becomes a value. */
void regex_push_text(regex_reader *p, const char *bytes);

void regex_set_flags(regex_reader *p, regex_flags flags);

static inline bool regex_has(const regex_reader *p, const char *what) {
    size_t k = 0;
    while (what[k] && symbol_look(&p->r, k) == what[k]) k++;
    return !what[k];
}

/* An escape that is an assertion, \R or \X here: it becomes a value; false: it is none. */
bool regex_read_assertion(regex_reader *p);

/* "^" and "$", where they say something. */
void regex_push_start(regex_reader *p);
void regex_push_end(regex_reader *p);

/* What "(" opens here. The text is behind it afterwards, and flags of (?i) hold. True: a group is open, whose look and
   flags are in *g. */
bool regex_read_opening(regex_reader *p, regex_group *g);

#endif
