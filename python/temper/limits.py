"""Where number formats stop: proved lengths, and wrong answers that a search found."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, List, Optional, Sequence

from . import _html, errors
from ._library import METHODS, TYPES, Progress, Watcher, call, count_of, encode, ffi, function, lib, make, number_of, take, text

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Limit", "Limits", "find_limits"]


@dataclass(frozen=True)
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


class Limits(Sequence[Limit]):
    """What Model.limits found: a sequence with a Limit for each number format."""

    def __init__(self, handle: Any) -> None:
        """Use Model.limits."""
        self._handle = handle
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
        return "<temper.Limits " + "; ".join(
            f"{row.type}: {row.proved_length}, " + ("none wrong" if row.wrong is None else f"wrong at {row.wrong}")
            for row in self._rows) + ">"

    @staticmethod
    def _row(row: Any) -> Limit:
        found = bool(row.found)
        return Limit(TYPES[row.type], METHODS[row.method], row.proved if row.claim else None, text(row.obstacle), row.wrong if found else None,
                     row.swept, row.tried, text(row.string) if found else None, row.position if found else 0, row.layer,
                     row.head, text(row.label), text(function("temper_why_name")(row.why)) if found else "")

    @property
    def csv(self) -> str:
        """The table as comma-separated values."""
        return take("temper_limits_print", self._handle, lib.TEMPER_LIMITS_CSV).decode("utf-8", "surrogateescape")

    @property
    def json(self) -> str:
        """The table as JSON."""
        return take("temper_limits_print", self._handle, lib.TEMPER_LIMITS_JSON).decode("utf-8", "surrogateescape")

    def svg(self, title: str = "") -> str:
        """A chart: one bar a row, on a logarithmic axis."""
        out = ffi.new("char **")
        call("temper_draw_limits", out, self._handle, encode(title))
        try:
            return text(out[0])
        finally:
            lib.temper_free(out[0])


def find_limits(model: "Model", types: Optional[Sequence[str]], length: int, effort: float, seed: int, threads: int,
                progress: Optional[Progress]) -> Limits:
    """temper_limits_find."""
    if isinstance(types, str):
        types = [types]
    numbers = [number_of(name, TYPES, "type") for name in types] if types is not None else [
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
