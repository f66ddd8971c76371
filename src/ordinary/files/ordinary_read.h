/* An ordinary model back from a GGUF file, or from a folder. Only files that temper could have written are read: of a
   GGUF file the keys of its own, in its order, and exactly the tensors that these sizes ask for. Nothing of it is
   ignored. */
#ifndef ORDINARY_FILES_READ_H
#define ORDINARY_FILES_READ_H

#include "ordinary/files/gguf_file.h"
#include "ordinary/files/ordinary_model.h"
#include "model/tensor_file.h"

struct ordinary_file {
    struct ordinary_model *model;
    const char *name; /* the beginning of the specification; "" from a folder */
    bool as_f16;
};

/* In arena a. Raises TEMPER_FORMAT. */
void ordinary_read(struct ordinary_file *out, const gguf_file *f, arena *a);

/* The same from a Hugging Face folder: config.json, tokenizer.json and model.safetensors. */
typedef struct ordinary_texts {
    const char *config, *tokenizer;
    size_t config_length, tokenizer_length;
} ordinary_texts;
/* What the two texts say, without weights. */
struct ordinary_model *ordinary_read_texts(const ordinary_texts *texts, arena *a);
void ordinary_read_folder(struct ordinary_file *out, const ordinary_texts *texts, const tensor_file *f, arena *a);

/* A size beyond this is no model of ours, and products of three such sizes fit into 64 bits. */
enum { ORDINARY_SIZE_LIMIT = 1 << 20 };

/* Room for all weights of a model with these sizes, from a file of so many bytes; it has two or more for each. */
void ordinary_allocate(struct ordinary_model *m, uint64_t bytes, bool has_factors, arena *a);

#endif
