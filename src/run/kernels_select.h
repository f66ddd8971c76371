/* The tables beside the reference, for kernels_select.c and the tests. */
#ifndef RUN_KERNELS_SELECT_H
#define RUN_KERNELS_SELECT_H

#include "run/kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define KERNELS_AVX2
#define KERNELS_AVX512
extern const kernels kernels_avx2, kernels_avx512;
#endif

/* All tables that this machine can run, the fastest last: kernels_reference and up to two more. */
enum { KERNELS_MOST = 3 };
size_t kernels_list(const kernels *tables[KERNELS_MOST]);

#endif
