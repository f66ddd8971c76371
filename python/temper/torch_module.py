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

if TYPE_CHECKING:
    from .model import Model

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


def to_torch(model: "Model", dtype: Any, device: Any, unchecked: bool) -> Any:
    """Exports into a temporary folder and loads that."""
    import torch
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room) / "model"
        model.export(folder, unchecked=unchecked)
        return _loader(folder).load(str(folder), dtype=torch.float64 if dtype is None else dtype, device=device)
