/* What is around the layers: norms, pins, embeddings and the order of writers. */
#include "ordinary/lift/lift.h"

#include <math.h>
#include <string.h>

#include "number/elementary.h"

/* doc/ordinary.md, "Norms". */
static const double MOST_EPSILON = 1e-5, MOST_BASE = 0x1p126;

enum { PIN, COUNTER_PIN, GROUND, ZERO_SUM };

const char *lift_role_name(lift_role role) {
    static const char *const names[] = {"mean",    "weighed mean", "once",    "compare",
                                        "nearest", "yesterday",    "look-up", "wave"};
    return names[role];
}

/* ---- norms ---- */

static void check_norm(const lift *u, const float *gain) {
    const struct ordinary_model *m = u->m;
    bool gpt2 = m->architecture == ORDINARY_GPT2;
    double pin = lift_pin(m);
    double spread = gpt2 ? pin * sqrt(2.0 / m->width) : pin / sqrt((double)m->width);
    for (uint32_t k = 0; k < m->width; k++) {
        bool none = gpt2 && (k == COUNTER_PIN || (k >= ZERO_SUM && k < u->first));
        double exact = k == PIN ? spread / pin : none ? 0 : spread;
        float expected = (float)exact;
        if (gain[k] != expected)
            lift_refuse(u, &gain[k], "a gain of %.9g, where the norm needs %.9g to be the identity", (double)gain[k],
                        (double)expected);
    }
}

static void check_norms(const lift *u) {
    const struct ordinary_model *m = u->m;
    if (m->epsilon < 0 || m->epsilon > MOST_EPSILON)
        trap_raise(u->arena->trap, TEMPER_FORMAT, 0, 0, "an epsilon of %g: norms have at most %g", m->epsilon,
                   MOST_EPSILON);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        check_norm(u, m->layers[l].attention_gain);
        check_norm(u, m->layers[l].net_gain);
    }
    check_norm(u, m->final_gain);
}

/* GPT-2: zero-sum columns are those behind the ground whose gain is 0. */
static void find_columns(lift *u) {
    const struct ordinary_model *m = u->m;
    enum { MOST_ZERO_SUMS = 16 };
    u->first = PIN + 1;
    if (m->architecture == ORDINARY_GPT2) {
        if (m->width <= ZERO_SUM) lift_refuse(u, m->final_gain, "no room for pins");
        while (ZERO_SUM + u->zero_sums < m->width && m->final_gain[ZERO_SUM + u->zero_sums] == 0) u->zero_sums++;
        u->first = ZERO_SUM + u->zero_sums;
        if (!u->zero_sums || u->zero_sums > MOST_ZERO_SUMS || (u->zero_sums & (u->zero_sums - 1)))
            lift_refuse(u, &m->final_gain[ZERO_SUM], "%u zero-sum columns", u->zero_sums);
    }
    if (u->first >= m->width) lift_refuse(u, m->final_gain, "no column is left");
    u->column_count = m->width - u->first;
    u->columns = arena_zalloc(u->arena, u->column_count, sizeof *u->columns);
}

/* ---- embeddings ---- */

/* The numbers of a token, or of a position (pin 0), to the columns. */
static void read_embedding(lift *u, const float *row, double pin, lift_writer writer, uint32_t index,
                           uint32_t count) {
    size_t terms;
    double rest;
    model_term *all = lift_writes(u, row, 1, pin, &terms, &rest);
    for (size_t k = 0; k < terms; k++) {
        lift_column *c = &u->columns[all[k].channel];
        if (c->writer != LIFT_NOBODY && c->writer != writer)
            lift_refuse(u, &row[u->first + all[k].channel], "a column has tokens and positions together");
        c->writer = writer;
        double **numbers = writer == LIFT_TOKEN ? &c->tokens : &c->place;
        if (!*numbers) *numbers = arena_zalloc(u->arena, count, sizeof **numbers);
        if (writer == LIFT_TOKEN && all[k].weight != 1)
            lift_refuse(u, &row[u->first + all[k].channel], "a token's number is neither 0 nor 1");
        (*numbers)[index] = all[k].weight;
    }
}

