#!/usr/bin/env python3
"""What C leaves the order of open: nodes of ONNX graphs that are made in two arguments of one call, and random numbers on both sides
of an assignment.

Otherwise compilers name nodes and draw strings differently, and results are not the same everywhere (make test-platforms)."""
import glob
import re
import sys

FILES = ["src/export/onnx.c", "src/export/onnx_heads.c", "src/ordinary/write/ordinary_onnx.c", "src/export/graph_expression.c"]
CALL = re.compile(r"\b(?!if|for|while|switch|return|sizeof)([a-z_]\w*)\(")
MAKES = re.compile(r"\b[a-z_]\w*\((?:&?[bdg]|[bd]->g)\s*,")


def arguments(text, at):
    """The arguments of the call whose bracket opens at `at`; texts and characters do not count."""
    depth, start, found = 0, at + 1, []
    for k in range(at, len(text)):
        if text[k] in "([{":
            depth += 1
        elif text[k] in ")]}":
            depth -= 1
            if depth == 0:
                return found + [text[start:k]]
        elif text[k] == "," and depth == 1:
            found.append(text[start:k])
            start = k + 1
    return found


failed = calls = 0
for path in FILES:
    with open(path, encoding="utf-8") as f:
        code = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', lambda m: re.sub(r"[^\n]", "_", m.group()), f.read(), flags=re.S)
    for m in CALL.finditer(code):
        calls += 1
        if sum(bool(MAKES.search(a)) for a in arguments(code, m.end() - 1)) > 1:
            failed += 1
            print(f"{path}:{code.count(chr(10), 0, m.start()) + 1}: {m.group(1)} makes nodes in two arguments: make one before")
RANDOM = r"\b(?:below|sample_\w+|random_\w+|letter|any_letter)\("
BOTH_SIDES = re.compile(r"\[[^\]=;]*" + RANDOM + r"[^;]*\] [-+*]?= [^;]*" + RANDOM)
for path in sorted(glob.glob("src/**/*.c", recursive=True) + glob.glob("lab/*.c")):
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if BOTH_SIDES.search(line):
                failed += 1
                print(f"{path}:{number}: random numbers on both sides of an assignment: draw the place before")
print(f"order: {calls - failed} passed, {failed} failed")
sys.exit(failed > 0 or calls == 0)
