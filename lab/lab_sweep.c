/* A sweep over seeds: every claim of every experiment, and with which seeds it holds. */
#include "lab/lab_job.h"

#include <string.h>

static const lab_experiment sweep = {"sweep", &prose_sweep, NULL, NULL, 0};

typedef struct tally {
    const char *claim;
    uint64_t seeds, held;
    text failed; /* seeds, separated by blanks */
} tally;

typedef struct tallies {
    tally *all;
    size_t count, capacity;
} tallies;

static tally *find_tally(tallies *t, const char *claim, arena *a) {
    for (size_t k = 0; k < t->count; k++)
        if (!strcmp(t->all[k].claim, claim)) return &t->all[k];
    tally fresh = {.claim = arena_copy(a, claim, strlen(claim))};
    text_init(&fresh.failed, a);
    array_push(a, t->all, t->count, t->capacity, fresh);
    return &t->all[t->count - 1];
}

static void count_claims(tallies *t, lab_table *seeds, const lab *l, arena *a) {
    for (size_t k = 0; k < l->claim_count; k++) {
        const lab_claim *c = &l->claims[k];
        tally *y = find_tally(t, c->text, a);
        y->seeds++;
        y->held += c->holds;
        if (!c->holds) text_printf(&y->failed, "%s%llu", y->failed.length ? " " : "", (unsigned long long)l->seed);
        lab_put_text(seeds, l->experiment->name);
        lab_put_text(seeds, c->text);
        lab_put_count(seeds, l->seed);
        lab_put_flag(seeds, c->holds);
        lab_put_text(seeds, c->measured);
    }
}

static void put_claims(lab *out, lab_table *claims, const char *name, const tallies *t) {
    enum { SHOWN = 60 }; /* characters of a list of seeds */
    for (size_t k = 0; k < t->count; k++) {
        const tally *y = &t->all[k];
        const char *failed = text_string(&y->failed);
        text sentence;
        text_init(&sentence, &out->memory);
        text_printf(&sentence, "%s: %s", name, y->claim);
        lab_put_text(claims, name);
        lab_put_text(claims, y->claim);
        lab_put_count(claims, y->seeds);
        lab_put_count(claims, y->held);
        lab_put_text(claims, failed);
        lab_claim_add(out, y->held == y->seeds, text_string(&sentence), "with %llu of %llu seeds%s%.*s%s",
                      (unsigned long long)y->held, (unsigned long long)y->seeds, *failed ? "; not with " : "", SHOWN,
                      failed, strlen(failed) > SHOWN ? "..." : "");
    }
}

static bool has_all(const lab_plan *p) {
    size_t k = 0;
    while (k < p->count && lab_experiments[k] && p->experiments[k] == lab_experiments[k]) k++;
    return k == p->count && !lab_experiments[k];
}

static const char *command_of(const lab_plan *p, arena *a) {
    text t;
    text_init(&t, a);
    text_puts(&t, "temper lab");
    if (has_all(p)) text_puts(&t, " all");
    for (size_t k = 0; k < p->count && !has_all(p); k++) text_printf(&t, " %s", p->experiments[k]->name);
    text_printf(&t, " --seeds %llu-%llu%s -o DIR", (unsigned long long)p->seed,
                (unsigned long long)(p->seed + p->seeds - 1), p->quick ? " --quick" : "");
    return text_string(&t);
}

void lab_sweep(lab *out, const lab_plan *p, const temper_journal *journal, arena *scratch) {
    static const lab_column claim_columns[] = {{"experiment", LAB_TEXT, "name"},
                                               {"claim", LAB_TEXT, "of the experiment"},
                                               {"seeds", LAB_COUNT, "with which it was made"},
                                               {"held", LAB_COUNT, "with so many of them"},
                                               {"failed", LAB_TEXT, "the seeds with which it does not hold"}};
    static const lab_column seed_columns[] = {{"experiment", LAB_TEXT, "name"},
                                              {"claim", LAB_TEXT, "of the experiment"},
                                              {"seed", LAB_COUNT, "of everything random"},
                                              {"holds", LAB_FLAG, "whether it does"},
                                              {"measured", LAB_TEXT, "what was found"}};
    out->experiment = &sweep;
    out->trap = out->memory.trap;
    out->seed = p->seed;
    out->seeds = p->seeds;
    out->quick = p->quick;
    out->command = command_of(p, &out->memory);
    lab_table *claims =
                  LAB_TABLE(out, "claims", "Claims, and with how many seeds they hold", claim_columns, SIZE_MAX),
              *seeds = LAB_TABLE(out, "seeds", "What was measured, seed by seed", seed_columns, 0);
    for (size_t k = 0; k < p->count; k++) {
        tallies t = {0};
        for (uint64_t turn = 0; turn < p->seeds; turn++) {
            count_claims(&t, seeds, lab_plan_assemble(p, journal, turn * p->count + k, scratch), &out->memory);
            arena_reset(scratch);
        }
        put_claims(out, claims, p->experiments[k]->name, &t);
    }
}
