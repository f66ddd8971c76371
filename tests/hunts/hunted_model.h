/* A model of which something was proved, attacked: it is run in the number type of the claim, with logits as they
   come and moved by one unit in the last place, on all short strings and on random longer ones. Every answer must be
   what is claimed: that of the source that the model carries, or that of its hard choices in exact arithmetic. */
#ifndef TESTS_HUNTED_MODEL_H
#define TESTS_HUNTED_MODEL_H

#include "audit/audit.h"
#include "test.h"

typedef struct target {
    const char *honest; /* the source that the honest model was made of */
    const char *text;
    size_t size;
    const temper_model *model;
    const temper_spec *spec; /* of the model; NULL: its hard choices are the claim */
    audit_request request;
    bool verdict_only;
} target;

/* Counts strings in *strings; a wrong answer is a failed check. */
void hunted_attack(const target *t, test_random *r, uint64_t *strings);

/* The certificate with the SHA-256 and the size of the target's text. Freed with free. */
char *hunted_address(const char *certificate, const target *t);

#endif
