#!/usr/bin/env python3
"""Few files know the operators of the language by name: the language itself (src/logic), the auditor's reading of a source, and those
listed here, each with its reason. Everything else goes by the kinds of src/logic/core.h, so that a new operator is a row of operators.h.

usage: scripts/check-operators.py [--all]     (--all: also says what the listed files have)

A file knows the operators if it has `case OP_...`, a table indexed by OP_..., a reading of operators.h, or one function that compares
with more than THREE of them. A file that is listed and no longer knows them fails, too; the list has at most six.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THREE = 3
MOST = 6
LISTED = {
    "src/compile/normal_nodes.c": "makes nodes of the normal form, and folds them by their operator",
    "src/compile/lower.c": "one function for each operator of the normal form",
    "src/compile/exclusive.c": "which nodes of the normal form imply or exclude each other: its rules go by two operators at once",
}
AUDIT = "src/audit/audit_operator.c"  # the auditor's one table; it may not know the prover's
LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//[^\n]*', re.S)


def functions(text):
    """(name, body) of what begins at a line's beginning and ends with a brace there."""
    for m in re.finditer(r"^[a-z][^;{}]*?(\w+)\([^;{}]*\) \{\n(.*?)^\}", text, re.S | re.M):
        yield m.group(1), m.group(2)


def knows(text):
    """What shows that a file knows the operators."""
    text = LITERAL.sub(lambda m: re.sub(r"[^\n]", " ", m.group()) if m.group()[0] == "/" else '""', text)
    found = []
    cases = set(re.findall(r"\bcase (OP_\w+)", text))
    if cases:
        found.append(f"switches with {len(cases)} operators")
    if re.search(r"\[\s*OP_\w+\s*\]\s*=", text):
        found.append("a table")
    for name, body in functions(text):
        compared = set(re.findall(r"[!=]=\s*(OP_\w+)|\b(OP_\w+)\s*[!=]=", body))
        compared = {a or b for a, b in compared}
        if len(compared) > THREE:
            found.append(f"{name} compares with {len(compared)}")
    return found


def main():
    failed = 0
    seen = {}
    for path in sorted((ROOT / "src").rglob("*.[ch]")) + sorted((ROOT / "src").rglob("*.inc")):
        name = str(path.relative_to(ROOT))
        text = path.read_text()
        if name.startswith("src/audit/") and '"logic/core.h"' in text:
            print(f"{name} includes logic/core.h: the auditor has a table of its own, {AUDIT}")
            failed = 1
        if name.startswith("src/logic/"):
            continue
        what = knows(text)
        if '"logic/operators.h"' in text:
            what.append("reads operators.h")
        if what:
            seen[name] = what
    for name, what in seen.items():
        if name == AUDIT or name in LISTED:
            if "--all" in sys.argv:
                print(f"{name}: {', '.join(what)}. {LISTED.get(name, 'the auditor')}")
            continue
        print(f"{name} knows the operators by name: {', '.join(what)}; go by the kinds of src/logic/core.h")
        failed = 1
    for name in LISTED:
        if name not in seen:
            print(f"{name} is listed in scripts/check-operators.py, and knows no operators")
            failed = 1
    if len(LISTED) > MOST:
        print(f"scripts/check-operators.py lists {len(LISTED)} files: at most {MOST}")
        failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
