/* What a feature is worth: the forms and ranges of position features and scales that the audit knows, and the second
   look at their values. */
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "test.h"

#define AWAY "max(i - floor(N/2), floor(N/2) - i)"
#define SIGN "([floor(N/2) < i] - [i < floor(N/2)])"

/* Whether it is worth what the feature is at every position of strings with so many positions, with and without an
   end sentinel. */
static bool agrees(const feature *f, const expression *e, uint64_t size, arena *scratch) {
    for (uint64_t end = 0; end < 2 && end < size; end++)
        for (uint64_t i = 0; i < size; i++)
            if (!audit_feature_agrees(f, e, i, size - 1 - end, size, scratch)) return false;
    return true;
}

/* Every form and range that is understood, each on its side of the border. */
static void check_forms(void) {
    static const struct {
        const char *text;
        bool feature, scale;
    } forms[] = {
        {"1", true, false},
        {"-0x1p-1074", true, false},
        {"i", true, false},
        {"N - 1 - i", true, false},
        {"N - (1 + i)", false, false},
        {"0x1p20*i", true, false},
        {"0x1.00001p20*i", false, false},
        {"0x1p-20*i", true, false},
        {"0x1p-21*i", false, false},
        {"0x1.8p-20*i", false, false},
        {"-8*i", false, false},
        {"0*i", false, false},
        {"8*N", true, true},
        {"N", false, false},
        {"8*N*N", true, true},
        {"8*N*N*N", true, true},
        {"8*N*N*N*N", false, false},
        {"8*(N*N)", false, false},
        {"8*N*i", true, false},
        {"8*N*i*i", true, false},
        {"8*N*(N - 1 - i)*(N - 1 - i)", true, false},
        {"8*N*i*(N - 1 - i)", false, false},
        {"8*i*N", false, false},
        {"i/N", true, false},
        {"(N - 1 - i)/N", true, false},
        {"i/n", false, false},
        {"1/(i + 1)", true, false},
        {"1/(N - i)", true, false},
        {"2/(i + 1)", false, false},
        {"i/(N*N)", true, false},
        {"i*i/(N*N)", true, false},
        {"i*(N - 1 - i)/(N*N)", false, false},
        {"[i = 0]/N", true, false},
        {"[i = N - 1]/N", true, false},
        {"[i = 1]/N", false, false},
        {"[i = 0]*16*N", true, false},
        {"[i = N - 1]*16*N", true, false},
        {"[i = 0]*-16*N", false, false},
        {"16*N*N/(i + 1)", true, false},
        {"16*N*N/(N - i)", false, false},
        {"ln(N) + 8", true, true},
        {"ln(N) + -8", false, false},
        {"ln(N) - 8", false, false},
        {"ln(n) + 8", false, false},
        {"ln(max(i, 1))/(16*N)", true, false},
        {"ln(max(N - 1 - i, 1))/(16*N)", true, false},
        {"ln(max(1, i))/(16*N)", false, false},
        {"ln(max(i, 2))/(16*N)", false, false},
        {"i - floor(N/2)", true, false},
        {"floor(N/2) - i", false, false},
        {"ceil2(16*N)", true, false},
        {"ceil2(4096*N)/16384", true, false},
        {"ceil2(4097*N)", false, false},
        {"ceil2(16*N)/3", false, false},
        {"ceil2(16*N)/0x1p41", false, false},
        {"ceil2(0.5*N)", false, false},
        {"-4*floor(-(ln(N) + 8)/4)", true, false},
        {"-4*floor(-(ln(N) + 8)/3)", false, false},
        {"4*floor(-(ln(N) + 8)/4)", false, false},
        {"[i = 1]*[1 <= n]", true, false},
        {"[i = n]*[1 <= n]", true, false},
        {"[i = n]", false, false},
        {"[i = 1]*[2 <= n]", false, false},
        {"[i % 0x1p51 = 5]", true, false},
        {"[i % 2251799813685249 = 5]", false, false},
        {"[i % 0 = 0]", false, false},
        {"[i % 1 = 0]", true, false},
        {"[i % 4 = 4]", false, false},
        {"[i % 4 = -1]", false, false},
        {"[i % 4 <= 3]", true, false},
        {"[i % 4 < 3]", false, false},
        {"[i % 4 = 1.5]", false, false},
        {"[(i + 3) % 4 = 1]", true, false},
        {"[(i + 4) % 4 = 1]", false, false},
        {"[(N - 1 - i) % 4 = 1]", true, false},
        {"[(i % 4*3 + 1) % 4 = 1]", true, false},
        {"[(i % 4*3 + 1) % 4 = 2]", true, false},
        {"[(i % 4*3 + 1) % 4 = 2]*[1 <= i]*[i <= n]", true, false},
        {"[(i % 4*3 + 1) % 5 = 1]", false, false},
        {"[(i % 0x1p26*3 + 1) % 0x1p26 = 1]", true, false},
        {"[(i % 67108865*3 + 1) % 67108865 = 1]", false, false},
        {"[i < 5]", false, false},
        {"ceil2(1*N)", true, false},
        {"ceil2(0*N)", false, false},
        {"ceil2(16*N)/1", true, false},
        {"ceil2(16*N)/0x1p40", true, false},
        {"0.75*i", true, false},
        {"[i % 4 = 3]", true, false},
        {"[(i + 0) % 4 = 1]", true, false},
        {"[(i % 4*3 + 4) % 4 = 1]", false, false},
        {"[(i % 4*4 + 1) % 4 = 1]", false, false},
        {"[(i % 4*3 + 1) % 4 <= 4]", false, false},
        {"[i % 4 = 0]*[1 <= i]*[i <= n]", true, false},
        {"[i % 4 = 1]*[1 <= i]*[i <= n]", true, false},
        {"[i % 4 <= 1]*[1 <= i]*[i <= n]", true, false},
        {"[i % 1 = 0]*[1 <= i]*[i <= n]", true, false},
        {"[(N - 1 - i) % 4 = 1]*[1 <= i]*[i <= n]", true, false},
        {"[(i + 3) % 4 = 1]*[1 <= i]*[i <= n]", true, false},
        {"[(i + 3) % 4 <= 1]*[1 <= i]*[i <= n]", true, false},
        {"[(i % 4*3 + 1) % 4 = 1]*[1 <= i]*[i <= n]", true, false},
        {"[(i % 4*3 + 1) % 4 <= 1]*[1 <= i]*[i <= n]", true, false},
        {"[i % 4 = 4]*[1 <= i]*[i <= n]", false, false},
        {"[i % 4 = 0]*[0 <= i]*[i <= n]", false, false},
        {SIGN "*(" AWAY " % 16)", true, false},
        {SIGN "*(" AWAY " % 2)", true, false},
        {SIGN "*(" AWAY " % 3)", true, false},
        {SIGN "*(" AWAY " % 1)", false, false},
        {SIGN "*(" AWAY " % 0x1p40)", true, false},
        {SIGN "*(" AWAY " % 0x1.0000000001p40)", false, false},
        {SIGN "*floor(" AWAY "/16)", true, false},
        {SIGN "*floor(" AWAY "/1)", true, false},
        {SIGN "*floor(" AWAY "/0x1p40)", true, false},
        {SIGN "*floor(" AWAY "/0x1p41)", false, false},
        {SIGN "*floor(" AWAY "/3)", false, false},
        {SIGN "*(floor(" AWAY "/4) % 3)", true, false},
        {SIGN "*(floor(" AWAY "/4) % 1)", false, false},
        {SIGN "*(floor(" AWAY "/3) % 4)", false, false},
    };
    trap guard;
    arena memory, scratch;
    uint64_t step = test_effort() < 0.1 ? 9 : 1;
    arena_init(&memory, &guard);
    arena_init(&scratch, &guard);
    if (!trap_set(&guard, NULL)) {
        for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
            const expression *e = expression_parse(&memory, forms[k].text, strlen(forms[k].text), 0, 0);
            feature f = audit_feature_of(e), s = audit_scale_of(e);
            CHECK((f.kind != FEATURE_UNKNOWN) == forms[k].feature, "%s as a feature", forms[k].text);
            CHECK((s.kind != FEATURE_UNKNOWN) == forms[k].scale, "%s as a scale", forms[k].text);
            for (uint64_t size = 1; size < 40; size += size < 4 ? 1 : step) {
                if (f.kind)
                    CHECK(agrees(&f, e, size, &scratch), "%s is worth something else, N = %llu", forms[k].text,
                          (unsigned long long)size);
                if (s.kind)
                    CHECK(agrees(&s, e, size, &scratch), "the scale %s is worth something else, N = %llu",
                          forms[k].text, (unsigned long long)size);
            }
        }
        trap_clear(&guard);
    } else {
        CHECK(false, "%s", guard.error.text);
    }
    arena_free(&memory);
    arena_free(&scratch);
}

