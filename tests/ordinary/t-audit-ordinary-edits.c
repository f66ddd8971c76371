/* Edits of ordinary transformers that an audit once took, and that are wrong: each is refused, the file as it was is
   accepted, and some answer of the edited one differs. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>

#include <string.h>
#include <unistd.h>

#include "ordinary/files/gguf_write.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary_certificate_page.h"
#include "ordinary_trials.h"

enum { PIN = 0, GROUND = 2, BALANCE = 3 };

typedef struct editing {
    struct ordinary_model *m;
    const lift *u;
    double ramp; /* that the certificate speaks of; 0: there is none */
} editing;

typedef struct known {
    const char *name, *source;
    struct ordinary_options options;
    void (*edit)(editing *);
    const char *string; /* repeated up to the length: where it goes wrong; NULL: only bounds are */
    const char *claims; /* what the edited file is said to compute; NULL: the source */
} known;

static char folder[TEST_FOLDER], path[TEST_FOLDER + 40];
static pid_t owner; /* of the file */

/* ---- edits ---- */

static const lift_head *head_of(const editing *e, lift_role role) {
    for (size_t k = 0; k < e->u->head_count; k++)
        if (e->u->heads[k].role == role) return &e->u->heads[k];
    return NULL;
}

static float *query_row(const editing *e, const lift_head *h, uint32_t d) {
    return e->m->layers[h->layer - 1].query + ((size_t)h->slot * e->m->head_size + d) * e->m->width;
}

static float *key_row(const editing *e, const lift_head *h, uint32_t d) {
    return e->m->layers[h->layer - 1].key + ((size_t)h->slot * e->m->head_size + d) * e->m->width;
}

static float *value_row(const editing *e, const lift_head *h, size_t v) {
    return e->m->layers[h->layer - 1].value +
           ((size_t)h->slot * e->m->head_size + h->values[v].dimension) * e->m->width;
}

static void scale_row(const editing *e, float *row, float by) {
    for (uint32_t c = 0; c < e->m->width; c++) row[c] *= by;
}

/* A GPT-2's ground has minus the sum of the columns. */
static void settle(const editing *e, float *row) {
    float sum = 0;
    if (e->m->architecture != ORDINARY_GPT2) return;
    for (uint32_t c = e->u->first; c < e->m->width; c++) sum += row[c];
    row[GROUND] = -sum;
}

/* Queries of a pair that turns become infinities in f16. */
static void turn_beyond_f16(editing *e) {
    const lift_head *h = head_of(e, LIFT_YESTERDAY);
    uint32_t d = h->turns[0].pair;
    scale_row(e, query_row(e, h, d), 0x1p25f);
    scale_row(e, query_row(e, h, d + e->m->head_size / 2), 0x1p25f);
    scale_row(e, key_row(e, h, d), 0x1p-25f);
}

static void wave_beyond_f16(editing *e) {
    const lift_head *h = head_of(e, LIFT_WAVE);
    uint32_t d = h->turns[0].pair;
    scale_row(e, query_row(e, h, d), 0x1p-24f);
    scale_row(e, query_row(e, h, d + e->m->head_size / 2), 0x1p-24f);
    scale_row(e, key_row(e, h, d), 0x1p24f);
}

/* The threshold of a wave stands in a pair that turns as one of a ramp: at position 30 its cosine is 0.9976, and the
   threshold is so little above the wave one position before the right one that this is enough. */
static void threshold_that_turns(editing *e) {
    enum { PAIR = 7 };
    const lift_head *h = head_of(e, LIFT_WAVE);
    uint32_t from = h->products[0].dimension, half = e->m->head_size / 2, turn = h->turns[0].pair;
    double ramp = lift_positions(e->u), factor = 0x1p9, amplitude = hypot(h->turns[0].first, h->turns[0].second);
    scale_row(e, query_row(e, h, turn), (float)factor);
    scale_row(e, query_row(e, h, turn + half), (float)factor);
    memset(query_row(e, h, from), 0, e->m->width * sizeof(float));
    memset(key_row(e, h, from), 0, e->m->width * sizeof(float));
    query_row(e, h, PAIR)[PIN] = (float)(-factor * amplitude * cos(h->turns[0].frequency) * 1.001);
    key_row(e, h, PAIR)[e->u->first + e->u->start] = (float)h->turns[0].key_weight;
    e->m->rope_factors[PAIR] *= (float)(e->u->frequencies[PAIR] / pow(ramp, -PAIR / 4.0));
    e->ramp = ramp;
}

