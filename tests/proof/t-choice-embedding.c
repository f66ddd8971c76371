/* How far a stored embedding is from the exact one (bound/choice_embedding.h), once more: every position, every
   token and every length by itself, in rational numbers. Quotients of positions that have a short way stand beside
   those that must not take it: other numerators, weights on single tokens, divisors that round. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/choice_embedding.h"
#include "model/expression_rational.h"
#include "number/format.h"
#include "test.h"

enum { LONGEST = 20, PATTERNS = 8 };

static const char *const features[] = {
    "i/N", "i/(2*N)", "i/(3*N)", "i/(N+4)", "i/(7*N-3)", "i/(N*N)", "i/(n*N+1)", "i/(536870913*N)",
    /* a short way would be wrong: another numerator, no quotient, a divisor that is not above 0, or not whole */
    "(i+1)/N", "1/N", "n/(3*N)", "i*N", "i-N", "i", "i/7", "i/n", "i/(N-3)", "i/(3-N)", "i/(0.5*N)", "i/(0.1*N)",
    "i/(N/3)", "i/(i+N)", "ln(N)", "i/ln(N+1)",
    /* products that round: 2^53 + 1 at N = 3, and more than that at N = 5 */
    "i/(3002399751580331*N-9007199254740987)", "i/(2251799813685249*N-2251799813685248*N+3*N)"};
enum { FEATURES = sizeof features / sizeof *features, ALL = FEATURES * PATTERNS };

static size_t finite, infinite, off;

/* Channels: each feature with each pattern of weights; one without a feature; and the first feature once more, with
   nothing behind its weights. */
static const char *feature_of(size_t channel) {
    return channel < ALL ? features[channel / PATTERNS] : channel == ALL ? NULL : features[0];
}

/* The last pattern has features of soft runs alone. */
static bool is_soft(size_t channel) { return channel < ALL && channel % PATTERNS == PATTERNS - 1; }

/* Of the tokens a, b, start and end. */
static double weight_of(size_t channel, size_t token) {
    static const double weights[PATTERNS][4] = {{0},          {1, 0, 0, 0},     {0, 0.1, 0, 0}, {0, 0, 1, 0},
                                                {0, 0, 0, 3}, {0.1, 0.7, 0, 0}, {1, 1, 1, 1},   {0}};
    return channel < ALL ? weights[channel % PATTERNS][token] : channel == ALL ? 0.3 + (double)token : 0;
}

static temper_model *make_model(bool end) {
    static const char *const tokens[] = {"\"a\"", "\"b\"", "start", "end"};
    size_t room = 1 << 17, at = 0;
    char *written = malloc(room);
    temper_model *m = NULL;
    temper_error e;
    at += (size_t)sprintf(written, "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nend %s\n",
                          end ? "yes" : "no");
    for (size_t c = 0; c < ALL + 2; c++) {
        at += (size_t)snprintf(written + at, room - at, "channel %zu \"c%zu\"", c, c);
        if (feature_of(c))
            at += (size_t)snprintf(written + at, room - at, " %s \"%s\"", is_soft(c) ? "soft" : "position",
                                   feature_of(c));
        at += (size_t)snprintf(written + at, room - at, "\n");
    }
    for (size_t t = 0; t < 4; t++) {
        at += (size_t)snprintf(written + at, room - at, "embed %s", tokens[t]);
        for (size_t c = 0; c < ALL + 2; c++)
            if (weight_of(c, t) != 0)
                at += (size_t)snprintf(written + at, room - at, " %zu:%.17g", c, weight_of(c, t));
        at += (size_t)snprintf(written + at, room - at, "\n");
    }
    at += (size_t)snprintf(written + at, room - at, "read 0:1\n");
    CHECK(temper_model_read(&m, written, at, &e) == TEMPER_OK, "line %zu: %s", e.line, e.text);
    free(written);
    return m;
}

/* ---- one number ---- */

