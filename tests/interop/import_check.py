"""Files that TransformerLens and Hugging Face transformers write themselves, in `temper import`: the imported model answers as the library's
own forward pass does, on all short strings and some long ones. usage: import_check.py BUILD WORK

Softmax heads with random weights are compared as they are. Models with small whole weights have scores that tie or are apart; times 1000,
in the library, they are the hard choices that the file is imported with: equal scores share the attention, the others get next to none."""
import itertools
import json
import random
import sys
from importlib.metadata import version

import torch
import transformers
from safetensors.torch import save_file
from transformers import GPT2Config, GPT2LMHeadModel

from checking import Bench, check, contains, tally

LETTERS, START = "abc", 3
SIZES = dict(layers=2, width=12, heads=2, net=16, positions=40)
NEAR = 1e-9  # a difference of logits below this is no answer


def strings():
    yield from ("".join(s) for n in range(1, 5) for s in itertools.product(LETTERS, repeat=n))
    yield from ("".join(random.choices(LETTERS, k=n)) for n in range(5, SIZES["positions"], 2))


def fill(model, hard):
    """Random numbers; of hard models small whole ones, so that scores are whole numbers and tie often."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            if hard:
                p.copy_(torch.randint(-1, 2, p.shape) * (torch.rand(p.shape) < 0.4))
            else:
                p.copy_(torch.randn(p.shape, dtype=torch.float32) * 0.5)


def lens_model(hard):
    """With hard, scores are 1000 times what W_Q and W_K say; without, divided by the root of d_head as usual."""
    from transformer_lens import HookedTransformer, HookedTransformerConfig
    scale = {"attn_scale": 1e-3} if hard else {}
    model = HookedTransformer(HookedTransformerConfig(
        n_layers=SIZES["layers"], d_model=SIZES["width"], n_ctx=SIZES["positions"], n_heads=SIZES["heads"],
        d_head=SIZES["width"] // SIZES["heads"], d_mlp=SIZES["net"], d_vocab=len(LETTERS) + 1, act_fn="relu", normalization_type=None,
        default_prepend_bos=False, dtype=torch.float64, **scale))
    fill(model, hard)
    return model, lambda ids: model(ids)


def gpt2_model(hard):
    """GPT2LMHeadModel with nothing in the place of layer norm, which temper does not have."""
    model = GPT2LMHeadModel(GPT2Config(
        n_layer=SIZES["layers"], n_embd=SIZES["width"], n_positions=SIZES["positions"], n_head=SIZES["heads"], n_inner=SIZES["net"],
        vocab_size=len(LETTERS) + 1, activation_function="relu", attn_implementation="eager", bos_token_id=START, eos_token_id=START))
    for block in model.transformer.h:
        block.ln_1, block.ln_2 = torch.nn.Identity(), torch.nn.Identity()
        if hard:
            block.attn.scaling = 1000.0
    model.transformer.ln_f = torch.nn.Identity()
    fill(model, hard)
    model.eval()  # no dropout
    return model, lambda ids: model(ids).logits


def config(hard):
    head = {"choice": "average"} if hard else {"choice": "softmax", "for": "average"}
    return {"alphabet": list(LETTERS), "start": START, "normalization": "none", "activation": "relu", "n_head": SIZES["heads"],
            "head": {**head, "mask": "j<=i"}, "answer": {"accept": 1, "reject": 0}}


def imported(bench, name, hard):
    with open(bench.path(name + ".json"), "w", encoding="utf-8") as file:
        json.dump(config(hard), file)
    bench.run("import", "-q", name + ".safetensors", name + ".json", "-o", name + ".temper")


def compare(bench, name, hard, forward):
    """The answers of both; strings whose two logits are too near each other are left out."""
    expected = {}
    with torch.no_grad():
        for s in strings():
            row = forward(torch.tensor([[START, *map(LETTERS.index, s)]]))[0, -1]
            if abs(row[1] - row[0]) > NEAR:
                expected[s] = bool(row[1] > row[0])
    mode = "--hard" if hard else "--unchecked"
    printed = [json.loads(line) for line in bench.run("run", "--json", mode, name + ".temper", *expected).splitlines()]
    answers = [line for line in printed if "string" in line]  # a warning may come before
    for s, answer in zip(expected, answers):
        check(answer["accept"] == expected[s], f"{name}: {s!r} is {answer}, the library says {expected[s]}")
    check(len(answers) == len(expected) > 60, f"{name}: {len(answers)} answers, {len(expected)} strings")
    return len(set(expected.values()))


def main(build, work):
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(1)
    random.seed(1)
    bench = Bench(build, work)
    both = 0
    for hard, make, number in itertools.product((False, True), (lens_model, gpt2_model), range(4)):
        name = f"{make.__name__}-{'hard' if hard else 'soft'}-{number}"
        model, forward = make(hard)
        if make is gpt2_model:
            model.save_pretrained(bench.path("saved"))
            weights = bench.path("saved", "model.safetensors")
            with open(weights, "rb") as source, open(bench.path(name + ".safetensors"), "wb") as out:
                out.write(source.read())
        else:
            save_file({k: v.contiguous() for k, v in model.state_dict().items()}, bench.path(name + ".safetensors"))
        imported(bench, name, hard)
        both += compare(bench, name, hard, forward) == 2
    check(both >= 8, f"{both} of 16 models have both answers")
    # A GPT-2 as it is has layer norms.
    GPT2LMHeadModel(GPT2Config(n_layer=1, n_embd=12, n_positions=8, n_head=2, vocab_size=4)).save_pretrained(bench.path("plain"))
    contains(bench.run("import", "plain/model.safetensors", name + ".json", "-o", "plain.temper", code=4), "layer norm")
    return tally(f"import-check (TransformerLens {version('transformer-lens')}, transformers {version('transformers')})", 500)


if __name__ == "__main__":
    transformers.logging.disable_progress_bar()
    sys.exit(main(*sys.argv[1:]))
