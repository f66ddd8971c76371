"""Formulas: specifications of languages of strings, and their own answers."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from . import _html, errors
from ._automaton import Automaton
from ._letters import Alphabet, ArrayLike, Batch, String, Strings
from ._library import call, encode, ffi, lib, make, number_of, read_bytes, take, text
from ._ordinary import Ordinary, OrdinaryLimit, OrdinaryProof, certify_ordinary, export_ordinary, limits_ordinary
from ._shown import shortened
from ._types import Architecture, At, Empty, Kind, Positions, StoredType, Syntax
from .logic import Expression

__all__ = ["Formula", "parse", "eval"]

SYNTAXES = ("spec", "crasp", "brasp", "regex", "dfa")
_SUFFIXES: Dict[str, Syntax] = {".crasp": "crasp", ".brasp": "brasp", ".regex": "regex", ".dfa": "dfa", ".jff": "dfa"}
_AT = ("", "first", "last")
_EMPTY = ("", "reject", "accept")
KINDS = ("acceptor", "next", "transducer")

PathLike = Union[str, "os.PathLike[str]"]


class Formula:
    """A specification that was read: temper.parse("H(b -> O a)", alphabet="abc").

    letters       the alphabet
    tokens        whether strings are split on blanks into tokens
    other         the letter that unknown ones are read as, or None
    at            where the answer is read, "first" or "last"
    accepts_empty whether the empty string is in the language
    size          the number of distinct subformulas
    kind          "acceptor"; "next", a language model; or "transducer"
    """

    def __init__(self, handle: Any, source: bytes, where: str) -> None:
        """Use temper.parse."""
        self._handle, self._source, self._where = handle, source, where
        about = lib.temper_spec_about(handle)
        self.tokens = bool(about.tokens)
        count = about.letters
        self.letters: Tuple[str, ...] = tuple(text(lib.temper_spec_letter(handle, k)) for k in range(count))
        self.at = _AT[about.at]
        self.accepts_empty = bool(about.accepts_empty)
        self.size: int = about.nodes
        self.kind = KINDS[about.kind]
        self.other: Optional[str] = self.letters[about.other] if about.other < count else None
        self._alphabet = Alphabet(self.letters, self.tokens, about.other, "temper_spec_encode", handle)

    def __str__(self) -> str:
        """Text that parses back to the same formula."""
        return self._told("temper_spec_print")

    @property
    def words(self) -> str:
        """The formula as an English sentence: H(b -> O a) is "so far, at every b there has been an a". For people; "" for a transducer."""
        return self._told("temper_spec_words")

    @property
    def simplified(self) -> Tuple[str, ...]:
        """What the alphabet makes simpler than it was written, such as "a S b is O b: ..."."""
        return tuple(self._told("temper_spec_simplified").splitlines())

    def _told(self, name: str) -> str:
        out = ffi.new("char **")
        call(name, out, self._handle)
        try:
            return text(out[0])
        finally:
            lib.temper_free(out[0])

    def _repr_html_(self) -> str:
        return _html.preformatted("\n".join([str(self).rstrip(), *("-- " + line for line in self.simplified)]))

    def __repr__(self) -> str:
        return f"<temper.Formula {shortened(str(self), 200)!r}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return parse, (str(self),)

    @overload
    def eval(self, strings: "Union[str, Sequence[int]]") -> bool: ...  # type: ignore[misc]

    @overload
    def eval(self, strings: Sequence[String]) -> "npt.NDArray[np.bool_]": ...

    @overload
    def eval(self, strings: "Union[npt.NDArray[Any], ArrayLike]") -> Any: ...

    def eval(self, strings: "Union[String, Strings]") -> Any:
        """The formula's own answers: a bool for one string, as text or as letter numbers; an array for many strings."""
        batch, is_one = self._alphabet.batch(strings)
        answers = np.fromiter((self._eval(batch, k, None) for k in range(batch.count)), np.bool_, batch.count)
        return bool(answers[0]) if is_one else answers

    def truth(self, string: String) -> "npt.NDArray[np.bool_]":
        """The formula's truth at every position of one string."""
        batch = self._alphabet.one(string)
        out = np.zeros(int(batch.lengths[0]), np.uint8)
        self._eval(batch, 0, out)
        return out.astype(np.bool_)

    def write(self, string: String) -> str:
        """What a transducer writes for a string, by its formulas. RangeError: at some position no output holds, or several do."""
        return take("temper_spec_write", self._handle, *self._alphabet.one(string).one(0)).decode("utf-8", "surrogateescape")

    def automaton(self) -> Automaton:
        """The minimal automaton; UnsupportedError where counts are compared without a bound."""
        return Automaton(make("automaton", "temper_automaton_make", self._handle, where=self._where, source=self._source), self)

    def difference(self, other: "Union[str, Expression, Formula]") -> Optional[str]:
        """The shortest string that only one of two formulas accepts, or None: then they accept the same strings, of
        every length. A text is read with the letters of both."""
        if isinstance(other, (str, Expression)):
            other = parse(other, tokens=self.tokens)
        out = ffi.new("temper_difference *")
        call("temper_spec_compare", out, self._handle, other._handle)
        try:
            return None if out.same else text(out.string)
        finally:
            lib.temper_difference_clear(out)

    def export(self, folder: PathLike, *, as_: Architecture, length: int, weights: StoredType = "f32", kv: StoredType = "f16",
               positions: Positions = "auto", seed: int = 1) -> Ordinary:
        """Writes an ordinary transformer for strings of up to `length` letters: a folder for llama.cpp, Hugging Face transformers without
        code of ours, and transformers.js (doc/ordinary.md).

        as_        "gpt2" or "llama"
        weights    "f32" or "f16": how they are stored
        kv         "f16" or "f32": in which numbers keys and values will be cached
        positions  of a Llama: "ramp", "digits" (only GGUF holds these), or "auto": the ramp where it goes
        seed       of the strings in testvectors.jsonl
        """
        return export_ordinary(self, folder, as_, length, weights, kv, positions, seed)

    def certify(self, length: Optional[int] = None, *, as_: Architecture, weights: StoredType = "f32", kv: StoredType = "f16",
                positions: Positions = "auto") -> OrdinaryProof:
        """Proves what Formula.export writes: the logits of an ordinary transformer, after every prefix of every string of up to
        `length` letters, in every runtime of doc/ordinary.md. Without a length: finds the largest, up to 16,384."""
        return certify_ordinary(self, as_, length, weights, kv, positions)

    def limits(self, *, as_: Architecture, length: int = 0, weights: StoredType = "f32", kv: StoredType = "f16",
               positions: Positions = "auto") -> OrdinaryLimit:
        """How far an ordinary transformer of this setting is proved, and the first length at which an emulator of the runtimes
        finds it wrong; also beyond what Formula.export writes. Lengths up to `length` are tried, 0: 2,048."""
        return limits_ordinary(self, as_, length, weights, kv, positions)

    def _eval(self, batch: Batch, k: int, truth: "Optional[npt.NDArray[np.uint8]]") -> bool:
        accept = ffi.new("int *")
        place = ffi.NULL if truth is None else ffi.cast("unsigned char *", truth.__array_interface__["data"][0])
        call("temper_spec_eval", accept, place, self._handle, *batch.one(k))
        return bool(accept[0])


