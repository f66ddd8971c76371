/* The three front ends. Each fills graph, root, letters (and header lines' settings) of a spec whose memory and
   options are ready; spec.c (temper_spec_parse) does what is common: options, alphabet, where to read, the empty
   string. */
#ifndef LOGIC_SPEC_PARSE_H
#define LOGIC_SPEC_PARSE_H

#include "logic/formula.h"

/* Settings of header lines (alphabet, at, empty, tokens) as they are met. What the caller's options fix is already
   set and is not changed by lines of the text. */
typedef struct spec_header {
    bool alphabet_given; /* the alphabet is closed: another letter in the formula is an error */
    temper_at at;        /* TEMPER_AT_DEFAULT: not said */
    temper_empty empty;
    bool tokens;
    bool alphabet_fixed, at_fixed, empty_fixed, tokens_fixed; /* by the options */
    const char *alphabet_option;                              /* not yet read: it waits for a `tokens` line */
    bool alphabet_said, at_said, empty_said, tokens_said;     /* by a line */
} spec_header;

void spec_parse_formula(temper_spec *s, spec_header *h, arena *scratch); /* parse.c */
void spec_parse_crasp(temper_spec *s, spec_header *h);                   /* crasp.c */
void spec_parse_brasp(temper_spec *s, spec_header *h);                   /* brasp.c */

/* header.c: reads one header line if there is one at z (`alphabet a b`, `at first`, `empty accept`, `tokens yes`);
   shared by the three syntaxes. Call it at the start of the text until it says false; z is then at the first line
   that is no header line. */
struct tokenizer;
bool spec_header_line(temper_spec *s, spec_header *h, struct tokenizer *z);

/* A word that begins a header line: alphabet, at, empty, tokens. */
bool spec_is_header_word(const char *word, size_t length);

/* The number of a letter; the rest as spec_letter. */
uint32_t spec_letter_number(temper_spec *s, const spec_header *h, const char *letter, size_t length, size_t line,
                            size_t column);

/* The LETTERS node of one letter, adding the letter to the alphabet or refusing it if the alphabet is closed. */
node_id spec_letter(temper_spec *s, const spec_header *h, const char *letter, size_t length, size_t line,
                    size_t column);

#endif