/* The second look sees every expression that is not worth what its feature is, even if a table took it for that. */
static void check_second_look(void) {
    static const char *const pairs[][2] = {
        {"[i % 4 = 0]", "[(i + 5 % 3 + 3) % 4 = 0]"},
        {"[i % 4 = 0]", "[i % (4 % 3) = 0]"},
        {"[i % 4 = 0]", "[i % 4 = 1]"},
        {"[i % 4 <= 1]", "[i % 4 = 1]"},
        {"i/N", "i*0x1p-1070/N*0x1p535*0x1p535"},
        {"i/N", "i*0x1p1020*16/N*0x1p-1024"},
        {"8*N", "8*N*N*0x1.5555555555555p-2*3/N"},
        {"i", "i*0x1.5555555555555p-2*3"},
        {"1/(i + 1)", "1/(i + 2)"},
        {"ln(N) + 8", "ln(N + 1) + 8"},
        {"ln(N) + 8", "ln(N) + 0x1.00000000001p3"},
        {"-4*floor(-(ln(N) + 8)/4)", "-2*floor(-(ln(N) + 8)/2)"},
        {"-4*floor(-(ln(N) + 8)/4)", "-4*floor(-(ln(N) + 8)/4) + 4"},
        {"ln(max(i, 1))/(16*N)", "ln(max(i, 1))/(17*N)"},
        {"ceil2(16*N)", "16*N"},
        {"i - floor(N/2)", "floor(N/2) - i"},
        {"[i = 1]*[1 <= n]", "[i = 1]*[2 <= n]"},
        {"1", "0x1.0000000000001p0"},
        {"-4*floor(-(ln(N) + 8)/4)", "-4*floor(-(ln(N) + 8.5)/4)"},
        {"-4*floor(-(ln(N) + 8)/4)", "-4*floor(-(ln(N) + 8)/4) + 1"},
        {"[i = 1]*[1 <= n]", "[i = 1]"},
        {"[i = n]*[1 <= n]", "[i = n]"},
        {"[i = n]*[1 <= n]", "[i = n]*[2 <= n]"},
        {"[i % 4 = 0]*[1 <= i]*[i <= n]", "[i % 4 = 0]"},
        {"[i % 4 = 0]*[1 <= i]*[i <= n]", "[i % 4 = 0]*[0 <= i]*[i <= n]"},
        {"[i % 4 = 1]*[1 <= i]*[i <= n]", "[i % 4 = 1]*[2 <= i]*[i <= n]"},
        {"[i % 4 = 1]*[1 <= i]*[i <= n]", "[i % 4 = 1]*[1 <= i]*[i < n]"},
        {"[i % 4 = 1]*[1 <= i]*[i <= n]", "[i % 4 = 1]*[1 <= i]*[i <= n + 1]"},
        {"[i % 4 <= 1]*[1 <= i]*[i <= n]", "[i % 4 = 1]*[1 <= i]*[i <= n]"},
        {SIGN "*(" AWAY " % 16)", SIGN "*(" AWAY " % 15)"},
        {SIGN "*(" AWAY " % 16)", AWAY " % 16"},
        {SIGN "*floor(" AWAY "/16)", SIGN "*floor(" AWAY "/8)"},
    };
    trap guard;
    arena memory, scratch;
    arena_init(&memory, &guard);
    arena_init(&scratch, &guard);
    if (!trap_set(&guard, NULL)) {
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
            feature f = audit_feature_of(expression_parse(&memory, pairs[k][0], strlen(pairs[k][0]), 0, 0));
            const expression *e = expression_parse(&memory, pairs[k][1], strlen(pairs[k][1]), 0, 0);
            bool seen = false;
            for (uint64_t size = 2; size < 40; size++)
                for (uint64_t i = 0; i < size; i++)
                    seen = seen || !audit_feature_agrees(&f, e, i, size - 2, size, &scratch);
            CHECK(seen, "%s passes for %s", pairs[k][1], pairs[k][0]);
        }
        trap_clear(&guard);
    } else {
        CHECK(false, "%s", guard.error.text);
    }
    arena_free(&memory);
    arena_free(&scratch);
}

