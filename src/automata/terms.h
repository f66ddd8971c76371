/* Languages as terms whose derivatives are terms again (Brzozowski 1964). Equal terms are one: alternatives and
   conjunctions are sorted and without duplicates, so that a term has finitely many derivatives. */
#ifndef AUTOMATA_TERMS_H
#define AUTOMATA_TERMS_H

#include "base/table.h"

typedef uint32_t term_id;

enum { TERM_NONE, TERM_EMPTY, TERM_ALL }; /* the first three terms: no word, the empty word, all words */

typedef enum term_op {
    TERM_OP_ATOM,
    TERM_OP_SET,
    TERM_OP_JOIN,
    TERM_OP_STAR,
    TERM_OP_NOT,
    TERM_OP_OR,
    TERM_OP_AND,
    TERM_OP_TEST
} term_op;

typedef struct term {
    term_op op;
    uint32_t first, second; /* JOIN: two terms; STAR, NOT: one; SET: a set; OR, AND: kids [first, first + second);
                               TEST: 2 * look, + 1 if it must fail */
    uint32_t *derivatives;  /* [classes], UINT32_MAX: not known; NULL: none is */
    uint64_t looks;         /* bit look % 64 of all looks in it and in their bodies; 0: it has no TEST */
    bool has_empty;         /* the empty word is in the language; with tests: whatever they say */
    bool inverted;          /* a TEST stands under a NOT: more that holds need not mean more words */
} term;

/* Look-around: a TEST is the empty word where the body matches what follows, or ends here. A term with tests is a
   language of words with the truth of all looks before, between and behind their letters (guarded words). */
typedef struct term_look {
    term_id body;
    bool behind;
} term_look;

typedef struct terms {
    arena *arena;
    uint32_t classes, words; /* letter classes, and 64-bit words of a set of them */
    term *all;
    size_t count, capacity;
    term_id *kids;
    size_t kid_count, kid_capacity;
    uint64_t *sets; /* [set][words] */
    size_t set_count, set_capacity;
    table index, set_index;
    term_look *looks; /* those inside the body of one come before it */
    size_t look_count, look_capacity;
    term_id *list, *stack; /* work space */
    size_t list_count, list_capacity, stack_count, stack_capacity;
    size_t work, most_work; /* raises TEMPER_LIMIT when it is used up */
    size_t line, column;    /* of the text, for that error */
} terms;

void terms_init(terms *t, arena *a, uint32_t classes, size_t most_work);

term_id term_set(terms *t, const uint64_t *bits); /* one letter of these classes */
term_id term_join(terms *t, term_id first, term_id second);
term_id term_star(terms *t, term_id x);
term_id term_not(terms *t, term_id x);
term_id term_nary(terms *t, bool is_or, const term_id *kids, size_t count);
term_id term_repeat(terms *t, term_id x, uint32_t least, uint32_t most); /* most UINT32_MAX: without end */

term_id term_test(terms *t, term_id body, bool behind, bool negated);

/* Raises TEMPER_LIMIT when there is too much of it. */
void terms_spend(terms *t, size_t work);
/* Raises it for more than `most` states. */
_Noreturn void terms_too_many(const terms *t, size_t most);

/* Without tests: the words w such that a letter of the class, then w, is in the language of x. */
term_id term_derive(terms *t, term_id x, uint32_t class);

/* Whether x is y with more conjuncts, so that x | y is y. */
bool term_is_within(const terms *t, term_id x, term_id y);

/* Alternatives without those that are within others. */
term_id term_any(terms *t, arena *scratch, const term_id *given, size_t given_count);
term_id term_either(terms *t, arena *scratch, term_id x, term_id y);
/* x & y. Alternatives with tests are taken apart, so that guards which come again and again stay one conjunct, and
   derivatives are finitely many. */
term_id term_together(terms *t, arena *scratch, term_id x, term_id y);

#endif
