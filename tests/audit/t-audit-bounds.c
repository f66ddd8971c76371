/* The auditor's bounds, head by head and gate by gate, against the formulas of doc/certificate.md that role_page.c
   has: X, E and D in every number type, and where conditions stop, in M and in the sharpness. Heads and gates are
   made by hand, so that each condition is the first to fail somewhere. Features are compared with the table of
   "Quantities", single roundings with "One rounding". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit_bounds.h"
#include "changed_model.h"
#include "role_page.h"

static arena memory;
static trap failure;
static temper_model *model; /* of one layer with a head */

static void begin(audit *a, temper_type type, uint64_t m) {
    *a = (audit){.trap = &failure, .arena = &memory, .scratch = &memory, .model = model, .positions = (double)m};
    calc_init(&a->calculus, &memory);
    audit_sheet_read(&a->sheet, &a->calculus);
    a->layers = arena_zalloc(&memory, 1, sizeof *a->layers);
    audit_type_begin(a, type);
}

/* False: it was refused, and why. */
static bool bounded(audit *a, const char **why) {
    static char said[300];
    trap outer = failure;
    temper_error e = {0};
    bool fine = false;
    if (trap_set(&failure, &e)) {
        snprintf(said, sizeof said, "%s", e.text);
        *why = said;
    } else {
        *why = "";
        audit_bounds(a);
        fine = true;
    }
    failure = outer;
    return fine;
}

/* ---- heads ---- */

static audit_head facts_of(const head_shape *s) {
    audit_head f = {.layer = 1, .number = 1, .head = &model->layers[0].heads[0], .by_positions = !s->scaled};
    f.kind = s->role == ROLE_ONCE      ? KIND_ONCE
             : s->role == ROLE_COUNT   ? KIND_COUNT
             : s->role == ROLE_COMPARE ? KIND_COMPARE
             : s->role == ROLE_BALANCE ? KIND_BALANCE
                                       : KIND_LOOKUP;
    f.kappa = f.constant = s->kappa;
    f.stepped = s->scale.size == FORM_LOG_STEP;
    f.weight = s->weight;
    f.anywhere = s->anywhere;
    f.total_weight = s->total;
    f.own_weight = s->own;
    f.own_parts = s->own_units;
    f.letter_weight = s->letters;
    f.edge_weight = s->edges;
    f.grid = s->grid;
    f.first_key = (feature){.kind = s->scaled ? FEATURE_SMALL : FEATURE_SIZE_PLACE, .constant = s->kappa};
    f.second_key = (feature){.kind = s->scaled ? FEATURE_SQUARE : FEATURE_SIZE_SQUARE, .constant = s->kappa};
    f.scale = (feature){.kind = FEATURE_SIZE, .constant = s->kappa, .power = 3};
    return f;
}

static void agree(const char *what, const head_shape *s, temper_type type, uint64_t m, const ball *x,
                  real page_says) {
    real found = x ? ball_upper(x) : NAN;
    CHECK(fabsl(found - page_says) <= 1e-10L * fabsl(page_says) || (!isfinite(page_says) && !isfinite(found)),
          "%s of role %d, kappa %g in %s at M = %llu: %.15Lg, the page %.15Lg", what, (int)s->role, s->kappa,
          temper_type_name(type), (unsigned long long)m, found, page_says);
}

/* Whether all conditions hold but that on D; `values`: the bounds are compared with the page. */
static bool holds(temper_type type, const head_shape *s, uint64_t m, bool values) {
    audit a;
    const char *why;
    begin(&a, type, m);
    audit_head f = facts_of(s);
    a.heads = &f;
    a.head_count = 1;
    bool fine = bounded(&a, &why), off = strstr(why, "may be off by") != NULL;
    if (values) {
        page p = page_of(type, m);
        page_bounds b = page_bounds_of(&p, s);
        bool within = b.error <= 0.25L;
        CHECK((fine || off) == b.holds && (!b.holds || fine == within),
              "role %d, kappa %g, weight %g in %s at M = %llu: the auditor %s%s, the page says %s, error %Lg",
              (int)s->role, s->kappa, s->weight, temper_type_name(type), (unsigned long long)m,
              fine ? "proves it" : "says ", why, b.holds ? "it holds" : "it does not", b.error);
        if (fine || off) {
            agree("X", s, type, m, f.size, b.logit);
            agree("E", s, type, m, f.rounding, b.rounding);
            if (b.rounding < 300 || s->role != ROLE_LOOKUP) agree("D", s, type, m, f.error, b.error);
        }
        if (fine) {
            CHECK(ball_upper(a.largest) == ball_upper(f.error), "the largest error is that of the head");
            CHECK(ball_upper(a.layers[0].error) == 0, "there is no gate");
        }
    }
    arena_reset(&memory);
    return fine || off;
}

