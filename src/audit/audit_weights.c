#include "audit/audit_weights.h"

#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/work.h"
#include "number/decimal.h"

/* ---- the table ---- */

enum { MOST_WORDS = 4 };
#define TABLE_ARCS ((uint64_t)1 << 20)

typedef struct piece {
    const char *at;
    size_t length;
    bool quoted;
} piece;

typedef enum table_form { SAYS_NOTHING, SAYS_LETTERS, SAYS_AFTER, SAYS_STATES } table_form;

typedef struct table_reader {
    const temper_spec *source;
    weight_table *out;
    rational_pool *pool;
    arena *a;
    table names; /* of states */
    table_form says;
} table_reader;

static _Noreturn void refuse(const table_reader *r, const char *why) {
    trap_raise(r->a->trap, TEMPER_RANGE, 0, 0, "the probabilities of the model's source: %s", why);
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is(piece p, const char *word) {
    return !p.quoted && p.length == strlen(word) && memcmp(p.at, word, p.length) == 0;
}

/* Cuts a line into words; `--` begins a comment. */
static size_t cut(const table_reader *r, const char *line, const char *end, piece words[MOST_WORDS]) {
    size_t count = 0;
    for (const char *at = line; at < end;) {
        if (is_space(*at)) {
            at++;
            continue;
        }
        if (at + 1 < end && at[0] == '-' && at[1] == '-') return count;
        piece p = {.at = at, .quoted = *at == '\''};
        const char *stop = at + 1;
        while (stop < end && (p.quoted ? *stop != '\'' : !is_space(*stop))) stop++;
        if (p.quoted && (stop == end || stop == at + 1)) refuse(r, "a quote that is not closed");
        if (p.quoted) p.at++;
        p.length = (size_t)(stop - p.at);
        at = stop + p.quoted;
        if (count == MOST_WORDS) refuse(r, "a line with too many words");
        words[count++] = p;
    }
    return count;
}

/* Digits from *at on, which moves behind them: their number, and how many there are in *count. */
static const rational *read_digits(const table_reader *r, const char **at, const char *end, size_t *count) {
    const char *from = *at;
    while (*at < end && **at >= '0' && **at <= '9') (*at)++;
    *count = (size_t)(*at - from);
    if (*count > DECIMAL_DIGITS) refuse(r, "a weight with too many digits");
    rational *x = rational_array(r->pool, 1);
    decimal_set(x, r->pool, from, *count);
    return x;
}

/* 3, 0.25, 1/3 */
static const rational *read_weight(const table_reader *r, piece p) {
    const char *at = p.at, *end = p.at + p.length;
    size_t digits, more = 0;
    rational *x = rational_array(r->pool, 2);
    rational_set(x, read_digits(r, &at, end, &digits));
    if (at < end && *at == '/' && digits) {
        at++;
        const rational *below = read_digits(r, &at, end, &more);
        if (!more || rational_is_zero(below) || at != end) refuse(r, "a fraction that is none");
        rational_div(x, x, below);
        return x;
    }
    if (at < end && *at == '.') {
        at++;
        rational_set(&x[1], read_digits(r, &at, end, &more));
        decimal_shift(&x[1], more);
        rational_add(x, x, &x[1]);
    }
    if (!(digits + more) || at != end) refuse(r, "a weight that is none");
    return x;
}

static uint32_t letter_of(const table_reader *r, piece p) {
    const alphabet *letters = &r->source->letters;
    if (is(p, "end")) return (uint32_t)letters->count;
    for (uint32_t k = 0; k < letters->count; k++)
        if (strlen(letters->letters[k]) == p.length && memcmp(letters->letters[k], p.at, p.length) == 0) return k;
    refuse(r, "a letter that is not in the alphabet");
}

static void push(const table_reader *r, weight_arc x) {
    weight_table *t = r->out;
    array_push(r->a, t->arcs, t->count, t->capacity, x);
}

/* What no line names weighs 1. Arc q * (letters + 1) + x is that of letter x in state q. */
static void fill_with_ones(table_reader *r, bool after) {
    uint32_t letters = (uint32_t)r->source->letters.count;
    rational *one = rational_array(r->pool, 1);
    rational_set_int(one, 1);
    r->out->states = after ? letters + 1 : 1;
    r->out->start = r->out->states - 1;
    if ((uint64_t)r->out->states * (letters + 1) > TABLE_ARCS) refuse(r, "too many letters");
    for (uint32_t q = 0; q < r->out->states; q++)
        for (uint32_t x = 0; x <= letters; x++) push(r, (weight_arc){q, x, after ? x : 0, one});
}

static void says(table_reader *r, table_form what) {
    if (r->says == what) return;
    if (r->says != SAYS_NOTHING) refuse(r, "lines of several forms");
    r->says = what;
    if (what != SAYS_STATES) fill_with_ones(r, what == SAYS_AFTER);
}

static uint32_t state_of(table_reader *r, piece p) {
    bool fresh;
    uint32_t q = *table_put(&r->names, p.at, p.length, r->out->states, &fresh);
    r->out->states += fresh;
    return q;
}

static void weigh(const table_reader *r, uint32_t state, piece letter, piece weight) {
    uint32_t x = letter_of(r, letter);
    r->out->arcs[(size_t)state * (r->source->letters.count + 1) + x].weight = read_weight(r, weight);
}

static void take(table_reader *r, const piece *w, size_t count) {
    uint32_t letters = (uint32_t)r->source->letters.count;
    if (count == 2 && is(w[0], "start")) {
        if (r->says != SAYS_NOTHING) refuse(r, "a start that is not the first line");
        says(r, SAYS_STATES);
        r->out->start = state_of(r, w[1]);
    } else if (r->says == SAYS_STATES && count == 3 && is(w[1], "end")) {
        uint32_t from = state_of(r, w[0]);
        push(r, (weight_arc){from, letters, from, read_weight(r, w[2])});
    } else if (r->says == SAYS_STATES && count == 4) {
        uint32_t from = state_of(r, w[0]), letter = letter_of(r, w[1]), to = state_of(r, w[2]);
        push(r, (weight_arc){from, letter, to, read_weight(r, w[3])});
    } else if (r->says != SAYS_STATES && count == 4 && is(w[0], "after")) {
        says(r, SAYS_AFTER);
        weigh(r, is(w[1], "start") ? letters : letter_of(r, w[1]), w[2], w[3]);
    } else if (r->says != SAYS_STATES && count == 2) {
        says(r, SAYS_LETTERS);
        weigh(r, 0, w[0], w[1]);
    } else {
        refuse(r, "a line that says no weight");
    }
}

weight_table *weight_table_read(const temper_spec *source, rational_pool *pool, arena *a) {
    table_reader r = {.source = source, .pool = pool, .a = a, .out = arena_zalloc(a, 1, sizeof *r.out)};
    const char *at = source->probabilities.text, *end = at ? at + source->probabilities.length : NULL;
    table_init(&r.names, a);
    if (!source->probabilities.is_said) refuse(&r, "it has none");
    while (at && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        piece words[MOST_WORDS];
        size_t count = cut(&r, at, stop, words);
        if (count) take(&r, words, count);
        at = stop + 1;
    }
    if (r.says == SAYS_NOTHING) fill_with_ones(&r, false);
    return r.out;
}

/* ---- the machine ---- */

enum { MACHINE_STATES = 1 << 12 };

/* Where a word leads: a state of the language, and how likely each state of the weights then is; all 0 after a word
   of probability 0. */
typedef struct place {
    uint32_t state;
    const rational *belief; /* [weight states] */
} place;

typedef struct machine_work {
    const automaton *language;
    const unsigned char *alive;
    size_t letters;
    const weight_table *w;
    rational_pool *pool;
    arena *a;
    place *places;
    size_t count, capacity;
    const rational *none; /* [weight states] zeros */
    rational *after;      /* [weight states] of the word that is looked at */
    size_t *first;        /* [letters + 2] of `by_letter` */
    const weight_arc **by_letter;
} machine_work;

static void sort_arcs(machine_work *m) {
    m->first = arena_zalloc(m->a, m->letters + 3, sizeof *m->first);
    m->by_letter = arena_alloc(m->a, m->w->count, sizeof *m->by_letter);
    for (size_t k = 0; k < m->w->count; k++) m->first[m->w->arcs[k].letter + 2]++;
    for (size_t x = 0; x <= m->letters; x++) m->first[x + 2] += m->first[x + 1];
    for (size_t k = 0; k < m->w->count; k++) m->by_letter[m->first[m->w->arcs[k].letter + 1]++] = &m->w->arcs[k];
}

static bool equal_rows(const rational *x, const rational *y, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!rational_equal(&x[k], &y[k])) return false;
    return true;
}

