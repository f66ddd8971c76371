/* The exact run against an evaluation of its own: fractions of 128-bit integers, every head by its definition. And
   compiled formulas: the exact run of the hard transformer is the formula's answer at every position. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agree.h"
#include "corpus.h"
#include "random_model.h"
#include "run/exact_run.h"

/* ---- fractions ---- */

typedef __int128 wide;

typedef struct fraction {
    wide num, den; /* den > 0, lowest terms */
} fraction;

static bool overflowed;

static wide absolute(wide x) { return x < 0 ? -x : x; }

static wide divisor(wide a, wide b) {
    while (b) {
        wide rest = a % b;
        a = b;
        b = rest;
    }
    return absolute(a);
}

static wide times(wide a, wide b) {
    wide p;
    if (__builtin_mul_overflow(a, b, &p)) overflowed = true, p = 0;
    return p;
}

static fraction make(wide num, wide den) {
    if (overflowed) return (fraction){0, 1};
    wide g = divisor(num, den);
    return (fraction){num / g, den / g};
}

static fraction add(fraction a, fraction b) {
    wide x = times(a.num, b.den), y = times(b.num, a.den), s;
    if (__builtin_add_overflow(x, y, &s)) overflowed = true, s = 0;
    return make(s, times(a.den, b.den));
}

static fraction mul(fraction a, fraction b) { return make(times(a.num, b.num), times(a.den, b.den)); }
static int cmp(fraction a, fraction b) {
    wide x = times(a.num, b.den), y = times(b.num, a.den);
    return (x > y) - (x < y);
}

/* Dyadic and small: weights of the tests. */
static fraction from_double(double x) {
    wide den = 1;
    while (x != (double)(long)x) x *= 2, den *= 2;
    return make((long)x, den);
}

static fraction evaluate(const expression *e, long i, long n, long size) {
    fraction x = e->a ? evaluate(e->a, i, n, size) : (fraction){0, 1};
    fraction y = e->b ? evaluate(e->b, i, n, size) : (fraction){0, 1};
    switch (e->op) {
    case EXPR_CONSTANT: return from_double(e->constant);
    case EXPR_I: return (fraction){i, 1};
    case EXPR_LENGTH: return (fraction){n, 1};
    case EXPR_SIZE: return (fraction){size, 1};
    case EXPR_ADD: return add(x, y);
    case EXPR_SUB: return add(x, (fraction){-y.num, y.den});
    case EXPR_MUL: return mul(x, y);
    case EXPR_DIV: return mul(x, y.num < 0 ? (fraction){-y.den, -y.num} : (fraction){y.den, y.num});
    case EXPR_MOD: return (fraction){x.num % y.num, 1}; /* of whole numbers >= 0 */
    case EXPR_EQ: return (fraction){cmp(x, y) == 0, 1};
    default: CHECK(false, "an expression that random models do not have"); return x;
    }
}

/* ---- the transformer, by its definition ---- */

enum { MOST = 8, CHANNELS = 8 };

typedef fraction stream[MOST][CHANNELS];

static fraction dot(const model_rows *rows, size_t row, const fraction *x) {
    fraction s = {0, 1};
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++)
        s = add(s, mul(from_double(rows->terms[k].weight), x[rows->terms[k].channel]));
    return s;
}

static void spread(fraction *x, const model_rows *rows, size_t row, fraction a) {
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        fraction *c = &x[rows->terms[k].channel];
        *c = add(*c, mul(from_double(rows->terms[k].weight), a));
    }
}

static bool sees(temper_mask mask, size_t i, size_t j) {
    return mask == TEMPER_MASK_ALL || (mask == TEMPER_MASK_BEFORE && j < i) ||
           (mask == TEMPER_MASK_UP_TO && j <= i) || (mask == TEMPER_MASK_AFTER && j > i) ||
           (mask == TEMPER_MASK_FROM && j >= i);
}

static fraction score(const model_head *h, const stream x, size_t i, size_t j) {
    fraction s = {0, 1};
    for (uint32_t d = 0; d < h->query.count; d++) s = add(s, mul(dot(&h->query, d, x[i]), dot(&h->key, d, x[j])));
    return s;
}

