#include "recognise/position_form.h"

#include <math.h>
#include <string.h>

/* Patterns are in prefix notation. + - * / % = are themselves, l is <=, < is <, ^ is max, L is ln, F is floor, 2 is
   ceil2, ~ is the sign; N and n are the variables, j is the position, i the position or, everywhere in the pattern, N
   - 1 - i; 0 1 h 4 m are the constants 0, 1, 2, 4, -4. Holes: C, D are whole numbers above 0, c is C again; A, B, R
   are whole numbers from 0 on. How large they may be is said by doc/certificate.md, "Quantities". */
typedef struct pattern {
    const char *tree;
    position_kind kind;
    form_size size;
    int power;
    bool mirrored; /* as written; a pattern with i finds out by itself */
} pattern;

#define HALF     "F/Nh"
#define SIGN     "-<" HALF "j<j" HALF
#define DISTANCE "^-j" HALF "-" HALF "j"

#define LETTER "l1jljn"

static const pattern PATTERNS[] = {
    {"*=j1l1n", POSITION_FIRST, FORM_BOOLEAN, 0, false},
    {"*=jnl1n", POSITION_LAST, FORM_BOOLEAN, 0, false},
    {"=%iCR", POSITION_RESIDUE, FORM_BOOLEAN, 0, false},
    {"l%iCR", POSITION_RESIDUE, FORM_BOOLEAN, 0, false},
    {"=%+iBCR", POSITION_RESIDUE, FORM_BOOLEAN, 0, false},
    {"l%+iBCR", POSITION_RESIDUE, FORM_BOOLEAN, 0, false},
    {"=%+*%iCABcR", POSITION_RESIDUE, FORM_BOOLEAN, 0, false},
    {"l%+*%iCABcR", POSITION_RESIDUE, FORM_BOOLEAN, 0, false},
    {"**=%iCR" LETTER, POSITION_PLACE, FORM_BOOLEAN, 0, false},
    {"**l%iCR" LETTER, POSITION_PLACE, FORM_BOOLEAN, 0, false},
    {"**=%+iBCR" LETTER, POSITION_PLACE, FORM_BOOLEAN, 0, false},
    {"**l%+iBCR" LETTER, POSITION_PLACE, FORM_BOOLEAN, 0, false},
    {"**=%+*%iCABcR" LETTER, POSITION_PLACE, FORM_BOOLEAN, 0, false},
    {"**l%+*%iCABcR" LETTER, POSITION_PLACE, FORM_BOOLEAN, 0, false},
    {"i", POSITION_INDEX, FORM_POWER, 1, false},
    {"*Ci", POSITION_INDEX, FORM_POWER, 1, false},
    {"*CN", POSITION_SIZE, FORM_POWER, 1, false},
    {"**CNN", POSITION_SIZE_2, FORM_POWER, 2, false},
    {"***CNNN", POSITION_SIZE_3, FORM_POWER, 3, false},
    {"**CNi", POSITION_SIZE_INDEX, FORM_POWER, 2, false},
    {"***CNii", POSITION_SIZE_INDEX_2, FORM_POWER, 3, false},
    {"**=j0CN", POSITION_START_SIZE, FORM_POWER, 1, false},
    {"**=j-N1CN", POSITION_END_SIZE, FORM_POWER, 1, false},
    {"/iN", POSITION_SHARE, FORM_SHARE, 0, false},
    {"/1+j1", POSITION_INVERSE, FORM_SHARE, 0, false},
    {"/1-Nj", POSITION_INVERSE, FORM_SHARE, 0, true},
    {"/i*NN", POSITION_SHARE_2, FORM_SHARE, 0, false},
    {"/*ii*NN", POSITION_SQUARE_2, FORM_SHARE, 0, false},
    {"/=j0N", POSITION_START_SHARE, FORM_SHARE, 0, false},
    {"/L^i1*CN", POSITION_LOG_OTHERS, FORM_SHARE, 0, false},
    {"/**CNN+j1", POSITION_RATIO, FORM_RATIO, 2, false},
    {"+LNC", POSITION_LOG, FORM_LOG, 0, false},
    {"*mF/~+LNC4", POSITION_LOG_STEP, FORM_LOG_STEP, 0, false},
    {"-j" HALF, POSITION_CENTRED, FORM_TOP, 0, false},
    {"*" SIGN "%" DISTANCE "C", POSITION_DIGIT, FORM_DIGIT, 0, false},
    {"*" SIGN "%F/" DISTANCE "DC", POSITION_DIGIT, FORM_DIGIT, 0, false},
    {"*" SIGN "F/" DISTANCE "C", POSITION_TOP, FORM_TOP, 0, false},
    {"2*CN", POSITION_CEIL2, FORM_CEIL2, 0, false},
    {"/2*CND", POSITION_CEIL2, FORM_CEIL2, 0, false},
};

typedef struct holes {
    double c, d, a, b, r;
    bool has_a;
    bool plain, mirrored; /* which i was met */
} holes;

static bool is_constant(const expression *e, double x) { return e->op == EXPR_CONSTANT && e->constant == x; }

