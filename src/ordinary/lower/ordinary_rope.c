/* Pairs of dimensions of a Llama's heads and how far each turns from one position to the next.

   Ramp: pair k turns by n^(-k/4), the frequencies of the base n^(head_size/8). Pairs 0 to 4 find the position before,
   pair 4 also is the ramp of nearest, and from pair 7 on a pair turns so little that it is free for content: in its
   first dimension, and far enough down in both.

   Digits: the first pairs turn by pi, pi/2, pi/4, ... and what is free for content hardly turns at all. */
#include "ordinary/lower/ordinary_plan.h"

#include <math.h>

#include "number/elementary.h"

enum { RAMP_FREE = 7, RAMP_FREE_BOTH = 12, RAMP_WAVES = 2 /* between the pairs for yesterday and the free one */ };

static const double TURN = 6.28318530717958647692;
static const double HARDLY = 0x1p-40;

uint32_t plan_wave_pair(const ordinary_plan *p, uint32_t k) {
    if (p->digits) return p->bits + k;
    return k < RAMP_WAVES ? RAMP_FREE - RAMP_WAVES + k : RAMP_FREE + 1 + k - RAMP_WAVES;
}

static bool is_wave(const ordinary_plan *p, uint32_t pair, double *period) {
    for (uint32_t k = 0; k < p->waves; k++)
        if (plan_wave_pair(p, k) == pair) {
            *period = p->periods[k];
            return true;
        }
    return false;
}

double plan_frequency(const ordinary_plan *p, uint32_t pair) {
    double period;
    if (is_wave(p, pair, &period)) return TURN / period;
    if (!p->digits) return exp_f64(-log_f64(plan_ramp_positions(p)) * pair / 4);
    return pair < p->bits ? TURN / ldexp(2, (int)pair) : HARDLY;
}

double plan_rope_base(const ordinary_plan *p) {
    return plan_has_factors(p) ? 10000 : exp_f64(log_f64(plan_ramp_positions(p)) * p->head_size / 8);
}

bool plan_has_factors(const ordinary_plan *p) {
    return p->digits || p->waves || log_f64(plan_ramp_positions(p)) * p->head_size / 8 > 85; /* beyond f32 */
}

/* Whether dimension `half` (0 or 1) of a pair may hold products of content. */
static bool is_free(const ordinary_plan *p, uint32_t pair, uint32_t half) {
    double period;
    if (is_wave(p, pair, &period)) return false;
    if (p->digits) return pair >= p->bits;
    return pair >= (half ? RAMP_FREE_BOTH : RAMP_FREE);
}

uint32_t plan_content_rows(const ordinary_plan *p) {
    if (p->options.architecture == ORDINARY_GPT2) return p->head_size;
    uint32_t rows = 0;
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t pair = 0; pair < p->head_size / 2; pair++) rows += is_free(p, pair, half);
    return rows;
}

uint32_t plan_content_dimension(const ordinary_plan *p, uint32_t r) {
    if (p->options.architecture == ORDINARY_GPT2) return r;
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t pair = 0; pair < p->head_size / 2; pair++)
            if (is_free(p, pair, half) && r-- == 0) return half * p->head_size / 2 + pair;
    trap_raise(p->arena->trap, TEMPER_LIMIT, 0, 0,
               "a score has more products than a head of %u dimensions has room for", p->head_size);
}
