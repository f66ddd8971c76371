"""Certificates: proofs of a model's answers for every string up to a length, and their audit."""
from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _checker, _html, errors
from ._library import (Progress, Watcher, call, count_of, ffi, function, hint_of, lib, path_bytes, read_bytes, take, text,
                       write_bytes)
from ._optional import Framed
from ._shown import around, shortened
from .errors import _cell

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Certificate", "CertifiedHead", "audit"]

_VERDICTS = ("proved", "refuted", "unable")

# How certificates of ordinary transformers begin.


@dataclass(frozen=True, repr=False)
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


class Certificate(Framed):
    """What Model.certify found. It is true in an `if` when it is a proof.

    verdict         "proved", "refuted" (there is a string with a wrong answer) or "unable" (neither was found)
    reason          why it is not proved, or ""
    length, type    what was asked for: every string up to this length, run in this number format
    layer, head     what stands in the way of a proof, from 1; 0: nothing in particular
    counterexample  refuted: the string, or None; letters has it letter by letter
    position        refuted: the first position with a wrong answer, from 1
    output          refuted: which output is wrong there, from 0
    claim           proved: "formula" (the answers are those of the model's source), "formula if viable is right" (the same, if
                    its line `viable` is right, which is not proved) or "hard choices"; else "none"
    read_off, note  hard choices: the formula that was read off the weights, and why it is not the source, or ""
    heads, error    proved: the bounds of each head, and the largest error, as text
    logits          proved: how far computed logits are at most from what their rows say, as text, or ""
    log_probabilities  proved: how far they are from the logarithms of the source's probabilities; "": logits are not part of
                    the claim, and logits_note says why
    checked_by      who checked the proof
    """

    def __init__(self, handle: Any, model: "Model", length: int, type: str, file: Optional[bytes]) -> None:
        """Use Model.certify. `file`: what it is about, or None: the model's text form."""
        self._model: "Optional[Model]" = model
        self._file = file
        self._checked_by: Optional[str] = None
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
        self.error = text(about.error)
        self.heads = [_head(handle, k) for k in range(about.heads)]
        self._json: Optional[str] = None
        self.letters: List[str] = []
        self.counterexample: Optional[str] = None
        self._joint = " " if model.info.tokens else ""
        if fault.letters != ffi.NULL:
            self.letters = [model.letters[k] for k in fault.letters[0:fault.n]]
            self.counterexample = self._joint.join(self.letters)

    @property
    def proved(self) -> bool:
        """Whether there is a proof."""
        return self.verdict == "proved"

    def __bool__(self) -> bool:
        return self.proved

    def __getstate__(self) -> Dict[str, Any]:
        file = self._model_bytes() if self.proved else None
        return {**self.__dict__, "_handle": None, "_json": self.json if self.proved else None, "_file": file, "_model": None}

    def _repr_html_(self) -> str:
        kind = {"proved": "proved", "refuted": "wrong"}.get(self.verdict, "")
        badge = {"proved": (f"every string up to {self.length:,}", "ok"), "refuted": ("a wrong answer", "no")}.get(self.verdict, ("no proof", "un"))
        about = _html.verdict(self.verdict, [badge], kind,
                              (("numbers", self.type), ("length", f"{self.length:,}")), self.reason or "every head is bounded")
        parts = [_html.marked(self.letters, self.position, self._where())] if self.counterexample is not None else []
        if self.heads:
            parts.append(_html.table(("head", "kind", "by", "error at most", "logits at most", "computes"),
                                     ((f"{h.layer}.{h.head}", h.kind, h.by, h.error, h.logit, h.label) for h in self.heads)))
        return _html.card(about, *parts)

    def _where(self) -> str:
        """Refuted: where the answer is wrong."""
        count = f"{len(self.letters):,} letter{'' if len(self.letters) == 1 else 's'}"
        return f"wrong at letter {self.position:,} of {len(self.letters):,}" if self._has_mark() else f"the verdict is wrong ({count})"

    def _has_mark(self) -> bool:
        return 1 <= self.position <= len(self.letters)

    def __repr__(self) -> str:
        found = f"temper.Certificate {self.verdict}: length {self.length} in {self.type}"
        if self._has_mark():
            before, at, after = around(self.letters, self.position, self._joint, 32)
            found += f"; {self._where()}: {self._joint.join(filter(None, (before, f'»{at}«', after)))}"
        elif self.counterexample is not None:
            found += f"; {self._where()}: {shortened(self.counterexample)!r}"
        return f"<{found}; {self.reason}>" if self.reason else f"<{found}>"

    def __str__(self) -> str:
        """The same; of a refuted one with the string on a line, and a caret below the wrong letter."""
        if not self._has_mark():
            return repr(self)
        before, at, after = around(self.letters, self.position, self._joint)
        if self._joint:
            before, after = before + " " * bool(before), " " * bool(after) + after
        lines = [f"refuted: length {self.length} in {self.type}; {self._where()}",
                 f"    {before}{at}{after}", "    " + " " * sum(_cell(c)[1] for c in before) + "^"]
        return "\n".join(lines + ([self.reason] if self.reason else []))

    def _table(self) -> Tuple[Sequence[str], Iterable[Sequence[Any]]]:
        names = [field.name for field in dataclasses.fields(CertifiedHead)]
        return names, ([getattr(head, name) for name in names] for head in self.heads)

    @property
    def json(self) -> str:
        """The text of the certificate (doc/certificate.md). RangeError if it is not a proof."""
        if self._handle is None and self._json is not None:
            return self._json
        if self._handle is None:
            raise errors.RangeError(f"the certificate is {self.verdict}: there is no proof to print")
        return take("temper_certificate_print", self._handle).decode("utf-8")

    @property
    def data(self) -> Dict[str, Any]:
        """The same as a dictionary."""
        found: Dict[str, Any] = json.loads(self.json)
        return found

    @property
    def checked_by(self) -> str:
        """Who checked the proof: "audit and proved checker", "audit", or "" where there is no proof. The first time this runs the
        audit, whose code shares nothing with the prover, and asks temper-checker, whose soundness is a theorem, if it is installed
        (doc/checker.md); TEMPER_CHECKER names another one. AuditError if the audit refuses the certificate."""
        if not self.proved:
            return ""
        if self._checked_by is None:
            model, claim = self._model_bytes(), self.json.encode("utf-8")
            audit(claim, model)
            digest = str(self.data["model"]["sha256"])
            self._checked_by = "audit and proved checker" if _checker.accepts(model, claim, digest) else "audit"
        return self._checked_by

    def _model_bytes(self) -> bytes:
        """The bytes that it is about."""
        if self._file is None:
            assert self._model is not None
            self._file = self._model._file_bytes(None)
        return self._file

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes the certificate; the file is whole or untouched."""
        write_bytes(path, self.json.encode("utf-8"))


def _head(handle: Any, k: int) -> CertifiedHead:
    out = ffi.new("temper_certified_head *")
    call("temper_certificate_head", out, handle, k)
    return CertifiedHead(out.layer, out.head, text(out.label), text(out.kind), text(out.by), text(out.logit), text(out.rounding),
                         text(out.error))


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
    about = ffi.new("temper_audit_claim *")
    function("temper_audit_read")(about, claim, len(claim), ffi.NULL)
    watcher = Watcher(progress)
    given = {"threads": count_of(threads, "threads"), "progress": watcher.callback}
    path, data = ffi.NULL, b""
    if about.ordinary and isinstance(model, (str, os.PathLike)):
        path = ffi.new("char[]", path_bytes(model))
    elif isinstance(model, bytes):
        data = model
    elif isinstance(model, (str, os.PathLike)):
        data = read_bytes(model)
    else:
        data = model._file_bytes(None)
    options = ffi.new("temper_audit_options *", {**given, "path": path})
    status = function("temper_audit")(claim, len(claim), data, len(data), options, err)
    if status:
        watcher.raise_error()
    if not status:
        return
    if status == lib.TEMPER_NO_MEMORY:
        raise errors.OutOfMemoryError(text(err.text))
    raise errors.AuditError(text(err.text), hint=hint_of(err), where="certificate" if err.line else "", line=err.line,
                            column=err.column, source=claim)
