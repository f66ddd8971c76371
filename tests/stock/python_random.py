"""Random models in transformers, tokenizers, gguf, onnxruntime and TransformerLens: logits against those of the forward pass
in double precision. usage: python_random.py FOLDER [only-transformers]"""
import json
import math
import os
import sys

import numpy
import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

folder = sys.argv[1]
everything = len(sys.argv) < 3
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("WRONG", what)


def onnx_logits(path, ids, pieces):
    """The graph fed in pieces, with its cache."""
    import onnxruntime
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    past = {i.name: numpy.zeros([1, i.shape[1], 0, i.shape[3]], numpy.float32)
            for i in session.get_inputs() if i.name.startswith("past_key_values")}
    names = [o.name for o in session.get_outputs()]
    rows, at = [], 0
    for size in pieces:
        feed = {"input_ids": numpy.array([ids[at:at + size]], numpy.int64),
                "attention_mask": numpy.ones([1, at + size], numpy.int64),
                "position_ids": numpy.arange(at, at + size, dtype=numpy.int64)[None], **past}
        out = dict(zip(names, session.run(None, feed)))
        past = {k: out[k.replace("past_key_values", "present")] for k in past}
        rows.append(out["logits"][0])
        at += size
    return numpy.concatenate(rows)


def lens_logits(model, ids):
    """A plain HookedTransformer of the same weights, by TransformerLens's own conversion."""
    from transformer_lens import HookedTransformer, HookedTransformerConfig
    c = model.config
    if c.model_type == "gpt2":
        from transformer_lens.pretrained.weight_conversions import convert_gpt2_weights as convert
        about = dict(n_layers=c.n_layer, d_model=c.n_embd, n_ctx=c.n_positions, d_head=c.n_embd // c.n_head, n_heads=c.n_head,
                     d_mlp=c.n_inner, act_fn="gelu_new", eps=c.layer_norm_epsilon, normalization_type="LN")
    else:
        from transformer_lens.pretrained.weight_conversions import convert_llama_weights as convert
        about = dict(n_layers=c.num_hidden_layers, d_model=c.hidden_size, n_ctx=c.max_position_embeddings, d_head=c.head_dim,
                     n_heads=c.num_attention_heads, d_mlp=c.intermediate_size, act_fn="silu", eps=c.rms_norm_eps,
                     normalization_type="RMS", positional_embedding_type="rotary", rotary_dim=c.head_dim, gated_mlp=True,
                     rotary_base=c.rope_parameters["rope_theta"], final_rms=True, rotary_adjacent_pairs=False)
    cfg = HookedTransformerConfig(d_vocab=c.vocab_size, dtype=torch.float32, original_architecture=c.architectures[0], **about)
    lens = HookedTransformer(cfg)
    lens.load_state_dict(convert(model, cfg), strict=False)
    return lens(torch.tensor([ids]))[0].detach().numpy()


def gguf_tensors(path):
    import gguf
    return {t.name: t.data for t in gguf.GGUFReader(path).tensors}


for name in sorted(os.listdir(folder)):
    where = os.path.join(folder, name)
    expected = json.load(open(os.path.join(where, "expected.json")))
    ids, logits = expected["ids"], numpy.array(expected["logits"])
    tokenizer = AutoTokenizer.from_pretrained(where) if "factors" not in name else None
    if everything:
        tensors = gguf_tensors(os.path.join(where, "model.gguf"))
        check(all(numpy.isfinite(t.astype(numpy.float32)).all() for t in tensors.values()) and len(tensors) > 5, name + ": gguf")
    if "factors" in name:
        continue
    string = "".join("abc"[k - 2] for k in ids[1:])
    check(tokenizer(string)["input_ids"] == ids, name + ": the tokenizer's ids")
    check(tokenizer.decode(ids, skip_special_tokens=True) == string, name + ": the tokenizer's text")
    worst = 0.03 if "f16" in name else 2e-4
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
        with torch.no_grad():
            # Its LN and RMS are the norms with their gains; logits may be centred, which no probability shows.
            found = lens_logits(model, ids)
        difference = numpy.abs((found - found[:, :1]) - (logits - logits[:, :1])).max()
        check(difference < worst, f"{name} TransformerLens: logits differ by {difference}")
print(f"python_random (transformers {transformers.__version__}, torch {torch.__version__}): {passed} passed, {failed} failed")
sys.exit(failed > 0)