static bool page_holds(temper_type type, const head_shape *s, uint64_t m) {
    page p = page_of(type, m);
    return page_bounds_of(&p, s).holds;
}

/* The x-th sharpness: eight a power of two. */
static double sharpness(uint64_t x) { return ldexp(1 + (double)(x % 8) / 8, (int)(x / 8) - 8); }

/* The last x, M or a sharpness, at which conditions hold. */
static uint64_t last(temper_type type, head_shape s, uint64_t m, uint64_t end, bool by_page) {
    uint64_t good = 0, bad = end;
    while (bad - good > 1) {
        uint64_t middle = good + (bad - good) / 2;
        if (m) s.kappa = sharpness(middle);
        bool fine = by_page ? page_holds(type, &s, m ? m : middle) : holds(type, &s, m ? m : middle, false);
        if (fine)
            good = middle;
        else
            bad = middle;
    }
    return good;
}

static void check_ends(temper_type type, const head_shape *s) {
    uint64_t far = ((uint64_t)1 << 40) + 3, x = last(type, *s, 0, far, false), y = last(type, *s, 0, far, true);
    CHECK(x == y, "role %d, kappa %g, weight %g in %s holds to M = %llu, by the page to %llu", (int)s->role, s->kappa,
          s->weight, temper_type_name(type), (unsigned long long)x, (unsigned long long)y);
    if (s->role == ROLE_COUNT) return;
    for (uint64_t m = 1; m <= 4; m += m) {
        x = last(type, *s, m, 8 * 1020, false), y = last(type, *s, m, 8 * 1020, true);
        CHECK(x == y, "role %d, weight %g in %s at M = %llu holds to kappa = %a, by the page to %a", (int)s->role,
              s->weight, temper_type_name(type), (unsigned long long)m, sharpness(x), sharpness(y));
    }
}

static void check_values(temper_type type, const head_shape *s) {
    static const uint64_t sizes[] = {1, 2, 3, 7, 16, 64, 100, 256, 1000, 2048, 65536, 1000000, 16777216, 94906267};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (s->role != ROLE_COMPARE ||
            (double)sizes[k] < 100 * ldexp(1, number_type_of(type)->accumulation->precision))
            holds(type, s, sizes[k], true);
}

