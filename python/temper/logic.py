"""Formulas by operators of Python. They are texts of the language in doc/language.md, which temper.parse and temper.compile read.

    >>> from temper.logic import letters, count, historically, once
    >>> a, b, c = letters("abc")
    >>> a.since(b) & ~c
    <temper.logic: (a S b) & !c>
    >>> historically(b >> once(a))
    <temper.logic: H (b -> O a)>
    >>> (count(a) - 2 * count(b) >= 0) | (count(c) % 3 == 1)
    <temper.logic: (#[a] - 2*#[b] >= 0) | (#[c] % 3 = 1)>

`~` is not, `&` and, `|` or, `^` exclusive or, `>>` implies, `x.iff(y)` if and only if. Python's `and`, `or`, `not` and chains such as
1 < x < 3 cannot be had: they raise a TypeError.
"""
from __future__ import annotations

from typing import Any, Iterable, NoReturn, Tuple, Union

import numpy as np

from .errors import LimitError

__all__ = ["Count", "Expression", "Remainder", "always", "any_of", "count", "count_after", "eventually", "false", "first", "historically",
           "last", "letter", "letters", "next", "none_of", "once", "true", "weak_next", "weak_yesterday", "yesterday"]

_MOST = 1 << 24  # characters: a formula that uses another twice has its text twice
_ATOM, _PREFIX, _AND, _OR, _LOOSE = range(5)  # how texts bind; the printer asks no more
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _measured(text: str) -> str:
    if len(text) > _MOST:
        raise LimitError(f"the text of a formula has at most {_MOST} characters, not {len(text)}")
    return text


class Expression:
    """A formula. str() is its text."""

    def __init__(self, text: str, binds: int = _LOOSE, words: bool = False) -> None:
        """Use letter, letters and the operators; or the text of a formula."""
        self._text, self._binds, self.words = _measured(text), binds, words  # words: some letter is a token

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<temper.logic: {self._text if len(self._text) < 400 else self._text[:400] + '…'}>"

    def _as(self, loosest: int) -> str:
        return self._text if self._binds <= loosest else f"({self._text})"

    def _join(self, sign: str, other: "Expression", binds: int = _LOOSE) -> "Expression":
        if not isinstance(other, Expression):
            raise TypeError(f"{other!r} is no formula" + ("; temper.logic.true and false are" if isinstance(other, bool) else ""))
        side = binds if binds in (_AND, _OR) and self._binds == binds else _PREFIX
        return Expression(f"{self._as(side)} {sign} {other._as(_PREFIX)}", binds, self.words or other.words)

    def _prefix(self, sign: str, steps: int = 1) -> "Expression":
        power = "" if steps == 1 else f"^{_whole(steps)}"
        blank = "" if sign == "!" else " "
        return Expression(f"{sign}{power}{blank}{self._as(_PREFIX)}", _PREFIX, self.words)

    # Boolean

    def __invert__(self) -> "Expression":
        return self._prefix("!")

    def __and__(self, other: "Expression") -> "Expression":
        return self._join("&", other, _AND)

    def __or__(self, other: "Expression") -> "Expression":
        return self._join("|", other, _OR)

    def __xor__(self, other: "Expression") -> "Expression":
        return self._join("^", other)

    def __rshift__(self, other: "Expression") -> "Expression":
        return self._join("->", other)

    def implies(self, other: "Expression") -> "Expression":
        """Implies, as >> does."""
        return self >> other

    def iff(self, other: "Expression") -> "Expression":
        """If and only if."""
        return self._join("<->", other)

    def __bool__(self) -> NoReturn:
        raise TypeError("a formula is neither true nor false: write & | ~ for and, or, not, and join comparisons with &")

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("formulas are compared by x.iff(y) and x ^ y; their texts by str(x) == str(y)")

    __ne__ = __eq__
    __hash__ = object.__hash__

    # the past

    def since(self, other: "Expression") -> "Expression":
        """S: `other` held at some time, and ever since then this one."""
        return self._join("S", other)

    def triggered(self, other: "Expression") -> "Expression":
        """T: `other` has held since this one did, that position included, or always."""
        return self._join("T", other)

    def once(self) -> "Expression":
        """O: now or before."""
        return self._prefix("O")

    def historically(self) -> "Expression":
        """H: now and always before."""
        return self._prefix("H")

    def yesterday(self, steps: int = 1) -> "Expression":
        """Y: so many letters before; false where there are not so many."""
        return self._prefix("Y", steps)

    def weak_yesterday(self, steps: int = 1) -> "Expression":
        """Z: the same, true where there are not so many."""
        return self._prefix("Z", steps)

    # the future

    def until(self, other: "Expression") -> "Expression":
        """U: `other` holds now or later, and this one until then."""
        return self._join("U", other)

    def weak_until(self, other: "Expression") -> "Expression":
        """W: until, or this one holds to the end."""
        return self._join("W", other)

    def release(self, other: "Expression") -> "Expression":
        """R: `other` holds up to where this one does, that position included, or to the end."""
        return self._join("R", other)

    def strong_release(self, other: "Expression") -> "Expression":
        """M: release, and this one does hold at some time."""
        return self._join("M", other)

    def eventually(self) -> "Expression":
        """F: now or later."""
        return self._prefix("F")

    def always(self) -> "Expression":
        """G: now and always later."""
        return self._prefix("G")

    def next(self, steps: int = 1) -> "Expression":
        """X: so many letters later; false where there are not so many."""
        return self._prefix("X", steps)

    def weak_next(self, steps: int = 1) -> "Expression":
        """wX: the same, true where there are not so many."""
        return self._prefix("wX", steps)

    # places

    def at(self, position: "Union[Count, int]") -> "Expression":
        """@: at the position with this number, from 1; false where there is none."""
        sum_ = _sum(position)
        return Expression(f"{self._as(_ATOM)} @ {sum_._text}", _LOOSE, self.words or sum_.words)


