/* What a certificate says of the regular languages of a model's source, read back, and changed as a forger would. */
#ifndef TESTS_LANGUAGE_CLAIMS_H
#define TESTS_LANGUAGE_CLAIMS_H

#include "audit/audit.h"
#include "test.h"

typedef struct language_claims {
    arena memory;
    trap guard;
    language_claim *all;
    size_t count, capacity;
} language_claims;

/* The claims of the certificate that certify writes of the model, up to a short length; none if it proves nothing. */
void claims_begin(language_claims *c, const char *model, size_t size);
void claims_end(language_claims *c);

/* A copy in which a row, a sign of a row, or a piece of a formula is another one; it lives as long as the first. */
const language_claim *claims_damaged(language_claims *c, test_random *r);

#endif
