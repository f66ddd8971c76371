#include "recognise/questions.h"

#include <math.h>
#include <string.h>

/* ---- variables ---- */

static uint32_t variable(questions *q, question what, uint32_t size) {
    int64_t key[12] = {(int64_t)what.kind, what.forward, what.x,       what.y,         what.past,   what.future, 0,
                       what.factor,        what.add,     what.modulus, what.remainder, what.at_most};
    memcpy(&key[6], &what.constant, sizeof what.constant);
    const uint32_t *known = table_find(&q->index, key, sizeof key);
    if (known) return *known;
    int64_t *kept = arena_alloc(q->arena, 12, sizeof *kept);
    bool fresh;
    memcpy(kept, key, sizeof key);
    uint32_t v = decision_variable(&q->d, size);
    array_push(q->arena, q->asked, q->asked_count, q->asked_capacity, what);
    table_put(&q->index, kept, sizeof key, v, &fresh);
    return v;
}

static fn truth(questions *q, question what) { return fn_variable(&q->d, variable(q, what, 2)); }

void questions_init(questions *q, uint32_t letters, arena *a) {
    *q = (questions){.arena = a};
    decisions_init(&q->d, letters, a);
    count_forms_init(&q->counts, &q->d);
    table_init(&q->index, a);
    for (int forward = 0; forward < 2; forward++) {
        table_init(&q->loose_index[forward], a);
        table_init(&q->found[forward], a);
        table_init(&q->stepped[forward], a);
    }
    table_init(&q->everywhere, a);
    table_init(&q->list_index, a);
    table_init(&q->chosen, a);
    table_init(&q->asked_as, a);
    array_push(a, q->asked, q->asked_count, q->asked_capacity, (question){.kind = ASK_LETTER});
}

fn ask_edge(questions *q, bool forward) { return truth(q, (question){.kind = ASK_EDGE, .forward = forward}); }

fn ask_unsaid(questions *q, uint32_t name) { return truth(q, (question){.kind = ASK_UNSAID, .x = name}); }

/* ---- "or here" ---- */

static void keep(table *t, fn f, uint32_t value) {
    fn *key = arena_alloc(t->arena, 1, sizeof *key);
    bool fresh;
    *key = f;
    table_put(t, key, sizeof *key, value, &fresh);
}

static const loose_question *loose_of(const questions *q, bool forward, fn f) {
    const uint32_t *known = table_find(&q->loose_index[forward], &f, sizeof f);
    return known ? &q->loose[*known] : NULL;
}

static fn make_loose(questions *q, bool forward, fn f, fn strict, bool exists) {
    if (fn_is_leaf(&q->d, f) || loose_of(q, forward, f)) return f;
    keep(&q->loose_index[forward], f, (uint32_t)q->loose_count);
    array_push(q->arena, q->loose, q->loose_count, q->loose_capacity, (loose_question){strict, exists});
    return f;
}

/* ---- strict questions ---- */

/* A strict question is false at the edge, where no position is before; its variable decides elsewhere. So "not at the
   first position, and x before" is "x before" without a rule for it. */
static fn inside(questions *q, bool forward, fn answer) {
    return fn_and(&q->d, fn_not(&q->d, ask_edge(q, forward)), answer);
}

/* An answer that is no variable alone, but a new node whose parts are older, can be written as its question. */
static void write_as(questions *q, fn answer, fn x, fn y, uint32_t variable) {
    if (answer != fn_variable(&q->d, variable) && answer > x && answer > y) keep(&q->asked_as, answer, variable);
}

/* x holds at every position but the first. Then the last one before with x is the one before, if it has x. */
static bool everywhere_else(questions *q, bool forward, fn x) {
    return fn_or(&q->d, ask_edge(q, forward), x) == FN_TRUE;
}

