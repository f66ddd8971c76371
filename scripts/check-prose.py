#!/usr/bin/env python3
"""Comments and lines of the sources. A comment cites a page of doc/ by a heading, doc/theory.md, "Heads", which must be there; numbers of
sections fail. Lines have at most 118 characters, except string literals. The library names no option of the command line in its messages."""
import pathlib
import re
import subprocess
import sys

LONGEST = 118
PATTERNS = ("include/*.h", "src/*.[ch]", "src/*.inc", "lab/*.[ch]", "cli/*.[ch]", "mpi/*.c", "tests/*.[ch]", "bench/*.[ch]", "examples/*.c")
PAGE = r"doc/[a-z]+\.md"
HEADINGS = re.compile(rf'({PAGE}),\s*("[^"]+"(?:(?:,| and| to| or)\s+"[^"]+")*)')
NUMBERS = re.compile(rf"{PAGE},? \d+\.\d+|\bsections? \d")
OPTION = re.compile(r'"[^"]*(?<![-\w])--(?!page|ink|soft|line|head|true|false|bad|query|key|mark|win|link|hatch|low|high|yes|no|s%|i%)[a-z]{2,}')

failed = 0


def fail(path, number, message):
    global failed
    failed += 1
    print(f"{path}:{number}: {message}")


def comments(text):
    for match in re.finditer(r"/\*.*?\*/", text, re.S):
        yield text.count("\n", 0, match.start()) + 1, match.group()


def check_tables(path, text):
    """Tables in comments are data: they stand between clang-format off and on, and each row begins and ends its line."""
    for number, comment in comments(text):
        kept = text.count("clang-format off", 0, text.find(comment)) > text.count("clang-format on", 0, text.find(comment))
        for offset, line in enumerate(comment.split("\n")):
            cells = line.strip().removesuffix("*/").strip()
            if kept and cells.count(" | ") > 1 and not (cells.startswith("|") and cells.endswith("|")):
                fail(path, number + offset, "a row of a table does not begin and end its line")
            if not kept and re.search(r"\w +\| +\| +\w", cells):
                fail(path, number + offset, "rows of a table run into each other")


def headings_of(page, known={}):
    if page not in known:
        found = pathlib.Path(page)
        lines = found.read_text().split("\n") if found.exists() else []
        known[page] = [re.sub(r"^#+ (?:\d+\. )?", "", line) for line in lines if re.match(r"#+ ", line)]
    return known[page]


def check(path):
    text = pathlib.Path(path).read_text()
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST and '"' not in line:
            fail(path, number, f"{len(line)} characters")
        if path.startswith("src/") and not path.startswith(("src/draw/html_assets", "src/ordinary/write/ordinary_readme")) and OPTION.search(line):
            fail(path, number, "a message of the library names an option of the command line")
    check_tables(path, text)
    for number, comment in comments(text):
        plain = re.sub(r"\s*\n\s*", " ", comment)
        if NUMBERS.search(plain):
            fail(path, number, f"a section is cited by its number: {NUMBERS.search(plain).group()}")
        for page, names in HEADINGS.findall(plain):
            for name in re.findall(r'"([^"]+)"', names):
                if not any(heading == name or heading.startswith((name + " (", name + ":")) for heading in headings_of(page)):
                    fail(path, number, f'{page} has no heading "{name}"')
        for page in re.findall(PAGE, plain):
            if not pathlib.Path(page).exists():
                fail(path, number, f"there is no {page}")


files = subprocess.run(["git", "ls-files", *PATTERNS], capture_output=True, text=True, check=True).stdout.split()
for path in files:
    if pathlib.Path(path).exists():
        check(path)
print(f"prose: {len(files) - min(failed, len(files))} passed, {failed} failed")
sys.exit(failed > 0)
