/* Proofs for every string up to a length, in a number format: the public entry points. */
#include <string.h>

#include "base/entry.h"
#include "bound/proof.h"
#include "certify/choices_search.h"
#include "limits/adversary.h"
#include "model/model_spec.h"

struct temper_certificate {
    arena memory;
    temper_verdict verdict;
    temper_claim claim;
    int every_position;
    const char *reason, *json;
    size_t json_length;
    temper_fault fault;
    temper_certified_head *heads;
    size_t head_count;
    const char *error, *allowed, *logits, *log_probabilities, *logits_note, *read_off, *note;
};

/* Of a search: about a second. */
static const uint64_t SEARCH_BUDGET = 1000000000;

/* By roles n is proved if it is at most the proved length, the one that every command has. Bounds need not grow with
   the length: numbers of few digits are rounded less. So a proof may succeed at a length and not at a shorter one,
   which it covers. Then the file states the longer length. And one that succeeds beyond the proved length does not
   count. */
static void prove_by_roles(certification *c, model_prover *p, size_t n) {
    length_bracket b = LENGTH_BRACKET_START;
    model_prover_decide(p, &b, n);
    if (n < b.proved) {
        if (!model_prover_try(p, n, true)) model_prover_try(p, b.proved - 1, true);
    } else if (model_prover_try(p, n, false)) {
        model_prover_try(p, b.failed, false); /* for the reason */
        c->verdict = TEMPER_UNABLE;
        c->options.length = n;
    }
}

static void prove(certification *c) {
    if (c->hard) {
        certification_unable(c, 0, 0,
                             "the model is hard: certificates are about softmax; softening makes a soft one");
        return;
    }
    model_prover *p = model_prover_open(c);
    if (model_prover_by_roles(p))
        prove_by_roles(c, p, c->options.length);
    else
        model_prover_try(p, c->options.length, true);
}

/* ---- a wrong answer where there is no proof ---- */

static void refute(certification *c) {
    wrong_answer w;
    if (c->claim == TEMPER_CLAIM_CHOICES) choices_search(c);
    if (c->verdict == TEMPER_REFUTED) return;
    if (!model_spec(c->model, c->arena) ||
        !adversary_find(&w, c->model, c->options.type, c->options.length, SEARCH_BUDGET, c->arena, c->trap))
        return;
    c->verdict = TEMPER_REFUTED;
    c->fault.letters = w.letters;
    c->fault.n = c->fault.length = w.n;
    c->fault.position = w.position;
    c->fault.output = w.output;
    if (w.layer) {
        c->fault.layer = w.layer;
        c->fault.head = w.head;
    }
}

/* ---- the public functions ---- */

static void keep_text(const char **x, arena *a) { *x = arena_copy(a, *x, strlen(*x)); }

static void keep_heads(temper_certificate *k, const certification *c, arena *a) {
    k->error = c->error ? c->error : "";
    k->allowed = c->allowed ? c->allowed : "";
    bool logits = c->logits && c->verdict == TEMPER_PROVED;
    k->logits = logits ? c->logits : "";
    k->log_probabilities = logits && c->chances ? c->chances : "";
    k->logits_note = logits && c->chances_why_not ? c->chances_why_not : "";
    keep_text(&k->error, a);
    keep_text(&k->allowed, a);
    keep_text(&k->logits, a);
    keep_text(&k->log_probabilities, a);
    keep_text(&k->logits_note, a);
    if (c->verdict != TEMPER_PROVED) return;
    k->head_count = c->head_count;
    k->heads = arena_alloc(a, c->head_count, sizeof *k->heads);
    for (size_t h = 0; h < c->head_count; h++) {
        temper_certified_head *x = &k->heads[h];
        *x = c->heads[h];
        keep_text(&x->label, a);
        keep_text(&x->kind, a);
        keep_text(&x->by, a);
        keep_text(&x->logit, a);
        keep_text(&x->rounding, a);
        keep_text(&x->error, a);
    }
}

