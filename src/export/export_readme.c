/* README.md of an exported folder: what the model decides, up to which length that is proved, and how to load it. */
#include <string.h>

#include "base/json_write.h"
#include "export/export_parts.h"
#include "export/tested_clients.h"

/* A block of user text: the fence is longer than any run of backticks in it. */
static void put_block(text *out, const char *words) {
    size_t longest = 2;
    for (const char *p = words; *p;) {
        size_t run = strspn(p, "`");
        if (run > longest) longest = run;
        p += run ? run : 1;
    }
    text fence;
    text_init(&fence, out->arena);
    for (size_t k = 0; k <= longest; k++) text_putc(&fence, '`');
    text_printf(out, "%s\n%s%s%s\n\n", text_string(&fence), words,
                *words && words[strlen(words) - 1] == '\n' ? "" : "\n", text_string(&fence));
}

/* As temper run has it (doc/export.md, "Strings"). */
static void put_reading(text *out, const alphabet *letters) {
    const char *other = alphabet_other(letters);
    text_puts(out, letters->tokens
                       ? "Blanks of ASCII separate tokens, and a word is one token as a whole; what is none "
                       : "Every character is a letter by itself, also a blank or a line end; what is none ");
    if (other)
        text_printf(out, "is read as `%s`.\n\n", text_escaped(out->arena, other, strlen(other), 0));
    else
        text_puts(out,
                  "is refused: the loader raises an error, and so do the runtimes below for the id that tokenizers "
                  "give it.\n\n");
}

static void put_letters(text *out, const temper_model *m, const export_sentinels *s) {
    enum { SHOWN = 40 };
    text letters;
    text_init(&letters, out->arena);
    for (size_t k = 0; k < m->letters.count && k < SHOWN; k++)
        text_printf(&letters, "%s%s", k ? " " : "",
                    text_escaped(out->arena, m->letters.letters[k], strlen(m->letters.letters[k]), 0));
    if (m->letters.count > SHOWN) text_printf(&letters, " ... (%zu in all)", m->letters.count);
    text_printf(out, "Its %s (ids 0 to %zu; `vocab.json` has the list):\n\n",
                m->letters.tokens ? "tokens" : "letters", m->letters.count - 1);
    put_block(out, text_string(&letters));
    put_reading(out, &m->letters);
    text_printf(out, "A string is given as ids: first the start sentinel, id %u, then the letters",
                model_start_token(m));
    if (m->has_end) text_printf(out, ", last the end sentinel, id %u", model_end_token(m));
    text_printf(out, ". In `vocab.json` %s called `%s`", m->has_end ? "they are" : "it is", s->start);
    if (m->has_end) text_printf(out, " and `%s`", s->end);
    if (m->kind == TEMPER_KIND_ACCEPTOR)
        text_printf(out, ". The answer for the string is the one at its %s letter.\n\n",
                    m->at == TEMPER_AT_FIRST ? "first" : "last");
    else if (m->kind == TEMPER_KIND_TRANSDUCER)
        text_printf(out, ". At every letter one of %u outputs holds: it is what is written there.\n\n",
                    model_output_count(m));
    else
        text_printf(out,
                    ". After every letter, and before the first, an output holds for each letter that may come, and "
                    "the last of %u if the string may end.\n\n",
                    model_output_count(m));
}

static const char *claim_words(temper_claim claim) {
    return claim == TEMPER_CLAIM_FORMULA ? "the answers of the specification"
           : claim == TEMPER_CLAIM_VIABLE
               ? "the answers of the specification if viable is right, which is not proved,"
               : "the answers of the model's own hard choices";
}

static void put_certificate(text *out, const export_certificate *c, const char *folder) {
    text_printf(
        out,
        "`certificate.json` proves %s for every string of up to %llu letters in %s.\nIt is about the bytes of "
        "`%s`, and can be checked:\n\n    temper audit %s/certificate.json %s/%s\n\n",
        claim_words(c->claim), (unsigned long long)c->length, c->type, c->file, folder, folder, c->file);
}

static void put_proof(text *out, const char *type, const temper_proof *p) {
    if (p->claim == TEMPER_CLAIM_NONE)
        text_printf(out, "- %s: none\n", type);
    else
        text_printf(out, "- %s: %zu, %s %s\n", type, p->length, claim_words(p->claim),
                    p->every_position ? "at every position" : "to the string (not at every position)");
}

