"""The loaders of exported folders from outside: test vectors, hooks, number formats, Hugging Face and TransformerLens (by the stand-ins
of stand_ins/), the code of README.md in the folder and of doc/export.md, and the messages that wrong use gets.

usage: loader_check.py BUILD WORK NODE_FOLDER"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import textwrap
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

passed = failed = 0


def check(ok, message):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAILED:", message)


def contains(text, *parts):
    for part in parts:
        check(part in text, f"no {part!r} in: {text[-600:]}")


class Bench:
    """The program, a folder to work in, and the ways to call both."""

    def __init__(self, build, work, node):
        self.temper = os.path.abspath(os.path.join(build, "temper"))
        self.work, self.node = os.path.abspath(work), os.path.abspath(node)
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)

    def path(self, *parts):
        return os.path.join(self.work, *parts)

    def run(self, *arguments, code=0):
        done = subprocess.run([self.temper, *arguments], capture_output=True, text=True, cwd=self.work,
                              env={**os.environ, "NO_COLOR": "1"})
        check(done.returncode == code, f"temper {' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")
        return done.stdout + done.stderr

    def export(self, name, *arguments):
        self.run("export", "-q", *arguments, "-o", name)
        return self.path(name)

    def python(self, code, stand_ins=True, cwd=None):
        """Runs code in an interpreter of its own; what it prints."""
        env = {**os.environ, "INTEROP_NODE": self.node, "PYTHONDONTWRITEBYTECODE": "1"}
        env["PYTHONPATH"] = os.path.join(HERE, "stand_ins") if stand_ins else ""
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], capture_output=True, text=True,
                              env=env, cwd=cwd or self.work)
        check(done.returncode == 0, f"python: {done.stderr[-1500:]}\n{code}")
        return done.stdout


def vectors(folder):
    with open(os.path.join(folder, "testvectors.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def code_blocks(text, language):
    return [match[1] for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def message_of(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    check(False, f"no {kind.__name__}")
    return ""


# ---- the loader itself ----


def make_folders(bench):
    bench.run("compile", "-q", "--gallery", "dyck-1", "-o", "dyck.temper")
    bench.run("soften", "-q", "dyck.temper", "--length", "12", "-o", "soft.temper")
    bench.run("compile", "-q", "--gallery", "second-half", "-o", "half.temper")
    bench.run("soften", "-q", "half.temper", "--length", "12", "--adaptive", "-o", "adaptive.temper")
    with open(bench.path("add.spec"), "w", encoding="utf-8") as file:
        file.write("transduce\nalphabet a b c d\nemit '1' = [bc] ^ Y([bc] S d)\nemit '0' otherwise\n")
    with open(bench.path("brackets.spec"), "w", encoding="utf-8") as file:
        file.write("next\nregex (a(ab)*b)*\n")
    with open(bench.path("weighted.spec"), "w", encoding="utf-8") as file:
        file.write("next\nprobabilities {\nafter start a 3\nafter a b 1/2\nafter b end 2\n}\nregex (a(ab)*b)*\n")
    return {
        "out": bench.export("out", "-f", "H(b -> O a)", "--alphabet", "abc"),
        "since": bench.export("since", "-f", "(a S b) & Y c | #[a] > #[b]", "--alphabet", "abc", "--method", "positions"),
        "end": bench.export("end", "-f", "G(a -> X F b)", "--alphabet", "abc"),
        "hard": bench.export("hard", "-f", "a S b", "--alphabet", "abc", "--hard"),
        "softened": bench.export("softened", "soft.temper"),
        "adaptive": bench.export("adaptive", "adaptive.temper"),
        "tokens": bench.export("tokens", "-f", "H('\"\\\\' -> O '<start>')", "--tokens", "--alphabet",
                               "\"\\ <start> <end> \u00e9 'x'"),
        "out2": bench.export("out2", "-F", "add.spec"),
        "next": bench.export("next", "-F", "brackets.spec"),
        "weighted": bench.export("weighted", "-F", "weighted.spec"),
    }


def check_vectors(modeling, torch, folders):
    for name, folder in folders.items():
        all_vectors = vectors(folder)
        check(len(all_vectors) == 64 and all_vectors[0]["string"] == "", f"{name}: test vectors")
        for dtype in (torch.float64, torch.float32):
            model = modeling.load(folder, dtype=dtype)
            if model.config.proved_length.get(str(dtype)[6:]) is None:
                continue
            if model.kind != "acceptor":
                check_outputs(torch, f"{name} {dtype}", model, all_vectors)
                continue
            answers = model.answer([v["string"] for v in all_vectors])
            check(answers == [v["accept"] for v in all_vectors], f"{name} {dtype}: answers")
            for v in all_vectors:
                truth = model(torch.tensor([v["tokens"]])).truth[0].tolist()
                check(truth == v["truth"], f"{name} {dtype}: truth of {v['string']!r}")
        check(all(v["proved"] for v in all_vectors), f"{name}: proved vectors")


def result_is_f64(torch, model):
    return next(model.parameters()).dtype == torch.float64


def check_outputs(torch, name, model, all_vectors):
    """A transducer or a language model: every output at every position, and what its method makes of them."""
    for v in all_vectors:
        outputs = model(torch.tensor([v["tokens"]])).outputs[0].T.tolist()
        check(outputs == v["outputs"], f"{name}: outputs of {v['string']!r}")
        if "log_probabilities" in v:
            result = model(torch.tensor([v["tokens"]])).log_probabilities[0].T.double()
            off = float((result - torch.tensor(v["log_probabilities"], dtype=torch.float64)).abs().max())
            check(off <= (1e-9 if result_is_f64(torch, model) else 1e-2), f"{name}: log-probabilities of {v['string']!r} are off by {off}")
        holds = [[text for text, row in zip(model.outputs, v["outputs"]) if row[place]] for place in range(len(v["tokens"]))]
        if model.kind == "transducer":
            check(model.write(v["string"]) == [text for texts in holds[1:] for text in texts], f"{name}: written")
        else:
            place = len(v["string"])
            after, coming = holds[place], model.next(v["string"])
            chances = coming.pop("probabilities", None)
            check(coming == {"legal": [text for text in after if text], "end": "" in after}, f"{name}: next")
            check((chances is not None) == ("log_probabilities" in v), f"{name}: probabilities")
            for text, row in zip(model.outputs, v.get("log_probabilities", [])):
                check(abs(chances[text] - math.exp(row[place])) <= 1e-6 and (chances[text] > 0) == (text in after),
                      f"{name}: the probability of {text!r} after {v['string']!r}")


def check_inside(modeling, torch, folders):
    model = modeling.load(folders["since"])
    tokens = model.encode(["abcab", "bbcac"])
    result = model(tokens, output_attentions=True, output_hidden_states=True)
    check(all(p.shape == (2, len(block.attn.heads), 6, 6) for p, block in zip(result.attentions, model.blocks)), "shapes")
    check(len(result.hidden_states) == len(model.blocks) + 1, "hidden states")
    for pattern, block in zip(result.attentions, model.blocks):
        check(bool(torch.isfinite(pattern).all()), "NaN in a pattern")
        for k, head in enumerate(block.attn.heads):
            empty = head["mask"] == "j<i"
            check(float(pattern[0, k, 0].sum()) == (0 if empty else 1), f"row 0 of a head with mask {head['mask']}")
    strict = {h["mask"] for layer in model.config.temper["layers"] for h in layer["heads"]}
    check("j<i" in strict, "the model has a head that sees nothing at first")
    modules = dict(model.named_modules())
    for name in ("blocks.0.attn.hook_pattern", "blocks.0.attn.hook_z", "blocks.0.hook_resid_post", "blocks.0.mlp.hook_post"):
        check(name in modules, f"no module {name}")
    check_hooks(modeling, torch, folders["out"])
    short = modeling.load(folders["since"])
    modeling.BLOCK_NUMBERS, before = 3, modeling.BLOCK_NUMBERS
    blocked = short(tokens)
    modeling.BLOCK_NUMBERS = before
    check(bool((blocked.truth == result.truth).all()), "row by row")


def check_hooks(modeling, torch, folder):
    model = modeling.load(folder)
    tokens = model.encode(["cab"])
    seen = []
    handle = model.blocks[0].attn.hook_pattern.register_forward_hook(lambda m, i, out: seen.append(out.shape))
    check(model(tokens).accept.tolist() == [1] and seen == [(1, 1, 4, 4)], "a hook that looks")
    handle.remove()
    def replace(module, inputs, out):
        return torch.eye(4, dtype=out.dtype).expand_as(out)

    def overwrite(module, inputs, out):
        out.copy_(torch.eye(4, dtype=out.dtype).expand_as(out))

    for change in (replace, overwrite):
        handle = model.blocks[0].attn.hook_pattern.register_forward_hook(change)
        check(model(tokens).accept.tolist() == [0], "without the look back, b has had no a")
        handle.remove()
    with torch.inference_mode():
        check(model(tokens).accept.tolist() == [1], "the hook is gone")


def check_bfloat16(modeling, torch, folder):
    model = modeling.load(folder, dtype=torch.bfloat16)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for v in vectors(folder):
            result = model(torch.tensor([v["tokens"]]))
            check(result.truth[0].tolist() == v["truth"], f"bf16: {v['string']}")
        check(any("nothing is proved of this model in bfloat16" in str(w.message) for w in caught), "bf16 warns")


# ---- messages ----


def check_messages(bench, modeling, torch, folders):
    model = modeling.load(folders["out"])
    contains(message_of(ValueError, lambda: model.answer(["ab", "axb"])), "unknown letter 'x' at position 2",
             "the letters are 'a', 'b', 'c'")
    contains(message_of(ValueError, lambda: model.encode(["ab", "a"])), "the same length")
    contains(message_of(ValueError, lambda: model(torch.tensor([[3, 0, 3, 1]]))), "id 3 inside of a string", "ids 0 to 2")
    contains(message_of(TypeError, lambda: model([[3, 0]])), "a tensor of integers, not list")
    contains(message_of(TypeError, lambda: model(torch.tensor([[3.0, 0]]))), "a tensor of integers, not torch.float32")
    check(model.answer("caab") is True and model.encode("caab").shape == (1, 5), "one text")
    check(model.answer([]) == [] and model(torch.zeros(0, 4, dtype=torch.int64)).truth.shape == (0, 4), "no strings")
    contains(message_of(ValueError, lambda: model(torch.tensor([[3, 9]]))), "token ids must be 0 to 4 (vocab.json)")
    contains(message_of(ValueError, lambda: model(torch.tensor([[0, 1]]))), "begins with the start sentinel, id 3")
    contains(message_of(ValueError, lambda: model(torch.tensor([3, 1]))), "[batch, sequence]")
    adder = modeling.load(folders["out2"])
    contains(message_of(TypeError, lambda: adder.answer(["ab"])), "of kind transducer: use `write`, not `answer`")
    contains(message_of(TypeError, lambda: model.next(["ab"])), "of kind acceptor: use `answer`, not `next`")
    ends = modeling.load(folders["end"])
    contains(message_of(ValueError, lambda: ends(torch.tensor([[3, 0]]))), "ends with the end sentinel, id 4")
    soft = modeling.load(folders["softened"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        soft.answer(["()" * 6])
        check(not caught, "no warning inside of the range")
        soft.answer(["()" * 7])
    contains(" ".join(str(w.message) for w in caught), "length 14 is too long", "proved up to length 12 in float64")
    contains(bench.run("run", "softened/model.safetensors", "()" * 7, code=4), "length 14 is beyond the proved length 12")
    check_broken_folders(bench, modeling, folders["out"])


def check_broken_folders(bench, modeling, folder):
    contains(message_of(FileNotFoundError, lambda: modeling.load(bench.path("nowhere"))), "config.json is missing")
    broken = bench.path("broken")

    def fresh():
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(folder, broken)

    def change_config(**fields):
        fresh()
        with open(os.path.join(broken, "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        with open(os.path.join(broken, "config.json"), "w", encoding="utf-8") as file:
            json.dump({**config, **fields}, file)
        return message_of(ValueError, lambda: modeling.load(broken))

    contains(change_config(temper_format=2, temper_version="9.9"), "another version of temper (format 2, by temper 9.9)",
             "read format 1")
    contains(change_config(weights_digest="0" * 16), "do not belong together")
    contains(change_config(model_type="bert"), "was not written by temper export")
    fresh()
    os.remove(os.path.join(broken, "model.safetensors"))
    contains(message_of(FileNotFoundError, lambda: modeling.load(broken)), "model.safetensors is missing")
    with open(os.path.join(broken, "model.safetensors"), "w") as file:
        file.write("not tensors")
    contains(message_of(ValueError, lambda: modeling.load(broken)), "not a safetensors file of temper")
    with open(os.path.join(broken, "config.json"), "w") as file:
        file.write("{")
    contains(message_of(ValueError, lambda: modeling.load(broken)), "config.json")


# ---- other libraries, by stand-ins ----


def check_hugging_face(bench):
    printed = bench.python("""
        import json, torch, transformers
        from transformers import AutoConfig, AutoModel, PreTrainedModel
        from transformers.utils import ModelOutput
        for name in ("out", "end", "tokens"):
            model = AutoModel.from_pretrained(name, trust_remote_code=True, torch_dtype="auto")
            assert isinstance(model, PreTrainedModel) and model.embed.W_E.dtype == torch.float64
            single = AutoModel.from_pretrained(name, trust_remote_code=True)
            assert single.embed.W_E.dtype == torch.float32
            config = AutoConfig.from_pretrained(name, trust_remote_code=True)
            assert config.hidden_size == config.d_model == model.config.d_model and config.to_diff_dict()["temper"]
            for line in open(name + "/testvectors.jsonl", encoding="utf-8"):
                v = json.loads(line)
                for m in (model, single):
                    out = m(input_ids=torch.tensor([v["tokens"]]), output_attentions=True)
                    assert isinstance(out, ModelOutput) and out["truth"][0].tolist() == v["truth"], v
                    assert out.accept.tolist() == [v["accept"]] and out.to_tuple()[0] is out.accept
            tuple_out = model(torch.tensor([v["tokens"]]), return_dict=False)
            wide = AutoModel.from_pretrained(name, trust_remote_code=True, output_attentions=True, output_hidden_states=True)
            out = wide(torch.tensor([v["tokens"]]))
            assert len(out.attentions) > 0 and len(out.hidden_states) == config.n_layers + 1
            assert wide(torch.tensor([v["tokens"]]), output_attentions=False).attentions is None
            print(name, len(tuple_out))
    """)
    check(printed.split() == ["out", "3", "end", "3", "tokens", "3"], f"Hugging Face: {printed}")


LENS = """
import json, runpy, sys, torch
SETUP
for name in NAMES:
    lens = runpy.run_path(name + "/transformer_lens.py")
    model = lens["load"](n_ctx=70)
    assert type(model).__name__ == "HookedTransformer" and model.cfg.n_ctx == 70
    count = 0
    for line in open(name + "/testvectors.jsonl", encoding="utf-8"):
        v = json.loads(line)
        truth = model(torch.tensor([v["tokens"]]))[0].T > 0.5
        expected = v["outputs"] if "outputs" in v else [v["truth"]]
        assert truth.tolist() == [[bool(x) for x in row] for row in expected], (name, v)
        count += 1
    print(name, count)
