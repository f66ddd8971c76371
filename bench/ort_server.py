"""onnxruntime, and JAX, behind a pipe: one JSON request a line in, one JSON answer a line out. The driver decides whose turn it is.

    {"do": "load", "id": I, "model": FILE, "threads": K, "inputs": {name: {"file": F, "type": T, "shape": [..]}
                                                                   | {"mask": "j<=i", "type": T, "shape": [n, n]}}}
    {"do": "jax", "id": I, "inputs": {"q": .., "k": .., "v": ..}}   one causal head, compiled by XLA
    {"do": "run", "id": I}             -> {"seconds": S}
    {"do": "save", "id": I, "file": F} -> one run whose first output is written as raw bytes, {"shape": [..]}
    {"do": "memory"}                   -> {"rss": KIB, "peak": KIB}
    {"do": "free"}                     forgets all that was loaded

XLA asks for the number of its threads when it starts, so JAX takes part with one thread only: XLA_FLAGS is set by the driver."""
import gc
import json
import re
import sys
import time

import numpy as np
import onnxruntime

TYPES = {"float32": np.float32, "float64": np.float64}
loaded = {}  # id: a function that gives the first output


def mask(kind, dtype, shape):
    """0 where row i sees column j, a large negative number elsewhere."""
    i, j = np.arange(shape[0])[:, None], np.arange(shape[1])[None, :]
    seen = {"all": j >= 0, "j<i": j < i, "j<=i": j <= i, "j>i": j > i, "j>=i": j >= i}[kind]
    return np.where(seen, dtype(0), dtype(-1e37 if dtype == np.float32 else -1e300))


def tensor(given):
    dtype = TYPES[given["type"]]
    if "mask" in given:
        return mask(given["mask"], dtype, given["shape"])
    return np.fromfile(given["file"], dtype).reshape(given["shape"])


def load(request):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = request["threads"], 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(request["model"], options, providers=["CPUExecutionProvider"])
    feeds = {name: tensor(given) for name, given in request["inputs"].items()}
    loaded[request["id"]] = lambda: session.run(None, feeds)[0]
    return {}


def load_jax(request):
    import jax

    jax.config.update("jax_enable_x64", True)
    q, k, v = (jax.numpy.asarray(tensor(request["inputs"][name]))[None, :, None, :] for name in "qkv")
    head = jax.jit(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True))
    loaded[request["id"]] = lambda: np.asarray(head(q, k, v).block_until_ready())[0, :, 0, :]
    return {}


def run(request):
    start = time.perf_counter()
    loaded[request["id"]]()
    return {"seconds": time.perf_counter() - start}


def save(request):
    output = loaded[request["id"]]()
    np.ascontiguousarray(output).tofile(request["file"])
    return {"shape": list(output.shape)}


def memory(_):
    with open("/proc/self/status", encoding="ascii") as file:
        status = file.read()
    return {name: int(re.search(field + r":\s*(\d+)", status)[1]) for name, field in (("rss", "VmRSS"), ("peak", "VmHWM"))}


def version(_):
    try:
        import jax
        other = jax.__version__
    except ImportError:
        other = ""
    return {"version": onnxruntime.__version__, "jax": other}


def free(_):
    loaded.clear()
    gc.collect()
    return {}


ACTIONS = {"load": load, "jax": load_jax, "run": run, "save": save, "memory": memory, "version": version, "free": free}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = ACTIONS[asked["do"]](asked)
    except Exception as error:  # whatever a library raises becomes an answer
        answer = {"error": str(error).split("\n", maxsplit=1)[0][:300]}
    print(json.dumps(answer), flush=True)
