"""libtemper through cffi (ABI mode: no compiler is needed): finding it, checking its version, calling it.

Calls release Python's global lock, so threads run side by side; the library's objects may be shared between them.
"""
from __future__ import annotations

import ctypes.util
import os
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional, Tuple

import cffi
import numpy as np

from . import errors
from ._header import Header, read_header
from ._remedies import REMEDIES

Progress = Callable[[int, int], Optional[bool]]



def _candidates(version: Tuple[int, int, int]) -> Iterator[str]:
    """Where the library may be: the one that is named, that of this source tree, the system's."""
    named = os.environ.get("TEMPER_LIBRARY")
    if named:
        yield named
        return
    inside = Path(__file__).resolve().parent / "libtemper.so"  # a wheel, or `pip install ./python`
    if inside.exists():
        yield str(inside)
    tree = Path(__file__).resolve().parent.parent.parent
    built = tree / "build" / "libtemper.so"
    if (tree / "python" / "temper" / "_library.py").is_file() and built.exists():
        yield str(built)
    major, minor, _ = version
    yield f"libtemper.so.{major}" + (f".{minor}" if major == 0 else "")
    found = ctypes.util.find_library("temper")
    if found:
        yield found


def is_compatible(header: Tuple[int, int, int], library: str) -> bool:
    """Whether a library of that version can be called through that header (doc/api.md)."""
    try:
        major, minor, _ = (int(part) for part in library.split("."))
    except ValueError:
        return False
    if major != header[0]:
        return False
    return minor == header[1] if major == 0 else minor >= header[1]


def _open(ffi: Any, header: Header) -> Tuple[Any, str]:
    tried: List[str] = []
    for path in _candidates(header.version):
        try:
            found = ffi.dlopen(path)
        except OSError as error:
            tried.append(f"  {path}: {error}")
            continue
        try:
            version = ffi.string(found.temper_version()).decode("ascii", "replace")
        except AttributeError:
            raise ImportError(f"{path} has no temper_version: it is not libtemper") from None
        if not is_compatible(header.version, version):
            wanted = ".".join(map(str, header.version))
            raise ImportError(f"{path} is temper {version}, but this Python package is for temper {wanted}; install both "
                              "from the same sources, or name the right library in TEMPER_LIBRARY")
        return found, path
    raise ImportError("libtemper was not found; build it with `make`, install it with `make install`, or name it in "
                      "TEMPER_LIBRARY. Tried:\n" + "\n".join(tried))


_header = read_header()
ffi: Any = cffi.FFI()
ffi.cdef(_header.declarations)
lib: Any
lib, library_path = _open(ffi, _header)
library_version: str = ffi.string(lib.temper_version()).decode("ascii")


def function(name: str) -> Any:
    """A function of the library, or a message that says that it is not there."""
    try:
        return getattr(lib, name)
    except AttributeError:
        raise errors.MissingFunctionError(f"this libtemper has no {name} ({library_path})") from None


def text(pointer: Any) -> str:
    """A C string; bytes that are not UTF-8 become surrogates."""
    data: bytes = ffi.string(pointer)
    return data.decode("utf-8", "surrogateescape")


def encode(string: str) -> bytes:
    """The other way; lone surrogates of any kind survive as bytes."""
    try:
        return string.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return string.encode("utf-8", "surrogatepass")


def path_bytes(path: "os.PathLike[str] | str") -> bytes:
    """A path for the library, which ends at a NUL byte."""
    data = os.fsencode(path)
    if b"\0" in data:
        raise errors.RangeError("a path cannot contain a NUL byte")
    return data


def hint_of(err: Any) -> str:
    """What may help, in words of this package."""
    name = ffi.typeof("temper_remedy").elements.get(err.remedy, "")
    return REMEDIES.get(name) or text(err.hint)


def failure(status: int, err: Any, where: str = "", source: Optional[bytes] = None, hint: str = "") -> errors.TemperError:
    """The exception for a status and what the library said."""
    name = ffi.typeof("temper_status").elements.get(status, "")
    kind = errors.BY_STATUS.get(name, errors.TemperError)
    return kind(text(err.text) or name, hint=hint_of(err) or hint, where=where, line=err.line, column=err.column,
                source=source)


def call(name: str, *args: Any, where: str = "", source: Optional[bytes] = None) -> None:
    """Calls a function that ends in a temper_error, and raises what it reports."""
    err = ffi.new("temper_error *")
    status = function(name)(*args, err)
    if status:
        raise failure(status, err, where, source)


def make(kind: str, name: str, *args: Any, where: str = "", source: Optional[bytes] = None) -> Any:
    """Calls a function whose first parameter receives a new object; Python's collector frees it."""
    out = ffi.new(f"temper_{kind} **")
    call(name, out, *args, where=where, source=source)
    return ffi.gc(out[0], function(f"temper_{kind}_free"))


def take(name: str, *args: Any) -> bytes:
    """Calls a function that hands out text and its length: the text."""
    out, length = ffi.new("char **"), ffi.new("size_t *")
    call(name, out, length, *args)
    try:
        return bytes(ffi.buffer(out[0], length[0]))
    finally:
        lib.temper_free(out[0])


def read_bytes(path: "os.PathLike[str] | str") -> bytes:
    """A file as the library reads files: regular ones, up to its limit."""
    return take("temper_file_read", path_bytes(path))


def write_bytes(path: "os.PathLike[str] | str", data: bytes) -> None:
    """Writes a file whole or not at all."""
    call("temper_file_write", path_bytes(path), data, len(data))


class Watcher:
    """A progress function of Python as one of C. An exception in it stops the work and is raised again at the end; so does Ctrl-C, which Python
    notices while the function runs, also if it is none of the caller's."""

    def __init__(self, progress: Optional[Progress]) -> None:
        self.error: Optional[BaseException] = None
        self._progress = progress
        self.callback = ffi.callback("int(void *, uint64_t, uint64_t)", self._step, error=1, onerror=self._failed)

    def _step(self, _context: Any, done: int, total: int) -> int:
        return 1 if self._progress is not None and self._progress(done, total) else 0

    def _failed(self, _kind: Any, error: BaseException, _trace: Any) -> None:
        self.error = error

    def raise_error(self) -> None:
        """Raises what the progress function raised."""
        if self.error is not None:
            raise self.error


def number_of(name: str, choices: Tuple[str, ...], what: str) -> int:
    """The number of a name in a list, or a message with the list."""
    try:
        return choices.index(name)
    except ValueError:
        raise errors.RangeError(f"{what} {name!r} is not one of {', '.join(choices)}") from None


def count_of(value: int, what: str) -> int:
    """A number of letters, strings or threads as the library takes it."""
    if not isinstance(value, (int, np.integer)):
        raise TypeError(f"{what} must be an integer, not {type(value).__name__}")
    if not 0 <= value < 1 << 63:
        raise errors.RangeError(f"{what} must be 0 to 2^63 - 1, not {value}")
    return int(value)


def names_of(enum: str, function_name: str) -> Tuple[str, ...]:
    """The names of an enumeration, by its numbers."""
    named = function(function_name)
    return tuple(text(named(k)) for k in sorted(ffi.typeof(enum).elements))


def type_names() -> Tuple[str, ...]:
    """The names of all number types: those in tiles stand behind the enumeration."""
    named = function("temper_type_name")
    names: List[str] = []
    while text(named(len(names))):
        names.append(text(named(len(names))))
    return tuple(names)


TYPES = type_names()
METHODS = names_of("temper_method", "temper_method_name")
