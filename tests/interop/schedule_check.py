"""The code of temper lab schedules --as pytorch, run in PyTorch: the weights of both functions are those of temper's own head
with the same scale, in every row, and factors are right at long lengths. usage: schedule_check.py BUILD"""
import json
import math
import os
import subprocess
import sys
import warnings

import torch

import checking
from checking import check

temper = os.path.abspath(os.path.join(sys.argv[1], "temper"))
SCALES = ["llama4", "yarn", "yarn:4", "ssmax:0.43", "log", "linear", "log2(N)/3", "1 + 0.1*ln(1 + floor((i + 1)/4))",
          "max(N/4, 1)*sqrt(i + 1) - [i % 3 = 1]/2 + min(n, 3) + ceil2(i)/8", "2 + cos(i) - -(sin(n)) + [2 <= i]", "0.5"]
WORDS = ["a", "ba", "bbabbbab", "abbbbbbbbbbbbbbbbbbbb"]
SIZE = 16  # channels of a head: the base is 4


def said(*arguments):
    done = subprocess.run([temper, *arguments], capture_output=True, text=True)
    check(done.returncode == 0, f"{arguments}: {done.stderr}")
    return done.stdout


def attention(function, word):
    """The weights: what is looked for has a key of length sqrt(d) that is aligned with every query, and values tell positions apart."""
    size = len(word) + 1
    q = torch.zeros(1, 1, size, SIZE, dtype=torch.float64)
    k = torch.zeros_like(q)
    q[..., 0] = math.sqrt(SIZE)
    k[..., 1:, 0] = torch.tensor([math.sqrt(SIZE) if letter == "a" else 0.0 for letter in word], dtype=torch.float64)
    return function(q, k, torch.eye(size, dtype=torch.float64)[None, None])[0, 0]


warnings.simplefilter("ignore")  # flex_attention that is not compiled says that it is slow
for scale in SCALES:
    code = {}
    text = said("lab", "schedules", "--scale", scale, "--as", "pytorch")
    exec(compile(text, scale, "exec"), code)
    expression = code["factor"].__doc__.split(": what")[0]
    for word in WORDS:
        lines = said("show", "-f", "O a", "--alphabet", "ab", "--scale", f"4*({expression})", "--json", word)
        right = torch.tensor(json.loads(lines.splitlines()[0])["weights"], dtype=torch.float64)
        for name in "sdpa", "flex":
            found = attention(code[name], word)
            off = (found - right).abs().max().item()
            check(off < 1e-12, f"{scale}, {name}, {word}: weights are off by {off}")
    if scale == "llama4":
        for i in 8190, 8191, 20000:
            wanted = 1 + 0.1 * math.log(1 + (i + 1) // 8192)
            check(abs(code["factor"](20001)[i].item() - wanted) < 1e-14, f"llama4 at {i}")
print(f"schedule_check, torch {torch.__version__}: {checking.passed} passed, {checking.failed} failed")
sys.exit(checking.failed > 0)
