"""Folders of make_cases in transformers: every prefix verdict and legal set, the tokenizer, `generate`; in the newest versions also
onnxruntime and a plain HookedTransformer. usage: python_check.py FOLDER SHARE [old]: every SHARE-th specification."""
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
newest = len(sys.argv) < 4
torch.manual_seed(1)
torch.set_num_threads(1)
passed = failed = drawn = ended = 0
drawings = []


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok and failed <= 20:
        print("WRONG", what)


def compare(what, string, logits):
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


def generate(name, model, tokenizer, letters, oracle, count):
    global drawn, ended
    out = model.generate(torch.zeros([count, 1], dtype=torch.long), attention_mask=torch.ones([count, 1], dtype=torch.long),
                         do_sample=True, top_k=0, max_length=min(40, oracle["length"] + 1))
    drawn += count
    for row in out.tolist():
        row = row[1:]
        if 1 in row:
            ended += 1
            letters_of = [letters[k - 2] for k in row[:row.index(1)]]
            drawings.append(name + "\t" + (" " if oracle["words"] else "").join(letters_of))


names = sorted(n for n in os.listdir(folder) if os.path.exists(os.path.join(folder, n, "oracle.json")))
for number, name in enumerate(names):
    oracle = json.load(open(os.path.join(folder, name, "oracle.json"), encoding="utf-8"))
    letters, first = oracle["tokens"], oracle["from"]
    if number % share and not oracle["words"] and "".join(letters).isascii():
        continue
    strings = oracle["strings"][::4]
    for kind in sorted(os.listdir(os.path.join(folder, name))):
        where = os.path.join(folder, name, kind)
        if not os.path.exists(os.path.join(where, "config.json")):
            continue
        tokenizer = AutoTokenizer.from_pretrained(where)
        model = AutoModelForCausalLM.from_pretrained(where).to(torch.float32)
        check(type(model).__name__ == ("GPT2LMHeadModel" if kind.startswith("gpt2") else "LlamaForCausalLM"), where + ": class")
        for string in strings:
            ids = string["ids"]
            text = (" " if oracle["words"] else "").join(letters[k - 2] for k in ids[1:])
            check(tokenizer(text)["input_ids"] == ids, f"{where}: ids of {text!r}: {tokenizer(text)['input_ids']}, not {ids}")
            check(tokenizer.decode(ids, skip_special_tokens=True) == text, f"{where}: the text of {ids}")
            with torch.no_grad():
                compare(where, string, model(torch.tensor([ids])).logits[0].numpy())
        with torch.no_grad():
            if oracle["draws"]:
                generate(name, model, tokenizer, letters, oracle, 100)
            if newest:
                string = strings[-1]
                compare(where + " onnx", string, onnx_logits(os.path.join(where, "onnx/model.onnx"), string["ids"], [len(string["ids"])]))
                compare(where + " TransformerLens", string, lens_logits(model, string["ids"]))
with open(os.path.join(folder, f"drawn-python-{'new' if newest else 'old'}.txt"), "w", encoding="utf-8") as out:
    out.write("".join(line + "\n" for line in drawings))
print(f"python_check (transformers {transformers.__version__}, torch {torch.__version__}; {drawn} strings drawn, {ended} ended): "
      f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
