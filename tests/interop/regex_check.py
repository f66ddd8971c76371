"""Regular expressions with assertions, flags and look-around of any length against the package `regex`, which transformers
brings: random ones, on random strings. usage: regex_check.py BUILD"""
import random
import subprocess
import sys
import unicodedata

import regex

LETTERS = "abA- 1"
ATOMS = ["a", "b", "A", "-", " ", "[ab]", "[^a]", "[a-c1]", r"\w", r"\W", ".", r"\d", r"\s", r"\h", "[[:alpha:]]", "[[:^alpha:]]", "(?:)"]
ASSERTIONS = [("^", "^"), ("$", "$"), (r"\A", r"\A"), (r"\z", r"\Z"), (r"\b", r"\b"), (r"\B", r"\B"), ("(?m:^)", "(?m:^)")]
GROUPS = ["(?:", "(", "(?i:", "(?s:", "(?-i:", "(?=", "(?!", "(?<=", "(?<!", "(?=", "(?!", "(?<=", "(?<!"]
REPEATS = ["*", "+", "?", "{2}", "{1,3}", "{0,2}?", "*?", "{2,}"]


def expression(rng, budget):
    """An expression, as temper and as regex write it."""
    if budget < 2:
        kind = rng.randrange(5)
        if kind == 0:
            return rng.choice(ASSERTIONS)
        atom = rng.choice(ATOMS)
        return (r"\Q.*\E" if kind == 1 and atom == "." else atom), (r"\.\*" if kind == 1 and atom == "." else atom)
    kind = rng.randrange(8)
    if kind < 4:
        half = rng.randrange(1, budget)
        x, y = expression(rng, half), expression(rng, budget - half)
        glue = "" if kind < 3 else "|"
        return "(?:%s)%s(?:%s)" % (x[0], glue, y[0]), "(?:%s)%s(?:%s)" % (x[1], glue, y[1])
    x = expression(rng, budget - 1)
    if kind < 6:
        group = rng.choice(GROUPS)
        return group + x[0] + ")", group + x[1] + ")"
    repeat = rng.choice(REPEATS)
    return "(?:%s)%s" % (x[0], repeat), "(?:%s)%s" % (x[1], repeat)


