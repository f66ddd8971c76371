/* The answer lines of eval and run. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "lines.h"

typedef struct answer {
    const char *error; /* not NULL: there is no answer, and why */
    bool accept;
    temper_claim claim;         /* of a run; TEMPER_CLAIM_NONE: unproved */
    const unsigned char *truth; /* one 0/1 per position, or NULL */
    size_t n;
    const char *written; /* by a transducer; NULL: the answer is a verdict */
    size_t written_length;
    const char *const *texts; /* [n] what it writes at each position, or NULL */
} answer;

/* Prints the line of a string, or with -q only notes a rejection. False if standard output is broken. */
bool answer_print(session *s, const line *l, const answer *a);

#endif
