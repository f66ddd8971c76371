/* The command line's options: one table that feeds parsing, help, completion and the checks of the man page. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One bit per command. */
enum {
    FOR_EVAL = 1 << 0,
    FOR_RUN = 1 << 1,
    FOR_COMPILE = 1 << 2,
    FOR_EXPLAIN = 1 << 3,
    FOR_CHECK = 1 << 4,
    FOR_SHOW = 1 << 5,
    FOR_HELP = 1 << 6,
    FOR_GAP = 1 << 7,
    FOR_SOFTEN = 1 << 8,
    FOR_GALLERY = 1 << 9,
    FOR_IMPORT = 1 << 10,
    FOR_CERTIFY = 1 << 11,
    FOR_LAB = 1 << 12,
    FOR_AUDIT = 1 << 13,
    FOR_LIMITS = 1 << 14,
    FOR_EXPORT = 1 << 15,
    FOR_AUTOMATON = 1 << 16,
    FOR_NEXT = 1 << 17,
    FOR_SAMPLE = 1 << 18,
    FOR_PERPLEXITY = 1 << 19,
    FOR_EXAMPLES = 1 << 20,
    FOR_COMPLETION = 1 << 21,
    FOR_LANGUAGE_MODEL = FOR_NEXT | FOR_SAMPLE | FOR_PERPLEXITY, /* a text is read as if it had a line next */
    FOR_FORMULA = FOR_EVAL | FOR_RUN | FOR_COMPILE | FOR_EXPLAIN | FOR_CHECK | FOR_SHOW | FOR_GAP | FOR_SOFTEN |
                  FOR_CERTIFY | FOR_LIMITS | FOR_EXPORT | FOR_AUTOMATON | FOR_LANGUAGE_MODEL,
    FOR_MODEL = FOR_LANGUAGE_MODEL | FOR_RUN | FOR_COMPILE | FOR_EXPLAIN | FOR_CHECK | FOR_SHOW | FOR_EXPORT,
    FOR_READING = FOR_EVAL | FOR_RUN | FOR_SHOW | FOR_NEXT | FOR_PERPLEXITY | FOR_COMPILE | FOR_EXPORT, /* --other */
    FOR_ORDINARY = FOR_EXPORT | FOR_CERTIFY | FOR_LIMITS, /* ordinary transformers: --as */
    FOR_JOBS = FOR_CHECK | FOR_LIMITS | FOR_LAB,          /* commands whose work is a job: temper-mpi has them */
    FOR_ALL = -1
};

typedef enum option_kind { KIND_FLAG, KIND_TEXT, KIND_NUMBER, KIND_CHOICE, KIND_LIST } option_kind;

/* X(ID, short letter or 0, long name, kind, argument (choices: "one|two"), default as shown or "", least, most,
     commands, help; NULL: not shown). Choices are numbered from 1 in the order given; 0 is "not given". A list may be
     given several times. */
