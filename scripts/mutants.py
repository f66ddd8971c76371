#!/usr/bin/env python3
"""Changes the sources of the proofs, one place at a time, and sees whether a test notices.

    make mutants                              every change (hours on two cores)
    make mutants MUTANTS="--sample 300"       a random sample; --seed S draws another one
    make mutants MUTANTS="src/bound/ball.c"   the changes of some files or folders
    make mutants MUTANTS="--again"            those that survived once more, after tests were added
    make mutants MUTANTS="--longest 1"        without the slow tests: soon done; then --again for the survivors
    make mutants MUTANTS="--report"           what the journal knows, without running anything

A change is a mutant. It is caught if a test program fails, dies or takes far too long. Results go to a journal (build/mutants/journal), so
that a second call goes on where the first one stopped; a changed source file has new mutants. The sources themselves are never
touched: a mutant is compiled from a copy and linked before the library, so that its symbols are found first.

The exit status is 1 if fewer than 95 % are caught. Only the standard library is used."""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import threading
import time

# Which tests concern a folder; they are run in the order of the time that they take.
TESTS = {
    "src/bound": ["t-bound*", "t-choice*", "t-proved*", "t-certify*", "t-audit", "t-audit-choices"],
    "src/certify": ["t-certify*", "t-proved*", "t-audit", "t-audit-choices"],
    "src/audit": ["t-audit*", "t-certify-wild"],
    "src/recognise": ["t-recognise*", "t-proved*", "t-certify*", "t-audit"],
}
MEMORY = 6 << 30  # bytes of a test: a mutant may ask for everything

# ---- what can be changed ----------------------------------------------------------------------------------------

TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\#[ \t]*(?:include|if|ifdef|ifndef|elif|pragma|undef|endif|else|error)[^\n]*)
      | (?P<number>0[xX][0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?[0-9]+)?[uUlLfF]*|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[uUlLfF]*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<operator><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])""",
    re.VERBOSE | re.DOTALL)
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OTHERS = {"&&": "||", "||": "&&", "+=": "-=", "-=": "+="}
# After these words + and - have one operand.
WORDS = {"return", "case", "else", "sizeof"}
# The places that a message names (line and column, layer and head) are not part of any proof.
MESSAGES = {"trap_raise", "trap_raise_hint", "certification_unable", "certification_head", "audit_refuse"}

Mutant = collections.namedtuple("Mutant", "key path line start end old new source")


def change_number(text):
    """A whole number goes up and down by one, another one is doubled and halved."""
    whole = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*", text)
    if whole:
        digits = whole.group(1)
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if len(digits) > 1 and digits[0] == "0" else 10)
        return ["(%s + 1)" % text] + (["(%s - 1)" % text] if value else [])
    return ["(%s * 2)" % text, "(%s / 2)" % text]


def change_name(text):
    """min and max as whole words of a name: fmin, arb_max, double_min."""
    swapped = {"fmin": "fmax", "fmax": "fmin", "min": "max", "max": "min", "MIN": "MAX", "MAX": "MIN"}
    parts = text.split("_")
    return ["_".join(swapped.get(p, p) for p in parts)] if any(p in swapped for p in parts) else []


def changes_of(kind, text, before):
    if kind == "number":
        return change_number(text)
    if kind == "name":
        return change_name(text)
    if text in COMPARISONS:
        return [COMPARISONS[text]]
    if text in OTHERS:
        return [OTHERS[text]]
    binary = re.match(r"[\w)\]]", before[-1:]) and before not in WORDS
    if text in "+-" and binary:
        return ["-" if text == "+" else "+"]
    return []


def declares_room(tokens, k):
    """`char name[64]`: the size of a buffer for text."""
    return k > 2 and tokens[k - 1][1] == "[" and tokens[k - 3][1] == "char"


def mutants_of(path):
    with open(path, encoding="utf-8") as file:
        source = file.read()
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    tokens = [(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(source) if m.lastgroup != "skip"]
    found, depth, message = [], 0, None
    for k, (kind, text, start) in enumerate(tokens):
        before = tokens[k - 1][1] if k else ""
        if text == "(":
            depth += 1
            if before in MESSAGES and message is None:
                message = depth
        elif text == ")":
            if message == depth:
                message = None
            depth -= 1
        if message or (kind == "number" and declares_room(tokens, k)):
            continue
        for new in changes_of(kind, text, before):
            key = "%s %s %d %s" % (path, digest, start, new)
            found.append(Mutant(key, path, source.count("\n", 0, start) + 1, start, start + len(text), text, new, source))
    return found


def all_mutants(roots):
    found = []
    for root in roots:
        if os.path.isfile(root):
            found += mutants_of(root)
        for folder, _, files in sorted(os.walk(root)):
            for name in sorted(files):
                if name.endswith((".c", ".h", ".inc")):
                    found += mutants_of(os.path.join(folder, name))
    return found


# ---- building and testing one ------------------------------------------------------------------------------------


def read_dependencies(build):
    """Which objects are made of a file: {file: [source of the object]}."""
    users = collections.defaultdict(list)
    for top in ("src", "tests", "lab"):
        for folder, _, files in os.walk(os.path.join(build, top)):
            for name in files:
                if not name.endswith(".d"):
                    continue
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    words = file.read().split(":", 1)[1].replace("\\\n", " ").split("\n")[0].split()
                for word in words[1:]:
                    users[os.path.normpath(word)].append(words[0])
    return users


class Bench:
    """Compiles, links and runs. Worker k has a folder of its own."""

    def __init__(self, options):
        self.o = options
        self.cc = os.environ.get("CC", "gcc").split()
        # One file without optimisation is soon compiled, and its results are the same bits.
        self.flags = [f for f in os.environ["MUTANT_CFLAGS"].split() if f not in ("-MMD", "-MP", "-g")] + ["-O0"]
        self.link = os.environ.get("MUTANT_LDFLAGS", "").split()
        self.libraries = os.environ["MUTANT_LDLIBS"].split()
        self.users = read_dependencies(options.build)
        names = sorted(os.listdir(os.path.join(options.build, "tests")))
        self.programs = [n for n in names if os.path.exists("tests/%s.c" % n)]
        self.aids = [os.path.join(options.build, "tests", n) for n in names
                     if n.endswith(".o") and not n.startswith(("t-", "long-"))]
        self.archives = [os.path.join(options.build, n) for n in ("libtemper-lab.a", "libtemper.a")]
        self.seconds = {}  # what each test takes without a change
        self.left_out = set()

    def tests_of(self, path):
        for folder, patterns in TESTS.items():
            if path.startswith(folder + "/"):
                tests = {t for pattern in patterns for t in fnmatch.filter(self.programs, pattern)}
                return sorted(tests - self.left_out, key=lambda t: (self.seconds.get(t, 0), t))
        sys.exit("mutants: no tests are listed for " + path)

    def compile(self, folder, source, path, object_name):
        """False: the compiler refuses it."""
        actual = os.path.join(folder, "tree", source) if source == path else source
        command = self.cc + ["-w", "-I" + os.path.join(folder, "tree", "src"), "-I" + os.path.join(folder, "tree"),
                             *self.flags, "-c", actual, "-o", object_name]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0

    def run(self, folder, program, seconds):
        """'' if it passes, else how it fails. The limit is on processor time, as other work may be going on."""
        cpu = int(3 * seconds + 5)

        def limit():
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        environment = dict(os.environ, TEMPER_TEST_EFFORT=str(self.o.effort))
        process = subprocess.Popen([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
                                   preexec_fn=limit)
        try:
            code = process.wait(timeout=40 * cpu)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            return "time"
        return "" if code == 0 else "time" if code in (-24, -9) else "fails"

    def try_mutant(self, folder, mutant):
        """(verdict, test): caught, survived, did not compile, timed out."""
        shutil.rmtree(folder, ignore_errors=True)
        copy = os.path.join(folder, "tree", mutant.path)
        os.makedirs(os.path.dirname(copy))
        with open(copy, "w", encoding="utf-8") as file:
            file.write(mutant.source[:mutant.start] + mutant.new + mutant.source[mutant.end:])
        sources = [mutant.path] if mutant.path.endswith(".c") else self.users[mutant.path]
        objects, tests = [], self.tests_of(mutant.path)
        for source in sorted(set(sources)):
            if source.startswith("lab/") or (source.startswith("tests/t-") and source[6:-2] not in tests):
                continue
            made = os.path.join(folder, source.replace("/", "+")[:-2] + ".o")
            if not self.compile(folder, source, mutant.path, made):
                return "did not compile", ""
            objects.append((source, made))
        replaced = {source: made for source, made in objects if source.startswith("tests/")}
        library = [made for source, made in objects if source.startswith("src/")]
        for test in tests:
            program = os.path.join(folder, test)
            main = replaced.get("tests/%s.c" % test, os.path.join(self.o.build, "tests", test + ".o"))
            aids = [replaced.get(os.path.relpath(a, self.o.build)[:-2] + ".c", a) for a in self.aids]
            command = self.cc + [*self.link, "-o", program, main, *aids, *library, *self.archives, *self.libraries]
            if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
                return "did not compile", test
            result = self.run(folder, program, self.seconds[test])
            os.remove(program)
            if result:
                return ("timed out" if result == "time" else "caught"), test
        return "survived", ""

    def measure(self, tests):
        """The tests must pass without a change; how long they take sets the limits."""
        for test in tests:
            program = os.path.join(self.o.build, "tests", test)
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            result = self.run("", program, 600)
            self.seconds[test] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            if result and not self.o.skip_failing:
                sys.exit("mutants: %s fails without any change" % test)
            if result:
                print("left out: %s fails without any change" % test, file=sys.stderr)
            if result or (self.o.longest and self.seconds[test] > self.o.longest):
                self.left_out.add(test)


# ---- the journal and the report ----------------------------------------------------------------------------------


def read_journal(path):
    known = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue  # the end of a run that was killed
                known[record["key"]] = record
    return known


def print_report(mutants, known):
    names = ("caught", "timed out", "survived", "did not compile")
    table, survivors = {}, []
    for m in mutants:
        record = known.get(m.key)
        if record:
            row = table.setdefault(os.path.dirname(m.path), collections.Counter())
            row[record["verdict"]] += 1
            if record["verdict"] == "survived":
                survivors.append(m)
    print("| folder | mutants | tried | " + " | ".join(names) + " | caught of those that compile |")
    print("| --- |" + " --- |" * (len(names) + 3))
    total = collections.Counter()
    for folder in sorted(table) + ["all"]:
        row = table[folder] if folder != "all" else total
        count = sum(1 for m in mutants if folder in ("all", os.path.dirname(m.path)))
        compiled = sum(row[n] for n in names[:3])
        share = 100 * (row["caught"] + row["timed out"]) / compiled if compiled else 0
        print("| %s | %d | %d | %s | %.1f %% |" % (folder, count, sum(row.values()), " | ".join(str(row[n]) for n in names), share))
        if folder != "all":
            total += row
    print("\nSurvivors:\n" if survivors else "\nNo survivors.")
    for m in survivors:
        print("- `%s:%d` `%s` → `%s` in `%s`" % (m.path, m.line, m.old, m.new, m.source.split("\n")[m.line - 1].strip()))
    compiled = sum(total[n] for n in names[:3])
    return not compiled or total["survived"] <= 0.05 * compiled


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=[], help="files or folders (default: all of TESTS)")
    parser.add_argument("--build", default="build", help="where the library and the tests are built")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sample", type=int, default=0, help="how many mutants to try, drawn at random; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--effort", type=float, default=0.02, help="TEMPER_TEST_EFFORT of the tests")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so many; 0: never")
    parser.add_argument("--journal", default="")
    parser.add_argument("--again", action="store_true", help="try the survivors in the journal again, and nothing else")
    parser.add_argument("--skip-failing", action="store_true", help="leave out tests that fail without any change")
    parser.add_argument("--longest", type=float, default=0, help="leave out tests of more seconds; --again then tries all; 0: none")
    parser.add_argument("--report", action="store_true", help="print what the journal knows")
    parser.add_argument("--list", action="store_true", help="print the mutants")
    o = parser.parse_args()
    scratch = os.path.join(o.build, "mutants")
    os.makedirs(scratch, exist_ok=True)
    journal = o.journal or os.path.join(scratch, "journal")
    mutants = all_mutants([p.rstrip("/") for p in o.paths] or [f for f in TESTS if os.path.isdir(f)])
    known = read_journal(journal)
    if o.list:
        for m in mutants:
            print("%s:%d: %s -> %s" % (m.path, m.line, m.old, m.new))
        return 0
    if o.report:
        return 0 if print_report(mutants, known) else 1

    if o.again:
        todo = [m for m in mutants if known.get(m.key, {}).get("verdict") == "survived"]
    else:
        todo = random.Random(o.seed).sample(mutants, min(o.sample, len(mutants))) if o.sample else mutants
        todo = [m for m in todo if m.key not in known]
    bench = Bench(o)
    bench.measure(sorted({t for m in todo for t in bench.tests_of(m.path)}))
    print("%d mutants, %d to try" % (len(mutants), len(todo)), file=sys.stderr)
    lock, folders, end = threading.Lock(), list(range(o.jobs)), time.time() + (60 * o.minutes or 1e9)

    def work(mutant):
        if time.time() > end:
            return
        with lock:
            number = folders.pop()
        verdict, test = bench.try_mutant(os.path.join(scratch, "worker-%d" % number), mutant)
        with lock:
            folders.append(number)
            known[mutant.key] = {"key": mutant.key, "verdict": verdict, "test": test}
            with open(journal, "a", encoding="utf-8") as file:
                file.write(json.dumps(known[mutant.key]) + "\n")
            if verdict == "survived":
                print("survived: %s:%d: %s -> %s" % (mutant.path, mutant.line, mutant.old, mutant.new), file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        list(pool.map(work, todo))
    return 0 if print_report(mutants, known) else 1


if __name__ == "__main__":
    sys.exit(main())
