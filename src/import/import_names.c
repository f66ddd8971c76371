/* Which tensor is which part of the transformer: by its name, in the style of TransformerLens or of GPT-2 (Hugging
   Face). What temper's transformers do not have is refused by name, and so is every tensor that is not known: nothing
   is left out in silence but the constant buffers that state dictionaries carry. */
#include <stdio.h>
#include <string.h>

#include "import/import.h"

enum { MOST_LAYERS = 10000, MOST_HEADS = 65536, MOST_WIDTH = 1 << 20 };

static const uint64_t MOST_WEIGHTS = (uint64_t)1 << 27;

/* '#' stands for the number of a layer. */
typedef struct known_name {
    const char *pattern;
    name_style style;
    int part; /* ALL_PARTS: a buffer, of no importance */
} known_name;

static const known_name known_names[] = {
    {"embed.W_E", STYLE_LENS, PART_EMBED},
    {"pos_embed.W_pos", STYLE_LENS, PART_POSITIONS},
    {"unembed.W_U", STYLE_LENS, PART_UNEMBED},
    {"unembed.b_U", STYLE_LENS, PART_B_U},
    {"blocks.#.attn.W_Q", STYLE_LENS, PART_Q},
    {"blocks.#.attn.W_K", STYLE_LENS, PART_K},
    {"blocks.#.attn.W_V", STYLE_LENS, PART_V},
    {"blocks.#.attn.W_O", STYLE_LENS, PART_O},
    {"blocks.#.attn.b_Q", STYLE_LENS, PART_B_Q},
    {"blocks.#.attn.b_K", STYLE_LENS, PART_B_K},
    {"blocks.#.attn.b_V", STYLE_LENS, PART_B_V},
    {"blocks.#.attn.b_O", STYLE_LENS, PART_B_O},
    {"blocks.#.mlp.W_in", STYLE_LENS, PART_IN},
    {"blocks.#.mlp.b_in", STYLE_LENS, PART_B_IN},
    {"blocks.#.mlp.W_out", STYLE_LENS, PART_OUT},
    {"blocks.#.mlp.b_out", STYLE_LENS, PART_B_OUT},
    {"blocks.#.attn.mask", STYLE_LENS, ALL_PARTS},
    {"blocks.#.attn.IGNORE", STYLE_LENS, ALL_PARTS},
    {"wte.weight", STYLE_GPT2, PART_EMBED},
    {"wpe.weight", STYLE_GPT2, PART_POSITIONS},
    {"lm_head.weight", STYLE_GPT2, PART_UNEMBED},
    {"h.#.attn.c_attn.weight", STYLE_GPT2, PART_QKV},
    {"h.#.attn.c_attn.bias", STYLE_GPT2, PART_B_QKV},
    {"h.#.attn.c_proj.weight", STYLE_GPT2, PART_O},
    {"h.#.attn.c_proj.bias", STYLE_GPT2, PART_B_O},
    {"h.#.mlp.c_fc.weight", STYLE_GPT2, PART_IN},
    {"h.#.mlp.c_fc.bias", STYLE_GPT2, PART_B_IN},
    {"h.#.mlp.c_proj.weight", STYLE_GPT2, PART_OUT},
    {"h.#.mlp.c_proj.bias", STYLE_GPT2, PART_B_OUT},
    {"h.#.attn.bias", STYLE_GPT2, ALL_PARTS},
    {"h.#.attn.masked_bias", STYLE_GPT2, ALL_PARTS},
};

/* Pieces of names by which unsupported parts are known; a piece that begins with a dot begins a word of the name. */
static const struct {
    const char *piece, *what;
} unsupported[] = {
    {".crossattention", "cross-attention"},
    {"cross_attn", "cross-attention"},
    {".q_attn", "cross-attention"},
    {"rotary", "rotary positions"},
    {"inv_freq", "rotary positions"},
    {"alibi", "ALiBi positions"},
    {"rel_pos", "relative positions"},
    {"relative_attention", "relative positions"},
    {"experts", "a mixture of experts"},
    {"router", "a mixture of experts"},
    {"W_gate", "a gated net"},
    {"b_gate", "a gated net"},
    {"gate_proj", "a gated net"},
    {"._W_", "grouped-query attention"},
    {"._b_", "grouped-query attention"},
    {"token_type", "token-type embeddings"},
    {".rms", "RMS normalization"},
    {"norm", "normalization"},
    {".ln", "layer norm"},
};

