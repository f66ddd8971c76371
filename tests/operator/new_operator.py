#!/usr/bin/env python3
"""Follows CONTRIBUTING, "A new operator of the language", in a copy of the sources, and sees that it is true.

usage: tests/operator/new_operator.py BUILD JOBS     (make test-operator)

The operator is K, weak since: x K y holds where x S y or H x does. Each step of the recipe is an edit below, which names its file. The
copy is built, and the program must read, print, decide, compile, run, certify and audit `x K y` as it does its definition. How many
files changed is said, and is at most what the recipe names. Then the auditor's row is made wrong, and the audit must refuse.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# (file, what stands there, what stands there then): the steps of the recipe, in its order.
STEPS = [
    ("src/logic/operators.h", '/* counting: COUNT_*', """OPERATOR(WEAK_SINCE, "K", 2, 'b', 5, SINCE, 0, 1)\n/* counting: COUNT_*"""),
    ("src/logic/formula_eval.c", "bool back = op == OP_SINCE ||", "bool back = op == OP_WEAK_SINCE || op == OP_SINCE ||"),
    ("src/logic/formula_eval.c", "row_value v = op == OP_WEAK_UNTIL ||", "row_value v = op == OP_WEAK_SINCE || op == OP_WEAK_UNTIL ||"),
    ("tests/logic/reference.c", "    case OP_TRIGGERED:", "    case OP_WEAK_SINCE: return since(r, a, b, i) || everywhere(r, a, 1, i);\n    case OP_TRIGGERED:"),
    ("src/audit/audit_operator.c", "    case OP_COUNT_PAST:", "    case OP_WEAK_SINCE: return (audit_operator){READS_WEAK_SINCE, false};\n    case OP_COUNT_PAST:"),
    ("tests/logic/corpus.c", '    S("past/T", "a T b", "abc"),\n', '    S("past/T", "a T b", "abc"),\n    S("past/K", "a K b", "abc"),\n    S("nest/Y-K", "Y (a K b)", "abc"),\n'),
    ("tests/logic/random_formula.c", "OP_SINCE,          OP_TRIGGERED};", "OP_SINCE,          OP_TRIGGERED, OP_WEAK_SINCE};"),
    ("tests/logic/t-parse-tokens.c", "{OP_IFF, 2, 0}};", "{OP_IFF, 2, 0},          {OP_WEAK_SINCE, 2, 5}};"),
]
# x K y beside its definition: nested, negated, counted, in both directions.
PAIRS = [
    ("a K b", "(a S b) | H a"),
    ("!(a K b)", "!((a S b) | H a)"),
    ("Y (a K !b)", "Y ((a S !b) | H a)"),
    ("(a K b) K c", "(((a S b) | H a) S c) | H ((a S b) | H a)"),
    ("#[a K b] >= 3", "#[(a S b) | H a] >= 3"),
    ("#[[ab] K c] % 3 = 1", "#[([ab] S c) | H [ab]] % 3 = 1"),
    ("F (a & X (b K c))", "F (a & X ((b S c) | H b))"),
]
passed = failed = 0


def check(good, what, *more):
    global passed, failed
    if good:
        passed += 1
        return
    failed += 1
    print(f"FAILED: {what}", *more, sep="\n    ")


def copy(to, build):
    """The sources, as they stand, and the objects, so that only what sees an operator is compiled again."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if not (ROOT / name).is_file():
            continue
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, to / name)
    for part in ("src", "cli", "lab", "made", "tests"):
        for path in (build / part).rglob("*.[cdho]"):
            target = to / "build" / path.relative_to(build)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)


def edit(tree, name, old, new):
    text = (tree / name).read_text()
    if text.count(old) != 1:
        sys.exit(f"{name} has '{old}' {text.count(old)} times: tests/operator/new_operator.py must follow it")
    (tree / name).write_text(text.replace(old, new))


def make(tree, jobs, *goals):
    done = subprocess.run(["make", f"-j{jobs}", "BUILD=build", "OPT=-O1", *goals], cwd=tree, capture_output=True, text=True)
    if done.returncode or "warning:" in done.stderr:
        sys.exit(f"the copy with the new operator is not built:\n{done.stderr[-3000:]}")


def run(tree, *arguments):
    done = subprocess.run(["build/temper", *arguments], cwd=tree, capture_output=True, text=True,
                          env={**os.environ, "NO_COLOR": "1", "TEMPER_PROGRESS": "0"})
    return done.returncode, done.stdout, done.stderr


def verdict(text):
    """What certify says of the whole: its verdict, length and type."""
    m = re.match(r"(\w+)\s+(?:formula: )?(.*)", text)
    return (m.group(1), re.sub(r"\t.*", "", m.group(2))) if m else text


def look(tree):
    for new, old in PAIRS:
        letters = ("--alphabet", "abc", "--at", "first" if new.startswith("F") else "last")
        code, printed, err = run(tree, "compile", "-f", new, *letters, "--dump", "formula")
        check(code == 0 and printed.splitlines()[-1:] == [new], f"{new} is read and printed", printed, err)
        code, out, err = run(tree, "check", "-f", new, *letters, "--against", old)
        check(code == 0 and out.startswith("same"), f"{new} is decided to be {old}", out, err)
        code, out, err = run(tree, "check", "-f", new, *letters, "--exhaustive", "6", "--random", "200")
        check(code == 0, f"{new} is compiled and run as it is evaluated", out, err)
        table = [run(tree, "automaton", "-f", x, *letters, "--json") for x in (new, old)]
        strip = [re.sub(r'"(formula|source|specification)":"[^"]*",?', "", out) for _, out, _ in table]
        check(table[0][0] == 0 and strip[0] == strip[1], f"{new} has the automaton of {old}", *strip)
        audit(tree, new, old, letters)
    code, out, err = run(tree, "eval", "-f", "a J b", "ab")
    check(code == 2 and "S T K)" in err, "the message that lists the operators has the new one", err)
    code, out, err = run(tree, "next", "-f", "([ab] K c) & !O (a & Y a)", "--alphabet", "abc", "ca")
    same = run(tree, "next", "-f", "(([ab] S c) | H [ab]) & !O (a & Y a)", "--alphabet", "abc", "ca")
    check(code == 0 and out == same[1], "what comes next in a language with it", out, err, *same[1:])


def audit(tree, new, old, letters):
    lengths = []
    for text in (new, old):
        (tree / "m.temper").unlink(missing_ok=True)
        run(tree, "compile", "-f", text, *letters, "-o", "m.temper")
        code, out, err = run(tree, "certify", "m.temper", "-o", "proof.json")
        check(code == 0 and out.startswith("proved"), f"{text} is certified", out, err)
        lengths.append(verdict(out))
        code, out, err = run(tree, "audit", "proof.json", "m.temper")
        check(code == 0, f"the certificate of {text} is accepted", out, err)
    check(lengths[0] == lengths[1], f"{new} is certified as far as {old}", *map(str, lengths))


def main():
    build, jobs = Path(sys.argv[1]).resolve(), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        copy(tree, build)
        for name, old, new in STEPS:
            edit(tree, name, old, new)
        tests = ["t-eval", "t-eval-steps", "t-parse-tokens"]
        make(tree, jobs, "build/temper", *[f"build/tests/{t}" for t in tests])
        look(tree)
        for test in tests:
            done = subprocess.run([f"build/tests/{test}"], cwd=tree, capture_output=True, text=True)
            check(done.returncode == 0, f"{test} with the new operator", done.stdout[-2000:])
        changed = sorted({name for name, _, _ in STEPS})
        recipe = (ROOT / "CONTRIBUTING.md").read_text().split("**A new operator of the language**")[1].split("\n**")[0]
        for name in changed:
            check(name in recipe, f"CONTRIBUTING's recipe names {name}")
        print(f"a new operator changes {sum(n.startswith('src/') for n in changed)} files of src and "
              f"{sum(n.startswith('tests/') for n in changed)} of tests: {', '.join(changed)}")
        # The other way round: an auditor that reads it as another operator refuses what was proved.
        edit(tree, "src/audit/audit_operator.c", "(audit_operator){READS_WEAK_SINCE, false}", "(audit_operator){READS_SINCE, false}")
        make(tree, jobs, "build/temper")
        run(tree, "compile", "-f", "a K b", "--alphabet", "abc", "-o", "m.temper")
        run(tree, "certify", "m.temper", "-o", "proof.json")
        code, out, err = run(tree, "audit", "proof.json", "m.temper")
        check(code == 1, "an auditor with another meaning refuses", out, err)
    print(f"operator: {passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
