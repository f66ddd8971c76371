"""A transformer made by temper in TransformerLens, for sequences of up to n_ctx positions: a HookedTransformer where the library has
that class, in versions 2 and 3, and from version 4 on a HookedRootModule with the same weights, hook points and cache.

    import sys
    sys.path.append("out")
    import lens_temper
    model = lens_temper.load(n_ctx=64)
    logits = model(tokens)          # [batch, sequence, outputs]; true where above 1/2

Stock TransformerLens knows neither masks and scales of a head's own, nor features that depend on the length of the sequence. They
are permanent hooks: hook_pos_embed gets the features of the actual length, hook_attn_scores the scale and the mask of each head,
hook_pattern the choice of heads that are not plain softmax, and zeros in rows without keys. All layers have the same numbers of
heads and units there; what a layer lacks is padded with zeros."""
import importlib.util
import os
import sys

import torch

FOLDER = os.path.dirname(os.path.abspath(__file__))


def _modeling():
    """modeling_temper.py of the same folder, and configuration_temper.py beside it."""
    for name in ("configuration_temper", "modeling_temper"):
        path = os.path.join(FOLDER, name + ".py")
        if getattr(sys.modules.get(name), "__file__", None) == path:
            continue
        spec = importlib.util.spec_from_file_location(name, path)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules["modeling_temper"]


def _library():
    try:
        import transformer_lens
    except ImportError as error:
        raise ImportError("TransformerLens is not installed: pip install transformer-lens") from error
    return transformer_lens


def config(n_ctx, dtype=torch.float64):
    """The arguments of HookedTransformerConfig, or of TransformerBridgeConfig, for one n_ctx."""
    facts = _modeling().load_config(FOLDER)
    return dict(n_layers=facts.n_layers, d_model=facts.d_model, n_ctx=n_ctx, d_head=max(facts.d_head, 1),
                n_heads=max(facts.n_heads, 1), d_mlp=max(facts.d_mlp, 1), d_vocab=facts.d_vocab,
                d_vocab_out=facts.d_vocab_out,
                act_fn="relu", normalization_type=None, use_attn_scale=False, attention_dir="bidirectional",
                positional_embedding_type="standard", default_prepend_bos=False, init_weights=False, dtype=dtype,
                model_name="temper")


def _pad(tensor, shape):
    out = torch.zeros(shape, dtype=tensor.dtype)
    out[tuple(slice(0, size) for size in tensor.shape)] = tensor
    return out


def state_dict(n_ctx, dtype=torch.float64):
    """The weights under TransformerLens's names, padded; pos_embed.W_pos has the features of a sequence of n_ctx positions."""
    modeling = _modeling()
    facts = modeling.load_config(FOLDER)
    tensors, _ = modeling.read_safetensors(os.path.join(FOLDER, "model.safetensors"))
    sizes = config(n_ctx)
    d_model, heads, d_head, d_mlp = (sizes[name] for name in ("d_model", "n_heads", "d_head", "d_mlp"))
    out = {"embed.W_E": tensors["embed.W_E"], "unembed.W_U": tensors["unembed.W_U"], "unembed.b_U": torch.zeros(facts.d_vocab_out),
           "pos_embed.W_pos": modeling.features(facts, n_ctx)}
    shapes = {"attn.W_Q": (heads, d_model, d_head), "attn.W_K": (heads, d_model, d_head),
              "attn.W_V": (heads, d_model, d_head), "attn.W_O": (heads, d_head, d_model),
              "attn.b_Q": (heads, d_head), "attn.b_K": (heads, d_head), "attn.b_V": (heads, d_head),
              "attn.b_O": (d_model,), "mlp.W_in": (d_model, d_mlp), "mlp.b_in": (d_mlp,), "mlp.W_out": (d_mlp, d_model),
              "mlp.b_out": (d_model,)}
    for layer in range(facts.n_layers):
        for name, shape in shapes.items():
            full = f"blocks.{layer}.{name}"
            out[full] = _pad(tensors.get(full, torch.zeros([0] * len(shape), dtype=torch.float64)), shape)
    return {name: tensor.to(dtype) for name, tensor in out.items()}


def hooks():
    """[(name of the hook point, function(value, hook))]: masks, scales, choices and features."""
    modeling = _modeling()
    facts = modeling.load_config(FOLDER)
    sentinels = 2 if facts.temper.get("end") else 1

    def positions(value, hook):
        return modeling.features(facts, value.shape[1]).to(value.device, value.dtype).expand_as(value)

    def scale_of(head, size, like):
        text = head.get("scale", head.get("adaptive", "1"))
        return modeling.evaluate(text, size, sentinels).to(like.device, like.dtype)

    def mask_of(head, scores):
        return modeling.mask_rows(head["mask"], 0, scores.shape[-2], scores.shape[-1], scores.device)

    def is_plain(head):
        return head["choice"] == "softmax" and "adaptive" not in head

    def hook_layer(layer):
        seen = {}  # scores of the heads whose choice hook_pattern makes

        def scores_hook(scores, hook):
            out = scores.clone()
            for k, head in enumerate(layer["heads"]):
                if is_plain(head):  # the mask comes after the scale: -inf times 0 is no number
                    out[:, k] = (scores[:, k] * scale_of(head, scores.shape[-1], scores)).masked_fill(
                        ~mask_of(head, scores), float("-inf"))
                else:
                    seen[k] = scores[:, k]
            return out

        def pattern_of(k, head, pattern):
            mask, size = mask_of(head, pattern), pattern.shape[-1]
            if is_plain(head):
                return pattern[:, k].masked_fill(~mask.any(-1, keepdim=True), 0)  # softmax of nothing is no number
            if "adaptive" in head:
                scale = scale_of(head, size, pattern)
                logits = modeling.adaptive_logits(seen[k], mask, scale, head["for"], size)
                weights = modeling.exponentials(logits, mask)
            else:
                weights = modeling.hard_weights(seen[k], mask, head["choice"])
            total = weights.sum(-1, keepdim=True)
            return weights / torch.where(total > 0, total, torch.ones_like(total))

        def pattern_hook(pattern, hook):
            out = torch.zeros_like(pattern)  # heads that only pad look nowhere
            for k, head in enumerate(layer["heads"]):
                out[:, k] = pattern_of(k, head, pattern)
            return out

        return scores_hook, pattern_hook

    out = [("hook_pos_embed", positions)]
    for number, layer in enumerate(facts.temper["layers"]):
        scores_hook, pattern_hook = hook_layer(layer)
        out.append((f"blocks.{number}.attn.hook_attn_scores", scores_hook))
        out.append((f"blocks.{number}.attn.hook_pattern", pattern_hook))
    return out


