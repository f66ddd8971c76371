#include "check/compare.h"

#include <math.h>
#include <string.h>

#include "check/side_by_side.h"
#include "check/sample.h"
#include "check/tree.h"

enum { WORK_PER_REPORT = 1 << 14, DRAW_LETTERS = 1 << 20 };

const char *const side_names[SIDES] = {"formula", "hard", "soft"};

typedef struct difference {
    size_t position; /* from 1; 0: the verdict, or before the first letter */
    size_t output;
    size_t left, right;
} difference;

/* A few random strings, drawn together so that those of equal lengths can be run together, but compared in their
   order. */
typedef struct draw {
    size_t room;      /* strings at a time; 0: not made yet */
    uint32_t **words; /* [room][longest] */
    size_t *lengths;
    abreast_answer *answers;
} draw;

struct comparison {
    const check_plan *plan;
    arena *arena;
    unsigned threads;
    uint32_t *word; /* [longest], in the model's numbering */
    uint32_t *spec_word, *trial;
    unsigned char *outputs; /* [outputs][longest] of the formula, as it numbers them */
    answers sides[SIDES];
    tree *tree;
    abreast *abreast;
    bool tried_abreast;
    bool by_tree; /* strings are asked about by the tree */
    draw draw;

    /* one unit */
    unit_result *result;
    const job_watch *watch;
    uint64_t pending, walked,
        ahead; /* strings not reported; reported in this walk; reported by a walk that was in vain */
    uint64_t work;
};

double margin_larger(double margin, double other) {
    return isnan(margin) || isnan(other) ? NAN : other > margin ? other : margin;
}

comparison *comparison_new(const check_plan *plan, unsigned threads, arena *a) {
    comparison *c = arena_zalloc(a, 1, sizeof *c);
    c->plan = plan;
    c->arena = a;
    c->threads = threads;
    c->word = arena_alloc(a, plan->longest, sizeof *c->word);
    c->spec_word = arena_alloc(a, plan->longest, sizeof *c->spec_word);
    c->trial = arena_alloc(a, plan->longest, sizeof *c->trial);
    for (size_t k = 0; k < SIDES; k++) {
        c->sides[k].truth = arena_alloc(a, plan->about.outputs * plan->longest, 1);
        c->sides[k].start = arena_zalloc(a, plan->about.outputs, 1);
    }
    c->outputs = arena_alloc(a, plan->about.outputs * plan->longest, 1);
    c->sides[SIDE_FORMULA].present = plan->spec != NULL;
    c->sides[SIDE_HARD].present = true;
    c->sides[SIDE_SOFT].present = plan->about.method != TEMPER_METHOD_HARD;
    if (plan->has_tree) c->tree = tree_new(a, &plan->sides, plan->exhaustive);
    return c;
}

void comparison_free(comparison *c) { abreast_free(c->abreast); }

/* NULL: strings are run one by one. */
static abreast *get_abreast(comparison *c) {
    const check_plan *p = c->plan;
    if (p->roles && !c->tried_abreast) c->abreast = abreast_new(c->arena, &p->sides, c->threads);
    c->tried_abreast = true;
    return c->abreast;
}

/* ---- how far we are ---- */

/* So many more strings are done, or some work on one of length n; true to give up. */
static bool tick(comparison *c, uint64_t strings, size_t n) {
    uint64_t known = strings < c->ahead ? strings : c->ahead;
    c->ahead -= known;
    c->pending += strings - known;
    c->work += 64 * strings + n;
    if (c->work < WORK_PER_REPORT) return false;
    uint64_t more = c->pending;
    c->work = c->pending = 0;
    return c->watch->tick(c->watch->context, more);
}

static bool tick_walk(void *context, uint64_t more) {
    comparison *c = context;
    c->walked += more;
    return tick(c, more, 0);
}

/* ---- one string ---- */

