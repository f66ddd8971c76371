"""Transformers: compiled from formulas, read from files, run, looked at, proved, exported."""
from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from . import _html, errors
from ._attention import Attention, attention_of
from ._certificate import Certificate
from ._check import CheckResult, check_formula, check_model, exhaustive_default
from ._explain import Explanation, explain
from ._formula import KINDS, SYNTAXES, Formula, Letters, PathLike, parse
from ._gaps import Gaps, SoftenLimit, find_gaps, find_soften_limit
from ._letters import Alphabet, ArrayLike, Batch, String, Strings
from ._library import (METHODS, TYPES, Progress, Watcher, call, count_of, encode, ffi, function, lib, make, number_of,
                       path_bytes, read_bytes, take, text)
from ._limits import Limits, find_limits
from ._optional import png
from ._run import Run
from ._sequences import Likelihood, Next, draw_strings, likelihood_of, next_after
from ._shown import counted, shortened
from ._stream import Stream
from ._types import At, Empty, GapKind, Kind, Method, NumberType, Output, Picture, Sampling, Syntax, type_name, type_number
from ._weights import weights_of
from .logic import Expression

__all__ = ["Model", "Info", "compile", "load", "import_model"]

_AT = ("", "first", "last")
_OUTPUTS = {"patterns": "TEMPER_EXPORT_PATTERNS", "channels": "TEMPER_EXPORT_CHANNELS", "heads": "TEMPER_EXPORT_HEADS"}


@dataclass(frozen=True, repr=False)
class Info(_html.Facts):
    """The facts of a model. What is proved of it is Model.proof."""

    method: str
    source: str
    syntax: str
    at: str
    tokens: bool
    accepts_empty: bool
    has_end: bool
    letters: int
    channels: int
    layers: int
    heads: int
    hidden: int
    parameters: int
    verdict_only: bool
    output_error: float
    output_margin: float
    digits: str  # method "digits": the number format that it is for, else ""
    whole: bool  # its language is read from the right: it answers for whole strings only
    kind: str  # "acceptor", "next" or "transducer"
    outputs: int  # 1 for an acceptor


@dataclass(frozen=True, repr=False)
class Proof(_html.Facts):
    """What is proved of a model's answers in a number format.

    length          all strings of up to so many letters; None: no length is proved, not even 0
    claim           "formula": they are those of the specification that the model carries; "hard choices": those of the model's own
                    hard choices; "formula if viable is right": a language model whose specification has a line `viable`,
                    which is not proved; "none"
    every_position  False: the verdict is proved, not the truth at other positions
    obstacle        what stands in the way of a longer one
    """

    type: str
    length: Optional[int]
    claim: str
    every_position: bool
    obstacle: str


def _info(handle: Any) -> Info:
    out = lib.temper_model_about(handle)
    return Info(METHODS[out.method], text(out.source), SYNTAXES[out.syntax], _AT[out.at], bool(out.tokens),
                bool(out.accepts_empty), bool(out.has_end), out.letters, out.channels, out.layers, out.heads, out.hidden,
                out.parameters, bool(out.verdict_only),
                out.output_error, out.output_margin,
                TYPES[out.digits] if METHODS[out.method] == "digits" else "", bool(out.whole), KINDS[out.kind], out.outputs)


