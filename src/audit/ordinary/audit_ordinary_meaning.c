/* A model with counts: what every column means, by induction over the layers, in the atoms of audit_meaning.h. The
   source's outputs mean the same, or the claim is refused. */
#include <math.h>
#include <string.h>

#include "audit/audit_source_meaning.h"
#include "audit/ordinary/audit_ordinary.h"

enum { MOST_PERIOD = 64, MOST_FIRST = 16, MOST_PATTERNS = 1 << 12 };

typedef ordinary_sense sense; /* of a column, or of a form */

typedef struct senses {
    ordinary_audit *s;
    const lift *u;
    meaning *m;
    sense *columns;
    sense *means; /* [columns] of the values of means */
    bool past;
} senses;

#define REFUSE(x, h, ...) ordinary_refuse((x)->s, (h)->layer, (h)->slot + 1, __VA_ARGS__)
#define NEED(x, h, c, ...)                                                                                           \
    do {                                                                                                             \
        if (!(c)) REFUSE(x, h, __VA_ARGS__);                                                                         \
    } while (0)

/* ---- forms ---- */

static sense sense_of(const senses *x, const lift_form *f, double by) {
    arena *a = x->s->arena;
    sense r = {.start = f->one / by, .known = true, .shifted = true};
    dd *parts = arena_alloc(a, f->count + 1, sizeof *parts), *before = arena_alloc(a, f->count + 1, sizeof *before);
    double *weights = arena_alloc(a, f->count + 1, sizeof *weights);
    for (size_t k = 0; k < f->count; k++) {
        const sense *c = &x->columns[f->terms[k].channel];
        weights[k] = f->terms[k].weight / by;
        parts[k] = c->letters;
        before[k] = c->before;
        r.start += weights[k] * c->start;
        r.copied += weights[k] * c->copied;
        r.known = r.known && c->known;
        r.shifted = r.shifted && c->shifted;
    }
    r.shifted = r.shifted && f->one == 0 && f->count;
    if (!r.known) return r;
    weights[f->count] = f->one / by;
    parts[f->count] = 1; /* the number 1 */
    r.letters = dd_sum(&x->m->d, parts, weights, f->count + (f->one != 0), NAN, NAN);
    if (r.shifted) r.before = dd_sum(&x->m->d, before, weights, f->count, NAN, NAN);
    return r;
}

/* All of it, so that a mask is one position shorter. */
static bool is_copy(const sense *c) { return c->shifted && c->copied == 0; }

static bool is_boolean(const senses *x, const sense *c) {
    return c->known && c->start == 0 && dd_is_boolean(&x->m->d, c->letters);
}

/* ---- positions ---- */

/* place[1] and on, up to place[n - 1]. Numbers that repeat are remainders of the position; 1 at one of the first
   letters is a step after another from the first. */
static bool place_letters(const senses *x, const double *place, uint32_t n, dd *out) {
    uint32_t period = 0, only = 0, count = 0;
    meaning *m = x->m;
    *out = 0;
    for (uint32_t i = 1; i < n; i++)
        if (place[i] != 0) count++, only = i;
    if (!count) return true;
    if (count == 1 && only <= MOST_FIRST) {
        dd at = x->past ? m->first : m->last;
        for (uint32_t k = 1; k < only; k++) at = meaning_step(m, x->past, at);
        *out = dd_times(&m->d, at, place[only]);
        return true;
    }
    for (uint32_t p = 1; p <= MOST_PERIOD && !period && p < n; p++) {
        uint32_t i = 1;
        while (i + p < n && place[i] == place[i + p]) i++;
        if (i + p == n) period = p;
    }
    if (!period) return false;
    for (uint32_t r = 0; r < period; r++) {
        double v = place[r ? r : period];
        if (v == 0) continue;
        dd at = period == 1 ? 1 : meaning_residue(m, x->past, 1, 1, 0, period, RESIDUE_EQUAL, r);
        *out = dd_add(&m->d, *out, dd_times(&m->d, at, v));
    }
    return true;
}

