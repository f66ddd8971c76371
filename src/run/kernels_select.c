/* Which table this machine runs. */
#include <stdlib.h>
#include <string.h>
#include "run/kernels.h"
#include "run/kernels_select.h"

const kernels *kernels_select(void) {
    const char *wish = getenv("TEMPER_KERNELS");
    if (wish && strcmp(wish, "reference") == 0) return &kernels_reference;
    const kernels *fast = kernels_find_avx2();
    return fast ? fast : &kernels_reference;
}

const kernels *kernels_find_avx2(void) {
#ifdef KERNELS_AVX2
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &kernels_avx2;
#endif
    return NULL;
}
