#include "answer/proved.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "bound/proof.h"
#include "number/quick_ball.h"
#include "number/rational.h"
#include "bound/language_proof.h"
#include "recognise/recognise.h"
#include "run/exact_run.h"

/* One type, with softmax or with hard choices. The first four are read without the lock: `proved` grows, `failed`
   shrinks, and a reader that sees a length below `proved` sees the claim that was written before. */
typedef struct proof_entry {
    atomic_size_t proved, failed, everywhere; /* a length_bracket */
    atomic_int claim;
    atomic_bool by_roles, costly; /* costly: not by roles, as is known */
    _Atomic double logit_error;   /* infinity until it is proved */
    bool opened;                  /* a length was asked for, by roles */
    bool closed;                  /* `whole` is filled */
    temper_proof whole;
} proof_entry;

typedef struct proof_memo {
    model_memo memo;
    pthread_mutex_t lock;
    arena texts;
    proof_entry entries[NUMBER_TYPES][2];
    proved_head **heads; /* [layers][heads] NULL until somebody asks */
} proof_memo;

static void release(model_memo *memo) {
    proof_memo *p = (proof_memo *)memo;
    pthread_mutex_destroy(&p->lock);
    arena_free(&p->texts);
    free(p);
}

/* What softening proved in this process is the proof in f64. */
static void take_record(proof_entry *e, const model_record *r) {
    atomic_store(&e->claim, TEMPER_CLAIM_CHOICES);
    atomic_store(&e->everywhere, r->verdict_only ? 0 : r->length + 1);
    atomic_store(&e->failed, r->length + 1);
    atomic_store(&e->proved, r->length + 1);
    e->closed = true;
    e->whole = (temper_proof){.claim = TEMPER_CLAIM_CHOICES,
                              .length = r->length,
                              .every_position = !r->verdict_only,
                              .obstacle = r->reason,
                              .fault = {.length = r->length + 1}};
}

static void take_no_proof(proof_entry *e, const char *why) {
    atomic_store(&e->failed, 0);
    e->closed = true;
    e->whole = (temper_proof){.obstacle = why};
}

static proof_memo *memo_of(const temper_model *m, trap *t) {
    model_memo *known = atomic_load(&m->memo[MEMO_PROOFS]);
    if (known) return (proof_memo *)known;
    proof_memo *p = caller_alloc(t, 1, sizeof *p);
    memset(p, 0, sizeof *p);
    p->memo.release = release;
    pthread_mutex_init(&p->lock, NULL);
    arena_init(&p->texts, NULL);
    for (size_t type = 0; type < NUMBER_TYPES; type++)
        for (size_t hard = 0; hard < 2; hard++) {
            atomic_store(&p->entries[type][hard].failed, CERTIFY_LONGEST + 1);
            atomic_store(&p->entries[type][hard].logit_error, INFINITY);
        }
    if (m->record.made_here) take_record(&p->entries[TEMPER_TYPE_F64][0], &m->record);
    /* Nothing is claimed of scales that were chosen by hand, whatever could be proved. */
    for (size_t type = 0; m->rescaled && type < NUMBER_TYPES; type++)
        take_no_proof(&p->entries[type][0], "its softmax scales were chosen by hand");
    if (atomic_compare_exchange_strong(&m->memo[MEMO_PROOFS], &known, &p->memo)) return p;
    release(&p->memo);
    return (proof_memo *)known;
}

static proof_entry *entry_of(const temper_model *m, temper_type type, bool hard, trap *t) {
    bool is_hard = hard || m->method == TEMPER_METHOD_HARD;
    if (!number_type_of(type)) trap_raise(t, TEMPER_RANGE, 0, 0, "there is no number format %d", (int)type);
    if (type == TEMPER_TYPE_EXACT && !is_hard)
        trap_raise_remedy(t, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_HARD,
                          "softmax has no exact value: an exact run takes hard choices");
    return &memo_of(m, t)->entries[type][is_hard];
}

/* ---- finding out ---- */

static length_bracket bracket_of(const proof_entry *e) {
    return (length_bracket){.proved = atomic_load(&e->proved),
                            .failed = atomic_load(&e->failed),
                            .everywhere = atomic_load(&e->everywhere)};
}

static void keep_bracket(proof_entry *e, const length_bracket *b, temper_claim claim) {
    atomic_store(&e->claim, (int)claim);
    atomic_store(&e->everywhere, b->everywhere);
    atomic_store(&e->failed, b->failed);
    atomic_store(&e->proved, b->proved);
}

static void keep_whole(proof_entry *e, const certification *c, arena *texts) {
    length_bracket b = bracket_of(e);
    e->whole =
        (temper_proof){.obstacle = arena_copy(texts, text_string(&c->reason), c->reason.length), .fault = c->fault};
    if (b.proved > 0) {
        e->whole.claim = c->claim;
        e->whole.length = b.proved - 1;
        e->whole.every_position = b.everywhere >= b.proved;
    }
    e->closed = true;
}