/* There is an earlier position with "x or an earlier position with x" iff there is one with x. */
static fn exists(questions *q, bool forward, fn x) {
    if (x == FN_FALSE) return x;
    if (x == FN_TRUE) return fn_not(&q->d, ask_edge(q, forward));
    const uint32_t *answered = table_find(&q->found[forward], &x, sizeof x);
    if (answered) return *answered;
    const loose_question *known = loose_of(q, forward, x);
    fn strict;
    if (known && known->exists) {
        strict = known->strict;
    } else if (everywhere_else(q, forward, x)) {
        strict = ask_step(q, forward, x);
    } else {
        uint32_t v = variable(q, (question){.kind = ASK_EXISTS, .forward = forward, .x = x}, 2);
        strict = inside(q, forward, fn_variable(&q->d, v));
        write_as(q, strict, x, x, v);
    }
    keep(&q->found[forward], x, strict);
    return strict;
}

/* ---- several values at one position ---- */

/* What tells one position from others, and y there. */
enum { PLACE_KEY = 8 };

static void place_key(int64_t key[PLACE_KEY], const question *what, fn y) {
    int64_t all[PLACE_KEY] = {(int64_t)what->kind,
                              what->forward,
                              what->kind == ASK_STEP ? FN_TRUE : what->x,
                              what->past,
                              what->future,
                              what->factor,
                              0,
                              y};
    memcpy(&all[6], &what->constant, sizeof what->constant);
    memcpy(key, all, sizeof all);
}

static void keep_place(table *t, const int64_t key[PLACE_KEY], uint32_t value) {
    int64_t *kept = arena_alloc(t->arena, PLACE_KEY, sizeof *kept);
    bool fresh;
    memcpy(kept, key, PLACE_KEY * sizeof *kept);
    table_put(t, kept, PLACE_KEY * sizeof *kept, value, &fresh);
}

static sibling_list *list_of(questions *q, const question *what) {
    int64_t key[PLACE_KEY];
    place_key(key, what, 0);
    const uint32_t *known = table_find(&q->list_index, key, sizeof key);
    if (known) return &q->lists[*known];
    keep_place(&q->list_index, key, (uint32_t)q->list_count);
    array_push(q->arena, q->lists, q->list_count, q->list_capacity,
               (sibling_list){.values = FN_FALSE, .answers = FN_FALSE});
    return &q->lists[q->list_count - 1];
}

/* At one position, what excludes or implies another value there does so as an answer, too. So an answer lies between
   those that imply it and those that it implies, and outside those that exclude it; a variable decides the rest. What
   diagrams then call exclusive is exclusive on every string. Answers that depend on many variables are left out:
   diagrams of what they all exclude become large. */
static fn place_between(questions *q, const sibling_list *list, fn y, fn variable) {
    decisions *d = &q->d;
    fn least = FN_FALSE, most = FN_TRUE;
    if (fn_and(d, list->values, y) == FN_FALSE) return fn_and(d, fn_not(d, list->answers), variable);
    for (uint32_t k = list->first; k; k = q->siblings[k - 1].next) {
        sibling s = q->siblings[k - 1];
        fn both = fn_and(d, s.y, y);
        if (both == FN_FALSE && decision_at(d, s.answer)->depth <= QUESTION_DEPTH)
            most = fn_and(d, most, fn_not(d, s.answer));
        else if (both == s.y)
            least = fn_or(d, least, s.answer);
        else if (both == y)
            most = fn_and(d, most, s.answer);
    }
    return fn_or(d, least, fn_and(d, most, variable));
}

/* Whether all that is counted is older than the function f. */
static bool counts_before(const questions *q, count_id sum, fn f) {
    const count_form *c = count_at(&q->counts, sum);
    for (size_t k = 0; k < c->count; k++)
        if (c->terms[k].f >= f) return false;
    return true;
}

