/* The kernels by themselves: dense softmax attention against its floor (the multiply-adds and the exps alone) and a
   plain C loop; a scanned head against memcpy. CSV on stdout; everything measured in one process, interleaved, best
   and median of the repetitions.

       kernels_bench [--n 4096] [--d 8] [--reps 7] [--threads 2] [--only dense|scan] */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include "run/kernels.h"

enum { REPS_LIMIT = 1000, THREADS_LIMIT = 64 };

static double clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* What one thread does is timed by its own processor time, which other programs disturb least. */
static double now(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }
static double wall(void) { return clock_ns(CLOCK_MONOTONIC); }

static uint64_t seed = 88172645463325252u;
static double uniform(void) { /* -1 .. 1 */
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}

static void *obtain(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory) {
        fprintf(stderr, "kernels_bench: no memory\n");
        exit(2);
    }
    return memset(memory, 0, (bytes + 63) / 64 * 64);
}

typedef struct sample {
    double times[REPS_LIMIT];
    int count;
} sample;

static void note(sample *s, double time) {
    if (s->count < REPS_LIMIT) s->times[s->count++] = time;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double best(sample *s) {
    qsort(s->times, (size_t)s->count, sizeof *s->times, compare);
    return s->times[0];
}

static double median(sample *s) {
    qsort(s->times, (size_t)s->count, sizeof *s->times, compare);
    return s->times[s->count / 2];
}

/* ---- the floor ---- */

/* A floor is timed for as many operations as the head has, up to OPERATIONS and EXPS_TIMED: a shorter loop would meet
   moments at which the processor is fastest that no head as long as these lasts in, and its best time would be no
   floor of the head's. */
enum { OPERATIONS = 1000000000, EXPS_TIMED = OPERATIONS / 16 };

static double at_most(double count, double most) { return count < most ? count : most; }

/* ns per multiply-add, in CHAINS independent chains in registers, in vectors as long as those of the kernels. */
enum { CHAINS = 12 };

#define TIME_MULTIPLY_ADDS(name, instructions, vector, real, once, set, add_product)                                 \
    __attribute__((target(instructions))) static double name(double count) {                                         \
        vector a[CHAINS], x = set((real)0.999), y = set((real)0.001);                                                \
        for (int k = 0; k < CHAINS; k++) a[k] = set((real)k);                                                        \
        long rounds = 1 + (long)(count / (CHAINS * once));                                                           \
        double start = now();                                                                                        \
        for (long i = 0; i < rounds; i++)                                                                            \
            _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) a[k] = add_product(a[k], x, y);                \
        double time = now() - start;                                                                                 \
        for (int k = 1; k < CHAINS; k++) a[0] += a[k];                                                               \
        volatile vector sink = a[0];                                                                                 \
        (void)sink;                                                                                                  \
        return time / ((double)rounds * CHAINS * once);                                                              \
    }

#ifdef __x86_64__
TIME_MULTIPLY_ADDS(multiply_adds_avx2_f32, "avx2,fma", __m256, float, 8, _mm256_set1_ps, _mm256_fmadd_ps)
TIME_MULTIPLY_ADDS(multiply_adds_avx2_f64, "avx2,fma", __m256d, double, 4, _mm256_set1_pd, _mm256_fmadd_pd)
TIME_MULTIPLY_ADDS(multiply_adds_avx512_f32, "avx512f", __m512, float, 16, _mm512_set1_ps, _mm512_fmadd_ps)
TIME_MULTIPLY_ADDS(multiply_adds_avx512_f64, "avx512f", __m512d, double, 8, _mm512_set1_pd, _mm512_fmadd_pd)

static double time_multiply_adds(const kernels *k, bool wide, double count) {
    if (!strcmp(k->name, "avx512")) return wide ? multiply_adds_avx512_f64(count) : multiply_adds_avx512_f32(count);
    return wide ? multiply_adds_avx2_f64(count) : multiply_adds_avx2_f32(count);
}
#else
static double time_multiply_adds(const kernels *k, bool wide, double count) { return k && wide && count > 0 ? 0 : 0; }
#endif

enum { EXPS = 1024 };

