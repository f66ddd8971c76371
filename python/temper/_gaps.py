"""How far apart the scores of each head are, with hard choices in exact arithmetic."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _html, errors
from ._letters import Strings
from ._library import METHODS, Progress, Watcher, call, count_of, ffi, function, make, text
from ._optional import Framed, axes
from ._shown import shortened

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Gap", "Gaps", "HeadTie", "SoftenLimit", "find_gaps", "find_soften_limit"]

_TIES = ("unknown", "uniform", "tieless", "tied")


@dataclass(frozen=True, repr=False)
class Gap(_html.Facts):
    """log2 of the smallest gap of a head at one length: between the largest score of a row and the next different one.

    inf: no row has two different scores; nan: not looked at. `proved` is a lower bound, -inf where nothing is known.
    """

    measured: float
    exhaustive: float
    proved: float


@dataclass(frozen=True, repr=False)
class HeadTie(_html.Facts):
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


@dataclass(frozen=True, repr=False)
class SoftenLimit(_html.Facts):
    """How far a hard model can be softened, and why no further ([soften.md](soften.md)).

    obstacle                  "none", "gap", "output", "logits" or "margin"
    works, fails              the longest length that can be done, and the next one
    layer, head               the head that fails there; 0: none
    log2_gap, log2_off        how close its scores come by proof, and how far two computed ones can be off
    bits                      about so many significant bits, instead of 53, would do; 0: more do not help
    exponential               its gap takes a bit or more for every letter: softmax is not the tool
    saturation_tried, gates_would_do
    witness, position, key, other_key, score, other_score, log2_seen
                              a string whose scores come close, the row, two keys and their scores; None: none was found
    """

    obstacle: str
    works: int
    fails: int
    layer: int
    head: int
    log2_gap: float
    log2_off: float
    bits: float
    exponential: bool
    saturation_tried: bool
    gates_would_do: bool
    witness: Optional[str]
    position: int
    key: int
    other_key: int
    score: str
    other_score: str
    log2_seen: float


def find_soften_limit(model: "Model", length: int, progress: Optional[Progress]) -> SoftenLimit:
    """temper_soften_explain."""
    watcher = Watcher(progress)
    options = ffi.new("temper_soften_options *", {"length": count_of(length, "length"), "progress": watcher.callback,
                                                  "method": METHODS.index("temperature")})
    out = ffi.new("temper_soften_limit *")
    try:
        call("temper_soften_explain", out, model._handle, options)
    except errors.LimitError:
        watcher.raise_error()
        raise
    witness = None
    if out.head and out.witness_length <= len(out.witness):
        witness = model._alphabet.text(list(out.witness[0:out.witness_length]))
    name = ffi.string(function("temper_obstacle_name")(out.obstacle)).decode()
    return SoftenLimit(name, out.works, out.fails, out.layer, out.head, out.log2_gap, out.log2_off,
                       0.0 if out.exponential else out.bits, bool(out.exponential), bool(out.saturated), bool(out.gates),
                       witness, out.position, out.key, out.other_key, ffi.string(out.score).decode(),
                       ffi.string(out.other_score).decode(), out.log2_seen)


def _log2(value: float) -> str:
    return "none" if value == math.inf else "-" if math.isnan(value) else "0" if value == -math.inf else f"2^{value:.2f}"


class Gaps(Framed):
    """What Model.gaps found: at(layer, head, n) is a Gap, heads the ties, longest the largest length that was looked at, labels what
    each head computes, by (layer, head)."""

    def __init__(self, handle: Any, model: "Model") -> None:
        """Use Model.gaps."""
        self.longest = int(function("temper_gap_longest")(handle))
        self.heads: List[HeadTie] = []
        self.labels: Dict[Tuple[int, int], str] = {}
        self._rows: "Dict[Tuple[int, int], npt.NDArray[np.float64]]" = {}  # [length, measured or exhaustive or proved]
        about, at = ffi.new("temper_head_info *"), function("temper_gap_at")
        for layer in range(1, model.info.layers + 1):
            for head in range(1, int(function("temper_model_layer")(model._handle, layer).heads) + 1):
                call("temper_model_head", about, model._handle, layer, head)
                self.heads.append(_about(handle, model, layer, head))
                self.labels[layer, head] = text(about.label)
                rows = (at(handle, layer, head, n) for n in range(self.longest + 1))
                self._rows[layer, head] = np.array([(row.measured, row.exhaustive, row.proved) for row in rows])

    def _cells(self) -> List[Tuple[str, ...]]:
        """A row for each head: the least gap of all lengths, and what ties."""
        found = []
        for tie in self.heads:
            least = (min((v for v in values if not math.isnan(v)), default=math.nan) for values in self._rows[tie.layer, tie.head].T.tolist())
            witness = f"{tie.tie} on {shortened(tie.witness, 24)!r}" if tie.witness is not None else tie.tie
            found.append((f"{tie.layer}.{tie.head}", *map(_log2, least), witness, shortened(self.labels[tie.layer, tie.head])))
        return found

    _NAMES = ("head", "measured", "exhaustive", "proved", "ties", "computes")

    def _repr_html_(self) -> str:
        return _html.card(_html.heading(f"Least gaps of scores, up to {self.longest:,} letters"), _html.table(self._NAMES, self._cells()))

    def __str__(self) -> str:
        """The least gap of each head over all lengths; none: no row has two different scores, -: not looked at."""
        rows = [self._NAMES, *self._cells()]
        wide = [max(len(row[k]) for row in rows) for k in range(len(self._NAMES))]
        return "\n".join("  ".join(cell.ljust(size) for cell, size in zip(row, wide)).rstrip() for row in rows)

    def __repr__(self) -> str:
        count = len(self.heads)
        return f"<temper.Gaps of {count} head{'' if count == 1 else 's'}, up to length {self.longest}>\n{self}"

    def at(self, layer: int, head: int, n: int) -> Gap:
        """The gap of a head, layer and head from 1, on strings of length n."""
        if (layer, head) not in self._rows:
            raise errors.RangeError(f"there is no head {layer}.{head}")
        rows = self._rows[layer, head]
        return Gap(*rows[n].tolist()) if count_of(n, "n") < len(rows) else Gap(math.nan, math.nan, math.nan)

    def _table(self) -> Tuple[Sequence[str], Iterable[Sequence[Any]]]:
        return ("layer", "head", "length", "measured", "exhaustive", "proved"), (
            (layer, head, n, *gap) for (layer, head), rows in self._rows.items() for n, gap in enumerate(rows.tolist()))

    def plot(self, ax: Any = None) -> Any:
        """A chart with matplotlib: log2 of the least gap of each head over the length, proved and measured. Returns its axes."""
        ax = axes(ax, "plot()", 7, 4)
        for k, ((layer, head), rows) in enumerate(self._rows.items()):
            shown, colour = np.where(np.isfinite(rows), rows, np.nan), f"C{k % 10}"
            if np.isnan(shown).all():  # all scores of a row are equal, always
                continue
            name = f"{layer}.{head} {shortened(self.labels[layer, head], 40)}"
            ax.plot(range(len(rows)), shown[:, 2], color=colour, label=f"{name}, proved")
            ax.plot(range(len(rows)), shown[:, 0], color=colour, linestyle="none", marker=".", label=f"{name}, measured")
        ax.set_xlabel("letters")
        ax.set_ylabel("log2 of the least gap")
        if ax.lines:
            ax.legend(loc="best", fontsize="small")
        else:
            ax.set_title("no row of any head has two different scores", fontsize="medium")
        return ax


def _about(handle: Any, model: "Model", layer: int, head: int) -> HeadTie:
    out = ffi.new("temper_gap_head *")
    call("temper_gap_about", out, handle, layer, head)
    witness = None
    if out.witness != ffi.NULL:
        witness = model._alphabet.text(list(out.witness[0:out.witness_length]))
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