/* After how many positions a table repeats, from position 0 on; 0: it does not. */
static uint32_t period_of(const double *place, uint32_t n) {
    for (uint32_t p = 1; p <= MOST_PERIOD && p < n; p++) {
        uint32_t i = 0;
        while (i + p < n && place[i] == place[i + p]) i++;
        if (i + p == n) return p;
    }
    return 0;
}

/* Also what a place was one position before. */
static sense place_sense(const senses *x, const double *place) {
    uint32_t n = x->u->m->positions;
    sense out = {.start = place[0]};
    out.known = place_letters(x, place, n, &out.letters);
    out.shifted = n > 2 && place[0] == 0 && place_letters(x, place + 1, n - 1, &out.before) &&
                  dd_is_boolean(&x->m->d, out.before);
    out.copied = n > 1 ? place[1] : 0;
    if (out.known || !out.shifted || out.copied != 0) return out;
    out.letters = meaning_step(x->m, x->past, out.before);
    out.known = true;
    return out;
}

static void read_embedding(senses *x) {
    const lift *u = x->u;
    for (uint32_t c = 0; c < u->column_count; c++) {
        const lift_column *k = &u->columns[c];
        sense *out = &x->columns[c];
        if (k->writer == LIFT_TOKEN) {
            uint32_t *members = arena_alloc(x->s->arena, u->letters, sizeof *members);
            size_t count = 0;
            for (uint32_t t = 0; t < u->letters; t++)
                if (k->tokens[ORDINARY_LETTERS + t] != 0) members[count++] = t;
            *out = (sense){.letters = meaning_letters(x->m, members, count), .start = k->tokens[0], .known = true};
        } else if (ordinary_is_place(k)) {
            *out = place_sense(x, k->place);
        } else if (k->writer == LIFT_NOBODY || k->writer == LIFT_NET) {
            *out = (sense){.known = true};
        }
    }
}

/* ---- heads ---- */

static temper_mask mask_of(const senses *x, bool strict) {
    if (x->past) return strict ? TEMPER_MASK_BEFORE : TEMPER_MASK_UP_TO;
    return strict ? TEMPER_MASK_AFTER : TEMPER_MASK_FROM;
}

static void put(senses *x, const lift_value *v, dd letters, double start) {
    if (ordinary_is_place(&x->u->columns[v->column])) return;
    x->columns[v->column] = (sense){.letters = letters, .start = start, .known = true};
}

static void read_once(senses *x, const lift_head *h) {
    double grain = lift_grain(x->u, &h->products[0].key);
    sense key = sense_of(x, &h->products[0].key, grain > 0 ? grain : 1);
    NEED(x, h, is_boolean(x, &key), "its key is not 0 or 1 on letters and 0 before them");
    dd found = meaning_exists(x->m, mask_of(x, is_copy(&key)), is_copy(&key) ? key.before : key.letters);
    for (size_t v = 0; v < h->value_count; v++) put(x, &h->values[v], found, 0);
}

static double is_high(void *context, double y) { return y == *(const double *)context; }

/* Rows whose queries are the same numbers, and the scores that keys have there. */
typedef struct ordinary_pattern {
    dd here, scores;
    double start, copied; /* the sentinel's score, and that of its copy on the first letter */
} ordinary_pattern;

/* Goes on with each number that a query can be. Scores are added up exactly (audit_ordinary_exact.c). */
static size_t split_patterns(const senses *x, const lift_head *h, const sense *query, const sense *key, dd keys,
                             const ordinary_pattern *from, size_t count, ordinary_pattern *out) {
    diagram *d = &x->m->d;
    size_t made = 0, numbers;
    const double *v = dd_leaves(d, query->letters, &numbers, x->s->arena);
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < numbers; j++) {
            double value = v[j];
            dd here = dd_and(d, from[k].here, dd_map(d, query->letters, is_high, &value));
            if (here == 0) continue;
            NEED(x, h, made < MOST_PATTERNS, "it tells more than %d patterns apart", MOST_PATTERNS);
            ordinary_pattern y = {.here = here,
                                  .scores = from[k].scores,
                                  .start = from[k].start + value * key->start,
                                  .copied = from[k].copied + value * key->copied};
            if (value != 0) y.scores = dd_add(d, y.scores, dd_times(d, keys, value));
            out[made++] = y;
        }
    return made;
}

