"""Certificates: proofs of a model's answers for every string up to a length, and their audit."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from . import _html, errors
from ._library import (Progress, Watcher, call, count_of, ffi, function, hint_of, lib, path_bytes, read_bytes, take, text,
                       write_bytes)

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Certificate", "CertifiedHead", "audit"]

_VERDICTS = ("proved", "refuted", "unable")

# How certificates of ordinary transformers begin.
_STOCK, _STOCK_WITHIN = b'"temper-stock-certificate"', 64


@dataclass(frozen=True)
class CertifiedHead(_html.Facts):
    """What a certificate says of a head; numbers are texts, rounded upward."""

    layer: int
    head: int
    label: str
    kind: str
    by: str
    logit: str
    rounding: str
    error: str


class Certificate:
    """What Model.certify found. It is true in an `if` when it is a proof.

    verdict         "proved", "refuted" (there is a string with a wrong answer) or "unable" (neither was found)
    reason          why it is not proved, or ""
    length, type    what was asked for: every string up to this length, run in this number format
    layer, head     what stands in the way of a proof, from 1; 0: nothing in particular
    counterexample  refuted: the string, or None
    position        refuted: the first position with a wrong answer, from 1
    output          refuted: which output is wrong there, from 0
    claim           proved: "formula" (the answers are those of the model's source), "formula if viable is right" (the same, if
                    its line `viable` is right, which is not proved) or "hard choices"; else "none"
    read_off, note  hard choices: the formula that was read off the weights, and why it is not the source, or ""
    heads, error    proved: the bounds of each head, and the largest error, as text
    logits          proved: how far computed logits are at most from what their rows say, as text, or ""
    log_probabilities  proved: how far they are from the logarithms of the source's probabilities; "": logits are not part of
                    the claim, and logits_note says why
    """

    def __init__(self, handle: Any, model: "Model", length: int, type: str) -> None:
        """Use Model.certify."""
        self._handle, self.length, self.type = handle, length, type
        about = lib.temper_certificate_about(handle)
        self.verdict = _VERDICTS[about.verdict]
        self.reason = text(about.reason)
        self.claim = text(lib.temper_claim_name(about.claim))
        self.read_off = text(about.read_off)
        self.note = text(about.note)
        fault = about.fault
        self.layer, self.head, self.position = int(fault.layer), int(fault.head), int(fault.position)
        self.output = int(fault.output)
        self.logits = text(about.logits)
        self.log_probabilities = text(about.log_probabilities)
        self.logits_note = text(about.logits_note)
        self.counterexample: Optional[str] = None
        if fault.letters != ffi.NULL:
            self.counterexample = model._alphabet.text(list(fault.letters[0:fault.n]))

    @property
    def proved(self) -> bool:
        """Whether there is a proof."""
        return self.verdict == "proved"

    def __bool__(self) -> bool:
        return self.proved

    def _repr_html_(self) -> str:
        proved = self.verdict == "proved"
        about = _html.verdict(self.verdict, [(f"every string up to {self.length:,}", "ok") if proved else ("no proof", "un")], proved,
                              (("numbers", self.type), ("length", f"{self.length:,}"), ("why", self.reason or "every head is bounded")))
        return _html.card(about, _html.table(("head", "kind", "by", "error at most", "logits at most", "computes"),
                                   ((f"{h.layer}.{h.head}", h.kind, h.by, h.error, h.logit, h.label) for h in self.heads)))

    def __repr__(self) -> str:
        return f"<temper.Certificate {self.verdict}: length {self.length} in {self.type}" + (
            f"; {self.reason}>" if self.reason else ">")

    @property
    def json(self) -> str:
        """The text of the certificate (doc/certificate.md). RangeError if it is not a proof."""
        return take("temper_certificate_print", self._handle).decode("utf-8")

    @property
    def data(self) -> Dict[str, Any]:
        """The same as a dictionary."""
        found: Dict[str, Any] = json.loads(self.json)
        return found

    @property
    def heads(self) -> List[CertifiedHead]:
        """What it says of each head; nothing if it is not a proof."""
        found = []
        for k in range(function("temper_certificate_about")(self._handle).heads):
            out = ffi.new("temper_certified_head *")
            call("temper_certificate_head", out, self._handle, k)
            found.append(CertifiedHead(out.layer, out.head, text(out.label), text(out.kind), text(out.by),
                                       text(out.logit), text(out.rounding), text(out.error)))
        return found

    @property
    def error(self) -> str:
        """The largest error of a head before rounding, or "" if it is not a proof."""
        return text(function("temper_certificate_about")(self._handle).error)

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes the certificate; the file is whole or untouched."""
        write_bytes(path, self.json.encode("utf-8"))


def audit(certificate: "Union[Certificate, str, os.PathLike[str], bytes]",
          model: "Union[Model, str, os.PathLike[str], bytes]", *, threads: int = 0,
          progress: Optional[Progress] = None) -> None:
    """Checks a certificate against a model, with code that shares nothing with the prover. AuditError says what is wrong.

    Both may be objects, paths of files, or the bytes of files. For a certificate that Formula.export has written, `model` is the
    path of the folder, or of its GGUF file, or the bytes of this file.

    threads   for facts about hard choices; 0: one for each core. No result depends on it
    progress  called with (done, total) where there are such; returning True stops, and AuditError says so
    """
    if isinstance(certificate, Certificate):
        claim = certificate.json.encode("utf-8")
    else:
        claim = certificate if isinstance(certificate, bytes) else read_bytes(certificate)
    err = ffi.new("temper_error *")
    if _STOCK in claim[:_STOCK_WITHIN] and isinstance(model, (str, os.PathLike)):
        status = function("temper_audit_stock")(claim, len(claim), path_bytes(model), err)
    elif _STOCK in claim[:_STOCK_WITHIN] and isinstance(model, bytes):
        status = function("temper_audit_gguf")(claim, len(claim), model, len(model), err)
    else:
        if isinstance(model, bytes):
            data = model
        elif isinstance(model, (str, os.PathLike)):
            data = read_bytes(model)
        else:
            data = model._file_bytes(None)
        watcher = Watcher(progress)
        options = ffi.new("temper_audit_options *", {"threads": count_of(threads, "threads"), "progress": watcher.callback})
        status = function("temper_audit_watched")(claim, len(claim), data, len(data), options, err)
        if status:
            watcher.raise_error()
    if not status:
        return
    if status == lib.TEMPER_NO_MEMORY:
        raise errors.OutOfMemoryError(text(err.text))
    raise errors.AuditError(text(err.text), hint=hint_of(err), where="certificate" if err.line else "", line=err.line,
                            column=err.column, source=claim)
