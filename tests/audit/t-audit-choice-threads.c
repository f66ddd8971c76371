/* The auditor's facts about hard choices, whose lengths are shared among threads, against one run over all lengths:
   every extent, gap, margin and distance is the same number, an error has the same words, and progress rises. */
#include <stdio.h>
#include <string.h>

#include "audit/audit_choices_facts.h"
#include "base/entry.h"
#include "choice_family.h"

static struct { size_t models, shared, refused, stopped; } total;

/* ---- what is found ---- */

typedef struct trial {
    const temper_model *m;
    size_t length;
    temper_audit_options watch;
    const hard_choices *one; /* NULL: in one go */
    const char *text;        /* of the model, for messages */
    hard_choices *found;
    uint64_t last, stop; /* progress, and where it stops, once */
    bool rising, stopped;
} trial;

static int look(void *context, uint64_t done, uint64_t all) {
    trial *t = context;
    t->rising = t->rising && done > t->last && all == 2 * (t->length + 1);
    t->last = done;
    bool stops = t->stop && done >= t->stop && !t->stopped;
    t->stopped = t->stopped || stops;
    return stops;
}

static bool are_equal(const extent *x, const extent *y, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (x[k].seen != y[k].seen) return false;
        if (!x[k].seen) continue;
        if (!rational_equal(&x[k].ends[0], &y[k].ends[0]) || !rational_equal(&x[k].ends[1], &y[k].ends[1]) ||
            x[k].grid != y[k].grid)
            return false;
    }
    return true;
}

static void compare(const trial *t, const hard_choices *g) {
    const hard_choices *one = t->one;
    size_t lengths = (t->length + 1) * sizeof(double);
    bool heads = true, gaps = true, bundles = true;
    for (size_t k = 0; k < g->head_count; k++) {
        const head_claim *x = &g->heads[k], *y = &one->heads[k];
        const model_head *h = x->exact.head;
        heads = heads && are_equal(x->query, y->query, h->query.count) && are_equal(x->key, y->key, h->key.count) &&
                are_equal(x->value, y->value, h->value.count) && are_equal(x->output, y->output, h->value.count);
        gaps = gaps && x->single == y->single && !memcmp(x->gap, y->gap, lengths);
    }
    for (size_t k = 0; k < g->bundle_count; k++) {
        const bundle_claim *x = &g->bundles[k], *y = &one->bundles[k];
        bundles = bundles && are_equal(&x->z, &y->z, 1) &&
                  !memcmp(x->distance, y->distance, (x->corner_count + 1) * sizeof *x->distance);
    }
    CHECK(are_equal(g->stages, one->stages, (2 * (size_t)t->m->layer_count + 1) * g->channels) && heads && gaps &&
              bundles && !memcmp(g->margin, one->margin, lengths) && !memcmp(g->verdict, one->verdict, lengths),
          "%u threads, %zu letters: other facts than those of one run (heads %d, gaps %d, nets %d)\n%s",
          t->watch.threads, t->length, heads, gaps, bundles, t->text);
}

static void find_facts(entry *e, void *context) {
    trial *t = context;
    audit *a = arena_zalloc(&e->memory, 1, sizeof *a);
    *a = (audit){.trap = e->trap,
                 .arena = &e->memory,
                 .scratch = &e->scratch,
                 .model = t->m,
                 .length = t->length,
                 .watch = t->watch.progress ? &t->watch : NULL};
    hard_choices *g = arena_zalloc(&e->memory, 1, sizeof *g);
    choices_begin(g, a);
    if (t->watch.progress)
        choices_run_sets(g);
    else
        choices_run_lengths(g, 0, t->length + 1);
    t->found = g;
    if (t->one) compare(t, g);
}

/* ---- one model ---- */

typedef struct subject {
    const temper_model *m;
    const char *text;
    size_t length;
    test_random *r;
} subject;

static const unsigned THREADS[] = {0, 2, 3, 5, 16, 17, 40};

