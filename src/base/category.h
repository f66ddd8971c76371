/* General categories of characters, as Unicode 15 has them: Lu, Nd, Po ..., and their groups: L, N, P ... */
#ifndef BASE_CATEGORY_H
#define BASE_CATEGORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The category of a character, one bit. */
uint32_t category_of(uint32_t code);

/* The categories of a name: Lu, L, L&, Letter, uppercase_letter, Any, Assigned; case, blanks, - and _ do not matter.
   0: it is none. */
uint32_t category_named(const char *name, size_t length);

/* Whether one of the long names passes the test. */
bool category_names(bool (*test)(void *context, const char *name, size_t length), void *context);

#endif
