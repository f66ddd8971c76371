# %% [markdown]
# # temper in Python: from a formula to a transformer that can be trusted
#
# This file is a notebook in plain Python: editors that know `# %%` show it cell by cell, and `python3 python/tutorial.py` runs it
# from top to bottom. A comment `# ->` says what the line prints; the tests run the file and compare.

# %% [markdown]
# ## 1. A language
#
# A specification says which strings are in a language. `H(b -> O a)` is temporal logic: H, always so far; O, once. In words: every b
# has an a at or before it. The formula can answer for itself; that is the oracle for everything below.

# %%
import tempfile
from pathlib import Path

import numpy as np

import temper

formula = temper.parse("H(b -> O a)", alphabet="abc")
print(formula.eval(["caab", "cab", "cba"]))             # -> [ True  True False]
print(formula.truth("cba"))                             # -> [ True False False]

# %% [markdown]
# ## 2. A transformer
#
# `compile` makes a transformer of it: an ordinary one, with softmax attention and feed-forward layers. Nothing is trained; the
# weights follow from the formula. `run` takes strings, lists of letters or arrays of letter numbers, and returns numpy arrays. `truth`
# is the answer at every position, not only at the last one.

# %%
model = temper.compile(formula)
print(model)                                            # -> <temper.Model 'H(b -> O a)', temperature: 2 layers, 2 heads, 6 channels>
print(model.run(["caab", "cab", "cba"]))                # -> [ True  True False]
print(model.truth("cba"))                               # -> [ True False False]

# %% [markdown]
# How far does "the same answers" go? Softmax leaks: no weight is ever exactly zero. But the leak has a bound, the feed-forward layer
# rounds it away, and rounding in floating point is counted in. The result is a length up to which every string is answered
# correctly, in f64 and in f32. Longer strings are refused rather than answered wrongly.

# %%
print(model.proved_length())                            # -> 1099511627776
print(model.proved_length("f32"))                       # -> 2410413

# %% [markdown]
# A million letters take a moment, since every head of a compiled formula needs only one pass over the string.

# %%
print(model.run("c" + "ab" * 500_000))                  # -> True
print(model.truth("cb" + "ab" * 500_000).sum())         # -> 1

# %% [markdown]
# ## 3. What is inside
#
# `explain` says where each subformula is. Here, `O a` is head 1 of layer 1, and the whole formula is head 1 of layer 2.

# %%
about = model.explain()
print([(part.formula, part.layer) for part in about.parts if part.head])  # -> [('O a', 1), ('H (b -> O a)', 2)]
print(about.heads[0].scale)                             # -> ln(N) + 8

# %% [markdown]
# The scale grows with the logarithm of the length: that keeps the leak below a bound that does not depend on the length. `attention`
# shows it at work. `attention[0]` is the first layer, an array [head, query, key]; position 0 is the start sentinel `^`. The b at the
# end of "caab" looks at both a's, half and half, and a little weight goes astray. The head's value there is therefore not 1 but a
# little less, which the next layer never sees, because it is rounded before.

# %%
attention = model.attention("caab")
print(attention.positions)                              # -> ['^', 'c', 'a', 'a', 'b']
print(attention.labels[0])                              # -> ['O a']
print(attention[0][0, 4].round(4))                      # -> [0.     0.     0.4999 0.4999 0.    ]
print(attention.outputs[0][0][4, 0].round(4))           # -> 0.9999
print(attention.channels[1][:, 5])                      # -> [0. 1. 1. 1. 1.]

# %% [markdown]
# The last line is a channel of the residual stream after the first layer: `b -> O a`, exactly 0.0 or 1.0 at each position (the sentinel
# has 0). Errors do not add up over layers, because every layer starts from exact truth values.
#
# For looking there are pictures, too: `model.draw("caab")` for the terminal, and `"svg"` or `"html"` for files.

# %%
print(model.draw("caab", layer=1).splitlines()[-3])     # -> 4 b  . . # # .

# %% [markdown]
# ## 4. Should one believe it?
#
# First, by trying. `check` compares the formula, the transformer with hard attention and the one with softmax, at every position of all short
# strings and of many random ones. It also finds differences, and shows a shortest string that has one.

