/* A hard model as forms: what each of its outputs is (doc/ordinary.md, "The same function"). It goes by choices,
   masks, weights and features, not by the roles that the model names. */
#ifndef ORDINARY_PROOF_TERM_HARD_H
#define ORDINARY_PROOF_TERM_HARD_H

#include "model/model.h"
#include "ordinary/proof/term.h"

/* reads[outputs]. NULL, or why the model has no such forms; layer and head, from 1, say where, 0: nowhere. */
const char *ideal_from_model(ideals *x, ideal_form *reads, const temper_model *m, bool mirrored, size_t *layer,
                             size_t *head);

#endif
