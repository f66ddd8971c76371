#!/usr/bin/env python3
"""The proved checker on formulas that count. usage: tests/proof/checker_counting.py BUILD [--all] [-v] [SEED]

Models of the tests' formulas with counts and of random ones are accepted. With the source of another model they are not,
unless both say the same of every short string; and where an edited model is accepted, temper runs it as the formula says.
Needs `make checker`."""
import itertools
import random
import re
import sys
import time

from checker_tools import check, edited, everything, finish, folder, here, run, scale, seed, temper, test

COUNTS = re.compile(r"#")
# Remainders and positions are look-ups; the others are other constructions.
OTHERS = re.compile(r"%|@|/|dfa|rightmost|leftmost|emit")


class Program(str):
    """A specification in C-RASP."""


def text_of(escaped):
    return escaped.encode().decode("unicode_escape").encode("latin-1").decode("utf-8")


def corpus(kind):
    """Text, alphabet, where the answer is read: of S and S_AT, or of CRASP."""
    text = (here.parent / "logic" / "corpus.c").read_text(encoding="utf-8")
    string = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
    for _, _, spec, letters, more in re.findall(rf'\b({kind})\("([^"]*)",\s*{string},\s*"((?:[^"\\]|\\.)*)"(.*?)\)', text, re.S):
        spec = text_of("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', spec)))
        if COUNTS.search(spec) and not OTHERS.search(spec):
            yield Program(spec) if kind == "CRASP" else spec, letters, "first" if "FIRST" in more else "last" if "LAST" in more else None


def boolean(depth, letters, future):
    """A formula that may hold counts, all in one direction."""
    kind = random.random()
    if depth == 0 or kind < .1:
        return random.choice([*letters, *letters, f"[{letters[:2]}]", "true", "first" if not future else "last"])
    one = lambda: boolean(depth - 1, letters, future)
    if kind < .5:
        return comparison(depth - 1, letters, future)
    if kind < .62:
        return f"!({one()})"
    if kind < .72:
        return f"{random.choice('XFG' if future else 'YOH')} ({one()})"
    if kind < .78:
        return f"({one()} {'U' if future else 'S'} {one()})"
    return f"({one()} {random.choice(['&', '|', '&', '|', '->', '^', '<->'])} {one()})"


def term(depth, letters, future):
    k = random.choice(["", "", "", "", "2*", "3*", "-"])
    inside = random.choice(letters) if depth == 0 or random.random() < .6 else boolean(depth, letters, future)
    return f"{k}{'#>' if future else '#'}[{inside}]"


def sum_of(depth, letters, future):
    parts = [term(depth, letters, future) for _ in range(random.choice([1, 1, 1, 2, 2, 3]))]
    if random.random() < .4:
        parts.append(str(random.randrange(6)))
    return random.choice([" + ", " - "]).join(parts)


def comparison(depth, letters, future):
    right = str(random.randrange(5)) if random.random() < .5 else sum_of(depth, letters, future)
    return f"{sum_of(depth, letters, future)} {random.choice(['=', '!=', '<', '<=', '>', '>=', '=='])} {right}"


def formula():
    letters, future = random.choice(["ab", "abc", "abc", "abcd"]), random.random() < .25
    while True:
        spec = boolean(random.randrange(1, 5), letters, future)
        if "#" in spec:
            return spec, letters, "first" if future else "last"


def program():
    """A C-RASP program of a few lines."""
    letters = random.choice(["ab", "abc"])
    counts, truths, lines = [], [f'"{c}"' for c in letters] + list(letters) + [f"Q_{c}" for c in letters], []

    def amount():
        one = random.choice(counts) if counts and random.random() < .6 else f'# {random.choice(["", "", "!"])}{random.choice(truths)}'
        return random.choice([one, one, one, f"2 * {one}", f"{one} + {random.randrange(4)}", f"{one} - {random.choice(counts or [one])}", f"(1 + {one})"])
    compared = lambda: f"{amount()} {random.choice(['==', '<', '<=', '>', '>=', '!=', '='])} {amount()}"
    for k in range(random.randrange(1, 7)):
        if random.random() < .4:
            lines.append(f"C_{k} = {amount()}")
            counts.append(f"C_{k}")
        else:
            a, b = random.choice(truths), random.choice(truths)
            lines.append(f"P{k} = " + random.choice([compared()] * 3 + [f"{a} && {b}", f"{a} || !{b}", f"!({compared()}) ^ {a}", f"{a} -> {compared()}", f"# [{compared()} & {a}] > 1"]))
            truths.append(f"P{k}")
    lines.append(random.choice(["", "Y = "]) + compared())
    return Program("\n".join(lines) + "\n"), letters, "last"


# ---- models ----

def said_by(spec, letters, at):
    return ["-f", spec, "--alphabet", letters, *(["--at", at] if at else []), *(["--syntax", "crasp"] if isinstance(spec, Program) else [])]


def compiled(spec, letters, at):
    path = folder / "m.temper"
    path.unlink(missing_ok=True)
    r = run(temper, "compile", "--quiet", *said_by(spec, letters, at), "-o", str(path))
    return path.read_bytes() if r.returncode == 0 and path.exists() else None


def acceptance(name, specs, asked):
    yes, kinds, times, models = 0, {}, [], []
    for spec, letters, at in specs:
        data = compiled(spec, letters, at)
        if data is None or b" role lookup" in data:
            continue
        start = time.perf_counter()
        answer = check(data, "f32", 1000)
        times.append(time.perf_counter() - start)
        if answer == "yes":
            yes += 1
            models.append((data, spec, letters, at))
            continue
        why = next((w for w in ("match", "balance") if f" role {w}".encode() in data), answer)
        kinds[why] = kinds.get(why, 0) + 1
        if "-v" in sys.argv:
            print(f"  {why}: {spec}   {letters} {at}")
    times.sort()
    others = ", ".join(f"{v} {k}" for k, v in sorted(kinds.items())) or "none"
    print(f"{name}: {yes} of {len(times)} models accepted in f32 at 1,000 letters ({100 * yes / max(1, len(times)):.1f} %; refused: "
          f"{others}); {1000 * times[len(times) // 2]:.1f} ms median, {1000 * times[-1]:.0f} ms at most")
    test(yes >= asked * len(times) > 0, f"{name}: fewer than {asked:.0%} are accepted")
    return models


def words(letters):
    short = ["".join(x) for k in range(1, 6) for x in itertools.product(letters, repeat=k)]
    random.shuffle(short)
    return short[:200] + ["".join(random.choice(letters) for _ in range(random.randrange(6, 60))) for _ in range(60)]


def said(spec, letters, at, lines):
    """What the formula says: the library's evaluator, which takes sums exactly."""
    return [line.split()[0] for line in run(temper, "eval", *said_by(spec, letters, at), "-",
                                            input="\n".join(lines) + "\n").stdout.splitlines()]


def told(data, lines):
    path = folder / "edited.temper"
    path.write_bytes(data)
    return [line.split()[0] for line in run(temper, "run", "--unchecked", "--type", "f32", str(path), "-",
                                            input="\n".join(lines) + "\n").stdout.splitlines()]


HALVES = ["-0x1p-1", "0x1p-1", "-0x1.8p+0", "0x1.8p+0", "-0x1.4p+1", "1", "-1", "2", "-2", "3"]


def recounted(data):
    """Another weight in what is counted, or in what a comparison reads."""
    text = data.decode()
    places = list(re.finditer(r"(?<=\n  )(value|query|key) .*", text))
    at = random.choice(places)
    terms = at[0].split(" ")
    k = random.randrange(1, len(terms))
    channel = terms[k].split(":")[0]
    terms[k] = f"{channel}:{random.choice(HALVES)}"
    if random.random() < .2:
        del terms[k]
    return (text[:at.start()] + " ".join(terms) + text[at.end():]).encode()


models = acceptance("formulas of the tests that count", corpus("S|S_AT"), .75)
models += acceptance("C-RASP programs of the tests", corpus("CRASP"), .6)
models += acceptance("random C-RASP programs", [program() for _ in range(int(1000 * scale) + 30)], .95)
models += acceptance("random formulas that count", [formula() for _ in range(int(2000 * scale) + 40)], .95)
several = [m for m in models if b" role compare" in m[0]]

# the source of another model
tried = accepted = 0
while tried < int(20000 * scale) + 100:
    (data, spec, letters, at), other = random.choice(several), random.choice(models)
    if other[2:] != (letters, at) or other[1] == spec or type(other[1]) is not type(spec):
        continue
    tried += 1
    exchanged = re.sub(rb'\nsource ".*"', lambda _: re.search(rb'\nsource ".*"', other[0])[0], data)
    if check(exchanged, "f32", 60) == "yes":
        accepted += 1
        lines = words(letters)
        test(told(exchanged, lines) == said(other[1], letters, at, lines), f"a model of {spec} is accepted for {other[1]}, at {at}")
    else:
        test(True, "")
print(f"{tried} exchanged sources, {accepted} accepted, which say the same")

# edited models
tried = accepted = strings = 0
while tried < int(100000 * scale):
    data, spec, letters, at = random.choice(several)
    other = random.choice([edited, recounted, recounted])(data)
    if other == data:
        continue
    tried += 1
    if check(other, "f32", 60) != "yes":
        test(True, "")
        continue
    accepted += 1
    if accepted <= 3000 * scale + 10:
        lines = words(letters)
        strings += len(lines)
        test(told(other, lines) == said(spec, letters, at, lines), f"an edited model is accepted and runs wrong: {other.decode()}")
print(f"{tried} edited models, {accepted} accepted; of those that were run, {strings} strings run as specified")

# damaged texts: what the checker reads temper reads, too, and what it accepts for a model says what the model computes
PIECES = [*"#[]()=<>!&|-+*%@ ab1230\nQ_XYOSFG^\"'.,?:", "->", "<->", "==", "<=", ">=", "!=", "&&", "||", "# ", "#[", "true", "first", "Q_", "min(", "#>["]


def damaged(spec):
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        i, j = sorted(random.randrange(len(spec) + 1) for _ in "ij")
        spec = random.choice([spec[:i] + random.choice(PIECES) + spec[i:], spec[:i] + spec[i + random.choice([1, 1, 2]):], spec[:j] + spec[i:j] + spec[j:]]) or "a"
    return spec


read = accepted = 0
for _ in range(int(20000 * scale) + 400):
    data, spec, letters, at = random.choice(models)
    if len(spec) > 80:
        continue
    other = type(spec)(damaged(spec))
    quoted = '"' + other.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    answer = check(re.sub(rb'\nsource ".*"', lambda _: b"\nsource " + quoted.encode(), data), "f32", 60)
    if answer == "unread":
        continue
    read, accepted = read + 1, accepted + (answer == "yes")
    lines = words(letters)[:60]
    where = re.search(rb"^at (\w+)$", data, re.M)[1].decode()  # as the file says: the text alone may look both ways
    meant = said(other, letters, where, lines)
    test(len(meant) == len(lines) and (answer == "no" or meant == said(spec, letters, at, lines)), f"{other!r} is read instead of {spec!r}: {answer}")
print(f"{read} damaged texts are read, and {accepted} of them accepted")
test(read > 15, "too few of the damaged texts are read: the comparison says nothing")

# sums as they can be written, and what is no sum
for text, others in [("#[a] >= 2", ["#[a]>=2", "2 <= #[a]", "#[a] ≥ 2", "←#[a] > 1", "# [a] - 2 >= 0", "!(#[a] < 2)", "2*#[a] > 3", "n = #[a]\nn >= 2",
                                   "n = #[a]\nm = n - 2\nm >= 0", "-(#[a] - 2) <= 0", "(#[a]) >= (1 + 1)", "#[a & a] >= 2", "#[a] + #[b] - #[b] >= 2"])]:
    data = compiled(text, "ab", "last")
    for other in others:
        quoted = other.replace("\n", "\\n").encode()
        test(check(re.sub(rb'\nsource ".*"', lambda _: b'\nsource "' + quoted + b'"', data), "f32", 1000) == "yes", f"another spelling: {other}")
    for other in ["#[a] >= 2 >= 1", "#[a] >=", "#[a] * #[a] >= 2", "#[a] = < 2", "#[a] === 2", "#[a] =< 2", "#[a]", "#a >= 2", "#[a >= 2", "a >= 2", "#[a]] >= 2", "#[#[a]] >= 2",
                  "(a) >= 2", "2x >= 2", "#[a] >= 2 a", "#[a] % 2 = 1", "n = #[a]\nn", "99999999999999999999 >= #[a]", "#[a] -> #[b]", "+#[a] >= 2", "#[] >= 2"]:
        quoted = other.replace("\n", "\\n").encode()
        file = re.sub(rb'\nsource ".*"', lambda _: b'\nsource "' + quoted + b'"', data)
        test(check(file, "f32", 10) == "unread", f"is read: {other}")
        # temper refuses it, too, but for remainders
        test("%" in other or run(temper, "eval", "-f", other, "--alphabet", "ab", "a").returncode != 0, f"temper reads: {other}")

finish()