/* The value y at the nearest position with x, or at a computed one, or x at the position before. */
static fn value_there(questions *q, question what) {
    fn y = what.kind == ASK_STEP ? what.x : what.y;
    int64_t key[PLACE_KEY];
    place_key(key, &what, y);
    const uint32_t *known = table_find(&q->chosen, key, sizeof key);
    if (known) return *known;
    uint32_t v = variable(q, what, 2);
    sibling_list *list = list_of(q, &what);
    fn answer = fn_variable(&q->d, v);
    if (what.kind != ASK_READ) answer = inside(q, what.forward, answer);
    if (list->count < QUESTION_SIBLINGS) {
        answer = place_between(q, list, y, answer);
        array_push(q->arena, q->siblings, q->sibling_count, q->sibling_capacity, (sibling){y, answer, list->first});
        list->first = (uint32_t)q->sibling_count;
        list->count++;
        list->values = fn_or(&q->d, list->values, y);
        list->answers = fn_or(&q->d, list->answers, answer);
    }
    keep_place(&q->chosen, key, answer);
    if (counts_before(q, what.past, answer) && counts_before(q, what.future, answer))
        write_as(q, answer, what.x, y, v);
    return answer;
}

static fn step_variable(questions *q, bool forward, fn x) {
    return value_there(q, (question){.kind = ASK_STEP, .forward = forward, .x = x});
}

/* A remainder of a count at the position before is that here, less one where x is counted here. x is a test of one
   remainder, of those over j <= i for "before" (j >= i for "after"); 0: it is not. */
static fn step_of_remainder(questions *q, bool forward, fn x) {
    decisions *d = &q->d;
    const decision_node n = *decision_at(d, x);
    const question asked = q->asked[n.variable];
    if (asked.forward != forward || (asked.kind != ASK_REMAINDER && asked.kind != ASK_TEST)) return 0;
    for (size_t k = 0; k < n.count; k++)
        if (!fn_is_leaf(d, n.runs[k].to)) return 0;
    fn less;
    if (asked.kind == ASK_REMAINDER) { /* the number c is c - 1 there: runs end one later, and 0 is the last number */
        decision_run *runs = arena_alloc(q->arena, (size_t)n.count + 1, sizeof *runs);
        uint32_t size = d->sizes[n.variable];
        size_t count = 0;
        runs[count++] = (decision_run){1, n.runs[n.count - 1].to};
        for (size_t k = 0; k < n.count; k++)
            runs[count++] = (decision_run){n.runs[k].end < size ? n.runs[k].end + 1 : size, n.runs[k].to};
        if (count > 1 && runs[count - 2].end == size) count--;
        less = fn_node(d, n.variable, runs, count);
    } else {
        bool negated = n.runs[0].to == FN_TRUE;
        question test = asked;
        test.add = asked.add - asked.factor + (asked.add < asked.factor ? asked.modulus : 0);
        less = truth(q, test);
        if (negated) less = fn_not(d, less);
    }
    return fn_and(d, fn_not(d, ask_edge(q, forward)), fn_ite(d, asked.x, less, x));
}

/* What held at the position before of a question "or here" is the strict question; "not x" there is "not x there, and
   there is a position before". */
static fn make_step(questions *q, bool forward, fn x) {
    decisions *d = &q->d;
    const loose_question *known = loose_of(q, forward, x);
    if (known) return known->strict;
    fn remainder = step_of_remainder(q, forward, x);
    if (remainder) return remainder;
    fn other = fn_not(d, x);
    const uint32_t *answered = table_find(&q->stepped[forward], &other, sizeof other);
    known = loose_of(q, forward, other);
    if (!answered && !known && x < other) return step_variable(q, forward, x);
    fn there = answered ? *answered : known ? known->strict : step_variable(q, forward, other);
    return fn_and(d, fn_not(d, ask_edge(q, forward)), fn_not(d, there));
}

fn ask_step(questions *q, bool forward, fn x) {
    if (x == FN_FALSE) return x;
    if (x == FN_TRUE) return fn_not(&q->d, ask_edge(q, forward));
    const uint32_t *answered = table_find(&q->stepped[forward], &x, sizeof x);
    if (answered) return *answered;
    fn strict = make_step(q, forward, x);
    keep(&q->stepped[forward], x, strict);
    return strict;
}

