/* A stock model back from a GGUF file. Only files that temper could have written are read: the keys of its own, in
   its order, and exactly the tensors that these sizes ask for. Nothing of a file is ignored. */
#ifndef MODEL_STOCK_READ_H
#define MODEL_STOCK_READ_H

#include "model/gguf_file.h"
#include "model/stock_model.h"

struct stock_file {
    struct stock_model *model;
    const char *name; /* general.name */
    bool as_f16;
};

/* In arena a. Raises TEMPER_FORMAT. */
void stock_read(struct stock_file *out, const gguf_file *f, arena *a);

#endif