/* The keys that get weight, as bits. */
static unsigned chosen(const model_head *h, const stream x, size_t i, size_t size) {
    unsigned best = 0;
    for (size_t j = 0; j < size; j++) {
        if (!sees(h->mask, i, j)) continue;
        bool largest = true;
        for (size_t k = 0; k < size; k++)
            if (sees(h->mask, i, k) && cmp(score(h, x, i, k), score(h, x, i, j)) > 0) largest = false;
        if (largest) best |= 1u << j;
    }
    if (best && h->hard_choice == TEMPER_CHOICE_LEFTMOST) best &= -best;
    while (h->hard_choice == TEMPER_CHOICE_RIGHTMOST && (best & (best - 1))) best &= best - 1;
    return best;
}

static void add_stream(stream x, stream delta, size_t size) {
    for (size_t i = 0; i < size; i++)
        for (size_t c = 0; c < CHANNELS; c++) {
            x[i][c] = add(x[i][c], delta[i][c]);
            delta[i][c] = (fraction){0, 1};
        }
}

static void run_reference(fraction *out, const temper_model *m, const uint32_t *word, size_t n) {
    size_t size = n + 1 + m->has_end;
    stream x, delta;
    for (size_t i = 0; i < MOST; i++)
        for (size_t c = 0; c < CHANNELS; c++) x[i][c] = delta[i][c] = (fraction){0, 1};
    for (size_t i = 0; i < size; i++) {
        for (uint32_t c = 0; c < m->channel_count; c++)
            if (m->channels[c].position) x[i][c] = evaluate(m->channels[c].position, (long)i, (long)n, (long)size);
        size_t token = i == 0 ? m->letters.count : i <= n ? word[i - 1] : m->letters.count + 1;
        spread(x[i], &m->embedding, token, (fraction){1, 1});
    }
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        for (uint32_t k = 0; k < layer->head_count; k++) {
            const model_head *h = &layer->heads[k];
            for (size_t i = 0; i < size; i++) {
                unsigned keys = chosen(h, x, i, size);
                for (uint32_t d = 0; keys && d < h->value.count; d++) {
                    fraction total = {0, 1};
                    for (size_t j = 0; j < size; j++)
                        if (keys >> j & 1) total = add(total, dot(&h->value, d, x[j]));
                    spread(delta[i], &h->output, d, mul(total, (fraction){1, __builtin_popcount(keys)}));
                }
            }
        }
        add_stream(x, delta, size);
        for (size_t i = 0; i < size; i++)
            for (uint32_t u = 0; u < layer->in.count; u++) {
                fraction h = add(dot(&layer->in, u, x[i]), from_double(layer->bias[u]));
                if (h.num > 0) spread(delta[i], &layer->out, u, h);
            }
        add_stream(x, delta, size);
    }
    for (size_t i = 0; i < size; i++) out[i] = dot(&m->read, 0, x[i]);
}

/* ---- comparing ---- */

static void from_wide(rational *z, wide x, rational *work) {
    rational_set_double(&work[0], 0x1p60);
    rational_set_int(z, (long)(x >> 120));
    for (int shift = 60; shift >= 0; shift -= 60) {
        rational_mul(z, z, &work[0]);
        rational_set_int(&work[1], (long)(x >> shift & (((wide)1 << 60) - 1)));
        rational_add(z, z, &work[1]);
    }
}

/* Rows must be what their own scores say. */
static void check_row(void *context, const exact_row *row) {
    const char *source = context;
    size_t best = row->first, last = row->first, ties = 0, next = SIZE_MAX;
    for (size_t j = row->first; j < row->end; j++)
        if (rational_cmp(&row->scores[j], &row->scores[best]) > 0) best = j;
    for (size_t j = row->first; j < row->end; j++) {
        int order = rational_cmp(&row->scores[j], &row->scores[best]);
        if (order == 0)
            last = j, ties++;
        else if (next == SIZE_MAX || rational_cmp(&row->scores[j], &row->scores[next]) > 0)
            next = j;
    }
    bool same_next = (next == SIZE_MAX) == (row->next == SIZE_MAX) &&
                     (next == SIZE_MAX || rational_equal(&row->scores[next], &row->scores[row->next]));
    CHECK(row->best == best && row->last_best == last && row->ties == ties && same_next,
          "row %zu of head %u.%u: best %zu last %zu ties %zu next %zu, want %zu %zu %zu %zu\n%s", row->i, row->layer,
          row->head, row->best, row->last_best, row->ties, row->next, best, last, ties, next, source);
}

