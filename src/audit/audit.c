/* An audit: reads what a certificate claims, writes the certificate that the claim deserves, and compares the
   two. */
#include <string.h>

#include "base/entry.h"
#include "audit/audit.h"
#include "base/json_read.h"
#include "base/sha256.h"

/* ---- what the certificate says ---- */

typedef struct claim {
    audit_request request;
    const char *sha256;
} claim;

static temper_type type_named(const char *name, trap *t, arena *a) {
    for (int k = 0; *temper_type_name((temper_type)k); k++)
        if (strcmp(temper_type_name((temper_type)k), name) == 0) return (temper_type)k;
    trap_raise(t, TEMPER_RANGE, 0, 0, "type: there is no number type %s", text_escaped(a, name, strlen(name), 40));
}

static const char *read_sha256(json_reader *r, arena *a) {
    const char *found = NULL;
    json_keys keys;
    jread_keys_init(&keys, a);
    jread_object(r);
    for (json_text key; jread_key(r, &key);) {
        jread_keys_add(&keys, r, key);
        if (jread_is(key, "sha256"))
            found = jread_c_string(r, a, "the model's SHA-256");
        else
            jread_skip(r, a);
    }
    return found;
}

/* A formula and perhaps a table; the rest is found again in the model. */
static language_claim read_language(json_reader *r, arena *a) {
    language_claim l = {0};
    json_keys keys;
    jread_keys_init(&keys, a);
    jread_object(r);
    for (json_text key; jread_key(r, &key);) {
        jread_keys_add(&keys, r, key);
        if (jread_is(key, "formula")) {
            l.formula = jread_c_string(r, a, "a formula");
        } else if (jread_is(key, "table")) {
            jread_array(r);
            while (jread_element(r)) {
                const char *row = jread_c_string(r, a, "a row of a table");
                array_push(a, l.rows, l.row_count, l.row_capacity, row);
            }
        } else {
            jread_skip(r, a);
        }
    }
    return l;
}

static const language_claim *read_languages(size_t *count, json_reader *r, arena *a) {
    language_claim *all = NULL;
    size_t capacity = 0;
    jread_array(r);
    while (jread_element(r)) {
        language_claim l = read_language(r, a);
        array_push(a, all, *count, capacity, l);
    }
    return all;
}

enum { VERSION = 2, VERSION_OUTPUTS = 3 };

static void check_version(uint64_t version, trap *t) {
    if (version < VERSION)
        trap_raise(t, TEMPER_FORMAT, 0, 0, "a certificate of version %llu, whose proofs had holes: certify again",
                   (unsigned long long)version);
    if (version > VERSION_OUTPUTS)
        trap_raise(t, TEMPER_FORMAT, 0, 0, "a certificate of version %llu, which this auditor does not know",
                   (unsigned long long)version);
}

const char *const audit_claims[] = {"formula", "hard choices", "formula if viable is right", NULL};

/* Only what the audit starts from; everything else is compared as text. */
static claim read_claim(const char *bytes, size_t length, arena *a, trap *t) {
    static const char *const facts[] = {"sets", "strings", NULL};
    json_reader r;
    json_keys keys;
    claim c = {0};
    bool has_length = false, has_claim = false, has_version = false;
    const char *type = NULL;
    jread_begin(&r, bytes, length, a, t);
    jread_keys_init(&keys, a);
    jread_object(&r);
    for (json_text key; jread_key(&r, &key);) {
        jread_keys_add(&keys, &r, key);
        if (jread_is(key, "temper-certificate")) {
            check_version(jread_integer(&r, UINT64_MAX, "a version"), t);
            has_version = true;
        } else if (jread_is(key, "length")) {
            c.request.length = jread_integer(&r, UINT64_MAX, "a length");
            has_length = true;
        } else if (jread_is(key, "type")) {
            type = jread_c_string(&r, a, "a number type");
        } else if (jread_is(key, "claim")) {
            /* whether what is viable is assumed follows from the source */
            c.request.choices = jread_choice(&r, audit_claims, "\"formula\" or \"hard choices\"") == 1;
            has_claim = true;
        } else if (jread_is(key, "read-off")) {
            c.request.read_off = jread_c_string(&r, a, "a formula");
        } else if (jread_is(key, "facts")) {
            c.request.strings = jread_choice(&r, facts, "\"sets\" or \"strings\"");
        } else if (jread_is(key, "languages")) {
            c.request.languages = read_languages(&c.request.language_count, &r, a);
        } else if (jread_is(key, "outputs")) {
            c.request.outputs = read_languages(&c.request.output_count, &r, a);
        } else if (jread_is(key, "scores")) {
            c.request.scores = read_languages(&c.request.score_count, &r, a);
        } else if (jread_is(key, "log-probabilities")) {
            c.request.chances = strcmp(jread_c_string(&r, a, "a bound, or \"not proved\""), "not proved") != 0;
        } else if (jread_is(key, "model")) {
            c.sha256 = read_sha256(&r, a);
        } else {
            jread_skip(&r, a);
        }
    }
    jread_end(&r);
    if (!has_version || !has_length || !has_claim || !type || !c.sha256)
        trap_raise(t, TEMPER_FORMAT, 0, 0, "not a certificate: it has no \"%s\"",
                   !has_version  ? "temper-certificate"
                   : !c.sha256   ? "model"
                   : !has_claim  ? "claim"
                   : !has_length ? "length"
                                 : "type");
    if (!c.request.choices) c.request.read_off = NULL; /* then it is a member too many, which comparing finds */
    c.request.type = type_named(type, t, a);
    return c;
}

