/* Values at computed positions (doc/certificate.md, "Questions"). */
#include <math.h>

#include "audit/audit_meaning.h"

/* a*i + ends*(n + 1) + constant, which is i or beside it, or nowhere; false: neither. */
static bool read_near(meaning *m, double a, double ends, double constant, dd value, dd *answer) {
    if (a == 1 && ends == 0 && constant == 0) {
        *answer = value;
        return true;
    }
    if (a == 1 && ends == 0 && fabs(constant) == 1) {
        *answer = meaning_step(m, constant == -1, value);
        return true;
    }
    *answer = 0;
    return a == 0 && ((ends == 0 && constant <= 0) || (ends == 1 && constant >= 0));
}

dd meaning_read(meaning *m, bool past, dd adds, double ends, double constant, dd value) {
    diagram *d = &m->d;
    dd near;
    if (value == 0) return 0;
    if (dd_is_leaf(d, adds)) {
        double a = dd_value(d, adds);
        if (!past) { /* there are n + 1 - i positions from i on */
            ends += a;
            a = 0 - a;
        }
        if (read_near(m, a, ends, constant, value, &near)) return near;
        past = true;
        adds = dd_number(d, a);
    }
    if (!(fabs(ends) <= 0x1p52 && fabs(constant) <= 0x1p52))
        trap_raise(m->arena->trap, TEMPER_RANGE, 0, 0, "a position with numbers that are too large");
    atom_key place = {.question = ASK_READ, .past = past, .f = adds, .number = {(int64_t)ends, (int64_t)constant}};
    atom_key key = place;
    key.g = value;
    return meaning_reading(m, &key, &place, 1, value);
}
