"""How far apart the scores of each head are, with hard choices in exact arithmetic."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, List, Optional

from . import _html, errors
from ._letters import Strings
from ._library import Progress, Watcher, call, count_of, ffi, function, make

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Gap", "Gaps", "HeadTie", "find_gaps"]

_TIES = ("unknown", "uniform", "tieless", "tied")


@dataclass(frozen=True)
class Gap:
    """log2 of the smallest gap of a head at one length: between the largest score of a row and the next different one.

    inf: no row has two different scores; nan: not looked at. `proved` is a lower bound, -inf where nothing is known.
    """

    measured: float
    exhaustive: float
    proved: float


@dataclass(frozen=True)
class HeadTie:
    """What ties in the rows of a head.

    tie                       "uniform" (all scores of a row are equal), "tieless" (one largest), "tied" or "unknown"
    proved                    uniform or tieless for every string up to this length; None: for every length
    witness                   tied: a string that shows it, else None
    position, key, other_key  its row, and two keys with the largest score
    """

    layer: int
    head: int
    tie: str
    proved: Optional[int]
    witness: Optional[str]
    position: int
    key: int
    other_key: int


class Gaps:
    """What Model.gaps found: at(layer, head, n) is a Gap, heads the ties, longest the largest length that was looked at."""

    def __init__(self, handle: Any, model: "Model") -> None:
        """Use Model.gaps."""
        self._handle, self._model = handle, model
        self.longest = int(function("temper_gap_longest")(handle))
        self.heads: List[HeadTie] = [self._about(layer, head) for layer in range(1, model.info.layers + 1) for head in
                                     range(1, int(function("temper_model_layer")(model._handle, layer).heads) + 1)]

    def _repr_html_(self) -> str:
        return _html.preformatted(repr(self)[1:-1])

    def __repr__(self) -> str:
        return f"<temper.Gaps of {len(self.heads)} heads, up to length {self.longest}>"

    def at(self, layer: int, head: int, n: int) -> Gap:
        """The gap of a head, layer and head from 1, on strings of length n."""
        if not any((h.layer, h.head) == (layer, head) for h in self.heads):
            raise errors.RangeError(f"there is no head {layer}.{head}")
        row = function("temper_gap_at")(self._handle, layer, head, count_of(n, "n"))
        return Gap(row.measured, row.exhaustive, row.proved)

    def _about(self, layer: int, head: int) -> HeadTie:
        out = ffi.new("temper_gap_head *")
        call("temper_gap_about", out, self._handle, layer, head)
        witness = None
        if out.witness != ffi.NULL:
            witness = self._model._alphabet.text(list(out.witness[0:out.witness_length]))
        any_length = 2 ** (8 * ffi.sizeof("size_t")) - 1
        return HeadTie(layer, head, _TIES[out.tie], None if out.proved == any_length else out.proved, witness,
                       out.position, out.key, out.other_key)


def find_gaps(model: "Model", strings: Strings, random: int, length: int, exhaustive: int, proved: int, seed: int,
              progress: Optional[Progress]) -> Gaps:
    """temper_gap_find."""
    batch = model._alphabet.many(strings)
    watcher = Watcher(progress)
    options = ffi.new("temper_gap_options *", {
        "strings": batch.letters, "lengths": batch.sizes, "string_count": batch.count, "random": count_of(random, "random"),
        "length": count_of(length, "length"), "seed": count_of(seed, "seed"), "progress": watcher.callback,
        "exhaustive": count_of(exhaustive, "exhaustive"), "proved": count_of(proved, "proved")})
    try:
        return Gaps(make("gap", "temper_gap_find", model._handle, options), model)
    except errors.LimitError:
        watcher.raise_error()
        raise
