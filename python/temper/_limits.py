"""Where number formats stop: proved lengths, and wrong answers that a search found."""
from __future__ import annotations

import dataclasses
import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _html, errors
from ._library import METHODS, TYPES, Progress, Watcher, call, count_of, encode, ffi, function, lib, make, take, text
from ._optional import Framed, axes
from ._shown import shortened
from ._types import NumberType, type_number

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Limit", "Limits", "find_limits"]


@dataclass(frozen=True, repr=False)
class Limit(_html.Facts):
    """A model in a number format.

    proved_length the proved length, None: no length is proved; obstacle says what stands in the way of more
    wrong         the shortest length for which a wrong answer was found, or None
    swept, tried  all lengths were searched up to the first, some up to the second
    string        the string with the wrong answer if it is short, else how it is made, as "(bc)^341 b"; or None
    position      of the wrong answer, from 1
    layer, head   at fault, from 1, or 0; label is that head's
    why           "lost tie", "absorption", ...: doc/limits.md
    """

    type: str
    method: str
    proved_length: Optional[int]
    obstacle: str
    wrong: Optional[int]
    swept: int
    tried: int
    string: Optional[str]
    position: int
    layer: int
    head: int
    label: str
    why: str


_TITLE = "THE-TITLE-OF-THE-CHART"  # stands in the picture that is pickled


class Limits(Sequence[Limit], Framed):
    """What Model.limits found: a sequence with a Limit for each number format."""

    def __init__(self, handle: Any) -> None:
        """Use Model.limits."""
        self._handle = handle  # None: it was pickled, and what the library printed is kept
        self._kept: Dict[str, str] = {}
        self._rows: List[Limit] = [self._row(function("temper_limits_at")(handle, k))
                                   for k in range(function("temper_limits_count")(handle))]

    def __getitem__(self, k: Any) -> Any:
        return self._rows[k]

    def __len__(self) -> int:
        return len(self._rows)

    def _repr_html_(self) -> str:
        rows = ((row.type, row.method, "none" if row.proved_length is None else f"{row.proved_length:,}",
                 f"none up to {row.tried:,}" if row.wrong is None else f"{row.wrong:,}", row.why) for row in self._rows)
        return _html.card(_html.heading("Limits of number formats"),
                          _html.table(("format", "method", "proved up to", "first wrong", "why"), rows), _html.picture(self.svg()))

    def __repr__(self) -> str:
        rows = [f"{row.type}: {'none' if row.proved_length is None else row.proved_length}, "
                + ("none wrong" if row.wrong is None else f"wrong at {row.wrong}") for row in self._rows]
        return f"<temper.Limits {'; '.join(rows)}>"

    def __getstate__(self) -> Dict[str, Any]:
        return {"_handle": None, "_rows": self._rows, "_kept": {"csv": self.csv, "json": self.json, "svg": self.svg(_TITLE)}}

    def _table(self) -> Tuple[Sequence[str], Iterable[Sequence[Any]]]:
        return [field.name for field in dataclasses.fields(Limit)], (dataclasses.astuple(row) for row in self._rows)

    def plot(self, ax: Any = None) -> Any:
        """A chart with matplotlib: for each format how far answers are proved, and where the first wrong one is. Returns its axes."""
        ax = axes(ax, "plot()", 8, 1 + 0.35 * len(self))
        for y, row in enumerate(self._rows):
            ax.plot([1, row.wrong or max(row.tried, 1)], [y, y], color="0.7", linewidth=1, zorder=1)
            if row.proved_length:
                ax.barh(y, row.proved_length - 1, left=1, height=0.5, color="#005087", zorder=2, label="proved")
            if row.wrong is None:
                ax.plot([max(row.tried, 1)], [y], marker=">", color="0.5", zorder=3, linestyle="none", label="none wrong up to here")
            else:
                ax.plot([row.wrong], [y], marker="D", color="#d55e00", zorder=3, linestyle="none", label="first wrong")
        ax.set_xscale("log")
        ax.set_xlim(left=1)
        ax.set_yticks(range(len(self)), [f"{row.type}, {row.method}" for row in self._rows])
        ax.invert_yaxis()
        ax.set_xlabel("letters")
        handles, labels = ax.get_legend_handles_labels()
        once = dict(zip(labels, handles))
        ax.legend(once.values(), once.keys(), loc="best", fontsize="small")
        return ax

    @staticmethod
    def _row(row: Any) -> Limit:
        found = bool(row.found)
        return Limit(TYPES[row.type], METHODS[row.method], row.proved if row.claim else None, text(row.obstacle), row.wrong if found else None,
                     row.swept, row.tried, text(row.string) if found else None, row.position if found else 0, row.layer,
                     row.head, text(row.label), text(function("temper_why_name")(row.why)) if found else "")

    @property
    def csv(self) -> str:
        """The table as comma-separated values."""
        return self._printed("csv", lib.TEMPER_LIMITS_CSV)

    @property
    def json(self) -> str:
        """The table as JSON."""
        return self._printed("json", lib.TEMPER_LIMITS_JSON)

    def _printed(self, name: str, form: int) -> str:
        if self._handle is None:
            return self._kept[name]
        return take("temper_limits_print", self._handle, form).decode("utf-8", "surrogateescape")

    def svg(self, title: str = "") -> str:
        """A chart: one bar a row, on a logarithmic axis."""
        if self._handle is None:
            return self._kept["svg"].replace(_TITLE, html.escape(shortened(title, 100)))
        out = ffi.new("char **")
        call("temper_draw_limits", out, self._handle, encode(title))
        try:
            return text(out[0])
        finally:
            lib.temper_free(out[0])


def find_limits(model: "Model", types: "Union[None, NumberType, Sequence[NumberType]]", length: int, effort: float, seed: int, threads: int,
                progress: Optional[Progress]) -> Limits:
    """temper_limits_find."""
    if types is not None and not isinstance(types, (list, tuple)):
        types = [types]  # type: ignore[list-item]
    numbers = [type_number(name) for name in types] if types is not None else [
        k for k, name in enumerate(TYPES) if k != lib.TEMPER_TYPE_EXACT and "@" not in name]
    cases = ffi.new("temper_limits_case[]", [{"model": model._handle, "type": number} for number in numbers])
    watcher = Watcher(progress)
    options = ffi.new("temper_limits_options *", {
        "length": count_of(length, "length"), "effort": effort, "seed": count_of(seed, "seed"),
        "threads": count_of(threads, "threads"), "progress": watcher.callback})
    try:
        return Limits(make("limits", "temper_limits_find", cases, len(numbers), options))
    except errors.LimitError:
        watcher.raise_error()
        raise