static bool is_none(const rational *x, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!rational_is_zero(&x[k])) return false;
    return true;
}

void weights_to_chances(rational *weights, size_t count, rational_pool *pool) {
    rational *sum = rational_array(pool, 1);
    for (size_t k = 0; k < count; k++) rational_add(sum, sum, &weights[k]);
    if (rational_is_zero(sum)) return;
    for (size_t k = 0; k < count; k++) {
        rational_div(&weights[k], &weights[k], sum);
        rational_require_short(pool, &weights[k]);
    }
}

static uint32_t language_next(const machine_work *m, uint32_t state, size_t letter) {
    const automaton *x = m->language;
    return x->next[(size_t)state * x->classes + x->class_of[letter]];
}

/* A word that nothing completes has no belief. */
static uint32_t place_of(machine_work *m, uint32_t state, const rational *belief) {
    if (!m->alive[state]) belief = m->none;
    for (uint32_t k = 0; k < m->count; k++)
        if (m->places[k].state == state && equal_rows(m->places[k].belief, belief, m->w->states)) return k;
    if (m->count >= work_limit(MACHINE_STATES))
        trap_raise_remedy(m->a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "language and weights have more states than are audited");
    rational *kept = rational_array(m->pool, m->w->states);
    for (uint32_t k = 0; k < m->w->states; k++) rational_set(&kept[k], &belief[k]);
    array_push(m->a, m->places, m->count, m->capacity, (place){state, kept});
    return (uint32_t)m->count - 1;
}