typedef struct exact_question {
    const temper_model *model;
    trap inner;
} exact_question;

static void require_exact(void *context) {
    exact_question *x = context;
    exact_require(x->model, &x->inner);
}

/* Exact numbers round nothing, so the only question is whether the hard choices are those of the specification. A
   model that has no exact run has no proof of one. */
static void prove_exact(proof_entry *e, certification *c) {
    length_bracket all = {
        .proved = CERTIFY_LONGEST + 1, .failed = CERTIFY_LONGEST + 1, .everywhere = CERTIFY_LONGEST + 1};
    exact_question x = {.model = c->model};
    temper_error why;
    if (!trap_attempt(&x.inner, &why, require_exact, &x)) {
        if (why.code == TEMPER_NO_MEMORY) trap_reraise(c->trap, &why);
        certification_unable(c, 0, 0, "%s", why.text);
        keep_bracket(e, &(length_bracket){0}, TEMPER_CLAIM_NONE);
        return;
    }
    c->claim = certification_exact_claim(c);
    certification_unable(c, 0, 0, "no length beyond is looked at");
    keep_bracket(e, &all, c->claim);
}

/* Whether all lengths are known now. Opening a proof by roles is the expensive part, since it decides that the
   formula is the language. So the second request computes every length at once. */
static bool prove_floats(proof_entry *e, certification *c, size_t n, bool longest, bool cheaply) {
    length_bracket b = bracket_of(e);
    model_prover *p = model_prover_open(c);
    bool roles = model_prover_by_roles(p);
    atomic_store(&e->costly, !roles);
    if (cheaply && !roles) return false;
    longest = longest || (roles && e->opened);
    if (longest)
        model_prover_longest(p, &b);
    else
        model_prover_decide(p, &b, n);
    e->opened = roles;
    atomic_store(&e->by_roles, roles);
    if (c->logit_error < atomic_load(&e->logit_error)) atomic_store(&e->logit_error, c->logit_error);
    keep_bracket(e, &b, c->claim);
    return longest;
}

typedef struct question {
    proof_entry *entry;
    const temper_model *model;
    temper_type type;
    bool hard, longest, cheaply;
    size_t n;
    arena *texts;
} question;

static void answer(entry *e, void *context) {
    const question *q = context;
    length_bracket b = bracket_of(q->entry);
    if (q->longest ? q->entry->closed : length_is_known(&b, q->n)) return; /* somebody was faster */
    bool exact = q->type == TEMPER_TYPE_EXACT;
    temper_certify_options o = {.type = exact ? TEMPER_TYPE_F64 : q->type};
    certification c;
    certification_begin(&c, q->model, &o, q->hard, &e->memory, e->trap);
    bool whole = q->longest;
    if (exact)
        prove_exact(q->entry, &c);
    else
        whole = prove_floats(q->entry, &c, q->n, q->longest, q->cheaply);
    q->texts->trap = e->trap;
    if (whole) keep_whole(q->entry, &c, q->texts);
}

/* Strings up to this length of models with roles, for which doubles prove enough, so that nothing need be loaded. It
   is a length that is tried anyway (bound/proof.c). */
enum { QUICK = 63 };

/* If it fails, that says nothing: quick balls are wide. */
static void answer_quickly(entry *e, void *context) {
    const question *q = context;
    length_bracket b = bracket_of(q->entry);
    temper_certify_options o = {.type = q->type};
    certification c;
    if (length_is_known(&b, q->n)) return; /* somebody was faster */
    certification_begin(&c, q->model, &o, q->hard, &e->memory, e->trap);
    model_prover *p = model_prover_open(&c);
    if (!model_prover_by_roles(p) || !model_prover_try(p, QUICK, false)) return;
    b.proved = QUICK + 1;
    if (c.every_position) b.everywhere = QUICK + 1;
    q->entry->opened = true;
    atomic_store(&q->entry->by_roles, true);
    keep_bracket(q->entry, &b, c.claim);
}

/* Whether quick balls can be asked. Types whose units are large may need sharper ones. */
static bool is_quick(const question *q) {
    return !q->longest && q->n <= QUICK && !q->entry->opened && !model_has_logits(q->model) &&
           (q->type == TEMPER_TYPE_F64 || q->type == TEMPER_TYPE_F32);
}

/* Whatever goes wrong here is done again below, or goes wrong there, too. */
static bool find_out_quickly(const question *q) {
    temper_error why;
    if (!is_quick(q)) return false;
    ball_quick_begin();
    (void)entry_run(&why, answer_quickly, (void *)(uintptr_t)q);
    ball_quick_end();
    length_bracket b = bracket_of(q->entry);
    return length_is_known(&b, q->n);
}

/* Until it is known of n, or of all lengths; `cheaply`: or a proof would take long. */
static void find_out(proof_entry *p, question q, trap *t) {
    proof_memo *memo = memo_of(q.model, t);
    temper_error why;
    q.entry = p;
    q.texts = &memo->texts;
    pthread_mutex_lock(&memo->lock);
    temper_status status = find_out_quickly(&q) ? TEMPER_OK : entry_run(&why, answer, &q);
    memo->texts.trap = NULL;
    pthread_mutex_unlock(&memo->lock);
    if (status) trap_reraise(t, &why);
}

