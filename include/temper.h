/* temper: compile a specification of a language of strings into a softmax transformer that gives exactly its answers.
   This is the public header, with one section per stage; the experiments have a header of their own, temper_lab.h.

       text --spec--> formula --compile--> hard transformer --soften--> soft transformer --run--> answers

   Conventions (doc/api.md has them in full, with the promise of stability):

   1. Every function that can fail returns a temper_status and fills a temper_error, which may be NULL. On failure
      outputs are NULL or untouched.

   2. temper_X_about(x) gives what there is to know of an object, as a struct. It cannot fail.

   3. Objects are immutable once made and may be shared between threads, except streams, workers and journals.

   4. What a function hands out through `X **` is the caller's: objects are freed with temper_X_free, text and arrays
      with temper_free. All free functions take NULL. Text handed out is followed by a NUL byte that its length does
      not count. `const char *` results and fields belong to the object they were asked of and live as long as it.

   5. Texts are UTF-8. Paths and names are NUL-terminated; what comes with a length may hold any bytes.

   6. Options are structs: zero-initialise them (in C `= {0}`, in C++ `= {}`) and set what should differ. `options`
      may be NULL for the defaults, except where a length or a method must be given.

   7. Strings are arrays of letter numbers below the size of the alphabet; others are TEMPER_RANGE. `letters` may be
      NULL if n is 0.

   8. The library never prints, exits or aborts. */
#ifndef TEMPER_H
#define TEMPER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TEMPER_API __attribute__((visibility("default")))
#else
#define TEMPER_API
#endif

#define TEMPER_VERSION_MAJOR 0
#define TEMPER_VERSION_MINOR 1
#define TEMPER_VERSION_PATCH 0

/* "0.1.0": the version of the library that is linked, which may differ from the header's. */
TEMPER_API const char *temper_version(void);

/* ---- errors -------------------------------------------------------------------------------------------- */

typedef enum temper_status {
    TEMPER_OK,
    TEMPER_SYNTAX,      /* the text is not in the language: line, column, what was expected */
    TEMPER_RANGE,       /* a value outside what the call allows: an unknown letter, a bad option */
    TEMPER_UNSUPPORTED, /* well-formed, but there is no construction for it */
    TEMPER_FORMAT,      /* a model file that is not one */
    TEMPER_LIMIT,       /* beyond a named limit: length, size, coefficient */
    TEMPER_IO,          /* the operating system said no */
    TEMPER_NO_MEMORY
} temper_status;

/* What may help, as a code that a program can put into words of its own; `hint` has it in neutral ones. */
typedef enum temper_remedy {
    TEMPER_REMEDY_NONE,             /* `hint` says it, or there is none */
    TEMPER_REMEDY_UNCHECKED,        /* run it `unchecked` */
    TEMPER_REMEDY_EXPORT_UNCHECKED, /* export it `unchecked` */
    TEMPER_REMEDY_EXACT,            /* TEMPER_TYPE_EXACT decides it */
    TEMPER_REMEDY_HARD,             /* run it `hard` */
    TEMPER_REMEDY_WHOLE_STRINGS,    /* temper_model_run, not a stream */
    TEMPER_REMEDY_PREFIXES,         /* build it without `whole` */
    TEMPER_REMEDY_SOFTEN,           /* temper_soften makes a soft one */
    TEMPER_REMEDY_IMPORT,           /* temper_model_import makes a model of it */
    TEMPER_REMEDY_IMPORT_TYPES,     /* temper_model_import takes the number format */
    TEMPER_REMEDY_NO_IMPORT,        /* temper_model_load takes it as it is */
    TEMPER_REMEDY_CERTIFY,          /* temper_certify makes a certificate */
    TEMPER_REMEDY_CERTIFY_EXPORTED, /* export without a certificate, certify what was written, export again */
    TEMPER_REMEDY_GIVE_CERTIFICATE, /* set `certificate`, or remove the old one */
    TEMPER_REMEDY_GAP_PROVED,       /* TEMPER_GAP_PROVED */
    TEMPER_REMEDY_GAP_EXHAUSTIVE,   /* TEMPER_GAP_EXHAUSTIVE */
    TEMPER_REMEDY_SHORTER,          /* a smaller `length` */
    TEMPER_REMEDY_GAP_OR_SHORTER,   /* either of the two */
    TEMPER_REMEDY_NOT_ADAPTIVE,     /* without `adaptive` */
    TEMPER_REMEDY_AT,               /* set `at` */
    TEMPER_REMEDY_ALPHABET,         /* set `alphabet` */
    TEMPER_REMEDY_TOKENS,           /* set `tokens` */
    TEMPER_REMEDY_DEFINE,           /* define the word before, or set `tokens` */
    TEMPER_REMEDY_GALLERY,          /* temper_gallery_count and temper_gallery_about list the names */
    TEMPER_REMEDY_EFFORT            /* temper_limit_work raises the limit */
} temper_remedy;

/* line and column count from 1; 0 means "no place". The column counts characters (UTF-8), not bytes. `text` is
   one printable line (control bytes and invalid UTF-8 of the input are escaped); `hint` may be empty. */
typedef struct temper_error {
    temper_status code;
    size_t line, column;
    char text[240];
    char hint[240];
    temper_remedy remedy;
} temper_error;

/* "syntax", "range", ...; "ok" for TEMPER_OK. */
TEMPER_API const char *temper_status_name(temper_status status);
/* Frees text and arrays that the library handed out; NULL is allowed. */
TEMPER_API void temper_free(void *text);

/* Numbers as text and back, the same in every locale of the program, as all that the library writes and reads.
   temper_real_format is snprintf with one conversion of a double, such as "%.3g" or "%12.1f": the length, or -1 if
   `format` is anything else. temper_real_read: 0 if the text is not one number, with a point, in decimal or
   hexadecimal. */
TEMPER_API int temper_real_format(char *out, size_t size, const char *format, double x);
TEMPER_API int temper_real_read(double *x, const char *digits);

/* How many bytes the library may hold at a time, in all threads of the process together; 0: as many as it gets. What
   needs more ends with TEMPER_NO_MEMORY. Exact numbers, which are small, are not counted. */
TEMPER_API void temper_limit_memory(size_t bytes);
/* How many times the usual work the library may do on automata, from 1 to 1000, in all threads of the process.
   What needs more ends with TEMPER_LIMIT and TEMPER_REMEDY_EFFORT. Results that need no more than the usual work
   stay the same. */
TEMPER_API void temper_limit_work(double times);
/* What the library works on at this moment in some thread, so that another thread can show progress: `done` steps
   of at most `most`, which is 0 where that is not known. `what` is "" before anything took long; it stays until
   something else does. */
typedef struct temper_work {
    const char *what;
    uint64_t done, most;
    int counted; /* 1: most is no limit, but about how many steps there will be */
} temper_work;
TEMPER_API temper_work temper_work_now(void);
/* Removes the temporary files of files that are being written at this moment. For handlers of signals that end the
   program: it calls nothing but unlink. */
TEMPER_API void temper_files_abandon(void);

/* ---- specifications ------------------------------------------------------------------------------------- */

typedef struct temper_spec temper_spec;

typedef enum temper_syntax {
    TEMPER_SYNTAX_SPEC,
    TEMPER_SYNTAX_CRASP,
    TEMPER_SYNTAX_BRASP,
    TEMPER_SYNTAX_REGEX, /* the text is one regular expression, which the whole string must match */
    TEMPER_SYNTAX_DFA    /* the text is the table of a deterministic automaton, or a file of JFLAP */
} temper_syntax;
typedef enum temper_at { TEMPER_AT_DEFAULT, TEMPER_AT_FIRST, TEMPER_AT_LAST } temper_at;
typedef enum temper_empty { TEMPER_EMPTY_DEFAULT, TEMPER_EMPTY_REJECT, TEMPER_EMPTY_ACCEPT } temper_empty;

/* What a specification says at a position, and a transformer computes there. */
typedef enum temper_kind {
    TEMPER_KIND_ACCEPTOR,   /* whether a string belongs: one output without a name */
    TEMPER_KIND_NEXT,       /* what may come next: an output for each letter, and one for the end */
    TEMPER_KIND_TRANSDUCER, /* what is written: an output for each text, and one of them holds at each position */
    TEMPER_KIND_LAST_ = TEMPER_KIND_TRANSDUCER
} temper_kind;

/* Zero-initialise for the defaults; what is set here overrides lines of the text. */
typedef struct temper_spec_options {
    temper_syntax syntax;
    const char *alphabet; /* "abc": every character is a letter, the blank too; with tokens "req ack": words between
                             blanks. NULL: from the text */
    int tokens;           /* strings are split on blanks into tokens */
    temper_at at;
    temper_empty empty;
    int ascii;                  /* the alphabet is the 95 printable characters of ASCII; no `alphabet` beside it */
    const char *const *letters; /* the alphabet, a letter each, instead of `alphabet` */
    size_t letter_count;
    const char *folder; /* where the text's files of automata (`dfa FILE`) lie; NULL: it may not name any */
    temper_kind kind;   /* NEXT: as if the text had a line `next`; ACCEPTOR: as the text says */
    /* The letter that letters which are not in the alphabet are read as. It joins an alphabet that is not stated.
       NULL: as the line `other` of the text says; without one, unknown letters are refused. */
    const char *other;
} temper_spec_options;

/* Reads `length` bytes of text. TEMPER_SYNTAX and TEMPER_RANGE have line and column; NUL bytes are no part of the
   language. */
TEMPER_API temper_status temper_spec_parse(temper_spec **out, const char *text, size_t length,
                                           const temper_spec_options *options, temper_error *err);
TEMPER_API void temper_spec_free(temper_spec *spec);

/* The specification as text that parses back to the same formula (in its own syntax). */
TEMPER_API temper_status temper_spec_print(char **out, const temper_spec *spec, temper_error *err);
/* The formula as an English sentence: H(b -> O a) is "so far, at every b there has been an a". For people; it may
   change with every version. "" for a transducer, which has several formulas. */
