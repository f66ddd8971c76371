/* The formula, the model with hard choices and the model as it is, compared string by string. */
#include "base/table.h"
#include "base/text.h"
#include "check/abreast.h"
#include "check/sample.h"
#include "check/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_PER_REPORT = 1 << 14, DRAW_STRINGS = 1 << 10, DRAW_LETTERS = 1 << 20 };

static const char *const side_names[SIDES] = {"formula", "hard", "soft"};

typedef struct difference {
    size_t position; /* from 1; 0: the verdict */
    size_t left, right;
} difference;

typedef struct check {
    trap *trap;
    arena *arena;
    const temper_spec *spec;
    const temper_model *model;
    temper_model_info about;
    const temper_check_options *options;
    uint32_t *spec_letter; /* [letters]: a model's letter as the formula numbers it */
    uint32_t *word;        /* [longest], in the model's numbering */
    uint32_t *spec_word, *trial;
    answers sides[SIDES];
    temper_check_result *result;
    tree *tree;       /* NULL: there is none, or it failed */
    abreast *abreast; /* NULL: strings are asked about one by one */
    size_t seen;      /* all strings up to this length agree */
    uint64_t total, work;
} check;

static _Noreturn void letter_missing(check *c, const char *letter, const char *here, const char *there) {
    trap_raise_hint(c->trap, TEMPER_RANGE, 0, 0, "formula and model must have the same letters",
                    "letter '%s' of the %s is not in the alphabet of the %s",
                    text_escaped(c->arena, letter, strlen(letter), 40), here, there);
}

/* Letters are matched by name: the two may number them differently. */
static void match_alphabets(check *c) {
    table known;
    table_init(&known, c->arena);
    bool fresh;
    for (size_t k = 0; k < temper_spec_letter_count(c->spec); k++) {
        const char *letter = temper_spec_letter(c->spec, k);
        table_put(&known, letter, strlen(letter), (uint32_t)k, &fresh);
    }
    c->spec_letter = arena_alloc(c->arena, c->about.letters, sizeof *c->spec_letter);
    bool *met = arena_zalloc(c->arena, temper_spec_letter_count(c->spec), sizeof *met);
    for (size_t k = 0; k < c->about.letters; k++) {
        const char *letter = temper_model_letter(c->model, k);
        const uint32_t *number = table_find(&known, letter, strlen(letter));
        if (number)
            met[c->spec_letter[k] = *number] = true;
        else
            letter_missing(c, letter, "model", "formula");
    }
    for (size_t k = 0; k < temper_spec_letter_count(c->spec); k++)
        if (!met[k]) letter_missing(c, temper_spec_letter(c->spec, k), "formula", "model");
}

/* How many strings there are to compare; refuses what would never end. */
static uint64_t count_strings(const check *c) {
    const uint64_t most = (uint64_t)1 << 62;
    uint64_t letters = c->about.letters, layer = 1, total = 1;
    bool endless = false;
    if (letters == 1) {
        endless = c->options->exhaustive >= most;
        total += c->options->exhaustive;
    } else if (letters > 1) {
        for (size_t k = 1; k <= c->options->exhaustive && !endless; k++)
            endless = __builtin_mul_overflow(layer, letters, &layer) ||
                      __builtin_add_overflow(total, layer, &total) || total > most;
    }
    if (endless || __builtin_add_overflow(total, c->options->random, &total) || total > most)
        trap_raise_hint(c->trap, TEMPER_LIMIT, 0, 0, "choose a smaller length for the exhaustive part",
                        "more than 2^62 strings: %zu letters, all strings up to length %zu, %llu random ones",
                        c->about.letters, c->options->exhaustive, (unsigned long long)c->options->random);
    return total;
}

static void ask_formula(check *c, answers *a, const uint32_t *word, size_t n) {
    temper_error inner;
    for (size_t k = 0; k < n; k++) c->spec_word[k] = c->spec_letter[word[k]];
    if (temper_spec_eval(&a->accept, a->truth, c->spec, c->spec_word, n, &inner)) trap_reraise(c->trap, &inner);
}

/* Soft models without proof are run as they are. Hard choices are proved string by string if need be, in doubles or, where those
   cannot tell a tie from rounding, in rationals; what has no rational value is run as it is. */
