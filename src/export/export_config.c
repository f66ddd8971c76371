/* config.json, vocab.json and what the tokenizer knows. The names are those that TransformerLens and Hugging Face
   give the same things; what only temper has stands under "temper", in the words of the safetensors metadata (doc/model.md). */
#include <string.h>

#include "base/json_write.h"
#include "export/export_parts.h"
#include "model/model_metadata.h"
#include "model/tensor_list.h"
#include "model/token_names.h"

export_sentinels export_sentinels_make(const temper_model *m, arena *a) {
    const char *const *letters = m->letters.letters;
    size_t count = m->letters.count;
    return (export_sentinels){.start = token_name(a, letters, count, "<start>"),
                              .end = token_name(a, letters, count, "<end>"),
                              .unknown = token_name(a, letters, count, "<unknown>")};
}

/* ---- vocab.json ---- */

static void put_entry(text *out, const char *name, uint32_t number, const char *separator) {
    text_puts(out, separator);
    jwrite_string(out, name, strlen(name));
    text_printf(out, ": %u", number);
}

/* The end sentinel has a row in the embedding of every model, and a name only where it is used. */
static void put_vocabulary(text *out, const temper_model *m, const export_sentinels *s, const char *separator) {
    for (uint32_t k = 0; k < m->letters.count; k++) put_entry(out, m->letters.letters[k], k, k ? separator : "");
    put_entry(out, s->start, model_start_token(m), m->letters.count ? separator : "");
    if (m->has_end) put_entry(out, s->end, model_end_token(m), separator);
}

void export_vocabulary_print(text *out, const temper_model *m, const export_sentinels *s) {
    text_puts(out, "{\n  ");
    put_vocabulary(out, m, s, ",\n  ");
    text_puts(out, "\n}\n");
}

/* What is no letter becomes the other letter, or gets an id beyond the embedding, which loaders and graphs refuse. */
tokenizer_facts export_tokenizer(const temper_model *m, const export_sentinels *s, arena *a) {
    uint32_t count = model_end_token(m) + 2, start = model_start_token(m), end = model_end_token(m);
    const char **names = arena_zalloc(a, count, sizeof *names);
    for (size_t k = 0; k < m->letters.count; k++) names[k] = m->letters.letters[k];
    names[start] = s->start;
    if (m->has_end) names[end] = s->end;
    if (m->letters.other == UINT32_MAX) names[count - 1] = s->unknown;
    uint32_t after = m->has_end ? end : (uint32_t)TOKENIZER_NONE;
    return (tokenizer_facts){.count = count,
                             .names = names,
                             .before = start,
                             .after = after,
                             .end = after,
                             .pad = TOKENIZER_NONE,
                             .dead = TOKENIZER_NONE,
                             .unknown = m->letters.other != UINT32_MAX ? m->letters.other : count - 1,
                             .unknown_is_letter = m->letters.other != UINT32_MAX,
                             .has_words = m->letters.tokens};
}

/* ---- config.json ---- */

/* Several layers share a config: TransformerLens pads to the widest. */
static uint32_t most_heads(const temper_model *m) {
    uint32_t most = 0;
    for (uint32_t l = 0; l < m->layer_count; l++)
        if (m->layers[l].head_count > most) most = m->layers[l].head_count;
    return most;
}

static uint32_t most_units(const temper_model *m) {
    uint32_t most = 0;
    for (uint32_t l = 0; l < m->layer_count; l++)
        if (m->layers[l].in.count > most) most = m->layers[l].in.count;
    return most;
}

static void put_labels(text *out, const temper_model *m) {
    text_puts(out, "  \"residual_labels\": [");
    for (uint32_t c = 0; c < m->channel_count; c++) {
        text_puts(out, c ? ", " : "");
        jwrite_string(out, m->channels[c].label, strlen(m->channels[c].label));
    }
    text_puts(out, "],\n  \"head_labels\": [");
    for (uint32_t l = 0; l < m->layer_count; l++) {
        text_puts(out, l ? ", [" : "[");
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            text_puts(out, h ? ", " : "");
            jwrite_string(out, m->layers[l].heads[h].label, strlen(m->layers[l].heads[h].label));
        }
        text_putc(out, ']');
    }
    text_puts(out, "],\n");
}

