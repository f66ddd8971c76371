"""Random models in transformers, tokenizers, gguf, onnxruntime and TransformerLens: logits against those of the forward pass
in double precision. usage: python_random.py FOLDER [old|lens|files]: only transformers, also TransformerLens, only gguf and safetensors"""
import json
import os
import sys

import numpy
import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from runtimes import lens_logits, onnx_logits  # noqa: E402

folder = sys.argv[1]
mode = sys.argv[2] if len(sys.argv) > 2 else "new"
everything = mode == "new"
passed = failed = 0
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("WRONG", what)


# The same weights under the names of both files; GPT-2's layers are stored the other way round in one of them.
NAMES = {"gpt2": [("token_embd.weight", "transformer.wte.weight", False), ("output.weight", "lm_head.weight", False),
                  ("position_embd.weight", "transformer.wpe.weight", False),
                  ("blk.0.ffn_up.weight", "transformer.h.0.mlp.c_fc.weight", True),
                  ("blk.0.attn_qkv.weight", "transformer.h.0.attn.c_attn.weight", True)],
         "llama": [("token_embd.weight", "model.embed_tokens.weight", False), ("output.weight", "lm_head.weight", False),
                   ("blk.0.ffn_gate.weight", "model.layers.0.mlp.gate_proj.weight", False),
                   ("blk.0.attn_v.weight", "model.layers.0.self_attn.v_proj.weight", False)]}


def check_files(where, name):
    """gguf and safetensors read the files, and both have the same numbers."""
    import gguf
    from safetensors.numpy import load_file
    reader = gguf.GGUFReader(os.path.join(where, "model.gguf"))
    tensors = {t.name: t.data for t in reader.tensors}
    kind = name.split("-")[0]
    check(reader.fields["general.architecture"].contents() == kind, name + ": architecture")
    check(len(tensors) > 5 and all(numpy.isfinite(t.astype(numpy.float32)).all() for t in tensors.values()), name + ": gguf")
    if "factors" in name:
        return
    others = load_file(os.path.join(where, "model.safetensors"))
    for ours, theirs, turned in NAMES[kind]:
        other = others[theirs].T if turned else others[theirs]
        check(numpy.array_equal(tensors[ours].astype(numpy.float32), other.astype(numpy.float32)), f"{name}: {ours} and {theirs}")


for name in sorted(os.listdir(folder)):
    where = os.path.join(folder, name)
    expected = json.load(open(os.path.join(where, "expected.json")))
    ids, logits = expected["ids"], numpy.array(expected["logits"])
    tokenizer = AutoTokenizer.from_pretrained(where) if "factors" not in name else None
    if mode in ("new", "files"):
        check_files(where, name)
    if "factors" in name or mode == "files":
        continue
    string = "".join("abc"[k - 2] for k in ids[1:])
    check(tokenizer(string)["input_ids"] == ids, name + ": the tokenizer's ids")
    check(tokenizer.decode(ids, skip_special_tokens=True) == string, name + ": the tokenizer's text")
    worst = 2e-4
    for attention in ["eager", "sdpa"]:
        model = AutoModelForCausalLM.from_pretrained(where, attn_implementation=attention).to(torch.float32)
        check(type(model).__name__ in ("GPT2LMHeadModel", "LlamaForCausalLM"), name + ": the class")
        with torch.no_grad():
            difference = numpy.abs(model(torch.tensor([ids])).logits[0].numpy() - logits).max()
        check(difference < worst, f"{name} {attention}: logits differ by {difference}")
    if everything:
        for pieces in [[len(ids)], [1] * len(ids), [5, 1, len(ids) - 6]]:
            difference = numpy.abs(onnx_logits(os.path.join(where, "onnx/model.onnx"), ids, pieces) - logits).max()
            check(difference < 2e-4, f"{name} onnx: logits differ by {difference}")
    if mode != "old":
        with torch.no_grad():
            # Its LN and RMS are the norms with their gains; logits may be centred, which no probability shows.
            found = lens_logits(model, ids)
        difference = numpy.abs((found - found[:, :1]) - (logits - logits[:, :1])).max()
        check(difference < worst, f"{name} TransformerLens: logits differ by {difference}")
print(f"python_random, {mode} (transformers {transformers.__version__}, torch {torch.__version__}): {passed} passed, {failed} failed")
sys.exit(failed > 0 or passed < 20)
