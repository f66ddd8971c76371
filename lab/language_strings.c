/* Strings of a language, near it and against it. */
#include "lab/languages.h"

#include <string.h>

typedef struct source {
    uint64_t (*random)(void *context);
    void *context;
    const language *g;
    size_t letters;
    arena *scratch;
} source;

static size_t below(const source *s, size_t limit) { return (size_t)(s->random(s->context) % limit); }

static void shuffle(const source *s, uint32_t *w, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t j = below(s, i);
        uint32_t x = w[i - 1];
        w[i - 1] = w[j];
        w[j] = x;
    }
}

/* ---- automata ---- */

static size_t state_of(const language *g, size_t state, size_t letter) {
    char c = g->next[state * (language_letters(g) + 1) + letter];
    return (size_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* A walk to a state that accepts or, without `member`, to one that does not; letters often repeat when `sticky`.
   False: there is none of this length. */
static bool walk(const source *s, uint32_t *w, size_t n, bool member, bool sticky) {
    size_t states = strlen(s->g->accept), state = 0;
    uint64_t *good =
        arena_alloc(s->scratch, n + 1, sizeof *good); /* after i letters: bits of the states that can go on */
    good[n] = 0;
    for (size_t q = 0; q < states; q++)
        if ((s->g->accept[q] == '1') == member) good[n] |= 1ull << q;
    for (size_t i = n; i-- > 0;) {
        good[i] = 0;
        for (size_t q = 0; q < states; q++)
            for (size_t c = 0; c < s->letters; c++)
                if (good[i + 1] >> state_of(s->g, q, c) & 1) good[i] |= 1ull << q;
    }
    if (!(good[0] & 1)) return false;
    for (size_t i = 0; i < n; i++) {
        size_t c = below(s, s->letters);
        if (sticky && i && below(s, 8)) c = w[i - 1];
        while (!(good[i + 1] >> state_of(s->g, state, c) & 1)) c = (c + 1) % s->letters;
        w[i] = (uint32_t)c;
        state = state_of(s->g, state, c);
    }
    return true;
}

/* ---- makers ---- */

static size_t blend(const source *s, uint32_t *w, size_t n, bool in_order) {
    size_t total = 0, at = 0;
    for (size_t c = 0; c < s->letters; c++) total += s->g->blend ? (size_t)(s->g->blend[c] - '0') : 1;
    if (total == 0) return 0;
    n -= n % total;
    for (size_t c = 0; c < s->letters; c++) {
        size_t share = (s->g->blend ? (size_t)(s->g->blend[c] - '0') : 1) * (n / total);
        while (share-- > 0) w[at++] = (uint32_t)c;
    }
    if (!in_order) shuffle(s, w, n);
    return n;
}

/* Opening and closing letters are 2k and 2k + 1; deep if seldom closed. */
static size_t brackets(const source *s, uint32_t *w, size_t n, bool nested) {
    size_t kinds = s->letters / 2, depth = 0, open[3] = {0, 0, 0}, bias = 2 + below(s, 6);
    uint32_t *stack = arena_alloc(s->scratch, n / 2 + 1, sizeof *stack);
    n -= n % 2;
    for (size_t i = 0; i < n; i++) {
        bool close = depth == n - i || (depth && below(s, bias) == 0);
        uint32_t kind = (uint32_t)below(s, kinds);
        if (!close) {
            open[kind]++;
            stack[depth++] = kind;
            w[i] = 2 * kind;
            continue;
        }
        depth--;
        if (nested)
            kind = stack[depth];
        else
            while (!open[kind]) kind = (uint32_t)((kind + 1) % kinds);
        open[kind]--;
        w[i] = 2 * kind + 1;
    }
    return n;
}

static void fill(const source *s, uint32_t *w, size_t n) {
    for (size_t i = 0; i < n; i++) w[i] = (uint32_t)below(s, s->letters);
}

static size_t leads(const source *s, uint32_t *w, size_t n) {
    int lead = 0, last = below(s, 2) ? 3 : 2;
    for (size_t i = 0; i < n; i++) {
        bool up = lead < -3 || i + 8 > n || below(s, 2);
        if (lead >= (i + 8 > n ? last : 2)) up = false;
        lead += up ? 1 : -1;
        w[i] = up ? 0 : 1;
    }
    return n;
}

static size_t make(const source *s, uint32_t *w, size_t n) {
    size_t k = 0;
    switch (s->g->maker) {
    case MAKE_BLEND: return blend(s, w, n, false);
    case MAKE_BLOCKS: return blend(s, w, n, true);
    case MAKE_NESTED: return brackets(s, w, n, true);
    case MAKE_SHUFFLE: return brackets(s, w, n, false);
    case MAKE_LEAD: return leads(s, w, n);
    case MAKE_FEW:
        for (size_t i = 0; i < n; i++) w[i] = 1;
        for (k = 4 + below(s, 8); k > 0 && n; k--) w[below(s, n)] = 0;
        return n;
    case MAKE_MIRROR:
        fill(s, w, n);
        for (size_t i = 0; i < n / 2; i++) w[n - 1 - i] = w[i];
        return n;
    case MAKE_TWICE:
        fill(s, w, n);
        memcpy(w + n / 2, w, n / 2 * sizeof *w);
        return n - n % 2;
    case MAKE_SQUARE:
        while ((k + 1) * (k + 1) <= n) k++;
        if (k > 4) k -= below(s, 4);
        fill(s, w, k * k);
        return k * k;
    case MAKE_DOUBLE:
        for (k = 1; 2 * k <= n;) k *= 2;
        fill(s, w, n ? k : 0);
        return n ? k : 0;
    }
    return 0;
}

/* ---- kinds ---- */

static size_t member(const source *s, uint32_t *w, size_t n) {
    if (s->g->program) return make(s, w, n);
    bool sticky = below(s, 2);
    for (size_t shorter = 0; shorter < 8 && shorter <= n; shorter++)
        if (walk(s, w, n - shorter, true, sticky)) return n - shorter;
    fill(s, w, n);
    return n;
}

static size_t other(const source *s, uint32_t *w, size_t n) {
    if (!s->g->program && walk(s, w, n, false, below(s, 2))) return n;
    if (s->g->maker == MAKE_NESTED && s->letters > 2 && below(s, 2)) return brackets(s, w, n, false);
    if (s->g->program && below(s, 2)) { /* a maker's string, two letters exchanged or one left out */
        n = make(s, w, n);
        if (n > 1 && below(s, 2)) return n - 1;
        if (n > 1) {
            size_t i = below(s, n), j = below(s, n);
            uint32_t x = w[i];
            w[i] = w[j];
            w[j] = x;
        }
        return n;
    }
    fill(s, w, n);
    return n;
}

static size_t needles(const source *s, uint32_t *w, size_t n) {
    size_t filler = below(s, s->letters), many = below(s, 4), near = n < 4 ? n : 4;
    bool word = below(s, 2);
    for (size_t i = 0; i < n; i++) w[i] = (uint32_t)filler;
    for (size_t k = 0; k < many && n; k++) {
        size_t where = below(s, 3);
        size_t at = where == 0 ? below(s, near) : where == 1 ? n - 1 - below(s, near) : below(s, n);
        for (size_t length = word ? 2 + below(s, 3) : 1; length > 0 && at < n; length--)
            w[at++] = (uint32_t)below(s, s->letters);
    }
    return n;
}

size_t language_string(uint32_t *w, size_t n, const language *g, string_kind kind, uint64_t (*random)(void *context),
                       void *context, arena *scratch) {
    source s = {random, context, g, language_letters(g), scratch};
    if (n > 8) n -= below(&s, 4); /* lengths differ, and so do their remainders */
    switch (kind) {
    case STRING_MEMBER: return member(&s, w, n);
    case STRING_OTHER: return other(&s, w, n);
    case STRING_NEEDLES: return needles(&s, w, n);
    default: break;
    }
    n = member(&s, w, n);
    if (n) { /* first the place: C leaves the order of an assignment's sides open */
        size_t at = below(&s, n);
        w[at] = (uint32_t)below(&s, s.letters);
    }
    return n;
}
