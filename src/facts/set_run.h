/* Running a model on sets of values (lattice.h) instead of values, one length after the other: what facts_proved.c,
   set_head.c, set_rows.c, set_groups.c and set_units.c share. */
#ifndef FACTS_SET_RUN_H
#define FACTS_SET_RUN_H

#include "facts/query_cases.h"
#include "facts/set_column.h"

/* The least difference, not 0, of two keys of a row in one dimension, as keys join it. */
typedef struct key_pairs {
    rational *least;      /* 0: no two differ */
    const spread **kinds; /* the different keys so far */
    bool *met_twice;
    size_t count, capacity, twice_capacity;
    /* Kinds whose remainders modulo a common step rise from one to the next: the nearest ones of a new key are then
       the last and the first. */
    bool rising;
    rational *step, *first, *last;
} key_pairs;

/* The keys that can win row after row while each row has one key more than the one before, every key a group of its
   own (doc/certificate.md, "Facts about the hard model", rule 5). */
typedef struct key_groups {
    bool usable;
    size_t end;                   /* of the row that they are about */
    bool dropped;                 /* some key cannot win */
    bool exact;                   /* the two ends below are those of the row, else bounds on their safe sides */
    spread *query;                /* [query_size] of that row */
    rational *largest, *least_hi; /* the largest lo of a score, and the least hi of one that can win */
    rational *step, *last;        /* the common step, and the largest remainder */
    spread *out;                  /* [value_size] */
} key_groups;

/* A set that goes with the length: (a + k g) within [lo, hi], k integer, moved by `moves`/t, where the length gives
   the integer t. All in units of 2^-LINE_BITS. */
typedef struct drift_set {
    int64_t a, g, lo, hi, moves;
} drift_set;

enum { LINE_BITS = 8, LINE_GAPS = 8 };

/* A channel whose feature is X(i)/T(n), as i/(2N) is, and that only keys read. Its sets at a length are made when
   some head asks for them. */
typedef struct drift_channel {
    const expression *share, *over; /* X and T */
    drift_set *sets;                /* [count] */
    size_t count, capacity;
    int64_t t, most; /* T at this length, and the largest size of a number of `sets` */
    bool usable;
    bool ready; /* `t` and `sets` are those of this length */
    bool here;  /* the column has its sets */
    bool stale; /* it has those of an earlier one */
} drift_channel;

/* A head one of whose keys reads such a channel (drift.c). */
typedef struct drift_head {
    drift_channel *channel; /* NULL: none */
    size_t d;               /* the dimension of the keys that read it */
    size_t tries, checked;  /* rows up to here gave at the length before what they would give */
    bool stale;             /* what is known of keys is that of an earlier length */
    size_t count, rows, key_capacity, score_capacity;
    drift_set *keys, *scores; /* [count], [rows]: the score of a row's last key */
    int64_t most;             /* the largest size of their numbers */
    bool varies;              /* some key, in some dimension, is no number at any length */
    bool queries_differ;      /* from row to row */
    spread *others;           /* [query_size] the union of keys in other dimensions, */
    size_t joined;            /* of so many */
    /* The gaps of rows: a pair of keys in dimension d times `own` or, if `together`, what that has in common with
       `common`. */
    bool together;
    size_t gap_count;
    rational *own, *common; /* [LINE_GAPS] */
} drift_head;

/* A component of a query that is `factor` times what a row of an average head gives (set_means.c). */
typedef struct mean_source {
    struct set_head *head; /* NULL: none */
    size_t row;
    rational *factor;
} mean_source;

typedef struct row_score {
    const rational *value;
    size_t key;
} row_score;

typedef struct set_head {
    const model_head *h;
    uint32_t layer;
    size_t qs, vs;
    set_column *q, *k, *v, *out;
    bool *follows; /* [value_size]: a multiple of the only key */
    /* the keys that have joined, in the order of the mask */
    size_t joined;
    bool from_right;
    spread *keys, *values, *sums; /* what they can be together, and the sums of their values */
    key_pairs *pairs;             /* [query_size] */
    size_t paired;                /* so many of those that have joined are in `pairs` */
    size_t *alike;                /* [N]: the last key up to here that is like the one before it, + 1; 0: none */
    size_t alike_count, alike_capacity;
    query_cases cases;
    spread *kind_values; /* [CASE_KINDS][value_size] what the values of a kind's keys can be together */
    key_groups groups;
    drift_head drift;
    mean_source *means; /* [query_size] */
    set_column *unions; /* [value_size] what the values of a row's keys can be together; NULL: nobody asks */
    /* the present row */
    const spread **query; /* [query_size] */
    size_t first, end;
    bool query_is_not_zero; /* and there is only one dimension */
    spread *now;            /* [value_size]: what it gives */
    bool single;            /* whether no two keys tie */
    rational *gap;          /* 0: all scores are equal */
    /* of the present length */
    bool uniform, tieless;
    double least_gap, log2_gap;
    /* work */
    spread *group;      /* [value_size] */
    spread *difference; /* [2] */
    spread *score;
    spread *scores; /* [score_room] */
    row_score *order;
    size_t score_room;
} set_head;

