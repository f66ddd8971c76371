"""Automata: the minimal deterministic automaton of a formula, and where its language sits."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

from . import _html
from ._library import call, ffi, lib, text

if TYPE_CHECKING:
    from ._formula import Formula

__all__ = ["Automaton", "Place"]

_FORMATS = {"table": 0, "json": 1, "dot": 2}


class Place(NamedTuple):
    """Whether a language is in a class: holds is None where that would take too much work."""
    holds: Optional[bool]
    because: str


class Automaton:
    """The minimal automaton of a formula: formula.automaton().

    states    how many there are, numbered from 0, the start
    letters   the alphabet
    accepts   whether each state accepts
    dead      the state from which nothing is accepted, or None
    language  a Place for each class, from "finite" to "solvable"
    """

    def __init__(self, handle: Any, formula: "Formula") -> None:
        """Use Formula.automaton."""
        self._handle, self._formula = handle, formula
        about = json.loads(self._print("json"))
        self.states: int = about["states"]
        self.letters: Tuple[str, ...] = tuple(about["letters"])
        self.accepts: Tuple[bool, ...] = tuple(about["accepts"])
        self.dead: Optional[int] = about["dead"]
        self.language: Dict[str, Place] = {name: Place(p["holds"], p["because"]) for name, p in about["language"].items()}
        self._class_of: List[int] = about["class_of"]
        self._next: List[List[int]] = about["next"]
        self._number = {letter: k for k, letter in enumerate(self.letters)}

    def next(self, state: int, letter: str) -> int:
        """Where a letter leads."""
        return self._next[state][self._class_of[self._number[letter]]]

    def _hand_over(self, out: Any) -> str:
        try:
            return text(out[0])
        finally:
            lib.temper_free(out[0])

    def _print(self, form: str) -> str:
        out = ffi.new("char **")
        call("temper_automaton_print", out, self._handle, _FORMATS[form])
        return self._hand_over(out)

    def __str__(self) -> str:
        """The table, which temper.parse(..., syntax="dfa") reads again."""
        return self._print("table")

    def __reduce__(self) -> Tuple[Any, ...]:
        return _again, (self._formula,)

    def _repr_html_(self) -> str:
        return _html.card(_html.heading("Automaton", f"{self.states} states"), _html.picture(self.svg()))

    def __repr__(self) -> str:
        return f"<temper.Automaton of {self.states} states>"

    def dot(self) -> str:
        """For Graphviz."""
        return self._print("dot")

    def svg(self) -> str:
        """A picture; at most 100 states."""
        out = ffi.new("char **")
        call("temper_draw_automaton", out, self._handle)
        return self._hand_over(out)


def _again(formula: "Formula") -> Automaton:
    """An automaton that was pickled is made of its formula again."""
    return formula.automaton()
