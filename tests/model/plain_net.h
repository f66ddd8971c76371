/* A transformer from elsewhere: dense arrays with biases, as TransformerLens and GPT-2 have them, its forward pass,
   and its files. The forward pass is written from the definitions of those libraries and shares nothing with
   temper. */
#ifndef TESTS_PLAIN_NET_H
#define TESTS_PLAIN_NET_H

#include "model/tensor_file.h"
#include "temper.h"
#include "test.h"

enum { NET_WIDTH = 8, NET_LONGEST = 5, NET_POSITIONS = NET_LONGEST + 2, CONFIG_SIZE = 1 << 14 };

typedef struct matrix { /* absent if data is NULL */
    unsigned rank;
    size_t shape[3];
    double *data;
} matrix;

typedef struct net_layer {
    size_t heads, size, units; /* size: d_head */
    temper_choice choice[NET_WIDTH];
    temper_mask mask[NET_WIDTH];
    matrix q, k, v, o, b_q, b_k, b_v, b_o, in, b_in, out, b_out;
} net_layer;

typedef struct net {
    test_random *r;
    bool lens, soft, exact; /* exact: every number of a run is a small dyadic one */
    size_t rows, width, logits, contexts, layers;
    bool has_end, at_first, tied;
    int token[4]; /* rows of a, b, start, end; -1: zero */
    matrix embed, positions, unembed, b_u;
    net_layer layer[3];
    int feature_channel;                        /* -1: none; else i % 3 - 1 is added to it */
    bool scaled;                                /* softmax with scale ln(N) + 1, else 1/sqrt(d_head) */
    double (*row_scale)(size_t i, size_t size); /* not NULL: the scale of row i instead; not in files */
    int answer; /* 0: logit 1 > logit 0, 1: logit 1 > threshold, 2: channel 1 > threshold */
    double threshold;
} net;

void net_random(net *n, test_random *r);
void net_free(net *n);

/* The residual stream after the last layer, on a string of at most NET_LONGEST letters. */
typedef double net_stream[NET_POSITIONS][NET_WIDTH];
void net_run(const net *n, const uint32_t *letters, size_t length, net_stream x);

/* How far the answer at a position is above its threshold. */
double net_margin(const net *n, const double *x);

/* ---- files ---- */

typedef struct plain_file {
    test_random *r; /* chooses number types */
    arena memory;
    size_t count;
    tensor_plan plans[64];
    double *data[64];
} plain_file;

/* Adds a tensor, if it is not absent, in a random number type. */
void plain_put(plain_file *f, const matrix *m, const char *format, ...) __attribute__((format(printf, 3, 4)));
void plain_put_net(plain_file *f, const net *n);
void plain_write(plain_file *f, const char *path);

typedef struct import_config {
    char bytes[CONFIG_SIZE];
    size_t length;
} import_config;

void config_say(import_config *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void config_describe(import_config *c, const net *n); /* all of it */
void config_write(const import_config *c, const char *path);

#endif
