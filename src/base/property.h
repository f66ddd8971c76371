/* Properties of characters, as Unicode 15.0 has them, by name. Case, blanks, - and _ in names do not matter. */
#ifndef BASE_PROPERTY_H
#define BASE_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum property_kind {
    PROPERTY_NONE,
    PROPERTY_CATEGORY,   /* Lu, L, Letter, Any */
    PROPERTY_SCRIPT,     /* Greek, Grek */
    PROPERTY_EXTENSIONS, /* the same names, of Script_Extensions */
    PROPERTY_BINARY,     /* Alphabetic, Emoji; Xan, Xsp, Xps, Xwd and Xuc of PCRE2 */
    PROPERTY_BIDI,       /* L, AL, Arabic_Letter */
    PROPERTY_CLASS,      /* alpha, word: named classes of Unicode, those of PCRE2 */
    PROPERTY_BREAK       /* Extend, LV; Pictographic: Extended_Pictographic */
} property_kind;

typedef struct property {
    property_kind kind;
    uint32_t categories; /* CATEGORY: a bit each */
    uint32_t line;       /* others: where its line begins */
} property;

/* False: there is none. */
bool property_find(property *out, property_kind kind, const char *name, size_t length);

bool property_has(const property *p, uint32_t code);

/* Steps that property_has takes at most, about. */
size_t property_cost(const property *p);

/* The name of some kind that looks most like this one, and its length; NULL: none does. */
const char *property_near(size_t *near_length, const char *name, size_t length);

/* Of a name and of a name that is written with blanks, - and _ or in other cases. */
bool property_same_name(const char *x, size_t m, const char *y, size_t n);

#endif