/* The value at the last position with the largest score: the best score that is there, and the sentinel's, which is
   before all others and has no value, if nothing is as good. */
static dd found_by(const senses *x, const ordinary_pattern *p, bool strict, dd value) {
    diagram *d = &x->m->d;
    size_t count;
    const double *scores = dd_leaves(d, p->scores, &count, x->s->arena);
    dd answer = 0, none = p->here;
    temper_mask mask = mask_of(x, strict);
    double least = strict ? fmax(p->start, p->copied) : p->start;
    for (size_t k = count; k > 0 && scores[k - 1] >= least; k--) {
        double score = scores[k - 1];
        dd where = dd_map(d, p->scores, is_high, &score);
        dd chosen = meaning_chosen(x->m, mask, x->past, where, dd_and(d, where, value));
        answer = dd_or(d, answer, dd_and(d, none, chosen));
        none = dd_and(d, none, dd_not(d, meaning_exists(x->m, mask, where)));
    }
    return answer;
}

static void read_match(senses *x, const lift_head *h) {
    arena *a = x->s->arena;
    sense *query = arena_alloc(a, h->content, sizeof *query), *key = arena_alloc(a, h->content, sizeof *key),
          *value = arena_alloc(a, h->value_count, sizeof *value);
    ordinary_pattern *found = arena_alloc(a, MOST_PATTERNS, sizeof *found),
                     *next = arena_alloc(a, MOST_PATTERNS, sizeof *next);
    size_t count = 1;
    bool strict = true; /* all that it reads of j was copied from the position before */
    NEED(x, h, h->last, "it looks for the first of some patterns");
    for (size_t k = 0; k < h->content; k++) {
        query[k] = sense_of(x, &h->products[k].query, 1);
        key[k] = sense_of(x, &h->products[k].key, 1);
        NEED(x, h, query[k].known && key[k].known, "a pattern is made of what is not understood");
        strict = strict && key[k].shifted;
    }
    for (size_t v = 0; v < h->value_count; v++) {
        value[v] = sense_of(x, &h->values[v].value, 1);
        NEED(x, h, is_boolean(x, &value[v]), "a value is not 0 or 1");
        strict = strict && is_copy(&value[v]);
    }
    found[0] = (ordinary_pattern){.here = 1};
    for (size_t k = 0; k < h->content; k++) {
        dd keys = strict ? key[k].before : key[k].letters;
        count = split_patterns(x, h, &query[k], &key[k], keys, found, count, next);
        memcpy(found, next, count * sizeof *found);
    }
    for (size_t v = 0; v < h->value_count; v++) {
        dd is = strict ? value[v].before : value[v].letters, answer = 0;
        NEED(x, h, dd_is_boolean(&x->m->d, is), "a value is not 0 or 1");
        for (size_t k = 0; k < count; k++) answer = dd_or(&x->m->d, answer, found_by(x, &found[k], strict, is));
        put(x, &h->values[v], answer, 0);
    }
}

