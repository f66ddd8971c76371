#include "integer_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression_rational.h"
#include "model/model.h"

typedef __int128 wide;

/* A fraction in lowest terms; the denominator is above 0. */
typedef struct fraction {
    int64_t num, den;
} fraction;

/* What fits: products of two such numbers, and sums of a few products, fit `wide`. */
static const wide MOST = (wide)1 << 60;

static bool fits; /* until a number does not */

static const fraction ZERO = {0, 1};

/* ---- fractions ---- */

static int64_t common(int64_t a, int64_t b) {
    a = a < 0 ? -a : a;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static wide common_wide(wide a, wide b) {
    a = a < 0 ? -a : a;
    while (b > INT64_MAX || a > INT64_MAX) {
        if (!b) return a;
        wide rest = a % b;
        a = b;
        b = rest;
    }
    return common((int64_t)a, (int64_t)b);
}

static fraction reduced(wide num, wide den) {
    wide g = common_wide(num, den);
    num /= g, den /= g;
    if (num > MOST || num < -MOST || den > MOST) {
        fits = false;
        return ZERO;
    }
    return (fraction){(int64_t)num, (int64_t)den};
}

static fraction plus(fraction a, fraction b) {
    if (!a.num) return b;
    if (!b.num) return a;
    if (a.den == 1 && b.den == 1) return reduced((wide)a.num + b.num, 1);
    if (a.den == b.den) return reduced((wide)a.num + b.num, a.den);
    return reduced((wide)a.num * b.den + (wide)b.num * a.den, (wide)a.den * b.den);
}

static fraction times(fraction a, fraction b) {
    if (!a.num || !b.num) return ZERO;
    return reduced((wide)a.num * b.num, (wide)a.den * b.den);
}

static fraction of_double(double x) {
    int exponent;
    double m = ldexp(frexp(x, &exponent), 53);
    if (x == 0) return ZERO;
    for (exponent -= 53; fmod(m, 2) == 0; exponent++) m /= 2;
    if (exponent > 60 || exponent < -60 || fabs(ldexp(m, exponent > 0 ? exponent : 0)) > 0x1p60) {
        fits = false;
        return ZERO;
    }
    return exponent >= 0 ? (fraction){(int64_t)ldexp(m, exponent), 1}
                         : (fraction){(int64_t)m, (int64_t)1 << -exponent};
}

/* Numbers of less than a word are kept as they are. */
static fraction of_rational(const rational *x) {
    if (rational_is_zero(x)) return ZERO;
    if (rational_bits(x) > 60) {
        fits = false;
        return ZERO;
    }
    return (fraction){x->num, x->den};
}

/* ---- rows of integers with one denominator ---- */

typedef struct whole_row {
    const int64_t *num;
    int64_t den;
} whole_row;

static int64_t den_of_all(const fraction *x, size_t count) {
    wide den = 1;
    for (size_t k = 0; k < count; k++) {
        den = den / common((int64_t)den, x[k].den) * x[k].den;
        if (den > MOST) {
            fits = false;
            return 1;
        }
    }
    return (int64_t)den;
}

static whole_row whole(int64_t *num, const fraction *x, size_t count) {
    int64_t den = den_of_all(x, count);
    for (size_t k = 0; k < count; k++) {
        wide all = (wide)x[k].num * (den / x[k].den);
        fits = fits && all <= MOST && all >= -MOST;
        num[k] = (int64_t)all;
    }
    return (whole_row){num, den};
}

/* The sign of a / b - c / d. */
static int order(wide a, int64_t b, wide c, int64_t d) {
    wide left = a, right = c;
    if (b != d && (__builtin_mul_overflow(a, (wide)d, &left) || __builtin_mul_overflow(c, (wide)b, &right)))
        fits = false;
    return (left > right) - (left < right);
}

/* ---- layers ---- */

typedef struct stream {
    const temper_model *m;
    size_t size, channels;
    fraction *x, *next; /* [size][channels] */
} stream;

static fraction dot(const model_rows *rows, uint32_t row, const fraction *x) {
    fraction sum = ZERO;
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++)
        sum = plus(sum, times(of_double(rows->terms[k].weight), x[rows->terms[k].channel]));
    return sum;
}

static void add_row(fraction *x, const model_rows *rows, uint32_t row, fraction factor) {
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        fraction *to = &x[rows->terms[k].channel];
        *to = plus(*to, times(of_double(rows->terms[k].weight), factor));
    }
}

static void project(whole_row *out, int64_t *numbers, const stream *s, const model_rows *rows, size_t first,
                    size_t end) {
    fraction *values = malloc((rows->count + 1) * sizeof *values);
    for (size_t i = first; i < end && fits; i++) {
        for (uint32_t r = 0; r < rows->count; r++) values[r] = dot(rows, r, s->x + i * s->channels);
        out[i] = whole(numbers + i * rows->count, values, rows->count);
    }
    free(values);
}

/* The mean of the values of the keys that are listed. */
static void mean(fraction *out, const whole_row *v, const size_t *keys, size_t count, uint32_t rows) {
    for (uint32_t d = 0; d < rows; d++) {
        wide sum = 0, den = 1;
        for (size_t k = 0; k < count && fits; k++) {
            const whole_row *row = &v[keys[k]];
            if (row->den != den) {
                int64_t g = common((int64_t)den, row->den);
                sum *= row->den / g;
                den *= row->den / g;
                if (den > MOST) fits = false;
                if (!fits) return;
            }
            sum += (wide)row->num[d] * (int64_t)(den / row->den);
            if (sum > MOST || sum < -MOST) fits = false;
        }
        out[d] = reduced(sum, den * (wide)count);
    }
}

