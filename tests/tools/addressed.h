/* Certificates that are addressed to another model, as a forger would. */
#ifndef TESTS_ADDRESSED_H
#define TESTS_ADDRESSED_H

#include "base/sha256.h"
#include "bytes.h"

void sha256_of(char hex[SHA256_HEX + 1], const void *data, size_t length);

/* The certificate's object with SHA-256 and size, those of the model now. A failed check: it has none. */
void address_to(bytes *certificate, const bytes *model);

#endif
