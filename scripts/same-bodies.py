#!/usr/bin/env python3
"""No two functions of src, lab, cli and mpi have the same body, but those that scripts/same-bodies.reasons lists.

usage: scripts/same-bodies.py [--all]     (--all: also those that are listed)

Two bodies are the same if they are equal without comments and white space, with the parameters named by their order. Bodies of fewer
than four lines do not count. A line of the list is "FILE FILE name: reason", or "FILE FILE *: reason" for all that two files share.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "scripts/same-bodies.reasons"
LINES = 4  # of the body, without its braces
COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//[^\n]*', re.S)
WORD = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d[\w.]*|\s+|.', re.S)


def without_comments(text):
    """The text without comments, each line still where it was."""
    return COMMENT.sub(lambda m: m.group() if m.group()[0] in "\"'" else "\n" * m.group().count("\n"), text)


def parameters(head):
    """The names of the parameters of a head such as "static bool f(const a *x, size_t n) "."""
    depth, parts, part = 0, [], ""
    inside = head[head.index("(") + 1 : head.rindex(")")]
    for c in inside:
        depth += (c in "([") - (c in ")]")
        if c == "," and not depth:
            parts.append(part)
            part = ""
        else:
            part += c
    names = []
    for p in parts + [part]:
        words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", p))
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)", p)  # of a function
        names.append(pointer.group(1) if pointer else words[-1] if words else "")
    return names


def body_key(head, body):
    names = {name: f"parameter {k}" for k, name in enumerate(parameters(head)) if name}
    words, before = [], ""
    for word in WORD.findall(body):
        if word.isspace():
            continue
        words.append(names.get(word, word) if before not in (".", "->") else word)
        before = "->" if before == "-" and word == ">" else word
    return tuple(words)


def functions(path):
    """(name, line, key) of each function: its head begins a line, its body ends with a brace that does."""
    lines = without_comments(path.read_text()).split("\n")
    start = None
    for k, line in enumerate(lines):
        if re.match(r"[A-Za-z_].*\(", line):
            start = k
        if line.startswith("}"):
            start = None
        if start is None or not line.endswith("{") or line.startswith("#"):
            continue
        head = " ".join(lines[start : k + 1])[:-1].strip()
        name = re.match(r"[^(]*?(\w+)\s*\(", head)
        end = lines.index("}", k) if head.endswith(")") and name and "}" in lines[k:] else 0
        body = [line for line in lines[k + 1 : end] if line.strip()]
        if len(body) >= LINES:
            yield name.group(1), start + 1, body_key(head, "\n".join(body))
        start = None


def listed():
    out = []
    for line in LIST.read_text().splitlines() if LIST.exists() else []:
        if not line.strip() or line.startswith("#"):
            continue
        what, _, reason = line.partition(": ")
        a, b, name = what.split()
        out.append((frozenset((a, b)), name, reason))
    return out


def main():
    found = collections.defaultdict(list)
    for folder in ("src", "lab", "cli", "mpi"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".inc"):
                for name, line, key in functions(path):
                    found[key].append((str(path.relative_to(ROOT)), line, name))
    reasons, used, bad = listed(), set(), 0
    for places in found.values():
        for a in range(len(places)):
            for b in range(a + 1, len(places)):
                pair = frozenset((places[a][0], places[b][0]))
                hits = [k for k, r in enumerate(reasons) if r[0] == pair and r[1] in ("*", places[a][2], places[b][2])]
                used.update(hits)
                if hits and "--all" not in sys.argv:
                    continue
                bad += not hits
                print("{}:{} {} = {}:{} {}".format(*places[a], *places[b]), reasons[hits[0]][2] if hits else "")
    for k, (pair, name, _) in enumerate(reasons):
        if k not in used:
            bad += 1
            print(f"scripts/same-bodies.reasons: {' '.join(sorted(pair))} {name} are no longer the same")
    print(f"{sum(map(len, found.values()))} functions of at least {LINES} lines, {bad} pairs that are the same and not listed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