static void check_heads(temper_type type) {
    for (int scaled = 0; scaled < 2; scaled++)
        for (int large = 0; large < 3; large++) {
            double w = ldexp(1.5, 5 * large), sharp = large ? 16 : 4;
            head_shape shapes[] = {
                {.role = ROLE_ONCE, .kappa = sharp / 2, .scale = {.size = scaled ? FORM_LOG : FORM_LOG_STEP}},
                {.role = ROLE_COUNT, .weight = w, .letters = w, .edges = 7 * w, .grid = -1},
                {.role = ROLE_COUNT, .weight = w, .letters = w / 4, .edges = 700 * w, .grid = 2 * large - 3},
                {.role = ROLE_COMPARE, .kappa = 8, .weight = w},
                {.role = ROLE_COMPARE, .kappa = sharp, .weight = 1 / w},
                {.role = ROLE_BALANCE, .kappa = 8, .weight = w, .total = 2 * w, .own = 3 * w, .own_units = 5},
                {.role = ROLE_BALANCE,
                 .kappa = sharp,
                 .weight = 1 / w,
                 .own = 0.5,
                 .own_units = 1 + 50 * (size_t)large},
                {.role = ROLE_LOOKUP, .kappa = sharp},
                {.role = ROLE_LOOKUP, .kappa = sharp, .anywhere = true, .weight = w},
                {.role = ROLE_LOOKUP, .kappa = 16, .anywhere = true, .weight = 1 / w},
                {.role = ROLE_COMPARE, .kappa = 0.25, .weight = 0.125}, /* blunt: small numbers stop it */
                {.role = ROLE_BALANCE, .kappa = 0.25, .weight = 0x1p-12, .own = 0x1p-8, .own_units = 1},
                {.role = ROLE_LOOKUP, .kappa = 0.25},
                {.role = ROLE_ONCE, .kappa = -0.25, .scale = {.size = FORM_LOG}},
            };
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
                shapes[k].scaled = scaled;
                check_values(type, &shapes[k]);
                check_ends(type, &shapes[k]);
            }
        }
    /* counts of sentinels alone: only M itself stops them */
    head_shape edges = {.role = ROLE_COUNT, .weight = 1, .edges = 1, .scaled = true};
    check_values(type, &edges);
    check_ends(type, &edges);
    /* values that fill the storage format, by digits and by size */
    const number_format *stored = number_type_of(type)->storage;
    for (int more = 0; more < 2; more++) {
        double digits = ldexp(1, stored->precision) + more, size = stored->largest * (1 + more / 16.0);
        int grid = ilogb(stored->largest) + 1 - stored->precision;
        head_shape full = {.role = ROLE_COUNT, .weight = digits, .letters = digits, .scaled = true};
        holds(type, &full, 1, true);
        full = (head_shape){.role = ROLE_COUNT, .weight = size, .letters = size, .grid = grid, .scaled = true};
        if (isfinite(size)) holds(type, &full, 1, true);
    }
    /* queries that fill the storage format */
    double most = number_type_of(type)->storage->largest / 2;
    for (int more = -1; more <= 1 && number_type_of(type)->accumulation->largest < 0x1p500; more++) {
        double w = more < 0 ? most * 0.75 : more ? nextafter(most, INFINITY) : most;
        head_shape s = {.role = ROLE_LOOKUP, .kappa = 0x1p-4, .anywhere = true, .weight = w, .scaled = true};
        holds(type, &s, 1, true);
        s.kappa = ldexp(1, -4 - ilogb(w));
        holds(type, &s, 1, true);
    }
    int least = ilogb(number_type_of(type)->storage->least);
    for (int g = least - 1; g <= least + 1; g++) {
        double w = ldexp(1, g);
        head_shape s = {.role = ROLE_COUNT, .weight = w, .letters = w, .edges = w, .grid = g, .scaled = true};
        if (w > 0) holds(type, &s, 3, true);
    }
}

/* ---- nearest heads: their logits are given ---- */

static void check_nearest(temper_type type, uint64_t m, double kappa, double eta) {
    audit a;
    const char *why;
    page p = page_of(type, m);
    real q = expl(-kappa * (1 - p.ua)), rest = (1 + 2 * p.ua) * expl(2 * (real)eta) * q / (1 - q) + p.subnormal_loss;
    real error = page_error(&p, rest);
    begin(&a, type, m);
    audit_head f = {.layer = 1, .number = 1, .kind = KIND_NEAREST, .kappa = kappa, .by_digits = true};
    f.logit.size = ball_array(&memory, 1);
    f.logit.error = ball_array(&memory, 1);
    ball_set_double(f.logit.size, 1000);
    ball_set_double(f.logit.error, eta);
    a.heads = &f;
    a.head_count = 1;
    bool fine = bounded(&a, &why), counts = p.known || page_counts(&p);
    CHECK(fine == (counts && error <= 0.25L), "nearest in %s at M = %llu, kappa %g, eta %g: %s, error %Lg",
          temper_type_name(type), (unsigned long long)m, kappa, eta, fine ? "proved" : why, error);
    if (fine) {
        head_shape s = {.role = ROLE_NEAREST, .kappa = kappa};
        agree("X", &s, type, m, f.size, 1000);
        agree("E", &s, type, m, f.rounding, eta);
        agree("D", &s, type, m, f.error, error);
        begin(&a, type, m);
        f.failure = "a score";
        a.heads = &f;
        a.head_count = 1;
        CHECK(!bounded(&a, &why) && strstr(why, "a score may be beyond"), "what overflows is not proved: %s", why);
    }
    arena_reset(&memory);
}

/* ---- heads that look for patterns ---- */

