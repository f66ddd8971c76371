/* The three front ends. Each fills graph, root, letters (and header lines' settings) of a spec whose memory and
   options are ready; spec.c (temper_spec_parse) does what is common: options, alphabet, where to read, the empty
   string. */
#ifndef LOGIC_SPEC_PARSE_H
#define LOGIC_SPEC_PARSE_H

#include "logic/formula.h"

/* The line `regex R` or `dfa FILE`, kept until all settings are known. */
typedef struct spec_language_line {
    bool is_said, is_file;
    const char *text; /* the expression, or the path */
    size_t length, line, column;
    size_t begin, end; /* the line's bytes in the source */
} spec_language_line;

/* A piece of the source that is replaced in what the specification keeps: a file that is named becomes its
   content. */
typedef struct spec_splice {
    size_t begin, end; /* in order, not overlapping */
    const char *text;
    size_t length;
} spec_splice;

/* The line `other LETTER`, or the option, kept until the alphabet is known. */
typedef struct spec_other_line {
    const char *letter; /* NULL: not said */
    size_t length, line, column;
} spec_other_line;

/* Settings of header lines (alphabet, at, empty, tokens, other) as they are met. What the caller's options fix is
   already set and is not changed by lines of the text. */
typedef struct spec_header {
    bool alphabet_given; /* the alphabet is closed: another letter in the formula is an error */
    temper_at at;        /* TEMPER_AT_DEFAULT: not said */
    temper_empty empty;
    bool tokens;
    bool alphabet_fixed, at_fixed, empty_fixed, tokens_fixed; /* by the options */
    const char *alphabet_option;                              /* not yet read: it waits for a `tokens` line */
    bool alphabet_said, at_said, empty_said, tokens_said;     /* by a line */
    const char *const *letter_option;                         /* likewise */
    size_t letter_option_count;
    bool ascii_option;
    spec_other_line other;
    bool other_fixed, other_said; /* by the options, by a line */
    const char *folder;
    spec_language_line language;
    temper_kind kind; /* of the options, or of the line `next` or `transduce` */
    bool kind_said;   /* by a line */
    spec_splice *splices;
    size_t splice_count, splice_capacity;
} spec_header;

void spec_parse_formula(temper_spec *s, spec_header *h, arena *scratch); /* parse.c */
void spec_parse_crasp(temper_spec *s, spec_header *h);                   /* crasp.c */
void spec_parse_brasp(temper_spec *s, spec_header *h);                   /* brasp.c */
void spec_parse_language(temper_spec *s, spec_header *h);                /* spec_language.c: REGEX and DFA */

/* header.c: reads one header line if there is one at z (`alphabet a b`, `at first`, `empty accept`, `tokens yes`,
   `other x`); shared by the three syntaxes. Call it at the start of the text until it says false; z is then at the
   first line that is no header line. */
struct tokenizer;
bool spec_header_line(temper_spec *s, spec_header *h, struct tokenizer *z);

/* spec_outputs.c: adds a splice, in the order of their places. */
void spec_splice_add(spec_header *h, spec_splice x, arena *scratch);

/* spec_outputs.c: the rest of a line `probabilities`, whose word has been read. */
void spec_probabilities_line(temper_spec *s, spec_header *h, struct tokenizer *z, size_t line, size_t column);

/* spec_outputs.c: what a kind allows of header lines and options; then each output as an acceptor, once outputs,
   letters and languages are final. An output is read at the last position of a prefix. */
void spec_check_kind(temper_spec *s, const spec_header *h);
void spec_make_views(temper_spec *s);

/* Once all letters are named: finds the letter that others are read as. It joins an alphabet that is not stated. */
void spec_set_other(temper_spec *s, const spec_header *h);

/* Reads the caller's alphabet, once nothing can change any more whether letters are words. */
void spec_read_options(temper_spec *s, spec_header *h);

/* spec_language.c: the MATCHES node of a regular expression, of a table (bytes[0] is its brace; *used bytes of it),
   or of a file with a table. The letters that it names join the alphabet, or must be in it. */
node_id spec_regex(temper_spec *s, spec_header *h, const char *bytes, size_t length, size_t line, size_t column);
node_id spec_table(temper_spec *s, spec_header *h, const char *bytes, size_t length, size_t *used, size_t line,
                   size_t column);
node_id spec_table_file(temper_spec *s, spec_header *h, const char *path, size_t line, size_t column,
                        const char **content, arena *scratch);

/* requires the final alphabet; fills the automata of all languages */
void spec_build_languages(temper_spec *s, arena *scratch);

/* Whether the languages alone decide about the empty string: the root is a Boolean combination of them. */
bool spec_empty_from_languages(const temper_spec *s, bool *accepts, arena *scratch);

/* A word that begins a header line: alphabet, at, empty, tokens. */
bool spec_is_header_word(const char *word, size_t length);

/* The number of a letter; the rest as spec_letter. */
uint32_t spec_letter_number(temper_spec *s, const spec_header *h, const char *letter, size_t length, size_t line,
                            size_t column);

/* The LETTERS node of one letter, adding the letter to the alphabet or refusing it if the alphabet is closed. */
node_id spec_letter(temper_spec *s, const spec_header *h, const char *letter, size_t length, size_t line,
                    size_t column);

#endif
