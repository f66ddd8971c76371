/* What the files of the run on sets share: one length after the other, a set for each channel at each position after
   each sublayer. Sets of the length before stay where they are. What is made of sets that have not changed is not
   made again, except at the new position; a fact holds for all lengths, so what has not changed adds none. */
#ifndef AUDIT_AUDIT_CHOICES_SET_RUN_H
#define AUDIT_AUDIT_CHOICES_SET_RUN_H

#include "audit/audit_choices_facts.h"
#include "audit/audit_choices_lattice.h"

enum { CASES_DIMENSIONS = 16, CASES_MOST = 4096 };

/* The differences of keys in one dimension. */
typedef struct set_closest {
    rational *least;  /* [most + 1]: the least, not 0, of two of the first (last) t keys; 0: none */
    size_t known;     /* t up to here */
    bool round;       /* all keys so far are constants or have the step, and no two remainders are equal */
    rational *step;   /* 0: constants alone */
    rational *places; /* [most] the remainder of each, in the order in which rows gain keys */
    size_t *sorted;   /* [known] these, ascending */
    size_t *kind;     /* [kinds] the first key of each set among the first `listed` */
    bool *twice;      /* [kinds] it is not the only one */
    size_t kinds, listed;
} set_closest;

/* Rule 5 of the row before: the keys that can win, each a group of its own. */
typedef struct set_winners {
    bool known;
    size_t end;
    bool lost;                         /* some key cannot win */
    bool sharp;                        /* the ends are those of that row, else on their safe sides */
    lattice *query;                    /* [d] of that row */
    rational *low, *high, *step, *top; /* the largest lo, the least hi of a winner, and the largest remainder */
    lattice *output;                   /* [v] */
} set_winners;

/* A row of queries that is `times` the output of an average (rule 9). */
typedef struct set_mean {
    struct set_head *of; /* NULL: it is none */
    uint32_t row;
    rational *times;
} set_mean;

/* A head. The keys of a row are the first or the last t of all, depending on the mask. */
typedef struct set_head {
    head_claim *claim;
    uint32_t d, v;
    bool from_right;
    lattice *query, *key, *value, *output; /* [most][rows] */
    bool constant_keys;                    /* all keys at all positions */
    rational *key_unit;                    /* then: their gcd */
    int64_t *whole_keys;                   /* [most][d], and how many of it they are */
    double *largest_key, *largest_query;   /* [d]; queries that were tried */
    bool keys_are_small;
    rational *apart; /* [d][most + 1] what the first (last) t keys differ by multiples of */
    set_closest *closest;
    size_t alike;     /* neighbours up to here have been compared, */
    size_t *twin;     /* [most]: the last key up to here that is like its left neighbour; 0: none */
    lattice *running; /* [v]: the sums of the values of the first (last) `summed` keys */
    size_t summed;
    set_winners winners;
    bool *output_changed; /* [v] */
    set_mean *mean;       /* [d] */
    lattice *span;        /* [most][v] the union of the values of a row's keys, where some head needs it; else NULL */
    bool *span_changed;   /* [v] */
} set_head;

typedef struct set_run {
    hard_choices *g;
    size_t n, positions, old, most; /* N, that of the length before, and its largest */
    lattice ***x;   /* [2 layers + 1][channels][most]; that of the stage before where nothing is added to a channel */
    bool **changed; /* [2 layers + 1][channels]: at a position that the length before had */
    lattice_work work;
    lattice *s;                   /* [5] scratch */
    rational *t;                  /* [8] scratch */
    rational *lcm;                /* [N + 1] of 1...k */
    lattice *scores;              /* [N] */
    rational *remainders;         /* [N] */
    uint8_t *mark;                /* [N] */
    int64_t *whole_scores;        /* [N] */
    size_t *order;                /* [N] */
    struct layer_point *points;   /* [N] */
    size_t *layers[2], *point_of; /* [N] each */
    double cost;                  /* steps so far */
    set_head *heads, *head;
    bool *again;             /* [channels] scratch */
    rational *adds;          /* [channels] scratch */
    lattice *made;           /* [channels], or rows of a head: scratch */
    lattice **bundle_output; /* [bundles][most][channels that it writes] */
    uint32_t **bundle_writes;
    size_t *bundle_width; /* [bundles] how many channels it writes */
    rational *unit_scratch;
} set_run;

/* What the scores of a row may do: rules 2 to 5. */
typedef struct set_row {
    size_t i;
    key_range keys;
    bool single;
    rational *gap; /* 0: all scores are equal */
} set_row;

enum { CASE_ALONE = 1, CASE_TIED = 2 };

static inline lattice *channel_of(const set_run *s, size_t stage, size_t c, size_t i) { return &s->x[stage][c][i]; }
/* Whether the sublayer before a stage adds to the channel. */
static inline bool is_written(const set_run *s, size_t stage, size_t c) {
    return s->x[stage][c] != s->x[stage - 1][c];
}
static inline const lattice *query_of(const set_head *h, size_t i, uint32_t d) { return &h->query[i * h->d + d]; }
static inline const lattice *key_of(const set_head *h, size_t j, uint32_t d) { return &h->key[j * h->d + d]; }
static inline const lattice *value_of(const set_head *h, size_t j, uint32_t r) { return &h->value[j * h->v + r]; }

/* Puts a set where that of the length before is; whether that was another one. New sets are seen. */
bool set_put(set_run *s, lattice *to, const lattice *x, size_t i, extent *e);

/* Rule 3; false if there are no cases. Marks each key: the only best one, or one of several, in some case. */
bool set_cases(set_run *s, set_row *row);
/* Keys at this length; whether the rule may not apply to rows to which it did. */
bool set_measure_keys(set_run *s, bool again);

typedef struct query_values {
    int64_t first, step, count;
} query_values;

typedef struct case_result {
    int64_t gap; /* 0: no two scores differ */
    bool single;
} case_result;

/* The same where one component of the query varies, by convex layers; false: keys do not rise or fall in it. */
bool set_layers(set_run *s, const set_row *row, const query_values *q, uint32_t varies, case_result *out);

/* The least difference of two of the first (last) t keys. */
const rational *set_closest_of(set_run *s, uint32_t d, size_t t);

/* Rule 5: the outputs of the row, and whether it is single. */
void set_groups(set_run *s, set_row *row, lattice *out);
void set_join_mean(set_run *s, size_t i, uint32_t r, const size_t *keys, size_t count, lattice *out, bool empty);

/* Rule 9. _begin finds which queries are means. _span joins the values of the present head's rows, all rows or the
   new ones; _changed says whether that is other than before where a head's queries come from. _gap makes a row's
   gap larger, which must not be 0. */
void set_mean_begin(set_run *s);
void set_mean_span(set_run *s, bool all);
bool set_mean_changed(const set_head *h);
void set_mean_gap(set_run *s, set_row *row);

/* The t-th key in the order in which rows gain keys. */
static inline size_t set_key_at(const set_run *s, size_t t) { return s->head->from_right ? s->positions - 1 - t : t; }

/* The head's outputs at position i from its queries, keys and values; its gap and ties go into the claim. */
void set_attend(set_run *s, size_t i, lattice *out);
bool set_head_begin(set_run *s, bool again); /* queries, keys and values are there; whether all rows are new */
void set_units(set_run *s, uint32_t layer);
void set_units_allocate(set_run *s);
void set_layers_allocate(set_run *s, arena *a);
void set_spend(set_run *s, double steps); /* raises TEMPER_LIMIT when there were too many */
int lattice_grid(const lattice *x);
void extent_see_lattice(extent *e, const lattice *x);

#endif
