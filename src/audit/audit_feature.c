#include "audit/audit_feature.h"

#include <math.h>

static bool is_constant(const expression *e, double *value) {
    if (e->op == EXPR_CONSTANT) return *value = e->constant, true;
    if (e->op == EXPR_NEG && e->a->op == EXPR_CONSTANT) return *value = -e->a->constant, true;
    return false;
}

static bool equals(const expression *e, double value) {
    double x;
    return is_constant(e, &x) && x == value;
}

/* N - 1 */
static bool is_last_place(const expression *e) {
    return e->op == EXPR_SUB && e->a->op == EXPR_SIZE && equals(e->b, 1);
}

/* N - 1 - i */
static bool is_mirrored_place(const expression *e) {
    return e->op == EXPR_SUB && is_last_place(e->a) && e->b->op == EXPR_I;
}

/* i, or N - 1 - i */
static bool is_place(const expression *e, bool *mirrored) {
    *mirrored = is_mirrored_place(e);
    return *mirrored || e->op == EXPR_I;
}

/* ---- products ---- */

typedef struct product {
    double coefficient;
    int size;                   /* exponent of N */
    int place, mirrored;        /* exponents of i and N - 1 - i */
    int inverse, inverse_other; /* how often it is divided by i + 1 and N - i */
    int start, end;             /* [i = 0] and [i = N - 1] */
    int operations;             /* products and quotients, which may round */
    bool fine;
} product;

static product combine(product x, product y, int sign) {
    product z = {.coefficient = sign > 0 ? x.coefficient * y.coefficient : x.coefficient / y.coefficient,
                 .size = x.size + sign * y.size,
                 .place = x.place + sign * y.place,
                 .mirrored = x.mirrored + sign * y.mirrored,
                 .inverse = x.inverse + sign * y.inverse,
                 .inverse_other = x.inverse_other + sign * y.inverse_other,
                 .start = x.start + y.start,
                 .end = x.end + y.end,
                 .operations = x.operations + y.operations + 1,
                 .fine = x.fine && y.fine};
    /* coefficients must come out as they would on paper, and only sizes, i + 1 and N - i are divided by */
    if (sign < 0 && (y.place || y.mirrored || y.start || y.end || y.coefficient != 1)) z.fine = false;
    if (sign > 0 && fma(x.coefficient, y.coefficient, -z.coefficient) != 0) z.fine = false;
    return z;
}

/* Expressions are at most EXPRESSION_DEPTH deep. */
static product product_of(const expression *e) {
    product one = {.coefficient = 1, .fine = true}, bad = {.fine = false};
    bool mirrored;
    double c;
    if (is_constant(e, &c)) {
        one.coefficient = c;
        one.fine = isfinite(c);
        return one;
    }
    if (is_place(e, &mirrored)) {
        one.place = !mirrored;
        one.mirrored = mirrored;
        return one;
    }
    switch (e->op) {
    case EXPR_SIZE: one.size = 1; return one;
    case EXPR_ADD: /* i + 1, to be divided by */
        if (e->a->op != EXPR_I || !equals(e->b, 1)) return bad;
        one.inverse = -1;
        return one;
    case EXPR_SUB: /* N - i */
        if (e->a->op != EXPR_SIZE || e->b->op != EXPR_I) return bad;
        one.inverse_other = -1;
        return one;
    case EXPR_EQ:
        if (e->a->op != EXPR_I) return bad;
        one.start = equals(e->b, 0);
        one.end = is_last_place(e->b);
        return one.start || one.end ? one : bad;
    case EXPR_MUL: return combine(product_of(e->a), product_of(e->b), 1);
    case EXPR_DIV: return combine(product_of(e->a), product_of(e->b), -1);
    default: return bad;
    }
}

/* The error of a feature is counted with four roundings. */
enum { OPERATIONS = 4 };

