/* What sums and gates of recognised models need, at the very edge: the conditions of doc/certificate.md, "Gates", are
   written here a second time, and role_conditions must say the same of sizes and grids on either side of each one, in
   every number type, wherever in the recognised model the failing number stands. The reason names its layer and
   head. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bound/proof.h"
#include "bound/role_conditions.h"
#include "changed_model.h"

static arena memory;
static trap no_memory;
static temper_model *model; /* of two layers, with a head each */

static bool accepts(temper_type type, const recognised_model *s, temper_fault *fault, const char **reason) {
    certification c;
    certification_begin(&c, model, &(temper_certify_options){.type = type}, false, &memory, &no_memory);
    bool fine = role_conditions(&c, s);
    *fault = c.fault;
    *reason = text_string(&c.reason);
    return fine;
}

/* ---- sums ---- */

static bool holds(const number_format *f, double size, int grid) {
    return (long double)size <= ldexpl(1, grid + f->precision) && size <= f->largest && ldexp(1, grid) >= f->least;
}

static bool sum_by_page(const number_type *t, const exact_sum *x) {
    const number_format *s = t->storage, *a = t->accumulation;
    switch (x->kind) {
    case EXACT_ROW:
    case EXACT_UNIT: return holds(s, x->size, x->grid) && holds(a, x->size, x->grid);
    case EXACT_CHANNEL: return holds(a, x->size, x->grid);
    case EXACT_READ: return x->grid >= 0 && x->size <= ldexp(1, a->precision);
    case EXACT_NUMBER: return 2 * (long double)x->size <= s->largest && 2 * (long double)x->size <= a->largest;
    }
    return false;
}

static struct { size_t fine, refused; } met;

/* The same sum first, in the middle and last among others that are fine. */
static void check_sum(temper_type type, exact_sum x) {
    const number_type *t = number_type_of(type);
    bool fine = sum_by_page(t, &x);
    x.layer = 2;
    x.head = x.kind == EXACT_ROW ? 1 : 0;
    for (size_t at = 0; at < 3; at++) {
        exact_sum sums[3] = {{EXACT_ROW, 1, 0, 1, 1}, {EXACT_UNIT, 1, 0, 1, 0}, {EXACT_CHANNEL, 1, 0, 1, 0}};
        recognised_model s = {.model = model, .sums = sums, .sum_count = 3};
        sums[at] = x;
        temper_fault fault;
        const char *reason;
        bool found = accepts(type, &s, &fault, &reason);
        CHECK(found == fine, "%s: a sum of kind %d, size %a on the grid 2^%d is %s, and the page says otherwise",
              t->name, (int)x.kind, x.size, x.grid, found ? "fine" : reason);
        bool places = x.kind != EXACT_READ;
        if (!fine && !found)
            CHECK(fault.layer == (places ? x.layer : 0) && fault.head == x.head && *reason, "%s: it is at %zu.%zu",
                  reason, fault.layer, fault.head);
        met.fine += fine;
        met.refused += !fine;
    }
    arena_reset(&memory);
}

static void check_around(temper_type type, exact_kind kind, double size, int grid) {
    if (!(size < INFINITY)) return;
    check_sum(type, (exact_sum){.kind = kind, .size = size, .grid = grid});
    check_sum(type, (exact_sum){.kind = kind, .size = nextafter(size, 0), .grid = grid});
    double more = nextafter(size, INFINITY);
    if (isfinite(more)) check_sum(type, (exact_sum){.kind = kind, .size = more, .grid = grid});
}

static void check_sums(temper_type type) {
    const number_type *t = number_type_of(type);
    const number_format *formats[] = {t->storage, t->accumulation};
    for (exact_kind kind = EXACT_ROW; kind <= EXACT_NUMBER; kind++)
        for (size_t k = 0; k < 2; k++) {
            const number_format *f = formats[k];
            int least = ilogb(f->least), top = ilogb(f->largest),
                grids[] = {
                    -3,     -1, 0, 1, 2, least - 1, least, least + 1, top - f->precision, top - f->precision + 1,
                    top - 1};
            for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
                check_around(type, kind, ldexp(1, grids[g]), grids[g]);
                check_around(type, kind, ldexp(1, grids[g] + f->precision), grids[g]);
                check_around(type, kind, f->largest, grids[g]);
                check_around(type, kind, f->largest / 2, grids[g]);
                check_around(type, kind, ldexp(1, f->precision), grids[g]);
                check_around(type, kind, ldexp(f->largest, -1) * 1.25, grids[g]);
                check_around(type, kind, ldexp(f->largest, -2) * 1.75, grids[g]);
            }
        }
}

/* ---- gates ---- */

