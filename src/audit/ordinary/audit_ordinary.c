/* A certificate of an ordinary transformer against the file that llama.cpp loads. */
#include "audit/ordinary/audit_ordinary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "model/letter_clients.h"

static const double ALLOWED = 32;

void ordinary_refuse(const ordinary_audit *s, uint32_t layer, uint32_t head, const char *format, ...) {
    char why[400];
    va_list arguments;
    va_start(arguments, format);
    print_list(why, sizeof why, format, arguments);
    va_end(arguments);
    if (layer && head) trap_raise(s->trap, TEMPER_RANGE, 0, 0, "head %u of layer %u: %s", head, layer, why);
    if (layer) trap_raise(s->trap, TEMPER_RANGE, 0, 0, "layer %u: %s", layer, why);
    trap_raise(s->trap, TEMPER_RANGE, 0, 0, "%s", why);
}

/* ---- files ---- */

const struct ordinary_claimed_file *ordinary_file_of(const ordinary_audit *s, const char *name) {
    for (size_t k = 0; k < s->claim->file_count; k++)
        if (strcmp(s->claim->files[k].name, name) == 0) return &s->claim->files[k];
    return NULL;
}

void ordinary_check_digest(const ordinary_audit *s, const char *name, const char *bytes, size_t size) {
    const struct ordinary_claimed_file *f = ordinary_file_of(s, name);
    unsigned char digest[SHA256_SIZE];
    char hex[SHA256_HEX + 1];
    sha256 h;
    if (!f) ordinary_refuse(s, 0, 0, "it is not about a file %s", name);
    sha256_start(&h);
    sha256_add(&h, bytes, size);
    sha256_finish(digest, &h);
    sha256_hex(hex, digest);
    if (strcmp(hex, f->sha256) != 0)
        ordinary_refuse(s, 0, 0, "it is about another %s: its SHA-256 is %s, this one's %s", name,
                        text_escaped(s->arena, f->sha256, strlen(f->sha256), 80), hex);
}

const char *const ordinary_weight_files[ORDINARY_WEIGHT_FILES] = {"model.gguf", "model.safetensors",
                                                                  "onnx/model.onnx"};

/* The list has nothing but files of weights, each by its one name, since by another one it would not be compared. */
static void check_names(const ordinary_audit *s) {
    size_t seen[ORDINARY_WEIGHT_FILES] = {0};
    for (size_t k = 0; k < s->claim->file_count; k++) {
        size_t which = 0;
        while (which < ORDINARY_WEIGHT_FILES && strcmp(s->claim->files[k].name, ordinary_weight_files[which]) != 0)
            which++;
        if (which == ORDINARY_WEIGHT_FILES || seen[which]++)
            ordinary_refuse(s, 0, 0, "files has a name that a folder of weights does not have, or one twice");
    }
}

/* ---- what is claimed against what is there ---- */

/* The token that unknown text is read as; 0: <dead>. */
static uint32_t other_of(const ordinary_audit *s) {
    for (size_t k = 0; s->claim->other && k < s->claim->letter_count; k++)
        if (strcmp(s->claim->letters[k], s->claim->other) == 0) return ORDINARY_LETTERS + (uint32_t)k;
    return 0;
}

