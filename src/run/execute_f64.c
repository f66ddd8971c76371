#define REAL         double
#define SCAN         scan_f64
#define KERNEL_EXP   exp_f64
#define KERNEL_SCAN  scan_f64
#define KERNEL_DENSE dense_f64
#define EXECUTE      execute_f64
#define TAIL_LOGIT   36.8 /* exp(-36.8) is below 2^-53 */
#include "run/execute_impl.h"
