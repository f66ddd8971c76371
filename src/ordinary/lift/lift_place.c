#include "ordinary/lift/lift_place.h"

#include "base/text.h"

enum { MOST_PERIOD = 64, MOST_TERMS = 1 << 16 };

typedef struct term {
    double weight;
    uint32_t modulus, residue; /* modulus 0: the position itself */
} term;

typedef struct term_list {
    arena *arena;
    term *all;
    size_t count, capacity;
} term_list;

static void put_term(text *out, const term *t) {
    if (t->weight != 1) {
        text_double(out, t->weight);
        text_putc(out, '*');
    }
    if (t->modulus)
        text_printf(out, "[i %% %u = %u]", t->modulus, t->residue);
    else
        text_printf(out, "[i = %u]", t->residue);
}

/* Balanced, for expressions may not be deep. Depth of recursion: log2 of MOST_TERMS. */
static void put_sum(text *out, const term *t, size_t count) {
    if (count == 1) {
        put_term(out, t);
        return;
    }
    text_putc(out, '(');
    put_sum(out, t, count / 2);
    text_puts(out, " + ");
    put_sum(out, t + count / 2, count - count / 2);
    text_putc(out, ')');
}

static void add(term_list *l, term t) {
    if (t.weight == 0) return;
    array_push(l->arena, l->all, l->count, l->capacity, t);
}

/* The least period on letters; 0: none that is small. */
static uint32_t period_of(const double *values, uint32_t count) {
    for (uint32_t m = 1; m <= MOST_PERIOD && 2 * m < count; m++) {
        uint32_t i = 1;
        while (i + m < count && values[i] == values[i + m]) i++;
        if (i + m == count) return m;
    }
    return 0;
}

/* floor(i/2^k) % 2, which has no small period. */
static const expression *binary_digit(arena *a, const double *values, uint32_t count) {
    for (uint32_t k = 0; k < 24; k++) {
        uint32_t i = 0;
        while (i < count && values[i] == (i >> k & 1)) i++;
        if (i == count) return expression_make(a, "floor(i/%u) %% 2", 1u << k);
    }
    return NULL;
}

const expression *expression_from_place(arena *a, arena *scratch, const double *values, uint32_t count) {
    term_list l = {.arena = scratch};
    const expression *digit = binary_digit(a, values, count);
    if (digit) return digit;
    uint32_t nonzero = 0, period = period_of(values, count);
    for (uint32_t i = 0; i < count; i++) nonzero += values[i] != 0;
    if (!nonzero) return NULL;
    if (period && nonzero > period) {
        for (uint32_t r = 0; r < period; r++) add(&l, (term){values[r ? r : period], period, r});
        add(&l, (term){values[0] - values[period], 0, 0});
    } else {
        for (uint32_t i = 0; i < count; i++) add(&l, (term){values[i], 0, i});
    }
    if (l.count > MOST_TERMS)
        trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "a column of positions with more than %d numbers of its own",
                   MOST_TERMS);
    text sum;
    text_init(&sum, scratch);
    put_sum(&sum, l.all, l.count);
    return expression_parse(a, sum.data, sum.length, 0, 0);
}
