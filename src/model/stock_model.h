/* An ordinary decoder-only transformer: what a GPT-2 or a Llama file holds. src/stock makes it of a hard model,
   src/export writes it. */
#ifndef MODEL_STOCK_MODEL_H
#define MODEL_STOCK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stock_architecture { STOCK_GPT2, STOCK_LLAMA };

/* Matrices are f32, row-major, [outputs][inputs]. Queries and keys of a Llama are in the order of halves: pair k of a
   head is (k, k + head_size/2). */
struct stock_layer {
    float *attention_gain; /* [width] */
    float *query;          /* [heads * head_size][width] */
    float *key;            /* [heads * head_size][width] */
    float *value;          /* [heads * head_size][width] */
    float *mix;            /* [width][heads * head_size] */
    float *net_gain;       /* [width] */
    float *gate;           /* [hidden][width]; NULL in a GPT-2 */
    float *up;             /* [hidden][width] */
    float *down;           /* [width][hidden] */
};

/* No part has a bias: where the file format asks for one it is 0. */
struct stock_model {
    enum stock_architecture architecture;
    uint32_t positions; /* the longest string, and one for the start */
    uint32_t width, heads, head_size, hidden, layer_count;
    /* 0 <s>, 1 </s>, letters from 2 in the alphabet's order (or output letters after them), <dead> last */
    uint32_t vocabulary;
    double epsilon;
    double rope_base;          /* of a Llama */
    float *rope_factors;       /* [head_size / 2], divisors of the frequencies; NULL: none */
    float *token_embedding;    /* [vocabulary][width] */
    float *position_embedding; /* [positions][width]; NULL in a Llama */
    struct stock_layer *layers;
    float *final_gain;         /* [width] */
    float *output;             /* [vocabulary][width] */
    const char *const *tokens; /* [vocabulary]; UTF-8, as a user writes them */
    uint32_t letters;          /* of the tokens; what follows them is only written */
    bool words;                /* blanks separate the letters of a string */
    bool mirrored;             /* the string is to be fed from right to left */
};

#endif
