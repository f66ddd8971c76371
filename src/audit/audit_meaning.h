/* What heads find, as variables of diagrams. A function here says something about a letter's position: of the letter,
   of being the first or last one, and of atoms. Each atom is a question about other positions, asked of functions;
   the same question is the same variable, whether a head of the model or an operator of the source asks it. So both
   sides are built with these makers, and what they call equal is equal on every string.

   Strict questions (j < i, j > i) are the atoms; a question that includes i is put together from the strict one and
   the function at i:

       there is a j <= i with f            f  or  there is a j < i with f
       g at the last j <= i with f         g  or  not f and (g at the last j < i with f)        (g implies f)
       g at the first j <= i with f        there is a j <= i with (g and no earlier one has f)   (g implies f)

   An atom that looks back is false at the first position, one that looks forward at the last. Where such a compound
   stands in front of a "yesterday" the strict question is what is meant (its j <= i - 1 is j < i); and there is a j
   with (there was one before) says no more than there is one.

   Atoms that read at one position (the last j < i with f, or i - 1, or a computed one) know of each other: where g
   excludes h there, the answers exclude each other, and where g implies h, so do they. */
#ifndef AUDIT_AUDIT_MEANING_H
#define AUDIT_AUDIT_MEANING_H

#include "audit/audit_diagram.h"
#include "base/table.h"

typedef struct meaning {
    diagram d;
    arena *arena, *scratch;
    uint64_t letters;
    uint32_t letter_bits; /* variables 0 ... of the letter's number */
    dd first, last;
    table atoms;              /* question -> its dd */
    table yesterday;          /* (direction, compound) -> the strict question */
    table exists, everywhere; /* the same for "there is" alone */
    table remainders;         /* a test of a remainder -> what was tested, + 1 */
    struct audit_remainder {
        bool past;
        uint32_t test;
        dd f;
        int64_t weight, constant, modulus, residue;
    } * tested;
    size_t tested_count, tested_capacity;
    table readings; /* (question, direction, where) -> the last reading, + 1 */
    struct audit_reading {
        dd value, answer;
        uint32_t before; /* of the same choice, + 1; 0: none */
        uint32_t count;  /* how many there are, itself included */
    } * read;
    size_t read_count, read_capacity;
} meaning;

/* `scratch` is reset by functions that need it. */
void meaning_init(meaning *m, uint64_t letters, arena *a, arena *scratch);

typedef enum question {
    ASK_EXISTS,
    ASK_NEAREST,
    ASK_STEP,
    ASK_SUM,
    ASK_DIGIT,
    ASK_RESIDUE,
    ASK_READ,
    ASK_OPAQUE
} question;

/* What an atom is known by. Unused fields are 0; there is no padding. */
typedef struct atom_key {
    uint32_t question, past, f, g;
    int64_t number[4];
} atom_key;

/* The first of `count` variables that are known by these bytes, made if they are new. */
uint32_t meaning_variables(meaning *m, const void *key, size_t length, uint32_t count, bool *fresh);

/* The answer of the atom `key` that reads `value` at a position that is known by `place`; false where not `inside`.
   Answers at one place exclude and imply each other as values do. */
dd meaning_reading(meaning *m, const atom_key *key, const atom_key *place, dd inside, dd value);

dd meaning_letters(meaning *m, const uint32_t *members, size_t count); /* sorted */

/* Is there a j of the mask where f holds? */
dd meaning_exists(meaning *m, temper_mask mask, dd f);

/* The value at the last (or first) j of the mask where `where` holds; false if there is none. `value` implies
   `where`. */
dd meaning_chosen(meaning *m, temper_mask mask, bool last, dd where, dd value);

/* f at the position before (after); false at the edge. */
dd meaning_step(meaning *m, bool past, dd f);

/* Sum over j <= i of past + sum over j >= i of future + constant >= 0; the leaves are whole numbers. */
dd meaning_at_least(meaning *m, dd past, dd future, double constant);

/* audit_place.c: the value at the position e. e is the sum over j <= i (j >= i) of `adds`, plus ends * (n + 1),
   plus the constant; all are whole numbers. False if there is no such position. */
dd meaning_read(meaning *m, bool past, dd adds, double ends, double constant, dd value);

/* The greatest common divisor. */
int64_t meaning_divisor(int64_t a, int64_t b);

typedef enum residue_test { RESIDUE_EQUAL, RESIDUE_AT_MOST } residue_test;

/* (weight * c + constant) mod modulus, = or <= residue, c the number of j <= i (j >= i) with f; 0 <= residue <
   modulus < 2^62. */
dd meaning_residue(meaning *m, bool past, dd f, int64_t weight, int64_t constant, int64_t modulus, residue_test test,
                   int64_t residue);

/* (weight * c) mod modulus as a number; modulus at most RESIDUE_TABLE. */
enum { RESIDUE_TABLE = 1 << 16 };
dd meaning_remainder(meaning *m, bool past, dd f, int64_t weight, int64_t modulus);

#endif