static bool ramp_by_page(const number_type *t, const ramp_shape *r) {
    int ps = t->storage->precision, pa = t->accumulation->precision;
    if (ps == pa) return r->size <= ldexp(1, pa - 1);
    return r->inputs == 1 && r->raw_weight == 2 && !r->negative && r->size <= ldexp(1, pa - ps + 1) && r->most <= 2;
}

static void check_ramp(temper_type type, ramp_shape r) {
    const number_type *t = number_type_of(type);
    bool fine = ramp_by_page(t, &r);
    r.first_layer = 1;
    for (size_t at = 0; at < 3; at++) {
        ramp_shape ramps[3];
        recognised_model s = {.model = model, .ramps = ramps, .ramp_count = 3};
        for (size_t k = 0; k < 3; k++)
            ramps[k] = (ramp_shape){.inputs = 1, .raw_weight = 2, .size = 1, .most = 1, .first_layer = 0};
        ramps[at] = r;
        temper_fault fault;
        const char *reason;
        bool found = accepts(type, &s, &fault, &reason);
        CHECK(found == fine,
              "%s: a gate of %zu inputs, weight %g, size %a, most %a, %s is %s, and the page says otherwise", t->name,
              r.inputs, r.raw_weight, r.size, r.most, r.negative ? "downwards" : "upwards", found ? "fine" : reason);
        if (!fine && !found) {
            CHECK(fault.layer == 2 && fault.head == 0 && strstr(reason, "a gate of layer 2"), "%s", reason);
            if (t->storage != t->accumulation)
                CHECK(!strstr(reason, "unrounded values") == (r.inputs <= 1), "of %zu inputs: %s", r.inputs, reason);
        }
        met.fine += fine;
        met.refused += !fine;
    }
    arena_reset(&memory);
}

static void check_ramps(temper_type type) {
    const number_type *t = number_type_of(type);
    int pa = t->accumulation->precision, ps = t->storage->precision;
    double sizes[] = {4,
                      ldexp(1, pa - 1),
                      ldexp(1, pa),
                      ldexp(1, pa - 2),
                      ldexp(1, pa - ps),
                      ldexp(1, pa - ps + 1),
                      ldexp(1, pa - ps + 2)};
    for (size_t k = 0; k < 3 * sizeof sizes / sizeof *sizes; k++)
        for (unsigned bits = 0; bits < 64; bits++) {
            double size = sizes[k / 3];
            ramp_shape r = {.inputs = bits % 4, .raw_weight = bits & 4 ? 2 : 1, .negative = bits & 8};
            r.size = k % 3 == 0 ? nextafter(size, 0) : k % 3 == 1 ? size : nextafter(size, INFINITY);
            r.most = bits & 16 ? 2 : bits & 32 ? nextafter(2, 3) : 2.5;
            check_ramp(type, r);
        }
}

/* ---- weights ---- */

static void check_weights(temper_type type) {
    const number_type *t = number_type_of(type);
    double odd = 1 + ldexp(1, -t->storage->precision); /* one digit too many */
    for (size_t at = 0; at < 3; at++)
        for (int place = 0; place < 3; place++) {
            stored_weight w[3] = {{0.5, 1, 1}, {-3, 1, 0}, {1, 0, 0}};
            recognised_model s = {.model = model, .stored = w, .stored_count = 3};
            temper_fault fault;
            const char *reason;
            CHECK(accepts(type, &s, &fault, &reason), "%s: %s", t->name, reason);
            w[at] = (stored_weight){odd, place ? 2 : 0, place == 2};
            bool found = accepts(type, &s, &fault, &reason);
            CHECK(found == (t->storage->precision == 53), "%s: weight %a, %s", t->name, odd, found ? "fine" : reason);
            if (!found)
                CHECK(fault.layer == w[at].layer && fault.head == w[at].head &&
                          strstr(reason, place == 2   ? "head 2.1"
                                         : place == 1 ? "a gate of layer 2"
                                                      : "the embedding"),
                      "%s", reason);
        }
    arena_reset(&memory);
}

int main(void) {
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    model = changed_model("O (a & O b)", TEMPER_METHOD_TEMPERATURE, NULL, NULL);
    if (!CHECK(model && model->layer_count == 2, "two layers")) return test_finish("t-bound-recognised");
    for (temper_type type = TEMPER_TYPE_F64; number_type_of(type); type++) {
        if (type == TEMPER_TYPE_EXACT) continue;
        check_sums(type);
        check_ramps(type);
        check_weights(type);
    }
    CHECK(strcmp(temper_claim_name(TEMPER_CLAIM_CHOICES), "hard choices") == 0 &&
              strcmp(temper_claim_name((temper_claim)(TEMPER_CLAIM_VIABLE + 1)), "") == 0,
          "names of claims");
    CHECK(met.fine > 1000 && met.refused > 1000, "%zu fine, %zu refused", met.fine, met.refused);
    temper_model_free(model);
    arena_free(&memory);
    return test_finish("t-bound-recognised");
}