Letters = Union[str, Sequence[str]]


def parse(formula: "Union[None, str, Expression]" = None, *, file: Optional[PathLike] = None, alphabet: Optional[Letters] = None,
          tokens: Optional[bool] = None, syntax: Optional[Syntax] = None, at: Optional[At] = None,
          empty: Optional[Empty] = None, regex: Optional[str] = None, dfa: Optional[PathLike] = None,
          ascii: bool = False, kind: Optional[Kind] = None, other: Optional[str] = None) -> Formula:
    """Reads a specification, from a text or a file; or a regular expression, or the file of an automaton.

    regex     instead of a formula: an expression that the whole string must match
    dfa       instead of a file: one with the table of an automaton, or of JFLAP
    formula   a text, or an expression made with temper.logic
    alphabet  "abc", or "ab " with the blank, or a list of letters, ["a", "b"]; or with tokens "request grant" or ["request", "grant"]. Without it, the letters
              of the text. A list that has words makes tokens
    ascii     the alphabet is the 95 printable characters
    tokens    strings are split on blanks into tokens
    syntax    "spec", "crasp", "brasp", "regex" or "dfa"; of a file, by default, what its name ends in
    at        where the answer is read, "first" or "last"
    empty     the answer on the empty string, "accept" or "reject"
    kind      "next": as if the text had a line `next`, a language model
    other     the letter that unknown ones are read as; it joins an alphabet that is not stated

    What is given here overrides lines of the text. SpecSyntaxError shows the line with a caret.
    """
    if isinstance(formula, Expression):
        tokens = True if tokens is None and formula.words else tokens
        formula = str(formula)
    if formula is not None and not isinstance(formula, str):
        raise TypeError(f"a formula is a text or an expression of temper.logic, not {type(formula).__name__}")
    if sum(option is not None for option in (formula, file, regex, dfa)) != 1:
        raise TypeError("give a formula, a file, a regex or a dfa, one of the four")
    if syntax is not None and (regex is not None or dfa is not None):
        raise TypeError("a regex or a dfa is its own syntax")
    if regex is not None or dfa is not None:
        syntax = "dfa" if regex is None else "regex"
    path = dfa if file is None else file
    if path is not None:
        where, source = str(path), read_bytes(path)
        if syntax is None:
            syntax = _SUFFIXES.get(Path(path).suffix, "spec")
    else:
        given = formula if regex is None else regex
        assert given is not None
        where, source = "formula" if regex is None else "regex", encode(given)
    options = ffi.new("temper_spec_options *")
    kept: List[Any] = []  # what the options point to
    kept.append(ffi.new("char[]", encode("." if path is None else str(Path(path).parent))))
    options.folder = kept[-1]
    options.ascii = int(ascii)
    if alphabet is not None and not isinstance(alphabet, str):
        letters = _letters(alphabet)
        tokens = tokens if tokens is not None else any(len(letter) > 1 for letter in letters)
        each = [ffi.new("char[]", encode(letter)) for letter in letters]
        kept.append(each)
        kept.append(ffi.new("char *[]", each))
        options.letters = kept[-1]
        options.letter_count = len(each)
    options.syntax = number_of(syntax or "spec", SYNTAXES, "syntax")
    if isinstance(alphabet, str):
        if "\0" in alphabet:
            raise errors.RangeError("an alphabet cannot contain a NUL character")
        kept.append(ffi.new("char[]", encode(alphabet)))
        options.alphabet = kept[-1]
    if other is not None:
        kept.append(ffi.new("char[]", encode(other)))
        options.other = kept[-1]
    options.tokens = int(bool(tokens))
    options.at = number_of(at or "", _AT, "at")
    options.empty = number_of(empty or "", _EMPTY, "empty")
    options.kind = number_of(kind or "acceptor", KINDS, "kind")
    handle = make("spec", "temper_spec_parse", source, len(source), options, where=where, source=source)
    return Formula(handle, source, where)


