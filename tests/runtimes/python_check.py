"""Folders of make_cases in transformers: every prefix verdict and legal set, the tokenizer, `generate`; in the newest versions also
onnxruntime and a plain HookedTransformer. usage: python_check.py FOLDER SHARE [old|half]: every SHARE-th specification; half: only
in f16 and in bf16, weights and all."""
import json
import os
import sys

import numpy
import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from runtimes import lens_logits, onnx_logits  # noqa: E402

folder, share = sys.argv[1], int(sys.argv[2])
mode = sys.argv[3] if len(sys.argv) > 3 else "new"
newest = mode == "new"
torch.manual_seed(1)
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
torch.set_num_threads(1)
passed = failed = drawn = ended = 0
drawings = []


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok and failed <= 20:
        print("WRONG", what)


def compare(what, string, logits, first):
    """Exactly the legal tokens have a probability that is not 0, in f32."""
    size = logits.shape[1]
    legal = numpy.zeros_like(logits, bool)
    legal[:, 1] = [c == "1" for c in string["end"]]
    for k in range(size - 3):
        legal[:, k + 2] = [mask >> k & 1 for mask in string["legal"]]
    legal[:, size - 1] = ~legal.any(axis=1)
    found = torch.softmax(torch.tensor(logits, dtype=torch.float32), dim=1).numpy() > 0
    for i in range(first, len(logits)):
        check((found[i] == legal[i]).all(), f"{what}: after {string['ids'][:i + 1]} legal are {legal[i]}, found {found[i]}")


def generate(name, model, oracle, count):
    global drawn, ended
    out = model.generate(torch.zeros([count, 1], dtype=torch.long), attention_mask=torch.ones([count, 1], dtype=torch.long),
                         do_sample=True, top_k=0, max_length=min(40, oracle["length"] + 1))
    drawn += count
    for row in out.tolist():
        row = row[1:]
        if 1 in row:
            ended += 1
            drawings.append(name + "\t" + text_of(oracle, row[:row.index(1)]))


def text_of(oracle, ids):
    return (" " if oracle["words"] else "").join(oracle["tokens"][k - 2] for k in ids)


def check_strings(where, kind, oracle, strings):
    """Tokenizer, verdicts and legal sets, in f32."""
    tokenizer = AutoTokenizer.from_pretrained(where)
    model = AutoModelForCausalLM.from_pretrained(where)
    check(all(p.dtype == torch.float32 for p in model.parameters()), where + " is not loaded in f32, which is what is proved")
    check(type(model).__name__ == ("GPT2LMHeadModel" if kind.startswith("gpt2") else "LlamaForCausalLM"), where + ": class")
    for string in strings:
        ids, text = string["ids"], text_of(oracle, string["ids"][1:])
        check(tokenizer(text)["input_ids"] == ids, f"{where}: ids of {text!r}: {tokenizer(text)['input_ids']}, not {ids}")
        check(tokenizer.decode(ids, skip_special_tokens=True) == text, f"{where}: the text of {ids}")
        compare(where, string, model(torch.tensor([ids])).logits[0].numpy(), oracle["from"])
    return model


def check_half(where, oracle):
    for dtype in (torch.float16, torch.bfloat16):
        model = AutoModelForCausalLM.from_pretrained(where).to(dtype)
        for string in oracle["strings"]:
            logits = model(torch.tensor([string["ids"]])).logits[0].float().numpy()
            compare(f"{where} in {dtype}", string, logits, oracle["from"])


@torch.no_grad()
def check_folder(name, kind, oracle):
    where = os.path.join(folder, name, kind)
    if mode == "half":
        check_half(where, oracle)
        return
    model = check_strings(where, kind, oracle, oracle["strings"][::4])
    if oracle["draws"]:
        generate(name, model, oracle, 100)
    if newest:
        string = oracle["strings"][-1]
        size = len(string["ids"])
        for pieces in ([size], [1] * min(size, 20) + [size - 20] * (size > 20)):
            compare(where + " onnx", string, onnx_logits(os.path.join(where, "onnx/model.onnx"), string["ids"], pieces), oracle["from"])
        compare(where + " TransformerLens", string, lens_logits(model, string["ids"]), oracle["from"])


names = sorted(n for n in os.listdir(folder) if os.path.exists(os.path.join(folder, n, "oracle.json")))
for number, name in enumerate(names):
    oracle = json.load(open(os.path.join(folder, name, "oracle.json"), encoding="utf-8"))
    if number % share and not oracle["words"] and "".join(oracle["tokens"]).isascii():
        continue
    for kind in sorted(os.listdir(os.path.join(folder, name))):
        if os.path.exists(os.path.join(folder, name, kind, "config.json")):
            check_folder(name, kind, oracle)
if mode != "half":
    with open(os.path.join(folder, f"drawn-python-{mode}.txt"), "w", encoding="utf-8") as out:
        out.write("".join(line + "\n" for line in drawings))
print(f"python_check, {mode} (transformers {transformers.__version__}, torch {torch.__version__}; {drawn} strings drawn, {ended} ended): "
      f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
