/* An ordinary transformer: built once, then written, run, certified and audited. What needs a library of others is in
   ordinary_write.c. */
#include "ordinary/ordinary.h"

#include <stdlib.h>
#include <string.h>

#include "model/letter_clients.h"
#include "model/model_spec.h"
#include "ordinary/files/gguf_write.h"
#include "ordinary/proof/ordinary_certificate.h"
#include "ordinary/proof/ordinary_confirm.h"
#include "ordinary/proof/ordinary_longest.h"
#include "ordinary/run/ordinary_run.h"

/* ---- building ---- */

void temper_ordinary_free(temper_ordinary *x) {
    if (!x) return;
    ordinary_hard_free(&x->hard);
    arena_free(&x->memory);
    free(x);
}

static void free_object(void *x) { temper_ordinary_free(x); }

/* The beginning of the specification on one line, so that the bytes of a file depend on nothing else. */
static const char *name_of(arena *a, const char *source) {
    enum { MOST = 60 };
    text line;
    bool space = false;
    text_init(&line, a);
    for (; *source; source++) {
        bool is_space = *source == ' ' || *source == '\n' || *source == '\t' || *source == '\r';
        if (!is_space && space && line.length) text_printf(&line, " ");
        if (!is_space) text_printf(&line, "%c", *source);
        space = is_space;
    }
    return text_escaped(a, text_string(&line), line.length, MOST);
}

/* requires hard, read, options. Raises what the lowering refuses. */
static void make(void *context) {
    temper_ordinary *x = context;
    const temper_model *hard = x->hard.model;
    const struct ordinary_model *m = ordinary_from_model(&x->memory, hard, &x->options);
    x->made.proof = ordinary_prove_confirmed(&x->memory, m, hard, x->read, &x->options);
    ordinary_reach reach = ordinary_reach_of(&x->made.proof, x->options.length);
    x->made.info = (temper_ordinary_info){.layers = m->layer_count,
                                          .heads = m->heads,
                                          .head_size = m->head_size,
                                          .width = m->width,
                                          .hidden = m->hidden,
                                          .vocabulary = m->vocabulary,
                                          .mirrored = m->mirrored,
                                          .only_gguf = m->rope_factors != NULL,
                                          .every_letter = hard->kind == TEMPER_KIND_ACCEPTOR,
                                          .proof = ordinary_verdict_of(&reach)};
    if (!reach.proved) x->made.info.proof.shorter = ordinary_prove_shorter(&x->memory, hard, x->read, &x->options);
    x->made.name = name_of(&x->memory, hard->source);
    x->made.hard = hard;
    x->made.model = m;
}

typedef struct build_call {
    temper_ordinary **out;
    const temper_spec *spec;
    const temper_ordinary_options *options;
} build_call;

static void build(entry *e, void *context) {
    const build_call *c = context;
    trap inner;
    struct ordinary_options o = ordinary_options_of(c->options, e->trap);
    temper_ordinary *x = caller_alloc(e->trap, 1, sizeof *x);
    memset(x, 0, sizeof *x);
    arena_init(&x->memory, e->trap);
    entry_on_failure(e, free_object, x);
    x->options = o;
    x->made.options = *c->options;
    ordinary_hard_make(&x->hard, e, c->spec, &o);
    x->read = x->hard.next ? x->hard.next : model_spec(x->hard.model, &x->memory);
    if (!x->read) trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0, "the specification cannot be read again");
    x->memory.trap = &inner;
    bool done = trap_attempt(&inner, &x->refusal, make, x);
    x->memory.trap = NULL;
    if (!done && x->refusal.code == TEMPER_NO_MEMORY) trap_reraise(e->trap, &x->refusal);
    *c->out = x;
}

temper_status temper_ordinary_build(temper_ordinary **out, const temper_spec *spec,
                                    const temper_ordinary_options *options, temper_error *err) {
    build_call call = {out, spec, options};
    *out = NULL;
    return entry_run(err, build, &call);
}

temper_ordinary_info temper_ordinary_about(const temper_ordinary *x) { return x->made.info; }

void ordinary_need(entry *e, const temper_ordinary *x, unsigned clients) {
    const temper_model *hard = x->hard.model;
    const struct ordinary_model *m = x->made.model;
    letter_list letters = {.letters = hard->letters.letters,
                           .count = hard->letters.count,
                           .words = hard->letters.tokens,
                           .other = alphabet_other(&hard->letters)};
    letter_clients_check(&letters, clients, TEMPER_UNSUPPORTED, &e->memory);
    if (!m) trap_reraise(e->trap, &x->refusal);
    letters.written = m->tokens + ORDINARY_LETTERS + m->letters;
    letters.written_count = m->vocabulary - ORDINARY_LETTERS - m->letters - 1;
    letter_clients_check(&letters, clients, TEMPER_UNSUPPORTED, &e->memory);
}

/* ---- what is proved ---- */

typedef struct certify_call {
    temper_ordinary_verdict *out;
    const temper_ordinary *x;
} certify_call;

