#include "bound/language_proof.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "base/work.h"
#include "compile/model_next.h"
#include "compile/regular_expand.h"
#include "model/model_spec.h"

typedef struct work {
    const temper_model *m;
    const temper_spec *spec; /* the model's source */
    bool *used;              /* [languages] the answer depends on it */
    size_t used_count;
    arena *arena, *scratch;
    regular_expansion plain;
    const char *why; /* the first thing that failed */
} work;

static void release_scratch(void *scratch) { arena_free(scratch); }

static bool is_language(formula_op op) { return op == OP_MATCHES || op == OP_MATCHES_REST; }

static void find_languages(work *w) {
    const formula *f = &w->spec->graph;
    const unsigned char *marks = spec_outputs_reachable(w->spec, w->arena);
    w->used = arena_zalloc(w->arena, f->language_count, sizeof *w->used);
    for (node_id id = 1; id < f->count; id++) {
        if (!marks[id] || !is_language(formula_at(f, id)->op)) continue;
        w->used_count += !w->used[formula_at(f, id)->set];
        w->used[formula_at(f, id)->set] = true;
    }
}

static void expand(void *context) {
    work *w = context;
    regular_expand(&w->plain, w->spec, true, w->arena, w->scratch);
}

/* Runs body(w); what it raises becomes a reason. */
static bool attempt(work *w, void (*body)(void *)) {
    trap inner, *outer = w->arena->trap;
    temper_error why;
    w->arena->trap = w->scratch->trap = &inner;
    bool done = trap_attempt(&inner, &why, body, w);
    w->arena->trap = w->scratch->trap = outer;
    if (done) return true;
    if (why.code == TEMPER_NO_MEMORY) trap_reraise(outer, &why);
    if (!w->why) w->why = arena_copy(w->arena, why.text, strlen(why.text));
    return false;
}

static bool prove(work *w, language_proof *out, uint32_t language, const char *formula_text) {
    const formula_language *l = &w->spec->graph.languages[language];
    const temper_spec *e = read_formula_text(w->m, formula_text, w->arena);
    *out = (language_proof){.language = l->source, .length = l->source_length, .formula = formula_text};
    out->rows.why_not = "it cannot be written as a text";
    table_limits limits = language_table_allowed();
    if (e)
        out->rows = language_table_of(&e->graph, e->root, l->reversed ? l->reversed : l->automaton,
                                      l->reversed != NULL, &limits, w->arena);
    if (!out->rows.why_not) return true;
    text t;
    text_init(&t, w->arena);
    text_printf(&t, "the formula for a regular language of its source was not shown to be it: %s", out->rows.why_not);
    w->why = text_string(&t);
    return false;
}

static bool prove_expansion(work *w, language_proofs *out) {
    for (uint32_t k = 0; k < w->spec->graph.language_count; k++) {
        const expanded_regular *found = NULL;
        if (!w->used[k]) continue;
        for (size_t i = 0; i < w->plain.count && !found; i++)
            if (w->plain.languages[i].language == k) found = &w->plain.languages[i];
        if (!found || !prove(w, &out->all[out->count++], k, regular_expansion_text(&w->plain, found->root, w->arena)))
            return false;
    }
    return true;
}

/* A source that is one language: the formula may be what the weights compute. */
static bool prove_read_off(work *w, language_proofs *out, recognition *r) {
    const formula_node *root = formula_at(&w->spec->graph, w->spec->root);
    if (w->m->kind != TEMPER_KIND_ACCEPTOR || !is_language(root->op)) return false;
    const char *formula_text = recognition_formula(r, 0);
    if (!formula_text) return false;
    out->count = 1;
    return prove(w, &out->all[0], root->set, formula_text);
}

/* ---- what is viable ---- */

/* Where there is no automaton the source's line `viable` says what may come: whether the outputs are that. */
static void by_viable(source_recognition *out, const temper_model *m, const temper_spec *spec, bool hard, arena *a) {
    next_report report;
    if (!spec->viable || spec->at != TEMPER_AT_LAST || !has_progression(&spec->graph, spec->viable, a)) return;
    const temper_spec *made = model_next_spec(m, &report, a);
    if (!made || report.automaton) return;
    recognition *r = recognise(m, made, hard, a);
    if (!recognition_model(r) || !recognition_is_formula(r, NULL)) return;
    out->recognition = r;
    out->is_formula = out->viable = true;
    out->why = NULL;
}

