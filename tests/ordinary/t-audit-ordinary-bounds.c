/* The bounds of the audit of ordinary transformers against those of the page (ordinary_page.h): the same numbers for
   every head and for the logits, and the same verdicts at the longest length that is proved and one letter more. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/ordinary/audit_ordinary_bounds.h"
#include "ordinary/files/gguf_write.h"
#include "ordinary_page.h"
#include "ordinary_trials.h"

static struct { size_t models, compared, proved, numbers, edges; } total;

typedef struct trial {
    const char *name;
    const temper_spec *spec;
    struct ordinary_options options;
    test_random *random;
    size_t knobs;
    bool proved; /* found */
} trial;

static const char *setting(const trial *t) { return ordinary_setting_text(t->name, &t->options); }

/* ---- one comparison ---- */

typedef struct comparison {
    const trial *t;
    const lift *u;
    const char *what; /* was changed */
    double by;
    bool proved; /* found */
} comparison;

static void find_bounds(entry *e, void *context) {
    ordinary_audit *s = context;
    s->trap = e->trap;
    s->scratch = &e->scratch;
    ordinary_bounds(s);
}

static void check_number(const comparison *c, size_t head, double found, real page) {
    const char *role = head < c->u->head_count ? lift_role_name(c->u->heads[head].role) : "logits";
    /* where a number was changed, exp may be of differences of numbers so large that roundings show */
    bool same = c->by == 1 ? (real)found >= page * (1 - 0x1p-48L) && (real)found <= page * (1 + 0x1p-26L)
                           : fabsl((real)found - page) <= page * 0x1p-17L;
    total.numbers++;
    CHECK(same || (!isfinite(page) && !isfinite(found)), "%s: %s, %s times %g: %.17g, the page %.17Lg", setting(c->t),
          role, c->what, c->by, found, page);
}

static void compare(entry *e, void *context) {
    comparison *c = context;
    temper_error why = {0};
    ordinary_claim claim = {.f16_weights = c->t->options.weights == ORDINARY_F16,
                            .f16_cache = c->t->options.kv == ORDINARY_F16};
    ordinary_page page = ordinary_page_bounds(c->u, claim.f16_weights, claim.f16_cache, &e->memory);
    ordinary_audit found = {.arena = &e->memory, .claim = &claim, .u = c->u};
    temper_status s = entry_run(&why, find_bounds, &found);
    c->proved = !page.refused;
    total.compared++;
    total.proved += c->proved;
    if (getenv("ORDINARY_SHOW")) printf("%s\n", page.refused ? page.refused : "proved");
    CHECK((s == TEMPER_OK) == c->proved && (s == TEMPER_OK || s == TEMPER_RANGE),
          "%s, %s times %.17g: the audit: %s; the page: %s", setting(c->t), c->what, c->by, s ? why.text : "proved",
          page.refused ? page.refused : "proved");
    if (s != TEMPER_OK || page.refused) return;
    for (size_t k = 0; k < c->u->head_count; k++) check_number(c, k, found.errors[k], page.errors[k]);
    check_number(c, c->u->head_count, found.logits, page.logits);
}

static bool is_proved(comparison *c) {
    temper_error e;
    CHECK(entry_run(&e, compare, c) == TEMPER_OK, "%s: %s", setting(c->t), e.text);
    return c->proved;
}

/* ---- numbers that are changed, so that every condition is met from both sides ---- */

enum { MOST_KNOBS = 4000 };

typedef struct knobs {
    double *at[MOST_KNOBS];
    const char *name[MOST_KNOBS];
    size_t count;
} knobs;

static void add_knob(knobs *k, const double *at, const char *name) {
    if (k->count == MOST_KNOBS) return;
    k->name[k->count] = name;
    memcpy(&k->at[k->count++], &at, sizeof at);
}

static void add_form(knobs *k, const lift_form *f, const char *name) {
    add_knob(k, &f->one, name);
    add_knob(k, &f->rest, name);
    for (size_t j = 0; j < f->count; j++) add_knob(k, &f->terms[j].weight, name);
}

