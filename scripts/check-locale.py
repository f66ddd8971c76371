#!/usr/bin/env python3
"""Nothing that temper writes or reads may depend on the locale of the program that it runs in.

src/base/print.c is the one module that may ask the C library to write or read numbers with a point. Elsewhere this finds
functions whose answers depend on the locale, and conversions such as %g that reach the C library's printf. In src and lab
every function that takes a format ends in print_list; the programs (cli, mpi, web) use temper_real_format.
"""
import re
import sys
from pathlib import Path

MODULE = "src/base/print.c"
BANNED = re.compile(
    r"\b(strto[df]|strtold|atof|is(?:alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit)|to(?:lower|upper)|"
    r"str(?:case|ncase)cmp|strcasestr|strcoll|strxfrm|strftime|strptime|v?[fs]?w?scanf|setlocale|newlocale|uselocale|localeconv|"
    r"nl_langinfo|mb\w*to\w+|wc\w*to\w+|btowc|wctob|isw\w+|tow(?:lower|upper)|regcomp|fnmatch|glob)\s*\(")
LIBRARY_BANNED = re.compile(r"\b(v(?:sn|s|f|d|as)?printf|asprintf|strerror(?:_r)?|perror|strsignal)\s*\(")
PRINTF = re.compile(r"\b(f|d|s|sn|)printf\s*\(")
FORMAT_AT = {"": 0, "f": 1, "d": 1, "s": 1, "sn": 2}
REAL = re.compile(r"(?<!%)(?:%%)*%[-+#0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[lL]?[aAeEfFgG](?![a-z])")
GROUPS = re.compile(r"(?<!%)(?:%%)*%[-+#0]*'[-+#0]*[\d.*]*(?:hh|h|ll|l|z|j|t)?[diufFgG]")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def plain(text):
    """The text with comments blanked, lines kept."""
    pattern = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return pattern.sub(lambda m: m[0] if m[0][0] in "\"'" else re.sub(r"[^\n]", " ", m[0]), text)


def arguments(text, at):
    """The arguments of a call whose bracket is just before `at`."""
    out, depth, start = [], 0, at
    while at < len(text):
        literal = LITERAL.match(text, at) or re.compile(r"'(?:[^'\\\n]|\\.)*'").match(text, at)
        if literal:
            at = literal.end()
            continue
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            if depth == 0:
                return out + [text[start:at]]
            depth -= 1
        elif text[at] == "," and depth == 0:
            out.append(text[start:at])
            start = at + 1
        at += 1
    return out


def problems(path, text):
    """What is wrong in a file: (line, words)."""
    text, found = plain(text), []
    is_library = path.startswith(("src/", "lab/"))
    code = LITERAL.sub(lambda m: '"' + " " * (len(m[0]) - 2) + '"', text)

    def add(at, words):
        found.append((text.count("\n", 0, at) + 1, words))

    for banned in (BANNED, LIBRARY_BANNED) if is_library else (BANNED,):
        for m in banned.finditer(code):
            add(m.start(), f"{m[1]} depends on the locale: base/print.h and base/ascii.h have what is needed, temper.h temper_real_*")
    for m in PRINTF.finditer(code):
        given = arguments(text, m.end())
        k = FORMAT_AT[m[1]]
        if k >= len(given):
            continue
        if not given[k].strip().startswith(('"', "PRI")) and "?" not in given[k]:
            add(m.start(), "a format that cannot be seen here goes to the C library")
        if any(REAL.search(literal) for literal in LITERAL.findall(given[k])):
            add(m.start(), "a number with a point is written by the C library's printf")
    for m in LITERAL.finditer(text):
        if GROUPS.search(m[0]):
            add(m.start(), "the flag ' groups digits as the locale says")
        if not is_library and REAL.search(m[0]) and not re.fullmatch(r'"%[-+#0]*\d*(?:\.\d+)?[a-gA-G]"', m[0]):
            add(m.start(), "a number with a point: use temper_real_format for it")
    return found


def check_itself():
    """Each of these must be found, and none of those."""
    bad = [("src/x.c", 'snprintf(a, 9, "%.3g", x);'), ("lab/x.c", 'x = strtod(s, &e);'), ("cli/x.c", 'printf("a %s %5.1f", s, x);'),
           ("cli/x.c", 'message_warning(s, "off by %g", x);'), ("src/x.c", "if (isalpha((unsigned char)c)) y;"), ("src/x.c", "vsnprintf(a, b, f, l);"),
           ("src/x.c", "strerror(errno)"), ("web/x.c", "tolower(c)"), ("src/x.c", "snprintf(a, 9, format, x);"), ("mpi/x.c", "fprintf(stderr, \"%'d\", x);"),
           ("src/x.c", 'fprintf(f, is ? "%a" : "b", x);'), ("src/x.c", 'sscanf(a, "%d", &x);')]
    good = [("src/x.c", 'text_printf(t, "%.3g", x);'), ("cli/x.c", 'real_of("%.3g", x)'), ("src/x.c", "/* strtod(x) */ y;"), ("src/x.c", 'puts("isalpha(x) 5%");'),
            ("src/x.c", 'snprintf(a, 9, "%s%%g %d", s, x);'), ("cli/x.c", 'printf("100 % for %zu", n);')]
    for path, line in bad:
        assert problems(path, line), f"this is not found: {line}"
    for path, line in good:
        assert not problems(path, line), f"this is found: {line}: {problems(path, line)}"


def main():
    """Looks at all sources."""
    check_itself()
    root, count = Path(__file__).resolve().parent.parent, 0
    for folder in ("src", "lab", "cli", "mpi", "web"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".c", ".h", ".inc") or name == MODULE:
                continue
            for line, words in problems(name, path.read_text(encoding="utf-8")):
                print(f"{name}:{line}: {words}")
                count += 1
    return count > 0


if __name__ == "__main__":
    sys.exit(main())