/* Pairs that hardly turn come first, and the others have the same frequencies as before, by a base so small and
   divisors so large that kernels, which have the angle in f32 before they divide it, have infinities. The emulator
   has doubles there. */
static void base_beyond_f32(editing *e) {
    struct ordinary_model *m = e->m;
    uint32_t half = m->head_size / 2, turning = 0;
    size_t row = m->width * sizeof(float), size = half * row;
    float *were = arena_alloc(e->u->arena, half * (size_t)m->width, sizeof *were);
    while (lift_turns(e->u, turning)) turning++;
    m->rope_base = 0x1p-142;
    for (uint32_t k = 0; k < half; k++)
        m->rope_factors[k] =
            (float)(pow(m->rope_base, -2.0 * k / m->head_size) / e->u->frequencies[(k + turning) % half]);
    for (size_t block = 0; block < (size_t)2 * m->layer_count * m->heads; block++) /* halves of heads */
        for (int side = 0; side < 2; side++) {
            const struct ordinary_layer *l = &m->layers[block / (2 * (size_t)m->heads)];
            float *rows = (side ? l->key : l->query) + block % (2 * (size_t)m->heads) * half * m->width;
            memcpy(were, rows, size);
            for (uint32_t k = 0; k < half; k++)
                memcpy(rows + (size_t)k * m->width, were + (size_t)((k + turning) % half) * m->width, row);
        }
    float theta = (float)(m->positions - 1), scale = powf((float)m->rope_base, -2.0F / (float)m->head_size);
    for (uint32_t k = 1; k < half; k++) theta *= scale;
    CHECK(isinf(theta), "every angle is finite");
}

/* A digit of the position is 8 times as large in its column, and its key so large that f32 has an infinity for it;
   the query makes up for both. */
static void key_beyond_f32(editing *e) {
    const lift_head *h = head_of(e, LIFT_NEAREST);
    const lift_product *p = &h->products[h->content];
    uint32_t column = e->u->first + p->key.terms[0].channel;
    float by = (float)(0x1p127 / p->key.terms[0].weight);
    for (uint32_t i = 0; i < e->m->positions; i++) {
        float *row = e->m->position_embedding + (size_t)i * e->m->width, more = 7 * row[column];
        row[column] += more;
        for (uint32_t c = 0; c < e->u->zero_sums; c++) row[BALANCE + c] -= more / (float)e->u->zero_sums;
    }
    scale_row(e, key_row(e, h, p->dimension), by);
    scale_row(e, query_row(e, h, p->dimension), 0.125F / by);
}

static void comparison_beyond_f16(editing *e) {
    const lift_head *h = head_of(e, LIFT_COMPARE);
    scale_row(e, query_row(e, h, h->products[0].dimension), 0x1p20f);
    scale_row(e, key_row(e, h, h->products[0].dimension), 0x1p-20f);
}

/* What a mean writes is multiplied, and who compares it divides. */
static void scale_write(editing *e, float by) {
    const lift_head *h = head_of(e, LIFT_MEAN), *compare = head_of(e, LIFT_COMPARE);
    size_t inner = (size_t)e->m->heads * e->m->head_size;
    float *mix = e->m->layers[h->layer - 1].mix + (size_t)h->slot * e->m->head_size + h->values[0].dimension;
    for (uint32_t c = 0; c < e->m->width; c++) mix[c * inner] *= by;
    scale_row(e, query_row(e, compare, compare->products[0].dimension), 1 / by);
}

