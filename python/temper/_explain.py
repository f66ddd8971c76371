"""Where each subformula is in a transformer, and what each head does."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, Tuple

from . import _html
from ._library import call, encode, ffi, lib, names_of, text
from ._optional import Framed
from ._shown import counted, shortened
from .errors import TemperError, _cell, _shown

if TYPE_CHECKING:
    from ._model import Info, Model, Proof

__all__ = ["Explanation", "Part", "Head", "Channel"]

_COST_LENGTH = 1_000_000  # the cost of a head is told for strings of this length


@dataclass(frozen=True, repr=False)
class Part(_html.Facts):
    """A subformula: the layer that makes it (0: the embedding), its head and channel, None where it has none of its own."""

    formula: str
    layer: int
    head: Optional[int]
    channel: Optional[int]


@dataclass(frozen=True, repr=False)
class Head(_html.Facts):
    """A head; layer and head count from 1. bound: proved error before rounding, 0 where there is none. plan and cost: how a run
    evaluates it, and with about how many multiply-adds on a million letters."""

    layer: int
    head: int
    label: str
    role: str
    mask: str
    choice: str
    hard_choice: str
    scale: str
    adaptive: bool
    growth: str
    bound: float
    query_size: int
    value_size: int
    plan: str
    cost: float


@dataclass(frozen=True, repr=False)
class Channel(_html.Facts):
    """A channel of the residual stream: what it holds, and its position expression or ""."""

    label: str
    position: str


@dataclass(frozen=True, repr=False)
class Explanation(Framed):
    """print(model.explain()) shows what `temper explain` shows; frame() has a row for each head."""

    info: "Info"
    letters: List[str]
    parts: List[Part]
    heads: List[Head]
    channels: List[Channel]
    proofs: "List[Proof]"  # in f64, f32 and bf16/f32
    simplified: List[str]  # what the alphabet makes simpler than it was written
    words: str  # the formula as a sentence, or ""

    def _repr_html_(self) -> str:
        return _html.card(_html.heading("Transformer"), _html.facts(_facts(self)), _parts_table(self), _heads_table(self))

    def __repr__(self) -> str:
        what = f"{shortened(self.info.source, 100)!r}: " if self.info.source else ""
        return f"<temper.Explanation of {what}{len(self.parts)} parts, {len(self.heads)} heads, {len(self.channels)} channels>"

    def _table(self) -> Tuple[Sequence[str], Iterable[Sequence[Any]]]:
        names = [field.name for field in dataclasses.fields(Head)]
        return names, ([getattr(head, name) for name in names] for head in self.heads)

    def __str__(self) -> str:
        return "\n".join(_overview(self) + _parts(self) + _heads(self))


def _told(model: "Model") -> Tuple[List[str], str]:
    """Of a model whose specification has another alphabet nothing is known."""
    try:
        own = model._own_formula() if model.formula else None
        return (list(own.simplified), own.words) if own else ([], "")
    except TemperError:
        return [], ""


def explain(model: "Model") -> Explanation:
    """What the library tells about a model's inside."""
    handle, info = model._handle, model.info
    part, head, channel = (ffi.new(f"temper_{kind}_info *") for kind in ("part", "head", "channel"))
    parts: List[Part] = []
    heads: List[Head] = []
    channels: List[Channel] = []
    for k in range(lib.temper_model_about(handle).parts):
        call("temper_model_part", part, handle, k)
        parts.append(Part(text(part.formula), part.layer, part.head if part.head > 0 else None,
                          part.channel if part.channel >= 0 else None))
    plans, costs = ffi.new("const char *[]", info.heads + 1), ffi.new("double[]", info.heads + 1)
    call("temper_model_plans", plans, costs, handle, _COST_LENGTH, info.method == "hard")
    for layer in range(1, info.layers + 1):
        for k in range(1, lib.temper_model_layer(handle, layer).heads + 1):
            call("temper_model_head", head, handle, layer, k)
            heads.append(Head(layer, k, text(head.label), text(head.role), text(lib.temper_mask_name(head.mask)),
                              text(lib.temper_choice_name(head.choice)), text(lib.temper_choice_name(head.hard_choice)),
                              text(head.scale), bool(head.adaptive), text(lib.temper_growth_name(head.growth)), head.bound,
                              head.query_size, head.value_size, text(plans[len(heads)]), costs[len(heads)]))
    for k in range(info.channels):
        call("temper_model_channel", channel, handle, k)
        channels.append(Channel(text(channel.label), text(channel.position)))
    return Explanation(info, list(model.letters), parts, heads, channels,
                       [model.proof("f64"), model.proof("f32"), model.proof("bf16/f32")],
                       *_told(model))


# ---- the text, as on the command line ----


