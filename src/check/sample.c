#include "check/sample.h"

#include "base/random.h"

/* Streams that overlap are as unlikely as two of 2^64 random places in the counter's period that are near. */
void sample_start_block(sample *s, uint64_t seed, uint64_t block) { s->state = seed ^ random_mix(random_mix(block)); }

uint64_t sample_bits(sample *s) { return random_next(&s->state); }

uint64_t sample_below(sample *s, uint64_t limit) {
    uint64_t excess = (UINT64_MAX % limit + 1) % limit, bits; /* 2^64 mod limit */
    do bits = sample_bits(s);
    while (bits > UINT64_MAX - excess);
    return bits % limit;
}

static uint32_t letter(sample *s, uint32_t alphabet) { return (uint32_t)sample_below(s, alphabet); }

static size_t choose_length(sample *s, size_t shortest, size_t longest) {
    uint64_t span = longest - shortest;
    uint64_t near = span < 8 ? span : 8;
    switch (sample_below(s, 5)) {
    case 0: return shortest + (size_t)sample_below(s, near + 1);
    case 1: return longest - (size_t)sample_below(s, near + 1);
    case 2: return longest;
    case 3: { /* every order of magnitude equally often */
        unsigned bits = 0;
        while (bits < 63 && span >> bits) bits++;
        uint64_t top = (uint64_t)1 << sample_below(s, bits + 1);
        return shortest + (size_t)sample_below(s, top < span ? top : span + 1);
    }
    default: return span == UINT64_MAX ? longest : shortest + (size_t)sample_below(s, span + 1);
    }
}

/* A letter somewhere: first the place, then the letter, since C leaves the order of an assignment's sides open. */
static void put_letter(uint32_t *w, sample *s, size_t n, uint32_t alphabet) {
    size_t at = (size_t)sample_below(s, n);
    w[at] = letter(s, alphabet);
}

static void fill_uniform(uint32_t *w, sample *s, size_t n, uint32_t alphabet) {
    for (size_t k = 0; k < n; k++) w[k] = letter(s, alphabet);
}

static void fill_runs(uint32_t *w, sample *s, size_t n, uint32_t alphabet) {
    uint64_t mean = 2 + sample_below(s, n / 2 + 2);
    uint32_t now = letter(s, alphabet);
    for (size_t k = 0; k < n; k++) {
        if (sample_below(s, mean) == 0) now = letter(s, alphabet);
        w[k] = now;
    }
}

/* One letter nearly everywhere, `odd` others. */
static void fill_sparse(uint32_t *w, sample *s, size_t n, uint32_t alphabet, uint64_t odd) {
    uint32_t ground = letter(s, alphabet);
    for (size_t k = 0; k < n; k++) w[k] = ground;
    while (odd--) put_letter(w, s, n, alphabet);
}

/* Two or three letters of a large alphabet. */
static void fill_few(uint32_t *w, sample *s, size_t n, uint32_t alphabet) {
    uint32_t few[3];
    for (size_t k = 0; k < 3; k++) few[k] = letter(s, alphabet);
    for (size_t k = 0; k < n; k++) w[k] = few[sample_below(s, 3)];
}

/* A short word again and again, with at most two faults. */
static void fill_periodic(uint32_t *w, sample *s, size_t n, uint32_t alphabet) {
    size_t period = 1 + (size_t)sample_below(s, 6);
    for (size_t k = 0; k < n; k++) w[k] = k < period ? letter(s, alphabet) : w[k - period];
    for (uint64_t faults = sample_below(s, 3); faults > 0; faults--) put_letter(w, s, n, alphabet);
}

size_t sample_string(uint32_t *letters, sample *s, size_t shortest, size_t longest, uint32_t alphabet) {
    size_t n = choose_length(s, shortest, longest);
    if (n == 0) return 0;
    switch (sample_below(s, 6)) {
    case 0: fill_runs(letters, s, n, alphabet); break;
    case 1: fill_sparse(letters, s, n, alphabet, 1 + n / 16); break;
    case 2: fill_sparse(letters, s, n, alphabet, sample_below(s, 3)); break;
    case 3: fill_few(letters, s, n, alphabet); break;
    case 4: fill_periodic(letters, s, n, alphabet); break;
    default: fill_uniform(letters, s, n, alphabet); break;
    }
    return n;
}
