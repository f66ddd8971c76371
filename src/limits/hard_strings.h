/* Strings that are hard for a model, of any length. What is hard is learned from the model. Short words are
   repeated, and the keys and values of every head looked at. Words that look different to some head are kept;
   those come first that put keys with different values side by side. A family makes one string of every length
   from one or two of them: repeated, one key among others at some place, runs, and mixtures that are at the edge
   of being accepted, found by bisection. */
#ifndef LIMITS_HARD_STRINGS_H
#define LIMITS_HARD_STRINGS_H

#include "limits/answer_key.h"

enum { WORD_MOST = 4 };

typedef struct string_word {
    uint32_t letters[WORD_MOST];
    size_t length;
    double interest;
} string_word;

typedef enum family_kind {
    FAMILY_PERIODIC, /* one^*, from letter `phase` of the word on */
    FAMILY_BEFORE,   /* the first letter of two, then one^* */
    FAMILY_AFTER,    /* one^*, then the first letter of two */
    FAMILY_PLACE,    /* two^*, with one at phase/4 of the length */
    FAMILY_HALF,     /* two^*, in the second half one^* */
    FAMILY_RUNS,     /* runs of one and two in turn, each twice as long as the last */
    FAMILY_EDGE,     /* k letters of one^*, then two^*: k where the verdict changes, and k - phase */
    FAMILY_MIX       /* k letters of one^* spread evenly over two^*; k as before */
} family_kind;

typedef struct family {
    family_kind kind;
    uint32_t one, two, phase; /* words by number */
    bool flat;                /* EDGE, MIX: the verdict does not change with k, or near an end only */
    double promise;           /* the largest error before rounding that its last string gave */
} family;

typedef struct string_kit {
    const temper_model *m;
    answer_key *key;
    uint32_t *letters; /* one of each class of letters that the model cannot tell apart */
    size_t letter_count;
    string_word *words; /* the first letter_count are single letters; then by interest */
    size_t word_count;
    family *families;
    size_t family_count;
} string_kit;

/* All in arena a; the other two are reset and used for runs. */
string_kit *string_kit_new(const temper_model *m, answer_key *key, arena *a, arena *stream, arena *scratch);

/* The family's string of length n; sets f->flat. `truth` is room for n answers. Returns how often the answer key was
   asked. */
size_t family_fill(uint32_t *out, const string_kit *kit, family *f, size_t n, unsigned char *truth);

#endif
