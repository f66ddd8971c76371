/* How often the prover and the auditor of ordinary transformers agree, and what each of them alone would have called
   proved: doc/design.md, "Two opinions".

       two_opinions honest LENGTH [SHARE [PART]]    every specification of make ordinary-hunt, in twelve settings
       two_opinions longest MOST [SHARE [PART]]     the largest length of each, found as the prover's is
       two_opinions beyond COUNT SEED        settings that the lowering refuses, lowered all the same
       two_opinions edited COUNT SEED        weights and claims of honest models, changed

   A verdict is wrong if it says proved and the emulator of kernels finds a wrong logit. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/sequences.h"
#include "ordinary/files/gguf_write.h"
#include "ordinary/run/ordinary_run.h"
#include "specs.h"
#include "ordinary/run/ordinary_answer.h"
#include "ordinary/proof/ordinary_proof.h"
#include "ordinary_certificate_page.h"
#include "ordinary_edits.h"
#include "ordinary_trials.h"
#include "test.h"

enum { SETTINGS = 12, STRINGS = 8 };

typedef struct verdicts {
    bool prover, auditor, wrong, ran, unfit;
    const char *prover_reason;
    char auditor_reason[400];
} verdicts;

/* [prover][auditor][0 not run, 1 right, 2 wrong] */
static size_t counts[2][2][3], refused;

static struct ordinary_options setting_of(int k, size_t length) {
    return (struct ordinary_options){.architecture = k / 4 ? ORDINARY_LLAMA : ORDINARY_GPT2,
                                     .positions = k / 4 == 2 ? ORDINARY_POSITIONS_DIGITS : ORDINARY_POSITIONS_RAMP,
                                     .length = length,
                                     .weights = k / 2 % 2 ? ORDINARY_F16 : ORDINARY_F32,
                                     .kv = k % 2 ? ORDINARY_F16 : ORDINARY_F32};
}

static const char *setting_name(const struct ordinary_options *o) {
    static char out[100];
    snprintf(out, sizeof out, "%s %s/%s %zu",
             o->architecture == ORDINARY_GPT2            ? "gpt2"
             : o->positions == ORDINARY_POSITIONS_DIGITS ? "digits"
                                                         : "ramp",
             o->weights == ORDINARY_F16 ? "f16" : "f32", o->kv == ORDINARY_F16 ? "f16" : "f32", o->length);
    return out;
}

/* ---- truth ---- */

static void draw_string(uint32_t *w, size_t n, uint32_t letters, test_random *r) {
    uint32_t a = (uint32_t)random_below(r, letters), b = (uint32_t)random_below(r, letters);
    size_t kind = random_below(r, 6), at = random_below(r, n), block = 1 + random_below(r, n);
    for (size_t j = 0; j < n; j++) {
        uint32_t x = a;
        switch (kind) {
        case 0: x = (uint32_t)random_below(r, letters); break;
        case 1: break;
        case 2: x = j == at ? b : a; break;
        case 3: x = j % 2 ? a : b; break;
        case 4: x = j / block % 2 ? a : b; break;
        default: x = j <= at ? a : (uint32_t)random_below(r, letters); break;
        }
        w[j] = x;
    }
}

/* What is allowed is 32. */
static float snapped(float x) {
    float to = x > -64 ? 0 : x > -192 ? -128 : -256;
    return fabs((double)x - (double)to) <= 32 ? to : x;
}

/* Whether the emulator finds a wrong logit of m, which is claimed for o. */
static bool is_wrong(const struct ordinary_model *m, const struct ordinary_options *o, const temper_model *hard,
                     const temper_spec *read, test_random *r, arena *a) {
    size_t most = m->positions - 1, rows = hard->read.count;
    if (o->length < most) most = o->length;
    ordinary_answers answers = {m, read, hard->kind, arena_alloc(a, rows * most + 1, 1)};
    uint32_t *w = arena_alloc(a, most, sizeof *w), *tokens = arena_alloc(a, most + 1, sizeof *tokens);
    float *logits = arena_alloc(a, (most + 1) * m->vocabulary, sizeof *logits);
    arena scratch;
    bool wrong = false;
    arena_init(&scratch, a->trap);
    size_t strings = most > 1500 ? 4 : STRINGS;
    for (size_t k = 0; k < strings && !wrong; k++) {
        struct ordinary_kernel kernel = {
            .fused = k % 2, .f16_cache = o->kv == ORDINARY_F16, .f16_weights = o->weights == ORDINARY_F16};
        temper_error e;
        size_t n = most > 1 && k > 3 ? 1 + random_below(r, most) : most;
        draw_string(w, n, (uint32_t)hard->letters.count, r);
        tokens[0] = ORDINARY_BOS;
        for (size_t j = 0; j < n; j++) tokens[j + 1] = ORDINARY_LETTERS + w[m->mirrored ? n - 1 - j : j];
        if (temper_spec_eval_outputs(answers.truth, read, w, n, &e) != TEMPER_OK) trap_reraise(a->trap, &e);
        ordinary_run(logits, ordinary_runner_new(a, m, &kernel), tokens, n + 1, &scratch);
        for (size_t t = 0; t < (n + 1) * m->vocabulary; t++) logits[t] = snapped(logits[t]);
        for (size_t row = 0; row <= n && !wrong; row++)
            wrong = !ordinary_answer_is_right(&answers, logits + row * m->vocabulary, row, n);
        arena_reset(&scratch);
    }
    arena_free(&scratch);
    return wrong;
}

