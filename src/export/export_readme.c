/* README.md of an exported folder: what the model decides, up to which length that is proved, and how to load it. */
#include <string.h>

#include "export/export_parts.h"

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
    text_printf(out, "A string is given as ids: first the start sentinel, id %u, then the letters",
                model_start_token(m));
    if (m->has_end) text_printf(out, ", last the end sentinel, id %u", model_end_token(m));
    text_printf(out, ". In `vocab.json` %s called `%s`", m->has_end ? "they are" : "it is", s->start);
    if (m->has_end) text_printf(out, " and `%s`", s->end);
    text_printf(out, ". The answer for the string is the one at its %s letter.\n\n",
                m->at == TEMPER_AT_FIRST ? "first" : "last");
}

static void put_certificate(text *out, const export_certificate *c) {
    text_printf(
        out,
        "`certificate.json` proves %s for every string of up to %llu letters in %s.\nIt is about the bytes of "
        "`%s`, and can be checked, here as `out`:\n\n    temper audit out/certificate.json out/%s\n\n",
        c->of_hard_choices ? "the answers of its hard choices" : "the answers of the specification",
        (unsigned long long)c->length, c->type, c->file, c->file);
}

static void put_range(text *out, const temper_model *m, const export_certificate *certificate) {
    text_puts(out, "## Proved range\n\n");
    if (!m->safe_length) {
        if (certificate)
            put_certificate(out, certificate);
        else
            text_puts(out, "Nothing is proved of this model.\n\n");
        return;
    }
    text_printf(out, "- f64: every string of up to %zu letters, %s\n", m->safe_length,
                m->verdict_only ? "its answer (not every position)" : "at every position");
    if (model_proved_f32(m))
        text_printf(out, "- f32: up to %zu letters\n", model_proved_f32(m));
    else
        text_puts(out, "- f32: nothing\n");
    text_puts(out, "\nWhat limits it in f64:\n\n");
    put_block(out, text_escaped(out->arena, m->safe_reason, strlen(m->safe_reason), 0));
    text_puts(out, "The proof is for temper's own runner. PyTorch and onnxruntime do the same operations, but add in "
                   "an order and with\n"
                   "an `exp` of their own; temper's tests compare them with it, at every position. "
                   "`testvectors.jsonl` has strings with\n"
                   "answers, to compare with in other places.\n\n");
    if (certificate) put_certificate(out, certificate);
}

static void put_size(text *out, const temper_model *m) {
    size_t heads = 0, units = 0;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        heads += m->layers[l].head_count;
        units += m->layers[l].in.count;
    }
    text_printf(
        out,
        "%u layer%s, %zu head%s, width %u, %zu hidden units; method: %s. There is no maximum length: positions and\n"
        "scales are computed from the length of the input.\n\n",
        m->layer_count, m->layer_count == 1 ? "" : "s", heads, heads == 1 ? "" : "s", m->channel_count, units,
        temper_method_name(m->method));
}

static void put_snippets(text *out, const temper_model *m, const temper_export_options *options) {
    const char *type = options->type == TEMPER_TYPE_F32 ? "f32" : "f64";
    text ids;
    text_init(&ids, out->arena);
    text_printf(&ids, "%u", model_start_token(m));
    if (m->letters.count) text_puts(&ids, ", 0, 0");
    if (m->has_end) text_printf(&ids, ", %u", model_end_token(m));
    text_puts(out, "## Loading\n\nPyTorch, in this folder's parent (the folder is called `out` here):\n\n"
                   "```python\n"
                   "import sys, torch\n"
                   "sys.path.append(\"out\")\n"
                   "from modeling_temper import load\n"
                   "model = load(\"out\", dtype=torch.float64)\n");
    text_printf(out, "result = model(torch.tensor([[%s]]), output_attentions=True)\n", text_string(&ids));
    text_puts(out, "print(result.accept, result.truth)    # [batch], [batch, sequence]: 0 or 1\n"
                   "print([p.shape for p in result.attentions])  # per layer [batch, head, query, key]\n"
                   "```\n\n"
                   "`model.answer([...])` takes strings of any lengths. With Hugging Face transformers:\n\n"
                   "```python\n"
                   "from transformers import AutoModel\n"
                   "model = AutoModel.from_pretrained(\"out\", trust_remote_code=True, torch_dtype=\"auto\")\n"
                   "```\n\n"
                   "TransformerLens, for strings of up to n_ctx positions, sentinels included:\n\n"
                   "```python\n"
                   "import runpy\n"
                   "lens = runpy.run_path(\"out/transformer_lens.py\")\n"
                   "model = lens[\"load\"](n_ctx=64)    # a HookedTransformer\n");
    text_printf(out, "truth = model(torch.tensor([[%s]]))[..., 0] > 0.5\n```\n\n", text_string(&ids));
    text_printf(
        out,
        "onnxruntime (`model.onnx` is %s):\n\n"
        "```python\n"
        "import numpy, onnxruntime\n"
        "session = onnxruntime.InferenceSession(\"out/model.onnx\")\n"
        "accept, truth = session.run([\"accept\", \"truth\"], {\"tokens\": numpy.array([[%s]], numpy.int64)})\n"
        "```\n\n",
        type, text_string(&ids));
    text_puts(out, "All strings of a batch have the same length. temper itself reads `model.safetensors`, and "
                   "`model.temper`, the same\n"
                   "model as text:\n\n"
                   "    temper run out/model.safetensors STRING...\n");
}

void export_readme_print(text *out, const temper_model *m, const export_sentinels *s,
                         const temper_export_options *options, const export_certificate *certificate) {
    text_printf(out, "# A transformer made by temper %s\n\n", temper_version());
    if (*m->source) {
        text_puts(out, "It decides this specification:\n\n");
        put_block(out, m->source);
    } else {
        text_puts(out, "It was not made from a formula.\n\n");
    }
    put_letters(out, m, s);
    put_size(out, m);
    put_range(out, m, certificate);
    put_snippets(out, m, options);
}