static void check_match(temper_type type, uint64_t m, double kappa, double total, double weight) {
    audit a;
    const char *why;
    page p = page_of(type, m);
    real eta = 0.01L, q = expl(-kappa * (1 - p.ua));
    real error = page_error(&p, (1 + 2 * p.ua) * expl(2 * eta) * q / (1 - q) + p.subnormal_loss);
    begin(&a, type, m);
    audit_head f = {
        .layer = 1, .number = 1, .kind = KIND_MATCH, .kappa = kappa, .total_weight = total, .weight = weight};
    f.logit.size = ball_array(&memory, 1);
    f.logit.error = ball_array(&memory, 1);
    ball_set_double(f.logit.size, 1000);
    ball_set_double(f.logit.error, (double)eta);
    a.heads = &f;
    a.head_count = 1;
    bool fine = bounded(&a, &why), counts = p.known || page_counts(&p),
         sums = (real)kappa * p.m * fmaxl(total, weight) <= ldexpl(1, grid_of(kappa) - 1 + p.a->precision);
    CHECK(fine == (counts && sums && error <= 0.25L), "match in %s at M = %llu, kappa %g, T %g, W %g: %s, error %Lg",
          temper_type_name(type), (unsigned long long)m, kappa, total, weight, fine ? "proved" : why, error);
    if (fine) {
        head_shape s = {.role = ROLE_MATCH, .kappa = kappa};
        agree("X", &s, type, m, f.size, 1000);
        agree("E", &s, type, m, f.rounding, eta);
        agree("D", &s, type, m, f.error, error);
        begin(&a, type, m);
        f.failure = "a score";
        a.heads = &f;
        a.head_count = 1;
        CHECK(!bounded(&a, &why) && strstr(why, "a score may be beyond"), "what overflows is not proved: %s", why);
    }
    arena_reset(&memory);
}

/* T and W where products fill the digits of sums, and one more; as many positions as any order allows. */
static void check_matches(temper_type type) {
    int digits = number_type_of(type)->accumulation->precision;
    for (uint64_t m = 1; m <= 8; m *= 2)
        for (int k = 0; k < 8; k++) {
            double kappa = k & 1 ? 12 : 8, most = ldexp(kappa == 12 ? 4 : 8, digits - 1) / kappa / (double)m;
            most = floor(2 * most) / 2 + (k & 2 ? 0.5 : 0);
            check_match(type, m, kappa, k & 4 ? 1 : most, k & 4 ? most : 1);
        }
    if (digits > 30) return;
    uint64_t end = (uint64_t)1 << digits;
    for (int more = -1; more <= 1; more++) {
        check_match(type, end + (uint64_t)more, 64, 0.5, 0.25);
        check_nearest(type, end + (uint64_t)more, 64, 0.01);
    }
    check_match(type, 2 * end, 64, 0x1p-3, 0x1p-3);
    check_nearest(type, 2 * end, 64, 0.01);
}

/* T itself, which is too small to be seen in any error. */
static void check_subnormal_loss(temper_type type) {
    for (uint64_t m = 1; m <= (uint64_t)1 << 40; m *= 37) {
        audit a;
        begin(&a, type, m);
        audit_bounding b = {.a = &a, .c = &a.calculus};
        page p = page_of(type, m);
        audit_give_type(&b);
        real found = ball_upper(audit_sheet_value(&a.sheet, "subnormal_loss", NULL, NULL));
        CHECK(found >= p.subnormal_loss &&
                  found <= p.subnormal_loss + 2 * (real)p.a->least * 1e-9L + 1e-12L * p.subnormal_loss,
              "T in %s at M = %llu: %Lg, not %Lg", temper_type_name(type), (unsigned long long)m, found,
              p.subnormal_loss);
        arena_reset(&memory);
    }
}

/* Two heads that are not sharp enough: every length is tried for both, unless one of them has digits, the order is
   any, or the certificate does not say so. */
static void check_tried(temper_type type, uint64_t m, int digits, bool by_bound) {
    audit a;
    const char *why;
    begin(&a, type, m);
    audit_head f[3] = {{.kind = KIND_NEAREST}, {.kind = KIND_NEAREST}, {.kind = KIND_COUNT, .weight = 1}};
    for (int k = 0; k < 3; k++) {
        f[k].layer = f[k].number = 1;
        f[k].head = &model->layers[0].heads[0];
        f[k].kappa = 0.5;
        f[k].by_digits = k == digits;
        f[k].logit.size = ball_array(&memory, 1);
        f[k].logit.error = ball_array(&memory, 1);
    }
    a.heads = f;
    a.head_count = 3;
    a.by_bound = by_bound;
    bool fine = bounded(&a, &why);
    bool tried = !a.type.any_order && m <= 4096 && digits != 0 && digits != 1 && !by_bound;
    CHECK(!fine && f[0].every_length == tried && f[1].every_length == tried && !f[2].every_length,
          "%s, M = %llu, digits %d: %s", temper_type_name(type), (unsigned long long)m, digits, why);
    arena_reset(&memory);
}

