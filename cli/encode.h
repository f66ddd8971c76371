/* Letters of a line of text, and what to say where one of them is not in the alphabet. */
#ifndef CLI_ENCODE_H
#define CLI_ENCODE_H

#include "lines.h"

/* "the letters are a b c", cut where it would be long. Pass the spec or the model. */
void alphabet_hint(char out[240], const temper_spec *spec, const temper_model *model);

/* The letters of a line, freed with temper_free, or a message naming the unknown one and what to do. Pass the spec or
   the model. */
bool subject_encode(uint32_t **letters, size_t *n, temper_error *err, session *s, const temper_spec *spec,
                    const temper_model *model, const line *l);

/* With --other the model reads unknown letters as that one; false after a message. */
bool other_model(temper_model **model, session *s);

/* An alphabet of one letter that nobody asked for is worth a word. */
void note_one_letter(session *s, const temper_spec *spec);

#endif
