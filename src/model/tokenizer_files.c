/* Letters of one character are the characters of a string; words stand between blanks. Both are pieces that the
   pre-tokenizer cuts out and that byte-pair encoding without merges looks up whole: the one model that tokenizers and
   transformers.js have in common. */
#include "model/tokenizer_files.h"

#include <string.h>

#include "base/json_write.h"

static void put_name(text *out, const tokenizer_facts *t, uint32_t k) {
    jwrite_string(out, t->names[k], strlen(t->names[k]));
}

/* Tokenizers cut special tokens out of words, too, so a letter is none, although unknown words become it. */
static bool is_special(const tokenizer_facts *t, uint32_t k) {
    return k == t->before || k == t->after || k == t->end || (k == t->unknown && !t->unknown_is_letter);
}

static void put_specials(text *out, const tokenizer_facts *t) {
    const char *separator = "\n";
    text_puts(out, "  \"added_tokens\": [");
    for (uint32_t k = 0; k < t->count; k++) {
        if (!t->names[k] || !is_special(t, k)) continue;
        text_printf(out, "%s    {\"id\": %u, \"content\": ", separator, k);
        put_name(out, t, k);
        text_puts(out, ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false, "
                       "\"special\": true}");
        separator = ",\n";
    }
    text_puts(out, "\n  ],\n");
}

static void put_piece(text *out, const tokenizer_facts *t, uint32_t k, const char *begin, const char *end) {
    text_printf(out, "%s{\"SpecialToken\": {\"id\": ", begin);
    put_name(out, t, k);
    text_printf(out, ", \"type_id\": 0}}%s", end);
}

static void put_special_ids(text *out, const tokenizer_facts *t, uint32_t k) {
    put_name(out, t, k);
    text_puts(out, ": {\"id\": ");
    put_name(out, t, k);
    text_printf(out, ", \"ids\": [%u], \"tokens\": [", k);
    put_name(out, t, k);
    text_puts(out, "]}");
}

/* What goes around every string. Of two strings both are in it, for libraries that want a line for that. */
static void put_template(text *out, const tokenizer_facts *t) {
    static const char *const keys[] = {"single", "pair"};
    text_puts(out, "  \"post_processor\": {\"type\": \"TemplateProcessing\",\n");
    for (int pair = 0; pair < 2; pair++) {
        text_printf(out, "    \"%s\": [", keys[pair]);
        put_piece(out, t, t->before, "", ", ");
        text_puts(out, "{\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}");
        if (pair) text_puts(out, ", {\"Sequence\": {\"id\": \"B\", \"type_id\": 1}}");
        if (t->after != TOKENIZER_NONE) put_piece(out, t, t->after, ", ", "");
        text_puts(out, "],\n");
    }
    text_puts(out, "    \"special_tokens\": {");
    put_special_ids(out, t, t->before);
    if (t->after != TOKENIZER_NONE) {
        text_puts(out, ", ");
        put_special_ids(out, t, t->after);
    }
    text_puts(out, "}},\n");
}

void tokenizer_print(text *out, const tokenizer_facts *t) {
    const char *separator = "";
    text_puts(out, "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n");
    put_specials(out, t);
    text_puts(out, "  \"normalizer\": null,\n");
    if (t->has_words)
        text_puts(out, "  \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"},\n");
    else
        text_puts(out, "  \"pre_tokenizer\": {\"type\": \"Split\", \"pattern\": {\"Regex\": \"[\\\\s\\\\S]\"}, "
                       "\"behavior\": \"Isolated\", \"invert\": false},\n");
    put_template(out, t);
    /* Without a decoder tokens are joined by blanks. */
    text_puts(out, t->has_words ? "  \"decoder\": null,\n" : "  \"decoder\": {\"type\": \"Fuse\"},\n");
    text_puts(out, "  \"model\": {\"type\": \"BPE\", \"dropout\": null, \"unk_token\": ");
    put_name(out, t, t->unknown);
    text_puts(out, ", \"continuing_subword_prefix\": null, \"end_of_word_suffix\": null, \"fuse_unk\": false, "
                   "\"byte_fallback\": false, \"ignore_merges\": true,\n    \"vocab\": {");
    for (uint32_t k = 0; k < t->count; k++) {
        if (!t->names[k]) continue;
        text_puts(out, separator);
        put_name(out, t, k);
        text_printf(out, ": %u", k);
        separator = ", ";
    }
    text_puts(out, "},\n    \"merges\": []}\n}\n");
}

static void put_role(text *out, const tokenizer_facts *t, const char *role, uint32_t k) {
    if (k == TOKENIZER_NONE) return;
    text_printf(out, "  \"%s_token\": ", role);
    put_name(out, t, k);
    text_puts(out, ",\n");
}

void tokenizer_config_print(text *out, const tokenizer_facts *t) {
    text_puts(out, "{\n  \"tokenizer_class\": \"PreTrainedTokenizerFast\",\n");
    put_role(out, t, "bos", t->before);
    put_role(out, t, "eos", t->end);
    put_role(out, t, "pad", t->pad);
    if (!t->unknown_is_letter) put_role(out, t, "unk", t->unknown);
    text_printf(out, "  \"add_bos_token\": true,\n  \"add_eos_token\": %s,\n",
                t->after != TOKENIZER_NONE ? "true" : "false");
    if (t->length) text_printf(out, "  \"model_max_length\": %zu,\n", t->length);
    text_puts(out, "  \"model_input_names\": [\"input_ids\", \"attention_mask\"],\n"
                   "  \"clean_up_tokenization_spaces\": false,\n  \"padding_side\": \"right\"\n}\n");
}