static const rational *belief_after(const machine_work *m, const rational *belief, size_t letter) {
    rational *after = m->after;
    for (uint32_t k = 0; k < m->w->states; k++) rational_set_int(&after[k], 0);
    for (size_t k = m->first[letter]; k < m->first[letter + 1]; k++) {
        const weight_arc *arc = m->by_letter[k];
        if (!rational_is_zero(&belief[arc->from]))
            rational_add_product(&after[arc->to], &belief[arc->from], arc->weight);
    }
    weights_to_chances(after, m->w->states, m->pool);
    return after;
}

static const rational *chances_at(const machine_work *m, const place *p) {
    rational *of = rational_array(m->pool, m->letters + 1);
    for (size_t k = 0; k < m->w->count; k++) {
        const weight_arc *arc = &m->w->arcs[k];
        if (rational_is_zero(&p->belief[arc->from])) continue;
        bool legal = arc->letter == m->letters ? m->language->accepts[p->state]
                                               : m->alive[language_next(m, p->state, arc->letter)];
        if (legal) rational_add_product(&of[arc->letter], &p->belief[arc->from], arc->weight);
    }
    weights_to_chances(of, m->letters + 1, m->pool);
    if (m->alive[p->state] && !is_none(p->belief, m->w->states) && is_none(of, m->letters + 1))
        trap_raise(m->a->trap, TEMPER_RANGE, 0, 0,
                   "the probabilities of the model's source: somewhere everything that is legal has the weight 0");
    return of;
}

chance_machine *chance_machine_make(const automaton *language, const unsigned char *alive, size_t letters,
                                    const weight_table *w, rational_pool *pool, arena *a) {
    machine_work m = {.language = language, .alive = alive, .letters = letters, .w = w, .pool = pool, .a = a};
    chance_machine *out = arena_zalloc(a, 1, sizeof *out);
    uint32_t *next = NULL;
    size_t next_count = 0, next_capacity = 0, score_capacity = 0, score_count = 0;
    rational *first = rational_array(pool, w->states);
    m.none = rational_array(pool, w->states);
    m.after = rational_array(pool, w->states);
    sort_arcs(&m);
    rational_set_int(&first[w->start], 1);
    place_of(&m, 0, first);
    for (size_t k = 0; k < m.count; k++)
        for (size_t x = 0; x < letters; x++) {
            uint32_t to =
                place_of(&m, language_next(&m, m.places[k].state, x), belief_after(&m, m.places[k].belief, x));
            array_push(a, next, next_count, next_capacity, to);
        }
    out->moves = (automaton){.states = (uint32_t)m.count, .classes = (uint32_t)letters, .next = next};
    out->moves.class_of = arena_alloc(a, letters, sizeof *out->moves.class_of);
    for (uint32_t x = 0; x < letters; x++) out->moves.class_of[x] = x;
    out->score = arena_alloc(a, m.count, sizeof *out->score);
    for (size_t k = 0; k < m.count; k++) {
        size_t s = 0;
        const rational *of = chances_at(&m, &m.places[k]);
        while (s < score_count && !equal_rows(out->scores[s], of, letters + 1)) s++;
        if (s == score_count) array_push(a, out->scores, score_count, score_capacity, of);
        out->score[k] = (uint32_t)s;
    }
    out->score_count = (uint32_t)score_count;
    return out;
}
