"""Logits of an ordinary folder in onnxruntime and TransformerLens."""
from importlib.metadata import version

import numpy
import torch
from transformers import AutoTokenizer


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
    """A plain HookedTransformer of the same weights, by TransformerLens's own conversion; in version 4 a TransformerBridge."""
    if int(version("transformer-lens").split(".")[0]) >= 4:
        from transformer_lens.model_bridge import TransformerBridge
        where = model.config._name_or_path
        bridge = TransformerBridge.boot_transformers(where, hf_model=model, tokenizer=AutoTokenizer.from_pretrained(where),
                                                     dtype=torch.float32)
        return bridge(torch.tensor([ids]))[0].detach().numpy()
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