static temper_run *run_model(check *c, const uint32_t *word, size_t n, bool hard) {
    temper_error inner;
    temper_run *run;
    bool proved = c->about.safe_length > 0;
    temper_run_options ways[3] = {{.hard = hard, .unchecked = !hard && !proved},
                                  {.hard = hard, .type = TEMPER_TYPE_EXACT},
                                  {.hard = hard, .unchecked = 1}};
    size_t count = !hard ? 1 : c->about.output_margin > 0 || !proved ? 3 : 1;
    for (size_t k = 0; k < count; k++) {
        temper_status status = temper_model_run(&run, c->model, word, n, &ways[k], &inner);
        if (status == TEMPER_OK) return run;
        if (status != TEMPER_UNSUPPORTED && (status != TEMPER_LIMIT || k == 1))
            break; /* too long for rationals: not without proof */
    }
    trap_reraise(c->trap, &inner);
}

static void ask_model(check *c, answers *a, const uint32_t *word, size_t n, bool hard) {
    temper_run *run = run_model(c, word, n, hard);
    a->accept = temper_run_accept(run);
    for (size_t k = 0; k < n; k++) a->truth[k] = (unsigned char)(temper_run_truth(run, k + 1) != 0);
    for (size_t layer = 1; !hard && layer <= c->about.layers; layer++) {
        size_t heads = temper_model_layer_heads(c->model, layer);
        for (size_t head = 1; head <= heads; head++) {
            double margin = temper_run_margin(run, layer, head);
            if (isnan(margin) || margin > c->result->margin) c->result->margin = margin; /* a NaN stays */
        }
    }
    temper_run_free(run);
}

static void ask_all(check *c, const uint32_t *word, size_t n) {
    if (c->tree) {
        tree_ask(c->tree, c->sides, word, n);
        return;
    }
    if (c->sides[0].present) ask_formula(c, &c->sides[0], word, n);
    if (c->sides[1].present) ask_model(c, &c->sides[1], word, n, true);
    if (c->sides[2].present) ask_model(c, &c->sides[2], word, n, false);
}

/* True if two sides differ on the word; *d says where: the verdict first, since that is what a user sees. */
static bool differs(difference *d, check *c, const uint32_t *word, size_t n) {
    ask_all(c, word, n);
    for (d->left = 0; d->left < SIDES; d->left++) {
        for (d->right = d->left + 1; d->right < SIDES; d->right++) {
            const answers *l = &c->sides[d->left], *r = &c->sides[d->right];
            if (!l->present || !r->present) continue;
            d->position = 0;
            if (!l->accept != !r->accept) return true;
            if (c->about.verdict_only) continue; /* that is all the model claims */
            for (d->position = 1; d->position <= n; d->position++)
                if (!l->truth[d->position - 1] != !r->truth[d->position - 1]) return true;
        }
    }
    return false;
}

/* Tells the caller now and then how far we are; true if he asks to stop. */
static bool report(check *c, size_t n) {
    c->work += 64 + n;
    if (!c->options->progress || c->work < WORK_PER_REPORT) return false;
    c->work = 0;
    if (!c->options->progress(c->options->context, c->result->strings, c->total)) return false;
    c->result->stopped = 1;
    return true;
}