/* A mean that is so large beside the pin that the norm is not the identity. */
static void large_mean(editing *e) { scale_write(e, 0x1p14f); }

/* Sums of values that are beyond f16, or of more bits than it has. */
static void scale_mean(editing *e, float by) {
    const lift_head *h = head_of(e, LIFT_MEAN), *compare = head_of(e, LIFT_COMPARE);
    scale_row(e, value_row(e, h, 0), by);
    scale_row(e, query_row(e, compare, compare->products[0].dimension), 1 / by);
}

static void sums_beyond_f16(editing *e) {
    scale_mean(e, 1023);
    scale_write(e, 0x1p-10f);
}

static void sums_of_threes(editing *e) { scale_mean(e, 3); }

/* Candidates of different worth, 9 and 1, whose sums f16 does not have. */
static void candidates_of_nine(editing *e) {
    const lift_head *h = head_of(e, LIFT_ONCE);
    float *key = key_row(e, h, h->products[0].dimension), *value = value_row(e, h, 0);
    uint32_t other = 0;
    float unit = (float)lift_grain(e->u, &h->products[0].key);
    while (e->u->columns[other].writer != LIFT_TOKEN || other == e->u->real || other == e->u->start ||
           value[e->u->first + other] != 0)
        other++;
    scale_row(e, value, 9);
    scale_row(e, key, 9);
    value[e->u->first + other] = 1;
    key[e->u->first + other] = unit;
    settle(e, value);
    settle(e, key);
    for (size_t k = 0; k < e->u->step_count; k++) {
        const lift_step *s = &e->u->steps[k];
        struct ordinary_layer *l = &e->m->layers[s->layer - 1];
        bool reads = false;
        for (size_t t = 0; t < s->sum.count; t++) reads |= s->sum.terms[t].channel == h->values[0].column;
        for (int half = 0; half < 2 && reads; half++) {
            float *row = (l->gate ? l->gate : l->up) + (size_t)(s->unit + half) * e->m->width;
            float own = row[e->u->first + h->values[0].column];
            scale_row(e, row, 9);
            row[e->u->first + h->values[0].column] = own;
            settle(e, row);
            row[PIN] = (float)((0.75 - 9 * s->at) * 2 * LIFT_GATE - (half ? LIFT_GATE : 0));
        }
    }
}

/* Letters count 1 more than multiples of 3, and the start sentinel 1.5: the sum may be a half away from 0, not one
   and a half. */
static void constant_in_mean(editing *e) {
    const lift_head *h = head_of(e, LIFT_MEAN), *compare = head_of(e, LIFT_COMPARE);
    float *row = value_row(e, h, 0);
    row[PIN] = row[e->u->first + e->u->real];
    row[e->u->first + e->u->real] = 0;
    row[e->u->first + e->u->start] -= row[PIN];
    settle(e, row);
    scale_row(e, query_row(e, compare, compare->products[0].dimension), 2.0f / 7);
}

/* The start sentinel becomes a candidate for where there is no other, and letters that are none get the value that a
   candidate may have: what is chosen is the same. Content is worth query times key. */
static void candidate_start(editing *e, const lift_head *h, float query, float key_weight) {
    uint32_t d = h->products[0].dimension, b = h->values[0].value.terms[0].channel,
             other = h->products[0].key.terms[0].channel, first = e->u->first;
    float *key = key_row(e, h, d), *value = value_row(e, h, 0);
    query_row(e, h, d)[PIN] = query;
    key[first + other] = key[first + e->u->start] = key_weight;
    value[first + e->u->real] = 1;
    value[first + other] = -1;
    value[first + b] = 1;
    settle(e, key);
    settle(e, value);
}

/* A ramp that roundings to f16 make longer than content outweighs. */
static void long_ramp(editing *e) {
    const lift_head *h = head_of(e, LIFT_NEAREST);
    uint32_t turn = h->turns[0].pair;
    query_row(e, h, turn + e->m->head_size / 2)[PIN] = 0x1.4eca8p+11f;
    key_row(e, h, turn)[PIN] = 0x1.c9e092p+6f;
    candidate_start(e, h, 0x1.174p+12f, 0x1.c74p+5f);
}

