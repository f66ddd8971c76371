/* What a certificate of a model without Boolean channels states about the model with its hard choices
   (doc/certificate.md, "Facts about the hard model"): ranges and grids over all lengths together, gaps and margins
   length by length. */
#ifndef BOUND_CHOICE_FACTS_H
#define BOUND_CHOICE_FACTS_H

#include <math.h>

#include "bound/certification.h"
#include "bound/choice_embedding.h"
#include "facts/facts.h"

enum {
    FACTS_STRINGS = 4096, /* of at most so many all may be run */
    FACTS_LONGEST = 1 << 14
};

typedef struct hard_facts {
    subject_model s;
    size_t length;
    bool strings;                       /* every string was run; else sets of values */
    facts *all;                         /* ranges, grids, distances and ties over all lengths */
    uint32_t *head_start;               /* [layers + 1] */
    double **gap;                       /* [heads][length + 1] */
    double *margin, *margin_everywhere; /* [length + 1] */
} hard_facts;

/* Empty facts about lengths up to `length`, in `keep`, before those of single lengths are added. Raises
   TEMPER_UNSUPPORTED or TEMPER_LIMIT, through the trap of the arena, where there are none to be had. */
void hard_facts_begin(hard_facts *f, const temper_model *m, size_t length, arena *keep);
void hard_facts_add(hard_facts *f, const facts *of_length);

/* About how many steps it takes to find the facts by sets and to go through the errors of all lengths, some 400 ns
   each: as many as short lengths took, growing on as they grew there. And the longest length for which they are at
   most so many. Lengths beyond a second are looked at only for somebody who asks for one. What is found on the way is
   kept with c. */
#define FACTS_SECOND 0x1p21
#define FACTS_MINUTE 0x1p27
double hard_facts_cost(certification *c, size_t length);
size_t hard_facts_reach(certification *c, double steps);

/* A length whose facts take so little that nobody asks what they cost. */
size_t hard_facts_easy(const temper_model *m);

/* Whether all strings up to the length may be run. */
bool hard_facts_by_strings(const temper_model *m, size_t length);

/* Facts for all strings of at most c->options.length letters; `scratch` is work. Raises as above. They are kept with
   c, length by length: a second try at another length finds them again. */
void hard_facts_find(hard_facts *f, certification *c, bool strings, arena *keep, arena *scratch);

/* Errors of the embedding, kept likewise. */
embedding_run *hard_facts_embedding(certification *c, trap *t);

static inline double known_size(const known *k) { return k->lo <= k->hi ? fmax(fabs(k->lo), fabs(k->hi)) : 0; }
double known_width(const known *k);

#endif
