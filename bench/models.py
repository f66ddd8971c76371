"""Whole compiled models: temper against the same weights run densely, and temper alone on long strings."""
import ctypes
import math
import os
import random

import numpy as np
import torch

import measure
import ort
from dense_model import Model, TorchModel, load_onnx
from measure import say

MODELS = [
    ("since-yesterday", "a S Y(b S Y(c S Y(a S Y(b S Y a))))"),
    ("counting", "#[a] + 2 >= #[b] & 3*#[c] <= #[a]"),
    ("PARITY", "#[a] % 2 = 1"),
]
LONG = [100_000, 1_000_000, 10_000_000]


def string_of(n):
    return "".join(random.Random(n).choices("abc", k=n))


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("line", ctypes.c_size_t), ("column", ctypes.c_size_t),
                ("text", ctypes.c_char * 240), ("hint", ctypes.c_char * 240)]


class Compiled:
    """A model in temper's library."""

    def __init__(self, library, text):
        self.library, self.error = library, Error()
        self.handle = ctypes.c_void_p()
        data = text.encode()
        self.check(library.temper_model_read(ctypes.byref(self.handle), data, ctypes.c_size_t(len(data)), self.err()))

    def err(self):
        return ctypes.byref(self.error)

    def check(self, status):
        if status:
            raise RuntimeError(self.error.text.decode())

    def encode(self, string):
        letters, n = ctypes.c_void_p(), ctypes.c_size_t()
        data = string.encode()
        self.check(self.library.temper_model_encode(ctypes.byref(letters), ctypes.byref(n), self.handle, data,
                                                    ctypes.c_size_t(len(data)), self.err()))
        array = np.ctypeslib.as_array((ctypes.c_uint32 * n.value).from_address(letters.value)).copy()
        self.library.temper_free(letters)
        return array

    def run(self, letters, threads, truth=None, kind="f64"):
        accept = ctypes.c_int()
        into = ctypes.c_void_p(truth.ctypes.data if truth is not None else None)
        self.check(self.library.bench_model_run(ctypes.byref(accept), into, self.handle,
                                                ctypes.c_void_p(letters.ctypes.data), ctypes.c_size_t(len(letters)),
                                                {"f64": 0, "f32": 1}[kind], threads, self.err()))
        return accept.value

    def free(self):
        self.library.temper_model_free(self.handle)


def compare_with_dense(results, name, text, library, server, n, threads, quick):
    """Answers are compared with temper's in f64. The two types take turns apart: both at once would not fit into memory
    for long strings."""
    string = string_of(n)
    model, compiled = Model(text), Compiled(library, text)
    letters = compiled.encode(string)
    x = model.embed(string)
    size = len(x)
    truth = np.zeros(size, np.uint8)
    compiled.run(letters, threads, truth)
    torch.set_num_threads(threads)
    rounds = {1024: 20, 4096: 7, 16384: 3}[n] // (4 if quick else 1)
    seen = {}
    for kind in ("f64", "f32"):
        dtype = {"f64": torch.float64, "f32": torch.float32}[kind]
        dense, tx = TorchModel(model, size, dtype), torch.from_numpy(x).to(dtype)
        contenders = {f"PyTorch {kind}": lambda: measure.timed(lambda: dense.run(tx))}
        notes = {f"PyTorch {kind}": np.count_nonzero(dense.run(tx).numpy()[1:n + 1] != truth[1:n + 1])}
        own = np.zeros(size, np.uint8)
        try:
            compiled.run(letters, threads, own, kind)
            contenders[f"temper {kind}"] = lambda: measure.timed(lambda: compiled.run(letters, threads, kind=kind))
            notes[f"temper {kind}"] = np.count_nonzero(own[1:n + 1] != truth[1:n + 1])
        except RuntimeError as refusal:
            results.add("model", name, f"temper {kind}", type=kind, n=n, threads=threads, note=f"refused: {refusal}")
        kib = size * size * np.dtype(ort.NUMPY_TYPE[kind]).itemsize * 6 // 1024
        who = f"onnxruntime {kind}"
        if kib < measure.available_kib() * 0.9:
            load_onnx(server, who, threads, kind, model, x)
            contenders[who] = lambda: server.run(who)
            notes[who] = np.count_nonzero((server.output(who, kind).reshape(-1) > 0.5)[1:n + 1] != truth[1:n + 1])
        else:
            results.add("model", name, who, type=kind, n=n, threads=threads, note="not run: too little memory")
        for key, seconds in measure.interleave(contenders, rounds, 0.002 if threads == 1 else 0.02,
                                               1 if quick else 5).items():
            seen.setdefault(key, []).extend(seconds)
            seen.setdefault(key + " wrong", notes.get(key, 0))
        server.ask(do="free")
    for key, seconds in seen.items():
        if key.endswith(" wrong"):
            continue
        wrong = seen[key + " wrong"]
        results.add("model", name, key, seconds, type=key[-3:], n=n, threads=threads,
                    note="" if key == "temper f64" else "same answers at all positions" if not wrong
                    else f"other answers at {wrong} of {n} positions")
    compiled.free()
    torch.set_num_threads(1)
    others = [(min(t), k) for k, t in seen.items() if not k.endswith(" wrong") and not k.startswith("temper")]
    say(f"  {name} n={n} threads={threads}: temper {min(seen['temper f64']) * 1e3:.3f} ms, fastest dense "
        f"{min(others)[0] * 1e3:.1f} ms ({min(others)[1]}); " +
        ", ".join(f"{k[:-6]} differs at {w}" for k, w in seen.items() if k.endswith(" wrong") and w))