/* So many heads are refused at once that trying them would take too long: 128 at 4096 positions are not. */
static void check_trial_cost(size_t heads, uint64_t m, bool fits) {
    audit a;
    const char *why;
    begin(&a, TEMPER_TYPE_BF16, m);
    audit_head *f = arena_zalloc(&memory, heads, sizeof *f);
    for (size_t k = 0; k < heads; k++) {
        f[k] = (audit_head){.kind = KIND_NEAREST, .kappa = 0.5, .head = &model->layers[0].heads[0]};
        f[k].layer = f[k].number = 1;
        f[k].logit.size = ball_array(&memory, 1);
        f[k].logit.error = ball_array(&memory, 1);
    }
    a.heads = f;
    a.head_count = heads;
    bool fine = bounded(&a, &why);
    CHECK(!fine && f[heads - 1].every_length == fits && !strstr(why, "more steps than are audited") == fits,
          "%zu heads, M = %llu: %s", heads, (unsigned long long)m, why);
    arena_reset(&memory);
}

/* ---- gates ---- */

static bool ramp_by_page(const number_type *t, const ramp_facts *r) {
    int ps = t->storage->precision, pa = t->accumulation->precision;
    if (ps == pa) return r->size <= ldexp(1, pa - 1);
    return r->alone && !r->paired && r->size <= ldexp(1, pa - ps + 1) && r->reach <= 2;
}

/* Three ramps of one layer, the odd one at `at`. */
static void check_ramp(temper_type type, const ramp_facts *odd, size_t at) {
    static const size_t heads[] = {0, 1, 0};
    static const double weights[] = {2, 1, 3}; /* of counts, which have no errors */
    const number_type *t = number_type_of(type);
    audit a;
    const char *why;
    begin(&a, type, 10);
    audit_head f[2] = {{.layer = 1, .number = 1, .kind = KIND_COUNT}, {.layer = 1, .number = 2, .kind = KIND_COUNT}};
    ramp_facts ramps[3];
    real most = 0;
    bool fits = true;
    for (size_t k = 0; k < 3; k++) {
        ramps[k] = (ramp_facts){.layer = 1, .terms = 1, .raw_count = 1, .size = 2, .reach = 1, .alone = true};
        if (k == at) ramps[k] = *odd;
        ramps[k].raw_weight = weights;
        ramps[k].raw_head = heads;
        real sum = 0;
        if (!ramps[k].plain)
            sum += ramps[k].size * (powl(1 + ldexpl(1, -t->accumulation->precision), ramps[k].terms + 1) - 1);
        most = fmaxl(most, sum / 2);
        fits = fits && ramp_by_page(t, &ramps[k]);
    }
    a.heads = f;
    a.head_count = 2;
    a.ramps = ramps;
    a.ramp_count = 3;
    a.layers[0] = (layer_facts){.ramp_count = 3};
    bool fine = bounded(&a, &why), expected = fits && most <= 0.25L;
    CHECK(fine == expected, "%s: a gate of size %a, reach %a, %u terms: %s, by the page G = %Lg",
          temper_type_name(type), odd->size, odd->reach, odd->terms, fine ? "fine" : why, most);
    if (fine) {
        real g = ball_upper(a.layers[0].error);
        CHECK(fabsl(g - most) <= 1e-10L * most && ball_upper(a.largest) == (double)g, "%s: G = %.15Lg, not %.15Lg",
              temper_type_name(type), g, most);
    }
    arena_reset(&memory);
}

static void check_ramps(temper_type type) {
    const number_type *t = number_type_of(type);
    int pa = t->accumulation->precision, ps = t->storage->precision;
    double sizes[] = {2, ldexp(1, pa - 1), ldexp(1, pa - ps + 1)};
    for (size_t k = 0; k < 9; k++)
        for (unsigned bits = 0; bits < 32; bits++) {
            double size = sizes[k / 3];
            ramp_facts r = {.layer = 1, .terms = bits % 4 * 7, .raw_count = 1, .plain = bits & 4, .alone = bits & 8};
            r.size = k % 3 == 0 ? nextafter(size, 0) : k % 3 == 1 ? size : nextafter(size, INFINITY);
            r.reach = bits & 16 ? 2 : nextafter(2, 3);
            check_ramp(type, &r, bits % 3);
            r.paired = true;
            check_ramp(type, &r, bits % 3);
        }
}

