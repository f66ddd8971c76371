#!/usr/bin/env python3
"""Writes src/base/unicode_facts.c, what Unicode says about characters, from Unicode's own files: those of Debian's package
unicode-data in /usr/share/unicode, or in the folder that is given. src/base/unicode_facts.h has the form.

usage: unicode-facts.py [FOLDER] > src/base/unicode_facts.c      unicode-facts.py --check FOLDER: compare, and write nothing
"""
import collections
import re
import sys
from pathlib import Path

CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn".split()
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcde"  # of the categories; e is Lu and Ll in turn
ENDS = 0x110000
FINAL = 62  # digits that end a number; those behind continue it
DIGITS = [chr(c) for c in range(0x21, 0x7F) if chr(c) not in '"?\\']
WIDTH = 112


def rows(path):
    """The fields of the lines of a file."""
    for line in path.read_text(encoding="utf-8").split("\n"):
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if len(fields) > 1:
            yield fields


def ranges_of(path, field=1):
    """Value -> its ranges."""
    found = collections.defaultdict(list)
    for fields in rows(path):
        low, _, high = fields[0].partition("..")
        found[fields[field]].append((int(low, 16), int(high or low, 16) + 1))
    return found


def aliases(folder, kind):
    """Long name -> all names of a value of this property, the long one first."""
    found = {}
    for fields in rows(folder / "PropertyValueAliases.txt"):
        if fields[0] == kind:
            found[fields[2]] = list(dict.fromkeys([fields[2], fields[1], *fields[3:]]))
    return found


def property_names(folder):
    """Long name -> all names of a property."""
    return {fields[1]: list(dict.fromkeys([fields[1], fields[0], *fields[2:]])) for fields in rows(folder / "PropertyAliases.txt")}


class Plane:
    """Sets of characters as bits: one for each run of characters that nothing here tells apart."""

    def __init__(self, sets):
        cuts = {0, ENDS}
        for some in sets:
            for low, high in some:
                cuts |= {low, high}
        self.cuts = sorted(cuts)
        self.index = {cut: k for k, cut in enumerate(self.cuts)}
        self.width = len(self.cuts) - 1

    def bits(self, some):
        found = 0
        for low, high in some:
            found |= (1 << self.index[high]) - (1 << self.index[low])
        return found

    def edges(self, bits):
        """Where it begins and ends, as bits."""
        return bits ^ bits << 1

    def places(self, bits):
        edges = bin(self.edges(bits))[:1:-1]
        return [self.cuts[k] for k, edge in enumerate(edges) if edge == "1"]


def number(value):
    digits = DIGITS[value % FINAL]
    value //= FINAL
    while value:
        value -= 1
        digits = DIGITS[FINAL + value % (len(DIGITS) - FINAL)] + digits
        value //= len(DIGITS) - FINAL
    return digits


def numbers(places):
    """Distances, each less one; the first from -1."""
    return "".join(number(b - a - 1) for a, b in zip([-1] + places, places))


def mask_of(plane, wanted, categories):
    """Categories that leave the fewest edges, and what is left: characters where the two differ."""
    left, mask, best = wanted, set(), plane.edges(wanted).bit_count()
    while True:
        tries = [(plane.edges(left ^ bits).bit_count(), name) for name, bits in categories.items()]
        fewest, name = min(tries)
        if fewest >= best:
            return best, mask, left
        best, left, mask = fewest, left ^ categories[name], mask ^ {name}


class Records:
    """Lines of the table; `offset` of a name is where its line begins."""

    def __init__(self, plane, categories):
        self.plane, self.categories, self.lines, self.size, self.bases = plane, categories, [], 0, []

    def add(self, kind, names, some, more=None, bases=True):
        """more: what the second form of the property has (XOR)."""
        wanted = self.plane.bits(some)
        choices = [(*mask_of(self.plane, wanted, self.categories), 0)]
        for offset, bits in self.bases if bases else []:
            count, mask, left = mask_of(self.plane, wanted ^ bits, self.categories)
            choices.append((count + 2, mask, left, offset + 1))
        _, mask, left, base = min(choices, key=lambda choice: choice[0])
        letters = "".join(letter for letter, name in zip(LETTERS, CATEGORIES) if name in mask)
        fields = [kind, ",".join(names), letters, number(base) if base else "", numbers(self.plane.places(left))]
        if more is not None:
            fields.append(numbers(self.plane.places(self.plane.bits(more) ^ wanted)))
        line = " ".join(fields) + "\n"
        if bases:
            self.bases.append((self.size, wanted))
        self.lines.append(line)
        self.size += len(line)


def union(*parts):
    return [item for part in parts for item in part]


def without(plane_ranges, removed):
    """Ranges of single characters or ranges, less others; slow and small."""
    codes = {c for low, high in plane_ranges for c in range(low, high)} - {c for low, high in removed for c in range(low, high)}
    return [(c, c + 1) for c in sorted(codes)]


