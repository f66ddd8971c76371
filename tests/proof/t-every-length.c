/* Nearest heads length by length: what losers weigh at most, and the largest logit, once more by the text of
   doc/certificate.md, "Nearest", row by row and without anything kept from one row to the next. The numbers must
   be the same doubles. Scales are blunt, so that the fourth neighbour and the crowd behind it show. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/every_length.h"
#include "bound/language_proof.h"
#include "bound/proof.h"
#include "changed_model.h"
#include "number/upward.h"

static arena memory;
static trap no_memory;

enum { LONGEST = 24 };

typedef struct row_at {
    const temper_model *m;
    const model_head *h;
    const number_type *type;
    const head_shape *shape;
    size_t N;
    bool tiled;
    double a[LONGEST], b[LONGEST]; /* logits as candidate and as none */
} row_at;

/* ---- the page ---- */

static double in_s(const row_at *x, double v) { return format_round(x->type->storage, v); }
static double in_a(const row_at *x, double v) { return format_round(x->type->accumulation, v); }

/* A row of weights at position i: Booleans add up to `truth`. */
static double row_value(const row_at *x, const model_rows *rows, uint32_t r, size_t i, double truth) {
    double sum = 0, n = (double)x->N - 1 - x->m->has_end;
    for (uint32_t k = rows->start[r]; k < rows->start[r + 1]; k++) {
        const expression *e = x->m->channels[rows->terms[k].channel].position;
        if (!e) {
            sum = truth;
            continue;
        }
        double feature = in_s(x, expression_eval(e, (double)i, n, (double)x->N));
        sum = in_a(x, sum + in_a(x, rows->terms[k].weight * feature));
    }
    return in_s(x, sum);
}

static double logit_at(const row_at *x, size_t j, double truth) {
    double sum = 0, n = (double)x->N - 1 - x->m->has_end;
    for (uint32_t r = 0; r < x->h->query.count; r++)
        sum = in_a(x, sum + in_a(x, row_value(x, &x->h->query, r, 0, 0) * row_value(x, &x->h->key, r, j, truth)));
    if (!x->h->scale) return sum;
    return in_a(x, in_a(x, expression_eval(x->h->scale, 0, n, (double)x->N)) * sum);
}

static double weight_in_tiles(const row_at *x, double logit, size_t w);

static double weight(const row_at *x, double logit, size_t w) {
    if (x->tiled) return weight_in_tiles(x, logit, w);
    const number_format *a = x->type->accumulation;
    return format_exp(a, in_a(x, format_next(a, logit, true) - format_next(a, x->a[w], false)));
}

/* In tiles: e to the power of (1 - u) of the difference, whatever steps it is taken in; no number is smaller. */
static double weight_in_tiles(const row_at *x, double logit, size_t w) {
    const number_format *a = x->type->accumulation;
    long double d = (long double)format_next(a, logit, true) - (long double)format_next(a, x->a[w], false);
    return d < 0 ? (double)expl((1 - ldexpl(1, -a->precision)) * d) : INFINITY;
}

/* The k-th position of the losing side, the nearest first; and of the other side, from its far end. */
static size_t losing(const row_at *x, size_t w, size_t k) { return x->shape->rightmost ? w - 1 - k : w + 1 + k; }
static size_t across(const row_at *x, size_t k) { return x->shape->rightmost ? x->N - 1 - k : k; }

static double loser(const row_at *x, size_t j) { return x->shape->tests && x->b[j] > x->a[j] ? x->b[j] : x->a[j]; }

static double rest_of(const row_at *x, size_t w) {
    size_t before = x->shape->rightmost ? w : x->N - 1 - w, after = x->shape->tests ? x->N - 1 - before : 0;
    double sum = 0, most = -INFINITY;
    for (size_t k = 0; k < before && k < 4; k++) sum = up_add(sum, weight(x, loser(x, losing(x, w, k)), w));
    for (size_t k = 4; k < before; k++) most = fmax(most, loser(x, losing(x, w, k)));
    if (before > 4) sum = up_add(sum, up_mul((double)before - 4, weight(x, most, w)));
    most = -INFINITY;
    for (size_t k = 0; k < after && k < 4; k++) sum = up_add(sum, weight(x, x->b[across(x, k)], w));
    for (size_t k = 4; k < after; k++) most = fmax(most, x->b[across(x, k)]);
    if (after > 4) sum = up_add(sum, up_mul((double)after - 4, weight(x, most, w)));
    return sum;
}

