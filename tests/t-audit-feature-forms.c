/* What a feature is worth: the forms and ranges of position features and scales that the audit knows, and the second
   look at their values. */
#include <string.h>

#include "audit/audit.h"
#include "test.h"

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
        {"[i % 0x1.0000000000001p51 = 5]", false, false},
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
        {"[(i % 4*3 + 1) % 5 = 1]", false, false},
        {"[(i % 0x1p26*3 + 1) % 0x1p26 = 1]", true, false},
        {"[(i % 67108865*3 + 1) % 67108865 = 1]", false, false},
        {"[i < 5]", false, false},
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
            for (uint64_t size = 1; size < 40; size += step)
                for (uint64_t i = 0; i < size; i++) {
                    if (f.kind)
                        CHECK(audit_feature_agrees(&f, e, i, size - 1, size, &scratch), "%s at %llu of %llu",
                              forms[k].text, (unsigned long long)i, (unsigned long long)size);
                    if (s.kind)
                        CHECK(audit_feature_agrees(&s, e, i, size - 1, size, &scratch), "%s at %llu of %llu",
                              forms[k].text, (unsigned long long)i, (unsigned long long)size);
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

int main(void) {
    check_forms();
    check_second_look();
    return test_finish("t-audit-feature-forms");
}