/* False if the reference's numbers were too long. */
static bool compare(const temper_model *m, const char *source, const uint32_t *word, size_t n) {
    fraction want[MOST];
    overflowed = false;
    run_reference(want, m, word, n);
    if (overflowed) return false;
    trap t;
    arena a;
    rational_pool pool = {0};
    temper_error err;
    arena_init(&a, &t);
    if (trap_set(&t, &err)) {
        CHECK(false, "%s\n%s", err.text, source);
        rational_pool_clear(&pool);
        arena_free(&a);
        return true;
    }
    rational_pool_init(&pool, &a);
    exact_observer observer = {.context = (void *)(uintptr_t)source, .row = check_row};
    rational *got = exact_run(m, word, n, &observer, &pool, &a), *work = rational_array(&pool, 4);
    for (size_t i = 0; i < n + 1 + m->has_end; i++) {
        from_wide(&work[2], want[i].num, work);
        from_wide(&work[3], want[i].den, work);
        rational_div(&work[2], &work[2], &work[3]);
        CHECK(rational_equal(&work[2], &got[i]), "read-out at %zu of %zu letters: %.17g, want %.17g\n%s", i, n,
              rational_to_double(&got[i]), rational_to_double(&work[2]), source);
    }
    rational_pool_clear(&pool);
    arena_free(&a);
    trap_clear(&t);
    return true;
}

static void check_random(test_random *r) {
    static char source[RANDOM_MODEL_TEXT];
    size_t skipped = 0, compared = 0;
    for (int round = 0; round < 150 * test_effort(); round++) {
        random_model_options o = {.average = round % 3 != 0, .fractions = round % 2, .small = round % 4 == 0};
        temper_model *m = random_model(source, r, &o);
        if (!m) return;
        uint32_t word[5] = {0};
        for (size_t n = 0; n <= 5; n++) {
            memset(word, 0, sizeof word);
            do {
                if (compare(m, source, word, n))
                    compared++;
                else
                    skipped++;
            } while (corpus_next_word(word, n, 2));
        }
        temper_model_free(m);
    }
    CHECK(skipped < compared / 10 + 10, "%zu strings compared, %zu beyond 128 bits", compared, skipped);
}

/* ---- compiled formulas ---- */

static void check_formula(const corpus_entry *e) {
    temper_spec *spec = corpus_parse(e);
    temper_model *soft = NULL, *hard = NULL;
    temper_error err;
    if (temper_build(&hard, spec, NULL, &err) == TEMPER_OK) /* a few are beyond a limit */
        CHECK(temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE}, &err) ==
                  TEMPER_OK,
              "%s: %s", e->name, err.text);
    size_t letters = temper_spec_about(spec).letters, longest = corpus_length(letters, 40, 5);
    uint32_t word[8];
    unsigned char truth[8];
    for (size_t n = 0; soft && n <= longest; n++) {
        memset(word, 0, sizeof word);
        do {
            int accept;
            if (temper_spec_eval(&accept, truth, spec, word, n, &err) != TEMPER_OK) break;
            for (int k = 0; k < 2; k++) {
                temper_run *run;
                temper_run_options o = {.hard = k, .type = TEMPER_TYPE_EXACT};
                temper_status status = temper_model_run(&run, k ? soft : hard, word, n, &o, &err);
                if (!CHECK(status == TEMPER_OK, "%s: %s", e->name, err.text)) break;
                bool same = temper_run_about(run).accept == accept && temper_run_about(run).proved;
                for (size_t i = 0; i < n; i++) same = same && temper_run_about(run).truth[i + 1] == truth[i];
                CHECK(same, "%s: exact run and formula differ on a string of length %zu (%s)", e->name, n,
                      k ? "soft" : "hard");
                temper_run_free(run);
            }
        } while (corpus_next_word(word, n, letters));
    }
    temper_model_free(hard);
    temper_model_free(soft);
    temper_spec_free(spec);
}

/* ---- what a captured exact run keeps, and what is refused ---- */

static const char TIE[] = "temper-model 1\nalphabet \"a\" \"b\"\n"
                          "channel 0 \"one\" position \"1\"\nchannel 1 \"a\"\nchannel 2 \"share\"\n"
                          "embed \"a\" 1:1\nembed \"b\"\nembed start\nembed end\n"
                          "layer 1\nhead \"all\" mask j<=i choice average\n  query 0:1\n  key 1:1\n  value 0:2 1:1\n"
                          "  output 2:0.25\nread 2:1\n";

