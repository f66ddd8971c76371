/* What a command works on: a formula (-f, -F), a MODEL file, or the model made from a formula. */
#ifndef CLI_SUBJECT_H
#define CLI_SUBJECT_H

#include "encode.h"

typedef struct subject {
    temper_spec *spec;
    temper_model *model;
    temper_model *hard; /* the hard model that `model` was made from, if it was made here and is kept */
    size_t first;       /* the first argument after MODEL */
    const char *name;   /* of the specification's text, for messages */
    const char *source; /* that text */
    size_t length;
    char *text;   /* the same, if it was read from a file */
    char *marked; /* the same, with (?i) before it, for --ignore-case */
} subject;

/* All return false after a message. */
bool has_formula(const session *s);

/* -f or -F, or the specification a MODEL carries. */
bool subject_formula(subject *out, session *s);
/* The other specification, of --against: a file if its name ends as files of specifications or models do, else a
   formula. */
bool subject_against(subject *out, session *s);
/* MODEL, or what -f or -F compiles to: hard with --hard, else soft by --method. */
bool subject_model(subject *out, session *s);
/* The same for a language model: a text is read as if it had a line `next`, and a MODEL must be one. */
bool subject_language_model(subject *out, session *s);
/* MODEL as it is, or the hard model that -f or -F compiles to. */
bool subject_hard(subject *out, session *s);
/* MODEL, and -f or -F or else its own specification, over the model's alphabet (none: a soft model that knows its
   hard one); or only a formula, no model. */
bool subject_pair(subject *out, session *s);
void subject_free(subject *x);

/* Whether answers for whole strings are all that is wanted, so that a regular language may be read from the right.
   What other runtimes load answers at every position. */
bool subject_is_whole(const session *s);

/* x->model, of the formula by a method, in one go; keep_hard: and the hard model that it is made from, x->hard. */
bool subject_build(subject *x, session *s, temper_method method, bool keep_hard);

/* For commands that want several methods: x->hard, of the formula, and x->model of that, in place of the last one. */
bool subject_compile(subject *x, session *s);
bool subject_soften(subject *x, session *s, temper_method method);

/* What --method says. */
temper_method subject_method(const session *s);
/* What --digits says; usage error and false if it is given without --method digits. */
bool subject_digits(temper_type *out, session *s);

/* The letters as text: characters joined, or tokens with blanks between; NULL if memory is short. Freed with free. */
char *letters_text(const temper_model *model, const uint32_t *letters, size_t n);

/* Up to which length all strings are looked at unless --exhaustive says: 6, less where there are many letters, or
   classes of letters that stand for them. */
size_t exhaustive_default(size_t letters);

#endif