def read_categories(folder):
    found = collections.defaultdict(list)
    for name, some in ranges_of(folder / "extracted/DerivedGeneralCategory.txt").items():
        found[name] = some
    return found


def category_runs(categories):
    owner = {}
    for name, some in categories.items():
        for low, high in some:
            owner[low] = (high, LETTERS[CATEGORIES.index(name)])
    runs, at = [], 0
    while at < ENDS:
        high, letter = owner[at]
        if runs and runs[-1][0] == letter and letter != "e":
            runs[-1][1] += high - at
        else:
            runs.append([letter, high - at])
        at = high
    joined = []
    for letter, count in runs:  # A B A B ... of one character each is e
        if count == 1 and joined and letter == "B" and joined[-1] == ["A", 1]:
            joined[-1] = ["e", 2]
        elif count == 1 and joined and joined[-1][0] == "e" and letter == "AB"[joined[-1][1] % 2]:
            joined[-1][1] += 1
        else:
            joined.append([letter, count])
    return "".join(spelled_run(letter, count) for letter, count in joined)


def spelled_run(letter, count):
    if letter == "e" and count < 4:  # as short without it
        return "ABAB"[:count]
    return letter + (str(count) if count > 1 else "")


def binary_properties(folder):
    """Those that regular expressions of other tools know."""
    found = {}
    for name in ("PropList.txt", "DerivedCoreProperties.txt", "emoji/emoji-data.txt", "extracted/DerivedBinaryProperties.txt"):
        found.update(ranges_of(folder / name))
    return {name: some for name, some in found.items() if not name.startswith("Other_")}


def own_classes(categories):
    """Names that tools have added, and what named classes mean behind (?u): those of PCRE2 10.48."""
    def some(*names):
        return union(*(categories[name] for group in names for name in CATEGORIES if name.startswith(group)))

    def singles(*codes):
        return [(code, code + 1) for code in codes]

    horizontal = singles(0x9, 0x20, 0xA0, 0x1680, 0x180E, 0x202F, 0x205F, 0x3000) + [(0x2000, 0x200B)]
    vertical = [(0xA, 0xE), (0x85, 0x86), (0x2028, 0x202A)]
    blank = some("Z") + horizontal + vertical
    hidden = singles(0x61C, *range(0x2066, 0x206A))
    ascii_symbols = [(low, high) for low, high in some("S") if high <= 0x80]
    printed = without(some("L", "M", "N", "P", "S", "Zs", "Cf"), hidden)
    hexadecimal = [(low + wide, high + wide) for low, high in ((48, 58), (65, 71), (97, 103)) for wide in (0, 0xFEE0)]
    return [("b", "ASCII", [(0, 0x80)]), ("b", "Xan", some("L", "N")), ("b", "Xsp,Xps", blank), ("b", "Xwd", some("L", "N", "Mn", "Pc")),
            ("b", "Xuc", singles(0x24, 0x40, 0x60) + [(0xA0, 0xD800), (0xE000, ENDS)]),
            ("p", "alnum", some("L", "N")), ("p", "alpha", some("L")), ("p", "digit", some("Nd")), ("p", "space", blank),
            ("p", "word", some("L", "N", "Mn", "Pc")), ("p", "lower", some("Ll")), ("p", "upper", some("Lu")),
            ("p", "blank", horizontal), ("p", "cntrl", some("Cc")), ("p", "punct", some("P") + ascii_symbols),
            ("p", "graph", without(printed, some("Z") + singles(0x180E))), ("p", "print", printed), ("p", "xdigit", hexadecimal),
            ("p", "ascii", [(0, 0x80)])]


def grapheme_breaks(folder, pictographic):
    """UAX 29: the values that the rules tell apart."""
    found = ranges_of(folder / "auxiliary/GraphemeBreakProperty.txt")
    others = {code for low, high in union(*found.values()) for code in range(low, high)}
    assert not any(code in others for low, high in pictographic for code in range(low, high))
    found["Pictographic"] = pictographic  # a property of its own
    return found


def read_scripts(folder, categories):
    """Script -> its ranges; script -> those of its extensions."""
    names = aliases(folder, "sc")
    scripts = ranges_of(folder / "Scripts.txt")
    known = {code for low, high in union(*scripts.values()) for code in range(low, high)}
    scripts["Unknown"] = [(c, c + 1) for low, high in union(categories["Cn"], categories["Co"], categories["Cs"]) for c in range(low, high)
                          if c not in known]
    scripts["Unknown"] = merged(scripts["Unknown"])
    short = {name: long for long, all_names in names.items() for name in all_names}
    extensions, listed = collections.defaultdict(list), []
    for value, some in ranges_of(folder / "ScriptExtensions.txt").items():
        listed += some
        for name in value.split():
            extensions[short[name]] += some
    taken = {code for low, high in listed for code in range(low, high)}
    for name, some in scripts.items():
        kept = [(c, c + 1) for low, high in some for c in range(low, high) if c not in taken]
        extensions[name] = merged(kept + extensions[name])
    return names, {name: merged(scripts[name]) for name in names if name in scripts}, extensions


