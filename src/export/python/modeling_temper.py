"""A transformer made by temper, in plain PyTorch (1.13 or later).

    model = load("out")                                  # f64; dtype=torch.float32 for f32
    model.answer(["abab", "ba"])                         # [True, False]
    result = model(model.encode(["abab", "baba"]), output_attentions=True)
    result.accept, result.truth                          # [batch], [batch, sequence]
    result.attentions[0]                                 # [batch, head, query, key]

Modules are named as in TransformerLens (blocks.0.attn.hook_pattern, blocks.0.hook_resid_post, ...): a forward hook on one sees
its value, and replaces it by returning another. Where transformers is installed, TemperModel is a Hugging Face model.

Attention is written out rather than left to softmax, because a mean must round once: with the largest logit taken off, the
largest weights are exactly 1, sums of them are exact, and the quotient of two sums rounds once, as in temper's own runs."""
import importlib
import json
import math
import os
import re
import struct
import warnings
from dataclasses import dataclass
from typing import Optional, Tuple

import torch
from torch import nn

if __package__:
    from .configuration_temper import TemperConfig, load_config
else:
    TemperConfig = importlib.import_module("configuration_temper").TemperConfig
    load_config = importlib.import_module("configuration_temper").load_config

try:
    from transformers import PreTrainedModel
    from transformers.utils import ModelOutput
except ImportError:
    PreTrainedModel, ModelOutput = None, object

BLOCK_NUMBERS = 1 << 22  # weights of a layer that are in memory at once, unless somebody wants to see them all


# ---- expressions of (i, n, N): position features and scales ----


class Expression:
    """A text such as "ln(N) + 8", evaluated in f64, one rounding per operation.

        expr   = term { ("+" | "-") term }
        term   = factor { ("*" | "/" | "%") factor }
        factor = number | "i" | "n" | "N" | "-" factor | "(" expr ")" | "[" expr ("=" | "!=" | "<" | "<=") expr "]"
               | ("ln" | "sqrt" | "cos" | "sin" | "floor" | "ceil2") "(" expr ")" | ("min" | "max") "(" expr "," expr ")" """

    TOKEN = re.compile(r"\s*(0[xX][0-9a-fA-F.]+[pP][+-]?[0-9]+|[0-9][0-9.]*(?:[eE][+-]?[0-9]+)?|ln|sqrt|cos|sin"
                       r"|floor|ceil2|min|max|[inN]"
                       r"|!=|<=|[-+*/%()\[\],=<])")

    def __init__(self, text, i, n, size):
        self.text, self.at = text, 0
        self.words = []
        for match in iter(lambda: self.TOKEN.match(text, self.at), None):
            self.words.append(match[1])
            self.at = match.end()
        if text[self.at:].strip():
            raise ValueError(f"cannot read the expression {text!r}")
        self.values = {"i": i, "n": self.scalar(n), "N": self.scalar(size)}

    @staticmethod
    def scalar(x):
        return torch.tensor(x, dtype=torch.float64)

    def take(self, *expected):
        word = self.words.pop(0) if self.words else "the end"
        if expected and word not in expected:
            raise ValueError(f"in the expression {self.text!r}: expected {' or '.join(expected)}, found {word}")
        return word

    def next_is(self, *words):
        return bool(self.words) and self.words[0] in words

    def value(self):
        x = self.sum()
        if self.words:
            self.take("the end")
        return x

    def sum(self):
        x = self.product()
        while self.next_is("+", "-"):
            x = x + self.product() if self.take() == "+" else x - self.product()
        return x

    def product(self):
        x = self.factor()
        while self.next_is("*", "/", "%"):
            op, y = self.take(), self.factor()
            x = x * y if op == "*" else x / y if op == "/" else self.rest(x, y)
        return x

    @staticmethod
    def rest(x, y):
        rest = torch.fmod(x, y)
        return torch.where(rest < 0, rest + y.abs(), rest)

    def factor(self):
        word = self.take()
        if word in self.values:
            return self.values[word]
        if word == "-":
            return -self.factor()
        if word == "(":
            x = self.sum()
            self.take(")")
            return x
        if word == "[":
            x, op, y = self.sum(), self.take("=", "!=", "<", "<="), self.sum()
            self.take("]")
            test = {"=": torch.eq, "!=": torch.ne, "<": torch.lt, "<=": torch.le}[op]
            return test(x, y).to(torch.float64)
        if word in ("ln", "sqrt", "cos", "sin", "floor", "ceil2", "min", "max"):
            return self.call(word)
        if not word[0].isdigit():
            raise ValueError(f"in the expression {self.text!r}: {word} is not a value")
        return self.scalar(float.fromhex(word) if "x" in word.lower() else float(word))

    def call(self, name):
        self.take("(")
        x = self.sum()
        if name in ("min", "max"):
            self.take(",")
            y = self.sum()
            x = torch.where(x < y if name == "min" else x > y, x, y)
        self.take(")")
        known = {"ln": torch.log, "sqrt": torch.sqrt, "cos": torch.cos, "sin": torch.sin, "floor": torch.floor, "ceil2": power_above}
        return known.get(name, lambda y: y)(x)


