/* The parts of `temper lab schedules`: what operators need of a scale, what schedules give, and models that run with
   them. */
#ifndef LAB_SCHEDULES_H
#define LAB_SCHEDULES_H

#include "lab/lab.h"
#include "model/expression.h"

typedef enum operator_kind {
    SCHEDULED_ONCE,
    SCHEDULED_SINCE,
    SCHEDULED_COMPARE,
    SCHEDULED_BALANCE,
    SCHEDULED_LOOKUP,
    SCHEDULED
} operator_kind;

extern const char *const operator_names[SCHEDULED];
extern const char *const operator_needs[SCHEDULED]; /* how the needed scale grows */

/* The least scale with which the worst row of a string of n letters leaves the head's output at 3/4 or more, or at
   1/4 or less: what a gate makes exactly 1 or 0 (doc/theory.md, "Boolean channels that heal"). Scores are those of
   compiled models by temperature, with features of at most 1 (doc/theory.md, "Heads"). */
double operator_scale(operator_kind op, double n);
/* The same if the scale is divided by the row's own gap. */
double operator_adaptive(operator_kind op, double n);

typedef struct schedule {
    const char *name;
    const char *factor; /* of the base: an expression of n, N and, per row, i */
    bool per_row, adaptive;
    const char *word; /* that users write for it; NULL: none */
} schedule;

extern const schedule schedules[];
extern const size_t schedule_count;

/* ---- what users write (schedule_names.c) ---- */

/* The factor that a user wrote: an expression, or the name of a schedule, such as llama4 or yarn:4. */
const char *schedule_factor(const char *written, arena *a);
/* Raises TEMPER_RANGE if the factor is negative or no finite number in some row from `first` to `last` of a string
   of n letters, and says where in the expression that comes from. The least and the largest one. */
void schedule_range(double *low, double *high, const expression *factor, const char *written, double first,
                    double last, double n, double size, trap *t);

/* The factor in the row that is worst for the operator: the last one, or with per_row the first that matters. */
double schedule_at(const expression *factor, operator_kind op, double n);

/* The base scale: q·k/sqrt(d) of vectors of length sqrt(d), as a norm of queries and keys makes them, lies between 0
   and sqrt(d) where they are orthogonal or aligned. */
#define SCHEDULE_BASE 0x1.6a09e667f3bcdp+3 /* sqrt 128 */

enum { SCHEDULE_TRAINED = 8192 };

/* The largest length such that it and all before it are carried, up to `most`, which stands for all lengths. */
double schedule_reach(const schedule *s, const expression *factor, operator_kind op, double base, double most);
/* The same for any factor that a user may write: of one that may fall, or of which lengths have to be looked at one
   by one, less may be known (schedule_law.c). */
double schedule_law(const expression *factor, operator_kind op, double base, double most);
/* Whether the factor never falls where i, n or N grow, by its form. */
bool schedule_never_falls(const expression *factor);
/* The least base with which all lengths up to n are carried. */
double schedule_base(const schedule *s, const expression *factor, operator_kind op, double n);

/* ---- models (schedule_models.c) ---- */

/* Two heads of the operator and a gate that wants both: wrong as soon as the two errors together exceed 1/2. */
typedef struct trial_model trial_model;
const temper_model *trial_build(lab *l, const char *formula, arena *a); /* with its own scales */
trial_model *trial_make(lab *l, const schedule *s, operator_kind op, double base, arena *a);
/* The same, run in another type. A string that the run refuses, because a number overflows, counts as wrong. */
trial_model *trial_make_in(lab *l, const schedule *s, operator_kind op, double base, temper_type type, arena *a);
bool trial_can(const schedule *s, operator_kind op,
               double n); /* whether a model for n letters can have this schedule */
/* Strings that are hardest in this row, and one of them; the row in which it is. Once: what is looked for stands at
   the very beginning. Since: the row itself is the one candidate that counts; or every other position is, so that two
   neighbours that meet are seen in every row. Compare: equal counts, of nothing and of as much as possible. Look-up:
   the count is in the middle of the row. */
size_t trial_strings(operator_kind op);
size_t trial_string(uint32_t *letters, operator_kind op, size_t which, size_t n, size_t row);
const char *trial_formula(operator_kind op);
/* Whether the model is wrong at this letter, or refuses the string because a number overflows there. */
bool trial_wrong_at(trial_model *t, const uint32_t *letters, size_t n, size_t row, arena *scratch);
/* Whether the model is right at every letter of these strings of n letters, and how many of `count` random ones of
   `least` to n letters it has wrong. */
bool trial_worst(trial_model *t, size_t n, arena *scratch);
bool trial_all(trial_model *t, size_t n, arena *scratch); /* whether it is right on all 4^n strings; n < 8 */
size_t trial_random(trial_model *t, lab *l, size_t least, size_t n, size_t count, arena *scratch);

#endif