/* Expressions hold nothing to escape. */
static void put_expressions(text *out, const temper_model *m) {
    bool any = false;
    text_puts(out, "  \"position_expressions\": {");
    for (uint32_t c = 0; c < m->channel_count; c++)
        if (m->channels[c].position) {
            text_printf(out, "%s\"%u\": \"%s\"", any ? ", " : "", c, m->channels[c].position_text);
            any = true;
        }
    text_puts(out, "},\n  \"scale_expressions\": [");
    for (uint32_t l = 0; l < m->layer_count; l++) {
        text_puts(out, l ? ", [" : "[");
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            const model_head *head = &m->layers[l].heads[h];
            text_printf(out, "%s\"%s\"", h ? ", " : "", head->scale ? head->scale_text : "1");
        }
        text_putc(out, ']');
    }
    text_puts(out, "],\n");
}

static void put_sentinels(text *out, const temper_model *m, const export_sentinels *s) {
    text_puts(out, "  \"vocabulary\": {");
    put_vocabulary(out, m, s, ", ");
    text_puts(out, "},\n  \"sentinels\": {\"start\": ");
    jwrite_string(out, s->start, strlen(s->start));
    text_puts(out, ", \"end\": ");
    if (m->has_end)
        jwrite_string(out, s->end, strlen(s->end));
    else
        text_puts(out, "null");
    text_printf(out, "},\n  \"bos_token_id\": %u,\n  \"eos_token_id\": ", model_start_token(m));
    if (m->has_end)
        text_printf(out, "%u,\n", model_end_token(m));
    else
        text_puts(out, "null,\n");
}

/* null: no length is proved in the type, not even 0. */
static void put_proved(text *out, const export_proofs *p) {
    const temper_proof *const proofs[] = {&p->f64, &p->f32};
    static const char *const types[] = {"float64", "float32"};
    text_puts(out, "  \"proved_length\": {");
    for (size_t k = 0; k < 2; k++) {
        text_printf(out, "%s\"%s\": ", k ? ", " : "", types[k]);
        if (proofs[k]->claim == TEMPER_CLAIM_NONE)
            text_puts(out, "null");
        else
            text_printf(out, "%zu", proofs[k]->length);
    }
    text_puts(out, "},\n  \"proved_claim\": {");
    for (size_t k = 0; k < 2; k++)
        text_printf(out, "%s\"%s\": \"%s\"", k ? ", " : "", types[k], temper_claim_name(proofs[k]->claim));
    text_puts(out, "},\n");
}

void export_config_print(text *out, const temper_model *m, const export_sentinels *s, const export_proofs *proofs,
                         const char *digest) {
    text_puts(out, "{\n"
                   "  \"model_type\": \"temper\",\n"
                   "  \"architectures\": [\"TemperModel\"],\n"
                   "  \"auto_map\": {\"AutoConfig\": \"configuration_temper.TemperConfig\", "
                   "\"AutoModel\": \"modeling_temper.TemperModel\"},\n"
                   "  \"torch_dtype\": \"float64\",\n");
    text_printf(out,
                "  \"n_layers\": %u,\n  \"d_model\": %u,\n  \"n_heads\": %u,\n  \"d_head\": %u,\n  \"d_mlp\": %u,\n"
                "  \"d_vocab\": %zu,\n  \"d_vocab_out\": %u,\n  \"n_ctx\": null,\n",
                m->layer_count, m->channel_count, most_heads(m), model_head_size(m), most_units(m),
                m->letters.count + 2, model_output_count(m));
    text_puts(out, "  \"act_fn\": \"relu\",\n  \"normalization_type\": null,\n  \"use_attn_scale\": false,\n"
                   "  \"attention_dir\": \"bidirectional\",\n  \"positional_embedding_type\": \"standard\",\n");
    put_sentinels(out, m, s);
    put_labels(out, m);
    put_expressions(out, m);
    put_proved(out, proofs);
    text_printf(out, "  \"temper_format\": %d,\n  \"temper_version\": \"%s\",\n  \"weights_digest\": \"%s\",\n",
                EXPORT_FORMAT, temper_version(), digest);
    text_puts(out, "  \"temper\": ");
    metadata_print(out, m);
    text_puts(out, "\n}\n");
}
