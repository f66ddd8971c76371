#include "bound/proof.h"

#include <math.h>
#include <string.h>

#include "bound/choice_facts.h"
#include "bound/choice_proof.h"
#include "bound/language_proof.h"
#include "bound/role_proof.h"

struct model_prover {
    certification *c;
    role_prover *roles;   /* NULL: by choices, or hopeless */
    size_t reach;         /* longer lengths take too long to be tried unasked; 0: not known yet */
    const char *hopeless; /* what is in the way whatever the length; NULL: nothing */
    temper_fault fault;   /* of hopeless */
};

void certification_begin(certification *c, const temper_model *m, const temper_certify_options *o, bool hard,
                         arena *a, trap *t) {
    bool chosen = hard || m->method == TEMPER_METHOD_HARD; /* then nothing is in tiles */
    temper_type type = chosen ? number_type_plain(o->type) : o->type;
    *c = (certification){.model = m, .options = *o, .type = number_type_of(type), .arena = a, .trap = t};
    c->logit_error = INFINITY;
    c->hard = chosen;
    if (!c->type || !c->type->storage)
        trap_raise(t, TEMPER_RANGE, 0, 0, "a certificate is for a floating-point type");
    c->ascending = number_type_is_emulated(o->type);
    c->verdict = TEMPER_UNABLE;
    text_init(&c->reason, a);
    text_init(&c->json, a);
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

/* A model softened for a length was proved there in f64 once. So that is tried even if it takes a minute, and nothing
   longer. */
static bool has_record(const certification *c) {
    return model_has_record(&c->model->record) && c->options.type == TEMPER_TYPE_F64;
}

/* What longer lengths cost is extrapolated from short ones. These take a tenth of a second, so this is asked for only
   where a length is not easy. */
static size_t reach_of(model_prover *p) {
    if (p->reach) return p->reach;
    certification *c = p->c;
    size_t easy = hard_facts_easy(c->model), recorded = c->model->record.length;
    size_t costed = hard_facts_reach(c, has_record(c) ? FACTS_MINUTE : FACTS_SECOND);
    p->reach = costed > easy ? costed : easy;
    if (has_record(c) && recorded < p->reach) p->reach = recorded;
    return p->reach;
}

static bool is_in_reach(model_prover *p, size_t length) {
    bool easy = !p->reach && length <= hard_facts_easy(p->c->model);
    return easy ? !has_record(p->c) || length <= p->c->model->record.length : length <= reach_of(p);
}

model_prover *model_prover_open(certification *c) {
    model_prover *p = arena_zalloc(c->arena, 1, sizeof *p);
    p->c = c;
    p->reach = CERTIFY_LONGEST;
    p->roles = role_prover_begin(c);
    if (!p->roles && !c->reason.length && !c->hard && c->model->kind == TEMPER_KIND_ACCEPTOR) {
        c->claim = TEMPER_CLAIM_CHOICES;
        p->reach = 0;
    } else if (!p->roles) {
        certification_unable(c, 0, 0, "its heads have no known roles, by which %s are proved",
                             c->hard ? "hard choices" : "several outputs (of one output, any model can be)");
        say_unlike(c);
        c->claim = TEMPER_CLAIM_NONE;
        p->hopeless = arena_copy(c->arena, text_string(&c->reason), c->reason.length);
        p->fault = c->fault;
    }
    return p;
}

bool model_prover_by_roles(const model_prover *p) { return p->roles != NULL; }

temper_claim certification_exact_claim(certification *c) {
    return source_claim(recognise_source(c->model, true, c->arena));
}

static bool is_in_tiles(const certification *c, size_t length) {
    return c->type->tile && length + 1 + c->model->has_end > c->type->tile;
}

bool model_prover_try(model_prover *p, size_t length, bool write) {
    certification *c = p->c;
    c->options.length = length;
    c->verdict = TEMPER_UNABLE;
    c->reason.length = c->json.length = 0;
    c->fault = (temper_fault){.length = length};
    c->every_position = p->roles != NULL;
    if (p->hopeless) {
        certification_unable(c, p->fault.layer, p->fault.head, "%s", p->hopeless);
        c->fault = p->fault;
    } else if (length > CERTIFY_LONGEST) {
        certification_unable(c, 0, 0, "bounds are stated up to 2^%d letters", CERTIFY_LONGEST_BITS);
    } else if (!p->roles && is_in_tiles(c, length)) {
        certification_unable(c, 0, 0,
                             "its heads have no known roles, and of such heads nothing is proved where a row takes "
                             "more than one tile of %zu keys",
                             c->type->tile);
    } else if (p->roles ? role_prover_try(p->roles, length, write) : choice_proof_try(c, write)) {
        c->verdict = TEMPER_PROVED;
        c->fault = (temper_fault){0};
    } else if (!p->roles) {
        say_unlike(c);
    }
    return c->verdict == TEMPER_PROVED;
}

/* ---- many lengths ---- */

static void try_in(model_prover *p, length_bracket *b, size_t length) {
    if (length_is_known(b, length)) return;
    if (!is_in_reach(p, length) || !model_prover_try(p, length, false)) {
        b->failed = length;
        return;
    }
    b->proved = length + 1;
    if (p->c->every_position) b->everywhere = length + 1;
}

enum { GRID_LAST = CERTIFY_LONGEST_BITS };

/* The lengths that are tried first: 1, 3, 7, ..., 2^40 - 1, and the longest. */
static size_t grid(unsigned k) { return k >= GRID_LAST ? CERTIFY_LONGEST : ((size_t)2 << k) - 1; }

static void halve(model_prover *p, length_bracket *b) { try_in(p, b, b->proved + (b->failed - b->proved) / 2); }

void model_prover_decide(model_prover *p, length_bracket *b, size_t n) {
    if (length_is_known(b, n)) return;
    unsigned k = 0;
    while (grid(k) < n) k++;
    try_in(p, b, grid(k));
    if (k > 0) try_in(p, b, grid(k - 1));
    while (!length_is_known(b, n)) halve(p, b);
}

void model_prover_longest(model_prover *p, length_bracket *b) {
    if (!p->roles && !p->hopeless && has_record(p->c)) try_in(p, b, reach_of(p));
    if (p->roles || p->hopeless) try_in(p, b, CERTIFY_LONGEST);
    unsigned low = 0, high = GRID_LAST; /* the first point of the grid that fails is among these */
    while (low < high) {
        unsigned middle = p->roles || p->hopeless ? (low + high) / 2 : low; /* facts of short lengths cost little */
        try_in(p, b, grid(middle));
        if (grid(middle) < b->proved)
            low = middle + 1;
        else
            high = middle;
    }
    if (!p->roles && !p->hopeless) try_in(p, b, reach_of(p)); /* where it holds there is nothing to halve */
    while (b->proved < b->failed) halve(p, b);
    if (is_in_reach(p, b->failed) || p->reach == CERTIFY_LONGEST) {
        model_prover_try(p, b->failed, false); /* for the reason */
        return;
    }
    p->c->reason.length = 0;
    bool record = has_record(p->c);
    if (record && reach_of(p) == p->c->model->record.length)
        certification_unable(p->c, 0, 0, "%s", p->c->model->record.reason);
    else
        certification_unable(p->c, 0, 0, "longer strings take more than a %s to look at, so nobody did",
                             record ? "minute" : "second");
    p->c->fault.length = b->failed;
}

const char *temper_claim_name(temper_claim claim) {
    static const char *const names[] = {"none", "formula", "hard choices", "formula if viable is right"};
    return (unsigned)claim < sizeof names / sizeof *names ? names[claim] : "";
}