static void add_head(knobs *k, const lift_head *h) {
    for (size_t j = 0; j < h->product_count; j++) {
        add_form(k, &h->products[j].query, "a query");
        add_form(k, &h->products[j].key, "a key");
    }
    for (size_t j = 0; j < h->turn_count; j++) {
        add_knob(k, &h->turns[j].first, "a turn");
        add_knob(k, &h->turns[j].second, "a turn");
        add_knob(k, &h->turns[j].key_weight, "a turn's key");
        add_knob(k, &h->turns[j].frequency, "a turn's frequency");
    }
    for (size_t j = 0; j < h->value_count; j++) {
        add_form(k, &h->values[j].value, "a value");
        add_knob(k, &h->values[j].scale, "the scale of a value");
        add_knob(k, &h->values[j].rest, "the rest of a value");
    }
    add_knob(k, &h->slope, "a slope");
}

static void add_all(knobs *k, const lift *u) {
    k->count = 0;
    for (size_t h = 0; h < u->head_count; h++) add_head(k, &u->heads[h]);
    for (size_t j = 0; j < u->step_count; j++) {
        add_form(k, &u->steps[j].sum, "a step");
        add_knob(k, &u->steps[j].rest, "the rest of a step");
        for (size_t i = 0; i < u->steps[j].count; i++)
            add_knob(k, &u->steps[j].terms[i].weight, "what a step writes");
    }
    for (uint32_t t = 0; t < u->m->vocabulary; t++) add_form(k, &u->logits[t], "an output");
    for (uint32_t c = 0; c < u->column_count; c++) {
        add_knob(k, &u->columns[c].low, "the least of a column");
        add_knob(k, &u->columns[c].high, "the largest of a column");
        add_knob(k, &u->columns[c].grain, "the grain of a column");
    }
    for (uint32_t p = 0; u->frequencies && p < u->m->head_size / 2; p++)
        add_knob(k, &u->frequencies[p], "a frequency");
    for (int j = 0; j < 8; j++) add_knob(k, &u->m->epsilon, "epsilon");
}

/* One number becomes larger or smaller, to where the verdict changes, if it does. Not by a power of two: where two
   numbers are equal the audit's slack makes them different. Frequencies stay what an audit takes, at most 8. */
static void turn_knob(comparison *c, const knobs *k, test_random *r) {
    size_t which = random_below(r, k->count);
    double *at = k->at[which], old = *at, low = 1, high = ldexp(1.125, (int)random_below(r, 30) - 12);
    double unit = old == 0 ? ldexp(1, -(int)random_below(r, 26)) : old;
    c->what = k->name[which];
    if (random_below(r, 8) == 0) high = -high;
    if (strstr(c->what, "frequency") && (high < 0 || unit * high > 8)) return;
    if (strstr(c->what, "grain") && high < 0.5 && high > 0x1p-9) return; /* 2,048 of it would be a column's size */
    *at = unit * (c->by = high);
    bool far = is_proved(c);
    *at = old;
    c->by = 0;
    c->what = "nothing";
    if (!far && high > 0) {
        c->what = k->name[which];
        for (int step = 0; step < 16; step++) { /* low is proved */
            double middle = sqrt(low * high);
            *at = old == 0 && step == 0 ? 0 : unit * (c->by = middle);
            if (is_proved(c))
                low = middle;
            else
                high = middle;
        }
        *at = old;
        total.edges++;
    }
}

static void turn_knobs(const trial *t, const lift *u) {
    static knobs all;
    comparison c = {.t = t, .u = u};
    add_all(&all, u);
    for (size_t k = 0; k < t->knobs; k++) turn_knob(&c, &all, t->random);
}

/* Sizes of the model, as far as bounds read nothing that has them. */
static void change_sizes(const trial *t, const lift *u, struct ordinary_model *m) {
    comparison c = {.t = t, .u = u, .what = "sizes"};
    uint32_t positions = m->positions, width = m->width;
    if (m->architecture == ORDINARY_GPT2) return;
    for (int k = 0; k < 2; k++) {
        m->width = width << random_below(t->random, 3);
        is_proved(&c);
    }
    m->width = width;
    /* what f16 adds up; ramps have many pairs of positions */
    static const uint32_t sizes[] = {2, 3, 50, 120, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4097};
    size_t first = random_below(t->random, 4);
    for (size_t k = first; k < (u->ramp > 0 ? 4 : sizeof sizes / sizeof *sizes); k += 4) {
        m->positions = sizes[k];
        is_proved(&c);
    }
    m->positions = positions;
}

