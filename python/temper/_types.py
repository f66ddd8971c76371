"""What options take, as types that editors and type checkers know; and number formats by any of their names."""
from __future__ import annotations

import difflib
from typing import Any, List, Literal, Protocol, Tuple, Type, Union, cast

import numpy as np

from . import errors
from ._library import TYPES, encode, function, text

# All of temper_type_name and temper_type_alias; a test compares.
TypeName = Literal[
    "f64", "f32", "exact", "bf16/f32", "bf16", "f16/f32", "f16", "e4m3/f32", "e4m3", "e5m2/f32", "e5m2", "f32/f64", "bf16/f64",
    "f64@tile64", "f32@tile64", "bf16/f32@tile64", "bf16@tile64", "f16/f32@tile64", "f16@tile64", "e4m3/f32@tile64", "e4m3@tile64",
    "e5m2/f32@tile64", "e5m2@tile64", "f32/f64@tile64", "bf16/f64@tile64",
    "f64@tile128", "f32@tile128", "bf16/f32@tile128", "bf16@tile128", "f16/f32@tile128", "f16@tile128", "e4m3/f32@tile128", "e4m3@tile128",
    "e5m2/f32@tile128", "e5m2@tile128", "f32/f64@tile128", "bf16/f64@tile128",
    "f64@tile512", "f32@tile512", "bf16/f32@tile512", "bf16@tile512", "f16/f32@tile512", "f16@tile512", "e4m3/f32@tile512", "e4m3@tile512",
    "e5m2/f32@tile512", "e5m2@tile512", "f32/f64@tile512", "bf16/f64@tile512",
    "fp64", "float64", "double", "fp32", "float32", "single", "float", "fp16", "float16", "half", "bfloat16", "brain",
    "float8_e4m3", "float8_e4m3fn", "fp8_e4m3", "float8_e5m2", "fp8_e5m2", "rational"]
StoredName = Literal["f32", "f16", "fp32", "float32", "single", "float", "fp16", "float16", "half"]
Method = Literal["temperature", "positions", "digits", "hard"]
Syntax = Literal["spec", "crasp", "brasp", "regex", "dfa"]
At = Literal["first", "last"]
Empty = Literal["accept", "reject"]
Kind = Literal["acceptor", "next", "transducer"]
GapKind = Literal["proved", "exhaustive", "given"]
Sampling = Literal["letters", "strings", "weights"]
Picture = Literal["text", "svg", "html", "part", "png"]
Output = Literal["patterns", "channels", "heads"]
Architecture = Literal["gpt2", "llama"]
Positions = Literal["auto", "ramp", "digits"]
FrameLibrary = Literal["pandas", "polars"]


class TorchDtype(Protocol):
    """torch.float32 and the like, without PyTorch."""

    @property
    def is_floating_point(self) -> bool: ...

    @property
    def is_complex(self) -> bool: ...


Dtype = Union["np.dtype[Any]", Type["np.floating[Any]"], TorchDtype]
# A number format: a name, a dtype of numpy or PyTorch, or a pair of formats: what is stored, and what sums are made in.
NumberType = Union[TypeName, Dtype, Tuple[object, object]]
StoredType = Union[StoredName, Dtype]


def _written(type: Any, what: str) -> str:
    """A format as it is written on the command line."""
    if isinstance(type, str):
        return type
    if isinstance(type, tuple) and len(type) == 2:
        return "/".join(_written(part, what) for part in type)
    if type.__class__.__module__ == "torch" and type.__class__.__name__ == "dtype":
        return str(type)[len("torch."):]
    try:
        if type is None:  # which numpy takes as float64
            raise TypeError
        return np.dtype(type).name
    except TypeError:
        raise TypeError(f"{what} must be the name of a number format or a dtype, not {type!r}") from None


def aliases() -> List[str]:
    """All names of single formats."""
    names: List[str] = []
    while text(function("temper_type_alias")(len(names))):
        names.append(text(function("temper_type_alias")(len(names))))
    return names


def type_number(type: Any, what: str = "type") -> int:
    """The library's number of a format, by any name that the command line takes, or by a dtype."""
    name = _written(type, what)
    number = int(function("temper_type_named")(encode(name))) if "\0" not in name else len(TYPES)
    if number < len(TYPES):
        return number
    known = aliases()
    near = [one for one in known if name and one.startswith(name.lower())][:2] or difflib.get_close_matches(name.lower(), known, 1)
    plain = ", ".join(one for one in TYPES if "@" not in one)
    raise errors.RangeError(f"{what} {name!r} is not one of {plain}; each but exact also with @tile64, @tile128 or @tile512",
                            hint=f"did you mean {' or '.join(near)}?" if near else "")


def type_name(type: Any, what: str = "type") -> TypeName:
    """temper's own name of a format."""
    return cast(TypeName, TYPES[type_number(type, what)])