static void run_head(const stream *s, const model_head *h, size_t first, size_t end) {
    size_t qs = h->query.count, size = s->size;
    int64_t *numbers = malloc(size * (2 * qs + h->value.count + 1) * sizeof *numbers);
    whole_row *q = malloc(3 * size * sizeof *q), *k = q + size, *v = k + size;
    size_t *best = malloc(size * sizeof *best);
    fraction *out = malloc((h->value.count + 1) * sizeof *out);
    project(q, numbers, s, &h->query, first, end);
    project(k, numbers + size * qs, s, &h->key, 0, size);
    project(v, numbers + 2 * size * qs, s, &h->value, 0, size);
    for (size_t i = first; i < end && fits; i++) {
        bool before = h->mask == TEMPER_MASK_BEFORE || h->mask == TEMPER_MASK_UP_TO || h->mask == TEMPER_MASK_ALL;
        bool after = h->mask == TEMPER_MASK_AFTER || h->mask == TEMPER_MASK_FROM || h->mask == TEMPER_MASK_ALL;
        bool here = h->mask != TEMPER_MASK_BEFORE && h->mask != TEMPER_MASK_AFTER;
        size_t count = 0;
        wide most = 0;
        for (size_t j = before ? 0 : i; j < (after ? size : i + 1); j++) {
            if (j == i && !here) continue;
            wide score = 0;
            for (size_t d = 0; d < qs; d++) score += (wide)q[i].num[d] * k[j].num[d];
            int sign = count ? order(score, k[j].den, most, k[best[0]].den) : 1;
            if (sign < 0) continue;
            if (sign > 0) count = 0, most = score;
            best[count++] = j;
        }
        if (!count) continue;
        if (h->hard_choice == TEMPER_CHOICE_RIGHTMOST) best[0] = best[count - 1];
        if (h->hard_choice != TEMPER_CHOICE_AVERAGE) count = 1;
        mean(out, v, best, count, h->value.count);
        for (uint32_t d = 0; d < h->value.count && fits; d++)
            add_row(s->next + i * s->channels, &h->output, d, out[d]);
    }
    free(out);
    free(best);
    free(q);
    free(numbers);
}

static void run_layer(const stream *s, const model_layer *l, size_t first, size_t end) {
    size_t all = s->size * s->channels;
    memcpy(s->next, s->x, all * sizeof *s->x);
    for (uint32_t h = 0; h < l->head_count && fits; h++) run_head(s, &l->heads[h], first, end);
    memcpy(s->x, s->next, all * sizeof *s->x);
    for (size_t i = first; i < end && fits; i++)
        for (uint32_t u = 0; u < l->in.count; u++) {
            fraction z = plus(dot(&l->in, u, s->x + i * s->channels), of_double(l->bias[u]));
            if (z.num > 0) add_row(s->next + i * s->channels, &l->out, u, z);
        }
    memcpy(s->x, s->next, all * sizeof *s->x);
}

static void embed(const stream *s, const uint32_t *letters, size_t n) {
    trap errors;
    arena a;
    temper_error e;
    arena_init(&a, &errors);
    if (!trap_set(&errors, &e)) {
        rational_pool pool;
        rational_pool_init(&pool, &a);
        rational *feature = rational_array(&pool, 1);
        for (size_t i = 0; i < s->size; i++)
            for (uint32_t c = 0; c < s->channels; c++) {
                const model_channel *channel = &s->m->channels[c];
                if (!channel->position || channel->soft_only) continue;
                fits = fits && expression_rational(feature, channel->position, i, n, s->size, &pool);
                s->x[i * s->channels + c] = of_rational(feature);
            }
        rational_pool_clear(&pool);
        trap_clear(&errors);
    } else {
        fits = false;
    }
    arena_free(&a);
    for (size_t i = 0; i < s->size; i++) {
        uint32_t token = i == 0 ? model_start_token(s->m) : i <= n ? letters[i - 1] : model_end_token(s->m);
        add_row(s->x + i * s->channels, &s->m->embedding, token, (fraction){1, 1});
    }
}

bool integer_run(bool *accepts, const temper_model *m, const uint32_t *letters, size_t n) {
    stream s = {.m = m, .size = n + 1 + m->has_end, .channels = m->channel_count};
    size_t all = s.size * s.channels, at = n == 0 ? 0 : m->at == TEMPER_AT_FIRST ? 1 : n;
    s.x = malloc(2 * all * sizeof *s.x);
    s.next = s.x + all;
    for (size_t k = 0; k < all; k++) s.x[k] = ZERO;
    fits = true;
    embed(&s, letters, n);
    for (uint32_t l = 0; l < m->layer_count && fits; l++) { /* of the last layer one position is read */
        bool last = l + 1 == m->layer_count;
        run_layer(&s, &m->layers[l], last ? at : 0, last ? at + 1 : s.size);
    }
    fraction answer = fits ? dot(&m->read, 0, s.x + at * s.channels) : ZERO;
    *accepts = 2 * (wide)answer.num > answer.den;
    free(s.x);
    return fits;
}
