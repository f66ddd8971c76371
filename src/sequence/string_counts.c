#include "sequence/string_counts.h"

#include "base/random.h"
#include "base/work.h"

static const double MEMORY = 1 << 30;

static rational *count_at(const string_counts *c, size_t length, uint32_t state) {
    return &c->counts[length * c->d->state_count + state];
}

void string_counts_make(string_counts *c, const dfa *d, size_t length, arena *a) {
    *c = (string_counts){.d = d, .length = length};
    unsigned width = 0; /* bits of a letter */
    while (d->letter_count >> width) width++;
    double bits = (double)length * width;
    double bytes = ((double)length + 1) * d->state_count * (64 + bits / 16); /* half the lengths, on average */
    if (bytes > MEMORY || bits > RATIONAL_BITS)
        trap_raise(a->trap, TEMPER_LIMIT, 0, 0,
                   "counting the strings of %zu letters of an automaton with %u states takes too much memory", length,
                   d->state_count);
    uint32_t *size = arena_zalloc(a, (size_t)d->class_count + 1, sizeof *size);
    for (uint32_t k = 0; k < d->letter_count; k++) size[d->class_of[k]]++;
    rational_pool_init(&c->pool, a);
    c->counts = rational_array(&c->pool, (length + 1) * d->state_count);
    c->work = rational_array(&c->pool, 4);
    for (uint32_t q = 0; q < d->state_count; q++) rational_set_int(count_at(c, 0, q), d->accepts[q]);
    work_count("counting strings", length);
    for (size_t n = 1; n <= length; work_at(n++))
        for (uint32_t q = 0; q < d->state_count; q++)
            for (uint32_t k = 0; k < d->class_count; k++) {
                rational_set_int(&c->work[0], size[k]);
                rational_add_product(count_at(c, n, q), &c->work[0], count_at(c, n - 1, dfa_next(d, q, k)));
            }
}

bool string_counts_any(const string_counts *c) { return !rational_is_zero(count_at(c, c->length, c->d->start)); }

/* A whole number below `limit`, each equally likely: 32 bits at a time, drawn again where it is too large. */
static void draw_below(rational *out, string_counts *c, const rational *limit, uint64_t *seed) {
    enum { CHUNK = 32 };
    unsigned long bits = rational_bits(limit);
    rational *chunk = &c->work[2], *base = &c->work[3];
    rational_set_int(base, 1L << CHUNK);
    do {
        rational_set_int(out, 0);
        unsigned long top = bits % CHUNK;
        for (unsigned long k = 0; k < (bits + CHUNK - 1) / CHUNK; k++) {
            unsigned long width = k || !top ? CHUNK : top;
            rational_mul(out, out, base);
            rational_set_int(chunk, (long)(random_next(seed) >> (64 - width)));
            rational_add(out, out, chunk);
        }
    } while (rational_cmp(out, limit) >= 0);
}

void string_counts_draw(uint32_t *word, string_counts *c, uint64_t *seed) {
    const dfa *d = c->d;
    uint32_t q = d->start;
    for (size_t left = c->length; left > 0; left--) {
        rational *rest = &c->work[1];
        draw_below(rest, c, count_at(c, left, q), seed);
        uint32_t letter = 0;
        for (;; letter++) {
            const rational *here = count_at(c, left - 1, dfa_next(d, q, d->class_of[letter]));
            if (rational_cmp(rest, here) < 0) break;
            rational_sub(rest, rest, here);
        }
        word[c->length - left] = letter;
        q = dfa_next(d, q, d->class_of[letter]);
    }
}