#define OPTION_TABLE(X)                                                                                              \
    X(FORMULA, 'f', "formula", KIND_TEXT, "FORMULA", "", 0, 0, FOR_FORMULA, "the specification, as text")            \
    X(FILE, 'F', "file", KIND_TEXT, "FILE", "", 0, 0, FOR_FORMULA, "the specification, in a file")                   \
    X(REGEX, 0, "regex", KIND_TEXT, "REGEX", "", 0, 0, FOR_FORMULA,                                                  \
      "the specification, as a regular expression that the whole string matches")                                    \
    X(DFA, 0, "dfa", KIND_TEXT, "FILE", "", 0, 0, FOR_FORMULA,                                                       \
      "the specification, as a file with the table of an automaton, or of JFLAP")                                    \
    X(GALLERY, 0, "gallery", KIND_TEXT, "NAME", "", 0, 0, FOR_COMPILE,                                               \
      "a model of the gallery instead of a formula; temper gallery lists them")                                      \
    X(SYNTAX, 0, "syntax", KIND_CHOICE, "spec|crasp|brasp|regex|dfa", "by the file's extension", 0, 0, FOR_FORMULA,  \
      "how the specification is written")                                                                            \
    X(ALPHABET, 0, "alphabet", KIND_TEXT, "LETTERS", "the letters the formula names", 0, 0, FOR_FORMULA,             \
      "the letters of the strings, side by side: abc, 'ab ' with the blank (with --tokens: \"req ack\")")            \
    X(ASCII, 0, "ascii", KIND_FLAG, NULL, "", 0, 0, FOR_FORMULA,                                                     \
      "the letters are the 95 printable characters, blank to ~")                                                     \
    X(IGNORE_CASE, 0, "ignore-case", KIND_FLAG, NULL, "", 0, 0, FOR_FORMULA,                                         \
      "the case of letters does not matter: (?i) stands before the regular expression")                              \
    X(TOKENS, 0, "tokens", KIND_FLAG, NULL, "", 0, 0, FOR_FORMULA, "letters are words separated by blanks")          \
    X(OTHER, 0, "other", KIND_TEXT, "LETTER", "", 0, 0, FOR_READING,                                                 \
      "read letters that are not in the alphabet as this one")                                                       \
    X(AT, 0, "at", KIND_CHOICE, "first|last", "where the formula looks from", 0, 0, FOR_FORMULA,                     \
      "the position whose truth is the answer")                                                                      \
    X(EMPTY, 0, "empty", KIND_CHOICE, "accept|reject", "reject", 0, 0, FOR_FORMULA,                                  \
      "the answer for the empty string")                                                                             \
    X(METHOD, 0, "method", KIND_CHOICE, "temperature|positions|digits", "temperature", 0, 0,                         \
      FOR_MODEL | FOR_SOFTEN | FOR_CERTIFY | FOR_LIMITS,                                                             \
      "how softmax is made sharp: by its scale, by growing positions, or by their digits")                           \
    X(DIGITS, 0, "digits", KIND_CHOICE, "bf16|f16|e4m3|e5m2|f32", "bf16", 0, 0,                                      \
      FOR_MODEL | FOR_SOFTEN | FOR_CERTIFY, "with --method digits: the format that numbers will be stored in")       \
    X(HARD, 0, "hard", KIND_FLAG, NULL, "", 0, 0, FOR_MODEL,                                                         \
      "the hard-attention transformer instead of the soft one")                                                      \
    X(UNCHECKED, 0, "unchecked", KIND_FLAG, NULL, "", 0, 0, FOR_LANGUAGE_MODEL | FOR_RUN | FOR_SHOW | FOR_EXPORT,    \
      "go on without proof; such answers are marked unproved")                                                       \
    X(TYPE, 0, "type", KIND_CHOICE,                                                                                  \
      "f64|f32|exact|bf16/f32|bf16|f16/f32|f16|e4m3/f32|e4m3|e5m2/f32|e5m2|f32/f64|bf16/f64", "f64", 0, 0,           \
      FOR_LANGUAGE_MODEL | FOR_RUN | FOR_SHOW | FOR_CERTIFY | FOR_LIMITS | FOR_EXPORT |                              \
          FOR_LAB, /* as temper_type */                                                                              \
      "the number format")                                                                                           \
    X(SCALE, 0, "scale", KIND_LIST, "[LAYER.HEAD=]EXPR", "the proved scale", 0, 0,                                   \
      FOR_LANGUAGE_MODEL | FOR_RUN | FOR_COMPILE | FOR_SHOW | FOR_CHECK | FOR_LIMITS | FOR_LAB,                      \
      "another softmax scale: an expression of N, n and i, or a factor such as 0.2x; unproved")                      \
    X(PLAN, 0, "plan", KIND_CHOICE, "auto|dense", "auto", 0, 0, FOR_LANGUAGE_MODEL | FOR_RUN,                        \
      "how heads are evaluated: in one pass where that is possible, or all pairs")                                   \
    X(PER_POSITION, 0, "per-position", KIND_FLAG, NULL, "", 0, 0, FOR_EVAL | FOR_RUN | FOR_COMPILE,                  \
      "add a row of 0 and 1: the truth at each position")                                                            \
    X(ERRORS, 0, "errors", KIND_FLAG, NULL, "", 0, 0, FOR_RUN,                                                       \
      "at the end, each head's largest error before rounding, beside its bound")                                     \
    X(STREAM, 0, "stream", KIND_FLAG, NULL, "", 0, 0, FOR_NEXT | FOR_RUN,                                            \
      "standard input is one endless string: an answer after every letter")                                          \
    X(OUTPUT, 'o', "output", KIND_TEXT, "FILE", "", 0, 0,                                                            \
      FOR_COMPILE | FOR_SHOW | FOR_SOFTEN | FOR_IMPORT | FOR_CERTIFY | FOR_LAB | FOR_LIMITS | FOR_EXPORT |           \
          FOR_AUTOMATON,                                                                                             \
      "where to write") /* option_words.c says what, for each command */                                             \
    X(QUICK, 0, "quick", KIND_FLAG, NULL, "", 0, 0, FOR_LAB,                                                         \
      "seconds instead of minutes: shorter strings, fewer repeats")                                                  \
    X(SEEDS, 0, "seeds", KIND_TEXT, "A-B", "", 0, 0, FOR_LAB,                                                        \
      "with every seed from A to B: how often each claim holds")                                                     \
    X(BIAS, 0, "bias", KIND_LIST, "EXPR", "", 0, 0, FOR_LAB,                                                         \
      "schedules: how far this term of logits, an expression of (i - j), n and N, carries each operator")            \
    X(LENGTHS, 0, "at", KIND_TEXT, "LENGTHS", "", 0, 0, FOR_LAB,                                                     \
      "schedules: yes or no at these lengths, such as 8Ki,128Ki,1M, with a proof or a wrong string")                 \
    X(CODE, 0, "as", KIND_CHOICE, "pytorch", "", 0, 0, FOR_LAB,                                                      \
      "schedules with --scale: print the scale as code, for SDPA and FlexAttention")                                 \
    X(BASE, 0, "base", KIND_TEXT, "X", "the root of --head-size", 0, 0, FOR_LAB,                                     \
      "schedules with --scale, --bias or --at: the largest q·k/sqrt(d), which scales multiply")                      \
    X(HEAD_SIZE, 0, "head-size", KIND_NUMBER, "d", "128", 1, 1000000, FOR_LAB,                                       \
      "schedules with --scale, --bias or --at: the channels of a head, whose root is the base")                      \
    X(DUMP, 0, "dump", KIND_TEXT, "LIST", "", 0, 0, FOR_COMPILE, "print stages: any of formula,hard,soft")           \
    X(EXHAUSTIVE, 0, "exhaustive", KIND_NUMBER, "L", "6, less for large alphabets", 0, 1000000, FOR_CHECK | FOR_GAP, \
      "look at all strings up to length L")                                                                          \
    X(RANDOM, 0, "random", KIND_NUMBER, "K", "1000", 0, 1000000000000, FOR_CHECK | FOR_GAP,                          \
      "then at K random strings")                                                                                    \
    X(LENGTH, 0, "length", KIND_NUMBER, "N", "", 0, 1099511627776,                                                   \
      FOR_CHECK | FOR_GAP | FOR_SOFTEN | FOR_CERTIFY | FOR_LIMITS | FOR_SAMPLE | FOR_EXPORT,                         \
      "how long strings may be")                                                                                     \
    X(MIN_LENGTH, 0, "min-length", KIND_NUMBER, "N", "", 1, 1099511627776, FOR_LIMITS,                               \
      "exit status 1 if a row is proved for fewer letters: a check for continuous integration")                      \
    X(COUNT, 0, "count", KIND_NUMBER, "K", "1", 0, 1000000000000, FOR_SAMPLE, "how many strings")                    \
    X(TRIES, 0, "tries", KIND_NUMBER, "K", "1000", 1, 1000000000000, FOR_SAMPLE,                                     \
      "how many strings in a row may be dropped because they do not end in time")                                    \
    X(BY, 0, "by", KIND_CHOICE, "letters|strings|weights", "letters", 0, 0, FOR_SAMPLE,                              \
      "equally likely legal letters, or strings of --length letters; or by their probabilities")                     \
    X(AGAINST, 0, "against", KIND_TEXT, "FORMULA|FILE", "", 0, 0, FOR_CHECK,                                         \
      "decide, for strings of every length, whether another specification is the same")                              \
    X(GAP, 0, "gap", KIND_TEXT, "proved|exhaustive|VALUE", "proved", 0, 0, FOR_SOFTEN,                               \
      "the gap: proved from denominators, seen on all strings, or a number")                                         \
    X(ADAPTIVE, 0, "adaptive", KIND_FLAG, NULL, "", 0, 0, FOR_SOFTEN,                                                \
      "divide scales by each row's own gap (temperature)")                                                           \
    X(WHY, 0, "why", KIND_FLAG, NULL, "", 0, 0, FOR_GAP | FOR_SOFTEN,                                                \
      "how far it can be softened, and what stands in the way of more")                                              \
    X(EFFORT, 0, "effort", KIND_TEXT, "X", "1", 0, 0, FOR_FORMULA | FOR_AUDIT,                                       \
      "work X times as long on automata before it is too much; exit status 4 beyond it")                             \
    X(CSV, 0, "csv", KIND_FLAG, NULL, "", 0, 0, FOR_LIMITS, "the table as comma-separated values")                   \
    X(AS, 0, "as", KIND_CHOICE, "gpt2|llama", "", 0, 0, FOR_ORDINARY,                                                \
      "an ordinary GPT-2 or Llama for strings of up to --length letters, which other programs run as it is")         \
    X(WEIGHTS, 0, "weights", KIND_CHOICE, "f32|f16", "f32", 0, 0, FOR_ORDINARY, "with --as: the format of weights")  \
    X(KV, 0, "kv", KIND_CHOICE, "f32|f16", "f16", 0, 0, FOR_ORDINARY,                                                \
      "with --as: the format of the cache of keys and values that it will be run with")                              \
    X(POSITIONS, 0, "positions", KIND_CHOICE, "ramp|digits", "the ramp where it goes", 0, 0, FOR_ORDINARY,           \
      "with --as llama: heads know positions by the frequencies of one base, or by binary digits (only GGUF)")       \
    X(OUTPUTS, 0, "outputs", KIND_TEXT, "OUTPUTS", "", 0, 0, FOR_EXPORT,                                             \
      "more outputs of the ONNX graph: any of patterns,channels,heads")                                              \
    X(CERTIFICATE, 0, "certificate", KIND_TEXT, "FILE", "", 0, 0, FOR_EXPORT,                                        \
      "a certificate of the model, copied into the folder as certificate.json")                                      \
    X(CHECKER, 0, "checker", KIND_TEXT, "PROGRAM", "temper-checker beside temper, if it is there", 0, 0, FOR_AUDIT,  \
      "ask this temper-checker, too, whose soundness is a theorem")                                                  \
    X(THREADS, 0, "threads", KIND_NUMBER, "N", "one for each core", 1, 64,                                           \
      FOR_LANGUAGE_MODEL | FOR_RUN | FOR_JOBS | FOR_SOFTEN | FOR_CERTIFY | FOR_AUDIT,                                \
      "how many threads to use; no result depends on it")                                                            \
    X(JOURNAL, 0, "journal", KIND_TEXT, "FILE", "", 0, 0, FOR_JOBS | FOR_SOFTEN | FOR_CERTIFY,                       \
      "keep what is done in FILE; called again after a crash it goes on from there")                                 \
    X(LAYER, 0, "layer", KIND_NUMBER, "N", "all", 1, 1000000000, FOR_SHOW, "only the heads of this layer")           \
    X(HEAD, 0, "head", KIND_NUMBER, "N", "all", 1, 1000000000, FOR_SHOW, "only this head of each layer")             \
    X(ROW, 0, "row", KIND_TEXT, "LAYER.HEAD@POSITION", "", 0, 0, FOR_SHOW,                                           \
      "one row's whole path; position 0 is the start sentinel")                                                      \
    X(HTML, 0, "html", KIND_FLAG, NULL, "", 0, 0, FOR_SHOW,                                                          \
      "a page for the browser, on standard output or in the file of -o")                                             \
    X(DOT, 0, "dot", KIND_FLAG, NULL, "", 0, 0, FOR_AUTOMATON, "the automaton for Graphviz")                         \
    X(OPTIONS, 0, "options", KIND_FLAG, NULL, "", 0, 0, FOR_HELP, NULL)                                              \
    X(COMPLETE, 0, "complete", KIND_FLAG, NULL, "", 0, 0, FOR_HELP, NULL)                                            \
    X(TIMEOUT, 0, "timeout", KIND_NUMBER, "SECONDS", "", 1, 1000000000, FOR_ALL,                                     \
      "stop after so many seconds: exit status 4, files whole, and a journal keeps what was done")                   \
    X(MAX_MEMORY, 0, "max-memory", KIND_NUMBER, "BYTES", "", 1, 1099511627776, FOR_ALL,                              \
      "refuse what takes more memory, such as 500M; exit status 4")                                                  \
    X(JSON, 0, "json", KIND_FLAG, NULL, "", 0, 0, FOR_ALL, "machine-readable output, one object a line")             \
    X(NO_COLOR, 0, "no-color", KIND_FLAG, NULL, "", 0, 0, FOR_ALL, "no colour (also: the variable NO_COLOR)")        \
    X(SEED, 0, "seed", KIND_NUMBER, "N", "1", 0, UINT64_MAX, FOR_ALL, "the seed of everything random")               \
    X(QUIET, 'q', "quiet", KIND_FLAG, NULL, "", 0, 0, FOR_ALL, "print no answers; the exit status tells")            \
    X(HELP, 'h', "help", KIND_FLAG, NULL, "", 0, 0, FOR_ALL, "help on temper or on the command; -h is short")        \
    X(VERSION, 0, "version", KIND_FLAG, NULL, "", 0, 0, FOR_ALL, "the version")

