/* What a letter can be in programs of others: a string becomes letters there, by their rules. Exporters ask before
   they write anything, audits before they confirm anything. */
#ifndef MODEL_LETTER_CLIENTS_H
#define MODEL_LETTER_CLIENTS_H

#include "base/arena.h"

typedef enum letter_client {
    CLIENT_TOKENIZERS,      /* Hugging Face's tokenizers, which transformers for Python call */
    CLIENT_TRANSFORMERS_JS, /* has an implementation of its own */
    CLIENT_LLAMA_CPP,
    CLIENT_ONNXRUNTIME, /* ids of vocab.json */
    CLIENT_LOADER,      /* modeling_temper.py */
    CLIENT_COUNT
} letter_client;

#define CLIENT_BIT(client) (1u << (client))

/* The clients of a folder of `temper export`; of one of `--as`, and of its GGUF file alone. */
enum {
    CLIENTS_OF_FOLDER = CLIENT_BIT(CLIENT_TOKENIZERS) | CLIENT_BIT(CLIENT_TRANSFORMERS_JS) |
                        CLIENT_BIT(CLIENT_ONNXRUNTIME) | CLIENT_BIT(CLIENT_LOADER),
    CLIENTS_OF_GGUF = CLIENT_BIT(CLIENT_LLAMA_CPP),
    CLIENTS_OF_ORDINARY = CLIENTS_OF_GGUF | CLIENT_BIT(CLIENT_TOKENIZERS) | CLIENT_BIT(CLIENT_TRANSFORMERS_JS)
};

typedef struct letter_list {
    const char *const *letters; /* [count], UTF-8 */
    size_t count;
    bool words;                 /* blanks separate letters; else each is one character */
    const char *other;          /* what is no letter is read as; NULL: nothing is */
    const char *const *written; /* [written_count] tokens that are no letters */
    size_t written_count;
} letter_list;

/* Raises `code` with the first letter that one of the clients, a set of CLIENT_BIT, loses or takes for something
   else, with the client and what to write instead: TEMPER_UNSUPPORTED of an export, TEMPER_RANGE of an audit. */
void letter_clients_check(const letter_list *s, unsigned clients, temper_status code, arena *a);

#endif