static fn nearest(questions *q, bool forward, fn x, fn y) {
    if (y == FN_FALSE) return y;
    if (x == y) return exists(q, forward, x);
    if (everywhere_else(q, forward, x)) return ask_step(q, forward, y);
    return value_there(q, (question){.kind = ASK_NEAREST, .forward = forward, .x = x, .y = y});
}

/* y at a position before which there is no x: the farthest one with x, if y implies x. */
static fn first_one(questions *q, bool forward, fn x, fn y) {
    return fn_and(&q->d, y, fn_not(&q->d, exists(q, forward, x)));
}

/* ---- questions with a mask ---- */

static bool is_forward(temper_mask mask) { return mask == TEMPER_MASK_AFTER || mask == TEMPER_MASK_FROM; }

fn ask_exists(questions *q, temper_mask mask, fn x) {
    decisions *d = &q->d;
    bool forward = is_forward(mask);
    if (mask == TEMPER_MASK_BEFORE || mask == TEMPER_MASK_AFTER) return exists(q, forward, x);
    if (mask != TEMPER_MASK_ALL) {
        fn strict = exists(q, forward, x);
        return make_loose(q, forward, fn_or(d, x, strict), strict, true);
    }
    if (table_find(&q->everywhere, &x, sizeof x)) return x;
    fn all = fn_or(d, x, fn_or(d, exists(q, false, x), exists(q, true, x)));
    if (!table_find(&q->everywhere, &all, sizeof all)) keep(&q->everywhere, all, 1);
    return all;
}

/* y at the nearest j with x, i itself included. */
static fn nearest_or_here(questions *q, bool forward, fn x, fn y, fn *strict) {
    decisions *d = &q->d;
    *strict = nearest(q, forward, x, y);
    return fn_or(d, y, fn_and(d, fn_not(d, x), *strict));
}

fn ask_choice(questions *q, temper_mask mask, temper_choice choice, fn x, fn y) {
    decisions *d = &q->d;
    fn strict;
    bool forward = is_forward(mask), rightmost = choice == TEMPER_CHOICE_RIGHTMOST;
    if (x == y) return ask_exists(q, mask, x);
    if (mask == TEMPER_MASK_ALL) { /* rightmost: the last one after i, if there is one; else the last one up to i */
        fn here = nearest_or_here(q, !rightmost, x, y, &strict);
        fn beyond = exists(q, rightmost, first_one(q, rightmost, x, y));
        return fn_or(d, beyond, fn_and(d, fn_not(d, exists(q, rightmost, x)), here));
    }
    if (rightmost == forward) return ask_exists(q, mask, first_one(q, forward, x, y));
    if (mask == TEMPER_MASK_BEFORE || mask == TEMPER_MASK_AFTER) return nearest(q, forward, x, y);
    fn f = nearest_or_here(q, forward, x, y, &strict);
    return make_loose(q, forward, f, strict, false);
}

/* ---- sums ---- */

