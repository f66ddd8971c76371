/* Where ticks stand, what they are called, and how labels are kept apart. */
#include "draw/chart.h"
#include "draw/label.h"

#include <math.h>
#include <stdlib.h>

/* 10^k by multiplication: the same on every platform. */
static double ten_to(int k) {
    double y = 1;
    for (int j = 0; j < (k < 0 ? -k : k); j++) y *= 10;
    return k < 0 ? 1 / y : y;
}

static int floor_log10(double x) {
    int k = 0;
    while (k < 308 && ten_to(k + 1) <= x) k++;
    while (k > -308 && ten_to(k) > x) k--;
    return k;
}

static size_t linear_ticks(double *ticks, double least, double most, size_t most_ticks) {
    static const double steps[] = {1, 2, 5};
    int decade = floor_log10((most - least) / (double)most_ticks);
    for (;; decade++)
        for (size_t k = 0; k < 3; k++) {
            double step = steps[k] * ten_to(decade);
            double first = ceil(least / step - 1e-9), last = floor(most / step + 1e-9);
            if (last - first + 1 > (double)most_ticks) continue;
            size_t count = 0;
            for (double j = first; j <= last; j++) /* divided by the inverse, so that 3 * 0.1 is 0.3 */
                ticks[count++] = decade < 0 ? j * steps[k] / ten_to(-decade) : j * step;
            return count;
        }
}

/* 1, 2, 5 of every decade if they fit, else decades, or every k-th of them; where fewer than two decades are in
   range, every k-th of 1, 2, 5. */
static size_t log_ticks(double *ticks, double least, double most, size_t most_ticks) {
    static const double within[] = {1, 2, 5};
    int low = floor_log10(least), high = floor_log10(most) + 1;
    size_t fine = 0, decades = 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t step = pass == 0 ? 1 : (fine + most_ticks - 1) / most_ticks, count = 0, seen = 0;
        bool by_decade = pass == 1 && fine > most_ticks && decades >= 2;
        if (by_decade) step = (decades + most_ticks - 1) / most_ticks;
        for (int k = low; k <= high; k++)
            for (size_t j = 0; j < (by_decade ? 1 : 3); j++) {
                double x = within[j] * ten_to(k);
                if (x < least * (1 - 1e-9) || x > most * (1 + 1e-9)) continue;
                if (pass == 0) {
                    fine++, decades += j == 0;
                } else if (by_decade ? k % (int)step == 0 : seen % step == 0) {
                    if (count < CHART_TICKS) ticks[count++] = x;
                }
                seen++;
            }
        if (pass == 1) return count;
    }
    return 0;
}

size_t chart_ticks(double ticks[CHART_TICKS], double least, double most, bool log, size_t most_ticks) {
    if (most_ticks < 2) most_ticks = 2;
    if (most_ticks > CHART_TICKS) most_ticks = CHART_TICKS;
    if (!(least < most) || !isfinite(least) || !isfinite(most) || (log && least <= 0)) {
        ticks[0] = least;
        return isfinite(least) ? 1 : 0;
    }
    return log ? log_ticks(ticks, least, most, most_ticks) : linear_ticks(ticks, least, most, most_ticks);
}

void chart_tick_label(text *t, double x, bool powers) {
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    int k = x > 0 ? floor_log10(x * (1 + 1e-12)) : 0;
    double m = x > 0 ? x / ten_to(k) : 0;
    if (x > 0 && ((powers && (k >= 2 || k <= -1)) || k >= 6 || k <= -4)) {
        if (fabs(m - 1) > 1e-9) {
            label_number(t, floor(m * 100 + 0.5) / 100, 3);
            text_puts(t, "·");
        }
        text_puts(t, "10");
        if (k < 0) text_puts(t, "⁻");
        int size = k < 0 ? -k : k;
        if (size >= 100) text_puts(t, digits[size / 100]);
        if (size >= 10) text_puts(t, digits[size / 10 % 10]);
        text_puts(t, digits[size % 10]);
        return;
    }
    /* label_number would write 20000 as 2e+04 */
    if (x == floor(x) && fabs(x) < 1e6)
        text_printf(t, "%s%ld", x < 0 ? "−" : "", labs((long)x));
    else
        label_number(t, x, 4);
}

/* Groups of labels that touch are merged and centred on the mean of what they want, until no two groups touch. */
void chart_spread(double *at, size_t count, double height, double top, double bottom) {
    if (count == 0) return;
    double room = bottom - top;
    double step = count > 1 && height * (double)(count - 1) > room ? room / (double)(count - 1) : height;
    for (int pass = 0; pass < 200; pass++) {
        bool moved = false;
        for (size_t k = 0; k + 1 < count; k++) {
            double lack = step - (at[k + 1] - at[k]);
            if (lack <= 1e-6) continue;
            at[k] -= lack / 2, at[k + 1] += lack / 2;
            moved = true;
        }
        if (at[0] < top) at[0] = top;
        if (at[count - 1] > bottom) at[count - 1] = bottom;
        if (!moved) break;
    }
    for (size_t k = 0; k < count; k++) { /* whatever is left: from the top */
        double lowest = k ? at[k - 1] + step : top;
        if (at[k] < lowest) at[k] = lowest;
    }
    for (size_t k = count; k-- > 0;) {
        double highest = bottom - step * (double)(count - 1 - k);
        if (at[k] > highest) at[k] = highest;
    }
}