def _module(library, weights, prefix, points):
    """A module with the weights whose names are prefix and one word more, and with hook points."""
    out = torch.nn.Module()
    for name, tensor in weights.items():
        if name.startswith(prefix) and "." not in name[len(prefix):]:
            setattr(out, name[len(prefix):], torch.nn.Parameter(tensor))
    for name in points:
        setattr(out, name, library.hook_points.HookPoint())
    return out


def _root(library, cfg, weights):
    """What a HookedTransformer computes of these weights, for versions of the library without that class."""

    class HookedTemper(library.HookedRootModule):
        def __init__(self):
            super().__init__()
            self.cfg = cfg
            self.embed, self.pos_embed, self.unembed = (
                _module(library, weights, name, ()) for name in ("embed.", "pos_embed.", "unembed."))
            self.hook_embed, self.hook_pos_embed = library.hook_points.HookPoint(), library.hook_points.HookPoint()
            self.blocks = torch.nn.ModuleList()
            for number in range(cfg.n_layers):
                block = _module(library, weights, f"blocks.{number}.", (
                    "hook_resid_pre", "hook_attn_out", "hook_resid_mid", "hook_mlp_out", "hook_resid_post"))
                block.attn = _module(library, weights, f"blocks.{number}.attn.", (
                    "hook_q", "hook_k", "hook_v", "hook_attn_scores", "hook_pattern", "hook_z"))
                block.mlp = _module(library, weights, f"blocks.{number}.mlp.", ("hook_pre", "hook_post"))
                self.blocks.append(block)
            self.setup()

        def attention(self, part, x):
            q, k, v = (hook(torch.einsum("bpd,hde->bphe", x, weight) + bias) for hook, weight, bias in (
                (part.hook_q, part.W_Q, part.b_Q), (part.hook_k, part.W_K, part.b_K), (part.hook_v, part.W_V, part.b_V)))
            scores = part.hook_attn_scores(torch.einsum("bqhe,bkhe->bhqk", q, k))
            pattern = part.hook_pattern(torch.softmax(scores, -1))
            z = part.hook_z(torch.einsum("bhqk,bkhe->bqhe", pattern, v))
            return torch.einsum("bqhe,hed->bqd", z, part.W_O) + part.b_O

        def net(self, part, x):
            return part.hook_post(torch.relu(part.hook_pre(x @ part.W_in + part.b_in))) @ part.W_out + part.b_out

        def forward(self, tokens):
            batch, size = tokens.shape
            if size > cfg.n_ctx:
                raise ValueError(f"{size} positions are more than n_ctx, which is {cfg.n_ctx}: load(n_ctx={size})")
            x = self.hook_embed(self.embed.W_E[tokens])
            x = x + self.hook_pos_embed(self.pos_embed.W_pos[:size].expand(batch, -1, -1))
            for block in self.blocks:
                x = block.hook_resid_pre(x)
                x = block.hook_resid_mid(x + block.hook_attn_out(self.attention(block.attn, x)))
                x = block.hook_resid_post(x + block.hook_mlp_out(self.net(block.mlp, x)))
            return x @ self.unembed.W_U + self.unembed.b_U

        def run_with_cache(self, *arguments, return_cache_object=True, remove_batch_dim=False, **more):
            out, cache = super().run_with_cache(*arguments, remove_batch_dim=remove_batch_dim, **more)
            if return_cache_object:
                cache = library.ActivationCache(cache, self, has_batch_dim=not remove_batch_dim)
            return out, cache

    return HookedTemper().to(cfg.device)


def _hooked_transformer(library, cfg, weights):
    model = library.HookedTransformer(cfg)
    missing, unexpected = model.load_state_dict(weights, strict=False)
    missing = [name for name in missing if name.split(".")[-1] not in ("mask", "IGNORE")]  # buffers of the library
    if missing or unexpected:
        raise ValueError(f"this TransformerLens has other weights: missing {missing}, unexpected {unexpected}")
    return model


def load(n_ctx, dtype=torch.float64, device="cpu"):
    """A model of the installed TransformerLens with the weights and, as permanent hooks, everything else."""
    library = _library()
    about, weights = dict(device=str(device), **config(n_ctx, dtype)), state_dict(n_ctx, dtype)
    try:
        make_config, make_model = library.HookedTransformerConfig, _hooked_transformer
    except (AttributeError, ImportError):  # version 4 raises the second
        make_config, make_model = library.TransformerBridgeConfig, _root
    model = make_model(library, make_config(**about), weights)
    for name, function in hooks():
        model.add_perma_hook(name, function)
    return model