static source_recognition read_source(const temper_model *m, bool hard, arena *a) {
    work w = {.m = m, .arena = a, .spec = model_spec(m, a)};
    source_recognition out = {0};
    if (w.spec && m->kind == TEMPER_KIND_NEXT) {
        out.recognition = recognise(m, w.spec, hard, a);
        if (recognition_model(out.recognition)) out.outputs = next_proofs(m, w.spec, out.recognition, &out.why, a);
        out.is_formula = out.outputs != NULL;
        if (recognition_model(out.recognition) && !out.outputs) by_viable(&out, m, w.spec, hard, a);
        if (out.is_formula && model_has_logits(m))
            out.scores = score_proofs_of(m, w.spec, out.viable, out.recognition, a);
        return out;
    }
    if (w.spec) find_languages(&w);
    if (!w.used_count) {
        out.recognition = recognise(m, w.spec, hard, a);
        out.is_formula = recognition_model(out.recognition) && recognition_is_formula(out.recognition, &out.why);
        return out;
    }
    w.scratch = arena_alloc(a, 1, sizeof *w.scratch);
    arena_init(w.scratch, a->trap);
    arena_on_release(a, release_scratch, w.scratch);
    /* what the compiler made a moment ago need not be made again */
    const formula_node *root = formula_at(&w.spec->graph, w.spec->root);
    const temper_spec *known = m->expansion && is_language(root->op) ? read_formula_text(m, m->expansion, a) : NULL;
    bool expanded = !known && attempt(&w, expand);
    out.languages.all = arena_zalloc(a, w.used_count, sizeof *out.languages.all);
    out.recognition = recognise(m, known ? known : expanded ? w.plain.spec : NULL, hard, a);
    if (!recognition_model(out.recognition)) return out;
    bool same = (known || expanded) && recognition_is_formula(out.recognition, &out.why);
    out.is_formula = !same   ? prove_read_off(&w, &out.languages, out.recognition)
                     : known ? prove(&w, &out.languages.all[out.languages.count++], root->set, m->expansion)
                             : prove_expansion(&w, &out.languages);
    if (!out.is_formula) {
        recognition_is_formula(out.recognition, &out.why);
        if (w.why) out.why = w.why;
        out.languages.count = 0;
    }
    return out;
}

/* ---- what is kept with the model ---- */

typedef struct kept_home kept_home;

/* A recognition in memory of its own. It is changed by those who ask it, so one has it at a time. */
typedef struct kept {
    arena room;
    source_recognition found;
    kept_home *home;
    uint64_t effort; /* that it was made with: what a limit has stopped may be found with a larger one */
    bool hard, complete;
} kept;

/* Whoever has a recognition may outlive the model. */
struct kept_home {
    model_memo memo;
    atomic_uint users; /* besides the model */
    pthread_mutex_t lock;
    kept *free[2]; /* by `hard` */
    bool closed;   /* the model is gone */
};

static void drop(kept *k) {
    if (!k) return;
    arena_free(&k->room);
    free(k);
}

static void leave(kept_home *home) {
    if (atomic_fetch_sub(&home->users, 1) > 0) return;
    pthread_mutex_destroy(&home->lock);
    free(home);
}

static void close_home(model_memo *memo) {
    kept_home *home = (kept_home *)memo;
    pthread_mutex_lock(&home->lock);
    home->closed = true;
    for (size_t k = 0; k < 2; k++) drop(home->free[k]);
    pthread_mutex_unlock(&home->lock);
    leave(home);
}

static void give_back(void *slot) {
    kept *k = *(kept **)slot;
    if (!k) return;
    kept_home *home = k->home;
    k->room.trap = NULL;
    pthread_mutex_lock(&home->lock);
    if (k->complete && recognition_is_whole(k->found.recognition) && !home->closed && !home->free[k->hard]) {
        home->free[k->hard] = k;
        k = NULL;
    }
    pthread_mutex_unlock(&home->lock);
    drop(k);
    leave(home);
}

static uint64_t effort_now(void) { return work_limit((uint64_t)1 << 20); }

static kept_home *home_of(const temper_model *m, trap *t) {
    model_memo *known = atomic_load(&m->memo[MEMO_RECOGNITION]);
    if (known) return (kept_home *)known;
    kept_home *home = caller_alloc(t, 1, sizeof *home);
    *home = (kept_home){.memo = {close_home}};
    pthread_mutex_init(&home->lock, NULL);
    if (atomic_compare_exchange_strong(&m->memo[MEMO_RECOGNITION], &known, &home->memo)) return home;
    close_home(&home->memo);
    return (kept_home *)known;
}

source_recognition recognise_source(const temper_model *m, bool hard, arena *a) {
    if (!m->memo) return read_source(m, hard, a); /* it is still being built */
    kept_home *home = home_of(m, a->trap);
    kept **slot = arena_zalloc(a, 1, sizeof *slot), *k;
    arena_on_release(a, give_back, slot);
    pthread_mutex_lock(&home->lock);
    k = home->free[hard];
    home->free[hard] = NULL;
    pthread_mutex_unlock(&home->lock);
    if (k && k->effort != effort_now()) {
        drop(k);
        k = NULL;
    }
    if (!k) {
        k = caller_alloc(a->trap, 1, sizeof *k);
        *k = (kept){.home = home, .effort = effort_now(), .hard = hard};
        arena_init(&k->room, a->trap);
    }
    atomic_fetch_add(&home->users, 1);
    *slot = k;
    k->room.trap = a->trap;
    if (!k->complete) k->found = read_source(m, hard, &k->room);
    k->complete = true;
    return k->found;
}
