/* An ordinary decoder-only transformer: what a GPT-2 or a Llama file holds. src/ordinary/lower makes it of a hard
   model, src/ordinary/write writes it. */
#ifndef ORDINARY_FILES_MODEL_H
#define ORDINARY_FILES_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stock_architecture { STOCK_GPT2, STOCK_LLAMA };

/* Tokens. */
enum {
    STOCK_START,       /* <s> */
    STOCK_END,         /* </s> */
    STOCK_FIRST_LETTER /* letters follow, then output letters that are no letters, then <dead> */
};

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

typedef enum stock_role {
    STOCK_ONCE,      /* the largest key: the mean of the values where the key, 0 or 1, is 1 */
    STOCK_MEAN,      /* the mean of the values */
    STOCK_WEIGHED,   /* the mean of the values, where the start sentinel weighs 2^weight */
    STOCK_COMPARE,   /* is the query positive: the start sentinel against all others */
    STOCK_NEAREST,   /* the last (or first) key that is 1 */
    STOCK_YESTERDAY, /* the position before */
    STOCK_MATCH,     /* the last (or first) key with the largest score */
    STOCK_LOOKUP,    /* the position whose number is query 0 divided by query 1 */
    STOCK_WAVE       /* is a wave of the position positive: the start sentinel against all others */
} stock_role;

/* What the lowering meant a head to be. A hint for the prover, not in the weight files. */
struct stock_hint {
    uint32_t layer, slot; /* from 0 */
    stock_role role;
    const char *label;              /* of the hard model's head */
    uint32_t hard_layer, hard_head; /* from 1; 0: the head is no head of the hard model */
    bool last;                      /* nearest, match: the last position with the largest score, else the first */
    uint32_t *dimensions;           /* [rows] of the products of content, then of digits of the position */
    uint32_t content, rows;
    double query, key; /* nearest, match: a product of content is this query times this key times what it means */
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
    uint32_t other;            /* the token that text which is no letter is read as; 0: <dead> */
    bool mirrored;             /* the string is to be fed from right to left */
    bool digits;               /* of a Llama: positions by binary digits */
    uint32_t balances;         /* of a GPT-2: columns that keep the mean at 0, from column 3 on */
    struct stock_hint *hints;  /* [hint_count]; none in a model that was read from a file */
    size_t hint_count;
};

#endif
