"""The expressions of tests/automata/regexes.txt and regexes_look.txt against Python's re: temper eval at every prefix, and temper
run of the compiled models, on members, near misses and random strings. The sizes of the models are those that the file
says. Usage: regex_match.py path/to/temper path/to/regexes.txt ..."""
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    from re import _constants as sre, _parser as sre_parse
except ImportError:
    import sre_constants as sre
    import sre_parse

PRINTABLE = [chr(c) for c in range(32, 127)]
EFFORT = float(os.environ.get("TEMPER_TEST_EFFORT", "1"))
passed = failed = 0


def check(ok, message):
    global passed, failed
    if ok:
        passed += 1
        return
    failed += 1
    if failed <= 20:
        print("FAILED: " + message)


def read_corpus(path):
    cases, lines = [], open(path, encoding="utf-8").read().split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("= "):
            cases.append((line[2:], lines[at + 1], [], None))
            at += 1
        elif line[:2] == "~ ":
            cases[-1] = (*cases[-1][:3], line[2:])
        elif line[:2] in ("+ ", "- "):
            cases[-1][2].append((line[2:], line[0] == "+"))
        at += 1
    return cases


def members_of(items, choose):
    """The characters of a class, among the printable ones."""
    negated, found = False, set()
    for op, value in items:
        if op is sre.NEGATE:
            negated = True
        elif op is sre.LITERAL:
            found.add(chr(value))
        elif op is sre.RANGE:
            found.update(chr(c) for c in range(value[0], value[1] + 1))
        elif op is sre.CATEGORY:
            pattern = {
                sre.CATEGORY_DIGIT: r"\d",
                sre.CATEGORY_WORD: r"\w",
                sre.CATEGORY_SPACE: r"\s",
                sre.CATEGORY_NOT_DIGIT: r"\D",
                sre.CATEGORY_NOT_WORD: r"\W",
                sre.CATEGORY_NOT_SPACE: r"\S",
            }[value]
            found.update(c for c in PRINTABLE if re.match(pattern, c, re.ASCII))
    return choose([c for c in PRINTABLE if (c in found) != negated])


def generate(tree, rng):
    """A random string that the parsed expression matches."""
    out = []
    for op, value in tree:
        if op is sre.LITERAL:
            out.append(chr(value))
        elif op is sre.NOT_LITERAL:
            out.append(rng.choice([c for c in PRINTABLE if ord(c) != value]))
        elif op is sre.ANY:
            out.append(rng.choice(PRINTABLE))
        elif op is sre.IN:
            out.append(members_of(value, rng.choice))
        elif op is sre.BRANCH:
            out.append(generate(rng.choice(value[1]), rng))
        elif op is sre.SUBPATTERN:
            out.append(generate(value[-1], rng))
        elif op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            pass  # the string may miss it, or not
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, inner = value
            most = min(most, least + rng.choice([0, 1, 1, 2, 4]))
            out.extend(generate(inner, rng) for _ in range(rng.randint(least, most)))
        else:
            raise ValueError(f"the generator does not know {op}")
    return "".join(out)


def member(pattern, tree, rng):
    string = generate(tree, rng)
    return "".join(rng.choice([c.upper(), c.lower(), c]) for c in string) if "(?i" in pattern else string


def change(string, letters, rng):
    """A near miss: one or two letters changed, added, taken away, or two swapped."""
    s = list(string)
    for _ in range(rng.choice([1, 1, 2])):
        k = rng.randrange(len(s) + 1)
        kind = rng.randrange(4)
        if kind == 0 or not s:
            s.insert(k, rng.choice(letters))
        elif kind == 1:
            del s[k % len(s)]
        elif kind == 2:
            s[k % len(s)] = rng.choice(letters)
        else:
            i, j = k % len(s), rng.randrange(len(s))
            s[i], s[j] = s[j], s[i]
    return "".join(s)


