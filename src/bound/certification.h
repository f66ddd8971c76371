/* A certificate in the making: what is asked, the verdict so far and the JSON text. proof.h begins one and tries
   lengths. */
#ifndef BOUND_CERTIFICATION_H
#define BOUND_CERTIFICATION_H

#include "base/text.h"
#include "model/model.h"
#include "number/ball.h"
#include "number/number_type.h"

/* Lengths beyond this are not looked at: up to here n + 2 and position features are exact in doubles. */
enum { CERTIFY_LONGEST_BITS = 40 };
#define CERTIFY_LONGEST ((size_t)1 << CERTIFY_LONGEST_BITS)

typedef struct certification {
    const temper_model *model;
    const char *bytes; /* of the model's file */
    size_t size;
    temper_certify_options options;
    const number_type *type; /* of options.type; never rationals */
    bool ascending;          /* how this type adds: doc/certificate.md, "Operations that are covered" */
    bool hard;               /* proves a hard run: "Hard runs" there */
    arena *arena;            /* everything that is made lives here */
    trap *trap;
    temper_claim claim;     /* what a proof would be of */
    temper_verdict verdict; /* TEMPER_UNABLE until something else is known */
    const char *read_off;   /* the formula that the weights compute, with the claim "hard choices"; NULL: none */
    const char *note;       /* why the claim is not "formula"; NULL: it is, or nothing is known */
    const char *unlike;     /* why the model was not recognised by its roles; NULL: it was */
    bool every_position;    /* proved is the truth at every position, not only the verdict */
    text reason;            /* a sentence without a full stop, empty if proved */
    temper_fault fault;
    text json;                    /* the certificate, if proved */
    temper_certified_head *heads; /* what it says of each head, for temper_certificate_head */
    size_t head_count, head_capacity;
    const char *error, *allowed; /* the largest error, and what it must be below */
    const char *logits;          /* the largest error of a logit; NULL: none */
    const char *chances;         /* how far logits are from what the source says; NULL: it is not proved, ... */
    const char *chances_why_not; /* ... for this reason */
    double logit_error;          /* `chances` of any length that was tried, rounded up; infinity: it is not proved */
    struct found_facts *found;   /* of hard choices: what earlier lengths have shown (choice_facts.h) */
} certification;

/* The verdict is "unable" (or stays "refuted"), for this reason; layer and head count from 1, 0: none. The first
   reason given stays. */
void certification_unable(certification *c, size_t layer, size_t head, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "head 1.2 (a S b)", counted from 1, safe to show. */
const char *certification_head(const certification *c, size_t layer, size_t head);

/* Progress as the caller asked for it; raises TEMPER_LIMIT if it asks to stop. */
void certification_progress(certification *c, uint64_t done, uint64_t total);

/* ---- writing the file ---- */

/* The members from `temper-certificate` to `order`, for the claim of c. */
void certificate_begin(certification *c);

/* `"key": [` ... `]`, one element per line. An element is an object on one line, its members given one after the
   other. */
void certificate_array(certification *c, const char *key);
void certificate_array_end(certification *c);
void certificate_element(certification *c);
void certificate_element_end(certification *c);
void certificate_count(certification *c, const char *key, uint64_t value);
void certificate_text(certification *c, const char *key, const char *value);
void certificate_bytes(certification *c, const char *key, const char *value, size_t length);
void certificate_texts(certification *c, const char *key, const char *const *values, size_t count); /* [...] */
void certificate_bound(certification *c, const char *key, const ball *value);

/* One element of "heads", which is also kept in c->heads. */
void certificate_head(certification *c, size_t layer, size_t head, const char *kind, const char *by,
                      const ball *logit, const ball *rounding, const ball *error);

/* The members after the arrays, each on its line as well. */
void certificate_member_bound(certification *c, const char *key, const ball *value);

void certificate_member_text(certification *c, const char *key, const char *value);

/* The end of the file; the verdict is "proved". */
void certificate_end(certification *c);

#endif