/* ---- names ---- */

static bool match(const char *name, const char *pattern, uint64_t *layer) {
    *layer = 0;
    for (; *pattern; pattern++) {
        if (*pattern != '#') {
            if (*name++ != *pattern) return false;
            continue;
        }
        const char *first = name;
        for (; *name >= '0' && *name <= '9' && name - first < 6; name++)
            *layer = 10 * *layer + (uint64_t)(*name - '0');
        if (name == first || (*first == '0' && name - first > 1)) return false;
    }
    return !*name;
}

static bool has_piece(const char *name, const char *piece) {
    if (strstr(name, piece)) return true;
    return *piece == '.' && strncmp(name, piece + 1, strlen(piece + 1)) == 0;
}

static _Noreturn void refuse_name(const importer *im, const tensor *t) {
    const char *shown = text_escaped(im->scratch, t->name, strlen(t->name), 60);
    for (size_t k = 0; k < sizeof unsupported / sizeof *unsupported; k++)
        if (has_piece(t->name, unsupported[k].piece))
            trap_raise_hint(im->trap, TEMPER_UNSUPPORTED, 0, 0,
                            "temper's transformers have none: train or build the model without it",
                            "byte %u: tensor '%s': not supported: %s", t->at, shown, unsupported[k].what);
    trap_raise_hint(im->trap, TEMPER_UNSUPPORTED, 0, 0, "doc/import.md lists the names",
                    "byte %u: tensor '%s': not a name of TransformerLens or GPT-2 that temper knows", t->at, shown);
}

