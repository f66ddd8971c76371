/* The search goes in stages, each with a share of the budget.

       sweep    every length from 0 on: all strings while they are few, then the families that came nearest to an error, and the others in turn
       climb    lengths that grow by a quarter, with those families
       narrow   between the last right and the first wrong length: bisection, then every length from the end of the sweep on
       shrink   letters are taken out of the string as long as it stays wrong
       mutate   random changes to the strings with the largest errors, and random strings, below the shortest wrong length

   How near a string is to an error is its largest error before rounding. Costs are estimated from lengths and not measured, so that the
   same search finds the same strings everywhere. */
#include "certify/adversary.h"

#include <math.h>
#include <string.h>

#include "certify/diagnose.h"
#include "certify/strings.h"
#include "run/format_run.h"
#include "run/plan.h"
#include "run/positions.h"

enum {
    SWEEP_MOST = 768,   /* the sweep's last length */
    EVERY_STRING = 300, /* strings of a length that are all tried */
    BEST = 6,           /* families that are tried at every length, */
    CLIMB_BEST = 4,     /* at longer ones, */
    FAR = 4096,         /* and beyond this */
    FAR_BEST = 2,
    EDGES = 2,            /* families at the edge of being accepted, in turn, at every length */
    POOL = 8,             /* strings that are mutated */
    MOST_BYTES = 1 << 30, /* of a run, about */
    REPORT = 20 << 20     /* budget between two ticks */
};

/* Up to which share of the budget a stage may go. Where a letter costs little, lengths are what there is to try. */
typedef struct shares {
    double sweep, climb, narrow, shrink;
} shares;
static const shares emulated_shares = {0.40, 0.75, 0.90, 0.95}, fast_shares = {0.10, 0.70, 0.95, 0.97};

typedef struct pool_string {
    uint32_t *letters;
    size_t n, room;
    double promise; /* -1: empty */
} pool_string;

typedef struct search {
    const temper_model *m;
    temper_type type_id;
    const number_type *type;
    const adversary_options *o;
    shares shares;
    answer_key *key;
    string_kit *kit;
    arena *a, *stream, *scratch, *kept;
    uint64_t random;
    double spent, budget, unreported;
    bool stopped;
    /* costs of a run, for lengths that were not run yet */
    double letter_cost, pair_cost; /* nanoseconds a letter; a pair of positions, learned */
    double bytes;                  /* a letter */
    uint32_t *word;                /* room for the string under test */
    unsigned char *truth;          /* and its right answers */
    size_t room;
    size_t exhausted; /* all strings up to this length were tried */
    size_t *order;    /* families by promise */
    size_t turn;      /* the next of the others */
    size_t edge;      /* the next at the edge */
    bool found;
    wrong_answer best;
    bool expected; /* at the wrong position */
    size_t best_room;
    family failing; /* the last family that was wrong */
    pool_string pool[POOL];
} search;

/* ---- memory and costs ---- */

static void release_arena(void *memory) { arena_free(memory); }

static arena *own_arena(arena *a) {
    arena *fresh = arena_zalloc(a, 1, sizeof *fresh);
    arena_init(fresh, a->trap);
    arena_on_release(a, release_arena, fresh);
    return fresh;
}

static void make_room(search *s, size_t n) {
    size_t truth_room = s->room;
    if (n < s->room) return;
    s->word = arena_grow(s->a, s->word, &s->room, n + 1, sizeof *s->word);
    s->truth = arena_grow(s->a, s->truth, &truth_room, s->room, 1);
}

static size_t count_terms(const model_rows *r) { return r->start[r->count]; }

/* Emulated runs make every number one by one; the runner of f64 and f32 goes by its plan. */
static void estimate(search *s) {
    const temper_model *m = s->m;
    bool emulated = number_type_is_emulated(s->type_id);
    double terms = (double)count_terms(&m->read), heads = 0, planned = 0;
    model_plan plan;
    plan_make(&plan, m, false, s->a);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        terms += (double)(count_terms(&layer->in) + count_terms(&layer->out));
        for (uint32_t h = 0; h < layer->head_count; h++) {
            const model_head *head = &layer->heads[h];
            head_plan how = plan.heads[plan.head_start[l] + h];
            terms += (double)(count_terms(&head->query) + count_terms(&head->key) + count_terms(&head->value));
            heads++;
            if (how == PLAN_DENSE && !emulated)
                s->pair_cost += plan_cost(how, head, 1);
            else
                planned += plan_cost(how, head, 1);
        }
    }
    s->shares = emulated ? emulated_shares : fast_shares;
    s->letter_cost = emulated ? 60 + 20 * (double)m->channel_count + 12 * terms + 60 * heads : 10 + terms + planned;
    s->bytes = emulated ? 16 * (double)m->channel_count + 100 : plan.future ? 40 + 16 * (double)m->channel_count : 40;
}