/* The column that the last token has. */
static void find_dead(lift *u) {
    const struct ordinary_model *m = u->m;
    u->dead = u->died = UINT32_MAX;
    for (uint32_t c = 0; c < u->column_count; c++) {
        if (!u->columns[c].tokens || u->columns[c].tokens[m->vocabulary - 1] == 0) continue;
        if (u->dead != UINT32_MAX)
            lift_refuse(u, &m->token_embedding[(size_t)(m->vocabulary - 1) * m->width + u->first + c],
                        "<dead> has two numbers");
        u->dead = c;
    }
    if (u->dead == UINT32_MAX) lift_refuse(u, m->token_embedding, "<dead> has no number");
}

/* Letters are the tokens that have numbers of their own; all others but the start are <dead> if they are read. */
static void find_letters(lift *u) {
    const struct ordinary_model *m = u->m;
    bool *any = arena_zalloc(u->arena, m->vocabulary, sizeof *any);
    const double *dead = u->columns[u->dead].tokens;
    for (uint32_t c = 0; c < u->column_count; c++)
        for (uint32_t t = 0; c != u->dead && u->columns[c].tokens && t < m->vocabulary; t++)
            any[t] |= u->columns[c].tokens[t] != 0;
    while (ORDINARY_LETTERS + u->letters + 1 < m->vocabulary && any[ORDINARY_LETTERS + u->letters]) u->letters++;
    for (uint32_t t = 0; t < m->vocabulary; t++) {
        bool input = t == ORDINARY_BOS || (t >= ORDINARY_LETTERS && t < ORDINARY_LETTERS + u->letters);
        const float *at = &m->token_embedding[(size_t)t * m->width];
        if (!input && any[t]) lift_refuse(u, at, "a token that is no letter has numbers");
        if (dead[t] != !input) lift_refuse(u, at, "a token that is no letter is not <dead>, or one that is");
    }
    if (!u->letters) lift_refuse(u, m->token_embedding, "no token is a letter");
}

/* The number of a letter, if all have the same. */
static bool same_for_letters(const lift *u, const lift_column *c) {
    for (uint32_t t = 1; t < u->letters; t++)
        if (c->tokens[ORDINARY_LETTERS + t] != c->tokens[ORDINARY_LETTERS]) return false;
    return true;
}

static void settle_embedding(lift *u) {
    const struct ordinary_model *m = u->m;
    u->real = u->start = UINT32_MAX;
    u->zeros = arena_zalloc(u->arena, m->positions, sizeof *u->zeros);
    for (uint32_t k = u->column_count; k > 0; k--) {
        lift_column *c = &u->columns[k - 1];
        if (c->writer == LIFT_NOBODY) c->place = u->zeros;
        size_t count = c->writer == LIFT_TOKEN ? m->vocabulary : m->positions;
        const double *x = c->writer == LIFT_TOKEN ? c->tokens : c->place;
        for (size_t i = 0; i < count && k - 1 != u->dead; i++) { /* which strings of letters do not have */
            c->grain = lift_common(c->grain, x[i]);
            c->low = fmin(c->low, x[i]); /* none is 0 everywhere */
            c->high = fmax(c->high, x[i]);
        }
        c->start = x[0]; /* token 0 is the start */
        c->first = c->writer == LIFT_TOKEN ? NAN : m->positions > 1 ? c->place[1] : 0;
        if (c->writer != LIFT_TOKEN || !same_for_letters(u, c)) continue;
        double letter = c->tokens[ORDINARY_LETTERS], start = c->tokens[ORDINARY_BOS];
        c->place = arena_alloc(u->arena, m->positions, sizeof *c->place);
        for (uint32_t i = 0; i < m->positions; i++) c->place[i] = i ? letter : start;
        c->first = letter;
        if (letter == 1 && start == 0) u->real = k - 1;
        if (letter == 0 && start == 1) u->start = k - 1;
    }
    if (u->real == UINT32_MAX || u->start == UINT32_MAX)
        lift_refuse(u, m->token_embedding, "no column says which tokens are letters, or which is the start");
}