static void ask_formula(comparison *c, answers *a, const uint32_t *word, size_t n) {
    temper_error inner;
    const check_sides *s = &c->plan->sides;
    for (size_t k = 0; k < n; k++) c->spec_word[k] = s->spec_letter[word[k]];
    if (c->plan->about.kind == TEMPER_KIND_ACCEPTOR) {
        if (temper_spec_eval(&a->accept, a->truth, s->spec, c->spec_word, n, &inner))
            trap_reraise(c->arena->trap, &inner);
        return;
    }
    a->accept = 0;
    if (temper_spec_eval_outputs(c->outputs, s->spec, c->spec_word, n, &inner)) trap_reraise(c->arena->trap, &inner);
    for (size_t k = 0; k < c->plan->about.outputs; k++) {
        a->start[k] = spec_output_empty(s->spec, s->spec_output[k]);
        if (n) memcpy(a->truth + k * n, c->outputs + s->spec_output[k] * n, n);
    }
}

/* Soft models without proof are run as they are. Hard choices are proved string by string if need be, in doubles or,
   where those cannot tell a tie from rounding, in rationals; what has no rational value is run as it is. */
static temper_run *run_model(comparison *c, const uint32_t *word, size_t n, bool hard) {
    temper_error inner;
    temper_run *run;
    temper_run_options ways[3] = {{.hard = hard, .unchecked = !hard && !c->plan->proved, .threads = c->threads},
                                  {.hard = hard, .type = TEMPER_TYPE_EXACT, .threads = c->threads},
                                  {.hard = hard, .unchecked = 1, .threads = c->threads}};
    size_t count = hard ? 3 : 1;
    for (size_t k = 0; k < count; k++) {
        temper_status status = temper_model_run(&run, c->plan->model, word, n, &ways[k], &inner);
        if (status == TEMPER_OK) return run;
        if (status != TEMPER_UNSUPPORTED && (status != TEMPER_LIMIT || k == 1)) break; /* too long for rationals */
    }
    trap_reraise(c->arena->trap, &inner);
}

static void ask_model(comparison *c, answers *a, const uint32_t *word, size_t n, bool hard) {
    temper_run *run = run_model(c, word, n, hard);
    a->accept = temper_run_about(run).accept;
    for (size_t o = 0; o < c->plan->about.outputs; o++) {
        const unsigned char *truth = temper_run_output(run, o);
        for (size_t k = 0; k < n; k++) a->truth[o * n + k] = truth[k + 1] != 0;
        a->start[o] = truth[0] != 0;
    }
    for (size_t layer = 1; !hard && layer <= c->plan->about.layers; layer++) {
        size_t heads = temper_model_layer(c->plan->model, layer).heads;
        for (size_t head = 1; head <= heads; head++)
            c->result->margin = margin_larger(c->result->margin, temper_run_head(run, layer, head).error);
    }
    temper_run_free(run);
}

static void ask_all(comparison *c, const uint32_t *word, size_t n) {
    if (c->by_tree) {
        tree_ask(c->tree, c->sides, word, n);
        return;
    }
    if (c->sides[SIDE_FORMULA].present) ask_formula(c, &c->sides[SIDE_FORMULA], word, n);
    if (c->sides[SIDE_HARD].present) ask_model(c, &c->sides[SIDE_HARD], word, n, true);
    if (c->sides[SIDE_SOFT].present) ask_model(c, &c->sides[SIDE_SOFT], word, n, false);
}

/* True if two sides that are no acceptors differ. */
static bool outputs_differ(difference *d, const comparison *c, size_t n) {
    const answers *l = &c->sides[d->left], *r = &c->sides[d->right];
    for (d->position = 0; d->position <= n; d->position++)
        for (d->output = 0; d->output < c->plan->about.outputs; d->output++) {
            size_t at = d->output * n + d->position - 1;
            if (d->position ? !l->truth[at] != !r->truth[at] : l->start[d->output] != r->start[d->output])
                return true;
        }
    return false;
}