static bool is_mirrored(const expression *e) {
    return e->op == EXPR_SUB && e->b->op == EXPR_I && e->a->op == EXPR_SUB && e->a->a->op == EXPR_SIZE &&
           is_constant(e->a->b, 1);
}

static bool is_whole(const expression *e, double least, double *out) {
    if (e->op != EXPR_CONSTANT || !(e->constant >= least && e->constant <= 0x1p51)) return false;
    *out = e->constant;
    return e->constant == floor(e->constant);
}

static bool match(const char **at, const expression *e, holes *h);

static bool match_operands(const char **at, const expression *e, expression_op op, holes *h) {
    return e->op == op && match(at, e->a, h) && (!e->b || match(at, e->b, h));
}

/* Patterns bound the depth. */
static bool match(const char **at, const expression *e, holes *h) {
    switch (*(*at)++) {
    case '+': return match_operands(at, e, EXPR_ADD, h);
    case '-': return match_operands(at, e, EXPR_SUB, h);
    case '*': return match_operands(at, e, EXPR_MUL, h);
    case '/': return match_operands(at, e, EXPR_DIV, h);
    case '%': return match_operands(at, e, EXPR_MOD, h);
    case '=': return match_operands(at, e, EXPR_EQ, h);
    case 'l': return match_operands(at, e, EXPR_LE, h);
    case '<': return match_operands(at, e, EXPR_LT, h);
    case '^': return match_operands(at, e, EXPR_MAX, h);
    case 'L': return match_operands(at, e, EXPR_LN, h);
    case 'F': return match_operands(at, e, EXPR_FLOOR, h);
    case '2': return match_operands(at, e, EXPR_CEIL2, h);
    case '~': return match_operands(at, e, EXPR_NEG, h);
    case 'N': return e->op == EXPR_SIZE;
    case 'n': return e->op == EXPR_LENGTH;
    case 'j': return e->op == EXPR_I;
    case 'i':
        if (e->op == EXPR_I)
            h->plain = true;
        else if (is_mirrored(e))
            h->mirrored = true;
        else
            return false;
        return h->plain != h->mirrored;
    case '0': return is_constant(e, 0);
    case '1': return is_constant(e, 1);
    case 'h': return is_constant(e, 2);
    case '4': return is_constant(e, 4);
    case 'm': return is_constant(e, -4);
    case 'C': return is_whole(e, 1, &h->c);
    case 'D': return is_whole(e, 1, &h->d);
    case 'A': return h->has_a = is_whole(e, 0, &h->a);
    case 'B': return is_whole(e, 0, &h->b);
    case 'R': return is_whole(e, 0, &h->r);
    case 'c': return is_constant(e, h->c);
    default: return false;
    }
}

static bool are_powers_of_two(double x, double y) {
    int e;
    return frexp(x, &e) == 0.5 && frexp(y, &e) == 0.5;
}

/* Every operation of the feature is exact at every position: doc/theory.md, "Look-up: residues". */
static bool residue_is_exact(const holes *h) {
    return h->c <= (h->has_a ? 0x1p26 : 0x1p51) && (!h->has_a || h->a < h->c) && h->b < h->c && h->r < h->c;
}

static bool is_sound(const pattern *p, const holes *h) {
    switch (p->kind) {
    case POSITION_RESIDUE:
    case POSITION_PLACE: return residue_is_exact(h);
    case POSITION_DIGIT: return h->c >= 2 && h->c <= 0x1p40 && h->d <= 0x1p40 && are_powers_of_two(h->c, h->d);
    case POSITION_TOP: return h->c <= 0x1p40 && are_powers_of_two(h->c, 1);
    case POSITION_CEIL2: return h->c <= 0x1p12 && h->d <= 0x1p40 && are_powers_of_two(1, h->d);
    default: return h->c <= 0x1p20;
    }
}

position_form position_form_of(const expression *e) {
    if (e->op == EXPR_CONSTANT)
        return (position_form){.kind = POSITION_CONSTANT, .size = {.size = FORM_CONSTANT, .c = e->constant, .d = 1}};
    for (size_t k = 0; k < sizeof PATTERNS / sizeof *PATTERNS; k++) {
        const pattern *p = &PATTERNS[k];
        holes h = {.c = 1, .d = 1, .a = 1};
        const char *at = p->tree;
        if (!match(&at, e, &h) || !is_sound(p, &h)) continue;
        bool test = p->size == FORM_BOOLEAN;
        return (position_form){.kind = p->kind,
                               .mirrored = p->mirrored || h.mirrored,
                               .at_most = p->tree[p->kind == POSITION_PLACE ? 2 : 0] == 'l',
                               .factor = (int64_t)h.a,
                               .constant = (int64_t)h.b,
                               .modulus = (int64_t)h.c,
                               .remainder = (int64_t)h.r,
                               .size = {.size = p->size,
                                        .power = p->power,
                                        .squares = p->kind == POSITION_SQUARE_2 ? 2 : p->kind == POSITION_SHARE_2,
                                        .logarithm = p->kind == POSITION_LOG_OTHERS,
                                        .c = test ? 1 : h.c,
                                        .d = test ? 1 : h.d}};
    }
    return (position_form){.kind = POSITION_UNKNOWN};
}
