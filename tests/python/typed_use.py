"""A program that mypy reads, and nobody runs (make types): what options take is known to type checkers, and what is wrong is refused. An
`ignore` that is not needed is an error, too."""
from typing import Dict, List

import numpy as np
import numpy.typing as npt

import temper
from temper.logic import Expression, count, letters

model = temper.compile("H(b -> O a)", alphabet=["a", "b", "c"], method="temperature")
one: bool = model.run("caab", type="bf16/f32@tile128")
numbers: bool = model.run([2, 0, 0, 1], type=np.float32)
many: "npt.NDArray[np.bool_]" = model.run(["caab", "cba"], type=("bf16", np.float32))
rows = model.run(np.zeros((3, 4), np.int64), type=np.dtype("float16"))
svg: str = model.draw("caab", "svg")
picture: bytes = model.draw("caab", "png", scale=2)
weights: "Dict[str, npt.NDArray[np.float64]]" = model.weights()
heads: List[temper.CertifiedHead] = model.certify(100, "half").heads
a, b, c = letters("abc")
formula: Expression = a.since(b) & ~c | (count(a) > 2 * count(b))
temper.parse(formula, at="last", empty="accept").export("folder", as_="gpt2", length=10, kv="float16")
temper.testing.assert_equivalent(formula, lambda string: "a" in string, 5, alphabet="abc")

model.run("caab", type="bf17")  # type: ignore[call-overload]
model.run("caab", type=3)  # type: ignore[call-overload]
model.run(3)  # type: ignore[call-overload]
model.draw("caab", "gif")  # type: ignore[call-overload]
model.soften("warm")  # type: ignore[arg-type]
temper.compile("a", method="temperatur")  # type: ignore[arg-type]
temper.compile("a", at="end")  # type: ignore[arg-type]
temper.compile("a", alphabet=3)  # type: ignore[arg-type]
temper.parse("a").certify(as_="phi")  # type: ignore[arg-type]
a & "b"  # type: ignore[operator]