static double run_cost(const search *s, size_t n) {
    double size = (double)n + 2;
    return 300 + size * s->letter_cost + size * size * s->pair_cost + answer_key_cost(s->key, n);
}

static bool is_affordable(const search *s, size_t n, double share) {
    return s->bytes * (double)n < MOST_BYTES && run_cost(s, n) < share * s->budget;
}

/* True to give up. */
static bool spend(search *s, double cost) {
    s->spent += cost;
    s->unreported += cost;
    if (s->o->watch && s->unreported >= REPORT) {
        s->stopped |= s->o->watch->tick(s->o->watch->context, (uint64_t)s->unreported);
        s->unreported = 0;
    }
    return s->stopped;
}

static bool has_budget(const search *s, double share) { return !s->stopped && s->spent < share * s->budget; }

/* A counter with a mixing function (SplitMix64). */
static uint64_t draw(search *s) {
    uint64_t z = s->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static size_t below(search *s, size_t limit) { return (size_t)(draw(s) % limit); }

/* ---- one string ---- */

typedef struct outcome {
    bool broken;                /* overflow: no answer */
    const unsigned char *truth; /* [N] */
    double margin;              /* the largest of the heads that mean a Boolean */
    size_t position;            /* broken: where */
} outcome;

static double larger(double margin, double other) { return !(other <= margin) ? other : margin; }

static outcome run_emulated(search *s, const uint32_t *letters, size_t n) {
    format_setting setting = {.storage = s->type->storage, .accumulation = s->type->accumulation};
    format_answer answer;
    double size = (double)n + 2;
    size_t h = 0;
    arena_reset(s->stream);
    arena_reset(s->scratch);
    format_run(&answer, s->m, letters, n, &setting, s->stream, s->scratch);
    /* 12 ns a multiply-add; what a scan does is in the cost of a letter */
    if (answer.work > 64 * size) s->pair_cost = fmax(s->pair_cost, 12 * answer.work / (size * size));
    outcome r = {.broken = answer.broken, .truth = answer.truth, .position = answer.position};
    for (uint32_t l = 0; l < s->m->layer_count; l++)
        for (uint32_t k = 0; k < s->m->layers[l].head_count; k++) r.margin = larger(r.margin, answer.margins[h++]);
    return r;
}

/* f64 and f32: the runner that answers users. A length for which f32 has no plan is run as the emulated formats are. */
static outcome run_fast(search *s, const uint32_t *letters, size_t n) {
    temper_run_options o = {.type = s->type_id, .unchecked = 1, .threads = 1};
    temper_run *run;
    temper_error error;
    temper_status status = temper_model_run(&run, s->m, letters, n, &o, &error);
    if (status == TEMPER_UNSUPPORTED) return run_emulated(s, letters, n);
    if (status == TEMPER_RANGE) return (outcome){.broken = true, .position = error.column};
    if (status) trap_reraise(s->a->trap, &error);
    arena_reset(s->stream);
    size_t size = temper_run_size(run);
    unsigned char *truth = arena_alloc(s->stream, size, 1);
    outcome r = {.truth = truth};
    for (size_t i = 0; i < size; i++) truth[i] = (unsigned char)temper_run_truth(run, i);
    for (uint32_t l = 0; l < s->m->layer_count; l++)
        for (uint32_t k = 0; k < s->m->layers[l].head_count; k++)
            r.margin = larger(r.margin, temper_run_margin(run, l + 1, k + 1));
    temper_run_free(run);
    return r;
}

static void keep_wrong(search *s, const uint32_t *letters, size_t n, size_t position, bool expected) {
    if (s->found && n >= s->best.n) return;
    if (n > s->best_room || !s->best.letters)
        s->best.letters = arena_alloc(s->a, (s->best_room = n) + 1, sizeof *s->best.letters);
    memcpy(s->best.letters, letters, n * sizeof *letters);
    s->best.n = n;
    s->best.position = position;
    s->expected = expected;
    s->found = true;
}

static void keep_in_pool(search *s, const uint32_t *letters, size_t n, double margin) {
    size_t worst = 0;
    for (size_t k = 1; k < POOL; k++)
        if (s->pool[k].promise < s->pool[worst].promise) worst = k;
    pool_string *p = &s->pool[worst];
    if (!(margin > p->promise) || n > 4096) return;
    p->letters = arena_grow(s->a, p->letters, &p->room, n + 1, sizeof *p->letters);
    memcpy(p->letters, letters, n * sizeof *letters);
    p->n = n;
    p->promise = margin;
}

/* Whether an answer is wrong; *margin: how near it was. */
static bool is_wrong(search *s, double *margin, const uint32_t *letters, size_t n) {
    size_t from, to;
    make_room(s, n);
    outcome r = number_type_is_emulated(s->type_id) ? run_emulated(s, letters, n) : run_fast(s, letters, n);
    spend(s, run_cost(s, n));
    if (n > s->best.tried) s->best.tried = n;
    *margin = r.margin;
    answer_key_truth(s->truth, &from, &to, s->key, letters, n);
    if (r.broken) {
        size_t at = r.position < from ? from : r.position > to ? to : r.position;
        keep_wrong(s, letters, n, at, s->truth[at ? at - 1 : 0]);
        return true;
    }
    for (size_t i = from; i <= to; i++) {
        bool expected = s->truth[i ? i - 1 : 0];
        if (r.truth[i] == expected) continue;
        keep_wrong(s, letters, n, i, expected);
        return true;
    }
    return false;
}

static bool try_family(search *s, family *f, size_t n) {
    make_room(s, n);
    size_t asked = family_fill(s->word, s->kit, f, n, s->truth);
    spend(s, (double)asked * answer_key_cost(s->key, n));
    bool wrong = is_wrong(s, &f->promise, s->word, n);
    if (isnan(f->promise)) f->promise = INFINITY;
    if (wrong)
        s->failing = *f;
    else
        keep_in_pool(s, s->word, n, f->promise);
    return wrong;
}

/* ---- a length ---- */

/* By promise, in their own order where it is equal. */
static void sort_families(search *s) {
    for (size_t k = 1; k < s->kit->family_count; k++) {
        size_t f = s->order[k], at = k;
        double promise = s->kit->families[f].promise;
        for (; at > 0; at--) {
            double other = s->kit->families[s->order[at - 1]].promise;
            if (other > promise || (other == promise && s->order[at - 1] < f)) break;
            s->order[at] = s->order[at - 1];
        }
        s->order[at] = f;
    }
}

static bool try_best(search *s, size_t n, size_t count) {
    sort_families(s);
    for (size_t k = 0; k < count && k < s->kit->family_count && !s->stopped; k++)
        if (try_family(s, &s->kit->families[s->order[k]], n)) return true;
    return false;
}

/* A comparison that is right by far shows no error, so those at its edge do not come by promise. */
static bool try_edges(search *s, size_t n) {
    size_t count = s->kit->family_count;
    for (size_t tried = 0, k = 0; k < count && tried < EDGES && !s->stopped; k++) {
        family *f = &s->kit->families[s->edge++ % count];
        if (f->kind != FAMILY_EDGE && f->kind != FAMILY_MIX) continue;
        tried++;
        if (try_family(s, f, n)) return true;
    }
    return false;
}

/* The others in turn, for so much of the budget. */
static bool try_others(search *s, size_t n, double budget) {
    double end = s->spent + budget;
    size_t count = s->kit->family_count;
    for (size_t k = 0; k < count && s->spent + run_cost(s, n) <= end && !s->stopped; k++, s->turn++)
        if (try_family(s, &s->kit->families[s->turn % count], n)) return true;
    return false;
}

static bool try_every_string(search *s, size_t n) {
    const string_kit *kit = s->kit;
    size_t strings = 1;
    double margin;
    for (size_t k = 0; k < n && strings <= EVERY_STRING; k++) strings *= kit->letter_count;
    for (size_t k = 0; strings <= EVERY_STRING && k < strings && !s->stopped; k++) {
        make_room(s, n);
        for (size_t i = 0, rest = k; i < n; i++, rest /= kit->letter_count)
            s->word[i] = kit->letters[rest % kit->letter_count];
        if (is_wrong(s, &margin, s->word, n)) return true;
    }
    if (strings <= EVERY_STRING) s->exhausted = n;
    return false;
}

/* ---- stages ---- */

static void sweep(search *s) {
    double each = s->shares.sweep * s->budget / SWEEP_MOST;
    for (size_t n = 0; n <= SWEEP_MOST && n <= s->o->longest && has_budget(s, s->shares.sweep); n++) {
        if (!is_affordable(s, n, 0.02) || (n > 0 && s->kit->letter_count == 0)) return;
        if (try_every_string(s, n) || (n > 0 && (try_best(s, n, BEST) || try_edges(s, n) || try_others(s, n, each))))
            return;
        s->best.swept = n;
    }
}

static bool can_climb(const search *s, size_t n, size_t families) {
    return is_affordable(s, n, 0.3) && s->spent + (double)families * run_cost(s, n) <= s->shares.climb * s->budget;
}

/* The last length at which nothing was wrong, or the length it broke off at in *wrong. */
static size_t climb(search *s, size_t *wrong) {
    size_t n = s->best.swept;
    while (!s->stopped) {
        size_t next = n < FAR ? n + n / 4 + 1 : 2 * n, families = n < FAR ? CLIMB_BEST : FAR_BEST;
        if (next > s->o->longest) next = s->o->longest;
        while (next > n && !can_climb(s, next, families)) next -= n / 8 + 1; /* the last step is a short one */
        if (next <= n || (next < n + n / 8 && next < s->o->longest)) break;
        if (try_best(s, next, families) || (next <= FAR && try_edges(s, next)) ||
            try_others(s, next, 0.015 * s->budget)) {
            *wrong = next;
            break;
        }
        n = next;
    }
    return n;
}

static bool try_near(search *s, size_t n) {
    family f = s->failing;
    if (try_family(s, &f, n)) return true;
    return try_best(s, n, 2);
}

/* Limits are not monotone: a right length in the middle may have wrong ones below it. `right` was so for other families, perhaps. */
static void narrow(search *s, size_t right, size_t wrong) {
    while (right > s->best.swept && has_budget(s, s->shares.narrow)) {
        family f = s->failing;
        if (!try_family(s, &f, right) && !try_family(s, &f, right + 1)) break; /* even and odd lengths may differ */
        wrong = right;
        right = right * 3 / 4 > s->best.swept ? right * 3 / 4 : s->best.swept;
    }
    while (wrong - right > 1 && has_budget(s, s->shares.narrow)) {
        size_t middle = right + (wrong - right) / 2;
        if (try_near(s, middle) || (middle + 1 < wrong && try_near(s, middle + 1)))
            wrong = middle;
        else
            right = middle;
    }
    double each = 3 * run_cost(s, s->best.n), left = s->shares.narrow * s->budget - s->spent;
    size_t first = s->best.swept + 1;
    bool all = (double)(s->best.n - first) * each / 2 <= left; /* shorter ones are cheaper */
    if (!all) {
        size_t window = left > each ? (size_t)(left / each) : 0;
        first = s->best.n > first + window ? s->best.n - window : first;
    }
    for (size_t n = first; n < s->best.n && has_budget(s, s->shares.narrow); n++) {
        if (try_near(s, n)) return;
        if (all) s->best.swept = n;
    }
}

/* Takes out ever shorter stretches wherever the rest stays wrong. */
static void shrink(search *s) {
    uint32_t *less = arena_alloc(s->a, s->best.n + 1, sizeof *less);
    double margin;
    for (size_t cut = s->best.n / 4; cut > 0; cut /= 2)
        for (size_t at = 0; at + cut <= s->best.n && has_budget(s, s->shares.shrink);) {
            size_t n = s->best.n - cut;
            memcpy(less, s->best.letters, at * sizeof *less);
            memcpy(less + at, s->best.letters + at + cut, (n - at) * sizeof *less);
            if (!is_wrong(s, &margin, less, n)) at += cut;
        }
}

/* ---- random strings ---- */

static uint32_t random_letter(search *s) { return s->kit->letters[below(s, s->kit->letter_count)]; }

/* Runs of letters, or words of the kit with faults. */
static void fill_random(search *s, size_t n) {
    size_t mean = 1 + below(s, n / 3 + 2), faults = below(s, 4);
    bool runs = below(s, 2);
    const string_word *w = &s->kit->words[below(s, s->kit->word_count)];
    uint32_t now = random_letter(s);
    for (size_t i = 0; i < n; i++) {
        if (below(s, mean) == 0) {
            now = random_letter(s);
            if (!runs) w = &s->kit->words[below(s, s->kit->word_count)];
        }
        s->word[i] = runs ? now : w->letters[i % w->length];
    }
    while (faults-- > 0) s->word[below(s, n)] = random_letter(s);
}

/* One of the pool, brought to length n by repetition or cutting, with a few changes. */
static void fill_mutant(search *s, size_t n) {
    const pool_string *p = &s->pool[below(s, POOL)];
    if (p->promise < 0 || p->n == 0) {
        fill_random(s, n);
        return;
    }
    size_t shift = below(s, 4) ? 0 : below(s, p->n), changes = 1 + below(s, 3);
    for (size_t i = 0; i < n; i++) s->word[i] = p->letters[(i + shift) % p->n];
    while (changes-- > 0) {
        size_t at = below(s, n), length = below(s, 3) ? 1 : 1 + below(s, n - at);
        uint32_t letter = random_letter(s);
        for (size_t i = at; i < at + length; i++) s->word[i] = letter;
    }
}

/* Near the shortest wrong one, or anywhere below it. */
static size_t random_length(search *s, size_t most) {
    size_t span = most - s->exhausted;
    return most - below(s, below(s, 2) && span > 8 ? 8 : span);
}

static void mutate(search *s) {
    while (has_budget(s, 1) && s->kit->letter_count) {
        size_t most = s->found ? s->best.n - 1 : s->best.tried < SWEEP_MOST ? s->best.tried : SWEEP_MOST;
        if (s->found ? s->best.n <= s->exhausted + 1 : most <= s->exhausted) return;
        size_t n = random_length(s, most);
        double margin;
        if (s->spent + run_cost(s, n) > s->budget) return;
        make_room(s, n);
        if (below(s, 3))
            fill_mutant(s, n);
        else
            fill_random(s, n);
        if (!is_wrong(s, &margin, s->word, n)) keep_in_pool(s, s->word, n, margin);
    }
}

/* ---- all of it ---- */

static void find(search *s) {
    size_t wrong = 0;
    sweep(s);
    if (!s->found) {
        size_t right = climb(s, &wrong);
        if (s->found) narrow(s, right, wrong);
    }
    if (s->found && s->best.n > 0) shrink(s);
    mutate(s);
}

/* The first head, in order, whose error a gate no longer rounds away; else the one with the largest. */
static void blame_margin(search *s) {
    temper_run_options o = {.type = s->type_id, .unchecked = 1, .threads = 1};
    temper_run *run;
    double most = -1;
    if (temper_model_run(&run, s->m, s->best.letters, s->best.n, &o, NULL)) return;
    for (uint32_t l = 0; l < s->m->layer_count && most < 0.25; l++)
        for (uint32_t h = 0; h < s->m->layers[l].head_count && most < 0.25; h++) {
            double margin = temper_run_margin(run, l + 1, h + 1);
            if (margin <= most) continue;
            most = margin;
            s->best.layer = l + 1;
            s->best.head = h + 1;
        }
    temper_run_free(run);
}

static void explain(search *s) {
    diagnosis d = {0};
    if (diagnose_memory(s->m, s->best.n) < 2.0 * MOST_BYTES)
        d = diagnose(s->m, s->type, s->best.letters, s->best.n, s->best.position, s->expected, s->kept, s->stream,
                     s->scratch);
    s->best.why = d.why;
    s->best.layer = d.layer;
    s->best.head = d.head;
    if (d.why == TEMPER_WHY_UNKNOWN && d.layer == 0) blame_margin(s);
}

bool adversary_search(wrong_answer *out, bool *stopped, const temper_model *m, temper_type type,
                      const adversary_options *o, arena *a) {
    search s = {.m = m, .type_id = type, .type = number_type_of(type), .o = o, .a = own_arena(a)};
    if (!s.type || !s.type->storage) trap_raise(a->trap, TEMPER_RANGE, 0, 0, "there is no rounding in this type");
    s.stream = own_arena(a);
    s.scratch = own_arena(a);
    s.kept = own_arena(a);
    s.key = answer_key_new(m, s.a);
    s.kit = string_kit_new(m, s.key, s.a, s.stream, s.scratch);
    s.order = arena_alloc(s.a, s.kit->family_count, sizeof *s.order);
    for (size_t k = 0; k < s.kit->family_count; k++) s.order[k] = k;
    for (size_t k = 0; k < POOL; k++) s.pool[k].promise = -1;
    s.random = o->seed;
    s.budget = (double)o->budget;
    estimate(&s);
    find(&s);
    if (s.found && !s.stopped) explain(&s);
    *out = s.best;
    if (s.found) {
        if (out->swept >= s.best.n && s.best.n > 0) out->swept = s.best.n - 1;
        out->letters = arena_alloc(a, s.best.n + 1, sizeof *out->letters);
        memcpy(out->letters, s.best.letters, s.best.n * sizeof *out->letters);
    }
    arena_free(s.kept);
    arena_free(s.stream);
    arena_free(s.scratch);
    arena_free(s.a);
    if (stopped) *stopped = s.stopped;
    return s.found && !s.stopped;
}

bool adversary_find(wrong_answer *out, const temper_model *m, temper_type type, size_t longest, uint64_t budget,
                    arena *a, trap *t) {
    adversary_options o = {.longest = longest, .budget = budget, .seed = 1};
    a->trap = t;
    return adversary_search(out, NULL, m, type, &o, a);
}
