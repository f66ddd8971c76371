"""One dense causal softmax head, by everybody."""
import ctypes
import math

import numpy as np
import torch

import measure
import ort
from measure import say

CASES = [(8, "f32"), (16, "f32"), (64, "f32"), (8, "f64")]
BLOCKS = (64, 128, 256)  # of queries, for chunked PyTorch; the fastest is used
# What skips masked keys: the others take seconds a call at the longest length, and are left out there in a quick run.
SKIPPERS = ("PyTorch chunked", "PyTorch flash", "PyTorch FlexAttention", "onnxruntime GroupQueryAttention")


class Temper:
    """build/bench/libbench.so"""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.bench_kernels_name.restype = ctypes.c_char_p
        self.kernels = self.library.bench_kernels_name().decode()

    def head(self, out, q, k, v, kind, threads, reference=0):
        n, d = q.shape
        function = getattr(self.library, "bench_head_" + kind)
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (out, q, k, v)]
        if function(*pointers, ctypes.c_size_t(n), ctypes.c_size_t(d), threads, reference):
            raise MemoryError("bench_head")

    def head_afresh(self, out, q, k, v, kind):
        """With the buffer that is otherwise kept from call to call made anew."""
        self.library.bench_forget()
        self.head(out, q, k, v, kind, 1)

    def plain(self, out, q, k, v, kind):
        n, d = q.shape
        scores = np.empty(n, q.dtype)
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (out, q, k, v, scores)]
        getattr(self.library, "bench_plain_" + kind)(*pointers, ctypes.c_size_t(n), ctypes.c_size_t(d))


def torch_explicit(q, k, v, mask, scale):
    scores = (q * scale) @ k.T
    scores += mask
    return torch.softmax(scores, -1) @ v


def torch_chunked(q, k, v, corner, scale, block):
    """By blocks of queries, each with the keys it needs; only the last block of keys has a mask."""
    n = q.shape[0]
    out = torch.empty_like(v)
    q = q * scale
    for first in range(0, n, block):
        end = min(first + block, n)
        scores = q[first:end] @ k[:end].T
        scores[:, first:] += corner[:end - first, :end - first]
        torch.matmul(torch.softmax(scores, -1), v[:end], out=out[first:end])
    return out


def torch_flash(q, k, v):
    """Its kernel for processors works by tiles, as FlashAttention does."""
    return torch.nn.functional.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], is_causal=True)[0, 0]


def torch_compiled(n, d):
    """The explicit head, fused by torch.compile."""
    scale = 1 / math.sqrt(d)
    return torch.compile(lambda q, k, v, mask: torch.softmax((q * scale) @ k.T + mask, -1) @ v, dynamic=False)


