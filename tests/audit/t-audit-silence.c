/* From which difference of logits on a key weighs nothing (doc/certificate.md, "Saturation"): in every format of sums
   the auditor takes the least number whose exp, with a minus, is below half of the least number there is. */
#include <math.h>

#include "audit/audit_choices_errors.h"
#include "base/entry.h"
#include "test.h"

static void check_type(entry *e, void *context) {
    const temper_type *type = context;
    const number_format *f = number_type_of(*type)->accumulation;
    audit a = {.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch};
    audit_type_begin(&a, *type);
    calc_init(&a.calculus, &e->memory);
    errors x = {.a = &a, .c = &a.calculus, .t = &a.type};
    double z = share_silence(&x), before = format_next(f, z, false);
    long double half = (long double)f->least / 2;
    CHECK(format_round(f, z) == z && expl(-(long double)z) < half, "%s: %g is no number, or not far enough",
          temper_type_name(*type), z);
    CHECK(expl(-(long double)before) >= half, "%s: %g is far enough, and so is %g before it", temper_type_name(*type),
          z, before);
    CHECK(format_exp(f, -z) == 0, "%s: exp of -%g is %g", temper_type_name(*type), z, format_exp(f, -z));
}

int main(void) {
    for (temper_type type = TEMPER_TYPE_F64; number_type_of(type); type++) {
        temper_error e = {0};
        if (type == TEMPER_TYPE_EXACT) continue;
        CHECK(entry_run(&e, check_type, &type) == TEMPER_OK, "%s: %s", temper_type_name(type), e.text);
    }
    return test_finish("t-audit-silence");
}
