"""What objects show of themselves in a notebook: the components of the playground and of `temper show --html`."""
from __future__ import annotations

import dataclasses
import hashlib
import html
import re
from typing import Any, Iterable, List, Sequence, Set, Tuple

from ._library import lib, text
from ._shown import fields_shown

_BESIDE = 8  # letters that are shown on each side of a mark


def _is_used(selectors: str, names: Set[str]) -> bool:
    """Whether some selector of a list is about elements and classes that occur."""
    plain = re.sub(r":is\(([^(),]*),[^()]*\)", r"\1", selectors)
    plain = re.sub(r":[\w-]+(\([^()]*\))?|\[[^]]*\]", "", plain)
    return any(names.issuperset(re.findall(r"\.?[a-z][\w-]*", one)) for one in plain.split(","))


def own_style(part: str) -> str:
    """An element with as much of the stylesheet as it uses, which is about elements with the same part of it only: of two cards in a page
    the later would else have the last word. Sizes do not depend on the font of somebody else's page: Jupyter's old notebooks have a root
    of 10 pixels."""
    before, style, after = re.split("(?<=<style>)(.*?)(?=</style>)", part, maxsplit=1, flags=re.DOTALL)
    names = {"." + name for found in re.findall(r'class="([^"]*)"', part) for name in found.split()}
    names |= {".vscode-light", ".vscode-dark", *re.findall(r"<([a-z][a-z0-9]*)", part)}
    style = re.sub(r"/\*.*?\*/\n?", "", style, flags=re.DOTALL)
    style = re.sub(r"\s*([^{};]+)\{([^{}]*)\}", lambda rule: f"\n{rule[1]}{{{rule[2]}}}" if _is_used(rule[1], names) else "", style)
    style = re.sub(r"(?<![\w-])(\d*\.?\d+)rem\b", lambda found: f"{float(found[1]) * 16:.4g}px", style)
    name = "t" + hashlib.sha256(style.encode("utf-8")).hexdigest()[:8]
    return before.replace('class="temper card', f'class="temper card {name}', 1) + style.replace(".temper", f".temper.{name}") + after


def card(*parts: str) -> str:
    """One element with its own style, which is about nothing outside."""
    return own_style(f'<div class="temper card"><style>\n{text(lib.temper_draw_style())}</style>' + "".join(parts) + "</div>")


def heading(what: str, code: str = "") -> str:
    """A line above the rest: what it is, and of what."""
    return f"<h2>{html.escape(what)}" + (f" <code>{html.escape(code)}</code>" if code else "") + "</h2>"


def preformatted(content: str) -> str:
    """Text as it stands."""
    return card(f"<pre>{html.escape(content)}</pre>")


def picture(svg: str) -> str:
    """An SVG document inside a page: without what only a file has."""
    return '<div class="picture">' + re.sub(r"^\s*<\?xml.*?\?>", "", svg, count=1, flags=re.DOTALL) + "</div>"


def facts(pairs: Iterable[Tuple[str, str]]) -> str:
    """Names, and what they are."""
    return '<dl class="facts">' + "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(fact)}</dd>" for name, fact in pairs) + "</dl>"


def table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a row of names."""
    head = "".join(f"<th><b>{html.escape(name)}</b></th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table class="rows"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def marked(letters: Sequence[str], position: int, says: str) -> str:
    """A string letter by letter, around a position, from 1, that is marked; 0: none is."""
    first, last = max(0, position - 1 - _BESIDE), min(len(letters), max(position, 1) + _BESIDE)
    shown = ["<th>…</th>"] if first else []
    cells = ["<td></td>"] if first else []
    for k in range(first, last):
        shown.append(f'<th scope="col"><b>{html.escape(letters[k])}</b><small>{k + 1}</small></th>')
        cells.append('<td class="x" title="the wrong answer"></td>' if k + 1 == position else "<td></td>")
    shown += ["<th>…</th>"] if last < len(letters) else []
    return (f'<div class="scroll"><table class="cells truth"><thead><tr><th class="corner"><small>letter</small><small>position</small></th>{"".join(shown)}</tr>'
            f'</thead><tbody><tr><th scope="row">{html.escape(says)}</th>{"".join(cells)}</tr></tbody></table></div>')


def verdict(says: str, badges: Iterable[Tuple[str, str]], kind: str, pairs: Iterable[Tuple[str, str]], why: str = "") -> str:
    """The card of a verdict, which is "proved", "wrong" or neither, "": what is said, badges ("ok", "no" or "un" with each), a sentence,
    and facts beside each other."""
    return (f'<div class="{f"verdict {kind}".rstrip()}"><p class="big"><span>{html.escape(says)}</span>'
            + "".join(f'<span class="badge {kind}">{html.escape(badge)}</span>' for badge, kind in badges) + "</p>"
            + (f'<p class="say">{html.escape(why)}</p>' if why else "") + "<dl>"
            + "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(fact)}</dd>" for name, fact in pairs) + "</dl></div>")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{key or 'the end'}: {_shown(one)}" for key, one in value.items())
    if isinstance(value, tuple):
        return " ".join(map(_shown, value))
    return "none" if value is None else str(value)


class Facts:
    """A dataclass whose fields are its facts; those that are "" are left out, and one that is a dataclass is shown by its own."""

    def __repr__(self) -> str:
        return fields_shown(self)

    def _pairs(self, before: str = "") -> List[Tuple[str, str]]:
        found: List[Tuple[str, str]] = []
        for field in dataclasses.fields(self):
            value, name = getattr(self, field.name), before + field.name.rstrip("_").replace("_", " ")
            if isinstance(value, Facts):
                found += value._pairs(name + ": ")
            elif value != "":
                found.append((name, _shown(value)))
        return found

    def _repr_html_(self) -> str:
        return card(heading(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__)), facts(self._pairs()))
