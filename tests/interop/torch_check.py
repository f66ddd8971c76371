"""Exported models in PyTorch against what make_cases wrote down: accept, truth at every position, f64 and f32.

usage: torch_check.py CASES [SHARE]: every SHARE-th model"""
import json
import os
import sys
import time

import numpy as np
import torch

DTYPES = {"f64": torch.float64, "f32": torch.float32}


def part(case, group, end, dtype, shape):
    return torch.from_numpy(np.fromfile(os.path.join(case["path"], f"{group}.{end}"), dtype).reshape(shape))


class Watch:
    """Collects hook_z of all layers and the embedding of one run."""

    def __init__(self, model):
        self.z, self.embed = [], None
        self.handles = [block.attn.hook_z.register_forward_hook(lambda m, i, out: self.z.append(out))
                        for block in model.blocks if block.attn is not None]
        if len(model.blocks):
            self.handles.append(model.blocks[0].hook_resid_pre.register_forward_hook(self.keep_embed))

    def keep_embed(self, module, inputs, out):
        self.embed = out

    def remove(self):
        for handle in self.handles:
            handle.remove()


class Tally:
    def __init__(self):
        self.passed = self.failed = 0
        self.difference = {"f64": 0.0, "f32": 0.0}
        self.where = {}
        self.pattern = {"f64": 0.0, "f32": 0.0}
        self.strings = {"f64": 0, "f32": 0}

    def check(self, ok, message):
        if ok:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= 20:
            print("FAILED:", message)


def expected_layers(case, number, group, end):
    """Of each layer with heads: z [batch, N, head, d_head], or pattern [batch, head, N, N]."""
    data = np.fromfile(os.path.join(case["path"], f"{number}.{end}"))
    out, at = [], 0
    for heads in case["heads"]:
        batch, size = group["batch"], group["size"]
        shape = (batch, size, heads, case["d_head"]) if end == "z" else (batch, heads, size, size)
        count = int(np.prod(shape))
        if heads:
            out.append(torch.from_numpy(data[at:at + count].reshape(shape)))
        at += count
    return out


def compare(tally, case, kind, model, number, group):
    shape = (group["batch"], group["size"])
    tokens = part(case, number, "tokens", np.int64, shape)
    watch = Watch(model) if group["inside"] else None
    wanted = case["patterns"] and group["short"]
    result = model(tokens, output_attentions=wanted)
    name = f"{case['name']} ({case['kind']}), n = {group['n']}, {kind}"
    tally.strings[kind] += group["batch"]
    if case["outputs"]:
        outputs = part(case, number, "truth", np.uint8, (*shape, case["outputs"]))
        tally.check(bool((result.outputs == outputs).all()), name + ": outputs")
    else:
        tally.check(bool((result.truth == part(case, number, "truth", np.uint8, shape)).all()), name + ": truth")
        tally.check(bool((result.accept == part(case, number, "accept", np.uint8, shape[:1])).all()), name + ": accept")
    if watch is None:
        return
    watch.remove()
    if wanted:
        theirs = expected_layers(case, number, group, "pattern")
        tally.check(len(theirs) == len(result.attentions), name + ": number of patterns")
        for ours, pattern in zip(result.attentions, theirs):
            difference = float((ours.double() - pattern).abs().max())
            tally.check(ours.shape == pattern.shape and difference < 0.01, f"{name}: a pattern differs by {difference}")
            tally.pattern[kind] = max(tally.pattern[kind], difference)
    for ours, theirs in zip(watch.z, expected_layers(case, number, group, "z")):
        difference = float((ours.double() - theirs).abs().max()) if theirs.numel() else 0.0
        tally.check(difference < 0.25, f"{name}: a head is {difference} away from temper's")
        if difference > tally.difference[kind]:
            tally.difference[kind], tally.where[kind] = difference, name
    if case["exact_embedding"] and watch.embed is not None:
        embed = part(case, number, "embed", np.float64, (*shape, case["channels"]))
        if case["kind"] != "by hand":
            embed = embed.to(watch.embed.dtype)
        elif kind == "f32":
            return  # features and embeddings are rounded one by one
        tally.check(bool((watch.embed == embed).all()), f"{name}: the embedding has other bits")


def main(folder, share=1):
    start = time.monotonic()
    with open(os.path.join(folder, "cases.json"), encoding="utf-8") as file:
        cases = json.load(file)
    cases = cases[::int(share)]
    sys.path.append(os.path.join(folder, cases[0]["folder"]))
    import modeling_temper
    torch.set_num_threads(1)
    tally = Tally()
    far = 0
    with torch.no_grad():
        for case in cases:
            case["path"] = os.path.join(folder, case["folder"])
            model = modeling_temper.load(case["path"])
            for kind, dtype in DTYPES.items():
                model = model.to(dtype)
                for number, group in enumerate(case["groups"]):
                    if kind == "f64" or (case["f32"] and group["f32"]):
                        compare(tally, case, kind, model, number, group)
                        far += group["n"] >= 5000
    print(f"torch {torch.__version__}: {len(cases)} models, {tally.strings['f64']} strings in f64, {tally.strings['f32']} in "
          f"f32, {far} batches of length 5000, {time.monotonic() - start:.0f} s")
    for kind in DTYPES:
        print(f"torch: largest difference of a head's output before rounding, {kind}: {tally.difference[kind]:.3g} "
              f"({tally.where.get(kind, '')}), of a pattern: {tally.pattern[kind]:.3g}")
    tally.check(far >= 4 or share != 1, "no batches of length 5000")
    print(f"torch-check: {tally.passed} passed, {tally.failed} failed")
    return tally.failed > 0 or tally.passed < 1000 // int(share)


if __name__ == "__main__":
    import warnings
    warnings.filterwarnings("ignore", message="nothing is proved")
    sys.exit(main(*sys.argv[1:]))
