/* SHA-256 (FIPS 180-4): names what a result belongs to, so that results are never mixed up. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_HEX = 2 * SHA256_SIZE };

typedef struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes added */
    unsigned char block[64];
} sha256;

void sha256_start(sha256 *h);
void sha256_add(sha256 *h, const void *bytes, size_t length);
void sha256_finish(unsigned char out[SHA256_SIZE], sha256 *h);

/* The digest as 64 lower-case digits and a NUL. */
void sha256_hex(char out[SHA256_HEX + 1], const unsigned char digest[SHA256_SIZE]);

#endif
