/* The GGUF container, version 3, as llama.cpp writes and reads it, in memory:

       "GGUF", version, number of tensors, number of keys; keys with typed values; names, sizes, types and places of
       tensors; zeros up to a multiple of the alignment; numbers, each tensor padded with zeros

   Opening checks everything before anything is allocated by a number from the file: counts and lengths against the
   bytes that are left, sizes against overflow, names against each other, and that tensors lie one behind the other
   and end where the file does. Every message says at which byte. Only types that files of ours have are known: keys
   of 32 bits, Booleans, strings and arrays of them and of bytes; tensors of f32 and f16. */
#ifndef ORDINARY_FILES_GGUF_FILE_H
#define ORDINARY_FILES_GGUF_FILE_H

#include "base/text.h"

enum {
    GGUF_KEY_LIMIT = 4096,
    GGUF_TENSOR_LIMIT = 100000,
    GGUF_NAME_LIMIT = 65535, /* bytes of a key or a name; llama.cpp's tensors have at most 63 */
    GGUF_TENSOR_NAME_LIMIT = 63,
    GGUF_RANK_LIMIT = 4
};

typedef enum gguf_type {                 /* as in the format */
                         GGUF_UINT8 = 0, /* in arrays */
                         GGUF_UINT32 = 4,
                         GGUF_INT32 = 5,
                         GGUF_FLOAT32 = 6,
                         GGUF_BOOL = 7,
                         GGUF_STRING = 8,
                         GGUF_ARRAY = 9
} gguf_type;

typedef enum gguf_tensor_type { GGUF_TENSOR_F32 = 0, GGUF_TENSOR_F16 = 1 } gguf_tensor_type;

typedef struct gguf_key {
    const char *name;
    gguf_type type, element; /* element: of an array */
    uint64_t count;          /* of an array */
    size_t at;               /* the value's first byte */
    const size_t *strings;   /* [count] of an array of strings: where each begins */
} gguf_key;

typedef struct gguf_tensor {
    const char *name;
    uint32_t rank;
    uint64_t shape[GGUF_RANK_LIMIT]; /* from the size that changes fastest, as in the file; 1 beyond the rank */
    gguf_tensor_type type;
    uint64_t elements;
    size_t begin; /* byte of the file */
    size_t at;    /* where the file names it */
} gguf_tensor;

typedef struct gguf_file {
    const unsigned char *bytes;
    size_t size;
    arena *arena;
    size_t key_count, tensor_count;
    gguf_key *keys;       /* in the order of the file */
    gguf_tensor *tensors; /* the same */
} gguf_file;

bool is_gguf_file(const char *bytes, size_t length);

/* What it points to lives in arena a, and the bytes must live on. Raises TEMPER_FORMAT, or TEMPER_LIMIT beyond the
   limits above. */
void gguf_open(gguf_file *f, const void *bytes, size_t size, arena *a);

/* Raises TEMPER_FORMAT: "byte B: ...". */
_Noreturn void gguf_fail(const gguf_file *f, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* NULL: there is none. */
const gguf_key *gguf_find(const gguf_file *f, const char *name);
const gguf_tensor *gguf_tensor_find(const gguf_file *f, const char *name);

/* The value of a key that must be there and have the type. Floats are finite. */
uint32_t gguf_u32(const gguf_file *f, const char *name);
float gguf_f32(const gguf_file *f, const char *name);
bool gguf_bool(const gguf_file *f, const char *name);
const char *gguf_string(const gguf_file *f, const char *name);
const gguf_key *gguf_array(const gguf_file *f, const char *name, gguf_type element);
const char *gguf_string_at(const gguf_file *f, const gguf_key *array, uint64_t k);
float gguf_float_at(const gguf_file *f, const gguf_key *array, uint64_t k);
int32_t gguf_int_at(const gguf_file *f, const gguf_key *array, uint64_t k);

/* The k-th number of a tensor, in the order of the file; infinities and NaN are refused. */
float gguf_number(const gguf_file *f, const gguf_tensor *t, uint64_t k);

#endif