static void check_model(const claim *c, const char *model, size_t size, arena *a, trap *t) {
    unsigned char digest[SHA256_SIZE];
    char hex[SHA256_HEX + 1];
    sha256 h;
    sha256_start(&h);
    sha256_add(&h, model, size);
    sha256_finish(digest, &h);
    sha256_hex(hex, digest);
    if (strcmp(hex, c->sha256) != 0)
        trap_raise(t, TEMPER_RANGE, 0, 0, "it is about another model: its SHA-256 is %s, this one's %s",
                   text_escaped(a, c->sha256, strlen(c->sha256), 80), hex);
}

/* ---- where two certificates differ ---- */

typedef struct piece {
    const char *bytes;
    size_t length;
} piece;

static piece line_of(const char *bytes, size_t length, size_t number) {
    size_t at = 0;
    for (; number > 1 && at < length; at++)
        if (bytes[at] == '\n') number--;
    const char *end = at < length ? memchr(bytes + at, '\n', length - at) : NULL;
    return (piece){bytes + at, number > 1 ? 0 : end ? (size_t)(end - bytes) - at : length - at};
}

/* The end of the member that begins at `at`: its comma, or the bracket that closes the object. */
static size_t member_end(piece line, size_t at) {
    bool quoted = false;
    int depth = 0;
    for (; at < line.length; at++) {
        char c = line.bytes[at];
        if (quoted && c == '\\')
            at++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '['))
            depth++;
        else if (!quoted && (c == '}' || c == ']') && depth-- == 0)
            break;
        else if (!quoted && c == ',' && depth == 0)
            break;
    }
    return at < line.length ? at : line.length;
}

/* "key": value of a member; false if it does not look like one. */
static bool split_member(piece line, size_t at, size_t end, piece *key, piece *value) {
    while (at < end && line.bytes[at] == ' ') at++;
    if (at >= end || line.bytes[at] != '"') return false;
    const char *close = memchr(line.bytes + at + 1, '"', end - at - 1);
    if (!close || (size_t)(close - line.bytes) + 3 > end || close[1] != ':' || close[2] != ' ') return false;
    *key = (piece){line.bytes + at + 1, (size_t)(close - line.bytes) - at - 1};
    *value = (piece){close + 3, end - (size_t)(close - line.bytes) - 3};
    return true;
}

/* Of two arrays within a line, the first entry that differs: its number is added to `where`. Numbers count from 0, as
   lengths do. */
static void point_at_entry(text *where, piece *found, piece *value) {
    piece x = {found->bytes + 1, found->length - 1}, y = {value->bytes + 1, value->length - 1};
    if (found->length < 2 || value->length < 2 || found->bytes[0] != '[' || value->bytes[0] != '[') return;
    for (size_t number = 0;; number++) {
        piece p = {x.bytes, member_end(x, 0)}, q = {y.bytes, member_end(y, 0)};
        bool equal = p.length == q.length && memcmp(p.bytes, q.bytes, p.length) == 0;
        if (equal && x.length > p.length + 2 && y.length > q.length + 2) { /* behind the comma and the blank */
            x = (piece){x.bytes + p.length + 2, x.length - p.length - 2};
            y = (piece){y.bytes + q.length + 2, y.length - q.length - 2};
            continue;
        }
        if (equal) return; /* they differ in how many they are */
        text_printf(where, "[%zu]", number);
        *found = p;
        *value = q;
        return;
    }
}

static const char *shown(arena *a, piece p) { return p.length ? text_escaped(a, p.bytes, p.length, 80) : "nothing"; }

