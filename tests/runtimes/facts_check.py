"""What doc/ordinary.md, "What is assumed of kernels", says of PyTorch, seen in PyTorch. Those of llama.cpp are seen by llama_facts.mjs,
those of onnxruntime by onnx_facts.py."""
import sys

import torch

U = 2.0**-24
failed = passed = 0


def check(ok, what):
    global failed, passed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"facts_check.py: {what}")


def activations():
    x = torch.cat([torch.linspace(10, 40, 200001), torch.logspace(1, 4.5, 100001).clamp(min=10)])
    for name, act in (("gelu", lambda t: torch.nn.functional.gelu(t, approximate="tanh")), ("gelu_new", new_gelu)):
        check(torch.equal(act(x), x), f"{name}(x) is not x from 10 on")
        check(bool((act(-x) == 0).all()), f"{name}(x) is not 0 up to -10")
    x = torch.cat([torch.linspace(17, 80, 200001), torch.logspace(1.25, 4.5, 100001).clamp(min=17)])
    silu = torch.nn.functional.silu
    check(torch.equal(silu(x), x), "silu(x) is not x from 17 on")
    tail = 1.01 * x.double() * torch.exp(-x.double())
    check(bool((silu(-x).double().abs() <= tail.clamp(min=2.0**-126)).all()), "silu has a longer tail")


def new_gelu(x):
    from transformers.activations import ACT2FN

    return ACT2FN["gelu_new"](x)


def norms():
    for m in range(1, 7):
        x = torch.tensor([2.0 ** (30 - 2 * m)])
        check(torch.rsqrt(x).item() == 2.0 ** (m - 15), f"1/sqrt of {x.item()} is not exact")
    torch.manual_seed(1)
    for width in (64, 256, 1024):
        x = torch.rand(300, width) * 0.2
        x[:, 0] = 2.0**15
        gain = torch.full((width,), 2.0**15 / width**0.5)
        gain[0] = 1 / width**0.5
        y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * gain
        x[:, 0] = 1
        check(torch.equal(x, y), f"the RMS norm of width {width} is not the identity")
    pin = 2.0**13
    for width in (128, 256, 512):
        x = (torch.rand(2000, width) - 0.5) * 2
        x[:, 0], x[:, 1] = pin, -pin
        y = torch.nn.functional.layer_norm(x, (width,), eps=1e-5).double()
        # of each row: y = (x - mean) scale, so that two columns give both
        scale = (y[:, 0] - y[:, 1]) / (2 * pin)
        mean = -((y[:, 0] + y[:, 1]) / 2 / scale)
        exact = x.double()
        true_scale = 1 / torch.sqrt(exact.var(-1, unbiased=False) + 1e-5)
        size = 4 * U * exact.abs().sum(-1)
        off = (mean - exact.mean(-1)).abs()
        check(bool((off <= size + 4 * U * pin).all()), f"the mean of width {width} is off by {off.max().item():.3g}")
        off = (scale / true_scale - 1).abs().max().item()
        check(off <= (width / 2 + 8) * U, f"the scale of width {width} is off by {off:.3g}")


def products():
    torch.manual_seed(2)
    for terms in (4, 16, 64, 256, 1024):
        w, x = torch.randn(50, terms), torch.randn(terms, 40)
        sizes = w.double().abs() @ x.double().abs()
        off = ((w @ x).double() - w.double() @ x.double()).abs()
        check(bool((off <= (terms + 1) * 1.01 * U * sizes).all()), f"a product of {terms} terms")


def turns():
    positions = torch.arange(16385, dtype=torch.float32)
    for k in range(8):
        base, size = 10000.0, 16
        inverse = 1.0 / (base ** (torch.tensor(2.0 * k) / size))
        angle = positions * inverse
        exact = positions.double() * base ** (-2.0 * k / size)
        check(bool(((angle.double() - exact).abs() <= exact * (3 * k + 4) * U).all()), f"the angle of pair {k}")
        for name, f in (("cos", torch.cos), ("sin", torch.sin)):
            off = (f(angle).double() - f(angle.double())).abs().max().item()
            check(off <= 2.0**-22, f"{name} of pair {k} is off by {off:.3g}")


def shares():
    torch.manual_seed(3)
    scores = torch.randn(200, 300) * 20
    exact = torch.softmax(scores.double(), -1)
    off = (torch.softmax(scores, -1).double() - exact).abs()
    # exp of a difference that is rounded: 4u, and the size of the difference times u; then a sum and a division
    allowed = exact * ((scores.max(-1, keepdim=True).values - scores).double() + 310) * U + 2.0**-126
    check(bool((off <= allowed).all()), "shares of a softmax")
    check(bool((torch.softmax(torch.zeros(3, 77), -1) == torch.softmax(torch.zeros(1, 77), -1)[0, 0]).all()), "equal scores")


for part in (activations, norms, products, turns, shares):
    part()
print(f"facts_check.py: {passed} passed, {failed} failed")
sys.exit(failed > 0)
