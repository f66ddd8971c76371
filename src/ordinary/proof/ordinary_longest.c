#include "ordinary/proof/ordinary_longest.h"

#include <stdio.h>
#include <string.h>

#include "base/work.h"
#include "ordinary/proof/ordinary_confirm.h"

/* From longer ones on a shorter length that is proved is not looked for: it would take long. */
enum { SHORTER_FROM = 4096 };

typedef struct length_call {
    arena *memory;
    const temper_model *hard;
    const temper_spec *read;
    const struct ordinary_options *options;
    ordinary_proof proof;
} length_call;

static void prove_once(void *context) {
    length_call *c = context;
    struct ordinary_model *m = ordinary_from_model(c->memory, c->hard, c->options);
    c->proof = ordinary_prove_confirmed(c->memory, m, c->hard, c->read, c->options);
}

ordinary_reach ordinary_reach_of(const ordinary_proof *p, size_t length) {
    ordinary_reach out = {.proved = p->proved, .length = length, .reason = p->reason, .claim = p->claim};
    out.layer = p->layer;
    out.head = p->head;
    if (p->proved) out.logits = p->details->logit_error;
    return out;
}

temper_ordinary_verdict ordinary_verdict_of(const ordinary_reach *r) {
    temper_ordinary_verdict out = {.proved = r->proved,
                                   .length = r->length,
                                   .viable = r->proved && r->claim == TEMPER_CLAIM_VIABLE,
                                   .logits = r->logits,
                                   .layer = r->layer,
                                   .head = r->head};
    snprintf(out.reason, sizeof out.reason, "%s", r->reason ? r->reason : "");
    return out;
}

/* In memory of its own, and with errors of its own: what the lowering refuses is not proved. */
ordinary_reach ordinary_prove_length(arena *a, const temper_model *hard, const temper_spec *read,
                                     const struct ordinary_options *o) {
    arena memory;
    trap inner;
    temper_error why;
    length_call call = {&memory, hard, read, o, {0}};
    ordinary_reach out = {.length = o->length};
    arena_init(&memory, &inner);
    bool done = trap_attempt(&inner, &why, prove_once, &call);
    const char *reason = done ? call.proof.reason : why.text;
    if (done) out = ordinary_reach_of(&call.proof, o->length);
    out.reason = NULL;
    out.is_refusal = !done;
    if (reason) out.reason = arena_copy(a, reason, strlen(reason));
    arena_free(&memory);
    if (!done && why.code == TEMPER_NO_MEMORY) trap_reraise(a->trap, &why);
    return out;
}

/* Letters of all lengths that may be tried below one: twice as many each time, then halves of what is left. Proofs
   tell of work of their own, so this is said anew before each. */
static void tell(uint64_t done, size_t length) {
    uint64_t most = 2 * (uint64_t)length;
    for (size_t left = length; left > 1; left /= 2) most += length;
    work_begin("looking for the longest length that is proved, in letters", most);
    work_at(done);
}

ordinary_reach ordinary_prove_longest(arena *a, const temper_model *hard, const temper_spec *read,
                                      const struct ordinary_options *o) {
    struct ordinary_options at = *o;
    ordinary_reach best = {0}, failed = {0};
    size_t low = 0, high = o->length + 1;
    uint64_t tried = 0;
    for (at.length = 1;; at.length = 2 * at.length < o->length ? 2 * at.length : o->length) {
        tell(tried, o->length);
        ordinary_reach r = ordinary_prove_length(a, hard, read, &at);
        tried += at.length;
        if (r.proved) {
            low = at.length;
            high = o->length + 1;
            best = r;
        } else if (high > o->length) { /* the first after what is proved; a longer one may be proved all the same */
            high = at.length;
            failed = r;
        }
        if (at.length == o->length) break;
    }
    if (low == o->length) return best;
    while (low + 1 < high) {
        at.length = low + (high - low) / 2;
        tell(tried, o->length);
        ordinary_reach r = ordinary_prove_length(a, hard, read, &at);
        tried += at.length;
        if (r.proved) {
            low = at.length;
            best = r;
        } else {
            high = at.length;
            failed = r;
        }
    }
    best.reason = failed.reason;
    best.layer = failed.layer;
    best.head = failed.head;
    best.is_refusal = failed.is_refusal;
    return best;
}

size_t ordinary_prove_shorter(arena *a, const temper_model *hard, const temper_spec *read,
                              const struct ordinary_options *o) {
    struct ordinary_options below = *o;
    if (o->length < 2 || o->length > SHORTER_FROM) return 0;
    below.length--;
    ordinary_reach r = ordinary_prove_longest(a, hard, read, &below);
    return r.proved ? r.length : 0;
}