static void check_settings(const ordinary_audit *s, const struct ordinary_file *file) {
    const ordinary_claim *c = s->claim;
    const struct ordinary_model *m = file->model;
    const lift *u = s->u;
    const char *positions = m->architecture == ORDINARY_GPT2 ? "table" : u->ramp > 0 ? "ramp" : "digits";
    if (c->llama != (m->architecture == ORDINARY_LLAMA))
        ordinary_refuse(s, 0, 0, "architecture is not that of the file");
    if (c->length + 1 != m->positions)
        ordinary_refuse(s, 0, 0, "length is %llu, but the file has %u positions", (unsigned long long)c->length,
                        m->positions);
    if (c->f16_weights != file->as_f16) ordinary_refuse(s, 0, 0, "weights are not of the type that the file has");
    if (strcmp(c->positions, positions) != 0) ordinary_refuse(s, 0, 0, "positions is not %s", positions);
    if (c->zero_sums != u->zero_sums) ordinary_refuse(s, 0, 0, "balances is not %u", u->zero_sums);
    if (c->allowed != ALLOWED) ordinary_refuse(s, 0, 0, "logits are allowed to be off by 32");
    if (c->letter_count != u->letters || c->letter_count != m->letters)
        ordinary_refuse(s, 0, 0, "alphabet has other letters than the file");
    for (uint32_t t = 0; t < u->letters; t++)
        if (strcmp(c->letters[t], m->tokens[ORDINARY_LETTERS + t]) != 0)
            ordinary_refuse(s, 0, 0, "alphabet has other letters than the file");
    if (c->words != m->words) ordinary_refuse(s, 0, 0, "tokens is not what the file says");
    if (other_of(s) != m->other) ordinary_refuse(s, 0, 0, "other is not the letter that the file has");
    if (c->other && !other_of(s)) ordinary_refuse(s, 0, 0, "other is no letter of the alphabet");
    if (c->kind != TEMPER_KIND_TRANSDUCER && m->vocabulary != u->letters + 3)
        ordinary_refuse(s, 0, 0, "the file has tokens that only a transducer has");
    const lift_form *first = &u->outputs[ORDINARY_BOS], *dead = &u->outputs[m->vocabulary - 1];
    if (first->count || first->one != -ORDINARY_LEGAL || dead->count || dead->one != -ORDINARY_UNKNOWN)
        ordinary_refuse(s, 0, 0, "the logits of <s> and <dead> are not -256 and -128");
}

static bool varies(const lift_head *h) {
    for (size_t k = 0; k < h->content; k++)
        if (h->products[k].query.count) return true;
    return false;
}

static void check_heads(const ordinary_audit *s) {
    const lift *u = s->u;
    if (s->claim->head_count != u->head_count)
        ordinary_refuse(s, 0, 0, "heads has %zu entries, but the file has %zu heads", s->claim->head_count,
                        u->head_count);
    bool *seen = arena_zalloc(s->arena, u->head_count, sizeof *seen);
    for (size_t k = 0; k < s->claim->head_count; k++) {
        const struct ordinary_claimed_head *c = &s->claim->heads[k];
        size_t h = 0;
        while (h < u->head_count && (u->heads[h].layer != c->layer || u->heads[h].slot + 1 != c->head)) h++;
        if (h == u->head_count || seen[h]) ordinary_refuse(s, c->layer, c->head, "there is no such head");
        seen[h] = true;
        const lift_head *x = &u->heads[h];
        bool match = x->role == LIFT_NEAREST && (varies(x) || x->content > 1);
        bool fits = strcmp(c->role, lift_role_name(x->role)) == 0 || (match && strcmp(c->role, "match") == 0);
        if (!fits)
            ordinary_refuse(s, c->layer, c->head, "role is %s, but the audit finds %s",
                            text_escaped(s->arena, c->role, strlen(c->role), 40), lift_role_name(x->role));
        const char *which = x->role == LIFT_NEAREST ? (x->last ? "last" : "first") : NULL;
        if (!which != !c->which || (which && strcmp(c->which, which) != 0))
            ordinary_refuse(s, c->layer, c->head, "which is not %s", which ? which : "asked of such a head");
    }
}

/* ---- the source ---- */

static void release_spec(void *spec) { temper_spec_free(spec); }

void ordinary_read_source(ordinary_audit *s) {
    const ordinary_claim *c = s->claim;
    temper_model *m = arena_zalloc(s->arena, 1, sizeof *m);
    alphabet_init(&m->letters, s->arena, c->words);
    for (size_t k = 0; k < c->letter_count; k++) alphabet_add(&m->letters, c->letters[k], strlen(c->letters[k]));
    m->kind = c->kind;
    m->source = c->source;
    m->syntax = c->syntax;
    m->at = c->at;
    m->accepts_empty = c->accepts_empty;
    audit *shell = arena_zalloc(s->arena, 1, sizeof *shell);
    *shell = (audit){.trap = s->trap, .arena = s->arena, .scratch = s->scratch, .model = m, .length = c->length};
    calc_init(&shell->calculus, s->arena);
    meaning_init(&shell->meaning, c->letter_count, s->arena, s->scratch);
    s->shell = shell;
    s->spec = audit_read_spec(shell, c->source, c->syntax, c->kind, "the source");
    arena_on_release(s->arena, release_spec, s->spec);
    const char *other = alphabet_other(&s->spec->letters);
    if (other && (!c->other || strcmp(c->other, other) != 0))
        ordinary_refuse(s, 0, 0, "other is not what the source says");
    if (s->spec->probabilities.is_said)
        ordinary_refuse(s, 0, 0, "the source has probabilities, whose logarithms are not audited");
}

