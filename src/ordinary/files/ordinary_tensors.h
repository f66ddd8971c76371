/* The tensors of an ordinary model under the names and in the layouts of two file formats. Both writers take them
   from here, so that a weight can differ between the files only by its layout. */
#ifndef ORDINARY_FILES_TENSORS_H
#define ORDINARY_FILES_TENSORS_H

#include "base/text.h"
#include "ordinary/files/ordinary_model.h"

typedef enum ordinary_naming { ORDINARY_GGUF, ORDINARY_HUGGING_FACE } ordinary_naming;

enum { ORDINARY_PARTS = 3 };

/* Matrices one below the other, as attention's queries, keys and values are in a GPT-2; or one vector. */
typedef struct ordinary_tensor {
    const char *name;
    float *parts[ORDINARY_PARTS]; /* [rows][columns] each; NULL: zeros */
    uint32_t part_count;
    uint32_t rows, columns; /* of each part; a vector has one row */
    uint32_t pair_rows;     /* rows of a head that go from halves to adjacent pairs; 0: they stay */
    bool is_matrix;         /* rank 2 */
    bool is_wide;           /* f32 also where weights are f16: what runtimes never keep in f16 */
    bool is_transposed;     /* the file has [columns][rows] */
} ordinary_tensor;

typedef struct ordinary_tensors {
    ordinary_tensor *all;
    size_t count, capacity;
} ordinary_tensors;

/* In the order of the file. Raises TEMPER_UNSUPPORTED for what the format cannot say. */
ordinary_tensors ordinary_tensors_make(const struct ordinary_model *m, ordinary_naming naming, arena *a);

/* Rows and columns as the file has them. */
void ordinary_tensor_shape(uint64_t shape[2], const ordinary_tensor *t);

/* The number at a place of the file's layout; NULL: it is 0. */
float *ordinary_tensor_at(const ordinary_tensor *t, uint64_t row, uint64_t column);

/* All numbers, little-endian, as f32 or f16. Raises TEMPER_LIMIT if one is beyond f16's range or is not finite. */
void ordinary_tensor_put(text *out, const ordinary_tensor *t, bool as_f16);

#endif