/* e4m3 has no infinity: every difference of two logits, both moved, must be a number. */
static bool has_far_keys(const row_at *x) {
    const number_format *a = x->type->accumulation;
    bool far = false;
    for (size_t j = 0; j < 2 * x->N && !a->infinities; j++)
        for (size_t k = 0; k < 2 * x->N; k++) {
            if (!x->shape->tests && (j >= x->N || k >= x->N)) continue;
            double p = j < x->N ? x->a[j] : x->b[j - x->N], q = k < x->N ? x->a[k] : x->b[k - x->N];
            far = far || fabs(p) == a->largest ||
                  !isfinite(in_a(x, format_next(a, p, false) - format_next(a, q, true)));
        }
    return far;
}

/* ---- one head ---- */

static struct { size_t heads, sizes, failures, large, longest, far, runs, tiles; } met;

static void check_head(const char *name, certification *c, const head_shape *s) {
    const model_head *h = &c->model->layers[s->first_layer].heads[s->first_head];
    row_at x = {.m = c->model, .h = h, .type = c->type, .shape = s};
    every_length *e = every_length_begin(c, s);
    if (!CHECK(e != NULL, "%s: its rows are plain", name)) return;
    double rest = 0, logit = 0, found, largest;
    bool failed = false;
    met.heads++;
    for (x.N = 1 + x.m->has_end; x.N <= LONGEST && !failed; x.N++) {
        for (size_t j = 0; j < x.N; j++) {
            x.a[j] = logit_at(&x, j, 1);
            x.b[j] = s->tests ? logit_at(&x, j, 0) : 0;
            failed = failed || !isfinite(x.a[j]) || !isfinite(x.b[j]);
            logit = fmax(logit, fmax(fabs(x.a[j]), fabs(x.b[j])));
        }
        bool far = !failed && has_far_keys(&x);
        met.far += far;
        failed = failed || far;
        for (size_t w = 0; w < x.N && !failed; w++) {
            double sum = rest_of(&x, w);
            failed = isnan(sum);
            rest = fmax(rest, sum);
        }
        failed = failed || !(rest < 1);
        bool bounded = every_length_bound(&found, &largest, e, x.N);
        CHECK(bounded == !failed && (failed || (found == rest && largest == logit)),
              "%s in %s at N = %zu: %s, rest %.17g, logit %.17g; by the page %s, rest %.17g, logit %.17g", name,
              c->type->name, x.N, bounded ? "bounded" : "no bound", found, largest, failed ? "no bound" : "bounded",
              rest, logit);
        met.sizes++;
        met.failures += failed;
        met.large += !failed && rest > 0.3;
    }
    if (failed)
        CHECK(!every_length_bound(&found, &largest, e, LONGEST), "%s: a longer one has no bound either", name);
    else /* what is known stays known */
        CHECK(every_length_bound(&found, &largest, e, LONGEST - 3) && found <= rest && largest <= logit,
              "%s in %s: once more, shorter", name, c->type->name);
}

