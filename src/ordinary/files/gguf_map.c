/* The map is a double array that llama.cpp walks byte by byte, as a finite automaton: state s has the units 256 s to
   256 s + 255, and the unit of byte c holds c, the way to the next state, and whether that one is an end; the unit of
   byte 0 holds where an end's text begins. */
#include "ordinary/files/gguf_map.h"

#include <string.h>

enum { BYTES = 256, MOST_STATES = 8191 }; /* a unit has 21 bits for the way */

typedef struct map_state {
    uint16_t next[BYTES]; /* 0: none */
    const char *becomes;  /* NULL: no end */
} map_state;

typedef struct map {
    map_state *states; /* 0: where every piece begins */
    size_t count, capacity;
    arena *arena;
} map;

static uint16_t add_state(map *m, const char *becomes) {
    if (m->count == MOST_STATES)
        trap_raise(m->arena->trap, TEMPER_LIMIT, 0, 0,
                   "the words have more than %d beginnings, so that llama.cpp cannot tell unknown ones from them",
                   MOST_STATES);
    array_push(m->arena, m->states, m->count, m->capacity, (map_state){.becomes = becomes});
    return (uint16_t)(m->count - 1);
}

/* The state after the bytes, each of them a new one where there is none. */
static uint16_t follow(map *m, const char *bytes, size_t length) {
    uint16_t at = 0;
    for (size_t k = 0; k < length; k++) {
        unsigned char c = (unsigned char)bytes[k];
        if (!m->states[at].next[c]) {
            uint16_t made = add_state(m, NULL);
            m->states[at].next[c] = made;
        }
        at = m->states[at].next[c];
    }
    return at;
}

/* ---- what is known ---- */

static const char BLANKS[] = " \t\n\r\v\f";

/* Every byte that is no blank and has no state yet goes to this one. */
static void fill_word(map *m, uint16_t from, uint16_t to) {
    for (int c = 1; c < BYTES; c++)
        if (!m->states[from].next[c] && !strchr(BLANKS, c)) m->states[from].next[c] = to;
}

static void add_words(map *m, const letter_list *s, const char *other) {
    for (size_t k = 0; k < s->count; k++) {
        uint16_t end = follow(m, s->letters[k], strlen(s->letters[k]));
        m->states[end].becomes = s->letters[k];
    }
    size_t beginnings = m->count;
    uint16_t unknown = add_state(m, other);
    for (size_t k = 0; k < m->count; k++) fill_word(m, (uint16_t)k, unknown);
    for (size_t k = 1; k < beginnings; k++)
        if (!m->states[k].becomes) m->states[k].becomes = other;
}

/* Letters end where nothing is known, and are copied; every other character ends in `unknown`. left[k]: k bytes of a
   character are still to come. */
static void fill_characters(map *m, uint16_t from, size_t length, const uint16_t *left) {
    for (int c = 0x80; c < 0xc0 && length; c++)
        if (!m->states[from].next[c]) m->states[from].next[c] = left[length - 1];
}

/* How many bytes follow the first one of a character; -1: it begins none. */
static int following(int c) { return c < 0x80 ? 0 : c < 0xc2 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : -1; }

static void add_characters(map *m, const letter_list *s, const char *other) {
    enum { NOTHING = UINT16_MAX };
    uint16_t left[4];
    for (size_t k = 0; k < s->count; k++) {
        size_t length = strlen(s->letters[k]);
        uint16_t at = follow(m, s->letters[k], length - 1);
        m->states[at].next[(unsigned char)s->letters[k][length - 1]] = NOTHING;
    }
    size_t beginnings = m->count;
    for (size_t k = 0; k < 4; k++) {
        left[k] = add_state(m, k ? NULL : other);
        fill_characters(m, left[k], k, left);
    }
    for (int c = 1; c < BYTES; c++) {
        int more = following(c);
        uint16_t *next = &m->states[0].next[c];
        if (more >= 0 && !*next) *next = left[more];
    }
    /* beginnings of letters, which may be followed by other bytes than theirs */
    for (int c = 0xc2; c < 0xf5; c++) {
        uint16_t first = m->states[0].next[c];
        if (first >= beginnings) continue;
        int more = following(c);
        fill_characters(m, first, (size_t)more, left);
        for (int d = 0x80; d < 0xc0 && more > 1; d++) {
            uint16_t second = m->states[first].next[d];
            if (second >= beginnings) continue;
            fill_characters(m, second, (size_t)more - 1, left);
            for (int e = 0x80; e < 0xc0 && more > 2; e++) {
                uint16_t third = m->states[second].next[e];
                if (third < beginnings) fill_characters(m, third, 1, left);
            }
        }
    }
    for (size_t k = 0; k < m->count; k++)
        for (int c = 0; c < BYTES; c++)
            if (m->states[k].next[c] == NOTHING) m->states[k].next[c] = 0;
}

static void make(map *m, const letter_list *s, const char *other) {
    add_state(m, NULL);
    if (other && s->words) add_words(m, s, other);
    if (other && !s->words) add_characters(m, s, other);
    if (!other) m->states[follow(m, "\xe2\x96\x81", 3)].becomes = "\xef\xbf\xbd";
    if (!s->words) return;
    uint16_t blank = add_state(m, " ");
    for (const char *c = BLANKS; *c; c++) m->states[0].next[(unsigned char)*c] = blank;
}

/* ---- as bytes ---- */

static void put_unit(text *out, uint32_t unit) {
    for (int k = 0; k < 4; k++) text_putc(out, (char)(unit >> (8 * k)));
}

/* Texts lie behind the units, each with a 0 at its end; equal ones need not be shared. */
void gguf_map_print(text *out, const letter_list *s, const char *other) {
    map m = {.arena = out->arena};
    text texts;
    make(&m, s, other);
    text_init(&texts, out->arena);
    put_unit(out, (uint32_t)(m.count * BYTES * 4));
    for (uint32_t k = 0; k < m.count; k++) {
        const map_state *state = &m.states[k];
        put_unit(out, state->becomes ? 1u << 31 | (uint32_t)texts.length : 0);
        if (state->becomes) text_add(&texts, state->becomes, strlen(state->becomes) + 1);
        for (uint32_t c = 1; c < BYTES; c++) {
            uint32_t next = state->next[c], way = (k * BYTES + c) ^ (next * BYTES);
            uint32_t end = m.states[next].becomes != NULL;
            put_unit(out, next ? way << 10 | end << 8 | c : 0);
        }
    }
    text_add(out, texts.data, texts.length);
}
