"""What can go wrong, as exceptions. A message that is about a place in a text shows the line with a caret under it:

    formula:1:8: expected an operand, found the end of the text
        H(b ->
              ^
"""
from __future__ import annotations

from typing import Dict, List, Optional, Tuple, Type

__all__ = ["TemperError", "SpecSyntaxError", "RangeError", "UnsupportedError", "FormatError", "LimitError", "FileError",
           "OutOfMemoryError", "AuditError", "MissingFunctionError", "MissingPackageError"]


class TemperError(Exception):
    """The base of all errors. str(error) is the whole message; the parts are attributes.

    text    what is wrong, one line
    hint    what may help, or ""
    where   what the place is in: "formula", a path, or ""
    line    from 1, or 0 where there is no place
    column  in characters, from 1, or 0
    """

    def __init__(self, text: str, *, hint: str = "", where: str = "", line: int = 0, column: int = 0,
                 source: Optional[bytes] = None) -> None:
        self.text, self.hint, self.where, self.line, self.column = text, hint, where, line, column
        self._source = source
        super().__init__(text)

    def rename(self, where: str) -> None:
        """Says by another name what the place is in."""
        self.where = where

    def __str__(self) -> str:
        source = self._source
        place = _shown(self.where.encode("utf-8", "surrogateescape"), 120)
        if place and self.line:
            place += f":{self.line}" + (f":{self.column}" if self.column else "")
        lines = [f"{place}: {self.text}" if place else self.text]
        if source is not None and self.column:
            row = source.split(b"\n", self.line)[self.line - 1:self.line] if self.line else [source]
            if row and row[0].rstrip(b"\r"):
                lines += caret(row[0][:-1] if row[0].endswith(b"\r") else row[0], self.column)
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


class SpecSyntaxError(TemperError, ValueError):
    """The text is not in the language of specifications."""


class RangeError(TemperError, ValueError):
    """A value outside what a call allows: an unknown letter, a bad option."""


class UnsupportedError(TemperError):
    """Well-formed, but there is no construction for it."""


class FormatError(TemperError, ValueError):
    """A model file that is not one, or of another version."""


class LimitError(TemperError):
    """Beyond a limit: a string longer than what is proved, a model too large."""


class FileError(TemperError, OSError):
    """The operating system said no: a file that is missing, a disk that is full."""


class OutOfMemoryError(TemperError, MemoryError):
    """Memory is short."""


class AuditError(TemperError, ValueError):
    """A certificate that is not what the model deserves."""


class MissingFunctionError(TemperError, NotImplementedError):
    """The library that was found is built without a function that the header has."""


class MissingPackageError(TemperError, ImportError):
    """A chart, a table or a picture needs a package that is not installed; the hint is the line that installs it."""


BY_STATUS: Dict[str, Type[TemperError]] = {
    "TEMPER_SYNTAX": SpecSyntaxError,
    "TEMPER_RANGE": RangeError,
    "TEMPER_UNSUPPORTED": UnsupportedError,
    "TEMPER_FORMAT": FormatError,
    "TEMPER_LIMIT": LimitError,
    "TEMPER_IO": FileError,
    "TEMPER_NO_MEMORY": OutOfMemoryError,
}


# ---- the line and its caret, as the command line shows them ----

# Control, reordering and invisible characters are shown as bytes; some characters take no column or two.
_HIDDEN = ((0, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F),
           (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F))
_NARROW = ((0x300, 0x36F), (0x483, 0x489), (0x591, 0x5BD), (0x64B, 0x65F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
           (0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F))
_WIDE = ((0x1100, 0x115F), (0x231A, 0x231B), (0x23E9, 0x23EC), (0x25FD, 0x25FE), (0x2614, 0x2615), (0x2648, 0x2653),
         (0x26AA, 0x26AB), (0x26BD, 0x26BE), (0x2705, 0x2705), (0x270A, 0x270B), (0x2728, 0x2728), (0x274C, 0x274C),
         (0x2753, 0x2755), (0x2795, 0x2797), (0x2B1B, 0x2B1C), (0x2E80, 0x303E), (0x3041, 0x4DBF), (0x4E00, 0xA4CF),
         (0xA960, 0xA97C), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE30, 0xFE6F), (0xFF01, 0xFF60), (0xFFE0, 0xFFE6),
         (0x1F300, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F900, 0x1F9FF), (0x20000, 0x3FFFD))

_BEFORE, _TOTAL = 44, 72  # columns left of the caret, and columns of the line


def _is_in(code: int, ranges: Tuple[Tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _cell(character: str) -> Tuple[str, int]:
    """A character as it is shown, and the columns it takes. Bytes that are not UTF-8 are surrogates here."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF or _is_in(code, _HIDDEN):
        named = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character)
        data = character.encode("utf-8", "surrogateescape")
        text = named or "".join(f"\\x{byte:02X}" for byte in data)
        return text, len(text)
    return character, 0 if _is_in(code, _NARROW) else 2 if _is_in(code, _WIDE) else 1


def _shown(data: bytes, most: int = 0) -> str:
    text = data.decode("utf-8", "surrogateescape")
    cut = most and len(text) > most
    return "".join(_cell(c)[0] for c in (text[:most] if cut else text)) + ("..." if cut else "")


def caret(row: bytes, column: int) -> List[str]:
    """The line and below it a caret under the column; a long line is cut on both sides."""
    text = row.decode("utf-8", "surrogateescape").replace("\t", " ")
    at = min(column - 1, len(text))
    first, lead = at, 0
    while first > 0 and at - first < 64:
        width = _cell(text[first - 1])[1]
        if lead + width > _BEFORE:
            break
        lead += width
        first -= 1
    shown, used = [], lead
    if first > 0:
        shown.append("...")
        used += 3
        lead += 3
    end = first
    while end < len(text):
        cell, width = _cell(text[end])
        if end >= at:
            if used + width > _TOTAL and end > at:
                break
            used += width
        shown.append(cell)
        end += 1
    if end < len(text):
        shown.append("...")
    return ["    " + "".join(shown), "    " + " " * lead + "^"]