/* The same in tiles of a few keys: a row of one tile is as before, and longer ones weigh more. */
static void check_tiles(const char *name, certification *c, const head_shape *s, size_t tile) {
    const number_type *type = c->type;
    number_type tiled = *type;
    tiled.tile = (uint32_t)tile;
    c->type = &tiled;
    every_length *e = every_length_begin(c, s);
    row_at x = {.m = c->model, .h = &c->model->layers[s->first_layer].heads[s->first_head], .type = type, .shape = s};
    double plain = 0, steps = 0, found, largest;
    for (x.N = 1 + x.m->has_end; x.N <= LONGEST && plain < 1; x.N++) {
        bool fails = false;
        for (size_t j = 0; j < x.N; j++) {
            x.a[j] = logit_at(&x, j, 1);
            x.b[j] = s->tests ? logit_at(&x, j, 0) : 0;
            fails = fails || !isfinite(x.a[j]) || !isfinite(x.b[j]);
        }
        if (fails || has_far_keys(&x)) break; /* check_head looks at these */
        for (size_t w = 0; w < x.N; w++) {
            double sum;
            x.tiled = false;
            sum = rest_of(&x, w);
            plain = isnan(sum) ? sum : fmax(plain, sum);
            x.tiled = true;
            steps = fmax(steps, rest_of(&x, w));
        }
        bool several = x.N > tile, bounded = every_length_bound(&found, &largest, e, x.N);
        double is = several ? steps : plain;
        if (isnan(plain)) break;
        if (fabs(is - 1) < 0x1p-40) continue;
        CHECK(bounded == (plain < 1 && is < 1) &&
                  (!bounded || (found >= is * (1 - 0x1p-50) && found <= is * (1 + 0x1p-40) + 0x1p-1000)),
              "%s in %s, tiles of %zu, N = %zu: %s, rest %.17g; by the page %.17g, in one tile %.17g", name,
              type->name, tile, x.N, bounded ? "bounded" : "no bound", found, steps, plain);
        met.tiles += bounded && several && steps > 1.0001 * plain;
    }
    c->type = type;
}

/* As many positions as are tried: the last numbers have room. What came before them is left out. */
static void check_longest(const char *name, certification *c, const head_shape *s) {
    const number_type *type = c->type;
    for (uint32_t tile = 0; tile < 3; tile += 2) {
        number_type other = *type;
        other.tile = tile;
        c->type = &other;
        every_length *e = every_length_begin(c, s);
        c->type = type;
        if (!CHECK(e != NULL, "%s: its rows are plain", name)) return;
        every_length before = *e;
        double rest, logit;
        e->done = EVERY_LENGTH_MOST - 1;
        bool bounded = every_length_bound(&rest, &logit, e, EVERY_LENGTH_MOST);
        CHECK(!bounded || (rest > 0 && logit > 0 && (tile ? e->tiled : e->rest)[EVERY_LENGTH_MOST] == rest),
              "%s: rest %g, logit %g", name, rest, logit);
        CHECK(e->query == before.query && e->key == before.key && e->rest[0] == 0 && e->logit[0] == 0 &&
                  e->tiled[0] == 0 && e->done + !bounded == EVERY_LENGTH_MOST,
              "%s: numbers beyond their room", name);
        met.longest += bounded;
    }
}

static void check_model(const char *written, temper_method method, const char *from, const char *to) {
    temper_model *m = changed_model(written, method, from, to);
    if (!m) return;
    char name[200];
    snprintf(name, sizeof name, "%s, method %d, %s", written, (int)method, to ? to : "as built");
    for (temper_type type = TEMPER_TYPE_F64; number_type_of(type); type++) {
        if (type == TEMPER_TYPE_EXACT) continue;
        certification c;
        certification_begin(&c, m, &(temper_certify_options){.type = type}, false, &memory, &no_memory);
        const recognised_model *found = recognition_model(recognise_source(m, false, &memory).recognition);
        size_t nearest = 0;
        for (size_t k = 0; found && k < found->shape_count; k++)
            if (found->shapes[k].role == ROLE_NEAREST) {
                check_head(name, &c, &found->shapes[k]);
                if (!c.type->tile) check_tiles(name, &c, &found->shapes[k], 2 + k % 3 * 3);
                if (type == TEMPER_TYPE_F64) check_longest(name, &c, &found->shapes[k]);
                nearest++;
            } else {
                CHECK(!every_length_begin(&c, &found->shapes[k]), "%s: only nearest heads", name);
            }
        CHECK(nearest > 0, "%s: no nearest head was recognised", name);
        arena_reset(&memory);
    }
    temper_model_free(m);
}

