"""Comparing a model with a formula or with another model, on all short strings and on random ones."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Iterator, Optional

import numpy as np
import numpy.typing as npt

from . import _html, errors
from ._library import Progress, Watcher, call, count_of, ffi, lib, text
from ._shown import fields_shown, shortened

if TYPE_CHECKING:
    from ._formula import Formula
    from ._model import Model

__all__ = ["CheckResult"]

_BLOCK = 1 << 16  # strings that are compared at once


@dataclass(frozen=True, repr=False)
class CheckResult:
    """What a comparison found. It is true in an `if` when every string agreed.

    strings         how many were compared
    stopped         the progress function asked to stop
    counterexample  a shortest one found, or None
    position        of the difference, from 1; 0: it is the verdict
    left, right     which two disagree ("formula", "hard", "soft", or "this model", "other model")
    left_value, right_value   and their answers
    margin          the largest error before rounding that was seen in soft runs
    """

    agreed: bool
    strings: int
    stopped: bool
    counterexample: Optional[str]
    position: int
    left: str
    right: str
    left_value: bool
    right_value: bool
    margin: float

    def __bool__(self) -> bool:
        return self.agreed

    def __repr__(self) -> str:
        return fields_shown(self)

    def _repr_html_(self) -> str:
        return _html.preformatted(str(self))

    def __str__(self) -> str:
        if self.agreed:
            return f"agreed on {self.strings} strings; largest error before rounding {self.margin:.3g}"
        where = f" at letter {self.position}" if self.position else ""
        return (f"they differ on {shortened(self.counterexample or '')!r}{where}: {self.left} {self.left_value}, "
                f"{self.right} {self.right_value}")


def exhaustive_default(letters: int) -> int:
    """6, less where that would be more than 20,000 strings; letters may be classes of letters."""
    length = 6
    while length and sum(letters ** k for k in range(length + 1)) > 20000:
        length -= 1
    return length


_ANY = 1 << 62  # a model that was not made for a length is compared as it is


def _most(model: "Model") -> int:
    proof = model.proof()
    promised = proof.claim in ("formula", "formula if viable is right") or model.info.output_margin > 0
    return proof.length if promised and proof.length is not None else _ANY


def check_formula(model: "Model", formula: "Optional[Formula]", exhaustive: Optional[int], random: int,
                  length: Optional[int], seed: int, threads: int, progress: Optional[Progress]) -> CheckResult:
    """temper_check, with the command line's defaults."""
    if formula is not None and formula.letters != model.letters:
        raise errors.RangeError(f"the formula has the letters {' '.join(formula.letters)}, the model "
                                f"{' '.join(model.letters)}")
    safe = _most(model)
    handle = formula._handle if formula is not None else ffi.NULL
    options, out = ffi.new("temper_check_options *"), ffi.new("temper_check_result *")
    if exhaustive is None:
        classes = ffi.new("size_t *")
        call("temper_check_classes", classes, handle, model._handle)
        options.exhaustive = min(exhaustive_default(classes[0]), safe)
    else:
        options.exhaustive = count_of(exhaustive, "exhaustive")
    options.random, options.seed = count_of(random, "random"), count_of(seed, "seed")
    options.threads = count_of(threads, "threads")
    options.length = min(200, safe) if length is None else count_of(length, "length")
    watcher = Watcher(progress)
    options.progress = watcher.callback
    try:
        call("temper_check", out, handle, model._handle, options)
        watcher.raise_error()
        example = None
        if out.counterexample != ffi.NULL:
            example = model._alphabet.text(list(out.counterexample[0:out.counterexample_length]))
        return CheckResult(bool(out.agreed), out.strings, bool(out.stopped), example, out.position,
                           text(out.left) if example is not None else "", text(out.right) if example is not None else "",
                           bool(out.left_value), bool(out.right_value), out.margin)
    finally:
        lib.temper_check_clear(out)


def all_strings(letters: int, most: int) -> "Iterator[npt.NDArray[np.uint32]]":
    """All strings up to a length, shortest first, as arrays [string, letter] of one length."""
    yield np.zeros((1, 0), np.uint32)
    if letters == 0:
        return
    for length in range(1, most + 1):
        powers = np.array([letters ** (length - 1 - k) for k in range(length)], np.uint64)
        total = letters ** length
        if total >= 1 << 63:
            raise errors.LimitError(f"there are too many strings of length {length} over {letters} letters")
        for first in range(0, total, _BLOCK):
            numbers = np.arange(first, min(first + _BLOCK, total), dtype=np.uint64)
            yield (numbers[:, None] // powers[None, :] % np.uint64(letters)).astype(np.uint32)


def random_strings(letters: int, count: int, length: int, seed: int) -> "Iterator[npt.NDArray[np.uint32]]":
    """Strings of random lengths up to one, as arrays [1, letter]."""
    if letters == 0:
        return
    generator = np.random.default_rng(seed)
    for _ in range(count):
        yield generator.integers(0, letters, (1, int(generator.integers(0, length + 1))), dtype=np.uint32)


def check_model(model: "Model", other: "Model", exhaustive: Optional[int], random: int, length: Optional[int], seed: int,
                threads: int, progress: Optional[Progress]) -> CheckResult:
    """The verdicts of two models. One of which nothing is proved is run as it is."""
    if other.letters != model.letters:
        raise errors.RangeError(f"the models have different letters: {' '.join(model.letters)} and {' '.join(other.letters)}")
    letters = len(model.letters)
    safe = min(_most(m) for m in (model, other))
    if exhaustive is None:
        exhaustive = min(exhaustive_default(letters), safe)
    if length is None:
        length = min(200, safe)
    total = sum(letters ** k for k in range(exhaustive + 1)) + random
    done = 0
    sources = (all_strings(letters, exhaustive), random_strings(letters, random, length, seed))
    for rows in (rows for source in sources for rows in source):
        left, right = (m.run(rows, unchecked=_most(m) == _ANY, threads=threads) for m in (model, other))
        differ = np.flatnonzero(left != right)
        if len(differ):
            k = int(differ[0])
            return CheckResult(False, done + k + 1, False, model._alphabet.text(rows[k].tolist()), 0, "this model",
                               "other model", bool(left[k]), bool(right[k]), 0.0)
        done += len(rows)
        if progress is not None and progress(done, total):
            return CheckResult(True, done, True, None, 0, "", "", False, False, 0.0)
    return CheckResult(True, done, False, None, 0, "", "", False, False, 0.0)
