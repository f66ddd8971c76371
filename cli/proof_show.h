/* How commands say what is proved: always the same words, `proved length` in text and `proved_length` in JSON. */
#ifndef CLI_PROOF_SHOW_H
#define CLI_PROOF_SHOW_H

#include "json.h"
#include "session.h"
#include "temper.h"

/* The proof of a model as it is, with --hard or of method hard that of its hard choices; false after a message. */
bool proof_find(temper_proof *out, session *s, const temper_model *model, temper_type type);

/* "key": {"type": "f64", "length": 1048575, "claim": "formula"}; the length is null where the claim is "none". */
void proof_json(json *j, const char *key, const temper_proof *p, temper_type type);
/* Its members, for an object that has more. */
void proof_json_members(json *j, const temper_proof *p, temper_type type);

/* A proved length; 2^40 for the longest that bounds are stated for. Returns a constant or `out`. */
const char *proof_length(char out[24], size_t length);

/* "proved length 1048575 in f32 (formula)" or "no proved length in f32". */
void proof_print(const temper_proof *p, temper_type type);

/* The answer is no, with a warning that names the row, if it is proved for fewer letters than --min-length asks. */
void proof_need(session *s, size_t proved, const char *row);

#endif