static const known_name *find_name(const char *name, uint64_t *layer) {
    static const char prefix[] = "transformer.";
    size_t skip = strncmp(name, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    for (size_t k = 0; k < sizeof known_names / sizeof *known_names; k++) {
        bool prefixed = known_names[k].style == STYLE_GPT2 && known_names[k].part != PART_UNEMBED;
        if (match(name + (prefixed ? skip : 0), known_names[k].pattern, layer)) return &known_names[k];
    }
    return NULL;
}

/* The name that a part has in the style of the file, for messages. */
static const char *name_of(const importer *im, int part, size_t layer) {
    text out;
    text_init(&out, im->scratch);
    for (size_t k = 0; k < sizeof known_names / sizeof *known_names; k++) {
        if (known_names[k].style != im->style || known_names[k].part != part) continue;
        for (const char *p = known_names[k].pattern; *p; p++)
            if (*p == '#')
                text_printf(&out, "%zu", layer);
            else
                text_putc(&out, *p);
    }
    return text_string(&out);
}

static void set_style(importer *im, const tensor *t, name_style style) {
    if (im->style != STYLE_UNKNOWN && im->style != style)
        tensor_fail(&im->file, t, "a name of %s among names of %s", style == STYLE_LENS ? "TransformerLens" : "GPT-2",
                    style == STYLE_LENS ? "GPT-2" : "TransformerLens");
    im->style = style;
}

/* Calls `use` for each tensor that matters, in the order of the names. */
static void each_part(importer *im, void (*use)(importer *, const tensor *, int part, uint64_t layer)) {
    for (size_t k = 0; k < im->file.count; k++) {
        const tensor *t = im->file.by_name[k];
        uint64_t layer;
        const known_name *name = find_name(t->name, &layer);
        if (!name) refuse_name(im, t);
        set_style(im, t, name->style);
        if (name->part != ALL_PARTS) use(im, t, name->part, layer);
    }
}

static void count_layer(importer *im, const tensor *t, int part, uint64_t layer) {
    if (part < GLOBAL_PARTS) return;
    if (layer >= MOST_LAYERS)
        trap_raise(im->trap, TEMPER_LIMIT, 0, 0, "byte %u: tensor '%s': the limit is %d layers", t->at,
                   text_escaped(im->scratch, t->name, strlen(t->name), 60), MOST_LAYERS);
    if (layer >= im->layer_count) im->layer_count = layer + 1;
}

static void store_part(importer *im, const tensor *t, int part, uint64_t layer) {
    const tensor **place = (part < GLOBAL_PARTS ? im->parts : im->layers[layer].parts) + part;
    if (*place)
        tensor_fail(&im->file, t, "'%s' is the same tensor",
                    text_escaped(im->scratch, (*place)->name, strlen((*place)->name), 60));
    if (t->type != TENSOR_F64 && t->type != TENSOR_F32 && t->type != TENSOR_F16 && t->type != TENSOR_BF16)
        tensor_fail(&im->file, t, "dtype %s; weights are F64, F32, F16 or BF16",
                    tensor_type_name((tensor_type)t->type));
    if (!tensor_elements(t)) tensor_fail(&im->file, t, "no elements");
    *place = t;
}

/* ---- shapes ---- */

static void print_shape(char out[128], unsigned rank, const uint64_t *shape) {
    size_t used = (size_t)snprintf(out, 128, "[");
    for (unsigned k = 0; k < rank && used < 128; k++)
        used += (size_t)snprintf(out + used, 128 - used, "%s%llu", k ? ", " : "", (unsigned long long)shape[k]);
    if (used < 128) snprintf(out + used, 128 - used, "]");
}

/* A size of 0 is taken from the tensor. `what` names the sizes: "[d_model, d_mlp]". */
static void check_shape(const importer *im, const tensor *t, const char *what, unsigned rank, uint64_t a, uint64_t b,
                        uint64_t c) {
    uint64_t wanted[3] = {a, b, c};
    bool fits = t->rank == rank;
    char found[128], expected[128];
    for (unsigned k = 0; k < rank && t->rank == rank; k++) {
        if (!wanted[k]) wanted[k] = t->shape[k];
        if (wanted[k] != t->shape[k]) fits = false;
    }
    if (fits) return;
    print_shape(found, t->rank, t->shape);
    for (unsigned k = 0; k < rank; k++)
        if (!wanted[k]) tensor_fail(&im->file, t, "shape %s; expected %s", found, what);
    print_shape(expected, rank, wanted);
    tensor_fail(&im->file, t, "shape %s; expected %s = %s", found, what, expected);
}

static void check_optional(const importer *im, const tensor *t, const char *what, unsigned rank, uint64_t a,
                           uint64_t b) {
    if (t) check_shape(im, t, what, rank, a, b, 0);
}

static const tensor *need(const importer *im, int part, size_t layer, const tensor *because) {
    const tensor *t = (part < GLOBAL_PARTS ? im->parts : im->layers[layer].parts)[part];
    if (!t) tensor_fail(&im->file, because, "it needs the tensor '%s', which is missing", name_of(im, part, layer));
    return t;
}

static const tensor *any_part(const layer_tensors *l, int first, int last) {
    for (int k = first; k <= last; k++)
        if (l->parts[k]) return l->parts[k];
    return NULL;
}

/* The number of heads of a layer by the settings; 0: they do not say. */
static uint64_t given_heads(importer *im, size_t layer) {
    const import_settings *set = &im->set;
    if (!set->has_layers) return set->head_count;
    uint64_t count = set->layers[layer].count;
    if (count && set->head_count && count != set->head_count)
        settings_fail(im, set->layers[layer].at, "layer %zu lists %llu heads, but \"n_head\" is %llu", layer,
                      (unsigned long long)count, (unsigned long long)set->head_count);
    return count;
}

static void check_lens_attention(importer *im, layer_tensors *l, size_t layer, const tensor *because) {
    const tensor *q = need(im, PART_Q, layer, because);
    check_shape(im, q, "[n_heads, d_model, d_head]", 3, 0, im->width, 0);
    uint64_t h = q->shape[0], e = q->shape[2];
    check_shape(im, need(im, PART_K, layer, q), "[n_heads, d_model, d_head]", 3, h, im->width, e);
    check_shape(im, need(im, PART_V, layer, q), "[n_heads, d_model, d_head]", 3, h, im->width, e);
    check_shape(im, need(im, PART_O, layer, q), "[n_heads, d_head, d_model]", 3, h, e, im->width);
    for (int part = PART_B_Q; part <= PART_B_V; part++)
        check_optional(im, l->parts[part], "[n_heads, d_head]", 2, h, e);
    uint64_t given = given_heads(im, layer);
    if ((im->set.has_layers || given) && given != h)
        settings_fail(im, im->set.has_layers ? im->set.layers[layer].at : im->set.head_count_at,
                      "%llu heads in layer %zu, but '%s' has %llu", (unsigned long long)given, layer,
                      name_of(im, PART_Q, layer), (unsigned long long)h);
    l->heads = h <= MOST_HEADS ? (uint32_t)h : MOST_HEADS + 1;
    l->dimensions = (uint32_t)e;
}

static void check_gpt2_attention(importer *im, layer_tensors *l, size_t layer, const tensor *because) {
    const tensor *qkv = need(im, PART_QKV, layer, because);
    check_shape(im, qkv, "[d_model, 3*d_model]", 2, im->width, 0, 0);
    uint64_t all = qkv->shape[1] / 3, given = given_heads(im, layer);
    if (qkv->shape[1] % 3) check_shape(im, qkv, "[d_model, 3*d_model]", 2, im->width, 3 * (uint64_t)im->width, 0);
    check_shape(im, need(im, PART_O, layer, qkv), "[d_model, d_model]", 2, all, im->width, 0);
    check_optional(im, l->parts[PART_B_QKV], "[3*d_model]", 1, 3 * all, 0);
    if (!given)
        settings_fail(im, im->set.has_layers ? im->set.layers[layer].at : im->set.begin,
                      "how many heads has layer %zu? \"n_head\" or \"heads\" says it, '%s' does not", layer,
                      name_of(im, PART_QKV, layer));
    if (all % given)
        settings_fail(im, im->set.has_layers ? im->set.layers[layer].at : im->set.head_count_at,
                      "%llu heads in layer %zu, but '%s' has %llu columns for queries", (unsigned long long)given,
                      layer, name_of(im, PART_QKV, layer), (unsigned long long)all);
    l->heads = given <= MOST_HEADS ? (uint32_t)given : MOST_HEADS + 1;
    l->dimensions = (uint32_t)(all / given);
}

static void check_net(importer *im, layer_tensors *l, size_t layer, const tensor *because) {
    const tensor *in = need(im, PART_IN, layer, because);
    check_shape(im, in, "[d_model, d_mlp]", 2, im->width, 0, 0);
    uint64_t m = in->shape[1];
    if (m > UINT32_MAX - 2) tensor_fail(&im->file, in, "too many units");
    check_shape(im, need(im, PART_OUT, layer, in), "[d_mlp, d_model]", 2, m, im->width, 0);
    check_optional(im, l->parts[PART_B_IN], "[d_mlp]", 1, m, 0);
    check_optional(im, l->parts[PART_B_OUT], "[d_model]", 1, im->width, 0);
    if (!im->set.relu)
        settings_fail(im, im->set.begin, "no key 'activation', but there is a net, '%s'",
                      name_of(im, PART_IN, layer));
    l->units = (uint32_t)m;
}

static void check_layer(importer *im, size_t layer) {
    layer_tensors *l = &im->layers[layer];
    const tensor *attention = any_part(l, PART_Q, PART_B_O), *net = any_part(l, PART_IN, PART_B_OUT);
    if (!attention && !net)
        trap_raise(im->trap, TEMPER_FORMAT, 0, 0, "byte 8: header: no tensor of layer %zu, but there is a layer %zu",
                   layer, im->layer_count - 1);
    if (attention && im->style == STYLE_LENS) check_lens_attention(im, l, layer, attention);
    if (attention && im->style == STYLE_GPT2) check_gpt2_attention(im, l, layer, attention);
    if (attention) check_optional(im, l->parts[PART_B_O], "[d_model]", 1, im->width, 0);
    if (!attention && im->set.has_layers && im->set.layers[layer].count)
        settings_fail(im, im->set.layers[layer].at, "heads in layer %zu, which has no attention", layer);
    if (net) check_net(im, l, layer, net);
}

static void check_globals(importer *im) {
    const tensor *embed = im->parts[PART_EMBED], *positions = im->parts[PART_POSITIONS];
    if (!embed)
        trap_raise(im->trap, TEMPER_FORMAT, 0, 0,
                   "byte 8: header: no embedding: neither 'embed.W_E' nor 'wte.weight'");
    check_shape(im, embed, "[d_vocab, d_model]", 2, 0, 0, 0);
    if (embed->shape[1] > MOST_WIDTH)
        trap_raise(im->trap, TEMPER_LIMIT, 0, 0, "byte %u: tensor '%s': %llu channels; the limit is %d", embed->at,
                   embed->name, (unsigned long long)embed->shape[1], MOST_WIDTH);
    im->width = (uint32_t)embed->shape[1];
    if (positions) check_shape(im, positions, "[n_ctx, d_model]", 2, 0, im->width, 0);
    if (positions) im->contexts = positions->shape[0];
    const tensor *unembed = im->parts[PART_UNEMBED], *b = im->parts[PART_B_U];
    if (unembed && im->style == STYLE_LENS) check_shape(im, unembed, "[d_model, d_vocab_out]", 2, im->width, 0, 0);
    if (unembed && im->style == STYLE_GPT2) check_shape(im, unembed, "[d_vocab, d_model]", 2, 0, im->width, 0);
    if (b) check_shape(im, b, "[d_vocab_out]", 1, need(im, PART_UNEMBED, 0, b)->shape[1], 0, 0);
}

/* ---- sizes ---- */

/* What the model will hold, before anything of it is allocated. */
static void check_sizes(const importer *im) {
    uint64_t weights = ((uint64_t)im->model->letters.count + 4) * im->width, heads = 0;
    if (im->parts[PART_POSITIONS]) weights += tensor_elements(im->parts[PART_POSITIONS]);
    for (size_t layer = 0; layer < im->layer_count; layer++) {
        heads += im->layers[layer].heads;
        for (int k = GLOBAL_PARTS; k < ALL_PARTS; k++)
            if (im->layers[layer].parts[k]) weights += tensor_elements(im->layers[layer].parts[k]);
    }
    if (heads > MOST_HEADS) trap_raise(im->trap, TEMPER_LIMIT, 0, 0, "more heads than the limit of %d", MOST_HEADS);
    if (weights > MOST_WEIGHTS)
        trap_raise(im->trap, TEMPER_LIMIT, 0, 0, "%llu weights; the limit is 2^27 = %llu",
                   (unsigned long long)weights, (unsigned long long)MOST_WEIGHTS);
}

void names_read(importer *im) {
    im->about = im->weights_name;
    if (tensor_metadata_find(&im->file, "temper") >= 0)
        trap_raise_remedy(im->trap, TEMPER_FORMAT, 0, 0, TEMPER_REMEDY_NO_IMPORT,
                          "byte 8: __metadata__: key 'temper': a model that temper wrote needs no import");
    each_part(im, count_layer);
    im->layers = arena_zalloc(im->scratch, im->layer_count, sizeof *im->layers);
    each_part(im, store_part);
    check_globals(im);
    if (im->set.has_layers && im->set.layer_count != im->layer_count)
        settings_fail(im, im->set.layers_at, "heads of %zu layers, but the tensors are of %zu", im->set.layer_count,
                      im->layer_count);
    for (size_t layer = 0; layer < im->layer_count; layer++) check_layer(im, layer);
    check_sizes(im);
}
