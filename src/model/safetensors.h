/* A model as a safetensors file: dense F64 weights under the names and shapes of TransformerLens, everything else as
   JSON in __metadata__. doc/model.md describes it. */
#ifndef MODEL_SAFETENSORS_H
#define MODEL_SAFETENSORS_H

#include "base/file_io.h"
#include "model/model.h"
#include "model/tensor_file.h"

/* Fills a new model from a file, checked and sealed. Memory: at most 2 * size + 64 MB, not counting a source in
   memory. The caller frees the model when an error is raised; the source's file must report to the same trap. */
void safetensors_read(temper_model *m, tensor_source source, arena *scratch, trap *t);

/* Raises TEMPER_LIMIT, before anything is written, if the dense weights would make the file larger than 4 GiB. Equal
   models give equal bytes. `digest` gets the file's. */
void safetensors_write(file_out *out, char digest[17], const temper_model *m, arena *scratch, trap *t);

#endif
