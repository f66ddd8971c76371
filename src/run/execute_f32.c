#define REAL         float
#define SCAN         scan_f32
#define KERNEL_EXP   exp_f32
#define KERNEL_SCAN  scan_f32
#define KERNEL_DENSE dense_f32
#define EXECUTE      execute_f32
#define TAIL_LOGIT   16.7 /* exp(-16.7) is below 2^-24 */
#include "run/execute_impl.h"
