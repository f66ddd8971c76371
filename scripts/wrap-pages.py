#!/usr/bin/env python3
"""Pages are wrapped at 118 columns, so that a difference can be read.

    python3 scripts/wrap-pages.py PAGE...           wraps them
    python3 scripts/wrap-pages.py --check PAGE...   names lines that could be wrapped, and fails

Without pages all of the repository. A paragraph in which no line is too long stays as it is. Tables, headings, fenced and indented
blocks and HTML are no prose; a link's target, a span of code and what would begin a list are not torn from what stands before them.
"""
import pathlib
import re
import subprocess
import sys

LONGEST = 118
PAGES = ("*.md", "doc/*.md", "examples/*.md", "proofs/*.md", "python/*.md")
ITEM = re.compile(r"( *)([-*+]|\d+[.)]) +")
# Pieces that stay whole: spans of code with their neighbours, and words otherwise.
WORD = re.compile(r"(?:`[^`]*`|[^\s`])+|`")
BEGINS_SOMETHING = re.compile(r"(?:[-+*>|]|\d+[.)]|#+|=+|-+|:::?)$|[|>]|```")


def words_of(lines):
    words = []
    for word in WORD.findall(" ".join(line.strip() for line in lines)):
        if words and BEGINS_SOMETHING.match(word):
            words[-1] += " " + word
        else:
            words.append(word)
    return words


def filled(lines):
    """A paragraph or an item of a list, its first line with the marker and the others with the blanks that they have."""
    item = ITEM.match(lines[0])
    first = item.group() if item else re.match(" *", lines[0]).group()
    rest = " " * len(first)
    out, line = [], first
    for word in words_of([lines[0][len(first):], *lines[1:]]):
        if len(line) + len(word) + (line.strip(" ") != "" and line not in (first, rest)) <= LONGEST or line in (first, rest):
            line += ("" if line in (first, rest) else " ") + word
        else:
            out.append(line)
            line = rest + word
    return out + [line]


def could_be_shorter(lines):
    return any(len(line) > LONGEST for line in lines) and filled(lines) != lines


def paragraphs(text):
    """(number of its first line, lines, whether it is prose) of each piece of a page."""
    piece, begin, fence, quiet = [], 0, None, False
    lines = text.split("\n")
    for number, line in enumerate(lines):
        stripped = line.lstrip()
        opening = re.match(r"(`{3,}|~{3,})", stripped)
        if fence or opening:
            if piece:
                yield begin, piece, True
                piece = []
            yield number, [line], False
            if fence and stripped.startswith(fence) and not stripped.strip("`~"):
                fence = None
            elif not fence:
                fence = opening.group()
            continue
        # An indented block, unless it goes on with an item of a list.
        indented = line.startswith("    ") and not piece
        other = not stripped or stripped[0] in "|<#>" or indented or re.match(r"\[[^]]*\]: ", stripped) or re.match(r"[-=*]{3,}$", stripped)
        quiet = bool(stripped) and stripped.startswith("<") or quiet and bool(stripped)
        if other or quiet or ITEM.match(line):
            if piece:
                yield begin, piece, True
                piece = []
        if other or quiet:
            yield number, [line], False
        else:
            if not piece:
                begin = number
            piece.append(line)
    if piece:
        yield begin, piece, True


def wrapped(text):
    out = []
    for _, lines, prose in paragraphs(text):
        out += filled(lines) if prose and could_be_shorter(lines) else lines
    return "\n".join(out)


def main():
    check = "--check" in sys.argv
    pages = [p for p in sys.argv[1:] if p != "--check"]
    if not pages:
        pages = subprocess.run(["git", "ls-files", *(":(glob)" + p for p in PAGES)], capture_output=True, text=True, check=True).stdout.split()
    failed = 0
    for page in pages:
        text = pathlib.Path(page).read_text(encoding="utf-8")
        if not check:
            new = wrapped(text)
            if new != text:
                pathlib.Path(page).write_text(new, encoding="utf-8")
            continue
        for number, lines, prose in paragraphs(text):
            if prose and could_be_shorter(lines):
                failed += 1
                longest = max(range(len(lines)), key=lambda k: len(lines[k]))
                print(f"{page}:{number + longest + 1}: {len(lines[longest])} columns: make format wraps at {LONGEST}")
    if check:
        print(f"pages: {len(pages)} looked at, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