static void read_nearest(senses *x, const lift_head *h) {
    const lift_product *p = &h->products[0];
    size_t count;
    if (h->content != 1 || p->query.count || p->query.one <= 0) {
        read_match(x, h);
        return;
    }
    double grain = lift_grain(x->u, &p->key);
    sense key = sense_of(x, &p->key, grain > 0 ? grain : 1);
    NEED(x, h, key.known && key.start == 0, "its key is not 0 before the first letter");
    bool strict = is_copy(&key);
    dd letters = strict ? key.before : key.letters;
    const double *leaves = dd_leaves(&x->m->d, letters, &count, x->s->arena);
    for (size_t k = 0; k < count; k++)
        NEED(x, h, leaves[k] == 0 || leaves[k] == 1, "its key is not 0 or 1 on letters");
    double one = 1;
    dd candidates = dd_map(&x->m->d, letters, is_high, &one);
    for (size_t v = 0; v < h->value_count; v++) {
        sense value = sense_of(x, &h->values[v].value, 1);
        NEED(x, h, is_boolean(x, &value) && (!strict || is_copy(&value)), "a value is not 0 or 1");
        dd is = strict ? value.before : value.letters;
        NEED(x, h, dd_is_boolean(&x->m->d, is) && dd_implies(&x->m->d, is, candidates),
             "a value is not 0 where its key is");
        put(x, &h->values[v], meaning_chosen(x->m, mask_of(x, strict), h->last == x->past, candidates, is), 0);
    }
}

static void read_yesterday(senses *x, const lift_head *h) {
    for (size_t v = 0; v < h->value_count; v++) {
        sense value = sense_of(x, &h->values[v].value, 1);
        if (ordinary_is_place(&x->u->columns[h->values[v].column])) continue;
        NEED(x, h, value.known && dd_is_boolean(&x->m->d, value.letters), "a value is not 0 or 1");
        NEED(x, h, value.start == 0, "a value is not 0 before the first letter");
        put(x, &h->values[v], meaning_step(x->m, x->past, value.letters), 0);
        sense *c = &x->columns[h->values[v].column];
        c->shifted = true;
        c->before = value.letters;
    }
}

static void read_compare(senses *x, const lift_head *h) {
    const sense *mean = &x->means[h->products[0].query.terms[0].channel];
    size_t count;
    NEED(x, h, mean->known, "its mean is not understood");
    double whole = floor(mean->start);
    const double *leaves = dd_leaves(&x->m->d, mean->letters, &count, x->s->arena);
    NEED(x, h, mean->start - whole == 0.5, "its mean has no whole number and a half before the first letter");
    for (size_t k = 0; k < count; k++)
        NEED(x, h, leaves[k] == floor(leaves[k]) && fabs(leaves[k]) <= 0x1p40,
             "its mean is not one of whole numbers");
    dd holds =
        x->past ? meaning_at_least(x->m, mean->letters, 0, whole) : meaning_at_least(x->m, 0, mean->letters, whole);
    for (size_t v = 0; v < h->value_count; v++) put(x, &h->values[v], holds, 1);
}

/* The value at the position whose number is a count: of a table of remainders the remainder of the count, else what
   holds there. The count is no more than the own position, so that there is one. */
static void read_lookup(senses *x, const lift_head *h) {
    const lift *u = x->u;
    const lift_value *number = lift_value_of(u, h->number);
    lift_number about = lift_number_of(u, &number->value);
    sense adds = sense_of(x, &number->value, 1);
    diagram *d = &x->m->d;
    NEED(x, h, adds.known && adds.start == 0 && about.first <= 0 && about.first == rint(about.first),
         "it reads at what is no count");
    dd counted = about.first == 0
                     ? adds.letters
                     : dd_add(d, adds.letters, dd_times(d, x->past ? x->m->first : x->m->last, -about.first));
    NEED(x, h, dd_is_boolean(d, counted), "it reads at a sum of more than Booleans");
    for (size_t v = 0; v < h->value_count; v++) {
        const double *place = lift_place(u, &h->values[v].value);
        uint32_t period = place && about.first == 0 ? period_of(place, u->m->positions) : 0;
        sense value = sense_of(x, &h->values[v].value, 1);
        dd found = 0;
        if (period) {
            for (uint32_t r = 0; r < period; r++) {
                dd is = place[r] == 0 ? 0 : meaning_residue(x->m, x->past, counted, 1, 0, period, RESIDUE_EQUAL, r);
                if (place[r] != 0) found = dd_add(d, found, dd_times(d, is, place[r]));
            }
            put(x, &h->values[v], found, place[0]);
            continue;
        }
        NEED(x, h, is_boolean(x, &value), "a value is not 0 or 1");
        /* fed from right to left, the number counts positions from the end */
        found = x->past ? meaning_read(x->m, true, counted, 0, about.first, value.letters)
                        : meaning_read(x->m, false, dd_times(d, counted, -1), 1, -about.first, value.letters);
        put(x, &h->values[v], found, 0);
    }
}

