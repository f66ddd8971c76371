"""What other packages add: charts, tables, pictures. None of them is needed for anything else."""
from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from . import errors
from ._types import FrameLibrary

_BESIDE = {"cairosvg": "pip install cairosvg (it loads the system's cairo; on Debian: apt install libcairo2)"}


def need(module: str, what: str) -> Any:
    """A module of another package; MissingPackageError says how to get it."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except (ImportError, OSError) as error:
        raise errors.MissingPackageError(f"{what} needs {package}, which cannot be imported: {error}",
                                         hint=_BESIDE.get(package, f"pip install {package}")) from None


def _frame_library(wanted: Optional[str]) -> str:
    if wanted not in (None, "pandas", "polars"):
        raise errors.RangeError(f"library {wanted!r} is not one of pandas, polars")
    if wanted is None and not _is_there("pandas") and _is_there("polars"):
        return "polars"
    return wanted or "pandas"


def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ValueError:
        return False


class Framed:
    """An object that is a table, too: _table has the names of its columns, and its rows."""

    def _table(self) -> Tuple[Sequence[str], Iterable[Sequence[Any]]]:
        raise NotImplementedError

    def frame(self, library: Optional[FrameLibrary] = None) -> Any:
        """The same as a DataFrame, of "pandas" or "polars"; by default of the one that is installed, pandas if both are."""
        module = need(_frame_library(library), "frame()")
        names, rows = self._table()
        columns: List[List[Any]] = [[] for _ in names]
        for row in rows:
            for column, value in zip(columns, row):
                column.append(value)
        data: Dict[str, List[Any]] = dict(zip(names, columns))
        return module.DataFrame(data)


def axes(ax: Any, what: str, width: float, height: float) -> Any:
    """The axes to draw on: those that are given, or those of a new figure."""
    if ax is not None:
        return ax
    return need("matplotlib.pyplot", what).figure(figsize=(width, height), layout="constrained").add_subplot()


def png(svg: str, scale: float) -> bytes:
    """A picture in pixels."""
    if not scale > 0:
        raise errors.RangeError(f"scale must be positive, not {scale}")
    found: bytes = need("cairosvg", 'draw(..., "png")').svg2png(bytestring=svg.encode("utf-8", "replace"), scale=scale,
                                                               background_color="white")
    return found
