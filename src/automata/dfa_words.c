#include "automata/dfa_words.h"

#include <string.h>

/* One letter before the end of a path: where it came from, and by which class. */
typedef struct step_back {
    uint32_t from, class;
} step_back;

/* Breadth first from a start in a graph of `nodes` given by a function; stops at the first node that is wanted. */
typedef struct search {
    const dfa *d;
    uint32_t nodes;
    step_back *back; /* [nodes] */
    unsigned char *seen;
    uint32_t *queue;
} search;

static void search_init(search *s, const dfa *d, uint32_t nodes, arena *a) {
    *s = (search){.d = d, .nodes = nodes};
    s->back = arena_alloc(a, nodes, sizeof *s->back);
    s->seen = arena_zalloc(a, nodes, 1);
    s->queue = arena_alloc(a, nodes, sizeof *s->queue);
}

/* The way from the start, which has a step at least; a loop ends where it begins. */
static void spell_back(word_part *out, const search *s, uint32_t start, uint32_t end, arena *a) {
    size_t n = 1;
    for (uint32_t at = s->back[end].from; at != start; at = s->back[at].from) n++;
    *out = (word_part){.word = arena_alloc(a, n, sizeof *out->word), .length = n};
    for (uint32_t at = end; n > 0; at = s->back[at].from) out->word[--n] = s->back[at].class;
}

bool dfa_path(word_part *out, const dfa *d, uint32_t from, uint32_t to, size_t least, arena *a) {
    search s;
    if (from == to && !least) {
        *out = (word_part){0};
        return true;
    }
    search_init(&s, d, d->state_count, a);
    size_t count = 0, at = 0;
    s.queue[count++] = from; /* not seen: a loop may come back to it */
    for (; at < count; at++)
        for (uint32_t c = 0; c < d->class_count; c++) {
            uint32_t next = dfa_next(d, s.queue[at], c);
            if (s.seen[next]) continue;
            s.seen[next] = 1;
            s.back[next] = (step_back){s.queue[at], c};
            if (next == to) {
                spell_back(out, &s, from, to, a);
                return true;
            }
            if (next != from) s.queue[count++] = next;
        }
    return false;
}

/* From a pair of states, breadth first over pairs; wanted: both are (loop), or they are told apart. */
static bool pair_path(word_part *out, uint32_t *end, const dfa *d, uint32_t p, uint32_t q, bool loop, arena *a) {
    uint32_t n = d->state_count, start = p * n + q;
    search s;
    search_init(&s, d, n * n, a);
    size_t count = 0, at = 0;
    s.queue[count++] = start;
    if (!loop && d->accepts[p] != d->accepts[q]) {
        *out = (word_part){0};
        *end = start;
        return true;
    }
    s.seen[start] = !loop;
    for (; at < count; at++)
        for (uint32_t c = 0; c < d->class_count; c++) {
            uint32_t x = dfa_next(d, s.queue[at] / n, c), y = dfa_next(d, s.queue[at] % n, c), next = x * n + y;
            if (s.seen[next]) continue;
            s.seen[next] = 1;
            s.back[next] = (step_back){s.queue[at], c};
            if (loop ? next == start : d->accepts[x] != d->accepts[y]) {
                spell_back(out, &s, start, next, a);
                *end = next;
                return true;
            }
            s.queue[count++] = next;
        }
    return false;
}

bool dfa_tell_apart(word_part *out, bool *first, const dfa *d, uint32_t p, uint32_t q, arena *a) {
    uint32_t end;
    if (!pair_path(out, &end, d, p, q, false, a)) return false;
    *first = d->accepts[end / d->state_count];
    return true;
}

bool dfa_pair_loop(word_part *out, const dfa *d, uint32_t p, uint32_t q, arena *a) {
    uint32_t end;
    return pair_path(out, &end, d, p, q, true, a);
}

word_part word_of_letter(uint32_t class, arena *a) {
    word_part made = {.word = arena_alloc(a, 1, sizeof *made.word), .length = 1};
    made.word[0] = class;
    return made;
}

word_part words_joined(word_part x, word_part y, arena *a) {
    word_part made = {.word = arena_alloc(a, x.length + y.length, sizeof *made.word), .length = x.length + y.length};
    if (x.length) memcpy(made.word, x.word, x.length * sizeof *made.word);
    if (y.length) memcpy(made.word + x.length, y.word, y.length * sizeof *made.word);
    return made;
}