/* Deletes stretches of letters, long ones first, as long as some difference remains. Returns the new length. */
static size_t shrink(check *c, size_t n) {
    difference d;
    for (size_t stretch = n; stretch > 0;) {
        bool shorter = false;
        for (size_t at = 0; at < n;) {
            size_t gone = stretch < n - at ? stretch : n - at;
            memcpy(c->trial, c->word, at * sizeof *c->word);
            memcpy(c->trial + at, c->word + at + gone, (n - at - gone) * sizeof *c->word);
            if (report(c, n)) return n;
            if (n - gone > c->seen && differs(&d, c, c->trial, n - gone)) {
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

static void keep_counterexample(check *c, size_t n) {
    temper_check_result *r = c->result;
    difference d;
    differs(&d, c, c->word, n);
    const answers *l = &c->sides[d.left], *s = &c->sides[d.right];
    r->agreed = 0;
    r->counterexample = caller_alloc(c->trap, n, sizeof *r->counterexample);
    if (n) memcpy(r->counterexample, c->word, n * sizeof *r->counterexample);
    r->counterexample_length = n;
    r->position = d.position;
    r->left = side_names[d.left];
    r->right = side_names[d.right];
    r->left_value = (d.position ? l->truth[d.position - 1] : l->accept) != 0;
    r->right_value = (d.position ? s->truth[d.position - 1] : s->accept) != 0;
}

/* Moves to the next word of the same length, counting up; false after the last. */
static bool next_word(uint32_t *word, size_t n, size_t letters) {
    while (n > 0) {
        if (++word[n - 1] < letters) return true;
        word[--n] = 0;
    }
    return false;
}

/* The strings of one length, one by one. True if a difference was found or the caller asked to stop. */
static bool compare_each(check *c, size_t n) {
    difference d;
    memset(c->word, 0, n * sizeof *c->word);
    do {
        bool found = differs(&d, c, c->word, n);
        c->result->strings++;
        if (found) keep_counterexample(c, n);
        if (found || report(c, n)) return true;
    } while (next_word(c->word, n, c->about.letters));
    return false;
}

static bool report_walk(void *context, uint64_t done) {
    check *c = context;
    const temper_check_options *o = c->options;
    return o->progress && o->progress(o->context, c->result->strings + done, c->total);
}

/* The same by the tree of prefixes, or many at a time; asks one by one if that fails, and from here on if it was a tree. */
static bool compare_many(check *c, size_t n) {
    temper_check_result *r = c->result;
    uint64_t strings = 0;
    switch (c->tree ? tree_walk(c->tree, n, c->word, &strings, &r->margin, report_walk, c)
                    : abreast_walk(c->abreast, n, c->word, &strings, &r->margin, report_walk, c)) {
    case TREE_BROKEN: c->tree = NULL; return compare_each(c, n);
    case TREE_AGREED: r->strings += strings; return false;
    case TREE_STOPPED:
        r->strings += strings;
        r->stopped = 1;
        return true;
    case TREE_DIFFERS: r->strings += strings; break;
    }
    keep_counterexample(c, n);
    return true;
}

/* Else only single strings are proved of hard choices, and strings are run one by one. */
static bool is_proved_by_roles(const check *c) { return c->about.safe_length > 0 && c->about.output_margin == 0; }

static bool compare_all_up_to(check *c, size_t longest) {
    if (is_proved_by_roles(c)) {
        c->tree = tree_new(c->arena, c->spec, c->model, c->spec_letter, longest, c->options->threads);
        if (!c->tree) c->abreast = abreast_new(c->arena, c->spec, c->model, c->spec_letter, c->options->threads);
    }
    for (size_t n = 0; n <= longest; n++)
        if (c->tree || c->abreast ? compare_many(c, n) : compare_each(c, n)) return true;
    c->tree = NULL; /* random strings are long, and test the runner */
    return false;
}

/* A few random strings, drawn together so that those of equal lengths can be run together, but compared in their order. */
typedef struct draw {
    size_t room;      /* strings at a time */
    uint32_t **words; /* [room][longest] */
    size_t *lengths;
    abreast_answer *answers;
} draw;

static void make_draw(draw *w, check *c, size_t longest) {
    size_t most = DRAW_LETTERS / (longest ? longest : 1);
    w->room = most < 1 ? 1 : most > DRAW_STRINGS ? DRAW_STRINGS : most;
    if (w->room > c->options->random) w->room = (size_t)c->options->random;
    w->words = arena_alloc(c->arena, w->room, sizeof *w->words);
    for (size_t k = 0; k < w->room; k++) w->words[k] = arena_alloc(c->arena, longest, sizeof **w->words);
    w->lengths = arena_alloc(c->arena, w->room, sizeof *w->lengths);
    w->answers = arena_zalloc(c->arena, w->room, sizeof *w->answers);
}

static bool differs_drawn(check *c, const draw *w, size_t k) {
    difference d;
    const abreast_answer *a = &w->answers[k];
    if (!a->known) return differs(&d, c, w->words[k], w->lengths[k]);
    if (a->margin > c->result->margin) c->result->margin = a->margin;
    return a->odd;
}

/* The strings that were drawn, in order. True if a difference was found or the caller asked to stop. */
static bool compare_drawn(check *c, const draw *w, size_t count) {
    for (size_t k = 0; k < count; k++) {
        size_t n = w->lengths[k];
        bool found = differs_drawn(c, w, k);
        c->result->strings++;
        if (found) {
            memcpy(c->word, w->words[k], n * sizeof *c->word);
            keep_counterexample(c, shrink(c, n));
        }
        if (found || report(c, n)) return true;
    }
    return false;
}

static bool compare_random(check *c, size_t shortest, size_t longest) {
    sample s;
    draw w;
    if (c->options->random == 0) return false;
    make_draw(&w, c, longest);
    if (!c->abreast && is_proved_by_roles(c))
        c->abreast = abreast_new(c->arena, c->spec, c->model, c->spec_letter, c->options->threads);
    sample_start(&s, c->options->seed);
    for (uint64_t left = c->options->random; left > 0;) {
        size_t count = left < w.room ? (size_t)left : w.room;
        for (size_t k = 0; k < count; k++)
            w.lengths[k] = sample_string(w.words[k], &s, shortest, longest, (uint32_t)c->about.letters);
        if (c->abreast) abreast_ask(c->abreast, w.answers, (const uint32_t *const *)w.words, w.lengths, count);
        if (compare_drawn(c, &w, count)) return true;
        left -= count;
    }
    return false;
}

static void compare(check *c) {
    const temper_check_options *o = c->options;
    if (!c->model) trap_raise(c->trap, TEMPER_RANGE, 0, 0, "there is no model to check");
    temper_model_about(&c->about, c->model);
    c->sides[0].present = c->spec != NULL;
    c->sides[1].present = true;
    c->sides[2].present = c->about.method != TEMPER_METHOD_HARD;
    if (!c->spec && !c->sides[2].present)
        trap_raise_hint(c->trap, TEMPER_RANGE, 0, 0, "give a formula, or a soft model",
                        "a hard model alone has nothing to be compared with");
    if (c->spec) match_alphabets(c);
    c->total = count_strings(c);

    size_t all = c->about.letters ? o->exhaustive : 0, most = c->about.letters && o->random ? o->length : 0;
    size_t longest = all > most ? all : most;
    if (c->about.safe_length > 0 && longest > c->about.safe_length) {
        const char *why = c->about.safe_reason ? c->about.safe_reason : "";
        trap_raise_hint(c->trap, TEMPER_LIMIT, 0, 0, text_escaped(c->arena, why, strlen(why), 200),
                        "strings of length %zu are beyond the model's largest safe length, %zu", longest,
                        c->about.safe_length);
    }
    c->word = arena_alloc(c->arena, longest, sizeof *c->word);
    c->spec_word = arena_alloc(c->arena, longest, sizeof *c->spec_word);
    c->trial = arena_alloc(c->arena, longest, sizeof *c->trial);
    for (size_t k = 0; k < SIDES; k++) c->sides[k].truth = arena_alloc(c->arena, longest, 1);

    c->result->agreed = 1;
    if (compare_all_up_to(c, all)) return;
    c->seen = all;
    /* Short strings have been seen: random ones begin beyond them if they may. */
    if (compare_random(c, most > all ? all + 1 : most, most)) return;
    if (o->progress) o->progress(o->context, c->result->strings, c->total);
}

temper_status temper_check(temper_check_result *out, const temper_spec *spec, const temper_model *model,
                           const temper_check_options *options, temper_error *err) {
    static const temper_check_options defaults;
    trap t;
    arena a;
    arena_init(&a, &t);
    memset(out, 0, sizeof *out);
    check c = {.trap = &t,
               .arena = &a,
               .spec = spec,
               .model = model,
               .options = options ? options : &defaults,
               .result = out};
    if (trap_set(&t, err)) {
        abreast_free(c.abreast);
        arena_free(&a);
        temper_check_clear(out);
        return t.error.code;
    }
    compare(&c);
    abreast_free(c.abreast);
    arena_free(&a);
    trap_clear(&t);
    return TEMPER_OK;
}

void temper_check_clear(temper_check_result *result) {
    if (!result) return;
    free(result->counterexample);
    memset(result, 0, sizeof *result);
}
