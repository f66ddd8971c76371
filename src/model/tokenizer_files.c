/* A string means here what alphabet_encode makes of it (doc/export.md, "Strings"): a letter is a character, or a word
   between ASCII blanks, whole or not at all. The pre-tokenizer cuts such pieces out. WordPiece, which tokenizers and
   transformers.js have in common, looks each up whole: what goes on inside of a word would begin with a prefix that
   no token begins with, so that any other piece is one unknown token. */
#include "model/tokenizer_files.h"

#include <string.h>

#include "base/json_write.h"
#include "model/token_names.h"

static void put_name(text *out, const tokenizer_facts *t, uint32_t k) {
    jwrite_string(out, t->names[k], strlen(t->names[k]));
}

/* Tokens with a role of their own; unknown text may become a letter, which has none. */
static bool is_special(const tokenizer_facts *t, uint32_t k) {
    return k == t->before || k == t->after || k == t->end || k == t->dead ||
           (k == t->unknown && !t->unknown_is_letter);
}

/* A word that is the name of a special token is no letter. It becomes twice the name, which is no token. */
static void put_normalizer(text *out, const tokenizer_facts *t) {
    const char *separator = "{\"type\": \"Sequence\", \"normalizers\": [";
    text_puts(out, "  \"normalizer\": ");
    for (uint32_t k = 0; k < t->count; k++) {
        if (!t->names[k] || !is_special(t, k) || k == t->unknown) continue;
        text_printf(out, "%s{\"type\": \"Replace\", \"pattern\": {\"String\": ", separator);
        put_name(out, t, k);
        text_puts(out, "}, \"content\": ");
        text twice;
        text_init(&twice, out->arena);
        text_printf(&twice, "%s%s", t->names[k], t->names[k]);
        jwrite_string(out, twice.data, twice.length);
        text_puts(out, "}");
        separator = ", ";
    }
    text_puts(out, "]},\n");
}

static void put_cuts(text *out, bool words) {
    text_printf(out,
                "  \"pre_tokenizer\": {\"type\": \"Split\", \"pattern\": {\"Regex\": \"%s\"}, \"behavior\": "
                "\"%s\", \"invert\": false},\n",
                words ? "[\\\\t\\\\n\\\\x0b\\\\x0c\\\\r ]+" : "[\\\\s\\\\S]", words ? "Removed" : "Isolated");
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

/* Blanks, more than any token begins with. */
static const char *continuing_prefix(const tokenizer_facts *t, arena *a) {
    size_t most = 0;
    text prefix;
    text_init(&prefix, a);
    for (uint32_t k = 0; k < t->count; k++) {
        size_t blanks = t->names[k] ? strspn(t->names[k], " ") : 0;
        if (blanks > most) most = blanks;
    }
    for (size_t k = 0; k <= most; k++) text_putc(&prefix, ' ');
    return text_string(&prefix);
}

static size_t longest_name(const tokenizer_facts *t) {
    size_t most = 1;
    for (uint32_t k = 0; k < t->count; k++) {
        size_t size = t->names[k] ? token_character_count(t->names[k]) : 0;
        if (size > most) most = size;
    }
    return most;
}

static void put_model(text *out, const tokenizer_facts *t) {
    const char *separator = "";
    text_puts(out, "  \"model\": {\"type\": \"WordPiece\", \"unk_token\": ");
    put_name(out, t, t->unknown);
    text_printf(out, ", \"continuing_subword_prefix\": \"%s\", \"max_input_chars_per_word\": %zu,\n    \"vocab\": {",
                continuing_prefix(t, out->arena), longest_name(t));
    for (uint32_t k = 0; k < t->count; k++) {
        if (!t->names[k]) continue;
        text_puts(out, separator);
        put_name(out, t, k);
        text_printf(out, ": %u", k);
        separator = ", ";
    }
    text_puts(out, "}}\n}\n");
}

/* Added tokens would be cut out of texts that contain their names, so there are none: tokenizer_config.json has the
   roles. */
void tokenizer_print(text *out, const tokenizer_facts *t) {
    text_puts(out, "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n"
                   "  \"added_tokens\": [],\n");
    if (t->has_words)
        put_normalizer(out, t);
    else
        text_puts(out, "  \"normalizer\": null,\n");
    put_cuts(out, t->has_words);
    put_template(out, t);
    /* Without a decoder tokens are joined by blanks. */
    text_puts(out, t->has_words ? "  \"decoder\": null,\n" : "  \"decoder\": {\"type\": \"Fuse\"},\n");
    put_model(out, t);
}

static void put_role(text *out, const tokenizer_facts *t, const char *role, uint32_t k) {
    if (k == TOKENIZER_NONE) return;
    text_printf(out, "  \"%s_token\": ", role);
    put_name(out, t, k);
    text_puts(out, ",\n");
}

/* transformers.js leaves these out of a text that it is asked for without special tokens, since there are no added
   ones. */
static void put_additional(text *out, const tokenizer_facts *t) {
    const char *separator = "";
    text_puts(out, "  \"additional_special_tokens\": [");
    for (uint32_t k = 0; k < t->count; k++) {
        if (!t->names[k] || !is_special(t, k)) continue;
        text_puts(out, separator);
        put_name(out, t, k);
        separator = ", ";
    }
    text_puts(out, "],\n");
}

/* split_special_tokens: transformers for Python add tokens for the roles, and must not look for them in texts. */
void tokenizer_config_print(text *out, const tokenizer_facts *t) {
    text_puts(out, "{\n  \"tokenizer_class\": \"PreTrainedTokenizerFast\",\n");
    put_role(out, t, "bos", t->before);
    put_role(out, t, "eos", t->end);
    put_role(out, t, "pad", t->pad);
    if (!t->unknown_is_letter) put_role(out, t, "unk", t->unknown);
    put_additional(out, t);
    text_puts(out, "  \"split_special_tokens\": true,\n");
    text_printf(out, "  \"add_bos_token\": true,\n  \"add_eos_token\": %s,\n",
                t->after != TOKENIZER_NONE ? "true" : "false");
    if (t->length) text_printf(out, "  \"model_max_length\": %zu,\n", t->length);
    text_puts(out, "  \"model_input_names\": [\"input_ids\", \"attention_mask\"],\n"
                   "  \"clean_up_tokenization_spaces\": false,\n  \"padding_side\": \"right\"\n}\n");
}
