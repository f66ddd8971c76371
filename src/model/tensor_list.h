/* Which tensors a model of given sizes has, in which order and shape: what the reader and the writer of safetensors
   share.

       embed.W_E         [letters + 2, d_model]         blocks.L.mlp.W_in   [d_model, d_mlp]
       blocks.L.attn.W_Q [head, d_model, d_head]        blocks.L.mlp.b_in   [d_mlp]
       blocks.L.attn.W_K [head, d_model, d_head]        blocks.L.mlp.W_out  [d_mlp, d_model]
       blocks.L.attn.W_V [head, d_model, d_head]        unembed.W_U         [d_model, outputs]
       blocks.L.attn.W_O [head, d_head, d_model]        unembed.W_logits    [d_model, outputs], of models with logits

   L counts from 0. d_model is the number of channels, d_head the most rows that a query or value of the model has;
   smaller heads are padded with zeros. A layer without heads has no attn tensors, one without units no mlp
   tensors. */
#ifndef MODEL_TENSOR_LIST_H
#define MODEL_TENSOR_LIST_H

#include "model/model.h"
#include "model/tensor_file.h"

typedef enum weight_kind {
    WEIGHT_EMBED,
    WEIGHT_QUERY,
    WEIGHT_KEY,
    WEIGHT_VALUE,
    WEIGHT_OUTPUT,
    WEIGHT_IN,
    WEIGHT_BIAS,
    WEIGHT_OUT,
    WEIGHT_READ,
    WEIGHT_LOGITS
} weight_kind;

typedef struct weight_tensor {
    weight_kind kind;
    uint32_t layer;   /* from 0 */
    uint32_t blocks;  /* matrices: the heads, else 1 */
    uint32_t rows;    /* of each block, padding included */
    uint32_t columns; /* channels; 1 for a bias */
    bool transposed;  /* the tensor's last dimension is the row */
} weight_tensor;

typedef struct weight_list {
    size_t count;
    weight_tensor *weights;
    tensor_plan *plans; /* the same tensors' names and shapes */
} weight_list;

/* d_head. */
uint32_t model_head_size(const temper_model *m);

/* From the numbers of rows, channels, heads and units; matrices may still be without weights. */
weight_list weight_list_make(const temper_model *m, arena *a);

/* The matrix of block `block`; for a bias NULL. */
model_rows *weight_matrix(temper_model *m, const weight_tensor *w, uint32_t block);

/* FNV-1a, 64 bits, continued; it starts from DIGEST_START. A tensor's bytes are those of the file. */
#define DIGEST_START 0xcbf29ce484222325u
uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t length);

#endif
