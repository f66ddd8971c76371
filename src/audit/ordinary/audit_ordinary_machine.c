/* A model without counts, or with counts that only go up or only go down until they are compared, is a finite
   machine: what its heads remember of the letters so far. It is followed beside the least automaton of the source's
   language, letter by letter, until nothing new comes; in every pair of states logits must be what the automaton
   says. By induction on the length that holds after every prefix. A transducer has an automaton for each output. */
#include <math.h>
#include <string.h>

#include "audit/ordinary/audit_ordinary.h"
#include "base/work.h"

enum { MOST_PAIRS = 1 << 17, MOST_PERIOD = 64, MOST_BEFORE = 16, MOST_SEEN = 24, MOST_ROWS = 64 };
#define MOST_WORK ((uint64_t)1 << 31)

/* What a head remembers is a list of numbers:

       once        the largest key so far
       nearest     the largest score so far, and the values there; or, if queries vary, the different keys so far,
                   each with its values, the one that is chosen first in front
       yesterday   the values
       mean        the sums of values that are never negative, while they are negative; or the other way round */
typedef struct machine {
    ordinary_audit *s;
    const lift *u;
    const automaton **languages; /* one, or of a transducer one for each output */
    size_t language_count;
    const unsigned char *alive; /* [states of the one] */
    size_t *output_of;          /* [vocabulary] of a transducer: the output that a token is, or language_count */
    uint32_t before, period;    /* positions from `before` on repeat; period 0: they do not */
    size_t *at;                 /* [heads + 1] where its memory begins */
    bool *used;                 /* [heads] */
    uint32_t *modulus;          /* [heads] of weighed means */
    size_t size;                /* numbers of a state: position, automata, memory */
    double *columns;
    table index;
    double **found;
    size_t count, capacity;
    uint64_t work;
    uint32_t wrong; /* the token of a logit that is not what the automaton says */
    bool is_legal;  /* by the automaton */
} machine;

/* Not wrong, but too large; more effort may do. */
_Noreturn static void give_up(const machine *m, const char *does, uint64_t limit, const char *what) {
    trap_raise_remedy(m->s->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                      "too large for the audit, which %s at most %llu %s", does, (unsigned long long)limit, what);
}

/* ---- which positions are alike ---- */

static void note_columns(bool *read, const lift_form *f) {
    for (size_t k = 0; k < f->count; k++) read[f->terms[k].channel] = true;
}

static bool is_used(const lift *u, const lift_head *h) {
    for (size_t v = 0; v < h->value_count; v++)
        if (!ordinary_is_place(&u->columns[h->values[v].column])) return true;
    return false;
}

static bool is_step_used(const lift *u, const lift_step *s) {
    for (size_t k = 0; k < s->count; k++)
        if (!ordinary_is_place(&u->columns[s->terms[k].channel])) return true;
    return false;
}

static bool repeats(const lift *u, const bool *read, uint32_t before, uint32_t period) {
    for (uint32_t c = 0; c < u->column_count; c++) {
        const double *x = u->columns[c].place;
        if (!read[c] || !ordinary_is_place(&u->columns[c])) continue;
        for (uint32_t i = before; i + period < u->m->positions; i++)
            if (x[i] != x[i + period]) return false;
    }
    return true;
}

static void find_period(machine *m) {
    const lift *u = m->u;
    bool *read = arena_zalloc(m->s->arena, u->column_count, sizeof *read);
    for (size_t h = 0; h < u->head_count; h++) {
        const lift_head *x = &u->heads[h];
        if (!m->used[h] || x->role == LIFT_LOOKUP) continue; /* which reads at another position */
        for (size_t k = 0; k < x->content; k++) {
            note_columns(read, &x->products[k].query);
            note_columns(read, &x->products[k].key);
        }
        for (size_t v = 0; v < x->value_count; v++) note_columns(read, &x->values[v].value);
    }
    for (size_t k = 0; k < u->step_count; k++)
        if (is_step_used(u, &u->steps[k])) note_columns(read, &u->steps[k].sum);
    for (uint32_t t = 0; t < u->m->vocabulary; t++) note_columns(read, &u->outputs[t]);
    for (size_t h = 0; h < u->head_count; h++)
        if (m->used[h] && u->heads[h].role == LIFT_WEIGHED && !m->modulus[h]) { /* its number tells positions apart */
            m->period = 0;
            return;
        }
    for (m->period = 1; m->period <= MOST_PERIOD; m->period++)
        for (m->before = 0; m->before <= MOST_BEFORE && m->before + m->period < u->m->positions; m->before++)
            if (repeats(u, read, m->before, m->period)) return;
    m->period = 0;
}

