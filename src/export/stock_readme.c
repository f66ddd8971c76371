/* README.md of a stock folder: what the model is, and how each client runs it. A command that no test of temper runs
   is marked so. */
#include <string.h>

#include "base/json_write.h"
#include "export/stock_files.h"

static void put_block(text *out, const char *source) {
    text_puts(out, "    ");
    for (const char *p = source; *p; p++) {
        text_putc(out, *p);
        if (*p == '\n' && p[1]) text_puts(out, "    ");
    }
    text_puts(out, "\n\n");
}

static void put_what(text *out, const struct stock_model *m, const stock_readme_facts *f) {
    const char *name = m->architecture == STOCK_GPT2 ? "GPT-2" : "Llama";
    text_printf(out,
                "# An ordinary %s made by temper %s\n\nIt was not trained. Its weights were made from this "
                "specification:\n\n",
                name, temper_version());
    put_block(out, f->source);
    text_printf(
        out,
        "%u layer%s of %u heads, width %u, weights in %s, for strings of up to %u letters (the start is one token "
        "more). It is meant for a cache of keys and values in %s%s.\n\n",
        m->layer_count, m->layer_count == 1 ? "" : "s", m->heads, m->width, f->options->weights_f16 ? "f16" : "f32",
        m->positions - 1, f->options->cache_f32 ? "f32" : "f16",
        f->options->cache_f32 ? "; llama.cpp's flash attention makes that f16, so switch it off" : "");
    text_puts(out,
              "**Nothing is proved of this file.** Temper proves things about its own models; of an ordinary one its "
              "tests compare answers, and that is all.\n\n");
    if (m->mirrored)
        text_puts(out,
                  "The specification looks only ahead, so the model is the mirrored one: **feed every string from "
                  "right to left**, its last letter first.\n\n");
    if (f->info->only_gguf)
        text_puts(
            out, "Its heads read binary digits of the position, by frequencies that only a GGUF file can hold: there "
                 "are no files for Hugging Face and ONNX.\n\n");
}

static void put_name(text *out, const stock_tokens *t, uint32_t k) {
    text_printf(out, "`%s`", text_escaped(out->arena, t->names[k], strlen(t->names[k]), 40));
}

static void put_tokens(text *out, const struct stock_model *m, const stock_tokens *t, const stock_readme_facts *f) {
    text_puts(
        out,
        "## What it answers\n\nAfter a prefix the logit of a token is 0 if the token is legal and at most -128 if "
        "not; in f32 an illegal token has probability exactly 0. ");
    put_name(out, t, STOCK_EOS);
    text_puts(out, " (id 1) is legal exactly if the prefix is a string of the language. ");
    text_puts(out,
              f->info->every_letter
                  ? "Which letters can still lead to a string is not known of this specification: all are legal. "
                  : "A letter is legal if some string of the language begins so. ");
    text_puts(out, "After a prefix that nothing completes ");
    put_name(out, t, stock_dead(t));
    text_printf(out, " (id %u) has probability 1. Every string starts with ", stock_dead(t));
    put_name(out, t, STOCK_BOS);
    text_puts(out, " (id 0); letters are the ids from 2 on:");
    for (uint32_t k = STOCK_LETTERS; k < stock_dead(t) && k < STOCK_LETTERS + 20; k++) {
        text_putc(out, ' ');
        put_name(out, t, k);
    }
    text_printf(out, "%s.\n\n", m->vocabulary > 23 ? " ..." : "");
    text_puts(
        out,
        "Sample at temperature 1 without top-k, top-p, min-p and penalties. A string that ends is a string of the "
        "language. One that reaches the longest length has not ended.\n\n");
}

static void put_llama_cpp(text *out, const struct stock_model *m, const stock_readme_facts *f) {
    text_puts(out, "## Commands\n\nnode-llama-cpp (`make test-stock` makes the same calls):\n\n```js\n"
                   "import {getLlama} from \"node-llama-cpp\";\n"
                   "const llama = await getLlama({gpu: false});\n"
                   "const model = await llama.loadModel({modelPath: \"model.gguf\"});\n");
    text_printf(out, "const context = await model.createContext({contextSize: %u%s});\n", m->positions + 8,
                f->options->cache_f32 ? ", flashAttention: false,\n    experimentalKvCacheKeyType: \"F32\", "
                                        "experimentalKvCacheValueType: \"F32\""
                                      : "");
    text_printf(
        out,
        "const ids = [model.tokens.bos, ...model.tokenize(%s)];\n"
        "const rows = await context.getSequence().controlledEvaluate(\n"
        "    ids.map((id) => [id, {generateNext: {probabilities: true}}]));\n"
        "console.log(rows.map((row) => row.next.probabilities.get(model.tokens.eos) > 0)); // after each prefix\n"
        "```\n\n",
        f->example->string ? f->example->string : "\"\"");
    text_printf(out,
                "llama.cpp (no test runs this command):\n\n"
                "    llama-completion -m model.gguf -no-cnv -n %u --temp 1 --top-k 0 --top-p 1 --min-p 0%s\n\n",
                m->positions - 1, f->options->cache_f32 ? " -fa off -ctk f32 -ctv f32" : "");
    text_puts(out, "Ollama (no test runs these commands):\n\n    ollama create made-by-temper -f Modelfile\n"
                   "    ollama run made-by-temper \"\"\n\nLM Studio imports `model.gguf` (no test does it):\n\n"
                   "    lms import model.gguf\n\n");
}

static void put_hugging_face(text *out, const stock_readme_facts *f) {
    const char *string = f->example->string ? f->example->string : "\"\"";
    text_printf(
        out,
        "Hugging Face transformers, without remote code (`make test-stock` makes the same calls):\n\n```python\n"
        "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
        "tokenizer = AutoTokenizer.from_pretrained(\".\")\n"
        "model = AutoModelForCausalLM.from_pretrained(\".\").float()\n"
        "print(model(**tokenizer(%s, return_tensors=\"pt\")).logits[0, :, 1] > -64)  # after each prefix\n"
        "print(tokenizer.decode(model.generate(do_sample=True, top_k=0)[0]))\n```\n\n",
        string);
    text_printf(
        out,
        "transformers.js, which takes `onnx/model.onnx` (`make test-stock` makes the same calls):\n\n```js\n"
        "import {pipeline} from \"@huggingface/transformers\";\n"
        "const generate = await pipeline(\"text-generation\", FOLDER, {dtype: \"fp32\", local_files_only: true});\n"
        "console.log(await generate(%s, {do_sample: true, top_k: 0, max_new_tokens: 20}));\n```\n\n",
        string);
}

void stock_readme_print(text *out, const struct stock_model *m, const stock_tokens *t, const stock_readme_facts *f) {
    put_what(out, m, f);
    put_tokens(out, m, t, f);
    put_llama_cpp(out, m, f);
    if (!f->info->only_gguf) put_hugging_face(out, f);
    text_puts(out, "`testvectors.jsonl` has strings with the answers after every prefix, one JSON object a line.\n");
}