static double common(double a, double b) {
    for (; b != 0;) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* One direction: what only asks whether anything was counted. 0: it asks for more. */
static fn ask_some(questions *q, bool forward, count_id sum, double constant) {
    temper_mask mask = forward ? TEMPER_MASK_FROM : TEMPER_MASK_UP_TO;
    fn some = count_some(&q->counts, sum, constant < 0 ? -constant : -constant - 1);
    if (!some) return 0;
    fn found = ask_exists(q, mask, some);
    return constant < 0 ? found : fn_not(&q->d, found);
}

fn ask_sum(questions *q, count_id past, count_id future, double constant) {
    count_forms *c = &q->counts;
    past = count_merge(c, past);
    future = count_merge(c, future);
    if (!past && !future) return constant >= 0 ? FN_TRUE : FN_FALSE;
    double least, most, least_future, most_future;
    count_extremes(c, past, &least, &most);
    count_extremes(c, future, &least_future, &most_future);
    if (constant >= 0 && least >= 0 && least_future >= 0) return FN_TRUE;
    if (constant < 0 && most <= 0 && most_future <= 0) return FN_FALSE;
    double divisor = common(count_divisor(c, past), count_divisor(c, future));
    past = count_divide(c, past, divisor);
    future = count_divide(c, future, divisor);
    constant = floor(constant / divisor);
    fn some = !future ? ask_some(q, false, past, constant) : !past ? ask_some(q, true, future, constant) : 0;
    if (some) return some;
    return truth(q, (question){.kind = ASK_SUM, .past = past, .future = future, .constant = constant + 0.0});
}

/* ---- remainders ---- */

uint32_t ask_remainder(questions *q, bool forward, fn x, int64_t modulus) {
    return variable(q, (question){.kind = ASK_REMAINDER, .forward = forward, .x = x, .modulus = modulus},
                    (uint32_t)modulus);
}

static bool test_holds(int64_t value, int64_t m, bool at_most, int64_t r) {
    return at_most ? value % m <= r : value % m == r;
}

fn ask_residue(questions *q, bool forward, fn x, int64_t a, int64_t b, int64_t m, bool at_most, int64_t r) {
    decisions *d = &q->d;
    if (x == FN_FALSE || a == 0 || m == 1) return test_holds(b, m, at_most, r) ? FN_TRUE : FN_FALSE;
    if (at_most && r >= m - 1) return FN_TRUE;
    if (!at_most && r >= m) return FN_FALSE;
    if (m > QUESTION_MODULUS)
        return truth(q, (question){.kind = ASK_TEST,
                                   .forward = forward,
                                   .x = x,
                                   .factor = a,
                                   .add = b,
                                   .modulus = m,
                                   .remainder = r,
                                   .at_most = at_most});
    uint32_t v = ask_remainder(q, forward, x, m);
    decision_run *runs = arena_alloc(q->arena, (size_t)m, sizeof *runs);
    size_t count = 0;
    int64_t value = b;
    for (int64_t k = 0; k < m; k++, value = (value + a) % m) {
        fn to = test_holds(value, m, at_most, r) ? FN_TRUE : FN_FALSE;
        if (count && runs[count - 1].to == to)
            runs[count - 1].end = (uint32_t)k + 1;
        else
            runs[count++] = (decision_run){(uint32_t)k + 1, to};
    }
    return fn_node(d, v, runs, count);
}

/* ---- computed positions ---- */

/* Whether every position adds the same, and what. */
static bool adds_the_same(const questions *q, count_id sum, double *each) {
    const count_form *f = count_at(&q->counts, sum);
    if (f->count || !fn_is_leaf(&q->d, f->letters)) return false;
    *each = decision_at(&q->d, f->letters)->value;
    return true;
}

fn ask_read(questions *q, bool forward, count_id sum, double ends, double constant, fn y) {
    double each = 0;
    if (y == FN_FALSE) return y;
    sum = count_merge(&q->counts, sum);
    if (adds_the_same(q, sum, &each)) {
        if (forward) { /* n + 1 - i of them from here on, where i of them are up to here */
            ends = exact_add(q->arena, ends, each);
            each = -each + 0.0;
            forward = false;
        }
        if (each == 1 && ends == 0 && constant == 0) return y;
        if (each == 1 && ends == 0 && fabs(constant) == 1) return ask_step(q, constant > 0, y);
        if (each == 0 && ((ends == 0 && constant <= 0) || (ends == 1 && constant >= 0))) return FN_FALSE;
        count_term all = {FN_TRUE, each};
        sum = count_from_terms(&q->counts, &all, each != 0);
    }
    if (fabs(ends) > 0x1p52) return 0;
    return value_there(q, (question){.kind = ASK_READ,
                                     .forward = forward,
                                     .y = y,
                                     .past = forward ? 0 : sum,
                                     .future = forward ? sum : 0,
                                     .factor = (int64_t)ends,
                                     .constant = constant + 0.0});
}