/* The position after, or one that is like it; positions: there is none. */
static uint32_t next_position(const machine *m, uint32_t i) {
    if (m->period && i + 1 == m->before + m->period) return m->before;
    return i + 1;
}

/* ---- one position ---- */

static double value_of(const machine *m, const lift_form *f) {
    double x = f->one;
    for (size_t k = 0; k < f->count; k++) x += f->terms[k].weight * m->columns[f->terms[k].channel];
    return x + 0.0; /* states are compared by their bytes: no -0 */
}

/* Of what is added to a sum at letters. */
static void letter_range(const lift *u, const lift_form *f, double *low, double *high) {
    lift_form letters = *f;
    letters.terms = arena_alloc(u->arena, f->count, sizeof *letters.terms);
    letters.count = 0;
    for (size_t k = 0; k < f->count; k++)
        if (f->terms[k].channel != u->start) letters.terms[letters.count++] = f->terms[k];
    lift_range(u, &letters, low, high);
}

static bool varies(const lift_head *h) {
    for (size_t k = 0; k < h->content; k++)
        if (h->products[k].query.count) return true;
    return false;
}

static void see_once(const machine *m, const lift_head *h, double *memory, bool begun) {
    double key = value_of(m, &h->products[0].key), *largest = &m->s->largest[h - m->u->heads];
    if (!begun || key > memory[0]) memory[0] = key;
    double unit = lift_grain(m->u, &h->products[0].key);
    if (unit > 0) *largest = fmax(*largest, fabs(key) / unit);
    for (size_t v = 0; v < h->value_count; v++) m->columns[h->values[v].column] = unit > 0 ? memory[0] / unit : 0;
}

static double score_of(const machine *m, const lift_head *h, const double *keys) {
    double score = 0;
    for (size_t k = 0; k < h->content; k++) score += value_of(m, &h->products[k].query) * keys[k];
    return score;
}

static void see_nearest(const machine *m, const lift_head *h, double *memory, bool begun) {
    double score = 0;
    for (size_t k = 0; k < h->content; k++) score += h->products[k].query.one * value_of(m, &h->products[k].key);
    if (!begun || score > memory[0] || (score == memory[0] && h->last)) {
        memory[0] = score;
        for (size_t v = 0; v < h->value_count; v++) memory[1 + v] = value_of(m, &h->values[v].value);
    }
    for (size_t v = 0; v < h->value_count; v++) m->columns[h->values[v].column] = memory[1 + v];
}

/* memory: how many, then keys and values of each. Of equal scores the first in the list is chosen. */
static void see_match(const machine *m, const lift_head *h, double *memory) {
    size_t width = h->content + h->value_count, count = (size_t)memory[0], same = 0;
    double here[MOST_ROWS], *list = memory + 1;
    for (size_t k = 0; k < h->content; k++) here[k] = value_of(m, &h->products[k].key);
    for (size_t v = 0; v < h->value_count; v++) here[h->content + v] = value_of(m, &h->values[v].value);
    while (same < count && memcmp(list + same * width, here, h->content * sizeof *here) != 0) same++;
    if (same == count && count == MOST_SEEN)
        trap_raise(m->s->trap, TEMPER_LIMIT, 0, 0,
                   "too large for the audit, which follows at most %d kinds of keys of a head", MOST_SEEN);
    if (h->last) { /* the newest in front */
        memmove(list + width, list, same * width * sizeof *list);
        memcpy(list, here, width * sizeof *list);
    } else if (same == count) {
        memcpy(list + count * width, here, width * sizeof *list);
    }
    if (same == count) memory[0] = (double)++count;
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (score_of(m, h, list + k * width) > score_of(m, h, list + best * width)) best = k;
    for (size_t v = 0; v < h->value_count; v++) m->columns[h->values[v].column] = list[best * width + h->content + v];
}

static void see_yesterday(const machine *m, const lift_head *h, double *memory, bool begun) {
    for (size_t v = 0; v < h->value_count; v++) {
        double now = value_of(m, &h->values[v].value);
        m->columns[h->values[v].column] = begun ? memory[v] : now;
        memory[v] = now;
    }
}

/* A sum that only goes up keeps its sign once that is positive, and only the sign is asked for. */
static void see_mean(const machine *m, const lift_head *h, double *memory, bool begun) {
    for (size_t v = 0; v < h->value_count; v++) {
        double low, high, now = value_of(m, &h->values[v].value);
        letter_range(m->u, &h->values[v].value, &low, &high);
        memory[v] = begun ? memory[v] + now : now;
        if (memory[v] > 0 && low >= 0) memory[v] = 1;
        if (memory[v] < 0 && high <= 0) memory[v] = -1;
        m->columns[h->values[v].column] = memory[v];
    }
}

