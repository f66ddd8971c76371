"""What the checks of exported folders have in common: counting, the program, and the folders that it makes."""
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap

passed = failed = 0


def check(ok, message):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAILED:", message)


def contains(text, *parts):
    for part in parts:
        check(part in text, f"no {part!r} in: {text[-600:]}")


class Bench:
    """The program, a folder to work in, and the ways to call both."""

    def __init__(self, build, work, node=""):
        self.temper = os.path.abspath(os.path.join(build, "temper"))
        self.work, self.node = os.path.abspath(work), os.path.abspath(node)
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)

    def path(self, *parts):
        return os.path.join(self.work, *parts)

    def run(self, *arguments, code=0):
        done = subprocess.run([self.temper, *arguments], capture_output=True, text=True, cwd=self.work,
                              env={**os.environ, "NO_COLOR": "1"})
        check(done.returncode == code, f"temper {' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")
        return done.stdout + done.stderr

    def export(self, name, *arguments):
        self.run("export", "-q", *arguments, "-o", name)
        return self.path(name)

    def python(self, code):
        """Runs code in an interpreter of its own; what it prints."""
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], capture_output=True, text=True,
                              cwd=self.work)
        check(done.returncode == 0, f"python: {done.stderr[-1500:]}\n{code}")
        return done.stdout


def vectors(folder):
    with open(os.path.join(folder, "testvectors.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def code_blocks(text, language):
    return [match[1] for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def message_of(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    check(False, f"no {kind.__name__}")
    return ""


def make_folders(bench):
    bench.run("compile", "-q", "--gallery", "dyck-1", "-o", "dyck.temper")
    bench.run("soften", "-q", "dyck.temper", "--length", "12", "-o", "soft.temper")
    bench.run("compile", "-q", "--gallery", "second-half", "-o", "half.temper")
    bench.run("soften", "-q", "half.temper", "--length", "12", "--adaptive", "-o", "adaptive.temper")
    with open(bench.path("add.spec"), "w", encoding="utf-8") as file:
        file.write("transduce\nalphabet a b c d\nemit '1' = [bc] ^ Y([bc] S d)\nemit '0' otherwise\n")
    with open(bench.path("brackets.spec"), "w", encoding="utf-8") as file:
        file.write("next\nregex (a(ab)*b)*\n")
    with open(bench.path("weighted.spec"), "w", encoding="utf-8") as file:
        file.write("next\nprobabilities {\nafter start a 3\nafter a b 1/2\nafter b end 2\n}\nregex (a(ab)*b)*\n")
    return {
        "out": bench.export("out", "-f", "H(b -> O a)", "--alphabet", "abc"),
        "since": bench.export("since", "-f", "(a S b) & Y c | #[a] > #[b]", "--alphabet", "abc", "--method", "positions"),
        "end": bench.export("end", "-f", "G(a -> X F b)", "--alphabet", "abc"),
        "hard": bench.export("hard", "-f", "a S b", "--alphabet", "abc", "--hard"),
        "softened": bench.export("softened", "soft.temper"),
        "adaptive": bench.export("adaptive", "adaptive.temper"),
        "tokens": bench.export("tokens", "-f", "H('\"\\\\' -> O '<start>')", "--tokens", "--alphabet",
                               "\"\\ <start> <end> \u00e9 'x'"),
        "out2": bench.export("out2", "-F", "add.spec"),
        "next": bench.export("next", "-F", "brackets.spec"),
        "weighted": bench.export("weighted", "-F", "weighted.spec"),
    }


def tally(name, least):
    """Says how it went; whether it went wrong, or did less than it should."""
    print(f"{name}: {passed} passed, {failed} failed")
    return failed > 0 or passed < least
