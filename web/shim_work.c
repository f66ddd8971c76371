/* Long work for JavaScript: the table of limits, a unit at a time, certificates, and ordinary transformers. */
#include "shim.h"

#include <stdlib.h>
#include <string.h>

#include "reply.h"
#include "temper.h"

static uint32_t failed(const temper_error *err) {
    reply_error(err);
    return 0;
}

/* ---- limits ---- */

typedef struct limits_work {
    temper_limits_case *cases;
    temper_job *job;
    temper_journal *journal;
    temper_worker *worker;
} limits_work;

static void limits_close(limits_work *w) {
    temper_worker_free(w->worker);
    temper_journal_close(w->journal, NULL);
    temper_job_free(w->job);
    free(w->cases);
    free(w);
}

/* models and types: arrays of `count` addresses and of as many types. The models must outlive it. */
SHIM_EXPORT uint32_t tw_limits(uint32_t models, uint32_t types, uint32_t count, double length, double effort) {
    temper_error err = {.code = TEMPER_NO_MEMORY};
    const uint32_t *model = (const uint32_t *)(uintptr_t)models, *type = (const uint32_t *)(uintptr_t)types;
    limits_work *w = calloc(1, sizeof *w);
    if (!w) return failed(&err);
    w->cases = calloc(count ? count : 1, sizeof *w->cases);
    for (uint32_t k = 0; w->cases && k < count; k++)
        w->cases[k] = (temper_limits_case){(const temper_model *)(uintptr_t)model[k], (temper_type)type[k]};
    temper_limits_options o = {.length = (size_t)length, .effort = effort, .seed = 1, .threads = 1};
    if (!w->cases || temper_limits_job(&w->job, w->cases, count, &o, &err) ||
        temper_journal_open(&w->journal, NULL, w->job, &err) || temper_worker_open(&w->worker, w->job, 1, &err)) {
        limits_close(w);
        return failed(&err);
    }
    return POINTER(w);
}

/* Does the next unit. 2: there are more; 1: it was the last; the reply has how much is done. */
SHIM_EXPORT uint32_t tw_limits_step(uint32_t work) {
    temper_error err;
    limits_work *w = (limits_work *)(uintptr_t)work;
    uint64_t unit;
    if (!temper_journal_next(&unit, w->journal)) return 1;
    unsigned char *result = NULL;
    size_t size = 0;
    if (temper_worker_run(&result, &size, w->worker, unit, &err)) return failed(&err);
    temper_status status = temper_journal_add(w->journal, unit, result, size, &err);
    temper_free(result);
    if (status) return failed(&err);
    reply_begin();
    reply_text("{\"unit\":%llu,\"units\":%llu}", (unsigned long long)unit + 1,
               (unsigned long long)temper_job_about(w->job).units);
    return 2;
}

/* what: 0 JSON, 1 CSV, 2 SVG, as one JSON string. */
SHIM_EXPORT uint32_t tw_limits_print(uint32_t work, uint32_t what, char32 title) {
    temper_error err;
    limits_work *w = (limits_work *)(uintptr_t)work;
    temper_limits *limits = NULL;
    char *text = NULL;
    size_t length = 0;
    if (temper_limits_merge(&limits, w->job, w->journal, &err)) return failed(&err);
    temper_status status =
        what == 2 ? temper_draw_limits(&text, limits, TEXT(title), &err)
                  : temper_limits_print(&text, &length, limits, what ? TEMPER_LIMITS_CSV : TEMPER_LIMITS_JSON, &err);
    temper_limits_free(limits);
    if (status) return failed(&err);
    reply_begin();
    reply_bytes(text, what == 2 ? strlen(text) : length);
    temper_free(text);
    return 1;
}

SHIM_EXPORT void tw_limits_free(uint32_t work) { limits_close((limits_work *)(uintptr_t)work); }

/* ---- ordinary transformers ---- */

/* A GGUF file. The reply has its address, which tw_free frees, its size, and what is proved of it. */
SHIM_EXPORT uint32_t tw_gguf(uint32_t spec, uint32_t architecture, double length) {
    temper_error err;
    temper_ordinary *made;
    temper_ordinary_options o = {.architecture = (temper_ordinary_architecture)architecture,
                                 .length = (size_t)length};
    char *bytes = NULL;
    size_t size = 0;
    temper_status status = temper_ordinary_build(&made, (const temper_spec *)(uintptr_t)spec, &o, &err);
    if (!status) status = temper_ordinary_gguf(&bytes, &size, made, &err);
    temper_ordinary_info info = made ? temper_ordinary_about(made) : (temper_ordinary_info){0};
    temper_ordinary_free(made);
    if (status) return failed(&err);
    reply_begin();
    reply_text("{\"at\":%u,\"size\":%zu,\"proved\":%d,\"mirrored\":%d,\"everyLetter\":%d", POINTER(bytes), size,
               info.proof.proved, info.mirrored, info.every_letter);
    reply_text(",\"layers\":%zu,\"heads\":%zu,\"width\":%zu", info.layers, info.heads, info.width);
    reply_words("reason", info.proof.reason);
    reply_text("}");
    return 1;
}

/* ---- softening a hard model ---- */

SHIM_EXPORT uint32_t tw_soften(uint32_t model, uint32_t method, double length) {
    temper_error err;
    temper_model *soft = NULL;
    temper_soften_options o = {.method = (temper_method)method, .length = (size_t)length};
    if (temper_soften(&soft, NULL, (const temper_model *)(uintptr_t)model, &o, &err)) return failed(&err);
    return POINTER(soft);
}

/* ---- certificates ---- */

SHIM_EXPORT uint32_t tw_certify(uint32_t model, double length, uint32_t type) {
    temper_error err;
    temper_certificate *c = NULL;
    temper_certify_options o = {.length = (size_t)length, .type = (temper_type)type};
    if (temper_certify(&c, (const temper_model *)(uintptr_t)model, NULL, 0, &o, &err)) return failed(&err);
    temper_certificate_info i = temper_certificate_about(c);
    char *text = NULL;
    size_t size = 0;
    int proved = i.verdict == TEMPER_PROVED;
    if (proved && temper_certificate_print(&text, &size, c, &err)) {
        temper_certificate_free(c);
        return failed(&err);
    }
    reply_begin();
    reply_text("{");
    reply_words("verdict", proved ? "proved" : i.verdict == TEMPER_REFUTED ? "refuted" : "unable");
    reply_words("claim", temper_claim_name(i.claim));
    reply_words("reason", i.reason);
    reply_words("largestError", i.error);
    reply_words("allowed", i.allowed);
    reply_field("certificate");
    if (proved)
        reply_bytes(text, size);
    else
        reply_string(NULL);
    reply_text("}");
    temper_free(text);
    temper_certificate_free(c);
    return 1;
}

/* 1: every field of the certificate is what the audit finds itself. */
SHIM_EXPORT uint32_t tw_audit(char32 certificate, uint32_t length, char32 model, uint32_t size) {
    temper_error err;
    if (temper_audit(TEXT(certificate), length, TEXT(model), size, NULL, &err)) return failed(&err);
    return 1;
}
