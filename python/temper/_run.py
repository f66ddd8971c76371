"""One run of a transformer: its answers, and what is proved of them."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _html
from ._letters import Batch
from ._library import ffi, lib, take, text
from ._optional import Framed
from ._shown import shortened
from .errors import TemperError

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Run"]

Bools = npt.NDArray[np.bool_]
_SHOWN = 400  # positions; a longer string is cut in the middle
_ROWS = 20  # outputs


class Run(Framed):
    """What a model says of one string. As a condition it is the verdict: `if model.inspect("ab"): ...`

    letters         the string, letter by letter
    type, hard      the number format, and whether heads made hard choices
    accept          the verdict; of a language model: the string may end here
    truth           the answer at each position
    outputs         of a language model or a transducer: where each output holds, by its name; "" is the end
    written         what a transducer writes; None: the model is no transducer, or at some position no output holds, or several do
    expected        the formula's own truth at each position; None: the model carries no formula, or has several outputs
    right           whether the verdict is the formula's, and the answer at each position; None: it is not known
    wrong_at        the positions with a wrong answer, from 1
    proved          whether a proof covers this string
    claim           what is proved: "formula", "hard choices", ... (Model.proof); "" if nothing is
    every_position  whether the proof is about every position, not the verdict alone
    warning         what was noticed in an unproved run, or ""
    """

    def __init__(self, model: "Model", run: Any, batch: Batch, type: str, hard: bool) -> None:
        """Use Model.inspect."""
        about, n = lib.temper_run_about(run), int(batch.lengths[0])
        self.letters: List[str] = [model.letters[k] for k in batch.numbers.tolist()]
        self._tokens = model.info.tokens
        self.type, self.hard, self.kind, self.formula = type, hard, model.info.kind, model.formula
        self.accept, self.proved = bool(about.accept), bool(about.proved)
        self.truth: Bools = np.frombuffer(ffi.buffer(about.truth + 1, n), np.bool_).copy() if n else np.zeros(0, np.bool_)
        self.claim = text(lib.temper_claim_name(about.claim)) if self.proved else ""
        self.every_position, self.warning = bool(about.every_position), text(about.warning)
        self.outputs: Dict[str, Bools] = {}
        if self.kind != "acceptor":
            for k, name in enumerate(model.outputs):
                self.outputs[name] = np.frombuffer(ffi.buffer(lib.temper_run_output(run, k), n + 1), np.bool_)[1:].copy()
        self._at, self._only = model.info.at or "last", model.info.verdict_only  # the verdict's place; whether nothing else means something
        self.written: Optional[str] = None
        if self.kind == "transducer":
            try:
                self.written = take("temper_run_write", run, model._handle).decode("utf-8", "surrogateescape")
            except TemperError:
                pass
        self.expected: Optional[Bools] = None
        self.right: Optional[bool] = None
        self.wrong_at: List[int] = []
        if self.kind == "acceptor" and self.formula:
            self._compare(model, batch)

    def _compare(self, model: "Model", batch: Batch) -> None:
        try:
            formula = model._own_formula()
        except TemperError:  # the text that the model carries is none
            return
        assert formula is not None
        out = np.zeros(int(batch.lengths[0]), np.uint8)
        accept = formula._eval(batch, 0, out)
        self.expected = out.astype(np.bool_)
        self.wrong_at = [k + 1 for k in np.flatnonzero(self.expected != self.truth).tolist() if self._means(k)]
        self.right = accept == self.accept and not self.wrong_at

    def _means(self, k: int) -> bool:
        """Whether an answer at a position means something: of some models only the verdict does."""
        return not self._only or self._is_read(k)

    def _is_read(self, k: int) -> bool:
        """Whether the answer at a position is the verdict."""
        return k == (0 if self._at == "first" else len(self.letters) - 1)

    def __bool__(self) -> bool:
        return self.accept

    def __repr__(self) -> str:
        shown = (" " if self._tokens else "").join(self.letters)
        return f"<temper.Run {shortened(shown)!r}: {', '.join([self._says()] + [badge.strip('✓✗ ') for badge, _ in self._badges()])}>"

    def _table(self) -> Tuple[Sequence[str], Iterable[Sequence[Any]]]:
        """A row for each letter, with the formula's own truth where it is known, and the outputs of a model that has several."""
        columns: List[Sequence[Any]] = [range(1, len(self.letters) + 1), self.letters, self.truth.tolist()]
        columns += [] if self.expected is None else [self.expected.tolist()]
        columns += [truth.tolist() for truth in self.outputs.values()]
        names = ["position", "letter", "truth"] + ([] if self.expected is None else ["expected"])
        return names + [f"output {name or 'end'}" for name in self.outputs], zip(*columns)

    def _says(self) -> str:
        if self.kind == "transducer":
            return f"writes {self.written!r}" if self.written is not None else "writes no string"
        if self.kind == "next":
            return "may end" if self.accept else "may not end"
        return "accepts" if self.accept else "rejects"

    def _badges(self) -> List[Tuple[str, str]]:
        found = [] if self.right is None else [("✓ right", "ok") if self.right else (self._wrong(), "no")]
        return [*found, ("proved", "ok") if self.proved else ("unproved", "un")]

    def _wrong(self) -> str:
        return f"✗ wrong at letter {self.wrong_at[0]:,}" if self.wrong_at else "✗ wrong"

    def _repr_html_(self) -> str:
        mark = "" if self.kind == "transducer" else "● " if self.accept else "○ "
        pairs = [("numbers", self.type + (", hard choices" if self.hard else "")), ("letters", f"{len(self.letters):,}")]
        pairs += [("proved to be", f"the {self.claim}'s" if self.claim.startswith("formula") else f"the {self.claim}")] if self.claim else []
        pairs += [("noticed", self.warning)] if self.warning else []
        parts = [_html.heading("A run of", self.formula or "a model"),
                 _html.verdict(mark + self._says(), self._badges(), "wrong" if self.right is False else "proved" if self.proved else "", pairs)]
        return _html.card(*parts, self._ruler() if self.letters else "")

    def _ruler(self) -> str:
        """The string, and the truth at each of its positions."""
        n = len(self.letters)
        places: List[Optional[int]] = list(range(n))
        if n > _SHOWN:
            places = [*range(_SHOWN // 2), None, *range(n - _SHOWN // 2, n)]
        head = "".join("<th>…</th>" if k is None else f'<th scope="col"><b>{html.escape(self.letters[k])}</b><small>{k + 1}</small></th>'
                       for k in places)
        rows = [] if self.expected is None else [("formula", "its own truth", self.expected, False)]
        if self.kind == "acceptor":
            rows.append(("answer", "of the transformer", self.truth, True))
        for name, truth in list(self.outputs.items())[:_ROWS]:
            rows.append((name or "the end", "written here" if self.kind == "transducer" else "may come next", truth, False))
        body = ""
        for name, of, truth, answer in rows:
            cells = "".join('<td class="u"></td>' if k is None or (answer and not self._means(k))
                            else self._cell(k, bool(truth[k]), answer) for k in places)
            kind = ' class="answer"' if answer else ""
            body += f'<tr{kind}><th scope="row"><div><span>{html.escape(name)}</span><small>{of}</small></div></th>{cells}</tr>'
        return ('<div class="scroll"><table class="cells truth"><thead><tr><th class="corner"><small>letter</small><small>position</small></th>'
                f"{head}</tr></thead><tbody>{body}</tbody></table></div>")

    def _cell(self, k: int, holds: bool, answer: bool) -> str:
        wrong, read = answer and k + 1 in self.wrong_at, answer and self._is_read(k)
        says = f"position {k + 1}, {self.letters[k]}: {'true' if holds else 'false'}{', which is wrong' if wrong else ''}"
        kind = ("t" if holds else "f") + (" x" if wrong else "") + (" read" if read else "")
        return f'<td class="{kind}" title="{html.escape(says)}">{"●" if holds else "○"}</td>'
