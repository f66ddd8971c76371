/* The lab: experiments that check claims about transformers, and write tables, figures and reports (doc/lab.md). It
   is a library of its own over temper's, linked statically: -ltemper-lab. Conventions are those of temper.h. */
#ifndef TEMPER_LAB_H
#define TEMPER_LAB_H

#include "temper.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct temper_lab_info {
    const char *name, *title;
    const char *claim; /* a paragraph: what is claimed and how it is looked at */
} temper_lab_info;
TEMPER_API size_t temper_lab_count(void);
TEMPER_API temper_status temper_lab_about(temper_lab_info *out, size_t index, temper_error *err); /* from 0 */

/* Zero-initialise for the defaults. */
typedef struct temper_lab_options {
    uint64_t seed;
    int quick; /* seconds instead of minutes: smaller lengths, fewer repeats, the same claims */
    int (*progress)(void *context, uint64_t done, uint64_t total); /* may be NULL; non-zero stops: TEMPER_LIMIT */
    void *context;
    unsigned threads; /* 0: one for each core */
} temper_lab_options;

/* An experiment that was run. What it holds depends on its name, the seed and `quick` (and the version), and on
   nothing else. */
typedef struct temper_lab temper_lab;
TEMPER_API temper_status temper_lab_run(temper_lab **out, const char *name, const temper_lab_options *options,
                                        temper_error *err);
TEMPER_API void temper_lab_free(temper_lab *lab);

/* What was claimed, what was measured, and whether that agrees. */
typedef struct temper_lab_claim {
    const char *text, *measured;
    int holds;
} temper_lab_claim;
/* How many claims there are, and one of them, whose texts live as long as the experiment. */
TEMPER_API size_t temper_lab_claims(const temper_lab *lab);
TEMPER_API temper_status temper_lab_claim_at(temper_lab_claim *out, const temper_lab *lab, size_t index,
                                             temper_error *err); /* from 0 */
TEMPER_API int temper_lab_holds(const temper_lab *lab);          /* 1: every claim holds */

/* NAME.md, NAME.json, a NAME-TABLE.csv for every table and a NAME-FIGURE.svg for every figure, in a folder that is
   made if need be. */
TEMPER_API temper_status temper_lab_write(const temper_lab *lab, const char *folder, temper_error *err);
/* The report and the data as they would be written; either may be NULL. */
TEMPER_API temper_status temper_lab_report(char **markdown, char **json, const temper_lab *lab, temper_error *err);

/* Runs an experiment into a folder, unless the folder has the whole outcome of the same experiment, seed, `quick` and
   version, unchanged: then `lab` is NULL. It has NAME.stamp and NAME-part.html, too. The caller frees `lab`. */
typedef struct temper_lab_kept {
    size_t claims, failed;
    temper_lab *lab;
} temper_lab_kept;
TEMPER_API temper_status temper_lab_keep(temper_lab_kept *out, const char *name, const char *folder,
                                         const temper_lab_options *options, temper_error *err);
/* The same as a job: the units of work of every experiment named, for every seed. Zero-initialise, then set
   `seed`. */
typedef struct temper_lab_job_options {
    uint64_t seed;
    uint64_t seeds; /* not 0: a sweep over so many seeds from `seed` on, of claims only, for temper_lab_sweep */
    int quick;
    /* For experiments of one seed, may be NULL: as temper_lab_keep, an experiment that the folder has is not run, and
       one whose last unit comes into the journal is written. It is no part of the digest, and only where the journal
       is anything is written. */
    const char *folder;
} temper_lab_job_options;
TEMPER_API temper_status temper_lab_job(temper_job **out, const char *const *names, size_t count,
                                        const temper_lab_job_options *options, temper_error *err);
/* How many experiments are run: `count`, times the seeds. 0: it is no job of the lab. */
TEMPER_API size_t temper_lab_job_count(const temper_job *job);
/* One of them, in the order of the names and then of the seeds, from a complete journal; the caller frees `lab`. */
TEMPER_API temper_status temper_lab_take(temper_lab_kept *out, const temper_job *job, const temper_journal *journal,
                                         size_t index, temper_error *err);
/* A sweep as an experiment of its own, "sweep": a claim for every claim, that it holds with every seed; tables of
   claims and seeds. */
TEMPER_API temper_status temper_lab_sweep(temper_lab **out, const temper_job *job, const temper_journal *journal,
                                          temper_error *err);

/* report.html in the folder, of all experiments, each of which has been run into it with these options. */
TEMPER_API temper_status temper_lab_page(const char *folder, const temper_lab_options *options, temper_error *err);

/* ---- schedules of one's own ---- */

/* How far softmax scales carry once, since, comparisons, balances and look-ups, with bounded position features
   (doc/schedules.md): by the law in real arithmetic, and by runs of models that have these scales, in a number
   format. Zero-initialise for the defaults. */
enum { TEMPER_SCHEDULED = 5 };

typedef struct temper_schedule_options {
    /* factors of the base: expressions of n, N and i (doc/model.md, "Expressions"), or names such as llama4, yarn:4,
       ssmax:0.43 and log */
    const char *const *scales;
    size_t count;
    int published;    /* constant, Llama 4, YaRN, SSMax, log n, linear, n log n behind them */
    double base;      /* the largest q·k/sqrt(d); 0: the root of head_size */
    size_t head_size; /* 0: 128 */
    temper_type type; /* that the models are run in; not exact */
    int (*progress)(void *context, uint64_t done, uint64_t total); /* may be NULL; non-zero stops: TEMPER_LIMIT */
    void *context;
} temper_schedule_options;