TEMPER_API temper_status temper_spec_words(char **out, const temper_spec *spec, temper_error *err);

typedef struct temper_spec_info {
    size_t letters; /* of the alphabet */
    size_t nodes;   /* distinct subformulas */
    temper_at at;   /* where the verdict is read, never TEMPER_AT_DEFAULT */
    int tokens, accepts_empty;
    temper_kind kind;
    size_t outputs;      /* 1 for an acceptor */
    int alphabet_stated; /* 0: the alphabet is the letters that the text names */
    size_t other;        /* the letter that unknown ones are read as; SIZE_MAX: they are refused */
} temper_spec_info;
TEMPER_API temper_spec_info temper_spec_about(const temper_spec *spec);
/* What is simpler than it was written, because of the alphabet, a line each: "a S b is O b: every position has 'a' or
   'b' in this alphabet". "" if nothing is. */
TEMPER_API temper_status temper_spec_simplified(char **out, const temper_spec *spec, temper_error *err);
/* Letters are numbered from 0 in the order of the alphabet; NULL: there is no such letter. */
TEMPER_API const char *temper_spec_letter(const temper_spec *spec, size_t letter);

/* "acceptor", "next", "transducer". */
TEMPER_API const char *temper_kind_name(temper_kind kind);

/* One output as a specification of its own: whether that output holds. Outputs are numbered from 0 in the order of
   the text; the output of an acceptor is itself. It lives as long as the specification, and is not freed. NULL: there
   is no such output. It is looked at, not built: temper_build takes the whole. */
TEMPER_API const temper_spec *temper_spec_output(const temper_spec *spec, size_t output);
/* What the output stands for: the text that is written, or the letter that may come; "" for the end, for writing
   nothing and for an acceptor. NULL: there is no such output. */
TEMPER_API const char *temper_spec_output_name(const temper_spec *spec, size_t output);

/* How the outputs of a language model are known. */
typedef struct temper_next_info {
    size_t states; /* of the language's minimal automaton, which decides what can be completed; 0: it has none */
    size_t tested; /* without one: prefixes that the line `viable` was tested on, which is no proof of it */
} temper_next_info;

/* The specification as a language model with its outputs. There is one for each letter of the alphabet, in its
   order: some string of the language begins with what was read and that letter. The last one is for the end: what
   was read is a string of the language. Acceptors become language models; *info may be NULL. temper_build does the
   same with a language model that has no outputs yet. TEMPER_UNSUPPORTED: counts that no automaton compares,
   without a line `viable`, or a transducer; TEMPER_RANGE: a line `viable` that a string contradicts; TEMPER_LIMIT:
   too many states or letters. */
TEMPER_API temper_status temper_spec_next(temper_spec **out, temper_next_info *info, const temper_spec *spec,
                                          temper_error *err);

/* The formula of an output on one line, cut with "..." where it is long. TEMPER_RANGE: there is no such output. */
TEMPER_API temper_status temper_spec_output_formula(char **out, const temper_spec *spec, size_t output,
                                                    temper_error *err);

/* Text to letter numbers: *letters (freed with temper_free) holds *n of them. An unknown letter is read as the other
   letter; without one it is TEMPER_RANGE, named, with its position in the message. */
TEMPER_API temper_status temper_spec_encode(uint32_t **letters, size_t *n, const temper_spec *spec, const char *text,
                                            size_t length, temper_error *err);

/* The formula's own answer (the oracle). truth, if not NULL, receives n values 0/1, one per position. */
TEMPER_API temper_status temper_spec_eval(int *accept, unsigned char *truth, const temper_spec *spec,
                                          const uint32_t *letters, size_t n, temper_error *err);

/* The same for every output at once: truth [outputs][n]. */
TEMPER_API temper_status temper_spec_eval_outputs(unsigned char *truth, const temper_spec *spec,
                                                  const uint32_t *letters, size_t n, temper_error *err);

/* What a transducer writes for a string, by its formulas: at each position the text of the output that holds there,
   one behind the other, with blanks between them if letters are tokens. TEMPER_RANGE, with the position as the
   column: no output holds there, or several do; TEMPER_UNSUPPORTED: it is no transducer. */
TEMPER_API temper_status temper_spec_write(char **out, size_t *length, const temper_spec *spec,
                                           const uint32_t *letters, size_t n, temper_error *err);

/* Where a transducer writes what none of its outputs says, or several say. */
#define TEMPER_WRITES_NONE    (-1L)
#define TEMPER_WRITES_SEVERAL (-2L)

/* ---- deciding: all strings at once, for what a finite automaton can do ------------------------------------- */

typedef struct temper_difference {
    int same;        /* 1: both accept the same strings, of every length */
    char *string;    /* else the shortest string that only one accepts, of those the first by letters; may be "" */
    size_t length;   /* in letters */
    int left, right; /* whether each accepts it */
    size_t left_states, right_states; /* of the minimal automata */
} temper_difference;

/* Decides whether two specifications accept the same strings. Letters are matched by name, and strings are over
   all letters of both. An alphabet that was not stated is the letters that a formula names; it grows by those of
   the other. A stated alphabet does not grow: it rejects a string with another letter. Regular expressions and
   tables state theirs. TEMPER_UNSUPPORTED: a specification that compares counts without a bound (named, with its
   place); TEMPER_LIMIT: too many states; TEMPER_RANGE: letters of one are tokens and of the other characters.
   temper_difference_clear frees what *out holds. */
TEMPER_API temper_status temper_spec_compare(temper_difference *out, const temper_spec *left,
                                             const temper_spec *right, temper_error *err);
TEMPER_API void temper_difference_clear(temper_difference *difference);

/* Whether exactly one output of a transducer holds at each position. */
typedef enum temper_one_answer {
    TEMPER_ONE_PROVED, /* of every string of every length, by an automaton */
    TEMPER_ONE_TESTED, /* of the strings that were tried: it has no automaton, or too large a one */
    TEMPER_ONE_REFUTED /* there is a string with a position where no output holds, or several do */
} temper_one_answer;

typedef struct temper_one_output {
    temper_one_answer answer;
    size_t tested; /* strings that were tried */
    char *string;  /* refuted: a shortest string (the first by letters) if there is an automaton, else the first that
                        was met; NULL */
    size_t length; /* in letters */
    size_t position; /* the first one that is not clear, from 1 */
    char *why; /* refuted: what holds there, as "at position 3 no output holds"; tested: why it was not decided */
} temper_one_output;

/* Costs about a second at most. TEMPER_UNSUPPORTED: it is no transducer. temper_one_output_clear frees what *out
   holds. */
TEMPER_API temper_status temper_spec_one_output(temper_one_output *out, const temper_spec *spec, temper_error *err);
TEMPER_API void temper_one_output_clear(temper_one_output *out);

/* The minimal deterministic automaton of a specification. States are numbered from 0, the start, in the order of the
   shortest strings that reach them. */
typedef struct temper_automaton temper_automaton;

/* Errors are those of temper_spec_compare. The automaton does not need the specification any more. */
TEMPER_API temper_status temper_automaton_make(temper_automaton **out, const temper_spec *spec, temper_error *err);
TEMPER_API void temper_automaton_free(temper_automaton *automaton);

typedef struct temper_automaton_info {
    size_t states, letters;
    size_t classes; /* of letters that no state tells apart */
    size_t dead;    /* the state from which no string is accepted; SIZE_MAX: there is none */
} temper_automaton_info;
TEMPER_API temper_automaton_info temper_automaton_about(const temper_automaton *automaton);
/* Where a letter leads (SIZE_MAX: no such state or letter), and whether a string that ends in a state is accepted. */
TEMPER_API size_t temper_automaton_next(const temper_automaton *automaton, size_t state, size_t letter);
TEMPER_API int temper_automaton_accepts(const temper_automaton *automaton, size_t state);

/* Where a regular language sits (doc/automaton.md has the definitions). */
typedef enum temper_language_class {
    TEMPER_LANGUAGE_FINITE,
    TEMPER_LANGUAGE_DEFINITE,
    TEMPER_LANGUAGE_REVERSE_DEFINITE,
    TEMPER_LANGUAGE_LOCALLY_TESTABLE,
    TEMPER_LANGUAGE_PIECEWISE_TESTABLE,
    TEMPER_LANGUAGE_R_TRIVIAL,
    TEMPER_LANGUAGE_STAR_FREE,
    TEMPER_LANGUAGE_SOLVABLE
} temper_language_class;

typedef struct temper_language_place {
    const char *name;    /* "locally testable" */
    int holds;           /* 1: it is in the class, 0: it is not, -1: not decided, for it would take too much work */
    const char *because; /* a witness, a number that the class has, or the limit, in a sentence; may be "" */
} temper_language_place;

/* Texts live as long as the automaton. TEMPER_RANGE: no such class. */
TEMPER_API temper_status temper_automaton_place(temper_language_place *out, const temper_automaton *automaton,
                                                temper_language_class which, temper_error *err);

typedef enum temper_automaton_format {
    TEMPER_AUTOMATON_TABLE, /* the text form of automata, which TEMPER_SYNTAX_DFA reads; classes as comments */
    TEMPER_AUTOMATON_JSON,  /* one object, on one line */
    TEMPER_AUTOMATON_DOT    /* for Graphviz */
} temper_automaton_format;
TEMPER_API temper_status temper_automaton_print(char **out, const temper_automaton *automaton,
                                                temper_automaton_format format, temper_error *err);

/* ---- models: making, reading, writing --------------------------------------------------------------------- */

typedef struct temper_model temper_model;

typedef enum temper_method {
    TEMPER_METHOD_HARD,
    TEMPER_METHOD_TEMPERATURE,
    TEMPER_METHOD_POSITIONS,
    TEMPER_METHOD_DIGITS /* positions, in digits that a short number format holds */
} temper_method;

/* The number format of a run. From BF16_F32 on, numbers are stored in the first format and sums made in the second
   (or the same), with every rounding of a real kernel emulated (doc/numerics.md). */
