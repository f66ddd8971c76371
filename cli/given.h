/* The specification that options give: -f, -F, --regex or --dfa, and what is said of it. */
#ifndef CLI_GIVEN_H
#define CLI_GIVEN_H

#include "subject.h"

/* The options about the specification. */
temper_spec_options given_options(const session *s);

/* Reads it into x->spec; the text is kept, for messages of later stages. False after a message. */
bool given_parse(subject *x, session *s, temper_spec_options *o);

/* What a file is, by how its name ends; false: nothing that is known. */
bool syntax_of_path(temper_syntax *out, const char *path);

/* Files that the text names are relative to the folder it lies in; the text of -f lies here. */
void given_folder(temper_spec_options *o, char folder[4096], const char *path);

#endif
