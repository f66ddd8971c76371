"""Formulas as ordinary transformers: a GPT-2 or a Llama that other programs run as it is."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from ._library import call, count_of, ffi, number_of, path_bytes

if TYPE_CHECKING:
    from .formula import Formula

__all__ = ["Stock", "export_stock"]

_ARCHITECTURES = ("gpt2", "llama")
_NUMBERS = ("f32", "f16")
_POSITIONS = ("auto", "ramp", "digits")


@dataclass(frozen=True)
class Stock:
    """What Formula.export has written.

    vocabulary    <s>, </s>, the letters, other texts that a transducer writes, and <dead>
    mirrored      strings are to be fed from right to left
    only_gguf     there are no files for Hugging Face and ONNX, which cannot hold the frequencies of its positions
    every_letter  what may come next is not known: every letter is legal
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


def export_stock(formula: "Formula", folder: "Union[str, os.PathLike[str]]", as_: str, length: int, weights: str, kv: str,
                 positions: str, seed: int) -> Stock:
    """Formula.export."""
    options = ffi.new("temper_stock_options *", {
        "architecture": number_of(as_, _ARCHITECTURES, "as_"), "length": count_of(length, "length"),
        "weights_f16": number_of(weights, _NUMBERS, "weights"), "cache_f32": 1 - number_of(kv, _NUMBERS, "kv"),
        "positions": number_of(positions, _POSITIONS, "positions"), "seed": count_of(seed, "seed")})
    info = ffi.new("temper_stock_info *")
    call("temper_export_stock", info, path_bytes(folder), formula._handle, options)
    return Stock(info.layers, info.heads, info.head_size, info.width, info.hidden, info.vocabulary, bool(info.mirrored),
                 bool(info.only_gguf), bool(info.every_letter))
