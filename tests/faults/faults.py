#!/usr/bin/env python3
"""make test-faults: memory and files fail at every place, and nothing worse than a message comes of it.

usage: faults.py TEMPER PRELOAD [--share K/M] [--only NAME] [--kills COUNT] [--jobs COUNT]

Each scenario below is a command in a folder of its own. It runs once undisturbed, which counts its allocations and its calls that work with files.
Then it runs once for each of them, and that one fails: memory once and for good, files with EIO, ENOSPC, EINTR and with one byte instead of many. After
each run

  - the program has ended by itself, with exit status 0 to 4: 4 if memory was short, 3 if a file failed;
  - with status 0 it printed and wrote what it does undisturbed, otherwise it said something on standard error;
  - what it writes is the old file or the new one, never a part, and nothing else is left in the folder.

--share K/M does only every M-th failure, from the K-th on. --kills ends programs at a random moment, too, by signal 9.
"""
import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ALPHABET = ["--alphabet", "abc"]
SINCE = ["-f", "a S b", *ALPHABET]
COUNTS = ["-f", "#[a] >= #[b] & #[c] % 3 = 1", *ALPHABET]

# What exists before: made once, undisturbed.
PREPARED = [
    ["compile", *SINCE, "-o", "m.temper"],
    ["compile", *SINCE, "-o", "m.safetensors"],
    ["certify", "m.temper", "--length", "100", "-o", "c.json"],
    ["compile", "--gallery", "majority", "-o", "hard.temper"],
]

# name, arguments, what it writes: files, or one folder (with a slash at the end)
SCENARIOS = [
    ("eval", ["eval", *SINCE, "abc", "bca"], []),
    ("eval-lines", ["eval", *COUNTS, "--per-position", "--json", "abcabc"], []),
    ("eval-crasp", ["eval", "-F", "p.crasp", *ALPHABET, "abc"], []),
    ("eval-brasp", ["eval", "-F", "p.brasp", *ALPHABET, "ab"], []),
    ("regex", ["eval", "--regex", "(ab|c)*", *ALPHABET, "abc"], []),
    ("run", ["run", *COUNTS, "abcabc"], []),
    ("run-model", ["run", "m.temper", "--type", "f32", "abcab"], []),
    ("run-errors", ["run", "m.safetensors", "--margins", "abcab"], []),
    ("run-hard", ["run", "m.temper", "--hard", "--per-position", "abcab"], []),
    ("run-exact", ["run", "m.temper", "--hard", "--type", "exact", "ab"], []),
    ("run-bf16", ["run", "m.temper", "--type", "bf16/f32", "abcab"], []),
    ("compile-text", ["compile", *COUNTS, "-o", "new.temper"], ["new.temper"]),
    ("compile-over", ["compile", *COUNTS, "-o", "m.temper"], ["m.temper"]),
    ("compile-tensors", ["compile", *COUNTS, "-o", "new.safetensors"], ["new.safetensors"]),
    ("compile-regex", ["compile", "--regex", "(ab)*c{2,5}", *ALPHABET, "-o", "new.temper"], ["new.temper"]),
    ("explain", ["explain", "m.temper"], []),
    ("show", ["show", "m.temper", "abcab"], []),
    ("show-svg", ["show", "m.temper", "abcab", "-o", "new.svg"], ["new.svg"]),
    ("show-html", ["show", "m.temper", "abcab", "--html", "-o", "new.html"], ["new.html"]),
    ("check", ["check", *SINCE, "--exhaustive", "4", "--random", "3"], []),
    ("check-journal", ["check", "m.temper", "--exhaustive", "4", "--random", "3", "--journal", "new.journal"], ["new.journal"]),
    ("certify", ["certify", "m.temper", "--length", "1000", "-o", "new.json"], ["new.json"]),
    ("certify-over", ["certify", "m.temper", "--length", "1000", "-o", "c.json"], ["c.json"]),
    ("audit", ["audit", "c.json", "m.temper"], []),
    ("limits", ["limits", *SINCE, "--type", "bf16/f32", "--effort", "0.001", "-o", "new.csv"], ["new.csv"]),
    ("export", ["export", "m.temper", "-o", "new"], ["new/"]),
    ("export-ordinary", ["export", *SINCE, "--as", "gpt2", "--length", "8", "-o", "new"], ["new/"]),
    ("import", ["import", "weights.safetensors", "config.json", "-o", "new.temper"], ["new.temper"]),
    ("gallery", ["gallery", "dyck-1"], []),
    ("compile-gallery", ["compile", "--gallery", "dyck-1", "-o", "new.temper"], ["new.temper"]),
    ("gap", ["gap", "hard.temper", "--length", "3"], []),
    ("soften", ["soften", "hard.temper", "--length", "4", "-o", "new.temper"], ["new.temper"]),
    ("automaton", ["automaton", "--regex", "(ab)*", *ALPHABET], []),
    ("automaton-svg", ["automaton", "--regex", "(ab)*", *ALPHABET, "-o", "new.svg"], ["new.svg"]),
    ("next", ["next", "--regex", "(ab)*c", *ALPHABET, "ab"], []),
    ("sample", ["sample", "--regex", "(ab)*c", *ALPHABET, "--count", "3"], []),
    ("perplexity", ["perplexity", "-F", "words.spec", "lines.txt"], []),
    ("lab", ["lab", "gap", "--quick", "-o", "new"], ["new/"]),
]
# What a run that fails, or is killed, may leave beside the file it writes: a journal is appended to, so it may be shorter.
GROWS = {"check-journal"}
SLOW = {"lab", "limits"}  # seconds a run: every fifth failure, and fewer kills
FAILURES = [("alloc", "once"), ("alloc", "always"), ("io", "EIO once"), ("io", "ENOSPC always"), ("io", "EINTR once"), ("io", "short once"),
            ("io", "short always")]

