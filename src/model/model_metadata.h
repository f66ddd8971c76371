/* What a model holds beside its weights, as JSON: the key "temper" of a safetensors file's __metadata__. doc/model.md
   lists the fields; they are those of the text form. */
#ifndef MODEL_MODEL_METADATA_H
#define MODEL_MODEL_METADATA_H

#include "model/model.h"
#include "model/tensor_file.h"

/* Loading takes at most twice the size of the file and a constant: what is about to be allocated is counted first. */
typedef struct memory_budget {
    uint64_t spent, most;
    trap *trap;
} memory_budget;

/* A node of an expression and its share of the printed text; every node has at least one character. */
enum { METADATA_NODE_BYTES = 64 };

void budget_spend(memory_budget *b, uint64_t count, uint64_t size); /* raises TEMPER_LIMIT */

void metadata_print(text *out, const temper_model *m);

/* Fills everything but the weights, whose matrices get their number of rows. Raises with the field and the byte of
   the file. */
void metadata_read(temper_model *m, json_reader *r, memory_budget *budget);

/* The list of letters, which is the next value; `tokens` is set. The budget may be NULL. */
void metadata_read_alphabet(alphabet *letters, json_reader *j, memory_budget *budget);

#endif