/* Sharp heads whose keys are far apart: whatever is proved in e4m3 runs, on every string. */
static void check_runs(const char *written, const char *scale) {
    enum { MOST = 6 };
    temper_model *m = changed_model(written, TEMPER_METHOD_TEMPERATURE, "8*N", scale);
    temper_spec *spec = NULL;
    temper_proof proof;
    temper_error e = {0};
    temper_spec_options o = {.alphabet = "abc"};
    if (!m) return;
    CHECK(!temper_spec_parse(&spec, written, strlen(written), &o, &e) &&
              !temper_model_proof(&proof, m, TEMPER_TYPE_E4M3, 0, &e),
          "%s, %s: %s", written, scale, e.text);
    for (size_t n = 0; n <= proof.length && n <= MOST && proof.claim; n++) {
        size_t count = 1;
        for (size_t k = 0; k < n; k++) count *= 3;
        for (size_t number = 0; number < count; number++) {
            uint32_t word[MOST];
            size_t rest = number;
            int accept;
            temper_run *run = NULL;
            temper_run_options options = {.type = TEMPER_TYPE_E4M3};
            for (size_t k = 0; k < n; k++, rest /= 3) word[k] = (uint32_t)(rest % 3);
            bool ran = !temper_spec_eval(&accept, NULL, spec, word, n, &e) &&
                       !temper_model_run(&run, m, word, n, &options, &e);
            CHECK(ran && temper_run_about(run).accept == accept, "%s, %s, string %zu of %zu letters: %s", written,
                  scale, number, n, e.text);
            temper_run_free(run);
            met.runs++;
        }
    }
    temper_spec_free(spec);
    temper_model_free(m);
}

/* ---- heads of which this is not done ---- */

enum { MANY = 65 };

/* A model of one head with so many rows and terms: every row is i of channel 0, and `truths` Booleans. */
static temper_model *wide_model(size_t rows, size_t key_terms, size_t query_terms) {
    char *source = malloc(1 << 16), *at = source;
    temper_model *m = NULL;
    temper_error e;
    at += sprintf(at, "temper-model 1\nmethod temperature\nalphabet \"a\"\n");
    for (int k = 0; k <= MANY; k++) at += sprintf(at, "channel %d \"c%d\" position \"i\"\n", k, k);
    at += sprintf(at, "embed \"a\"\nembed start\nembed end\nlayer 1\n"
                      "head \"h\" mask j<=i choice softmax for rightmost\n");
    for (int key = 0; key < 2; key++)
        for (size_t r = 0; r < rows; r++) {
            size_t terms = r ? 0 : key ? key_terms : query_terms;
            at += sprintf(at, " %s", key ? "key" : "query");
            for (size_t k = 0; k < terms; k++) at += sprintf(at, " %zu:1", k);
            at += sprintf(at, "\n");
        }
    sprintf(at, " value 0:1\n output 0:1\nread 0:1\n");
    CHECK(temper_model_read(&m, source, strlen(source), &e) == TEMPER_OK, "%zu rows: %s\n%s", rows, e.text, source);
    free(source);
    return m;
}

static bool begins(const temper_model *m, const head_shape *s) {
    certification c;
    certification_begin(&c, m, &(temper_certify_options){.type = TEMPER_TYPE_BF16}, false, &memory, &no_memory);
    return every_length_begin(&c, s) != NULL;
}

static void check_room(size_t rows, size_t key_terms, size_t query_terms, bool fits) {
    temper_model *m = wide_model(rows, key_terms, query_terms);
    if (!m) return;
    row_shape query[8] = {0}, key[8] = {0};
    term_shape terms[MANY + 1];
    for (size_t k = 0; k <= MANY; k++) terms[k] = (term_shape){{.size = FORM_POWER, .power = 1, .c = 1, .d = 1}, 1};
    query[0] = (row_shape){query_terms, terms};
    key[0] = (row_shape){key_terms, terms};
    head_shape s = {.role = ROLE_NEAREST, .rows = (uint32_t)rows, .query = query, .key = key};
    CHECK(begins(m, &s) == fits, "%zu rows, %zu terms of keys, %zu of queries: %s", rows, key_terms, query_terms,
          fits ? "they fit" : "too many");
    s.role = ROLE_ONCE;
    CHECK(!begins(m, &s), "it is not for other roles");
    temper_model_free(m);
    arena_reset(&memory);
}

