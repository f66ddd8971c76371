#!/usr/bin/env python3
"""Tables of the pages are what the program says now: sizes.md, ordinary.md, scale.md, theory.md, security.md and zoo.md.

    python3 tests/pages/tables.py build            the tables that are made in seconds; of ordinary.md a sample
    python3 tests/pages/tables.py build --all      all of them (a few minutes)
    python3 tests/pages/tables.py build --update   writes them into the pages; --all --update all of them

A table is found by the line of its headings, which stands once in the page.
"""
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

BUILD = sys.argv[1]
ALL = "--all" in sys.argv
TEMPER = os.path.realpath(os.path.join(BUILD, "temper"))
passed = failed = 0


def run(*words):
    done = subprocess.run([TEMPER, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"temper {' '.join(words)}: {done.stderr}")
    return done.stdout


def grouped(number):
    return f"{number:,}"


def page_table(page, headings):
    """The rows of the table with these headings, as lists of cells, and where they stand: first line, one after the last."""
    lines = open(page, encoding="utf-8").read().split("\n")
    places = [k for k, line in enumerate(lines) if line == headings]
    if len(places) != 1:
        raise SystemExit(f"{page}: {len(places)} tables with the headings {headings}")
    first = last = places[0] + 2
    while lines[last].startswith("|"):
        last += 1
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[first:last]]
    return lines, first, last, cells


def compare(page, headings, made):
    """made(rows) gives the rows as they are now; a row of None was not looked at."""
    global passed, failed
    lines, first, last, rows = page_table(page, headings)
    now = made(rows)
    for k, row in enumerate(now):
        if row is None:
            continue
        if k < len(rows) and row == rows[k]:
            passed += 1
        else:
            failed += 1
            print(f"{page}: {' | '.join(rows[k]) if k < len(rows) else '(no row)'}\n    now: {' | '.join(row)}")
    if len(now) != len(rows):
        failed += 1
        print(f"{page}: {len(rows)} rows, now {len(now)}")
    if "--update" in sys.argv:
        rows = [row or rows[k] for k, row in enumerate(now)]
        lines[first:last] = [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows]
        open(page, "w", encoding="utf-8").write("\n".join(lines))


# ---- doc/sizes.md ----


def sizes():
    out = subprocess.run([os.path.join(BUILD, "bench", "sizes")], capture_output=True, text=True, check=True).stdout
    formulas, sums = {}, {}
    for line in out.split("\n"):
        total = re.match(r"(corpus|suite) +(\d+) formulas: +(\d+) layers, +(\d+) heads, +(\d+) units; proved (\d+) in f64, (\d+)", line)
        if total:
            sums[total[1]] = list(total.groups()[1:])
        else:
            words = line.split()
            if len(words) == 6 and words[0] != "formula":
                formulas[words[0]] = words[1:]
    return formulas, sums


def regexes():
    found, name = {}, None
    for line in open("tests/automata/regexes.txt", encoding="utf-8"):
        if line.startswith("= "):
            name = line[2:].rstrip("\n")
        elif name:
            found[name] = line.rstrip("\n")
            name = None
    return found


def sizes_page():
    formulas, sums = sizes()
    known = regexes()
    compare("doc/sizes.md", "| formulas | | layers | heads | units | proved in f64 | in f32 |",
            lambda rows: [[name, *sums[name]] for name in ("corpus", "suite")])
    compare("doc/sizes.md", "| formula | layers, heads before | now |",
            lambda rows: [[row[0], row[1], ", ".join(formulas[re.match(r"`([^`]*)`", row[0])[1]][:2])] for row in rows])

    def expressions(rows):
        now = []
        with tempfile.TemporaryDirectory() as room:
            model = os.path.join(room, "m.temper")
            for row in rows:
                name = row[0].strip("`")
                source = ["--regex", known[name], "--ascii"]
                run("compile", "--per-position", *source, "-o", model)
                about = json.loads(run("explain", model, "--json").split("\n")[0])
                states = json.loads(run("automaton", *source, "--json"))["states"]
                proved = {p["type"]: p["length"] for p in about["proved_length"]}
                now.append([row[0], *map(grouped, (states, about["layers"], about["heads"], proved["f64"], proved["f32"]))])
        return now

    compare("doc/sizes.md", "| expression | states | layers | heads | proved in f64 | in f32 |", expressions)


