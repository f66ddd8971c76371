/* SHA-256 of whole blocks, in C and by the processor's own instructions. */
#ifndef BASE_SHA256_BLOCKS_H
#define BASE_SHA256_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

typedef void sha256_blocks(uint32_t state[8], const unsigned char *p, size_t count);

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
extern const uint32_t sha256_constants[64];

sha256_blocks sha256_blocks_plain;
/* NULL where the processor has no instructions for it. */
sha256_blocks *sha256_blocks_fast(void);

#endif