"""


def check_transformer_lens(bench, folders):
    printed = bench.python(LENS.replace("SETUP", "").replace("NAMES", repr(list(folders))))
    check(printed.split() == [word for name in folders for word in (name, "64")], f"TransformerLens: {printed}")
    # The folder in front of the library's, where its file hides the library.
    for setup in ("sys.path.insert(0, 'out')", "sys.path.insert(0, 'out'); import transformer_lens"):
        printed = bench.python(LENS.replace("SETUP", setup).replace("NAMES", "['out']"))
        check(printed == "out 64\n", f"TransformerLens, {setup}: {printed}")
    printed = bench.python("""
        import runpy
        lens = runpy.run_path("out/transformer_lens.py")
        print(sorted(lens["state_dict"](8))[:3], lens["config"](8)["n_ctx"], lens["hooks"]()[0][0])
        try:
            lens["load"](8)
        except ImportError as error:
            print(error)
    """, stand_ins=False)
    contains(printed, "blocks.0.attn.W_K", "hook_pos_embed", "TransformerLens is not installed")


# ---- code in pages ----


def check_pages(bench, folders):
    with open(os.path.join(folders["out"], "README.md"), encoding="utf-8") as file:
        text = file.read()
    explained = bench.run("explain", os.path.join(folders["out"], "model.temper"), "--json")
    lengths = {p["type"]: p["length"] for p in json.loads(explained.splitlines()[0])["proved_length"]}
    contains(text, "H(b -> O a)", *(f"- {t}: {lengths[t]}, the answers of the specification at every position"
                                    for t in ("f64", "f32")))
    blocks = code_blocks(text, "python")
    check(len(blocks) == 4, f"{len(blocks)} blocks of Python in the folder's README.md")
    for block, promise in zip(blocks, ("tensor([1.]) tensor([[0., 1., 1.]])", "[True, False]", "[[False,  True,  True]]",
                                       "[1] [[0 1 1]]")):
        printed = bench.python(block)
        contains(printed, promise, *re.findall(r"# -> (.*)$", block, re.MULTILINE))
    for page in ("README.md", "doc/export.md"):
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            text = file.read()
        run_python(bench, page, code_blocks(text, "python"))
        for block in code_blocks(text, "js"):
            run_js(bench, page, block)


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
    printed = json.loads(bench.python(BLOCKS.replace("BLOCKS", repr(blocks))) or "[]")
    check(bool(blocks) and len(printed) == len(blocks), f"{page}: {len(blocks)} blocks of Python")
    for number, (block, lines) in enumerate(zip(blocks, printed)):
        promises = re.findall(r"# -> (.*)$", block, re.MULTILINE)
        check(lines == promises, f"{page}, block {number + 1}: printed {lines}, promised {promises}")


def run_js(bench, page, block):
    done = subprocess.run(["node", "-e", block], capture_output=True, text=True, cwd=bench.work,
                          env={**os.environ, "NODE_PATH": os.path.join(bench.node, "node_modules")})
    promises = re.findall(r"// -> (.*)$", block, re.MULTILINE)
    check(done.stdout.splitlines() == promises, f"{page}: {done.stdout!r} {done.stderr[-500:]!r}, promised {promises}")


def check_graph_messages(bench):
    """An id that is in no vocabulary is refused by the runtime."""
    printed = bench.python("""
        import numpy, onnxruntime
        try:
            onnxruntime.InferenceSession("out/model.onnx").run(["accept"], {"tokens": numpy.array([[3, 9]], numpy.int64)})
        except RuntimeError as error:
            print(error)
    """)
    contains(printed, "Gather", "out of data bounds")


def main(build, work, node):
    import torch
    torch.set_num_threads(1)
    bench = Bench(build, work, node)
    folders = make_folders(bench)
    sys.path.append(folders["out"])
    import modeling_temper as modeling
    check_vectors(modeling, torch, folders)
    check_inside(modeling, torch, folders)
    check_bfloat16(modeling, torch, folders["out"])
    check_messages(bench, modeling, torch, folders)
    check_hugging_face(bench)
    check_transformer_lens(bench, folders)
    check_graph_messages(bench)
    check_pages(bench, folders)
    print(f"loader-check: {passed} passed, {failed} failed")
    return failed > 0 or passed < 100


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