static feature from_product(const product *p) {
    feature f = {.constant = p->coefficient, .mirrored = p->mirrored > 0 || p->inverse_other > 0 || p->end > 0};
    int place = p->place + p->mirrored, inverse = p->inverse + p->inverse_other;
    if (!p->fine || p->operations > OPERATIONS || (p->place && p->mirrored) || p->inverse < 0 ||
        p->inverse_other < 0 || inverse > 1 || p->start + p->end > 1)
        return (feature){0};
    bool edge = p->start + p->end == 1, unit = p->coefficient == 1, positive = p->coefficient > 0;
    struct {
        int size, place, inverse;
        bool edge, allowed;
        feature_kind kind;
    } forms[] = {
        {0, 1, 0, false, positive, FEATURE_PLACE},
        {1, 0, 0, false, positive, FEATURE_SIZE},
        {2, 0, 0, false, positive, FEATURE_SIZE},
        {3, 0, 0, false, positive, FEATURE_SIZE},
        {1, 1, 0, false, positive, FEATURE_SIZE_PLACE},
        {1, 2, 0, false, positive, FEATURE_SIZE_SQUARE},
        {-1, 1, 0, false, unit, FEATURE_SHARE},
        {0, 0, 1, false, unit, FEATURE_INVERSE},
        {-2, 1, 0, false, unit, FEATURE_SMALL},
        {-2, 2, 0, false, unit, FEATURE_SQUARE},
        {-1, 0, 0, true, unit, FEATURE_EDGE_SHARE},
        {1, 0, 0, true, positive, FEATURE_EDGE_SIZE},
        {2, 0, 1, false, positive && p->inverse == 1, FEATURE_WEIGHTED},
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (forms[k].size == p->size && forms[k].place == place && forms[k].inverse == inverse &&
            forms[k].edge == edge && forms[k].allowed) {
            f.kind = forms[k].kind;
            f.power = p->size;
            return f;
        }
    return (feature){0};
}

/* ---- remainders ---- */

/* a p + b exactly (modulus 0), or the number in 0 ... modulus - 1 (times and plus a constant, perhaps) that is a p + b modulo it. */
typedef struct congruence {
    int64_t a, b, modulus;
    double most; /* bound of its size */
    bool mirrored, placed, fine;
} congruence;

static const double EXACT = 0x1p53;

static congruence congruence_of(const expression *e, double most) {
    congruence r = {.fine = true}, bad = {.fine = false};
    double c;
    if (is_constant(e, &c)) {
        if (c != floor(c) || c < 0 || c > EXACT) return bad;
        r.b = (int64_t)c;
        r.most = c;
        return r;
    }
    if (is_place(e, &r.mirrored)) {
        r.a = 1;
        r.most = most;
        r.placed = true;
        return r;
    }
    if (e->op != EXPR_ADD && e->op != EXPR_MUL && e->op != EXPR_MOD) return bad;
    congruence x = congruence_of(e->a, most), y = congruence_of(e->b, most);
    if (!x.fine || !y.fine || y.placed) return bad; /* the right operand is a constant */
    r = x;
    if (e->op == EXPR_ADD) {
        r.b += y.b;
        r.most = x.most + y.most;
    } else if (e->op == EXPR_MUL) {
        if (__builtin_mul_overflow(x.a, y.b, &r.a) || __builtin_mul_overflow(x.b, y.b, &r.b)) return bad;
        r.most = x.most * y.most;
    } else {
        if (y.b <= 0 || (x.modulus && x.modulus != y.b)) return bad;
        r.modulus = y.b;
        r.most = (double)(y.b - 1);
    }
    return r.most > EXACT ? bad : r; /* which bounds a and b, too */
}

/* [x = r] or [x <= r] with x reduced last. */
static feature residue_of(const expression *e, double most) {
    double r;
    if ((e->op != EXPR_EQ && e->op != EXPR_LE) || !is_constant(e->b, &r) || e->a->op != EXPR_MOD) return (feature){0};
    congruence x = congruence_of(e->a, most);
    if (!x.fine || !x.placed || r != floor(r) || r < 0 || r >= (double)x.modulus) return (feature){0};
    return (feature){.kind = FEATURE_RESIDUE,
                     .mirrored = x.mirrored,
                     .a = x.a,
                     .b = x.b,
                     .modulus = x.modulus,
                     .residue = (int64_t)r,
                     .at_most = e->op == EXPR_LE};
}

/* ---- digits ---- */

/* floor(N/2) */
static bool is_middle(const expression *e) {
    return e->op == EXPR_FLOOR && e->a->op == EXPR_DIV && e->a->a->op == EXPR_SIZE && equals(e->a->b, 2);
}

/* i - floor(N/2), or the other way round */
static bool is_centred(const expression *e, bool around) {
    const expression *x = around ? e->b : e->a, *y = around ? e->a : e->b;
    return e->op == EXPR_SUB && x->op == EXPR_I && is_middle(y);
}

/* [floor(N/2) < i] - [i < floor(N/2)] */
static bool is_sign(const expression *e) {
    return e->op == EXPR_SUB && e->a->op == EXPR_LT && e->b->op == EXPR_LT && is_middle(e->a->a) &&
           e->a->b->op == EXPR_I && e->b->a->op == EXPR_I && is_middle(e->b->b);
}

static bool is_distance(const expression *e) {
    return e->op == EXPR_MAX && is_centred(e->a, false) && is_centred(e->b, true);
}

static bool is_whole(const expression *e, double *value) {
    return is_constant(e, value) && *value >= 1 && *value <= 0x1p40 && *value == floor(*value);
}

/* floor(distance/C), C a power of two so that the quotient is exact */
static bool is_share(const expression *e, double *divisor) {
    int exponent;
    return e->op == EXPR_FLOOR && e->a->op == EXPR_DIV && is_distance(e->a->a) && is_whole(e->a->b, divisor) &&
           frexp(*divisor, &exponent) == 0.5;
}

static feature digit_of(const expression *e) {
    feature f = {.kind = FEATURE_DIGIT, .divisor = 1};
    double modulus = 0;
    if (e->op == EXPR_SUB && is_centred(e, false)) return (feature){.kind = FEATURE_CENTRED};
    if (e->op != EXPR_MUL || !is_sign(e->a)) return (feature){0};
    const expression *x = e->b;
    if (x->op == EXPR_MOD) {
        if (!is_whole(x->b, &modulus) || modulus < 2) return (feature){0};
        f.modulus = (int64_t)modulus;
        x = x->a;
    }
    if (is_share(x, &f.divisor) || (f.modulus && is_distance(x))) return f;
    return (feature){0};
}

/* ceil2(C*N), or that divided by a power of two */
static feature power_of(const expression *e) {
    feature f = {.kind = FEATURE_POWER, .divisor = 1};
    int exponent;
    if (e->op == EXPR_DIV) {
        if (!is_whole(e->b, &f.divisor) || frexp(f.divisor, &exponent) != 0.5) return (feature){0};
        e = e->a;
    }
    if (e->op != EXPR_CEIL2) return (feature){0};
    product p = product_of(e->a);
    feature size = from_product(&p);
    if (size.kind != FEATURE_SIZE || size.power != 1 || p.operations > 1 || size.constant != floor(size.constant) ||
        size.constant > 0x1p12)
        return (feature){0};
    f.constant = size.constant;
    return f;
}

/* -4*floor(-(ln(N) + C)/4) */
static feature stepped_of(const expression *e) {
    double c;
    if (e->op != EXPR_MUL || !equals(e->a, -4) || e->b->op != EXPR_FLOOR || e->b->a->op != EXPR_DIV)
        return (feature){0};
    const expression *quotient = e->b->a;
    if (!equals(quotient->b, 4) || quotient->a->op != EXPR_NEG || quotient->a->a->op != EXPR_ADD) return (feature){0};
    const expression *sum = quotient->a->a;
    if (sum->a->op != EXPR_LN || sum->a->a->op != EXPR_SIZE || !is_constant(sum->b, &c) || !(c > 0))
        return (feature){0};
    return (feature){.kind = FEATURE_STEPPED, .constant = c};
}

/* ---- the rest ---- */

static bool is_test(expression_op op) { return op == EXPR_EQ || op == EXPR_NE || op == EXPR_LT || op == EXPR_LE; }

static bool is_bracket(const expression *e) {
    return is_test(e->op) || (e->op == EXPR_MUL && is_bracket(e->a) && is_bracket(e->b));
}

/* [1 <= n] */
static bool is_not_empty(const expression *e) {
    return e->op == EXPR_LE && equals(e->a, 1) && e->b->op == EXPR_LENGTH;
}

static feature edge_of(const expression *e) {
    if (e->op != EXPR_MUL || !is_not_empty(e->b) || e->a->op != EXPR_EQ || e->a->a->op != EXPR_I) return (feature){0};
    if (equals(e->a->b, 1)) return (feature){.kind = FEATURE_FIRST};
    if (e->a->b->op == EXPR_LENGTH) return (feature){.kind = FEATURE_LAST};
    return (feature){0};
}

/* ln(max(p, 1))/(C*N) */
static feature normaliser_of(const expression *e) {
    bool mirrored;
    if (e->op != EXPR_DIV || e->a->op != EXPR_LN || e->a->a->op != EXPR_MAX) return (feature){0};
    const expression *largest = e->a->a;
    if (!is_place(largest->a, &mirrored) || !equals(largest->b, 1)) return (feature){0};
    product below = product_of(e->b);
    feature size = from_product(&below);
    if (size.kind != FEATURE_SIZE || size.power != 1 || below.operations > 1) return (feature){0};
    return (feature){.kind = FEATURE_NORMALISER, .mirrored = mirrored, .constant = size.constant};
}

feature audit_feature_of(const expression *e, double most) {
    double c;
    if (is_constant(e, &c)) return (feature){.kind = FEATURE_CONSTANT, .constant = c};
    if (e->op == EXPR_ADD && e->a->op == EXPR_LN && e->a->a->op == EXPR_SIZE && is_constant(e->b, &c) && c > 0)
        return (feature){.kind = FEATURE_LOG, .constant = c};
    feature f = edge_of(e);
    if (!f.kind) f = residue_of(e, most);
    if (!f.kind) f = normaliser_of(e);
    if (!f.kind) f = digit_of(e);
    if (!f.kind) f = power_of(e);
    if (!f.kind) f = stepped_of(e);
    if (!f.kind) {
        product p = product_of(e);
        f = from_product(&p);
    }
    if (!f.kind && is_bracket(e)) f.kind = FEATURE_BRACKET;
    return f;
}
