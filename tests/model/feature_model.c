#include "feature_model.h"

static const char *const weights[] = {"1", "2", "-1", "-2", "0x1p-1", "-0x1p-1", "4", "0x1.8p+0"};

static const char *weight(test_random *r) {
    return weights[random_below(r, 3) ? random_below(r, 2) : random_below(r, sizeof weights / sizeof *weights)];
}

/* One row: one term, or two. */
static void put_row(text *t, test_random *r, const char *what, const uint32_t *channels, size_t count) {
    uint32_t a = channels[random_below(r, count)], b = channels[random_below(r, count)];
    text_printf(t, "  %s %u:%s", what, a < b ? a : b, weight(r));
    if (a != b && random_below(r, 3) == 0) text_printf(t, " %u:%s", a < b ? b : a, weight(r));
    text_putc(t, '\n');
}

enum { FEATURES = 16, LETTERS = 2, FREE = 8 };

void feature_model_text(text *t, test_random *r) {
    static const char *const features[FEATURES] = {
        "1",           "i",          "i*i",       "1/(i + 1)", "i/(2*N)",        "[i = 1]",
        "[2 <= i]",    "i % 2",      "n + 1 - i", "i/N",       "i + floor(n/2)", "n % 2",
        "2*i - 3*i*i", "[2*i <= n]", "N - i",     "i/64"};
    static const char *const masks[] = {"j<=i", "j<=i", "j<=i", "j<i", "all", "all", "j>i", "j>=i"};
    static const char *const choices[] = {"average", "average", "leftmost", "rightmost"};
    uint32_t channels[FEATURES + LETTERS + FREE], made = FEATURES + LETTERS;
    for (uint32_t c = 0; c < made; c++) channels[c] = c;
    bool end = random_below(r, 8) == 0;
    text_printf(t, "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nend %s\n", end ? "yes" : "no");
    if (random_below(r, 4) == 0) text_puts(t, "at first\n");
    for (uint32_t c = 0; c < FEATURES; c++) text_printf(t, "channel %u \"\" position \"%s\"\n", c, features[c]);
    for (uint32_t c = FEATURES; c < made + FREE; c++) text_printf(t, "channel %u \"\"\n", c);
    text_printf(t, "embed \"a\" %u:1\nembed \"b\" %u:1\nembed start\nembed end\n", FEATURES, FEATURES + 1);
    for (uint32_t layer = 1; layer <= 3 && made < FEATURES + LETTERS + FREE; layer++) {
        uint32_t heads = 1 + (uint32_t)random_below(r, 2), before = made;
        text_printf(t, "layer %u\n", layer);
        for (uint32_t h = 0; h < heads && made < FEATURES + LETTERS + FREE; h++) {
            text_printf(t, "head \"\" mask %s choice %s\n", masks[random_below(r, sizeof masks / sizeof *masks)],
                        choices[random_below(r, sizeof choices / sizeof *choices)]);
            size_t rows = layer == 1 && h == 0 ? random_below(r, 2) : 1 + random_below(r, 2);
            bool look_up = rows == 2 && random_below(r, 2); /* (x, 1) against (2j, -j^2) */
            for (size_t k = 0; k < rows; k++) {
                if ((look_up && k == 1) || (!look_up && random_below(r, 2)))
                    text_printf(t, "  query 0:%s\n", weight(r));
                else
                    put_row(t, r, "query", channels, before);
            }
            for (size_t k = 0; k < rows; k++) {
                if (look_up)
                    text_printf(t, k ? "  key 2:-1\n" : "  key 1:%s\n", weight(r));
                else
                    put_row(t, r, "key", channels, before);
            }
            put_row(t, r, "value", channels, before);
            text_printf(t, "  output %u:%s\n", made++, weight(r));
        }
        if (random_below(r, 2) && made < FEATURES + LETTERS + FREE) { /* a ramp */
            uint32_t x = channels[FEATURES + random_below(r, before - FEATURES)], y = before;
            text_printf(t, "unit -0x1p-1 %u:2 %u:2 -> %u:1\nunit -0x1.8p+0 %u:2 %u:2 -> %u:-1\n", x < y ? x : y,
                        x < y ? y : x, made, x < y ? x : y, x < y ? y : x, made);
            made++;
        }
        for (uint32_t c = before; c < made; c++) channels[c] = c;
    }
    text_printf(t, "read %u:1\n", made - 1);
}