static void find_meaning(void *context) { ordinary_meaning_check(context); }

/* Whether columns mean what the source says; a refusal is not raised. */
static bool is_understood(ordinary_audit *s) {
    trap frame = *s->trap;
    temper_error why;
    bool done = trap_attempt(s->trap, &why, find_meaning, s);
    *s->trap = frame;
    if (!done && why.code == TEMPER_NO_MEMORY) trap_reraise(s->trap, &why);
    return done;
}

static void follow_machine(void *context) { ordinary_machine_check(context); }

/* A machine with more states than are followed may still be understood: an acceptor's only output is the source. If
   not, nothing is known to be wrong: what is raised is the limit. */
static void check_machine(ordinary_audit *s) {
    trap inner, *outer = s->trap;
    temper_error why;
    s->trap = &inner;
    bool done = trap_attempt(&inner, &why, follow_machine, s);
    s->trap = outer;
    if (done) return;
    if (why.code != TEMPER_LIMIT || s->claim->kind != TEMPER_KIND_ACCEPTOR) trap_reraise(outer, &why);
    s->largest = NULL; /* not all were met */
    if (!is_understood(s)) trap_reraise(outer, &why);
}

/* Counts are understood by meaning; a model without them is followed as a machine, and a language model with bounded
   counts, too. A transducer is followed if it is not understood: two ways to say the same position are two meanings,
   and a machine of many letters has many states. What is viable is not proved, and the claim must say so. */
void ordinary_check_meaning(ordinary_audit *s) {
    bool acceptor = s->claim->kind == TEMPER_KIND_ACCEPTOR, transducer = s->claim->kind == TEMPER_KIND_TRANSDUCER;
    bool finite = ordinary_is_finite(s->u, !acceptor) && !s->claim->viable;
    ordinary_finite_check(s);
    ordinary_exact_check(s);
    if (!finite)
        ordinary_meaning_check(s);
    else if (!transducer || !is_understood(s))
        check_machine(s);
    if (s->shell->viable != s->claim->viable) ordinary_refuse(s, 0, 0, "claim does not say whether viable is proved");
}

/* ---- the whole ---- */

ordinary_audit *ordinary_audit_begin(entry *e, const char *certificate, size_t length) {
    ordinary_audit *s = arena_zalloc(&e->memory, 1, sizeof *s);
    *s = (ordinary_audit){.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch};
    s->claim = ordinary_claim_read(certificate, length, s->arena);
    check_names(s);
    return s;
}

void ordinary_check_letters(const ordinary_audit *s, const struct ordinary_model *m, unsigned clients) {
    const char *const *first = m->tokens + ORDINARY_LETTERS;
    size_t count = s->claim->letter_count, all = m->vocabulary - ORDINARY_LETTERS - 1;
    if (count > all) ordinary_refuse(s, 0, 0, "alphabet has other letters than the file");
    const letter_list letters = {first, count, s->claim->words, s->claim->other, first + count, all - count};
    letter_clients_check(&letters, clients, TEMPER_RANGE, s->arena);
}

const struct ordinary_model *ordinary_check_file(ordinary_audit *s, const char *gguf, size_t size) {
    struct ordinary_file file;
    gguf_file f;
    ordinary_check_digest(s, "model.gguf", gguf, size);
    gguf_open(&f, gguf, size, s->arena);
    ordinary_read(&file, &f, s->arena);
    s->u = lift_file(&file, ORDINARY_GGUF, s->arena);
    ordinary_check_letters(s, file.model, CLIENTS_OF_GGUF);
    check_settings(s, &file);
    check_heads(s);
    return file.model;
}

void ordinary_check_claim(ordinary_audit *s) {
    ordinary_read_source(s);
    ordinary_check_meaning(s);
    ordinary_dead_check(s);
    ordinary_bounds(s);
    if (!(s->logits < ALLOWED)) ordinary_refuse(s, 0, 0, "logits may be off by %.3g", s->logits);
}

void ordinary_check_gguf(entry *e, const audit_call *x) {
    ordinary_audit *s = ordinary_audit_begin(e, x->certificate, x->length);
    ordinary_check_file(s, x->model, x->size);
    ordinary_check_claim(s);
}
