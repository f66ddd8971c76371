/* Cases in texts that people read (tests/bad), as cmark keeps its specification: input, options and what is expected
   between fences, prose around them.

       ``` NAME words...
       the input
       .
       what is expected
       ```

   A longer fence takes an input with such lines. Words of every kind of case, others are the runner's:
       base         an input that others begin with; nothing is expected of it
       from=NAME    the lines are edits of that base, each `old => new`, whose old text stands there once
       escaped      in input or edits \n, \t, \r, \0, \\ and \xHH are what they are in C
       no-newline   the input ends before its last newline
   A case of two inputs has a line "." between them; one that is left out is the base's. */
#ifndef TESTS_CASE_FILE_H
#define TESTS_CASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { CASE_INPUTS = 2 };

typedef struct case_input {
    char *text; /* with a NUL behind it; NULL: there is none */
    size_t length;
} case_input;

typedef struct test_case {
    const char *file; /* its path, and the line of the fence */
    size_t line;
    char name[96], words[128];
    bool base;
    case_input input[CASE_INPUTS];
    char *expect;                    /* NULL for a base */
    size_t expect_at, expect_length; /* where it stands in the file */
} test_case;

typedef struct case_file {
    char *text;
    size_t length, count;
    test_case *cases;
} case_file;

/* A failed check and false: the file cannot be read, or a line of it is not understood. Freed by case_file_free. */
bool case_file_read(case_file *f, const char *path);
void case_file_free(case_file *f);

/* The value of a word NAME=value, "" of a word NAME, or NULL; in a buffer of the last call. */
const char *case_word(const test_case *c, const char *name);

/* The words of a case that are not about how its input is written, a blank between two. */
void case_other_words(char words[sizeof((test_case *)0)->words], const test_case *c);

/* Writes the file with other expectations, one for each case, where they are not NULL. */
bool case_file_update(const case_file *f, const char *path, char *const *expect);

#endif