/* What f64 makes of a product on a grid g is exact up to 2^(g + 53), which is `limit`; beyond, and of quotients at
   any size, it may be off by four roundings. A detour by a 49th, say, makes numbers that are off by one or two.
   Returns how many it met. */
static size_t check_detour(const char *plain, unsigned by, double limit, arena *memory, arena *scratch) {
    char detour[100];
    snprintf(detour, sizeof detour, "%s/%u*%u", plain, by, by);
    const expression *p = expression_parse(memory, plain, strlen(plain), 0, 0),
                     *d = expression_parse(memory, detour, strlen(detour), 0, 0);
    feature f = audit_feature_of(p);
    const uint64_t size = (uint64_t)1 << 40, n = size - 2;
    size_t off = 0;
    CHECK(f.kind != FEATURE_UNKNOWN, "%s is a feature", plain);
    for (unsigned step = 0; step < 400; step++) {
        uint64_t i = ((uint64_t)(8 + step % 2 * 3) << (10 + step / 2 % 26)) + step / 52;
        double x = expression_eval(p, (double)i, (double)n, (double)size);
        if (x == expression_eval(d, (double)i, (double)n, (double)size)) continue;
        CHECK(audit_feature_agrees(&f, d, i, n, size, scratch) == (x > limit), "%s for %s at %llu", detour, plain,
              (unsigned long long)i);
        off++;
    }
    return off;
}

