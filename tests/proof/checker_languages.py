#!/usr/bin/env python3
"""The proved checker on regular expressions. usage: tests/proof/checker_languages.py BUILD [--all] [SEED]

What the checker reads of an expression is what temper and Python's re read. Models of the tests' expressions and of random
ones are accepted with their certificates; never with another expression, and where an edited model, formula or table is
accepted, temper runs the model as the expression says. Needs `make checker`."""
import json
import random
import re
import sys
import time
import warnings

from checker_tools import ask, batch, checker, edited, everything, finish, folder, here, run, scale, seed, temper, test

warnings.simplefilter("ignore", FutureWarning)   # of brackets inside classes, which are letters in Python's re today


def answer():
    return batch.stdout.readline().decode().strip()


def checked(data, formula, table, form="f32", length=1000):
    ask("language", b"\x1e".join([data, formula.encode(), *(row.encode() for row in table)]), form, length)
    return answer()


def matches(text, alphabet, words):
    """What the checker says of each word, or None."""
    of = {c: str(k) for k, c in enumerate(alphabet)}
    parts = [text, "\x1f".join(alphabet), *(",".join(of[c] for c in w) for w in words)]
    ask("regex", "\x1e".join(parts).encode())
    line = answer()
    return None if line == "refused" else line


# ---- random expressions ----

def atom(letters):
    kind = random.random()
    if kind < .7:
        return random.choice(letters)
    if kind < .9:
        return "[" + random.choice(["", "^"]) + "".join(random.sample(letters, random.randrange(1, len(letters)))) + "]"
    return "."


def grouped(text):
    return text if len(text) == 1 or re.fullmatch(r"\[[^\]]*\]", text) else random.choice(["(", "(", "(?:"]) + text + ")"


