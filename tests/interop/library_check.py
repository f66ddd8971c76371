"""Exported folders in the libraries that people have: transformers (AutoModel, AutoConfig, AutoTokenizer), TransformerLens, onnxruntime,
safetensors, and the code of pages. Every answer is compared with testvectors.jsonl.

usage: library_check.py BUILD WORK NODE_FOLDER [PART...]: only these of transformers, lens, onnxruntime, safetensors, pages"""
import json
import os
import re
import runpy
import subprocess
import sys
import warnings
from importlib.metadata import version

import numpy
import torch
import transformers
from transformers import AutoConfig, AutoModel, AutoTokenizer, PreTrainedModel
from transformers.utils import ModelOutput

from checking import Bench, check, code_blocks, contains, make_folders, message_of, tally, vectors

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VERSION = int(transformers.__version__.split(".")[0])
DTYPE = "dtype" if VERSION >= 5 else "torch_dtype"
# HookedTransformer was removed in TransformerLens 4.
LENS = "HookedTransformer" if int(version("transformer-lens").split(".")[0]) < 4 else "HookedTemper"


def rows_of(vector):
    return vector["outputs"] if "outputs" in vector else [vector["truth"]]


def answers_of(model, result):
    rows = result.outputs[0].T if model.kind != "acceptor" else result.truth
    return [[int(x) for x in row] for row in rows]


# ---- transformers ----


def check_model(name, folder):
    model = AutoModel.from_pretrained(folder, trust_remote_code=True, **{DTYPE: "auto"})
    check(isinstance(model, PreTrainedModel) and type(model).__name__ == "TemperModel", f"{name}: the class is {type(model)}")
    check(model.embed.W_E.dtype == torch.float64, f"{name}: auto is {model.embed.W_E.dtype}")
    config = AutoConfig.from_pretrained(folder, trust_remote_code=True)
    check(config.hidden_size == config.d_model == model.config.d_model and config.to_diff_dict()["temper"], f"{name}: configuration")
    single = AutoModel.from_pretrained(folder, trust_remote_code=True, **{DTYPE: torch.float32})
    check(single.embed.W_E.dtype == torch.float32, f"{name}: f32 is {single.embed.W_E.dtype}")
    models = [model] + [single] * (model.config.proved_length["float32"] is not None)
    for vector in vectors(folder):
        for each in models:
            result = each(input_ids=torch.tensor([vector["tokens"]]), output_attentions=True)
            check(isinstance(result, ModelOutput) and answers_of(model, result) == rows_of(vector), f"{name}: {vector['string']!r}")
    if model.kind == "acceptor":
        strings = vectors(folder)
        check(model.answer([v["string"] for v in strings]) == [v["accept"] for v in strings], f"{name}: answers")
        check(len(model(torch.tensor([strings[5]["tokens"]]), return_dict=False)) == 3, f"{name}: a tuple")
    tokens = torch.tensor([vector["tokens"]])
    wide = AutoModel.from_pretrained(folder, trust_remote_code=True, output_attentions=True, output_hidden_states=True)
    result = wide(tokens)
    check(len(result.attentions) > 0 and len(result.hidden_states) == config.n_layers + 1, f"{name}: everything wanted")
    check(wide(tokens, output_attentions=False).attentions is None, f"{name}: attentions not wanted")
    return model


def check_default_dtype(folder):
    """Version 5 keeps the type of the file, earlier ones convert."""
    model = AutoModel.from_pretrained(folder, trust_remote_code=True)
    check(model.embed.W_E.dtype == (torch.float64 if VERSION >= 5 else torch.float32), f"without a dtype: {model.embed.W_E.dtype}")


def check_tokenizer(name, folder, model):
    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
    for vector in vectors(folder):
        encoded = tokenizer(vector["string"], return_tensors="pt")
        check(encoded["input_ids"].tolist() == [vector["tokens"]], f"{name}: ids of {vector['string']!r}: {encoded['input_ids']}")
        check(tokenizer.decode(vector["tokens"], skip_special_tokens=True) == vector["string"], f"{name}: text of {vector['tokens']}")
        check(answers_of(model, model(**encoded)) == rows_of(vector), f"{name}: tokenizer and model on {vector['string']!r}")
    unknown = "\u2603"
    contains(message_of(ValueError, lambda: model(**tokenizer(unknown, return_tensors="pt"))), "token ids must be 0 to")
    mask = torch.ones(1, len(vector["tokens"]), dtype=torch.long)
    mask[0, 0] = 0
    contains(message_of(ValueError, lambda: model(torch.tensor([vector["tokens"]]), attention_mask=mask)), "strings are not padded")


