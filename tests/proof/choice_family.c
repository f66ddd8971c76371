#include "choice_family.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const FAMILY_MASKS[5] = {"all", "j<i", "j<=i", "j>i", "j>=i"};
const char *const FAMILY_CHOICES[3] = {"leftmost", "rightmost", "average"};

bool one_in(choice_family *f, uint64_t k) { return random_below(f->r, k) == 0; }

int from_to(choice_family *f, int lo, int hi) { return lo + (int)random_below(f->r, (uint64_t)(hi - lo + 1)); }

double between(choice_family *f, double lo, double hi) {
    return lo * exp(log(hi / lo) * (double)(random_u64(f->r) >> 11) * 0x1p-53);
}

double weight_of(double x) {
    double size = fmin(fmax(fabs(x), 0x1p-1074), 0x1.fffffffffffffp1023);
    return signbit(x) ? -size : size;
}

temper_type any_type(choice_family *f) {
    static const temper_type all[] = {TEMPER_TYPE_F16,      TEMPER_TYPE_BF16,   TEMPER_TYPE_F32,
                                      TEMPER_TYPE_F16_F32,  TEMPER_TYPE_F64,    TEMPER_TYPE_BF16_F32,
                                      TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E4M3,   TEMPER_TYPE_E5M2_F32,
                                      TEMPER_TYPE_E5M2,     TEMPER_TYPE_F32_F64};
    return PICK(f, all);
}

void family_put(char *to, size_t size, const char *format, ...) {
    size_t used = strlen(to);
    va_list args;
    va_start(args, format);
    int n = vsnprintf(to + used, size - used, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= size - used) abort();
}

void family_begin(choice_family *f, temper_type type, size_t n) {
    f->which = type;
    f->s = number_type_of(type)->storage;
    f->a = number_type_of(type)->accumulation;
    f->n = n;
    f->end = one_in(f, 3);
    f->first = one_in(f, 4);
    f->letters = from_to(f, 1, 3);
    *f->channels = *f->embedding = *f->body = 0;
    CHANNELS(f, "channel 0 \"one\" position \"1\"\n");
}

void family_embed(choice_family *f, int c, const double *values, int count) {
    for (int t = 0; t < f->letters + 2; t++) {
        char token[8] = "start", term[40] = "";
        if (t < f->letters) snprintf(token, sizeof token, "\"%c\"", 'a' + t);
        if (t > f->letters) snprintf(token, sizeof token, "end");
        if (values[t % count] != 0) snprintf(term, sizeof term, " %d:%a", c, values[t % count]);
        family_put(f->embedding, sizeof f->embedding, "embed %s%s\n", token, term);
    }
}

void family_check(choice_family *f, bool strings) {
    static const char *const alphabets[] = {"", "\"a\"", "\"a\" \"b\"", "\"a\" \"b\" \"c\""};
    snprintf(f->text, sizeof f->text,
             "temper-model 1\nmethod temperature\nalphabet %s\nat %s\nend %s\n%s%slayer 1\n%s", alphabets[f->letters],
             f->first ? "first" : "last", f->end ? "yes" : "no", f->channels, f->embedding, f->body);
    f->tries += 2;
    f->proofs += choice_twins_opened(f->text, f->n, f->which, strings, f->r);
}

void family_run(choice_family *f, const char *name, void (*make)(choice_family *), size_t times) {
    f->tries = f->proofs = 0;
    for (size_t k = 0; k < times; k++) make(f);
    CHECK(f->proofs * 5 >= f->tries, "%s: only %zu proofs of %zu", name, f->proofs, f->tries);
}
