/* What lower.c shares with lower_count.c: the state of one lowering, and the ways to name a subformula's channels. */
#ifndef COMPILE_LOWER_H
#define COMPILE_LOWER_H

#include "compile/draft.h"

enum { NO_CHANNEL = UINT32_MAX };

/* Pairs of residues that adders of one MODULO may need before it is refused. */
enum { RESIDUE_PAIR_LIMIT = 1 << 18 };

typedef struct lowering {
    draft *d;
    const formula *g;
    const temper_spec *spec;
    gate_limits gates;
    const char *const *labels;
    arena *arena;
    uint32_t *level;            /* [nodes] the layer after which the node's value is there; 0: from the embedding */
    unsigned char *attention;   /* [nodes] made by a head: unrounded inside its layer's feed-forward net */
    unsigned char *needs_exact; /* [nodes] somebody reads it rounded */
    channel_id *raw, *exact;    /* [nodes] */
    channel_id one, real, start, end;
    table features; /* position expression -> channel */
} lowering;

static inline uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* A literal's node without its negation. */
node_id strip_not(const formula *g, node_id id, bool *negated);

/* The layer after which node id (maybe negated) can be read exactly. */
uint32_t level_of(const lowering *w, node_id id);

/* Exact value of a subformula as a combination of channels: NOT x = real - x. */
draft_form exact_form(lowering *w, node_id id);

/* Embedding channels, made when first asked for. */
channel_id one_channel(lowering *w);
channel_id real_channel(lowering *w);
channel_id start_channel(lowering *w);
channel_id end_channel(lowering *w);
channel_id feature_channel(lowering *w, const char *expression_text);

/* Input of a feed-forward gate: a channel, unrounded or exact, maybe negated. */
typedef struct gate_input {
    channel_id channel;
    bool raw, negated;
} gate_input;

/* One gate of the feed-forward net of a layer, written to channel out with factor 1. Inputs that are raw are rounded
   in the same step (doc/theory.md, "Gates"); exact where raw inputs number at most gates.fuse. */
void emit_and(lowering *w, uint32_t layer, const gate_input *inputs, size_t count, channel_id out);
void emit_or(lowering *w, uint32_t layer, const gate_input *inputs, size_t count, channel_id out);
void emit_xor(lowering *w, uint32_t layer, const gate_input *x, const gate_input *y, channel_id out);

/* A new channel written by the feed-forward net of a layer. */
channel_id gate_channel(lowering *w, uint32_t layer, const char *label);

/* lower_count.c: COMPARE and MODULO. */
uint32_t compare_level(const lowering *w, node_id id);
uint32_t modulo_level(lowering *w, node_id id, bool *is_attention);
void lower_compare(lowering *w, node_id id);
void lower_modulo(lowering *w, node_id id);

#endif
