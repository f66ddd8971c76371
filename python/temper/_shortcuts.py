"""What the commands of the program do, as functions: compile a formula and ask it one thing."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from ._certificate import Certificate
from ._check import CheckResult
from ._explain import Explanation
from ._formula import Formula
from ._gaps import Gaps
from ._letters import String, Strings
from ._limits import Limits
from ._model import Model, compile
from ._types import NumberType
from .logic import Expression

__all__ = ["certify", "check", "explain", "gaps", "limits", "run"]

Compilable = Union[str, Expression, Formula, Model]


def _model(formula: Optional[Compilable], options: Any) -> Model:
    """What is asked: a model as it is, or one that is compiled now."""
    if isinstance(formula, Model):
        if options:
            raise TypeError(f"a Model is compiled already: {', '.join(options)} cannot be given")
        return formula
    return compile(formula, **options)


def run(formula: Optional[Compilable], strings: Union[String, Strings], *, type: NumberType = "f64", hard: bool = False,
        unchecked: bool = False, threads: int = 0, **options: Any) -> Any:
    """The transformer's answers: temper.run("H(b -> O a)", ["caab", "cba"], alphabet="abc").

    type, hard, unchecked and threads as in Model.run, other options as in temper.compile. Who asks more than once compiles once:
    temper.compile(...).run(...)."""
    return _model(formula, options).run(strings, type=type, hard=hard, unchecked=unchecked, threads=threads)


def explain(formula: Optional[Compilable] = None, **options: Any) -> Explanation:
    """Where each subformula is and what each head does: print(temper.explain("a S b")). Options as in temper.compile."""
    return _model(formula, options).explain()


def check(formula: Optional[Compilable] = None, against: "Union[None, str, Expression, Formula, Model]" = None, *,
          exhaustive: Optional[int] = None, random: int = 1000, length: Optional[int] = None, seed: int = 1, threads: int = 0,
          **options: Any) -> CheckResult:
    """The transformer compared with its formula, or with another one: temper.check("a S b"). Options as in Model.check and
    temper.compile."""
    return _model(formula, options).check(against, exhaustive=exhaustive, random=random, length=length, seed=seed, threads=threads)


def certify(formula: Optional[Compilable] = None, length: Optional[int] = None, type: NumberType = "f64", *, search: bool = True,
            threads: int = 0, **options: Any) -> Certificate:
    """A proof of the transformer's answers: temper.certify("a S b", 84, "bf16/f32", alphabet="abc"). Options as in Model.certify and
    temper.compile."""
    return _model(formula, options).certify(length, type, search=search, threads=threads)


def limits(formula: Optional[Compilable] = None, types: "Union[None, NumberType, Sequence[NumberType]]" = None, *, length: int = 0,
           effort: float = 1.0, seed: int = 1, threads: int = 0, **options: Any) -> Limits:
    """Where number formats stop: temper.limits("a S b", ["f16", "bf16/f32"], alphabet="abc"). Options as in Model.limits and
    temper.compile."""
    return _model(formula, options).limits(types, length=length, effort=effort, seed=seed, threads=threads)


def gaps(formula: Optional[Compilable] = None, strings: Strings = (), *, random: int = 200, length: int = 32,
         exhaustive: Optional[int] = None, proved: Optional[int] = None, seed: int = 1, **options: Any) -> Gaps:
    """How far apart scores are: temper.gaps("a S b"). Options as in Model.gaps and temper.compile."""
    return _model(formula, options).gaps(strings, random=random, length=length, exhaustive=exhaustive, proved=proved, seed=seed)