/* G with errors that heads have: those of once. */
static void check_sums_of_errors(temper_type type) {
    const head_shape s[2] = {{.role = ROLE_ONCE, .kappa = 6, .scale = {.size = FORM_LOG}},
                             {.role = ROLE_ONCE, .kappa = 9, .scale = {.size = FORM_LOG}}};
    static const size_t heads[] = {1, 0, 1};
    static const double weights[] = {2, 1, 3};
    page p = page_of(type, 3);
    real e[2] = {page_bounds_of(&p, &s[0]).error, page_bounds_of(&p, &s[1]).error},
         g = (2 * e[1] + e[0] + 3 * e[1] + 4 * expm1l(6 * log1pl(p.ua))) / 2;
    audit a;
    const char *why;
    begin(&a, type, 3);
    audit_head f[2] = {facts_of(&s[0]), facts_of(&s[1])};
    ramp_facts ramp = {
        .layer = 1, .terms = 5, .raw_count = 3, .raw_weight = weights, .raw_head = heads, .size = 4, .alone = true};
    ramp.reach = 2;
    a.heads = f;
    a.head_count = 2;
    a.ramps = &ramp;
    a.ramp_count = 1;
    a.layers[0].ramp_count = 1;
    bool fine = bounded(&a, &why),
         expected = ramp_by_page(number_type_of(type), &ramp) && g <= 0.25L && e[0] <= 0.25L && e[1] <= 0.25L;
    CHECK(fine == expected, "%s: G = %Lg, %s", temper_type_name(type), g, fine ? "fine" : why);
    if (fine) CHECK(fabsl(ball_upper(a.layers[0].error) - g) <= 1e-10L * g, "%s: G", temper_type_name(type));
    arena_reset(&memory);
}

/* ---- features and roundings ---- */

enum { NONE = 1000 };

static void check_feature(const feature *f, uint64_t m, real size, int grid, uint64_t roundings) {
    for (size_t k = 0; k < PAGE_TYPES; k++) {
        audit a;
        begin(&a, page_types[k], m);
        audit_bounding b = {.a = &a, .c = &a.calculus};
        page p = page_of(page_types[k], m);
        uint64_t found = audit_roundings(&b, f);
        CHECK(found == roundings, "kind %d at M = %llu: %llu roundings, not %llu", (int)f->kind,
              (unsigned long long)m, (unsigned long long)found, (unsigned long long)roundings);
        bool nothing = size == 0, on_grid = grid != NONE;
        bool exact = on_grid && (nothing || (ldexpl(1, grid) >= p.ts &&
                                             (f->kind == FEATURE_POWER || size <= ldexpl(1, grid + p.s->precision))));
        real e = exact ? 0 : size * expm1l((real)roundings * log1pl(p.v)), y = size == 1 ? 1 : size + e;
        if (!exact && p.s->precision < 53) {
            e += half_of(p.s, y);
            bool is_number = size == 1 || (e == half_of(p.s, y) && format_round(p.s, (double)y) == (double)y &&
                                           (real)(double)y == y);
            if (!is_number) y += half_of(p.s, y);
        }
        if (y > (real)p.s->largest * 0.99L) { /* refused where it overflows */
            arena_reset(&memory);
            continue;
        }
        quantity q = audit_feature_quantity(&b, f);
        CHECK(fabsl(ball_upper(q.size) - size) <= 1e-15L * size && q.nothing == nothing && q.on_grid == on_grid &&
                  (!on_grid || nothing || q.grid == grid),
              "kind %d, C = %g at M = %llu: X = %.15g, grid %d, not %.15Lg and %d", (int)f->kind, f->constant,
              (unsigned long long)m, ball_upper(q.size), q.grid, size, grid);
        real off = ball_upper(q.error), most = ball_upper(q.computed);
        CHECK(fabsl(off - e) <= 1e-12L * e && fabsl(most - y) <= 1e-15L * y,
              "kind %d, C = %g in %s at M = %llu: e = %.15Lg, Y = %.17Lg, not %.15Lg and %.17Lg", (int)f->kind,
              f->constant, temper_type_name(page_types[k]), (unsigned long long)m, off, most, e, y);
        arena_reset(&memory);
    }
}

