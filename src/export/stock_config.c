/* config.json, generation_config.json, the tokenizer and Modelfile. No class of our own, no remote code: the names
   are those of Hugging Face's GPT2Config and LlamaConfig. */
#include <string.h>

#include "base/json_write.h"
#include "export/stock_files.h"

static void put_ids(text *out) {
    text_printf(out, "  \"bos_token_id\": %d,\n  \"eos_token_id\": %d,\n  \"pad_token_id\": %d", STOCK_BOS, STOCK_EOS,
                STOCK_EOS);
}

static void put_number(text *out, const char *key, double x, const char *end) {
    text_printf(out, "\"%s\": ", key);
    jwrite_number(out, x);
    text_puts(out, end);
}

static void put_gpt2(text *out, const struct stock_model *m) {
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
static void put_llama(text *out, const struct stock_model *m) {
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

void stock_config_print(text *out, const struct stock_model *m) {
    text_puts(out, "{\n");
    (m->architecture == STOCK_GPT2 ? put_gpt2 : put_llama)(out, m);
    text_printf(out,
                "  \"vocab_size\": %u,\n  \"tie_word_embeddings\": false,\n  \"use_cache\": true,\n"
                "  \"torch_dtype\": \"float32\",\n",
                m->vocabulary);
    put_ids(out);
    text_puts(out, "\n}\n");
}

tokenizer_facts stock_tokenizer(const struct stock_model *m, const stock_tokens *t) {
    return (tokenizer_facts){.count = t->count,
                             .names = t->names,
                             .before = STOCK_BOS,
                             .after = TOKENIZER_NONE,
                             .end = STOCK_EOS,
                             .pad = STOCK_EOS,
                             .unknown = stock_dead(t),
                             .has_words = t->has_words,
                             .length = m->positions};
}

/* Neither top_k nor top_p nor a temperature may make tokens of probability 0 matter or legal ones vanish. */
void stock_generation_print(text *out, const struct stock_model *m) {
    text_printf(out,
                "{\n  \"do_sample\": true,\n  \"temperature\": 1.0,\n  \"top_k\": 0,\n  \"top_p\": 1.0,\n"
                "  \"max_length\": %u,\n",
                m->positions);
    put_ids(out);
    text_puts(out, "\n}\n");
}

/* Ollama's own sampling would cut off letters, and its template would put words around the string. */
void stock_modelfile_print(text *out, const struct stock_model *m, const stock_tokens *t) {
    text_printf(out,
                "FROM ./model.gguf\n"
                "TEMPLATE \"{{ .Prompt }}\"\n"
                "PARAMETER num_ctx %u\n"
                "PARAMETER num_predict %u\n"
                "PARAMETER temperature 1\n"
                "PARAMETER top_k 0\n"
                "PARAMETER top_p 1\n"
                "PARAMETER min_p 0\n"
                "PARAMETER repeat_penalty 1\n",
                m->positions, m->positions - 1);
    text_puts(out, "PARAMETER stop ");
    jwrite_string(out, t->names[STOCK_EOS], strlen(t->names[STOCK_EOS]));
    text_puts(out, "\nPARAMETER stop ");
    jwrite_string(out, t->names[stock_dead(t)], strlen(t->names[stock_dead(t)]));
    text_putc(out, '\n');
}
