/* Between lower.c and pack.c: heads and units over *drafted* channels. There may be any number of these; each
   knows the layer that writes it and the layer that reads it last. pack.c gives them places in the residual
   stream. */
#ifndef COMPILE_DRAFT_H
#define COMPILE_DRAFT_H

#include "compile/normal_form.h"
#include "model/model.h"

typedef uint32_t channel_id; /* a drafted channel */

typedef struct draft_channel {
    const char *label;
    uint32_t born;      /* the layer that writes it; 0: the embedding */
    uint32_t last_read; /* the last layer that reads it; UINT32_MAX: the read-out */
    bool raw;           /* written by attention (else by the feed-forward net, or the embedding) */
    bool may_be_negative;
    const expression *position; /* embedding */
    const uint64_t *letters;    /* embedding: 1 for these letters (bits), NULL: none */
    bool on_start, on_end;      /* embedding: 1 on this sentinel */
} draft_channel;

/* A linear combination of channels. */
typedef struct draft_form {
    model_term *terms; /* channel: a channel_id */
    size_t count, capacity;
} draft_form;

typedef struct draft_head {
    struct draft_head *next; /* in its layer */
    head_role role;
    temper_mask mask;
    temper_choice choice;
    text label;
    const draft_form *query, *key; /* [size] */
    size_t size;
    draft_form *values;  /* [value_count] */
    channel_id *outputs; /* [value_count] */
    size_t value_count, value_capacity, output_capacity;
    uint32_t number; /* in its layer, from 0 */
} draft_head;

typedef struct draft_unit {
    struct draft_unit *next;
    draft_form in;
    double bias;
    draft_form out;
} draft_unit;

typedef struct draft_layer {
    draft_head *heads, *last_head;
    draft_unit *units, *last_unit;
    uint32_t head_count, unit_count;
} draft_layer;

typedef struct draft_place {
    uint32_t layer;
    int64_t head;
    int64_t channel; /* channel_id, or -1 */
} draft_place;

typedef struct draft {
    arena *arena;
    draft_channel *channels;
    size_t channel_count, channel_capacity;
    draft_layer *layers; /* [layer_count + 1]; layer 0 is not used */
    uint32_t layer_count;
    draft_form *reads; /* [read_count] the outputs */
    size_t read_count;
    draft_form *logits; /* [read_count] numbers beside the outputs; NULL: none */
    bool has_end;
    bool has_sums;       /* some subformula is read as a sum of what excludes each other */
    draft_place *places; /* [normal.count] where each normal node is made */
} draft;

/* What gates may do (doc/theory.md, "Boolean channels that heal"). */
typedef struct gate_limits {
    size_t
        fuse; /* unrounded inputs of one gate; 0: head outputs are rounded first, one by one, and read a net later */
    size_t fan; /* inputs of one gate; more are combined in a tree */
    bool sums;  /* what excludes each other is read as a sum; gates of such sums are fused */
} gate_limits;

/* A gate may read at most 128 unrounded inputs: their errors, about e^-8 each, must add up to less than 1/4. The safe
   length counts the inputs that a model really has. */
#define GATES_FUSED ((gate_limits){128, SIZE_MAX, true})

/* compile/lower.c: requires a normal form; fills a draft in arena a */
void draft_from_normal(draft *out, const normal_form *normal, const temper_spec *spec, gate_limits gates,
                       const char *const *labels, arena *a);

/* compile/pack.c: requires a draft; places channels and fills the model's channels, embedding, layers and read-out.
   channel_of[draft channel] = its place */
void model_from_draft(temper_model *m, const draft *d, uint32_t **channel_of, arena *scratch);

/* ---- making a draft (draft.c) ---- */

enum { DRAFT_LAYER_LIMIT = 1 << 18 };

void draft_init(draft *d, arena *a, uint32_t layer_count);
channel_id draft_channel_add(draft *d, draft_channel c);
void form_add(draft *d, draft_form *f, channel_id channel, double weight);
void form_add_form(draft *d, draft_form *f, const draft_form *other, double factor);
bool form_equal(const draft_form *a, const draft_form *b);

/* The head of a layer with this pattern, making it if there is none: heads that look the same share one. */
draft_head *draft_head_for(draft *d, uint32_t layer, head_role role, temper_mask mask, temper_choice choice,
                           const draft_form *query, const draft_form *key, size_t size);

/* Adds a value to a head and gives the raw channel it is written to. */
channel_id draft_value(draft *d, draft_head *h, uint32_t layer, const draft_form *value, const char *label,
                       bool may_be_negative);

draft_unit *draft_unit_add(draft *d, uint32_t layer, double bias);

/* Marks every channel of the form as read in this layer. */
void draft_read(draft *d, const draft_form *f, uint32_t layer);

#endif
