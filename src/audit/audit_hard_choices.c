/* The claim "hard choices" of a model whose heads have roles. What each softmax head means was found from its logits.
   This file asks whether the head's hard choice means the same, on scores without a scale and with soft channels 0:

       once       the candidates have the largest score; all of them have the value 1, so every choice does
       nearest    candidates are equal once the tie-break is 0: the choice must be the side that the tie-break prefers
       match      the same: without the tie-break, candidates and the sentinel have one score, and all others less
       count      all scores are equal, so the choice must be the average
       compare, balance   the sentinel's score is above or below that of all others, which have the value 0, so every
       choice does. The
                  logarithm must be soft: it is no rational number, and could turn the sign
       look-up    one position has the largest score, so every choice does

   Soft channels are 0 in a hard run, so only tie-breaks and logarithms may be soft. */
#include "audit/audit.h"

static void check_head(const audit *a, const audit_head *f) {
    temper_choice choice = f->head->hard_choice;
    if (choice == TEMPER_CHOICE_SOFTMAX) audit_refuse(a, f->layer, f->number, "it stands for no hard choice");
    if (f->kind == KIND_COUNT && choice != TEMPER_CHOICE_AVERAGE)
        audit_refuse(a, f->layer, f->number, "it counts, but its hard choice is no average");
    temper_choice side = f->rightmost ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST;
    if ((f->kind == KIND_NEAREST || f->kind == KIND_MATCH) && choice != side)
        audit_refuse(a, f->layer, f->number, "its hard choice is not the side that its tie-break prefers");
}

static void check_channel(const audit *a, uint32_t channel) {
    const model_channel *x = &a->model->channels[channel];
    if (!x->position) return;
    feature_kind kind = audit_feature_of(x->position).kind;
    bool breaks_ties =
        kind == FEATURE_SHARE || kind == FEATURE_PLACE || kind == FEATURE_CENTRED || kind == FEATURE_DIGIT;
    if (kind == FEATURE_NORMALISER && !x->soft_only)
        audit_refuse(a, 0, 0, "channel %u: a logarithm that is not soft is part of hard choices", channel);
    if (x->soft_only && !breaks_ties && kind != FEATURE_NORMALISER)
        audit_refuse(a, 0, 0, "channel %u is soft, so it is 0 in a hard run, but it is no tie-break", channel);
}

void audit_hard_choices(const audit *a) {
    for (size_t k = 0; k < a->head_count; k++) check_head(a, &a->heads[k]);
    for (uint32_t c = 0; c < a->model->channel_count; c++) check_channel(a, c);
}