static double time_exps(const kernels *k, bool wide, bool exact, double count) { /* ns each; data in the cache */
    static _Alignas(64) double x64[EXPS], y64[EXPS];
    static _Alignas(64) float x32[EXPS], y32[EXPS];
    for (int i = 0; i < EXPS; i++) x32[i] = (float)(x64[i] = 20 * uniform() - 20);
    long rounds = 1 + (long)(count / EXPS);
    double start = now();
    for (long i = 0; i < rounds; i++) {
        if (wide && exact) k->exp_f64(y64, x64, EXPS);
        if (wide && !exact) k->exp_down_f64(y64, x64, EXPS);
        if (!wide && exact) k->exp_f32(y32, x32, EXPS);
        if (!wide && !exact) k->exp_down_f32(y32, x32, EXPS);
    }
    return (now() - start) / ((double)rounds * EXPS);
}

/* ---- dense ---- */

typedef struct head {
    const kernels *k;
    bool wide;
    size_t n, d, stride;
    void *q, *kt, *vt, *out; /* float, or double when wide */
    size_t *first, *end;
} head;

static head make_head(const kernels *k, size_t n, size_t d, bool wide) {
    size_t bytes = wide ? 8 : 4, stride = (n + 7) / 8 * 8;
    head h = {k,
              wide,
              n,
              d,
              stride,
              obtain(n * d * bytes),
              obtain(stride * d * bytes),
              obtain(stride * d * bytes),
              obtain(n * d * bytes),
              obtain(n * sizeof(size_t)),
              obtain(n * sizeof(size_t))};
    for (size_t i = 0; i < n; i++) h.end[i] = i + 1;
    for (size_t i = 0; i < n * d; i++) {
        double a = 2 * uniform(), b = uniform(), c = uniform();
        size_t at = i / n * stride + i % n;
        if (wide)
            ((double *)h.q)[i] = a, ((double *)h.kt)[at] = b, ((double *)h.vt)[at] = c;
        else
            ((float *)h.q)[i] = (float)a, ((float *)h.kt)[at] = (float)b, ((float *)h.vt)[at] = (float)c;
    }
    return h;
}

static void free_head(head *h) { free(h->q), free(h->kt), free(h->vt), free(h->out), free(h->first), free(h->end); }

static void run_rows(const head *h, size_t from, size_t to) {
    size_t at = from * h->d;
    if (h->wide)
        h->k->dense_f64((double *)h->out + at, (double *)h->q + at, h->kt, h->vt, h->stride, h->first + from,
                        h->end + from, to - from, h->d, h->d);
    else
        h->k->dense_f32((float *)h->out + at, (float *)h->q + at, h->kt, h->vt, h->stride, h->first + from,
                        h->end + from, to - from, h->d, h->d);
}

/* The query blocks go round the workers in a snake, so that the shares of the triangle agree. */
typedef struct worker {
    const head *h;
    size_t index, count;
} worker;

static void *work(void *argument) {
    worker *w = argument;
    size_t n = w->h->n, block = w->count == 1 ? n : (n / (8 * w->count) + 47) / 48 * 48;
    if (block > 240 && w->count > 1) block = 240;
    size_t blocks = (n + block - 1) / block;
    for (size_t b = 0; b < blocks; b++) {
        size_t turn = b / w->count, place = b % w->count;
        if ((turn % 2 ? w->count - 1 - place : place) != w->index) continue;
        size_t to = (b + 1) * block;
        run_rows(w->h, b * block, to < n ? to : n);
    }
    return NULL;
}

static double time_dense(const head *h, size_t threads) {
    pthread_t ids[THREADS_LIMIT];
    worker workers[THREADS_LIMIT];
    double start = threads == 1 ? now() : wall();
    for (size_t t = 0; t < threads; t++) workers[t] = (worker){h, t, threads};
    for (size_t t = 1; t < threads; t++)
        if (pthread_create(&ids[t], NULL, work, &workers[t])) exit(2);
    work(&workers[0]);
    for (size_t t = 1; t < threads; t++) pthread_join(ids[t], NULL);
    return (threads == 1 ? now() : wall()) - start;
}

