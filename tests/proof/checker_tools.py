"""What tests of the proved checker share: counting, the checker with many questions in one process, edits of models."""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1]).resolve()
everything = "--all" in sys.argv
seeds = [a for k, a in enumerate(sys.argv) if k > 1 and a.isdigit() and sys.argv[k - 1] != "--edits"]
seed = int(seeds[0]) if seeds else random.SystemRandom().randrange(10**9)
random.seed(seed)
scale = 1 if everything else 0.01
here = pathlib.Path(__file__).resolve().parent
temper, checker = str(build / "temper"), str(build / "temper-checker")
counts = [0, 0]   # passed, failed


def test(good, what):
    counts[not good] += 1
    if not good:
        print(f"FAILED (seed {seed}): {what}")
    return good


def run(*arguments, **more):
    return subprocess.run(arguments, capture_output=True, text=True, errors="surrogateescape", **more)


def finish():
    batch.stdin.close()
    batch.wait()
    print(f"{counts[0]} passed, {counts[1]} failed")
    sys.exit(counts[1] > 0)


made = build / "checker"
subprocess.run(["ocamlfind", "ocamlopt", "-w", "-a", "-package", "unix", "-linkpkg", "-I", str(made),
                *(str(made / f"{m}.cmx") for m in ("kernel", "hint", "ask")), "-o", str(made / "batch"), str(here / "checker" / "batch.ml")],
               check=True)
for rest in (here / "checker").glob("batch.*"):
    if rest.suffix in (".cmi", ".cmx", ".o"):
        rest.unlink()
batch = subprocess.Popen([str(made / "batch")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(verb, data, *arguments):
    batch.stdin.write(" ".join([verb, str(len(data)), *map(str, arguments)]).encode() + b"\n" + data)
    batch.stdin.flush()


def check(data, form, length):
    ask("check", data, form, length)
    return batch.stdout.readline().decode().strip()


work = tempfile.TemporaryDirectory()
folder = pathlib.Path(work.name)


numbers = ["1", "-1", "2", "-2", "0", "4", "0x1p-1", "0x1.4p+1", "-0x1.4p+1", "-0x1.cp+1", "3", "-3", "0x1.000002p+0", "1.5", "-0x1.8p+1",
           "0x1.1p+0", "0x1.01p+1", "9", "-0x1.2p+2", "17", "0x1p-9"]
places = ["1", "i/N", "0", "[i = 0]", "[i = N - 1]", "[i = 1]*[1 <= n]", "[i = n]*[1 <= n]", "[i % 2 = 0]*[1 <= i]*[i <= n]",
          "[i % 2 = 1]*[1 <= i]*[i <= n]", "[(N - 1 - i + 1) % 3 = 1]*[1 <= i]*[i <= n]", "[(i + 2) % 3 = 2]*[1 <= i]*[i <= n]"]


def edit(lines, channels):
    """Another weight, channel, mask, scale, feature or order of lines; numbers stay such that the file may be read."""
    k, what = random.randrange(len(lines)), random.random()
    line = lines[k]
    if not re.match(r"\s*(query|key|value|output|unit|read|embed|head|channel)", line):
        return
    terms = list(re.finditer(r"(?<=\s)(\d+):(\S+)", line))
    if line.startswith("head"):
        if what < .5:
            line = re.sub(r"mask \S+", "mask " + random.choice(["j<=i", "j<i", "j>=i", "j>i", "all"]), line)
        elif what < .65:
            line = re.sub(r"role \S+", "role " + random.choice(["none", "once", "nearest", "count", "compare", "lookup", "match"]), line)
        elif what < .7:
            line = re.sub(r" for \S+", random.choice(["", " for leftmost", " for rightmost", " for average", " for softmax"]), line)
        elif what < .9:
            line = re.sub(r'scale ".*"', 'scale "' + random.choice(["8*N", "ln(N) + 8", "16*N", "ln(N) + 7"]) + '"', line)
    elif line.startswith("channel"):
        if what < .5:
            line = re.sub(r'(position|soft) ".*"', lambda q: f'{q[1]} "{random.choice(places)}"', line)
        elif "position" not in line and "soft" not in line:
            line += f' position "{random.choice(places)}"'
    elif terms and what < .85:
        q = random.choice(terms)
        new = f"{q[1]}:{random.choice(numbers)}" if what < .45 else f"{random.randrange(channels)}:{q[2]}" if what < .75 else ""
        line = line[:q.start()] + new + line[q.end():]
    elif line.startswith("unit"):
        line = re.sub(r"unit \S+", "unit " + random.choice(numbers), line)
    else:
        j = random.randrange(len(lines))
        lines[k], lines[j] = lines[j], lines[k]
        return
    lines[k] = line


def edited(data):
    lines = data.decode("utf-8").split("\n")
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        edit(lines, max(1, data.count(b"\nchannel ")))
    return "\n".join(lines).encode()