typedef enum option_id {
#define X(id, ...) OPT_##id,
    OPTION_TABLE(X)
#undef X
        OPTION_COUNT
} option_id;

typedef struct option_row {
    char letter;
    const char *name;
    option_kind kind;
    const char *argument, *fallback;
    uint64_t least, most;
    int commands;
    const char *help;
} option_row;

extern const option_row option_table[OPTION_COUNT];

typedef struct option_value {
    bool given;
    bool is_short; /* given by its letter */
    const char *text;
    uint64_t number; /* the number, or the choice from 1 */
} option_value;

/* An argument that is no option. After "--" it is literal: "-" is then a string and not standard input. */
typedef struct argument {
    const char *text;
    bool literal;
} argument;

enum { OPTION_LIST = 64 };

typedef struct options {
    option_value value[OPTION_COUNT];
    argument *arguments; /* the command's own, without its name */
    size_t count;
    const char *list[OPTION_LIST]; /* of --scale */
    size_t list_count;
    const char *biases[OPTION_LIST]; /* of --bias */
    size_t bias_count;
    const char *command; /* NULL: none was named */
    int command_bit;
} options;

/* What was wrong with a command line. */
typedef struct usage_error {
    char text[240], hint[240];
    bool no_memory; /* nothing was wrong: there was no room to keep it in */
} usage_error;

/* Reads argv[1..argc); false on a usage error. `command_bit` gives the bit of a command, or 0. The caller frees
   out->arguments, also after an error. */
bool options_parse(options *out, int argc, char **argv, int (*command_bit)(const char *name, usage_error *err),
                   usage_error *err);

/* The name nearest to `wrong` among `count`, or NULL if none is near. */
const char *nearest_name(const char *wrong, const char *const *names, size_t count);

#endif
