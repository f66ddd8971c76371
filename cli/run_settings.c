#include "run_settings.h"

temper_run_options run_settings(const session *s) {
    enum { DENSE = 2 }; /* choices as numbered in the table, 0: not given */
    uint64_t type = s->opt.value[OPT_TYPE].number;
    return (temper_run_options){.hard = is_given(s, OPT_HARD),
                                .unchecked = is_given(s, OPT_UNCHECKED) || is_given(s, OPT_SCALE),
                                .type = type ? (temper_type)(type - 1) : TEMPER_TYPE_F64,
                                .dense = s->opt.value[OPT_PLAN].number == DENSE,
                                .threads = (unsigned)s->opt.value[OPT_THREADS].number};
}

void warn_unproved(session *s, const temper_model *model, const temper_proof *p, size_t n) {
    const char *type = temper_type_name(run_settings(s).type);
    if (temper_model_about(model).rescaled)
        message_warning(s, "the softmax scales are those of --scale: nothing is proved of the answers");
    else if (p->claim == TEMPER_CLAIM_NONE)
        message_warning(s, "no length is proved in %s (%s): answers are unproved", type, p->obstacle);
    else if (n <= p->length)
        message_warning(s, "with --unchecked no proof of hard choices is looked for: answers are unproved");
    else
        message_warning(s, "length %zu is beyond the proved length %zu in %s (%s): answers there are unproved", n,
                        p->length, type, p->obstacle);
}

void warn_of_choices(session *s) {
    message_warning(s, "proved are only the model's own hard choices, not the specification that it carries");
}