class Model:
    """A transformer, hard or soft. It never changes, and threads may share it.

    info      its facts: sizes, method, proved length (an Info)
    letters   its alphabet
    other     the letter that unknown ones are read as, or None
    formula   the specification it was compiled from, or ""
    outputs   what each output stands for: of a transducer the text that is written, of a language model the letter that may come,
              "" for the end; an acceptor has one output, ""
    """

    def __init__(self, handle: Any, path: Optional[str] = None) -> None:
        """Use temper.compile, temper.load or temper.gallery.model."""
        self._handle, self._path = handle, path
        self.info = _info(handle)
        self.letters: Tuple[str, ...] = tuple(text(lib.temper_model_letter(handle, k)) for k in range(self.info.letters))
        self.outputs: Tuple[str, ...] = tuple(text(lib.temper_model_output_name(handle, k)) for k in range(self.info.outputs))
        self.formula = self.info.source
        number = lib.temper_model_about(handle).other
        self.other: Optional[str] = self.letters[number] if number < len(self.letters) else None
        self._alphabet = Alphabet(self.letters, self.info.tokens, number, "temper_model_encode", handle)

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (take("temper_model_print", self._handle), self._path)

    def __repr__(self) -> str:
        what = f"{shortened(self.formula, 100)!r}, " if self.formula else ""
        return (f"<temper.Model {what}{self.info.method}: {counted(self.info.layers, 'layer')}, "
                f"{counted(self.info.heads, 'head')}, {counted(self.info.channels, 'channel')}>")

    # ---- answers ----

    @overload
    def run(self, strings: "Union[str, Sequence[int]]", *, type: NumberType = "f64", hard: bool = False,  # type: ignore[misc]
            unchecked: bool = False, threads: int = 0) -> bool: ...  # a text is not many strings, though a Sequence[str]

    @overload
    def run(self, strings: Sequence[String], *, type: NumberType = "f64", hard: bool = False, unchecked: bool = False,
            threads: int = 0) -> "npt.NDArray[np.bool_]": ...

    @overload
    def run(self, strings: "Union[npt.NDArray[Any], ArrayLike]", *, type: NumberType = "f64", hard: bool = False,
            unchecked: bool = False, threads: int = 0) -> Any: ...

    def run(self, strings: "Union[String, Strings]", *, type: NumberType = "f64", hard: bool = False, unchecked: bool = False,
            threads: int = 0) -> Any:
        """The transformer's answers: a bool for one string, an array of bool for many strings.

        One string is a text, or letter numbers: a list, an array or a tensor of one dimension. Many are a list of texts, of lists
        of letters or of arrays; or an array or a tensor of two dimensions, many strings of one length.

        type       number format: "f64", "f32", "exact", or a short one such as "bf16/f32"; "bf16/f32@tile128": in the order of
                   fused kernels. Also "bfloat16", "half", ..., a dtype of numpy or PyTorch, or a pair: stored, summed
        hard       use each head's hard choice
        unchecked  also strings longer than the proved length, which LimitError otherwise refuses
        threads    0: one for each core. No answer depends on it
        """
        batch, is_one = self._alphabet.batch(strings)
        number = type_number(type)
        if number >= lib.TEMPER_TYPE_BF16_F32:
            answers = np.fromiter((bool(lib.temper_run_about(self._run(batch, k, type, hard, unchecked, False)).accept)
                                   for k in range(batch.count)), np.bool_, batch.count)
        else:
            answers = self._run_many(batch, number, type, hard, unchecked, threads)
        return bool(answers[0]) if is_one else answers

    def truth(self, string: String, *, type: NumberType = "f64", hard: bool = False,
              unchecked: bool = False) -> "npt.NDArray[np.bool_]":
        """The transformer's answer at every position of one string. UnsupportedError: it answers for whole strings only (whole=True)."""
        batch = self._alphabet.one(string)
        run = self._run(batch, 0, type, hard, unchecked, False, positions=True)
        n = int(batch.lengths[0])
        if n == 0:
            return np.zeros(0, np.bool_)
        return np.frombuffer(ffi.buffer(function("temper_run_about")(run).truth + 1, n), np.bool_).copy()

    def inspect(self, string: String, *, type: NumberType = "f64", hard: bool = False, unchecked: bool = False) -> Run:
        """One run with all that it says: the verdict, the truth at each position, beside the formula's, and what is proved.
        UnsupportedError: the model answers for whole strings only (whole=True); Model.run gives the verdict."""
        batch = self._alphabet.one(string)
        return Run(self, self._run(batch, 0, type, hard, unchecked, False, positions=True), batch, type_name(type), hard)

    def output_truth(self, string: String, *, type: NumberType = "f64", hard: bool = False,
                     unchecked: bool = False) -> "npt.NDArray[np.bool_]":
        """Whether each output holds at each position of one string: an array [output, n + 1], whose first column is before the
        first letter. The outputs are in the order of `outputs`."""
        batch = self._alphabet.one(string)
        run = self._run(batch, 0, type, hard, unchecked, False, positions=True)
        n = int(batch.lengths[0])
        rows = [np.frombuffer(ffi.buffer(function("temper_run_output")(run, k), n + 1), np.bool_) for k in range(self.info.outputs)]
        return np.array(rows)

    def write(self, string: String, *, type: NumberType = "f64", hard: bool = False, unchecked: bool = False) -> str:
        """What a transducer writes for one string. RangeError: at some position no output holds, or several do."""
        run = self._run(self._alphabet.one(string), 0, type, hard, unchecked, False)
        return take("temper_run_write", run, self._handle).decode("utf-8", "surrogateescape")

    def next(self, prefix: String, *, type: NumberType = "f64", hard: bool = False, unchecked: bool = False) -> Next:
        """What may come after a prefix, of a language model: the legal letters, whether the string may end, and probabilities."""
        self._need_next()
        batch = self._alphabet.one(prefix)
        return next_after(self, self._run(batch, 0, type, hard, unchecked, False), int(batch.lengths[0]))

    def sample(self, count: int = 1, *, by: Sampling = "letters", length: Optional[int] = None, seed: int = 0, tries: int = 1000,
               type: NumberType = "f64", hard: bool = False, unchecked: bool = False) -> List[str]:
        """Strings out of a language model; the same seed gives the same ones.

        by      "letters": at each step one of the legal letters, or the end, equally likely; "strings": all strings of `length` letters
                are equally likely, by exact counting; "weights": as the model's probabilities say
        length  at most so many letters (100), or by strings exactly so many; a string that has not ended by then is dropped,
                and another one is drawn
        tries   so many may be dropped in a row before LimitError
        """
        self._need_next()
        return draw_strings(self, count, by, length, seed, tries, self._options(type, hard, unchecked))

    def likelihood(self, string: String, *, type: NumberType = "f64", unchecked: bool = False) -> Likelihood:
        """How likely a string is by a language model with probabilities, with a bound of the error."""
        return likelihood_of(self, self._alphabet.one(string), self._options(type, False, unchecked))

    def _need_next(self) -> None:
        if self.info.kind != "next":
            raise errors.UnsupportedError("the model is no language model; temper.compile(..., kind=\"next\") makes one")

    def _options(self, type: NumberType, hard: bool, unchecked: bool, capture: bool = False, threads: int = 0,
                 positions: bool = False) -> Any:
        return ffi.new("temper_run_options *", {"hard": hard, "unchecked": unchecked, "capture": capture,
                                                "type": type_number(type),
                                                "threads": count_of(threads, "threads"), "positions": positions})

    def _run(self, batch: Batch, k: int, type: NumberType, hard: bool, unchecked: bool, capture: bool,
             positions: bool = False) -> Any:
        options = self._options(type, hard, unchecked, capture, positions=positions)
        return make("run", "temper_model_run", self._handle, *batch.one(k), options)

    def _run_many(self, batch: Batch, number: int, type: NumberType, hard: bool, unchecked: bool,
                  threads: int) -> "npt.NDArray[np.bool_]":
        out = np.zeros(batch.count, np.uint8)
        call("temper_model_run_many", ffi.cast("unsigned char *", out.__array_interface__["data"][0]), self._handle,
             batch.letters, batch.sizes, batch.count, self._options(type, hard, unchecked, threads=threads))
        refused = np.flatnonzero(out == 2)
        if len(refused):
            self._run(batch, int(refused[0]), type, hard, unchecked, False)  # raises what is wrong with that string
            raise errors.LimitError(f"string {int(refused[0]) + 1} was refused")
        return out.astype(np.bool_)

    def stream(self, *, type: NumberType = "f64", hard: bool = False, unchecked: bool = False) -> Stream:
        """The model fed one letter at a time in constant memory, for models that look back only."""
        handle = make("stream", "temper_stream_open", self._handle, self._options(type, hard, unchecked))
        return Stream(handle, self, self._alphabet)

    # ---- looking inside ----

    def attention(self, string: String, *, type: NumberType = "f64", hard: bool = False, unchecked: bool = False) -> Attention:
        """What every head looks at: result[layer] is an array [head, query, key] of weights, positions with sentinels."""
        batch = self._alphabet.one(string)
        return attention_of(self, self._run(batch, 0, type, hard, unchecked, True), batch, type_name(type), hard)

    def explain(self) -> Explanation:
        """Where each subformula is and what each head does; print it, or use its lists."""
        return explain(self)

    def weights(self) -> "Dict[str, npt.NDArray[np.float64]]":
        """All weights, by TransformerLens's names: embed.W_E [letter or sentinel, channel], blocks.0.attn.W_Q [head, channel, component],
        W_K, W_V, W_O; blocks.0.mlp.W_in, b_in, W_out; unembed.W_U. They are copies.

        Heads of a model are padded to the widest; a layer without heads or units has no such arrays. Positions have no weights: what
        they add is an expression of the position, explain().channels[k].position. Scales and masks are in explain().heads."""
        return weights_of(self)

    @overload
    def draw(self, string: String, format: Literal["png"], *, type: NumberType = "f64", hard: bool = False, layer: int = 0, head: int = 0,
             width: int = 80, scale: float = 2.0, unchecked: bool = False) -> bytes: ...

    @overload
    def draw(self, string: String, format: Literal["text", "svg", "html", "part"] = "text", *, type: NumberType = "f64", hard: bool = False,
             layer: int = 0, head: int = 0, width: int = 80, scale: float = 2.0, unchecked: bool = False) -> str: ...

    def draw(self, string: String, format: Picture = "text", *, type: NumberType = "f64", hard: bool = False, layer: int = 0, head: int = 0,
             width: int = 80, scale: float = 2.0, unchecked: bool = False) -> Union[str, bytes]:
        """A picture of the attention: "text" for a terminal, "svg", "html", a page that needs no network, "part", one element
        for a page of others, as notebooks show it, or "png", bytes, which needs cairosvg.

        layer and head, from 1, choose a panel; 0 is all. width is that of a terminal, scale the pixels of a png for each of the svg.
        """
        if format == "png":
            return png(self.draw(string, "svg", type=type, hard=hard, layer=layer, head=head, unchecked=unchecked), scale)
        name = {"text": "temper_draw_terminal", "svg": "temper_draw_svg", "html": "temper_draw_html",
                "part": "temper_draw_html"}.get(format)
        if name is None:
            raise errors.RangeError(f"format {format!r} is not one of text, svg, html, part, png")
        batch = self._alphabet.one(string)
        if format != "text":  # what would not be drawn is not run
            call("temper_draw_svg_fits" if format == "svg" else "temper_draw_html_fits", self._handle, batch.one(0)[1])
        run = self._run(batch, 0, type, hard, unchecked, True)
        options = ffi.new("temper_draw_options *", {"layer": count_of(layer, "layer"), "head": count_of(head, "head"),
                                                    "width": count_of(width, "width"), "part": format == "part"})
        beside = run if hard else self._hard_run(batch) if format != "text" else None
        if beside is not None:
            options.hard = beside
        out = ffi.new("char **")
        call(name, out, self._handle, run, batch.one(0)[0], options)
        try:
            return _html.own_style(text(out[0])) if format == "part" else text(out[0])
        finally:
            lib.temper_free(out[0])

    def _hard_run(self, batch: Batch) -> Any:
        """A captured run with hard choices, or None where the model has none."""
        try:
            return self._run(batch, 0, "f64", True, True, True)
        except errors.UnsupportedError:
            return None

    # ---- proofs and comparisons ----

    def certify(self, length: Optional[int] = None, type: NumberType = "f64", *, search: bool = True,
                file: Optional[PathLike] = None, threads: int = 0, progress: Optional[Progress] = None) -> Certificate:
        """Tries to prove the answers for every string up to a length, run in a number format.

        length    without it, the longest that can be proved (0 if none can)
        search    where there is no proof, look for a string with a wrong answer
        file      the claim is about the bytes of this file, which must hold this model; else those of the file that the model
                  was loaded from, or the text form, which is what save writes
        threads   for facts about hard choices; 0: one for each core. No result depends on it
        progress  called with (done, total); returning True stops
        """
        if length is None:
            length = self.proved_length(type) or 0
        options = ffi.new("temper_certify_options *", {"length": count_of(length, "length"), "type": type_number(type),
                                                       "search": search, "threads": count_of(threads, "threads")})
        watcher = Watcher(progress)
        options.progress = watcher.callback
        data = self._file_bytes(file) if file is not None or self._path is not None else None
        try:
            handle = make("certificate", "temper_certify", self._handle, data if data is not None else ffi.NULL,
                          len(data) if data is not None else 0, options)
        except errors.LimitError:
            watcher.raise_error()
            raise
        return Certificate(handle, self, length, type_name(type), data)

    def proof(self, type: NumberType = "f64", hard: bool = False) -> Proof:
        """What is proved of the answers to all strings in a number format: the claim, and up to which length."""
        out = ffi.new("temper_proof *")
        call("temper_model_proof", out, self._handle, type_number(type), hard)
        proved = out.claim != 0
        return Proof(type_name(type), int(out.length) if proved else None, text(lib.temper_claim_name(out.claim)),
                     bool(out.every_position), text(out.obstacle))

    def proved_length(self, type: NumberType = "f64", hard: bool = False) -> Optional[int]:
        """The proved length in a number format; None: no length is proved, not even 0."""
        return self.proof(type, hard).length

    def limits(self, types: "Union[None, NumberType, Sequence[NumberType]]" = None, *, length: int = 0, effort: float = 1.0, seed: int = 1,
               threads: int = 0, progress: Optional[Progress] = None) -> Limits:
        """For each number format the length up to which all strings are certified, and a search for wrong answers.

        types     by default all but "exact", without tiles
        length    no string is longer; 0: 2^24 letters
        effort    1 is about two seconds a format
        progress  called with (done, total); returning True stops
        """
        return find_limits(self, types, length, effort, seed, threads, progress)

    def gaps(self, strings: Strings = (), *, random: int = 200, length: int = 32, exhaustive: Optional[int] = None,
             proved: Optional[int] = None, seed: int = 1, progress: Optional[Progress] = None) -> Gaps:
        """How far apart the scores of each head are, and which of them tie, with hard choices in exact arithmetic.

        strings     measured on these, ...
        random      ... and on this many random ones up to `length`
        exhaustive  all strings up to this length; by default 6, less for large alphabets
        proved      lower bounds for every string up to this length; by default `length`
        """
        if exhaustive is None:
            exhaustive = exhaustive_default(len(self.letters))
        return find_gaps(self, strings, random, length, exhaustive, length if proved is None else proved, seed, progress)

    def check(self, against: "Union[None, str, Expression, Formula, Model]" = None, *, exhaustive: Optional[int] = None,
              random: int = 1000, length: Optional[int] = None, seed: int = 1, threads: int = 0,
              progress: Optional[Progress] = None) -> CheckResult:
        """Compares this model on all short strings and on random ones; the result is true in an `if` when all agreed.

        against     a formula, or another model over the same alphabet; by default the formula the model was compiled from
        exhaustive  all strings up to this length; by default 6, less where letters fall into many classes
        random      this many random strings up to `length` (200, or the proved length), from the seed
        progress    called with (done, total); returning True stops

        With a formula, the formula, the hard run and the soft run are compared at every position; with a model, the two verdicts.
        """
        if isinstance(against, Model):
            return check_model(self, against, exhaustive, random, length, seed, threads, progress)
        if against is None:
            formula: Optional[Formula] = self._own_formula()
        elif isinstance(against, (str, Expression)):
            formula = parse(against, alphabet=self.letters or None, tokens=self.info.tokens)
        else:
            formula = against
        return check_formula(self, formula, exhaustive, random, length, seed, threads, progress)

    def _own_formula(self) -> Optional[Formula]:
        if not self.formula:
            if self.info.method == "hard":
                raise errors.RangeError("the model carries no specification; give a formula to compare it with")
            return None
        source = encode(self.formula)
        return Formula(make("spec", "temper_model_spec", self._handle, where="formula", source=source), source, "formula")

    # ---- other models ----

    def soften(self, method: Method = "temperature", *, digits: NumberType = "bf16", length: Optional[int] = None,
               gap: GapKind = "proved", gap_value: float = 0.0, adaptive: bool = False, threads: int = 0,
               progress: Optional[Progress] = None) -> "Model":
        """The soft model of a hard one.

        Without a length: models that come from a formula, for every length up to the safe one; with the method "digits", numbers
        that are stored in the format `digits`. With a length: any hard model,
        right on all strings up to it; `gap` is "proved", "exhaustive" or "given" (then gap_value, and nothing is proved).
        Proved gaps are found in `threads`, 0 being one for each core; no result depends on it.
        """
        options = ffi.new("temper_soften_options *", {"method": number_of(method, METHODS, "method")})
        if length is None:
            if method == "digits":
                options.digits = _storage(digits)
            return Model(make("model", "temper_soften", ffi.NULL, self._handle, options))
        options.length = count_of(length, "length")
        options.gap = number_of(gap, ("proved", "exhaustive", "given"), "gap")
        options.gap_value = gap_value
        options.adaptive = adaptive
        options.threads = count_of(threads, "threads")
        watcher = Watcher(progress)
        options.progress = watcher.callback
        try:
            return Model(make("model", "temper_soften", ffi.NULL, self._handle, options))
        except errors.LimitError:
            watcher.raise_error()
            raise

    def soften_limit(self, length: int = 32, *, progress: Optional[Progress] = None) -> SoftenLimit:
        """How far a hard model can be softened, up to a length, and what stands in the way of more."""
        return find_soften_limit(self, length, progress)

    def with_scale(self, scale: "Union[str, Mapping[Tuple[int, int], str]]") -> "Model":
        """A copy with other softmax scales, to see what a wrong temperature does ([scale.md](scale.md)).

        scale  for all heads: an expression of N, n and i such as "8*N", or a factor of the scale that a head has such as
               "0.2x"; or a dictionary {(layer, head): scale}, counted from 1. Nothing is proved of the copy.
        """
        given = {(0, 0): scale} if isinstance(scale, str) else dict(scale)
        scales = ffi.new("temper_scale[]", len(given))
        kept = [ffi.new("char[]", encode(expression)) for expression in given.values()]
        for k, (layer, head) in enumerate(given):
            scales[k].layer, scales[k].head = count_of(layer, "layer"), count_of(head, "head")
            scales[k].scale = kept[k]
        return Model(make("model", "temper_model_with_scale", self._handle, scales, len(given)))

    def with_other(self, other: Optional[str]) -> "Model":
        """A copy that reads letters which are not in the alphabet as the letter `other`, or refuses them (None). What is proved of the
        model is proved of the copy."""
        return Model(make("model", "temper_model_with_other", self._handle, ffi.NULL if other is None else encode(other)))

    # ---- files ----

    @property
    def text(self) -> str:
        """The text form (doc/model.md)."""
        return take("temper_model_print", self._handle).decode("utf-8", "surrogateescape")

    def save(self, path: PathLike) -> None:
        """Writes the model: a path that ends in .safetensors gets safetensors, any other text."""
        call("temper_model_save", path_bytes(path), self._handle)

    @staticmethod
    def load(path: PathLike) -> "Model":
        """Reads a model file, text or safetensors. FormatError says what is wrong with it and where."""
        return load(path)

    def _file_bytes(self, file: Optional[PathLike]) -> bytes:
        """The bytes that a certificate of this model is about."""
        path = file if file is not None else self._path
        if path is None:
            return take("temper_model_print", self._handle)
        data = read_bytes(path)
        if _read(data, str(path)).text != self.text:
            raise errors.RangeError(f"{path} does not hold this model (it was changed, or is another one)")
        return data

    def export(self, folder: PathLike, *, type: NumberType = "f64", outputs: Sequence[Output] = (), unchecked: bool = False,
               certificate: "Union[None, Certificate, PathLike]" = None, seed: int = 1) -> None:
        """Writes a folder for PyTorch, Hugging Face, TransformerLens and ONNX runtimes; X.onnx: only the graph.

        type         of the ONNX graph, "f64" or "f32"
        outputs      further outputs of the graph: any of "patterns", "channels", "heads"
        unchecked    also models of which nothing is proved
        certificate  goes into the folder if it passes the audit: a Certificate or the path of one. It must be about the model as
                     temper writes it, as text or as safetensors
        seed         of the strings in testvectors.jsonl
        """
        flags = 0
        for name in outputs:
            number_of(name, tuple(_OUTPUTS), "output")
            flags |= getattr(lib, _OUTPUTS[name])
        graph_only = Path(folder).suffix == ".onnx"
        function("temper_export_onnx" if graph_only else "temper_export")
        options = ffi.new("temper_export_options *", {"type": type_number(type), "outputs": flags,
                                                      "unchecked": unchecked, "seed": count_of(seed, "seed")})
        if graph_only and certificate is not None:
            raise errors.RangeError(f"a certificate needs a folder, and {os.fspath(folder)!r} is a file")
        named = os.fspath(certificate) if isinstance(certificate, (str, os.PathLike)) else ""
        with tempfile.TemporaryDirectory() as room:
            if isinstance(certificate, Certificate):
                certificate.save(os.path.join(room, "certificate.json"))
                certificate = os.path.join(room, "certificate.json")
            if certificate is not None:
                kept = ffi.new("char[]", path_bytes(certificate))
                options.certificate = kept
            call("temper_export_onnx" if graph_only else "temper_export", path_bytes(folder), self._handle, options,
                 where=named)

    def to_torch(self, dtype: Any = None, device: Any = None, *, unchecked: bool = False) -> Any:
        """The model as a torch.nn.Module with named hook points (doc/export.md); torch.float64 unless a dtype is given, or a name of one."""
        from ._torch import to_torch
        return to_torch(self, dtype, device, unchecked)


