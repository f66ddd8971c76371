/* One unit of a check: the formula, the model with hard choices and the model as it is, compared on the unit's
   strings. */
#ifndef CHECK_COMPARE_H
#define CHECK_COMPARE_H

#include "check/tree.h"
#include "job/job.h"
#include "check/units.h"

/* The letters of a class. */
typedef struct check_members {
    uint32_t *letters;
    size_t count;
} check_members;

/* What is compared, on which strings. */
typedef struct check_plan {
    const temper_spec *spec; /* NULL: none */
    const temper_model *model;
    temper_model_info about;
    check_sides sides;            /* the same two, with letters and outputs matched */
    size_t exhaustive, most;      /* all strings up to a length; the longest random one */
    size_t longest;               /* of both */
    uint64_t random, seed, total; /* random strings; total: all strings */
    bool proved;                  /* of the model as it is, up to the longest string */
    bool roles;                   /* proved by the heads' roles; else each string is run alone */
    bool has_tree, mirrored;      /* and both look one way */
    const check_members *members; /* [classes] */
    unit_plan units;
} check_plan;

/* What came of a unit. */
typedef struct unit_result {
    bool found;       /* a difference; else only strings and margin mean something */
    uint64_t strings; /* of the unit; found: of the layer up to that one, or of the random unit */
    double margin;    /* found among all strings of a length: of that length only the counterexample's */
    uint32_t *word;   /* in the model's letters */
    size_t n;
    size_t position; /* of the difference, from 1; 0: the verdict, or before the first letter */
    uint32_t output; /* which differs there, as the model numbers it */
    unsigned char left, right, left_value, right_value; /* sides, and what they say */
} unit_result;

typedef struct comparison comparison;

/* In arena a. */
comparison *comparison_new(const check_plan *plan, unsigned threads, arena *a);
void comparison_free(comparison *c); /* what is not in the arena */

/* False: given up because the watch said so. out->word lives until the next unit. */
bool comparison_run(unit_result *out, comparison *c, uint64_t unit, const job_watch *watch);

/* The larger of two margins; NaN stays. */
double margin_larger(double margin, double other);

extern const char *const side_names[];

#endif
