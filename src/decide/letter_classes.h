/* Letters that a formula does not tell apart. */
#ifndef DECIDE_LETTER_CLASSES_H
#define DECIDE_LETTER_CLASSES_H

#include "automata/dfa.h"
#include "logic/formula.h"

/* class_of[letter] for letters below `letters`: equal iff no node below root tells the two letters apart at a
   position. Classes are numbered by their first letters; *count of them. TEMPER_LIMIT: too many letters and sets. */
uint32_t *formula_letter_classes(uint32_t *count, const formula *f, node_id root, uint32_t letters, arena *a);

/* The least letter of each class. */
uint32_t *class_first_letters(const uint32_t *class_of, uint32_t classes, uint32_t letters, arena *a);

#endif