/* ---- who writes what ---- */

static void note_writer(lift *u, const float *row, size_t count, uint32_t column, lift_writer writer,
                        uint32_t layer) {
    lift_column *c = &u->columns[column];
    size_t writes = 0, at = 0;
    for (size_t k = 0; k < count; k++)
        if (row[k] != 0) {
            writes++;
            at = k;
        }
    if (!writes) return;
    bool fits = c->writer == LIFT_NOBODY || (c->writer == LIFT_NET && writer == LIFT_NET);
    if (!fits || (writer == LIFT_HEAD && writes > 1)) lift_refuse(u, &row[at], "a column is written twice");
    if (c->writer == LIFT_NOBODY && writer == LIFT_HEAD) c->place = NULL;
    c->writer = writer;
    c->layer = layer;
}

static void find_writers(lift *u) {
    const struct ordinary_model *m = u->m;
    size_t inner = (size_t)m->heads * m->head_size;
    for (uint32_t l = 1; l <= m->layer_count; l++)
        for (uint32_t c = 0; c < u->column_count; c++) {
            note_writer(u, m->layers[l - 1].mix + (u->first + c) * inner, inner, c, LIFT_HEAD, l);
            note_writer(u, m->layers[l - 1].down + (size_t)(u->first + c) * m->hidden, m->hidden, c, LIFT_NET, l);
        }
}

/* ---- the whole ---- */

static bool is_near(double x, double y) { return fabs(x - y) <= 0x1p-18 * y; }

static const double HARDLY = 0x1p-30;

/* Once around in a whole number of positions. */
static bool is_wave(const lift *u, double x) {
    static const double TURN = 6.28318530717958647692;
    double period = rint(TURN / x);
    return period >= 2 && period <= 2 * lift_positions(u) && is_near(x, TURN / period);
}

/* Three kinds: m^(-k/4) of a ramp, m no less than there are positions; once around in a whole number of positions; or
   hardly at all. */
static void check_frequencies(lift *u) {
    uint32_t pairs = u->m->head_size / 2;
    for (uint32_t k = 1; k < pairs && !u->ramp; k++)
        if (u->frequencies[k] > HARDLY && !is_wave(u, u->frequencies[k]))
            u->ramp = exp_f64(-log_f64(u->frequencies[k]) * 4 / k);
    for (uint32_t k = 0; k < pairs; k++) {
        double x = u->frequencies[k];
        bool on_ramp = u->ramp >= lift_positions(u) * (1 - 0x1p-18) && is_near(x, exp_f64(-log_f64(u->ramp) * k / 4));
        if (x <= HARDLY || is_wave(u, x) || on_ramp) continue;
        const char *what = "a pair of dimensions turns by %.9g from one position to the next, which no model needs";
        if (u->m->rope_factors) lift_refuse(u, &u->m->rope_factors[k], what, x);
        trap_raise(u->arena->trap, TEMPER_FORMAT, 0, 0, what, x);
    }
}

bool lift_turns(const lift *u, uint32_t pair) {
    double x = u->frequencies[pair];
    return x > HARDLY && (!u->ramp || is_wave(u, x) || x > exp_f64(-1.6 * log_f64(u->ramp)));
}

