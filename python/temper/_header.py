"""The C declarations of libtemper, taken from its own header, so that nothing is written twice.

cffi reads declarations, not headers: `declarations` leaves out what only a compiler needs. The header is that of the source tree this
file stands in, or else the copy that was installed beside it.
"""
from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, Tuple

_HERE = Path(__file__).resolve().parent


class Header(NamedTuple):
    """What cffi reads, and the version that the header says it is of."""

    declarations: str
    version: Tuple[int, int, int]


def declarations(text: str) -> Header:
    """Strips comments, preprocessor lines, parts for C++ and TEMPER_API from the text of temper.h."""
    numbers = []
    for part in ("MAJOR", "MINOR", "PATCH"):
        found = re.search(rf"^#define TEMPER_VERSION_{part} (\d+)\s*$", text, re.MULTILINE)
        if not found:
            raise ImportError(f"temper.h: TEMPER_VERSION_{part} is missing; not a header of temper")
        numbers.append(int(found[1]))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"^#ifdef __cplusplus$.*?^#endif$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\bTEMPER_API\b\s*", "", text)
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\n{2,}", "\n", text).strip() + "\n"
    return Header(text, (numbers[0], numbers[1], numbers[2]))


def header_path() -> Path:
    """temper.h of the source tree, or the installed copy."""
    tree = _HERE.parent.parent
    for path in (tree / "include" / "temper.h", _HERE / "temper.h"):
        if path.is_file() and (path.parent == _HERE or (tree / "python" / "temper") == _HERE):
            return path
    raise ImportError(f"temper.h is neither in {tree / 'include'} nor in {_HERE}: install the package with "
                      "`pip install .` in the folder python of temper's sources")


def read_header() -> Header:
    """The declarations for this copy of the package."""
    return declarations(header_path().read_text(encoding="utf-8"))
