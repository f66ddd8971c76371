#define REAL         double
#define EXP          exp_f64
#define MAGNITUDE    fabs
#define FLOOR        floor
#define RELU_SSE2(a) _mm_cvtsd_f64(_mm_max_sd(_mm_set_sd(a), _mm_setzero_pd()))
#define STEP         stepper_step_f64
#define STEP_OUTPUT  stepper_output_f64
#define STEP_LOGIT   stepper_logit_f64
#define STEP_START   stepper_start_f64
#define STEP_PREPARE stepper_prepare_f64
#include "run/stepper_impl.inc"
