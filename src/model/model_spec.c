/* The specification that a model carries, read again with the model's settings. */
#include "model/model_spec.h"

#include <string.h>

#include "base/entry.h"
#include "logic/formula.h"

static void release_spec(void *spec) { temper_spec_free(spec); }

bool model_is_from_right(const temper_model *m) {
    return m->kind == TEMPER_KIND_ACCEPTOR && m->at == TEMPER_AT_FIRST &&
           (m->syntax == TEMPER_SYNTAX_REGEX || m->syntax == TEMPER_SYNTAX_DFA);
}

void model_need_prefixes(const temper_model *m, trap *t) {
    if (model_is_from_right(m))
        trap_raise_remedy(t, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_PREFIXES,
                          "the model reads its language from the right: it answers for whole strings only");
}

static temper_spec_options options_of(const temper_model *m) {
    return (temper_spec_options){.syntax = m->syntax,
                                 .letters = m->letters.letters,
                                 .letter_count = m->letters.count,
                                 .tokens = m->letters.tokens,
                                 .other = alphabet_other(&m->letters),
                                 .at = model_is_from_right(m) ? TEMPER_AT_LAST : m->at,
                                 .empty = m->accepts_empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT,
                                 .kind = m->kind};
}

static bool has_letters_of(const temper_spec *spec, const temper_model *m) {
    bool same =
        temper_spec_about(spec).letters == m->letters.count && temper_spec_about(spec).tokens == m->letters.tokens;
    for (size_t k = 0; same && k < m->letters.count; k++)
        same = strcmp(temper_spec_letter(spec, k), m->letters.letters[k]) == 0;
    return same;
}

/* Outputs of a language model are made after its text is read, if they are needed. */
static bool has_outputs_of(const temper_spec *spec, const temper_model *m) {
    size_t count = temper_spec_about(spec).outputs;
    if (temper_spec_about(spec).kind != m->kind) return false;
    if (m->kind == TEMPER_KIND_NEXT && !count) return true;
    bool same = count == model_output_count(m);
    for (size_t k = 0; same && k < count; k++)
        same = strcmp(temper_spec_output_name(spec, k), m->output_names[k]) == 0;
    return same;
}

typedef struct spec_call {
    temper_spec **out;
    const temper_model *model;
} spec_call;

/* In the specification's own memory. */
static void turn(temper_spec *s, trap *t, arena *scratch) {
    s->memory.trap = t;
    temper_spec turned = *spec_from_right(s, &s->memory, scratch);
    turned.memory = s->memory;
    turned.memory.trap = NULL;
    *s = turned;
}

/* A model that was changed since it was compiled carries another specification, or none. */
static bool is_shared(const temper_model *m) {
    const temper_spec *s = m->spec;
    return s && s->source_length == strlen(m->source) && memcmp(s->source, m->source, s->source_length) == 0 &&
           s->at == m->at && s->accepts_empty == m->accepts_empty && s->kind == m->kind && has_letters_of(s, m);
}

static void read_spec(entry *e, void *context) {
    const spec_call *c = context;
    const temper_model *m = c->model;
    temper_spec_options o = options_of(m);
    temper_spec *spec;
    temper_error error;
    if (is_shared(m)) {
        *c->out = spec_share(m->spec);
        return;
    }
    if (!*m->source) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the model carries no specification");
    if (temper_spec_parse(&spec, m->source, strlen(m->source), &o, &error) != TEMPER_OK)
        trap_reraise(e->trap, &error);
    entry_on_failure(e, release_spec, spec);
    if (!has_letters_of(spec, m))
        trap_raise(e->trap, TEMPER_FORMAT, 0, 0,
                   "the specification that the model carries has other letters than the model");
    if (!has_outputs_of(spec, m))
        trap_raise(e->trap, TEMPER_FORMAT, 0, 0,
                   "the specification that the model carries has other outputs than the model");
    if (model_is_from_right(m)) turn(spec, e->trap, &e->scratch);
    *c->out = spec;
}

temper_status temper_model_spec(temper_spec **out, const temper_model *model, temper_error *err) {
    spec_call call = {out, model};
    *out = NULL;
    return entry_run(err, read_spec, &call);
}

/* A language model's outputs are made behind its text, a language that is read from the right is turned, and files
   that a text names are not named in the model's. */
void model_share_spec(temper_model *m, const temper_spec *spec) {
    bool named = false;
    for (size_t k = 0; k < spec->graph.language_count; k++) named = named || spec->graph.languages[k].file;
    if (m->kind == TEMPER_KIND_NEXT || model_is_from_right(m) || spec->whole || named || m->spec) return;
    m->spec = spec_share(spec);
}

const temper_spec *model_spec(const temper_model *m, arena *a) {
    temper_spec *spec;
    temper_error why;
    if (is_shared(m)) {
        arena_on_release(a, release_spec, spec_share(m->spec));
        return m->spec;
    }
    temper_status status = temper_model_spec(&spec, m, &why);
    if (status == TEMPER_NO_MEMORY) trap_reraise(a->trap, &why);
    if (status != TEMPER_OK) return NULL;
    arena_on_release(a, release_spec, spec);
    return spec;
}
