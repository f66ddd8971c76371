#define _POSIX_C_SOURCE 200809L
#include "cost_show.h"

#include <math.h>
#include <stdio.h>

#include "json.h"
#include "message.h"
#include "real.h"

enum { FEW_SECONDS = 3, SHORT_LENGTH = 128, LONGEST = 1 << 14 };

/* Two digits at most: nobody knows more. */
void time_show(char out[32], double seconds) {
    const char *unit = seconds < 100 ? "s" : seconds < 6000 ? "minutes" : "hours";
    double x = seconds < 100 ? seconds : seconds < 6000 ? seconds / 60 : seconds / 3600;
    double digits = x < 1e6 ? pow(10, floor(log10(x)) - 1) : 1;
    snprintf(out, 32, "%.20s %s", real_of("%.0f", x < 10 ? round(x) : round(x / digits) * digits).text, unit);
}

void cost_show(session *s, const char *what, const temper_model *model, size_t length, double times) {
    double steps = 0;
    char time[32];
    if (s->quiet || length < SHORT_LENGTH || length > LONGEST ||
        !is_done(temper_choices_cost(&steps, model, length, NULL)))
        return;
    double seconds = times * steps * 800e-9; /* long lengths take more than short ones show */
    if (seconds < FEW_SECONDS) return;
    output_flush(s);
    if (s->json) {
        json j;
        json_open(&j, stderr);
        json_text(&j, "command", what);
        json_real(&j, "about_seconds", seconds);
        json_close(&j);
        return;
    }
    time_show(time, seconds);
    fprintf(stderr, "%s: about %s, for all lengths up to %zu\n", what, time, length);
}
