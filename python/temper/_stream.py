"""Models fed one letter at a time."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from . import _html
from ._letters import Alphabet, String
from ._library import call, ffi, lib
from ._shown import shortened

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Stream"]


class Stream:
    """After every letter, the answer for the string read so far, in memory that does not grow. Not shared between threads.

    length    letters read so far
    accept    the verdict on them
    proved    whether that verdict is within the proved length
    """

    def __init__(self, handle: Any, model: "Model", alphabet: Alphabet) -> None:
        """Use Model.stream."""
        self._handle, self._model, self._alphabet = handle, model, alphabet  # the model must outlive the stream

    def __reduce__(self) -> NoReturn:
        raise TypeError("a stream cannot be pickled: it is in the middle of a string; pickle its model and feed the letters again")

    def __repr__(self) -> str:
        return f"<temper.Stream of {shortened(self._model.formula) or 'a model'!r}: {self.length} letters, {'accepts' if self.accept else 'rejects'}>"

    def _repr_html_(self) -> str:
        pairs = (("letters", f"{self.length:,}"), ("verdict", "accepts" if self.accept else "rejects"), ("proved", "yes" if self.proved else "no"))
        return _html.card(_html.heading("Stream of", self._model.formula or "a model"), _html.facts(pairs))

    @property
    def length(self) -> int:
        """Letters read so far."""
        return int(lib.temper_stream_about(self._handle).length)

    @property
    def accept(self) -> bool:
        """The verdict on the string read so far."""
        return bool(lib.temper_stream_about(self._handle).accept)

    @property
    def proved(self) -> bool:
        """Whether the verdict is within the proved length."""
        return bool(lib.temper_stream_about(self._handle).proved)

    def feed(self, string: String) -> "npt.NDArray[np.bool_]":
        """Reads the letters of a string; the verdict after each of them."""
        batch = self._alphabet.one(string)
        out, push = np.zeros(len(batch.numbers), np.bool_), lib.temper_stream_push
        accept, err = ffi.new("int *"), ffi.new("temper_error *")
        for k, letter in enumerate(batch.numbers.tolist()):
            if push(self._handle, letter, accept, err):
                call("temper_stream_push", self._handle, letter, accept)  # fails in the same way, and nothing is read
            out[k] = accept[0]
        return out

    def reset(self) -> None:
        """Back to the empty string."""
        lib.temper_stream_reset(self._handle)
