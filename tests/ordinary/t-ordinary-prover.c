/* Parts of the proof of ordinary transformers by themselves: conditions that have to hold together, and tensors that
   no lowering makes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ordinary/proof/ordinary_confirm.h"
#include "ordinary_trials.h"

enum { PIN, GROUND = 2, BALANCE };

static size_t sums, edits;

/* ---- weighed means ---- */

/* With f16 weights, too, a mean is rounded before it is mixed. */
static void check_mixed(const prover *from, const proved_row *value, const weighed_mean *plain) {
    prover p = *from;
    weighed_mean w = {.weight = plain->weight, .off = plain->off};
    double weights = 1.002 * ((double)p.positions - 1 + w.weight);
    p.options.weights = ORDINARY_F16;
    double expected = plain->number_off[1] * (1 + 0x1p-11) + 0x1p-25 * weights;
    CHECK(prove_weighed_value(&p, value, &w) && fabs(w.number_off[1] / expected - 1) < 1e-12 &&
              w.number_off[0] == plain->number_off[0],
          "%g becomes %g, not %g", plain->number_off[1], w.number_off[1], expected);
}

/* With an f16 cache what the sentinel's weight is off and what zeros add up to have to vanish beside one letter
   together. The exact sum is asked for, not each part. */
static void check_rounded_back(entry *e, void *context) {
    test_random *r = context;
    const size_t n = 2 + random_below(r, 300);
    struct ordinary_model m = {.positions = (uint32_t)n};
    prover p = {.arena = &e->memory, .m = &m, .options = {.kv = ORDINARY_F16}, .positions = n};
    bool signs = random_below(r, 2);
    double letters[3] = {1, 0, signs ? -1 : 1}, weight = ldexp(1, (int)random_below(r, 7));
    p.x = ideals_new(&e->memory, n, 3);
    for (int k = 0; k < 200; k++) {
        /* parts of the whole, which is about what is allowed */
        double whole = 0x1p-12 * (0.9 + (double)random_below(r, 200) / 1000),
               part = (double)random_below(r, 101) / 100;
        double off = whole * part / (signs ? 2 : 1), zero = whole * (1 - part) / (8 * ((double)n + 2 * weight));
        proved_row value = {.form = ideal_letters(p.x, letters, 0), .zero = zero, .size = 1, .grid = 1};
        weighed_mean w = {.weight = weight, .off = off};
        ideal_finish(p.x, &value.form);
        p.reason = NULL;
        bool found = prove_weighed_value(&p, &value, &w);
        if (fabs(whole / 0x1p-12 - 1) < 1e-9) continue;
        sums++;
        CHECK(found == (whole < 0x1p-12), "%zu positions, a weight of %g off by %g, zeros by %g: %s", n, weight, off,
              zero, found ? "proved" : p.reason);
        if (found) check_mixed(&p, &value, &w);
    }
}

/* ---- tensors ---- */

typedef struct tensors {
    entry *e;
    const temper_model *hard;
    const temper_spec *read;
    struct ordinary_options options;
    struct ordinary_model *m;
    uint32_t first, spare; /* columns: the first, and one that nobody writes or reads */
} tensors;

static uint32_t spare_column(const struct ordinary_model *m) { return m->width - 1; }

static void lower(tensors *t, entry *e, const temper_spec *spec, const struct ordinary_options *o) {
    *t = (tensors){.e = e, .options = *o};
    t->hard = ordinary_hard_model(e, spec, &t->read);
    t->m = ordinary_from_model(&e->memory, t->hard, o);
    t->first = BALANCE + t->m->zero_sums;
    t->spare = spare_column(t->m);
}

static const struct ordinary_hint *hint_of(const tensors *t, ordinary_role role) {
    for (size_t k = 0; k < t->m->hint_count; k++)
        if (t->m->hints[k].role == role) return &t->m->hints[k];
    return NULL;
}