def check_saved(bench, model):
    """A folder of save_pretrained is one for transformers: its weights are not those that were exported."""
    saved = bench.path("saved")
    model.save_pretrained(saved)
    again = AutoModel.from_pretrained(saved, trust_remote_code=True, **{DTYPE: "auto"})
    check(again.answer(["caab", "cba"]) == [True, False], "a saved model answers")
    sys.path.append(bench.path("out"))
    import modeling_temper
    check(message_of(ValueError, lambda: modeling_temper.load(saved)) != "", "load refuses a folder of save_pretrained")


def check_generation_types(folder):
    """In bf16 nothing is proved: the loader says so."""
    model = AutoModel.from_pretrained(folder, trust_remote_code=True, **{DTYPE: torch.bfloat16})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for vector in vectors(folder)[:16]:
            check(answers_of(model, model(torch.tensor([vector["tokens"]]))) == rows_of(vector), f"bf16: {vector['string']!r}")
    check(any("nothing is proved of this model in bfloat16" in str(w.message) for w in caught), "bf16 warns")


# ---- the others ----


def check_graph(name, folder):
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    session = onnxruntime.InferenceSession(os.path.join(folder, "onnx", "model.onnx"), providers=["CPUExecutionProvider"])
    check([i.name for i in session.get_inputs()] == ["input_ids"], f"{name}: inputs of the graph")
    for vector in vectors(folder):
        result = dict(zip([o.name for o in session.get_outputs()],
                          session.run(None, {"input_ids": numpy.array([vector["tokens"]], numpy.int64)})))
        rows = result["outputs"][0].T if "outputs" in result else result["truth"]
        check([[int(x) for x in row] for row in rows] == rows_of(vector), f"{name}: onnxruntime on {vector['string']!r}")
        if "accept" in result:
            check(bool(result["accept"][0]) == vector["accept"], f"{name}: onnxruntime accepts {vector['string']!r}")
    try:
        session.run(None, {"input_ids": numpy.array([[vector["tokens"][0], 999]], numpy.int64)})
        check(False, f"{name}: an id that is in no vocabulary")
    except Exception as error:  # its class is of the binding
        contains(str(error), "out of data bounds")


def check_weights(name, folder):
    from safetensors.torch import load_file
    sys.path.append(folder)
    import modeling_temper
    found = load_file(os.path.join(folder, "model.safetensors"))
    ours, _ = modeling_temper.read_safetensors(os.path.join(folder, "model.safetensors"))
    check(found.keys() == ours.keys() and all(torch.equal(found[k], ours[k]) for k in ours), f"{name}: safetensors")


def check_lens(name, folder):
    load = runpy.run_path(os.path.join(folder, "lens_temper.py"))["load"]
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        single = json.load(file)["proved_length"]["float32"] is not None
    for dtype in [torch.float64] + [torch.float32] * single:
        lens = load(n_ctx=70, dtype=dtype)
        check(type(lens).__name__ == LENS and lens.cfg.n_ctx == 70, f"{name}: {type(lens)}")
        for vector in vectors(folder):
            with torch.no_grad():
                truth = lens(torch.tensor([vector["tokens"]]))[0].T > 0.5
            check(truth.tolist() == [[bool(x) for x in row] for row in rows_of(vector)],
                  f"{name}: TransformerLens in {dtype} on {vector['string']!r}")
    check_lens_cache(name, folder, load(n_ctx=70), vectors(folder)[-1]["tokens"])


def check_lens_cache(name, folder, lens, tokens):
    """The cache has the patterns that the loader has; a hook changes what comes after, for one run."""
    sys.path.append(folder)
    import modeling_temper
    tokens = torch.tensor([tokens])
    with torch.no_grad():
        expected = modeling_temper.load(folder)(tokens, output_attentions=True).attentions
        logits, cache = lens.run_with_cache(tokens)
        check(type(cache).__name__ == "ActivationCache" and torch.equal(logits, lens(tokens)), f"{name}: run_with_cache")
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            layers = [k for k, layer in enumerate(json.load(file)["temper"]["layers"]) if layer["heads"]]
        check(len(layers) == len(expected) > 0, f"{name}: {len(expected)} layers with heads")
        for layer, pattern in zip(layers, expected):
            found = cache["pattern", layer][:, :pattern.shape[1]]
            check(torch.allclose(found, pattern, atol=1e-12), f"{name}: the pattern of layer {layer}")
        last = f"blocks.{lens.cfg.n_layers - 1}.hook_resid_post"
        other = lens.run_with_hooks(tokens, fwd_hooks=[(last, lambda value, hook: value + lens.unembed.W_U[:, 0])])
        added = lens.unembed.W_U[:, 0] @ lens.unembed.W_U
        check(added[0] > 0 and torch.allclose(other, logits + added, atol=1e-12), f"{name}: a hook that adds to the last stream")
        check(torch.equal(lens(tokens), logits), f"{name}: a hook stays")
        check(len(cache) >= 2 + 13 * lens.cfg.n_layers, f"{name}: {len(cache)} values in the cache")
        check({"blocks.0.attn.W_Q", "embed.W_E"} < set(lens.state_dict()), f"{name}: names of weights")