def compile(formula: "Union[None, str, Expression, Formula]" = None, *, file: Optional[PathLike] = None,
            method: Method = "temperature", digits: NumberType = "bf16", alphabet: Optional[Letters] = None, tokens: Optional[bool] = None,
            syntax: Optional[Syntax] = None, at: Optional[At] = None, empty: Optional[Empty] = None,
            regex: Optional[str] = None, dfa: Optional[PathLike] = None, ascii: bool = False,
            whole: bool = False, kind: Optional[Kind] = None, other: Optional[str] = None) -> Model:
    """A formula to a transformer: temper.compile("H(b -> O a)", alphabet="abc").

    method  how softmax is made sharp: "temperature", "positions", or "digits", for numbers that are stored in the short format `digits`;
            "hard" for the hard-attention transformer
    whole   only answers for whole strings are wanted: a regular language may then be read from the right, where that takes fewer layers,
            and the truth at a position is about the rest of the string

    The other options are those of parse: file, alphabet, other, tokens, syntax, at, empty, kind, and regex, dfa, ascii:
    temper.compile(regex="[a-z]+", ascii=True).
    """
    number_of(method, METHODS, "method")
    if isinstance(formula, Formula):
        if ascii or any(option is not None for option in (file, alphabet, tokens, syntax, at, empty, regex, dfa, kind, other)):
            raise TypeError("a Formula has its options already")
        spec = formula
    else:
        spec = parse(formula, file=file, alphabet=alphabet, tokens=tokens, syntax=syntax, at=at, empty=empty,
                     regex=regex, dfa=dfa, ascii=ascii, kind=kind, other=other)
    options = ffi.new("temper_build_options *", {"method": number_of(method, METHODS, "method"), "whole": whole})
    if method == "digits":
        options.digits = _storage(digits)
    return Model(make("model", "temper_build", spec._handle, options, where=spec._where, source=spec._source))


