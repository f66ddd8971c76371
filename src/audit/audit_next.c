/* Language models: the automaton of the source's language, that of each output, and the tables of the certificate
   (doc/certificate.md, "Language models"). */
#include <string.h>

#include "audit/audit.h"
#include "audit/audit_source_meaning.h"

static void release_spec(void *spec) { temper_spec_free(spec); }

/* By the source alone: the automaton of its language. */
static const automaton *source_automaton(const audit *a, const temper_spec *source) {
    const formula *f = &source->graph;
    const unsigned char *marks = formula_reachable(f, source->root, a->arena);
    const automaton **languages = arena_zalloc(a->arena, f->language_count, sizeof *languages);
    for (node_id id = 1; id <= source->root; id++) {
        const formula_node *n = formula_at(f, id);
        if (marks[id] && n->op == OP_MATCHES && !languages[n->set])
            languages[n->set] = audit_language_automaton(a, &f->languages[n->set]);
    }
    return language_automaton(source, source->at == TEMPER_AT_FIRST, source->accepts_empty, languages, a->arena);
}

/* States from which a word is accepted. */
static unsigned char *find_alive(const automaton *x, arena *a) {
    unsigned char *alive = arena_zalloc(a, x->states, 1);
    bool grown;
    memcpy(alive, x->accepts, x->states);
    do {
        grown = false;
        for (size_t k = 0; k < (size_t)x->states * x->classes; k++)
            if (alive[x->next[k]] && !alive[k / x->classes]) alive[k / x->classes] = 1, grown = true;
    } while (grown);
    return alive;
}

static const automaton *letter_automaton(const automaton *x, const unsigned char *alive, uint32_t class,
                                         size_t letters, arena *a) {
    automaton of = *x;
    of.accepts = arena_alloc(a, x->states, 1);
    for (uint32_t q = 0; q < x->states; q++) of.accepts[q] = alive[x->next[(size_t)q * x->classes + class]];
    return automaton_least(a, &of, letters);
}

static void check_table(audit *a, size_t output, const language_claim *claim) {
    audited_output *x = &a->outputs[output];
    temper_spec *spec =
        audit_read_spec(a, claim->formula, TEMPER_SYNTAX_SPEC, TEMPER_KIND_ACCEPTOR, "the formula of an output");
    arena_on_release(a->arena, release_spec, spec);
    language_table *t = arena_zalloc(a->arena, 1, sizeof *t);
    language_begin(t, spec, x->automaton, false, a->arena);
    language_read_rows(t, claim->rows, claim->row_count);
    language_check(t);
    x->table = t;
    x->meaning = source_meanings(&a->meaning, spec, NULL, a->arena)[spec->root];
}

void audit_next(audit *a, const temper_spec *source, const audit_request *request) {
    size_t letters = a->model->letters.count;
    const automaton *language = source_automaton(a, source);
    const unsigned char *alive = find_alive(language, a->arena);
    const automaton **of_class = arena_zalloc(a->arena, language->classes, sizeof *of_class);
    for (size_t k = 0; k <= letters; k++) {
        audited_output *x = &a->outputs[k];
        const language_claim *claim = &request->outputs[k];
        const automaton **shared = k < letters ? &of_class[language->class_of[k]] : NULL;
        if (!claim->formula) audit_refuse(a, 0, 0, "output %zu has no formula", k + 1);
        if (shared && !*shared) *shared = letter_automaton(language, alive, language->class_of[k], letters, a->arena);
        x->automaton = shared ? *shared : language;
        x->empty = x->automaton->accepts[0];
        x->formula = claim->formula;
        /* Letters that nothing tells apart have one table. If the claim has another one, comparing finds it. */
        for (size_t j = 0; j < k && !x->table; j++)
            if (a->outputs[j].automaton == x->automaton && strcmp(a->outputs[j].formula, claim->formula) == 0)
                *x = a->outputs[j];
        if (!x->table) check_table(a, k, claim);
    }
    audit_scores(a, source, language, alive, request);
}
