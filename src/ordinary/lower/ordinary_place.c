/* What depends on the position. A GPT-2 has a table of it, so that every expression is a column. A Llama has none: a
   head that asks only the start sentinel sees a wave of its own position, and a threshold makes it a Boolean. */
#include "ordinary/lower/ordinary_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/expression.h"
#include "number/elementary.h"
#include "number/trig.h"

/* The number at position i of the model, for strings of n letters; a mirrored model counts from the end. */
static double place_at(const ordinary_plan *p, const expression *e, double i, double n) {
    double size = n + 1 + p->hard->has_end;
    return expression_eval(e, p->mirrored ? size - 1 - i : i, n, size);
}

double plan_place_at(const ordinary_plan *p, const ordinary_column *c, double i) {
    double at = i - c->shift, most = (double)p->options.length;
    if (!c->position || at < 0) return 0;
    return c->own ? expression_eval(c->position, at, most, most + 1) : place_at(p, c->position, at, most);
}

static void check_causal(const ordinary_plan *p, const expression *e) {
    double most = (double)p->options.length;
    for (double i = 0; i <= most; i++)
        for (double n = i; n <= most; n = n < i + 2 ? n + 1 : n < most ? most : most + 1)
            if (place_at(p, e, i, n < 1 ? 1 : n) != place_at(p, e, i, most))
                trap_raise(p->arena->trap, TEMPER_UNSUPPORTED, 0, 0,
                           "the model looks at where the string ends, which a causal transformer cannot see");
}

/* ---- Llama ---- */

/* The pair of dimensions that turns once in so many positions. */
static uint32_t wave_pair(ordinary_plan *p, double period) {
    for (uint32_t k = 0; k < p->bits; k++)
        if (ldexp(2, (int)k) == period) return k;
    uint32_t k = 0;
    while (k < p->waves && p->periods[k] != period) k++;
    if (k == p->waves) {
        size_t count = p->waves;
        array_push(p->arena, p->periods, count, p->periods_capacity, period);
        p->waves = (uint32_t)count;
    }
    return plan_wave_pair(p, k);
}

static const double PI = 3.14159265358979323846;

/* Is cos(2 pi i/period - phase) above the offset, by `margin` at least where it is, and below it by so much where it
   is not? */
static column_id wave(ordinary_plan *p, double period, double phase, double offset, double margin,
                      const char *label) {
    ordinary_form value = {0};
    ordinary_form_add(p, &value, p->start, 1);
    ordinary_head *h = plan_head(p, ORDINARY_WAVE, NULL, NULL, 0, &value, 1);
    h->label = label;
    h->pair = wave_pair(p, period);
    h->phase = phase;
    h->offset = offset;
    if (offset != 0 && p->need_rows < 1) p->need_rows = 1;
    h->amplitude = (log_f64(plan_positions(p)) + ORDINARY_KAPPA) / margin;
    return plan_settle(p, plan_value(p, h, &value, label, 1), label);
}

/* Bit k of the position: floor(i/2^k) % 2 is 1 where the sine of pi (i + 1/2)/2^k is negative. */
static column_id bit_column(ordinary_plan *p, uint32_t k) {
    double turn = PI / ldexp(1, (int)k);
    char label[40];
    snprintf(label, sizeof label, "bit %u of the position", k);
    return wave(p, ldexp(2, (int)k), -PI / 2 - turn / 2, 0, sin_f64(turn / 2),
                arena_copy(p->arena, label, strlen(label)));
}

static ordinary_form *remember(ordinary_plan *p, const char *name, const ordinary_form *f) {
    bool fresh;
    table_put(&p->places, arena_copy(p->arena, name, strlen(name)), strlen(name), (uint32_t)p->form_count, &fresh);
    array_push(p->arena, p->forms, p->form_count, p->form_capacity, *f);
    return &p->forms[p->form_count - 1];
}

static const ordinary_form *remembered(const ordinary_plan *p, const char *name) {
    const uint32_t *known = table_find(&p->places, name, strlen(name));
    return known ? &p->forms[*known] : NULL;
}

