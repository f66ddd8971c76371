/* The digits method: positions written in digits that a short number format holds exactly (doc/theory.md, "Digits").
   What soften builds and the stepper recognises is described here once.

   Let p be the significand bits of the storage format, B = 2^p, h = floor(N/2) and d = j - h, so |d| <= N/2. The
   digits of d carry its sign: d = sum_b e_b B^b with |e_b| < B for all but the highest, which is not reduced. A head
   that chooses the nearest candidate has logits

       +-8 d_j - ceil2(16 N) (1 - c_j)

   in which every stored number is a digit, a power of two, or a digit times a power of two. */
#ifndef MODEL_DIGITS_H
#define MODEL_DIGITS_H

#include "base/text.h"
#include "number/number_type.h"

typedef struct digit_format {
    temper_type type; /* numbers are stored and summed in it; its name is the format's */
    int count;        /* digits */
    int query_most;   /* the largest power of two in a query's weights; what is left of 8 B^b goes to the key */
    int bonus;        /* ceil2(16 N) = (query) ceil2(16 N)/2^bonus times (key) 2^bonus */
    double size;      /* the largest N with exact logits, if sums have at least 24 bits */
} digit_format;

/* The formats in the order of their names in files and on the command line; NULL after the last. */
const digit_format *digit_format_at(size_t k);

/* By the storage format of a type; NULL if there are no digits for it. */
const digit_format *digit_format_of(temper_type type);

const number_format *digit_storage(const digit_format *f);

/* 8 B^b is 2^query in the query times 2^key in the key. */
int digit_query_power(const digit_format *f, int b);
int digit_key_power(const digit_format *f, int b);

/* The position features as text, as expression_print prints them. */
const char *digit_text(const digit_format *f, int b, arena *a);
const char *digit_bonus_text(const digit_format *f, arena *a);

/* What a once head's candidates score: ln N + 8, rounded up to a multiple of 4, which every format holds up to 32. */
#define DIGITS_ONCE "-4*floor(-(ln(N) + 8)/4)"

#endif
