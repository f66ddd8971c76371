/* No class of our own, no remote code: the names are those of Hugging Face's GPT2Config and LlamaConfig. */
#include "ordinary/files/ordinary_texts.h"

#include "base/json_write.h"

static void put_number(text *out, const char *key, double x, const char *end) {
    text_printf(out, "\"%s\": ", key);
    jwrite_number(out, x);
    text_puts(out, end);
}

static void put_gpt2(text *out, const struct ordinary_model *m) {
    text_printf(out,
                "  \"model_type\": \"gpt2\",\n  \"architectures\": [\"GPT2LMHeadModel\"],\n"
                "  \"n_positions\": %u,\n  \"n_ctx\": %u,\n  \"n_embd\": %u,\n  \"n_layer\": %u,\n  \"n_head\": %u,\n"
                "  \"n_inner\": %u,\n  \"activation_function\": \"gelu_new\",\n",
                m->positions, m->positions, m->width, m->layer_count, m->heads, m->hidden);
    text_puts(out, "  \"resid_pdrop\": 0.0,\n  \"embd_pdrop\": 0.0,\n  \"attn_pdrop\": 0.0,\n"
                   "  \"scale_attn_weights\": true,\n  ");
    put_number(out, "layer_norm_epsilon", m->epsilon, ",\n");
}

/* Version 5 of transformers has rope_parameters, earlier ones rope_theta. */
static void put_llama(text *out, const struct ordinary_model *m) {
    text_printf(out,
                "  \"model_type\": \"llama\",\n  \"architectures\": [\"LlamaForCausalLM\"],\n"
                "  \"max_position_embeddings\": %u,\n  \"hidden_size\": %u,\n  \"num_hidden_layers\": %u,\n"
                "  \"num_attention_heads\": %u,\n  \"num_key_value_heads\": %u,\n  \"head_dim\": %u,\n"
                "  \"intermediate_size\": %u,\n  \"hidden_act\": \"silu\",\n  \"attention_bias\": false,\n"
                "  \"mlp_bias\": false,\n  \"attention_dropout\": 0.0,\n  ",
                m->positions, m->width, m->layer_count, m->heads, m->heads, m->head_size, m->hidden);
    put_number(out, "rms_norm_eps", m->epsilon, ",\n  ");
    put_number(out, "rope_theta", m->rope_base, ",\n  \"rope_parameters\": {\"rope_type\": \"default\", ");
    put_number(out, "rope_theta", m->rope_base, "},\n");
}

void ordinary_config_print(text *out, const struct ordinary_model *m) {
    text_puts(out, "{\n");
    (m->architecture == ORDINARY_GPT2 ? put_gpt2 : put_llama)(out, m);
    text_printf(out,
                "  \"vocab_size\": %u,\n  \"tie_word_embeddings\": false,\n  \"use_cache\": true,\n"
                "  \"torch_dtype\": \"float32\",\n",
                m->vocabulary);
    text_printf(out, "  \"bos_token_id\": %d,\n  \"eos_token_id\": %d,\n  \"pad_token_id\": %d\n}\n", ORDINARY_BOS,
                ORDINARY_EOS, ORDINARY_EOS);
}

tokenizer_facts ordinary_tokenizer(const struct ordinary_model *m, const ordinary_tokens *t) {
    return (tokenizer_facts){.count = t->count,
                             .names = t->names,
                             .before = ORDINARY_BOS,
                             .after = TOKENIZER_NONE,
                             .end = ORDINARY_EOS,
                             .pad = ORDINARY_EOS,
                             .unknown = m->other ? m->other : ordinary_dead(t),
                             .unknown_is_letter = m->other != 0,
                             .dead = ordinary_dead(t),
                             .has_words = t->has_words,
                             .length = m->positions};
}