/* A copy that outlives the work. */
static temper_certificate *keep(certification *c) {
    arena memory;
    arena_init(&memory, c->trap);
    temper_certificate *k = arena_zalloc(&memory, 1, sizeof *k);
    k->verdict = c->verdict;
    k->fault = c->fault;
    k->reason = arena_copy(&memory, text_string(&c->reason), c->verdict == TEMPER_PROVED ? 0 : c->reason.length);
    k->json = arena_copy(&memory, text_string(&c->json), c->json.length);
    k->json_length = c->json.length;
    bool proved = c->verdict == TEMPER_PROVED;
    k->claim = proved ? c->claim : TEMPER_CLAIM_NONE;
    k->every_position = proved && c->every_position;
    k->read_off = proved && c->read_off ? c->read_off : "";
    k->note = proved && c->note ? c->note : "";
    keep_text(&k->read_off, &memory);
    keep_text(&k->note, &memory);
    if (c->fault.letters) {
        uint32_t *letters = arena_alloc(&memory, c->fault.n, sizeof *letters);
        if (c->fault.n) memcpy(letters, c->fault.letters, c->fault.n * sizeof *letters);
        k->fault.letters = letters;
    }
    keep_heads(k, c, &memory);
    k->memory = memory;
    k->memory.trap = NULL;
    return k;
}

typedef struct certify_call {
    temper_certificate **out;
    const temper_model *model;
    const char *bytes;
    size_t size;
    const temper_certify_options *options;
} certify_call;

static void certify(entry *e, void *context) {
    const certify_call *call = context;
    certification c;
    certification_begin(&c, call->model, call->options, false, &e->memory, e->trap);
    text printed;
    text_init(&printed, &e->memory);
    if (!call->bytes) model_print(&printed, call->model);
    c.bytes = call->bytes ? call->bytes : text_string(&printed);
    c.size = call->bytes ? call->size : printed.length;
    prove(&c);
    if (c.verdict == TEMPER_UNABLE && call->options->search) refute(&c);
    *call->out = keep(&c);
}

temper_status temper_certify(temper_certificate **out, const temper_model *model, const char *bytes, size_t size,
                             const temper_certify_options *options, temper_error *err) {
    certify_call call = {out, model, bytes, size, options};
    *out = NULL;
    return entry_run(err, certify, &call);
}

void temper_certificate_free(temper_certificate *certificate) {
    if (!certificate) return;
    arena memory = certificate->memory;
    arena_free(&memory);
}

temper_certificate_info temper_certificate_about(const temper_certificate *c) {
    return (temper_certificate_info){.verdict = c->verdict,
                                     .claim = c->claim,
                                     .every_position = c->every_position,
                                     .reason = c->reason,
                                     .fault = c->fault,
                                     .read_off = c->read_off,
                                     .note = c->note,
                                     .error = c->error,
                                     .allowed = c->allowed,
                                     .logits = c->logits,
                                     .log_probabilities = c->log_probabilities,
                                     .logits_note = c->logits_note,
                                     .heads = c->head_count};
}

typedef struct print_call {
    char **out;
    size_t *length;
    const temper_certificate *certificate;
} print_call;

static void print(entry *e, void *context) {
    const print_call *c = context;
    if (c->certificate->verdict != TEMPER_PROVED)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "nothing was proved, so there is no certificate");
    *c->out = entry_hand_out(e, c->certificate->json, c->certificate->json_length);
    *c->length = c->certificate->json_length;
}

temper_status temper_certificate_print(char **out, size_t *length, const temper_certificate *certificate,
                                       temper_error *err) {
    print_call call = {out, length, certificate};
    *out = NULL;
    return entry_run(err, print, &call);
}

temper_status temper_certificate_head(temper_certified_head *out, const temper_certificate *certificate, size_t index,
                                      temper_error *err) {
    if (index >= certificate->head_count)
        return error_write(err, TEMPER_RANGE, 0, 0, "", "there is no head number %zu in the certificate", index);
    *out = certificate->heads[index];
    return error_write(err, TEMPER_OK, 0, 0, "", "%s", "");
}
