/* What gcc -finstrument-functions calls when a function begins: each function is kept once. At the end their
   addresses go to the file that TEMPER_FUNCTIONS names. `make walks` links this to the command line; threads may lose
   a function to each other, so it runs one. */
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1 << 16 };
static void *seen[SLOTS];

void __cyg_profile_func_enter(void *function, void *caller) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *function, void *caller) __attribute__((no_instrument_function));

void __cyg_profile_func_enter(void *function, void *caller) {
    (void)caller;
    size_t k = ((size_t)function >> 2) % SLOTS;
    while (seen[k] && seen[k] != function) k = (k + 1) % SLOTS;
    seen[k] = function;
}

void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function;
    (void)caller;
}

__attribute__((destructor, no_instrument_function)) static void tell(void) {
    const char *path = getenv("TEMPER_FUNCTIONS");
    FILE *file = path ? fopen(path, "w") : NULL;
    for (size_t k = 0; file && k < SLOTS; k++)
        if (seen[k]) fprintf(file, "%p\n", seen[k]);
    if (file) fclose(file);
}