typedef enum temper_type {
    TEMPER_TYPE_F64,
    TEMPER_TYPE_F32,
    TEMPER_TYPE_EXACT, /* rational arithmetic, hard choices only: true ties, and always proved */
    TEMPER_TYPE_BF16_F32,
    TEMPER_TYPE_BF16,
    TEMPER_TYPE_F16_F32,
    TEMPER_TYPE_F16,
    TEMPER_TYPE_E4M3_F32,
    TEMPER_TYPE_E4M3,
    TEMPER_TYPE_E5M2_F32,
    TEMPER_TYPE_E5M2,
    TEMPER_TYPE_F32_F64,
    TEMPER_TYPE_BF16_F64
    /* The numbers behind these are the types of temper_type_tiled. */
} temper_type;

/* Zero-initialise for the defaults, which make a hard transformer. */
typedef struct temper_build_options {
    temper_method method;
    /* Gates that are exact in the storage format of this type (f32, bf16, f16, e4m3 or e5m2): every head output is
       rounded alone, before any gate reads it, and no gate has more inputs than the format can count. This takes more
       layers. Not given (f64): plain gates; with the method of digits bf16. */
    temper_type digits;
    /* Only answers for whole strings are wanted. A specification that is one regular language may then be read from
       the right, where that takes fewer layers (temper_model_info: whole). */
    int whole;
    /* Where the hard model goes that the soft one is made from, to be freed like it; NULL: nowhere. It is NULL after
       an error, and if `out` is the hard model itself. */
    temper_model **hard;
} temper_build_options;

/* From a specification to a transformer, which does not need the specification any more: the whole compiler. Soft
   models are for every length up to the proved one. TEMPER_LIMIT: it would be too large; TEMPER_RANGE: there is no
   such method, or no gates for the type. */
TEMPER_API temper_status temper_build(temper_model **out, const temper_spec *spec,
                                      const temper_build_options *options, temper_error *err);

TEMPER_API void temper_model_free(temper_model *model);

/* A scale for one softmax head, or for all. */
typedef struct temper_scale {
    size_t layer, head; /* from 1; both 0: all heads */
    /* An expression of N, n and i such as "8*N", or a factor of the scale that the head has such as "0.2x". */
    const char *scale;
} temper_scale;

/* A copy of the model with other softmax scales; of several scales for a head the last one counts. The scale
   multiplies the head's scores: in models by positions or digits, whose temperature is inside their features, it
   stands beside them, and was 1. Nothing is claimed of the copy (temper_model_info: rescaled); temper_certify proves
   of it what it can. A scale that reads i, the position of the query, makes its file version 2. TEMPER_SYNTAX: no
   scale; TEMPER_RANGE: no such softmax head. */
TEMPER_API temper_status temper_model_with_scale(temper_model **out, const temper_model *model,
                                                 const temper_scale *scales, size_t count, temper_error *err);

/* A copy of the model that reads letters which are not in its alphabet as the letter `other`, or refuses them (NULL).
   What is proved of the model is proved of the copy, whose file is version 2. TEMPER_RANGE: the alphabet does not
   have the letter. */
TEMPER_API temper_status temper_model_with_other(temper_model **out, const temper_model *model, const char *other,
                                                 temper_error *err);

/* Text form: print and read are inverse. Reading checks every invariant (TEMPER_FORMAT: line, column, what is wrong);
   it takes the bytes of a safetensors file too. */
TEMPER_API temper_status temper_model_print(char **out, size_t *length, const temper_model *model, temper_error *err);
TEMPER_API temper_status temper_model_read(temper_model **out, const char *text, size_t length, temper_error *err);

/* Model files, text or safetensors: told apart by content when loading; when saving, a path that ends in .safetensors
   gets safetensors, any other text. Loading safetensors takes at most twice the file's size and 64 MB of memory. */
TEMPER_API temper_status temper_model_load(temper_model **out, const char *path, temper_error *err);
TEMPER_API temper_status temper_model_save(const char *path, const temper_model *model, temper_error *err);

/* A model from elsewhere: plain safetensors with names of TransformerLens or GPT-2, and a JSON file that says what
   tensors cannot (doc/import.md). Hard if no head is a softmax head; nothing is proved of it. Messages begin with the
   path of the file that they are about; TEMPER_UNSUPPORTED: the transformer has a part that temper's do not have,
   such as layer norm. With NULL for config_path, weights_path is a GGUF file, or a folder, that temper_ordinary_write
   wrote: its hard model is found again from the weights, and whatever is not of that form is refused. */
TEMPER_API temper_status temper_model_import(temper_model **out, const char *weights_path, const char *config_path,
                                             temper_error *err);

/* Files: only regular files of at most 4 GiB are read. Writing goes to a temporary file in the same folder, which
   is synced and renamed. So the target is whole or untouched. */
TEMPER_API temper_status temper_file_read(char **out, size_t *length, const char *path, temper_error *err);
TEMPER_API temper_status temper_file_write(const char *path, const char *data, size_t length, temper_error *err);

/* ---- regular languages: which way each of a specification's becomes a formula (doc/automata.md) ---- */

/* Texts live as long as the routes. */
typedef struct temper_route_info {
    const char *language; /* as written, escaped */
    size_t states;        /* of its minimal automaton */
    const char *route;    /* "cascade", "partial order" or "counts" */
    int reverse;          /* read from the right, for whole strings */
    size_t levels;        /* of the cascade, or live states of the partial order; 0: counts */
    size_t layers, heads; /* of the language alone */
    const char *groups; /* whose counters it needs, as "Z2, S3"; "": it is star-free, or has too many states to say */
    const char *why;    /* a word whose powers lead states round, as "'aa' leads state 0 to 2 to 0"; or "" */
} temper_route_info;

typedef struct temper_routes temper_routes;

/* In the order in which the specification first names them. TEMPER_UNSUPPORTED: a group that is not solvable;
   TEMPER_LIMIT: a formula that would be too large. */
TEMPER_API temper_status temper_routes_find(temper_routes **out, const temper_spec *spec, temper_error *err);
TEMPER_API void temper_routes_free(temper_routes *routes);
TEMPER_API size_t temper_routes_count(const temper_routes *routes);
TEMPER_API temper_route_info temper_routes_at(const temper_routes *routes, size_t row); /* from 0 */

/* ---- the gallery: known hard-attention transformers --------------------------------------------------------- */

typedef struct temper_gallery_info {
    const char *name;       /* "dyck-2" */
    const char *title;      /* "Dyck-2" */
    const char *alphabet;   /* one character a letter */
    const char *class_name; /* "UHAT", "AHAT uniform-tieless" or "AHAT tied": doc/gallery.md */
    const char *language;   /* in a sentence */
    const char *source;     /* where it is known from */
    const char *formula;    /* a specification of the same language, or "" */
} temper_gallery_info;

/* Entries are numbered from 0. Texts live as long as the library. */
TEMPER_API size_t temper_gallery_count(void);
TEMPER_API temper_status temper_gallery_about(temper_gallery_info *out, size_t entry, temper_error *err);

/* The hard model of a name. TEMPER_RANGE: there is none; the hint has names that are near. */
TEMPER_API temper_status temper_gallery_model(temper_model **out, const char *name, temper_error *err);

/* Whether the language of a name has the string: a program that knows nothing of transformers. */
TEMPER_API temper_status temper_gallery_oracle(int *accept, const char *name, const uint32_t *letters, size_t n,
                                               temper_error *err);

/* ---- models: looking inside --------------------------------------------------------------------------------- */

typedef enum temper_choice {
    TEMPER_CHOICE_LEFTMOST,
    TEMPER_CHOICE_RIGHTMOST,
    TEMPER_CHOICE_AVERAGE,
    TEMPER_CHOICE_SOFTMAX
} temper_choice;

typedef enum temper_mask {
    TEMPER_MASK_ALL,
    TEMPER_MASK_BEFORE, /* j < i  */
    TEMPER_MASK_UP_TO,  /* j <= i */
    TEMPER_MASK_AFTER,  /* j > i  */
    TEMPER_MASK_FROM    /* j >= i */
} temper_mask;

/* How the largest |logit| of a head grows with the length. */
typedef enum temper_growth {
    TEMPER_GROWTH_NONE,
    TEMPER_GROWTH_LOG,
    TEMPER_GROWTH_LINEAR,
    TEMPER_GROWTH_SQUARE
} temper_growth;

typedef struct temper_model_info {
    temper_method method;
    temper_type digits; /* method digits: for numbers stored in this type */
    const char *source; /* the specification, or "" */
    temper_syntax syntax;
    temper_at at;
    /* Its language is read from the right: the truth at a position is whether the letters from there to the end are a
       word, so the verdict, at the first position, is about the whole string, and nothing is said about prefixes. */
    int whole;
    int tokens, accepts_empty;
    int has_end;                                     /* an end sentinel is appended */
    size_t letters, channels, layers, heads, hidden; /* totals; hidden = feed-forward units */
    size_t parameters;                               /* weights that are not zero */
    int rescaled;                                    /* its scales were chosen by hand: nothing is claimed */
    /* What a model that was softened for a length (temper_soften) records of itself; 0 for other models: ... */
    double output_error;  /* ... how far the read-out may be from the hard one's, ... */
    double output_margin; /* ... which is at least this far from 1/2, ... */
    int verdict_only;     /* ... for the verdict only, not for the truth at other positions */
    size_t parts;         /* subformulas that temper_model_part can place */
    temper_kind kind;
    size_t outputs; /* 1 for an acceptor */
    int has_logits; /* beside every output it has a number, such as a log-probability */
    size_t other;   /* the letter that unknown ones are read as; SIZE_MAX: they are refused */
} temper_model_info;