def answers(build, options, strings):
    """Whether each string is accepted; None and why if it is refused."""
    done = subprocess.run([build + "/temper", "eval", *options, "-"], input="".join(s + "\n" for s in strings), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    rows = done.stdout.split("\n")[:-1]
    return ([row.split("\t")[0] == "accept" for row in rows] if len(rows) == len(strings) else None), done.stderr


def compare(counts, build, ours, theirs, options, strings):
    """Adds to counts what is right, what is not, and what matches."""
    got, why = answers(build, ["--regex", ours, *options], strings)
    if got is None:
        counts[1] += 1
        print(f"FAILED: {ours}: {why}")
        return
    compiled = regex.compile(theirs, regex.V0 | (0 if options[0] == "--alphabet" else regex.ASCII))
    for s, accepted in zip(strings, got):
        right = compiled.fullmatch(s) is not None
        counts[2] += right
        counts[accepted != right] += 1
        if accepted != right:
            print(f"FAILED: {ours} on {s!r}: {'accept' if accepted else 'reject'}")


def check_random(counts, build, rng):
    for _ in range(200):
        ours, theirs = expression(rng, rng.randrange(2, 9))
        strings = sorted({"".join(rng.choice(LETTERS) for _ in range(rng.randrange(5))) for _ in range(150)})
        compare(counts, build, ours, theirs, ["--ascii"], strings)


def check_cases(counts, build, rng):
    """Letters that Unicode 3.2 had: their folding is fixed for ever."""
    old = unicodedata.ucd_3_2_0
    cased = [chr(c) for c in range(0x80, 0x10500) if old.category(chr(c)) not in ("Cn", "Cs") and
             (chr(c).lower() != chr(c) or chr(c).upper() != chr(c) or chr(c).casefold() != chr(c))]
    cased += [chr(c) for c in range(ord("A"), ord("z") + 1) if chr(c).isalpha()]
    rng.shuffle(cased)
    for start in range(0, len(cased), 60):
        some = cased[start:start + 60]
        partners = {p for c in some for p in (c.lower(), c.upper(), c.casefold(), c.upper().lower()) if len(p) == 1}
        letters = sorted(partners | set(some))
        written = "(?i)[" + "".join(some[:30]) + "]"
        compare(counts, build, written, written, ["--alphabet", "".join(letters)], letters)


def check_categories(counts, build, rng):
    """The same of general categories."""
    old = unicodedata.ucd_3_2_0
    letters = [chr(c) for c in range(0x21, 0x11000) if c not in (0x7F,) and not chr(c).isspace() and
               old.category(chr(c)) not in ("Cn", "Cs", "Cc", "Co", "Zs", "Zl", "Zp") and old.category(chr(c)) == unicodedata.category(chr(c))]
    names = sorted({unicodedata.category(c) for c in letters} | set("LMNPSC"))
    for name in names:
        some = sorted(rng.sample(letters, 400) + rng.sample([c for c in letters if unicodedata.category(c).startswith(name)], 1))
        written = r"\p{%s}" % name if rng.randrange(2) else r"[^\P{%s}]" % name
        compare(counts, build, written, written, ["--alphabet", "".join(dict.fromkeys(some))], list(dict.fromkeys(some)))


def check_properties(counts, build, rng):
    """Scripts and yes-or-no properties of letters that have long been assigned."""
    old = unicodedata.ucd_3_2_0
    letters = [chr(c) for c in range(0x21, 0x11000) if not chr(c).isspace() and old.category(chr(c)) == unicodedata.category(chr(c)) and
               old.category(chr(c)) not in ("Cn", "Cs", "Cc", "Co", "Zs", "Zl", "Zp")]
    names = ["Script=" + name for name in ("Greek", "Latin", "Cyrillic", "Arab", "Hebrew", "Han", "Hiragana", "Thai", "Devanagari", "Cans")]
    names += "Alphabetic Lowercase Uppercase Cased Math Dash Hex_Digit ID_Start XID_Continue Ideographic Diacritic White_Space".split()
    names += ["scx=Hira", "scx=Kana", "bc=R", "bc=AL", "bc=EN", "bc=NSM", "gcb=SpacingMark", "gcb=LVT"]
    for name in names:
        members = [c for c in rng.sample(letters, 9000) if regex.fullmatch(r"\p{%s}" % name, c)]
        some = sorted(set(rng.sample(letters, 300) + members[:60] + ["a"]))
        written = rng.choice([r"\p{%s}", r"[^\P{%s}]", r"\P{^%s}"]) % name
        compare(counts, build, written, r"\p{%s}" % name, ["--alphabet", "".join(some)], some)


def check_clusters(counts, build, rng):
    """Strings of letters of each kind that no end of a line is."""
    letters = "aé\u0301\u200d\u0600\u0903\u1100\u1161\u11a8\uac00\uac01\u00a9\U0001f468\U0001f3fd\U0001f1e9\U0001f1ea"
    for count in (1, 2, 3):
        strings = sorted({"".join(rng.choice(letters) for _ in range(rng.randrange(1, 7))) for _ in range(1500)})
        compare(counts, build, r"\X{%d}" % count, r"\X{%d}" % count, ["--alphabet", letters], strings)


def main():
    rng, counts = random.Random(35), [0, 0, 0]
    check_random(counts, sys.argv[1], rng)
    check_cases(counts, sys.argv[1], rng)
    check_categories(counts, sys.argv[1], rng)
    check_properties(counts, sys.argv[1], rng)
    check_clusters(counts, sys.argv[1], rng)
    passed, failed, members = counts
    if members < 500:
        failed += 1
        print(f"FAILED: only {members} strings match")
    print(f"regex_check: {passed} passed, {failed} failed; {members} strings match")
    return failed > 0


sys.exit(main())
