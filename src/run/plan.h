/* How each head can be evaluated without looking at all pairs (doc/theory.md, "What is sharper here"). The weights
   say it: which channels feed query and key, and what those can be on the start sentinel, on letters and on the
   end sentinel. */
#ifndef RUN_PLAN_H
#define RUN_PLAN_H

#include "model/model.h"

typedef enum head_plan {
    PLAN_UNIFORM,  /* all scores equal: a running sum */
    PLAN_SCAN,     /* the query is the same everywhere: one scan */
    PLAN_FEW_KEYS, /* keys are zero on letters: the sentinels directly, the letters as one class */
    /* two-dimensional keys that depend on the position only: the best key by descent, and its neighbours */
    PLAN_PEAKED,
    PLAN_CLASSES, /* the query is one of few: one scan for each that occurs; all pairs if there turn out to be many */
    PLAN_DENSE    /* all pairs; or one scan per query if there turn out to be few different ones */
} head_plan;

typedef struct model_plan {
    uint32_t *head_start; /* [layers + 1] */
    head_plan *heads;
    bool past, future; /* some mask looks that way; an `all` mask both */
    bool dense;        /* some head is dense, or may turn out to be */
    bool adaptive; /* some head's scale depends on the row, by its gap or position: only the dense pass runs those */
} model_plan;

void plan_make(model_plan *p, const temper_model *m, bool hard, arena *a);
const char *plan_name(head_plan plan);

/* About how many multiply-adds and exps a head costs on N positions. */
double plan_cost(head_plan plan, const model_head *h, double size);

#endif