TEXTS = {
    "p.crasp": "A = # a\nB = # b\nV = A < B\nC = # V\nD = C == 0\n",
    "p.brasp": "P(i) := rightmost [j<i, 1] Q_a(j) : 0\n",
    "words.spec": "alphabet a b c\nprobabilities uniform\n/(ab)*c/\n",
    "lines.txt": "abc\nababc\n",
}


class Bench:
    def __init__(self, temper, preload):
        self.temper, self.preload = temper, preload
        self.passed = self.failed = 0

    def check(self, condition, what):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED:", what, flush=True)

    def run(self, folder, arguments, fault=None, count=None, kill=None):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "NO_COLOR": "1", "HOME": folder}
        if fault or count:
            environment["LD_PRELOAD"] = self.preload
        if fault:
            environment["TEMPER_FAULT"] = fault
        if count:
            environment["TEMPER_FAULT_COUNT"] = count
        child = subprocess.Popen([self.temper, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if kill is not None:
            time.sleep(kill)
            child.kill()
        try:
            out, err = child.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
        return child.returncode, out, err


def contents(folder):
    """Every file below a folder, by its digest; a folder by a mark."""
    found = {}
    for top, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(top, name), folder) + "/"] = "folder"
        for name in files:
            path = os.path.join(top, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = hashlib.sha256(f.read()).hexdigest()
    return found


def weights_of_the_page(base):
    """weights.safetensors and config.json: the example of doc/import.md."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc", "import.md")
    with open(page, encoding="utf-8") as f:
        blocks = f.read().split("\n```")
    with open(os.path.join(base, "config.json"), "w", encoding="utf-8") as f:
        f.write(next(b for b in blocks if b.startswith("json\n"))[5:])
    script = next(b for b in blocks if b.startswith("python\n"))[7:]
    subprocess.run([sys.executable, "-c", script], cwd=base, check=True)
    made = [name for name in os.listdir(base) if name.endswith(".safetensors")]
    os.rename(os.path.join(base, made[0]), os.path.join(base, "weights.safetensors"))


def prepare(bench, base):
    os.mkdir(base)
    for name, text in TEXTS.items():
        with open(os.path.join(base, name), "w", encoding="ascii") as f:
            f.write(text)
    weights_of_the_page(base)
    for arguments in PREPARED:
        code, _, err = bench.run(base, arguments)
        bench.check(code == 0, f"preparing {arguments}: {code} {err.decode()}")


def places(count):
    """All of them; of thousands the first 1,000 and then fewer and fewer: they are of one kind."""
    k = 1
    while k <= count:
        yield k
        k += 1 if k < 1000 else 1 + k // 100


class Scenario:
    def __init__(self, bench, base, work, name, arguments, writes):
        self.bench, self.base, self.work = bench, base, work
        self.name, self.arguments, self.writes = name, arguments, writes
        self.before = contents(base)
        self.folder = os.path.join(work, "here")
        self.life = None
        self.kills = 0
        self.fresh()
        count = os.path.join(work, "count")
        self.code, self.out, self.err = bench.run(self.folder, arguments, count=count)
        bench.check(self.code in (0, 1), f"{name}: undisturbed it ends with {self.code}: {self.err.decode()}")
        self.after = contents(self.folder)
        with open(count, encoding="ascii") as f:
            self.counts = dict(zip(("alloc", "io"), map(int, f.read().split())))

    def fresh(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.base, self.folder)

    def files_are_whole(self, where):
        """Every file is as before or as after; what is new and not awaited is told."""
        now = contents(self.folder)
        for path in sorted(set(now) | set(self.before)):
            if path in self.writes and self.name in GROWS:
                continue
            inside = any(w.endswith("/") and path.startswith(w) for w in self.writes)
            allowed = [self.before.get(path), self.after.get(path)]
            if inside:
                allowed.append(None)
            self.bench.check(now.get(path) in allowed, f"{where}: {path} is neither old nor new")

    def disturb(self, kind, how, k):
        fault = f"{kind} {k} {how}"
        where = f"{self.name}, {fault}"
        self.fresh()
        code, out, err = self.bench.run(self.folder, self.arguments, fault)
        text = err.decode(errors="replace")
        self.bench.check(0 <= code <= 4, f"{where}: ended by {code}: {text}")
        if code == self.code:
            self.bench.check(out == self.out, f"{where}: status {code}, and another output")
            whole = contents(self.folder)
            self.bench.check(whole == self.after, f"{where}: status {code}, and other files: "
                             f"{[p for p in set(whole) | set(self.after) if whole.get(p) != self.after.get(p)]}")
        else:
            wanted = {"alloc": (4,), "io": (3,)}[kind]
            self.bench.check(code in wanted, f"{where}: status {code}, not {wanted}: {text}")
            self.bench.check(text.startswith(("temper: ", '{"error":')), f"{where}: status {code}, and no message: {text}")
            self.files_are_whole(where)

    def sweep(self, share):
        first, step = share
        if self.name in SLOW and step < 5:
            step = 5
        n = 0
        for kind, how in FAILURES:
            for k in places(self.counts[kind]):
                n += 1
                if n % step == first % step:
                    self.disturb(kind, how, k)

    def kill(self, random_source):
        """Ends the program at a random moment of its life, which is measured now and then."""
        if self.kills % 10 == 0:
            self.fresh()
            started = time.monotonic()
            self.bench.run(self.folder, self.arguments)
            self.life = time.monotonic() - started
        self.kills += 1
        self.fresh()
        code, _, _ = self.bench.run(self.folder, self.arguments, kill=random_source.uniform(0, 1.1 * self.life))
        where = f"{self.name}, killed"
        self.bench.check(code in (-signal.SIGKILL, self.code), f"{where}: {code}")
        now = contents(self.folder)
        for path in sorted(set(now) | set(self.before)):
            if path in self.writes and self.name in GROWS:
                continue
            if path not in self.before and path not in self.after:  # a temporary file of a killed program may stay
                self.bench.check(any(path.startswith(w.rstrip("/")) for w in self.writes), f"{where}: left {path}")
                continue
            inside = any(w.endswith("/") and path.startswith(w) for w in self.writes)
            allowed = [self.before.get(path), self.after.get(path)] + ([None] if inside else [])
            self.bench.check(now.get(path) in allowed, f"{where}: {path} is neither old nor new")
        # The command done again ends as if nothing had happened.
        code, out, err = self.bench.run(self.folder, self.arguments)
        self.bench.check(code == self.code and out == self.out, f"{where}, and done again: {code} {err.decode(errors='replace')}")
        now = contents(self.folder)
        self.bench.check(all(now.get(p) == d for p, d in self.after.items()), f"{where}, and done again: other files")


def share_out(jobs):
    """Runs one of these programs for each part, and adds up what they say."""
    run = [subprocess.Popen([sys.executable, *sys.argv, "--jobs", "1", "--part", f"{k}/{jobs}"], stdout=subprocess.PIPE, text=True)
           for k in range(jobs)]
    killed = commands = places_ = passed = failed = 0
    for child in run:
        last = child.communicate()[0].split("\n")
        for line in last:
            words = line.split()
            if line.startswith("faults: ") and line.endswith("programs were killed"):
                killed += int(words[1])
            elif line.startswith("faults: ") and line.endswith("places"):
                commands, places_ = commands + int(words[1]), places_ + int(words[3])
            elif line.startswith("faults: ") and line.endswith("failed"):
                passed, failed = passed + int(words[1]), failed + int(words[3])
            elif line:
                print(line)
    failed += sum(child.returncode not in (0, 1) for child in run)
    if killed:
        print(f"faults: {killed} programs were killed")
    print(f"faults: {commands} commands, {places_} places")
    print(f"faults: {passed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("temper")
    parser.add_argument("preload")
    parser.add_argument("--share", default="0/1")
    parser.add_argument("--only")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--counts", action="store_true", help="print the places of every scenario")
    parser.add_argument("--seconds", type=float, default=1e9, help="no program is killed after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="so many of these programs share the work")
    parser.add_argument("--part", default="0/1", help="every M-th scenario and the M-th part of the kills, from the K-th on")
    options = parser.parse_args()
    if options.jobs > 1:
        return share_out(options.jobs)
    part, parts = map(int, options.part.split("/"))
    share = tuple(map(int, options.share.split("/")))
    bench = Bench(os.path.abspath(options.temper), os.path.abspath(options.preload))
    random_source = random.Random(options.seed * parts + part)
    total = 0
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        base = os.path.join(work, "base")
        prepare(bench, base)
        scenarios = [Scenario(bench, base, work, *s) for s in SCENARIOS if options.only in (None, s[0])]
        mine = scenarios[part::parts]
        for s in mine:
            before = bench.failed
            s.sweep(share)
            total += s.counts["alloc"] + s.counts["io"]
            if bench.failed > before or options.counts:
                print(f"{s.name}: {s.counts['alloc']} allocations, {s.counts['io']} calls: {bench.failed - before} failed", flush=True)
        # What takes seconds to write what others write in milliseconds is killed less often.
        writers = [s for s in scenarios if s.writes and s.name not in SLOW]
        slow = [s for s in scenarios if s.writes and s.name in SLOW]
        done = 0
        for k in range(part, options.kills, parts):
            which = slow if slow and k % 100 == 99 else writers or slow
            which[k % len(which)].kill(random_source)
            done += 1
            if time.monotonic() - begun > options.seconds:
                break
        if done:
            print(f"faults: {done} programs were killed")
    print(f"faults: {len(mine)} commands, {total} places")
    print(f"faults: {bench.passed} passed, {bench.failed} failed")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