/* True if two sides differ on the word; *d says where: the verdict first, since that is what a user sees. */
static bool differs(difference *d, comparison *c, const uint32_t *word, size_t n) {
    ask_all(c, word, n);
    for (d->left = 0; d->left < SIDES; d->left++) {
        for (d->right = d->left + 1; d->right < SIDES; d->right++) {
            const answers *l = &c->sides[d->left], *r = &c->sides[d->right];
            if (!l->present || !r->present) continue;
            if (c->plan->about.kind != TEMPER_KIND_ACCEPTOR) {
                if (outputs_differ(d, c, n)) return true;
                continue;
            }
            d->position = d->output = 0;
            if (!l->accept != !r->accept) return true;
            if (c->plan->about.verdict_only) continue; /* that is all the model claims */
            for (d->position = 1; d->position <= n; d->position++)
                if (!l->truth[d->position - 1] != !r->truth[d->position - 1]) return true;
        }
    }
    return false;
}

static bool value_at(const comparison *c, const answers *a, const difference *d, size_t n) {
    if (d->position) return a->truth[d->output * n + d->position - 1] != 0;
    return c->plan->about.kind == TEMPER_KIND_ACCEPTOR ? a->accept != 0 : a->start[d->output] != 0;
}

/* The result is that two sides differ on c->word. */
static void keep_counterexample(comparison *c, size_t n) {
    unit_result *r = c->result;
    difference d;
    differs(&d, c, c->word, n);
    const answers *left = &c->sides[d.left], *right = &c->sides[d.right];
    r->found = true;
    r->word = c->word;
    r->n = n;
    r->position = d.position;
    r->left = (unsigned char)d.left;
    r->right = (unsigned char)d.right;
    r->output = (uint32_t)d.output;
    r->left_value = value_at(c, left, &d, n);
    r->right_value = value_at(c, right, &d, n);
}

/* ---- all strings of a length, or those with some prefixes ---- */

/* The digits of a number, as first letters of their classes. */
static void spell(const check_sides *s, uint32_t *word, size_t n, uint64_t number) {
    for (size_t k = n; k-- > 0; number /= s->classes) word[k] = s->letter[number % s->classes];
}

/* How many strings of its length, of first letters, come before a word. */
static uint64_t rank(const check_sides *s, const uint32_t *word, size_t n) {
    uint64_t r = 0;
    for (size_t k = 0; k < n; k++) r = r * s->classes + s->class_of[word[k]];
    return r;
}

/* Moves to the next word of the same length, counting up; false after the last. */
static bool next_word(const check_sides *s, uint32_t *word, size_t n) {
    while (n > 0) {
        uint32_t class = s->class_of[word[n - 1]] + 1;
        word[n - 1] = s->letter[class < s->classes ? class : 0];
        if (class < s->classes) return true;
        n--;
    }
    return false;
}

static tree_outcome compare_word(comparison *c, size_t n) {
    difference d;
    bool found = differs(&d, c, c->word, n);
    return tick(c, 1, n) ? TREE_STOPPED : found ? TREE_DIFFERS : TREE_AGREED;
}

/* One by one, in the order of the strings. */
static tree_outcome compare_each(comparison *c, const tree_part *p) {
    const check_sides *s = &c->plan->sides;
    size_t rest = p->n - p->depth;
    uint32_t *fixed = c->plan->mirrored ? c->word + rest : c->word,
             *loose = c->plan->mirrored ? c->word : c->word + p->depth;
    tree_outcome outcome;
    if (rest) memset(loose, 0, rest * sizeof *loose);
    if (c->plan->mirrored) {
        do {
            for (uint64_t k = 0; k < p->count; k++) {
                spell(s, fixed, p->depth, p->first + k);
                if ((outcome = compare_word(c, p->n))) return outcome;
            }
        } while (next_word(s, loose, rest));
        return TREE_AGREED;
    }
    for (uint64_t k = 0; k < p->count; k++) {
        spell(s, fixed, p->depth, p->first + k);
        do
            if ((outcome = compare_word(c, p->n))) return outcome;
        while (next_word(s, loose, rest)); /* ends with zeros */
    }
    return TREE_AGREED;
}

