/* The safetensors container: 8 bytes with the length of the header (little-endian), the header (JSON), the numbers.

       {"__metadata__": {"key": "text", ...}, "NAME": {"dtype": "F64", "shape": [2, 3], "data_offsets": [0, 48]}, ...}

   Opening a file checks all of the header: strict JSON, known types, sizes that are shape times type, and data that
   covers the rest of the file without holes or overlap. Every message names the tensor and the byte of the file.
   Numbers are read in pieces, so that a file need never be in memory. */
#ifndef MODEL_TENSOR_FILE_H
#define MODEL_TENSOR_FILE_H

#include "base/file_io.h"
#include "base/json_read.h"

enum {
    TENSOR_HEADER_LIMIT = 100000000, /* bytes, as in the format's own implementation */
    TENSOR_COUNT_LIMIT = 1000000,
    TENSOR_RANK_LIMIT = 8,
    TENSOR_METADATA_LIMIT = 65536 /* keys */
};

typedef enum tensor_type {
    TENSOR_BOOL,
    TENSOR_U8,
    TENSOR_I8,
    TENSOR_F8_E5M2,
    TENSOR_F8_E4M3,
    TENSOR_I16,
    TENSOR_U16,
    TENSOR_F16,
    TENSOR_BF16,
    TENSOR_I32,
    TENSOR_U32,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_I64,
    TENSOR_U64
} tensor_type;

const char *tensor_type_name(tensor_type type);
size_t tensor_type_size(tensor_type type); /* bytes */

/* Where the bytes of a file come from: an open file, or memory. */
typedef struct tensor_source {
    const file_in *file; /* NULL: memory */
    const char *bytes;
    uint64_t size;
} tensor_source;

typedef struct tensor {
    const char *name;      /* valid UTF-8 without NUL */
    const uint64_t *shape; /* [rank] */
    uint64_t begin, end;   /* its bytes, counted from the start of the file */
    uint32_t at;           /* where the header names it: byte of the file */
    uint8_t rank;
    uint8_t type; /* tensor_type */
} tensor;

typedef struct tensor_metadata {
    json_text key, value; /* of the header */
} tensor_metadata;

typedef struct tensor_file {
    tensor_source source;
    json_reader header; /* at its end; locates messages */
    trap *trap;
    arena *scratch;
    size_t count;
    tensor *tensors;        /* in the order of the header */
    const tensor **by_name; /* [count] ascending */
    size_t metadata_count;
    tensor_metadata *metadata; /* ascending by key */
} tensor_file;

/* Reads and checks the header; everything that the tensor_file points to lives in arena a. */
void tensor_file_open(tensor_file *f, tensor_source source, arena *a, trap *t);

/* Whether bytes (the first of a file, 9 are enough) look like safetensors rather than text. */
bool is_tensor_file(const char *bytes, size_t length);

/* NULL if there is none of this name. */
const tensor *tensor_find(const tensor_file *f, const char *name);
uint64_t tensor_elements(const tensor *t);

/* Raise TEMPER_FORMAT: "byte B: tensor 'name': ...". */
_Noreturn void tensor_fail(const tensor_file *f, const tensor *t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Elements first ... first+count-1 in the order of the file (the last dimension fastest), as doubles. Only F64, F32,
   F16 and BF16; other types, infinities and NaN are refused. */
void tensor_read(double *out, const tensor_file *f, const tensor *t, uint64_t first, size_t count);

/* The index of a key of __metadata__, or -1. */
ptrdiff_t tensor_metadata_find(const tensor_file *f, const char *key);

/* Begins to read a value of __metadata__ that is itself JSON; messages give bytes of the file. The decoded text lives
   in a. */
void tensor_metadata_begin(json_reader *r, const tensor_file *f, size_t k, arena *a);

/* ---- writing ---- */

typedef struct tensor_plan { /* a tensor to be written, after those before it */
    const char *name;
    tensor_type type;
    unsigned rank;
    uint64_t shape[TENSOR_RANK_LIMIT];
} tensor_plan;

/* The bytes of a tensor; raises TEMPER_LIMIT if they do not fit in 64 bits. */
uint64_t tensor_plan_size(const tensor_plan *p, trap *t);

/* The file up to the numbers: header length and header, padded with blanks so that numbers begin at a multiple of 8.
   The metadata are pairs key, value. Raises TEMPER_LIMIT if the header is too large for the format. */
void tensor_header_print(text *out, const tensor_plan *plans, size_t count, const char *const *metadata,
                         size_t pairs);

#endif
