/* What the readers of a model's lines share (model_read.c). */
#ifndef MODEL_MODEL_READ_H
#define MODEL_MODEL_READ_H

#include "model/model.h"
#include "model/model_scan.h"

enum stage { SETTINGS, CHANNELS, EMBEDDING, LAYERS, READ_OUT, PARTS, END };

typedef struct model_reader {
    scanner scan;
    arena *scratch; /* freed after reading */
    temper_model *model;
    enum stage stage;
    unsigned version;
    unsigned long seen; /* the lines that come once: a bit per line kind */
    /* arrays under construction, in the model's arena */
    size_t channel_capacity, layer_capacity, head_capacity, part_capacity;
    rows_builder embedding, query, key, value, output, in, out, read, logits;
    table names; /* of outputs */
    size_t name_capacity;
    double *bias;
    size_t bias_count, bias_capacity;
    size_t embedded;
    size_t head_line;
    bool in_layer, in_head;
} model_reader;

/* Lines of settings, behind their first word. */
void model_read_method(model_reader *r);
void model_read_kind(model_reader *r);
void model_read_syntax(model_reader *r);
void model_read_source(model_reader *r);
void model_read_tokens(model_reader *r);
void model_read_at(model_reader *r);
void model_read_empty(model_reader *r);
void model_read_end(model_reader *r);
void model_read_safe(model_reader *r);
void model_read_bound(model_reader *r);
void model_read_alphabet(model_reader *r);
void model_read_other(model_reader *r);

#endif
