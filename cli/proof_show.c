#include "proof_show.h"

#include "message.h"

bool proof_find(temper_proof *out, session *s, const temper_model *model, temper_type type) {
    temper_error err;
    if (temper_model_proof(out, model, type, is_given(s, OPT_HARD), &err) == TEMPER_OK) return true;
    message_error(s, &err, NULL, NULL, 0);
    return false;
}

void proof_json_members(json *j, const temper_proof *p, temper_type type) {
    json_text(j, "type", temper_type_name(type));
    if (p->claim == TEMPER_CLAIM_NONE)
        json_null(j, "length");
    else
        json_count(j, "length", p->length);
    json_text(j, "claim", temper_claim_name(p->claim));
    if (p->claim != TEMPER_CLAIM_NONE && !p->every_position) json_flag(j, "verdict_only", true);
}

void proof_json(json *j, const char *key, const temper_proof *p, temper_type type) {
    json_begin(j, key, '{');
    proof_json_members(j, p, type);
    json_end(j, '}');
}

const char *proof_length(char out[24], size_t length) {
    if (length == TEMPER_LONGEST) return "2^40";
    snprintf(out, 24, "%zu", length);
    return out;
}

void proof_print(const temper_proof *p, temper_type type) {
    char length[24];
    if (p->claim == TEMPER_CLAIM_NONE)
        printf("no proved length in %s", temper_type_name(type));
    else
        printf("proved length %s in %s (%s%s)", proof_length(length, p->length), temper_type_name(type),
               temper_claim_name(p->claim), p->every_position ? "" : ", the verdict only");
}

void proof_need(session *s, size_t proved, const char *row) {
    size_t least = (size_t)s->opt.value[OPT_MIN_LENGTH].number;
    if (proved >= least) return;
    session_fail(s, EXIT_NO);
    if (!s->quiet)
        message_warning(s, "%s is proved for %zu letters, fewer than --min-length %zu", row, proved, least);
}
