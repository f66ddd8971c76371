/* The auditor of ordinary transformers (doc/ordinary.md, "The proof" and "The audit"): a certificate against the file
   that other programs load.

       lift_file          ordinary/lift: columns, heads with their roles and steps, from the weights alone
       ordinary_finite    kernels have a number for everything
       ordinary_dead      also on strings with <dead>, after which nothing else is legal
       ordinary_exact     doubles hold every number that the next two add up
       ordinary_machine   a model without counts is a finite machine: it is followed beside the automaton of the
                          source, or beside those of a transducer's outputs, where their meaning was not found
       ordinary_meaning   a model with counts: what each column means, as of other models
       ordinary_bounds    how far any run of the page's kernels is from that

   It shares with the prover the readers of files and src/number; what undoes the lowering is written from the page,
   as all of this is. */
#ifndef AUDIT_AUDIT_ORDINARY_H
#define AUDIT_AUDIT_ORDINARY_H

#include "audit/audit.h"
#include "ordinary/lift/lift.h"

/* What is claimed. */
typedef struct ordinary_claim {
    const char *source;
    temper_syntax syntax;
    temper_at at;
    temper_kind kind;
    bool accepts_empty;
    bool viable; /* the claim is "formula if viable is right" */
    const char **letters;
    size_t letter_count, letter_capacity;
    bool words;        /* blanks separate letters: it says so, or a letter has several characters */
    const char *other; /* the letter that unknown ones are read as; NULL: there is none */
    bool llama;
    uint64_t length;
    bool f16_weights, f16_cache;
    bool mirrored;
    const char *positions;
    uint32_t zero_sums;
    double allowed;
    struct ordinary_claimed_file {
        const char *name, *sha256;
    } * files;
    size_t file_count, file_capacity;
    struct ordinary_claimed_head {
        uint32_t layer, head;
        const char *role, *which; /* which: NULL if it is not there */
    } * heads;
    size_t head_count, head_capacity;
} ordinary_claim;

/* Raises TEMPER_FORMAT. */
ordinary_claim *ordinary_claim_read(const char *bytes, size_t length, arena *a);

typedef struct ordinary_audit {
    trap *trap;
    arena *arena, *scratch; /* scratch is reset by whoever uses it */
    const ordinary_claim *claim;
    const lift *u;
    temper_spec *spec;
    audit *shell;    /* for the parts of the auditor that read sources */
    double *largest; /* [heads] of once: the largest key after any prefix, in units, if the machine has met all */
    double *errors;  /* [heads] what ordinary_bounds finds */
    double logits;   /* the same of logits */
} ordinary_audit;

/* Raise what is wrong with a certificate of an ordinary transformer: beside the bytes of its GGUF file, or beside
   the path of a file or a folder. */
void ordinary_check_gguf(entry *e, const audit_call *x);
void ordinary_check_path(entry *e, const audit_call *x, const char *path);

/* Files that a certificate may list. */
enum { ORDINARY_WEIGHT_FILES = 3 };
extern const char *const ordinary_weight_files[ORDINARY_WEIGHT_FILES];

/* The parts of an audit, in this order; a folder's files are compared between the last two. */
ordinary_audit *ordinary_audit_begin(entry *e, const char *certificate, size_t length);
const struct ordinary_model *ordinary_check_file(ordinary_audit *s, const char *gguf, size_t size);
/* Letters that the clients (model/letter_clients.h) cannot read are refused. */
void ordinary_check_letters(const ordinary_audit *s, const struct ordinary_model *m, unsigned clients);
void ordinary_check_claim(ordinary_audit *s);

const struct ordinary_claimed_file *ordinary_file_of(const ordinary_audit *s,
                                                     const char *name); /* NULL: it is not listed */
void ordinary_check_digest(const ordinary_audit *s, const char *name, const char *bytes, size_t size);

/* Raise TEMPER_RANGE: what is not proved, and of which head; layer 0: none. */
_Noreturn void ordinary_refuse(const ordinary_audit *s, uint32_t layer, uint32_t head, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Fills spec and shell from the claim. */
void ordinary_read_source(ordinary_audit *s);

/* The model's outputs are those of the source: by one of the two ways below. */
void ordinary_check_meaning(ordinary_audit *s);
void ordinary_machine_check(ordinary_audit *s);
void ordinary_meaning_check(ordinary_audit *s);

/* The token that an output of a transducer writes; what is empty is the end. */
uint32_t ordinary_output_token(const ordinary_audit *s, size_t output);

/* What a column means: a number on letters, and one on the start sentinel. */
typedef struct ordinary_sense {
    dd letters;
    double start;
    bool known;
    bool shifted; /* it is what `before` was one position earlier, and `copied` at the first letter */
    dd before;
    double copied;
} ordinary_sense;

/* [columns] what each means after the last layer; the source need not be read. */
ordinary_sense *ordinary_read_meaning(ordinary_audit *s);

/* with_counts: also if sums that only go up, or only go down, are compared with a number. */
bool ordinary_is_finite(const lift *u, bool with_counts);

/* Raises where a double does not hold what is added up: the two ways above go by equal numbers. */
void ordinary_exact_check(const ordinary_audit *s);

/* Refuses weights and rows beyond what kernels have numbers for. */
void ordinary_finite_check(const ordinary_audit *s);
/* The same on strings with <dead>; refuses a model in which one may go on after it. */
void ordinary_dead_check(const ordinary_audit *s);

/* Whether a column depends on the position alone, other than by the embedding of tokens. */
static inline bool ordinary_is_place(const lift_column *c) { return c->place && c->writer != LIFT_TOKEN; }

/* Fills errors and logits; raises where a bound is not good enough. */
void ordinary_bounds(ordinary_audit *s);

#endif