def _letters(alphabet: Sequence[str]) -> List[str]:
    """The letters of an alphabet that is a list of them."""
    if isinstance(alphabet, (set, frozenset)):
        raise TypeError("an alphabet has an order, and a set has none: give a list")
    if not isinstance(alphabet, Iterable) or isinstance(alphabet, bytes):
        raise TypeError(f"an alphabet is a text or a list of letters, not {type(alphabet).__name__}")
    letters = list(alphabet)
    for letter in letters:
        if not isinstance(letter, str):
            raise TypeError(f"an alphabet is a text or a list of letters, which are texts; {letter!r} is none")
        if not letter or "\0" in letter:
            raise errors.RangeError("a letter of an alphabet cannot " + ("contain a NUL character" if letter else "be empty"))
    if not letters:
        raise errors.RangeError("an alphabet has at least one letter")
    return letters


def eval(formula: "Union[str, Expression]", strings: "Union[String, Strings]", *, alphabet: Optional[Letters] = None,
         tokens: Optional[bool] = None, syntax: Optional[Syntax] = None, at: Optional[At] = None, empty: Optional[Empty] = None,
         other: Optional[str] = None) -> Any:
    """A formula's own answers on strings: temper.eval("O a", ["ba", "bb"], alphabet="ab"). Options as in parse."""
    return parse(formula, alphabet=alphabet, tokens=tokens, syntax=syntax, at=at, empty=empty, other=other).eval(strings)
