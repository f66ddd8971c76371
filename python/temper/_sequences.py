"""Language models: what comes next, strings out of them, and how likely a string is."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import _html, errors
from ._letters import Batch
from ._library import call, count_of, ffi, function, lib, make, number_of

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Next", "Likelihood"]

_SAMPLING = ("letters", "strings", "weights")


@dataclass(frozen=True, repr=False)
class Next(_html.Facts):
    """What may come after a prefix.

    legal          the letters with which some string of the language goes on
    end            whether the string may end
    proved         whether the answer is within the proved length
    probabilities  of each letter, and of the end, which is called ""; None: the model has none
    logit_error    how far the logarithm of each is at most from what the specification says; infinity: nothing is proved
    """

    legal: Tuple[str, ...]
    end: bool
    proved: bool
    probabilities: Optional[Dict[str, float]]
    logit_error: float = float("inf")


@dataclass(frozen=True, repr=False)
class Likelihood(_html.Facts):
    """The natural logarithm of a string's probability, its end included, how far it may be off, and whether that is proved.

    error is infinite where nothing is proved of the model's logits."""

    log_probability: float
    error: float
    proved: bool


def next_after(model: "Model", run: Any, n: int) -> Next:
    """Of a run of n letters: what its outputs say after the last."""
    holds = [bool(function("temper_run_output")(run, k)[n]) for k in range(len(model.outputs))]
    logits = [function("temper_run_logits")(run, k) for k in range(len(model.outputs))]
    chances = None
    if all(row != ffi.NULL for row in logits):
        chances = {name: float(lib.temper_probability(row[n])) for name, row in zip(model.outputs, logits)}
    legal = tuple(name for name, is_legal in zip(model.outputs, holds) if name and is_legal)
    about = function("temper_run_about")(run)
    return Next(legal, holds[-1], bool(about.proved), chances, float(function("temper_model_logit_error")(model._handle, about.type)))


def draw_strings(model: "Model", count: int, by: str, length: Optional[int], seed: int, tries: int,
                 options: Any) -> List[str]:
    """`count` strings of the model, letters joined as its strings are written."""
    if length == 0 and by != "strings":
        raise errors.RangeError('strings of at most 0 letters are not drawn letter by letter; by="strings" draws the empty string')
    asked = ffi.new("temper_sample_options *", {"by": number_of(by, _SAMPLING, "by"), "length": count_of(length or 0, "length"),
                                                "seed": count_of(seed, "seed"), "run": options[0], "tries": count_of(tries, "tries")})
    sampler = make("sampler", "temper_sampler_open", model._handle, asked)
    joint = " " if model.info.tokens else ""
    strings = []
    for _ in range(count_of(count, "count")):
        letters, n = ffi.new("uint32_t **"), ffi.new("size_t *")
        call("temper_sampler_draw", letters, n, ffi.NULL, sampler)
        strings.append(joint.join(model.letters[letters[0][k]] for k in range(n[0])))
        lib.temper_free(letters[0])
    return strings


def likelihood_of(model: "Model", batch: Batch, options: Any) -> Likelihood:
    """Of one string."""
    out = ffi.new("temper_likelihood *")
    call("temper_model_likelihood", out, model._handle, *batch.one(0), options)
    return Likelihood(out.log_probability, out.error, bool(out.proved))