static const proved_head *head_of(const ordinary_proof *p, ordinary_role role) {
    for (size_t k = 0; k < p->details->head_count; k++)
        if (p->details->heads[k].hint->role == role) return &p->details->heads[k];
    return NULL;
}

static ordinary_proof prove(const tensors *t) {
    return ordinary_prove(&t->e->memory, t->m, t->hard, t->read, &t->options);
}

static void settle(const tensors *t, float *row) {
    float sum = 0;
    for (uint32_t c = t->first; c < t->m->width; c++) sum += row[c];
    row[GROUND] = -sum;
}

/* The spare column: 1 where the digit is at least 1, and -1 there by another step, so that it is 0 everywhere. */
static void add_noise(const tensors *t, uint32_t layer, uint32_t digit) {
    struct ordinary_layer *l = &t->m->layers[layer];
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t unit = t->m->hidden - 4 + k;
        float *row = l->up + (size_t)unit * t->m->width, write = (k == 0 || k == 3 ? 1 : -1) / 64.0F;
        row[digit] = k < 2 ? 16384 : 32768; /* of a digit in units of 1/128, with 2K = 128 */
        row[PIN] = k % 2 ? -96 : -32;
        settle(t, row);
        l->down[(size_t)t->spare * t->m->hidden + unit] = write;
        for (uint32_t c = 0; c < t->m->zero_sums; c++)
            l->down[(size_t)(BALANCE + c) * t->m->hidden + unit] = -write / (float)t->m->zero_sums;
    }
}

/* The column of the table of positions with j mod 128, in units of 1/128. */
static uint32_t digit_column(const tensors *t) {
    for (uint32_t c = t->first; c < t->m->width; c++) {
        bool is = true;
        for (uint32_t i = 0; i < t->m->positions; i++)
            is = is && t->m->position_embedding[(size_t)i * t->m->width + c] == (float)(i % 128) / 128;
        if (is) return c;
    }
    return 0;
}

/* What steps take back to 0 is off by all that they are, the rounding of their sum included. */
static void check_returns(entry *e, void *context) {
    tensors t;
    lower(&t, e, context, &(struct ordinary_options){.length = 60});
    uint32_t digit = digit_column(&t);
    if (!CHECK(digit && prove(&t).proved, "the lowering is another one")) return;
    add_noise(&t, 1, digit);
    ordinary_proof p = prove(&t);
    const proved_column *c = &p.details->columns[t.spare];
    CHECK(p.proved && c->error > 0 && c->zero == c->error, "a column that returns to 0 is off by %g, and there by %g",
          c->error, c->zero);
    edits++;
}

/* Another column with the same mean, which nobody reads, makes no look-up surer. */
static void check_other_column(entry *e, void *context) {
    tensors t;
    lower(&t, e, context, &(struct ordinary_options){.length = 20, .weights = ORDINARY_F16});
    const struct ordinary_hint *h = hint_of(&t, ORDINARY_WEIGHED);
    ordinary_proof before = prove(&t);
    if (!CHECK(h && before.proved, "the lowering is another one")) return;
    CHECK(ordinary_prove_confirmed(&e->memory, t.m, t.hard, t.read, &t.options).proved,
          "the audit refuses a lowering");
    size_t all = (size_t)t.m->heads * t.m->head_size;
    for (uint32_t v = 0; v < 2; v++) {
        float *mix = t.m->layers[h->layer].mix + (size_t)h->slot * t.m->head_size + v;
        mix[(t.spare - v) * all] = 8;
        for (uint32_t c = 0; c < t.m->zero_sums; c++) mix[(BALANCE + c) * all] -= 8 / (float)t.m->zero_sums;
    }
    ordinary_proof after = prove(&t);
    const proved_head *x = head_of(&before, ORDINARY_LOOKUP), *y = head_of(&after, ORDINARY_LOOKUP);
    CHECK(!after.proved || y->gap <= x->gap, "a gap of %.17g became %.17g", x->gap, y->gap);
    /* the audit takes no column that nobody reads, and then nothing is called proved */
    ordinary_proof whole = ordinary_prove_confirmed(&e->memory, t.m, t.hard, t.read, &t.options);
    CHECK(after.proved && !whole.proved && strstr(whole.reason, "the audit does not confirm the proof: tensor"),
          "%s, and %s", after.reason ? after.reason : "proved", whole.reason ? whole.reason : "confirmed");
    edits++;
}

