/* The lab: experiments that reproduce claims. An experiment is a name, one paragraph that says what is claimed, and a
   function that fills a `lab` with

       tables    columns with names and types; written as CSV and JSON, long ones not in the report
       claims    sentences that were checked, each with the figure measured; one that does not hold makes the run fail
       figures   charts (draw/chart.h) with a caption
       notes     paragraphs of the report that are neither

   and that asks lab_random for every random number and calls lab_progress now and then. All memory is the lab's
   arena. To add one: a file lab_NAME.c with `const lab_experiment lab_NAME`, and a line in lab.c's list; doc/lab.md
   has the conventions.

   What an experiment makes depends on (name, seed, quick) and the library's version only: not on time, machine or
   threads. So it can be cut into units of work that are done in any order, by threads or machines (lab_job.c): the
   parts of an experiment, and the cells of a part. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "base/sha256.h"
#include "base/text.h"
#include "draw/chart.h"
#include "lab/prose.h"
#include "temper_lab.h"

/* ---- results ---- */

typedef enum lab_type { LAB_TEXT, LAB_NUMBER, LAB_COUNT, LAB_FLAG } lab_type;

typedef struct lab_column {
    const char *name; /* lower case, words joined by _: the head of the CSV */
    lab_type type;
    const char *about; /* a line for the JSON and the report */
} lab_column;

typedef struct lab_cell {
    const char *text;
    double number; /* LAB_NUMBER; infinite or NaN: "not possible", "not measured" */
    uint64_t count;
    bool flag;
} lab_cell;

typedef struct lab lab;

typedef struct lab_table {
    lab *lab;
    const char *name, *title; /* name: of the file; title: a line */
    const lab_column *columns;
    size_t column_count;
    lab_cell *cells; /* [rows][column_count], the last row possibly not full yet */
    size_t cell_count, capacity;
    size_t shown; /* rows in the report and the page; 0: none, it is data */
} lab_table;

typedef struct lab_claim {
    const char *text;     /* "softmax's leak is r/(1+r)" */
    const char *measured; /* "largest difference 3e-16 over 96 rows" */
    const char *figure;   /* name of the one that shows it; "": none */
    bool holds;
} lab_claim;

typedef struct lab_figure {
    const char *name, *title, *caption, *svg;
} lab_figure;

typedef struct lab_note {
    const char *title, *text;
} lab_note;

/* A part of an experiment has its own random numbers and a scratch arena that is emptied after it. Without cells it
   is one unit of work, and what it adds to the lab is the unit's result: it must not look at what other parts have
   added. With cells each cell is a unit: `cell` puts what it measures into a string of bytes (lab_put_... below), and
   `run` reads them all (lab_cell_read), makes tables, claims and figures of them, and is done again wherever the
   results are, so it should take no time. */
typedef struct lab_part {
    void (*run)(lab *l, arena *scratch);
    uint64_t weight;    /* milliseconds, about: for progress */
    const char *figure; /* that shows its claims; NULL: the part says so itself */
    size_t (*cells)(bool quick);
    void (*cell)(text *result, lab *l, size_t cell, arena *scratch);
} lab_part;

typedef struct lab_experiment {
    const char *name;
    const lab_prose *prose; /* the title, and what is claimed */
    void (*run)(lab *l);    /* all of it as one unit; or NULL, and parts */
    const lab_part *parts;
    size_t part_count;
} lab_experiment;

typedef struct lab_result { /* of a unit of work */
    const unsigned char *bytes;
    size_t size;
} lab_result;

