"""Exported folders in the libraries themselves, not in stand-ins: transformers with trust_remote_code, TransformerLens and
onnxruntime, each answer compared with testvectors.jsonl. usage: real_clients.py TEMPER WORK [old]: only transformers"""
import json
import os
import runpy
import shutil
import subprocess
import sys

import numpy
import torch
import transformers
from transformers import AutoModel

temper, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
newest = len(sys.argv) < 4
passed = failed = 0

SPECIFICATIONS = [
    ["-f", "H(b -> O a)", "--alphabet", "abc"],
    ["-f", "(Y a) S (b & Y c)", "--alphabet", "abc"],
    ["-f", "#[a] >= #[b]", "--alphabet", "ab"],
    ["-f", "a U b", "--alphabet", "abc"],
    ["-f", "#[a] % 3 = 1", "--alphabet", "ab"],
    ["--regex", "(ab|ba|cc)*", "--alphabet", "abc"],
    ["-f", "H('ack' -> O 'req')", "--tokens", "--alphabet", "req ack"],
]


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok and failed <= 20:
        print("WRONG", what)


def answers_of_graph(folder, tokens):
    import onnxruntime
    session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), providers=["CPUExecutionProvider"])
    return session.run(["accept", "truth"], {"tokens": numpy.array([tokens], numpy.int64)})


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
for number, specification in enumerate(SPECIFICATIONS):
    folder = os.path.join(work, f"model{number}")
    subprocess.run([temper, "export", "-q", *specification, "-o", folder], check=True)
    with open(os.path.join(folder, "testvectors.jsonl"), encoding="utf-8") as file:
        vectors = [json.loads(line) for line in file]
    model = AutoModel.from_pretrained(folder, trust_remote_code=True, torch_dtype="auto")
    check(type(model).__name__ == "TemperModel", f"{specification}: the class is {type(model)}")
    strings = [v["string"] for v in vectors]
    for vector, found in zip(vectors, model.answer(strings)):
        check(bool(found) == vector["accept"], f"{specification}: transformers on {vector['string']!r}")
    if not newest:
        continue
    for vector in vectors[::8]:
        accept, truth = answers_of_graph(folder, vector["tokens"])
        check(bool(accept[0]) == vector["accept"] and [int(x) for x in truth[0]] == vector["truth"],
              f"{specification}: onnxruntime on {vector['string']!r}")
    lens = runpy.run_path(os.path.join(folder, "transformer_lens.py"))["load"](n_ctx=70)
    for vector in vectors[::4]:
        with torch.no_grad():
            truth = lens(torch.tensor([vector["tokens"]]))[0, :, 0] > 0.5
        check([int(x) for x in truth] == vector["truth"], f"{specification}: TransformerLens on {vector['string']!r}")
about = f"transformers {transformers.__version__}, torch {torch.__version__}"
print(f"real_clients ({about}): {passed} passed, {failed} failed")
sys.exit(failed > 0)
