/* Tables of terms of i - j (temper lab schedules --bias). The law against all strings of up to six letters, whose
   rows are written down once more in long double; every cell against the string that is worst at its length, and
   against all places of what is looked for one letter further. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "lab/biases.h"
#include "temper_lab.h"
#include "test.h"

/* The same term twice: as a user writes it, and with i for the distance. */
typedef struct written {
    const char *bias, *of_i;
} written;

static const written BIASES[] = {{"-2*(i - j)", "-2*i"},
                                 {"-d/8", "-i/8"},
                                 {"0", "0"},
                                 {"-1.4*d", "-1.4*i"},
                                 {"8*cos(d/3)", "8*cos(i/3)"},
                                 {"-ln(1 + ( i - j ))", "-ln(1 + i)"},
                                 {"-sqrt(d)*3", "-sqrt(i)*3"},
                                 {"d/4", "i/4"},
                                 {"-d*8/N", "-i*8/N"},
                                 {"[d = 1]*9", "[i = 1]*9"},
                                 {"0x1.dp1*sin(d)", "0x1.dp1*sin(i)"}};
enum { COUNT = sizeof BIASES / sizeof *BIASES, SHORT = 6 };

/* ---- one row, once more ---- */

static int truth(biased_kind op, const uint32_t *w, size_t n) {
    int once = 0, since = 0, more = 0;
    for (size_t j = 0; j < n; j++) {
        once |= w[j] == 0;
        since = w[j] == 0 || (w[j] == 1 && since);
        more += w[j] == 0 ? 1 : w[j] == 1 ? -1 : 0;
    }
    return op == BIASED_ONCE        ? once
           : op == BIASED_SINCE     ? since
           : op == BIASED_YESTERDAY ? n > 1 && w[n - 2] == 0
                                    : more >= 0;
}

/* Whether the last row is decided by a gate, or by its sign. */
static bool is_right(biased_kind op, const uint32_t *w, size_t n, const long double *bias, long double content) {
    long double top = -INFINITY, total = 0, sum = 0;
    size_t first = op == BIASED_YESTERDAY;
    for (int pass = 0; pass < 2; pass++)
        for (size_t d = first; d <= n; d++) {
            bool start = d == n;
            uint32_t letter = start ? 3 : w[n - 1 - d];
            bool wanted = op == BIASED_ONCE ? letter == 0 : op == BIASED_SINCE ? letter == 0 || letter == 2 : false;
            long double logit = bias[d] + (wanted ? content : 0);
            if (pass == 0) {
                if (logit > top) top = logit;
                continue;
            }
            long double weight = expl(logit - top);
            long double value = letter == 0            ? 1
                                : op != BIASED_COMPARE ? 0
                                : letter == 1          ? -1
                                : letter == 3          ? 0.5L
                                                       : 0;
            total += weight;
            sum += weight * value;
        }
    long double out = sum / total;
    if (op == BIASED_COMPARE) return (out > 0) == truth(op, w, n);
    return truth(op, w, n) ? out >= 0.75L : out <= 0.25L;
}

static long double *biases_of(const char *of_i, size_t n, arena *a) {
    const expression *e = expression_make(a, "%s", of_i);
    long double *out = arena_alloc(a, n + 1, sizeof *out);
    for (size_t d = 0; d <= n; d++) out[d] = expression_eval(e, (double)d, (double)n, (double)n + 1);
    return out;
}

static long double content_of(const char *factor, double base, size_t n, arena *a) {
    return expression_eval(expression_make(a, "%.17g*(%s)", base, factor), (double)n, (double)n, (double)n + 1);
}

static bool all_right(biased_kind op, const char *of_i, const char *factor, double base, size_t n, arena *a) {
    const long double *bias = biases_of(of_i, n, a), content = content_of(factor, base, n, a);
    uint32_t w[SHORT];
    size_t count = 1;
    for (size_t j = 0; j < n; j++) count *= 3;
    for (size_t number = 0; number < count; number++) {
        for (size_t j = 0, rest = number; j < n; j++, rest /= 3) w[j] = (uint32_t)(rest % 3);
        if (!is_right(op, w, n, bias, content)) return false;
    }
    return true;
}

/* ---- the law ---- */

static size_t laws, ended_laws;

static void check_law(const written *b, const char *factor, double base, arena *a, arena *scratch) {
    char content[100];
    snprintf(content, sizeof content, "%.17g*(%s)", base, factor);
    biased_head h = biased_read(b->bias, content, a);
    for (size_t op = 0; op < BIASED; op++) {
        bool every;
        double law = bias_law(&h, (biased_kind)op, 40, &every, scratch);
        size_t n = 0;
        while (n < SHORT && all_right((biased_kind)op, b->of_i, factor, base, n + 1, a)) n++;
        CHECK(n == SHORT ? law >= SHORT : law == (double)n, "%s with %s, %s: the law says %g, all strings %zu",
              b->bias, content, biased_names[op], law, n);
        CHECK(!every || n == SHORT, "%s, %s: not at every length", b->bias, biased_names[op]);
        laws++;
        ended_laws += n < SHORT;
    }
}

/* ---- tables ---- */

/* Whether some string of n letters with one a (once, since: any place; yesterday) is wrong. */
static bool some_wrong(biased_kind op, const long double *bias, long double content, size_t n) {
    uint32_t *w = malloc(n * sizeof *w);
    bool wrong = false;
    for (size_t d = 0; d < n && !wrong; d++) {
        for (size_t j = 0; j < n; j++) w[j] = op == BIASED_SINCE && n - 1 - j < d ? 1 : 2;
        w[n - 1 - d] = 0;
        wrong = !is_right(op, w, n, bias, content);
    }
    free(w);
    return wrong;
}