/* Which forms the rows may have. */
static void check_plain(const feature_form *query, const feature_form *key, size_t count, bool plain,
                        const char *what) {
    temper_model *m = wide_model(2, count, 1);
    if (!m) return;
    term_shape query_term = {*query, 1}, key_terms[4];
    for (size_t k = 0; k < count; k++) key_terms[k] = (term_shape){key[k], 1};
    row_shape queries[2] = {{1, &query_term}}, keys[2] = {{count, key_terms}};
    head_shape s = {.role = ROLE_NEAREST, .rows = 2, .query = queries, .key = keys};
    CHECK(begins(m, &s) == plain, "%s", what);
    /* The same in the second row. */
    row_shape later_queries[2] = {{0}, queries[0]}, later_keys[2] = {{0}, keys[0]};
    s.query = later_queries;
    s.key = later_keys;
    CHECK(begins(m, &s) == plain, "%s, in the second row", what);
    temper_model_free(m);
    arena_reset(&memory);
}

static void check_forms(void) {
    const feature_form one = {.size = FORM_CONSTANT, .c = 1, .d = 1},
                       power = {.size = FORM_POWER, .power = 1, .c = 1},
                       truth = {.size = FORM_BOOLEAN, .c = 1, .d = 1}, share = {.size = FORM_SHARE, .c = 1, .d = 1},
                       digit = {.size = FORM_DIGIT, .c = 8, .d = 1};
    check_plain(&one, &share, 1, true, "a constant and a share");
    check_plain(&power, &power, 1, true, "two powers");
    check_plain(&share, &power, 1, false, "a share in a query");
    check_plain(&truth, &power, 1, false, "a Boolean in a query");
    check_plain(&one, &one, 1, false, "a constant in a key");
    check_plain(&one, &digit, 1, false, "a digit in a key");
    check_plain(&one, (feature_form[]){truth, truth, truth, share}, 4, true, "three Booleans and a share");
    check_plain(&one, (feature_form[]){truth, share, truth}, 3, false, "a Boolean behind a share");
    check_plain(&one, (feature_form[]){share, truth}, 2, false, "a Boolean behind the first term");
    check_plain(&one, (feature_form[]){share, share, digit}, 3, false, "a digit behind shares");
}

int main(void) {
    static const char *const formulas[] = {"Y a", "X a", "a S b", "a U b"};
    static const struct {
        temper_method method;
        const char *from, *to;
    } changes[] = {
        {TEMPER_METHOD_TEMPERATURE, NULL, NULL},     {TEMPER_METHOD_TEMPERATURE, "8*N", "1*N"},
        {TEMPER_METHOD_TEMPERATURE, "8*N", "2*N"},   {TEMPER_METHOD_TEMPERATURE, "8*N", "3*N"},
        {TEMPER_METHOD_TEMPERATURE, "8*N", "300*N"}, {TEMPER_METHOD_POSITIONS, NULL, NULL},
        {TEMPER_METHOD_TEMPERATURE, "8*N", "80*N"},
    };
    static const char *const sharp[] = {"8*N", "24*N", "40*N", "48*N", "56*N", "64*N", "80*N", "96*N", "112*N"};
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    for (size_t k = 0; k < 4; k++)
        for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
            check_model(formulas[k], changes[c].method, changes[c].from, changes[c].to);
    for (size_t k = 0; k < 4; k++)
        for (size_t c = 0; c < sizeof sharp / sizeof *sharp; c++) check_runs(formulas[k], sharp[c]);
    check_model("O a & Y b", TEMPER_METHOD_TEMPERATURE, NULL, NULL);
    /* At N = 2 a logit is the largest number of e4m3, or the least: there is none to move it to. */
    size_t far = met.far;
    for (size_t k = 0; k < 2; k++)
        check_model(formulas[k], TEMPER_METHOD_TEMPERATURE, "8*N\"\n  query 1:1", "224*N\"\n  query 1:2");
    CHECK(met.far >= far + 2, "no logit is the largest or the least number");
    check_forms();
    check_room(4, 64, 64, true);
    check_room(5, 2, 2, false);
    check_room(1, 65, 1, false);
    check_room(1, 1, 65, false);
    check_room(2, 64, 1, true);
    CHECK(met.heads > 100 && met.failures > 10 && met.large > 10 && met.longest > 4 && met.far > 2 && met.runs > 100,
          "%zu heads, %zu sizes, %zu failures, %zu large, %zu far, %zu runs", met.heads, met.sizes, met.failures,
          met.large, met.far, met.runs);
    CHECK(met.tiles > 10, "only %zu are longer in tiles", met.tiles);
    arena_free(&memory);
    return test_finish("t-every-length");
}
