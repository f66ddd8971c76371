/* Whether logits are the logarithms of the probabilities that the source gives (doc/certificate.md,
   "Probabilities"). */
#include <math.h>

#include "audit/audit.h"
#include "audit/audit_source_meaning.h"
#include "audit/audit_weights.h"

enum { SET_OUTPUTS = 6 }; /* of a source that says what is viable */
static const double NEVER = -1024;

static void release_spec(void *spec) { temper_spec_free(spec); }

static rational_pool *new_pool(const audit *a) {
    rational_pool *pool = arena_alloc(a->arena, 1, sizeof *pool);
    rational_pool_init(pool, a->arena);
    return pool;
}

/* ---- what the source says ---- */

/* The words after which a score holds. */
static const automaton *score_automaton(const audit *a, const chance_machine *m, uint32_t score) {
    automaton of = m->moves;
    of.accepts = arena_alloc(a->arena, of.states, 1);
    for (uint32_t q = 0; q < of.states; q++) of.accepts[q] = m->score[q] == score;
    return automaton_least(a->arena, &of, a->model->letters.count);
}

static void check_table(audit *a, audited_score *x, const automaton *words, const language_claim *claim) {
    if (!claim->formula) audit_refuse(a, 0, 0, "a score of the certificate has no formula");
    temper_spec *spec =
        audit_read_spec(a, claim->formula, TEMPER_SYNTAX_SPEC, TEMPER_KIND_ACCEPTOR, "the formula of a score");
    arena_on_release(a->arena, release_spec, spec);
    language_table *t = arena_zalloc(a->arena, 1, sizeof *t);
    language_begin(t, spec, words, false, a->arena);
    language_read_rows(t, claim->rows, claim->row_count);
    language_check(t);
    x->formula = claim->formula;
    x->table = t;
    x->meaning = source_meanings(&a->meaning, spec, NULL, a->arena)[spec->root];
}

void audit_scores(audit *a, const temper_spec *source, const automaton *language, const unsigned char *alive,
                  const audit_request *request) {
    if (!request->chances) return;
    rational_pool *pool = new_pool(a);
    const weight_table *w = weight_table_read(source, pool, a->arena);
    const chance_machine *m = chance_machine_make(language, alive, a->model->letters.count, w, pool, a->arena);
    if (m->score_count != request->score_count)
        audit_refuse(a, 0, 0, "the model's source has %u scores, the certificate %zu", m->score_count,
                     request->score_count);
    a->scores = arena_zalloc(a->arena, m->score_count, sizeof *a->scores);
    a->score_count = m->score_count;
    for (uint32_t k = 0; k < m->score_count; k++) {
        a->scores[k].chances = m->scores[k];
        check_table(a, &a->scores[k], score_automaton(a, m, k), &request->scores[k]);
    }
    a->first_chances = m->scores[m->score[0]];
}

static const rational *chances_of_set(const audit *a, const weight_table *w, const bool *legal, rational_pool *pool) {
    size_t outputs = model_output_count(a->model);
    rational *of = rational_array(pool, outputs);
    bool any = false, some = false;
    for (size_t k = 0; k < w->count; k++)
        if (legal[w->arcs[k].letter]) rational_add(&of[w->arcs[k].letter], &of[w->arcs[k].letter], w->arcs[k].weight);
    for (size_t k = 0; k < outputs; k++) {
        any = any || legal[k];
        some = some || !rational_is_zero(&of[k]);
    }
    if (any && !some) audit_refuse(a, 0, 0, "somewhere everything that is legal has the weight 0");
    weights_to_chances(of, outputs, pool);
    return of;
}