static void check_features(void) {
    const uint64_t root = 94906265, cube = 208063; /* the last whose square and cube are below 2^53 */
    for (uint64_t more = 0; more < 2; more++) {
        uint64_t r = root + more, c = cube + more;
        real m = (real)r, n = (real)c;
        check_feature(&(feature){.kind = FEATURE_SIZE, .constant = 1, .power = 2}, r, m * m, 0, more);
        check_feature(&(feature){.kind = FEATURE_SIZE, .constant = 8, .power = 2}, r, 8 * m * m, 3, more);
        check_feature(&(feature){.kind = FEATURE_SIZE_PLACE, .constant = 1}, r, m * m, 0, more);
        check_feature(&(feature){.kind = FEATURE_SIZE, .constant = 1, .power = 3}, c, n * n * n, 0, more);
        check_feature(&(feature){.kind = FEATURE_SIZE_SQUARE, .constant = 2}, c, 2 * n * n * n, 1, more);
        check_feature(&(feature){.kind = FEATURE_SMALL}, r, 1, NONE, 1 + more);
        check_feature(&(feature){.kind = FEATURE_SQUARE}, r, 1, NONE, 1 + 2 * more);
        check_feature(&(feature){.kind = FEATURE_WEIGHTED, .constant = 1}, r, m * m, NONE, 1 + more);
    }
    const uint64_t m = 1000;
    check_feature(&(feature){.kind = FEATURE_CONSTANT, .constant = 0}, m, 0, 0, 0);
    check_feature(&(feature){.kind = FEATURE_CONSTANT, .constant = -3}, m, 3, 0, 0);
    check_feature(&(feature){.kind = FEATURE_CONSTANT, .constant = 0.375}, m, 0.375L, -3, 0);
    check_feature(&(feature){.kind = FEATURE_CONSTANT, .constant = 0x1p-9}, m, 0x1p-9L, -9, 0);
    check_feature(&(feature){.kind = FEATURE_CONSTANT, .constant = 0x1p-10}, m, 0x1p-10L, -10, 0);
    check_feature(&(feature){.kind = FEATURE_CONSTANT, .constant = 256}, m, 256, 8, 0);
    check_feature(&(feature){.kind = FEATURE_CONSTANT, .constant = 257}, m, 257, 0, 0);
    check_feature(&(feature){.kind = FEATURE_FIRST}, m, 1, 0, 0);
    check_feature(&(feature){.kind = FEATURE_LAST}, m, 1, 0, 0);
    check_feature(&(feature){.kind = FEATURE_RESIDUE, .modulus = 3}, m, 1, 0, 0);
    check_feature(&(feature){.kind = FEATURE_PLACE, .constant = 12}, m, 12000, 2, 0);
    check_feature(&(feature){.kind = FEATURE_PLACE, .constant = 0x1p-3}, m, 125, -3, 0);
    check_feature(&(feature){.kind = FEATURE_PLACE, .constant = 899999999999999}, 11, 899999999999999.L * 11, 0, 1);
    check_feature(&(feature){.kind = FEATURE_PLACE, .constant = 899999999999999}, 10, 899999999999999.L * 10, 0, 0);
    check_feature(&(feature){.kind = FEATURE_EDGE_SIZE, .constant = 5}, m, 5000, 0, 0);
    check_feature(&(feature){.kind = FEATURE_EDGE_SIZE, .constant = 899999999999999}, 11, 899999999999999.L * 11, 0,
                  1);
    check_feature(&(feature){.kind = FEATURE_SHARE}, m, 1, NONE, 1);
    check_feature(&(feature){.kind = FEATURE_INVERSE}, m, 1, NONE, 1);
    check_feature(&(feature){.kind = FEATURE_EDGE_SHARE}, m, 1, NONE, 1);
    check_feature(&(feature){.kind = FEATURE_NORMALISER, .constant = 16}, m, 1, NONE, 4);
    check_feature(&(feature){.kind = FEATURE_LOG, .constant = 8}, m, logl(1000) + 8, NONE, 3);
    check_feature(&(feature){.kind = FEATURE_STEPPED, .constant = 8}, m, logl(1000) + 12, 2, 0);
    check_feature(&(feature){.kind = FEATURE_CENTRED}, m, 500, 0, 0);
    check_feature(&(feature){.kind = FEATURE_DIGIT, .modulus = 256, .divisor = 1}, m, 255, 0, 0);
    check_feature(&(feature){.kind = FEATURE_DIGIT, .modulus = 256, .divisor = 2}, m, 250, 0, 0);
    check_feature(&(feature){.kind = FEATURE_DIGIT, .modulus = 251, .divisor = 2}, m, 250, 0, 0);
    check_feature(&(feature){.kind = FEATURE_DIGIT, .modulus = 0, .divisor = 4}, m, 125, 0, 0);
    check_feature(&(feature){.kind = FEATURE_POWER, .constant = 16, .divisor = 1}, m, 32000, 4, 0);
    check_feature(&(feature){.kind = FEATURE_POWER, .constant = 17, .divisor = 4}, m, 8500, 3, 0);
    check_feature(&(feature){.kind = FEATURE_POWER, .constant = 1, .divisor = 0x1p16}, m, 2000 / 0x1p16L, -16, 0);
    check_feature(&(feature){.kind = FEATURE_POWER, .constant = 1, .divisor = 0x1p17}, m, 2000 / 0x1p17L, -17, 0);
}