def long_strings(results, name, path, text, library, spawner, work, threads, limit, quick, has_threads):
    """The command, reading a file, and the library alone; stops when the next length would take over `limit` seconds."""
    compiled = Compiled(library, text)
    history = []
    for n in [16384] + (LONG[:2] if quick else LONG):
        if len(history) >= 2:
            (n1, t1), (n2, t2) = history[-2:]
            power = max(1, math.log(t2 / t1) / math.log(n2 / n1))
            if t2 * (n / n2) ** power > limit:
                results.add("long", name, "temper library", n=n, threads=threads, note="not run: too slow")
                say(f"  {name} n={n}: skipped, {t2:.1f} s at n={n2} already")
                break
        string = string_of(n)
        letters = compiled.encode(string)
        file = os.path.join(work, f"string-{n}.txt")
        with open(file, "w") as f:
            f.write(string + "\n")
        seconds = [measure.timed(lambda: compiled.run(letters, threads))]
        peak = measure.peak_growth(lambda: seconds.append(measure.timed(lambda: compiled.run(letters, threads))))
        if seconds[0] < 2:
            seconds += [measure.timed(lambda: compiled.run(letters, threads)) for _ in range(5)]
        results.add("long", name, "temper library", seconds, type="f64", n=n, threads=threads, peak_kib=peak)
        history = (history + [(n, min(seconds))]) if n > 16384 or not history else history
        if n == 16384:
            shorter = compiled.encode(string_of(4096))
            history.insert(0, (4096, min(measure.timed(lambda: compiled.run(shorter, threads)) for _ in range(3))))
        command = [spawner.temper, "run", path, "--unchecked", "-q", "-"]
        if has_threads:
            command[3:3] = ["--threads", str(threads)]
        runs = spawner.run(command, repeats=5 if min(seconds) < 2 else 1, source=file, timeout=int(limit * 3))
        bad = [r for r in runs if r[4] not in (0, 1)]
        results.add("long", name, "temper run", [r[0] for r in runs if r not in bad], type="f64", n=n, threads=threads,
                    peak_kib=max(r[3] for r in runs), note=f"exit status {bad[0][4]}" if bad else "")
        say(f"  {name} n={n} threads={threads}: library {min(seconds) * 1e3:.2f} ms, "
            f"command {min(r[0] for r in runs) * 1e3:.1f} ms, {max(r[3] for r in runs) / 1024:.1f} MiB")
    compiled.free()


def stream(results, name, path, spawner, work, quick):
    """One letter at a time, a verdict after each."""
    for n in LONG[:2] if quick else LONG:
        runs = spawner.run([spawner.temper, "run", path, "--stream", "--unchecked"], repeats=3,
                           source=os.path.join(work, f"string-{n}.txt"), timeout=300)
        bad = [r for r in runs if r[4] not in (0, 1)]
        results.add("stream", name, "temper run --stream", [r[0] for r in runs if r not in bad], type="f64", n=n,
                    threads=1, peak_kib=max(r[3] for r in runs), note=f"exit status {bad[0][4]}" if bad else "")
        say(f"  {name} stream n={n}: {min(r[0] for r in runs):.3f} s, {max(r[3] for r in runs) / 1024:.1f} MiB")


def run(results, library, server, spawner, work, quick, thread_counts, help_text):
    say("compiled models, against the same weights dense")
    paths = []
    for name, formula in MODELS:
        path = os.path.join(work, name + ".temper")
        done = spawner.run([spawner.temper, "compile", "-f", formula, "--alphabet", "abc", "-o", path])
        if done[0][4]:
            raise SystemExit(f"bench: cannot compile {formula}")
        with open(path) as file:
            paths.append((name, path, file.read()))
    for name, _, text in paths:
        for n in (1024, 4096) if quick else (1024, 4096, 16384):
            for threads in thread_counts[:1] if quick else thread_counts:
                compare_with_dense(results, name, text, library, server, n, threads, quick)
    say("long strings, temper alone")
    for name, path, text in paths:
        for threads in thread_counts[:1] if quick else thread_counts:
            long_strings(results, name, path, text, library, spawner, work, threads, 20 if quick else 60, quick,
                         "--threads" in help_text)
    if "--stream" in help_text:
        for name, path, _ in paths:
            stream(results, name, path, spawner, work, quick)