def torch_flex(n):
    """FlexAttention, which skips blocks of masked keys."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    blocks = create_block_mask(lambda _b, _h, i, j: i >= j, 1, 1, n, n, device="cpu")
    attend = torch.compile(flex_attention, dynamic=False)
    return lambda q, k, v: attend(q[None, None], k[None, None], v[None, None], block_mask=blocks)[0, 0]


def causal_mask(n, dtype):
    return torch.full((n, n), -math.inf, dtype=dtype).triu_(1)


def rounds_for(n, quick):
    rounds = {1024: 40, 2048: 25, 4096: 21, 8192: 7, 16384: 4}[n]
    return max(3, rounds // 4) if quick else rounds


def contenders_of(temper, server, kind, q, k, v, threads, skipped, all_ways):
    """{name: (run once and return seconds, give the output)}; without all_ways only those that skip masked keys"""
    n, d = q.shape
    out = np.empty_like(q)
    tq, tk, tv = (torch.from_numpy(x) for x in (q, k, v))
    scale = 1 / math.sqrt(d)
    corner = causal_mask(max(BLOCKS), tq.dtype)
    all_of = {}

    def add(name, function):
        all_of[name] = (lambda: measure.timed(function), function)

    def run_temper():
        temper.head(out, q, k, v, kind, threads)
        return out

    def run_plain():
        temper.plain(out, q, k, v, kind)
        return out

    add("temper", run_temper)
    mask = None
    needed = n * n * q.itemsize * 4 // 1024
    if all_ways and needed < measure.available_kib() * 0.8:
        mask = causal_mask(n, tq.dtype)
        add("PyTorch explicit", lambda: torch_explicit(tq, tk, tv, mask, scale).numpy())
    else:
        skipped.append("PyTorch explicit")
    speed = {block: min(measure.timed(lambda: torch_chunked(tq, tk, tv, corner, scale, block)) for _ in range(3))
             for block in BLOCKS}
    block = min(speed, key=speed.get)
    add("PyTorch chunked", lambda: torch_chunked(tq, tk, tv, corner, scale, block).numpy())
    add("PyTorch flash", lambda: torch_flash(tq, tk, tv).numpy())
    add_compiled(add, skipped, tq, tk, tv, mask)
    for name, load, kinds in ort.HEADS:
        if kind not in kinds:
            continue
        if name not in SKIPPERS and not all_ways:
            skipped.append(name)
            continue
        if needed > measure.available_kib() * 0.8:
            skipped.append(name)
            continue
        try:
            load(server, name, threads, kind, q, k, v)
        except RuntimeError as error:
            say(f"  {name}: {error}")
            skipped.append(name)
            continue
        all_of[name] = (lambda name=name: server.run(name), lambda name=name: server.output(name, kind).reshape(n, d))
    if threads == 1 and all_ways:
        add("plain C loop", run_plain)
    return all_of


def add_compiled(add, skipped, q, k, v, mask):
    """What torch.compile makes: it needs a C++ compiler, and refuses what it cannot do."""
    n, d = q.shape
    for name, make, inputs in (("PyTorch compiled", lambda: torch_compiled(n, d), (q, k, v, mask)),
                               ("PyTorch FlexAttention", lambda: torch_flex(n), (q, k, v))):
        try:
            if any(x is None for x in inputs):
                raise RuntimeError("left out, as its mask is")
            function = make()
            function(*inputs)  # compiles
            add(name, lambda function=function, inputs=inputs: function(*inputs).numpy())
        except Exception as error:  # torch raises many kinds
            say(f"  {name}: {str(error).splitlines()[0][:120]}")
            skipped.append(name)


def compare(all_of):
    """The largest difference from the plain loop, or from temper where that does not take part."""
    reference = all_of.get("plain C loop", all_of["temper"])[1]().copy()
    return {name: float(np.abs(output() - reference).max()) for name, (_, output) in all_of.items()}


def memory_of(temper, work, kind, q, k, v):
    """Peak memory in KiB above what was there before, inputs and masks included, each alone: {name: KiB}."""
    n, d = q.shape
    out = np.empty_like(q)
    tq, tk, tv = (torch.from_numpy(x) for x in (q, k, v))
    scale = 1 / math.sqrt(d)
    peaks = {
        "temper": measure.peak_growth(lambda: temper.head_afresh(out, q, k, v, kind)),
        "plain C loop": measure.peak_growth(lambda: temper.plain(out, q, k, v, kind)),
        "PyTorch chunked": measure.peak_growth(
            lambda: torch_chunked(tq, tk, tv, causal_mask(128, tq.dtype), scale, 128)),
        "PyTorch explicit": measure.peak_growth(
            lambda: torch_explicit(tq, tk, tv, causal_mask(n, tq.dtype), scale)),
        "PyTorch flash": measure.peak_growth(lambda: torch_flash(tq, tk, tv)),
    }
    for name, load, kinds in ort.HEADS:
        if kind not in kinds:
            continue
        server = ort.Server(work)
        try:
            before = server.ask(do="memory")["rss"]
            load(server, name, 1, kind, q, k, v)
            server.run(name)
            peaks[name] = server.ask(do="memory")["peak"] - before
        except RuntimeError as error:
            say(f"  memory of {name}: {error}")
        server.close()
    return peaks


def run(results, temper, server, work, quick, thread_counts):
    lengths = (1024, 4096, 16384) if quick else (1024, 2048, 4096, 8192, 16384)
    memory_cases = CASES[:1] if quick else CASES
    random = np.random.default_rng(1)
    say(f"dense causal heads (kernels: {temper.kernels})")
    for d, kind in CASES:
        for n in lengths:
            q, k, v = (random.standard_normal((n, d)).astype(ort.NUMPY_TYPE[kind]) for _ in range(3))
            peaks = {}
            if n == 4096 and (d, kind) in memory_cases:
                peaks = memory_of(temper, work, kind, q, k, v)
            for threads in thread_counts[:1] if quick and n < 4096 else thread_counts:
                torch.set_num_threads(threads)
                skipped = []
                all_of = contenders_of(temper, server, kind, q, k, v, threads, skipped, not quick or n <= 4096)
                differences = compare(all_of)
                times = measure.interleave({name: once for name, (once, _) in all_of.items()}, rounds_for(n, quick),
                                           0.002 if threads == 1 else 0.02, 1 if quick else 3)
                server.ask(do="free")
                for name, seconds in times.items():
                    results.add("head", f"d={d} {kind}", name, seconds, type=kind, d=d, n=n, threads=threads,
                                peak_kib=peaks.get(name, "") if threads == 1 else "",
                                note=f"difference {differences[name]:.1e}")
                for name in skipped:
                    results.add("head", f"d={d} {kind}", name, type=kind, d=d, n=n, threads=threads, note="not run")
                wrong = [name for name, x in differences.items() if not x < (1e-4 if kind == "f32" else 1e-6)]
                best = min((min(seconds), name) for name, seconds in times.items() if name != "temper")
                say(f"  d={d} {kind} n={n} threads={threads}: temper {min(times['temper']) * 1e3:.2f} ms, "
                    f"fastest other {best[0] * 1e3:.2f} ms ({best[1]}); largest difference {max(differences.values()):.1e}")
                if wrong:
                    raise SystemExit(f"bench: these disagree with the plain loop: {', '.join(wrong)}")
    torch.set_num_threads(1)
