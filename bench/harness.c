/* What the driver loads with ctypes, so that temper's kernels, a plain C loop, PyTorch and onnxruntime can take turns
   within one process: each call takes and gives row-major arrays [n][d], as the libraries do, and reorders on its own
   time. Also one run of a model through the public API. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "run/kernels.h"

enum { ROWS = 1008 /* the most queries a thread takes at a time */ };

/* ---- one causal head ---- */

typedef struct head_job {
    const kernels *table;
    void *out;
    const void *q;
    const void *kt, *vt;
    size_t n, d, stride, rows;
    int doubles;
    atomic_size_t next;
} head_job;

static void *work(void *argument) {
    head_job *job = argument;
    size_t first[ROWS] = {0}, end[ROWS];
    for (;;) {
        /* from the end: the longest rows first, so that the threads finish together */
        size_t taken = atomic_fetch_add(&job->next, job->rows);
        if (taken >= job->n) return NULL;
        size_t to = job->n - taken, from = to > job->rows ? to - job->rows : 0, rows = to - from;
        for (size_t r = 0; r < rows; r++) end[r] = from + r + 1;
        if (job->doubles)
            job->table->dense_f64((double *)job->out + from * job->d, (const double *)job->q + from * job->d, job->kt,
                                  job->vt, job->stride, first, end, rows, job->d, job->d);
        else
            job->table->dense_f32((float *)job->out + from * job->d, (const float *)job->q + from * job->d, job->kt,
                                  job->vt, job->stride, first, end, rows, job->d, job->d);
    }
}

static int run_threads(head_job *job, int threads) {
    pthread_t other[64];
    int started = 0;
    /* as the runner does it, but one thread, which needs no small parts, gets large ones */
    size_t rows = job->n / (8 * (size_t)threads) / 48 * 48;
    job->rows = threads == 1 ? ROWS : rows > 240 ? 240 : rows < 48 ? 48 : rows;
    while (started < threads - 1 && started < 64 && pthread_create(&other[started], NULL, work, job) == 0) started++;
    work(job);
    for (int t = 0; t < started; t++) pthread_join(other[t], NULL);
    return started == threads - 1 ? 0 : 1;
}

/* The buffer of reordered keys and values is kept between calls, as the runner keeps its own. */
static void *kept;
static size_t kept_size;

void bench_forget(void) {
    free(kept);
    kept = NULL;
    kept_size = 0;
}

static void *scratch(size_t bytes) {
    if (bytes <= kept_size) return kept;
    bench_forget();
    kept = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!kept) return NULL;
    kept_size = bytes;
    return kept;
}

static void transpose_f32(float *out, const float *in, size_t n, size_t d, size_t stride, float factor) {
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < d; c++) out[c * stride + i] = factor * in[i * d + c];
}

static void transpose_f64(double *out, const double *in, size_t n, size_t d, size_t stride, double factor) {
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < d; c++) out[c * stride + i] = factor * in[i * d + c];
}

/* Strides that are multiples of 4096 bytes would put all components of a key into the same cache set. */
static size_t padded(size_t n) { return (n + 63) / 64 * 64 + 32; }

/* The scale 1/sqrt(d) is put on the keys. 0: fine. */
int bench_head_f32(float *out, const float *q, const float *k, const float *v, size_t n, size_t d, int threads,
                   int reference) {
    size_t stride = padded(n);
    float *kt = scratch(2 * d * stride * sizeof *kt);
    if (!kt) return 1;
    float *vt = kt + d * stride;
    transpose_f32(kt, k, n, d, stride, 1 / sqrtf((float)d));
    transpose_f32(vt, v, n, d, stride, 1);
    head_job job = {reference ? &kernels_reference : kernels_select(), out, q, kt, vt, n, d, stride, ROWS, 0, 0};
    return run_threads(&job, threads);
}

int bench_head_f64(double *out, const double *q, const double *k, const double *v, size_t n, size_t d, int threads,
                   int reference) {
    size_t stride = padded(n);
    double *kt = scratch(2 * d * stride * sizeof *kt);
    if (!kt) return 1;
    double *vt = kt + d * stride;
    transpose_f64(kt, k, n, d, stride, 1 / sqrt((double)d));
    transpose_f64(vt, v, n, d, stride, 1);
    head_job job = {reference ? &kernels_reference : kernels_select(), out, q, kt, vt, n, d, stride, ROWS, 1, 0};
    return run_threads(&job, threads);
}

const char *bench_kernels_name(void) { return kernels_select()->name; }

/* ---- the plain loop ---- */

void bench_plain_f32(float *out, const float *q, const float *k, const float *v, float *scores, size_t n, size_t d) {
    float scale = 1 / sqrtf((float)d);
    for (size_t i = 0; i < n; i++) {
        float best = -INFINITY, sum = 0;
        for (size_t j = 0; j <= i; j++) {
            float s = 0;
            for (size_t c = 0; c < d; c++) s += q[i * d + c] * k[j * d + c];
            scores[j] = s * scale;
            if (scores[j] > best) best = scores[j];
        }
        memset(out + i * d, 0, d * sizeof *out);
        for (size_t j = 0; j <= i; j++) {
            float w = expf(scores[j] - best);
            sum += w;
            for (size_t c = 0; c < d; c++) out[i * d + c] += w * v[j * d + c];
        }
        for (size_t c = 0; c < d; c++) out[i * d + c] /= sum;
    }
}

void bench_plain_f64(double *out, const double *q, const double *k, const double *v, double *scores, size_t n,
                     size_t d) {
    double scale = 1 / sqrt((double)d);
    for (size_t i = 0; i < n; i++) {
        double best = -INFINITY, sum = 0;
        for (size_t j = 0; j <= i; j++) {
            double s = 0;
            for (size_t c = 0; c < d; c++) s += q[i * d + c] * k[j * d + c];
            scores[j] = s * scale;
            if (scores[j] > best) best = scores[j];
        }
        memset(out + i * d, 0, d * sizeof *out);
        for (size_t j = 0; j <= i; j++) {
            double w = exp(scores[j] - best);
            sum += w;
            for (size_t c = 0; c < d; c++) out[i * d + c] += w * v[j * d + c];
        }
        for (size_t c = 0; c < d; c++) out[i * d + c] /= sum;
    }
}

/* ---- models ---- */

temper_status bench_model_run(int *accept, unsigned char *truth, const temper_model *model, const uint32_t *letters,
                              size_t n, temper_type type, int threads, temper_error *err) {
    temper_run_options options = {.unchecked = 1, .type = type, .threads = (unsigned)threads};
    temper_run *run;
    temper_status status = temper_model_run(&run, model, letters, n, &options, err);
    if (status) return status;
    *accept = temper_run_about(run).accept;
    for (size_t i = 0; truth && i < temper_run_about(run).size; i++)
        truth[i] = (unsigned char)temper_run_about(run).truth[i];
    temper_run_free(run);
    return TEMPER_OK;
}
