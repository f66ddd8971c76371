/* One character of a regular expression, perhaps escaped. */
#ifndef AUTOMATA_SYMBOL_CHARACTER_H
#define AUTOMATA_SYMBOL_CHARACTER_H

#include "automata/symbols.h"

_Noreturn void symbol_refuse(const symbol_reader *r, size_t column, const char *hint, const char *message);

/* The character that stands here; classes have been looked for. 0: NUL, which only a range may begin with. */
uint32_t symbol_character(symbol_reader *r);

/* Raises TEMPER_SYNTAX for what ends a line. */
void symbol_need_line(const symbol_reader *r, uint32_t code);

#endif
