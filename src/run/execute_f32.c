#define REAL              float
#define MAGNITUDE         fabsf
#define UNIT              0x1p-24f
#define LEAST             0x1p-149f
#define SCAN              scan_f32
#define KERNEL_EXP        exp_f32
#define KERNEL_SCAN       scan_f32
#define KERNEL_DENSE      dense_f32
#define KERNEL_SCAN_LANES scan_lanes_f32
#define EXECUTE           execute_f32
#define BATCH_NEW         batch_new_f32
#define BATCH_RUN         batch_run_f32
#define TAIL_LOGIT        16.7   /* keys whose logits are this far below, plus ln N, are left out ... */
#define TAIL_BOUND        5.7e-8 /* ... and change an output by less than exp(-16.7) */
#include "run/execute_impl.inc"
