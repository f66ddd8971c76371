"""How a line of src/number/heads.sheet is changed, to see whether a test (sheet-mutants.py) or a proof (sheet-proofs.py) notices."""
import re

SWAPS = {"+": "-", "-": "+", "*": "/", "/": "*", "<=": "<", "<": "<=", "max": "min", "min": "max", "exp": "ln", "ln": "exp",
         "u_a": "u_s", "u_s": "u_a", "t_a": "t_s", "t_s": "t_a", "m_a": "m_s", "m_s": "m_a", "F_a": "F_s", "F_s": "F_a", "p_a": "p_s", "p_s": "p_a",
         "u_r": "u_s", "u_f": "u_a", "u_l": "u_s", "v": "u_a", "not": "", "more": "less", "less": "more"}


def name_of(line):
    """The name of what a line states; None: it states nothing, or what is given."""
    stated = re.match(r"([a-z]\w*)(\([^)]*\))?\s*[=:]", line)
    return stated and stated[1]


def changes(line):
    """(what, the changed line) of a line that states something."""
    head = re.match(r"[a-z]\w*(\([^)]*\))?\s*[=:]", line).end()
    for token in re.finditer(r"[A-Za-z_]\w*|\d+|<=|=>|[-+*/<?]", line[head:]):
        text, start, end = token[0], head + token.start(), head + token.end()
        if text.isdigit():
            others = [str(int(text) + 1)] + ([str(int(text) - 1)] if int(text) > 0 else [])
        elif text == "?":  # the two sides of a choice
            flag = re.search(r"(not )?(\w+) $", line[:start])
            others, start, end = ["" if flag[1] else "not " + flag[2] + " "], flag.start(), start
            others = [flag[2] + " "] if flag[1] else others
        else:
            others = [SWAPS[text]] if text in SWAPS else []
        for other in others:
            yield f"{text} -> {other.strip()} at {start}", line[:start] + other + line[end:]
    turned = re.match(r"(\w*\s*(?:\([^)]*\))?\s*:\s*(?:.*=> )?)(.*) (<=?) (.*)$", line)
    if turned:
        yield "sides turned", f"{turned[1]}{turned[4]} {turned[3]} {turned[2]}"
