#include "audit/audit_match.h"

#include <string.h>

enum { MOST_PATTERNS = 1 << 13 };

/* A set of positions i that agree on the conditions so far, and the j that agree with them. */
typedef struct pairing {
    dd here, there;
} pairing;

/* Both sides of one condition; what no position can have is left out. Returns how many there are. */
static size_t split(diagram *d, pairing *out, const pairing *x, size_t count, dd there, dd here) {
    size_t made = 0;
    for (size_t k = 0; k < count; k++)
        for (int holds = 0; holds < 2; holds++) {
            pairing y = {dd_and(d, x[k].here, holds ? here : dd_not(d, here)),
                         dd_and(d, x[k].there, holds ? there : dd_not(d, there))};
            if (y.here != 0 && y.there != 0) out[made++] = y;
        }
    return made;
}

dd audit_alike(meaning *m, temper_mask mask, bool last, const dd *there, const dd *here, size_t count, dd value) {
    diagram *d = &m->d;
    pairing *x = arena_alloc(m->arena, 2 * MOST_PATTERNS, sizeof *x);
    pairing *next = arena_alloc(m->arena, 2 * MOST_PATTERNS, sizeof *next);
    size_t found = 1;
    x[0] = (pairing){1, 1};
    for (size_t k = 0; k < count; k++) {
        found = split(d, next, x, found, there[k], here[k]);
        if (found > MOST_PATTERNS)
            trap_raise(m->arena->trap, TEMPER_RANGE, 0, 0, "conditions tell more than %d patterns apart",
                       MOST_PATTERNS);
        memcpy(x, next, found * sizeof *x);
    }
    dd answer = 0;
    for (size_t k = 0; k < found; k++) {
        dd chosen = meaning_chosen(m, mask, last, x[k].there, dd_and(d, x[k].there, value));
        answer = dd_or(d, answer, dd_and(d, x[k].here, chosen));
    }
    return answer;
}
