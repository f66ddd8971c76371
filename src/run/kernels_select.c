/* Which table this machine runs. */
#include <stdlib.h>
#include <string.h>
#include "run/kernels.h"
#include "run/kernels_select.h"

const kernels *kernels_select(void) {
    const kernels *tables[KERNELS_MOST];
    size_t count = kernels_list(tables);
    const char *wish = getenv("TEMPER_KERNELS");
    for (size_t k = 0; wish && k < count; k++)
        if (strcmp(wish, tables[k]->name) == 0) return tables[k];
    return tables[count - 1];
}

size_t kernels_list(const kernels *tables[KERNELS_MOST]) {
    size_t count = 0;
    tables[count++] = &kernels_reference;
#ifdef KERNELS_AVX2 /* the compiler's functions also ask whether the system saves the registers */
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return count;
    tables[count++] = &kernels_avx2;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq")) return count;
    tables[count++] = &kernels_avx512;
#endif
    return count;
}