/* On the start sentinel there is nothing else to look at. */
static void see_compare(const machine *m, const lift_head *h, bool begun) {
    double sum = value_of(m, &h->products[0].query);
    if (begun && sum == 0) ordinary_refuse(m->s, h->layer, h->slot + 1, "its mean may be 0");
    for (size_t v = 0; v < h->value_count; v++) m->columns[h->values[v].column] = !begun || sum > 0;
}

/* A count, up to multiples of what the tables that are read there repeat after. */
static void see_weighed(const machine *m, const lift_head *h, uint32_t modulus, double *memory, bool begun) {
    for (size_t v = 0; v < h->value_count; v++) {
        memory[v] = (begun ? memory[v] : 0) + value_of(m, &h->values[v].value);
        if (modulus) memory[v] = fmod(memory[v], modulus);
        m->columns[h->values[v].column] = memory[v];
    }
}

static void see_lookup(const machine *m, const lift_head *h) {
    double number = m->columns[h->number];
    if (!(number >= 0 && number < m->u->m->positions))
        ordinary_refuse(m->s, h->layer, h->slot + 1, "it looks up a position that there is not");
    uint32_t at = (uint32_t)number;
    for (size_t v = 0; v < h->value_count; v++) {
        lift_form f = h->values[v].value;
        double x = f.one;
        for (size_t k = 0; k < f.count; k++) x += f.terms[k].weight * m->u->columns[f.terms[k].channel].place[at];
        m->columns[h->values[v].column] = x + 0.0;
    }
}

static void see_head(const machine *m, size_t head, double *memory, bool begun) {
    const lift_head *h = &m->u->heads[head];
    memory += m->at[head];
    if (h->role == LIFT_ONCE)
        see_once(m, h, memory, begun);
    else if (h->role == LIFT_NEAREST && varies(h))
        see_match(m, h, memory);
    else if (h->role == LIFT_NEAREST)
        see_nearest(m, h, memory, begun);
    else if (h->role == LIFT_MEAN)
        see_mean(m, h, memory, begun);
    else if (h->role == LIFT_COMPARE)
        see_compare(m, h, begun);
    else if (h->role == LIFT_WEIGHED)
        see_weighed(m, h, m->modulus[head], memory, begun);
    else if (h->role == LIFT_LOOKUP)
        see_lookup(m, h);
    else
        see_yesterday(m, h, memory, begun);
}

/* All columns at a position; memory becomes that after it. */
static void see(machine *m, uint32_t token, uint32_t position, double *memory, bool begun) {
    const lift *u = m->u;
    size_t head = 0, step = 0;
    m->work += m->language_count + u->column_count + u->head_count + u->step_count;
    work_at(m->work);
    if (m->work > work_limit(MOST_WORK)) give_up(m, "takes", work_limit(MOST_WORK), "steps");
    for (uint32_t c = 0; c < u->column_count; c++) {
        const lift_column *x = &u->columns[c];
        m->columns[c] = x->writer == LIFT_TOKEN ? x->tokens[token] : x->place ? x->place[position] : 0;
    }
    for (uint32_t l = 1; l <= u->m->layer_count; l++) {
        for (; head < u->head_count && u->heads[head].layer == l; head++)
            if (m->used[head]) see_head(m, head, memory, begun);
        for (; step < u->step_count && u->steps[step].layer == l; step++) {
            const lift_step *s = &u->steps[step];
            lift_form sum = s->sum;
            sum.one = 0;
            if (value_of(m, &sum) / (2 * LIFT_GATE) < s->at) continue;
            for (size_t k = 0; k < s->count; k++)
                if (!ordinary_is_place(&u->columns[s->terms[k].channel]))
                    m->columns[s->terms[k].channel] += s->terms[k].weight;
        }
    }
}

/* ---- pairs of states ---- */

static uint32_t next_state(const automaton *x, double q, uint32_t letter) {
    return x->next[(size_t)q * x->classes + x->class_of[letter]];
}

static bool is_legal(const machine *m, const double *q, uint32_t token) {
    const automaton *x = m->languages[0];
    if (m->output_of) {
        size_t k = m->output_of[token];
        return k < m->language_count && m->languages[k]->accepts[(size_t)q[k]];
    }
    if (token == ORDINARY_EOS) return x->accepts[(size_t)q[0]];
    return m->s->claim->kind == TEMPER_KIND_ACCEPTOR || m->alive[next_state(x, q[0], token - ORDINARY_LETTERS)];
}

