"""A stand-in for TransformerLens, which cannot be installed where the tests run: the parts of a HookedTransformer that exported models
use, with the names, shapes and order of operations that its documentation gives."""
from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn


@dataclass
class HookedTransformerConfig:
    n_layers: int
    d_model: int
    n_ctx: int
    d_head: int
    model_name: str = "custom"
    n_heads: int = -1
    d_mlp: Optional[int] = None
    act_fn: Optional[str] = None
    d_vocab: int = -1
    use_attn_scale: bool = True
    normalization_type: Optional[str] = "LN"
    device: Optional[str] = None
    attention_dir: str = "causal"
    init_weights: bool = True
    positional_embedding_type: str = "standard"
    d_vocab_out: int = -1
    default_prepend_bos: bool = True
    dtype: torch.dtype = torch.float32

    def __post_init__(self):
        if self.normalization_type is not None or self.act_fn != "relu" or self.use_attn_scale:
            raise ValueError("the stand-in has no layer norm, one activation and no scale")
        if self.attention_dir != "bidirectional" or self.positional_embedding_type != "standard":
            raise ValueError("the stand-in is bidirectional, with standard positions")


class HookPoint(nn.Module):
    def forward(self, x):
        return x


class Embed(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_E = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model, dtype=cfg.dtype))

    def forward(self, tokens):
        return self.W_E[tokens, :]


class PosEmbed(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model, dtype=cfg.dtype))

    def forward(self, tokens):
        if tokens.size(-1) > self.W_pos.shape[0]:
            raise ValueError("longer than n_ctx")
        return self.W_pos[:tokens.size(-1), :].expand(tokens.size(0), -1, -1)


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        heads, d_model, d_head, dtype = cfg.n_heads, cfg.d_model, cfg.d_head, cfg.dtype
        self.W_Q = nn.Parameter(torch.empty(heads, d_model, d_head, dtype=dtype))
        self.W_K = nn.Parameter(torch.empty(heads, d_model, d_head, dtype=dtype))
        self.W_V = nn.Parameter(torch.empty(heads, d_model, d_head, dtype=dtype))
        self.W_O = nn.Parameter(torch.empty(heads, d_head, d_model, dtype=dtype))
        self.b_Q = nn.Parameter(torch.ones(heads, d_head, dtype=dtype))
        self.b_K = nn.Parameter(torch.ones(heads, d_head, dtype=dtype))
        self.b_V = nn.Parameter(torch.ones(heads, d_head, dtype=dtype))
        self.b_O = nn.Parameter(torch.ones(d_model, dtype=dtype))
        self.register_buffer("mask", torch.tril(torch.ones((cfg.n_ctx, cfg.n_ctx)).bool()))
        self.register_buffer("IGNORE", torch.tensor(-torch.inf))
        self.hook_attn_scores = HookPoint()  # [batch, head, query, key]
        self.hook_pattern = HookPoint()
        self.hook_z = HookPoint()  # [batch, pos, head, d_head]

    def forward(self, x):
        q = torch.einsum("bpd,hde->bphe", x, self.W_Q) + self.b_Q
        k = torch.einsum("bpd,hde->bphe", x, self.W_K) + self.b_K
        v = torch.einsum("bpd,hde->bphe", x, self.W_V) + self.b_V
        scores = self.hook_attn_scores(torch.einsum("bqhe,bkhe->bhqk", q, k) / 1.0)
        pattern = torch.softmax(scores, dim=-1)
        pattern = self.hook_pattern(torch.where(torch.isnan(pattern), torch.zeros_like(pattern), pattern))
        z = self.hook_z(torch.einsum("bkhe,bhqk->bqhe", v, pattern))
        return torch.einsum("bqhe,hed->bqd", z, self.W_O) + self.b_O


class MLP(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_in = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp, dtype=cfg.dtype))
        self.b_in = nn.Parameter(torch.ones(cfg.d_mlp, dtype=cfg.dtype))
        self.W_out = nn.Parameter(torch.empty(cfg.d_mlp, cfg.d_model, dtype=cfg.dtype))
        self.b_out = nn.Parameter(torch.ones(cfg.d_model, dtype=cfg.dtype))
        self.hook_pre, self.hook_post = HookPoint(), HookPoint()

    def forward(self, x):
        def addmm(bias, weight, value):
            return torch.addmm(bias, value.reshape(-1, value.shape[-1]), weight).reshape(*value.shape[:-1], -1)
        return addmm(self.b_out, self.W_out, self.hook_post(torch.relu(self.hook_pre(addmm(self.b_in, self.W_in, x)))))


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.attn, self.mlp = Attention(cfg), MLP(cfg)
        self.hook_resid_post = HookPoint()

    def forward(self, x):
        x = x + self.attn(x)
        return self.hook_resid_post(x + self.mlp(x))


class Unembed(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab_out, dtype=cfg.dtype))
        self.b_U = nn.Parameter(torch.ones(cfg.d_vocab_out, dtype=cfg.dtype))

    def forward(self, x):
        return x @ self.W_U + self.b_U


class HookedTransformer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed, self.hook_embed = Embed(cfg), HookPoint()
        self.pos_embed, self.hook_pos_embed = PosEmbed(cfg), HookPoint()
        self.blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg.n_layers)])
        self.unembed = Unembed(cfg)

    def add_perma_hook(self, name, hook, dir="fwd"):
        points = {point: module for point, module in self.named_modules() if isinstance(module, HookPoint)}
        point = points[name]
        point.register_forward_hook(lambda module, inputs, output: hook(output, hook=module))

    def forward(self, tokens):
        x = self.hook_embed(self.embed(tokens)) + self.hook_pos_embed(self.pos_embed(tokens))
        for block in self.blocks:
            x = block(x)
        return self.unembed(x)
