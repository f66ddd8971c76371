/* The languages of the gallery, decided by plain programs: the second opinion on its transformers. Letters are
   numbered in the order of each model's alphabet. */
#include <string.h>

#include "gallery/gallery.h"

#define UNUSED(x) (void)(x)

static size_t count(const uint32_t *w, size_t n, uint32_t letter) {
    size_t c = 0;
    for (size_t i = 0; i < n; i++) c += w[i] == letter;
    return c;
}

/* ---- one letter decides: a b c, or 0 1 ---- */

bool oracle_first(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    return n > 0 && w[0] == 1;
}

bool oracle_leftmost(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    for (size_t i = 0; i < n; i++)
        if (w[i] != 2) return w[i] == 0;
    return false;
}

bool oracle_rightmost(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    for (size_t i = n; i > 0; i--)
        if (w[i - 1] != 2) return w[i - 1] == 0;
    return false;
}

bool oracle_second_half(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    return count(w + n / 2, n - n / 2, 0) > 0;
}

/* ---- memory ---- */

/* w r i 0 1: an automaton that reads an order and a bit at a time */
bool oracle_flip_flop(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    uint32_t memory = 0;
    if (n % 2 || (n && w[0] != 0)) return false;
    for (size_t i = 0; i < n; i += 2) {
        uint32_t order = w[i], bit = w[i + 1];
        if (order > 2 || bit < 3) return false;
        if (order == 0) memory = bit;
        if (order == 1 && bit != memory) return false;
    }
    return true;
}

/* a b c: what came after each letter, the last time it was followed by anything */
bool oracle_induction(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    uint32_t next[3] = {3, 3, 3};
    for (size_t i = 0; i + 2 < n; i++) next[w[i]] = w[i + 1];
    return n >= 2 && next[w[n - 2]] == w[n - 1];
}

/* a b c 0 1: a dictionary whose first entries stay */
bool oracle_retrieve(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    uint32_t stored[3] = {0, 0, 0}; /* 0: nothing */
    if (n < 2 || w[n - 2] > 2 || w[n - 1] < 3) return false;
    for (size_t i = 0; i + 2 < n; i++)
        if (w[i] <= 2 && w[i + 1] >= 3 && !stored[w[i]]) stored[w[i]] = w[i + 1];
    return stored[w[n - 2]] == w[n - 1];
}

/* ---- two halves ---- */

bool oracle_palindrome(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    for (size_t i = 0; i < n / 2; i++)
        if (w[i] != w[n - 1 - i]) return false;
    return true;
}

bool oracle_copy(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    return n % 2 == 0 && (n == 0 || memcmp(w, w + n / 2, n / 2 * sizeof *w) == 0);
}

/* ---- brackets: letter 2k opens what letter 2k + 1 closes ---- */

static bool is_balanced(const uint32_t *w, size_t n, size_t deepest, arena *a) {
    uint32_t *stack = arena_alloc(a, n + 1, sizeof *stack);
    size_t depth = 0;
    for (size_t i = 0; i < n; i++) {
        if (w[i] % 2 == 0) {
            stack[depth++] = w[i];
            if (depth > deepest) return false;
        } else if (depth == 0 || stack[--depth] + 1 != w[i]) {
            return false;
        }
    }
    return depth == 0;
}

bool oracle_dyck_1(const uint32_t *w, size_t n, arena *a) { return is_balanced(w, n, SIZE_MAX, a); }
bool oracle_dyck_1_depth_2(const uint32_t *w, size_t n, arena *a) { return is_balanced(w, n, 2, a); }
bool oracle_dyck_1_depth_3(const uint32_t *w, size_t n, arena *a) { return is_balanced(w, n, 3, a); }
bool oracle_dyck_1_depth_4(const uint32_t *w, size_t n, arena *a) { return is_balanced(w, n, 4, a); }
bool oracle_dyck_2(const uint32_t *w, size_t n, arena *a) { return is_balanced(w, n, SIZE_MAX, a); }
bool oracle_dyck_2_depth_3(const uint32_t *w, size_t n, arena *a) { return is_balanced(w, n, 3, a); }

bool oracle_shuffle_dyck(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    size_t depth[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        if (w[i] % 2 == 0)
            depth[w[i] / 2]++;
        else if (depth[w[i] / 2]-- == 0)
            return false;
    }
    return depth[0] == 0 && depth[1] == 0;
}

/* ---- counting ---- */

bool oracle_parity(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    return count(w, n, 1) % 2 == 1;
}

bool oracle_majority(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    return count(w, n, 1) > count(w, n, 0);
}