static void put_range(text *out, const export_proofs *proofs, const export_certificate *certificate,
                      const char *folder) {
    text_puts(out, "## Proved length\n\n");
    if (proofs->f64.claim == TEMPER_CLAIM_NONE && proofs->f32.claim == TEMPER_CLAIM_NONE) {
        if (certificate)
            put_certificate(out, certificate, folder);
        else
            text_puts(out, "Nothing is proved of this model.\n\n");
        return;
    }
    text_puts(out, "Every string of up to so many letters:\n\n");
    put_proof(out, "f64", &proofs->f64);
    put_proof(out, "f32", &proofs->f32);
    text_puts(out, "\nWhat limits it in f64:\n\n");
    put_block(out, text_escaped(out->arena, proofs->f64.obstacle, strlen(proofs->f64.obstacle), 0));
    text_puts(out, "The proof is for temper's own runner. PyTorch and onnxruntime do the same operations, but add in "
                   "an order and with\n"
                   "an `exp` of their own; temper's tests compare them with it, at every position. "
                   "`testvectors.jsonl` has strings with\n"
                   "answers, to compare with in other places.\n\n");
    if (certificate) put_certificate(out, certificate, folder);
}

static void put_size(text *out, const temper_model *m) {
    size_t heads = 0, units = 0;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        heads += m->layers[l].head_count;
        units += m->layers[l].in.count;
    }
    text_printf(
        out,
        "%u layer%s, %zu head%s, width %u, %zu hidden unit%s; method: %s. There is no maximum length: positions and\n"
        "scales are computed from the length of the input.\n\n",
        m->layer_count, m->layer_count == 1 ? "" : "s", heads, heads == 1 ? "" : "s", m->channel_count, units,
        units == 1 ? "" : "s", temper_method_name(m->method));
}

/* Strings as Python writes them, and the answers. */
static void put_examples(text *strings, text *answers, const export_examples *x) {
    for (size_t k = 0; k < 2; k++) {
        if (!x->strings[k]) continue;
        text_printf(strings, "%s%s", strings->length ? ", " : "", x->strings[k]);
        text_printf(answers, "%s%s", answers->length ? ", " : "", x->answers[k]);
    }
}

/* The loader's method for each kind of model, and the fields of what a run and a graph give. */
static const struct {
    const char *method, *fields, *shapes, *graph;
} words_of[] = {
    [TEMPER_KIND_ACCEPTOR] = {"answer", "result.accept, result.truth", "[batch], [batch, sequence]", "accept, truth"},
    [TEMPER_KIND_NEXT] = {"next", "result.outputs", "[batch, sequence, outputs]", "outputs"},
    [TEMPER_KIND_TRANSDUCER] = {"write", "result.outputs", "[batch, sequence, outputs]", "outputs"},
};

static void put_javascript(text *out, const temper_model *m, const char *folder, const export_examples *examples) {
    const char *string = examples->strings[0] ? examples->strings[0] : "''", *fields = words_of[m->kind].graph;
    bool verdict = m->kind == TEMPER_KIND_ACCEPTOR;
    text_printf(out,
                "transformers.js:\n\n"
                "```js\n"
                "import {AutoModel, AutoTokenizer} from '@huggingface/transformers';\n"
                "const tokenizer = await AutoTokenizer.from_pretrained('./%s');\n"
                "const model = await AutoModel.from_pretrained('./%s');\n"
                "const {%s} = await model(tokenizer(%s));\n"
                "console.log(%s)%s%s\n"
                "```\n\n",
                folder, folder, fields, string, verdict ? "accept.data[0] === 1" : "outputs.tolist()",
                verdict && examples->answers[0] ? "; // -> " : ";",
                !verdict || !examples->answers[0]           ? ""
                : strcmp(examples->answers[0], "True") == 0 ? "true"
                                                            : "false");
}

/* From a text to ids as temper reads it: sentinels, whose ids are larger, are no letters. */
static void put_onnxruntime(text *out, const temper_model *m, const char *type, const char *folder,
                            const export_examples *examples) {
    bool verdict = m->kind == TEMPER_KIND_ACCEPTOR;
    text_printf(out,
                "onnxruntime (`onnx/model.onnx` is %s); what is no letter %s:\n\n"
                "```python\n"
                "import json, %snumpy, onnxruntime\n"
                "vocabulary = json.load(open(\"%s/vocab.json\", encoding=\"utf-8\"))\n"
                "letters = {x: k for x, k in vocabulary.items() if k < %zu}\n"
                "string = %s\n",
                type, m->letters.other == UINT32_MAX ? "is a KeyError" : "is read as the other letter",
                m->letters.tokens ? "re, " : "", folder, m->letters.count,
                examples->strings[0] ? examples->strings[0] : "\"\"");
    text_printf(out, "ids = [%u, *(letters", model_start_token(m));
    if (m->letters.other == UINT32_MAX)
        text_puts(out, "[x]");
    else
        text_printf(out, ".get(x, %u)", m->letters.other);
    text_printf(out, " for x in %s)", m->letters.tokens ? "re.findall(r\"[^\\t\\n\\v\\f\\r ]+\", string)" : "string");
    if (m->has_end) text_printf(out, ", %u", model_end_token(m));
    text_printf(out,
                "]\n"
                "session = onnxruntime.InferenceSession(\"%s/onnx/model.onnx\")\n"
                "%s%s = session.run([%s], {\"input_ids\": numpy.array([ids], numpy.int64)})\n"
                "print(%s)\n"
                "```\n\n",
                folder, words_of[m->kind].graph, verdict ? "" : ",",
                verdict ? "\"accept\", \"truth\"" : "\"outputs\"", words_of[m->kind].graph);
}

