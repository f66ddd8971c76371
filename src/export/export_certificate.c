/* The certificate of an exported folder. It must be temper's, be about the bytes of one of the model's two files
   there, and pass the audit: nobody who finds it in the folder will look twice. */
#include <string.h>

#include "base/json_read.h"
#include "base/sha256.h"
#include "export/export_parts.h"

static void free_bytes(void *slot) { temper_free(*(char **)slot); }

static char *read_all(const char *path, size_t *length, arena *a, trap *t) {
    temper_error err;
    char **slot = arena_zalloc(a, 1, sizeof *slot);
    arena_on_release(a, free_bytes, slot);
    if (temper_file_read(slot, length, path, &err) != TEMPER_OK) trap_reraise(t, &err);
    return *slot;
}

/* The digest of the model's file, from the member "model". */
static const char *read_digest(json_reader *r, arena *a) {
    const char *found = NULL;
    jread_object(r);
    for (json_text key; jread_key(r, &key);)
        if (jread_is(key, "sha256"))
            found = jread_c_string(r, a, "a SHA-256");
        else
            jread_skip(r, a);
    return found;
}

void export_certificate_read(export_certificate *c, const char *path, arena *a, trap *t) {
    static const char *const claims[] = {"formula", "hard choices", "formula if viable is right", NULL};
    static const temper_claim meant[] = {TEMPER_CLAIM_FORMULA, TEMPER_CLAIM_CHOICES, TEMPER_CLAIM_VIABLE};
    json_reader r;
    bool is_one = false, has_claim = false;
    c->bytes = read_all(path, &c->size, a, t);
    jread_begin(&r, c->bytes, c->size, a, t);
    r.where = "the certificate";
    jread_object(&r);
    for (json_text key; jread_key(&r, &key);) {
        if (jread_is(key, "temper-certificate")) {
            is_one = true;
            jread_skip(&r, a);
        } else if (jread_is(key, "model")) {
            c->sha256 = read_digest(&r, a);
        } else if (jread_is(key, "length")) {
            c->length = jread_integer(&r, UINT64_MAX, "a length");
        } else if (jread_is(key, "type")) {
            c->type = jread_c_string(&r, a, "a number type");
        } else if (jread_is(key, "claim")) {
            c->claim = meant[jread_choice(&r, claims, "\"formula\" or \"hard choices\"")];
            has_claim = true;
        } else {
            jread_skip(&r, a);
        }
    }
    jread_end(&r);
    if (!is_one || !c->sha256 || !c->type || !has_claim)
        trap_raise_remedy(t, TEMPER_FORMAT, 0, 0, TEMPER_REMEDY_CERTIFY,
                          "'%s' is JSON, but not a certificate of temper", text_escaped(a, path, strlen(path), 120));
}

/* ---- which file it is about ---- */

static bool try_file(export_certificate *c, const char *name, const char *bytes, size_t size, trap *t) {
    unsigned char digest[SHA256_SIZE];
    char hex[SHA256_HEX + 1];
    temper_error err;
    sha256 h;
    sha256_start(&h);
    sha256_add(&h, bytes, size);
    sha256_finish(digest, &h);
    sha256_hex(hex, digest);
    if (strcmp(hex, c->sha256) != 0) return false;
    if (temper_audit(c->bytes, c->size, bytes, size, NULL, &err) != TEMPER_OK)
        trap_raise_hint(t, err.code, err.line, err.column, err.hint, "the certificate does not pass the audit: %s",
                        err.text);
    c->file = name;
    return true;
}

void export_certificate_check(export_certificate *c, const text *printed, const char *weights, arena *a, trap *t) {
    if (try_file(c, "model.temper", printed->data, printed->length, t)) return;
    if (weights) {
        size_t size;
        const char *bytes = read_all(weights, &size, a, t);
        if (try_file(c, "model.safetensors", bytes, size, t)) return;
    }
    trap_raise_remedy(t, TEMPER_RANGE, 0, 0, TEMPER_REMEDY_CERTIFY_EXPORTED,
                      "the certificate is about other bytes (SHA-256 %s): neither about this model as text nor as "
                      "safetensors",
                      text_escaped(a, c->sha256, strlen(c->sha256), 16));
}
