/* Small models without roles, written by hand: each head with each net, with weights and scales that short formats
   round or cannot hold. */
#ifndef TESTS_WRITTEN_CHOICES_H
#define TESTS_WRITTEN_CHOICES_H

#include <stdbool.h>
#include <stddef.h>

enum { WRITTEN_CHOICE = 3000 };
size_t written_choice_count(void);

/* False: there is none of this number. */
bool written_choice(char out[WRITTEN_CHOICE], size_t k);

#endif