def power_above(x):
    """The least power of two that is not below x, 0 where x is not positive."""
    mantissa, _ = torch.frexp(x)  # in [1/2, 1); x / mantissa is a power of two, so the division is exact
    return torch.where(x <= 0, torch.zeros_like(x), torch.where(mantissa == 0.5, x, x / mantissa))


def evaluate(text, size, sentinels, i=None):
    """The value of an expression for N = size positions, `sentinels` of them not letters; f64."""
    return Expression(text, i, float(size - sentinels), float(size)).value()


# ---- attention ----


def mask_rows(kind, first, end, size, device):
    """[end - first, size]: True where query first, ..., end - 1 sees a key."""
    i = torch.arange(first, end, device=device)[:, None]
    j = torch.arange(size, device=device)[None, :]
    if kind == "all":
        return torch.ones(end - first, size, dtype=torch.bool, device=device)
    return {"j<i": j < i, "j<=i": j <= i, "j>i": j > i, "j>=i": j >= i}[kind]


def exponentials(logits, mask):
    """exp(logit - the row's largest), 0 where masked; rows without keys are 0."""
    hidden = logits.masked_fill(~mask, -math.inf)
    best = hidden.amax(-1, keepdim=True)
    return torch.exp(hidden - best.masked_fill(best == -math.inf, 0))


def adaptive_logits(scores, mask, scale, choice, size):
    """The scale divided by the row's own gap, between its best score and the next different one."""
    hidden = scores.masked_fill(~mask, -math.inf)
    best = hidden.amax(-1, keepdim=True)
    below = torch.where(hidden < best, hidden, torch.full_like(hidden, -math.inf)).amax(-1, keepdim=True)
    differs = below > -math.inf
    gap = torch.where(differs, best - below, torch.ones_like(best))
    logits = scale * torch.where(differs, (scores - best) / gap, torch.zeros_like(scores))
    slope = scale / size * torch.arange(size, device=scores.device).to(scores.dtype)
    return logits + slope if choice == "rightmost" else logits - slope if choice == "leftmost" else logits


def hard_weights(scores, mask, choice):
    """1 on the largest scores (average), or on the first or last of them."""
    tied = (scores == scores.masked_fill(~mask, -math.inf).amax(-1, keepdim=True)) & mask
    if choice == "average":
        return tied.to(scores.dtype)
    size = scores.shape[-1]
    j = torch.arange(size, device=scores.device).expand_as(tied)
    if choice == "leftmost":
        chosen = torch.where(tied, j, torch.full_like(j, size)).amin(-1, keepdim=True)
    else:
        chosen = torch.where(tied, j, torch.full_like(j, -1)).amax(-1, keepdim=True)
    return (j == chosen).to(scores.dtype)