/* Both means have the same ideal value, the number of the first letter, and one of them has noise: more and more,
   until nothing is proved. Of the number that is looked up it is less than a half, since the place moves by so much;
   of what divides it 2^-8, since a small number would hardly move, but scores have other sizes than those that
   count. */
static void add_more_noise(tensors *t, uint32_t which, double most) {
    const struct ordinary_hint *h = hint_of(t, ORDINARY_WEIGHED);
    bool refused = false;
    float *value = t->m->layers[h->layer].value + ((size_t)h->slot * t->m->head_size + which) * t->m->width;
    for (float by = 1; by <= 0x1p24F && !refused; by *= 2) {
        value[t->spare] = by;
        settle(t, value);
        ordinary_proof p = prove(t);
        refused = !p.proved;
        edits++;
        if (p.proved)
            CHECK(p.details->weighed[which].number_off[0] < most, "proved though mean %u is off by %g", which,
                  p.details->weighed[which].number_off[0]);
    }
    CHECK(refused, "mean %u may be off by anything", which);
    value[t->spare] = 0;
    settle(t, value);
}

static void check_noise(entry *e, void *context) {
    tensors t;
    lower(&t, e, context, &(struct ordinary_options){.length = 20});
    const struct ordinary_hint *h = hint_of(&t, ORDINARY_WEIGHED);
    uint32_t digit = digit_column(&t);
    if (!CHECK(h && digit && prove(&t).proved, "the lowering is another one")) return;
    add_noise(&t, h->layer - 1, digit);
    add_more_noise(&t, 0, 0.5);
    add_more_noise(&t, 1, 0x1p-8);
}

/* A pair of a look-up may turn by less than 2^-15 in all. */
static void check_turns(entry *e, void *context) {
    tensors t;
    lower(&t, e, context,
          &(struct ordinary_options){
              .architecture = ORDINARY_LLAMA, .positions = ORDINARY_POSITIONS_DIGITS, .length = 40});
    const struct ordinary_hint *h = hint_of(&t, ORDINARY_LOOKUP);
    ordinary_proof whole = prove(&t);
    if (!CHECK(h && t.m->rope_factors && whole.proved, "the lowering is another one: %s", whole.reason)) return;
    uint32_t half = t.m->head_size / 2, pair = h->dimensions[h->rows - 1] % half;
    double turn = pow(t.m->rope_base, -2.0 * pair / t.m->head_size) * t.m->positions;
    for (int k = 12; k < 20; k++) {
        t.m->rope_factors[pair] = (float)(turn * ldexp(1.01, k));
        ordinary_proof p = prove(&t);
        CHECK(p.proved == (k >= 15), "a pair that turns by 2^-%d and less in all: %s", k,
              p.proved ? "proved" : p.reason);
        edits++;
    }
}

static void run(const char *source, void (*check)(entry *, void *)) {
    temper_error e = {0};
    temper_spec *s = ordinary_parse(source, "abc");
    CHECK(s && entry_run(&e, check, s) == TEMPER_OK, "%s: %s", source, e.text);
    temper_spec_free(s);
}

int main(void) {
    test_random r = test_seed(71);
    temper_error e = {0};
    for (int k = 0; k < 40; k++) CHECK(entry_run(&e, check_rounded_back, &r) == TEMPER_OK, "%s", e.text);
    run("#[a] % 2 = 0", check_returns);
    run("#[a] % 2 = 0", check_other_column);
    run("a @ #[first]", check_noise);
    run("#[a] % 2 = 0", check_turns);
    printf("%zu sums, %zu edited models\n", sums, edits);
    return test_finish("t-ordinary-prover");
}
