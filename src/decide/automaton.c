#include "decide/automaton.h"

#include <string.h>

#include "base/entry.h"
#include "decide/formula_dfa.h"

void temper_automaton_free(temper_automaton *automaton) {
    if (!automaton) return;
    arena memory = automaton->memory; /* it holds the automaton itself */
    arena_free(&memory);
}

static dfa *copy_dfa(arena *a, const dfa *d) {
    dfa *made = dfa_new(a, d->state_count, d->class_count, d->letter_count);
    made->start = d->start;
    memcpy(made->accepts, d->accepts, d->state_count);
    memcpy(made->next, d->next, (size_t)d->state_count * d->class_count * sizeof *d->next);
    memcpy(made->class_of, d->class_of, d->letter_count * sizeof *d->class_of);
    return made;
}

/* In a minimal automaton at most one state accepts nothing, and no letter leaves it. */
static uint32_t find_dead(const dfa *d) {
    for (uint32_t s = 0; s < d->state_count; s++) {
        bool stays = !d->accepts[s];
        for (uint32_t c = 0; stays && c < d->class_count; c++) stays = dfa_next(d, s, c) == s;
        if (stays) return s;
    }
    return UINT32_MAX;
}

/* Words of witnesses are copied with the rest of their verdict. */
static void keep_words(word_part *p, arena *a) {
    uint32_t *kept = arena_alloc(a, p->length, sizeof *kept);
    if (p->length) memcpy(kept, p->word, p->length * sizeof *kept);
    p->word = kept;
}

static void keep_verdict(class_verdict *v, arena *a) {
    for (size_t k = 0; k < v->accepted.count; k++) keep_words(&v->accepted.parts[k], a);
    for (size_t k = 0; k < v->rejected.count; k++) keep_words(&v->rejected.parts[k], a);
    for (size_t k = 0; k < v->generator_count; k++) keep_words(&v->generators[k], a);
}

typedef struct make_call {
    temper_automaton **out;
    const temper_spec *spec;
} make_call;

static void free_automaton(void *automaton) { temper_automaton_free(automaton); }

static void make(entry *e, void *context) {
    const make_call *c = context;
    const dfa *d = spec_dfa(&e->memory, c->spec, NULL);
    arena memory;
    arena_init(&memory, e->trap);
    temper_automaton *m = arena_zalloc(&memory, 1, sizeof *m);
    m->memory = memory;
    entry_on_failure(e, free_automaton, m);
    m->d = copy_dfa(&m->memory, d);
    alphabet_copy(&m->letters, &m->memory, &c->spec->letters);
    m->dead = find_dead(m->d);
    dfa_classify(m->verdicts, m->d, &e->scratch);
    for (int k = 0; k < LANGUAGE_CLASSES; k++) keep_verdict(&m->verdicts[k], &m->memory);
    for (int k = 0; k < LANGUAGE_CLASSES; k++) m->because[k] = verdict_words(m, (language_class)k);
    m->memory.trap = NULL;
    *c->out = m;
}

temper_status temper_automaton_make(temper_automaton **out, const temper_spec *spec, temper_error *err) {
    make_call call = {out, spec};
    *out = NULL;
    return entry_run(err, make, &call);
}

temper_automaton_info temper_automaton_about(const temper_automaton *automaton) {
    const dfa *d = automaton->d;
    return (temper_automaton_info){.states = d->state_count,
                                   .letters = d->letter_count,
                                   .classes = d->class_count,
                                   .dead = automaton->dead == UINT32_MAX ? SIZE_MAX : automaton->dead};
}

size_t temper_automaton_next(const temper_automaton *automaton, size_t state, size_t letter) {
    const dfa *d = automaton->d;
    if (state >= d->state_count || letter >= d->letter_count) return SIZE_MAX;
    return dfa_next(d, (uint32_t)state, d->class_of[letter]);
}

int temper_automaton_accepts(const temper_automaton *automaton, size_t state) {
    return state < automaton->d->state_count && automaton->d->accepts[state];
}

temper_status temper_automaton_place(temper_language_place *out, const temper_automaton *automaton,
                                     temper_language_class which, temper_error *err) {
    static const int holds[] = {[CLASS_NO] = 0, [CLASS_YES] = 1, [CLASS_UNKNOWN] = -1};
    memset(out, 0, sizeof *out);
    if ((unsigned)which >= LANGUAGE_CLASSES)
        return error_write(err, TEMPER_RANGE, 0, 0, NULL, "there is no class of languages number %d", (int)which);
    *out = (temper_language_place){.name = language_class_name((language_class)which),
                                   .holds = holds[automaton->verdicts[which].answer],
                                   .because = automaton->because[which]};
    return TEMPER_OK;
}

typedef struct print_call {
    char **out;
    const temper_automaton *automaton;
    temper_automaton_format format;
} print_call;

static void print(entry *e, void *context) {
    const print_call *c = context;
    text printed;
    if (c->format > TEMPER_AUTOMATON_DOT)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "there is no form of automata number %d", (int)c->format);
    text_init(&printed, &e->scratch);
    automaton_print(&printed, c->automaton, c->format);
    *c->out = entry_hand_out(e, text_string(&printed), printed.length);
}

temper_status temper_automaton_print(char **out, const temper_automaton *automaton, temper_automaton_format format,
                                     temper_error *err) {
    print_call call = {out, automaton, format};
    *out = NULL;
    return entry_run(err, print, &call);
}