static ordinary_form bit_form(ordinary_plan *p, uint32_t k) {
    char name[20];
    snprintf(name, sizeof name, "bit %u", k);
    const ordinary_form *known = remembered(p, name);
    if (known) return *known;
    ordinary_form f = {0};
    ordinary_form_add(p, &f, bit_column(p, k), 1);
    return *remember(p, name, &f);
}

/* [i % modulus = residue] on letters. */
static ordinary_form residue_form(ordinary_plan *p, uint32_t modulus, uint32_t residue) {
    char name[60];
    snprintf(name, sizeof name, "i %% %u = %u", modulus, residue);
    const ordinary_form *known = remembered(p, name);
    if (known) return *known;
    ordinary_form f = {0};
    double turn = 2 * PI / modulus, half = (1 - cos_f64(turn)) / 2;
    const char *label = arena_copy(p->arena, name, strlen(name));
    if (modulus == 1)
        ordinary_form_add(p, &f, p->real, 1);
    else
        ordinary_form_add(p, &f, wave(p, modulus, turn * residue, 1 - half, half, label), 1);
    return *remember(p, name, &f);
}

enum { PERIOD_LIMIT = 64 };

/* The least period of the expression on letters; 0: none. */
static uint32_t period_of(const ordinary_plan *p, const expression *e) {
    double most = (double)p->options.length;
    for (uint32_t m = 1; m <= PERIOD_LIMIT; m++) {
        bool fits = true;
        for (double i = 1; i + m <= most && fits; i++) fits = place_at(p, e, i, most) == place_at(p, e, i + m, most);
        if (fits) return m;
    }
    return 0;
}

/* 1 at the first letter and nowhere else. */
static bool is_first(const ordinary_plan *p, const expression *e) {
    double most = (double)p->options.length;
    for (double i = 0; i <= most; i++)
        if (place_at(p, e, i, most) != (i == 1)) return false;
    return true;
}

static ordinary_form llama_place(ordinary_plan *p, const expression *e, const char *name) {
    double most = (double)p->options.length;
    ordinary_form f = {0}, start = {0};
    ordinary_form_add(p, &start, p->start, 1);
    if (is_first(p, e)) return plan_shifted(p, &start);
    uint32_t m = period_of(p, e);
    if (!m)
        trap_raise(p->arena->trap, TEMPER_UNSUPPORTED, 0, 0,
                   "a Llama has no table of positions, and '%s' does not repeat after at most %d of them",
                   text_escaped(p->arena, name, strlen(name), 60), PERIOD_LIMIT);
    for (uint32_t r = 0; r < m; r++) {
        double value = r ? (r <= most ? place_at(p, e, r, most) : 0) : m <= most ? place_at(p, e, m, most) : 0;
        ordinary_form residue = {0};
        if (value != 0) residue = residue_form(p, m, r);
        ordinary_form_add_form(p, &f, &residue, value);
    }
    double at_start = place_at(p, e, 0, most);
    if (at_start != 0) ordinary_form_add(p, &f, p->start, at_start);
    return f;
}

/* ---- both ---- */

static ordinary_form place_column(ordinary_plan *p, const expression *e, uint32_t shift, const char *name,
                                  double factor) {
    ordinary_form f = {0};
    column_id c = plan_column(p, (ordinary_column){.label = name,
                                                   .writer = WRITER_EMBEDDING,
                                                   .token_channel = UINT32_MAX,
                                                   .position = e,
                                                   .shift = shift,
                                                   .scale = 1});
    ordinary_form_add(p, &f, c, factor);
    return f;
}

