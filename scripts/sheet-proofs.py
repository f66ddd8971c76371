#!/usr/bin/env python3
"""A changed sheet must not pass `make proofs`. Each line of src/number/heads.sheet that a file proofs/Sheet*.v lists as proved is changed, a
constant and an operator of it, and Coq must refuse that file's theorems about the changed sheet. The sheet as it is must pass.

usage: sheet-proofs.py BUILD JOBS [--all] [LINE...]; --all tries every change, and tells those that no theorem notices: a line may also speak of
what is on paper (more than one tile, scales of one's own), and a theorem may say the same of a line that asks for more."""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

from sheet_changes import changes, name_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHEET = ROOT / "src" / "number" / "heads.sheet"
# What no theorem can notice, since it stands only in a part of the line that is on paper.
ON_PAPER = {
    ("once_rest", "a constant"): "more than one tile",
    ("once_sum", "a constant"): "scales of one's own",
}
LIMIT = 300  # seconds, on a busy machine: a proof that searches for longer has failed, too


def lines_of(text):
    """What a file of theorems says it is about."""
    listed = re.search(r"Lines: ((?:.|\n)*?)\. ?\*\)", text)
    return re.findall(r"\w+", listed[1]) if listed else []


def modules():
    """Name, text and what it needs of the other files about the sheet, those first that others need."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "proofs").glob("Sheet*.v")}
    needs = {name: [word for word in re.findall(r"Sheet\w+", re.search(r"From Temper Require Import ([^.]*)\.", text)[1]) if word != "Sheet"]
             for name, text in texts.items()}
    return texts, needs


def body(name, texts, needs):
    """A file as a module, which takes the others about the sheet from this file; they come last, as they do there."""
    taken = "".join(f" Import {need}." for need in needs[name])
    text = re.sub(r"(From Temper Require Import [^.]*)\.", lambda found: re.sub(r"\s+Sheet\w*", "", found[1]) + "." + taken, texts[name], count=1)
    return f"Module {name}.\n{text}\nEnd {name}."


def passes(build, room, number, name, sheet, texts, needs):
    """Whether Coq accepts a file's theorems about this sheet."""
    path = pathlib.Path(room) / f"heads_{number}.sheet"
    path.write_text(sheet, encoding="ascii")
    printed = subprocess.run([sys.executable, str(ROOT / "scripts" / "sheet-to-coq.py"), str(path)], capture_output=True, text=True, check=False)
    if printed.returncode:
        return False
    parts = [printed.stdout] + [body(need, texts, needs) for need in [*needs[name], name]]
    file = pathlib.Path(room) / f"Changed_{number}.v"
    file.write_text("\n".join(parts), encoding="utf-8")
    try:
        return subprocess.run(["coqc", "-Q", str(build / "proofs"), "Temper", str(file)], cwd=room, capture_output=True, timeout=LIMIT, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main():
    build, jobs = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2])
    every, only = "--all" in sys.argv[3:], [word for word in sys.argv[3:] if word != "--all"]
    source = SHEET.read_text(encoding="ascii")
    lines = source.split("\n")
    texts, needs = modules()
    number_of = {name_of(line): number for number, line in enumerate(lines) if name_of(line)}
    tasks = []  # file, line, what, the changed sheet
    for name, text in sorted(texts.items()):
        listed = lines_of(text)
        if listed:
            tasks.append((name, None, "", source))
        for line in listed:
            number = number_of[line]
            for what, changed in sorted(changes(lines[number]), key=lambda change: change[0] != "sides turned"):
                if not only or line in only:
                    tasks.append((name, line, what, "\n".join([*lines[:number], changed, *lines[number + 1:]])))
    noticed, missed, faults = {}, [], []

    def kind(what):
        return "a constant" if re.match(r"[\w]+ ->", what) else "an operator"

    def try_one(task):
        (number, (name, line, what, sheet)) = task
        if line and not every and kind(what) in noticed.get(line, ()):
            return None
        good = passes(build, room, number, name, sheet, texts, needs)
        if not line:
            return good or faults.append(f"proofs/{name}.v, with the sheet in the same file, does not pass")
        if good:
            missed.append(f"{line} {what}")
        else:
            noticed.setdefault(line, set()).add(kind(what))
        return None

    with tempfile.TemporaryDirectory() as room, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(try_one, enumerate(tasks)))
    kinds = {}
    for _, line, what, _ in tasks:
        if line:
            kinds.setdefault(line, set()).add(kind(what))
    for line, has in kinds.items():
        for one in sorted(has - noticed.get(line, set())):
            if (line, one) not in ON_PAPER:
                faults.append(f"no change of {one} of {line} in src/number/heads.sheet makes a theorem fail")
        for one in sorted(noticed.get(line, set())):
            if (line, one) in ON_PAPER:
                faults.append(f"a theorem notices {one} of {line}, which is listed as on paper")
    for fault in faults:
        print("sheet-proofs:", fault)
    if every:
        for one in missed:
            print("not noticed:", one)
    print(f"{len(kinds)} lines of the sheet have theorems, which fail if a constant or an operator of them is changed")
    sys.exit(bool(faults))


main()
