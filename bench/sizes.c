/* How large compiled transformers are: layers, heads, units and proved lengths of every formula of
   tests/logic/corpus.c and of the suite of languages (doc/languages.md), one per line, and their sums. doc/sizes.md
   has the sums before and after each change of the compiler.

       make sizes            the table
       make sizes SIZES=-t   the sums only */
#include <stdio.h>
#include <string.h>

#include "lab/languages.h"
#include "temper.h"
#include "corpus.h"

typedef struct totals {
    size_t formulas, layers, heads, units, proved[2];
} totals;

static bool sums_only;

static size_t proved_length(const temper_model *m, temper_type type) {
    temper_proof proof;
    temper_error err;
    if (temper_model_proof(&proof, m, type, 0, &err) != TEMPER_OK) return 0;
    return proof.claim == TEMPER_CLAIM_FORMULA ? proof.length : 0;
}

static void measure(totals *sum, const char *name, const temper_spec *spec) {
    temper_model *m;
    temper_error err;
    temper_build_options options = {.method = TEMPER_METHOD_TEMPERATURE};
    if (temper_build(&m, spec, &options, &err) != TEMPER_OK) {
        if (!sums_only) printf("%-40s %s\n", name, err.text);
        return;
    }
    temper_model_info about = temper_model_about(m);
    size_t f64 = proved_length(m, TEMPER_TYPE_F64), f32 = proved_length(m, TEMPER_TYPE_F32);
    sum->formulas++;
    sum->layers += about.layers;
    sum->heads += about.heads;
    sum->units += about.hidden;
    sum->proved[0] += f64 > 0;
    sum->proved[1] += f32 > 0;
    if (!sums_only)
        printf("%-40s %6zu %6zu %7zu %15zu %12zu\n", name, about.layers, about.heads, about.hidden, f64, f32);
    temper_model_free(m);
}

static void print_totals(const char *name, const totals *t) {
    printf("%-12s %4zu formulas: %5zu layers, %5zu heads, %6zu units; proved %zu in f64, %zu in f32\n", name,
           t->formulas, t->layers, t->heads, t->units, t->proved[0], t->proved[1]);
}

int main(int argc, char **argv) {
    totals corpus = {0}, suite = {0};
    sums_only = argc > 1 && !strcmp(argv[1], "-t");
    if (!sums_only)
        printf("%-40s %6s %6s %7s %15s %12s\n", "formula", "layers", "heads", "units", "proved f64", "f32");
    for (size_t k = 0; k < corpus_size(); k++) {
        temper_spec *spec = corpus_parse(corpus_at(k));
        if (spec) measure(&corpus, corpus_at(k)->name, spec);
        temper_spec_free(spec);
    }
    for (size_t k = 0; k < language_count(); k++) {
        const language *g = &language_suite[k];
        temper_spec_options o = {.alphabet = g->alphabet};
        temper_spec *spec;
        temper_error err;
        if (temper_spec_parse(&spec, g->formula, strlen(g->formula), &o, &err) == TEMPER_OK)
            measure(&suite, g->name, spec);
        temper_spec_free(spec);
    }
    print_totals("corpus", &corpus);
    print_totals("suite", &suite);
    return 0;
}