static void read_head(senses *x, const lift_head *h) {
    switch (h->role) {
    case LIFT_ONCE: read_once(x, h); break;
    case LIFT_NEAREST: read_nearest(x, h); break;
    case LIFT_YESTERDAY: read_yesterday(x, h); break;
    case LIFT_MEAN:
        for (size_t v = 0; v < h->value_count; v++)
            x->means[h->values[v].column] = sense_of(x, &h->values[v].value, 1);
        break;
    case LIFT_COMPARE: read_compare(x, h); break;
    case LIFT_WAVE: break;    /* a table of positions */
    case LIFT_WEIGHED: break; /* its look-up reads what is added up */
    case LIFT_LOOKUP: read_lookup(x, h); break;
    }
}

/* ---- steps ---- */

typedef struct threshold {
    double at;
} threshold;

static double step_at(void *context, double y) { return y >= ((const threshold *)context)->at; }

static void read_step(senses *x, const lift_step *s) {
    lift_form f = s->sum;
    f.one = 0;
    bool needed = false;
    for (size_t k = 0; k < s->count; k++) needed |= !ordinary_is_place(&x->u->columns[s->terms[k].channel]);
    if (!needed) return;
    sense sum = sense_of(x, &f, 2 * LIFT_GATE);
    if (!sum.known) ordinary_refuse(x->s, s->layer, 0, "units %u and on add up what is not understood", s->unit + 1);
    threshold t = {s->at};
    dd letters = dd_map(&x->m->d, sum.letters, step_at, &t);
    /* what was copied from one position before stays that, once it is settled */
    bool shifted = false;
    dd before = 0;
    if (f.count == 2 && s->at == 2)
        for (size_t k = 0; k < 2; k++) {
            const sense *c = &x->columns[f.terms[k].channel];
            if (f.terms[1 - k].channel == x->u->real && is_copy(c) && f.terms[0].weight == 2 * LIFT_GATE &&
                f.terms[1].weight == 2 * LIFT_GATE)
                shifted = true, before = c->before;
        }
    for (size_t k = 0; k < s->count; k++) {
        sense *c = &x->columns[s->terms[k].channel];
        if (ordinary_is_place(&x->u->columns[s->terms[k].channel])) continue;
        bool alone = c->letters == 0 && c->start == 0 && s->terms[k].weight == 1;
        c->letters = dd_add(&x->m->d, c->letters, dd_times(&x->m->d, letters, s->terms[k].weight));
        if (sum.start >= s->at) c->start += s->terms[k].weight;
        c->shifted = alone && shifted;
        c->before = before;
    }
}

/* ---- outputs ---- */

static double plus_legal(void *context, double y) {
    (void)context;
    return y + ORDINARY_LEGAL;
}

/* -256 and 256 times what the source says. */
static void check_output(const senses *x, uint32_t token, dd expected, bool empty) {
    sense f = sense_of(x, &x->u->outputs[token], 1);
    if (!f.known) ordinary_refuse(x->s, 0, 0, "the logit of token %u reads what is not understood", token);
    dd is = dd_map(&x->m->d, f.letters, plus_legal, NULL);
    if (is != dd_times(&x->m->d, expected, ORDINARY_LEGAL))
        ordinary_refuse(x->s, 0, 0, "the logit of token %u does not mean what the source says", token);
    if (f.start != (empty ? 0 : -ORDINARY_LEGAL))
        ordinary_refuse(x->s, 0, 0, "the logit of token %u is wrong before the first letter", token);
}

