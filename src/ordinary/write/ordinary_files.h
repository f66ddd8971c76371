/* The text files of a stock folder: what each is made from. ordinary_folder.c writes them. */
#ifndef ORDINARY_WRITE_FILES_H
#define ORDINARY_WRITE_FILES_H

#include "model/model.h"
#include "ordinary/files/ordinary_texts.h"
#include "ordinary/proof/ordinary_proof.h"

/* The ordinary transformer of a specification, what it was made of, and what is proved of it. Raises what the clients
   (model/letter_clients.h) cannot read. */
typedef struct stock_made {
    const struct stock_model *model;
    const temper_model *hard;
    const char *name; /* general.name of the GGUF file */
    stock_proof proof;
    temper_stock_info info;
} stock_made;
void stock_make(stock_made *out, entry *x, const temper_spec *spec, const temper_stock_options *options,
                unsigned clients);

/* How to sample from it. */
void stock_generation_print(text *out, const struct stock_model *m);

/* model.safetensors under Hugging Face's names. */
void stock_safetensors_print(text *out, const struct stock_model *m, bool as_f16);

/* onnx/model.onnx, with a cache. */
void stock_onnx_print(text *out, const struct stock_model *m, bool as_f16);

/* Strings with the hard model's answers at every prefix, one JSON object a line. Fills an example. */
typedef struct stock_example {
    const char *string; /* of the language, as JSON; NULL: none was met */
} stock_example;
void stock_vectors_print(text *out, stock_example *example, const struct stock_model *m, const stock_tokens *t,
                         const temper_model *hard, uint64_t seed);

/* README.md. */
typedef struct stock_readme_facts {
    const char *folder; /* its path */
    const char *source; /* the specification */
    const temper_model *hard;
    const temper_stock_options *options;
    const temper_stock_info *info;
    const stock_example *example;
} stock_readme_facts;
void stock_readme_print(text *out, const struct stock_model *m, const stock_tokens *t,
                        const stock_readme_facts *facts);

/* Modelfile, for Ollama. */
void stock_modelfile_print(text *out, const struct stock_model *m, const stock_tokens *t);

#endif