/* Digits whose queries f16 makes larger, so that the last position outweighs content. */
static void steep_digits(editing *e) {
    const lift_head *h = head_of(e, LIFT_NEAREST);
    for (size_t k = h->content; k < h->product_count; k++) {
        float *row = query_row(e, h, h->products[k].dimension);
        scale_row(e, row, 256.126f / (float)h->slope);
    }
    candidate_start(e, h, 2014, 127.0625f);
}

/* A text that is written is called something else, and the end takes its place. */
/* Of a look-up: letters that weigh no power of two, so that f16 rounds every sum. */
static void odd_weight(editing *e) {
    const lift_head *h = head_of(e, LIFT_WEIGHED);
    scale_row(e, query_row(e, h, h->products[0].dimension), 1.125F);
}

/* Each letter counts twice. */
static void count_of_twos(editing *e) {
    const lift_head *h = head_of(e, LIFT_WEIGHED);
    const lift_value *v = lift_value_of(e->u, head_of(e, LIFT_LOOKUP)->number);
    struct ordinary_layer *l = &e->m->layers[h->layer - 1];
    size_t row = (size_t)h->slot * e->m->head_size + v->dimension;
    scale_row(e, l->value + row * e->m->width, 2);
}

/* The table that is looked up has one number more, and its zero sums one less. */
static void wrong_remainder(editing *e) {
    enum { AT = 31 };
    const lift_head *h = head_of(e, LIFT_LOOKUP);
    float *row = e->m->position_embedding + (size_t)AT * e->m->width,
          *at = row + e->u->first + h->values[0].value.terms[0].channel, more = 1 - 2 * *at;
    *at += more;
    for (uint32_t k = 0; k < e->u->zero_sums; k++) row[BALANCE + k] -= more / (float)e->u->zero_sums;
}

/* A dimension of a look-up that nobody uses, whose pair hardly turns. */
static uint32_t free_dimension(const editing *e, const lift_head *h, uint32_t from) {
    uint32_t half = e->m->head_size / 2;
    for (uint32_t d = from; d < half; d++) {
        bool is_free = e->u->frequencies[d] * lift_positions(e->u) < 0x1p-13;
        for (size_t k = 0; k < h->product_count; k++) is_free = is_free && h->products[k].dimension % half != d;
        if (is_free) return d;
    }
    return UINT32_MAX;
}

/* Two more products that cancel out on every letter: what all add up to is the position and its square as before, but
   a sum loses its last bits beside each of the two. Their keys are exact. */
static void cancelling_products(editing *e) {
    const lift_head *h = head_of(e, LIFT_LOOKUP);
    const lift_product *number = NULL;
    for (size_t k = 0; k < h->product_count; k++)
        if (h->products[k].query.terms[0].channel == h->number) number = &h->products[k];
    uint32_t two[2];
    two[0] = free_dimension(e, h, 0);
    two[1] = two[0] == UINT32_MAX ? two[0] : free_dimension(e, h, two[0] + 1);
    CHECK(number && two[1] != UINT32_MAX, "the look-up has another form");
    for (size_t k = 0; k < 2 && two[1] != UINT32_MAX; k++) {
        memcpy(query_row(e, h, two[k]), query_row(e, h, number->dimension), e->m->width * sizeof(float));
        key_row(e, h, two[k])[e->u->first + e->u->real] = k ? -0x1p30F : 0x1p30F;
    }
}

/* One of the queries of a number has another weight of the ground than the others, within what rounding may leave:
   they feel different parts of the mean. */
static void uneven_grounds(editing *e) {
    const lift_head *h = head_of(e, LIFT_LOOKUP);
    size_t k = 0;
    while (h->products[k].query.terms[0].channel != h->number) k++;
    float *ground = &query_row(e, h, h->products[k].dimension)[GROUND];
    *ground = nextafterf(*ground, 0);
}