static void check_capture(void) {
    temper_model *m = model_from(TIE);
    temper_run *run;
    temper_error err;
    temper_run_options o = {.type = TEMPER_TYPE_EXACT, .capture = 1};
    const uint32_t word[] = {0, 1, 0};
    if (!m || !CHECK(temper_model_run(&run, m, word, 3, &o, &err) == TEMPER_OK, "%s", err.text)) return;
    const double *w = temper_run_head(run, 1, 1).weights, *s = temper_run_head(run, 1, 1).scores;
    CHECK(w && s, "nothing is captured");
    if (!w || !s) return;
    const double want[] = {0, 0.5, 0, 0.5};
    for (size_t j = 0; j < 4; j++) CHECK(w[3 * 4 + j] == want[j], "weight %zu: %g", j, w[3 * 4 + j]);
    CHECK(s[3 * 4 + 1] == 1 && s[3 * 4 + 2] == 0 && isinf(s[1]), "scores %g %g %g", s[13], s[14], s[1]);
    CHECK(temper_run_row(run, 1, 1, 3).output[0] == 3 && temper_run_channels(run, 1, 3)[2] == 0.75 &&
              temper_run_row(run, 1, 1, 1).value[0] == 3 && temper_run_row(run, 1, 1, 2).query[0] == 1 &&
              temper_run_row(run, 1, 1, 1).key[0] == 1,
          "captured numbers");
    temper_run_free(run);
    temper_model_free(m);
}

static void check_refusal(const char *source, const temper_run_options *o, const char *why) {
    temper_model *m = model_from(source);
    temper_run *run = NULL;
    temper_error err = {0};
    const uint32_t word[] = {0};
    temper_status status = temper_model_run(&run, m, word, 1, o, &err);
    CHECK(status == TEMPER_UNSUPPORTED && strstr(err.text, why), "want '%s', got %d %s", why, status, err.text);
    temper_run_free(run);
    temper_model_free(m);
}

static void check_refusals(void) {
    static const char softly[] =
        "temper-model 1\nmethod temperature\nalphabet \"a\"\nchannel 0 \"x\" position \"%s\"\n"
        "embed \"a\"\nembed start\nembed end\nlayer 1\nhead \"\\x07soft\" mask all choice "
        "softmax%s\n  value 0:1\n  output 0:1\nread 0:1\n";
    char source[400];
    temper_run_options exact = {.type = TEMPER_TYPE_EXACT, .hard = 1}, not_hard = {.type = TEMPER_TYPE_EXACT};
    snprintf(source, sizeof source, softly, "1", " for average");
    check_refusal(source, &not_hard, "hard choices");
    snprintf(source, sizeof source, softly, "1", "");
    check_refusal(source, &exact, "head 1.1 (\\x07soft) is a softmax");
    snprintf(source, sizeof source, softly, "ln(i + 1)", " for average");
    check_refusal(source, &exact, "channel 0 (x) uses ln");
    snprintf(source, sizeof source, softly, "1/i", " for average");
    check_refusal(source, &exact, "divides by zero at position 0");
}

/* Running out of memory anywhere leaves nothing behind (sanitizers look). */
static void check_memory(void) {
    temper_model *m = model_from(TIE);
    const uint32_t word[] = {0, 1, 0};
    for (int k = 0; m && k < 4; k++) {
        temper_run_options o = {.type = k % 2 ? TEMPER_TYPE_EXACT : TEMPER_TYPE_F64, .capture = k / 2};
        temper_status status = TEMPER_NO_MEMORY;
        for (unsigned long fail = 1; status == TEMPER_NO_MEMORY && fail < 500; fail++) {
            temper_run *run = NULL;
            arena_fail_after(fail);
            status = temper_model_run(&run, m, word, 3, &o, NULL);
            arena_fail_after(0);
            temper_run_free(run);
        }
        CHECK(status == TEMPER_OK, "never succeeds");
    }
    temper_model_free(m);
}

int main(void) {
    test_random r = test_seed(41);
    check_memory();
    check_random(&r);
    for (size_t k = 0; k < corpus_size(); k += test_effort() >= 1 ? 2 : 16) check_formula(corpus_at(k));
    check_capture();
    check_refusals();
    return test_finish("t-exact");
}
