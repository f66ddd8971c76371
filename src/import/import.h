/* Importing: a transformer from a plain safetensors file with the names of TransformerLens or of GPT-2. A small JSON
   file, the settings, says what tensors cannot: letters, the heads' choices and masks, how the answer is read.
   doc/import.md describes both. Three passes:

       settings_read     the JSON file, by itself
       names_read        which tensor is which part of the transformer, and that the shapes agree
       the model         import.c, from both */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "model/model.h"
#include "model/tensor_file.h"

/* ---- settings ---- */

typedef struct head_setting {
    int choice, hard_choice, mask; /* -1: not given */
    const expression *scale;       /* NULL: not given */
    const char *label;             /* NULL: not given */
    size_t at;                     /* byte of the settings */
} head_setting;

typedef struct layer_setting {
    size_t at, count;
    head_setting *heads; /* [count] */
} layer_setting;

typedef struct channel_setting {
    uint64_t channel;
    const char *label;          /* of "labels" */
    const expression *position; /* of "positions" */
    size_t at;
} channel_setting;

typedef struct channel_settings {
    size_t count, capacity;
    channel_setting *list;
} channel_settings;

typedef enum answer_kind {
    ANSWER_DIFFERENCE, /* logit `column` > logit `other` */
    ANSWER_COLUMN,     /* logit `column` > threshold */
    ANSWER_CHANNEL     /* channel `column` > threshold */
} answer_kind;

typedef struct import_settings {
    json_reader json; /* locates messages */
    size_t begin;     /* where the object begins */
    uint64_t *rows;   /* [letters + 2] rows of the embedding: letters, start, end; NO_ROW: zero */
    size_t *row_at;   /* [letters + 2] */
    bool relu;        /* "activation" is given */
    head_setting head;
    bool has_layers;
    size_t layers_at, layer_count;
    layer_setting *layers;
    uint64_t head_count; /* "n_head"; 0: not given */
    size_t head_count_at;
    channel_settings positions, labels;
    answer_kind answer;
    size_t answer_at;
    uint64_t column, other;
    double threshold;
} import_settings;

static const uint64_t NO_ROW = UINT64_MAX;

/* ---- tensors ---- */

typedef enum name_style { STYLE_UNKNOWN, STYLE_LENS, STYLE_GPT2 } name_style;

/* Sizes: v tokens, d channels, h heads of e dimensions, m units, o logits. */
typedef enum tensor_part {
    PART_EMBED,     /* [v, d] */
    PART_POSITIONS, /* [positions, d] */
    PART_UNEMBED,   /* [d, o], GPT-2: [o, d] */
    PART_B_U,       /* [o] */
    PART_Q,         /* [h, d, e] */
    PART_K,
    PART_V,
    PART_O,   /* [h, e, d], GPT-2: [h*e, d] */
    PART_B_Q, /* [h, e] */
    PART_B_K,
    PART_B_V,
    PART_QKV,   /* GPT-2: [d, 3*h*e] */
    PART_B_QKV, /* GPT-2: [3*h*e] */
    PART_B_O,   /* [d] */
    PART_IN,    /* [d, m] */
    PART_B_IN,  /* [m] */
    PART_OUT,   /* [m, d] */
    PART_B_OUT, /* [d] */
    ALL_PARTS
} tensor_part;

enum { GLOBAL_PARTS = PART_Q }; /* those from here on are parts of a layer */

typedef struct layer_tensors {
    const tensor *parts[ALL_PARTS]; /* NULL where there is none; from GLOBAL_PARTS on */
    uint32_t heads, dimensions, units;
} layer_tensors;

typedef struct importer {
    temper_model *model;
    arena *scratch, *work; /* work: for the numbers of one matrix */
    trap *trap;
    const char *weights_name, *settings_name; /* escaped */
    const char *about;                        /* which of the two messages are about */
    import_settings set;
    tensor_file file;
    name_style style;
    const tensor *parts[GLOBAL_PARTS];
    size_t layer_count;
    layer_tensors *layers;
    uint32_t width;    /* d */
    uint64_t contexts; /* rows of the table of positions; 0: there is none */
    bool uses_one;     /* a weight of channel `width`, which is 1 everywhere */
} importer;

/* Messages about the settings, at a byte of them; the second raises TEMPER_UNSUPPORTED. */
_Noreturn void settings_fail(importer *im, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void settings_refuse(importer *im, size_t at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reads the settings; fills im->set, and of the model the letters, at and has_end. */
void settings_read(importer *im, const char *bytes, size_t length);

/* Requires im->set and an open im->file; fills style, parts, layers, width and contexts. */
void names_read(importer *im);

/* ---- the model, in pieces ---- */

/* What the settings say of a head, with the defaults filled in; `dimensions` is the size of its queries. */
void head_settle(importer *im, model_head *h, size_t layer, size_t head, uint32_t dimensions);

/* The features of every position: the table's rows and the expressions of the settings. Fills position and label of
   the first `width` channels. */
void channels_settle(importer *im, model_channel *channels);

/* Elements first + r*stride + c of a tensor, r < rows, c < columns, as [rows][columns] in im->work. */
double *import_block(importer *im, const tensor *t, uint64_t first, size_t rows, size_t columns, uint64_t stride);

#endif