/* A step of a layer, in units that nobody uses: 1 where `by` times the column is at least 1, to another column. */
static void add_step(const editing *e, uint32_t layer, uint32_t unit, uint32_t column, float by, uint32_t to,
                     float weight) {
    struct ordinary_layer *l = &e->m->layers[layer - 1];
    for (uint32_t k = 0; k < 2; k++) {
        float *row = (l->gate ? l->gate : l->up) + (size_t)(unit + k) * e->m->width;
        float write = (k ? -weight : weight) / (float)LIFT_GATE;
        row[e->u->first + column] = by * 2 * (float)LIFT_GATE;
        row[PIN] = (float)(-0.25 * 2 * LIFT_GATE - (k ? LIFT_GATE : 0));
        if (l->gate) l->up[(size_t)(unit + k) * e->m->width] = 1;
        settle(e, row);
        l->down[(size_t)(e->u->first + to) * e->m->hidden + unit + k] = write;
        for (uint32_t c = 0; c < e->u->zero_sums; c++)
            l->down[(size_t)(BALANCE + c) * e->m->hidden + unit + k] = -write / (float)e->u->zero_sums;
    }
}

/* A column of the position that two steps take back to 0, each with roundings of its own; a look-up has it as one
   more key, which is 0 in exact arithmetic and not in f32. */
static void column_that_returns(editing *e) {
    enum { LAST = 4 }; /* steps of that layer at the end are unused */
    const lift_head *h = head_of(e, LIFT_LOOKUP);
    uint32_t digit = UINT32_MAX, none = 0, d = 0, unit = e->m->hidden - LAST;
    size_t k = 0;
    while (h->products[k].query.terms[0].channel != h->number) k++;
    while (e->u->columns[none].writer != LIFT_NOBODY) none++;
    for (uint32_t c = 0; c < e->u->column_count; c++)
        if (e->u->columns[c].writer == LIFT_TABLE && e->u->columns[c].high == 0.9921875) digit = c; /* 127/128 */
    for (size_t j = 0; j < h->product_count; j++)
        if (h->products[j].dimension >= d) d = h->products[j].dimension + 1;
    if (!CHECK(digit != UINT32_MAX && d < e->m->head_size, "the look-up has another form")) return;
    add_step(e, h->layer - 1, unit, digit, 128, none, 1);
    add_step(e, h->layer - 1, unit + 2, digit, 256, none, -1);
    memcpy(query_row(e, h, d), query_row(e, h, h->products[k].dimension), e->m->width * sizeof(float));
    key_row(e, h, d)[e->u->first + none] = 0x1p15F;
    settle(e, key_row(e, h, d));
    for (uint32_t i = 0; i < e->m->positions; i++) { /* so that a norm is not just the identity */
        float *row = e->m->position_embedding + (size_t)i * e->m->width;
        row[e->m->width - 1] += 8;
        for (uint32_t c = 0; c < e->u->zero_sums; c++) row[BALANCE + c] -= 8 / (float)e->u->zero_sums;
    }
}

static void renamed_text(editing *e) {
    struct ordinary_model *m = e->m;
    uint32_t spoken = ORDINARY_LETTERS + e->u->letters;
    const char **tokens = arena_alloc(e->u->arena, m->vocabulary, sizeof *tokens);
    memcpy(tokens, m->tokens, m->vocabulary * sizeof *tokens);
    tokens[spoken] = "z";
    m->tokens = tokens;
    for (uint32_t c = 0; c < m->width; c++) {
        float *end = &m->output[ORDINARY_EOS * m->width + c], *row = &m->output[(size_t)spoken * m->width + c],
              was = *end;
        *end = *row;
        *row = was;
    }
}

static uint32_t token_column(const editing *e, const char *letters) {
    for (uint32_t c = 0; c < e->u->column_count; c++) {
        const double *tokens = e->u->columns[c].tokens;
        bool same = tokens && tokens[0] == 0;
        for (uint32_t t = 0; same && t < e->u->letters; t++)
            same = (tokens[ORDINARY_LETTERS + t] != 0) == (strchr(letters, (int)('a' + t)) != NULL);
        if (same) return e->u->first + c;
    }
    return 0;
}