# ---- doc/ordinary.md: what is proved without a length being asked for ----


def ordinary_page():
    def proved(rows):
        now, formula, kinds = [], None, {"GPT-2": ["gpt2"], "Llama, ramp": ["llama ramp"], "Llama, digits": ["llama digits"],
                                         "Llama, ramp or digits": ["llama ramp", "llama digits"]}
        for k, row in enumerate(rows):
            formula = row[0].strip("`") or formula
            if not ALL and k % 5 != 3:
                now.append(None)
                continue
            cells = []
            for setting in ("f32/f32", "f32/f16", "f16/f32", "f16/f16"):
                weights, cache = setting.split("/")
                lengths = set()
                for kind in kinds[row[1]]:
                    words = kind.split()
                    positions = ["--positions", words[1]] if len(words) > 1 else []
                    said = json.loads(run("certify", "-f", formula, "--alphabet", "abc", "--as", words[0], *positions, "--weights", weights,
                                          "--kv", cache, "--json"))
                    lengths.add(grouped(said["proved_length"] or 0))
                cells.append(" or ".join(sorted(lengths)))
            now.append([row[0], row[1], *cells])
        return now

    compare("doc/ordinary.md", "| | | f32/f32 | f32/f16 | f16/f32 | f16/f16 |", proved)


# ---- doc/scale.md: what follows from 3 million nodes a second ----


def short(x):
    power = math.floor(math.log10(x))
    raised = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{x / 10 ** power:.1f}·10{raised}"


def two_digits(x):
    size = 10 ** (math.floor(math.log10(x)) - 1)
    x = round(x / size) * size
    return grouped(round(x)) if x >= 10 else f"{x:.2g}"


def nodes(letters, length):
    return (letters / (letters - 1)) ** 2 * letters ** length


def scale_page():
    def costs(rows):
        return [[row[0], row[1], short(sum(int(row[0]) ** n for n in range(int(row[1]) + 1))),
                 two_digits(nodes(int(row[0]), int(row[1])) / 3e6 / 3600)] for row in rows]

    def reach(rows):
        hours = (1, 24, 24e3, 30 * 24e5)
        return [[row[0], *(str(max(n for n in range(1, 100) if nodes(int(row[0]), n) / 3e6 / 3600 <= h)) for h in hours)] for row in rows]

    compare("doc/scale.md", "| letters | length | strings | core-hours |", costs)
    compare("doc/scale.md", "| letters | one core, an hour | one core, a day | 1,000 cores, a day | 100,000 cores, a month |", reach)


# ---- doc/theory.md: how far each role is proved ----


def theory_page():
    def roles(rows):
        now = []
        for row in rows:
            method = "positions" if row[0].endswith("positions") else "temperature"
            text = row[2].strip("`").replace("; ", "\n")
            found = json.loads(run("explain", "-f", text, "--alphabet", "abc", "--method", method, "--json").split("\n")[0])
            proved = {one["type"]: one["length"] for one in found["proved_length"]}
            now.append([*row[:3], *("2⁴⁰" if proved[t] == 2 ** 40 else grouped(proved[t]) for t in ("f64", "f32"))])
        return now

    compare("doc/theory.md", "| role | what rounding does to logits | such as | proved in f64 | in f32 |", roles)


# ---- doc/security.md: what large inputs cost. Times are the machine's: five times what the page says is too much, and memory is
# compared to a fifth. ----