uint32_t ordinary_output_token(const ordinary_audit *s, size_t output) {
    const struct ordinary_model *m = s->u->m;
    const char *name = s->spec->outputs[output].name;
    for (uint32_t t = ORDINARY_LETTERS; *name && t + 1 < m->vocabulary; t++)
        if (strcmp(m->tokens[t], name) == 0) return t;
    if (*name) ordinary_refuse(s, 0, 0, "no token is what an output of the source writes");
    return ORDINARY_EOS;
}

static void check_outputs(senses *x) {
    audit *shell = x->s->shell;
    temper_spec *spec = x->s->spec;
    const lift *u = x->u;
    if (spec->kind == TEMPER_KIND_NEXT) {
        audit_request none = {0};
        shell->outputs = arena_zalloc(x->s->arena, (size_t)u->letters + 1, sizeof *shell->outputs);
        audit_viable(shell, spec, &none);
        for (uint32_t k = 0; k <= u->letters; k++)
            check_output(x, k < u->letters ? ORDINARY_LETTERS + k : ORDINARY_EOS, shell->outputs[k].meaning,
                         shell->outputs[k].empty);
        return;
    }
    const dd *meanings = source_meanings(x->m, spec, NULL, x->s->arena);
    if (spec->kind == TEMPER_KIND_ACCEPTOR) {
        check_output(x, ORDINARY_EOS, meanings[spec->root], spec->accepts_empty);
        for (uint32_t t = 0; t < u->letters; t++)
            if (u->outputs[ORDINARY_LETTERS + t].count || u->outputs[ORDINARY_LETTERS + t].one != 0)
                ordinary_refuse(x->s, 0, 0, "a letter is not always legal");
        return;
    }
    bool *said = arena_zalloc(x->s->arena, u->m->vocabulary, sizeof *said);
    for (size_t k = 0; k < spec->output_count; k++) {
        uint32_t token = ordinary_output_token(x->s, k);
        if (said[token]) ordinary_refuse(x->s, 0, 0, "two outputs write token %u", token);
        said[token] = true;
        check_output(x, token, meanings[spec->outputs[k].root], spec->outputs[k].accepts_empty);
    }
    for (uint32_t t = ORDINARY_EOS; t + 1 < u->m->vocabulary; t++)
        if (!said[t] && (u->outputs[t].count || u->outputs[t].one != -ORDINARY_LEGAL))
            ordinary_refuse(x->s, 0, 0, "token %u is written, which the source never does", t);
}

ordinary_sense *ordinary_read_meaning(ordinary_audit *s) {
    senses x = {.s = s, .u = s->u, .m = &s->shell->meaning, .past = !s->claim->mirrored};
    size_t head = 0, step = 0;
    x.columns = arena_zalloc(s->arena, s->u->column_count, sizeof *x.columns);
    x.means = arena_zalloc(s->arena, s->u->column_count, sizeof *x.means);
    read_embedding(&x);
    for (uint32_t l = 1; l <= s->u->m->layer_count; l++) {
        for (; head < s->u->head_count && s->u->heads[head].layer == l; head++) read_head(&x, &s->u->heads[head]);
        for (; step < s->u->step_count && s->u->steps[step].layer == l; step++) read_step(&x, &s->u->steps[step]);
    }
    return x.columns;
}

void ordinary_meaning_check(ordinary_audit *s) {
    senses x = {.s = s, .u = s->u, .m = &s->shell->meaning, .past = !s->claim->mirrored};
    /* columns mean what holds where the transformer stands */
    if (s->claim->kind != TEMPER_KIND_TRANSDUCER &&
        s->spec->at != (s->claim->mirrored ? TEMPER_AT_FIRST : TEMPER_AT_LAST))
        ordinary_refuse(s, 0, 0, "the source is not read where the transformer stands after the string");
    x.columns = ordinary_read_meaning(s);
    check_outputs(&x);
}
