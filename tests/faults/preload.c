/* Makes one allocation or one system call of a program fail: LD_PRELOAD this, and say which in TEMPER_FAULT.

       alloc K once|always            the K-th allocation, or it and all later ones
       io K EIO|ENOSPC|EINTR|short once|always
                                      the K-th call that works with files; short: a write or read of one byte

   Allocations that FLINT, GMP and MPFR make for themselves always succeed: these libraries end the program when they
   get no memory. Only calls that the program itself makes count, so that the number of a call is the same in every
   run. TEMPER_FAULT_COUNT names a file that gets the numbers of both at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static uintptr_t program_start, program_end;
static atomic_ulong allocations, calls;
static unsigned long fail_allocation, fail_call;
static bool always, is_short;
static int code;

/* The first object is the program itself. */
static int note_program(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        if (p->p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (!program_end || start < program_start) program_start = start;
        if (start + p->p_memsz > program_end) program_end = start + p->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void read_orders(void) {
    const char *orders = getenv("TEMPER_FAULT");
    char word[16] = "", last[16] = "once";
    unsigned long k;
    dl_iterate_phdr(note_program, NULL);
    if (!orders) return;
    if (sscanf(orders, "alloc %lu %15s", &k, last) == 2) fail_allocation = k;
    if (sscanf(orders, "io %lu %15s %15s", &k, word, last) == 3) {
        fail_call = k;
        is_short = strcmp(word, "short") == 0;
        code = strcmp(word, "ENOSPC") == 0 ? ENOSPC : strcmp(word, "EINTR") == 0 ? EINTR : EIO;
    }
    always = strcmp(last, "always") == 0;
}

__attribute__((destructor)) static void write_counts(void) {
    const char *path = getenv("TEMPER_FAULT_COUNT");
    char line[64];
    if (!path) return;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    int length = snprintf(line, sizeof line, "%lu %lu\n", atomic_load(&allocations), atomic_load(&calls));
    if (fd >= 0) syscall(SYS_write, fd, line, (size_t)length);
}

static bool is_ours(const void *caller) {
    uintptr_t at = (uintptr_t)caller;
    return at >= program_start && at < program_end;
}

static bool is_due(atomic_ulong *count, unsigned long due) {
    unsigned long k = atomic_fetch_add(count, 1) + 1;
    return due && (k == due || (always && k > due));
}

#define OURS is_ours(__builtin_return_address(0))

static bool no_memory(const void *caller) {
    if (!is_ours(caller) || !is_due(&allocations, fail_allocation)) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) { return no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *p, size_t size) {
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

static void *next(const char *name) {
    void *f = dlsym(RTLD_NEXT, name);
    if (!f) abort();
    return f;
}

/* A call that fails, unless only reads and writes may (short). */
#define FAILS (OURS && is_due(&calls, fail_call) && !is_short && ((errno = code), true))

#define WRAP(type, name, parameters, arguments, failure)                                                             \
    type name parameters {                                                                                           \
        static type(*real) parameters;                                                                               \
        if (!real) *(void **)&real = next(#name);                                                                    \
        return FAILS ? failure : real arguments;                                                                     \
    }

WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), -1)
WRAP(int, stat, (const char *path, struct stat *st), (path, st), -1)
WRAP(int, fsync, (int fd), (fd), -1)
WRAP(int, ftruncate, (int fd, off_t length), (fd, length), -1)
WRAP(int, flock, (int fd, int operation), (fd, operation), -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAP(int, mkostemp, (char *path, int flags), (path, flags), -1)
WRAP(int, rename, (const char *from, const char *to), (from, to), -1)
WRAP(char *, realpath, (const char *path, char *real_path), (path, real_path), NULL)

int open(const char *path, int flags, ...) {
    static int (*real)(const char *, int, ...);
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (!real) *(void **)&real = next("open");
    return FAILS ? -1 : real(path, flags, mode);
}

/* The file is closed all the same, as Linux does. */
int close(int fd) {
    static int (*real)(int);
    if (!real) *(void **)&real = next("close");
    bool fails = FAILS;
    int result = real(fd);
    if (!fails) return result;
    errno = code;
    return -1;
}

#define WRAP_BYTES(name, pointer, tail_parameter, tail_argument)                                                     \
    ssize_t name(int fd, pointer bytes, size_t length tail_parameter) {                                              \
        static ssize_t (*real)(int, pointer, size_t tail_parameter);                                                 \
        if (!real) *(void **)&real = next(#name);                                                                    \
        bool due = OURS && is_due(&calls, fail_call);                                                                \
        if (due && !is_short) return errno = code, -1;                                                               \
        return real(fd, bytes, due && length > 1 ? 1 : length tail_argument);                                        \
    }
#define OFFSET_PARAMETER , off_t offset
#define OFFSET_ARGUMENT  , offset
#define NOTHING

WRAP_BYTES(read, void *, NOTHING, NOTHING)
WRAP_BYTES(write, const void *, NOTHING, NOTHING)
WRAP_BYTES(pread, void *, OFFSET_PARAMETER, OFFSET_ARGUMENT)
WRAP_BYTES(pwrite, const void *, OFFSET_PARAMETER, OFFSET_ARGUMENT)