static void find_frequencies(lift *u) {
    const struct ordinary_model *m = u->m;
    if (m->architecture != ORDINARY_LLAMA) return;
    /* kernels have position * base^(-2k / head size) in f32, by k multiplications, before a divisor makes another
       frequency of it: beyond these ends that is infinite, or has few bits, and -2 / head size must be exact */
    if (!(m->rope_base >= 1 && m->rope_base <= MOST_BASE))
        trap_raise(u->arena->trap, TEMPER_FORMAT, 0, 0, "a base of frequencies of %g: it is between 1 and 2^126",
                   m->rope_base);
    if (m->head_size & (m->head_size - 1))
        trap_raise(u->arena->trap, TEMPER_FORMAT, 0, 0, "a head size of %u, which is no power of two", m->head_size);
    u->frequencies = arena_alloc(u->arena, m->head_size / 2, sizeof *u->frequencies);
    for (uint32_t k = 0; k < m->head_size / 2; k++) {
        double turn = exp_f64(-2 * log_f64(m->rope_base) * k / m->head_size);
        if (m->rope_factors && !(m->rope_factors[k] > 0))
            lift_refuse(u, &m->rope_factors[k], "a frequency is divided by a number that is not positive");
        u->frequencies[k] = m->rope_factors ? turn / (double)m->rope_factors[k] : turn;
    }
    check_frequencies(u);
}

static void read_outputs(lift *u) {
    const struct ordinary_model *m = u->m;
    u->logits = arena_alloc(u->arena, m->vocabulary, sizeof *u->logits);
    for (uint32_t t = 0; t < m->vocabulary; t++) {
        u->logits[t] = lift_row(u, m->output + (size_t)t * m->width);
        lift_check_reads(u, &u->logits[t], m->layer_count + 1, LIFT_BY_OUTPUT);
    }
}

/* The first place where a column is written. */
static const float *written_at(const lift *u, uint32_t column) {
    const struct ordinary_model *m = u->m;
    size_t inner = (size_t)m->heads * m->head_size;
    const lift_column *c = &u->columns[column];
    for (uint32_t t = 0; c->writer == LIFT_TOKEN && t < m->vocabulary; t++)
        if (c->tokens[t] != 0) return &m->token_embedding[(size_t)t * m->width + u->first + column];
    for (uint32_t i = 0; c->writer == LIFT_TABLE && i < m->positions; i++)
        if (c->place[i] != 0) return &m->position_embedding[(size_t)i * m->width + u->first + column];
    const struct ordinary_layer *l = &m->layers[c->layer - 1];
    size_t count = c->writer == LIFT_HEAD ? inner : m->hidden;
    const float *row = (c->writer == LIFT_HEAD ? l->mix : l->down) + (u->first + column) * count;
    for (size_t k = 0; k < count; k++)
        if (row[k] != 0) return &row[k];
    return row;
}

/* Nothing is there for nobody, but for the two columns that every model has. */
static void check_all_read(const lift *u) {
    for (uint32_t c = 0; c < u->column_count; c++)
        if (!u->columns[c].is_read && u->columns[c].writer != LIFT_NOBODY && u->columns[c].writer != LIFT_TABLE &&
            c != u->real && c != u->start)
            lift_refuse(u, written_at(u, c), "a column is written that nobody reads");
}

lift *lift_file(const struct ordinary_file *file, ordinary_naming naming, arena *a) {
    lift *u = arena_zalloc(a, 1, sizeof *u);
    const struct ordinary_model *m = file->model;
    u->arena = a;
    u->m = m;
    u->as_f16 = file->as_f16;
    u->names = ordinary_tensors_make(m, naming, a);
    find_columns(u);
    check_norms(u);
    for (uint32_t t = 0; t < m->vocabulary; t++)
        read_embedding(u, m->token_embedding + (size_t)t * m->width, lift_pin(m), LIFT_TOKEN, t, m->vocabulary);
    for (uint32_t i = 0; m->architecture == ORDINARY_GPT2 && i < m->positions; i++)
        read_embedding(u, m->position_embedding + (size_t)i * m->width, 0, LIFT_TABLE, i, m->positions);
    find_dead(u);
    find_letters(u);
    settle_embedding(u);
    find_writers(u);
    find_frequencies(u);
    for (uint32_t l = 1; l <= m->layer_count; l++) {
        lift_layer_heads(u, l);
        lift_layer_steps(u, l);
    }
    read_outputs(u);
    check_all_read(u);
    lift_settle_dead(u);
    return u;
}
