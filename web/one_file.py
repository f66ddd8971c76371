"""Makes one page of the playground with everything inside, for where there is no network and no server.

usage: one_file.py SITE INSIDE OUTPUT

Modules become functions in the order of their imports, so that no name meets another. The worker is a text that the page makes a worker
of, and the WebAssembly module is gzip in base64. INSIDE has modules that stand for those of the site.
"""
from __future__ import annotations

import base64
import gzip
import hashlib
import os
import re
import sys
import tempfile
from pathlib import Path

IMPORT = re.compile(r"^import \{([^}]*)\} from '(\./[^']*)';\n", re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function)\b)", re.M)
EXPORTED = re.compile(r"^export (?:async )?(?:const|class|function)\*? (\w+)", re.M)


class Bundle:
    """The modules that one of them needs, each once, before who needs it."""

    def __init__(self, site: Path, inside: Path) -> None:
        self.site, self.inside = site, inside
        self.done: list[str] = []
        self.parts: list[str] = []
        self.open: list[str] = []

    def text_of(self, name: str) -> str:
        other = self.inside / name
        return (other if other.exists() else self.site / name).read_text(encoding="utf-8")

    def add(self, name: str) -> str:
        """The variable of a module, which is an object of what it exports."""
        variable = "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))
        if name in self.open:
            sys.exit(f"one_file: modules import each other: {' '.join([*self.open, name])}")
        if name in self.done:
            return variable
        self.open.append(name)
        text = self.text_of(name)

        def bind(found: re.Match[str]) -> str:
            needed = os.path.normpath(os.path.join(os.path.dirname(name), found[2]))
            return f"const {{{found[1].replace(' as ', ': ')}}} = {self.add(needed)};\n"

        body = IMPORT.sub(bind, text)
        names = EXPORTED.findall(body)
        body = EXPORT.sub("", body)
        if re.search(r"^(import|export)\b", body, re.M):
            sys.exit(f"one_file: {name} imports or exports in a way that this does not know")
        self.parts.append(f"const {variable} = (() => {{\n{body}return {{ {', '.join(names)} }};\n}})();\n")
        self.open.pop()
        self.done.append(name)
        return variable

    def script(self, name: str) -> str:
        self.add(name)
        return "'use strict';\n" + "".join(self.parts)


def safe(script: str) -> str:
    """What may stand between script tags: "</" ends them, and "<!--" begins what is no script."""
    return script.replace("</", "<\\/").replace("<!--", "<\\!--")


def script_hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def replace_once(page: str, old: str, new: str) -> str:
    if page.count(old) != 1:
        sys.exit(f"one_file: the page has {page.count(old)} times: {old}")
    return page.replace(old, new)


def make(site: Path, inside: Path) -> str:
    page = (site / "index.html").read_text(encoding="utf-8")
    start = safe((site / "start.js").read_text(encoding="utf-8"))
    app = safe(Bundle(site, inside).script("app.js"))
    worker = safe(Bundle(site, inside).script("worker.js"))
    engine = base64.b64encode(gzip.compress((site / "temper.wasm").read_bytes(), 9, mtime=0)).decode()
    policy = (f"default-src 'none'; script-src {script_hash(start)} {script_hash(app)} 'wasm-unsafe-eval' blob:; worker-src blob:; "
              "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'")
    page, count = re.subn(r'(http-equiv="Content-Security-Policy" content=")[^"]*"', lambda m: f'{m[1]}{policy}"', page)
    if count != 1:
        sys.exit("one_file: the page has no security policy")
    for name in ["components.css", "style.css"]:
        style = (site / name).read_text(encoding="utf-8")
        page = replace_once(page, f'<link rel="stylesheet" href="{name}">', f"<style>\n{style}</style>")
    page = replace_once(page, '<script src="start.js"></script>', f"<script>{start}</script>")
    page = replace_once(page, '<script type="module" src="app.js"></script>\n', "")
    licences = safe("\n\n".join(f"==== {file.name} ====\n{file.read_text(encoding='utf-8', errors='replace')}"
                                for file in sorted((site / "licences").iterdir())))
    return replace_once(page, "</body>", f'<script type="text/plain" id="licences">\n{licences}</script>\n'
                        f'<script type="text/plain" id="engine">{engine}</script>\n'
                        f'<script type="text/plain" id="worker">{worker}</script>\n<script>{app}</script>\n</body>')


def main() -> None:
    site, inside, output = (Path(argument) for argument in sys.argv[1:])
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=output.parent, delete=False) as file:
        file.write(make(site, inside))
    os.chmod(file.name, 0o644)
    os.replace(file.name, output)


main()
