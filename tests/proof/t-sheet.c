/* The sheet of inequalities (number/heads.sheet) by its two readers: the tables that scripts/sheet.awk makes, with
   the prover's arithmetic, and the text, with the auditor's. Every line is computed by both for random numbers in the
   place of what is given, in both senses of every flag. What the lines should say is in role_page.c, against which
   t-bound.c and t-audit-bounds.c hold them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit_sheet.h"
#include "bound/sheet.h"
#include "number/sheet_text.h"
#include "test.h"

static arena memory;
static trap failure;
static test_random dice;

/* What exponents and sizes may be; the others are small positive numbers. */
static int64_t some_whole(const char *name) {
    if (strcmp(name, "M") == 0) return 1 + (int64_t)random_below(&dice, random_below(&dice, 2) ? 20 : 100000);
    if (strcmp(name, "grid") == 0) return (int64_t)random_below(&dice, 40) - 30;
    return (int64_t)random_below(&dice, 60);
}

static double some_real(const char *name) {
    double x = ldexp(1 + (double)random_below(&dice, 1000) / 1000, (int)random_below(&dice, 8) - 2);
    bool tiny = strchr("utvm", name[0]) && (name[1] == '_' || !name[1]);
    if (name[0] == 'F') return ldexp(x, (int)random_below(&dice, 60));
    return tiny ? ldexp(x, -6 - (int)random_below(&dice, 50)) : x;
}

static void give_all(sheet *x, audit_sheet *y) {
    for (int k = 0; k < SHEET_COUNT; k++) {
        const sheet_line *line = &sheet_lines[k];
        if (line->kind == SHEET_IS_REAL) {
            double value = some_real(line->name);
            sheet_give_double(x, (sheet_name)k, value);
            audit_sheet_give(y, line->name, num(y->c, value));
        } else if (line->root < 0) {
            int64_t value = line->kind == SHEET_IS_FLAG ? (int64_t)random_below(&dice, 2) : some_whole(line->name);
            sheet_give_whole(x, (sheet_name)k, value);
            x->value[k] = NULL;
            audit_sheet_whole(y, line->name, value);
        }
    }
    x->value[SHEET_log_M] = NULL;
}

static int computed; /* values that are numbers */

static void check_line(sheet *x, audit_sheet *y, int k) {
    const char *name = sheet_lines[k].name;
    double first = some_real("x"), second = some_real("x");
    const ball *given[2] = {b_double(x->b, first), b_double(x->b, second)};
    if (sheet_lines[k].kind == SHEET_IS_CONDITION) {
        bool one = sheet_holds_of(x, (sheet_name)k, given[0], given[1]);
        bool other = audit_sheet_holds(y, name, num(y->c, first), num(y->c, second));
        CHECK(one == other, "%s holds for one reader only, of %g and %g, M = %lld", name, first, second,
              (long long)x->whole[SHEET_M]);
        return;
    }
    const ball *one = sheet_value_of(x, (sheet_name)k, given[0], given[1]);
    const ball *other = audit_sheet_value(y, name, num(y->c, first), num(y->c, second));
    bool finite = ball_is_finite(one);
    double low = ball_lower(one), high = ball_upper(one), apart = 1e-12 * fmax(1e-300, fmax(fabs(low), fabs(high)));
    computed += finite;
    CHECK(finite == ball_is_finite(other), "%s is finite for one reader only, of %g and %g", name, first, second);
    CHECK(!finite || !(ball_lower(other) > high + apart || ball_upper(other) < low - apart),
          "%s is %.17g and %.17g, of %g and %g, M = %lld", name, high, ball_upper(other), first, second,
          (long long)x->whole[SHEET_M]);
}

static void check_all(audit_sheet *y) {
    bounds b;
    sheet x;
    bounds_init(&b, number_type_of(TEMPER_TYPE_F32), random_below(&dice, 2), 100, &memory);
    sheet_begin(&x, &b);
    calc_begin(y->c);
    audit_sheet_begin(y);
    give_all(&x, y);
    for (int k = 0; k < SHEET_COUNT; k++)
        if (sheet_lines[k].root >= 0) check_line(&x, y, k);
    arena_reset(&memory);
}

/* Logits of these sizes, a unit in the last place included, and whether their difference stays in the format: at its
   largest number, and one unit beyond. */
static void check_range(audit_sheet *y, const number_format *f) {
    const struct {
        double most, room;
        bool fits;
    } cases[] = {{f->largest * 3 / 8, f->largest / 8, true},
                 {f->largest * 3 / 8 * (1 + 0x1p-40), f->largest / 8, false},
                 {f->largest * 3 / 8, f->largest / 8 * (1 + 0x1p-40), false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bounds b;
        sheet x;
        bounds_init(&b, number_type_of(TEMPER_TYPE_F32), true, 100, &memory);
        sheet_begin(&x, &b);
        calc_begin(y->c);
        audit_sheet_begin(y);
        sheet_give_double(&x, SHEET_F_a, f->largest);
        audit_sheet_give(y, "F_a", num(y->c, f->largest));
        bool one = sheet_holds_of(&x, SHEET_pick_range, b_double(&b, cases[k].most), b_double(&b, cases[k].room));
        bool other = audit_sheet_holds(y, "pick_range", num(y->c, cases[k].most), num(y->c, cases[k].room));
        CHECK(one == cases[k].fits && other == cases[k].fits, "case %zu of %s: prover %d, auditor %d", k, f->name,
              one, other);
        arena_reset(&memory);
    }
}

/* Each reader knows every line, and what is no line has no bound and does not hold. */
static void check_names(audit_sheet *y) {
    CHECK(y->count == SHEET_COUNT, "%zu lines of text, %d in the tables", y->count, (int)SHEET_COUNT);
    for (size_t k = 0; k < y->count && k < SHEET_COUNT; k++)
        CHECK(strlen(sheet_lines[k].name) == y->line[k].length &&
                  memcmp(sheet_lines[k].name, y->line[k].name, y->line[k].length) == 0,
              "line %zu is %s", k, sheet_lines[k].name);
    CHECK(!ball_is_finite(audit_sheet_value(y, "no_such_line", NULL, NULL)), "a line that is not there has a value");
    CHECK(!audit_sheet_holds(y, "no_such_line", NULL, NULL), "a line that is not there holds");
    CHECK(!audit_sheet_holds(y, "once_error", NULL, NULL), "a value holds");
    CHECK(!ball_is_finite(audit_sheet_value(y, "once_range", NULL, NULL)), "a condition has a value");
    CHECK(strlen((const char *)sheet_files[0].bytes) == sheet_files[0].size, "a NUL byte in the sheet");
}

int main(void) {
    calculus c;
    arena kept;
    temper_error e = {0};
    if (trap_set(&failure, &e)) {
        printf("stopped: %s\n", e.text);
        return 1;
    }
    arena_init(&memory, &failure);
    arena_init(&kept, &failure);
    dice = test_seed(20261118);
    calc_init(&c, &kept);
    audit_sheet *y = arena_zalloc(&kept, 1, sizeof *y);
    audit_sheet_read(y, &c);
    check_names(y);
    for (double k = 0; k < 200 * test_effort(); k++) check_all(y);
    check_range(y, number_type_of(TEMPER_TYPE_F32)->accumulation);
    check_range(y, number_type_of(TEMPER_TYPE_F16)->accumulation);
    CHECK(computed > 1000, "only %d values were numbers", computed);
    arena_free(&memory);
    arena_free(&kept);
    return test_finish("sheet");
}