def expression(depth, letters):
    if depth == 0:
        return atom(letters)
    one = lambda: expression(depth - 1, letters)
    kind = random.random()
    if kind < .42:
        return "".join(grouped(x) if "|" in (x := one()) else x for _ in range(random.randrange(2, 4)))
    if kind < .62:
        return one() + "|" + random.choice([one(), one(), one(), ""])
    if kind < .92:
        return grouped(one()) + random.choice(["*", "*", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"])
    return grouped(one())


# ---- what is read ----

odd = ["\\d", "\\w", "\\S", "\\.", "\\-", "\\]", "-", "]", "[", "^", "$", "{", "}", "{2}", "{,2}", "{0,1}", "{1,0}", "{ 1}", "(", ")", "(?", "(?i)", "|", "||",
       "*", "**", "+?", "?+", "??", "[]a]", "[^]a]", "[a-c]", "[c-a]", "[a-]", "[-a]", "[a-b-c]", "[\\w-]", "[\\d-a]", "[a\\-c]", "[[:alpha:]]", "[[a]", "[]",
       "\\n", "\\t", "\\b", "\\A", "\\<", "\\a", "\\\\", "()", "(?:)", "(|a)", "~", "&", "&&", "--", "é", "[à-é]", "\\é", " ", "#", "/", "\\/", ",", ":", "=", "!",
       "<", ">", "\"", "'", "%", "@", "_", "0", "9", "\\x41", "\\1", "(?=a)", "(*F)", "[a&&b]", "[a--b]", "[~~]", "[.", "[=a=]", "\r", "\n", "\t", "{1001}", "{01}"]
spread = "abc019-_.]^\\ é{}[(|*+?/~&,:<>\n"


def damaged(text):
    for _ in range(random.randrange(0, 3)):
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(odd) + text[at + random.randrange(2):]
    return text


def python_matches(text, words):
    try:
        # Python's \d, \w, \s are of Unicode without re.A; its $ and {,n} are those of temper where the checker reads them
        pattern = re.compile(text, re.A)
    except (re.error, OverflowError):
        return None
    return "".join("1" if pattern.fullmatch(w) else "0" for w in words)


count, readable = int(40000 * scale) + 200, 0
chunks = []
for _ in range(count):
    letters = random.choice(["ab", "abc", "abc", spread])
    text = damaged(expression(random.randrange(0, 4), [c for c in letters if c in "abc019_"]))
    words = [""] + ["".join(random.choice(letters) for _ in range(random.randrange(1, 6))) for _ in range(12)]
    # words that are near: a part of the text itself
    words += ["".join(c for c in text if c in letters)[:8]]
    line = matches(text, spread if letters == spread else letters, words)
    if line is None:
        continue
    readable += 1
    expected = python_matches(text, words)
    if expected is not None:
        test(line == expected, f"{text!r} over {letters!r}: the checker says {line}, Python {expected} of {words!r}")
    if readable % 20 == 0 or not everything:
        plain = [w for w in words if w and not set(w) & set("\n\r\t ")]
        r = run(temper, "eval", "--regex", text, "--alphabet", letters.replace("\n", "").replace(" ", ""), "--", *plain)
        if not set(text) & set("\n\r\t ") and plain and letters != spread:
            said = "".join("1" if row.startswith("accept") else "0" for row in r.stdout.splitlines())
            again = matches(text, letters, plain)
            test(said == again or "not in the alphabet" in r.stderr, f"{text!r} over {letters!r}: the checker says {again}, temper {said} {r.stderr}")
print(f"{count} expressions: {readable} are read by the checker, as Python and temper read them")
test(readable > count / 5, "too few expressions are read: the comparison says nothing")


# ---- what is accepted ----

def corpus():
    wanted = False
    for line in (here.parent / "automata" / "regexes.txt").read_text(encoding="utf-8").splitlines():
        if wanted:
            yield line, None
        wanted = line.startswith("= ")


def proved(text, letters):
    """The model, and what its certificate states; None where certify does not prove the formula."""
    model, certificate = folder / "r.temper", folder / "r.json"
    for path in (model, certificate):
        path.unlink(missing_ok=True)
    r = run(temper, "compile", "--quiet", "--regex", text, *(["--alphabet", letters] if letters else []), "-o", str(model))
    if r.returncode:
        return None
    r = run(temper, "certify", "--quiet", "--type", "f32", "--length", "1000", str(model), "-o", str(certificate))
    if r.returncode or not certificate.exists():
        return None
    claim = json.loads(certificate.read_text(encoding="utf-8"))
    if claim["claim"] != "formula" or len(claim.get("languages", [])) != 1:
        return None
    return model.read_bytes(), claim["languages"][0]["formula"], claim["languages"][0]["table"]


def acceptance(name, expressions, asked):
    yes, kinds, times, found = 0, {}, [], []
    for text, letters in expressions:
        made = proved(text, letters)
        if made is None:
            continue
        data, formula, table = made
        start = time.perf_counter()
        said = checked(data, formula, table)
        times.append(time.perf_counter() - start)
        yes += said == "yes"
        if said == "yes":
            alphabet = re.search(rb"\nalphabet (.*)", data)[1].decode()
            names = [re.sub(r"\\(.)", r"\1", w) for w in re.findall(r'"((?:[^"\\]|\\.)+)"', alphabet)]
            found.append((data, formula, table, text, [n for n in names if n.isprintable() and len(n) == 1 and n != " "]))
            continue
        roles = set(re.findall(rb" role (\w+)", data))
        why = "pattern" if b"match" in roles else "look-up or count" if roles - {b"nearest", b"once"} else "remainder" \
            if re.search(rb'(?:position|soft) "[^"]*%', data) else "relations or size"
        kinds[why] = kinds.get(why, 0) + 1
        if "-v" in sys.argv:
            print(f"  {why}: {text}   {letters} {said}")
    others = ", ".join(f"{v} {k}" for k, v in sorted(kinds.items()))
    times.sort()
    print(f"{name}: {yes} of {len(times)} models whose formulas are proved are accepted in f32 at 1,000 letters "
          f"({100 * yes / max(1, len(times)):.1f} %; refused: {others or 'none'}); {1000 * times[len(times) // 2]:.1f} ms median, "
          f"{1000 * times[-1]:.0f} ms at most")
    test(yes >= asked * len(times), f"{name}: fewer than {asked:.0%} are accepted")
    return found


expressions = list(corpus())
models = acceptance("expressions of the tests", expressions if everything else random.sample(expressions, 15), .2 if everything else 0)
some = []
for _ in range(int(1500 * scale) + 25):
    letters = random.choice(["ab", "ab", "abc", "abcd"])
    some.append((expression(random.randrange(1, 5), letters), letters))
models += acceptance("random expressions", some, .7 if everything else .4)
test(len(models) > 3, "too few models to go on with")


# ---- another source, weights, formula or table ----

def said_by_python(text, words):
    pattern = re.compile(text, re.A)
    return [bool(pattern.fullmatch(w)) for w in words]


def strings_for(names):
    words = ["".join(random.choice(names) for _ in range(random.randrange(1, 12))) for _ in range(60)]
    return words + [c for c in names[:40]] + [a + b for a in names[:7] for b in names[:7]]


def with_source(data, text):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').encode()
    return re.sub(rb'\nsource ".*"', lambda _: b'\nsource "' + quoted + b'"', data, count=1)


tried = accepted = 0
while tried < int(20000 * scale) + 100:
    data, formula, table, text, names = random.choice(models)
    if not names:
        continue
    other = damaged(text) if random.random() < .5 else random.choice(models)[3] if random.random() < .3 else \
        expression(random.randrange(0, 3), [c for c in names if c.isalnum()] or ["a", "b"])
    changed = with_source(data, other)
    if other == text or changed == data or not other.isprintable():
        continue
    tried += 1
    if checked(changed, formula, table, length=60) == "yes":
        accepted += 1
        words = strings_for(names)
        test(said_by_python(text, words) == said_by_python(other, words), f"accepted with {other!r} for {text!r}")
print(f"{tried} models with another expression, {accepted} accepted, which have the same words")


def mutated(formula, table):
    """A formula or a table with something else in it."""
    what = random.random()
    if what < .5 and table:
        k = random.randrange(len(table))
        if what < .1:
            return formula, table[:k] + table[k + 1:]
        row = list(table[k])
        at = random.randrange(len(row))
        row[at] = random.choice("01-")
        return formula, [*table[:k], "".join(row), *table[k + 1:]]
    words = list(re.finditer(r"\bx\d+\b|[OYXFSU&|!]|\[[^\]]*\]", formula))
    if not words:
        return formula, table
    w = random.choice(words)
    return formula[:w.start()] + random.choice([random.choice(words)[0], "!" + w[0], "true", "false"]) + formula[w.end():], table


def runs_right(data, text, names):
    words = strings_for(names)
    path = folder / "e.temper"
    path.write_bytes(data)
    lines = "\n".join(words) + "\n"
    rows = run(temper, "run", "--unchecked", "--type", "f32", str(path), "-", input=lines).stdout.splitlines()
    said = [row.split("\t")[0].split()[0] == "accept" for row in rows]
    return said == said_by_python(text, words), len(words)


tried = accepted = strings = 0
while tried < int(20000 * scale) + 200:
    data, formula, table, text, names = random.choice(models)
    if not names:
        continue
    tried += 1
    changed, f, t = data, formula, table
    if random.random() < .7:
        changed = edited(data)
        if changed == data or re.search(rb'\nsource ".*"', changed)[0] != re.search(rb'\nsource ".*"', data)[0]:
            continue
    if changed == data or random.random() < .2:
        f, t = mutated(formula, table)
    if checked(changed, f, t, length=60) != "yes":
        continue
    accepted += 1
    if accepted <= 2000 * scale + 5:
        good, n = runs_right(changed, text, names)
        strings += n
        test(good, f"an edited model is accepted and runs wrong (formula {f!r}): {changed.decode()}")
print(f"{tried} edited models, formulas and tables, {accepted} accepted; of those that were run, {strings} strings run as specified")

# what the line says of a model that is read from the right, and of others
path, certificate = folder / "p.temper", folder / "p.json"
for text, at, side in [("a.*", "first", "from there on"), (".*a", "last", "up to there")]:
    path.write_bytes(proved(text, "abc")[0])
    run(temper, "certify", "--quiet", "--type", "f32", "--length", "500", str(path), "-o", str(certificate))
    r = run(checker, str(path), str(certificate))
    test(f'whether the letters {side} are a word of "{text}", it is read at the {at} position, and the empty string is rejected (check_l' in r.stdout, f"{text}: {r}")

# the program, with a certificate and without
data, formula, table, text, names = random.choice(models)
path.write_bytes(data)
program = checker
r = run(temper, "certify", "--quiet", "--type", "f32", "--length", "500", str(path), "-o", str(certificate))
r = run(program, str(path), str(certificate))
test(r.returncode == 0 and "check_language_sound" in r.stdout and "length 500 " in r.stdout, f"{text}: {r}")
r = run(program, str(path))
test(r.returncode == 4 and "certificate" in r.stderr and not r.stdout, f"{text}: {r}")
claim = certificate.read_text(encoding="utf-8")
for old, new, code in [('"languages": [', '"languages": [], "others": [', 4), ('"table": [', '"table": [1, ', 2), ('"table": ["', '"table": ["9', 4), ('"table": ["0:', '"table": ["0', 4),
                       ('"syntax": "regex"', '"syntax": "spec"', 4), ('"formula": "', '"formula": "!', 4), ('"type": "f32"', '"type": "bf16"', 4)]:
    certificate.write_text(claim.replace(old, new, 1), encoding="utf-8")
    r = run(program, str(path), str(certificate))
    test(old in claim and r.returncode == code and not r.stdout and r.stderr, f"a certificate with {new}: {r}")
finish()