struct lab {
    arena memory;
    trap *trap;
    const lab_experiment *experiment;
    uint64_t seed;
    bool quick; /* seconds instead of minutes: smaller lengths, fewer repeats, the same claims */
    int (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
    uint64_t random;         /* state */
    const char *about;       /* figure of the claims to come */
    const lab_result *cells; /* of the part that is put together */
    size_t cell_count;
    bool claims_only;    /* figures are not drawn */
    const char *command; /* that makes it again; NULL: the usual one */
    uint64_t seeds;      /* of a sweep, from `seed` on; 0: it is none */
    lab_table **tables;
    size_t table_count, table_capacity;
    lab_claim *claims;
    size_t claim_count, claim_capacity;
    lab_figure *figures;
    size_t figure_count, figure_capacity;
    lab_note *notes;
    size_t note_count, note_capacity;
};

/* ---- for experiments ---- */

/* Columns are borrowed: a static array. `shown`: how many rows the report prints (SIZE_MAX: all). */
lab_table *lab_table_add(lab *l, const char *name, const char *title, const lab_column *columns, size_t column_count,
                         size_t shown);
#define LAB_TABLE(l, name, title, columns, shown)                                                                    \
    lab_table_add((l), (name), (title), (columns), sizeof(columns) / sizeof *(columns), (shown))

/* The next cell; its type must be the column's. Texts are copied. */
void lab_put_text(lab_table *t, const char *string);
void lab_put_number(lab_table *t, double x);
void lab_put_count(lab_table *t, uint64_t k);
void lab_put_flag(lab_table *t, bool b);

size_t lab_rows(const lab_table *t);
const lab_cell *lab_cell_at(const lab_table *t, size_t row, size_t column);

/* printf for what was measured. */
void lab_claim_add(lab *l, bool holds, const char *claim, const char *measured, ...)
    __attribute__((format(printf, 4, 5)));
void lab_figure_add(lab *l, const char *name, const chart *c);
/* Claims from here on are shown by the figure of that name, which may come later, until the next call; "": by
   none. */
void lab_about(lab *l, const char *figure);
/* A note, in whose text {} stands for the value (NULL: it has none). */
void lab_note_add(lab *l, const lab_prose *prose, const char *value);
const char *lab_text(lab *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* How much of the part, or of the cell, is done. Raises TEMPER_LIMIT if the caller asks to stop. */
void lab_progress(lab *l, uint64_t done, uint64_t total);

/* The same numbers everywhere: splitmix64, doubles in (0, 1), and normal ones by the polar method. lab_reseed gives a
   part of an experiment its own stream, so that changing one part leaves the others as they are. */
void lab_reseed(lab *l, uint64_t part);

uint64_t lab_random(lab *l);
double lab_uniform(lab *l);
double lab_normal(lab *l);

/* ---- results of cells as bytes (lab_bytes.c) ---- */

/* What is put in some order is read in the same order. A reader that meets anything else raises TEMPER_FORMAT. */
typedef struct lab_reader {
    const unsigned char *at;
    size_t left;
    arena *arena; /* of texts, and its trap */
} lab_reader;

void lab_bytes_count(text *t, uint64_t k);
void lab_bytes_number(text *t, double x); /* every bit of it */
void lab_bytes_text(text *t, const char *string);
uint64_t lab_read_count(lab_reader *r);
double lab_read_number(lab_reader *r);
const char *lab_read_text(lab_reader *r);
size_t lab_read_below(lab_reader *r, size_t end); /* a count that must be less */
void lab_read_end(const lab_reader *r);           /* nothing may be left */

lab_reader lab_cell_read(lab *l, size_t cell);

/* Tables, claims, figures and notes (or only claims) as bytes, and added to a lab. */
void lab_contents_put(text *t, const lab *l);
void lab_contents_add(lab *l, const unsigned char *bytes, size_t size);

/* ---- units of work (lab_units.c) ---- */

size_t lab_unit_count(const lab_experiment *e, bool quick);
uint64_t lab_unit_weight(const lab_experiment *e, bool quick, size_t unit);
/* Into a lab as for lab_run, which then is good for nothing else. */
void lab_unit_run(text *result, lab *l, const lab_experiment *e, size_t unit, arena *scratch);
/* lab_run, from the results of all units. */
void lab_assemble(lab *l, const lab_experiment *e, const lab_result *results, arena *scratch);

/* ---- the list, and running ---- */

extern const lab_experiment *const lab_experiments[]; /* ended by NULL */
const lab_experiment *lab_experiment_find(const char *name);

/* Runs into a lab that the caller has zeroed but for seed, quick, claims_only, progress, context; its arena must be
   initialised with the trap. One part after the other, in this thread. */
void lab_run(lab *l, const lab_experiment *e);
bool lab_holds(const lab *l); /* every claim */

/* ---- writing (lab_write.c) ---- */

const char *lab_csv(arena *a, const lab_table *t);
const char *lab_json(arena *a, const lab *l);
const char *lab_markdown(arena *a, const lab *l); /* figures are linked as NAME-FIGURE.svg */

/* NAME.md, NAME.json, NAME-TABLE.csv and NAME-FIGURE.svg in the folder, which is made if it is not there. */
void lab_write(const lab *l, const char *folder, arena *scratch);
/* One of its files; in *list, if there is one, its name and the SHA-256 of its content. */
void lab_write_file(const lab *l, const char *folder, const char *part, const char *ending, const char *content,
                    text *list, arena *scratch);
void lab_digest(char hex[SHA256_HEX + 1], const char *bytes, size_t length);
void lab_write_all(const lab *l, const char *folder, text *list, arena *scratch); /* lab_write with a list */
void lab_number_text(text *t, double x); /* as in reports: three digits, – and ∞ */
void lab_command(text *t, const lab *l); /* that makes the files again */

/* ---- a page of all (lab_page.c) ---- */

typedef struct lab_outcome {
    size_t claims, failed;
} lab_outcome;

lab_outcome lab_outcome_of(const lab *l);

/* An experiment as a part of the page, figures first. */
const char *lab_section(arena *a, const lab *l);
/* The page: parts[k], outcomes[k] of every experiment of the list. */
const char *lab_page(arena *a, const char *const *parts, const lab_outcome *outcomes, uint64_t seed, bool quick);

/* ---- results that are kept (lab_stamp.c) ---- */

/* lab_write, NAME-part.html and NAME.stamp, which names experiment, version, seed, quick and the SHA-256 of every
   file, and its own. */
void lab_keep(const lab *l, const char *folder, arena *scratch);
/* Whether the folder holds the whole outcome of this very run, unchanged. */
bool lab_is_kept(lab_outcome *out, const lab_experiment *e, uint64_t seed, bool quick, const char *folder,
                 arena *scratch);
const char *lab_kept_part(const lab_experiment *e, const char *folder, arena *scratch);

#endif