typedef struct temper_head_info {
    const char *label; /* what it computes, e.g. "O a" */
    const char *role;  /* once, nearest, count, compare, lookup, or "" */
    temper_mask mask;
    temper_choice choice, hard_choice;
    const char *scale;    /* softmax scale as an expression of n, N and i; "1" for hard heads */
    int row_scale;        /* it reads i */
    int adaptive;         /* the scale is divided by each row's own gap */
    temper_growth growth; /* of the role that its weights have; none where they have no known role */
    double bound;         /* proved error before rounding in real arithmetic; 0 where none is made */
    size_t query_size, value_size;
} temper_head_info;

typedef struct temper_channel_info {
    const char *label;    /* the subformula or feature; several, separated by " ; ", when the channel is reused */
    const char *position; /* position expression, or "" */
} temper_channel_info;

/* One line of "where is this subformula": its text, the layer that makes it (0: the embedding), the head
   (-1: no head of its own) and the channel it is stored in (-1: only a linear combination of others). */
typedef struct temper_part_info {
    const char *formula;
    size_t layer;
    long head, channel;
} temper_part_info;

/* Indices that do not exist give 0, NULL or, with a status, TEMPER_RANGE. */
TEMPER_API temper_model_info temper_model_about(const temper_model *model);
TEMPER_API const char *temper_model_letter(const temper_model *model, size_t letter);
/* As temper_spec_output_name: outputs are numbered from 0. */
TEMPER_API const char *temper_model_output_name(const temper_model *model, size_t output);
/* Where it is, after the last layer: "channel 7", or "channel 3 - channel 5". TEMPER_RANGE: there is no such
   output. */
TEMPER_API temper_status temper_model_read_out(char **out, const temper_model *model, size_t output,
                                               temper_error *err);
/* The specification that the model carries, read with the model's alphabet and settings. TEMPER_RANGE: it carries
   none. */
TEMPER_API temper_status temper_model_spec(temper_spec **out, const temper_model *model, temper_error *err);
typedef struct temper_layer_info {
    size_t heads, hidden; /* hidden = feed-forward units */
} temper_layer_info;
TEMPER_API temper_layer_info temper_model_layer(const temper_model *model, size_t layer); /* layers count from 1 */
TEMPER_API temper_status temper_model_head(temper_head_info *out, const temper_model *model, size_t layer,
                                           size_t head, temper_error *err); /* heads count from 1 */
TEMPER_API temper_status temper_model_channel(temper_channel_info *out, const temper_model *model, size_t channel,
                                              temper_error *err); /* channels count from 0 */
TEMPER_API temper_status temper_model_part(temper_part_info *out, const temper_model *model, size_t part,
                                           temper_error *err);
TEMPER_API const char *temper_choice_name(temper_choice choice);
TEMPER_API const char *temper_mask_name(temper_mask mask);
TEMPER_API const char *temper_method_name(temper_method method);
TEMPER_API const char *temper_growth_name(temper_growth growth);

/* ---- what is proved of a model ------------------------------------------------------------------------------- */

/* What the answers are proved to be. */
typedef enum temper_claim {
    TEMPER_CLAIM_NONE,
    TEMPER_CLAIM_FORMULA, /* those of the specification that the model carries */
    TEMPER_CLAIM_CHOICES, /* those of the model's own hard choices, whatever it carries */
    /* of a language model: those of its specification, if the line `viable` is right. Nobody proves that: building a
       model tests it, and of an edited model nobody need have tested it. */
    TEMPER_CLAIM_VIABLE
} temper_claim;
/* "none", "formula", "hard choices", "formula if viable is right" */
TEMPER_API const char *temper_claim_name(temper_claim claim);

/* What stands in the way of a proof. Layer and head count from 1, 0: none in particular. */
typedef struct temper_fault {
    size_t layer, head;
    size_t length; /* the shortest length at which it fails, or the one asked for; 0: whatever the length */
    /* TEMPER_REFUTED: a string of n letters, and the first position with a wrong answer of an output; else NULL */
    const uint32_t *letters;
    size_t n, position, output;
} temper_fault;

/* The proof for every string up to a length, in a number format. */
typedef struct temper_proof {
    temper_claim claim;   /* TEMPER_CLAIM_NONE: no length is proved, not even 0 */
    size_t length;        /* the proved length: answers to all strings of up to so many letters are proved */
    int every_position;   /* 0: the verdict is proved, not the truth at other positions */
    const char *obstacle; /* what stands in the way of a longer one */
    temper_fault fault;   /* where that is; it has no letters */
} temper_proof;

/* No length beyond this is ever proved: 2^40 letters. */
#define TEMPER_LONGEST ((size_t)1 << 40)

/* The proved length of a model in a type, with softmax as it is or with hard choices (models of method hard always
   take those). It is what temper_certify proves and what temper_model_run goes by. Finding it takes milliseconds for
   models that come from a formula, and up to seconds for others; the model keeps it. Texts live as long as the model.
   TEMPER_RANGE: no such type, or exact without hard choices. */
TEMPER_API temper_status temper_model_proof(temper_proof *out, const temper_model *model, temper_type type, int hard,
                                            temper_error *err);

/* ---- running --------------------------------------------------------------------------------------------------- */

/* Text to letter numbers, as temper_spec_encode. */
TEMPER_API temper_status temper_model_encode(uint32_t **letters, size_t *n, const temper_model *model,
                                             const char *text, size_t length, temper_error *err);

/* "f64", "bf16/f32"; "" if there is no such type. */
TEMPER_API const char *temper_type_name(temper_type type);

/* The type by any of its names: a format is also called as elsewhere, "float32", "half", "float8_e4m3fn", in any
   case; "bfloat16/float32" and "half@tile64" are types, too. A number without a name if there is no such type. */
TEMPER_API temper_type temper_type_named(const char *name);

/* All names of single formats, one by one; "" behind the last. */
TEMPER_API const char *temper_type_alias(size_t k);

/* The same formats in the order of fused attention kernels, whose softmax goes through the keys in tiles of 64, 128
   or 512 with a running maximum (doc/numerics.md, "Fused kernels"): "bf16/f32@tile128" of TEMPER_TYPE_BF16_F32 and
   128. 0 keys: without tiles. A number without a name if there is no such type. */
TEMPER_API temper_type temper_type_tiled(temper_type type, size_t keys);

/* Zero-initialise for the defaults. */
typedef struct temper_run_options {
    int hard; /* use each head's hard choice */
    /* Run beyond the proved length; the result is then marked unproved. A model whose proof would take long,
       because its heads have no known roles, is marked unproved at once, unless its proof is known. */
    int unchecked;
    int capture; /* keep scores, weights and outputs of every head (needs N*N memory a head) */
    temper_type type;
    int dense;        /* look at all pairs, whatever the plan: the reference */
    unsigned threads; /* 0: one for each core */
    /* The truth at every position is wanted: a model that answers for whole strings only (temper_model_info: whole)
       is refused, TEMPER_UNSUPPORTED. */
    int positions;
} temper_run_options;

/* The result of one run. */
typedef struct temper_run temper_run;

/* Runs the model on n letters. TEMPER_LIMIT: longer than the proved length, and not `unchecked`. TEMPER_UNSUPPORTED:
   the type or the choice is not possible with this model. */
TEMPER_API temper_status temper_model_run(temper_run **out, const temper_model *model, const uint32_t *letters,
                                          size_t n, const temper_run_options *options, temper_error *err);
/* How a run evaluates each head, found from the weights: "uniform", "scan", "few keys", "peaked" or "dense"; and
   about how many multiply-adds that takes on a string of length n. Both arrays have room for all heads of the model,
   layer by layer; either may be NULL. */
TEMPER_API temper_status temper_model_plans(const char **plans, double *costs, const temper_model *model, size_t n,
                                            int hard, temper_error *err);

/* Many strings at once, in threads: accept[k] = 0, 1, or 2 where n[k] is beyond the proved length (and not
   unchecked), or where a run of that string alone is refused because rounding hides a tie. TEMPER_UNSUPPORTED: the
   model is no acceptor. Results do not depend on
   threads or on how strings are put together. `capture` is not allowed, nor are the types from BF16_F32 on
   (TEMPER_UNSUPPORTED): their strings are run one by one. */
TEMPER_API temper_status temper_model_run_many(unsigned char *accept, const temper_model *model,
                                               const uint32_t *const *letters, const size_t *n, size_t count,
                                               const temper_run_options *options, temper_error *err);
TEMPER_API void temper_run_free(temper_run *run);
typedef struct temper_run_info {
    temper_type type;
    size_t size;                /* N: positions, sentinels included */
    int accept;                 /* the verdict; of a language model: it may end; 0 for a transducer */
    int proved;                 /* 0: beyond the proved length */
    temper_claim claim;         /* what the verdict of a proved run is proved to be, ... */
    int every_position;         /* ... and whether the truth at every position is as well; not of a model that
                                   answers for whole strings only */
    const unsigned char *truth; /* [N] the answers 0 or 1 at all positions, of the first output; 0 is the start
                                   sentinel. A model for whole strings only says there whether the rest of the
                                   string, from that position on, is a word: ask with `positions` if in doubt */
    /* What was noticed in an unproved run: an adaptive head took a rounding error for a gap; else "". */
    const char *warning;
} temper_run_info;
TEMPER_API temper_run_info temper_run_about(const temper_run *run);

/* [N] whether an output holds, at all positions; position 0 is the start sentinel, where outputs say what holds
   before the first letter. The array stays the run's. NULL: there is no such output. */
TEMPER_API const unsigned char *temper_run_output(const temper_run *run, size_t output);

/* [N] the number beside an output, of a language model with probabilities: the logarithm of the probability that the
   letter comes next, or the end; -1024 stands for never. NULL: there are none, or the run proved hard choices, which
   have no numbers. */
TEMPER_API const double *temper_run_logits(const temper_run *run, size_t output);

/* The one output that holds at a position: what a transducer writes there; or TEMPER_WRITES_NONE or _SEVERAL. */
TEMPER_API long temper_run_written(const temper_run *run, size_t position);
/* What a transducer writes for the string, as temper_spec_write. The model is the one that was run. */
TEMPER_API temper_status temper_run_write(char **out, size_t *length, const temper_run *run,
                                          const temper_model *model, temper_error *err);

