#!/usr/bin/env python3
"""Which lemmas Coq has checked. doc/theory.md, doc/certificate.md and doc/ordinary.md say so under their headings, in lines that begin with "*Coq: ".

Checked here, in a second: every theorem that is named exists in proofs/; every section with a lemma, claim or theorem has such a line; every
file of src/bound cites a heading, and every heading that is cited there has such a line; the table of doc/proofs.md is what the lines say
(--update writes it).

Every function of src/bound that computes with bounds has a comment above it that says who proved its formula, in one of these forms:
    Coq: theorem, theorem (in which case).
    Coq: theorem; on paper: "Heading of doc/certificate.md", what is left.
    On paper: "Heading".
    Arithmetic.          (a power, product or quotient that is no formula of the page)"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["theory", "certificate", "ordinary"]
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"
faults = []


def sections(page):
    """(heading, line number, text) of a page."""
    found, heading, start, lines = [], None, 0, []
    for number, line in enumerate((root / "doc" / f"{page}.md").read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r"#{2,3} (.*)", line)
        if match:
            found.append((heading, start, lines))
            heading, start, lines = match[1], number, []
            heading = re.sub(r"^\d+\. ", "", re.sub(r" \(`.*`\)$", "", heading))
        else:
            lines.append(line)
    found.append((heading, start, lines))
    return [(h, n, l) for h, n, l in found if h]


def mark_of(lines):
    for number, line in enumerate(lines):
        if line.startswith("*Coq: "):
            text = line
            while not text.endswith("*") and number + 1 < len(lines):
                number += 1
                text += " " + lines[number].strip()
            return text[len("*Coq: "):-1].rstrip(".")
    return None


names = set()
for file in sorted((root / "proofs").rglob("*.v")):
    names |= set(re.findall(r"^\s*(?:Theorem|Lemma|Corollary|Definition|Fixpoint|Inductive|Record|with)\s+([A-Za-z_0-9']+)",
                            file.read_text(encoding="utf-8"), re.M))

marked, rows = {}, []
for page in PAGES:
    for heading, number, lines in sections(page):
        mark = mark_of(lines)
        where = f"doc/{page}.md:{number}: \"{heading}\""
        if mark is None:
            if any(re.match(r"\*\*(Lemma|Claim|Theorem)", line) for line in lines):
                faults.append(f"{where} has a lemma and no line *Coq: ...*")
            marked.setdefault((page, heading), None)
            continue
        marked[page, heading] = mark
        for name in re.findall(r"`([^`]*)`", mark):
            if name not in names:
                faults.append(f"{where} names {name}, which is not in proofs/")
        checked, _, paper = mark.partition("; on paper: ")
        if mark == "on paper":
            checked, paper = "", "all of it"
        rows.append(f"| {page}, \"{heading}\" | {checked} | {paper} |\n")

for file in sorted((root / "src" / "bound").glob("*.c")):
    texts = [path.read_text(encoding="utf-8") for path in (file, file.with_suffix(".h")) if path.exists()]
    text = " ".join(re.sub(r"\s*\n\s*(\*\s)?\s*", " ", t) for t in texts)
    cited = []
    for page, quoted in re.findall(r"doc/(theory|certificate)\.md, ((?:\"[^\"]+\"(?:, | and )?)+)", text):
        cited += [(page, heading) for heading in re.findall(r"\"([^\"]+)\"", quoted)]
    if not cited:
        faults.append(f"src/bound/{file.name} cites no heading of doc/theory.md or doc/certificate.md")
    for page, heading in cited:
        if (page, heading) not in marked:
            faults.append(f"src/bound/{file.name} cites \"{heading}\", which doc/{page}.md does not have")
        elif marked[page, heading] is None:
            faults.append(f"src/bound/{file.name} cites doc/{page}.md, \"{heading}\", which has no line *Coq: ...*")

# What the sheet states is proved where the page says so: its headings are the page's, and the page shows its lines between two
# marks in the section of that name. Lines that theorems name exist.
sheet = (root / "src" / "number" / "heads.sheet").read_text(encoding="utf-8")
certificate = root / "doc" / "certificate.md"
shown = certificate.read_text(encoding="utf-8")
for heading, block in re.findall(r"^## (.*)\n\n((?:.|\n)*?)(?=\n## |\Z)", sheet, re.M):
    if marked.get(("certificate", heading)) is None:
        faults.append(f"src/number/heads.sheet has \"{heading}\", which is no heading of doc/certificate.md with a line *Coq: ...*")
    elif heading != "Notation":
        begin = re.search(r"^##+ (?:\d+\. )?" + re.escape(heading) + "$", shown, re.M).end()
        place = re.compile(r"<!-- sheet -->\n(?:.|\n)*?<!-- end of sheet -->").search(shown, begin)
        if not place or re.search(r"^##+ ", shown[begin:place.start()], re.M):
            faults.append(f"doc/certificate.md, \"{heading}\" has no place for the lines of the sheet: <!-- sheet -->")
            continue
        lines = "".join(f"    {line}".rstrip() + "\n" for line in block.strip().splitlines())
        shown = shown[:place.start()] + f"<!-- sheet -->\n\n{lines}\n<!-- end of sheet -->" + shown[place.end():]
if shown != certificate.read_text(encoding="utf-8"):
    if sys.argv[1:] == ["--update"]:
        certificate.write_text(shown, encoding="utf-8")
    else:
        faults.append("doc/certificate.md does not show the sheet as it is; run scripts/check-proved.py --update")
stated = set(re.findall(r"^(?:flag |natural |integer |real )?([A-Za-z]\w*)", sheet, re.M))
computed = set(re.findall(r"^([a-z]\w*)(?:\([^)]*\))?\s*[=:]", sheet, re.M))
on_paper = [name for names in re.findall(r"^# On paper: ([^.]*)\.", sheet, re.M) for name in re.findall(r"\w+", names)]
proved = []
for file in sorted((root / "proofs").glob("Sheet*.v")):
    text = file.read_text(encoding="utf-8")
    listed = re.search(r"Lines: ([^.]*)\. \*\)", text)
    for name in re.findall(r"\w+", listed[1]) if listed else []:
        proved.append(name)
        if f"Sheet.{name}" not in text:
            faults.append(f"proofs/{file.name} lists {name}, and no theorem there is about it")
    for name in set(re.findall(r"Sheet\.(\w+)", text)) - stated - {"head"}:
        faults.append(f"proofs/{file.name} names {name}, which the sheet does not state")
for name in sorted(computed | set(on_paper) | set(proved)):
    where = proved.count(name) + on_paper.count(name)
    if name not in computed or where != 1:
        faults.append(f"{name} of src/number/heads.sheet is {where} times in the lists of what is proved (proofs/Sheet*.v, \"Lines\") and what is on paper (the sheet)")

# Functions that add, multiply, take powers or round outwards, but not those that do this arithmetic itself.
OPERATIONS = re.compile(r"\b(?:b_(?:add|sub|mul|div|pow|exp|log|sqrt|times|shift|grow|more|less|half|ulp|after|row_error|power_of_two)|up_add|up_mul)\(")
ARITHMETIC = {"ball_terms.c", "sheet.c"}
theorems = set()
for file in sorted((root / "proofs").rglob("*.v")):
    theorems |= set(re.findall(r"^\s*(?:Theorem|Lemma|Corollary)\s+([A-Za-z_0-9']+)", file.read_text(encoding="utf-8"), re.M))


def functions(text):
    """(name, line number, the comments right above it, body) of each function of a C file in this project's layout."""
    lines = text.split("\n")
    for start, line in enumerate(lines):
        head = re.match(r"(?!typedef|struct|enum|union)[a-z][^;={]*?\b(\w+)\(", line)
        if not head:
            continue
        end = start
        while not lines[end].endswith(("{", "}", ";")):
            end += 1
        if lines[end].endswith(";"):
            continue
        if lines[end].endswith("{"):
            end = lines.index("}", end)
        above = start
        while above and lines[above - 1].endswith("*/"):
            above -= 1
            while not lines[above].startswith("/*"):
                above -= 1
        yield head[1], start + 1, " ".join(part.strip() for part in lines[above:start]), "\n".join(lines[start:end + 1])


