/* Reads JSON (RFC 8259, strictly) one value after the other, without building a tree. So memory does not grow with
   the text, and a hostile header costs no more than its bytes. The caller knows what it wants:

       json_reader r;
       jread_begin(&r, bytes, length, scratch, trap);
       jread_object(&r);
       for (json_text key; jread_key(&r, &key);)
           if (jread_is(key, "layers")) { jread_array(&r); while (jread_element(&r)) layer(jread_integer(&r, 9, "a
           layer")); }
           else ...
       jread_end(&r);

   Every function raises TEMPER_FORMAT where the text is not JSON, or holds another type of value than the one
   asked for. Strings are checked to be UTF-8 when they are read. Duplicate keys: jread_field refuses them in
   objects whose keys are known beforehand, jread_keys_add in others, jread_skip in what is skipped; they are
   compared after decoding. */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/table.h"
#include "base/text.h"

enum { JSON_DEPTH = 64 };

typedef enum json_type { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_BOOL, JSON_NULL } json_type;

/* A string as it stands between its quotes: valid, escapes not yet decoded. */
typedef struct json_text {
    const char *bytes;
    size_t length;
} json_text;

typedef struct json_reader {
    const char *bytes;
    size_t length, at; /* at: next byte */
    arena *scratch;    /* for texts of messages */
    trap *trap;
    /* Where messages point to: line and column, or with `by_byte` the byte `base` + at of a file. A text that was
       itself a string of another JSON text (`outer`, `quoted`) points into that one. */
    const char *where; /* put before messages, e.g. "header"; "": nothing */
    json_text subject; /* behind it, in quotes: "tensor 'x': ..."; bytes NULL: none */
    const char *field; /* behind that, the key that jread_field read last, while its value is read; NULL: none */
    bool by_byte;
    uint64_t base;
    const struct json_reader *outer;
    json_text quoted;
    /* the containers around `at` */
    unsigned depth;
    uint64_t objects; /* bit d-1: the container at depth d is an object */
    bool fresh;       /* nothing was read yet of the innermost container */
} json_reader;

/* Messages point to lines and columns; set where, by_byte and base afterwards for byte offsets. */
void jread_begin(json_reader *r, const char *bytes, size_t length, arena *scratch, trap *t);

/* Raise TEMPER_FORMAT at a byte of the text; jread_expected adds what stands there instead. */
_Noreturn void jread_fail(const json_reader *r, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void jread_expected(const json_reader *r, size_t at, const char *what);
/* The same with another status and a hint. */
_Noreturn void jread_raise(const json_reader *r, size_t at, temper_status code, const char *hint,
                           const char *message);

/* The byte of the file that a byte of the text stands at (by_byte readers). */
uint64_t jread_offset(const json_reader *r, size_t at);

/* The type of the next value, which begins at r->at. */
json_type jread_peek(json_reader *r);

void jread_object(json_reader *r);              /* { */
bool jread_key(json_reader *r, json_text *key); /* the next key and its colon; false: } was read */
void jread_array(json_reader *r);               /* [ */
bool jread_element(json_reader *r);             /* another element follows; false: ] was read */
json_text jread_string(json_reader *r, const char *what);
uint64_t jread_integer(json_reader *r, uint64_t most,
                       const char *what);              /* digits only: no sign, fraction, exponent */
double jread_number(json_reader *r, const char *what); /* finite */
bool jread_bool(json_reader *r, const char *what);
void jread_null(json_reader *r);
void jread_end(json_reader *r); /* nothing but blanks may be left */

/* Skips the next value whatever it is. Duplicate keys in it are looked for with memory of `a`; NULL: they are not,
   for texts that are read again with jread_field. */
void jread_skip(json_reader *r, arena *a);

/* The number of elements of the array that is the next value; does not move. */
size_t jread_count(const json_reader *r);

/* ---- keys ---- */

/* The next key of an object whose keys are known: its index in a NULL-terminated list of at most 32, or -1 at the
   end. Unknown keys and second ones are refused; *seen (0 before the first) gets a bit for each. */
int jread_field(json_reader *r, const char *const *names, uint32_t *seen);

/* Refuses the object that began at byte `at` if a bit of `required` is not in `seen`. */
void jread_require(const json_reader *r, size_t at, const char *const *names, uint32_t seen, uint32_t required);

/* The keys of one object with arbitrary keys. */
typedef struct json_keys {
    table seen;
} json_keys;

void jread_keys_init(json_keys *k, arena *a);
void jread_keys_add(json_keys *k, const json_reader *r, json_text key); /* raises at a second one */

/* ---- strings ---- */

bool jread_is(json_text t, const char *s);
int jread_compare(json_text x, json_text y); /* by code points: less than, equal to or greater than 0 */
size_t jread_decode(char *out, json_text t); /* at most t.length bytes; the number of them */
size_t jread_decoded_length(json_text t);

/* The next value, a string without \u0000, decoded and NUL-terminated in arena a. */
char *jread_c_string(json_reader *r, arena *a, const char *what);

/* One of the strings of a NULL-terminated list: its index. `what` lists them for the message. */
unsigned jread_choice(json_reader *r, const char *const *words, const char *what);

#endif
