"""Formulas as ordinary transformers: a GPT-2 or a Llama that other programs run as it is."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _html
from ._library import call, count_of, ffi, function, number_of, path_bytes, text
from ._types import StoredType, type_name

if TYPE_CHECKING:
    from ._formula import Formula

__all__ = ["Ordinary", "OrdinaryLimit", "OrdinaryProof", "certify_ordinary", "export_ordinary", "limits_ordinary"]

_ARCHITECTURES = ("gpt2", "llama")
_NUMBERS = ("f32", "f16")
_POSITIONS = ("auto", "ramp", "digits")


@dataclass(frozen=True, repr=False)
class OrdinaryProof(_html.Facts):
    """What Formula.certify found. It is true in an `if` when it is a proof (doc/ordinary.md, "The proof").

    length       what was asked for; without a length: the largest that is proved, 0 if none is
    viable       proved, if the formula's line `viable` is right, which is not proved
    logits       proved: how far a logit may be from its ideal value
    layer, head  not proved, or not further: what stands in the way, from 1; 0: nothing in particular
    reason       and why, or ""
    shorter      not proved: the largest length below that is; 0: none, or it was not looked for (beyond 4,096)
    """

    proved: bool
    length: int
    viable: bool
    logits: float
    layer: int
    head: int
    reason: str
    shorter: int

    def __bool__(self) -> bool:
        return self.proved


@dataclass(frozen=True, repr=False)
class OrdinaryLimit(_html.Facts):
    """What Formula.limits found: how far a setting is proved, and where it goes wrong.

    proof     of the largest length that is proved
    wrong     the least length whose model an emulator of the runtimes finds wrong, or None
    position  after how many letters it is wrong
    tried     no wrong answer was found up to here
    note      why nothing longer was tried, or ""
    """

    proof: OrdinaryProof
    wrong: Optional[int]
    position: int
    tried: int
    note: str


@dataclass(frozen=True, repr=False)
class Ordinary(_html.Facts):
    """What Formula.export has written.

    vocabulary    <s>, </s>, the letters, other texts that a transducer writes, and <dead>
    mirrored      strings are to be fed from right to left
    only_gguf     there are no files for Hugging Face and ONNX, which cannot hold the frequencies of its positions
    every_letter  what may come next is not known: every letter is legal
    proof         what is proved of it; if it is, the folder has certificate.json, which temper.audit checks
    """

    layers: int
    heads: int
    head_size: int
    width: int
    hidden: int
    vocabulary: int
    mirrored: bool
    only_gguf: bool
    every_letter: bool
    proof: OrdinaryProof


def _options(as_: str, length: int, weights: StoredType, kv: StoredType, positions: str, seed: int = 0) -> Any:
    return ffi.new("temper_ordinary_options *", {
        "architecture": number_of(as_, _ARCHITECTURES, "as_"), "length": count_of(length, "length"),
        "weights_f16": number_of(type_name(weights, "weights"), _NUMBERS, "weights"),
        "cache_f32": 1 - number_of(type_name(kv, "kv"), _NUMBERS, "kv"),
        "positions": number_of(positions, _POSITIONS, "positions"), "seed": count_of(seed, "seed")})


def _proof(v: Any) -> OrdinaryProof:
    return OrdinaryProof(bool(v.proved), v.length, bool(v.viable), v.logits, v.layer, v.head, text(v.reason), v.shorter)


def _build(formula: "Formula", options: Any) -> Any:
    out = ffi.new("temper_ordinary **")
    call("temper_ordinary_build", out, formula._handle, options)
    return ffi.gc(out[0], function("temper_ordinary_free"))


def export_ordinary(formula: "Formula", folder: "Union[str, os.PathLike[str]]", as_: str, length: int, weights: StoredType, kv: StoredType,
                 positions: str, seed: int) -> Ordinary:
    """Formula.export."""
    made = _build(formula, _options(as_, length, weights, kv, positions, seed))
    call("temper_ordinary_write", made, path_bytes(folder))
    info = function("temper_ordinary_about")(made)
    return Ordinary(info.layers, info.heads, info.head_size, info.width, info.hidden, info.vocabulary, bool(info.mirrored),
                 bool(info.only_gguf), bool(info.every_letter), _proof(info.proof))


def certify_ordinary(formula: "Formula", as_: str, length: Optional[int], weights: StoredType, kv: StoredType, positions: str) -> OrdinaryProof:
    """Formula.certify."""
    out = ffi.new("temper_ordinary_verdict *")
    call("temper_ordinary_certify", out, _build(formula, _options(as_, length or 0, weights, kv, positions)))
    return _proof(out)


def limits_ordinary(formula: "Formula", as_: str, length: int, weights: StoredType, kv: StoredType, positions: str) -> OrdinaryLimit:
    """Formula.limits."""
    out = ffi.new("temper_ordinary_limit *")
    call("temper_ordinary_limits", out, _build(formula, _options(as_, 0, weights, kv, positions)), count_of(length, "length"))
    return OrdinaryLimit(_proof(out.proved), out.wrong if out.found else None, out.position if out.found else 0, out.tried,
                      text(out.note))