/* Which member of an array's element, or which top-level member, differs first. */
static _Noreturn void report(piece given, piece wanted, arena *a, trap *t) {
    size_t same = 0, line = 1, element = 0;
    const char *array = NULL;
    while (same < given.length && same < wanted.length && given.bytes[same] == wanted.bytes[same]) same++;
    for (size_t k = 0; k < same; k++) line += wanted.bytes[k] == '\n';
    for (size_t k = 1; k <= line; k++) { /* the array around the line */
        piece l = line_of(wanted.bytes, wanted.length, k), key, value;
        if (l.length > 4 && memcmp(l.bytes, "    ", 4) == 0)
            element++;
        else if (split_member(l, 0, l.length, &key, &value))
            array = arena_copy(a, key.bytes, key.length), element = 0;
    }
    piece x = line_of(given.bytes, given.length, line), y = line_of(wanted.bytes, wanted.length, line);
    size_t at = 0;
    if (element && y.length > 5 && y.bytes[4] == '{') at = 5;
    if (element && !(x.length > 5 && x.bytes[4] == '{')) x.length = 0;
    while (at < y.length) {
        size_t end = member_end(y, at), other = x.length > at ? member_end(x, at) : at;
        piece key, value, found = {x.bytes, 0}, other_key = {0};
        if (!split_member(y, at, end, &key, &value)) break;
        bool named = x.length > at && split_member(x, at, other, &other_key, &found) &&
                     other_key.length == key.length && memcmp(other_key.bytes, key.bytes, key.length) == 0;
        if (!named) break;
        if (found.length != value.length || memcmp(found.bytes, value.bytes, value.length) != 0) {
            text where;
            text_init(&where, a);
            if (element) text_printf(&where, "%s[%zu].", array ? array : "", element - 1);
            text_add(&where, key.bytes, key.length);
            point_at_entry(&where, &found, &value);
            trap_raise(t, TEMPER_RANGE, line, 0, "%s is %s, but the audit finds %s", text_string(&where),
                       shown(a, found), shown(a, value));
        }
        at = end + 1;
    }
    trap_raise(t, TEMPER_RANGE, line, 0, "it is not written as the audit writes it: there is %s in place of %s",
               shown(a, line_of(given.bytes, given.length, line)), shown(a, y));
}

/* ---- the whole ---- */

/* A model and a specification that the auditor reads on the way. */
typedef struct read_objects {
    temper_model *model;
    temper_spec *spec;
} read_objects;

static void free_objects(void *context) {
    read_objects *o = context;
    temper_spec_free(o->spec);
    temper_model_free(o->model);
}

static audit_memory memory_of(entry *e) {
    read_objects *o = arena_zalloc(&e->memory, 1, sizeof *o);
    entry_on_leaving(e, free_objects, o);
    return (audit_memory){&e->memory, &e->scratch, &o->model, &o->spec};
}

bool audit_quotes(const char *bytes, size_t length, const char *words) {
    size_t n = strlen(words);
    for (const char *end = bytes + length; (bytes = memchr(bytes, '"', (size_t)(end - bytes))) != NULL; bytes++)
        if ((size_t)(end - bytes) >= n + 2 && memcmp(bytes + 1, words, n) == 0 && bytes[n + 1] == '"') return true;
    return false;
}

void audit_check(entry *e, const audit_call *x) {
    claim c = read_claim(x->certificate, x->length, &e->memory, e->trap);
    check_model(&c, x->model, x->size, &e->memory, e->trap);
    c.request.watch = x->watch;
    /* Trying takes seconds a head, and is for nothing where the file does not say that it was done. */
    c.request.by_bound = !audit_quotes(x->certificate, x->length, "every length");
    size_t wanted_length;
    audit_memory m = memory_of(e);
    const char *wanted = audit_text(&wanted_length, x->model, x->size, &c.request, &m);
    if (wanted_length != x->length || memcmp(wanted, x->certificate, x->length) != 0)
        report((piece){x->certificate, x->length}, (piece){wanted, wanted_length}, &e->memory, e->trap);
}

temper_status audit_certificate(char **out, size_t *length, const char *model, size_t size, uint64_t n,
                                temper_type type, temper_error *err) {
    audit_request request = {.length = n, .type = type};
    return audit_requested(out, length, model, size, &request, err);
}

typedef struct request_call {
    char **out;
    size_t *length;
    const char *model;
    size_t size;
    const audit_request *request;
} request_call;

static void write_certificate(entry *e, void *context) {
    const request_call *c = context;
    audit_memory m = memory_of(e);
    const char *made = audit_text(c->length, c->model, c->size, c->request, &m);
    *c->out = entry_hand_out(e, made, *c->length);
}

temper_status audit_requested(char **out, size_t *length, const char *model, size_t size,
                              const audit_request *request, temper_error *err) {
    request_call call = {out, length, model, size, request};
    *out = NULL;
    return entry_run(err, write_certificate, &call);
}
