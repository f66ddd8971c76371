/* Proofs for every string up to a length, in a number format: the public entry points. */
#include <string.h>

#include "limits/adversary.h"
#include "bound/choice_facts.h"
#include "bound/role_proof.h"
#include "certify/choices.h"
#include "model/model_spec.h"

struct temper_certificate {
    arena memory;
    temper_verdict verdict;
    const char *reason, *json;
    size_t json_length;
    temper_fault fault;
    temper_certified_head *heads;
    size_t head_count;
    const char *error, *allowed, *claim, *read_off, *note;
};

/* Of a search: about a second. */
static const uint64_t SEARCH_BUDGET = 1000000000;

static void begin(certification *c, const temper_model *m, const temper_certify_options *o, arena *a, trap *t) {
    *c = (certification){.model = m, .options = *o, .type = number_type_of(o->type), .arena = a, .trap = t};
    if (!c->type || !c->type->storage)
        trap_raise(t, TEMPER_RANGE, 0, 0, "a certificate is for a floating-point type");
    c->ascending = number_type_is_emulated(o->type);
    c->verdict = TEMPER_UNABLE;
    text_init(&c->reason, a);
    text_init(&c->json, a);
}

/* NULL: it is not from a formula (then c has no reason yet), or something is in the way whatever the length (then c has). */
static formula_proof *begin_proof(certification *c) {
    if (c->model->method == TEMPER_METHOD_HARD) {
        certification_unable(c, 0, 0,
                             "the model is hard: certificates are about softmax; temper soften makes a soft one");
        return NULL;
    }
    return formula_proof_begin(c);
}

/* A file that says what its heads are was meant to be recognised. */
static void say_unlike(certification *c) {
    const temper_model *m = c->model;
    bool roles = false;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            roles = roles || m->layers[l].heads[h].role != ROLE_NONE;
    if (roles && c->unlike) text_printf(&c->reason, "; as a formula it was not recognised: %s", c->unlike);
}

static void prove(certification *c) {
    formula_proof *p = begin_proof(c);
    if (p) {
        formula_proof_try(p, c->options.length, true);
    } else if (!c->reason.length) {
        certify_choices(c);
        if (c->verdict == TEMPER_UNABLE) say_unlike(c);
    }
}

/* ---- a wrong answer where there is no proof ---- */

