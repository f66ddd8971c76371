/* An auditor in the middle of a model: one layer that a test writes, over channels whose contents the test says. So
   each condition of a layer is met alone, just inside and just outside. */
#ifndef TESTS_AUDIT_BENCH_H
#define TESTS_AUDIT_BENCH_H

#include "audit/audit.h"
#include "test.h"

/* The letters are a and b, and there is an end sentinel. */
enum {
    BENCH_A,                     /* the letter is a */
    BENCH_ONE,                   /* 1 everywhere */
    BENCH_B,                     /* the letter is b */
    BENCH_REAL,                  /* it is a letter */
    BENCH_START,                 /* and these are the sentinels */
    BENCH_END,                   /* */
    BENCH_RAW,                   /* outputs of heads: some a up to here, and ... */
    BENCH_RAW_TOO,               /* ... some b from here on */
    BENCH_MEAN,                  /* of a, over all positions */
    BENCH_INVERSE,               /* 1/(i + 1) */
    BENCH_FREE,                  /* 0, and so are the next two */
    BENCH_PAST = BENCH_FREE + 3, /* exact: some a up to here */
    BENCH_FUTURE,                /* exact: some b from here on */
    BENCH_FEATURES               /* from here on: what the test says */
};

typedef struct audit_bench {
    trap trap;
    arena memory, scratch;
    temper_model *model;
    audit a;
    char why[400]; /* the last refusal */
} audit_bench;

/* `layer`: heads and units, as in a model file, and perhaps a line `read`. `features`: position features, NULL at
   the end. False, and a failed check: no such model. What there is is freed by bench_free, in any case. */
bool bench_begin(audit_bench *b, const char *layer, const char *const *features, temper_type type, uint64_t n);
void bench_free(audit_bench *b);

/* Both halves of the layer, or what follows: NULL if it was accepted, else the message. */
const char *bench_try(audit_bench *b, void (*pass)(audit *a));
const char *bench_heads(audit_bench *b);
const char *bench_units(audit_bench *b);

#endif