typedef struct place {
    const temper_model *m;
    const number_format *storage, *sums;
    uint32_t channel;
    size_t n, size;
    rational *r; /* [2] */
    rational_pool *pool;
} place;

/* The distance of what is stored of a token at position i, in r[0]. False: there is none. */
static bool distance_at(const place *x, size_t i, size_t token) {
    const model_channel *c = &x->m->channels[x->channel];
    double weight = weight_of(x->channel, token);
    double stored = format_round(x->storage, weight);
    bool has = c->position != NULL;
    rational_set_int(&x->r[0], 0);
    if (has) {
        double value = expression_eval(c->position, (double)i, (double)x->n, (double)x->size);
        value = format_round(x->storage, value);
        if (!isfinite(value)) return false;
        stored = weight == 0 ? value : format_round(x->storage, format_round(x->sums, value + stored));
        if (!c->soft_only && !expression_rational(&x->r[0], c->position, i, x->n, x->size, x->pool)) return false;
    }
    if (!isfinite(stored)) return false;
    rational_set_double(&x->r[1], weight);
    rational_add(&x->r[0], &x->r[0], &x->r[1]);
    rational_set_double(&x->r[1], stored);
    rational_sub(&x->r[0], &x->r[0], &x->r[1]);
    rational_abs(&x->r[0], &x->r[0]);
    return true;
}

/* The least double that is not below the largest distance. */
static void check_channel(const place *x, double is, rational *most) {
    bool known = true;
    rational_set_int(most, 0);
    for (size_t i = 0; i < x->size && known; i++)
        for (size_t token = 0; token < 4 && known; token++) {
            if (token != (i == 0 ? 2u : i > x->n ? 3u : token & 1)) continue;
            known = distance_at(x, i, token);
            if (known && rational_cmp(&x->r[0], most) > 0) rational_set(most, &x->r[0]);
        }
    bool right = !known && isinf(is);
    if (known && isfinite(is)) {
        rational_set_double(&x->r[0], is);
        rational_set_double(&x->r[1], nextafter(is, -1));
        right = rational_cmp(&x->r[0], most) >= 0 && (is == 0 || rational_cmp(&x->r[1], most) < 0);
        off += is > 0;
    }
    known ? finite++ : infinite++;
    CHECK(right, "%s, weights %u, in %s and %s, %zu letters, %zu positions: %a, not %a",
          feature_of(x->channel) ? feature_of(x->channel) : "no feature", x->channel % PATTERNS, x->storage->name,
          x->sums->name, x->n, x->size, is, known ? rational_to_double(most) : INFINITY);
}

int main(void) {
    static const number_format *const formats[][2] = {
        {&format_f64, &format_f64}, {&format_f32, &format_f32}, {&format_bf16, &format_f32}};
    arena memory;
    trap failure;
    if (trap_set(&failure, NULL)) return 1;
    arena_init(&memory, &failure);
    for (int end = 0; end < 2; end++) {
        temper_model *m = make_model(end);
        for (size_t f = 0; m && f < 3; f++) {
            rational_pool pool;
            rational_pool_init(&pool, &memory);
            place x = {m, formats[f][0], formats[f][1], .r = rational_array(&pool, 3), .pool = &pool};
            embedding_run *run = embedding_begin(m, x.storage, x.sums, &memory);
            for (x.n = 0; x.n <= LONGEST; x.n++) {
                const double *errors = embedding_errors(run, x.n);
                x.size = x.n + 1 + m->has_end;
                for (x.channel = 0; x.channel < m->channel_count; x.channel++)
                    check_channel(&x, errors[x.channel], &x.r[2]);
            }
            arena_reset(&memory);
        }
        temper_model_free(m);
    }
    CHECK(finite > 10000 && infinite > 1000 && off > 5000, "%zu finite, %zu infinite, %zu off", finite, infinite,
          off);
    arena_free(&memory);
    return test_finish("t-choice-embedding");
}
