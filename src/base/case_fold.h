/* Characters that differ by case only: the simple case folding of Unicode 15, whatever the locale. */
#ifndef BASE_CASE_FOLD_H
#define BASE_CASE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CASE_ORBIT = 4 }; /* the most characters that fold to one */

/* All characters that fold to what this one folds to, itself among them: k K and the Kelvin sign; with `ascii` only
   letters of ASCII fold, to each other. Returns how many. */
size_t case_orbit(uint32_t orbit[CASE_ORBIT], uint32_t code, bool ascii);

#endif