typedef struct temper_schedule_cell {
    size_t
        reach;  /* the worst string of this length was run and is right, 0: of no length; shorter ones that were tried
                     are, too */
    int ends;   /* 1: one letter more was run and is wrong, or refused by overflow; 0: longer strings were not run */
    double law; /* the largest length in real arithmetic; infinite: every */
} temper_schedule_cell;

typedef struct temper_schedule_row {
    const char *name, *factor;
    int own;
    temper_schedule_cell cells[TEMPER_SCHEDULED];
} temper_schedule_row;

typedef struct temper_schedules temper_schedules;
TEMPER_API temper_status temper_schedules_find(temper_schedules **out, const temper_schedule_options *options,
                                               temper_error *err);
TEMPER_API void temper_schedules_free(temper_schedules *schedules);
TEMPER_API size_t temper_schedules_count(const temper_schedules *schedules);
TEMPER_API temper_schedule_row temper_schedules_at(const temper_schedules *schedules, size_t k); /* k < count */
TEMPER_API const char *temper_schedule_operator(size_t k); /* k < TEMPER_SCHEDULED: "once", ... */
/* At given lengths: whether each operator is right at every letter of every string of exactly so many letters. */
typedef enum temper_length_answer { TEMPER_LENGTH_OPEN, TEMPER_LENGTH_YES, TEMPER_LENGTH_NO } temper_length_answer;

typedef struct temper_length_cell {
    temper_length_answer answer;
    double error;        /* yes: proved, in the type, roundings included: no head is farther from its 0 or 1 */
    const char *formula; /* no: a model of this formula, over the letters abcd, has these scales, and was run ... */
    const char *string;  /* ... on this string, as repetitions, and it ... */
    size_t letter;       /* ... is wrong at this letter, from 1, or a number overflows there */
    const char *why;     /* open: why nothing is proved, and nothing that was run is wrong */
} temper_length_cell;

typedef struct temper_length_row {
    const char *name, *factor;
    size_t length;
    temper_length_cell cells[TEMPER_SCHEDULED];
} temper_length_row;

typedef struct temper_lengths temper_lengths;
/* Every scale of the options (without one, every published one) at every length from 1 to 2^24. */
TEMPER_API temper_status temper_lengths_find(temper_lengths **out, const temper_schedule_options *options,
                                             const size_t *lengths, size_t count, temper_error *err);
TEMPER_API void temper_lengths_free(temper_lengths *lengths);
TEMPER_API size_t temper_lengths_count(const temper_lengths *lengths);
TEMPER_API temper_length_row temper_lengths_at(const temper_lengths *lengths, size_t k); /* k < count */

/* The scale as a Python file: the factor of each row, and attention that has it, by scaled_dot_product_attention and
   by flex_attention of PyTorch. Freed with temper_free. */
TEMPER_API temper_status temper_schedule_code(char **out, const char *scale, temper_error *err);

/* A figure as SVG; freed with temper_free. */
TEMPER_API temper_status temper_schedules_draw(char **svg, const temper_schedules *schedules, temper_error *err);

/* ---- biases of one's own ---- */

/* How far a term of the logits that depends on the distance of query and key carries once, since, yesterday and
   comparisons of counts (doc/schedules.md): by proof in real arithmetic, and by runs in a number format. A logit is
   base * factor * c + bias, where c is 1 or 0. Zero-initialise for the defaults. */
enum { TEMPER_BIASED = 4 };

typedef struct temper_bias_options {
    const char *const *biases; /* expressions of d = i - j, also written (i - j), of n and of N */
    size_t count;
    const char *const *scales; /* each bias is tried with the factor 1 and with these: expressions of n, N and i */
    size_t scale_count;
    int published;    /* no bias, ALiBi's slopes and waves of rotary positions behind them */
    double base;      /* the largest q·k/sqrt(d); 0: the root of head_size */
    size_t head_size; /* 0: 128 */
    temper_type type; /* that the models are run in; not exact */
    int (*progress)(void *context, uint64_t done, uint64_t total); /* may be NULL; non-zero stops: TEMPER_LIMIT */
    void *context;
} temper_bias_options;

/* As above; its law is a proof in real arithmetic that every string up to this length is right. */
typedef temper_schedule_cell temper_bias_cell;

typedef struct temper_bias_row {
    const char *name, *bias, *factor;
    int own;
    temper_bias_cell cells[TEMPER_BIASED];
} temper_bias_row;

typedef struct temper_biases temper_biases;
TEMPER_API temper_status temper_biases_find(temper_biases **out, const temper_bias_options *options,
                                            temper_error *err);
TEMPER_API void temper_biases_free(temper_biases *biases);
TEMPER_API size_t temper_biases_count(const temper_biases *biases);
TEMPER_API temper_bias_row temper_biases_at(const temper_biases *biases, size_t k); /* k < count */
TEMPER_API const char *temper_bias_operator(size_t k); /* k < TEMPER_BIASED: "once", ... */
/* A figure as SVG; freed with temper_free. */
TEMPER_API temper_status temper_biases_draw(char **svg, const temper_biases *biases, temper_error *err);

#ifdef __cplusplus
}
#endif
#endif
