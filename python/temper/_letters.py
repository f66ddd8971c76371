"""Strings to letter numbers, many at a time and without a loop over letters, and back."""
from __future__ import annotations

from typing import Any, Iterable, List, Optional, Protocol, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import errors
from ._library import encode, failure, ffi, function, lib


class ArrayLike(Protocol):
    """A tensor of PyTorch, an array of JAX, a column of a DataFrame: what numpy can take."""

    @property
    def __array__(self) -> Any: ...


# One string: text, a sequence of letters or of letter numbers, or an array or tensor of letter numbers.
String = Union[str, Sequence[str], Sequence[int], "npt.NDArray[Any]", ArrayLike]
# Many of them.
Strings = Union[Sequence[String], "npt.NDArray[Any]", ArrayLike]

_UNKNOWN = 0xFFFFFFFF
_WANTED = "a string is text, a sequence of letters, or an array of integers"


def _array(thing: Any) -> "Optional[npt.NDArray[Any]]":
    """What numpy makes of an array or a tensor, also one on another device; None if it is neither."""
    if isinstance(thing, np.ndarray):
        return thing
    if isinstance(thing, (str, bytes)) or not hasattr(thing.__class__, "__array__"):
        return None
    return np.asarray(thing.detach().cpu() if hasattr(thing, "detach") else thing)


def _is_number(letter: Any) -> bool:
    return isinstance(letter, (int, np.integer)) and not isinstance(letter, (bool, np.bool_))


class Batch:
    """Strings as the library takes them: letter numbers in one array, and where each string begins."""

    def __init__(self, numbers: "npt.NDArray[np.uint32]", lengths: "npt.NDArray[np.uintp]") -> None:
        self.numbers, self.lengths, self.count = numbers, lengths, len(lengths)
        starts = np.zeros(self.count, np.uintp)
        np.cumsum(lengths[:-1], out=starts[1:])
        address = self.numbers.__array_interface__["data"][0]
        self._pointers = starts * np.uintp(4) + np.uintp(address)
        self.starts = starts

    @property
    def letters(self) -> Any:
        """const uint32_t *const *"""
        return ffi.cast("const uint32_t *const *", self._pointers.__array_interface__["data"][0])

    @property
    def sizes(self) -> Any:
        """const size_t *"""
        return ffi.cast("const size_t *", self.lengths.__array_interface__["data"][0])

    def one(self, k: int) -> Tuple[Any, int]:
        """const uint32_t * and length of string k"""
        return ffi.cast("const uint32_t *", int(self._pointers[k])), int(self.lengths[k])


