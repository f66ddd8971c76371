"""Executes python/temper.ipynb and compares what its cells show with what is committed; then its cards in hosts of notebooks, which all have
styles of their own. usage: notebook.py ROOM [--update]

ROOM gets the pages (light and dark, as JupyterLab, as the old notebook, as VS Code), and pictures of them."""
import html
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from temper._library import ffi, lib

HERE = Path(__file__).resolve().parent
NOTEBOOK = HERE.parent.parent / "python" / "temper.ipynb"


def executed():
    notebook = nbformat.read(NOTEBOOK, 4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return notebook


def text_of(notebook):
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def differences(now, before):
    """The cells that show something else than is committed."""
    found = []
    for k, (one, other) in enumerate(zip(json.loads(text_of(now))["cells"], before["cells"])):
        for a, b in zip(json.dumps(one, indent=1, ensure_ascii=False, sort_keys=True).splitlines(),
                        json.dumps(other, indent=1, ensure_ascii=False, sort_keys=True).splitlines()):
            if a != b:
                place = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
                found.append(f"cell {k + 1}: {a[max(0, place - 40):place + 80]!r}, not {b[max(0, place - 40):place + 80]!r}")
                break
    return found


def pages(notebook):
    """Name and text of each page."""
    shown = "".join(f"<div class=\"output\">{output.data['text/html']}</div>" for cell in notebook.cells if cell.cell_type == "code"
                    for output in cell.outputs if "text/html" in output.get("data", {}))
    whole = re.sub(r"([\d.]+)rem", lambda size: f"{float(size[1]) * 16}px", ffi.string(lib.temper_draw_style()).decode("utf-8"))
    empty = "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><style>{}</style></head><body class=\"{}\" style=\"width:800px\">{}</body></html>"
    vscode = (HERE / "vscode.css").read_text()
    for theme in ("light", "dark"):
        # The reference: nothing but temper's stylesheet, of which cards have a part.
        yield f"nowhere-{theme}", empty.format(whole, f"vscode-{theme}", re.sub("<style>.*?</style>", "<style></style>", shown, flags=re.DOTALL))
        yield f"vscode-{theme}", empty.format(vscode, f"vscode-{theme}", shown)
        yield f"lab-{theme}", HTMLExporter(template_name="lab", theme=theme).from_notebook_node(notebook)[0]
    yield "classic-light", HTMLExporter(template_name="classic").from_notebook_node(notebook)[0]


def look(room, name, page):
    """What the browser makes of a page: name of each element, and its style."""
    page = re.sub(r"<script[^>]* src=.*?</script>", "", page, flags=re.DOTALL)  # of somebody else's network
    path = room / f"{name}.html"
    path.write_text(page.replace("</body>", f"<script>{(HERE / 'cards.js').read_text()}</script></body>"))
    common = [os.environ.get("CHROMIUM", "chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,4500",
              f"--user-data-dir={room / ('browser-' + name)}", f"--screenshot={room / (name + '.png')}", "--dump-dom", path.as_uri()]
    done = subprocess.run(common, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=True)
    found = re.search(r'<script type="application/json" id="looks">(.*?)</script>', done.stdout.decode("utf-8"), re.DOTALL)
    return json.loads(found[1])


def compare(looks):
    wrong = {}
    for name, seen in looks.items():
        plain = looks["nowhere-" + name.split("-")[1]]
        elements, expected = ([row for row in rows if not row[0].endswith("too wide")] for rows in (seen, plain))
        for where, what in seen:
            if where.endswith("too wide"):
                wrong[f"{name}: {where}: {what['text']}"] = True
        if len(elements) < 300 or len(elements) != len(expected):
            wrong[f"{name}: {len(elements)} elements, not {len(expected)}"] = True
        for (where, now), (_, before) in zip(elements, expected):
            for prop in sorted({*now, *before}):
                if now.get(prop) != before.get(prop):
                    wrong[f"{name}: {where}: {prop} {now.get(prop)!r}, not {before.get(prop)!r}"] = True
    return list(wrong)


def main():
    room, update = Path(sys.argv[1]), "--update" in sys.argv
    notebook = executed()
    if update:
        NOTEBOOK.write_text(text_of(notebook), encoding="utf-8")
    wrong = differences(notebook, json.loads(NOTEBOOK.read_text(encoding="utf-8")))
    if wrong:
        wrong.append("if that is as it should be: make test-notebook UPDATE=yes writes it into the notebook; read the difference")
    with ThreadPoolExecutor(2) as pool:
        looks = dict(zip(*zip(*pool.map(lambda page: (page[0], look(room, *page)), list(pages(notebook))))))
    wrong += compare(looks)
    for line in wrong[:40]:
        print("notebook:", html.unescape(line), file=sys.stderr)
    print(f"notebook: {len(notebook.cells)} cells, cards in {len(looks)} pages: {0 if wrong else 1} passed, {1 if wrong else 0} failed; "
          f"pictures in {room}")
    sys.exit(bool(wrong))


main()
