/* The regular languages of a source: the certificate's formulas for them are shown to be them, and mean them from
   then on. */
#include "audit/audit.h"
#include "audit/audit_operator.h"
#include "audit/audit_source_meaning.h"

static void release_spec(void *spec) { temper_spec_free(spec); }

/* Which languages the answer depends on. */
static bool *languages_in_use(const audit *a, const temper_spec *source, size_t *count) {
    const formula *f = &source->graph;
    const unsigned char *marks = spec_outputs_reachable(source, a->arena);
    bool *used = arena_zalloc(a->arena, f->language_count, sizeof *used);
    *count = 0;
    for (node_id id = 1; id < f->count; id++) {
        const formula_node *n = formula_at(f, id);
        if (!marks[id] || n->op != OP_MATCHES) continue;
        *count += !used[n->set];
        used[n->set] = true;
    }
    return used;
}

const automaton *audit_language_automaton(const audit *a, const formula_language *l) {
    bool from_right = audit_reads_from_right(a->model);
    const alphabet *letters = &a->model->letters;
    if (l->kind == LANGUAGE_REGEX)
        return automaton_from_regex(a->arena, audit_regex_read(a->arena, l->source, l->source_length, letters),
                                    from_right);
    const automaton *x = automaton_from_table(a->arena, l->source, l->source_length, letters);
    return from_right ? automaton_reversed(a->arena, x, letters->count) : x;
}

/* A Boolean combination of languages says itself whether the empty string is in it. */
static void check_empty(const audit *a, const temper_spec *source, const automaton *const *of) {
    enum { NO, YES, OPEN };
    const formula *f = &source->graph;
    unsigned char *truth = arena_alloc(a->arena, (size_t)source->root + 1, sizeof *truth);
    if (source->at != TEMPER_AT_LAST || source->kind != TEMPER_KIND_ACCEPTOR) return;
    for (node_id id = 1; id <= source->root; id++) {
        const formula_node *n = formula_at(f, id);
        size_t yes = 0, open = 0;
        for (size_t k = 0; k < n->kid_count; k++) {
            yes += truth[formula_kid(f, id, k)] == YES;
            open += truth[formula_kid(f, id, k)] == OPEN;
        }
        truth[id] = OPEN;
        if (n->op == OP_MATCHES && of[n->set]) truth[id] = of[n->set]->accepts[0];
        if (!n->kid_count || open) continue;
        bool x = truth[formula_kid(f, id, 0)], y = truth[formula_kid(f, id, n->kid_count - 1)];
        switch (audit_operator_of(n->op).reading) {
        case READS_NOT: truth[id] = !x; break;
        case READS_AND: truth[id] = yes == n->kid_count; break;
        case READS_OR: truth[id] = yes > 0; break;
        case READS_XOR: truth[id] = x != y; break;
        case READS_IFF: truth[id] = x == y; break;
        case READS_IMPLIES: truth[id] = !x || y; break;
        default: break;
        }
    }
    if (truth[source->root] != OPEN && truth[source->root] != a->model->accepts_empty)
        audit_refuse(a, 0, 0, "the language itself gives the empty string another answer");
}

static dd meaning_of(audit *a, audited_language *l, bool from_right, const language_claim *claim) {
    if (!claim->formula) audit_refuse(a, 0, 0, "a language of the certificate has no formula");
    temper_spec *spec = audit_read_spec(a, claim->formula, TEMPER_SYNTAX_SPEC, TEMPER_KIND_ACCEPTOR,
                                        "the formula of a regular language");
    arena_on_release(a->arena, release_spec, spec);
    l->formula = claim->formula;
    language_begin(&l->table, spec, l->automaton, from_right, a->arena);
    language_read_rows(&l->table, claim->rows, claim->row_count);
    language_check(&l->table);
    return source_meanings(&a->meaning, spec, NULL, a->arena)[spec->root];
}

const dd *audit_languages(audit *a, const temper_spec *source, const audit_request *request) {
    const formula *f = &source->graph;
    size_t count, done = 0;
    const bool *used = languages_in_use(a, source, &count);
    if (!count) return NULL; /* a list of languages is then a member too many, which comparing finds */
    if (a->read_off) audit_refuse(a, 0, 0, "the formula that was read off names a regular language");
    if (request->language_count != count)
        audit_refuse(a, 0, 0, "the source names %zu regular languages, the certificate %zu", count,
                     request->language_count);
    a->languages = arena_zalloc(a->arena, count, sizeof *a->languages);
    dd *meanings = arena_zalloc(a->arena, f->language_count, sizeof *meanings);
    const automaton **automata = arena_zalloc(a->arena, f->language_count, sizeof *automata);
    for (size_t k = 0; k < f->language_count; k++) {
        if (!used[k]) continue;
        audited_language *l = &a->languages[done];
        l->language = &f->languages[k];
        l->automaton = automata[k] = audit_language_automaton(a, l->language);
        meanings[k] = meaning_of(a, l, audit_reads_from_right(a->model), &request->languages[done++]);
    }
    a->language_count = count;
    check_empty(a, source, automata);
    return meanings;
}