/* What one would write without thinking about speed: rows of keys and values, libm's exp. */
static double time_plain(const head *h) {
    size_t n = h->n, d = h->d;
    double start = now();
    if (h->wide) {
        const double *q = h->q, *k = h->kt, *v = h->vt;
        double *out = h->out, *p = obtain(n * sizeof *p);
        for (size_t i = 0; i < n; i++) {
            double m = -INFINITY, s = 0;
            for (size_t j = 0; j <= i; j++) {
                p[j] = 0;
                for (size_t c = 0; c < d; c++) p[j] += q[i * d + c] * k[j * d + c];
                if (p[j] > m) m = p[j];
            }
            for (size_t c = 0; c < d; c++) out[i * d + c] = 0;
            for (size_t j = 0; j <= i; j++) {
                s += p[j] = exp(p[j] - m);
                for (size_t c = 0; c < d; c++) out[i * d + c] += p[j] * v[j * d + c];
            }
            for (size_t c = 0; c < d; c++) out[i * d + c] /= s;
        }
        free(p);
    } else {
        const float *q = h->q, *k = h->kt, *v = h->vt;
        float *out = h->out, *p = obtain(n * sizeof *p);
        for (size_t i = 0; i < n; i++) {
            float m = -INFINITY, s = 0;
            for (size_t j = 0; j <= i; j++) {
                p[j] = 0;
                for (size_t c = 0; c < d; c++) p[j] += q[i * d + c] * k[j * d + c];
                if (p[j] > m) m = p[j];
            }
            for (size_t c = 0; c < d; c++) out[i * d + c] = 0;
            for (size_t j = 0; j <= i; j++) {
                s += p[j] = expf(p[j] - m);
                for (size_t c = 0; c < d; c++) out[i * d + c] += p[j] * v[j * d + c];
            }
            for (size_t c = 0; c < d; c++) out[i * d + c] /= s;
        }
        free(p);
    }
    return now() - start;
}

static void bench_dense(const kernels *k, size_t n, size_t d, bool wide, int reps, size_t threads, bool plain) {
    const char *type = wide ? "f64" : "f32";
    static sample one, many, loop, multiply, exps;
    one.count = many.count = loop.count = multiply.count = exps.count = 0;
    head h = make_head(k, n, d, wide);
    double pairs = (double)n * (double)(n + 1) / 2;
    time_dense(&h, 1);
    for (int r = 0; r < reps; r++) {
        note(&multiply, 2 * (double)d * time_multiply_adds(k, wide, at_most(2 * (double)d * pairs, OPERATIONS)));
        note(&one, time_dense(&h, 1) / pairs);
        note(&exps, time_exps(k, wide, false, at_most(pairs, EXPS_TIMED)));
        if (threads > 1) note(&many, time_dense(&h, threads) / pairs);
        if (plain && r < 2) note(&loop, time_plain(&h) / pairs);
    }
    double floor = best(&multiply) + best(&exps);
    printf("dense,%s,%zu,%zu,1,ns/pair,%.4f,%.4f\n", type, d, n, best(&one), median(&one));
    printf("dense-floor,%s,%zu,%zu,1,ns/pair,%.4f,%.4f\n", type, d, n, floor, median(&multiply) + median(&exps));
    printf("dense-floor-multiply,%s,%zu,%zu,1,ns/pair,%.4f,%.4f\n", type, d, n, best(&multiply), median(&multiply));
    printf("dense-floor-exp,%s,%zu,%zu,1,ns/pair,%.4f,%.4f\n", type, d, n, best(&exps), median(&exps));
    printf("dense-share,%s,%zu,%zu,1,of floor,%.4f,%.4f\n", type, d, n, floor / best(&one),
           (median(&multiply) + median(&exps)) / median(&one));
    if (threads > 1) {
        printf("dense,%s,%zu,%zu,%zu,ns/pair,%.4f,%.4f\n", type, d, n, threads, best(&many), median(&many));
        printf("dense-gain,%s,%zu,%zu,%zu,x,%.4f,%.4f\n", type, d, n, threads, best(&one) / best(&many),
               median(&one) / median(&many));
    }
    if (loop.count) printf("dense-plain,%s,%zu,%zu,1,ns/pair,%.4f,%.4f\n", type, d, n, best(&loop), median(&loop));
    fflush(stdout);
    free_head(&h);
}

/* What threads can gain at all: multiply-adds in registers, as many in each thread as in one. */
static void *multiply(void *unused) {
    for (int i = 0; i < 20; i++) time_multiply_adds(kernels_select(), false, 2e7);
    return unused;
}

static void bench_threads(int reps, size_t threads) {
    static sample one, many;
    one.count = many.count = 0;
    for (int r = 0; r < reps; r++) {
        pthread_t ids[THREADS_LIMIT];
        double start = wall();
        multiply(NULL);
        note(&one, wall() - start);
        start = wall();
        for (size_t t = 1; t < threads; t++)
            if (pthread_create(&ids[t], NULL, multiply, NULL)) exit(2);
        multiply(NULL);
        for (size_t t = 1; t < threads; t++) pthread_join(ids[t], NULL);
        note(&many, wall() - start);
    }
    printf("multiply-gain,f32,0,0,%zu,x,%.4f,%.4f\n", threads, (double)threads * best(&one) / best(&many),
           (double)threads * median(&one) / median(&many));
    fflush(stdout);
}

