"""The weights of a model as numpy arrays, out of the file that Model.save writes."""
from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Dict

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["weights_of"]


def weights_of(model: "Model") -> "Dict[str, npt.NDArray[np.float64]]":
    """The tensors of its safetensors file: the length of a header, the header in JSON, numbers in the order of little-endian."""
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "model.safetensors"
        model.save(path)
        data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    found = {}
    for name, about in header.items():
        if name != "__metadata__":
            first, end = about["data_offsets"]
            found[name] = np.frombuffer(data[start + first:start + end], "<f8").astype(np.float64).reshape(about["shape"])
    return found
