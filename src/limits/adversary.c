/* The search goes in stages, each with a share of the budget.

       sweep    every length from 0 on: all strings while they are few, then the families that came nearest to an
                error, and the others in turn
       aim      at the length that the caller expects to be wrong, if there is one, and a little beyond: all families
       climb    lengths that grow by a quarter, with those families
       narrow   between the last right and the first wrong length: bisection, then every length from the end of the
                sweep on
       shrink   letters are taken out of the string as long as it stays wrong
       mutate   random changes to the strings with the largest errors, and random strings, below the shortest wrong
                length

   How near a string is to an error is its largest error before rounding. */
#include "limits/adversary.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "limits/diagnose.h"
#include "limits/hard_strings.h"
#include "limits/string_trial.h"

enum {
    SWEEP_MOST = 768,   /* the sweep's last length */
    EVERY_STRING = 300, /* strings of a length that are all tried */
    BEST = 6,           /* families that are tried at every length, */
    CLIMB_BEST = 4,     /* at longer ones, */
    FAR_BEST = 2,       /* and beyond FAR, or where all pairs are looked at */
    FAR = 4096,
    FLAT = 16, /* from here on edges that are none are left out */
    EDGES = 2, /* families at the edge of being accepted, in turn, at every length */
    AIM_BEST = 3,
    POOL = 8 /* strings that are mutated */
};

static const double DIAGNOSIS_BYTES = 0x1p31, AIM_SHARE = 0.45; /* beyond the sweep's */

/* Up to which share of the budget a stage may go. Where a letter costs little, lengths are what there is to try. */
typedef struct shares {
    double sweep, climb, narrow, shrink;
} shares;
static const shares emulated_shares = {0.25, 0.80, 0.94, 0.97}, fast_shares = {0.10, 0.70, 0.95, 0.97};

typedef struct pool_string {
    uint32_t *letters;
    size_t n, room;
    double promise; /* -1: empty */
} pool_string;

typedef struct search {
    trial t;
    size_t longest, near;
    shares shares;
    string_kit *kit;
    uint64_t random;
    size_t exhausted; /* all strings up to this length were tried */
    size_t *order;    /* families by promise */
    size_t turn;      /* the next of the others */
    size_t edge;      /* the next at the edge */
    family failing;   /* the last family that was wrong */
    pool_string pool[POOL];
} search;

static bool has_budget(const search *s, double share) { return trial_has_budget(&s->t, share); }

static uint64_t draw(search *s) { return random_next(&s->random); }

static size_t below(search *s, size_t limit) { return (size_t)(draw(s) % limit); }

static void keep_in_pool(search *s, const uint32_t *letters, size_t n, double margin) {
    size_t worst = 0;
    for (size_t k = 1; k < POOL; k++)
        if (s->pool[k].promise < s->pool[worst].promise) worst = k;
    pool_string *p = &s->pool[worst];
    if (!(margin > p->promise) || n > 4096) return;
    p->letters = arena_grow(s->t.a, p->letters, &p->room, n + 1, sizeof *p->letters);
    memcpy(p->letters, letters, n * sizeof *letters);
    p->n = n;
    p->promise = margin;
}

static bool try_family(search *s, family *f, size_t n) {
    trial_make_room(&s->t, n);
    size_t asked = family_fill(s->t.word, s->kit, f, n, s->t.truth);
    trial_spend(&s->t, (double)asked * answer_key_cost(s->t.key, n));
    bool wrong = trial_is_wrong(&s->t, &f->promise, s->t.word, n);
    if (isnan(f->promise)) f->promise = INFINITY;
    if (wrong)
        s->failing = *f;
    else
        keep_in_pool(s, s->t.word, n, f->promise);
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
    for (size_t k = 0; k < count && k < s->kit->family_count && !s->t.stopped; k++)
        if (try_family(s, &s->kit->families[s->order[k]], n)) return true;
    return false;
}

/* A comparison that is right by far shows no error, so those at its edge do not come by promise. */
static bool try_edges(search *s, size_t n) {
    size_t count = s->kit->family_count;
    for (size_t tried = 0, k = 0; k < count && tried < EDGES && !s->t.stopped; k++) {
        family *f = &s->kit->families[s->edge++ % count];
        if ((f->kind != FAMILY_EDGE && f->kind != FAMILY_MIX) || (f->flat && n > FLAT)) continue;
        tried++;
        if (try_family(s, f, n)) return true;
    }
    return false;
}

