"""temper: compile a specification of a language of strings into a softmax transformer that gives exactly its answers.

    >>> import temper
    >>> model = temper.compile("H(b -> O a)", alphabet="abc")
    >>> model.run(["caab", "cab", "cba"])
    array([ True,  True, False])

    compile, load, import_model, gallery.model   make a Model
    run, check, certify, limits, gaps, explain   the same in one call: temper.run("a S b", ["ba", "ab"])
    Model.run, truth, stream                     its answers
    Model.inspect                                one run with all that it says: the verdict and its proof
    Model.next, sample, likelihood, write        language models and transducers
    Model.attention, explain, draw, weights      what is inside
    Model.check, certify; audit                  comparisons and proofs
    Model.limits, gaps                           where number formats stop, how far apart scores are
    Model.save, export, to_torch                 for elsewhere
    parse, eval; logic                           formulas and their own answers; formulas by Python's operators
    Formula.automaton, difference                all strings at once
    Formula.export, certify, limits              an ordinary GPT-2 or Llama
    testing.assert_equivalent                    a program of yours against a specification

Errors are TemperError and its subclasses. doc/python.md is the guide, tutorial.py a tour.
"""
import warnings
from typing import Any, List

from . import errors, gallery, logic, testing
from ._attention import Attention
from ._automaton import Automaton, Place
from ._certificate import Certificate, CertifiedHead, audit
from ._check import CheckResult
from ._explain import Channel, Explanation, Head, Part
from ._formula import Formula, eval, parse
from ._gaps import Gap, Gaps, HeadTie, SoftenLimit
from ._library import METHODS as methods
from ._library import TYPES as types
from ._library import library_path, library_version
from ._limits import Limit, Limits
from ._memory import limit_memory, limit_work
from ._model import Info, Model, Proof, compile, import_model, load
from ._names import warn_of_other_package
from ._ordinary import Ordinary, OrdinaryLimit, OrdinaryProof
from ._run import Run
from ._sequences import Likelihood, Next
from ._shortcuts import certify, check, explain, gaps, limits, run
from ._stream import Stream
from .errors import (AuditError, FileError, FormatError, LimitError, MissingFunctionError, MissingPackageError, OutOfMemoryError,
                     RangeError, SpecSyntaxError, TemperError, UnsupportedError)

__version__ = library_version
warn_of_other_package(__file__)
del warn_of_other_package

__all__ = ["Attention", "AuditError", "Automaton", "Certificate", "CertifiedHead", "Channel", "CheckResult", "Explanation", "FileError",
           "FormatError", "Formula", "Gap", "Gaps", "Head", "HeadTie", "Info", "Likelihood", "Limit", "LimitError", "Limits",
           "MissingFunctionError", "MissingPackageError", "Model", "Next", "Ordinary", "OrdinaryLimit", "OrdinaryProof", "OutOfMemoryError",
           "Part", "Place", "Proof", "RangeError", "Run", "SoftenLimit", "SpecSyntaxError", "Stream", "TemperError", "UnsupportedError",
           "audit", "certify", "check", "compile", "errors", "eval", "explain", "gallery", "gaps", "import_model", "library_path",
           "library_version", "limit_memory", "limit_work", "limits", "load", "logic", "methods", "parse", "run", "testing", "types"]

# Classes and functions are known by the names that people use: in help, in messages, and in pickles, which outlive files of this package.
for _name in __all__:
    if getattr(globals()[_name], "__module__", "").startswith("temper._"):
        globals()[_name].__module__ = "temper"
del _name


def __dir__() -> List[str]:
    return sorted([*__all__, "__version__", "__doc__", "__file__", "__name__", "__path__"])


_FORMER = {"Stock": "Ordinary", "StockLimit": "OrdinaryLimit", "StockProof": "OrdinaryProof"}


def __getattr__(name: str) -> Any:
    """Names of before, for one release."""
    if name not in _FORMER:
        raise AttributeError(f"module 'temper' has no attribute '{name}'")
    warnings.warn(f"temper.{name} is now temper.{_FORMER[name]}", DeprecationWarning, stacklevel=2)
    return globals()[_FORMER[name]]