static void check_roundings(test_random *r, temper_type type) {
    audit a;
    begin(&a, type, 5);
    audit_bounding b = {.a = &a, .c = &a.calculus};
    rounding formats[2] = {rounding_storage(&a), rounding_sums(&a)};
    const number_format *f[2] = {a.type.storage, a.type.sums};
    for (int k = 0; k < 400; k++) {
        const number_format *in = f[k % 2];
        const rounding *to = &formats[k % 2];
        double x = ldexp(1 + (k % 3 ? ldexp((double)random_below(r, 16), -4) : 0), (int)random_below(r, 12) - 6);
        if (k % 7 == 0) x = 0;
        if (k % 7 == 1 && in->precision < 53) x = in->least * ldexp((double)random_below(r, 8), -1);
        const ball *p = num(&a.calculus, x);
        real half = half_of(in, x), ulp = x == 0 ? in->least : ulp_of(in, x);
        bool is_number = format_round(in, x) == x;
        real slack = in->precision < 12 && in->least > 0x1p-40 ? 0 : 0x1p-50L,
             h = ball_upper(rounding_half(&b, to, p)), u = ball_upper(rounding_ulp(&b, to, p));
        CHECK(fabsl(h - half) <= slack * half && fabsl(u - ulp) <= slack * ulp, "%s around %a", in->name, x);
        real after = ball_upper(rounding_after(&b, to, p)), page_says = x + (is_number ? 0 : half);
        CHECK(fabsl(after - page_says) <= 0x1p-52L * page_says, "%s after %a: %La, not %La", in->name, x, after,
              page_says);
    }
    static const double grids[] = {1, -1, 12, 0.375, -0x1p-1074, 0x1.8p-1073, 0x1.fffffffffffffp1023, 3e-310};
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++)
        CHECK(audit_grid_of(grids[k]) == grid_of(grids[k]), "the grid of %a", grids[k]);
    arena_reset(&memory);
}

int main(void) {
    test_random r = test_seed(812);
    if (trap_set(&failure, NULL)) return 1;
    arena_init(&memory, &failure);
    model = changed_model("O a", TEMPER_METHOD_TEMPERATURE, NULL, NULL);
    if (!CHECK(model && model->layer_count == 1, "a model")) return test_finish("t-audit-bounds");
    for (size_t k = 0; k < PAGE_TYPES; k++) {
        check_roundings(&r, page_types[k]);
        check_heads(page_types[k]);
        check_ramps(page_types[k]);
        check_matches(page_types[k]);
        for (int digits = -1; digits < 3; digits++) check_tried(page_types[k], 4, digits, false);
        check_tried(page_types[k], 4, -1, true);
        check_tried(page_types[k], 4097, -1, false);
        check_subnormal_loss(page_types[k]);
        check_sums_of_errors(page_types[k]);
        for (uint64_t m = 1; m < 1 << 30; m *= 2)
            for (int eta = 0; eta < 8; eta++) {
                check_nearest(page_types[k], m, 8, ldexp(1, eta - 4));
                check_nearest(page_types[k], m, 3, ldexp(1.1, eta - 6));
            }
    }
    check_trial_cost(128, 4096, true);
    check_trial_cost(129, 4096, false);
    check_trial_cost(129, 4060, true);
    check_features();
    temper_model_free(model);
    arena_free(&memory);
    return test_finish("t-audit-bounds");
}
