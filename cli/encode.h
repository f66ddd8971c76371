/* Letters of a line of text, and what to say where one of them is not in the alphabet. */
#ifndef CLI_ENCODE_H
#define CLI_ENCODE_H

#include "lines.h"

/* "the letters are a b c", cut where it would be long. Pass the spec or the model. */
void alphabet_hint(char out[240], const temper_spec *spec, const temper_model *model);

/* Whether the alphabet has the letter. */
bool alphabet_has(const temper_spec *spec, const temper_model *model, const char *letter, size_t length);

/* The letters of a line, freed with temper_free, or a message naming the unknown one and what to do; with --other
   unknown ones are read as that letter. Pass the spec or the model. */
bool subject_encode(uint32_t **letters, size_t *n, temper_error *err, session *s, const temper_spec *spec,
                    const temper_model *model, const line *l);

/* With --other: the letter is one of the alphabet; false after a message. */
bool other_is_known(session *s, const temper_spec *spec, const temper_model *model);

/* An alphabet of one letter that nobody asked for is worth a word. */
void note_one_letter(session *s, const temper_spec *spec);

#endif
