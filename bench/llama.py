"""Compiled models as ordinary GPT-2s in llama.cpp, whose attention has norms, GELU and a cache around it; beside temper's own run."""
import json
import os
import subprocess

import models
from measure import say

# Those of models.py that look back: of counts a GPT-2 with an f32 cache goes far enough.
SPECIFICATIONS = [(name, formula) for name, formula in models.MODELS if name != "PARITY"]


def version(folder):
    if not folder:
        return "not there"
    with open(os.path.join(folder, "node_modules", "node-llama-cpp", "package.json"), encoding="utf-8") as file:
        return json.load(file)["version"]


def export(spawner, formula, n, folder):
    """Whether there is such a model."""
    command = [spawner.temper, "export", "-f", formula, "--alphabet", "abc", "--as", "gpt2", "--length", str(n), "--kv", "f32", "-o", folder]
    return spawner.run(command, target=os.devnull)[0][4] == 0


def run(results, spawner, modules, work, quick, thread_counts):
    say("compiled models as ordinary GPT-2s in llama.cpp")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "llama_bench.mjs")
    for name, formula in SPECIFICATIONS:
        for n in (1024,) if quick else (1024, 4096):
            folder = os.path.join(work, f"gpt2-{name}-{n}")
            if not export(spawner, formula, n, folder):
                results.add("model", name, "llama.cpp f32", type="f32", n=n, threads=1, note="not run: there is no such GPT-2")
                continue
            string = models.string_of(n)
            said = subprocess.run([spawner.temper, "eval", "-f", formula, "--alphabet", "abc", "--", string], stdout=subprocess.PIPE, text=True,
                                  check=False).stdout.split("\t")[0]
            for threads in thread_counts[:1] if quick else thread_counts:
                done = subprocess.run(["node", script, modules, os.path.join(folder, "model.gguf"), string, str(threads), "3" if quick else "7"],
                                      stdout=subprocess.PIPE, text=True, check=False)
                if done.returncode:
                    results.add("model", name, "llama.cpp f32", type="f32", n=n, threads=threads, note="not run: llama.cpp failed")
                    say(f"  {name} n={n}: llama.cpp ended with status {done.returncode}")
                    continue
                answer = json.loads(done.stdout.splitlines()[-1])
                same = answer["accept"] == (said == "accept")
                results.add("model", name, "llama.cpp f32", answer["seconds"], type="f32", n=n, threads=threads,
                            note="the same verdict" if same else "another verdict")
                say(f"  {name} n={n} threads={threads}: llama.cpp {min(answer['seconds']) * 1e3:.1f} ms")
                if not same:
                    raise SystemExit(f"bench: llama.cpp has another verdict on {name}, n = {n}")
