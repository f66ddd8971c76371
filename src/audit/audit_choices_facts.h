/* The claim "hard choices" (doc/certificate.md, "Models without Boolean channels"): what the auditor knows of the
   hard model, and who finds it.

       bundles      which units are one function of one number
       strings      every string up to the length, in rationals: where they are few
       sets         one run per length on sets of rationals {a + k g} within [lo, hi]: else
       recursion    errors of the computed model, length by length, from these facts
       writing      the certificate that follows

   A fact is what two programs must find alike, so that texts can be compared; "Facts about the hard model" fixes each
   of them. */
#ifndef AUDIT_AUDIT_CHOICES_FACTS_H
#define AUDIT_AUDIT_CHOICES_FACTS_H

#include "audit/audit.h"
#include "number/rational.h"

enum {
    GRID_ZERO = 4000,  /* always 0; written "any" */
    GRID_NONE = -9000, /* not on any grid of powers of two; written null */
    STRINGS_MOST = 4096,
    MEMBERS_MOST = 65536,
    SETS_LONGEST = 16384
};

/* ---- exact numbers of the model ---- */

typedef struct exact_rows {
    const model_rows *rows;
    rational *weights; /* those of rows->terms */
} exact_rows;

typedef struct exact_head {
    const model_head *head;
    exact_rows query, key, value, output;
} exact_head;

/* ---- facts ---- */

/* A quantity over all positions of all strings of all lengths. */
typedef struct extent {
    rational *ends; /* [2] */
    bool seen;
    int grid;
    double size, width; /* after extent_close */
} extent;

typedef struct head_claim {
    exact_head exact;
    uint32_t layer, number; /* from 1 */
    extent *query, *key, *value, *output;
    bool single;
    double *gap;                 /* [n + 1]; INFINITY: scores never differ */
    ball *logit, *rounding;      /* derived: the largest of all lengths */
    const char **share, **error; /* [n + 1] texts */
} head_claim;

typedef struct bundle_claim {
    uint32_t layer; /* from 1 */
    uint32_t *units;
    size_t count, capacity;
    double *ratio; /* of each unit: +-2^k, the first is 1 */
    size_t ratio_count, ratio_capacity;
    exact_rows row;    /* one row */
    rational *factor;  /* ratio, */
    rational *bias;    /* bias */
    rational **weight; /* and where it goes, unit by unit */
    double *corners;   /* ascending */
    size_t corner_count;
    extent z;
    double *distance; /* [corner_count + 1] */
} bundle_claim;

typedef struct hard_choices {
    audit *audit;
    const temper_model *model;
    size_t length, channels;
    rational_pool pool;
    bool by_sets;
    exact_rows embedding, read;
    extent *stages; /* [2 layers + 1][channels] */
    head_claim *heads;
    size_t head_count;
    size_t *layer_heads; /* [layers + 1] where a layer's heads begin */
    bundle_claim *bundles;
    size_t bundle_count, bundle_capacity;
    size_t *layer_bundles;    /* [layers + 1] */
    double *margin, *verdict; /* [n + 1], of every letter and of the verdict */
    rational *features;       /* [N][channels] of the present length, 0 where there is none */
    size_t featured;          /* so many positions have those that do not read the length */
    bool every;               /* the proof covers every letter */
    const char **errors;      /* [n + 1] texts */
    ball *largest;
} hard_choices;

static inline size_t choices_positions(const hard_choices *g, size_t n) { return n + 1 + g->model->has_end; }
static inline extent *choices_stage(const hard_choices *g, size_t stage) { return g->stages + stage * g->channels; }

/* The keys of row i: first <= j < end. */
typedef struct key_range {
    size_t first, end;
} key_range;
key_range choices_keys(temper_mask mask, size_t i, size_t positions);

exact_rows exact_rows_make(rational_pool *pool, const model_rows *rows);
bool choices_reads_length(const hard_choices *g, uint32_t channel); /* its feature does */
/* Fills `features` for length n; raises where one is not rational. */
void choices_features(hard_choices *g, size_t n);

void extent_see(extent *e, const rational *x);
void extent_see_ends(extent *e, const rational *lo, const rational *hi, int grid);
void extent_close(extent *e);
int exact_grid(const rational *x);
/* A member of z, or all of it, with its ends. */
void bundle_see(bundle_claim *b, const rational *lo, const rational *hi, int grid);
double least_of(double x, double y);

/* So many of the lengths are done, first in facts, then in errors; raises TEMPER_LIMIT if it is to stop. */
void choices_tell(const hard_choices *g, bool errors, size_t n);

/* ---- who finds them ---- */

void choices_find_bundles(hard_choices *g);
void choices_run_strings(hard_choices *g);
void choices_run_sets(hard_choices *g);
/* The lengths first .. end - 1, in one go, and the steps that it took: at most choices_steps_most(). */
double choices_run_lengths(hard_choices *g, size_t first, size_t end);
double choices_steps_most(void);
/* Empty facts, of the claim that the audit is about. */
void choices_begin(hard_choices *g, audit *a);
void choices_recursion(
    hard_choices *g); /* errors, and whether they are below the margins; raises where they are not */
void choices_print(text *out, const hard_choices *g);

#endif
