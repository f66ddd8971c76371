#include "model/digits.h"

/* f16: 2047 * 2^5 and e5m2: 7 * 2^13 are their largest numbers; e4m3 reaches 448 only, so the bonus, 2^8 times 2^8,
   ends its range. */
static const digit_format formats[] = {
    {TEMPER_TYPE_BF16, 3, 100, 0, 0x1p25}, {TEMPER_TYPE_F16, 3, 14, 14, 0x1p25}, {TEMPER_TYPE_E4M3, 3, 7, 8, 4096},
    {TEMPER_TYPE_E5M2, 8, 14, 14, 0x1p25}, {TEMPER_TYPE_F32, 1, 100, 0, 0x1p25},
};

const digit_format *digit_format_at(size_t k) { return k < sizeof formats / sizeof *formats ? &formats[k] : NULL; }

const digit_format *digit_format_of(temper_type type) {
    const number_type *t = number_type_of(type);
    for (size_t k = 0; t && k < sizeof formats / sizeof *formats; k++)
        if (digit_storage(&formats[k]) == t->storage) return &formats[k];
    return NULL;
}

const number_format *digit_storage(const digit_format *f) { return number_type_of(f->type)->storage; }

/* 8 B^b = 2^(3 + p b) */
static int power(const digit_format *f, int b) { return 3 + digit_storage(f)->precision * b; }

int digit_query_power(const digit_format *f, int b) {
    return power(f, b) < f->query_most ? power(f, b) : f->query_most;
}

int digit_key_power(const digit_format *f, int b) { return power(f, b) - digit_query_power(f, b); }

const char *digit_text(const digit_format *f, int b, arena *a) {
    static const char size[] = "max(i - floor(N/2), floor(N/2) - i)",
                      sign[] = "([floor(N/2) < i] - [i < floor(N/2)])";
    int bits = digit_storage(f)->precision;
    long base = 1L << bits, place = 1L << (f->count > 1 ? bits * b : 0);
    bool last = b == f->count - 1;
    text t;
    text_init(&t, a);
    if (f->count == 1)
        text_puts(&t, "i - floor(N/2)");
    else if (b == 0)
        text_printf(&t, "%s*(%s %% %ld)", sign, size, base);
    else if (last)
        text_printf(&t, "%s*floor(%s/%ld)", sign, size, place);
    else
        text_printf(&t, "%s*(floor(%s/%ld) %% %ld)", sign, size, place, base);
    return text_string(&t);
}

const char *digit_bonus_text(const digit_format *f, arena *a) {
    text t;
    text_init(&t, a);
    text_puts(&t, "ceil2(16*N)");
    if (f->bonus) text_printf(&t, "/%ld", 1L << f->bonus);
    return text_string(&t);
}
