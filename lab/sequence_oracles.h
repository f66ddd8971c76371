/* Plain programs that say what comes next, and what to write: the oracles of the suite of sequence tasks. */
#ifndef LAB_SEQUENCE_ORACLES_H
#define LAB_SEQUENCE_ORACLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what may come ---- */

/* What an oracle of a language model says of a prefix: bit k for the k-th letter of the alphabet, and a bit for the
   end. */
#define SEQUENCE_END ((uint32_t)1 << 31)

/* What it remembers of the letters that it has read; all zero before the first. */
typedef struct next_memory {
    bool dead; /* no member begins so */
    size_t a, b, c, length;
    char stack[4], last, bit;
} next_memory;

/* Reads a letter (0: none yet) and says what may come after it. */
typedef uint32_t next_oracle(next_memory *m, char letter);
next_oracle next_flip_flop, next_dyck_1, next_dyck_1_8, next_dyck_2_4, next_shuffle_dyck_2, next_anbncn;
next_oracle next_tomita_1, next_tomita_2, next_tomita_3, next_tomita_4, next_tomita_5, next_tomita_6, next_tomita_7;

/* ---- what is written at each position ---- */

typedef void write_oracle(char *out, const char *w, size_t n);
write_oracle write_parity, write_cycle, write_modular, write_add_low, write_add_high;
write_oracle write_reverse, write_copy, write_rotate, write_sort;
write_oracle write_induction, write_recall, write_queries, write_two_hop;

#endif
