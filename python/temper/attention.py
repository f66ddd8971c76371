"""What heads look at, as numpy arrays."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional

import numpy as np
import numpy.typing as npt

from . import _html
from ._letters import Batch
from ._library import call, ffi, lib, text
from .errors import LimitError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Attention"]

Array = npt.NDArray[np.float64]


class Attention:
    """The attention of one run. attention[layer] is an array [head, query, key] of weights; all indices are from 0.

    labels     what each head computes, [layer][head]
    positions  what stands at each query and key: the start sentinel "^", letters, perhaps the end sentinel "$"
    weights    the arrays, one a layer; masked pairs have 0
    scores     the same for scores, before the scale; masked pairs have -inf
    scales     the softmax scale of each head on this string, [layer][head]
    outputs    [layer][head], an array [position, value]: what the head hands on, before rounding
    margins    the distance of those values from 0 or 1, [layer][head]; -1 for heads whose output is not Boolean
    channels   [layer], an array [position, channel]: the residual stream, embedding first
    accept     the verdict
    truth      the answer at each position, sentinels included
    """

    def __init__(self, positions: List[str], labels: List[List[str]], weights: List[Array], scores: List[Array],
                 scales: List[List[float]], outputs: List[List[Array]], margins: List[List[float]],
                 channels: List[Array], accept: bool, truth: "npt.NDArray[np.bool_]") -> None:
        """Use Model.attention."""
        self.positions, self.labels, self.weights, self.scores = positions, labels, weights, scores
        self.scales, self.outputs, self.margins, self.channels = scales, outputs, margins, channels
        self.accept, self.truth = accept, truth
        self._picture: Optional[Callable[[], str]] = None

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, layer: int) -> Array:
        return self.weights[layer]

    def __iter__(self) -> Iterator[Array]:
        return iter(self.weights)

    def _repr_html_(self) -> Optional[str]:
        return self._picture() if self._picture else None

    def __repr__(self) -> str:
        return f"<temper.Attention on {' '.join(self.positions)!r}: {[len(w) for w in self.weights]} heads a layer>"


def _matrix(pointer: Any, rows: int, columns: int) -> Array:
    """A copy of numbers that are the run's."""
    if rows * columns == 0:
        return np.zeros((rows, columns))
    found = np.frombuffer(ffi.buffer(pointer, rows * columns * 8), np.float64)
    return found.reshape(rows, columns).copy()


def attention_of(model: "Model", run: Any, batch: Batch, type: str, hard: bool) -> Attention:
    """Copies what a captured run kept."""
    seen = lib.temper_run_about(run)
    size = seen.size
    positions = ["^"] + [model.letters[k] for k in batch.numbers.tolist()] + (["$"] if model.info.has_end else [])
    labels: List[List[str]] = []
    weights: List[Array] = []
    scores: List[Array] = []
    scales: List[List[float]] = []
    outputs: List[List[Array]] = []
    margins: List[List[float]] = []
    about = ffi.new("temper_head_info *")
    for layer in range(1, model.info.layers + 1):
        heads = range(1, lib.temper_model_layer(model._handle, layer).heads + 1)
        labels.append([])
        outputs.append([])
        for head in heads:
            call("temper_model_head", about, model._handle, layer, head)
            labels[-1].append(text(about.label))
            rows = [_matrix(lib.temper_run_row(run, layer, head, i).output, 1, about.value_size) for i in range(size)]
            outputs[-1].append(np.concatenate(rows))
        weights.append(np.zeros((len(heads), size, size)))
        scores.append(np.zeros((len(heads), size, size)))
        for head in heads:
            captured = lib.temper_run_head(run, layer, head)
            weights[-1][head - 1] = _matrix(captured.weights, size, size)
            scores[-1][head - 1] = _matrix(captured.scores, size, size)
        scales.append([lib.temper_run_row(run, layer, head, len(positions) - 1).scale for head in heads])
        margins.append([lib.temper_run_head(run, layer, head).error for head in heads])
    channels = [np.concatenate([_matrix(lib.temper_run_channels(run, layer, i), 1, model.info.channels)
                                for i in range(size)]) for layer in range(model.info.layers + 1)]
    truth = np.frombuffer(ffi.buffer(seen.truth, size), np.bool_).copy()
    found = Attention(positions, labels, weights, scores, scales, outputs, margins, channels,
                      bool(seen.accept), truth)
    letters, unchecked = [model.letters[k] for k in batch.numbers.tolist()], not seen.proved

    def shown() -> str:
        try:
            return model.draw(letters, "part", type=type, hard=hard, unchecked=unchecked)
        except LimitError:  # too long for cells
            return _html.card(_html.picture(model.draw(letters, "svg", type=type, hard=hard, unchecked=unchecked)))

    found._picture = shown
    return found
