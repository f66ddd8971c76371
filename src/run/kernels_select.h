/* The tables beside the reference, for kernels_select.c and the tests. */
#ifndef RUN_KERNELS_SELECT_H
#define RUN_KERNELS_SELECT_H

#include "run/kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define KERNELS_AVX2
extern const kernels kernels_avx2;
#endif

/* NULL when this machine cannot run it. */
const kernels *kernels_find_avx2(void);

#endif
