"""A stand-in for Hugging Face transformers, which cannot be installed where the tests run: what its documentation promises to custom
models, and no more. Code of a folder is copied into a package and imported from there, so relative imports are used; weights are
loaded by name from model.safetensors, whose metadata must say which framework wrote them."""
import importlib
import json
import os
import re
import shutil
import struct
import sys
import tempfile

import torch
from torch import nn

from .utils import ModelOutput


class PretrainedConfig:
    model_type = ""
    attribute_map = {}

    def __init__(self, **fields):
        for name, value in {"output_attentions": False, "output_hidden_states": False, "return_dict": True, **fields}.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        object.__setattr__(self, type(self).attribute_map.get(name, name), value)

    def __getattr__(self, name):
        mapped = type(self).attribute_map.get(name)
        if mapped is None:
            raise AttributeError(name)
        return getattr(self, mapped)

    @classmethod
    def from_pretrained(cls, folder):
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            return cls(**json.load(file))

    def to_dict(self):
        return {**vars(self), "model_type": self.model_type}

    def to_diff_dict(self):
        plain = type(self)().to_dict()  # the documentation asks for a constructor without arguments
        return {name: value for name, value in self.to_dict().items() if plain.get(name) != value}


class PreTrainedModel(nn.Module):
    config_class = None
    base_model_prefix = ""
    main_input_name = "input_ids"

    def __init__(self, config):
        super().__init__()
        if not isinstance(config, PretrainedConfig):
            raise ValueError("the config must be a PretrainedConfig")
        self.config = config
        self.is_initialised = False

    def post_init(self):
        self.is_initialised = True
        self.apply(self._init_weights)

    @classmethod
    def from_pretrained(cls, folder, torch_dtype=None, config=None, **fields):
        config = config or cls.config_class.from_pretrained(folder)
        for name, value in fields.items():  # options that are not of the method are of the configuration
            setattr(config, name, value)
        model = cls(config)
        if not model.is_initialised:
            raise ValueError("post_init was not called")
        with open(os.path.join(folder, "model.safetensors"), "rb") as file:
            data = file.read()
        (length,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8:8 + length])
        if header.pop("__metadata__", {}).get("format") not in ("pt", "tf", "flax", "mlx"):
            raise OSError("the safetensors archive does not contain the valid metadata")
        state = {}
        for name, entry in header.items():
            first, end = entry["data_offsets"]
            flat = torch.frombuffer(bytearray(data[8 + length + first:8 + length + end]), dtype=torch.float64)
            state[name] = flat.reshape(entry["shape"])
        dtype = getattr(torch, config.torch_dtype) if torch_dtype == "auto" else torch_dtype or torch.float32
        model = model.to(dtype)
        model.load_state_dict(state)
        return model.eval()


def check_imports(path):
    """Imports outside of try blocks must be there; the words after `except` count as outside."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"\s*try\s*:.*?except.*?:", "", file.read(), flags=re.DOTALL)
    names = re.findall(r"^\s*import\s+(\S+)", text, re.MULTILINE) + re.findall(r"^\s*from\s+(\S+)\s+import", text, re.MULTILINE)
    for name in {name.split(".")[0].rstrip(",") for name in names if not name.startswith(".")}:
        if importlib.util.find_spec(name) is None:
            raise ImportError(f"this modeling file requires {name}, which was not found")


class _Auto:
    kind = ""

    @classmethod
    def from_pretrained(cls, folder, trust_remote_code=False, **options):
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            module, name = json.load(file)["auto_map"][cls.kind].split(".")
        if not trust_remote_code:
            raise ValueError("loading this model needs trust_remote_code=True")
        parent = tempfile.mkdtemp()
        package = "transformers_modules_" + os.path.basename(parent).replace("-", "_")
        os.mkdir(os.path.join(parent, package))
        wanted, done = [module], set()
        while wanted:
            part = wanted.pop()
            if part in done:
                continue
            done.add(part)
            source = os.path.join(folder, part + ".py")
            check_imports(source)
            shutil.copy(source, os.path.join(parent, package))
            with open(source, encoding="utf-8") as file:
                wanted += re.findall(r"^\s*from\s+\.(\S+)\s+import", file.read(), re.MULTILINE)
        open(os.path.join(parent, package, "__init__.py"), "w").close()
        sys.path.insert(0, parent)
        importlib.invalidate_caches()
        try:
            return getattr(importlib.import_module(f"{package}.{module}"), name).from_pretrained(folder, **options)
        finally:
            sys.path.remove(parent)
            shutil.rmtree(parent)


class AutoConfig(_Auto):
    kind = "AutoConfig"


class AutoModel(_Auto):
    kind = "AutoModel"
