#include "model/letter_clients.h"

#include <string.h>

#include "base/text.h"

/* Why a client does not carry a letter, as the end of "the letter 'x' is ..."; NULL: it does. */
typedef const char *letter_rule(const char *letter, bool words);

static bool is_utf8(const char *letter) {
    uint32_t code;
    size_t length = strlen(letter);
    for (size_t at = 0, size; at < length; at += size)
        if (!(size = utf8_decode(&code, letter + at, length - at))) return false;
    return true;
}

/* Texts of JSON and strings of Python and JavaScript are Unicode. */
static const char *not_unicode(const char *letter, bool words) {
    (void)words;
    return is_utf8(letter) ? NULL : "not valid UTF-8";
}

/* Texts that llama.cpp takes for control tokens, whatever the file says of them: what they are written with is lost, or
   ends a generation. Words have a mark before them there, which takes them off the list, but for four. */
static bool is_control(const char *token_text, bool words) {
    static const char *const marked[] = {"<PRE>", "<SUF>", "<MID>", "<EOT>"};
    /* beside all that look like <|this|> */
    static const char *const others[] = {"</s>", "<eos>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "[PAD]", "<PRE>", "<SUF>",
                                         "<MID>", "<PAD>", "<REPO>", "<reponame>", "<end_of_turn>",
                                         "<end_of_utterance>", "<fim-prefix>", "<fim_prefix>", "<fim-suffix>",
                                         "<fim_suffix>", "<fim-middle>", "<fim_middle>", "<fim-pad>", "<fim_pad>",
                                         "<fim-repo>", "<turn|>", "<|tool_response>", "[e~["};
    static const char *const bars[] = {"<|", "|>", "<\xef\xbd\x9c", "\xef\xbd\x9c>"}; /* the latter of two bytes more */
    size_t length = strlen(token_text);
    for (size_t k = 0; words && k < sizeof marked / sizeof *marked; k++)
        if (strcmp(token_text, marked[k]) == 0) return true;
    if (words) return false;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(token_text, others[k]) == 0) return true;
    for (size_t k = 0; k < 4; k += 2)
        if (strncmp(token_text, bars[k], strlen(bars[k])) == 0 && length >= strlen(bars[k]) + strlen(bars[k + 1]) &&
            strcmp(token_text + length - strlen(bars[k + 1]), bars[k + 1]) == 0)
            return true;
    return false;
}

static const char *lost_by_llama_cpp(const char *letter, bool words) {
    if (!is_utf8(letter)) return "not valid UTF-8";
    if (strstr(letter, "\xe2\x96\x81")) return words ? "written with its sign for a blank, U+2581" : "its sign for a blank";
    if (strstr(letter, "\xef\xbf\xbd")) return words ? "written with U+FFFD, which it makes of bytes that are no UTF-8"
                                                      : "what it makes of bytes that are no UTF-8";
    return is_control(letter, words) ? "one of its control tokens" : NULL;
}

/* clang-format off */
static const struct client {
    const char *name;
    letter_rule *loses;
    const char *instead;
} clients[CLIENT_COUNT] = {
    [CLIENT_TOKENIZERS]      = {"Hugging Face's tokenizers", not_unicode, "write it in UTF-8"},
    [CLIENT_TRANSFORMERS_JS] = {"transformers.js",           not_unicode, "write it in UTF-8"},
    [CLIENT_LLAMA_CPP]       = {"llama.cpp",                 lost_by_llama_cpp, "call it something else, in UTF-8"},
    [CLIENT_ONNXRUNTIME]     = {"vocab.json",                not_unicode, "write it in UTF-8"},
    [CLIENT_LOADER]          = {"modeling_temper.py",        not_unicode, "write it in UTF-8"},
};
/* clang-format on */

void letter_clients_check(const letter_list *s, unsigned which, temper_status code, arena *a) {
    for (size_t k = 0; k < s->count; k++)
        for (int c = 0; c < CLIENT_COUNT; c++) {
            const char *why = which & CLIENT_BIT(c) ? clients[c].loses(s->letters[k], s->words) : NULL;
            if (why)
                trap_raise_hint(a->trap, code, 0, 0, clients[c].instead, "%s cannot carry the %s '%s', which is %s",
                                clients[c].name, s->words ? "word" : "letter",
                                text_escaped(a, s->letters[k], strlen(s->letters[k]), 40), why);
        }
}
