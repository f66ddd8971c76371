"""How much memory and work the library may take."""
from __future__ import annotations

from typing import Optional

from . import errors
from ._library import count_of, function

__all__ = ["limit_memory", "limit_work"]


def limit_memory(size: Optional[int]) -> None:
    """The library may hold this many bytes at a time, in all threads; None: as many as there are. What needs more
    raises OutOfMemoryError."""
    function("temper_limit_memory")(0 if size is None else count_of(size, "size"))


def limit_work(times: float) -> None:
    """The library may work this many times as long as usual on automata, from 1 to 1000, in all threads. What needs more
    raises LimitError."""
    if not 1 <= times <= 1000:
        raise errors.RangeError(f"times must be from 1 to 1000, not {times!r}")
    function("temper_limit_work")(float(times))