/* The others in turn, for so much of the budget. */
static bool try_others(search *s, size_t n, double budget) {
    double end = s->t.spent + budget;
    size_t count = s->kit->family_count;
    for (size_t k = 0; k < count && s->t.spent + trial_cost(&s->t, n) <= end && !s->t.stopped; k++, s->turn++)
        if (try_family(s, &s->kit->families[s->turn % count], n)) return true;
    return false;
}

static bool try_every_string(search *s, size_t n) {
    const string_kit *kit = s->kit;
    size_t strings = 1;
    double margin;
    for (size_t k = 0; k < n && strings <= EVERY_STRING; k++) strings *= kit->letter_count;
    for (size_t k = 0; strings <= EVERY_STRING && k < strings && !s->t.stopped; k++) {
        trial_make_room(&s->t, n);
        for (size_t i = 0, rest = k; i < n; i++, rest /= kit->letter_count)
            s->t.word[i] = kit->letters[rest % kit->letter_count];
        if (trial_is_wrong(&s->t, &margin, s->t.word, n)) return true;
    }
    if (strings <= EVERY_STRING && !s->t.skipped) s->exhausted = n;
    return false;
}

/* ---- stages ---- */

static void sweep(search *s) {
    double each = s->shares.sweep * s->t.budget / SWEEP_MOST;
    for (size_t n = 0; n <= SWEEP_MOST && n <= s->longest && has_budget(s, s->shares.sweep); n++) {
        if (!trial_is_affordable(&s->t, n, 0.02) || (n > 0 && s->kit->letter_count == 0)) return;
        if (try_every_string(s, n) || (n > 0 && (try_best(s, n, BEST) || try_edges(s, n) || try_others(s, n, each))))
            return;
        if (s->t.skipped) return;
        s->t.best.swept = n;
    }
}

/* The most promising families, those at an edge, then all, while it costs less than is left up to `end`. */
static bool try_all(search *s, size_t n, double end) {
    size_t count = s->kit->family_count, first = count < AIM_BEST ? count : AIM_BEST;
    sort_families(s);
    for (size_t k = 0; k < first + 2 * count && s->t.spent + trial_cost(&s->t, n) <= end && !s->t.stopped; k++) {
        bool edges = k >= first && k < first + count;
        family *f = &s->kit->families[edges ? k - first : s->order[k < first ? k : k - first - count]];
        if (edges && ((f->kind != FAMILY_EDGE && f->kind != FAMILY_MIX) || f->flat)) continue;
        if (try_family(s, f, n)) return true;
    }
    return false;
}

/* The length that is wrong; 0: none was. Counts that are equal, or differ by one, need even or odd lengths. */
static size_t aim(search *s) {
    static const struct {
        double times;
        size_t more;
        double share;
    } steps[] = {{1, 2, 0.3}, {1, 3, 0.3}, {1.15, 2, 0.15}, {1.15, 3, 0.15}, {1.6, 3, 0.1}};
    double from = s->t.spent, share = 0;
    for (size_t k = 0; k < sizeof steps / sizeof *steps && !s->t.stopped; k++) {
        size_t n = (size_t)(steps[k].times * (double)s->near) + steps[k].more;
        if (n > s->longest || !trial_is_affordable(&s->t, n, AIM_SHARE)) return 0;
        share += steps[k].share;
        if (try_all(s, n, from + share * AIM_SHARE * s->t.budget)) return n;
    }
    return 0;
}

static bool can_climb(const search *s, size_t n, size_t families) {
    return trial_is_affordable(&s->t, n, 0.3) &&
           s->t.spent + (double)families * trial_cost(&s->t, n) <= s->shares.climb * s->t.budget;
}