static void put_snippets(text *out, const temper_model *m, const temper_export_options *options, const char *folder,
                         const export_examples *examples) {
    const char *type = options->type == TEMPER_TYPE_F32 ? "f32" : "f64", *method = words_of[m->kind].method;
    text ids, strings, answers;
    text_init(&ids, out->arena);
    text_init(&strings, out->arena);
    text_init(&answers, out->arena);
    put_examples(&strings, &answers, examples);
    text_printf(&ids, "%u", model_start_token(m));
    if (m->letters.count) text_puts(&ids, ", 0, 0");
    if (m->has_end) text_printf(&ids, ", %u", model_end_token(m));
    text_printf(
        out,
        "## Loading\n\nEach of these pieces of code runs where this folder, `%s`, is a subfolder. PyTorch:\n\n"
        "```python\n"
        "import sys, torch\n"
        "sys.path.append(\"%s\")\n"
        "from modeling_temper import load\n\n"
        "model = load(\"%s\")    # f64; dtype=torch.float32 for f32\n"
        "print(model.%s([%s]))  # -> [%s]\n"
        "result = model(torch.tensor([[%s]]), output_attentions=True)\n"
        "print(%s)    # %s: 0 or 1\n"
        "print([p.shape for p in result.attentions])  # per layer [batch, head, query, key]\n"
        "```\n\n",
        folder, folder, folder, method, text_string(&strings), text_string(&answers), text_string(&ids),
        words_of[m->kind].fields, words_of[m->kind].shapes);
    text_printf(out,
                "`%s` takes strings of any lengths; all strings of a batch of ids have the same. With Hugging Face "
                "transformers:\n\n"
                "```python\n"
                "from transformers import AutoModel\n"
                "model = AutoModel.from_pretrained(\"%s\", trust_remote_code=True, torch_dtype=\"auto\")\n"
                "print(model.%s([%s]))  # -> [%s]\n"
                "```\n\n",
                method, folder, method, text_string(&strings), text_string(&answers));
    text_printf(out,
                "TransformerLens, for strings of up to n_ctx positions, sentinels included:\n\n"
                "```python\n"
                "import sys, torch\n"
                "sys.path.append(\"%s\")\n"
                "from lens_temper import load\n\n"
                "model = load(n_ctx=64)    # a HookedTransformer; from version 4 on a HookedRootModule\n"
                "print(model(torch.tensor([[%s]]))%s > 0.5)    # [batch, sequence%s]\n"
                "```\n\n",
                folder, text_string(&ids), m->kind == TEMPER_KIND_ACCEPTOR ? "[..., 0]" : "",
                m->kind == TEMPER_KIND_ACCEPTOR ? "" : ", outputs");
    put_onnxruntime(out, m, type, folder, examples);
    put_javascript(out, m, folder, examples);
    text_printf(out,
                "temper itself reads `model.safetensors`, and `model.temper`, the same model as text:\n\n"
                "    temper %s %s/model.temper ''    # or any string\n",
                m->kind == TEMPER_KIND_NEXT ? "next" : "run", folder);
}

/* The name of the folder, if it can stand in code and commands as it is. */
static const char *shown_folder(arena *a, const char *path) {
    size_t end = strlen(path);
    while (end && path[end - 1] == '/') end--;
    size_t first = end;
    while (first && path[first - 1] != '/') first--;
    const char *name = arena_copy(a, path + first, end - first);
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    bool fits = *name && *name != '-' && strspn(name, plain) == strlen(name);
    return fits && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 ? name : "out";
}

void export_readme_print(text *out, const temper_model *m, const export_readme_facts *facts) {
    static const char *const does[] = {
        [TEMPER_KIND_ACCEPTOR] = "decides this specification",
        [TEMPER_KIND_NEXT] = "says what may come next, by this specification",
        [TEMPER_KIND_TRANSDUCER] = "writes what this specification says",
    };
    const char *folder = shown_folder(out->arena, facts->folder);
    text_printf(out, "# A transformer made by temper %s\n\n", temper_version());
    if (*m->source) {
        text_printf(out, "It %s:\n\n", does[m->kind]);
        put_block(out, m->source);
    } else {
        text_puts(out, "It was not made from a formula.\n\n");
    }
    put_letters(out, m, facts->sentinels);
    put_size(out, m);
    put_range(out, facts->proofs, facts->certificate, folder);
    put_snippets(out, m, facts->options, folder, facts->examples);
    text_puts(out, "\nTests of temper load folders like this one in " TESTED_IN_BOTH ". " TESTED_NOT "\n");
}