def check_lens_parts(bench):
    """The folder hides no library, in front of the path or behind it; without the library there is a message."""
    printed = bench.python("""
        import sys
        sys.path.insert(0, "out")
        import lens_temper, transformer_lens
        print(transformer_lens.ActivationCache.__name__, type(lens_temper.load(n_ctx=9)).__name__)
        print(sorted(lens_temper.state_dict(8))[:3], lens_temper.config(8)["n_ctx"], lens_temper.hooks()[0][0])
    """)
    contains(printed, f"ActivationCache {LENS}", "blocks.0.attn.W_K", "hook_pos_embed")
    printed = bench.python("""
        import sys
        sys.path.append("out")
        sys.modules["transformer_lens"] = None
        import lens_temper
        try:
            lens_temper.load(8)
        except ImportError as error:
            print(error)
    """)
    contains(printed, "TransformerLens is not installed")


# ---- code in pages ----


def check_pages(bench, folder):
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        text = file.read()
    explained = bench.run("explain", os.path.join(folder, "model.temper"), "--json")
    lengths = {p["type"]: p["length"] for p in json.loads(explained.splitlines()[0])["proved_length"]}
    contains(text, "H(b -> O a)", *(f"- {t}: {lengths[t]}, the answers of the specification at every position"
                                    for t in ("f64", "f32")))
    blocks = code_blocks(text, "python")
    check(len(blocks) == 4, f"{len(blocks)} blocks of Python in the folder's README.md")
    for block, promise in zip(blocks, ("tensor([1.]) tensor([[0., 1., 1.]])", "[True, False]", "[[False,  True,  True]]",
                                       "[1.] [[0. 1.]]")):
        contains(bench.python(block), promise, *re.findall(r"# -> (.*)$", block, re.MULTILINE))
    run_js(bench, folder, code_blocks(text, "js"))
    # README.md has the Python package alone: tests/python runs that.
    page = "doc/export.md"
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    run_python(bench, page, code_blocks(text, "python"))
    run_js(bench, page, code_blocks(text, "js"))


BLOCKS = """
import contextlib, io, json
printed = []
for block in BLOCKS:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(block, {"__name__": "__main__"})
    printed.append(out.getvalue().splitlines())
print(json.dumps(printed))
"""


def run_python(bench, page, blocks):
    """Each block prints what its comments "# -> ..." promise."""
    printed = json.loads(bench.python(BLOCKS.replace("BLOCKS", repr(blocks))).splitlines()[-1])
    check(bool(blocks) and len(printed) == len(blocks), f"{page}: {len(blocks)} blocks of Python")
    for number, (block, lines) in enumerate(zip(blocks, printed)):
        promises = re.findall(r"# -> (.*)$", block, re.MULTILINE)
        check(lines == promises, f"{page}, block {number + 1}: printed {lines}, promised {promises}")


def run_js(bench, page, blocks):
    for block in blocks:
        path = bench.path("block.mjs" if re.search(r"^import ", block, re.MULTILINE) else "block.cjs")
        with open(path, "w", encoding="utf-8") as file:
            file.write(block)
        if not os.path.exists(bench.path("node_modules")):
            os.symlink(os.path.join(bench.node, "node_modules"), bench.path("node_modules"))
        done = subprocess.run(["node", path], capture_output=True, text=True, cwd=bench.work)
        promises = re.findall(r"// -> (.*)$", block, re.MULTILINE)
        check(bool(promises) and done.stdout.splitlines() == promises,
              f"{page}: {done.stdout!r} {done.stderr[-500:]!r}, promised {promises}")


PARTS = ("transformers", "lens", "onnxruntime", "safetensors", "pages")


def main(build, work, node, *parts):
    torch.set_num_threads(1)
    bench = Bench(build, work, node)
    folders = make_folders(bench)
    for name, folder in folders.items():
        if "transformers" in parts:
            model = check_model(name, folder)
            check_tokenizer(name, folder, model)
            if name == "out":
                check_saved(bench, model)
        if "onnxruntime" in parts:
            check_graph(name, folder)
        if "safetensors" in parts:
            check_weights(name, folder)
        if "lens" in parts:
            check_lens(name, folder)
    if "transformers" in parts:
        check_default_dtype(folders["out"])
        check_generation_types(folders["out"])
    if "lens" in parts:
        check_lens_parts(bench)
    if "pages" in parts:
        check_pages(bench, folders["out"])
    return tally(f"library-check, {' '.join(parts)} (transformers {transformers.__version__}, torch {torch.__version__}, TransformerLens "
                 f"{version('transformer-lens')})", 20 if parts == ("safetensors",) else 1000)


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    sys.exit(main(*sys.argv[1:4], *(sys.argv[4:] or PARTS)))
