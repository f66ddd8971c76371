/* The oracles of the suite: language models letter by letter, transducers on a whole string. */
#include "lab/sequence_oracles.h"

#include <string.h>

/* ---- language models ---- */

/* Orders w, r, i and bits in turn, first a w; a bit after r is the last one that was written. */
uint32_t next_flip_flop(next_memory *m, char letter) {
    enum { W = 1, R = 2, I = 4, ZERO = 8, ONE = 16 };
    bool bit = letter == '0' || letter == '1', was_bit = m->last == '0' || m->last == '1';
    if (letter && !m->last) m->dead = letter != 'w';
    if (m->last && bit == was_bit) m->dead = true;
    if (m->last == 'r' && letter != m->bit) m->dead = true;
    if (m->last == 'w' && bit) m->bit = letter;
    m->last = letter;
    if (m->dead) return 0;
    if (!letter) return W | SEQUENCE_END;
    if (bit) return W | R | I | SEQUENCE_END;
    return letter != 'r' ? ZERO | ONE : m->bit == '1' ? ONE : ZERO;
}

/* Brackets of one kind, at most `most` deep. */
static uint32_t next_depth(next_memory *m, char letter, size_t most) {
    if (letter == '(' ? m->a == most : letter && m->a == 0) m->dead = true;
    if (m->dead) return 0;
    m->a += letter == '(' ? 1 : letter ? (size_t)-1 : 0;
    return (m->a < most ? 1u : 0) | (m->a ? 2u : SEQUENCE_END);
}
uint32_t next_dyck_1(next_memory *m, char letter) { return next_depth(m, letter, SIZE_MAX); }
uint32_t next_dyck_1_8(next_memory *m, char letter) { return next_depth(m, letter, 8); }

/* Two kinds inside each other, at most four deep: a stack. */
uint32_t next_dyck_2_4(next_memory *m, char letter) {
    bool opens = letter == '(' || letter == '[';
    if (letter && opens) {
        if (m->a == 4) m->dead = true;
        if (!m->dead) m->stack[m->a++] = letter;
    } else if (letter) {
        if (m->a == 0 || m->stack[m->a - 1] != (letter == ')' ? '(' : '[')) m->dead = true;
        if (!m->dead) m->a--;
    }
    if (m->dead) return 0;
    uint32_t opening = m->a < 4 ? 5 : 0;
    return m->a == 0 ? opening | SEQUENCE_END : opening | (m->stack[m->a - 1] == '(' ? 2 : 8);
}

/* Two kinds, each balanced by itself. */
uint32_t next_shuffle_dyck_2(next_memory *m, char letter) {
    if ((letter == ')' && !m->a) || (letter == ']' && !m->b)) m->dead = true;
    if (m->dead) return 0;
    m->a += letter == '(' ? 1 : letter == ')' ? (size_t)-1 : 0;
    m->b += letter == '[' ? 1 : letter == ']' ? (size_t)-1 : 0;
    return 5u | (m->a ? 2u : 0) | (m->b ? 8u : 0) | (m->a || m->b ? 0 : SEQUENCE_END);
}

static uint32_t anbncn(const next_memory *m) {
    return (m->b == 0 && m->c == 0 ? 1u : 0) | (m->a > m->b && m->c == 0 ? 2u : 0) |
           (m->a == m->b && m->b > m->c ? 4u : 0) | (m->a && m->a == m->b && m->b == m->c ? SEQUENCE_END : 0);
}
/* n times a, then n times b, then n times c; n is at least 1. */
uint32_t next_anbncn(next_memory *m, char letter) {
    if (letter && !(anbncn(m) & (uint32_t)1 << (letter - 'a'))) m->dead = true;
    m->a += letter == 'a';
    m->b += letter == 'b';
    m->c += letter == 'c';
    return m->dead ? 0 : anbncn(m);
}

/* An automaton over 0 and 1, whose states are numbers: a row of two digits for each, '-' for none; state 0 is the
   initial one. Every state leads to one that accepts. */
static uint32_t next_by_table(next_memory *m, char letter, const char *rows, const char *accepts) {
    char to = letter && !m->dead ? rows[2 * m->a + (letter == '1')] : '0';
    if (to == '-') m->dead = true;
    if (m->dead) return 0;
    m->a = (size_t)(to - '0');
    return (rows[2 * m->a] != '-' ? 1u : 0) | (rows[2 * m->a + 1] != '-' ? 2u : 0) |
           (accepts[m->a] == '1' ? SEQUENCE_END : 0);
}
uint32_t next_tomita_1(next_memory *m, char letter) { return next_by_table(m, letter, "-0", "1"); }
uint32_t next_tomita_2(next_memory *m, char letter) { return next_by_table(m, letter, "-10-", "10"); }
/* 0: an even run of 1, or none; 1: an odd one; 2 and 3: an odd and an even run of 0 after it */
uint32_t next_tomita_3(next_memory *m, char letter) { return next_by_table(m, letter, "01203-21", "1101"); }
uint32_t next_tomita_4(next_memory *m, char letter) { return next_by_table(m, letter, "1020-0", "111"); }
uint32_t next_tomita_5(next_memory *m, char letter) { return next_by_table(m, letter, "12033021", "1000"); }
uint32_t next_tomita_6(next_memory *m, char letter) { return next_by_table(m, letter, "122001", "100"); }
uint32_t next_tomita_7(next_memory *m, char letter) { return next_by_table(m, letter, "012123-3", "1111"); }

