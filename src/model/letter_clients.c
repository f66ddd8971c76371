#include "model/letter_clients.h"

#include <string.h>

#include "base/alphabet.h"

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

/* clang-format off */
/* Texts that llama.cpp takes for control tokens, whatever a file says of them: they are lost, or end a generation.
   Beside these all that begin with <| or end in |>. */
static const char *const control_texts[] = {
    "</s>", "<eos>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "[PAD]", "[e~[", "<PRE>", "<SUF>", "<MID>", "<PAD>", "<REPO>",
    "<reponame>", "<end_of_turn>", "<end_of_utterance>", "<fim-prefix>", "<fim_prefix>", "<fim-suffix>", "<fim_suffix>",
    "<fim-middle>", "<fim_middle>", "<fim-pad>", "<fim_pad>", "<fim-repo>",
};
/* The same of words, which have U+2581 before them in the file. */
static const char *const control_words[] = {"<PRE>", "<SUF>", "<MID>", "<EOT>"};
/* clang-format on */

static bool is_listed(const char *const *list, size_t count, const char *letter) {
    for (size_t k = 0; k < count; k++)
        if (strcmp(list[k], letter) == 0) return true;
    return false;
}

static bool is_control(const char *letter, bool words) {
    size_t length = strlen(letter);
    if (words) return is_listed(control_words, sizeof control_words / sizeof *control_words, letter);
    if (length > 2 && (strncmp(letter, "<|", 2) == 0 || strcmp(letter + length - 2, "|>") == 0)) return true;
    return is_listed(control_texts, sizeof control_texts / sizeof *control_texts, letter);
}

static const char *lost_by_llama_cpp(const char *letter, bool words) {
    if (!is_utf8(letter)) return "not valid UTF-8";
    if (strstr(letter, "\xe2\x96\x81")) return words ? "written with its sign for a blank" : "its sign for a blank";
    if (strstr(letter, "\xef\xbf\xbd"))
        return words ? "written with what it makes of bytes that are no UTF-8"
                     : "what it makes of bytes that are no UTF-8";
    return is_control(letter, words) ? "one of its control tokens" : NULL;
}

/* clang-format off */
static const struct client {
    const char *name;
    letter_rule *loses;
    const char *instead;
    bool reads_written; /* a text that is only written, if it is met in a string, is its token and no unknown text */
} clients[CLIENT_COUNT] = {
    [CLIENT_TOKENIZERS]      = {"Hugging Face's tokenizers", not_unicode, "write it in UTF-8", true},
    [CLIENT_TRANSFORMERS_JS] = {"transformers.js",           not_unicode, "write it in UTF-8", true},
    [CLIENT_LLAMA_CPP]       = {"llama.cpp",                 lost_by_llama_cpp, "call it something else, in UTF-8", false},
    [CLIENT_ONNXRUNTIME]     = {"vocab.json",                not_unicode, "write it in UTF-8", false},
    [CLIENT_LOADER]          = {"modeling_temper.py",        not_unicode, "write it in UTF-8", false},
};
/* clang-format on */

/* A text that a transducer writes has a token; where it stands in a string, it is to be the other letter. */
static void check_written(const letter_list *s, unsigned which, temper_status code, arena *a) {
    alphabet reader;
    alphabet_init(&reader, a, s->words);
    for (size_t k = 0; s->other && k < s->written_count; k++)
        for (int c = 0; c < CLIENT_COUNT; c++)
            if (which & CLIENT_BIT(c) && clients[c].reads_written && alphabet_can_read(&reader, s->written[k]))
                trap_raise_hint(a->trap, code, 0, 0, "add it to the alphabet, or write another text",
                                "%s cannot read '%s' as '%s', the other letter: it is a text that is written",
                                clients[c].name, text_escaped(a, s->written[k], strlen(s->written[k]), 40),
                                text_escaped(a, s->other, strlen(s->other), 40));
}

void letter_clients_check(const letter_list *s, unsigned which, temper_status code, arena *a) {
    for (size_t k = 0; k < s->count; k++)
        for (int c = 0; c < CLIENT_COUNT; c++) {
            const char *why = which & CLIENT_BIT(c) ? clients[c].loses(s->letters[k], s->words) : NULL;
            if (why)
                trap_raise_hint(a->trap, code, 0, 0, clients[c].instead, "%s cannot carry the %s '%s', which is %s",
                                clients[c].name, s->words ? "word" : "letter",
                                text_escaped(a, s->letters[k], strlen(s->letters[k]), 40), why);
        }
    check_written(s, which, code, a);
}