/* By the tree or side by side, or one by one if there is neither or it fails. */
static tree_outcome compare_part(comparison *c, const tree_part *p, uint64_t below) {
    tree_outcome outcome = TREE_BROKEN;
    double margin = 0;
    c->walked = 0;
    c->by_tree = c->tree != NULL;
    if (c->tree)
        outcome = tree_walk(c->tree, p, c->word, &margin, tick_walk, c);
    else if (get_abreast(c))
        outcome = abreast_walk(c->abreast, p->n, p->first * below, p->count * below, c->word, &margin, tick_walk, c);
    if (outcome != TREE_BROKEN) {
        c->result->margin = margin;
        return outcome;
    }
    c->ahead += c->walked;
    c->by_tree = false;
    return compare_each(c, p);
}

/* One length of a layer, or a unit's part of it. *before: strings of the layer that are shorter. */
static tree_outcome compare_length(comparison *c, const unit_layer *l, uint64_t unit, size_t n, uint64_t *before) {
    unit_result *r = c->result;
    uint64_t first = (unit - l->first) * l->block, left = l->prefixes - first, strings = 1;
    tree_part part = {.n = n, .depth = l->depth, .first = first, .count = left < l->block ? left : l->block};
    double margin = r->margin;
    for (size_t k = l->depth; k < n && c->plan->sides.classes > 1; k++) strings *= c->plan->sides.classes;
    r->margin = 0;
    tree_outcome outcome = compare_part(c, &part, strings);
    if (outcome == TREE_STOPPED) return outcome;
    if (outcome == TREE_DIFFERS) {
        if (!c->by_tree) r->margin = 0;
        keep_counterexample(c, n);
        r->strings = *before + rank(&c->plan->sides, c->word, n) + 1;
    } else {
        r->strings += part.count * strings;
        *before += strings;
    }
    r->margin = margin_larger(margin, r->margin);
    return outcome;
}

static bool run_layer(comparison *c, const unit_layer *l, uint64_t unit) {
    uint64_t before = 0;
    tree_outcome outcome = TREE_AGREED;
    for (size_t n = l->shortest; n <= l->longest && outcome == TREE_AGREED; n++)
        outcome = compare_length(c, l, unit, n, &before);
    return outcome != TREE_STOPPED;
}

/* ---- random strings ---- */

/* Deletes stretches of letters, long ones first, as long as some difference remains. The new length, or SIZE_MAX:
   given up. */
static size_t shrink(comparison *c, size_t n) {
    difference d;
    for (size_t stretch = n; stretch > 0;) {
        bool shorter = false;
        for (size_t at = 0; at < n;) {
            size_t gone = stretch < n - at ? stretch : n - at;
            memcpy(c->trial, c->word, at * sizeof *c->word);
            memcpy(c->trial + at, c->word + at + gone, (n - at - gone) * sizeof *c->word);
            if (tick(c, 0, n + 64)) return SIZE_MAX;
            /* shorter ones have all been seen to agree */
            if (n - gone > c->plan->exhaustive && differs(&d, c, c->trial, n - gone)) {
                n -= gone;
                memcpy(c->word, c->trial, n * sizeof *c->word);
                shorter = true;
            } else {
                at += gone;
            }
        }
        if (stretch > n) stretch = n;
        if (stretch > 1)
            stretch = (stretch + 1) / 2;
        else if (!shorter)
            stretch = 0;
    }
    return n;
}