def _whole(number: Any) -> int:
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
        raise TypeError(f"{number!r} is no whole number")
    return int(number)


def _sum(value: "Union[Count, int]") -> "Count":
    return value if isinstance(value, Count) else Count(str(_whole(value)))


class _Compared:
    """What comparisons make formulas of."""

    _text: str
    words: bool

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<temper.logic: {self._text}>"

    def _compare(self, sign: str, other: Any) -> Expression:
        right = other if isinstance(other, _Compared) else _sum(other)
        return Expression(f"{self._text} {sign} {right._text}", _LOOSE, self.words or right.words)

    def __lt__(self, other: Any) -> Expression:
        return self._compare("<", other)

    def __le__(self, other: Any) -> Expression:
        return self._compare("<=", other)

    def __gt__(self, other: Any) -> Expression:
        return self._compare(">", other)

    def __ge__(self, other: Any) -> Expression:
        return self._compare(">=", other)

    def __eq__(self, other: Any) -> Expression:  # type: ignore[override]
        return self._compare("=", other)

    def __ne__(self, other: Any) -> Expression:  # type: ignore[override]
        return self._compare("!=", other)

    __hash__ = object.__hash__


class Count(_Compared):
    """A number: a sum of counts, which can be compared."""

    def __init__(self, text: str, terms: int = 1, words: bool = False) -> None:
        """Use count and count_after."""
        self._text, self._terms, self.words = _measured(text), terms, words

    def _factor(self) -> str:
        return self._text if self._terms == 1 and not self._text.startswith("-") else f"({self._text})"

    def _add(self, sign: str, other: "Count") -> "Count":
        right = other._text if sign == "+" and not other._text.startswith("-") else other._factor()
        return Count(f"{self._text} {sign} {right}", self._terms + other._terms, self.words or other.words)

    def __add__(self, other: "Union[Count, int]") -> "Count":
        return self._add("+", _sum(other))

    def __radd__(self, other: int) -> "Count":
        return _sum(other)._add("+", self)

    def __sub__(self, other: "Union[Count, int]") -> "Count":
        return self._add("-", _sum(other))

    def __rsub__(self, other: int) -> "Count":
        return _sum(other)._add("-", self)

    def __neg__(self) -> "Count":
        return Count(f"-{self._factor()}", 1, self.words)

    def __mul__(self, factor: int) -> "Count":
        return Count(f"{_whole(factor)}*{self._factor()}", 1, self.words)

    __rmul__ = __mul__

    def __mod__(self, modulus: int) -> "Remainder":
        return Remainder(f"{self._factor() if '*' not in self._text else '(' + self._text + ')'} % {_whole(modulus)}", self.words)


class Remainder(_Compared):
    """What is left of a sum of counts, 0 up to the modulus less 1: to be compared with a number."""

    def __init__(self, text: str, words: bool) -> None:
        """Use count(x) % m."""
        self._text, self.words = _measured(text), words


def letter(character: str) -> Expression:
    """The letter here is this one; a word, where letters are tokens."""
    if not isinstance(character, str) or not character:
        raise TypeError(f"a letter is a text, not {character!r}")
    if len(character) == 1 and "a" <= character <= "z":
        return Expression(character, _ATOM)
    inside = "".join(_ESCAPES.get(c) or (c if c.isprintable() else f"\\u{{{ord(c):x}}}") for c in character)
    return Expression(f"'{inside}'", _ATOM, len(character) > 1)


def letters(alphabet: Iterable[str]) -> Tuple[Expression, ...]:
    """A formula for each letter: a, b = letters("ab"), or go, stop = letters(["go", "stop"])."""
    return tuple(map(letter, alphabet))


def any_of(alphabet: Iterable[str]) -> Expression:
    """The letter here is one of these."""
    found = false
    for k, one in enumerate(letters(alphabet)):
        found = found | one if k else one
    return found


def none_of(alphabet: Iterable[str]) -> Expression:
    """The letter here is another one."""
    return ~any_of(alphabet)


def count(formula: Expression) -> Count:
    """#: how many positions up to here, this one included, have it."""
    return Count(f"#[{formula}]", 1, formula.words)


def count_after(formula: Expression) -> Count:
    """#>: how many positions from here on, this one included, have it."""
    return Count(f"#>[{formula}]", 1, formula.words)


true, false = Expression("true", _ATOM), Expression("false", _ATOM)
first, last = Expression("first", _ATOM), Expression("last", _ATOM)
once, historically, yesterday, weak_yesterday = Expression.once, Expression.historically, Expression.yesterday, Expression.weak_yesterday
eventually, always, next, weak_next = Expression.eventually, Expression.always, Expression.next, Expression.weak_next
