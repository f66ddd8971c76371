/* An ordinary decoder-only transformer: what a GPT-2 or a Llama file holds. src/ordinary/lower makes it of a hard
   model, src/ordinary/write writes it. */
#ifndef ORDINARY_FILES_MODEL_H
#define ORDINARY_FILES_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ordinary_architecture { ORDINARY_GPT2, ORDINARY_LLAMA };

/* Tokens. What is not legal has a logit of -LEGAL, <dead> has -UNKNOWN. After <dead> all logits but its own are
   lower by DIED; kernels in f16 may have an eighth of that. */
enum {
    ORDINARY_BOS,    /* <s> */
    ORDINARY_EOS,    /* </s> */
    ORDINARY_LETTERS /* letters follow, then output letters that are no letters, then <dead> */
};
#define ORDINARY_LEGAL   256.0
#define ORDINARY_UNKNOWN 128.0
#define ORDINARY_DIED    4096.0

/* Matrices are f32, row-major, [outputs][inputs]. Queries and keys of a Llama are in the order of halves: pair k of a
   head is (k, k + head_size/2). */
struct ordinary_layer {
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

typedef enum ordinary_role {
    ORDINARY_ONCE,      /* the largest key: the mean of the values where the key, 0 or 1, is 1 */
    ORDINARY_MEAN,      /* the mean of the values */
    ORDINARY_WEIGHED,   /* the mean of the values, where the start sentinel weighs 2^weight */
    ORDINARY_COMPARE,   /* is the query positive: the start sentinel against all others */
    ORDINARY_NEAREST,   /* the last (or first) key that is 1 */
    ORDINARY_YESTERDAY, /* the position before */
    ORDINARY_MATCH,     /* the last (or first) key with the largest score */
    ORDINARY_LOOKUP,    /* the position whose number is query 0 divided by query 1 */
    ORDINARY_WAVE       /* is a wave of the position positive: the start sentinel against all others */
} ordinary_role;

/* What the lowering meant a head to be. A hint for the prover, not in the weight files. */
struct ordinary_hint {
    uint32_t layer, slot; /* from 0 */
    ordinary_role role;
    const char *label;              /* of the hard model's head */
    uint32_t hard_layer, hard_head; /* from 1; 0: the head is no head of the hard model */
    bool last;                      /* nearest, match: the last position with the largest score, else the first */
    uint32_t *dimensions;           /* [rows] of the products of content, then of digits of the position */
    uint32_t content, rows;
    double query, key; /* nearest, match: a product of content is this query times this key times what it means */
};

/* No part has a bias: where the file format asks for one it is 0. */
struct ordinary_model {
    enum ordinary_architecture architecture;
    uint32_t positions; /* the longest string, and one for the start */
    uint32_t width, heads, head_size, hidden, layer_count;
    /* 0 <s>, 1 </s>, letters from 2 in the alphabet's order (or output letters after them), <dead> last */
    uint32_t vocabulary;
    double epsilon;
    double rope_base;          /* of a Llama */
    float *rope_factors;       /* [head_size / 2], divisors of the frequencies; NULL: none */
    float *token_embedding;    /* [vocabulary][width] */
    float *position_embedding; /* [positions][width]; NULL in a Llama */
    struct ordinary_layer *layers;
    float *final_gain;           /* [width] */
    float *output;               /* [vocabulary][width] */
    const char *const *tokens;   /* [vocabulary]; UTF-8, as a user writes them */
    uint32_t letters;            /* of the tokens; what follows them is only written */
    bool words;                  /* blanks separate the letters of a string */
    uint32_t other;              /* the token that text which is no letter is read as; 0: <dead> */
    bool mirrored;               /* the string is to be fed from right to left */
    bool digits;                 /* of a Llama: positions by binary digits */
    uint32_t zero_sums;          /* of a GPT-2: columns that keep the mean at 0, from column 3 on */
    struct ordinary_hint *hints; /* [hint_count]; none in a model that was read from a file */
    size_t hint_count;
};

#endif
