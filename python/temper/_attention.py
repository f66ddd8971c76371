"""What heads look at, as numpy arrays."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _html
from ._letters import Batch
from ._library import call, count_of, ffi, lib, text
from ._optional import Framed, need
from ._shown import counted, shortened
from ._types import TypeName
from .errors import LimitError, RangeError

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Attention"]

Array = npt.NDArray[np.float64]


class Attention(Framed):
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
        self._drawn: "Optional[Tuple[Model, List[str], TypeName, bool, bool]]" = None  # what was run, to draw it in a notebook

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, layer: int) -> Array:
        return self.weights[layer]

    def __iter__(self) -> Iterator[Array]:
        return iter(self.weights)

    def _repr_html_(self) -> Optional[str]:
        if self._drawn is None:
            return None
        model, letters, type, hard, unchecked = self._drawn
        try:
            return model.draw(letters, "part", type=type, hard=hard, unchecked=unchecked)
        except LimitError:  # too long for cells
            return _html.card(_html.picture(model.draw(letters, "svg", type=type, hard=hard, unchecked=unchecked)))

    def __repr__(self) -> str:
        size = f"{counted(len(self.weights), 'layer')}, {counted(sum(len(w) for w in self.weights), 'head')}"
        return f"<temper.Attention on {shortened(' '.join(self.positions))!r}: {size}>"

    def _table(self) -> Tuple[Sequence[str], Iterable[Sequence[Any]]]:
        """A row for each pair of positions that a head's mask allows; layer and head count from 1, positions from 0, the sentinel."""
        def rows() -> Iterator[Sequence[Any]]:
            for layer, (weights, scores) in enumerate(zip(self.weights, self.scores)):
                for head, query, key in np.argwhere(scores > -np.inf).tolist():
                    yield (layer + 1, head + 1, self.labels[layer][head], query, self.positions[query], key, self.positions[key],
                           float(scores[head, query, key]), float(weights[head, query, key]))
        return ("layer", "head", "label", "query", "query_letter", "key", "key_letter", "score", "weight"), rows()

    def plot(self, layer: int = 0, head: int = 0, *, ax: Any = None) -> Any:
        """Pictures of the weights with matplotlib, one for each head; layer and head, from 1, choose, 0 is all. Returns the figure, or
        with `ax` these axes, which are for one head."""
        chosen = [(k, h) for k in range(len(self)) for h in range(len(self.weights[k]))
                  if count_of(layer, "layer") in (0, k + 1) and count_of(head, "head") in (0, h + 1)]
        if not chosen:
            raise RangeError("there is no head" if not layer and not head else f"there is no head {layer or '*'}.{head or '*'}")
        if ax is not None and len(chosen) > 1:
            raise RangeError(f"axes are for one head, and there are {len(chosen)}: say which, layer and head")
        if ax is not None:
            self._plot_head(ax, *chosen[0])
            return ax
        side = min(2.2 + 0.3 * len(self.positions), 9)
        columns = min(len(chosen), 3)
        rows = -(-len(chosen) // columns)
        figure = need("matplotlib.pyplot", "plot()").figure(figsize=(columns * side, rows * side), layout="constrained")
        for place, (k, h) in enumerate(chosen):
            self._plot_head(figure.add_subplot(rows, columns, place + 1), k, h)
        return figure

    def _plot_head(self, ax: Any, layer: int, head: int) -> None:
        weights = np.where(self.scores[layer][head] > -np.inf, self.weights[layer][head], np.nan)  # masked pairs stay empty
        image = ax.imshow(weights, cmap="viridis", vmin=0, vmax=1, interpolation="nearest")
        if len(self.positions) <= 64:
            ax.set_xticks(range(len(self.positions)), self.positions)
            ax.set_yticks(range(len(self.positions)), self.positions)
        ax.set_xlabel("key")
        ax.set_ylabel("query")
        ax.set_title(f"{layer + 1}.{head + 1}  {shortened(self.labels[layer][head], 40)}", fontsize="medium")
        ax.figure.colorbar(image, ax=ax, shrink=0.8)


def _matrix(pointer: Any, rows: int, columns: int) -> Array:
    """A copy of numbers that are the run's."""
    if rows * columns == 0:
        return np.zeros((rows, columns))
    found = np.frombuffer(ffi.buffer(pointer, rows * columns * 8), np.float64)
    return found.reshape(rows, columns).copy()


def attention_of(model: "Model", run: Any, batch: Batch, type: TypeName, hard: bool) -> Attention:
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
    found._drawn = model, [model.letters[k] for k in batch.numbers.tolist()], type, hard, not seen.proved
    return found
