#!/usr/bin/env python3
"""Comments are wrapped at 118 columns: python3 scripts/wrap-comments.py FILE... (without files those that scripts/check-prose.py names).

Only a paragraph that has a line which is too long is filled again: lines of one indentation, without a table. A comment behind code stays.
"""
import pathlib
import re
import subprocess
import sys

LONGEST = 118


def filled(words, first, rest, last):
    """Lines of these words; `last` is room that must be left in the last one, for the end of the comment."""
    lines = [first]
    for k, word in enumerate(words):
        room = LONGEST - (last if k == len(words) - 1 else 0)
        line = lines[-1]
        if line.strip() in ("", "/*") or len(line) + 1 + len(word) <= room:
            lines[-1] = line + ("" if line in (first, rest) else " ") + word
        else:
            lines.append(rest + word)
    return lines


def paragraphs(lines):
    """(begin, end) of runs of lines with the indentation of the first; the first line of a comment has "/* " in its place."""
    begin = 0
    indent = [len(re.match(r" *(/\* )?", line).group()) for line in lines]
    for k in range(1, len(lines) + 1):
        if k == len(lines) or indent[k] != indent[begin] or not lines[k].strip() or not lines[begin].strip():
            yield begin, k
            begin = k


def wrapped(comment):
    lines = comment.split("\n")
    out = []
    for begin, end in paragraphs(lines):
        piece = lines[begin:end]
        if not any(len(line) > LONGEST for line in piece) or any("|" in line for line in piece):
            out += piece
            continue
        first = re.match(r" *(/\* )?", piece[0]).group()
        ends = piece[-1].endswith("*/")
        words = " ".join([piece[0][len(first):], *piece[1:]]).removesuffix("*/").split()
        out += filled(words, first, " " * len(first), 3 * ends)
        if ends:
            out[-1] += " */"
    return "\n".join(out)


def main():
    names = sys.argv[1:]
    if not names:
        said = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("check-prose.py")], capture_output=True, text=True, check=False)
        names = sorted(set(re.findall(r"^(\S+\.(?:[ch]|inc)):\d+: \d+ characters$", said.stdout, re.M)))
    for name in names:
        path = pathlib.Path(name)
        text = path.read_text(encoding="utf-8")
        new = re.sub(r"^ */\* .*?\*/(?=\n)", lambda m: wrapped(m.group()), text, flags=re.S | re.M)
        if new != text:
            path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
