/* Strings of a language with the oracle's answers, and how many of them a model gets wrong; languages that no formula
   has. */
#ifndef LAB_LANGUAGE_SAMPLE_H
#define LAB_LANGUAGE_SAMPLE_H

#include "lab/languages.h"

enum { STRINGS = 32 };

typedef struct sample {
    const uint32_t *letters[STRINGS];
    size_t n[STRINGS], count;
    bool has[STRINGS];
} sample;

/* Members, others, members with a letter changed and needles, by turns; in scratch. */
void sample_make(sample *x, lab *l, const language *g, size_t n, size_t count, arena *scratch);
size_t sample_members(const sample *x);
/* Answers that are not the oracle's; one that cannot be had counts. */
size_t sample_wrong(const sample *x, const temper_model *m, bool hard, lab *l);

/* ---- models of the gallery (languages_outside.c) ---- */

/* The part of a language's cell that is about its hard model of the gallery and soft ones made of it. */
void outside_measure(text *result, lab *l, const language *g, const size_t *lengths, size_t length_count,
                     arena *scratch);
/* Tables, figures and claims; results[k] is where the part of language k begins. */
void outside_report(lab *l, const size_t *lengths, size_t length_count, const lab_table *accuracy,
                    lab_reader *results);

#endif