/* ---- scans ---- */

enum { SCAN_WIDTH = 8 };

/* Tile by tile over whole arrays in memory, or, `reused`, over one tile's buffers as the executor does it. */
static double time_scan(const kernels *k, double *out, const double *logits, const double *values, size_t n,
                        bool reused) {
    double v[SCAN_WIDTH] = {0};
    scan_f64 state = {-INFINITY, 0, v};
    double start = now();
    for (size_t i = 0; i < n; i += TILE) {
        size_t at = reused ? 0 : i * SCAN_WIDTH;
        k->scan_f64(&state, out + at, logits + i, values + at, TILE, n - i < TILE ? n - i : TILE, SCAN_WIDTH, false);
    }
    return now() - start;
}

static void bench_scan(const kernels *k, size_t n, int reps) {
    static sample scan, tiles, copy, exps;
    scan.count = tiles.count = copy.count = exps.count = 0;
    size_t count = (n + TILE - 1) / TILE * TILE * SCAN_WIDTH;
    double *values = obtain(count * 8), *out = obtain(count * 8), *logits = obtain(n * 8);
    for (size_t i = 0; i < count; i++) values[i] = uniform();
    for (size_t i = 0; i < n; i++) logits[i] = 5 * uniform();
    double tokens = (double)n;
    for (int r = 0; r < reps; r++) {
        double start = now();
        memcpy(out, values, n * SCAN_WIDTH * 8);
        note(&copy, (now() - start) / tokens);
        note(&scan, time_scan(k, out, logits, values, n, false) / tokens);
        note(&tiles, time_scan(k, out, logits, values, n, true) / tokens);
        note(&exps, time_exps(k, true, true, at_most(tokens, EXPS_TIMED)));
    }
    printf("scan,f64,%d,%zu,1,ns/token,%.4f,%.4f\n", SCAN_WIDTH, n, best(&scan), median(&scan));
    printf("scan-in-cache,f64,%d,%zu,1,ns/token,%.4f,%.4f\n", SCAN_WIDTH, n, best(&tiles), median(&tiles));
    printf("scan-exp,f64,%d,%zu,1,ns/token,%.4f,%.4f\n", SCAN_WIDTH, n, best(&exps), median(&exps));
    printf("memcpy,f64,%d,%zu,1,ns/token,%.4f,%.4f\n", SCAN_WIDTH, n, best(&copy), median(&copy));
    printf("scan-ratio,f64,%d,%zu,1,x memcpy,%.4f,%.4f\n", SCAN_WIDTH, n, best(&scan) / best(&copy),
           median(&scan) / median(&copy));
    fflush(stdout);
    free(values), free(out), free(logits);
}

static long number(const char *text, long least, long most) {
    char *rest;
    long value = strtol(text, &rest, 10);
    if (*rest || value < least || value > most) {
        fprintf(stderr, "kernels_bench: %s is not a number from %ld to %ld\n", text, least, most);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv) {
    long n = 0, d = 0, reps = 7, threads = 2;
    const char *only = "";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--n"))
            n = number(argv[i + 1], 1, 10000000);
        else if (!strcmp(argv[i], "--d"))
            d = number(argv[i + 1], 1, 4096);
        else if (!strcmp(argv[i], "--reps"))
            reps = number(argv[i + 1], 1, REPS_LIMIT);
        else if (!strcmp(argv[i], "--threads"))
            threads = number(argv[i + 1], 1, THREADS_LIMIT);
        else if (!strcmp(argv[i], "--only"))
            only = argv[i + 1];
    }
    static const struct {
        long d;
        bool wide;
    } heads[] = {{8, false}, {16, false}, {64, false}, {8, true}};
    const kernels *k = kernels_select();
    printf("# kernels: %s\nwhat,type,size,n,threads,unit,best,median\n", k->name);
    if (strcmp(only, "scan") != 0)
        for (size_t c = 0; c < sizeof heads / sizeof *heads; c++)
            for (long length = 1024; length <= 16384; length *= 2)
                if ((!n || length == n) && (!d || heads[c].d == d))
                    bench_dense(k, (size_t)length, (size_t)heads[c].d, heads[c].wide, (int)reps, (size_t)threads,
                                length <= 4096);
    if (strcmp(only, "scan") != 0 && threads > 1) bench_threads((int)reps, (size_t)threads);
    if (strcmp(only, "dense") != 0) bench_scan(k, n && only[0] ? (size_t)n : 1000000, (int)reps);
    return 0;
}