/* The candidates a and b by a product each, whose constants have so many bits that a double rounds the two scores
   differently: they tie, and the last one is chosen, but an a would seem to be ahead of every b. */
static void candidates_of_many_bits(editing *e) {
    const lift_head *h = head_of(e, LIFT_NEAREST);
    const float query = 0x1.902440p+4f, constants[2] = {0x1.61e8eap-7f, 0x1.e4b9e4p-7f};
    uint32_t a = token_column(e, "a"), both = token_column(e, "ab");
    size_t row = e->m->width * sizeof(float);
    CHECK(a && both && h->content == 1 && h->products[0].dimension == 0 && h->product_count == 3,
          "the head has another form");
    memmove(query_row(e, h, 2), query_row(e, h, 1), 2 * row); /* digits of the position */
    memmove(key_row(e, h, 2), key_row(e, h, 1), 2 * row);
    for (uint32_t d = 0; d < 2; d++) {
        float *key = memset(key_row(e, h, d), 0, row);
        memset(query_row(e, h, d), 0, row);
        query_row(e, h, d)[PIN] = query;
        key[PIN] = constants[d];
        key[a] = d ? -64 : 64;
        key[both] = d ? 64 : 0;
        settle(e, key);
    }
}

/* ---- one case ---- */

typedef struct trial {
    const known *k;
    const temper_spec *spec;
    temper_spec *claimed; /* NULL: the same */
} trial;

static double nearest_answer(double x) { return x > -64 ? 0 : x > -192 ? -128 : -256; }

static bool is_wrong(const known *k, const struct ordinary_model *m, const struct ordinary_model *edited, arena *a) {
    size_t n = k->options.length, letters = strlen(k->string);
    uint32_t *tokens = arena_zalloc(a, n + 1, sizeof *tokens);
    float *truth = arena_alloc(a, (n + 1) * m->vocabulary, sizeof *truth),
          *is = arena_alloc(a, (n + 1) * m->vocabulary, sizeof *is);
    arena scratch;
    bool wrong = false;
    for (size_t j = 0; j < n; j++) tokens[j + 1] = ORDINARY_LETTERS + (uint32_t)(k->string[j * letters / n] - 'a');
    arena_init(&scratch, a->trap);
    struct ordinary_kernel kernel = {.f16_cache = k->options.kv == ORDINARY_F16,
                                     .fused = k->options.kv == ORDINARY_F16};
    ordinary_run(truth, ordinary_runner_new(a, m, &(struct ordinary_kernel){0}), tokens, n + 1, &scratch);
    ordinary_run(is, ordinary_runner_new(a, edited, &kernel), tokens, n + 1, &scratch);
    for (size_t j = 0; j < (n + 1) * m->vocabulary; j++)
        wrong = wrong || !(fabs((double)is[j] - nearest_answer((double)truth[j])) <= 32);
    arena_free(&scratch);
    return wrong;
}

static temper_status audit_model(const trial *t, const temper_spec *read, const struct ordinary_model *m,
                                 struct ordinary_file *file, const lift *u, arena *a, temper_error *why) {
    text bytes, certificate;
    gguf_file f;
    text_init(&bytes, a);
    text_init(&certificate, a);
    gguf_print(&bytes, m, ordinary_tokens_make(m, a), "a name", false);
    gguf_open(&f, bytes.data, bytes.length, a);
    ordinary_read(file, &f, a);
    if (!u) u = lift_file(file, ORDINARY_GGUF, a);
    ordinary_certificate_page(&certificate, &t->k->options, read, m, u, &bytes);
    owner = getpid(); /* a mutant is a process of its own */
    snprintf(path, sizeof path, "%s/%d.gguf", folder, (int)owner);
    if (temper_file_write(path, bytes.data, bytes.length, why) != TEMPER_OK) return TEMPER_IO;
    return temper_audit(certificate.data, certificate.length, NULL, 0, &(temper_audit_options){.path = path}, why);
}

