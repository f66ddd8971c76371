"""The loader of exported folders from outside, in plain PyTorch: test vectors, hooks, number formats, and the messages that wrong use
gets. library_check.py has the other libraries.

usage: loader_check.py BUILD WORK"""
import json
import math
import os
import shutil
import sys
import warnings

from checking import Bench, check, contains, make_folders, message_of, tally, vectors


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


def main(build, work):
    import torch
    torch.set_num_threads(1)
    bench = Bench(build, work)
    folders = make_folders(bench)
    sys.path.append(folders["out"])
    import modeling_temper as modeling
    check_vectors(modeling, torch, folders)
    check_inside(modeling, torch, folders)
    check_bfloat16(modeling, torch, folders["out"])
    check_messages(bench, modeling, torch, folders)
    return tally(f"loader-check (torch {torch.__version__})", 100)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