cited_formulas = paper_formulas = 0
for file in sorted((root / "src" / "bound").glob("*.c")):
    if file.name in ARITHMETIC:
        continue
    for name, line, comment, body in functions(file.read_text(encoding="utf-8")):
        count, where = len(OPERATIONS.findall(body)), f"src/bound/{file.name}:{line}: {name}"
        coq = re.search(r"\bCoq: (.*?)(?:; on paper: (.*?))?\. ?\*/", comment)
        paper = re.search(r"\bOn paper: (.*?)\. ?\*/", comment)
        if count and not coq and not paper and not ("/* Arithmetic. */" in comment and count <= 6):
            faults.append(f"{where} has a formula and does not say which theorem proves it (see scripts/check-proved.py)")
        words = re.sub(r"\([^)]*\)", "", coq[1]).split(",") if coq else []
        named = [word.strip() for word in words if re.fullmatch(r"\w+", word.strip())]  # the others say in which case
        faults += [f"{where} names {theorem}, which is no theorem of proofs/" for theorem in named if theorem not in theorems]
        if coq and not named:
            faults.append(f"{where} names no theorem")
        left = (coq and coq[2]) or (paper and paper[1])
        if left:
            headings = re.findall(r"\"([^\"]+)\"", left)
            if not headings:
                faults.append(f"{where} says on paper, and not under which heading")
            for heading in headings:
                mark = marked.get(("certificate", heading))
                if mark is None:
                    faults.append(f"{where} cites \"{heading}\", which doc/certificate.md does not have, or without a line *Coq: ...*")
                elif "on paper" not in mark:
                    faults.append(f"{where} says that something under \"{heading}\" is on paper, and the page does not")
        cited_formulas += bool(coq)
        paper_formulas += bool(paper)

table = "| section | checked by machine | on paper |\n| --- | --- | --- |\n" + "".join(rows)
path = root / "doc" / "proofs.md"
page = path.read_text(encoding="utf-8")
before, rest = page.split(BEGIN)
after = rest.split(END)[1]
new = before + BEGIN + table + END + after
if new != page:
    if sys.argv[1:] == ["--update"]:
        path.write_text(new, encoding="utf-8")
    else:
        faults.append("doc/proofs.md: the table is not what the pages say; run scripts/check-proved.py --update")
for fault in faults:
    print(fault)
if faults:
    sys.exit(1)
print(f"sheet: {len(proved)} lines have theorems, {len(on_paper)} are on paper")
print(f"proofs: {len(rows)} sections say what Coq has checked, {len(names)} names exist; {cited_formulas} formulas of src/bound name theorems, {paper_formulas} are on paper")