/* ---- transducers ---- */

void write_parity(char *out, const char *w, size_t n) {
    bool odd = false;
    for (size_t i = 0; i < n; i++) out[i] = (odd ^= w[i] == '1') ? '1' : '0';
}

/* A walk on a circle of five: u goes up, d down, s stays. */
void write_cycle(char *out, const char *w, size_t n) {
    int at = 0;
    for (size_t i = 0; i < n; i++) {
        at = (at + (w[i] == 'u') + 4 * (w[i] == 'd')) % 5;
        out[i] = (char)('0' + at);
    }
}

/* The sum of the digits so far, modulo 5. */
void write_modular(char *out, const char *w, size_t n) {
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum = (sum + (w[i] - '0')) % 5;
        out[i] = (char)('0' + sum);
    }
}

/* Letters are columns of two bits: a 0+0, b 0+1, c 1+0, d 1+1. */
static int column_sum(char c) { return c == 'a' ? 0 : c == 'd' ? 2 : 1; }

void write_add_low(char *out, const char *w, size_t n) {
    int carry = 0;
    for (size_t i = 0; i < n; i++) {
        int sum = column_sum(w[i]) + carry;
        out[i] = (char)('0' + sum % 2);
        carry = sum / 2;
    }
}
void write_add_high(char *out, const char *w, size_t n) {
    int carry = 0;
    for (size_t i = n; i-- > 0;) {
        int sum = column_sum(w[i]) + carry;
        out[i] = (char)('0' + sum % 2);
        carry = sum / 2;
    }
}

void write_reverse(char *out, const char *w, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = w[n - 1 - i];
}

/* Letters, then bars: the bars are replaced by the letters from the start, as far as they go. A dot elsewhere. */
void write_copy(char *out, const char *w, size_t n) {
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        bool bar = w[i] == '|';
        out[i] = bar && w[from] != '|' ? w[from] : '.';
        from += bar;
    }
}

void write_rotate(char *out, const char *w, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = w[i ? i - 1 : n - 1];
}

void write_sort(char *out, const char *w, size_t n) {
    size_t at = 0;
    for (char c = 'a'; c <= 'c'; c++)
        for (size_t i = 0; i < n; i++)
            if (w[i] == c) out[at++] = c;
}

/* What stood after the last earlier place of the letter; a dot if there is none. */
void write_induction(char *out, const char *w, size_t n) {
    char after[256];
    memset(after, '.', sizeof after);
    for (size_t i = 0; i < n; i++) {
        out[i] = after[(unsigned char)w[i]];
        if (i) after[(unsigned char)w[i - 1]] = w[i];
        if (i && w[i - 1] == w[i]) out[i] = w[i]; /* the pair that has just been read counts */
    }
}

static bool is_key(char c) { return c >= 'a' && c <= 'z'; }

/* Keys and values by turns; the last letter asks for the value of its key. A dot at every other position. */
void write_recall(char *out, const char *w, size_t n) {
    memset(out, '.', n);
    if (!n || !is_key(w[n - 1])) return;
    for (size_t i = n - 1; i-- > 0;)
        if (w[i] == w[n - 1]) {
            out[n - 1] = is_key(w[i + 1]) ? '.' : w[i + 1];
            return;
        }
}

/* At every key: the value that followed the key when it last stood before one. */
void write_queries(char *out, const char *w, size_t n) {
    char value[256];
    memset(value, '.', sizeof value);
    for (size_t i = 0; i < n; i++) {
        out[i] = is_key(w[i]) ? value[(unsigned char)w[i]] : '.';
        if (i && is_key(w[i - 1]) && !is_key(w[i])) value[(unsigned char)w[i - 1]] = w[i];
    }
}

/* find(i) is the last j <= i with w[j-1] = w[i]; the letter at find(find(i)). */
void write_two_hop(char *out, const char *w, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t at = i + 1; /* from 1; 0: nowhere */
        for (int hop = 0; hop < 2 && at; hop++) {
            char c = w[at - 1];
            while (at > 1 && w[at - 2] != c) at--;
            if (at == 1) at = 0;
        }
        out[i] = at ? w[at - 1] : '.';
    }
}
