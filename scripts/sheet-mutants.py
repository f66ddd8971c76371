#!/usr/bin/env python3
"""Changes every constant, operator, function and flag of src/number/heads.sheet, one at a time, and sees whether a test notices. Both readers
get the changed sheet: what must notice is the page written once more (tests/proof/role_page.c). usage: sheet-mutants.py BUILD CC LDLIBS [LINE]: from that
line on"""
import os
import subprocess
import sys
import tempfile

from sheet_changes import changes, name_of

build, compiler, libraries = sys.argv[1], sys.argv[2].split(), sys.argv[3].split()
TESTS = ["t-sheet", "t-bound", "t-bound-conditions", "t-bound-alone", "t-bound-match", "t-bound-gates", "t-own-lengths", "t-bound-truth", "t-bound-quantities", "t-audit-bounds", "t-audit-logit"]
SHEET = "src/number/heads.sheet"
# Nothing a run can reach tells these apart; each has its reason.
HARMLESS = "scripts/sheet.harmless"


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options).returncode


def notices(room, text):
    """The test that fails with this sheet; None: no test does."""
    sheet = os.path.join(room, "heads.sheet")
    open(sheet, "w", encoding="ascii").write(text)
    tables = subprocess.run(["awk", "-v", "of=tables", "-f", "scripts/sheet.awk", sheet], capture_output=True, check=False)
    if tables.returncode:
        return "sheet.awk"
    open(os.path.join(room, "sheet_tables.c"), "wb").write(tables.stdout)
    with open(os.path.join(room, "sheet_text.c"), "wb") as file:
        subprocess.run(["sh", "scripts/embed.sh", "number/sheet_text.h", "sheet", sheet], stdout=file, check=True)
    made = []
    for name in ("sheet_tables", "sheet_text"):
        made.append(os.path.join(room, name + ".o"))
        subprocess.run([*compiler, "-std=c17", "-O1", "-Iinclude", "-Isrc", f"-I{build}/made", "-c", os.path.join(room, name + ".c"), "-o", made[-1]], check=True)
    for test in TESTS:
        program = os.path.join(room, test)
        objects = [line.strip() for line in open(f"{build}/sheet/{test}.objects", encoding="utf-8")]
        link = [*compiler, "-fuse-ld=gold", "-o", program, *made, *objects, *libraries]
        subprocess.run(link, check=True)
        try:
            if run([program], timeout=120, env={**os.environ, "TEMPER_TEST_STOP": "1", "TEMPER_TEST_EFFORT": "0.3"}):
                return test
        except subprocess.TimeoutExpired:
            return test + " (without end)"
    return None


def objects_of(test):
    """What a test is linked of, but for the sheet."""
    room = f"{build}/sheet"
    os.makedirs(room, exist_ok=True)
    said = subprocess.run(["make", "-n", "-W", f"{build}/libtemper.a", "V=1", f"{build}/tests/{test}", f"BUILD={build}"], capture_output=True, text=True, check=True).stdout
    line = [line for line in said.splitlines() if f"-o {build}/tests/{test} " in line][-1]
    inputs = [word for word in line.split() if word.endswith((".o", ".a"))]
    with open(f"{room}/{test}.objects", "w", encoding="utf-8") as file:
        file.write("\n".join(inputs) + "\n")


def main():
    source = open(SHEET, encoding="ascii").read()
    lines = source.split("\n")
    excused = {}
    for entry in open(HARMLESS, encoding="utf-8") if os.path.exists(HARMLESS) else []:
        if entry.strip() and not entry.startswith("#"):
            key, reason = entry.rstrip("\n").split(": ", 1)
            excused[key] = reason
    for test in TESTS:
        objects_of(test)
    caught, harmless, open_ones = 0, 0, []
    first = sys.argv[4] if len(sys.argv) > 4 else None
    with tempfile.TemporaryDirectory() as room:
        failing = notices(room, source)
        if failing:
            sys.exit(f"sheet-mutants: {failing} fails with the sheet as it is")
        for number, line in enumerate(lines):
            name = name_of(line)
            if not name or first and name != first:
                continue
            first = None
            for what, changed in changes(line):
                by = notices(room, "\n".join([*lines[:number], changed, *lines[number + 1:]]))
                if by:
                    caught += 1
                elif f"{name} {what}" in excused:
                    harmless += 1
                else:
                    open_ones.append(f"{name} {what}")
                    print(f"not noticed: {name} {what}: {changed}", flush=True)
    print(f"{caught} changes of the sheet are noticed, {harmless} are harmless, {len(open_ones)} are open")
    sys.exit(bool(open_ones))


main()