/* A head in a run. Arrays need `capture`, else they are NULL; they stay the run's and are [N][N]. */
typedef struct temper_run_head_info {
    double error;          /* the largest distance of an output from 0 or 1 before rounding; -1: it is not Boolean */
    const double *scores;  /* scale not applied, masked: -inf */
    const double *logits;  /* what goes through exp, rounded as the type does; NULL: the head made a hard choice */
    const double *weights; /* of attention */
} temper_run_head_info;
TEMPER_API temper_run_head_info temper_run_head(const temper_run *run, size_t layer, size_t head);

/* A head at one position. This needs `capture`, else all is 0 and NULL. */
typedef struct temper_run_row_info {
    double scale;                 /* the factor of the row's scores */
    const double *query, *key;    /* [query_size] */
    const double *value, *output; /* [value_size] */
} temper_run_row_info;
TEMPER_API temper_run_row_info temper_run_row(const temper_run *run, size_t layer, size_t head, size_t position);
/* The channels [channels] of a position after a layer (0: the embedding). */
TEMPER_API const double *temper_run_channels(const temper_run *run, size_t layer, size_t position);

/* ---- streams -------------------------------------------------------------------------------------------------- */

/* A model fed one letter at a time: after every letter, the answer for the string read so far, as temper_model_run
   would give it. Memory does not grow with the length. Only for compiled models that look back only. */
typedef struct temper_stream temper_stream;

/* The stream has read nothing yet. Of the options `hard`, `unchecked` and `type` count; f32 has its own proved
   length. TEMPER_UNSUPPORTED: a head looks forward, or is not one that the compiler makes; the message names it. The
   model must outlive the stream. A stream is not shared between threads while it is pushed. */
TEMPER_API temper_status temper_stream_open(temper_stream **out, const temper_model *model,
                                            const temper_run_options *options, temper_error *err);
TEMPER_API void temper_stream_free(temper_stream *stream);

/* Reads a letter; *accept (may be NULL) is the verdict on the string read so far. TEMPER_RANGE: no such letter;
   TEMPER_LIMIT: beyond the proved length, and not `unchecked`: in both cases nothing was read. TEMPER_UNSUPPORTED: a
   head met numbers that no compiled model makes; the stream then gives no more answers until it is reset. */
TEMPER_API temper_status temper_stream_push(temper_stream *stream, uint32_t letter, int *accept, temper_error *err);

typedef struct temper_stream_info {
    size_t length;      /* letters read */
    int accept;         /* the verdict on them, also on none; of a language model: they may end; else 0 */
    int proved;         /* 0: beyond the proved length */
    temper_claim claim; /* what the verdict is proved to be */
} temper_stream_info;
TEMPER_API temper_stream_info temper_stream_about(const temper_stream *stream);
/* Whether an output holds after the letters read, also after none; 0: it does not, or there is no such output. */
TEMPER_API int temper_stream_output(const temper_stream *stream, size_t output);
/* As temper_run_logits, after the letters read; NaN: there is none. */
TEMPER_API double temper_stream_logit(const temper_stream *stream, size_t output);
/* The one that does: what a transducer writes after the last letter; or TEMPER_WRITES_NONE or _SEVERAL. */
TEMPER_API long temper_stream_written(const temper_stream *stream);
/* The error of a head as in temper_run_head_info since the stream was opened or reset. Each row is taken with the
   length it was read at. */
TEMPER_API double temper_stream_error(const temper_stream *stream, size_t layer, size_t head);
/* Back to the empty string. */
TEMPER_API void temper_stream_reset(temper_stream *stream);

/* ---- language models: strings out of them (doc/sequence.md) ---- */

typedef enum temper_sampling {
    /* At each step one of the legal letters, or the end where it is legal, equally likely. A string that has not
       ended after `length` letters is dropped, and another one is drawn. */
    TEMPER_SAMPLING_LETTERS,
    TEMPER_SAMPLING_STRINGS, /* one of all strings of a length, equally likely: by counting, if finite-state */
    TEMPER_SAMPLING_WEIGHTS, /* as LETTERS, as likely as the model's probabilities say */
    TEMPER_SAMPLING_LAST_ = TEMPER_SAMPLING_WEIGHTS
} temper_sampling;

/* Zero-initialise for the defaults. */
typedef struct temper_sample_options {
    temper_sampling by;
    size_t length; /* STRINGS: of exactly so many letters; else at most so many, 0: 100 */
    uint64_t seed;
    temper_run_options run; /* how the transformer is run */
    size_t tries;           /* how many strings in a row may be dropped; 0: 1000 */
} temper_sample_options;

typedef struct temper_sampler temper_sampler;

/* The model, which must outlive the sampler, is run at every step. TEMPER_UNSUPPORTED: it is no language model, or
   its strings cannot be counted; TEMPER_RANGE: there is no string of the length; TEMPER_LIMIT: nothing is proved of
   such a run, or counting takes too much memory. */
TEMPER_API temper_status temper_sampler_open(temper_sampler **out, const temper_model *model,
                                             const temper_sample_options *options, temper_error *err);
TEMPER_API void temper_sampler_free(temper_sampler *sampler);
/* The next string: *letters (freed with temper_free) holds *n of them; *proved (may be NULL): all answers on the way
   were. The same seed gives the same strings. TEMPER_LIMIT: none of `tries` strings ends within the length. */
TEMPER_API temper_status temper_sampler_draw(uint32_t **letters, size_t *n, int *proved, temper_sampler *sampler,
                                             temper_error *err);

/* exp of a logit, the same bits everywhere; exactly 0 for what never comes. */
TEMPER_API double temper_probability(double logit);

/* A bound on how far any logit of the model is from the logarithm of the probability that its specification says,
   as long as the answers are proved; rounding in the number format is included. The logit of what never comes is
   only so small that its probability is 0. What temper_certify proves of logits, found at the first call.
   Infinity: the model has no logits, nothing is proved of them, or there is no memory. */
TEMPER_API double temper_model_logit_error(const temper_model *model, temper_type type);

/* A whole string and its end. */
typedef struct temper_likelihood {
    double log_probability; /* natural logarithm; -infinity: it is not in the language, or has probability 0 */
    double error;           /* how far that may be from what the specification says, outward rounded; infinity: logits
                               are not proved; 0 if log_probability is -infinity */
    int proved;             /* 0: the answers of the run are not proved, or the logits are not */
} temper_likelihood;

/* Errors are those of temper_model_run. TEMPER_UNSUPPORTED: the model has no probabilities. */
TEMPER_API temper_status temper_model_likelihood(temper_likelihood *out, const temper_model *model,
                                                 const uint32_t *letters, size_t n, const temper_run_options *options,
                                                 temper_error *err);

/* ---- checking ---- */

