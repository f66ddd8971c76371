/* What may come next, as a line of text or as JSON. */
#ifndef CLI_NEXT_ANSWER_H
#define CLI_NEXT_ANSWER_H

#include "json.h"
#include "session.h"

typedef struct next_answer {
    const temper_model *model;
    int (*holds)(const void *from, size_t output);    /* whether an output holds here */
    double (*logit)(const void *from, size_t output); /* the number beside it; NaN: none */
    const void *from;
    temper_claim claim; /* TEMPER_CLAIM_NONE: unproved */
    double logit_error; /* temper_model_logit_error */
} next_answer;

/* Whether anything may come, or the string may end. */
bool next_is_alive(const next_answer *a);

/* "a b $": letters, then $ for the end; a dash for nothing. Letters that could be taken for something else are
   quoted. With probabilities "a:0.5 b:0.25 $:0.25", and a note if letters are proved and probabilities are not. */
void next_print(const next_answer *a);

/* "legal": [...], "end": ..., "proved": ..., "claim": ..., and with probabilities "probabilities": {"a": 0.5, ...},
   "end_probability", and "logit_error": how far the logarithm of each is from what the source says. */
void next_json(json *j, const next_answer *a);

#endif