/* ---- verdicts ---- */

typedef struct ask {
    const struct ordinary_model *m; /* what is written */
    const struct ordinary_options *o;
    const temper_model *hard;
    const temper_spec *read;
    temper_claim claim;
    text gguf, certificate;
    bool has_form;
} ask;

static void print_claim(entry *e, void *context) {
    ask *q = context;
    gguf_file f;
    struct ordinary_file file;
    text again;
    text_init(&again, &e->memory);
    gguf_print(&again, q->m, ordinary_tokens_make(q->m, &e->memory), "", q->o->weights == ORDINARY_F16);
    text_add(&q->gguf, again.data, again.length);
    gguf_open(&f, q->gguf.data, q->gguf.length, &e->memory);
    ordinary_read(&file, &f, &e->memory);
    lift *u = lift_file(&file, ORDINARY_GGUF, &e->memory);
    file.model->mirrored = q->m->mirrored;
    temper_spec claimed = *q->read; /* what is viable may have been proved */
    if (q->claim == TEMPER_CLAIM_FORMULA) claimed.viable = 0;
    ordinary_certificate_page(&q->certificate, q->o, &claimed, file.model, u, &q->gguf);
    q->has_form = true;
}

static bool auditor_agrees(char why[400], const struct ordinary_model *m, const struct ordinary_options *o,
                           const temper_model *hard, const temper_spec *read, temper_claim claim, arena *a) {
    ask q = {m, o, hard, read, claim, {0}, {0}, false};
    temper_error err = {0};
    text_init(&q.gguf, a);
    text_init(&q.certificate, a);
    if (entry_run(&err, print_claim, &q) == TEMPER_OK && q.has_form &&
        temper_audit(q.certificate.data, q.certificate.length, q.gguf.data, q.gguf.length, NULL, &err) == TEMPER_OK)
        return true;
    snprintf(why, 400, "%.390s", err.text);
    return false;
}

static void judge(verdicts *v, const struct ordinary_model *m, const struct ordinary_options *o,
                  const temper_model *hard, const temper_spec *read, test_random *r, bool always, arena *a) {
    ordinary_proof p = ordinary_prove(a, m, hard, read, o);
    v->prover = p.proved;
    v->prover_reason = p.reason ? p.reason : "";
    v->auditor = auditor_agrees(v->auditor_reason, m, o, hard, read, p.claim, a);
    v->ran = always || v->prover != v->auditor;
    if (v->ran) v->wrong = is_wrong(m, o, hard, read, r, a);
}

static void count(const verdicts *v, const char *name, const struct ordinary_options *o, const char *what) {
    counts[v->prover][v->auditor][v->ran ? 1 + v->wrong : 0]++;
    if (v->prover == v->auditor && !(v->prover && v->wrong)) return;
    printf("%s\t%s\t%s\tprover %s\tauditor %s\t%s\n", name, setting_name(o), what,
           v->prover ? "proved" : v->prover_reason, v->auditor ? "proved" : v->auditor_reason,
           v->wrong ? "WRONG" : "right");
    fflush(stdout);
}

/* ---- honest ---- */

typedef struct job {
    const char *name;
    const temper_spec *spec;
    size_t length;
    test_random *random;
    int k;
    bool unchecked, always;
    size_t edits;
} job;

static void honest(entry *e, void *context) {
    const job *j = context;
    struct ordinary_options o = setting_of(j->k, j->length);
    o.unchecked = j->unchecked;
    const temper_spec *read;
    verdicts v = {0};
    const temper_model *hard = ordinary_hard_model_for(e, j->spec, &o, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &o);
    judge(&v, m, &o, hard, read, j->random, j->always, &e->memory);
    count(&v, j->name, &o, j->unchecked ? "beyond" : "honest");
}

/* ---- longest ---- */

typedef struct try_one {
    const job *j;
    size_t length;
    bool prover, auditor, only_prover, only_auditor;
} try_one;