/* Zero-initialise for the defaults: only the empty string is compared. */
typedef struct temper_check_options {
    size_t exhaustive; /* all strings up to this length */
    uint64_t random;   /* then this many random strings ... */
    size_t length;     /* ... up to this length */
    uint64_t seed;
    unsigned threads; /* 0: as many as there are processors; no result depends on it */
    /* Called now and then with the strings done and the total; returns non-zero to stop. May be NULL. */
    int (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
} temper_check_options;

typedef struct temper_check_result {
    uint64_t strings; /* compared */
    /* Of all strings up to a length those over the first letters of each class are compared. Letters are of one class
       if their rows of the embedding are the same and no part of the formula tells them apart. */
    size_t classes;
    double stand_for;         /* how many strings the exhaustive part stands for, about */
    int agreed;               /* 1: every one agreed */
    int stopped;              /* progress asked to stop */
    uint32_t *counterexample; /* a shortest one found, in the model's letters, or NULL; freed by temper_check_clear */
    size_t counterexample_length;
    size_t position;          /* of the difference, from 1; 0: the verdict, or before the first letter */
    size_t output;            /* the output that differs there */
    const char *left, *right; /* which two disagree: "formula", "hard", "soft" */
    int left_value, right_value;
    /* The largest error before rounding seen in soft runs. If all strings of some length were looked at and there is
       a counterexample among them, it stands for all of that length. */
    double margin;
} temper_check_result;

/* How many classes of letters a check of the two has, by which the cost of an exhaustive part goes. */
TEMPER_API temper_status temper_check_classes(size_t *out, const temper_spec *spec, const temper_model *model,
                                              temper_error *err);
/* A model of which no length is proved is run unchecked, since this is how to find out about it; else lengths beyond
   the proved length are refused with TEMPER_LIMIT. Compares, at every position, for every output and in the verdict,
   what is not NULL: the formula, the model with hard choices, and the model as it is if it is soft. Outputs are
   matched by name. */
TEMPER_API temper_status temper_check(temper_check_result *out, const temper_spec *spec, const temper_model *model,
                                      const temper_check_options *options, temper_error *err);
/* Frees what a result holds; call it after every temper_check or temper_check_merge that succeeded. */
TEMPER_API void temper_check_clear(temper_check_result *result);

/* ---- long work: jobs, units, journals ---- */

/* A job is work split into numbered units. The result of a unit is a short string of bytes that depends on the job
   and the unit's number, and on nothing else: not on the machine, threads or order. What was asked for is made from
   all results, in the order of the numbers, so it is the same however the units were done. */
typedef struct temper_job temper_job;

/* temper_check as a job: the tree of prefixes (or suffixes, or all strings in their order) is cut into units of up to
   some 10^5 strings, and random strings are drawn unit by unit. `options->threads`, `progress` and `context` are not
   used. Formula and model must outlive the job. */
TEMPER_API temper_status temper_check_job(temper_job **out, const temper_spec *spec, const temper_model *model,
                                          const temper_check_options *options, temper_error *err);
TEMPER_API void temper_job_free(temper_job *job);
typedef struct temper_job_info {
    const char *name;   /* "check" */
    const char *digest; /* SHA-256 of all that results depend on, the library's version included, in hexadecimal */
    uint64_t units;
    uint64_t total; /* how much all units do, in the measure of progress (check: strings) */
} temper_job_info;
TEMPER_API temper_job_info temper_job_about(const temper_job *job);
/* How much one unit does. */
TEMPER_API uint64_t temper_job_weight(const temper_job *job, uint64_t unit);

/* What one thread or process needs to do units of a job. `threads` is for units that are hard to split (check: random
   strings); 0: one for each core. */
typedef struct temper_worker temper_worker;
TEMPER_API temper_status temper_worker_open(temper_worker **out, const temper_job *job, unsigned threads,
                                            temper_error *err);
TEMPER_API void temper_worker_free(temper_worker *worker);
/* Does a unit; *result (freed with temper_free) holds *size bytes. */
TEMPER_API temper_status temper_worker_run(unsigned char **result, size_t *size, temper_worker *worker, uint64_t unit,
                                           temper_error *err);

/* The results that are known so far: in memory and, if there is a path, in a file. Every result is appended to the
   file with a checksum, so a job that was killed goes on where it was. A file that ends in a damaged record is cut
   before it. TEMPER_RANGE: the file belongs to another job; TEMPER_IO: another process has it open. The job must
   outlive the journal. Not for several threads at a time. */
typedef struct temper_journal temper_journal;
TEMPER_API temper_status temper_journal_open(temper_journal **out, const char *path, const temper_job *job,
                                             temper_error *err);
/* Syncs and closes the file and frees the journal, also on failure. NULL is allowed. */
TEMPER_API temper_status temper_journal_close(temper_journal *journal, temper_error *err);
typedef struct temper_journal_info {
    uint64_t kept;    /* results found in the file */
    uint64_t dropped; /* damaged bytes cut off the file */
    int complete;     /* every unit that is needed is known */
} temper_journal_info;
TEMPER_API temper_journal_info temper_journal_about(const temper_journal *journal);

/* The next unit to do: 1, or 0 when all that are needed are known or handed out. A counterexample, for one, makes
   later units needless. */
TEMPER_API int temper_journal_next(uint64_t *unit, temper_journal *journal);
/* Keeps a result. The same result may come twice; TEMPER_FORMAT: another one. */
TEMPER_API temper_status temper_journal_add(temper_journal *journal, uint64_t unit, const unsigned char *result,
                                            size_t size, temper_error *err);

/* Does all units that are still needed in threads of this process (0: one for each core). *stopped (may be NULL):
   progress asked to stop. */
TEMPER_API temper_status temper_job_run(int *stopped, temper_journal *journal, unsigned threads,
                                        int (*progress)(void *context, uint64_t done, uint64_t total), void *context,
                                        temper_error *err);

/* What temper_check would have given, from a complete journal of its job. */
TEMPER_API temper_status temper_check_merge(temper_check_result *out, const temper_job *job,
                                            const temper_journal *journal, temper_error *err);

/* ---- gaps: how far apart scores are ---- */

/* What ties in the rows of a head, for hard choices in exact arithmetic. */
typedef enum temper_tie {
    TEMPER_TIE_UNKNOWN,
    TEMPER_TIE_UNIFORM, /* all scores of a row are equal, always */
    TEMPER_TIE_TIELESS, /* one largest score in every row */
    TEMPER_TIE_TIED     /* some row has several largest scores, and not all are equal; there is a witness */
} temper_tie;

/* Zero-initialise for the defaults, which look at nothing. */
typedef struct temper_gap_options {
    const uint32_t *const *strings; /* measure on these ... */
    const size_t *lengths;
    size_t string_count;
    uint64_t random; /* ... and on this many random strings ... */
    size_t length;   /* ... up to this length */
    uint64_t seed;
    size_t exhaustive; /* all strings up to this length; 0: none but the empty one is looked at */
    size_t proved;     /* from denominators, for all strings of each length up to this */
    int (*progress)(void *context, uint64_t done, uint64_t total); /* may be NULL; non-zero stops: TEMPER_LIMIT */
    void *context;
} temper_gap_options;

typedef struct temper_gap temper_gap;

/* Runs the model with hard choices in exact arithmetic. TEMPER_UNSUPPORTED: features that are not rational, or heads
   without a hard choice. */
TEMPER_API temper_status temper_gap_find(temper_gap **out, const temper_model *model,
                                         const temper_gap_options *options, temper_error *err);
TEMPER_API void temper_gap_free(temper_gap *gap);

/* log2 of the smallest difference between the largest and the next different score of a row. +inf: no row has two
   different scores; NaN: not looked at. `proved` is a lower bound, for every string of the length, and -inf where
   nothing is known. */
typedef struct temper_gap_row {
    double measured, exhaustive, proved;
} temper_gap_row;
TEMPER_API temper_gap_row temper_gap_at(const temper_gap *gap, size_t layer, size_t head, size_t n); /* from 1 */
TEMPER_API size_t temper_gap_longest(const temper_gap *gap); /* the largest n that was looked at in any way */

typedef struct temper_gap_head {
    temper_tie tie;
    size_t proved;           /* tie is UNIFORM or TIELESS for every string up to this length (SIZE_MAX: any length) */
    const uint32_t *witness; /* TIED: a string, ... */
    size_t witness_length;
    size_t position, key, other_key; /* ... its row, and two keys with the largest score */
} temper_gap_head;
TEMPER_API temper_status temper_gap_about(temper_gap_head *out, const temper_gap *gap, size_t layer, size_t head,
                                          temper_error *err);

/* ---- softening any hard model ---- */

typedef enum temper_gap_source {
    TEMPER_GAP_PROVED,     /* from denominators */
    TEMPER_GAP_EXHAUSTIVE, /* all strings up to the length, run exactly */
    TEMPER_GAP_GIVEN       /* by the caller: nothing is proved then, and the model says so */
} temper_gap_source;

/* Zero-initialise, then set `method` and, for heads that no formula makes, `length`. */
typedef struct temper_soften_options {
    temper_method method; /* temperature or positions; without a length also digits */
    temper_type digits;   /* as in temper_build_options */
    size_t length;        /* the longest string it must be right on; 0: any, for models that come from a formula */
    temper_gap_source gap;
    double gap_value; /* TEMPER_GAP_GIVEN */
    int adaptive;     /* scales divided by each row's own gap; temperature only */
    int (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
    unsigned threads; /* for proved gaps; 0: one for each core. No result depends on it */
    /* Of temper_choices_job of the hard model and this length or a longer one, complete; NULL: what it holds is found
       here. No result depends on it. TEMPER_RANGE: another one. */
    const temper_journal *facts;
} temper_soften_options;

/* For all strings up to the length: the soft model's read-out is within `error` of the hard one's, which is at least
   `margin` away from 1/2. In f64, rounding included. */
typedef struct temper_soften_report {
    double error, margin;
    int every_position; /* 0: at the position of the verdict only */
    double log2_scale;  /* of the largest scale */
    size_t layer, head; /* the head that has it; 0: none */
} temper_soften_report;

/* Hard to soft. TEMPER_LIMIT: the error cannot be brought below the margin; the message names the head and the
   length. TEMPER_RANGE: TEMPER_METHOD_HARD, or a model that is soft already; TEMPER_UNSUPPORTED: without a length, a
   head that no formula makes, or gates that digits cannot hold. `options` may not be NULL, `report` may. */
TEMPER_API temper_status temper_soften(temper_model **out, temper_soften_report *report, const temper_model *hard,
                                       const temper_soften_options *options, temper_error *err);

/* What temper_soften with proved gaps, and a certificate of hard choices, take for a length, before they are made:
   about so many steps of 400 to 1,000 ns each. An audit takes about twice as many. Errors as of temper_gap_find. */
TEMPER_API temper_status temper_choices_cost(double *steps, const temper_model *model, size_t length,
                                             temper_error *err);

/* What is known of a model's hard choices on all strings of each length up to one, as a job: temper_soften with
   proved gaps and temper_certify need it, and it takes most of their time. A unit is a range of lengths. The model
   must outlive the job, and the journal the calls that use it as `facts`. TEMPER_LIMIT: beyond 16,384 letters. */
TEMPER_API temper_status temper_choices_job(temper_job **out, const temper_model *model, size_t length,
                                            temper_error *err);

/* What keeps a hard model from being softened for longer strings. */
typedef enum temper_obstacle {
    TEMPER_OBSTACLE_NONE,   /* nothing, up to the length that was asked for */
    TEMPER_OBSTACLE_GAP,    /* a head must tell scores apart that come closer than they are computed */
    TEMPER_OBSTACLE_OUTPUT, /* the outputs of a head are too far off for what comes after it */
    TEMPER_OBSTACLE_LOGITS, /* numbers that f64 does not hold */
    TEMPER_OBSTACLE_MARGIN  /* an answer may be exactly at the threshold */
} temper_obstacle;

enum { TEMPER_LIMIT_LETTERS = 32, TEMPER_LIMIT_TEXT = 64 };

typedef struct temper_soften_limit {
    temper_obstacle obstacle;
    size_t works;       /* it can be softened for strings up to this length, ... */
    size_t fails;       /* ... and at this one it cannot; with TEMPER_OBSTACLE_NONE both are the length asked for */
    size_t layer, head; /* the head that fails there; 0: none */
    double log2_gap;    /* its scores differ by at least this, by proof, or not at all */
    double log2_step;   /* of its tie-break, which is smaller; -inf: it needs none */
    double log2_off;    /* and two of its scores are off by up to this */
    double bits; /* about so many significant bits, instead of 53, would do at that length; 0: more do not help */
    /* How log2_gap falls: bits for a letter more (near the length), for a doubling of the length; NaN: unknown. The
       first is steady if the gap shrinks exponentially, the second if it is a power of the length. */
    double bits_per_letter, bits_per_doubling;
    int can_saturate; /* the head has one largest score in every row, or a tie-break: it could be made one-hot */
    int saturated;    /* scales that make it so were tried, and do not help */
    int gates;        /* gates that round channels to 0 or 1 after each layer would do at that length */
    /* Two scores of the head that are close, the largest and the next of a row, found by running strings exactly: all
       short ones, and random ones up to TEMPER_LIMIT_LETTERS letters; witness_length SIZE_MAX: none was found. */
    uint32_t witness[TEMPER_LIMIT_LETTERS];
    size_t witness_length, position, key, other_key;
    char score[TEMPER_LIMIT_TEXT], other_score[TEMPER_LIMIT_TEXT]; /* "3/5"; "" where a fraction is too long */
    double log2_seen;                                              /* of their difference */
    size_t all_up_to;                                              /* all strings up to this length were run */
    int exponential; /* a bit or more for every letter, on strings and by proof: no precision reaches far */
} temper_soften_limit;

/* How far a hard model can be softened, and why no further: up to options->length, which counts as asked for.
   TEMPER_RANGE and TEMPER_UNSUPPORTED as of temper_soften; TEMPER_LIMIT: the gaps cannot be found. */
TEMPER_API temper_status temper_soften_explain(temper_soften_limit *out, const temper_model *hard,
                                               const temper_soften_options *options, temper_error *err);
TEMPER_API const char *temper_obstacle_name(temper_obstacle obstacle); /* "none", "gap", ...; "" if there is none */

/* ---- export: for other runtimes -------------------------------------------------------------------------------- */

/* Optional outputs of the ONNX graph, named as TransformerLens names its hooks. */
enum {
    TEMPER_EXPORT_PATTERNS = 1, /* blocks.L.attn.hook_pattern [batch, head, query, key] */
    TEMPER_EXPORT_CHANNELS = 2, /* hook_embed, blocks.L.hook_resid_post [batch, sequence, channel] */
    TEMPER_EXPORT_HEADS =
        4 /* blocks.L.attn.hook_z [batch, sequence, head, d_head]: averages, before they are rounded */
};

/* Zero-initialise for the defaults. */
typedef struct temper_export_options {
    temper_type type; /* of the ONNX graph: TEMPER_TYPE_F64 or TEMPER_TYPE_F32 */
    unsigned outputs; /* any of the above */
    /* also models of which no length is proved, and hard ones, whose ties other runtimes may round away */
    int unchecked;
    const char *certificate; /* audited, then put into the folder as certificate.json; NULL: none */
    uint64_t seed;           /* of the strings in testvectors.jsonl */
} temper_export_options;

/* Writes a folder that PyTorch, Hugging Face, TransformerLens and ONNX runtimes can load (doc/export.md). The folder
   is made if it is missing (its parent is not); files that an earlier export left are replaced one by one, others are
   not touched. TEMPER_LIMIT: no length is proved, and not `unchecked`; or dense weights beyond 2 GiB. TEMPER_RANGE: a
   type that the graph cannot have, or a certificate that is not about the bytes that temper_model_save writes for
   this model, as text or as safetensors, or is not true. TEMPER_FORMAT: no certificate of temper. */
TEMPER_API temper_status temper_export(const char *folder, const temper_model *model,
                                       const temper_export_options *options, temper_error *err);

/* Only the ONNX graph, into one file. */
TEMPER_API temper_status temper_export_onnx(const char *path, const temper_model *model,
                                            const temper_export_options *options, temper_error *err);

/* ---- ordinary transformers: a GPT-2 or a Llama that other programs run as they are ---- */

typedef enum temper_ordinary_architecture {
    TEMPER_ORDINARY_GPT2,
    TEMPER_ORDINARY_LLAMA
} temper_ordinary_architecture;

/* How a Llama knows positions: by the frequencies of its base, or by binary digits, whose frequencies only GGUF files
   can hold. AUTO takes the ramp where it goes. */
typedef enum temper_ordinary_positions {
    TEMPER_ORDINARY_POSITIONS_AUTO,
    TEMPER_ORDINARY_POSITIONS_RAMP,
    TEMPER_ORDINARY_POSITIONS_DIGITS
} temper_ordinary_positions;

/* Zero-initialise for the defaults; only the length must be given. */
typedef struct temper_ordinary_options {
    temper_ordinary_architecture architecture;
    size_t length;   /* the longest string, in letters */
    int weights_f16; /* weights are stored in f16, else in f32 */
    int cache_f32; /* it will be run with keys and values cached in f32, else in f16, as llama.cpp does unless told */
    temper_ordinary_positions positions; /* of a Llama */
    uint64_t seed;                       /* of the strings in testvectors.jsonl */
} temper_ordinary_options;

/* What is proved of ordinary transformers of a setting (doc/ordinary.md, "The proof"), and confirmed by the audit of
   their GGUF file. */
typedef struct temper_ordinary_verdict {
    int proved;
    size_t length;      /* what was asked for; of the longest: the largest that was proved, 0 if none is */
    int viable;         /* proved, if what the specification calls viable is what can be completed */
    double logits;      /* proved: how far a logit may be from its ideal value */
    size_t layer, head; /* not proved, or not further: where, from 1; 0: nowhere in particular */
    char reason[400];   /* and why: a clause */
    size_t shorter;     /* not proved: the largest length below that is; 0: none, or not looked for (beyond 4,096) */
} temper_ordinary_verdict;

/* What was written. */
typedef struct temper_ordinary_info {
    size_t layers, heads, head_size, width, hidden, vocabulary;
    int mirrored;                  /* the string is fed from right to left */
    int only_gguf;                 /* no files for Hugging Face and ONNX, which cannot hold its frequencies */
    int every_letter;              /* what may come next is not known: every letter is legal */
    temper_ordinary_verdict proof; /* if it is proved the folder has certificate.json */
} temper_ordinary_info;

/* A GPT-2 or a Llama that llama.cpp, Ollama, Hugging Face transformers and transformers.js load without code of ours
   (doc/ordinary.md): an ordinary causal language model whose end token is legal exactly after strings of the
   language. It is made once, with what is proved of it. */
typedef struct temper_ordinary temper_ordinary;

/* Without a length there is a setting and no transformer: temper_ordinary_certify and temper_ordinary_limits look for
   lengths. So it is where the length is beyond what a head and the settings allow; then the others say why
   (TEMPER_LIMIT), and certify says that it is not proved. TEMPER_UNSUPPORTED: a specification that looks both ways.
   `options` may not be NULL. */
TEMPER_API temper_status temper_ordinary_build(temper_ordinary **out, const temper_spec *spec,
                                               const temper_ordinary_options *options, temper_error *err);
TEMPER_API void temper_ordinary_free(temper_ordinary *x);

/* Zeros if there is no transformer. */
TEMPER_API temper_ordinary_info temper_ordinary_about(const temper_ordinary *x);

/* The folder, which is made as by temper_export; if it is proved with certificate.json. TEMPER_UNSUPPORTED: a letter
   that clients cannot read. */
TEMPER_API temper_status temper_ordinary_write(const temper_ordinary *x, const char *folder, temper_error *err);

/* Its GGUF file alone, and a certificate about that, as bytes that temper_free frees; no folder changes them.
   TEMPER_RANGE: it is not proved, so there is no certificate. */
TEMPER_API temper_status temper_ordinary_gguf(char **out, size_t *length, const temper_ordinary *x,
                                              temper_error *err);
TEMPER_API temper_status temper_ordinary_certificate(char **out, size_t *length, const temper_ordinary *x,
                                                     temper_error *err);

/* temper_audit of both. */
TEMPER_API temper_status temper_ordinary_audit(const temper_ordinary *x, temper_error *err);

/* logits[count + 1][vocabulary], before the first letter and after each one as it is fed, by an emulator of
   llama.cpp's kernels. A mirrored one is fed from the end of the string. */
TEMPER_API temper_status temper_ordinary_run(float *logits, const temper_ordinary *x, const uint32_t *letters,
                                             size_t count, temper_error *err);

/* What is proved: that it gives the logits of the specification after every prefix of every string up to its length,
   in the runtimes of doc/ordinary.md. Without a length: the largest that can be found, up to 16,384. A length that no
   head reaches is not proved. */
TEMPER_API temper_status temper_ordinary_certify(temper_ordinary_verdict *out, const temper_ordinary *x,
                                                 temper_error *err);

/* Where a setting ends. */
typedef struct temper_ordinary_limit {
    temper_ordinary_verdict proved; /* the longest */
    int found;                      /* a wrong answer, by an emulator of the runtimes: */
    size_t wrong;                   /* the length that the model was made for, ... */
    size_t position;                /* ... and after how many letters the logits are wrong */
    size_t tried;                   /* nothing is wrong up to here, in the strings that were tried */
    char note[200];                 /* why nothing longer was tried; "" if it was */
} temper_ordinary_limit;

/* The largest proved length of its setting, and the first one at which an emulator gives a wrong answer; also beyond
   what can be built. Lengths up to `most` are tried, 0: 2,048. */
TEMPER_API temper_status temper_ordinary_limits(temper_ordinary_limit *out, const temper_ordinary *x, size_t most,
                                                temper_error *err);

/* ---- certificates: proofs for every string up to a length, in a number format ---- */

typedef enum temper_verdict {
    TEMPER_PROVED,  /* for all strings: there is a certificate */
    TEMPER_REFUTED, /* there is a string with a wrong answer */
    TEMPER_UNABLE   /* neither was found, and why */
} temper_verdict;

/* Zero-initialise, then set `length`. */
typedef struct temper_certify_options {
    size_t length;    /* for all strings up to this length ... */
    temper_type type; /* ... run in this type; not exact */
    int search;       /* where there is no proof, look for a string with a wrong answer */
    int (*progress)(void *context, uint64_t done, uint64_t total); /* may be NULL; non-zero stops: TEMPER_LIMIT */
    void *context;
    unsigned threads;            /* for the facts about hard choices; 0: one for each core. No result depends on it */
    const temper_journal *facts; /* as in temper_soften_options, of a job of this model; NULL: they are found here */
} temper_certify_options;

typedef struct temper_certificate temper_certificate;

/* The claim is about the bytes of a model's file; NULL: the text that temper_model_print gives. TEMPER_OK for all
   three verdicts. */
TEMPER_API temper_status temper_certify(temper_certificate **out, const temper_model *model, const char *bytes,
                                        size_t size, const temper_certify_options *options, temper_error *err);
TEMPER_API void temper_certificate_free(temper_certificate *certificate);
typedef struct temper_certificate_info {
    temper_verdict verdict;
    temper_claim claim; /* of a proved one, else TEMPER_CLAIM_NONE, ... */
    int every_position; /* ... and whether it holds at every position */
    const char *reason; /* "" if proved */
    temper_fault fault;
    /* With TEMPER_CLAIM_CHOICES, if the model was recognised by its roles, else "". read_off: the formula that was
       read off its weights, as text (those of several outputs below lines with their names). note: why the claim
       is not TEMPER_CLAIM_FORMULA. */
    const char *read_off, *note;
    /* The largest error, and what it is proved to be below: 1/4, or the margin of a model without Boolean channels.
       "" if not proved. */
    const char *error, *allowed;
    /* Of a language model with logits, else "": how far computed logits are at most from what their rows say of exact
       Booleans, and from the logarithms of the probabilities that its source gives. What has probability 0 has a
       logit whose exp is exactly 0. If the latter is "" logits are not part of the claim, and the note says why. */
    const char *logits, *log_probabilities, *logits_note;
    size_t heads; /* those that temper_certificate_head tells of */
} temper_certificate_info;
TEMPER_API temper_certificate_info temper_certificate_about(const temper_certificate *certificate);
/* The JSON text of a proved one (doc/certificate.md); TEMPER_RANGE if it is not proved. */
TEMPER_API temper_status temper_certificate_print(char **out, size_t *length, const temper_certificate *certificate,
                                                  temper_error *err);

/* What a proved one says of each head, in order; texts are those of the file and live as long as the certificate. */
typedef struct temper_certified_head {
    size_t layer, head;
    const char *label, *kind, *by; /* "nearest", "bound" */
    const char *logit, *rounding, *error;
} temper_certified_head;
TEMPER_API temper_status temper_certificate_head(temper_certified_head *out, const temper_certificate *certificate,
                                                 size_t index, temper_error *err);

/* Zero-initialise for the defaults. */
typedef struct temper_audit_options {
    /* where it takes long: a certificate of hard choices. May be NULL; non-zero stops: TEMPER_LIMIT */
    int (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
    unsigned threads; /* for the facts about hard choices; 0: one for each core. No result depends on it */
    /* in place of the bytes, which are then NULL: a file, or of an ordinary transformer the folder that
       temper_ordinary_write wrote */
    const char *path;
} temper_audit_options;

/* Checks a certificate against the bytes of a model's file, with code of its own; one of an ordinary transformer
   (doc/ordinary.md) against those of its GGUF file. TEMPER_OK: every field is what the audit finds itself. Otherwise
   the message says what is wrong with it. `options` may be NULL. */
TEMPER_API temper_status temper_audit(const char *certificate, size_t length, const char *model, size_t size,
                                      const temper_audit_options *options, temper_error *err);

/* What a certificate claims: only read, not checked. Texts are as they stand there, "" where there is none. After an
   error only `ordinary` is set. */
typedef struct temper_audit_claim {
    int ordinary; /* it is about an ordinary transformer */
    temper_claim claim;
    size_t length;
    int every_position; /* else only the verdict */
    char kind[16];      /* "next" and so on; "": a recogniser of version 2 */
    char type[16], facts[16], error[24], log_probabilities[24];
    char architecture[16], weights[8], cache[8]; /* of an ordinary transformer */
} temper_audit_claim;
TEMPER_API temper_status temper_audit_read(temper_audit_claim *out, const char *certificate, size_t length,
                                           temper_error *err);

/* ---- limits: where each number format stops ---- */

/* What makes an answer wrong (doc/limits.md has the definitions). */
typedef enum temper_why {
    TEMPER_WHY_UNKNOWN,
    TEMPER_WHY_OVERFLOW,         /* a number is infinite or not a number */
    TEMPER_WHY_REPRESENTABILITY, /* stored queries, keys and values already mean another choice */
    TEMPER_WHY_LOST_TIE,         /* logits that differ come out equal, or the other way round, when they are summed */
    TEMPER_WHY_ABSORPTION,       /* sums of weights, values or counts lose terms */
    TEMPER_WHY_GATE              /* a channel that should be 0 or 1 is not, after the feed-forward net */
} temper_why;
TEMPER_API const char *temper_why_name(temper_why why); /* "lost tie" */

/* A soft model to be run in a type: one row of the table. */
typedef struct temper_limits_case {
    const temper_model *model;
    temper_type type; /* not exact */
} temper_limits_case;

/* Zero-initialise for the defaults. */
typedef struct temper_limits_options {
    size_t length; /* no string is longer; 0: 2^24 letters */
    double effort; /* 0: 1, about two seconds a row */
    uint64_t seed;
    unsigned threads;                                              /* as in temper_check_options */
    int (*progress)(void *context, uint64_t done, uint64_t total); /* may be NULL; non-zero stops: TEMPER_LIMIT */
    void *context;
} temper_limits_options;

/* Texts and letters live as long as the limits. */
typedef struct temper_limits_row {
    temper_type type;
    temper_method method;
    temper_claim claim;      /* what is proved, and ... */
    size_t proved;           /* ... up to which length: as temper_model_proof */
    const char *obstacle;    /* what stands in the way of a longer one */
    int found;               /* a wrong answer was found: ... */
    size_t wrong;            /* ... the smallest length of one */
    size_t swept, tried;     /* all lengths were tried up to the first, some up to the second */
    const uint32_t *letters; /* the string with the wrong answer, or NULL */
    const char *string;      /* itself if it is short, else how it is made, as "(bc)^341 b" */
    size_t position;         /* of the wrong answer, from 1 */
    size_t layer, head;      /* at fault, from 1; 0: none */
    const char *label;       /* of the head, or "" */
    temper_why why;
} temper_limits_row;

typedef struct temper_limits temper_limits;

/* For every case the proved length and a search for wrong answers, adversarial and with a budget. The same cases,
   options and library give the same table everywhere. TEMPER_UNSUPPORTED: a model that carries neither specification
   nor hard choices. */
TEMPER_API temper_status temper_limits_find(temper_limits **out, const temper_limits_case *cases, size_t count,
                                            const temper_limits_options *options, temper_error *err);
TEMPER_API void temper_limits_free(temper_limits *limits);
TEMPER_API size_t temper_limits_count(const temper_limits *limits);
TEMPER_API temper_limits_row temper_limits_at(const temper_limits *limits, size_t row); /* from 0 */

/* The same as a job (two units a case); the models must outlive it. */
TEMPER_API temper_status temper_limits_job(temper_job **out, const temper_limits_case *cases, size_t count,
                                           const temper_limits_options *options, temper_error *err);
TEMPER_API temper_status temper_limits_merge(temper_limits **out, const temper_job *job,
                                             const temper_journal *journal, temper_error *err);

/* The table as text: comma-separated values (RFC 4180) or one JSON object. */
typedef enum temper_limits_format { TEMPER_LIMITS_CSV, TEMPER_LIMITS_JSON } temper_limits_format;
TEMPER_API temper_status temper_limits_print(char **out, size_t *length, const temper_limits *limits,
                                             temper_limits_format format, temper_error *err);

/* Proved and wrong lengths as a chart in SVG: one bar a row, on a logarithmic axis. */
TEMPER_API temper_status temper_draw_limits(char **out, const temper_limits *limits, const char *title,
                                            temper_error *err);

/* ---- pictures ---- */

/* Zero-initialise for the defaults. */
typedef struct temper_draw_options {
    size_t layer, head; /* 0: all */
    int colour;         /* terminal: use colour escapes */
    size_t width;       /* terminal: columns to use, 0: 80 */
    /* svg, html: a captured run of the string with hard choices, which are outlined, or that one itself; may be
       NULL */
    const temper_run *hard;
    int part; /* html: not a page but one element for a page of others, without script, as notebooks show it */
    int dark; /* terminal: with colour, the background is dark */
} temper_draw_options;

/* The attention of a captured run, one panel per head; `letters` as given to the run. TEMPER_RANGE: the run was not
   captured, or there is no such layer or head. */
TEMPER_API temper_status temper_draw_terminal(char **out, const temper_model *model, const temper_run *run,
                                              const uint32_t *letters, const temper_draw_options *options,
                                              temper_error *err);
TEMPER_API temper_status temper_draw_svg(char **out, const temper_model *model, const temper_run *run,
                                         const uint32_t *letters, const temper_draw_options *options,
                                         temper_error *err);

/* An automaton as a picture in SVG. TEMPER_LIMIT: more than 100 states. */
TEMPER_API temper_status temper_draw_automaton(char **out, const temper_automaton *automaton, temper_error *err);

/* What svg and html refuse for its length alone, known before the run: TEMPER_LIMIT for a string of so many letters
   if that is more than 512 or 2,048 positions. */
TEMPER_API temper_status temper_draw_svg_fits(const temper_model *model, size_t length, temper_error *err);
TEMPER_API temper_status temper_draw_html_fits(const temper_model *model, size_t length, temper_error *err);

/* A self-contained page that needs no network: the model, the string with the truth of every subformula, and each
   head as a heat map with exact values in tooltips. Up to 100,000 cells of heads are shown one by one, beyond that in
   blocks; TEMPER_LIMIT: more than 2,048 positions or 1,000 heads. */
TEMPER_API temper_status temper_draw_html(char **out, const temper_model *model, const temper_run *run,
                                          const uint32_t *letters, const temper_draw_options *options,
                                          temper_error *err);

/* The stylesheet of such pages, of the playground and of notebooks; all of it is about elements inside one of class
   "temper". */
TEMPER_API const char *temper_draw_style(void);

#ifdef __cplusplus
}
#endif
#endif
