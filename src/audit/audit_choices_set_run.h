/* What the files of the run on sets share: one length at a time, a set for each channel at each position. */
#ifndef AUDIT_AUDIT_CHOICES_SET_RUN_H
#define AUDIT_AUDIT_CHOICES_SET_RUN_H

#include "audit/audit_choices_facts.h"
#include "audit/audit_choices_lattice.h"

/* A head at the present length. The keys of a row are the first or the last t of all, depending on the mask. */
typedef struct set_head {
    head_claim *claim;
    uint32_t d, v;
    bool from_right;
    lattice *query, *key, *value, *output; /* [N][rows] */
    bool constant_keys;                    /* all keys at all positions */
    rational *key_unit;                    /* then: their gcd */
    int64_t *whole_keys;                   /* [N][d], and how many of it they are */
    double *largest_key;                   /* [d] */
    bool keys_are_small;
    lattice *joined;     /* [d][N + 1] the union of the first (last) t keys */
    rational *closest;   /* [d][N + 1] the least difference, not 0, of two of them; 0: none */
    bool *closest_known; /* [d] */
} set_head;

typedef struct set_run {
    general *g;
    size_t n, positions, most; /* N, and its largest */
    lattice *x, *sum;          /* [N][channels] */
    lattice_work work;
    lattice *s;           /* [4] scratch */
    rational *t;          /* [8] scratch */
    rational *lcm;        /* [N + 1] of 1...k */
    lattice *scores;      /* [N] */
    rational *remainders; /* [N] */
    uint8_t *mark;        /* [N] */
    size_t *order;        /* [N] */
    double cost;          /* steps so far */
    set_head head;
} set_run;

/* What the scores of a row may do: rules 2 to 5. */
typedef struct set_row {
    size_t i;
    key_range keys;
    bool single;
    rational *gap; /* 0: all scores are equal */
} set_row;

enum { CASE_ALONE = 1, CASE_TIED = 2 };

/* Rule 3; false if there are no cases. Marks each key: the only best one, or one of several, in some case. */
bool set_cases(set_run *s, set_row *row);
/* The head's outputs at position i from its queries, keys and values; its gap and ties go into the claim. */
void set_attend(set_run *s, size_t i);
void set_head_begin(set_run *s); /* queries, keys and values are there */
void set_units(set_run *s, uint32_t layer);
void set_spend(set_run *s, double steps); /* raises TEMPER_LIMIT when there were too many */
int lattice_grid(const lattice *x);
void extent_see_lattice(extent *e, const lattice *x);

#endif