ordinary_form plan_place(ordinary_plan *p, const expression *e, uint32_t shift) {
    text t;
    text_init(&t, p->arena);
    expression_print(&t, e);
    const char *key = text_string(&t);
    const ordinary_form *known = remembered(p, key);
    if (!known) {
        check_causal(p, e);
        double most = (double)p->options.length, first = place_at(p, e, 0, most);
        bool constant = true;
        for (double i = 1; i <= most && constant; i++) constant = place_at(p, e, i, most) == first;
        ordinary_form f = {0};
        if (constant)
            f.one = first;
        else if (p->options.architecture == ORDINARY_GPT2)
            f = place_column(p, e, 0, key, 1);
        else
            f = llama_place(p, e, key);
        known = remember(p, key, &f);
    }
    ordinary_form out = *known;
    out.terms = arena_alloc(p->arena, out.count, sizeof *out.terms);
    out.capacity = out.count;
    if (out.count) memcpy(out.terms, known->terms, out.count * sizeof *out.terms);
    while (shift--) out = plan_shifted(p, &out);
    return out;
}

/* An expression of the position alone, which is not the hard model's: it is never mirrored. */
static ordinary_form own_place(ordinary_plan *p, const char *name, double factor) {
    const ordinary_form *known = remembered(p, name);
    if (known) return *known;
    const char *kept = arena_copy(p->arena, name, strlen(name));
    ordinary_form f = place_column(p, expression_make(p->arena, "%s", kept), 0, kept, factor);
    p->columns[f.terms[0].channel].own = true;
    return *remember(p, kept, &f);
}

ordinary_form plan_digit(ordinary_plan *p, uint32_t from, uint32_t count) {
    ordinary_form f = {0};
    if (p->options.architecture == ORDINARY_LLAMA) {
        for (uint32_t k = 0; k < count && from + k < p->bits; k++) {
            ordinary_form bit = bit_form(p, from + k);
            ordinary_form_add_form(p, &f, &bit, ldexp(1, (int)k));
        }
        return f;
    }
    char name[80];
    snprintf(name, sizeof name, "floor(i/%u) %% %u/%u", 1u << from, 1u << count, 1u << ORDINARY_DIGIT);
    return own_place(p, name, 1 << ORDINARY_DIGIT);
}

void plan_quarter(ordinary_plan *p, ordinary_form *cosine, ordinary_form *sine) {
    *cosine = own_place(p, "[i % 4 = 0] - [i % 4 = 2]", 1);
    *sine = own_place(p, "[i % 4 = 1] - [i % 4 = 3]", 1);
}

/* Bits k and l of the position, both 1. */
static ordinary_form bit_pair(ordinary_plan *p, uint32_t k, uint32_t l) {
    if (k == l) return bit_form(p, k);
    char name[40];
    snprintf(name, sizeof name, "bits %u and %u", k < l ? k : l, k < l ? l : k);
    const ordinary_form *known = remembered(p, name);
    if (known) return *known;
    ordinary_form a = bit_form(p, k), b = bit_form(p, l), f = {0};
    ordinary_form *sum = arena_zalloc(p->arena, 1, sizeof *sum);
    ordinary_form_add_form(p, sum, &a, 1);
    ordinary_form_add_form(p, sum, &b, 1);
    column_id out = plan_column(p, (ordinary_column){.label = arena_copy(p->arena, name, strlen(name)),
                                                     .writer = WRITER_NET,
                                                     .token_channel = UINT32_MAX,
                                                     .scale = 1});
    plan_step(p, sum, 2, &(model_term){out, 1}, 1);
    ordinary_form_add(p, &f, out, 1);
    return *remember(p, name, &f);
}

ordinary_form plan_digit_product(ordinary_plan *p, uint32_t from, uint32_t with, uint32_t count) {
    ordinary_form f = {0};
    if (p->options.architecture == ORDINARY_LLAMA) {
        for (uint32_t k = 0; k < count && from + k < p->bits; k++)
            for (uint32_t l = 0; l < count && with + l < p->bits; l++) {
                ordinary_form both = bit_pair(p, from + k, with + l);
                ordinary_form_add_form(p, &f, &both, ldexp(1, (int)(k + l)));
            }
        return f;
    }
    char name[120];
    snprintf(name, sizeof name, "(floor(i/%u) %% %u)*(floor(i/%u) %% %u)/1024", 1u << from, 1u << count, 1u << with,
             1u << count);
    return own_place(p, name, 1024);
}
