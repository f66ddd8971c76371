"""A model in PyTorch, through the loader that `temper export` puts into every folder."""
from __future__ import annotations

import hashlib
import importlib.util
import sys
import tempfile
import threading
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ._optional import need
from ._types import type_name
from .errors import RangeError

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["to_torch"]

_lock = threading.Lock()


def _load_file(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _loader(folder: Path) -> ModuleType:
    """The folder's modeling_temper.py as a module of its own package, made once for each version of the files."""
    files = [folder / "configuration_temper.py", folder / "modeling_temper.py"]
    package = "temper_export_" + hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()[:16]
    with _lock:
        if f"{package}.modeling_temper" not in sys.modules:
            sys.modules[package] = ModuleType(package)
            sys.modules[package].__path__ = []
            for file in files:
                _load_file(f"{package}.{file.stem}", file)
        return sys.modules[f"{package}.modeling_temper"]


def _dtype(torch: Any, type: Any) -> Any:
    """PyTorch's name of a number format."""
    known = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
    name = type_name(type, "dtype")
    if name not in known:
        raise RangeError(f"dtype {name!r} is not one of {', '.join(known)}")
    return known[name]


def to_torch(model: "Model", dtype: Any, device: Any, unchecked: bool) -> Any:
    """Exports into a temporary folder and loads that."""
    torch = need("torch", "to_torch()")
    if dtype is not None and not isinstance(dtype, torch.dtype):
        dtype = _dtype(torch, dtype)
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room) / "model"
        model.export(folder, unchecked=unchecked)
        return _loader(folder).load(str(folder), dtype=torch.float64 if dtype is None else dtype, device=device)