def _storage(digits: NumberType) -> int:
    """The number of a type that digits can be for; "f64", which in the library means that none is given, is none."""
    return type_number(digits, "digits") or TYPES.index("exact")


def _read(data: bytes, where: str) -> Model:
    return Model(make("model", "temper_model_read", data, len(data), where=where, source=data))


def _restored(data: bytes, path: Optional[str]) -> Model:
    """A model that was pickled: the bytes of its text form. Certificates stay about the file that it was loaded from."""
    return Model(make("model", "temper_model_read", data, len(data), where="pickle", source=data), path)


def load(path: PathLike) -> Model:
    """Reads a model file, text or safetensors. FormatError says what is wrong with it and where."""
    try:
        handle = make("model", "temper_model_load", path_bytes(path))
    except errors.FileError:
        raise
    except errors.TemperError as error:
        source = read_bytes(path) if error.line else None
        raise error.__class__(error.text, hint=error.hint, where=str(path), line=error.line, column=error.column,
                              source=source) from None
    return Model(handle, str(path))


def import_model(weights: PathLike, config: PathLike) -> Model:
    """A model from elsewhere: safetensors with names of TransformerLens or GPT-2, and a JSON file (doc/import.md)."""
    return Model(make("model", "temper_model_import", path_bytes(weights), path_bytes(config)))
