"""What objects show of themselves in a notebook."""
from __future__ import annotations

import html
import re
from typing import Iterable, Sequence


def preformatted(text: str) -> str:
    """Text as it stands."""
    return f'<pre style="font-family:monospace;white-space:pre;overflow-x:auto">{html.escape(text)}</pre>'


def picture(svg: str) -> str:
    """An SVG document inside a page: without what only a file has."""
    return re.sub(r"^\s*<\?xml.*?\?>", "", svg, count=1, flags=re.DOTALL)


def table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a row of names."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