def bidi_classes(folder, names):
    """Also of characters that are not assigned: lines @missing, of which later ones come first."""
    path = folder / "extracted/DerivedBidiClass.txt"
    found, short = ranges_of(path), {long: all_names[1] for long, all_names in names.items()}
    owner = ["L"] * ENDS
    for low, high, name in re.findall(r"@missing: (\w+)\.\.(\w+); (\w+)", path.read_text(encoding="utf-8")):
        owner[int(low, 16):int(high, 16) + 1] = [short[name]] * (int(high, 16) + 1 - int(low, 16))
    for name, some in found.items():
        for low, high in some:
            owner[low:high] = [name] * (high - low)
    cuts = [0] + [code for code in range(1, ENDS) if owner[code] != owner[code - 1]] + [ENDS]
    found = collections.defaultdict(list)
    for low, high in zip(cuts, cuts[1:]):
        found[owner[low]].append((low, high))
    return found


def merged(some):
    """Disjoint ranges in order, neighbours joined."""
    out = []
    for low, high in sorted(some):
        if out and low <= out[-1][1]:
            out[-1][1] = max(high, out[-1][1])
        else:
            out.append([low, high])
    return [(low, high) for low, high in out]


def make(folder):
    categories = read_categories(folder)
    binary, long_names = binary_properties(folder), property_names(folder)
    names, scripts, extensions = read_scripts(folder, categories)
    bidi_names = aliases(folder, "bc")
    bidi = bidi_classes(folder, bidi_names)
    breaks = grapheme_breaks(folder, binary["Extended_Pictographic"])
    own, break_names = own_classes(categories), aliases(folder, "GCB")
    sets = [*categories.values(), *binary.values(), *scripts.values(), *extensions.values(), *bidi.values(), *breaks.values(),
            *(some for _, _, some in own)]
    plane = Plane(sets)
    records = Records(plane, {name: plane.bits(categories[name]) for name in CATEGORIES})
    order = ["Alphabetic", "Lowercase", "Uppercase", "ID_Start", "ID_Continue"]
    for name in order + sorted(set(binary) - set(order)):
        records.add("b", long_names[name], merged(binary[name]))
    for kind, name, some in own:
        records.add(kind, name.split(","), merged(some))
    for name in ("CR", "LF", "Control", "Extend", "SpacingMark", "Prepend", "ZWJ", "Regional_Indicator", "L", "V", "T", "LV", "LVT", "Pictographic"):
        records.add("g", break_names.get(name, [name]), merged(breaks[name]))
    for long, all_names in bidi_names.items():
        if all_names[1] in bidi:
            records.add("c", all_names, merged(bidi[all_names[1]]), bases=False)
    for long in sorted(scripts):
        records.add("s", names[long], scripts[long], extensions[long], bases=False)
    return category_runs(categories), "".join(records.lines)


def literal(text):
    """Text as lines of a C string."""
    lines, line = [], ""
    for c in text.replace("\n", "\\n\n"):
        if c == "\n" and len(line) < WIDTH // 2:
            continue
        if c != "\n":
            line += c
        if c == "\n" or len(line) >= WIDTH and not line.endswith("\\"):
            lines.append(line)
            line = ""
    lines += [line] if line else []
    return "\n".join(f'    "{line}"' for line in lines) + ";\n"


def main():
    check = "--check" in sys.argv
    given = [argument for argument in sys.argv[1:] if argument != "--check"]
    folder = Path(given[0] if given else "/usr/share/unicode")
    version = re.search(r"-(\d+\.\d+\.\d+)\.txt", (folder / "Scripts.txt").read_text(encoding="utf-8"))[1]
    runs, table = make(folder)
    text = (f"/* Facts of Unicode {version}; scripts/unicode-facts.py writes this file, unicode_facts.h has the form. */\n"
            '#include "base/unicode_facts.h"\n\n/* clang-format off */\nconst char unicode_categories[] =\n' + literal(runs) +
            "\nconst char unicode_properties[] =\n" + literal(table) + "/* clang-format on */\n")
    if check:
        same = Path("src/base/unicode_facts.c").read_text(encoding="utf-8") == text
        print(f"unicode-facts: src/base/unicode_facts.c is {'' if same else 'not '}what {folder} says of Unicode {version}")
        return not same
    sys.stdout.write(text)
    return 0


sys.exit(main())
