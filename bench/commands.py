"""The command as people use it: many short strings, exhaustive checks, compiling, starting."""
import os
import random
import subprocess

from measure import say

SHORT = [  # name, formula, alphabet
    ("since-yesterday", "a S Y(b S Y(c S Y(a S Y(b S Y a))))", "abc"),
    ("counting", "#[a] + 2 >= #[b] & 3*#[c] <= #[a]", "abc"),
]
FIVE_HEADS = "(a S Y(b S Y a)) & Y O(a & Y b) & !Y Y b"
SMALL = "O a & #[b] >= 2"


def heads_of(temper, formula, alphabet):
    text = subprocess.run([temper, "compile", "-f", formula, "--alphabet", alphabet], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return sum(line.startswith("head ") for line in text.splitlines())


def short_strings(results, spawner, work, count, length, thread_counts, has_threads):
    say(f"{count} strings of length {length}")
    file = os.path.join(work, "short.txt")
    chance = random.Random(1)
    with open(file, "w") as f:
        for _ in range(count):
            f.write("".join(chance.choices("abc", k=length)) + "\n")
    for name, formula, alphabet in SHORT:
        for threads in thread_counts if has_threads else thread_counts[:1]:
            command = [spawner.temper, "run", "-f", formula, "--alphabet", alphabet, "-"]
            if has_threads:
                command[2:2] = ["--threads", str(threads)]
            runs = spawner.run(command, repeats=3, source=file, timeout=300)
            times = [r[0] for r in runs if r[4] in (0, 1)]
            row = results.add("short", f"{name}, length {length}", "temper run", times, type="f64", n=count,
                              threads=threads, peak_kib=max(r[3] for r in runs))
            if times:
                row["note"] = f"{count / min(times):.0f} strings/s"
            else:
                row["note"] = f"exit status {runs[0][4]}"
            say(f"  {name} threads={threads}: {row['note']}, {row['peak_kib'] / 1024:.1f} MiB")


def exhaustive(results, spawner, target_seconds):
    """Nodes: the prefix tree is walked once per length n, so their number is the sum over n of the tree's nodes to depth n."""
    heads = heads_of(spawner.temper, FIVE_HEADS, "ab")
    usage = subprocess.run([spawner.temper, "check", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    one_core = ["--threads", "1"] if "--threads" in usage else []
    say(f"exhaustive check, {heads} heads")
    name = f"{heads} heads, alphabet of 2"
    for label, flags in (("soft", ["--method", "temperature"]), ("hard", ["--hard"])):
        length, seconds = 8, 0
        while length < 26:
            command = [spawner.temper, "check", "-f", FIVE_HEADS, "--alphabet", "ab", *flags, *one_core, "--exhaustive",
                       str(length), "--random", "0"]
            runs = spawner.run(command, repeats=1, timeout=300)
            seconds = runs[0][0]
            if runs[0][4] or seconds > target_seconds / 2:
                break
            length += 1 if seconds > target_seconds / 8 else 2
        runs = spawner.run(command, repeats=3, timeout=300)
        times = [r[0] for r in runs if r[4] == 0]
        nodes = sum(2 ** i for n in range(length + 1) for i in range(1, n + 1))
        strings = 2 ** (length + 1) - 1
        row = results.add("check", f"{name}, {label}, to length {length}", "temper check", times, n=nodes, threads=1,
                          peak_kib=max(r[3] for r in runs))
        if times:
            row["note"] = f"{nodes / min(times) / 1e6:.2f} M nodes/s, {strings / min(times) / 1e6:.2f} M strings/s"
        else:
            row["note"] = f"exit status {runs[0][4]}"
        say(f"  {label}, to length {length}: {row['note']}")


class Interned:
    """Formulas as text, counting the distinct ones."""

    def __init__(self):
        self.seen = set()

    def make(self, text):
        self.seen.add(text if len(text) < 80 else hash(text))
        return text


def random_terms(terms, seed):
    """A balanced formula over `terms` since-formulas of letters, and how many distinct subformulas it has. Letters alone
    would not do: only one is true at a position, so the simplifier folds their combinations into letter classes."""
    chance, made = random.Random(seed), Interned()
    letters = "abcdefghijklmnopqrstuvwxyz"
    parts = []
    for _ in range(terms):
        x, y = made.make(chance.choice(letters)), made.make(chance.choice(letters))
        part = made.make(f"({x} S {y})")
        for _ in range(chance.randrange(4)):
            part = made.make("Y " + part)
        parts.append(part)
    while len(parts) > 1:
        joined = []
        for k in range(0, len(parts) - 1, 2):
            part = made.make(f"({parts[k]} {chance.choice('S&|')} {parts[k + 1]})")
            unary = chance.choice(["", "", "Y ", "O "])
            joined.append(made.make(unary + part) if unary else part)
        parts = joined + parts[len(parts) // 2 * 2:]
    return parts[0], len(made.seen)


def random_formula(size):
    terms = max(2, size // 3)
    for _ in range(4):
        text, count = random_terms(terms, size)
        terms = max(2, round(terms * size / count))
    return random_terms(terms, size)


def compile_times(results, spawner, work, sizes):
    say("compile time")
    for size in sizes:
        file = os.path.join(work, f"formula-{size}.ltl")
        with open(file, "w") as f:
            text, count = random_formula(size)
            f.write(text + "\n")
        command = [spawner.temper, "compile", "-F", file, "--syntax", "spec", "--alphabet",
                   "abcdefghijklmnopqrstuvwxyz", "-o", os.path.join(work, "formula.temper")]
        runs = spawner.run(command, repeats=3, timeout=300)
        times = [r[0] for r in runs if r[4] == 0]
        row = results.add("compile", f"{size} subformulas", "temper compile", times, n=size,
                          peak_kib=max(r[3] for r in runs))
        if not times:
            row["note"] = f"exit status {runs[0][4]}"
        else:
            with open(os.path.join(work, "formula.temper")) as f:
                text = f.read()
            lines = text.splitlines()
            layers, heads = (sum(line.startswith(word) for line in lines) for word in ("layer ", "head "))
            row["note"] = (f"{count} distinct subformulas, {layers} layers, {heads} heads, model of {len(text) // 1024} KiB, "
                           "written and synced")
        say(f"  {size}: {min(times) * 1e3:.1f} ms, {row['note']}" if times else f"  {size}: {row['note']}")


def start_up(results, spawner, repeats):
    say("start-up")
    for name, command in (("temper --version", [spawner.temper, "--version"]),
                          ("compile + run of a small formula", [spawner.temper, "run", "-f", SMALL, "abab", "ba"])):
        runs = spawner.run(command, repeats=repeats)
        row = results.add("start", name, "temper", [r[0] for r in runs if r[4] in (0, 1)],
                          peak_kib=max(r[3] for r in runs), note="from before fork to after wait")
        say(f"  {name}: best {row['best_s'] * 1e3:.2f} ms, median {row['median_s'] * 1e3:.2f} ms")


def run(results, spawner, work, quick, thread_counts, help_text):
    start_up(results, spawner, 50 if quick else 200)
    compile_times(results, spawner, work, (100, 1000, 10_000) if quick else (100, 1000, 10_000, 100_000))
    short_strings(results, spawner, work, 100_000 if quick else 1_000_000, 32, thread_counts, "--threads" in help_text)
    exhaustive(results, spawner, 2 if quick else 8)
