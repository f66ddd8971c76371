/* What the files about heads share: rows of a head, and the roles that other files find. */
#ifndef RECOGNISE_HEAD_ROWS_H
#define RECOGNISE_HEAD_ROWS_H

#include "recognise/recognise_work.h"

/* The present head. */
static inline const model_head *head_of(const recognising *w) {
    return &w->m->layers[w->layer - 1].heads[w->head - 1];
}

/* Softmax as it stands; else its hard choice. */
static inline bool is_soft(const recognising *w) { return !w->hard && head_of(w)->choice == TEMPER_CHOICE_SOFTMAX; }

/* ---- rows ---- */

/* A sum of Booleans: its value on letters and sentinels. */
typedef struct boolean_sum {
    fn f; /* numbers */
    double start, end;
    size_t terms;
} boolean_sum;

void add_boolean(recognising *w, boolean_sum *s, const model_term *t);

static inline const content *term_content(const recognising *w, const model_term *t) { return &w->now[t->channel]; }
const position_form *term_form(const recognising *w, const model_term *t); /* POSITION_UNKNOWN: no feature */
static inline bool is_soft_only(const recognising *w, const model_term *t) {
    return w->m->channels[t->channel].soft_only;
}

/* A hard run has 0 there: the feature is left out. What letters or layers write to a soft channel stays. */
bool is_silent(const recognising *w, const model_term *t);

/* A row of Booleans only. */
boolean_sum boolean_row(recognising *w, const model_rows *r, uint32_t row, const char *what);

/* A row that is 0 or 1 on letters and 0 on sentinels, of Booleans only. */
fn condition_row(recognising *w, const model_rows *r, uint32_t row, const char *what);

/* A row with one term; NULL if it has more, or none. */
static inline const model_term *single_term(const model_rows *r, uint32_t row) {
    return rows_size(r, row) == 1 ? rows_begin_of(r, row) : NULL;
}

/* A row that is this feature with weight 1. */
bool is_feature(const recognising *w, const model_rows *r, uint32_t row, position_kind kind, bool mirrored);

const row_shape *shape_rows(recognising *w, const model_rows *r);

/* The number of the shape among all that were met. */
uint32_t head_shape_number(recognising *w, const head_shape *s);

/* ---- roles ---- */

/* The candidates of the present head, which takes the nearest of them. */
fn find_nearest(recognising *w, head_shape *s);

/* What is asked of sums and counts by heads that compare them with 0, on one side or both. */
fn find_compare(recognising *w, head_shape *s);
fn find_balance(recognising *w, head_shape *s);

/* Where a look-up reads. */
typedef struct lookup_place {
    fn x;          /* the number of positions with x, over the mask; 0: something else */
    bool forward;  /* counts are over j >= i */
    bool from_end; /* positions are numbered from the end */
    count_id sum;
    double constant; /* the number of the position is the sum and this */
} lookup_place;

void recognise_lookup(recognising *w, head_shape *s, lookup_place *out);

/* What the look-up reads as value v. */
fn looked_up(recognising *w, const lookup_place *p, uint32_t v);

/* ---- patterns (recognise_match.c) ---- */

/* Positions i that have one query, and the candidates j for them. */
typedef struct match_case {
    fn here, there;
    double size; /* what the products of the rows add up to at most, in any order */
} match_case;

/* Whether a query row reads what differs between letters. */
bool is_match(const recognising *w);
/* The cases of the present head; fills the shape. */
const match_case *find_match(recognising *w, head_shape *s, size_t *count);
/* What it reads as a value y. */
fn matched(recognising *w, const match_case *cases, size_t count, fn y);

#endif