class Alphabet:
    """The letters of a model or a formula. Unknown ones are read as letter number `other`, if there is one."""

    def __init__(self, letters: Sequence[str], tokens: bool, other: int, function_name: str, handle: Any) -> None:
        self.letters, self.tokens = tuple(letters), tokens
        self._other = other if other < len(self.letters) else _UNKNOWN
        self._function, self._handle = function_name, handle
        self._index = {letter: k for k, letter in enumerate(self.letters)}
        self._table: Optional["npt.NDArray[np.uint32]"] = None

    def one(self, string: String) -> Batch:
        """One string."""
        try:
            return self.many([string])
        except errors.RangeError as error:
            error.rename("string")
            raise

    def batch(self, strings: "Union[String, Strings]") -> Tuple[Batch, bool]:
        """What a caller calls strings, and whether it is one: a text, or a sequence or an array of letter numbers."""
        if isinstance(strings, str):
            return self.one(strings), True
        array = _array(strings)
        if array is not None and array.ndim == 1 and array.dtype.kind in "iu":
            return self.one(array), True
        if isinstance(strings, (list, tuple, range)) and len(strings) and all(map(_is_number, strings)):
            return self.one(strings), True
        return self.many(strings if array is None else array), False  # type: ignore[arg-type]

    def many(self, strings: Strings) -> Batch:
        """Strings to letter numbers; without an other letter, RangeError names the first that is not in the alphabet."""
        array = _array(strings)
        if array is not None and array.dtype.kind not in "OUST":
            if array.ndim != 2 or array.dtype.kind not in "iu":
                raise TypeError("strings as one array are integers [string, letter], not "
                                f"{array.dtype.name} of {array.ndim} dimension{'' if array.ndim == 1 else 's'}")
            return self._rows(array)
        if isinstance(strings, (str, bytes)) or not isinstance(strings, Iterable):
            raise TypeError(f"strings must be a sequence of them, not {type(strings).__name__}")
        strings = list(strings)
        if not self.tokens and all(isinstance(s, str) for s in strings):
            return self._characters(strings)  # type: ignore[arg-type]
        return self._join([self._numbers(s, f"string {k + 1}") for k, s in enumerate(strings)])

    def text(self, numbers: Sequence[int]) -> str:
        """Letter numbers as one string."""
        return (" " if self.tokens else "").join(self.letters[k] for k in numbers)

    def _join(self, rows: "List[npt.NDArray[np.uint32]]") -> Batch:
        lengths = np.fromiter(map(len, rows), np.uintp, len(rows))
        return Batch(np.concatenate(rows) if rows else np.zeros(0, np.uint32), lengths)

    def _rows(self, rows: "npt.NDArray[Any]") -> Batch:
        return Batch(self._checked(rows.reshape(-1)), np.full(rows.shape[0], rows.shape[1], np.uintp))

    def _checked(self, numbers: "npt.NDArray[Any]") -> "npt.NDArray[np.uint32]":
        if numbers.size and (int(numbers.min()) < 0 or int(numbers.max()) >= len(self.letters)):
            raise errors.RangeError(f"letter numbers go from 0 to {len(self.letters) - 1}, not from {int(numbers.min())} to "
                                    f"{int(numbers.max())}")
        return np.ascontiguousarray(numbers, np.uint32)

    def _characters(self, strings: List[str]) -> Batch:
        """Characters are looked up in a table, all strings at once."""
        lengths = np.fromiter(map(len, strings), np.uintp, len(strings))
        codes = np.frombuffer("".join(strings).encode("utf-32-le", "surrogatepass"), np.uint32)
        table = self._lookup()
        numbers = table[np.minimum(codes, np.uint32(len(table) - 1))]
        batch = Batch(numbers, lengths)
        if numbers.max(initial=0) == _UNKNOWN:
            which = int(np.searchsorted(batch.starts, int(np.argmax(numbers)), side="right")) - 1
            self._by_library(strings[which], f"string {which + 1}")
            raise errors.RangeError(f"string {which + 1} has an unknown letter")
        return batch

    def _lookup(self) -> "npt.NDArray[np.uint32]":
        if self._table is None:
            codes = {ord(letter): k for k, letter in enumerate(self.letters) if len(letter) == 1}
            table = np.full(max(codes, default=0) + 2, self._other, np.uint32)
            for code, k in codes.items():
                table[code] = k
            self._table = table
        return self._table

    def _numbers(self, string: String, where: str) -> "npt.NDArray[np.uint32]":
        if isinstance(string, str):
            return self._by_library(string, where)
        array = _array(string)
        if array is not None and array.dtype.kind not in "OUST":
            if array.ndim != 1 or array.dtype.kind not in "iu":
                raise TypeError(f"{_WANTED} [letter], not of {array.dtype.name} with {array.ndim} dimension{'' if array.ndim == 1 else 's'}")
            return self._checked(array)
        if isinstance(string, bytes) or not isinstance(string, Iterable):
            raise TypeError(f"{_WANTED}, not {type(string).__name__}")
        letters: List[Any] = list(string)
        if letters and all(map(_is_number, letters)):
            return self._checked(np.array(letters, object))
        try:
            return np.fromiter(map(self._index.__getitem__, letters), np.uint32)
        except (KeyError, TypeError):
            for place, letter in enumerate(letters):
                if not isinstance(letter, str):
                    raise TypeError(f"{_WANTED}; {letter!r} is no letter") from None
                if letter not in self._index and self._other == _UNKNOWN:
                    raise errors.RangeError(f"unknown {'token' if self.tokens else 'letter'} {letter!r} at position "
                                            f"{place + 1}", hint=self._hint(), where=where) from None
            return np.fromiter((self._index.get(letter, self._other) for letter in letters), np.uint32)

    def _by_library(self, string: str, where: str) -> "npt.NDArray[np.uint32]":
        """The library's own reading of a text, which has the message for what is wrong with it."""
        data, err = encode(string), ffi.new("temper_error *")
        out, n = ffi.new("uint32_t **"), ffi.new("size_t *")
        status = function(self._function)(out, n, self._handle, data, len(data), err)
        if status:
            if self.tokens and err.column:
                err.column = _token_column(string, err.column)
            raise failure(status, err, where, data, self._hint())
        try:
            return np.frombuffer(ffi.buffer(out[0], n[0] * 4), np.uint32).copy()
        finally:
            lib.temper_free(out[0])

    def _hint(self) -> str:
        what = "token" if self.tokens else "letter"
        shown = f"the only {what} is" if len(self.letters) == 1 else f"the {what}s are"
        for letter in self.letters:
            if len(encode(shown)) + len(encode(letter)) + 8 > 160:
                return shown + f" ... ({len(self.letters)} in all)"
            shown += " " + letter
        return shown


def _token_column(string: str, token: int) -> int:
    """The column where a token begins, both from 1."""
    seen, blank = 0, True
    for k, c in enumerate(string):
        is_blank = c in " \t\n\v\f\r"
        if blank and not is_blank:
            seen += 1
            if seen == token:
                return k + 1
        blank = is_blank
    return 0
