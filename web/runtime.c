/* What the C library needs of a machine, for WebAssembly: memory that grows, one thread, and a clock.
   The linker takes these before those of musl, which would call the operating system. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- memory ---- */

enum { PAGE = 65536 };
extern unsigned char __heap_base;

void *sbrk(intptr_t more) {
    static uintptr_t end;
    if (!end) end = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    uintptr_t start = end, wanted = start + (((uintptr_t)more + 15) & ~(uintptr_t)15);
    uintptr_t have = __builtin_wasm_memory_size(0) * (uintptr_t)PAGE;
    if (wanted > have) {
        uintptr_t pages = (wanted - have + PAGE - 1) / PAGE;
        if (wanted > (uintptr_t)UINT32_MAX || __builtin_wasm_memory_grow(0, pages) == (size_t)-1) {
            errno = ENOMEM;
            return (void *)-1; /* NOLINT: what POSIX says */
        }
    }
    end = wanted;
    return (void *)start; /* NOLINT */
}

/* Long copies of musl; a machine instruction here. */
void *emscripten_memcpy_big(void *restrict to, const void *restrict from, size_t size);
void *emscripten_memcpy_big(void *restrict to, const void *restrict from, size_t size) {
    return __builtin_memcpy(to, from, size);
}

char *getenv(const char *name) { return (void)name, NULL; }

_Noreturn void abort(void) { __builtin_trap(); }
_Noreturn void _Exit(int code) {
    (void)code;
    __builtin_trap();
}

/* ---- one thread ---- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context) {
    (void)thread, (void)attributes, (void)body, (void)context;
    return EAGAIN; /* the caller does the work itself */
}
int pthread_join(pthread_t thread, void **result) {
    (void)thread, (void)result;
    return 0;
}
int pthread_mutex_lock(pthread_mutex_t *m) { return (void)m, 0; }
int pthread_mutex_unlock(pthread_mutex_t *m) { return (void)m, 0; }
int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) { return (void)m, (void)a, 0; }
int pthread_mutex_destroy(pthread_mutex_t *m) { return (void)m, 0; }
int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) { return (void)c, (void)m, 0; }
int pthread_cond_signal(pthread_cond_t *c) { return (void)c, 0; }
int pthread_cond_broadcast(pthread_cond_t *c) { return (void)c, 0; }
int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a) { return (void)c, (void)a, 0; }
int pthread_cond_destroy(pthread_cond_t *c) { return (void)c, 0; }
int __lockfile(void *f) { return (void)f, 0; }
void __unlockfile(void *f) { (void)f; }

long sysconf(int what) { return what == _SC_NPROCESSORS_ONLN ? 1 : what == _SC_PAGESIZE ? PAGE : -1; }

/* ---- the clock ---- */

__attribute__((import_module("env"), import_name("seconds"))) double host_seconds(void);

int __clock_gettime(clockid_t clock, struct timespec *t) __attribute__((alias("clock_gettime")));
int clock_gettime(clockid_t clock, struct timespec *t) {
    (void)clock;
    double now = host_seconds();
    t->tv_sec = (time_t)now;
    t->tv_nsec = (long)((now - (double)t->tv_sec) * 1e9);
    return 0;
}

/* ---- rounding: WebAssembly rounds to nearest, always ---- */

int fegetround(void) { return 0; }
int fesetround(int mode) { return mode != 0; }
