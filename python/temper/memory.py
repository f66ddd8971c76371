"""How much memory the library may take."""
from __future__ import annotations

from typing import Optional

from ._library import count_of, function

__all__ = ["limit_memory"]


def limit_memory(size: Optional[int]) -> None:
    """The library may hold this many bytes at a time, in all threads; None: as many as there are. What needs more
    raises OutOfMemoryError."""
    function("temper_limit_memory")(0 if size is None else count_of(size, "size"))