def strings_of(pattern, given, count, rng):
    tree = sre_parse.parse(pattern, re.ASCII)
    seen = {s for s, _ in given}
    letters = [c for c in "".join(sorted(set("".join(member(pattern, tree, rng) for _ in range(30))))) if c in PRINTABLE]
    letters = letters or PRINTABLE
    for _ in range(4 * count):
        if len(seen) >= count:
            break
        kind = rng.randrange(6)
        if kind < 2:
            s = member(pattern, tree, rng)
        elif kind < 5:
            s = change(member(pattern, tree, rng), letters if rng.randrange(4) else PRINTABLE, rng)
        else:
            s = "".join(rng.choice(letters) for _ in range(rng.randrange(24)))
        seen.add(s[:120])
    return sorted(seen)


def shown(string):
    """As temper prints a string."""
    return string.replace("\\", "\\\\")


def answers(temper, command, options, strings):
    """The verdicts, and the rows of prefixes if they are asked for; None and the message if it is refused."""
    done = subprocess.run([temper, command, *options, "-"], input="".join(s + "\n" for s in strings), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = done.stdout.split("\n")[:-1]
    if len(lines) != len(strings):
        return None, done.stderr.strip()
    return [line.split("\t") for line in lines], ""


def compare(name, what, pattern, strings, rows, prefixes):
    compiled = re.compile(pattern, re.ASCII)
    for s, row in zip(strings, rows):
        right = compiled.fullmatch(s) is not None
        verdict = row[0].split()[0] if row[0] else ""
        check(verdict == ("accept" if right else "reject"), f"{name}: {what} says {row[0]!r} for {s!r}")
        if prefixes and s:
            truth = "".join("1" if compiled.fullmatch(s[:k]) else "0" for k in range(1, len(s) + 1))
            check(row[-1] == truth, f"{name}: {what} of prefixes of {s!r}: {row[-1]} is not {truth}")


def compiled_answers(name, temper, options, size, strings, model):
    """The verdicts of a compiled model, whose size is as it was."""
    done = subprocess.run([temper, "compile", *options, "-o", model], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        return None, done.stderr.strip()
    if size:
        check(f", {size};" in done.stdout + done.stderr, f"{name}: the model is not of {size}: {done.stdout}{done.stderr}")
    return answers(temper, "run", [model], strings)


def check_case(temper, case, count, rng, model):
    name, pattern, given, size = case
    for s, matches in given:
        check((re.fullmatch(pattern, s, re.ASCII) is not None) == matches, f"{name}: the corpus is wrong about {s!r}")
    strings = strings_of(pattern, given, count, rng)
    options = ["--regex", pattern, "--ascii"]
    rows, why = answers(temper, "eval", options + ["--per-position"], strings)
    check(rows is not None, f"{name}: eval: {why}")
    if rows:
        compare(name, "eval", pattern, strings, rows, True)
    few = rng.sample(strings, min(len(strings), max(6, int(24 * EFFORT))))
    rows, why = compiled_answers(name, temper, options, size, few, model)
    check(rows is not None, f"{name}: run: {why}")
    if rows:
        compare(name, "run", pattern, few, rows, False)
    rows, why = answers(temper, "run", options + ["--per-position"], few)
    check(rows is not None, f"{name}: run: {why}")
    if rows:
        compare(name, "run", pattern, few, rows, True)
    return len(strings)


def main():
    temper = sys.argv[1]
    rng = random.Random(2024)
    cases, total = [], 0
    for path in sys.argv[2:]:
        cases += read_corpus(path)
    check(len(cases) >= 70, f"only {len(cases)} expressions")
    check(sum(case[3] is not None for case in cases) >= 50, "sizes are missing")
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            count = max(20, int((520 if case[3] else 120) * EFFORT))
            total += check_case(temper, case, count, rng, folder + "/m.temper")
    check(EFFORT < 1 or total >= 20000, f"only {total} strings")
    print(f"{len(cases)} expressions, {total} strings")
    print(f"regex: {passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