/* ---- asking ---- */

static length_proof ask(const temper_model *m, temper_type type, bool hard, size_t n, bool cheaply, trap *t) {
    proof_entry *e = entry_of(m, type, hard, t);
    length_bracket b = bracket_of(e);
    if (!length_is_known(&b, n) && !(cheaply && atomic_load(&e->costly))) {
        find_out(e, (question){.model = m, .type = type, .hard = hard, .n = n, .cheaply = cheaply}, t);
        b = bracket_of(e);
    }
    if (n >= b.proved) return (length_proof){TEMPER_CLAIM_NONE, false, false};
    return (length_proof){(temper_claim)atomic_load(&e->claim), n < b.everywhere, atomic_load(&e->by_roles)};
}

length_proof proved_at(const temper_model *m, temper_type type, bool hard, size_t n, trap *t) {
    return ask(m, type, hard, n, false, t);
}

length_proof proved_cheaply(const temper_model *m, temper_type type, bool hard, size_t n, trap *t) {
    return ask(m, type, hard, n, true, t);
}

size_t proved_up_to(const temper_model *m, temper_type type, bool hard, size_t n) {
    proof_entry *e = entry_of(m, type, hard, NULL);
    size_t proved = atomic_load(&e->proved);
    return proved > n ? proved - 1 : n;
}

temper_proof proved_longest(const temper_model *m, temper_type type, bool hard, trap *t) {
    proof_entry *e = entry_of(m, type, hard, t);
    find_out(e, (question){.model = m, .type = type, .hard = hard, .longest = true}, t);
    return e->whole;
}

double proved_logit_error(const temper_model *m, temper_type type, bool hard, trap *t) {
    if (!model_has_logits(m) || type == TEMPER_TYPE_EXACT) return INFINITY;
    proved_at(m, type, hard, 0, t);
    return atomic_load(&entry_of(m, type, hard, t)->logit_error);
}

/* ---- heads ---- */

typedef struct heads_question {
    proof_memo *memo;
    const temper_model *model;
} heads_question;

/* A scale that was chosen by hand has no growth that is known. */
static void find_heads(entry *e, void *context) {
    const heads_question *q = context;
    const temper_model *m = q->model;
    if (q->memo->heads) return;
    bool hard = m->method == TEMPER_METHOD_HARD;
    const recognised_model *s =
        m->rescaled ? NULL : recognition_model(recognise_source(m, hard, &e->memory).recognition);
    q->memo->texts.trap = e->trap;
    proved_head **heads = arena_zalloc(&q->memo->texts, (size_t)m->layer_count + 1, sizeof *heads);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        heads[l] = arena_zalloc(&q->memo->texts, (size_t)m->layers[l].head_count + 1, sizeof **heads);
        for (uint32_t h = 0; s && h < m->layers[l].head_count; h++) {
            const head_shape *shape = &s->shapes[s->layers[l].head_shapes[h]];
            heads[l][h] = (proved_head){head_growth(shape->role), hard ? 0 : head_bound(shape->role, shape->kappa)};
        }
    }
    q->memo->heads = heads;
}

proved_head proved_head_of(const temper_model *m, size_t layer, size_t head, trap *t) {
    proof_memo *memo = memo_of(m, t);
    heads_question q = {memo, m};
    proved_head found = {0};
    temper_error why;
    pthread_mutex_lock(&memo->lock);
    temper_status status = entry_run(&why, find_heads, &q);
    memo->texts.trap = NULL;
    if (!status) found = memo->heads[layer - 1][head - 1];
    pthread_mutex_unlock(&memo->lock);
    if (status) trap_reraise(t, &why);
    return found;
}

_Noreturn void proved_refuse(const temper_model *m, temper_type type, bool hard, size_t n, trap *t) {
    temper_proof p = proved_longest(m, type, hard, t);
    if (p.claim == TEMPER_CLAIM_NONE)
        trap_raise_remedy(t, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_UNCHECKED, "no length is proved in %s: %s",
                          temper_type_name(type), p.obstacle);
    trap_raise_remedy(t, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_UNCHECKED,
                      "length %zu is beyond the proved length %zu in %s: %s", n, p.length, temper_type_name(type),
                      p.obstacle);
}

typedef struct proof_call {
    temper_proof *out;
    const temper_model *model;
    temper_type type;
    bool hard;
} proof_call;

static void tell_proof(entry *e, void *context) {
    const proof_call *c = context;
    *c->out = proved_longest(c->model, c->type, c->hard, e->trap);
}

temper_status temper_model_proof(temper_proof *out, const temper_model *model, temper_type type, int hard,
                                 temper_error *err) {
    proof_call call = {out, model, type, hard != 0};
    return entry_run(err, tell_proof, &call);
}