static void refute(certification *c) {
    wrong_answer w;
    if (!model_spec(c->model, c->arena) ||
        !adversary_find(&w, c->model, c->options.type, c->options.length, SEARCH_BUDGET, c->arena, c->trap))
        return;
    c->verdict = TEMPER_REFUTED;
    c->fault.letters = w.letters;
    c->fault.n = c->fault.length = w.n;
    c->fault.position = w.position;
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
    keep_text(&k->error, a);
    keep_text(&k->allowed, a);
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
    k->claim = proved && c->claim ? c->claim : "";
    k->read_off = proved && c->read_off ? c->read_off : "";
    k->note = proved && c->note ? c->note : "";
    keep_text(&k->claim, &memory);
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

temper_status temper_certify(temper_certificate **out, const temper_model *model, const char *bytes, size_t size,
                             const temper_certify_options *options, temper_error *err) {
    trap t;
    arena work;
    *out = NULL;
    arena_init(&work, &t);
    if (trap_set(&t, err)) {
        arena_free(&work);
        return t.error.code;
    }
    certification c;
    begin(&c, model, options, &work, &t);
    text printed;
    text_init(&printed, &work);
    if (!bytes) model_print(&printed, model);
    c.bytes = bytes ? bytes : text_string(&printed);
    c.size = bytes ? size : printed.length;
    prove(&c);
    if (c.verdict == TEMPER_UNABLE && options->search) refute(&c);
    *out = keep(&c);
    arena_free(&work);
    trap_clear(&t);
    return TEMPER_OK;
}

void temper_certificate_free(temper_certificate *certificate) {
    if (!certificate) return;
    arena memory = certificate->memory;
    arena_free(&memory);
}

temper_verdict temper_certificate_verdict(const temper_certificate *certificate) { return certificate->verdict; }
const char *temper_certificate_reason(const temper_certificate *certificate) { return certificate->reason; }
temper_fault temper_certificate_fault(const temper_certificate *certificate) { return certificate->fault; }

const char *temper_certificate_claim(const temper_certificate *certificate) { return certificate->claim; }
const char *temper_certificate_read_off(const temper_certificate *certificate) { return certificate->read_off; }
const char *temper_certificate_note(const temper_certificate *certificate) { return certificate->note; }

temper_status temper_certificate_print(char **out, size_t *length, const temper_certificate *certificate,
                                       temper_error *err) {
    trap t;
    *out = NULL;
    if (trap_set(&t, err)) return t.error.code;
    if (certificate->verdict != TEMPER_PROVED)
        trap_raise(&t, TEMPER_RANGE, 0, 0, "nothing was proved, so there is no certificate");
    char *copy = caller_alloc(&t, certificate->json_length + 1, 1);
    memcpy(copy, certificate->json, certificate->json_length + 1);
    trap_clear(&t);
    *out = copy;
    *length = certificate->json_length;
    return TEMPER_OK;
}

size_t temper_certificate_head_count(const temper_certificate *certificate) { return certificate->head_count; }
const char *temper_certificate_error(const temper_certificate *certificate) { return certificate->error; }
const char *temper_certificate_allowed(const temper_certificate *certificate) { return certificate->allowed; }

temper_status temper_certificate_head(temper_certified_head *out, const temper_certificate *certificate, size_t index,
                                      temper_error *err) {
    trap t;
    if (trap_set(&t, err)) return t.error.code;
    if (index >= certificate->head_count)
        trap_raise(&t, TEMPER_RANGE, 0, 0, "there is no head number %zu in the certificate", index);
    *out = certificate->heads[index];
    trap_clear(&t);
    return TEMPER_OK;
}

/* ---- the longest length ---- */

/* Bounds grow with the length: the largest length that is proved, found by halving. At the end c has the reason why the next one is
   not, unless that is beyond `most`. */
static size_t longest(formula_proof *p, size_t most) {
    if (most > CERTIFY_LONGEST) most = CERTIFY_LONGEST;
    if (formula_proof_try(p, most, false)) return most;
    size_t good = 0, bad = most;
    bool none = !formula_proof_try(p, 0, false);
    while (!none && bad - good > 1) {
        size_t middle = good + (bad - good) / 2;
        if (formula_proof_try(p, middle, false))
            good = middle;
        else
            bad = middle;
    }
    formula_proof_try(p, none ? 0 : bad, false);
    return good;
}

static size_t longest_choices(certification *c, size_t most) {
    if (most > hard_facts_reach(c->model)) most = hard_facts_reach(c->model);
    size_t good = 0, bad = most + 1;
    while (bad - good > 1) {
        c->options.length = good + (bad - good) / 2;
        c->verdict = TEMPER_UNABLE;
        c->reason.length = c->json.length = 0;
        c->fault = (temper_fault){0};
        certify_choices(c);
        if (c->verdict == TEMPER_PROVED)
            good = c->options.length;
        else
            bad = c->options.length;
    }
    return good;
}

temper_status temper_certify_longest(size_t *length, temper_fault *fault, char **reason, const temper_model *model,
                                     temper_type type, size_t most, temper_error *err) {
    trap t;
    arena work;
    if (reason) *reason = NULL;
    arena_init(&work, &t);
    if (trap_set(&t, err)) {
        arena_free(&work);
        return t.error.code;
    }
    certification c;
    begin(&c, model, &(temper_certify_options){.length = most, .type = type}, &work, &t);
    formula_proof *p = begin_proof(&c);
    size_t found = p ? longest(p, most) : c.reason.length ? 0 : longest_choices(&c, most);
    if (reason) {
        char *copy = caller_alloc(&t, c.reason.length + 1, 1);
        memcpy(copy, text_string(&c.reason), c.reason.length);
        copy[c.reason.length] = 0;
        *reason = copy;
    }
    if (fault) *fault = c.fault;
    *length = found;
    arena_free(&work);
    trap_clear(&t);
    return TEMPER_OK;
}
