/* tokenizer.json and tokenizer_config.json. Letters of one character are the characters of a string; words stand
   between blanks. Both are pieces that the pre-tokenizer cuts out and that byte-pair encoding without merges looks up
   whole: the one model that tokenizers and transformers.js have in common. */
#include <string.h>

#include "base/json_write.h"
#include "export/stock_files.h"

static void put_name(text *out, const stock_tokens *t, uint32_t k) {
    jwrite_string(out, t->names[k], strlen(t->names[k]));
}

static void put_special(text *out, const stock_tokens *t, uint32_t k, const char *end) {
    text_printf(out, "    {\"id\": %u, \"content\": ", k);
    put_name(out, t, k);
    text_printf(out,
                ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false, "
                "\"special\": true}%s\n",
                end);
}

/* The start goes before every string. */
static void put_template(text *out, const stock_tokens *t) {
    text_puts(out, "  \"post_processor\": {\"type\": \"TemplateProcessing\",\n    \"single\": [{\"SpecialToken\": "
                   "{\"id\": ");
    put_name(out, t, STOCK_BOS);
    text_puts(out, ", \"type_id\": 0}}, {\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}],\n    \"pair\": "
                   "[{\"SpecialToken\": {\"id\": ");
    put_name(out, t, STOCK_BOS);
    text_puts(out, ", \"type_id\": 0}}, {\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}, {\"Sequence\": "
                   "{\"id\": \"B\", \"type_id\": 1}}],\n    \"special_tokens\": {");
    put_name(out, t, STOCK_BOS);
    text_puts(out, ": {\"id\": ");
    put_name(out, t, STOCK_BOS);
    text_printf(out, ", \"ids\": [%d], \"tokens\": [", STOCK_BOS);
    put_name(out, t, STOCK_BOS);
    text_puts(out, "]}}},\n");
}

void stock_tokenizer_print(text *out, const stock_tokens *t) {
    text_puts(out,
              "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n  \"added_tokens\": [\n");
    put_special(out, t, STOCK_BOS, ",");
    put_special(out, t, STOCK_EOS, ",");
    put_special(out, t, stock_dead(t), "");
    text_puts(out, "  ],\n  \"normalizer\": null,\n");
    if (t->has_words)
        text_puts(out, "  \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"},\n");
    else
        text_puts(out, "  \"pre_tokenizer\": {\"type\": \"Split\", \"pattern\": {\"Regex\": \"[\\\\s\\\\S]\"}, "
                       "\"behavior\": \"Isolated\", \"invert\": false},\n");
    put_template(out, t);
    /* Without a decoder tokens are joined by blanks. */
    text_puts(out, t->has_words ? "  \"decoder\": null,\n" : "  \"decoder\": {\"type\": \"Fuse\"},\n");
    text_puts(out, "  \"model\": {\"type\": \"BPE\", \"dropout\": null, \"unk_token\": ");
    put_name(out, t, stock_dead(t));
    text_puts(out, ", \"continuing_subword_prefix\": null, \"end_of_word_suffix\": null, \"fuse_unk\": false, "
                   "\"byte_fallback\": false, \"ignore_merges\": true,\n    \"vocab\": {");
    for (uint32_t k = 0; k < t->count; k++) {
        text_puts(out, k ? ", " : "");
        put_name(out, t, k);
        text_printf(out, ": %u", k);
    }
    text_puts(out, "},\n    \"merges\": []}\n}\n");
}

void stock_tokenizer_config_print(text *out, const struct stock_model *m, const stock_tokens *t) {
    text_puts(out, "{\n  \"tokenizer_class\": \"PreTrainedTokenizerFast\",\n  \"bos_token\": ");
    put_name(out, t, STOCK_BOS);
    text_puts(out, ",\n  \"eos_token\": ");
    put_name(out, t, STOCK_EOS);
    text_puts(out, ",\n  \"pad_token\": ");
    put_name(out, t, STOCK_EOS);
    text_puts(out, ",\n  \"unk_token\": ");
    put_name(out, t, stock_dead(t));
    text_printf(out,
                ",\n  \"add_bos_token\": true,\n  \"add_eos_token\": false,\n  \"model_max_length\": %u,\n"
                "  \"clean_up_tokenization_spaces\": false,\n  \"padding_side\": \"right\"\n}\n",
                m->positions);
}
