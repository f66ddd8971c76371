"""What doc/ordinary.md, "What is assumed of kernels", says of onnxruntime, seen in onnxruntime: graphs with the nodes that
src/ordinary/write/ordinary_onnx.c writes, in sessions with the default options, which fuse some of them."""
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

U = 2.0**-24
failed = passed = 0


def check(ok, what):
    global failed, passed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"onnx_facts.py: {what}")


class Graph:
    """Nodes over one input x; a number or an array is a constant."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def name(self, x):
        if isinstance(x, str):
            return x
        self.count += 1
        self.constants.append(numpy_helper.from_array(np.asarray(x, np.float32), f"c{self.count}"))
        return f"c{self.count}"

    def __call__(self, op, *inputs, **attributes):
        self.count += 1
        self.nodes.append(helper.make_node(op, [self.name(x) for x in inputs], [f"v{self.count}"], **attributes))
        return f"v{self.count}"

    def mean(self, x):
        self.constants.append(numpy_helper.from_array(np.array([-1], np.int64), f"axes{self.count}"))
        axes = f"axes{self.count}"
        return self("ReduceMean", x, axes, keepdims=1)

    def run(self, result, x):
        value = helper.make_tensor_value_info("x", TensorProto.FLOAT, list(x.shape))
        out = helper.make_tensor_value_info(result, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "facts", [value], [out], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, {"x": x.astype(np.float32)})[0]


def activations():
    g = Graph()
    cube = g("Mul", g("Mul", "x", "x"), "x")
    tanh = g("Tanh", g("Mul", g("Add", "x", g("Mul", cube, 0.044715)), 0.79788456080286535588))
    gelu = g("Mul", g("Mul", "x", 0.5), g("Add", tanh, 1.0))
    x = np.concatenate([np.linspace(10, 40, 200001), np.geomspace(10, 30000, 100001).clip(10)]).astype(np.float32)
    check(np.array_equal(g.run(gelu, x), x), "GELU(x) is not x from 10 on")
    check((g.run(gelu, -x) == 0).all(), "GELU(x) is not 0 up to -10")
    g = Graph()
    silu = g("Div", "x", g("Add", g("Exp", g("Mul", "x", -1.0)), 1.0))
    x = np.concatenate([np.linspace(17, 80, 200001), np.geomspace(17, 30000, 100001).clip(17)]).astype(np.float32)
    check(np.array_equal(g.run(silu, x), x), "SiLU(x) is not x from 17 on")
    tail, wide = np.abs(g.run(silu, -x).astype(np.float64)), x.astype(np.float64)
    over = tail / (1.01 * wide * np.exp(-wide) + 2.0**-126)
    check((over <= 1).all(), f"SiLU has a longer tail: {over.max():.3g} times, at {-x[over.argmax()]}")


def norm(width, centre, x, gain):
    g = Graph()
    centred = g("Sub", "x", g.mean("x")) if centre else "x"
    size = g("Sqrt", g("Add", g.mean(g("Mul", centred, centred)), np.float32(1e-5)))
    return g.run(g("Mul", g("Div", centred, size), gain), x)


def norms():
    random = np.random.default_rng(1)
    for width in (64, 256, 1024):
        x = (random.random((300, width)) * 0.2).astype(np.float32)
        x[:, 0] = 2.0**15
        gain = np.full(width, 2.0**15 / width**0.5, np.float32)
        gain[0] = 1 / width**0.5
        y = norm(width, False, x, gain)
        x[:, 0] = 1
        check(np.array_equal(x, y), f"the RMS norm of width {width} is not the identity")
    pin = 2.0**13
    for width in (128, 256, 512):
        x = ((random.random((2000, width)) - 0.5) * 2).astype(np.float32)
        x[:, 0], x[:, 1] = pin, -pin
        y = norm(width, True, x, np.ones(width)).astype(np.float64)
        exact = x.astype(np.float64)
        scale = (y[:, 0] - y[:, 1]) / (2 * pin)
        mean = -((y[:, 0] + y[:, 1]) / 2 / scale)
        off = np.abs(mean - exact.mean(-1))
        check((off <= 4 * U * np.abs(exact).sum(-1) + 4 * U * pin).all(), f"the mean of width {width} is off by {off.max():.3g}")
        off = np.abs(scale * np.sqrt(exact.var(-1) + 1e-5) - 1).max()
        check(off <= (width / 2 + 8) * U, f"the scale of width {width} is off by {off:.3g}")


def products():
    random = np.random.default_rng(2)
    for terms in (4, 16, 64, 256, 1024):
        x, w = random.standard_normal((50, terms)).astype(np.float32), random.standard_normal((terms, 40)).astype(np.float32)
        g = Graph()
        off = np.abs(g.run(g("MatMul", "x", w), x) - x.astype(np.float64) @ w.astype(np.float64))
        sizes = np.abs(x).astype(np.float64) @ np.abs(w).astype(np.float64)
        check((off <= (terms + 1) * 1.01 * U * sizes).all(), f"a product of {terms} terms")


def turns():
    angle = (np.arange(16385)[:, None] * 10000.0 ** (-np.arange(8) / 8)).astype(np.float32)
    for op, f in (("Cos", np.cos), ("Sin", np.sin)):
        g = Graph()
        off = np.abs(g.run(g(op, "x"), angle) - f(angle.astype(np.float64))).max()
        check(off <= 2.0**-22, f"{op} is off by {off:.3g}")


def shares():
    random = np.random.default_rng(3)
    scores = (random.standard_normal((200, 300)) * 20).astype(np.float32)
    wide = scores.astype(np.float64)
    wide -= wide.max(-1, keepdims=True)
    exact = np.exp(wide) / np.exp(wide).sum(-1, keepdims=True)
    g = Graph()
    softmax = g("Softmax", "x", axis=-1)
    off = np.abs(g.run(softmax, scores) - exact)
    check((off <= exact * (-wide + 310) * U + 2.0**-126).all(), f"shares of a softmax are off by {off.max():.3g}")
    same = g.run(softmax, np.zeros((3, 77), np.float32))
    check((same == same[0, 0]).all(), "equal scores have shares that differ")
    check(g.run(softmax, np.array([[0, -128]], np.float32))[0, 1] == 0, "exp(-128) is not 0")


for part in (activations, norms, products, turns, shares):
    part()
print(f"onnx_facts.py (onnxruntime {onnxruntime.__version__}): {passed} passed, {failed} failed")
sys.exit(failed > 0)