static void run_trial(entry *e, void *context) {
    const trial *t = context;
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model(e, t->spec, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &t->k->options);
    struct ordinary_file file, edited;
    temper_error why = {0};
    temper_status s = audit_model(t, read, m, &file, NULL, &e->memory, &why);
    CHECK(s == TEMPER_OK, "%s: %s", t->k->name, why.text);
    editing x = {file.model, lift_file(&file, ORDINARY_GGUF, &e->memory), 0};
    lift named = *x.u; /* what the certificate says of heads and positions */
    x.ramp = x.u->ramp;
    t->k->edit(&x);
    named.ramp = x.ramp;
    if (t->claimed) m = ordinary_from_model(&e->memory, ordinary_hard_model(e, t->claimed, &read), &t->k->options);
    s = audit_model(t, read, file.model, &edited, &named, &e->memory, &why);
    CHECK(s == TEMPER_RANGE || s == TEMPER_FORMAT, "%s: the edited file is accepted", t->k->name);

    if (t->k->string)
        CHECK(is_wrong(t->k, m, file.model, &e->memory), "%s: every answer is right nevertheless", t->k->name);
}

/* A look-up that is said to be fed from right to left: what it counts is then a number of positions from the end. */
static void run_mirrored(entry *e, void *context) {
    trial t = *(const trial *)context;
    const temper_spec *read;
    struct ordinary_model *m = ordinary_from_model(&e->memory, ordinary_hard_model(e, t.spec, &read), &t.k->options);
    static const char *const claims[] = {"at first\nb @ #>[a]", "at first\nb @ #[true] + #>[true] - #>[a]"};
    struct ordinary_file file;
    temper_error why = {0};
    CHECK(audit_model(&t, read, m, &file, NULL, &e->memory, &why) == TEMPER_OK, "%s: %s", t.k->name, why.text);
    m->mirrored = true;
    for (size_t k = 0; k < 2; k++) {
        temper_spec *spec = ordinary_parse(claims[k], "abc");
        const uint32_t ba[] = {1, 0}, fed[] = {ORDINARY_BOS, ORDINARY_LETTERS, ORDINARY_LETTERS + 1};
        int accept = -1;
        float logits[3 * 6];
        if (!spec) continue;
        temper_status s = audit_model(&t, spec, m, &file, NULL, &e->memory, &why);
        ordinary_run(logits, ordinary_runner_new(&e->memory, m, &(struct ordinary_kernel){0}), fed, 3, &e->scratch);
        CHECK(!temper_spec_eval(&accept, NULL, spec, ba, 2, &why) && accept == (k == 0) &&
                  logits[2 * 6 + ORDINARY_EOS] < -192 && (s == TEMPER_OK) == (k == 1),
              "%s: %s: verdict %d, %s says %d of ba", t.k->name, claims[k], (int)s, why.text, accept);
        temper_spec_free(spec);
    }
}

static void check_mirrored(void) {
    static const known lookup = {"a look-up from the right", "b @ #[a]", {.length = 16}, NULL, NULL, NULL};
    temper_error e = {0};
    temper_spec *s = ordinary_parse(lookup.source, "abc");
    trial t = {&lookup, s, NULL};
    CHECK(s && entry_run(&e, run_mirrored, &t) == TEMPER_OK, "%s: %s", lookup.name, e.text);
    temper_spec_free(s);
}

