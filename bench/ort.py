"""onnxruntime and JAX: the graphs of one causal head, and the process that runs them."""
import json
import math
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
ONNX_TYPE = {"f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE}
NODE_TYPE = {"f32": "float32", "f64": "float64"}
NUMPY_TYPE = {"f32": np.float32, "f64": np.float64}


def save_graph(path, nodes, inputs, output, initializers=()):
    """inputs: {name: (type, shape)}; output: (name, type, shape)."""
    graph = helper.make_graph(
        nodes, "bench",
        [helper.make_tensor_value_info(name, ONNX_TYPE[kind], shape) for name, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(output[0], ONNX_TYPE[output[1]], output[2])],
        [numpy_helper.from_array(array, name) for name, array in initializers])
    model = helper.make_model(graph, opset_imports=OPSETS)
    model.ir_version = 8
    onnx.save(model, path)


class Server:
    """ort_server.py. Every request waits for its answer, so nothing else runs meanwhile."""

    def __init__(self, work):
        self.work = work
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ort_server.py")
        one_thread = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        self.process = subprocess.Popen([sys.executable, "-B", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "XLA_FLAGS": one_thread, "JAX_PLATFORMS": "cpu"})

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the process ended")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def file_of(self, name, array):
        path = os.path.join(self.work, name + ".bin")
        np.ascontiguousarray(array).tofile(path)
        return path

    def input(self, name, array):
        kind = {np.dtype("float32"): "float32", np.dtype("float64"): "float64"}[array.dtype]
        return {"file": self.file_of(name, array), "type": kind, "shape": list(array.shape)}

    def load(self, name, model, threads, inputs):
        self.ask(do="load", id=name, model=model, threads=threads, inputs=inputs)

    def run(self, name):
        return self.ask(do="run", id=name)["seconds"]

    def output(self, name, kind):
        path = os.path.join(self.work, "output.bin")
        shape = self.ask(do="save", id=name, file=path)["shape"]
        return np.fromfile(path, NUMPY_TYPE[kind]).reshape(shape)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


# ---- one causal head; loaded into the server under a name ----


def load_explicit(server, name, threads, kind, q, k, v):
    """softmax(q k^T / sqrt d + mask) v"""
    n, d = q.shape
    path = os.path.join(server.work, "explicit.onnx")
    scale = np.array(1 / math.sqrt(d), NUMPY_TYPE[kind])
    nodes = [
        helper.make_node("Mul", ["q", "scale"], ["qs"]),
        helper.make_node("Transpose", ["k"], ["kt"], perm=[1, 0]),
        helper.make_node("MatMul", ["qs", "kt"], ["s"]),
        helper.make_node("Add", ["s", "mask"], ["m"]),
        helper.make_node("Softmax", ["m"], ["w"], axis=-1),
        helper.make_node("MatMul", ["w", "v"], ["out"]),
    ]
    inputs = {x: (kind, [n, d]) for x in "qkv"}
    inputs["mask"] = (kind, [n, n])
    save_graph(path, nodes, inputs, ("out", kind, [n, d]), [("scale", scale)])
    feeds = {"q": server.input("q", q), "k": server.input("k", k), "v": server.input("v", v),
             "mask": {"mask": "j<=i", "type": NODE_TYPE[kind], "shape": [n, n]}}
    server.load(name, path, threads, feeds)


def load_attention(server, name, threads, kind, q, k, v):
    """com.microsoft Attention projects its input itself: here by the identity, which costs next to nothing."""
    n, d = q.shape
    path = os.path.join(server.work, "attention.onnx")
    x = np.concatenate([q, k, v], 1)[None]
    node = helper.make_node("Attention", ["x", "weights", "bias"], ["out"], domain="com.microsoft", num_heads=1,
                            unidirectional=1)
    save_graph(path, [node], {"x": (kind, list(x.shape))}, ("out", kind, [1, n, d]),
               [("weights", np.eye(3 * d, dtype=np.float32)), ("bias", np.zeros(3 * d, np.float32))])
    server.load(name, path, threads, {"x": server.input("x", x)})


def load_multi_head(server, name, threads, kind, q, k, v):
    n, d = q.shape
    path = os.path.join(server.work, "multihead.onnx")
    node = helper.make_node("MultiHeadAttention", ["q", "k", "v"], ["out"], domain="com.microsoft", num_heads=1,
                            unidirectional=1)
    save_graph(path, [node], {x: (kind, [1, n, d]) for x in "qkv"}, ("out", kind, [1, n, d]))
    feeds = {x: server.input(x, array[None]) for x, array in (("q", q), ("k", k), ("v", v))}
    server.load(name, path, threads, feeds)


def load_group_query(server, name, threads, kind, q, k, v):
    """Always causal; meant for decoding, but it takes a whole prompt too."""
    n, d = q.shape
    path = os.path.join(server.work, "groupquery.onnx")
    node = helper.make_node("GroupQueryAttention", ["q", "k", "v", "", "", "last", "total"], ["out"],
                            domain="com.microsoft", num_heads=1, kv_num_heads=1)
    save_graph(path, [node], {x: (kind, [1, n, d]) for x in "qkv"}, ("out", kind, [1, n, d]),
               [("last", np.array([n - 1], np.int32)), ("total", np.array(n, np.int32))])
    feeds = {x: server.input(x, array[None]) for x, array in (("q", q), ("k", k), ("v", v))}
    server.load(name, path, threads, feeds)


def load_jax(server, name, threads, kind, q, k, v):
    """XLA's own threads cannot be chosen later, so it runs with one."""
    if threads != 1:
        raise RuntimeError("runs with one thread only")
    server.ask(do="jax", id=name, inputs={x: server.input(x, array) for x, array in (("q", q), ("k", k), ("v", v))})


# name, loader, types it can do
HEADS = [
    ("onnxruntime explicit", load_explicit, ("f32", "f64")),
    ("onnxruntime Attention", load_attention, ("f32",)),
    ("onnxruntime MultiHeadAttention", load_multi_head, ("f32",)),
    ("onnxruntime GroupQueryAttention", load_group_query, ("f32",)),
    ("JAX", load_jax, ("f32", "f64")),
]