static void try_both(entry *e, void *context) {
    try_one *t = context;
    struct ordinary_options o = setting_of(t->j->k, t->length);
    const temper_spec *read;
    char why[400];
    const temper_model *hard = ordinary_hard_model_for(e, t->j->spec, &o, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &o);
    ordinary_proof p = {0};
    if (!t->only_auditor || read->viable) p = ordinary_prove(&e->memory, m, hard, read, &o);
    t->prover = p.proved;
    if (!t->only_prover) t->auditor = auditor_agrees(why, m, &o, hard, read, p.claim, &e->memory);
}

/* what: 1 the prover, 2 the auditor */
static bool says(const job *j, size_t n, int what) {
    temper_error err;
    try_one t = {.j = j, .length = n, .only_prover = what == 1, .only_auditor = what == 2};
    entry_run(&err, try_both, &t);
    return what == 1 ? t.prover : t.auditor;
}

static size_t longest(const job *j, size_t most, int what) {
    size_t low = 0, high = most + 1;
    for (size_t n = 1;; n = 2 * n < most ? 2 * n : most) {
        if (says(j, n, what)) {
            low = n;
            high = most + 1;
        } else if (high > most)
            high = n;
        if (n == most) break;
    }
    while (low < most && low + 1 < high) {
        size_t n = low + (high - low) / 2;
        if (says(j, n, what))
            low = n;
        else
            high = n;
    }
    return low;
}

static void measure_longest(const job *j, size_t most) {
    struct ordinary_options o = setting_of(j->k, most);
    size_t p = longest(j, most, 1), a = longest(j, most, 2);
    printf("%s\t%s\tlongest\tprover %zu\tauditor %zu\t%s\n", j->name, setting_name(&o), p, a,
           p == a  ? "same"
           : p > a ? "prover"
                   : "auditor");
    fflush(stdout);
}

/* One letter more than is proved, and lengths beyond: what a fault of either would call proved. */
static void probe(const job *j, size_t most) {
    struct ordinary_options o = setting_of(j->k, most);
    size_t p = longest(j, most, 1), a = longest(j, most, 2);
    for (int half = 0; half < 2; half++) {
        size_t from = half ? a : p;
        if (from == 0 || from >= most || (half && a == p)) continue;
        printf("%s\t%d\t%zu\t%zu\n", j->name, j->k, p, a);
    }
    (void)o;
    fflush(stdout);
}

/* Lines of `probe`, in a file: whether each alone proves the lengths above both. */
static void try_probe(const job *j, size_t p, size_t a) {
    size_t top = p > a ? p : a;
    const size_t lengths[] = {top + 1, top + 2 + top / 8, 2 * top + 1};
    for (size_t k = 0; k < 3; k++)
        printf("%s\t%d\t%zu\t%d\t%d\n", j->name, j->k, lengths[k], says(j, lengths[k], 1), says(j, lengths[k], 2));
    fflush(stdout);
}

/* ---- edited ---- */

static void edited(entry *e, void *context) {
    const job *j = context;
    struct ordinary_options o = setting_of(j->k, j->length);
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model_for(e, j->spec, &o, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &o);
    ordinary_tensors all = ordinary_tensors_make(m, ORDINARY_GGUF, &e->memory);
    text bytes;
    text_init(&bytes, &e->memory);
    gguf_print(&bytes, m, ordinary_tokens_make(m, &e->memory), "", o.weights == ORDINARY_F16);
    arena room;
    arena_init(&room, e->trap);
    for (size_t k = 0; k < j->edits; k++) {
        verdicts v = {0};
        text what;
        text_init(&what, &room);
        if (k % 2) { /* one to three weights */
            ordinary_change changes[3];
            size_t made = 0;
            for (size_t c = 1 + random_below(j->random, 3); c > 0; c--)
                if (ordinary_change_weight(&changes[made], &all, j->random)) {
                    text_printf(&what, "%s; ", changes[made].what);
                    made++;
                }
            judge(&v, m, &o, hard, read, j->random, false, &room);
            if (v.prover && v.auditor) v.ran = true, v.wrong = is_wrong(m, &o, hard, read, j->random, &room);
            count(&v, j->name, &o, text_string(&what));
            while (made > 0) *changes[made - 1].at = changes[made - 1].old, made--;
        } else { /* edits that keep the form */
            gguf_file f;
            struct ordinary_file file;
            struct ordinary_options claim = o;
            gguf_open(&f, bytes.data, bytes.length, &room);
            ordinary_read(&file, &f, &room);
            lift *u = lift_file(&file, ORDINARY_GGUF, &room);
            file.model->mirrored = m->mirrored;
            file.model->digits = m->digits;
            file.model->zero_sums = m->zero_sums;
            file.model->hints = m->hints;
            file.model->hint_count = m->hint_count;
            for (size_t c = 1 + random_below(j->random, 2); c > 0; c--)
                ordinary_edit(file.model, &claim, u, j->random, &what);
            judge(&v, file.model, &claim, hard, read, j->random, false, &room);
            if (v.prover && v.auditor)
                v.ran = true, v.wrong = is_wrong(file.model, &claim, hard, read, j->random, &room);
            count(&v, j->name, &claim, text_string(&what));
        }
        arena_reset(&room);
    }
    arena_free(&room);
}

