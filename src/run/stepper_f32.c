#define REAL         float
#define EXP          exp_f32
#define MAGNITUDE    fabsf
#define FLOOR        floorf
#define RELU_SSE2(a) _mm_cvtss_f32(_mm_max_ss(_mm_set_ss(a), _mm_setzero_ps()))
#define STEP         stepper_step_f32
#define STEP_OUTPUT  stepper_output_f32
#define STEP_LOGIT   stepper_logit_f32
#define STEP_START   stepper_start_f32
#define STEP_PREPARE stepper_prepare_f32
#include "run/stepper_impl.inc"
