/* Heads that look for patterns, by doc/certificate.md, "Match", and by src/bound: their logits, errors and
   conditions in every number type, where scores fill the digits of sums, and one step further. Hard runs, too. */
#include <math.h>
#include <stdio.h>

#include "bound/role_bounds.h"
#include "bound_page.h"
#include "quantity_page.h"
#include "test.h"

static arena memory;
static trap no_memory;

static struct { size_t proved, failed; } met;

static bool is_near(const ball *found, real page_says) {
    return fabsl((real)ball_upper(found) - page_says) <= 1e-9L * page_says;
}

static void check_with(temper_type type, uint64_t m, double kappa, double total, double weight, double edge) {
    page p = page_of(type, m);
    bounds b;
    bounds_init(&b, number_type_of(type), number_type_is_emulated(type), m, &memory);
    head_shape s = {
        .role = ROLE_MATCH, .kappa = kappa, .scaled = true, .total = total, .weight = weight, .edges = edge};
    s.scale = (feature_form){.size = FORM_POWER, .power = 1, .c = kappa, .d = 1};
    bool large = false;
    part logit = edge > 0 ? page_pattern_end(&p, total, edge, kappa, &large) : page_pattern(&p, total, kappa, &large);
    real q = expl(-kappa * (1 - p.ua)), rest = (1 + 2 * p.ua) * expl(2 * logit.e) * q / (1 - q) + p.subnormal_loss;
    real error = logit.e < 5000 ? page_error(&p, rest) : 1;
    bool sums = (real)kappa * p.m * fmaxl(total, weight) <= ldexpl(1, page_grid(kappa) - 1 + p.a->precision);
    bool counts = p.known || p.m <= ldexpl(1, p.a->precision), holds = !large && sums && counts && error <= 0.25L;
    head_certificate h = head_certify(&b, &s);
    CHECK(!h.failure == holds, "match in %s at M = %llu, kappa %g, T %g, W %g, edge %g: %s, error %Lg%s",
          temper_type_name(type), (unsigned long long)m, kappa, total, weight, edge, h.failure ? h.failure : "proved",
          error, large ? ", too large" : "");
    if (!large && logit.e < 5000)
        CHECK(is_near(h.logit, logit.x) && is_near(h.rounding, logit.e) && (logit.e > 300 || is_near(h.error, error)),
              "match in %s at M = %llu, kappa %g, T %g, edge %g: X = %.17g, E = %.17g, D = %.17g; the page %.17Lg, "
              "%.17Lg, "
              "%.17Lg",
              temper_type_name(type), (unsigned long long)m, kappa, total, edge, ball_upper(h.logit),
              ball_upper(h.rounding), ball_upper(h.error), logit.x, logit.e, error);
    met.proved += holds;
    met.failed += !holds;
    arena_reset(&memory);
}

/* The sentinel is the start, or the end with a large or a small score. */
static void check_soft(temper_type type, uint64_t m, double kappa, double total, double weight) {
    const double edges[] = {0, 0.5, 1, total};
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) check_with(type, m, kappa, total, weight, edges[k]);
}

static void check_hard(temper_type type, double total, double weight) {
    page p = page_of(type, 100);
    bounds b;
    bounds_init(&b, number_type_of(type), number_type_is_emulated(type), 100, &memory);
    for (int scaled = 0; scaled < 2; scaled++) { /* a hard run leaves the scale out, and kappa is then not known */
        head_shape s = {.role = ROLE_MATCH, .soft_ties = true, .scaled = scaled, .total = total, .weight = weight};
        head_certificate h = head_certify_hard(&b, &s);
        CHECK(!h.failure == (fmax(total, weight) <= ldexp(1, p.a->precision - 1)), "hard in %s, T %g, W %g: %s",
              temper_type_name(type), total, weight, h.failure ? h.failure : "proved");
    }
    arena_reset(&memory);
}

/* Runs letter by letter count distances in the format of sums. */
static void check_hard_distance(temper_type type, uint64_t m) {
    bounds b;
    bool ascending = number_type_is_emulated(type);
    bounds_init(&b, number_type_of(type), ascending, m, &memory);
    head_shape s = {.role = ROLE_MATCH, .soft_ties = true, .total = 1, .weight = 1};
    head_certificate h = head_certify_hard(&b, &s);
    CHECK(!h.failure == (ascending || m <= (uint64_t)1 << b.a->precision), "hard in %s at M = %llu: %s",
          temper_type_name(type), (unsigned long long)m, h.failure ? h.failure : "proved");
    arena_reset(&memory);
}

static void check_type(temper_type type) {
    int digits = number_type_of(type)->accumulation->precision;
    for (uint64_t m = 2; m <= (uint64_t)1 << 20; m = 5 * m / 2)
        for (int k = 0; k < 12; k++) {
            double kappa = k % 3 == 0 ? 8 : k % 3 == 1 ? 12 : 64, grid = kappa == 12 ? 4 : kappa;
            double most = floor(2 * ldexp(grid, digits - 1) / kappa / (double)m) / 2 + (k / 3 % 2 ? 0.5 : 0);
            if (most <= 0) most = 0.5;
            check_soft(type, m, kappa, k < 6 ? most : 0.5, k < 6 ? 1 : most);
            check_soft(type, m, kappa, 0.5 * (1 + k), 3);
        }
    for (int more = -1; more <= 1 && digits < 30; more++) /* as many positions as any order allows */
        check_soft(type, ((uint64_t)1 << digits) + (uint64_t)more, 64, 0.5, 0.25);
    for (int more = -1; more <= 1 && digits < 30; more++)
        check_hard_distance(type, ((uint64_t)1 << digits) + (uint64_t)more);
    double end = ldexp(1, digits - 1);
    for (int k = 0; k < 4; k++) {
        double most = k % 2 ? end + end / 2 : end;
        check_hard(type, k < 2 ? most : 1, k < 2 ? 1 : most);
    }
}

int main(void) {
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    for (size_t k = 0; k < PAGE_ROW_TYPES; k++) check_type(page_types[k]);
    CHECK(met.proved > 100 && met.failed > 100, "%zu are proved, %zu are not", met.proved, met.failed);
    arena_free(&memory);
    return test_finish("t-bound-match");
}