/* Whether the logits of a position say what the automata say. */
static bool check_logits(machine *m, const double *q) {
    const lift *u = m->u;
    for (uint32_t t = ORDINARY_EOS; t + 1 < u->m->vocabulary; t++) {
        bool legal = is_legal(m, q, t);
        if (value_of(m, &u->outputs[t]) != (legal ? 0 : -ORDINARY_LEGAL)) {
            m->wrong = t;
            m->is_legal = legal;
            return false;
        }
    }
    return true;
}

static void add_pair(machine *m, double *state) {
    bool fresh;
    table_put(&m->index, state, m->size * sizeof *state, (uint32_t)m->count, &fresh);
    if (!fresh) return;
    if (m->count >= work_limit(MOST_PAIRS)) give_up(m, "follows", work_limit(MOST_PAIRS), "states");
    array_push(m->s->arena, m->found, m->count, m->capacity, state);
}

/* Whether all pairs of states agree. */
static bool follow(machine *m) {
    const lift *u = m->u;
    double *state = arena_zalloc(m->s->arena, m->size, sizeof *state);
    table_init(&m->index, m->s->arena);
    m->count = 0;
    m->s->largest = arena_alloc(m->s->arena, u->head_count, sizeof *m->s->largest);
    for (size_t h = 0; h < u->head_count; h++) m->s->largest[h] = m->used[h] ? 0 : INFINITY;
    see(m, ORDINARY_BOS, 0, state + 1 + m->language_count, false);
#include "base/work.h"
    if (!check_logits(m, state + 1)) return false;
    add_pair(m, state);
    for (size_t k = 0; k < m->count; k++) {
        uint32_t position = next_position(m, (uint32_t)m->found[k][0]);
        for (uint32_t letter = 0; letter < u->letters && position < u->m->positions; letter++) {
            double *to = arena_alloc(m->s->arena, m->size, sizeof *to);
            memcpy(to, m->found[k], m->size * sizeof *to);
            to[0] = position;
            for (size_t l = 0; l < m->language_count; l++) to[1 + l] = next_state(m->languages[l], to[1 + l], letter);
            see(m, ORDINARY_LETTERS + letter, position, to + 1 + m->language_count, true);
            if (!check_logits(m, to + 1)) return false;
            add_pair(m, to);
        }
    }
    return true;
}

/* A look-up that reads tables of remainders at a count is finite: what they repeat after; 0: it is not. */
static uint32_t lookup_period(const lift *u, const lift_head *h) {
    lift_number x = lift_number_of(u, &lift_value_of(u, h->number)->value);
    if (x.low < 0 || x.high > 1 || x.first != 0) return 0;
    for (uint32_t p = 1; p <= MOST_PERIOD && p < u->m->positions; p++) {
        bool all = true;
        for (size_t v = 0; v < h->value_count && all; v++) {
            const double *place = lift_place(u, &h->values[v].value);
            for (uint32_t i = 0; place && i + p < u->m->positions && all; i++) all = place[i] == place[i + p];
            all = all && place;
        }
        if (all) return p;
    }
    return 0;
}