void audit_viable_scores(audit *a, const temper_spec *source, const audit_request *request) {
    size_t outputs = model_output_count(a->model);
    diagram *d = &a->meaning.d;
    bool legal[SET_OUTPUTS] = {0};
    if (!request->chances) return;
    rational_pool *pool = new_pool(a);
    const weight_table *w = weight_table_read(source, pool, a->arena);
    if (w->states > 1 || outputs > SET_OUTPUTS)
        audit_refuse(a, 0, 0, "probabilities of this form are not audited beside a line 'viable'");
    a->scores = arena_zalloc(a->arena, (size_t)1 << outputs, sizeof *a->scores);
    for (size_t set = 0; set < (size_t)1 << outputs; set++) {
        dd where = 1;
        for (size_t k = 0; k < outputs; k++) {
            legal[k] = set >> k & 1;
            where = dd_and(d, where, legal[k] ? a->outputs[k].meaning : dd_not(d, a->outputs[k].meaning));
        }
        if (where)
            a->scores[a->score_count++] =
                (audited_score){.meaning = where, .chances = chances_of_set(a, w, legal, pool)};
    }
    for (size_t k = 0; k < outputs; k++) legal[k] = a->outputs[k].empty;
    a->first_chances = chances_of_set(a, w, legal, pool);
}

/* ---- what the rows say ---- */

static void compare(audit *a, uint32_t output, double value, const rational *chance) {
    if (rational_is_zero(chance)) {
        if (value != NEVER)
            audit_refuse(a, 0, 0, "the logit of output %u is %.17g where its probability is 0, not -1024", output + 1,
                         value);
        return;
    }
    calculus *c = &a->calculus;
    calc_begin(c);
    ball *p = calc_ball(c);
    ball_set_rational(p, chance);
    const ball *off = sub(c, logarithm(c, p), num(c, value));
    ball_max(a->off[output], a->off[output], larger(c, off, sub(c, num(c, 0), off)));
}

static double is_nothing(void *context, double x) {
    (void)context;
    return x == 0;
}

/* All values of a row where a score holds. Elsewhere its channels are taken as 0. */
static void compare_score(audit *a, uint32_t output, const audited_score *score) {
    const model_rows *rows = &a->model->logits;
    const model_term *terms = rows_begin_of(rows, output);
    size_t count = rows_size(rows, output), values;
    diagram *d = &a->meaning.d;
    arena_reset(a->scratch);
    dd *f = arena_alloc(a->scratch, count, sizeof *f);
    for (size_t k = 0; k < count; k++) {
        dd channel = a->channels[terms[k].channel].letters;
        if (!dd_is_boolean(d, channel)) audit_refuse(a, 0, 0, "a logit reads a channel that is not Boolean");
        f[k] = dd_times(d, dd_and(d, channel, score->meaning), terms[k].weight);
    }
    /* in pairs; dd_sum would ask that all weights together are a double, though few are met at once */
    for (size_t left = count; left > 1; left = (left + 1) / 2)
        for (size_t k = 0; k < left / 2; k++) f[k] = dd_add(d, f[k], f[left - 1 - k]);
    dd sum = count ? f[0] : 0;
    const double *value = dd_leaves(d, sum, &values, a->scratch);
    for (size_t k = 0; k < values; k++) {
        bool met = value[k] != 0 || dd_and(d, score->meaning, dd_map(d, sum, is_nothing, NULL)) != 0;
        if (met) compare(a, output, value[k], &score->chances[output]);
    }
}

static void compare_start(audit *a, uint32_t output) {
    const model_term *terms = rows_begin_of(&a->model->logits, output);
    double sum = 0;
    for (size_t k = 0; k < rows_size(&a->model->logits, output); k++) {
        double x = terms[k].weight * a->channels[terms[k].channel].start, before = sum;
        sum += x;
        if (sum - before != x || sum - x != before)
            audit_refuse(a, 0, 0, "a logit before the first letter is no double");
    }
    compare(a, output, sum, &a->first_chances[output]);
}

void audit_log_probabilities(audit *a) {
    uint32_t outputs = model_output_count(a->model);
    if (!a->scores) return;
    a->off = arena_alloc(a->arena, outputs, sizeof *a->off);
    for (uint32_t k = 0; k < outputs; k++) {
        a->off[k] = ball_array(a->arena, 1);
        for (size_t s = 0; s < a->score_count; s++) compare_score(a, k, &a->scores[s]);
        compare_start(a, k);
    }
}
