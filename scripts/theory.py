#!/usr/bin/env python3
"""doc/theory.md as a page for print, on standard output. usage: theory.py VERSION DATE (with Python-Markdown)"""
import html
import re
import sys
from pathlib import Path

import markdown

from mathematics import with_scripts

ROOT = Path(__file__).resolve().parent.parent
STYLE = """
@page { size: A4; margin: 22mm 21mm 24mm }
html { font: 10.5pt/1.42 FreeSerif, serif; hyphens: auto }
body { margin: 0 }
h1 { font-size: 25pt; margin: 0 0 2pt }
h2 { font-size: 15pt; margin: 20pt 0 6pt }
h3 { font-size: 12pt; margin: 14pt 0 4pt }
h1, h2, h3, h4 { font-weight: bold; line-height: 1.2; break-after: avoid }
p, ul, ol { margin: 0 0 7pt; orphans: 3; widows: 3 }
p { text-align: justify }
ul, ol { padding-left: 16pt }
code { font: 8.6pt "DejaVu Sans Mono", monospace; hyphens: none; overflow-wrap: break-word }
pre { font: 7.8pt/1.4 "DejaVu Sans Mono", monospace; margin: 0 0 8pt 12pt; break-inside: avoid; white-space: pre }
pre code { font: inherit }
table { border-collapse: collapse; margin: 2pt 0 9pt; font-size: 9.3pt; width: 100% }
tr { break-inside: avoid }
thead { display: table-header-group }
th { text-align: left; border-bottom: .8pt solid #000; padding: 2pt 6pt 2pt 0; vertical-align: bottom }
td { border-bottom: .3pt solid #999; padding: 2.5pt 6pt 2.5pt 0; vertical-align: top }
sub, sup { font-size: 72%; line-height: 0 }
a { color: #1a3a8a; text-decoration: none }
.about { color: #444; text-align: left; margin-bottom: 14pt }
"""


def slug(text, _separator):
    """The anchors that links in the pages have, as GitHub makes them."""
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


def without_links_outside(page):
    """Links within the page stay, and those to the network; other pages are named."""
    return re.sub(r'<a href="(?!#|https?://)([^"]*)">(.*?)</a>', r"\2", page, flags=re.DOTALL)


def fitted(page):
    """Blocks with long lines are set in smaller letters, so that no line is broken."""
    def block(match):
        longest = max(map(len, html.unescape(match[1]).split("\n")))
        return f'<pre style="font-size: {min(7.8, 460 / 0.603 / longest):.2f}pt"><code>{match[1]}</code></pre>'
    return re.sub(r"<pre><code>(.*?)</code></pre>", block, page, flags=re.DOTALL)


def unbroken(page):
    """No line begins with an operator."""
    return re.sub(r" ([=<>≤≥≠≈≡∈∉⊆⊨+−·∧∨∩∪]|&lt;|&gt;)(?= )", "\u00a0\\1", page)


def main(version, date):
    source = (ROOT / "doc" / "theory.md").read_text(encoding="utf-8")
    title = re.match(r"# (.*)\n", source)[1]
    made = markdown.markdown(source, extensions=["tables", "fenced_code", "toc"], extension_configs={"toc": {"slugify": slug}})
    body = fitted(unbroken(without_links_outside(with_scripts(made))))
    about = f"temper {version}, {date}. The page <code>doc/theory.md</code> of its sources; other pages and files are named as they are there."
    body = body.replace("</h1>", f'</h1>\n<p class="about">{about}</p>', 1)
    print(f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>temper: {html.escape(title)}</title>'
          f"<style>{STYLE}</style></head><body>\n{body}\n</body></html>")


if __name__ == "__main__":
    main(*sys.argv[1:])
