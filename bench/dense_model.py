"""A compiled model, read from its text form and run as any transformer: every head dense, in PyTorch or onnxruntime.

Both get the embedded string x [N][channels]; reading the string and evaluating the position features is not timed."""
import os
import re

import numpy as np
import torch
from onnx import helper

import ort

WORD = re.compile(r'"(?:\\.|[^"\\])*"|\S+')


def number(text):
    return float.fromhex(text) if "x" in text else float(text)


def unquote(text):
    body = re.sub(rb"\\x([0-9A-F]{2})", lambda m: bytes([int(m[1], 16)]), text[1:-1].encode())
    return re.sub(rb"\\(.)", lambda m: {b"n": b"\n", b"t": b"\t"}.get(m[1], m[1]), body).decode()


class Expression:
    """Recursive descent over the grammar in src/model/expression.h; evaluates at once, on arrays."""

    TOKEN = re.compile(r"\s*(0x[0-9a-fA-F.]+p[+-]?\d+|\d[\d.]*(?:e[+-]?\d+)?|ln|floor|min|max|[inN]"
                       r"|!=|<=|[-+*/%()\[\],=<])")

    def __init__(self, text, values):
        self.tokens = self.TOKEN.findall(text)
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise ValueError(f"cannot read the expression {text}")
        self.values = values

    def take(self):
        return self.tokens.pop(0)

    def next_is(self, *words):
        return bool(self.tokens) and self.tokens[0] in words

    def sum(self):
        x = self.product()
        while self.next_is("+", "-"):
            x = x + self.product() if self.take() == "+" else x - self.product()
        return x

    def product(self):
        x = self.factor()
        while self.next_is("*", "/", "%"):
            op = self.take()
            y = self.factor()
            x = x * y if op == "*" else x / y if op == "/" else np.mod(x, np.abs(y))
        return x

    def factor(self):
        token = self.take()
        if token == "-":
            return -self.factor()
        if token == "(":
            x = self.sum()
            self.take()
            return x
        if token == "[":
            x, op, y = self.sum(), self.take(), self.sum()
            self.take()
            tests = {"=": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal}
            return tests[op](x, y).astype(np.float64)
        if token in ("ln", "floor"):
            self.take()
            x = self.sum()
            self.take()
            return np.log(x) if token == "ln" else np.floor(x)
        if token in ("min", "max"):
            self.take()
            x = self.sum()
            self.take()
            y = self.sum()
            self.take()
            return np.minimum(x, y) if token == "min" else np.maximum(x, y)
        return self.values[token] if token in self.values else number(token)


class Head:
    def __init__(self, words):
        at = {word: words[k + 1] for k, word in enumerate(words[:-1]) if word in ("mask", "choice", "scale")}
        if at["choice"] != "softmax":
            raise ValueError("only softmax heads")
        self.mask = at["mask"]
        self.scale = unquote(at["scale"]) if "scale" in at else "1"
        self.rows = {"query": [], "key": [], "value": [], "output": []}


class Model:
    def __init__(self, text):
        self.embedding, self.positions, self.layers, self.alphabet = {}, {}, [], []
        self.channels = 0
        for line in text.splitlines():
            words = WORD.findall(line)
            self.read_line(words[0], words[1:])

    @staticmethod
    def terms(words):
        return [(int(c), number(w)) for c, w in (word.split(":") for word in words)]

    def read_line(self, word, rest):
        if word == "alphabet":
            self.alphabet = [unquote(x) for x in rest]
        elif word == "end":
            self.has_end = rest[0] == "yes"
        elif word == "at":
            self.at_first = rest[0] == "first"
        elif word == "channel":
            self.channels += 1
            if len(rest) > 2:
                self.positions[int(rest[0])] = unquote(rest[3])
        elif word == "embed":
            key = rest[0] if rest[0] in ("start", "end") else ("letter", unquote(rest[0]))
            self.embedding[key] = self.terms(rest[1:])
        elif word == "layer":
            self.layers.append(([], []))
        elif word == "head":
            self.layers[-1][0].append(Head(rest))
        elif word in ("query", "key", "value", "output"):
            self.layers[-1][0][-1].rows[word].append(self.terms(rest))
        elif word == "unit":
            arrow = rest.index("->")
            self.layers[-1][1].append((number(rest[0]), self.terms(rest[1:arrow]), self.terms(rest[arrow + 1:])))
        elif word == "read":
            self.read = self.terms(rest)

    def matrix(self, rows):
        """[channels][rows]"""
        m = np.zeros((self.channels, len(rows)))
        for r, terms in enumerate(rows):
            for channel, weight in terms:
                m[channel, r] += weight
        return m

    def embed(self, string):
        """x [N][channels] and N"""
        n = len(string)
        size = n + 1 + self.has_end
        x = np.zeros((size, self.channels))
        values = {"i": np.arange(size, dtype=np.float64), "n": float(n), "N": float(size)}
        for channel, text in self.positions.items():
            x[:, channel] = Expression(text, values).sum()
        letters = np.zeros((len(self.alphabet), self.channels))
        for k, letter in enumerate(self.alphabet):
            for channel, weight in self.embedding["letter", letter]:
                letters[k, channel] = weight
        numbers = {letter: k for k, letter in enumerate(self.alphabet)}
        x[1:n + 1] += letters[[numbers[c] for c in string]]
        for row, key in ((0, "start"), (size - 1, "end"))[:1 + self.has_end]:
            for channel, weight in self.embedding[key]:
                x[row, channel] += weight
        return x

    def weights(self, size):
        """Dense matrices for N = size: [([(mask, Wq with the scale, Wk, Wv, Wo)], W1, b1, W2)], and the read vector."""
        values = {"n": float(size - 1 - self.has_end), "N": float(size)}
        layers = []
        for heads, units in self.layers:
            dense = [(h.mask, self.matrix(h.rows["query"]) * Expression(h.scale, values).sum(),
                      self.matrix(h.rows["key"]), self.matrix(h.rows["value"]), self.matrix(h.rows["output"]).T)
                     for h in heads]
            layers.append((dense, self.matrix([u[1] for u in units]), np.array([u[0] for u in units]),
                           self.matrix([u[2] for u in units]).T))
        return layers, self.matrix([self.read])