static void with_threads(const subject *s, const hard_choices *one, const temper_error *why) {
    temper_error e = {0};
    unsigned threads = THREADS[random_below(s->r, sizeof THREADS / sizeof *THREADS)];
    trial t = {.m = s->m, .length = s->length, .one = one, .text = s->text, .rising = true};
    t.watch = (temper_audit_options){.progress = look, .context = &t, .threads = threads};
    temper_status status = entry_run(&e, find_facts, &t);
    CHECK(status == why->code && !strcmp(e.text, why->text), "%u threads: %s; in one go: %s\n%s", threads, e.text,
          why->text, s->text);
    if (status == TEMPER_OK) CHECK(t.rising && t.last == s->length + 1, "progress ends at %zu", (size_t)t.last);
    if (status != TEMPER_OK) return;
    total.shared++;
    /* a stop is one, with the words of the length where it was asked for */
    trial stop = {.m = s->m, .length = s->length, .text = s->text, .rising = true, .stop = 1 + s->length};
    stop.watch = t.watch;
    stop.watch.context = &stop;
    char expected[80];
    snprintf(expected, sizeof expected, "stopped at length %zu of %zu", s->length, s->length);
    CHECK(entry_run(&e, find_facts, &stop) == TEMPER_LIMIT && !strcmp(e.text, expected), "%u threads: %s", threads,
          e.text);
    total.stopped++;
}

/* The facts of one run stay while those of others are compared with them. */
static void run_subject(entry *e, void *context) {
    const subject *s = context;
    temper_error none = {0};
    trial t = {.m = s->m, .length = s->length, .text = s->text};
    find_facts(e, &t);
    with_threads(s, t.found, &none);
}

static void try_model(choice_family *f) {
    static const char *const alphabets[] = {"\"a\"", "\"a\" \"b\"", "\"a\" \"b\" \"c\""};
    temper_error e = {0};
    temper_model *m = NULL;
    snprintf(f->text, sizeof f->text,
             "temper-model 1\nmethod temperature\nalphabet %s\nat %s\nend %s\n%s%slayer 1\n%s",
             alphabets[f->letters - 1], f->first ? "first" : "last", f->end ? "yes" : "no", f->channels, f->embedding,
             f->body);
    if (!CHECK(temper_model_read(&m, f->text, strlen(f->text), &e) == TEMPER_OK, "%s\n%s", e.text, f->text)) return;
    subject s = {m, f->text, f->n, f->r};
    total.models++;
    if (entry_run(&e, run_subject, &s)) {
        total.refused++;
        with_threads(&s, NULL, &e);
    }
    temper_model_free(m);
}

/* Heads that look anywhere, or numbers that depend on the length: else lengths are not shared. Facts must have their
   extremes at lengths of every part, so that some numbers are about one length alone. */
static void make(choice_family *f, size_t number) {
    static const char *const features[] = {
        "N - 1 - i",   "i/N",    "[n = 3]*i",       "[n = 60]*(i - 2)",   "n",         "[n = 95]/16",
        "i + [n = 2]", "n % 50", "[i = n]*[n = 1]", "[n % 50 = 49]*0.75", "1/(n - 2)", "1/(95 - n)"};
    family_begin(f, TEMPER_TYPE_F64, (size_t)from_to(f, 95, 99));
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"f\" position \"%s\"\nchannel 4 \"z\"\n",
             features[number % (sizeof features / sizeof *features)]);
    family_embed(f, 1, (double[]){0, 1, 3, 0.5}, 4);
    BODY(f, "head \"h\" mask %s choice %s\n query %d:1\n key %d:1\n value %d:1\n output 2:1\n", PICK(f, FAMILY_MASKS),
         PICK(f, FAMILY_CHOICES), from_to(f, 0, 1), PICK(f, ((const int[]){1, 3})), PICK(f, ((const int[]){1, 3})));
    int units = from_to(f, 0, 2);
    for (int k = 0; k < units; k++)
        BODY(f, "unit %a %d:%d -> 4:1\n", from_to(f, -4, 0) / 2.0, PICK(f, ((const int[]){1, 3})), k ? -1 : 1);
    if (one_in(f, 3)) /* means of means: numbers become long */
        BODY(f, "layer 2\nhead \"h\" mask %s choice average\n query 0:1\n key 0:1\n value %d:1\n output 4:1\n",
             PICK(f, FAMILY_MASKS), from_to(f, 1, 4));
    BODY(f, "read 4:1\n");
    try_model(f);
}

int main(void) {
    test_random r = test_seed(97);
    choice_family f = {.r = &r};
    for (size_t k = 0; k < 12 + (size_t)(12 * test_effort()); k++) make(&f, k);
    CHECK(total.shared > 3 && total.stopped > 3 && total.refused > 1, "%zu models, %zu by threads", total.models,
          total.shared);
    printf("%zu models, %zu refused, %zu by threads\n", total.models, total.refused, total.shared);
    return test_finish("t-audit-choice-threads");
}
