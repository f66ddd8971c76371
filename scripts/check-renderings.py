#!/usr/bin/env python3
"""Pages look alike wherever they are read: what is emphasised, and what is a block of code, is the same by the rules of CommonMark, as GitHub
follows them, and by those of MkDocs. usage: check-renderings.py PAGE... (with markdown and markdown-it-py)"""
import html
import re
import sys
from collections import Counter
from pathlib import Path

import markdown
from markdown_it import MarkdownIt


def shown(page):
    """Emphasised text and blocks of code, with how often each is there."""
    found = re.findall(r"<(em|strong|pre)\b[^>]*>(.*?)</\1>", page, re.DOTALL)
    return Counter((tag, " ".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())) for tag, text in found)


def main(paths):
    common, faults = MarkdownIt("commonmark").enable("table"), 0
    for path in paths:
        source = Path(path).read_text(encoding="utf-8")
        one = shown(common.render(source))
        # In code in tables MkDocs keeps the backslash before a bar; scripts/site.sh takes it away.
        two = shown(markdown.markdown(source, extensions=["tables", "fenced_code", "attr_list"]).replace("\\|", "|"))
        for where, difference in (("CommonMark", one - two), ("MkDocs", two - one)):
            for tag, text in difference:
                print(f"{path}: only {where} shows as <{tag}>: {text[:90]}")
                faults += 1
    print(f"renderings: {len(paths)} pages, {faults} differences")
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
