/* Whether a language model's outputs are what comes next in the language that it carries, and the tables that show it
   (doc/certificate.md, "Language models"). The formulas are read off the weights. */
#ifndef BOUND_NEXT_PROOF_H
#define BOUND_NEXT_PROOF_H

#include "decide/language_table.h"
#include "recognise/recognise.h"

typedef struct output_proof {
    const char *formula; /* what the weights compute, in the syntax of specifications */
    language_rows rows;
} output_proof;

/* [outputs]; NULL: it was not shown, and *why is a clause. spec is the model's source. */
output_proof *next_proofs(const temper_model *m, const temper_spec *spec, recognition *r, const char **why, arena *a);

/* Whether the operators of a formula say what they will be after one more letter: "Language models". */
bool has_progression(const formula *f, node_id root, arena *a);

/* A formula of a certificate as whoever reads it reads it; NULL: it cannot be read. Lives in a. */
const temper_spec *read_formula_text(const temper_model *m, const char *formula_text, arena *a);

#endif