/* The common multiple of what the look-ups of a mean repeat after. */
static uint32_t modulus_of(const lift *u, size_t mean) {
    uint32_t modulus = 1;
    for (size_t h = 0; h < u->head_count; h++) {
        if (u->heads[h].role != LIFT_LOOKUP || u->heads[h].of != mean) continue;
        uint32_t p = lookup_period(u, &u->heads[h]), a = modulus, b = p;
        while (b) {
            uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        modulus = modulus / a * p;
        if (modulus > u->m->positions) return 0; /* numbers are smaller than that while positions are not alike */
    }
    return modulus;
}

bool ordinary_is_finite(const lift *u, bool with_counts) {
    for (size_t h = 0; h < u->head_count; h++) {
        lift_role r = u->heads[h].role;
        if (!with_counts && (r == LIFT_WEIGHED || r == LIFT_LOOKUP)) return false;
        if (r == LIFT_LOOKUP && !lookup_period(u, &u->heads[h])) return false;
        if (!with_counts && (r == LIFT_MEAN || r == LIFT_COMPARE)) return false;
        for (size_t v = 0; r == LIFT_MEAN && v < u->heads[h].value_count; v++) {
            double low, high;
            letter_range(u, &u->heads[h].values[v].value, &low, &high);
            if (low < 0 && high > 0) return false;
        }
    }
    return true;
}

static void place_memory(machine *m) {
    const lift *u = m->u;
    m->at = arena_alloc(m->s->arena, u->head_count + 1, sizeof *m->at);
    m->used = arena_alloc(m->s->arena, u->head_count, sizeof *m->used);
    m->modulus = arena_zalloc(m->s->arena, u->head_count, sizeof *m->modulus);
    m->at[0] = 0;
    for (size_t h = 0; h < u->head_count; h++) {
        const lift_head *x = &u->heads[h];
        size_t size = x->value_count + 1;
        if (x->role == LIFT_NEAREST && varies(x)) {
            size_t width = x->content + x->value_count;
            if (width > MOST_ROWS) ordinary_refuse(m->s, x->layer, x->slot + 1, "it has too many rows");
            size = 1 + MOST_SEEN * width;
        }
        m->used[h] = is_used(u, x);
        if (x->role == LIFT_WEIGHED) m->modulus[h] = modulus_of(u, h);
        if (m->used[h] && x->role == LIFT_WAVE)
            ordinary_refuse(m->s, x->layer, x->slot + 1, "its wave is read as it is");
        m->at[h + 1] = m->at[h] + (m->used[h] ? size : 0);
    }
    m->size = 1 + m->language_count + m->at[u->head_count];
}

static unsigned char *find_alive(const automaton *x, arena *a) {
    unsigned char *alive = arena_zalloc(a, x->states, 1);
    bool grown = true;
    memcpy(alive, x->accepts, x->states);
    while (grown) {
        grown = false;
        for (size_t k = 0; k < (size_t)x->states * x->classes; k++)
            if (alive[x->next[k]] && !alive[k / x->classes]) alive[k / x->classes] = 1, grown = true;
    }
    return alive;
}

/* Of one output of the source. */
static const automaton *output_automaton(const ordinary_audit *s, size_t output) {
    temper_spec spec = *s->spec;
    const formula *f = &spec.graph;
    if (spec.kind == TEMPER_KIND_TRANSDUCER) {
        spec.root = spec_output_root(s->spec, output);
        spec.accepts_empty = spec_output_empty(s->spec, output);
        spec.at = s->claim->mirrored ? TEMPER_AT_FIRST : TEMPER_AT_LAST; /* it stands where it writes */
    }
    const unsigned char *marks = formula_reachable(f, spec.root, s->arena);
    const automaton **languages = arena_zalloc(s->arena, f->language_count, sizeof *languages);
    for (node_id id = 1; id <= spec.root; id++) {
        const formula_node *n = formula_at(f, id);
        if (marks[id] && n->op == OP_MATCHES && !languages[n->set])
            languages[n->set] = audit_language_automaton(s->shell, &f->languages[n->set]);
    }
    const automaton *x =
        language_automaton(&spec, spec.at == TEMPER_AT_FIRST, spec.accepts_empty, languages, s->arena);
    return s->claim->mirrored ? automaton_reversed(s->arena, x, spec.letters.count) : x;
}

static void find_languages(machine *m) {
    const ordinary_audit *s = m->s;
    bool transducer = s->claim->kind == TEMPER_KIND_TRANSDUCER;
    m->language_count = transducer ? s->spec->output_count : 1;
    m->languages = arena_alloc(s->arena, m->language_count, sizeof *m->languages);
    for (size_t k = 0; k < m->language_count; k++) m->languages[k] = output_automaton(s, k);
    if (!transducer) {
        m->alive = find_alive(m->languages[0], s->arena);
        return;
    }
    m->output_of = arena_alloc(s->arena, s->u->m->vocabulary, sizeof *m->output_of);
    for (uint32_t t = 0; t < s->u->m->vocabulary; t++) m->output_of[t] = m->language_count;
    for (size_t k = 0; k < m->language_count; k++) {
        uint32_t token = ordinary_output_token(s, k);
        if (m->output_of[token] < m->language_count) ordinary_refuse(s, 0, 0, "two outputs write token %u", token);
        m->output_of[token] = k;
    }
}

void ordinary_machine_check(ordinary_audit *s) {
    machine m = {.s = s, .u = s->u};
    find_languages(&m);
    m.columns = arena_zalloc(s->arena, s->u->column_count, sizeof *m.columns);
    place_memory(&m);
    find_period(&m);
    bool agrees = follow(&m);
    if (!agrees &&
        m.period) { /* positions that repeat go on for ever, and a model ends: each is a state of its own */
        m.period = 0;
        agrees = follow(&m);
    }
    if (!agrees)
        ordinary_refuse(s, 0, 0, "token %u is %s after some prefix, and the model says otherwise", m.wrong,
                        m.is_legal ? "legal" : "illegal");
}