typedef struct set_bundle {
    const bundle *b;
    set_column *out; /* [channel_count] */
    known input;
    double *distance; /* [corner_count + 1] */
    size_t *members;  /* work */
} set_bundle;

/* A channel after a sublayer: the channel before it, and what is added. */
typedef struct set_sum {
    uint32_t channel;
    set_column *before, *sum;
    size_t term_count, capacity;
    struct set_term {
        set_column *column;
        double weight;
    } * terms;
} set_sum;

typedef struct set_layer {
    set_column **before, **middle; /* [channels] */
    set_head *heads;
    set_bundle *bundles;
    set_sum *head_sums, *unit_sums;
    size_t head_sum_count, unit_sum_count;
} set_layer;

struct facts_run {
    const subject_model *s;
    const temper_model *m;
    column_room room;
    rational_pool pool;
    spread_work work;
    rational *r; /* [8] */
    spread *one; /* [3] */
    rational *lcm;
    size_t lcm_count, n;
    set_column **embedding, **after; /* [channels] */
    drift_channel **drifts;          /* [channels]: NULL where there is none */
    set_layer *layers;
    double margin;      /* of the letters so far */
    double steps;       /* operations with sets */
    size_t drift_heads; /* how often drift_run was all that a head needed */
};

/* Sets made once. */
void set_head_init(facts_run *p, set_head *w, const model_head *h);
void set_bundle_init(facts_run *p, set_bundle *w, const bundle *b);

/* The present length, from the channels before the sublayer. */
void set_head_run(facts_run *p, set_head *w, set_column *const *x);
void set_bundle_run(facts_run *p, set_bundle *w, const model_layer *l, set_column *const *x);

/* Row i, whose keys have joined. */
void set_row_begin_length(set_head *w);
void set_row_put(facts_run *p, set_head *w, size_t i);
void set_find_alike(facts_run *p, set_head *w, size_t size, bool again);

/* drift.c: which channels and heads there are whose sets go with the length in a simple way. */
void drift_find(facts_run *p);
/* The channel at the present length, if its sets are not needed one by one; else false. */
bool drift_embed(facts_run *p, uint32_t channel);
/* The head at the present length, or false if its keys have to be looked at one by one. */
bool drift_run(facts_run *p, set_head *w, set_column *const *x);

/* The sets of a channel at the present length, one by one; and one of them without the feature. */
void set_embed(facts_run *p, uint32_t channel);
void set_embed_letters(facts_run *p, spread *to, uint32_t channel, size_t i);

/* Rows of queries, keys or values from the channels; whether some row has moved. */
bool set_reads_moved(const model_rows *rows, uint32_t row, set_column *const *x);
bool set_project(facts_run *p, set_column *to, const model_rows *rows, uint32_t row, set_column *const *x);

/* set_means.c. _find: which queries are means. _moved: whether what is known of them is other than at the length
   before. _gap: makes row i's gap larger where it can. */
void set_means_find(facts_run *p);
bool set_means_moved(const set_head *w);
void set_means_gap(facts_run *p, set_head *w, size_t i);

/* lcm(1..t). */
const rational *set_lcm(facts_run *p, size_t t);

/* Key j joins the row's keys. */
void set_key_join(facts_run *p, set_head *w, size_t j);
void set_keys_clear(set_head *w);
/* w->pairs of all that have joined. */
void set_pairs_catch_up(facts_run *p, set_head *w);

/* Rules 2 to 5 of a row: fills now, single and gap. */
void set_row_run(facts_run *p, set_head *w, size_t i);

/* Begins the union of what the row can give, or adds to it: one member of `values`, or where several keys tie the
   mean of up to `most` of them. */
void set_add_outcome(facts_run *p, set_head *w, const spread *values, size_t most, bool fresh);

/* Rule 5; whether no two keys tie. */
bool set_groups_run(facts_run *p, set_head *w);

#endif
