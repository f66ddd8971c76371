/* Known hard-attention transformers: what an entry is, and the sketches they are written in.

   A sketch is the text form of a model (doc/model.md) with three conveniences:

     - channels have names: `channel depth "how many are open"` takes the next number; rows then say `depth`, `-depth`
       or
       `depth:0.5`, in any order;
     - the label may be left out, and is then the name;
     - `step B x y:-1 -> z` stands for the two units of a ramp over s = B + x - y, which adds to z exactly 0 where s
       <= 1/4 and
       exactly 1 where s >= 3/4: a Boolean gate that also rounds.

   Everything else is copied. */
#ifndef GALLERY_GALLERY_H
#define GALLERY_GALLERY_H

#include "base/text.h"
#include "model/model.h"

/* The answer for w[0..n), letters numbered in the order of the sketch's alphabet. `a` is for scratch. */
typedef bool gallery_oracle(const uint32_t *w, size_t n, arena *a);

typedef struct gallery_entry {
    temper_gallery_info about;
    const char *sketch; /* NULL: `write` makes it */
    void (*write)(text *sketch);
    gallery_oracle *oracle;
    bool
        /* at every position the model answers for the string up to there, so that the formula is its source */
        prefixes;
} gallery_entry;

typedef struct gallery_family {
    const gallery_entry *entries;
    size_t count;
} gallery_family;

extern const gallery_family gallery_unique;   /* unique-hard attention */
extern const gallery_family gallery_brackets; /* Dyck languages */
extern const gallery_family gallery_counting; /* averages */

/* The model text of a sketch. A wrong sketch raises TEMPER_FORMAT: it is a mistake in our own source. */
void gallery_expand(text *out, const char *sketch, arena *a);

/* ---- sketches share these lines ---- */

/* 1 everywhere; and what compares and finds: see GALLERY_COMPARE and GALLERY_LAST. */
#define GALLERY_ONE   "channel one \"one\" position \"1\"\n"
#define GALLERY_START "channel start \"the start sentinel\"\n"
#define GALLERY_COMPARING                                                                                            \
    "channel initial \"the first letter\" position \"[i = 1]\"\n"                                                    \
    "channel late \"after the first letter\" position \"[2 <= i]\"\n"
#define GALLERY_LATER "channel later \"prefers later positions, by less than 1/2\" position \"i/(2*N)\"\n"

/* out = 1 iff y < 0, where y is the channel `sum`, at least -1: the start sentinel scores y, the first letter 0, and
   all others -1. Position 0 sees only itself: 0. Where y is never 0 the choice is single, and as far from the others
   as y is from 0; where it can be 0 the choice must be leftmost. */
#define GALLERY_COMPARE_BY(choice, label, sum, out)                                                                  \
    "head \"" label "\" mask j<=i choice " choice "\n"                                                               \
    "query " sum "\n"                                                                                                \
    "query one\n"                                                                                                    \
    "key start\n"                                                                                                    \
    "key -late\n"                                                                                                    \
    "value initial\n"                                                                                                \
    "output " out "\n"
#define GALLERY_COMPARE(label, sum, out) GALLERY_COMPARE_BY("average", label, sum, out)

/* out = the value of `what` at the last position where it is not 0, or 0: a choice that is always single. */
#define GALLERY_LAST(label, what, out)                                                                               \
    "head \"" label "\" mask j<=i choice average\n"                                                                  \
    "query one\n"                                                                                                    \
    "key " what " later\n"                                                                                           \
    "value " what "\n"                                                                                               \
    "output " out "\n"

/* ---- gallery_oracle.c: the languages themselves, written without a thought of transformers ---- */

gallery_oracle oracle_first, oracle_leftmost, oracle_rightmost, oracle_second_half, oracle_flip_flop,
    oracle_induction, oracle_retrieve, oracle_palindrome, oracle_copy, oracle_dyck_1, oracle_dyck_1_depth_2,
    oracle_dyck_1_depth_3, oracle_dyck_1_depth_4, oracle_dyck_2, oracle_dyck_2_depth_3, oracle_shuffle_dyck,
    oracle_parity, oracle_majority, oracle_exact_half, oracle_anbncn, oracle_sorted_copy, oracle_two_averages,
    oracle_tied, oracle_best_prefix;

#endif
