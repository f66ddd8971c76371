/* An emulator of ordinary transformers: plain arithmetic in f32, with the roundings of kernels where they are asked
   for. It knows nothing of where the weights come from. */
#ifndef ORDINARY_RUN_RUN_H
#define ORDINARY_RUN_RUN_H

#include "base/arena.h"
#include "ordinary/files/ordinary_model.h"

/* What kernels round beside f32 (doc/ordinary.md, "What is assumed of kernels"). */
struct ordinary_kernel {
    bool f16_weights; /* weights are f16, and what is multiplied with them is rounded to f16 */
    bool f16_cache;   /* keys and values are f16; queries and shares are rounded to f16 */
    bool fused;       /* one pass over the keys; with an f16 cache values are added up in f16 */
    bool f32_norm;    /* norms add up in f32, in 16 lanes, as in PyTorch; else in f64, as in llama.cpp */
};

typedef struct ordinary_runner ordinary_runner;

/* In arena a. */
ordinary_runner *ordinary_runner_new(arena *a, const struct ordinary_model *m, const struct ordinary_kernel *kernel);

/* logits[count][vocabulary] after each token. requires count <= positions, tokens below vocabulary; resets scratch */
void ordinary_run(float *logits, const ordinary_runner *r, const uint32_t *tokens, size_t count, arena *scratch);

#endif
