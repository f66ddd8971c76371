"""For tests of your own programs: a function that should accept a language, against its specification."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, List, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _html
from ._check import all_strings, random_strings
from ._formula import Formula, parse
from ._letters import Alphabet
from ._library import count_of, number_of
from ._model import Model
from ._shown import shortened
from .logic import Expression

__all__ = ["Equivalence", "assert_equivalent"]

_ARGUMENTS = ("text", "letters", "numbers")


@dataclass(frozen=True, repr=False)
class Equivalence(_html.Facts):
    """What assert_equivalent has compared: all strings up to the length `exhaustive`, and random ones up to `length`."""

    strings: int
    exhaustive: int
    length: int


def _argument(alphabet: Alphabet, numbers: "npt.NDArray[np.uint32]", arguments: str) -> Any:
    if arguments == "numbers":
        return numbers.astype(np.int64)
    letters = [alphabet.letters[k] for k in numbers.tolist()]
    return letters if arguments == "letters" else (" " if alphabet.tokens else "").join(letters)


def _answer(function: Callable[[Any], Any], argument: Any, shown: str) -> bool:
    try:
        found = function(argument)
    except Exception as error:
        raise AssertionError(f"the function failed on {shown!r}: {type(error).__name__}: {error}") from error
    try:
        array = np.asarray(found.detach().cpu() if hasattr(found, "detach") else found)
    except (TypeError, ValueError):
        array = np.zeros(2)
    if array.size != 1 or array.dtype.kind not in "biuf" or array.reshape(-1)[0] not in (0, 1):
        raise AssertionError(f"the function's answer on {shown!r} is neither True nor False: {shortened(repr(found))}")
    return bool(array.reshape(-1)[0])


def _exhaustive(letters: int, length: int, most: int) -> int:
    """The longest length such that all strings up to it are not more than so many."""
    total, longest = 1, 0
    while letters and longest < length and total + letters ** (longest + 1) <= most:
        longest += 1
        total += letters ** longest
    return longest


def _rows(letters: int, longest: int, length: int, random: int, seed: int) -> "Iterator[npt.NDArray[np.uint32]]":
    yield from all_strings(letters, longest)
    if length > longest:
        yield from random_strings(letters, random, length, seed)


def assert_equivalent(spec: "Union[str, Expression, Formula, Model]", function: Callable[[Any], Any], length: int, *, most: int = 20_000,
                      random: int = 1_000, seed: int = 1, arguments: Literal["text", "letters", "numbers"] = "text",
                      **options: Any) -> Equivalence:
    """Raises AssertionError, with a shortest string that was found, unless a function answers as a specification does.

        >>> import re, temper
        >>> temper.testing.assert_equivalent("H(b -> O a)", lambda s: re.fullmatch("c*(a[abc]*)?", s) is not None and s != "", 8, alphabet="abc")
        Equivalence(strings=9841, exhaustive=8, length=8)

    spec       a formula, with options of temper.parse such as alphabet; or a Model, whose answers are then those of its runs
    function   is called with one string and answers True or False, as a bool, 0 or 1, or a tensor of one of these
    length     all strings up to this length are compared, the empty one too, as far as these are not more than `most`; beyond that
               `random` strings of random lengths up to it, from the seed
    arguments  what the function takes: "text", a list of "letters", or an array of letter "numbers"
    """
    number_of(arguments, _ARGUMENTS, "arguments")
    if isinstance(spec, (Formula, Model)):
        if options:
            raise TypeError(f"a {type(spec).__name__} has its options already: {', '.join(options)} cannot be given")
        known: Union[Formula, Model] = spec
    else:
        known = parse(spec, **options)
    alphabet, wanted = known._alphabet, count_of(length, "length")
    longest = _exhaustive(len(alphabet.letters), wanted, count_of(most, "most"))
    compared, shortest = 0, ""
    least = wanted + 1
    for rows in _rows(len(alphabet.letters), longest, wanted, count_of(random, "random"), count_of(seed, "seed")):
        for row, right in zip(rows, _answers(known, rows)):
            shown = alphabet.text(row.tolist())
            if _answer(function, _argument(alphabet, row, arguments), shown) != right and len(row) < least:
                least = len(row)
                shortest = (f"they differ on {shown!r} ({least} letter{'' if least == 1 else 's'}): the specification "
                            f"{'accepts' if right else 'rejects'} it, the function {'rejects' if right else 'accepts'} it")
            if least <= longest:  # these come by their lengths; of random ones all are looked at
                raise AssertionError(shortest)
            compared += 1
    if shortest:
        raise AssertionError(shortest)
    return Equivalence(compared, longest, wanted)


def _answers(known: "Union[Formula, Model]", rows: "npt.NDArray[np.uint32]") -> List[bool]:
    found = known.run(rows) if isinstance(known, Model) else known.eval(rows)
    answers: List[bool] = found.tolist()
    return answers