bool oracle_exact_half(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    return 2 * count(w, n, 0) == n;
}

bool oracle_anbncn(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    for (size_t i = 0; i < n; i++)
        if (w[i] != i / (n / 3 ? n / 3 : 1)) return false;
    return n % 3 == 0;
}

/* a b c |: counting sort of the left side must give the right side */
bool oracle_sorted_copy(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    size_t left = n / 2, at = left + 1;
    if (n % 2 == 0 || w[left] != 3) return false;
    for (uint32_t letter = 0; letter < 3; letter++)
        for (size_t k = count(w, left, letter); k > 0; k--)
            if (w[at++] != letter) return false;
    return at == n;
}

bool oracle_tied(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    size_t aa = 0, ab = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        aa += w[i] == 0 && w[i + 1] == 0;
        ab += w[i] == 0 && w[i + 1] == 1;
    }
    return aa > ab;
}

/* a A b: fractions are compared by cross-multiplication */
bool oracle_best_prefix(const uint32_t *w, size_t n, arena *a) {
    UNUSED(a);
    uint64_t best = 0, best_size = 1, seen = 0;
    size_t small = 0, large = 0;
    for (size_t i = 0; i < n; i++) {
        seen += w[i] != 2;
        uint64_t left = seen * best_size, right = best * (i + 2);
        if (left < right) continue;
        if (left > right) {
            best = seen, best_size = i + 2;
            small = large = 0;
        }
        small += w[i] == 0;
        large += w[i] == 1;
    }
    return large > small;
}

/* ---- an average of averages, in whole numbers of any size: limbs of 32 bits, the lowest first ---- */

typedef struct natural {
    uint32_t *limbs;
    size_t used;
} natural;

static void multiply(natural *x, uint32_t factor) {
    uint64_t carry = 0;
    for (size_t k = 0; k < x->used; k++) {
        carry += (uint64_t)x->limbs[k] * factor;
        x->limbs[k] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) x->limbs[x->used++] = (uint32_t)carry;
}

/* quotient = x / divisor, which leaves no remainder */
static void divide(natural *quotient, const natural *x, uint32_t divisor) {
    uint64_t rest = 0;
    quotient->used = x->used;
    for (size_t k = x->used; k-- > 0;) {
        rest = rest << 32 | x->limbs[k];
        quotient->limbs[k] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
}

/* sum += x * factor */
static void accumulate(natural *sum, const natural *x, uint64_t factor) {
    for (int half = 0; half < 2; half++) {
        uint64_t digit = half ? factor >> 32 : factor & UINT32_MAX, carry = 0;
        for (size_t k = 0; digit && (k < x->used || carry); k++) {
            uint64_t t = sum->limbs[k + (size_t)half] + carry + (k < x->used ? digit * x->limbs[k] : 0);
            sum->limbs[k + (size_t)half] = (uint32_t)t;
            carry = t >> 32;
        }
    }
}

/* The prime that m is a power of, or 1. */
static uint32_t prime_base(uint32_t m) {
    uint32_t p = 2;
    while (p <= m / p && m % p != 0) p++;
    if (m % p != 0) return m;
    while (m % p == 0) m /= p;
    return m == 1 ? p : 1;
}

/* Is the sum of (2d + 1)/m over the prefixes positive, d being a's less b's of the prefix and m its length + 1? The
   terms are brought over the least common multiple of all m. */
bool oracle_two_averages(const uint32_t *w, size_t n, arena *a) {
    size_t capacity = n / 16 + 8; /* lcm(1...m) < 3^m, and room for the factors */
    natural all = {arena_zalloc(a, capacity, sizeof(uint32_t)), 1},
            part = {arena_zalloc(a, capacity, sizeof(uint32_t)), 0};
    natural sums[2] = {{arena_zalloc(a, capacity, sizeof(uint32_t)), capacity},
                       {arena_zalloc(a, capacity, sizeof(uint32_t)), capacity}};
    int64_t lead = 0;
    all.limbs[0] = 1;
    for (size_t m = 2; m <= n + 1; m++) multiply(&all, prime_base((uint32_t)m));
    for (size_t m = 1; m <= n + 1; m++) {
        if (m > 1) lead += w[m - 2] == 0 ? 1 : -1;
        divide(&part, &all, (uint32_t)m);
        accumulate(&sums[lead < 0], &part, lead < 0 ? (uint64_t)(-2 * lead - 1) : (uint64_t)(2 * lead + 1));
    }
    for (size_t k = capacity; k-- > 0;)
        if (sums[0].limbs[k] != sums[1].limbs[k]) return sums[0].limbs[k] > sums[1].limbs[k];
    return false;
}
