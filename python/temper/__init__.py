"""temper: compile a specification of a language of strings into a softmax transformer that gives exactly its answers.

    >>> import temper
    >>> model = temper.compile("H(b -> O a)", alphabet="abc")
    >>> model.run(["caab", "cab", "cba"])
    array([ True,  True, False])

    compile, load, import_model, gallery.model   make a Model
    Model.run, truth, stream                     its answers
    Model.inspect                                one run with all that it says: the verdict and its proof
    Model.next, sample, likelihood, write        language models and transducers
    Model.attention, explain, draw               what is inside
    Model.check, certify; audit                  comparisons and proofs
    Model.limits, gaps                           where number formats stop, how far apart scores are
    Model.save, export, to_torch                 for elsewhere
    parse, eval                                  formulas and their own answers
    Formula.automaton, difference                all strings at once
    Formula.export, certify, limits              an ordinary GPT-2 or Llama

Errors are TemperError and its subclasses. doc/python.md is the guide, tutorial.py a tour.
"""
from . import gallery
from ._library import METHODS as methods
from ._library import TYPES as types
from ._library import library_path, library_version
from .attention import Attention
from .automaton import Automaton, Place
from .certificate import Certificate, CertifiedHead, audit
from .check import CheckResult
from .errors import (AuditError, FileError, FormatError, LimitError, MissingFunctionError, OutOfMemoryError, RangeError,
                     SpecSyntaxError, TemperError, UnsupportedError)
from .explain import Channel, Explanation, Head, Part
from .formula import Formula, eval, parse
from .gaps import Gap, Gaps, HeadTie, SoftenLimit
from .limits import Limit, Limits
from .memory import limit_memory, limit_work
from .model import Info, Model, Proof, compile, import_model, load
from .run import Run
from .sequences import Likelihood, Next
from .stock import Stock, StockLimit, StockProof
from .stream import Stream

__version__ = library_version

__all__ = ["Attention", "AuditError", "Automaton", "Certificate", "CertifiedHead", "Channel", "CheckResult", "Explanation", "FileError",
           "FormatError", "Formula", "Gap", "Gaps", "Head", "HeadTie", "Info", "Likelihood", "Limit", "LimitError", "Limits",
           "MissingFunctionError", "Model", "Next", "Proof", "OutOfMemoryError", "Part", "Place", "RangeError", "Run", "SoftenLimit", "SpecSyntaxError",
           "Stock", "StockLimit", "StockProof", "Stream", "TemperError", "UnsupportedError", "audit", "compile", "eval", "gallery", "import_model", "library_path",
           "library_version", "limit_memory", "limit_work", "load", "methods", "parse", "types"]