class Attention(nn.Module):
    def __init__(self, heads, d_model, d_head, sentinels):
        super().__init__()
        self.heads, self.sentinels = heads, sentinels
        count = len(heads)
        self.W_Q = nn.Parameter(torch.zeros(count, d_model, d_head))
        self.W_K = nn.Parameter(torch.zeros(count, d_model, d_head))
        self.W_V = nn.Parameter(torch.zeros(count, d_model, d_head))
        self.W_O = nn.Parameter(torch.zeros(count, d_head, d_model))
        self.hook_q = nn.Identity()  # [batch, head, query, d_head]
        self.hook_k = nn.Identity()  # [batch, head, key, d_head]
        self.hook_v = nn.Identity()  # [batch, head, key, d_head]
        self.hook_attn_scores = nn.Identity()  # [batch, head, query, key], before scale and mask
        self.hook_pattern = nn.Identity()  # [batch, head, query, key]
        self.hook_z = nn.Identity()  # [batch, sequence, head, d_head]: averages, not yet rounded

    def weights(self, scores, first, scales):
        """Scores of some rows [batch, head, rows, N] to weights that are not yet divided by their sum."""
        size, end = scores.shape[-1], first + scores.shape[-2]
        masks = torch.stack([mask_rows(h["mask"], first, end, size, scores.device) for h in self.heads])
        logits = scores * scales[:, None, None]
        weights = exponentials(logits, masks)
        for k, head in enumerate(self.heads):
            if head["choice"] != "softmax":
                weights[:, k] = hard_weights(scores[:, k], masks[k], head["choice"])
            elif "adaptive" in head:
                logits = adaptive_logits(scores[:, k], masks[k], scales[k], head["for"], size)
                weights[:, k] = exponentials(logits, masks[k])
        return weights

    def rows(self, q, k, v, first, scales):
        """The pattern of some rows, and their averages [batch, head, rows, d_head]."""
        scores = self.hook_attn_scores(q @ k.transpose(-1, -2))
        weights = self.weights(scores, first, scales)
        total = weights.sum(-1, keepdim=True)
        total = torch.where(total > 0, total, torch.ones_like(total))
        pattern = weights / total
        if self.hook_pattern._forward_hooks:
            before, pattern = pattern, self.hook_pattern(pattern.clone())
            if not torch.equal(before, pattern):  # somebody wants another one
                return pattern, pattern @ v
        return pattern, weights @ v / total

    def forward(self, x, keep_pattern=False):
        batch, size, _ = x.shape
        q, k, v = (hook(x[:, None] @ w) for hook, w in
                   ((self.hook_q, self.W_Q), (self.hook_k, self.W_K), (self.hook_v, self.W_V)))
        texts = [head.get("scale", head.get("adaptive", "1")) for head in self.heads]
        scales = torch.stack([evaluate(text, size, self.sentinels) for text in texts]).to(x.device, x.dtype)
        watched = self.hook_attn_scores._forward_hooks or self.hook_pattern._forward_hooks
        step = size if keep_pattern or watched else max(1, BLOCK_NUMBERS // (max(batch, 1) * len(self.heads) * size))
        blocks = [self.rows(q[:, :, first:first + step], k, v, first, scales) for first in range(0, size, step)]
        z = self.hook_z(torch.cat([block[1] for block in blocks], 2).transpose(1, 2))
        out = z[:, :, 0] @ self.W_O[0]
        for head in range(1, len(self.heads)):
            out = out + z[:, :, head] @ self.W_O[head]
        return out, blocks[0][0] if keep_pattern else None


# ---- layers ----


class FeedForward(nn.Module):
    def __init__(self, d_model, d_mlp):
        super().__init__()
        self.W_in = nn.Parameter(torch.zeros(d_model, d_mlp))
        self.b_in = nn.Parameter(torch.zeros(d_mlp))
        self.W_out = nn.Parameter(torch.zeros(d_mlp, d_model))
        self.hook_pre = nn.Identity()  # [batch, sequence, d_mlp]
        self.hook_post = nn.Identity()

    def forward(self, x):
        # Two steps, not addmm: the units of a ramp subtract different biases from the same sum.
        pre = self.hook_pre(x @ self.W_in + self.b_in)
        return self.hook_post(torch.relu(pre)) @ self.W_out


class Block(nn.Module):
    def __init__(self, layer, d_model, d_head, sentinels):
        super().__init__()
        self.attn = Attention(layer["heads"], d_model, d_head, sentinels) if layer["heads"] else None
        self.mlp = FeedForward(d_model, layer["units"]) if layer["units"] else None
        self.hook_resid_pre = nn.Identity()  # [batch, sequence, d_model]
        self.hook_attn_out = nn.Identity()
        self.hook_resid_mid = nn.Identity()
        self.hook_mlp_out = nn.Identity()
        self.hook_resid_post = nn.Identity()

    def forward(self, x, keep_pattern=False):
        x, pattern = self.hook_resid_pre(x), None
        if self.attn is not None:
            out, pattern = self.attn(x, keep_pattern)
            x = x + self.hook_attn_out(out)
        x = self.hook_resid_mid(x)
        if self.mlp is not None:
            x = x + self.hook_mlp_out(self.mlp(x))
        return self.hook_resid_post(x), pattern


class Embedding(nn.Module):
    def __init__(self, d_vocab, d_model):
        super().__init__()
        self.W_E = nn.Parameter(torch.zeros(d_vocab, d_model))

    def forward(self, tokens):
        return self.W_E[tokens]


class Unembedding(nn.Module):
    """The read-out of every output; of language models with probabilities their logarithms, too."""

    def __init__(self, d_model, outputs, has_logits):
        super().__init__()
        self.W_U = nn.Parameter(torch.zeros(d_model, outputs))
        self.W_logits = nn.Parameter(torch.zeros(d_model, outputs)) if has_logits else None

    def forward(self, x):
        return x @ self.W_U

    def log_probabilities(self, x):
        return x @ self.W_logits if self.W_logits is not None else None


def features(config, size, device=None):
    """[size, d_model], f64: what a position adds to the embedding in a sequence of `size` positions."""
    channels = config.temper["channels"]
    sentinels = 2 if config.temper.get("end") else 1
    i = torch.arange(size, dtype=torch.float64)
    out = torch.zeros(size, len(channels), dtype=torch.float64)
    for c, channel in enumerate(channels):
        text = channel.get("position", channel.get("soft"))
        if text is not None:
            out[:, c] = evaluate(text, size, sentinels, i)
    return out.to(device)


# ---- the model ----


@dataclass
class TemperOutput(ModelOutput):
    """accept [batch] and truth [batch, sequence] are 0 or 1; logits [batch, sequence] are above 1/2 where truth is 1.

    A language model and a transducer have outputs instead, [batch, sequence, outputs], as are then the logits; a language model
    with probabilities has their logarithms, -1024 for what cannot come."""

    accept: Optional[torch.Tensor] = None
    truth: Optional[torch.Tensor] = None
    outputs: Optional[torch.Tensor] = None
    logits: Optional[torch.Tensor] = None
    log_probabilities: Optional[torch.Tensor] = None
    hidden_states: Optional[Tuple[torch.Tensor, ...]] = None  # n_layers + 1 of [batch, sequence, d_model]
    attentions: Optional[Tuple[torch.Tensor, ...]] = None  # per layer with heads [batch, head, query, key]


class TemperModel(PreTrainedModel or nn.Module):
    """The transformer. Its input is ids [batch, sequence], sentinels included, all strings of one length."""

    config_class = TemperConfig
    main_input_name = "input_ids"
    base_model_prefix = ""

    def __init__(self, config):
        if PreTrainedModel is None:
            super().__init__()
            self.config = config
        else:
            super().__init__(config)
        facts = config.temper
        self.sentinels = 2 if facts.get("end") else 1
        self.letters = {letter: k for k, letter in enumerate(facts["alphabet"])}
        self.start, self.end = len(self.letters), len(self.letters) + 1  # ids of the sentinels
        d_head = max([max(h["query"], h["value"]) for layer in facts["layers"] for h in layer["heads"]], default=0)
        self.embed = Embedding(config.d_vocab, config.d_model)
        self.hook_embed = nn.Identity()  # [batch, sequence, d_model]
        self.hook_pos_embed = nn.Identity()  # [sequence, d_model]
        self.blocks = nn.ModuleList([Block(layer, config.d_model, d_head, self.sentinels) for layer in facts["layers"]])
        self.kind, self.outputs = facts.get("kind", "acceptor"), facts.get("outputs", [""])
        self.unembed = Unembedding(config.d_model, len(self.outputs), bool(facts.get("logits")))
        if PreTrainedModel is not None:
            self.post_init()

    def _init_weights(self, module):
        """Weights come from the file only."""

    def forward(self, input_ids, attention_mask=None, output_attentions=None, output_hidden_states=None, return_dict=None, **ignored):
        """What is None is as the configuration has it, else False, and True for return_dict. attention_mask: all ones, as tokenizers
        make it."""
        self.check(input_ids)
        if attention_mask is not None and not bool((attention_mask == 1).all()):
            raise ValueError("attention_mask has zeros: strings are not padded, all of a batch have the same length")
        output_attentions, output_hidden_states, return_dict = (
            getattr(self.config, name, default) if value is None else value for name, value, default in
            (("output_attentions", output_attentions, False), ("output_hidden_states", output_hidden_states, False),
             ("return_dict", return_dict, True)))
        weights = self.embed.W_E
        positions = features(self.config, input_ids.shape[1]).to(weights.device, weights.dtype)
        x = self.hook_embed(self.embed(input_ids)) + self.hook_pos_embed(positions)
        states, patterns = [x], []
        for block in self.blocks:
            x, pattern = block(x, output_attentions)
            states.append(x)
            patterns += [pattern] if pattern is not None else []
        logits = self.unembed(x)
        truth = (logits > 0.5).to(torch.float32)
        if self.kind == "acceptor":
            truth = truth[..., 0]
            accept = truth[:, self.verdict_position(input_ids.shape[1])]
            fields = {"accept": accept, "truth": truth, "logits": logits[..., 0]}
        else:
            fields = {"outputs": truth, "logits": logits}
            if self.unembed.W_logits is not None:
                fields["log_probabilities"] = self.unembed.log_probabilities(x)
        if output_hidden_states:
            fields["hidden_states"] = tuple(states)
        if output_attentions:
            fields["attentions"] = tuple(patterns)
        return TemperOutput(**fields) if return_dict else tuple(fields.values())

    def verdict_position(self, size):
        n = size - self.sentinels
        return min(n, 1) if self.config.temper["at"] == "first" else n

    def check(self, tokens):
        """Refuses what is no batch of strings; warns where nothing is proved."""
        d_vocab, start, end = self.config.d_vocab, self.start, self.end
        if not torch.is_tensor(tokens) or tokens.is_floating_point():
            raise TypeError("tokens must be a tensor of integers, not "
                            f"{tokens.dtype if torch.is_tensor(tokens) else type(tokens).__name__}; `encode` makes one of strings")
        if tokens.dim() != 2 or tokens.shape[1] < self.sentinels:
            raise ValueError(f"tokens must have the shape [batch, sequence] with at least {self.sentinels} in a sequence, "
                             f"not {list(tokens.shape)}")
        if tokens.numel() and (int(tokens.min()) < 0 or int(tokens.max()) >= d_vocab):
            raise ValueError(f"token ids must be 0 to {d_vocab - 1} (vocab.json), not {int(tokens.min())} to "
                             f"{int(tokens.max())}")
        if not bool((tokens[:, 0] == start).all()):
            raise ValueError(f"every string begins with the start sentinel, id {start}")
        if self.sentinels == 2 and not bool((tokens[:, -1] == end).all()):
            raise ValueError(f"every string ends with the end sentinel, id {end}")
        letters = tokens[:, 1:tokens.shape[1] - self.sentinels + 1]
        if letters.numel() and int(letters.max()) >= start:
            raise ValueError(f"id {int(letters.max())} inside of a string: letters have ids 0 to {start - 1}")
        kind = str(self.embed.W_E.dtype).replace("torch.", "")
        n, proved = tokens.shape[1] - self.sentinels, self.config.proved_length.get(kind)
        if proved is None:
            warnings.warn(f"nothing is proved of this model in {kind}", stacklevel=4)
        elif n > proved:
            warnings.warn(f"a string of length {n} is too long: answers are proved up to length {proved} in {kind}",
                          stacklevel=4)

    def split(self, string):
        """The letters of a string: its characters, or for a model with tokens its words, between ASCII blanks as temper has it;
        also a list of letters."""
        if not isinstance(string, str):
            return list(string)
        return re.findall(r"[^\t\n\v\f\r ]+", string) if self.config.temper.get("tokens") else list(string)

    def _rows(self, strings):
        """Lists of ids, sentinels included."""
        rows, other = [], self.config.temper.get("other")
        for number, string in enumerate(strings):
            row = [self.start]
            for place, letter in enumerate(self.split(string)):
                if letter not in self.letters and other is not None:
                    letter = other
                if letter not in self.letters:
                    shown = ", ".join(map(repr, list(self.letters)[:20])) + (", ..." if len(self.letters) > 20 else "")
                    raise ValueError(f"string {number + 1}: unknown letter {letter!r} at position {place + 1}; the letters "
                                     f"are {shown}")
                row.append(self.letters[letter])
            rows.append(row + ([self.end] if self.sentinels == 2 else []))
        return rows

    def _tensor(self, rows):
        return torch.tensor(rows, dtype=torch.int64, device=self.embed.W_E.device).reshape(len(rows), -1)

    def encode(self, strings):
        """Strings of one length to ids [batch, sequence], sentinels included; a text is one string."""
        rows = self._rows([strings] if isinstance(strings, str) else strings)
        if len({len(row) for row in rows}) > 1:
            raise ValueError("all strings of a batch have the same length; `answer`, `write` and `next` take any")
        return self._tensor(rows)

    @torch.no_grad()
    def answer(self, strings):
        """Whether each string is accepted: a list of bool, for one text a bool. Strings may have different lengths."""
        self._need("acceptor", "answer")
        if isinstance(strings, str):
            return self.answer([strings])[0]
        return self._each(strings, lambda result, k: bool(result.accept[k]))

    @torch.no_grad()
    def write(self, strings):
        """What a transducer writes: for each string a list of texts, one for each letter that does not write nothing."""
        self._need("transducer", "write")
        if isinstance(strings, str):
            return self.write([strings])[0]

        def written(result, k):
            texts = []
            for place, row in enumerate(result.outputs[k, 1:result.outputs.shape[1] - self.sentinels + 1].tolist()):
                if sum(row) != 1:
                    raise ValueError(f"{int(sum(row))} outputs hold at position {place + 1}, not one")
                texts.append(self.outputs[row.index(1)])
            return [text for text in texts if text]

        return self._each(strings, written)

    @torch.no_grad()
    def next(self, strings):
        """What may come after each string: {"legal": letters, "end": whether it may end}, and "probabilities" where the model has
        some, of each letter and of the end, which is called ""."""
        self._need("next", "next")
        if isinstance(strings, str):
            return self.next([strings])[0]

        def coming(result, k):
            place = result.outputs.shape[1] - self.sentinels
            row = result.outputs[k, place].tolist()
            answer = {"legal": [name for name, holds in zip(self.outputs, row) if name and holds], "end": bool(row[-1])}
            if result.log_probabilities is not None:
                answer["probabilities"] = dict(zip(self.outputs, torch.exp(result.log_probabilities[k, place]).tolist()))
            return answer

        return self._each(strings, coming)

    def _need(self, kind, method):
        if self.kind != kind:
            other = {"acceptor": "answer", "transducer": "write", "next": "next"}[self.kind]
            raise TypeError(f"the model is of kind {self.kind}: use `{other}`, not `{method}`")

    def _each(self, strings, answer):
        """answer(result, k) of the k-th string of a batch, for strings of any lengths, in their order."""
        rows = self._rows(strings)
        answers, by_length = [None] * len(rows), {}
        for k, row in enumerate(rows):
            by_length.setdefault(len(row), []).append(k)
        for numbers in by_length.values():
            result = self(self._tensor([rows[k] for k in numbers]))
            for place, k in enumerate(numbers):
                answers[k] = answer(result, place)
        return answers


if PreTrainedModel is not None:  # save_pretrained puts these Python files beside the weights
    TemperConfig.register_for_auto_class()
    TemperModel.register_for_auto_class("AutoModel")


# ---- files ----


def read_safetensors(path):
    """The tensors of a file and its metadata; needs no library."""
    try:
        with open(path, "rb") as file:
            data = bytearray(file.read())
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} is missing: the folder is not complete") from None
    try:
        (length,) = struct.unpack_from("<Q", data)
        header = json.loads(bytes(data[8:8 + length]).decode("utf-8"))
        metadata = header.pop("__metadata__", {})
        tensors = {}
        for name, entry in header.items():
            first, end = entry["data_offsets"]
            if entry["dtype"] != "F64":
                raise ValueError(f"{name} has the type {entry['dtype']}, not F64")
            flat = torch.frombuffer(data, dtype=torch.float64, count=(end - first) // 8,
                                    offset=8 + length + first) if end > first else torch.zeros(0, dtype=torch.float64)
            tensors[name] = flat.reshape(entry["shape"])
    except (struct.error, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a safetensors file of temper: {error}") from None
    return tensors, metadata


def load(folder, dtype=torch.float64, device=None):
    """The model of an exported folder. Works with and without transformers; weights are stored in f64."""
    config = load_config(folder)
    tensors, metadata = read_safetensors(os.path.join(folder, "model.safetensors"))
    if metadata.get("digest") != config.weights_digest:
        raise ValueError(f"{folder}: model.safetensors and config.json do not belong together (digests "
                         f"{metadata.get('digest')} and {config.weights_digest}); export the model again")
    model = TemperModel(config).to(torch.float64)
    model.load_state_dict(tensors)
    return model.to(device=device, dtype=dtype).eval().requires_grad_(False)