static void check_detours(void) {
    static const struct {
        const char *text;
        double limit;
    } plain[] = {{"i", 0x1p53},       {"262143*i", 0x1p53}, {"65537*i", 0x1p53}, {"65536.5*i", 0x1p52},
                 {"65536*i", 0x1p69}, {"i/N", 0},           {"1/(i + 1)", 0},    {"16*N*N/(i + 1)", 0},
                 {"1*N*i", 0x1p53},   {"3*N*i", 0x1p53},    {"i/(N*N)", 0},      {"i*i/(N*N)", 0}};
    static const unsigned by[] = {49, 98, 103, 107, 161, 187};
    trap guard;
    arena memory, scratch;
    arena_init(&memory, &guard);
    arena_init(&scratch, &guard);
    if (!trap_set(&guard, NULL)) {
        for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
            size_t off = 0;
            for (size_t d = 0; d < sizeof by / sizeof *by; d++)
                off += check_detour(plain[k].text, by[d], plain[k].limit, &memory, &scratch);
            CHECK(off > 5, "%s is off %zu times", plain[k].text, off);
        }
        trap_clear(&guard);
    } else {
        CHECK(false, "%s", guard.error.text);
    }
    arena_free(&memory);
    arena_free(&scratch);
}

int main(void) {
    check_forms();
    check_second_look();
    check_detours();
    return test_finish("t-audit-feature-forms");
}
