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

/* clang-format off */
static const struct client {
    const char *name;
    letter_rule *loses;
    const char *instead;
} clients[CLIENT_COUNT] = {
    [CLIENT_TOKENIZERS]      = {"Hugging Face's tokenizers", not_unicode, "write it in UTF-8"},
    [CLIENT_TRANSFORMERS_JS] = {"transformers.js",           not_unicode, "write it in UTF-8"},
    [CLIENT_LLAMA_CPP]       = {"llama.cpp",                 not_unicode, "write it in UTF-8"},
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
