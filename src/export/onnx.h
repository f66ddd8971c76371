/* A model as an ONNX graph. */
#ifndef EXPORT_ONNX_H
#define EXPORT_ONNX_H

#include "export/graph.h"
#include "model/model.h"

/* The bytes of a .onnx file. Raises TEMPER_LIMIT, before the weights are made dense, if they would not fit into one.
   `scratch` is another arena than the text's: it is reset for every tensor. */
void onnx_print(text *out, const temper_model *m, const temper_export_options *options, const temper_proof *proof,
                arena *scratch);

#endif