def cost(words, text=None):
    """The exit status, seconds of processor time and megabytes of a command."""
    process = subprocess.Popen([TEMPER, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if text is not None:
        process.stdin.write(text.encode())
    process.stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def security_page():
    with tempfile.TemporaryDirectory() as room:
        def put(name, text):
            path = os.path.join(room, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path

        terms = put("sum.spec", " + ".join(f"{k % 7 + 1}*#[{'abc'[k % 3]}]" for k in range(10 ** 6)) + " >= 0")
        letters = put("letters.spec", "alphabet " + " ".join(chr(0x4E00 + k) if k < 20000 else chr(0x20000 + k) for k in range(10 ** 5)) + "\ntrue")
        nested = put("nested.spec", "Y " * 10000 + "a")
        model = os.path.join(room, "nested.temper")
        measured = [[cost(["compile", "-F", terms, "-o", os.path.join(room, "sum.temper")])],
                    [cost(["compile", "-F", letters, "-o", os.path.join(room, "letters.temper")])],
                    [cost(["compile", "-F", nested, "--alphabet", "ab", "-o", model])],
                    [cost(["run", model, "abab"]), cost(["certify", model, "--length", "100"]), cost(["explain", model])],
                    [cost(["eval", "--regex", "(a|){1,1000}.", "--alphabet", "ab", "a"])]]

    def within(rows):
        now = []
        for row, ones in zip(rows, measured):
            seconds = [float(x) for x in re.findall(r"([\d.]+) s\b", row[1])]
            memory = [float(x) for x in re.findall(r"([\d.]+) MB", row[1])]
            fits = len(seconds) == len(ones) and all(one[1] <= 5 * said for one, said in zip(ones, seconds))
            fits = fits and all(one[0] == 0 or "refused" in row[1] for one in ones) and (ones[0][0] != 0) == ("refused" in row[1])
            fits = fits and (not memory or abs(max(one[2] for one in ones) - memory[0]) <= memory[0] / 5)
            told = ", ".join(f"exit {code}, {time:.1f} s, {size:.0f} MB" for code, time, size in ones)
            now.append(row if fits else [row[0], told])
        return now

    compare("doc/security.md", "| input | what happens |", within)


# ---- doc/zoo.md, at a glance: a whole run of the lab ----


def zoo_page():
    with tempfile.TemporaryDirectory() as room:
        run("lab", "zoo", "-q", "-o", room)

        def read(name):
            with open(os.path.join(room, f"zoo-{name}.csv"), newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file))

        growth = {r["mechanism"]: r for r in read("growth")}
        lengths = {r["mechanism"]: r for r in read("lengths")}
        tried = {(r["mechanism"], r["head"]): r["tried"] for r in read("heads")}
        models = {r["mechanism"]: r for r in read("models")}
        leaks = {}
        for r in read("leak"):
            if float(r["gap"]) == 8:
                leaks.setdefault(r["mechanism"], {})[int(r["n"])] = r

    def number(text):
        return f"{float(text):.3g}"

    def glance(rows):
        now = []
        for row in rows:
            name = row[0].strip("`")
            leak = leaks[name][max(leaks[name])]
            need = growth[name]
            heads = []
            for head in ("once", "since", "count", "compare"):
                length = lengths[name][head]
                # Mechanisms that take long were tried up to a shorter length, which the table then shows.
                heads.append("all" if length == tried[name, head] == tried["softmax", head] else length)
            scales = [number(need[c]) for c in ("scale_at_16", "scale_at_longest") if need[c] not in ("", "inf", "nan")]
            scale = "none" if len(scales) < 2 else "any" if max(map(float, scales)) <= 1 / 16 else " → ".join(scales)
            now.append([row[0], f"{number(leak['leak'])} / {number(leak['gain_error'])}", scale, "–" if scale == "any" else need["growth"], *heads])
        return now

    def whole(rows):
        now = []
        for row in rows:
            r = models[row[0].strip("`")]
            now.append([row[0], *("all" if r[c] == r["tried"] else r[c] for c in ("once", "gate", "since", "majority", "together"))])
        return now

    global passed, failed
    page = " ".join(open("doc/zoo.md", encoding="utf-8").read().split())
    able = [name for name, r in models.items() if all(r[c] == r["tried"] for c in ("once", "gate", "since", "majority", "together"))]
    said = f"{len(able)} mechanisms run all five to {models['softmax']['tried']} letters ({', '.join(able)})."
    if said in page:
        passed += 1
    else:
        failed += 1
        print(f"doc/zoo.md does not say: {said}")
    compare("doc/zoo.md", "| mechanism | leak / gain error | scale | growth | once | since | count | compare |", glance)
    compare("doc/zoo.md", "| mechanism | `O a` | `O a & O b` | `b S a` | `#[a] >= #[b]` | together |", whole)


sizes_page()
ordinary_page()
scale_page()
theory_page()
if ALL:
    security_page()
    zoo_page()
print(f"tables: {passed} passed, {failed} failed")
sys.exit(failed > 0)
