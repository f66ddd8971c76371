#include "base/sha256.h"

#include <stdatomic.h>
#include <string.h>

#include "base/sha256_blocks.h"

const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void sha256_start(sha256 *h) {
    /* the same of the square roots of the first 8 primes */
    static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(h->state, initial, sizeof initial);
    h->length = 0;
}

static uint32_t turn(uint32_t x, int bits) { return x >> bits | x << (32 - bits); }

static void take_block(uint32_t state[8], const unsigned char *p) {
    uint32_t w[64];
    for (int k = 0; k < 16; k++, p += 4)
        w[k] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int k = 16; k < 64; k++) {
        uint32_t x = w[k - 15], y = w[k - 2];
        w[k] = w[k - 16] + w[k - 7] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int k = 0; k < 64; k++) {
        uint32_t t1 =
            h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + sha256_constants[k] + w[k];
        uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void sha256_blocks_plain(uint32_t state[8], const unsigned char *p, size_t count) {
    for (; count > 0; count--, p += 64) take_block(state, p);
}

/* Asking the processor takes longer than a block, so it is asked once. */
static void take_blocks(uint32_t state[8], const unsigned char *p, size_t count) {
    static _Atomic(sha256_blocks *) known;
    sha256_blocks *way = atomic_load_explicit(&known, memory_order_relaxed);
    if (!way) {
        way = sha256_blocks_fast();
        if (!way) way = sha256_blocks_plain;
        atomic_store_explicit(&known, way, memory_order_relaxed);
    }
    way(state, p, count);
}

void sha256_add(sha256 *h, const void *bytes, size_t length) {
    const unsigned char *p = bytes;
    size_t used = h->length % 64;
    h->length += length;
    while (length) {
        if (used == 0 && length >= 64) {
            take_blocks(h->state, p, length / 64);
            p += length / 64 * 64;
            length %= 64;
            continue;
        }
        size_t part = 64 - used < length ? 64 - used : length;
        memcpy(h->block + used, p, part);
        used += part;
        p += part;
        length -= part;
        if (used == 64) {
            take_blocks(h->state, h->block, 1);
            used = 0;
        }
    }
}

void sha256_finish(unsigned char out[SHA256_SIZE], sha256 *h) {
    static const unsigned char padding[64] = {0x80};
    uint64_t bits = h->length * 8;
    unsigned char size[8];
    for (int k = 0; k < 8; k++) size[k] = (unsigned char)(bits >> (56 - 8 * k));
    sha256_add(h, padding, 1 + (119 - h->length % 64) % 64); /* up to 8 bytes before the end of a block */
    sha256_add(h, size, sizeof size);
    for (int k = 0; k < SHA256_SIZE; k++) out[k] = (unsigned char)(h->state[k / 4] >> (24 - 8 * (k % 4)));
}

void sha256_hex(char out[SHA256_HEX + 1], const unsigned char digest[SHA256_SIZE]) {
    for (int k = 0; k < SHA256_SIZE; k++) {
        out[2 * k] = "0123456789abcdef"[digest[k] >> 4];
        out[2 * k + 1] = "0123456789abcdef"[digest[k] & 15];
    }
    out[SHA256_HEX] = 0;
}