static void make_draw(comparison *c) {
    draw *w = &c->draw;
    size_t longest = c->plan->most, most = DRAW_LETTERS / (longest ? longest : 1);
    if (w->room) return;
    size_t room = most < 1 ? 1 : most > BLOCK_STRINGS ? BLOCK_STRINGS : most;
    if (room > c->plan->random) room = (size_t)c->plan->random;
    w->words = arena_alloc(c->arena, room, sizeof *w->words);
    for (size_t k = 0; k < room; k++) w->words[k] = arena_alloc(c->arena, longest, sizeof **w->words);
    w->lengths = arena_alloc(c->arena, room, sizeof *w->lengths);
    w->answers = arena_zalloc(c->arena, room, sizeof *w->answers);
    w->room = room;
}

static bool differs_drawn(comparison *c, size_t k) {
    difference d;
    const draw *w = &c->draw;
    const abreast_answer *a = &w->answers[k];
    if (!c->abreast || !a->known) return differs(&d, c, w->words[k], w->lengths[k]);
    c->result->margin = margin_larger(c->result->margin, a->margin);
    return a->odd;
}

/* The strings that were drawn, in order. */
static tree_outcome compare_drawn(comparison *c, size_t count) {
    for (size_t k = 0; k < count; k++) {
        size_t n = c->draw.lengths[k];
        bool found = differs_drawn(c, k);
        c->result->strings++;
        if (tick(c, 1, n)) return TREE_STOPPED;
        if (!found) continue;
        memcpy(c->word, c->draw.words[k], n * sizeof *c->word);
        n = shrink(c, n);
        if (n == SIZE_MAX) return TREE_STOPPED;
        keep_counterexample(c, n);
        return TREE_DIFFERS;
    }
    return TREE_AGREED;
}

/* Where letters share classes, strings of classes: each position has any letter of its class. */
static size_t draw_string(uint32_t *word, sample *s, const check_plan *p, size_t shortest) {
    size_t n = sample_string(word, s, shortest, p->most, (uint32_t)p->sides.classes);
    if (p->sides.classes == p->about.letters) return n;
    for (size_t k = 0; k < n; k++) {
        const check_members *m = &p->members[word[k]];
        word[k] = m->letters[sample_below(s, m->count)];
    }
    return n;
}

/* So many strings from the seed of a block. */
static tree_outcome run_block(comparison *c, uint64_t block, size_t strings) {
    const check_plan *p = c->plan;
    size_t shortest = p->most > p->exhaustive ? p->exhaustive + 1 : p->most; /* shorter ones have been seen */
    draw *w = &c->draw;
    tree_outcome outcome = TREE_AGREED;
    sample s;
    sample_start_block(&s, p->seed, block);
    for (size_t count; strings > 0 && outcome == TREE_AGREED; strings -= count) {
        count = strings < w->room ? strings : w->room;
        for (size_t k = 0; k < count; k++) w->lengths[k] = draw_string(w->words[k], &s, p, shortest);
        if (c->abreast) abreast_ask(c->abreast, w->answers, (const uint32_t *const *)w->words, w->lengths, count);
        outcome = compare_drawn(c, count);
    }
    return outcome;
}

static bool run_random(comparison *c, uint64_t unit) {
    const unit_plan *u = &c->plan->units;
    uint64_t left = units_strings(u, unit), block = (unit - u->exhaustive) * u->unit_blocks;
    tree_outcome outcome = TREE_AGREED;
    c->by_tree = false; /* random strings are long, and test the runner */
    make_draw(c);
    get_abreast(c);
    for (; left > 0 && outcome == TREE_AGREED; block++) {
        size_t strings = left < BLOCK_STRINGS ? (size_t)left : BLOCK_STRINGS;
        outcome = run_block(c, block, strings);
        left -= strings;
    }
    return outcome != TREE_STOPPED;
}

bool comparison_run(unit_result *out, comparison *c, uint64_t unit, const job_watch *watch) {
    const unit_layer *l = units_layer(&c->plan->units, unit);
    *out = (unit_result){0};
    c->result = out;
    c->watch = watch;
    c->pending = c->ahead = c->work = 0;
    bool done = l ? run_layer(c, l, unit) : run_random(c, unit);
    if (done && c->pending) watch->tick(watch->context, c->pending);
    return done;
}