static size_t cells, ended;

static void check_cell(const temper_bias_row *row, const char *of_i, size_t op, double base, arena *a) {
    const temper_bias_cell *c = &row->cells[op];
    CHECK(c->ends || c->reach >= 500, "%s, %s: nothing wrong to %zu", row->name, biased_names[op], c->reach);
    CHECK(!c->ends || c->law <= (double)c->reach, "%s, %s: proved to %g, wrong after %zu", row->name,
          biased_names[op], c->law, c->reach);
    cells++;
    if (!c->ends) return;
    ended++;
    if (op == BIASED_COMPARE || c->reach + 1 <= SHORT || c->reach > 3000) return; /* check_law has the short ones */
    for (size_t more = 0; more < 2; more++) {
        size_t n = c->reach + more;
        CHECK(some_wrong((biased_kind)op, biases_of(of_i, n, a), content_of(row->factor, base, n, a), n) == more,
              "%s, %s: strings of %zu letters", row->name, biased_names[op], n);
    }
}

static void check_table(temper_type type, arena *a) {
    static const char *const scales[] = {"N", "ln(N)"};
    const char *written_biases[COUNT];
    temper_biases *all;
    temper_error e;
    bool real = type == TEMPER_TYPE_F64, long_test = test_effort() > 1;
    size_t count = long_test ? COUNT : real ? 3 : 1, each = 1 + (real ? 1 + long_test : 0);
    for (size_t k = 0; k < count; k++) written_biases[k] = BIASES[k].bias;
    temper_bias_options o = {.biases = written_biases,
                             .count = count,
                             .scales = scales,
                             .scale_count = each - 1,
                             .published = 1,
                             .head_size = 64,
                             .type = type};
    if (!CHECK(temper_biases_find(&all, &o, &e) == TEMPER_OK, "%s: %s", temper_type_name(type), e.text)) return;
    CHECK(temper_biases_count(all) == count * each + 8, "%zu rows", temper_biases_count(all));
    for (size_t k = 0; k < temper_biases_count(all); k++) {
        temper_bias_row row = temper_biases_at(all, k);
        for (size_t op = 0; row.own && real && op < BIASED; op++) check_cell(&row, BIASES[k / each].of_i, op, 8, a);
        CHECK(row.own == (k < count * each), "%s", row.name);
    }
    char *svg = NULL;
    CHECK(temper_biases_draw(&svg, all, &e) == TEMPER_OK && strstr(svg, "ALiBi"), "the figure");
    temper_free(svg);
    temper_biases_free(all);
}

/* A bias that is no number at a length that is not run carries nothing there. */
static void check_late_gaps(arena *a, arena *scratch) {
    static const char *const late[] = {"1/(n - 5000)", "cos(n*500)", "n*1e304", "0/(N - 9000)"};
    for (size_t k = 0; k < sizeof late / sizeof *late; k++)
        for (size_t op = 0; op < BIASED; op++) {
            biased_head h = biased_read(late[k], "5", a);
            bool every;
            CHECK(bias_law(&h, (biased_kind)op, 50000, &every, scratch) < 2000 && !every,
                  "%s, %s: proved at every length", late[k], biased_names[op]);
        }
}

static void refusals(void) {
    static const char *const bad[] = {"i", "j", "i - j*2", "1/d", "ln(d)", "cos(", "d + x", ""};
    static const char *const good[] = {"d"}, *const negative[] = {"0 - N"};
    temper_biases *all;
    temper_error e;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        CHECK(temper_biases_find(&all, &(temper_bias_options){.biases = &bad[k], .count = 1}, &e) != TEMPER_OK &&
                  !all,
              "%s is a bias", bad[k]);
    CHECK(temper_biases_find(&all,
                             &(temper_bias_options){.biases = good, .count = 1, .scales = negative, .scale_count = 1},
                             &e) == TEMPER_RANGE,
          "a negative scale");
    CHECK(temper_biases_find(&all, &(temper_bias_options){.type = TEMPER_TYPE_EXACT}, &e) == TEMPER_RANGE, "exact");
}

int main(void) {
    trap t;
    arena a, scratch;
    if (trap_set(&t, NULL)) {
        printf("%s\n", t.error.text);
        return 1;
    }
    arena_init(&a, &t);
    arena_init(&scratch, &t);
    static const char *const factors[] = {"1", "ln(N)", "N"};
    for (size_t k = 0; k < COUNT; k++)
        for (size_t f = 0; f < 3; f++) check_law(&BIASES[k], factors[f], f ? 2 : 5, &a, &scratch);
    check_table(TEMPER_TYPE_F64, &a);
    check_table(TEMPER_TYPE_BF16_F32, &a);
    if (test_effort() > 1) check_table(temper_type_tiled(TEMPER_TYPE_BF16_F32, 128), &a);
    refusals();
    check_late_gaps(&a, &scratch);
    CHECK(laws == 4 * 3 * COUNT && ended_laws > laws / 3 && cells >= 24 && 2 * ended > cells,
          "%zu laws, %zu end; %zu cells, %zu end", laws, ended_laws, cells, ended);
    arena_free(&scratch);
    arena_free(&a);
    return test_finish("t-own-biases");
}
