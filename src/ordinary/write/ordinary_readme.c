/* README.md of an ordinary folder: what the model is, and how each client runs it. A command that no test of temper
   runs is marked so. */
#include <string.h>

#include "base/json_write.h"
#include "ordinary/write/ordinary_files.h"
#include "export/tested_clients.h"

static void put_block(text *out, const char *source) {
    text_puts(out, "    ");
    for (const char *p = source; *p; p++) {
        text_putc(out, *p);
        if (*p == '\n' && p[1]) text_puts(out, "    ");
    }
    text_puts(out, "\n\n");
}

static void put_proof(text *out, const ordinary_readme_facts *f) {
    const temper_ordinary_verdict *v = &f->info->proof;
    if (!v->proved) {
        text_puts(out, "**Nothing is proved of this file**: ");
        if (v->head) text_printf(out, "head %zu.%zu: ", v->layer, v->head);
        text_printf(out, "%s. Tests of temper compare answers, and that is all.",
                    text_escaped(out->arena, v->reason, strlen(v->reason), 400));
        if (v->shorter) text_printf(out, " An export with `--length %zu` is proved.", v->shorter);
        text_puts(out, "\n\n");
        return;
    }
    text_printf(out,
                "**Proved%s:** after every prefix of every string of up to %zu letters the logit of every token is "
                "within %.3g of 0 if the specification says that it is legal, and of -256 if not. This is proved for "
                "llama.cpp with weights in %s and a cache in %s, in batches or one token at a time%s, as far as they "
                "do what temper's doc/ordinary.md, \"What is assumed of kernels\", says. `temper audit "
                "certificate.json .` confirms with its own code, from the weights, that no logit is off by more than "
                "32, which "
                "is what an answer needs. Not proved: other number formats, quantised weights%s, and strings that "
                "are longer.\n\n",
                v->viable ? ", if the line viable says what can be completed" : "", v->length,
                1.01 * v->logits, /* four digits are cut to three */
                f->options->weights_f16 ? "f16" : "f32", f->options->cache_f32 ? "f32" : "f16",
                f->info->only_gguf ? "" : ", and for PyTorch in f32",
                f->options->weights_f16 ? ", the ONNX graph, whose weights are f32" : "");
}

static void put_what(text *out, const struct ordinary_model *m, const ordinary_readme_facts *f) {
    const char *name = m->architecture == ORDINARY_GPT2 ? "GPT-2" : "Llama";
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
    put_proof(out, f);
    if (m->mirrored)
        text_puts(out,
                  "The specification looks only ahead, so the model is the mirrored one: **feed every string from "
                  "right to left**, its last letter first.\n\n");
    if (f->info->only_gguf)
        text_puts(
            out, "Its heads read binary digits of the position, by frequencies that only a GGUF file can hold: there "
                 "are no files for Hugging Face and ONNX.\n\n");
}

static void put_name(text *out, const ordinary_tokens *t, uint32_t k) {
    text_printf(out, "`%s`", text_escaped(out->arena, t->names[k], strlen(t->names[k]), 40));
}

static void put_acceptor(text *out, const ordinary_tokens *t, const ordinary_readme_facts *f) {
    if (model_has_logits(f->hard))
        text_puts(out, "After a prefix the softmax of the logits is the specification's probabilities; what never "
                       "comes has a logit of -1024 and probability exactly 0. ");
    else
        text_puts(out,
                  "After a prefix the logit of a token is 0 if the token is legal and at most -128 if not; in f32 "
                  "an illegal token has probability exactly 0. ");
    put_name(out, t, ORDINARY_EOS);
    text_puts(out, " (id 1) is legal exactly if the prefix is a string of the language. ");
    text_puts(out,
              f->info->every_letter
                  ? "Which letters can still lead to a string is not known of this specification: all are legal. "
                  : "A letter is legal if some string of the language begins so. ");
    text_puts(out, "After a prefix that nothing completes ");
    put_name(out, t, ordinary_dead(t));
    text_printf(out, " (id %u) has probability 1. ", ordinary_dead(t));
}

static void put_transducer(text *out, const ordinary_tokens *t) {
    text_puts(out,
              "After each letter the logit of what is written there is 0, and that of every other token is at most "
              "-128, so that its probability is exactly 0 in f32. Where nothing is written, ");
    put_name(out, t, ORDINARY_EOS);
    text_puts(out, " (id 1) has probability 1. What comes after the start alone means nothing. ");
}

static void put_tokens(text *out, const struct ordinary_model *m, const ordinary_tokens *t,
                       const ordinary_readme_facts *f) {
    bool writes = f->hard->kind == TEMPER_KIND_TRANSDUCER;
    text_puts(out, "## What it answers\n\n");
    if (writes)
        put_transducer(out, t);
    else
        put_acceptor(out, t, f);
    text_puts(out, "Every string starts with ");
    put_name(out, t, ORDINARY_BOS);
    text_printf(out,
                " (id 0); letters%s are the ids from 2 on:", writes ? ", then other texts that are written," : "");
    for (uint32_t k = ORDINARY_LETTERS; k < ordinary_dead(t) && k < ORDINARY_LETTERS + 20; k++) {
        text_putc(out, ' ');
        put_name(out, t, k);
    }
    text_printf(out, "%s.\n\n", m->vocabulary > 23 ? " ..." : "");
    text_puts(out,
              m->words
                  ? "Blanks of ASCII separate letters, and a word is one letter as a whole. What is none is read as "
                  : "Every character of a text is a letter by itself. What is none is read as ");
    put_name(out, t, m->other ? m->other : ordinary_dead(t));
    text_puts(out, m->other || writes ? ".\n\n" : ", after which nothing is legal.\n\n");
    if (!writes)
        text_puts(out,
                  "Sample at temperature 1 without top-k, top-p, min-p and penalties. A string that ends is a string "
                  "of the language. One that reaches the longest length has not ended.\n\n");
}