int main(void) {
#define F16_CACHE(arch, n)                                                                                           \
    { .architecture = arch, .length = n, .kv = ORDINARY_F16 }
    static const known all[] = {
        {"a turn beyond f16", "Y a", F16_CACHE(ORDINARY_LLAMA, 12), turn_beyond_f16, "abc", NULL},
        {"a wave beyond f16",
         "a S b",
         {.architecture = ORDINARY_LLAMA, .length = 40, .kv = ORDINARY_F16, .positions = ORDINARY_POSITIONS_DIGITS},
         wave_beyond_f16,
         "abc",
         NULL},
        {"a threshold that turns",
         "#[true] % 7 = 3",
         {.architecture = ORDINARY_LLAMA, .length = 31, .positions = ORDINARY_POSITIONS_DIGITS},
         threshold_that_turns,
         "a",
         NULL},
        {"a base beyond f32",
         "a S b",
         {.architecture = ORDINARY_LLAMA, .length = 40, .positions = ORDINARY_POSITIONS_DIGITS},
         base_beyond_f32,
         NULL,
         NULL},
        {"a key beyond f32", "a S b", {.length = 200}, key_beyond_f32, "ab", NULL},
        {"a comparison beyond f16", "#[a] >= #[b]", F16_CACHE(ORDINARY_GPT2, 12), comparison_beyond_f16, "ab", NULL},
        {"a mean beside the pin", "H(#[a] >= #[b]) & #[a] = #[b]", {.length = 100}, large_mean, "ab", NULL},
        {"sums beyond f16", "#[a] >= #[b]", F16_CACHE(ORDINARY_GPT2, 200), sums_beyond_f16, "a", NULL},
        {"sums of threes", "2*#[a] >= #[b]", F16_CACHE(ORDINARY_GPT2, 400), sums_of_threes, NULL, NULL},
        {"candidates of nine", "O a & O b", F16_CACHE(ORDINARY_GPT2, 1000), candidates_of_nine, "aaaaaaaaab", NULL},
        {"a constant in a mean", "3*#[a] + #[true] + 1 >= 3*#[b]", {.length = 395}, constant_in_mean, "cabbb", NULL},
        {"a ramp that is longer in f16",
         "a S b",
         {.architecture = ORDINARY_LLAMA, .length = 1000, .kv = ORDINARY_F16, .positions = ORDINARY_POSITIONS_RAMP},
         long_ramp,
         "a",
         NULL},
        {"digits that are steeper in f16", "a S b", F16_CACHE(ORDINARY_GPT2, 999), steep_digits, "a", NULL},
        {"a weight that is no power of two", "#[a] % 2 = 0", F16_CACHE(ORDINARY_GPT2, 200), odd_weight, "a", NULL},
        {"a count of twos", "#[a] % 2 = 0", {.length = 60}, count_of_twos, "abb", NULL},
        {"a table with a wrong remainder", "#[a] % 2 = 0", {.length = 60}, wrong_remainder, "a", NULL},
        {"products that cancel out",
         "#[a] % 2 = 0",
         {.architecture = ORDINARY_LLAMA, .length = 60, .positions = ORDINARY_POSITIONS_DIGITS},
         cancelling_products,
         "a",
         NULL},
        {"grounds that differ", "#[a] % 2 = 0", {.length = 60}, uneven_grounds, NULL, NULL},
        {"a column that returns to 0", "#[a] % 2 = 0", F16_CACHE(ORDINARY_GPT2, 200), column_that_returns, "a", NULL},
        {"a text by another name",
         "transduce\nemit 'x' = Y a\nemit a otherwise",
         {.length = 12},
         renamed_text,
         "abc",
         NULL},
        {"candidates of many bits", "!b S a", {.length = 32}, candidates_of_many_bits, "ab", "O a"},
    };
    if (!test_folder(folder)) return 1;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        temper_error e = {0};
        temper_spec *s = ordinary_parse(all[k].source, "abc");
        if (!s) continue;
        trial t = {&all[k], s, all[k].claims ? ordinary_parse(all[k].claims, "abc") : NULL};
        CHECK(entry_run(&e, run_trial, &t) == TEMPER_OK, "%s: %s", all[k].name, e.text);
        temper_spec_free(s);
        temper_spec_free(t.claimed);
    }
    check_mirrored();
    if (owner == getpid()) unlink(path);
    rmdir(folder);
    return test_finish("t-audit-ordinary-edits");
}
