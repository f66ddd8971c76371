/* Balls of two doubles against Arb's: random chains of operations, done both ways, must have a common point at every
   step, and what the quick ones say of order, size and exactness must be so. Then proofs: what a run calls proved by
   quick balls is proved by the others, too. */
#include <math.h>
#include <stdio.h>

#include "answer/proved.h"
#include "base/entry.h"
#include "bound/proof.h"
#include "corpus.h"
#include "number/quick_ball.h"
#include "test.h"

enum { SLOTS = 6, STEPS = 40 };

static double random_double(test_random *r) {
    switch (random_below(r, 6)) {
    case 0: return (double)(int64_t)random_below(r, 9) - 4;
    case 1: return ldexp(1, (int)random_below(r, 200) - 100);
    case 2: return ldexp((double)(int64_t)random_u64(r), (int)random_below(r, 2000) - 1060);
    case 3: return 1 + ldexp(1, -(int)random_below(r, 60));
    default: return ldexp((double)(int64_t)random_u64(r), -60);
    }
}

/* Which operation on which slots: the same for both. */
typedef struct step {
    unsigned operation, z, x, y;
    double d;
    int64_t k;
} step;

static step random_step(test_random *r) {
    return (step){.operation = (unsigned)random_below(r, 13),
                  .z = (unsigned)random_below(r, SLOTS),
                  .x = (unsigned)random_below(r, SLOTS),
                  .y = (unsigned)random_below(r, SLOTS),
                  .d = random_double(r),
                  .k = (int64_t)(random_u64(r) >> random_below(r, 63))};
}

static void apply(ball *b, const step *s) {
    ball *z = &b[s->z];
    const ball *x = &b[s->x], *y = &b[s->y];
    switch (s->operation) {
    case 0: ball_set_double(z, s->d); break;
    case 1: ball_set_int(z, s->k); break;
    case 2: ball_add(z, x, y); break;
    case 3: ball_sub(z, x, y); break;
    case 4:
    case 5: ball_mul(z, x, y); break;
    case 6: ball_div(z, x, y); break;
    case 7: ball_neg(z, x); break;
    case 8: ball_mul_2exp(z, x, (long)(s->k % 1200) - 600); break;
    case 9: ball_pow(z, x, (uint64_t)(s->k % 40)); break;
    case 10: ball_exp(z, x); break;
    case 11: ball_log(z, x); break;
    default: ball_max(z, x, y);
    }
}

typedef struct opinion {
    double lo, hi;
    bool finite, zero, less, at_most, number;
} opinion;

static opinion ask(const ball *b, const step *s) {
    const ball *z = &b[s->z], *y = &b[s->y];
    return (opinion){.lo = ball_lower(z),
                     .hi = ball_upper(z),
                     .finite = ball_is_finite(z),
                     .zero = ball_is_zero(z),
                     .less = ball_is_less(z, y),
                     .at_most = ball_is_at_most(z, y),
                     .number = ball_is_number(z, 24, 0x1p-149)};
}

/* Whether a number within the quick ends may be that of the other ball: compared with 192 bits. */
static bool may_contain(opinion quick, const ball *z, ball *end) {
    ball_set_double(end, quick.lo);
    if (ball_is_less(z, end)) return false;
    ball_set_double(end, quick.hi);
    return !ball_is_less(end, z);
}

/* A float, were there no largest one. */
static bool is_float(double d) {
    double near = fabs(d) > 0x1p100 ? ldexp(d, -ilogb(d)) : d;
    return (double)(float)near == near;
}

static size_t decided, numbers, lost;

static void check_chain(test_random *r, arena *a) {
    ball *exact = ball_array(a, SLOTS + 1), quick[SLOTS] = {0};
    for (unsigned k = 0; k < STEPS; k++) {
        step s = random_step(r);
        ball_quick_begin();
        apply(quick, &s);
        opinion q = ask(quick, &s);
        ball_quick_end();
        apply(exact, &s);
        opinion e = ask(exact, &s);
        CHECK(q.finite == (isfinite(q.lo) && isfinite(q.hi)) && q.lo <= q.hi, "step %u: ends %a, %a", k, q.lo, q.hi);
        if (!q.finite || !e.finite) { /* both begin again with a number that they share */
            lost += q.finite;
            ball_set_int(&exact[s.z], 3);
            ball_quick_begin();
            ball_set_int(&quick[s.z], 3);
            ball_quick_end();
            continue;
        }
        CHECK(may_contain(q, &exact[s.z], &exact[SLOTS]), "operation %u gives %a to %a, not %a to %a", s.operation,
              q.lo, q.hi, e.lo, e.hi);
        /* Ends that touch may decide what balls with a radius leave open, but never the other way round. */
        const ball *z = &exact[s.z], *y = &exact[s.y];
        CHECK(!(q.less && ball_is_at_most(y, z)) && !(q.at_most && ball_is_less(y, z)),
              "operation %u, %a to %a: wrong order", s.operation, q.lo, q.hi);
        CHECK(q.zero == (q.lo == 0 && q.hi == 0) && q.number == (q.lo == q.hi && is_float(q.lo)),
              "operation %u, %a to %a: zero %d, a float %d", s.operation, q.lo, q.hi, q.zero, q.number);
        decided += q.less;
        numbers += q.number;
    }
}

/* ---- proofs ---- */

typedef struct question {
    const temper_model *model;
    temper_type type;
    bool quick, exact;
} question;

static void prove(entry *e, void *context) {
    question *q = context;
    temper_certify_options o = {.type = q->type};
    certification c;
    certification_begin(&c, q->model, &o, false, &e->memory, e->trap);
    q->exact = model_prover_try(model_prover_open(&c), 63, false);
}

static void run_one(entry *e, void *context) {
    question *q = context;
    q->quick = proved_at(q->model, q->type, false, 5, e->trap).claim != TEMPER_CLAIM_NONE &&
               proved_up_to(q->model, q->type, false, 0) == 63;
}

static size_t proofs;

static void check_proof(const corpus_entry *one, temper_type type) {
    temper_error e;
    temper_model *m = NULL;
    temper_spec *spec = corpus_parse(one);
    if (spec && !temper_build(&m, spec, &(temper_build_options){0}, &e)) {
        question q = {.model = m, .type = type};
        CHECK(!entry_run(&e, run_one, &q) && !entry_run(&e, prove, &q), "%s: %s", one->name, e.text);
        CHECK(!q.quick || q.exact, "%s in %s: proved by quick balls only", one->name, temper_type_name(type));
        proofs += q.quick;
    }
    temper_model_free(m);
    temper_spec_free(spec);
}

int main(void) {
    test_random r = test_seed(211);
    trap t;
    arena a;
    if (trap_set(&t, NULL)) return 1;
    arena_init(&a, &t);
    size_t chains = (size_t)(20000 * test_effort());
    for (size_t k = 0; k < chains; k++) {
        check_chain(&r, &a);
        arena_reset(&a);
    }
    arena_free(&a);
    CHECK(decided > chains && numbers > chains, "%zu chains: %zu comparisons decided, %zu numbers", chains, decided,
          numbers);
    CHECK(lost <= chains / 100, "%zu results of %zu chains have no bound but the quick one", lost, chains);
    size_t tried = 0;
    for (size_t k = 0; k < corpus_size(); k += test_effort() < 1 ? 7 : 3, tried++)
        check_proof(corpus_at(k), k % 2 ? TEMPER_TYPE_F64 : TEMPER_TYPE_F32);
    CHECK(2 * proofs > tried, "%zu of %zu are proved by quick balls", proofs, tried);
    return test_finish("t-quick-ball");
}