/* ---- specifications ---- */

static size_t spec_count(void) { return ORDINARY_SPECS + sequence_count(); }

static temper_spec *spec_at(size_t k, char name[100]) {
    const sequence_task *task = k < ORDINARY_SPECS ? NULL : &sequence_suite[k - ORDINARY_SPECS];
    ordinary_spec about = {0};
    if (!task) about = ordinary_specs[k];
    temper_spec *spec = NULL;
    temper_error err;
    snprintf(name, 100, "%s%s", task ? "task-" : "", task ? task->name : about.name);
    if (task) about = (ordinary_spec){name, task->text, task->alphabet, TEMPER_SYNTAX_SPEC, 0, ORDINARY_ANY};
    temper_spec_options o = {.syntax = about.syntax, .alphabet = about.alphabet, .tokens = about.tokens};
    CHECK(temper_spec_parse(&spec, about.text, strlen(about.text), &o, &err) == TEMPER_OK, "%s: %s", name, err.text);
    return spec;
}

static void run(void (*step)(entry *, void *), job *j) {
    temper_error err;
    if (entry_run(&err, step, j) != TEMPER_OK) {
        refused++;
        if (getenv("SHOW_REFUSED")) printf("%s\trefused: %s\n", j->name, err.text);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    size_t number = strtoul(argv[2], NULL, 10);
    if (strcmp(argv[1], "faults") == 0) {
        FILE *f = fopen(argv[2], "r");
        char line[300], name[100];
        int k;
        size_t p, a;
        while (f && fgets(line, sizeof line, f) && sscanf(line, "%99[^\t]\t%d\t%zu\t%zu", name, &k, &p, &a) == 4)
            for (size_t c = 0; c < spec_count(); c++) {
                char found[100];
                temper_spec *spec = spec_at(c, found);
                job j = {.name = name, .spec = spec, .k = k};
                if (strcmp(found, name) == 0) try_probe(&j, p, a);
                temper_spec_free(spec);
            }
        if (f) fclose(f);
        return 0;
    }
    bool one_each =
        strcmp(argv[1], "probe") == 0 || strcmp(argv[1], "honest") == 0 || strcmp(argv[1], "longest") == 0;
    size_t share = one_each && argc > 3 ? strtoul(argv[3], NULL, 10) : 1,
           part = one_each && argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    test_random r = {0};
    r = test_seed(one_each || argc < 4 ? 1 : strtoul(argv[3], NULL, 10));
    if (one_each) {
        for (size_t k = 0; k < spec_count(); k++) {
            char name[100];
            if (k % share != part) continue;
            temper_spec *spec = spec_at(k, name);
            for (int s = 0; spec && s < SETTINGS; s++) {
                job j = {.name = name, .spec = spec, .length = number, .random = &r, .k = s};
                if (strcmp(argv[1], "probe") == 0)
                    probe(&j, number);
                else if (strcmp(argv[1], "longest") == 0)
                    measure_longest(&j, number);
                else
                    run(honest, &j);
            }
            temper_spec_free(spec);
        }
    } else {
        bool beyond = strcmp(argv[1], "beyond") == 0;
        static const size_t short_lengths[] = {3, 12, 40, 100};
        for (size_t done = 0; done < number; done += beyond ? 1 : 20) {
            char name[100];
            temper_spec *spec = spec_at(random_below(&r, spec_count()), name);
            job j = {.name = name, .spec = spec, .random = &r, .k = (int)random_below(&r, SETTINGS)};
            if (beyond) {
                j.length = (size_t)exp(log(250) + (log(3000) - log(250)) * (double)random_below(&r, 1000) / 1000);
                j.unchecked = j.always = true;
                run(honest, &j);
            } else {
                j.length = short_lengths[random_below(&r, 4)];
                j.edits = 20;
                run(edited, &j);
            }
            temper_spec_free(spec);
        }
    }
    printf("%s %zu: refused %zu\n", argv[1], number, refused);
    for (int p = 0; p < 2; p++)
        for (int a = 0; a < 2; a++)
            printf("prover %s, auditor %s: %zu, %zu right, %zu wrong\n", p ? "proves" : "unable",
                   a ? "proves" : "unable", counts[p][a][0], counts[p][a][1], counts[p][a][2]);
    return test_finish("two_opinions");
}
