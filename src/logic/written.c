#include "logic/written.h"

#include <string.h>

#include "base/trap.h"

long written_at(const unsigned char *truth, size_t outputs, size_t stride) {
    long found = TEMPER_WRITES_NONE;
    for (size_t k = 0; k < outputs; k++) {
        if (!truth[k * stride]) continue;
        if (found != TEMPER_WRITES_NONE) return TEMPER_WRITES_SEVERAL;
        found = (long)k;
    }
    return found;
}

void written_refusal(text *out, const char *const *names, size_t outputs, const unsigned char *truth, size_t stride,
                     size_t position) {
    enum { SHOWN = 2 };
    size_t held = 0, shown = 0;
    for (size_t k = 0; k < outputs; k++) held += truth[k * stride] != 0;
    if (!held) {
        text_printf(out, "at position %zu no output holds", position);
        return;
    }
    text_printf(out, "at position %zu, %zu outputs hold:", position, held);
    for (size_t k = 0; k < outputs && shown < SHOWN; k++) {
        if (!truth[k * stride]) continue;
        text_puts(out, shown++ ? " and " : " ");
        if (*names[k])
            text_printf(out, "'%s'", text_escaped(out->arena, names[k], strlen(names[k]), 40));
        else
            text_puts(out, "nothing");
    }
    if (held > SHOWN) text_puts(out, ", and more");
}

void written_text(text *out, const char *const *names, size_t outputs, const unsigned char *truth, size_t stride,
                  size_t n, bool tokens) {
    for (size_t i = 0; i < n; i++) {
        long k = written_at(truth + i, outputs, stride);
        if (k < 0) {
            text why;
            text_init(&why, out->arena);
            written_refusal(&why, names, outputs, truth + i, stride, i + 1);
            trap_raise(out->arena->trap, TEMPER_RANGE, 0, i + 1, "%s", text_string(&why));
        }
        if (tokens && out->length && *names[k]) text_putc(out, ' ');
        text_puts(out, names[k]);
    }
}