# %%
print(model.check().strings)                            # -> 2093
difference = model.check("O a")
print(repr(difference.counterexample), difference.left, difference.left_value)  # -> 'c' formula False

# %% [markdown]
# Two models can be compared as well. Sharp softmax can come from its scale ("temperature") or from growing position embeddings
# ("positions"); both must agree.

# %%
print(bool(model.check(temper.compile(formula, method="positions"))))  # -> True

# %% [markdown]
# Second, by proof. A certificate claims the answers for every string up to a length in a number format, with a bound for each head. It is a
# JSON file that names the model's bytes, and `audit` checks it with code that shares nothing with the code that made it.

# %%
certificate = model.certify(100_000, "f32")
print(certificate.verdict, certificate.length)          # -> proved 100000
print(certificate.heads[0].label, "by", certificate.heads[0].by)  # -> O a by bound
temper.audit(certificate, model)

# %% [markdown]
# Not everything can be proved, and the answer then says why, or shows a string that goes wrong. Eight bits are not enough here:

# %%
print(model.certify(1000, "e4m3").verdict != "proved")  # -> True

# %% [markdown]
# ## 5. Mistakes
#
# Errors are exceptions. One about a place in a text shows the line with a caret under it, as the command line does.

# %%
try:
    temper.compile("H(b -> O)", alphabet="ab")
except temper.SpecSyntaxError as error:
    print(error)
    print((error.line, error.column))                   # -> (1, 9)

try:
    model.run(["cab", "cabbage"])
except temper.RangeError as error:
    print(error.text)                                   # -> unknown letter 'g' at position 6

# %% [markdown]
# ## 6. Counting, and tokens
#
# Counting is part of the language: `#[a]` is how many a's there have been so far. And letters may be words, for logs.

# %%
balanced = temper.compile("#[a] = #[b] & H(#[a] >= #[b])", empty="accept")
print(balanced.run(["", "ab", "aabb", "ba", "aab"]))    # -> [ True  True  True False False]

log = temper.compile("H(grant -> O request)", alphabet="request grant wait", tokens=True)
stream = log.stream()  # one token at a time, in constant memory
print(stream.feed("wait request grant"))                # -> [ True  True  True]
print(log.run(["grant", "wait wait grant request"]))    # -> [False False]

# %% [markdown]
# ## 7. Hard attention in general
#
# Not only formulas: any hard-attention transformer becomes a softmax transformer, right on all strings up to a chosen length. The gallery has
# known ones. How sharp softmax must be depends on the gap between a head's best score and the next; that is found and proved.

# %%
dyck = temper.gallery.model("dyck-1")
soft = dyck.soften(length=16)
print(soft.run(["(()())", "())("]))                     # -> [ True False]
print(soft.info.output_error < soft.info.output_margin) # -> True

# %% [markdown]
# ## 8. Elsewhere
#
# `save` writes text or safetensors. `export` writes a folder for PyTorch, Hugging Face, TransformerLens and ONNX runtimes, and `to_torch`
# takes the same way without leaving files. In every one of them the answers are the same.

# %%
with tempfile.TemporaryDirectory() as room:
    path = Path(room) / "model.safetensors"
    model.save(path)
    print(temper.load(path).text == model.text)         # -> True
    model.export(Path(room) / "out", certificate=certificate)
    print((Path(room) / "out" / "onnx" / "model.onnx").exists()) # -> True

try:
    import torch
except ImportError:
    print("PyTorch is not installed; to_torch needs it")
else:
    module = model.to_torch(torch.float32)
    assert module.answer(["caab", "cba"]) == [True, False]

# %% [markdown]
# Everything that temper says is an array or a plain object, so the usual tools go on from here. How often is a random string of length n in
# the language? Two times in three for a single letter, and soon one time in two: what counts is whether the first a comes before the
# first b.

# %%
random = np.random.default_rng(1)
share = [model.run(random.integers(0, 3, (2000, n))).mean() for n in (1, 4, 16)]
print(np.round(share, 1))                               # -> [0.7 0.5 0.5]
