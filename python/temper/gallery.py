"""The gallery: hard-attention transformers that are known from the literature."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Union

import numpy as np

from . import _html
from ._letters import String, Strings
from ._library import call, encode, ffi, lib, make, text
from ._model import Model

__all__ = ["Entry", "entries", "model", "oracle"]


@dataclass(frozen=True, repr=False)
class Entry(_html.Facts):
    """An entry: its language in a sentence, the kind of hard attention, where it is known from, a formula or ""."""

    name: str
    title: str
    alphabet: str
    class_name: str
    language: str
    source: str
    formula: str


def entries() -> List[Entry]:
    """All entries."""
    found = []
    for k in range(lib.temper_gallery_count()):
        out = ffi.new("temper_gallery_info *")
        call("temper_gallery_about", out, k)
        found.append(Entry(text(out.name), text(out.title), text(out.alphabet), text(out.class_name), text(out.language),
                           text(out.source), text(out.formula)))
    return found


def model(name: str) -> Model:
    """The hard model of a name, e.g. "dyck-1". RangeError: there is none; its hint has names that are near."""
    return Model(make("model", "temper_gallery_model", encode(name)))


def oracle(name: str, strings: "Union[String, Strings]") -> Any:
    """Whether the language of a name has each string: a program that knows nothing of transformers. A bool for one string, an array for
    many, as in Model.run."""
    batch, is_one = model(name)._alphabet.batch(strings)
    accept = ffi.new("int *")
    out = np.zeros(batch.count, np.bool_)
    for k in range(batch.count):
        call("temper_gallery_oracle", accept, encode(name), *batch.one(k))
        out[k] = accept[0]
    return bool(out[0]) if is_one else out