# ---- PyTorch ----

BLOCK = 128


def torch_head(x, mask, wq, wk, wv, wo, corners):
    size = x.shape[0]
    q, k, v = x @ wq, x @ wk, x @ wv
    out = torch.empty_like(v)
    for first in range(0, size, BLOCK):
        end = min(first + BLOCK, size)
        keys = slice(0, size) if mask == "all" else slice(0, end) if mask[1] == "<" else slice(first, size)
        scores = q[first:end] @ k[keys].T if q.shape[1] else x.new_zeros((end - first, keys.stop - keys.start))
        if mask != "all":
            part = slice(first, end) if mask[1] == "<" else slice(0, end - first)
            scores[:, part] += corners[mask][:end - first, :end - first]
        torch.matmul(torch.softmax(scores, -1), v[keys], out=out[first:end])
    if mask in ("j<i", "j>i"):
        out[0 if mask == "j<i" else size - 1] = 0  # sees nothing
    return out @ wo


class TorchModel:
    def __init__(self, model, size, dtype):
        def make(array):
            return torch.from_numpy(np.ascontiguousarray(array)).to(dtype)
        layers, read = model.weights(size)
        self.layers = [([(mask, *map(make, matrices)) for mask, *matrices in heads], make(w1), make(b1), make(w2))
                       for heads, w1, b1, w2 in layers]
        self.read = make(read)
        hidden = torch.full((BLOCK, BLOCK), -torch.inf, dtype=dtype)
        self.corners = {"j<=i": hidden.triu(1), "j<i": hidden.triu(0), "j>=i": hidden.tril(-1), "j>i": hidden.tril(0)}

    def run(self, x):
        """The answer at every position."""
        for heads, w1, b1, w2 in self.layers:
            if heads:
                x = x + sum(torch_head(x, *head, self.corners) for head in heads)
            if w1.shape[1]:
                x = x + torch.relu(x @ w1 + b1) @ w2
        return (x @ self.read)[:, 0] > 0.5


# ---- onnxruntime ----


def load_onnx(server, name, threads, kind, model, x):
    """The same layers as one graph, heads written out: MatMul, Add (mask), Softmax, MatMul. Its output is read . x at
    every position."""
    size, channels = x.shape
    dtype = ort.NUMPY_TYPE[kind]
    layers, read = model.weights(size)
    nodes, initializers, masks = [], [], {}

    def constant(array):
        label = f"c{len(initializers)}"
        initializers.append((label, np.ascontiguousarray(array, dtype)))
        return label

    def node(op, *inputs, **attributes):
        label = f"t{len(nodes)}"
        nodes.append(helper.make_node(op, list(inputs), [label], **attributes))
        return label

    stream = "x"
    for heads, w1, b1, w2 in layers:
        before = stream
        for mask, wq, wk, wv, wo in heads:
            masks[mask] = "mask" + str(["all", "j<i", "j<=i", "j>i", "j>=i"].index(mask))
            scores = masks[mask]
            if wq.shape[1]:
                keys = node("Transpose", node("MatMul", before, constant(wk)), perm=[1, 0])
                scores = node("Add", node("MatMul", node("MatMul", before, constant(wq)), keys), scores)
            out = node("MatMul", node("Softmax", scores, axis=-1), node("MatMul", before, constant(wv)))
            if mask in ("j<i", "j>i"):
                sees = np.ones((size, 1))
                sees[0 if mask == "j<i" else size - 1] = 0
                out = node("Mul", out, constant(sees))
            stream = node("Add", stream, node("MatMul", out, constant(wo)))
        if w1.shape[1]:
            hidden = node("Relu", node("Add", node("MatMul", stream, constant(w1)), constant(b1)))
            stream = node("Add", stream, node("MatMul", hidden, constant(w2)))
    answer = node("MatMul", stream, constant(read))
    inputs = {"x": (kind, [size, channels]), **{label: (kind, [size, size]) for label in masks.values()}}
    path = os.path.join(server.work, f"{name}.onnx".replace(" ", "_"))
    ort.save_graph(path, nodes, inputs, (answer, kind, [size, 1]), initializers)
    feeds = {"x": server.input("x", x.astype(dtype))}
    for mask, label in masks.items():
        feeds[label] = {"mask": mask, "type": ort.NODE_TYPE[kind], "shape": [size, size]}
    server.load(name, path, threads, feeds)
    return len(masks)
