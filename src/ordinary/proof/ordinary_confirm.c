#include "ordinary/proof/ordinary_confirm.h"

#include "ordinary/files/gguf_write.h"
#include "ordinary/files/ordinary_tokens.h"
#include "ordinary/proof/ordinary_certificate.h"

/* NULL: the auditor agrees, as any caller of the library may ask it. */
static const char *audited(arena *a, const ordinary_proof *p, const struct ordinary_model *m,
                           const temper_model *hard, bool as_f16) {
    text gguf, certificate, why;
    temper_error err;
    text_init(&gguf, a);
    text_init(&certificate, a);
    gguf_print(&gguf, m, ordinary_tokens_make(m, a), "", as_f16);
    ordinary_certificate_print(&certificate, p, hard, &(ordinary_digest){"model.gguf", gguf.data, gguf.length}, 1);
    temper_status s = temper_audit(certificate.data, certificate.length, gguf.data, gguf.length, NULL, &err);
    if (s == TEMPER_OK) return NULL;
    if (s == TEMPER_NO_MEMORY) trap_reraise(a->trap, &err);
    text_init(&why, a);
    text_printf(&why, "the audit does not confirm the proof: %s", err.text);
    return text_string(&why);
}

ordinary_proof ordinary_prove_confirmed(arena *a, const struct ordinary_model *m, const temper_model *hard,
                                        const temper_spec *read, const struct ordinary_options *o) {
    ordinary_proof p = ordinary_prove(a, m, hard, read, o);
    if (p.proved) p.reason = audited(a, &p, m, hard, o->weights == ORDINARY_F16);
    if (p.reason) p.proved = false;
    return p;
}
