/* The connectives, one line each: OPERATOR(name, spelling, kids, direction, binding, kind, all, beyond)
   kids: number of operands, -1 for any number; direction: where the operator itself looks, n(owhere), b(ack),
   f(orward); binding: how tightly the printer must treat it (larger binds tighter), as in doc/language.md:
   8 atoms, 6 unary, 5 binary temporal, 4 and, 3 xor, 2 or, 1 implies, 0 iff; 7 comparisons; kind, all, beyond: what
   the operator is to all who compute with formulas (logic/core.h). */
#ifndef OPERATOR
#error "define OPERATOR(name, spelling, kids, direction, binding) first"
#endif

/* atoms */
OPERATOR(TRUE, "true", 0, 'n', 8, CONSTANT, 1, 0)
OPERATOR(FALSE, "false", 0, 'n', 8, CONSTANT, 0, 0)
OPERATOR(FIRST, "first", 0, 'b', 8, EDGE, 0, 1)
OPERATOR(LAST, "last", 0, 'f', 8, EDGE, 0, 1)
OPERATOR(LETTERS, "", 0, 'n', 8, LETTERS, 0, 0) /* the letter here is one of a set */
/* Boolean */
OPERATOR(NOT, "!", 1, 'n', 6, NOT, 0, 0)
OPERATOR(AND, "&", -1, 'n', 4, GATE, 1, 0)
OPERATOR(OR, "|", -1, 'n', 2, GATE, 0, 0)
OPERATOR(XOR, "^", 2, 'n', 3, XOR, 0, 0)
OPERATOR(IMPLIES, "->", 2, 'n', 1, IMPLIES, 0, 0)
OPERATOR(IFF, "<->", 2, 'n', 0, XOR, 1, 0)
/* future */
OPERATOR(NEXT, "X", 1, 'f', 6, STEP, 0, 0)
OPERATOR(WEAK_NEXT, "wX", 1, 'f', 6, STEP, 0, 1)
OPERATOR(EVENTUALLY, "F", 1, 'f', 6, RANGE, 0, 0)
OPERATOR(ALWAYS, "G", 1, 'f', 6, RANGE, 1, 1)
OPERATOR(UNTIL, "U", 2, 'f', 5, SINCE, 0, 0)
OPERATOR(RELEASE, "R", 2, 'f', 5, SINCE, 1, 1)
OPERATOR(WEAK_UNTIL, "W", 2, 'f', 5, SINCE, 0, 1)
OPERATOR(STRONG_RELEASE, "M", 2, 'f', 5, SINCE, 1, 0)
/* past */
OPERATOR(YESTERDAY, "Y", 1, 'b', 6, STEP, 0, 0)
OPERATOR(WEAK_YESTERDAY, "Z", 1, 'b', 6, STEP, 0, 1)
OPERATOR(ONCE, "O", 1, 'b', 6, RANGE, 0, 0)
OPERATOR(HISTORICALLY, "H", 1, 'b', 6, RANGE, 1, 1)
OPERATOR(SINCE, "S", 2, 'b', 5, SINCE, 0, 0)
OPERATOR(TRIGGERED, "T", 2, 'b', 5, SINCE, 1, 1)
/* counting: COUNT_* are numbers, used only as terms of COMPARE and MODULO */
OPERATOR(COUNT_PAST, "#", 1, 'b', 8, COUNT, 0, 0)
OPERATOR(COUNT_FUTURE, "#>", 1, 'f', 8, COUNT, 0, 0)
OPERATOR(COMPARE, "", -1, 'n', 7, COMPARE, 0, 0) /* sum of weighted counts + constant, compared with 0 */
OPERATOR(MODULO, "", -1, 'n', 7, MODULO, 0,
         0) /* (sum of weighted counts + constant) mod m, compared with a constant */
/* the truth of kid 0 at the position whose number is the sum of the weighted counts, kids 1 and on, + constant; false
   where there is no such position. Its direction depends on the sum (logic/place.h). */
OPERATOR(AT, "@", -1, 'n', 7, AT, 0, 0)
/* attention: the value of kid 1 at the chosen j of the mask where kid 0 holds; false if there is none. It comes from
   B-RASP files and from simplify; its direction depends on the mask. */
OPERATOR(ATTEND, "", 2, 'n', 8, ATTEND, 0, 0)
/* the value at the chosen j of the mask whose pattern is that of i; false if there is none (logic/match.h). Kids:
   for each condition what must hold at j iff the next one holds at i; the value; then the same in other operators */
OPERATOR(MATCH, "", -1, 'n', 8, MATCH, 0, 0)
/* the letters up to here are a word of a regular language; the letters from here to the end are one. The second is in
   no text: it is what a model means whose language is read from the right (formula.h, spec_from_right). */
OPERATOR(MATCHES, "", 0, 'b', 8, LANGUAGE, 0, 0)
OPERATOR(MATCHES_REST, "", 0, 'f', 8, LANGUAGE, 0, 0)
