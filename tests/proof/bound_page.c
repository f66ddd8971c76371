#include "bound_page.h"

#include <math.h>

const temper_type page_types[PAGE_TYPES] = {TEMPER_TYPE_F64,
                                            TEMPER_TYPE_F32,
                                            TEMPER_TYPE_BF16_F32,
                                            TEMPER_TYPE_BF16,
                                            TEMPER_TYPE_F16_F32,
                                            TEMPER_TYPE_F16,
                                            TEMPER_TYPE_E4M3_F32,
                                            TEMPER_TYPE_E4M3,
                                            TEMPER_TYPE_E5M2_F32,
                                            TEMPER_TYPE_E5M2,
                                            TEMPER_TYPE_F32_F64,
                                            TEMPER_TYPE_BF16_F64,
                                            (temper_type)F32_TILE64,
                                            (temper_type)BF16_F32_TILE64,
                                            (temper_type)BF16_TILE64,
                                            (temper_type)E4M3_TILE64,
                                            (temper_type)BF16_F32_TILE128,
                                            (temper_type)F16_F32_TILE128,
                                            (temper_type)F32_F64_TILE512};

page page_of(temper_type type, uint64_t size) {
    const number_type *t = number_type_of(type);
    page p = {.s = t->storage, .a = t->accumulation, .ascending = number_type_is_emulated(type), .m = (real)size};
    p.known = p.ascending && !(t->tile && size > t->tile);
    p.us = ldexpl(1, -p.s->precision);
    p.ua = ldexpl(1, -p.a->precision);
    p.v = 0x1p-53L;
    p.ts = p.s->least;
    p.ta = p.a->least;
    p.stored = p.s == p.a ? 0 : p.us;
    p.feature = p.s->precision == 53 ? 0 : p.us;
    p.scale = p.a->precision == 53 ? 0 : p.ua;
    p.subnormal_loss = p.known ? p.m * p.ta : 2 * p.m * p.m * p.ta;
    return p;
}

/* (1+x)^i (1+y)^j (1+z)^k - 1 */
real grow3(real x, real i, real y, real j, real z, real k) {
    return expm1l(i * log1pl(x) + j * log1pl(y) + k * log1pl(z));
}

real grow(const page *p, real i, real j, real k) { return grow3(p->ua, i, p->us, j, p->v, k); }

real half_of(const number_format *f, real p) {
    int e;
    if (p == 0) return 0;
    bool power = frexpl(p, &e) == 0.5L; /* else e is the logarithm, rounded up */
    return ldexpl(1, e - power - 1 - f->precision) + f->least;
}

real ulp_of(const number_format *f, real p) {
    int e;
    frexpl(p, &e);
    return ldexpl(1, e - f->precision) + f->least;
}

real page_growth(const page *p) { return expl((p->known ? 1 : 4) * p->m * log1pl(p->ua)); }

static real leak(const page *p, real rest) {
    real most = (p->known ? 4 : 2 * page_growth(p)) * rest;
    return p->close ? fminl(most, (1 + rest) * page_growth(p) - 1) : most;
}

real page_error(const page *p, real rest) {
    real stored = p->s == p->a ? rest : (1 + p->us) * rest + p->m * p->ts;
    real low = 1 - (1 - p->ua) * (1 - p->stored) / (1 + leak(p, rest));
    real high = (1 + leak(p, stored)) * (1 + p->ua) * (1 + p->stored) - 1;
    real zero = leak(p, stored) * (1 + p->ua) * (1 + p->stored) + p->ts;
    if (p->s == p->a) high = 0;
    return fmaxl(low, fmaxl(high, zero));
}

real page_share_error(const page *p, real kept, real e) {
    real rho = (1 + 2 * p->ua) * expl(-kept + 2 * p->ta + e * logl(p->m)) + p->subnormal_loss;
    real above = ((1 + p->stored) * rho + p->ts) * (1 + p->ua) * (1 + p->stored) * expl(2 * p->ta);
    real f = above / ((1 - 2 * p->ua) * expl(4 * p->m * log1pl(-p->ua))) + p->ts;
    return fmaxl(page_error(p, rho), f);
}
