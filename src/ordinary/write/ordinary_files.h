/* The text files of an ordinary folder: what each is made from. ordinary_folder.c writes them. */
#ifndef ORDINARY_WRITE_FILES_H
#define ORDINARY_WRITE_FILES_H

#include "model/model.h"
#include "ordinary/files/ordinary_texts.h"
#include "ordinary/proof/ordinary_proof.h"

/* The ordinary transformer of a specification, what it was made of, and what is proved of it. */
typedef struct ordinary_made {
    const struct ordinary_model *model;
    const temper_model *hard;
    const char *name; /* general.name of the GGUF file */
    temper_ordinary_options options;
    ordinary_proof proof;
    temper_ordinary_info info;
} ordinary_made;

/* The folder, file by file. Everything that can be refused is made in memory before the folder is touched. */
void ordinary_folder_write(entry *e, const char *folder, const ordinary_made *made);

/* How to sample from it. */
void ordinary_generation_print(text *out, const struct ordinary_model *m);

/* model.safetensors under Hugging Face's names. */
void ordinary_safetensors_print(text *out, const struct ordinary_model *m, bool as_f16);

/* onnx/model.onnx, with a cache. */
void ordinary_onnx_print(text *out, const struct ordinary_model *m, bool as_f16);

/* Strings with the hard model's answers at every prefix, one JSON object a line. Fills an example. */
typedef struct ordinary_example {
    const char *string; /* of the language, as JSON; NULL: none was met */
} ordinary_example;
void ordinary_vectors_print(text *out, ordinary_example *example, const struct ordinary_model *m,
                            const ordinary_tokens *t, const temper_model *hard, uint64_t seed);

/* README.md. */
typedef struct ordinary_readme_facts {
    const char *folder; /* its path */
    const char *source; /* the specification */
    const temper_model *hard;
    const temper_ordinary_options *options;
    const temper_ordinary_info *info;
    const ordinary_example *example;
} ordinary_readme_facts;
void ordinary_readme_print(text *out, const struct ordinary_model *m, const ordinary_tokens *t,
                           const ordinary_readme_facts *facts);

/* Modelfile, for Ollama. */
void ordinary_modelfile_print(text *out, const struct ordinary_model *m, const ordinary_tokens *t);

#endif
