/* What a model is, beside the source that it carries with formulas in place of its regular languages. The formulas
   come from the compiler, or are read off the weights; that each is its language is decided here, and the certificate
   carries the tables that show it (doc/certificate.md, "Regular languages"). */
#ifndef BOUND_LANGUAGE_PROOF_H
#define BOUND_LANGUAGE_PROOF_H

#include "bound/next_proof.h"
#include "bound/score_proof.h"

typedef struct language_proof {
    const char *language; /* as the source writes it */
    size_t length;
    const char *formula; /* in the syntax of specifications */
    language_rows rows;
} language_proof;

/* Of the languages that the source's answer depends on, in the order in which it first names them. */
typedef struct language_proofs {
    language_proof *all;
    size_t count;
} language_proofs;

typedef struct source_recognition {
    recognition *recognition;
    bool is_formula;            /* it computes the source that it carries */
    const char *why;            /* if it is recognised and does not: a clause */
    language_proofs languages;  /* if it does, and is no language model */
    output_proof *outputs;      /* [outputs] if it does, and is a language model with an automaton; else NULL */
    bool viable;                /* it does, if what its source calls viable is what can be completed */
    const score_proofs *scores; /* if it does, and has logits; else NULL */
} source_recognition;

/* As recognise(). */
source_recognition recognise_source(const temper_model *m, bool hard, arena *a);

static inline temper_claim source_claim(source_recognition x) {
    return x.viable ? TEMPER_CLAIM_VIABLE : x.is_formula ? TEMPER_CLAIM_FORMULA : TEMPER_CLAIM_CHOICES;
}

#endif
