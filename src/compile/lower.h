/* What lower.c shares with lower_count.c: the state of one lowering, and the ways to name a subformula's channels. */
#ifndef COMPILE_LOWER_H
#define COMPILE_LOWER_H

#include "compile/draft.h"
#include "compile/exclusive.h"

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
    uint32_t *net;              /* [nodes] the first layer whose feed-forward net can read it */
    unsigned char *attention;   /* [nodes] made by a head: unrounded inside its layer's feed-forward net */
    unsigned char *sum_depth;   /* [nodes] an AND or OR that is a sum of its kids: how deep such sums nest; 0: none */
    unsigned char *sum_width;   /* [nodes] then: how many channels it adds up at most */
    unsigned char *sum_atoms;   /* [nodes] then: some of them are channels of the embedding */
    unsigned char *counted;     /* [nodes] somebody counts it */
    unsigned char *as_sum;      /* [nodes] then: it has no channel, whoever reads it */
    unsigned char *needs_exact; /* [nodes] somebody reads it rounded */
    exclusion related;
    channel_id *raw, *exact; /* [nodes] */
    channel_id one, real, start, end;
    table features; /* position expression -> channel */
} lowering;

static inline uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* What the embedding holds. */
bool is_atom(const formula *g, node_id id);

/* A literal's node without its negation. */
node_id strip_not(const formula *g, node_id id, bool *negated);

/* The layer after which node id (maybe negated) can be read exactly. */
uint32_t level_of(const lowering *w, node_id id);

/* The channel that holds a node's exact value. */
channel_id exact_channel(lowering *w, node_id id);

/* Exact value of a subformula as a combination of channels: NOT x = real - x. */
draft_form exact_form(lowering *w, node_id id);

/* Embedding channels, made when first asked for. */
channel_id one_channel(lowering *w);
channel_id real_channel(lowering *w);
channel_id start_channel(lowering *w);
channel_id end_channel(lowering *w);
channel_id feature_channel(lowering *w, const char *expression_text);

/* ---- lower_sum.c: subformulas as sums of channels ---- */

/* A number at each position: `real` times the channel real, and channels with weights. */
typedef struct channel_sum {
    struct sum_term {
        channel_id channel;
        bool raw; /* a head's output in the net of its own layer */
        double weight;
    } * terms;
    size_t count, capacity;
    double real;
} channel_sum;

enum { FOR_HEADS = 0 }; /* instead of the layer of a gate: heads and the read-out read exact channels only */

/* Whether the kids of an AND or OR add up to its value; fills sum_depth and sum_width. requires those of the kids */
void find_sum(lowering *w, node_id id);

/* Adds `factor` times the node's value, as the net of a layer reads it. */
void sum_add_value(lowering *w, channel_sum *s, node_id id, uint32_t layer, double factor);

void sum_add_sum(lowering *w, channel_sum *s, const channel_sum *other);

/* Marks the nodes whose rounded channels this reading needs. */
void sum_mark_exact(lowering *w, node_id id, uint32_t layer);

/* How many unrounded inputs this reading has, at most. */
size_t sum_raw_inputs(const lowering *w, node_id id, uint32_t layer);

/* Input of a feed-forward gate: a channel, unrounded or exact. */
typedef struct gate_input {
    channel_id channel;
    bool raw;
} gate_input;

/* One gate of the feed-forward net of a layer, written to channel out with factor 1: of so many literals, whose
   values add up to s. Inputs that are raw are rounded in the same step (doc/theory.md, "Gates"); exact where raw
   inputs number at most gates.fuse. */
void emit_and(lowering *w, uint32_t layer, const channel_sum *s, size_t literals, channel_id out);
void emit_or(lowering *w, uint32_t layer, const channel_sum *s, channel_id out);
void emit_xor(lowering *w, uint32_t layer, const channel_sum *s, channel_id out);

/* AND of channels. */
void emit_all(lowering *w, uint32_t layer, const gate_input *inputs, size_t count, channel_id out);

/* A new channel written by the feed-forward net of a layer. */
channel_id gate_channel(lowering *w, uint32_t layer, const char *label);

/* lower_match.c: MATCH. */
void lower_match(lowering *w, node_id id);

/* lower_count.c: [(weight * j + constant) mod m (= or <=) residue] as a position feature, every operation exact in
   f64; on_letters: and 0 on sentinels. */
channel_id residue_feature(lowering *w, bool future, const formula_node *n, int64_t weight, int64_t residue,
                           bool on_letters);

/* lower_count.c: COMPARE and MODULO. */
uint32_t compare_level(const lowering *w, node_id id);
uint32_t modulo_level(lowering *w, node_id id, bool *is_attention);
void lower_compare(lowering *w, node_id id);
void lower_modulo(lowering *w, node_id id);

/* The uniform head of a layer for a mask. */
draft_head *count_head(lowering *w, uint32_t layer, temper_mask mask);

/* The head that reads, at the position whose number is `mean` times the number of keys that it is a mean of, whatever
   value rows say (doc/theory.md, "Look-up"). `averaged`: the mask of the mean; `from_end`: positions are numbered
   from the end. */
draft_head *lookup_head(lowering *w, uint32_t layer, temper_mask mask, channel_id mean, temper_mask averaged,
                        bool from_end);

/* A weight that is exact with a half added. Raises TEMPER_LIMIT beyond 2^51. */
double exact_weight(const lowering *w, int64_t weight);

/* A label with the node's own in it. */
const char *lower_label(lowering *w, const char *format, const char *label);

/* lower_place.c: AT. */
uint32_t read_level(const lowering *w, node_id id);
void lower_read(lowering *w, node_id id);

#endif