/* The last length at which nothing was wrong, or the length it broke off at in *wrong. */
static size_t climb(search *s, size_t *wrong) {
    size_t n = s->t.best.swept;
    while (!s->t.stopped) {
        bool dear = (double)n * s->t.pair_cost > s->t.letter_cost; /* all pairs: few strings, long steps */
        size_t next = n >= FAR ? 2 * n : n + (dear ? n / 2 : n / 4) + 1;
        size_t families = dear || n >= FAR ? FAR_BEST : CLIMB_BEST;
        if (next > s->longest) next = s->longest;
        while (next > n && !can_climb(s, next, families)) next -= n / 8 + 1; /* the last step is a short one */
        if (next <= n || (next < n + n / 8 && next < s->longest)) break;
        next += next % 2 && next < s->longest; /* counts can be equal only then */
        if (try_best(s, next, families) || (next <= FAR && (try_edges(s, next) || (dear && try_edges(s, next)))) ||
            try_others(s, next, 0.015 * s->t.budget)) {
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

/* Limits are not monotone: a right length in the middle may have wrong ones below it. `right` was so for other
   families, perhaps. */
static void narrow(search *s, size_t right, size_t wrong) {
    while (right > s->t.best.swept && has_budget(s, s->shares.narrow)) {
        family f = s->failing;
        if (!try_family(s, &f, right) && !try_family(s, &f, right + 1)) break; /* even and odd lengths may differ */
        wrong = right;
        right = right * 3 / 4 > s->t.best.swept ? right * 3 / 4 : s->t.best.swept;
    }
    while (wrong - right > 1 && has_budget(s, s->shares.narrow)) {
        size_t middle = right + (wrong - right) / 2;
        if (try_near(s, middle) || (middle + 1 < wrong && try_near(s, middle + 1)))
            wrong = middle;
        else
            right = middle;
    }
    double each = 3 * trial_cost(&s->t, s->t.best.n), left = s->shares.narrow * s->t.budget - s->t.spent;
    size_t first = s->t.best.swept + 1;
    bool all = (double)(s->t.best.n - first) * each / 2 <= left; /* shorter ones are cheaper */
    if (!all) {
        size_t window = left > each ? (size_t)(left / each) : 0;
        first = s->t.best.n > first + window ? s->t.best.n - window : first;
    }
    size_t skipped = s->t.skipped;
    for (size_t n = first; n < s->t.best.n && has_budget(s, s->shares.narrow); n++) {
        if (try_near(s, n)) return;
        if (all && s->t.skipped == skipped) s->t.best.swept = n;
    }
}

/* Takes out ever shorter stretches wherever the rest stays wrong. */
static void shrink(search *s) {
    uint32_t *less = arena_alloc(s->t.a, s->t.best.n + 1, sizeof *less);
    double margin;
    for (size_t cut = s->t.best.n / 4; cut > 0; cut /= 2)
        for (size_t at = 0; at + cut <= s->t.best.n && has_budget(s, s->shares.shrink);) {
            size_t n = s->t.best.n - cut;
            memcpy(less, s->t.best.letters, at * sizeof *less);
            memcpy(less + at, s->t.best.letters + at + cut, (n - at) * sizeof *less);
            if (!trial_is_wrong(&s->t, &margin, less, n)) at += cut;
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
        s->t.word[i] = runs ? now : w->letters[i % w->length];
    }
    while (faults-- > 0) { /* first the place: C leaves the order of an assignment's sides open */
        size_t at = below(s, n);
        s->t.word[at] = random_letter(s);
    }
}

/* One of the pool, brought to length n by repetition or cutting, with a few changes. */
static void fill_mutant(search *s, size_t n) {
    const pool_string *p = &s->pool[below(s, POOL)];
    if (p->promise < 0 || p->n == 0) {
        fill_random(s, n);
        return;
    }
    size_t shift = below(s, 4) ? 0 : below(s, p->n), changes = 1 + below(s, 3);
    for (size_t i = 0; i < n; i++) s->t.word[i] = p->letters[(i + shift) % p->n];
    while (changes-- > 0) {
        size_t at = below(s, n), length = below(s, 3) ? 1 : 1 + below(s, n - at);
        uint32_t letter = random_letter(s);
        for (size_t i = at; i < at + length; i++) s->t.word[i] = letter;
    }
}

/* Near the shortest wrong one, or anywhere below it. */
static size_t random_length(search *s, size_t most) {
    size_t span = most - s->exhausted;
    return most - below(s, below(s, 2) && span > 8 ? 8 : span);
}

static void mutate(search *s) {
    while (has_budget(s, 1) && s->kit->letter_count) {
        size_t most = s->t.found ? s->t.best.n - 1 : s->t.best.tried < SWEEP_MOST ? s->t.best.tried : SWEEP_MOST;
        if (s->t.found ? s->t.best.n <= s->exhausted + 1 : most <= s->exhausted) return;
        size_t n = random_length(s, most);
        double margin;
        if (s->t.spent + trial_cost(&s->t, n) > s->t.budget) return;
        trial_make_room(&s->t, n);
        if (below(s, 3))
            fill_mutant(s, n);
        else
            fill_random(s, n);
        if (!trial_is_wrong(&s->t, &margin, s->t.word, n)) keep_in_pool(s, s->t.word, n, margin);
    }
}

/* ---- all of it ---- */

static void find(search *s) {
    size_t wrong = 0;
    sweep(s);
    if (!s->t.found && s->near > s->t.best.swept && s->kit->letter_count) {
        wrong = aim(s);
        if (wrong) narrow(s, s->t.best.swept, wrong);
    }
    if (!s->t.found) {
        size_t right = climb(s, &wrong);
        if (s->t.found) narrow(s, right, wrong);
    }
    if (s->t.found && s->t.best.n > 0) shrink(s);
    mutate(s);
}

/* The first head, in order, whose error a gate no longer rounds away; else the one with the largest. */
static void blame_margin(search *s) {
    temper_run_options o = {.type = s->t.type_id, .unchecked = 1, .threads = 1};
    temper_run *run;
    double most = -1;
    if (temper_model_run(&run, s->t.m, s->t.best.letters, s->t.best.n, &o, NULL)) return;
    for (uint32_t l = 0; l < s->t.m->layer_count && most < 0.25; l++)
        for (uint32_t h = 0; h < s->t.m->layers[l].head_count && most < 0.25; h++) {
            double margin = temper_run_head(run, l + 1, h + 1).error;
            if (margin <= most) continue;
            most = margin;
            s->t.best.layer = l + 1;
            s->t.best.head = h + 1;
        }
    temper_run_free(run);
}

static void explain(search *s) {
    trial *t = &s->t;
    diagnosis d = {0};
    if (diagnose_memory(t->m, t->best.n) < DIAGNOSIS_BYTES)
        d = diagnose(t->m, t->type, t->best.letters, t->best.n, t->best.output, t->best.position, t->expected,
                     trial_arena(t->a), t->stream, t->scratch);
    t->best.why = d.why;
    t->best.layer = d.layer;
    t->best.head = d.head;
    if (d.why == TEMPER_WHY_UNKNOWN && d.layer == 0) blame_margin(s);
}

bool adversary_search(wrong_answer *out, bool *stopped, const temper_model *m, temper_type type,
                      const adversary_options *o, arena *a) {
    search s = {.longest = o->longest, .near = o->near, .random = o->seed};
    arena *own = trial_arena(a); /* so that only the answer stays behind */
    trial_start(&s.t, m, type, o, own);
    s.shares = number_type_is_emulated(type) ? emulated_shares : fast_shares;
    s.kit = string_kit_new(m, s.t.key, own, s.t.stream, s.t.scratch);
    s.order = arena_alloc(own, s.kit->family_count, sizeof *s.order);
    for (size_t k = 0; k < s.kit->family_count; k++) s.order[k] = k;
    for (size_t k = 0; k < POOL; k++) s.pool[k].promise = -1;
    find(&s);
    if (s.t.found && !s.t.stopped) explain(&s);
    *out = s.t.best;
    if (s.t.found) {
        if (out->swept >= out->n && out->n > 0) out->swept = out->n - 1;
        out->letters = arena_alloc(a, out->n + 1, sizeof *out->letters);
        memcpy(out->letters, s.t.best.letters, out->n * sizeof *out->letters);
    }
    arena_free(own);
    if (stopped) *stopped = s.t.stopped;
    return s.t.found && !s.t.stopped;
}

bool adversary_find(wrong_answer *out, const temper_model *m, temper_type type, size_t longest, uint64_t budget,
                    arena *a, trap *t) {
    adversary_options o = {.longest = longest, .budget = budget, .seed = 1};
    a->trap = t;
    return adversary_search(out, NULL, m, type, &o, a);
}
