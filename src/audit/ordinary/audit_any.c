/* temper_audit: which of the two auditors a certificate is for, and what it claims. */
#include <stdio.h>
#include <string.h>

#include "audit/ordinary/audit_ordinary.h"
#include "base/json_read.h"

static const char ORDINARY_KEY[] = "temper-stock-certificate";

static void free_bytes(void *bytes) { temper_free(bytes); }

static void read_file(entry *e, audit_call *x, const char *path) {
    char *bytes;
    temper_error err;
    if (temper_file_read(&bytes, &x->size, path, &err) != TEMPER_OK) trap_reraise(e->trap, &err);
    entry_on_leaving(e, free_bytes, bytes);
    x->model = bytes;
}

static void check(entry *e, void *context) {
    audit_call *x = context;
    const char *path = x->watch ? x->watch->path : NULL;
    bool ordinary = audit_quotes(x->certificate, x->length, ORDINARY_KEY);
    if (path && !ordinary) read_file(e, x, path);
    if (!ordinary)
        audit_check(e, x);
    else if (path)
        ordinary_check_path(e, x, path);
    else
        ordinary_check_gguf(e, x);
}

temper_status temper_audit(const char *certificate, size_t length, const char *model, size_t size,
                           const temper_audit_options *options, temper_error *err) {
    audit_call call = {certificate, length, model, size, options};
    return entry_run(err, check, &call);
}

/* ---- what it claims ---- */

typedef struct claim_call {
    temper_audit_claim *out;
    const char *certificate;
    size_t length;
} claim_call;

/* Texts that are kept as they stand. */
static char *text_member(temper_audit_claim *c, json_text key, size_t *size) {
    const struct {
        const char *name;
        char *at;
        size_t size;
    } all[] = {{"kind", c->kind, sizeof c->kind},
               {"type", c->type, sizeof c->type},
               {"facts", c->facts, sizeof c->facts},
               {"error", c->error, sizeof c->error},
               {"log-probabilities", c->log_probabilities, sizeof c->log_probabilities},
               {"architecture", c->architecture, sizeof c->architecture},
               {"weights", c->weights, sizeof c->weights},
               {"cache", c->cache, sizeof c->cache}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (jread_is(key, all[k].name)) {
            *size = all[k].size;
            return all[k].at;
        }
    return NULL;
}

static temper_claim claim_named(const char *name) {
    for (int k = 0; audit_claims[k]; k++)
        if (strcmp(audit_claims[k], name) == 0) return (temper_claim)(TEMPER_CLAIM_FORMULA + k);
    return TEMPER_CLAIM_NONE;
}

static void read_claim(entry *e, void *context) {
    const claim_call *x = context;
    temper_audit_claim c = {.ordinary = x->out->ordinary};
    bool read_off = false, every = false;
    json_reader r;
    jread_begin(&r, x->certificate, x->length, &e->memory, e->trap);
    jread_object(&r);
    for (json_text key; jread_key(&r, &key);) {
        size_t size = 0;
        char *at = text_member(&c, key, &size);
        if (at) {
            snprintf(at, size, "%s", jread_c_string(&r, &e->memory, "a text"));
        } else if (jread_is(key, "length")) {
            c.length = (size_t)jread_integer(&r, SIZE_MAX, "a length");
        } else if (jread_is(key, "claim")) {
            c.claim = claim_named(jread_c_string(&r, &e->memory, "a claim"));
        } else if (jread_is(key, "positions")) {
            every = strcmp(jread_c_string(&r, &e->memory, "a text"), "every") == 0;
        } else {
            read_off = read_off || jread_is(key, "read-off");
            jread_skip(&r, &e->memory);
        }
    }
    jread_end(&r);
    /* proofs by roles are about every position; the others say which */
    c.every_position = c.claim != TEMPER_CLAIM_CHOICES || *c.kind || read_off || every;
    *x->out = c;
}

temper_status temper_audit_read(temper_audit_claim *out, const char *certificate, size_t length, temper_error *err) {
    claim_call call = {out, certificate, length};
    *out = (temper_audit_claim){.ordinary = audit_quotes(certificate, length, ORDINARY_KEY)};
    return entry_run(err, read_claim, &call);
}