static void put_llama_cpp(text *out, const struct ordinary_model *m, const ordinary_readme_facts *f) {
    text_puts(out, "## Commands\n\nnode-llama-cpp (a test runs this code):\n\n```js\n"
                   "import {getLlama} from \"node-llama-cpp\";\n"
                   "const llama = await getLlama({gpu: false});\n"
                   "const model = await llama.loadModel({modelPath: \"model.gguf\"});\n");
    text_printf(out, "const context = await model.createContext({contextSize: %u%s});\n", m->positions + 8,
                f->options->cache_f32 ? ", flashAttention: false,\n    experimentalKvCacheKeyType: \"F32\", "
                                        "experimentalKvCacheValueType: \"F32\""
                                      : "");
    text_printf(out,
                "const ids = [model.tokens.bos, ...model.tokenize(%s)];\n"
                "const rows = await context.getSequence().controlledEvaluate(\n"
                "    ids.map((id) => [id, {generateNext: {probabilities: true}}]));\n"
                "console.log(rows.map((row) => %s)); // after each %s\n"
                "process.exit();\n"
                "```\n\n",
                f->example->string ? f->example->string : "\"\"",
                f->hard->kind == TEMPER_KIND_TRANSDUCER
                    ? "[...row.next.probabilities].sort((x, y) => y[1] - x[1])[0][0]"
                    : "row.next.probabilities.get(model.tokens.eos) > 0",
                f->hard->kind == TEMPER_KIND_TRANSDUCER ? "letter, from the second on" : "prefix");
    text_printf(out,
                "llama.cpp (no test runs this command):\n\n"
                "    llama-completion -m model.gguf -no-cnv -n %u --temp 1 --top-k 0 --top-p 1 --min-p 0%s    # "
                "needs llama.cpp\n\n",
                m->positions - 1, f->options->cache_f32 ? " -fa off -ctk f32 -ctv f32" : "");
    text_puts(
        out,
        "Ollama (no test runs these commands):\n\n    ollama create made-by-temper -f Modelfile    # needs Ollama\n"
        "    ollama run made-by-temper \"\"    # needs Ollama\n\nLM Studio imports `model.gguf` (no test does "
        "it):\n\n"
        "    lms import model.gguf    # needs LM Studio\n\n");
}

static void put_hugging_face(text *out, const ordinary_readme_facts *f) {
    bool writes = f->hard->kind == TEMPER_KIND_TRANSDUCER;
    const char *string = f->example->string ? f->example->string : "\"\"";
    text_printf(out,
                "Hugging Face transformers, without remote code (a test runs this code):\n\n```python\n"
                "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
                "tokenizer = AutoTokenizer.from_pretrained(\".\")\n"
                "model = AutoModelForCausalLM.from_pretrained(\".\").float()\n"
                "logits = model(**tokenizer(%s, return_tensors=\"pt\")).logits[0]\n",
                string);
    text_puts(out, writes ? "print(tokenizer.decode(logits[1:].argmax(-1)))\n```\n\n"
                          : "print((logits[:, 1] > -64).tolist())  # after each prefix\n"
                            "print(tokenizer.decode(model.generate(do_sample=True, top_k=0)[0]))\n```\n\n");
    text_puts(out, "transformers.js, which takes `onnx/model.onnx` (a test runs this code):\n\n```js\n"
                   "import {AutoModelForCausalLM, AutoTokenizer} from \"@huggingface/transformers\";\n"
                   "const tokenizer = await AutoTokenizer.from_pretrained(\"./\");\n"
                   "const model = await AutoModelForCausalLM.from_pretrained(\"./\", {dtype: \"fp32\"});\n");
    text_printf(out, "const {logits} = await model(tokenizer(%s));\n", string);
    text_puts(out, writes
                       ? "console.log(logits.tolist()[0].map((row) => row.indexOf(Math.max(...row))));\n```\n\n"
                       : "console.log(logits.tolist()[0].map((row) => row[1] > -64)); // after each prefix\n```\n\n");
}

void ordinary_readme_print(text *out, const struct ordinary_model *m, const ordinary_tokens *t,
                           const ordinary_readme_facts *f) {
    put_what(out, m, f);
    put_tokens(out, m, t, f);
    put_llama_cpp(out, m, f);
    if (!f->info->only_gguf) put_hugging_face(out, f);
    text_puts(out, "`testvectors.jsonl` has strings with the answers after every prefix, one JSON object a line.\n\n"
                   "Tests of temper run files like these in node-llama-cpp " TESTED_LLAMA ", gguf " TESTED_GGUF);
    if (!f->info->only_gguf) text_puts(out, ", " TESTED_IN_BOTH);
    text_puts(out, ". " TESTED_NOT "\n");
}