/* ---- models ---- */

/* What columns hold by position goes on as it ends, so that a model may be given more positions. */
static void widen(const lift *u, arena *a) {
    enum { WIDEST = 4200 };
    for (uint32_t c = 0; c < u->column_count; c++) {
        lift_column *column = &u->columns[c];
        if (!column->place) continue;
        double *place = arena_alloc(a, WIDEST, sizeof *place);
        for (uint32_t i = 0; i < WIDEST; i++) place[i] = column->place[i < u->m->positions ? i : u->m->positions - 1];
        column->place = place;
    }
}

static void run_trial(entry *e, void *context) {
    trial *t = context;
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model(e, t->spec, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &t->options);
    text bytes;
    gguf_file f;
    struct ordinary_file file;
    text_init(&bytes, &e->memory);
    gguf_print(&bytes, m, ordinary_tokens_make(m, &e->memory), "a name", t->options.weights == ORDINARY_F16);
    gguf_open(&f, bytes.data, bytes.length, &e->memory);
    ordinary_read(&file, &f, &e->memory);
    comparison c = {.t = t, .u = lift_file(&file, ORDINARY_GGUF, &e->memory), .what = "nothing", .by = 1};
    total.models++;
    t->proved = is_proved(&c);
    if (!t->proved || !t->knobs) return;
    widen(c.u, &e->memory);
    turn_knobs(t, c.u);
    change_sizes(t, c.u, file.model);
}

/* Whether the bounds hold for that length. */
static bool try_length(trial *t, size_t length) {
    temper_error e = {0};
    t->options.length = length;
    t->proved = false;
    temper_status s = entry_run(&e, run_trial, t);
    CHECK(s == TEMPER_OK || s == TEMPER_LIMIT || s == TEMPER_UNSUPPORTED || s == TEMPER_FORMAT, "%s: %s", setting(t),
          e.text);
    return t->proved;
}

/* The longest length that is proved, by halving, so that both verdicts are met next to it. */
static void find_edge(trial *t, size_t most) {
    size_t proved = 1, not = most;
    t->knobs = 0;
    if (!try_length(t, proved) || try_length(t, not )) return;
    while (not -proved > 1) {
        size_t middle = (proved + not ) / 2;
        if (try_length(t, middle))
            proved = middle;
        else
            not = middle;
    }
}

static const struct {
    const char *source;
    size_t most; /* letters with an f16 cache, where the edge is looked for; 0: it is far away */
} cases[] = {{"H(b -> O a)", 0},
             {"H(c -> Y (a S b))", 0},
             {"(Y a) S (b & Y c)", 0},
             {"Z (a T b)", 0},
             {"#[a] >= #[b]", 1040},
             {"2 * #[a] >= 3 * #[b] + 1", 360},
             {"H(#[a] >= #[b]) & #[a] = #[b]", 1040},
             {"/(ab|ba)*c?/", 0},
             {"first | Y Y a", 0},
             {"O a & O b | #[c] >= 3", 360},
             {"#[true] % 3 = 1 & a", 0},
             {"O (a & Y O b)", 0},
             {"#[a] % 2 = 0", 0},
             {"a @ #[b]", 0}};

int main(void) {
    test_random r = test_seed(63);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *s = ordinary_parse(cases[k].source, "abc");
        for (uint64_t number = 0; s && number < 8; number++)
            for (int positions = 0; positions < 3; positions++) {
                trial t = {.name = cases[k].source, .spec = s, .options = ordinary_setting(number, 40), .random = &r};
                if (!(number & 1) && positions) continue; /* a GPT-2 has a table */
                if ((double)random_below(&r, 100) >= 25 + 75 * test_effort()) continue;
                t.options.positions = (enum ordinary_positions)positions;
                t.options.unchecked = true;
                t.knobs = 1 + (size_t)(1.5 * test_effort());
                try_length(&t, 1 + random_below(&r, 60));
                if (cases[k].most && (number & 4) && random_below(&r, 8) < test_effort())
                    find_edge(&t, cases[k].most);
            }
        temper_spec_free(s);
    }
    printf("%zu models, %zu comparisons, %zu proved; %zu numbers, %zu edges\n", total.models, total.compared,
           total.proved, total.numbers, total.edges);
    return test_finish("t-audit-ordinary-bounds");
}
