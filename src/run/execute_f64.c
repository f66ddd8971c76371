#define REAL              double
#define MAGNITUDE         fabs
#define UNIT              0x1p-53
#define LEAST             0x1p-1074
#define SCAN              scan_f64
#define KERNEL_EXP        exp_f64
#define KERNEL_SCAN       scan_f64
#define KERNEL_DENSE      dense_f64
#define KERNEL_SCAN_LANES scan_lanes_f64
#define EXECUTE           execute_f64
#define BATCH_NEW         batch_new_f64
#define BATCH_RUN         batch_run_f64
#define TAIL_LOGIT        36.8    /* keys whose logits are this far below, plus ln N, are left out ... */
#define TAIL_BOUND        1.1e-16 /* ... and change an output by less than exp(-36.8) */
#include "run/execute_impl.inc"