def _overview(e: Explanation, table: bool = True) -> List[str]:
    """Lines; the table of proved lengths is left out where it is told otherwise."""
    i, lines = e.info, []
    if i.source:
        source = i.source[:-1] if i.source.endswith("\n") else i.source
        rows = [_shown(encode(row), 400) for row in source.split("\n")]
        lines += ["specification  " + "\n               ".join(rows)]
    if e.words:
        lines.append("in words       " + "\n               ".join(_shown(encode(line)) for line in e.words.splitlines()))
    shown = " ".join(_shown(encode(letter), 20) for letter in e.letters[:40])
    more = f" ... ({len(e.letters)} letters)" if len(e.letters) > 40 else ""
    lines.append("alphabet       " + shown + more + (" (tokens)" if i.tokens else ""))
    lines.append(f"read at        the {i.at or 'last'} position; the empty string is "
                 f"{'accepted' if i.accepts_empty else 'rejected'}")
    if e.simplified:
        lines.append("simplified     " + "\n               ".join(_shown(encode(line)) for line in e.simplified))
    lines.append(f"method         {i.method}" + (f", numbers stored in {i.digits}" if i.digits else ""))
    lines.append(f"size           {counted(i.layers, 'layer')}, {counted(i.heads, 'head')}, width {i.channels}, "
                 f"{counted(i.hidden, 'hidden unit')}, {i.parameters} parameters")
    growths = names_of("temper_growth", "temper_growth_name")  # ascending
    grown = max((growths.index(h.growth) for h in e.heads), default=0)
    lines.append(f"growth         {growths[grown]} (the largest of the heads)")
    for k, p in enumerate(e.proofs if table else []):
        lines.append(f"{'' if k else 'proved length':<14} {p.type:<8} {_letters(p):>13}  "
                     f"{'' if p.length is None else p.claim:<12}  "
                     + ("" if p.length is None or p.every_position else "the verdict only; ") + _shown(encode(p.obstacle)))
    if i.output_margin > 0:
        lines.append(f"output         recorded by soften: within {i.output_error:.3g} of the hard one's, which "
                     f"is {i.output_margin:.3g} or more from 1/2"
                     + (",\n               where the verdict is read, not at every position" if i.verdict_only else ""))
    return lines


def _parts(e: Explanation) -> List[str]:
    if not e.parts:
        return []
    lines = ["", "where each subformula is (layer 0 is the embedding; - : no head or channel of its own)",
             "layer   head  channel  subformula"]
    for p in e.parts:
        head, channel = ("-" if k is None else str(k) for k in (p.head, p.channel))
        lines.append(f"{p.layer:5}  {head:>5}  {channel:>7}  {_shown(encode(p.formula), 100)}")
    return lines


def _heads(e: Explanation) -> List[str]:
    if not e.heads:
        return []
    lines = ["", "heads (choice: what a soft head stands for; bound: error before rounding, in exact arithmetic; cost: multiply-adds at n = "
             "10^6)", _row("head", "role", "mask", "choice", "growth", "bound", "plan", "cost", "scale", "computes")]
    for h in e.heads:
        lines.append(_row(f"{h.layer}.{h.head}", h.role or "-", h.mask, h.hard_choice, h.growth,
                          f"{h.bound:.2g}" if h.bound > 0 else "-", h.plan, f"{h.cost:.2g}",
                          _shown(encode(h.scale)) + (" (adaptive)" if h.adaptive else ""), _shown(encode(h.label), 100)))
    return lines


# ---- the same in a notebook ----


def _facts(e: Explanation) -> List[Tuple[str, str]]:
    """The overview as pairs; lines that go on belong to the one above."""
    pairs: List[Tuple[str, str]] = []
    for line in "\n".join(_overview(e, table=False)).split("\n"):
        name, fact = line[:15].strip(), " ".join(line[15:].split())
        if name or not pairs:
            pairs.append((name, fact))
        else:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}; {fact}")
    if e.proofs:
        pairs.append(("proved length", "; ".join(f"{p.type}: {_length(p)}" for p in e.proofs)))
        pairs.append((f"what limits it in {e.proofs[0].type}", _shown(encode(e.proofs[0].obstacle))))
    return pairs


def _letters(p: "Proof", comma: str = "") -> str:
    """The longest length that bounds are stated for is one that people know."""
    return "none" if p.length is None else "2^40" if p.length == 1 << 40 else format(p.length, comma)


def _length(p: "Proof") -> str:
    return "none" if p.length is None else f"{_letters(p, ',')} ({p.claim}{'' if p.every_position else ', the verdict only'})"


def _parts_table(e: Explanation) -> str:
    if not e.parts:
        return ""
    rows = ((_shown(encode(p.formula), 100), p.layer or "embedding", "" if p.head is None else p.head, "" if p.channel is None else p.channel)
            for p in e.parts)
    return _html.heading("Where each subformula is") + _html.table(("subformula", "layer", "head", "channel"), rows)


def _heads_table(e: Explanation) -> str:
    if not e.heads:
        return ""
    rows = ((f"{h.layer}.{h.head}", _shown(encode(h.label), 100), h.role, h.mask, h.hard_choice, _shown(encode(h.scale)), h.growth,
             f"{h.bound:.2g}" if h.bound > 0 else "") for h in e.heads)
    return _html.heading("Heads") + _html.table(("head", "computes", "role", "mask", "stands for", "scale", "growth", "bound"), rows)


def _row(head: str, role: str, mask: str, choice: str, growth: str, bound: str, plan: str, cost: str, scale: str,
         label: str) -> str:
    padding = " " * max(0, 16 - sum(_cell(c)[1] for c in scale))
    return (f"{head:<7} {role:<8} {mask:<7} {choice:<10} {growth:<7} {bound:<9} {plan:<9} {cost:<7} {scale}{padding} "
            f"{label}")