static void certify(entry *e, void *context) {
    const certify_call *c = context;
    const temper_ordinary *x = c->x;
    struct ordinary_options o = x->options;
    if (x->made.model) {
        *c->out = x->made.info.proof;
        return;
    }
    bool longest = o.length == 0;
    ordinary_reach r = {.length = o.length, .reason = x->refusal.text, .is_refusal = true};
    if (longest) {
        o.length = ORDINARY_LENGTH_LIMIT;
        r = ordinary_prove_longest(&e->memory, x->hard.model, x->read, &o);
    }
    *c->out = ordinary_verdict_of(&r);
    if (!longest) c->out->shorter = ordinary_prove_shorter(&e->memory, x->hard.model, x->read, &o);
}

temper_status temper_ordinary_certify(temper_ordinary_verdict *out, const temper_ordinary *x, temper_error *err) {
    certify_call call = {out, x};
    return entry_run(err, certify, &call);
}

/* ---- bytes ---- */

typedef struct bytes_call {
    char **out;
    size_t *length;
    const temper_ordinary *x;
} bytes_call;

static void print_file(text *out, const temper_ordinary *x, arena *a) {
    const struct ordinary_model *m = x->made.model;
    text_init(out, a);
    gguf_print(out, m, ordinary_tokens_make(m, a), x->made.name, x->options.weights == ORDINARY_F16);
}

static void print_certificate(entry *e, text *out, const temper_ordinary *x, const text *gguf) {
    const ordinary_proof *p = &x->made.proof;
    text_init(out, &e->memory);
    if (!p->proved) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "it is not proved: %s", p->reason);
    ordinary_certificate_print(out, p, x->made.hard, &(ordinary_digest){"model.gguf", gguf->data, gguf->length}, 1);
}

static void hand_out(entry *e, const bytes_call *c, const text *bytes) {
    *c->out = entry_hand_out(e, bytes->data, bytes->length);
    *c->length = bytes->length;
}

static void make_gguf(entry *e, void *context) {
    const bytes_call *c = context;
    text gguf;
    ordinary_need(e, c->x, CLIENTS_OF_GGUF);
    print_file(&gguf, c->x, &e->memory);
    hand_out(e, c, &gguf);
}

temper_status temper_ordinary_gguf(char **out, size_t *length, const temper_ordinary *x, temper_error *err) {
    bytes_call call = {out, length, x};
    *out = NULL;
    return entry_run(err, make_gguf, &call);
}

static void make_certificate(entry *e, void *context) {
    const bytes_call *c = context;
    text gguf, certificate;
    ordinary_need(e, c->x, CLIENTS_OF_GGUF);
    print_file(&gguf, c->x, &e->memory);
    print_certificate(e, &certificate, c->x, &gguf);
    hand_out(e, c, &certificate);
}

temper_status temper_ordinary_certificate(char **out, size_t *length, const temper_ordinary *x, temper_error *err) {
    bytes_call call = {out, length, x};
    *out = NULL;
    return entry_run(err, make_certificate, &call);
}

typedef struct audit_call {
    const temper_ordinary *x;
} audit_call;

static void audit(entry *e, void *context) {
    const temper_ordinary *x = ((const audit_call *)context)->x;
    text gguf, certificate;
    temper_error err;
    ordinary_need(e, x, CLIENTS_OF_GGUF);
    print_file(&gguf, x, &e->memory);
    print_certificate(e, &certificate, x, &gguf);
    if (temper_audit(certificate.data, certificate.length, gguf.data, gguf.length, NULL, &err) != TEMPER_OK)
        trap_reraise(e->trap, &err);
}

temper_status temper_ordinary_audit(const temper_ordinary *x, temper_error *err) {
    audit_call call = {x};
    return entry_run(err, audit, &call);
}

/* ---- running ---- */

typedef struct run_call {
    float *logits;
    const temper_ordinary *x;
    const uint32_t *letters;
    size_t count;
} run_call;

static void run(entry *e, void *context) {
    const run_call *c = context;
    const struct ordinary_model *m = c->x->made.model;
    const struct ordinary_options *o = &c->x->options;
    struct ordinary_kernel kernel = {
        .f16_weights = o->weights == ORDINARY_F16, .f16_cache = o->kv == ORDINARY_F16, .fused = true};
    if (!m) trap_reraise(e->trap, &c->x->refusal);
    if (c->count >= m->positions)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "a string of %zu letters; it was made for %zu", c->count,
                   (size_t)m->positions - 1);
    uint32_t *tokens = arena_alloc(&e->memory, c->count + 1, sizeof *tokens);
    tokens[0] = ORDINARY_BOS;
    for (size_t k = 0; k < c->count; k++) {
        uint32_t letter = c->letters[m->mirrored ? c->count - 1 - k : k];
        if (letter >= m->letters) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "there is no letter %u", letter);
        tokens[k + 1] = ORDINARY_LETTERS + letter;
    }
    ordinary_run(c->logits, ordinary_runner_new(&e->memory, m, &kernel), tokens, c->count + 1, &e->scratch);
}

temper_status temper_ordinary_run(float *logits, const temper_ordinary *x, const uint32_t *letters, size_t count,
                                  temper_error *err) {
    run_call call = {logits, x, letters, count};
    return entry_run(err, run, &call);
}
