#!/usr/bin/env python3
"""What has to be believed of the proved checker, counted: the table of doc/checker.md. usage: check-checker.py [--update]

A line counts if something stands on it that is no comment. Of files that hold proofs only the definitions count that the
statement of `check_sound` rests on."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "doc" / "checker.md"
BEGIN, END = "<!-- believed -->\n", "<!-- end of believed -->\n"
TRUSTED = [
    ("what a file says, and what a run may compute", "checker/Model.v", None),
    ("from bytes to a model", "checker/Parse.v", None),
    ("from the text of a specification to a formula", "checker/Source.v", None),
    ("from the text of a regular expression to its words", "checker/Regex.v", None),
    ("what an answer tells", "checker/Language.v", ["tells"]),
    ("every operation of a run", "checker/Operations.v",
     ["summed", "stored", "row_results", "residual_results", "tap_result", "layer_result", "layers_result", "add_parts", "operation"]),
    ("operations of scores, logits and softmax rows", "Results.v",
     ["dot_result", "scaled", "logit_result", "asc_weight", "among", "tree_of", "softmax_result"]),
    ("partial sums", "Range.v", ["asc_parts"]),
    ("formulas as the checker has them", "checker/Checker.v", ["fml", "FF", "FOr", "lin_of", "den"]),
    ("what formulas mean", "Strings.v", ["at_", "letter", "pos", "dir", "sees", "passed", "seen", "step", "form", "lin", "sat", "value"]),
    ("where the answer stands, and what is accepted", "checker/Check.v", ["read_at", "accepts"]),
    ("which formats a type has", "checker/Checker.v", ["kind", "f32_kind", "f64_kind", "bf16_f32_kind", "f16_f32_kind", "e4m3_f32_kind"]),
    ("what that means", "checker/Exactness.v", ["pair_of"]),
    ("number formats and rounding", "Format.v", ["format", "number", "rnd", "u", "tiny"]),
    ("sums, rows and exp", "Sums.v", ["asc", "exp_model", "run", "ref", "val", "ok", "refs"]),
    ("sums of values", "NearestAny.v", ["summed"]),
    ("one division", "Nearest.v", ["quotient"]),
    ("expressions, logits, a softmax row", "FloatRun.v", ["order", "v64", "f64_error", "expression", "dot", "moved", "logit_of", "softmax_row"]),
    ("who sees whom", "Programs.v", ["mask", "allowed", "N", "keys"]),
]


def plain(text):
    """Without comments, which nest."""
    out, depth, k = [], 0, 0
    while k < len(text):
        two = text[k:k + 2]
        if two == "(*":
            depth, k = depth + 1, k + 2
        elif two == "*)" and depth:
            depth, k = depth - 1, k + 2
        else:
            out.append(text[k] if not depth or text[k] == "\n" else " ")
            k += 1
    return "".join(out)


def lines_of(text):
    return sum(bool(line.strip()) for line in text.splitlines())


def definition(text, name):
    head = r"(?:Definition|Fixpoint|Inductive|Record|with)"
    match = re.search(rf"^[ \t]*{head}\s+{re.escape(name)}\b.*?\.(?=\s)", text, re.M | re.S)
    if not match:
        sys.exit(f"check-checker: no definition of {name}")
    return match[0]


rows, total = ["| | file | lines |\n", "| --- | --- | --- |\n"], 0
for what, file, names in TRUSTED:
    text = plain((root / "proofs" / file).read_text(encoding="utf-8"))
    count = lines_of(text) if names is None else sum(lines_of(definition(text, n)) for n in names)
    which = "" if names is None else ": " + ", ".join(f"`{n}`" for n in names)
    rows.append(f"| {what} | `proofs/{file}`{which} | {count} |\n")
    total += count
rows.append(f"| together | | {total} |\n")
wanted = BEGIN + "".join(rows) + END
text = page.read_text(encoding="utf-8")
begin, end = text.index(BEGIN), text.index(END) + len(END)
if "--update" in sys.argv:
    page.write_text(text[:begin] + wanted + text[end:], encoding="utf-8")
elif text[begin:end] != wanted:
    sys.exit("check-checker: doc/checker.md has other counts; scripts/check-checker.py --update writes them")
