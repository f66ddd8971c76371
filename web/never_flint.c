/* What Arb and FLINT link but temper never reaches: sums for constants of thousands of digits (192 bits come from tables),
   and threads. A call would stop the module rather than give a number. */
#define _GNU_SOURCE
#include <stddef.h>

#define NEVER(result, name, ...)                                                                                     \
    result name(__VA_ARGS__) { __builtin_trap(); }

NEVER(void, _arb_fmpz_poly_evaluate_arb_rectangular, void *z, const void *f, long n, const void *x, long bits)
NEVER(void, arb_hypgeom_infsum, void *p, void *q, void *series, long target, long bits)
NEVER(int, fmpz_poly_set_str, void *f, const char *text)
NEVER(void, hypgeom_init, void *series)
NEVER(void, hypgeom_clear, void *series)
NEVER(void, flint_parallel_do, void *f, void *args, long n, int threads, int flags)
NEVER(void, flint_parallel_binary_splitting, void *z, void *base, void *merge, size_t size, void *init, void *clear,
      void *args, long a, long b, long cutoff, int threads, int flags)

NEVER(void, thread_pool_wake, void *pool, int thread, int workers, void *f, void *a)
NEVER(void, thread_pool_wait, void *pool, int thread)

long flint_request_threads(int **threads, long most) {
    (void)most;
    *threads = NULL;
    return 0;
}
void flint_give_back_threads(int *threads, long count) { (void)threads, (void)count; }
int flint_get_num_threads(void) { return 1; }
int global_thread_pool_initialized;
char global_thread_pool[64];

/* Messages before an abort have nowhere to go. */
struct _IO_FILE;
struct _IO_FILE *const stderr = NULL, *const stdout = NULL;
int iprintf(const char *format, ...) { return (void)format, 0; }
int fiprintf(struct _IO_FILE *f, const char *format, ...) { return (void)f, (void)format, 0; }
int __small_printf(const char *format, ...) { return (void)format, 0; }
int fflush(struct _IO_FILE *f) { return (void)f, 0; }
int raise(int signal) {
    (void)signal;
    __builtin_trap();
}
