#!/usr/bin/env python3
"""Changes the sources of the proofs, one place at a time, and sees whether a test notices.

    make mutants                              every number and every comparison
    make mutants MUTANTS="--sample 1000"      a random sample; --seed S draws another one
    make mutants MUTANTS="src/bound/proof.c"  the changes of some files or folders
    make mutants MUTANTS="src/logic"          the same for readers: src/logic, src/automata, src/model, src/base/json_read.c
    make mutants MUTANTS="--kinds all"        sums, logic, min and max, too
    make mutants MUTANTS="--again"            those that survived once more, after tests were added
    make mutants MUTANTS="--again --open"     those of them that have no reason yet
    make mutants MUTANTS="--longest 1"        without the slow tests: soon done; then --again for the survivors
    make mutants MUTANTS="--since COMMIT"     those of lines that a commit did not have yet
    make mutants MUTANTS="--inside"           without those that need a build of their own, which take long
    make mutants MUTANTS="--stale"            what of the list of harmless ones is about no survivor any more
    make mutants MUTANTS="--report"           what the journal knows, without running anything; build/mutants/report.md has it, too

A change is a mutant. It is caught if a test program fails, dies or takes far too long.

All mutants are compiled into one library: `a < b` becomes `(mutant_is(17) ? (a) <= (b) : (a) < (b))`, and the environment
variable TEMPER_MUTANT says which one is alive. A first run of each test notes which places it
reaches; a mutant then meets only the tests that reach it. `a < b` and `a <= b` differ only if the two are equal, so such a place is reached only by a test in which they are. Where the compiler asks for a constant (tables, enums, sizes of arrays), a mutant is
compiled on its own and linked before the library.

There are two passes. The first one is quick: no sanitizers. Its survivors meet the quickest tests that reach them once more, with
the sanitizers for addresses and undefined behaviour, so that a loop that goes one step too far dies.

Results go to a journal (build/mutants/journal), so that a second call goes on where the first one stopped; a changed line
has new mutants. The sources themselves are never touched. scripts/mutants.harmless lists survivors with the reason why they are
harmless. The exit status is 1 if fewer than 95 % of the others are caught. Only the standard library is used."""
import argparse
import collections
import concurrent.futures
import fnmatch
import glob
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib

# Which tests concern a folder.
TESTS = {
    "src/bound": ["t-bound*", "t-every*", "t-choice*", "t-proved*", "t-probabilities", "t-certify*", "t-audit*", "t-answer", "t-facts-threads"],
    "src/certify": ["t-certify*", "t-proved*", "t-probabilities", "t-audit*", "t-answer"],
    "src/audit": ["t-audit*", "t-probabilities", "t-certify-next", "t-certify-outputs", "t-certify-wild", "t-certify-regex", "t-certify-answers", "t-certify-tiles", "t-ordinary-hunt", "t-facts-threads"],
    "src/ordinary/files": ["t-model-folder", "t-gguf*", "t-ordinary-import", "t-audit-ordinary-folder", "t-hostile", "t-bad"],
    "src/ordinary/lift": ["t-ordinary-import", "t-audit-ordinary*", "t-import"],
    "src/ordinary": ["t-ordinary*", "t-audit-ordinary*", "t-certify-ordinary"],
    "src/answer": ["t-answer", "t-proved*", "t-stream"],
    "src/recognise": ["t-recognise*", "t-proved*", "t-certify*", "t-audit"],
    "src/logic": ["t-parse*", "t-bad", "t-eval*", "t-crasp*", "t-brasp*", "t-print*", "t-languages", "t-hostile", "t-places", "t-outputs", "t-matches",
                  "t-transduce", "t-spelling", "t-sequences", "t-agree-corpus", "t-next", "t-sizes", "t-stream", "t-tree"],
    "src/automata": ["t-dfa", "t-parse-corners", "t-regex", "t-classify", "t-group", "t-diagram", "t-bad", "t-same-language", "t-decide", "t-cascade",
                     "t-languages", "t-regular", "t-next"],
    "src/model": ["t-model*", "t-safetensors*", "t-gguf*", "t-expression*", "t-import", "t-ordinary-import", "t-audit-ordinary-folder", "t-hostile", "t-bad", "t-digits"],
    "src/base": ["t-json*", "t-bad", "t-parse", "t-model"],
}
DEFAULT = ("src/bound", "src/certify", "src/audit")
READERS = ("src/logic", "src/automata", "src/model", "src/base")  # changed only if they are asked for
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-sanitize=alignment"
MEGABYTES = 3000  # of a test: a mutant may ask for everything

# ---- what can be changed ----------------------------------------------------------------------------------------

COMMENT = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|/\*.*?\*/|//[^\n]*""", re.DOTALL)
TOKEN = re.compile(
    r"""(?P<skip>\\\n|\#[ \t]*(?:include|if|ifdef|ifndef|elif|pragma|undef|endif|else|error)[^\n]*)
      | (?P<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<number>0[xX][0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?[0-9]+)?[uUlLfF]*|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[uUlLfF]*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<operator><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])""",
    re.VERBOSE | re.DOTALL)
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGIC = {"&&": "||", "||": "&&"}
SUMS = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}
PRECEDENCE = {"||": 4, "&&": 5, "|": 6, "^": 7, "&": 8, "==": 9, "!=": 9, "<": 10, "<=": 10, ">": 10, ">=": 10,
              "<<": 11, ">>": 11, "+": 12, "-": 12, "*": 13, "/": 13, "%": 13}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, {")": "(", "]": "[", "}": "{"}
WORDS = {"return", "case", "else", "do", "goto", "if", "while", "for", "switch", "define"}
# The places that a message names (line and column, layer and head) are not part of any proof.
MESSAGES = {"refuse", "audit_regex_refuse", "text_escaped", "trap_raise", "trap_raise_hint", "certification_unable", "certification_head", "audit_refuse", "ordinary_refuse", "say", "__attribute__", "length_too_large",
            "error_write"}
# How far the work is, and which head it is about.
PROGRESS = {"certification_progress", "check_head"}
# Functions that find the words of a message.
SPEAKERS = {"certification_head", "say_unlike", "line_of", "member_end", "split_member", "point_at_entry", "shown", "report"}
# More room than is needed harms nobody; less of it is still a mutant.
ROOM = {"arena_alloc", "arena_zalloc", "rational_array", "ball_array", "caller_alloc"}
# A hash may be any function of the key: places and times change, results do not.
HASHES = {"mix", "hash_bytes"}
# `if (x < best) best = x`: if the two are equal it does not matter which one stays.
LESS = r"\s*(?:<|>|<=|>=)\s*"
PLACE = r"[A-Za-z_][\w.>\[\]-]*(?:\([\w, .>-]*\))?"
CHOICES = re.compile(r"""(?:(?<=[(])|(?<=&&\ )|(?<=\|\|\ )|(?<==\ )|(?<=return\ )|(?<=,\ ))(?P<a>%(p)s)(?P<at>%(o)s)(?P<b>%(p)s)(?:\s*\?\s*(?:(?P=a)\s*:\s*(?P=b)|(?P=b)\s*:\s*(?P=a))(?!\s*[\w.>\[(*/%%+-])
      |\)\s*(?:(?P=a)\s*=\s*(?P=b)|(?P=b)\s*=\s*(?P=a))\s*;)
      |rational_cmp\((?P<c>[^(),]+),\s*(?P<d>[^(),]+)\)(?P<zero>%(o)s0)\)\s*(?:rational_set\((?P=c),\s*(?P=d)\)|rational_set\((?P=d),\s*(?P=c)\));"""
                     % {"p": PLACE, "o": LESS}, re.VERBOSE)
# A condition, and then a message.
CONDITIONS = {"NEED", "REFUSE", "need"}

Mutant = collections.namedtuple("Mutant", "key number path line start end old new kind counted function source")


class Source:
    """A file without its comments, as tokens (kind, text, start); as it was in a commit, if there is one."""

    def __init__(self, path, commit=""):
        if commit:
            self.written = subprocess.run(["git", "show", "%s:%s" % (commit, path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                          text=True, check=False).stdout
        else:
            with open(path, encoding="utf-8") as file:
                self.written = file.read()
        blank = lambda m: m.group(1) or re.sub(r"[^\n]", " ", m.group())
        self.text = COMMENT.sub(blank, self.written)
        self.tokens = [(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(self.text) if m.lastgroup != "skip"]

    def ends_operand(self, k):
        kind, text, _ = self.tokens[k]
        return kind in ("number", "literal") or text in (")", "]", "}", "++", "--") or (kind == "name" and text not in WORDS)

    def is_binary(self, k):
        return k > 0 and self.ends_operand(k - 1)

    def stops(self, k, precedence, same):
        """Does an operand of an operator of this precedence end at token k?"""
        kind, text, _ = self.tokens[k]
        if text in (";", ",", "?", ":", "#") or text in ASSIGNMENTS or text in WORDS:
            return True
        found = PRECEDENCE.get(text) if kind == "operator" and self.is_binary(k) else None
        return found is not None and (found < precedence or (same and found == precedence))

    def left_end(self, k, precedence):
        """Where the left operand of the operator at token k begins, as an offset in the text."""
        j, depth = k - 1, 0
        while j >= 0:
            text = self.tokens[j][1]
            if text in CLOSE:
                depth += 1
            elif text in OPEN:
                if depth == 0:
                    break
                depth -= 1
            elif depth == 0 and self.stops(j, precedence, False):
                break
            j -= 1
        return self.tokens[j + 1][2]

    def right_end(self, k, precedence):
        j, depth = k + 1, 0
        while j < len(self.tokens):
            text = self.tokens[j][1]
            if text in OPEN:
                depth += 1
            elif text in CLOSE:
                if depth == 0:
                    break
                depth -= 1
            elif depth == 0 and self.stops(j, precedence, True):
                break
            j += 1
        last = self.tokens[j - 1]
        return last[2] + len(last[1])


def change_number(text):
    """A whole number goes up and down by one, another one is doubled and halved."""
    whole = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*", text)
    if whole:
        digits = whole.group(1)
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if len(digits) > 1 and digits[0] == "0" else 10)
        return ["(%s + 1)" % text] + (["(%s - 1)" % text] if value else [])
    return ["(%s * 2)" % text, "(%s / 2)" % text]


def change_name(text):
    """min and max as whole words of a name: fmin, arb_max, double_min."""
    swapped = {"fmin": "fmax", "fmax": "fmin", "min": "max", "max": "min", "MIN": "MAX", "MAX": "MIN"}
    parts = text.split("_")
    return ["_".join(swapped.get(p, p) for p in parts)] if any(p in swapped for p in parts) else []


def changes_of(source, k):
    """(kind of change, what the token becomes)."""
    kind, text, _ = source.tokens[k]
    if kind == "number":
        return "number", change_number(text)
    if kind == "name":
        return "other", change_name(text)
    if text in COMPARISONS:
        return "comparison", [COMPARISONS[text]]
    if text in LOGIC:
        return "other", [LOGIC[text]]
    if text in ("+=", "-=") or (text in ("+", "-") and source.is_binary(k)):
        return "other", [SUMS[text]]
    return "other", []


def function_names(source):
    """The name of the function around each token; '' outside."""
    names, depth, name = [], 0, ""
    for k, (_, text, start) in enumerate(source.tokens):
        if text == "{":
            if depth == 0:
                line = source.text[source.text.rfind("\n\n", 0, start) + 2:start]
                found = re.findall(r"([A-Za-z_]\w*)\s*\(", line)
                name = found[0] if found and found[0] != "__attribute__" else ""
            depth += 1
        names.append(name if depth else "")
        if text == "}":
            depth -= 1
    return names


def is_sign(source, k):
    """`? -1 : 1`: only the sign of the number counts."""
    texts = [t[1] for t in source.tokens[max(k - 4, 0):k + 4]]
    return "".join(texts).find("?-1:1") >= 0 and source.tokens[k][1] == "1"


def declares_room(tokens, k):
    """`char name[64]`: the size of a buffer for text."""
    return k > 2 and tokens[k - 1][1] == "[" and tokens[k - 3][1] == "char"


def adds_room(tokens, k):
    """`char name[SIZE + 1]`: more room than is needed harms nobody."""
    return k > 4 and tokens[k - 1][1] == "+" and tokens[k - 3][1] == "[" and tokens[k - 5][1] == "char"


def is_nothing(tokens, k):
    """`{0}`: how C writes a structure with nothing in it."""
    return 0 < k < len(tokens) - 1 and tokens[k - 1][1] == "{" and tokens[k][1] == "0" and tokens[k + 1][1] == "}"


def sizes_parameter(tokens, k, braces, parentheses):
    """`int f(double x[3])`: C ignores the size of an array parameter."""
    return not braces and parentheses > 0 and tokens[k - 1][1] == "[" and k + 1 < len(tokens) and tokens[k + 1][1] == "]"


def equal_choices(source):
    """Where a comparison chooses between two numbers that it compares: offsets of these comparisons."""
    found = set()
    for m in CHOICES.finditer(source.text):
        name = "at" if m.group("at") else "zero"
        found.add(m.start(name) + len(m.group(name)) - len(m.group(name).lstrip()))
        if name == "zero" and m.group("zero").strip().startswith("< "):  # rational_cmp is -1, 0 or 1: < 1 is <= 0
            found.add(m.end("zero") - 1)
    return found


def file_numbers(paths):
    """A number of 12 bits for each file that does not change when other files come and go."""
    numbers, taken = {}, set()
    for path in sorted(paths):
        n = zlib.crc32(path.encode()) & 0xFFF
        while n in taken:
            n = (n + 1) & 0xFFF
        taken.add(n)
        numbers[path] = n
    return numbers


def mutants_of(path, file_number, commit=""):
    source = Source(path, commit)
    tokens, lines = source.tokens, source.written.split("\n")
    found, depth, message, conditions, calls, seen = [], 0, None, [], [], collections.Counter()
    functions, equal, braces = function_names(source), equal_choices(source), 0
    for k, (kind, text, start) in enumerate(tokens):
        braces += (text == "{") - (text == "}")
        if text == "(":
            depth += 1
            if k and tokens[k - 1][1] in MESSAGES and message is None:
                message = depth
            conditions.append(bool(k) and tokens[k - 1][1] in CONDITIONS)
            calls.append(tokens[k - 1][1] if k else "")
        elif kind == "literal" and conditions and conditions[-1] and message is None:
            message = depth
        elif text == ")":
            if conditions:
                conditions.pop()
                calls.pop()
            if message == depth:
                message = None
            depth -= 1
        if message or (kind == "number" and (declares_room(tokens, k) or is_nothing(tokens, k))):
            continue
        name, changes = changes_of(source, k)
        no_claim = functions[k] in SPEAKERS or functions[k] in HASHES or any(c in PROGRESS for c in calls)
        no_claim = no_claim or start in equal or (kind == "number" and sizes_parameter(tokens, k, braces, depth))
        larger_is_fine = kind == "number" and (is_sign(source, k) or adds_room(tokens, k) or (calls and calls[-1] in ROOM))
        for new in changes:
            counted = not no_claim and not (larger_is_fine and new.endswith(" + 1)"))
            line = source.text.count("\n", 0, start) + 1
            about = "%s|%d|%s" % (lines[line - 1].strip(), start - source.text.rfind("\n", 0, start), new)
            seen[about] += 1  # the same line may stand in a file twice
            key = "%s %s" % (path, hashlib.sha256(("%s|%d" % (about, seen[about])).encode()).hexdigest()[:16])
            found.append(Mutant(key, file_number << 12 | len(found), path, line, start, start + len(text), text, new, name, counted, functions[k], source))
    return found


def files_of(roots):
    found = []
    for root in roots:
        if os.path.isfile(root):
            found.append(root)
        for folder, _, files in sorted(os.walk(root)):
            found += [os.path.join(folder, n) for n in sorted(files) if n.endswith((".c", ".h", ".inc"))]
    return found


# ---- one source with all its mutants ------------------------------------------------------------------------------


def with_switches(mutants):
    """The text of a file in which every one of these mutants can be switched on. Lines keep their numbers."""
    source = mutants[0].source
    at = {start: k for k, (_, _, start) in enumerate(source.tokens)}
    places = collections.OrderedDict()
    for m in mutants:
        places.setdefault(m.start, []).append(m)
    edits = []  # (begin, end, mutants of the place)
    for start, group in places.items():
        k, old = at[start], group[0].old
        if group[0].kind == "number" or re.match(r"\w", old):
            edits.append((start, group[0].end, group))
        elif old in ("+", "-", "+=", "-="):
            edits.append((group[0].end, source.right_end(k, 12 if len(old) == 1 else 2), group))
        else:
            edits.append((source.left_end(k, PRECEDENCE[old]), source.right_end(k, PRECEDENCE[old]), group))
    edits.sort(key=lambda e: (e[0], -e[1]))

    def render(begin, end, inner):
        out, cursor, k = [], begin, 0
        while k < len(inner):
            b, e, group = inner[k]
            j = k + 1
            while j < len(inner) and inner[j][0] < e:
                j += 1
            out.append(source.text[cursor:b])
            out.append(switch(b, e, group, inner[k + 1:j]))
            cursor, k = e, j
        out.append(source.text[cursor:end])
        return "".join(out)

    def switch(begin, end, group, inner):
        m = group[0]
        test = "mutant_is(%du)" % m.number
        if m.kind == "number" or re.match(r"\w", m.old):
            return "(" + "".join("mutant_is(%du) ? %s : " % (g.number, g.new) for g in group) + m.old + ")"
        if m.old in SUMS:
            return " (%s ? -1 : 1) * (%s)" % (test, render(begin, end, inner))
        left = render(begin, m.start, [x for x in inner if x[0] < m.start])
        right = render(m.end, end, [x for x in inner if x[0] >= m.end])
        if m.old in LOGIC:
            one = 0 if m.old == "&&" else 1  # a || b is !(!a && !b)
            flip = "(%s != %d)" % (test, one)
            return "(%s != (((%s) != 0) != %s && ((%s) != 0) != %s))" % (flip, left, flip, right, flip)
        if m.old in ("==", "!="):
            return "(((%s) %s (%s)) != %s)" % (left, m.old, right, test)
        # `<` and `<=` are the same unless the two sides are equal, and only then a place counts as met.
        return "({ __auto_type l%d_ = (%s); __auto_type r%d_ = (%s); mutant_at(%du, l%d_ == r%d_) ? l%d_ %s r%d_ : l%d_ %s r%d_; })" % (
            m.number, left, m.number, right, m.number, m.number, m.number, m.number, m.new, m.number, m.number, m.old, m.number)

    return render(0, len(source.text), edits)


SWITCH_H = """/* Made by scripts/mutants.py: which mutant is alive, and which places a run has met. */
#ifndef MUTANT_SWITCH_H
#define MUTANT_SWITCH_H
extern unsigned mutant_number;
extern unsigned char *mutant_places, mutant_fresh;
void mutant_meet(unsigned k);
static inline int mutant_is(unsigned k) {
    if (mutant_places && mutant_places[k] == mutant_fresh) mutant_meet(k);
    return k == mutant_number;
}
static inline int mutant_at(unsigned k, int differs) { return differs ? mutant_is(k) : k == mutant_number; }
#endif
"""
# TEMPER_MUTANT: the mutant that is alive. TEMPER_MUTANTS_MET: a file for the places that were met. TEMPER_MUTANTS_TRY: a file with a
# limit in seconds and the numbers of mutants. At the first place of each the program forks; in the child the mutant is alive,
# and a line of TEMPER_MUTANTS_MET says how the child ended.
SWITCH_C = """#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
unsigned mutant_number = 0xffffffffu;
unsigned char *mutant_places, mutant_fresh;
static FILE *notes;
static pid_t self;
static double limit;
static unsigned left; /* mutants that are not met yet */

__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("TEMPER_MUTANT"), *met = getenv("TEMPER_MUTANTS_MET"), *list = getenv("TEMPER_MUTANTS_TRY");
    if (given) mutant_number = (unsigned)strtoul(given, NULL, 10);
    if (!met) return;
    self = getpid();
    notes = fopen(met, "a");
    mutant_places = calloc(1u << 24, 1);
    FILE *f = list ? fopen(list, "r") : NULL;
    if (!f) return;
    mutant_fresh = 1;
    unsigned k;
    if (fscanf(f, "%lf", &limit) != 1) limit = 1;
    while (fscanf(f, "%u", &k) == 1) left += !mutant_places[k], mutant_places[k] = 1;
    fclose(f);
}

static struct timeval seconds(double x) { return (struct timeval){(time_t)x, (suseconds_t)(1e6 * (x - (double)(time_t)x))}; }

void mutant_meet(unsigned k) {
    mutant_places[k] = !mutant_fresh;
    if (!mutant_fresh) return; /* the end tells */
    if (gettid() != self) {
        fprintf(notes, "%u thread\\n", k);
        return;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        mutant_places = NULL;
        mutant_number = k;
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value = seconds(limit)}, NULL);
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value = seconds(60 * limit)}, NULL);
        return;
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) fprintf(notes, "%u thread\\n", k);
    else if (WIFEXITED(status)) fprintf(notes, "%u %s\\n", k, WEXITSTATUS(status) ? "fails" : "passes");
    else if (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM) fprintf(notes, "%u time\\n", k);
    else fprintf(notes, "%u fails\\n", k);
    if (--left == 0) { /* the rest of the run would tell nothing */
        fclose(notes);
        _exit(0);
    }
}

__attribute__((destructor)) static void end(void) {
    if (!mutant_places || (mutant_fresh && getpid() != self)) return;
    for (unsigned k = 0; k < 1u << 24 && !mutant_fresh; k++)
        if (mutant_places[k]) fprintf(notes, "%u\\n", k);
    fclose(notes);
}
"""


def used_files(path):
    """The files that a .d file names: the source of the object first."""
    with open(path, encoding="utf-8") as file:
        words = file.read().split(":", 1)[1].replace("\\\n", " ").split("\n")[0].split()
    return [os.path.normpath(w) for w in words]


def write_if_new(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def copy_if_new(source, target):
    """A copy with the time of its source; True if there was something to do."""
    s = os.stat(source)
    if os.path.exists(target):
        t = os.stat(target)
        if t.st_size == s.st_size and t.st_mtime_ns == s.st_mtime_ns:
            return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy2(source, target)


class Tree:
    """A copy of the project in which the proofs have switches. What does not depend on them keeps its objects."""

    def __init__(self, options, mutants, sanitize):
        self.o, self.sanitize = options, SANITIZE if sanitize else ""
        self.top = os.path.join(options.build, "mutants", "tree" if sanitize else "plain")
        self.cc = os.environ.get("CC", "gcc").split()
        self.flags = [f for f in os.environ["MUTANT_CFLAGS"].split() if not f.startswith(("-MM", "-MP", "-W", "-O", "-g"))]
        self.flags += ["-O1", "-Werror=vla"] + self.sanitize.split()
        self.apart = set()  # mutants that need a build of their own
        by_file = collections.OrderedDict()
        for m in mutants:
            by_file.setdefault(m.path, []).append(m)
        self.copy(by_file)
        self.switch(by_file)
        self.make()

    def copy(self, instrumented):
        wanted = set()
        for top in ("include", "src", "lab", "tests", "cli", "scripts", "web", "Makefile"):
            for folder, _, files in os.walk(top) if os.path.isdir(top) else [("", [], [top])]:
                for name in files:
                    path = os.path.join(folder, name)
                    wanted.add(path)
                    if path not in instrumented:
                        copy_if_new(path, os.path.join(self.top, path))
        for folder, _, files in os.walk(os.path.join(self.top, "src")):
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), self.top)
                if path not in wanted and not path.startswith("src/base/mutant_switch"):
                    os.remove(os.path.join(self.top, path))
        self.copy_objects(instrumented)
        if os.path.exists(os.path.join(self.o.build, "temper")):  # the program, as it is, for tests that compare it with the library
            copy_if_new(os.path.join(self.o.build, "temper"), os.path.join(self.top, "build", "temper"))
        write_if_new(os.path.join(self.top, "src/base/mutant_switch.h"), SWITCH_H)
        write_if_new(os.path.join(self.top, "src/base/mutant_switch.c"), SWITCH_C)

    def copy_objects(self, instrumented):
        """What does not depend on a file with switches is taken from the ordinary build; the arena knows the sanitizer."""
        for top in ("src", "lab", "made", "tests"):
            for folder, _, files in os.walk(os.path.join(self.o.build, top)):
                for name in files:
                    path = os.path.join(folder, name)
                    target = os.path.join(self.top, "build", os.path.relpath(path, self.o.build))
                    if top == "made" and not name.endswith(".d"):
                        copy_if_new(path, target)
                    if not name.endswith(".d") or not os.path.exists(path[:-2] + ".o"):
                        continue
                    used = used_files(path)
                    if not (self.sanitize and name == "arena.d") and not any(u in instrumented for u in used):
                        copy_if_new(path, target)
                        copy_if_new(path[:-2] + ".o", target[:-2] + ".o")

    def command(self, path):
        return self.cc + [*self.flags, "-include", "src/base/mutant_switch.h", "-x", "c", path]

    def switch(self, by_file):
        """Writes the files; what the compiler does not take with a switch is set apart."""
        memory = os.path.join(self.o.build, "mutants", "apart")
        known = {}
        if os.path.exists(memory):
            with open(memory, encoding="utf-8") as file:
                known = json.load(file)
        result = {}
        for path, mutants in by_file.items():
            if not os.path.exists(os.path.join(self.top, path)):
                write_if_new(os.path.join(self.top, path), mutants[0].source.written)
        for path, mutants in sorted(by_file.items(), key=lambda x: x[0].endswith(".c")):  # what is included comes first
            digest = hashlib.sha256((mutants[0].source.written + ",".join(m.key for m in mutants)).encode()).hexdigest()
            apart = set(known[path][1]) if known.get(path, [""])[0] == digest else None
            if apart is None:
                apart = self.find_apart(path, mutants)
            result[path] = (digest, sorted(apart))
            self.apart |= apart
            inside = [m for m in mutants if m.key not in apart]
            text = with_switches(inside) if inside else mutants[0].source.written
            write_if_new(os.path.join(self.top, path), text)
        with open(memory, "w", encoding="utf-8") as file:
            json.dump(result, file)

    @staticmethod
    def in_enum(mutants, lines):
        """The compiler names the last line of an enum only."""
        text = mutants[0].source.text.split("\n")
        for line in list(lines):
            first = max((k for k in range(1, line + 1) if "enum" in text[k - 1]), default=line)
            lines.update(range(first, line))
        return {m.key for m in mutants if m.line in lines}

    def find_apart(self, path, mutants):
        apart = set()
        for _ in range(12):
            inside = [m for m in mutants if m.key not in apart]
            if not inside:
                break
            write_if_new(os.path.join(self.top, path), with_switches(inside))
            done = subprocess.run(self.command(path) + ["-fsyntax-only", "-fmax-errors=0"], cwd=self.top, text=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            if done.returncode == 0:
                return apart
            lines = {int(n) for n in re.findall(r"^(?:\./)?%s:(\d+)" % re.escape(path), done.stderr, re.MULTILINE)}
            wrong = {m.key for m in inside if m.line in lines} or self.in_enum(inside, lines)
            if not wrong:
                print("mutants: no switches in %s: %s" % (path, done.stderr[:400]), file=sys.stderr)
                break
            apart |= wrong
        return {m.key for m in mutants}

    def make(self):
        chosen = self.o.tests.split()
        programs = ["build/tests/" + n for n in sorted(test_sources()) if (n in chosen if chosen else wanted_test(n, self.o.folders))]
        command = ["make", "-s", "-j%d" % self.o.jobs, "BUILD=build", "OPT=-O1 -g", "WARN=-Werror=vla",
                   "CFLAGS=" + self.sanitize + " -include src/base/mutant_switch.h", "LDFLAGS=" + self.sanitize, "build/libtemper.a"]
        for extra in ([], programs):
            if subprocess.run(command + extra, cwd=self.top, stdout=subprocess.DEVNULL, check=False).returncode:
                sys.exit("mutants: the tree with switches does not build")


def test_sources():
    """{program of a test: its source}; programs lie in build/tests, sources in the rooms of tests/."""
    return {os.path.basename(path)[:-2]: path for path in glob.glob("tests/*/t-*.c")}


def wanted_test(name, folders):
    return any(fnmatch.fnmatch(name, p) for folder in folders for p in TESTS[folder])


# ---- building and testing one ------------------------------------------------------------------------------------


def read_dependencies(build):
    """Which objects are made of a file: {file: [source of the object]}."""
    users = collections.defaultdict(list)
    for top in ("src", "tests"):
        for folder, _, files in os.walk(os.path.join(build, top)):
            for name in files:
                if not name.endswith(".d"):
                    continue
                used = used_files(os.path.join(folder, name))
                for file in used[1:]:
                    users[file].append(used[0])
    return users


class Bench:
    """Runs the tests. Worker k has a folder of its own for what is built apart."""

    def __init__(self, options, tree, listed, known):
        self.o, self.tree = options, tree
        self.caught = collections.Counter((key.split(" ")[0], record["test"]) for key, record in known.items())
        self.libraries = os.environ["MUTANT_LDLIBS"].split()
        self.users = read_dependencies(os.path.join(tree.top, "build"))
        self.folder = os.path.join(tree.top, "build", "tests")
        self.sources = test_sources()
        self.programs = sorted(n for n in os.listdir(self.folder) if n in self.sources)
        self.seconds, self.met = {}, {}  # what each test takes without a change, and which places it meets
        self.left_out = set()
        self.listed = listed  # what the list of harmless ones has a reason for
        self.seen = {}  # of headers: what each source sees of them
        self.digests = {}  # what a test is made of: what a mutant passed once need not run again

    def tests_of(self, path):
        for folder, patterns in TESTS.items():
            if path.startswith(folder + "/"):
                named = self.o.tests.split() or self.programs
                return {t for pattern in patterns for t in fnmatch.filter(self.programs, pattern) if t in named}
        sys.exit("mutants: no tests are listed for " + path)

    def cost(self, test):
        """What the test would take with every mutant that it meets: tests that are quick or that are about few places come first."""
        return self.seconds[test] * (len(self.met[test]) + 50)

    def order(self, mutant, apart):
        """The cheapest tests first; with sanitizers only so many, since the other pass ran all, and so for what the list has a reason for."""
        tests = self.tests_of(mutant.path) - self.left_out
        if apart:  # no place says whether a test reaches it: those that meet others of its file, and first those that catch most of them
            near = {t for t in tests if any(n >> 12 == mutant.number >> 12 for n in self.met[t])}
            tests = sorted(near or tests, key=lambda t: (self.seconds[t] + 1) / (1 + self.caught[mutant.path, t]))
        else:
            tests = sorted((t for t in tests if mutant.number in self.met[t]), key=self.cost)
        most = self.o.sanitized if self.tree.sanitize else self.o.listed if mutant.key in self.listed else 0
        quick, sum_ = [], 0
        for t in tests:
            sum_ += self.seconds[t]
            if not most or not quick or sum_ <= most:
                quick.append(t)
        return quick

    @staticmethod
    def limit(seconds):
        return 4 * seconds + 0.5

    def run(self, program, seconds, extra, runs=1):
        """('' if it passes, else how it fails; seconds of the processor). The limit is on processor time, as other work may be going on."""
        cpu = self.limit(seconds)

        def limit():
            os.setsid()
            signal.setitimer(signal.ITIMER_PROF, cpu)  # it outlives exec
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu + 2), int(cpu + 3)))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if not self.tree.sanitize:
                resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))

        environment = dict(os.environ, TEMPER_TEST_EFFORT=str(self.o.effort), TEMPER_TEST_STOP="1",
                           ASAN_OPTIONS="detect_leaks=0:symbolize=0:quarantine_size_mb=1:malloc_context_size=0:max_allocation_size_mb=%d:hard_rss_limit_mb=%d"
                           % (MEGABYTES, MEGABYTES), **extra)
        process = subprocess.Popen([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
                                   preexec_fn=limit)
        watch = threading.Timer(60 * cpu * runs, lambda: os.killpg(process.pid, signal.SIGKILL))
        watch.start()
        _, status, used = os.wait4(process.pid, 0)
        watch.cancel()
        process.returncode = code = os.waitstatus_to_exitcode(status)
        seconds = used.ru_utime + used.ru_stime
        return ("" if code == 0 else "time" if code in (-signal.SIGPROF, -signal.SIGXCPU, -signal.SIGKILL) else "fails"), seconds

    def users_of(self, mutant):
        """Which sources see this place of a header: those in which it is left after the preprocessor. A table of macros (operators.h) is
        included everywhere, but a user drops most of its arguments."""
        written = mutant.source.written

        def directs(place):  # the preprocessor itself reads it: it may decide what others compile
            return written[:place].rpartition("\n")[2].lstrip().startswith("#")

        if mutant.path not in self.seen:
            marked, at, places = "", 0, set()
            for start, end in sorted({(m.start, m.end) for m in mutants_of(mutant.path, mutant.number >> 12)}):
                if start >= at and not directs(start):
                    marked += written[at:start] + " mutant_at_%d_ " % start
                    at = end
                    places.add((start, end))
            self.seen[mutant.path] = (places, self.preprocess(mutant.path, marked + written[at:]))
        places, users = self.seen[mutant.path]
        if (mutant.start, mutant.end) not in places:
            return self.users[mutant.path]
        return [user for user, marks in users.items() if "mutant_at_%d_" % mutant.start in marks]

    def preprocess(self, path, marked):
        """{source: the marks that the compiler sees in it}, with marks in a header."""
        result = {}
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, path)
            os.makedirs(os.path.dirname(copy))
            with open(copy, "w", encoding="utf-8") as file:
                file.write(marked)
            for source in sorted(set(self.users[path])):
                command = self.tree.cc + ["-I" + os.path.join(folder, "src"), "-I" + os.path.join(self.tree.top, "src"), *self.tree.flags,
                                          "-E", os.path.join(self.tree.top, source)]
                done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True)
                result[source] = set(re.findall(r"mutant_at_\d+_", done.stdout))
        return result

    def build_apart(self, folder, mutant):
        """A function that links a test with this mutant, or None: the compiler refuses it."""
        shutil.rmtree(folder, ignore_errors=True)
        copy = os.path.join(folder, "tree", mutant.path)
        os.makedirs(os.path.dirname(copy))
        written = mutant.source.written
        with open(copy, "w", encoding="utf-8") as file:
            file.write(written[:mutant.start] + mutant.new + written[mutant.end:])
        sources = [mutant.path] if mutant.path.endswith(".c") else self.users_of(mutant)
        tests, objects = self.tests_of(mutant.path) - self.left_out, {}
        for source in sorted(set(sources)):
            if source in self.sources.values() and os.path.basename(source)[:-2] not in tests:
                continue
            made = os.path.join(folder, source.replace("/", "+")[:-2] + ".o")
            actual = copy if source == mutant.path else os.path.join(self.tree.top, source)
            command = self.tree.cc + ["-I" + os.path.join(folder, "tree", "src"), "-I" + os.path.join(self.tree.top, "src"),
                                      *self.tree.flags, "-include", os.path.join(self.tree.top, "src/base/mutant_switch.h"),
                                      "-c", actual, "-o", made]
            command = [c for c in command if c != "-Werror=vla"]
            if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
                return None
            objects[source] = made

        def link(test):
            top = os.path.join(self.tree.top, "build")
            rooms = {os.path.dirname(source) for source in self.sources.values()}
            names = [os.path.join(room, n) for room in sorted(rooms) for n in sorted(os.listdir(os.path.join(top, room)))]
            parts = [self.sources[test][:-2] + ".o"]
            parts += [n for n in names if n.endswith(".o") and not os.path.basename(n).startswith(("t-", "long-"))]
            parts = [objects.get(p[:-2] + ".c", os.path.join(top, p)) for p in parts]
            library = [made for source, made in objects.items() if source.startswith("src/")]
            program = os.path.join(folder, test)
            command = self.tree.cc + self.tree.sanitize.split() + ["-o", program, *parts, *library,
                                                         *(os.path.join(top, n) for n in ("libtemper-lab.a", "libtemper.a")),
                                                         *self.libraries]
            ok = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
            return program if ok else None

        return link

    def digest(self, test):
        if test not in self.digests:
            with open(self.sources[test], "rb") as file:
                text = file.read() + b" %r %r" % (self.o.effort, bool(self.tree.sanitize))
            self.digests[test] = hashlib.sha256(text).hexdigest()[:12]
        return self.digests[test]

    def try_apart(self, folder, mutant, journal):
        """(verdict, test) of a mutant that is compiled on its own."""
        link = self.build_apart(folder, mutant)
        if not link:
            return "did not compile", ""
        tests = self.order(mutant, True)
        for test in tests:
            if self.digest(test) in journal.passed[mutant.key]:
                continue
            program = link(test)
            if not program:
                return "did not compile", test
            result, _ = self.run(program, self.seconds[test], {})
            os.remove(program)
            if result:
                return ("timed out" if result == "time" else "caught"), test
            journal.passes(self.digest(test), [mutant])
        return ("survived" if tests else "not reached"), ""

    def try_many(self, folder, test, mutants):
        """({mutant: '', 'fails' or 'time'}, seconds of the processor): one run of the test that forks where it meets a mutant. What it meets in
        another thread, or in a test that has files of its own, gets a run of its own."""
        program, results, alone, seconds = os.path.join(self.folder, test), {}, mutants, 0
        if not self.has_world(test):
            os.makedirs(folder, exist_ok=True)
            todo, notes = os.path.abspath(os.path.join(folder, "try")), os.path.abspath(os.path.join(folder, "notes"))
            with open(todo, "w", encoding="utf-8") as file:
                file.write("%g %s\n" % (self.limit(self.seconds[test]), " ".join(str(m.number) for m in mutants)))
            if os.path.exists(notes):
                os.remove(notes)
            _, seconds = self.run(program, self.seconds[test], {"TEMPER_MUTANTS_TRY": todo, "TEMPER_MUTANTS_MET": notes}, len(mutants) + 1)
            by_number, alone = {m.number: m for m in mutants}, []
            with open(notes, encoding="utf-8") as file:
                for number, result in (line.split() for line in file):
                    if result == "thread":
                        alone.append(by_number[int(number)])
                    else:
                        results[by_number[int(number)]] = "" if result == "passes" else result
        for m in alone:
            results[m], more = self.run(program, self.seconds[test], {"TEMPER_MUTANT": str(m.number)})
            seconds += more
        return results, seconds

    def has_world(self, test):
        with open(self.sources[test], encoding="utf-8") as file:
            text = file.read()
            return "pthread_create(" in text or ("test_folder(" in text and "getpid()" not in text)

    def measure(self, tests):
        """The tests must pass without a change; how long they take sets the limits."""
        lock = threading.Lock()

        def one(test):
            program = os.path.join(self.folder, test)
            note = os.path.abspath(os.path.join(self.tree.top, "..", "met-%s-%s" % (os.path.basename(self.tree.top), test)))
            stamp = "%d %d %s" % (os.stat(program).st_mtime_ns, os.stat(program).st_size, self.o.effort)
            try:
                with open(note + ".time", encoding="utf-8") as file:
                    known, seconds = file.read().split("\n")
            except (OSError, ValueError):
                known = ""
            if known != stamp:
                if os.path.exists(note):
                    os.remove(note)
                result, seconds = self.run(program, self.o.longest / 2 if self.o.longest else 600, {"TEMPER_MUTANTS_MET": note})
                if result == "time" and self.o.longest:
                    with lock:
                        self.left_out.add(test)
                    return
                if result:
                    if not self.o.skip_failing:
                        print("mutants: %s fails without any change" % test, file=sys.stderr)
                        os._exit(2)
                    print("left out: %s fails without any change" % test, file=sys.stderr)
                    with lock:
                        self.left_out.add(test)
                    return
                with open(note + ".time", "w", encoding="utf-8") as file:
                    file.write("%s\n%s" % (stamp, seconds))
            self.seconds[test] = float(seconds)
            self.met[test] = set()
            if os.path.exists(note):
                with open(note, encoding="utf-8") as file:
                    self.met[test] = {int(line) for line in file}
            if self.o.longest and self.seconds[test] > self.o.longest:
                with lock:
                    self.left_out.add(test)

        with concurrent.futures.ThreadPoolExecutor(self.o.jobs) as pool:
            list(pool.map(one, tests))


# ---- the journal and the report ----------------------------------------------------------------------------------

LIVE = ("survived", "not reached")


def read_journal(path):
    """({mutant: what is known}, {mutant: the tests that it passed})"""
    known, passed = {}, collections.defaultdict(set)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue  # the end of a run that was killed
                if "passed" in record:
                    for key in record["keys"]:
                        passed[key].add(record["passed"])
                elif record["verdict"] not in LIVE or known.get(record["key"], {}).get("verdict", LIVE[0]) in LIVE:
                    known[record["key"]] = record  # what one of two runs at once has caught stays caught
    return known, passed


def read_harmless(path):
    """[(reason, file or file@function, part of a line, changes)]: survivors that were looked at. changes: None for all of the line."""
    found, reason = [], ""
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith("= "):
                reason = line[2:].strip()
            elif line.startswith("src/"):
                place, _, changes = line.partition(" ## ")
                name, _, code = place.partition(": ")
                found.append((reason, name, code.strip(), [c.strip() for c in changes.split(", ")] if changes else None))
    return found


def line_of(m):
    return m.source.written.split("\n")[m.line - 1]


def is_place(m, line, place, code):
    path, _, function = place.partition("@")
    return m.path == path and code in line and function in ("", m.function)


def reason_of(m, harmless):
    line = line_of(m)
    for reason, place, code, changes in harmless:
        if is_place(m, line, place, code) and (changes is None or "%s -> %s" % (m.old, m.new) in changes):
            return reason
    return ""


def stale_entries(mutants, known, harmless):
    """What of the list is about no survivor any more: [(file, part of a line, changes, why)]."""
    by_file, out = collections.defaultdict(list), []
    for m in mutants:
        by_file[m.path].append((m, line_of(m)))
    for _, place, code, changes in harmless:
        met = [m for m, line in by_file[place.partition("@")[0]] if is_place(m, line, place, code)]
        for change in changes or [""]:
            of = [known.get(m.key, {}).get("verdict", "survived") for m in met if not change or change == "%s -> %s" % (m.old, m.new)]
            if not any(verdict in LIVE for verdict in of):
                out.append((place, code, change, "all caught" if of else "no such change" if met else "no such line"))
    return out


def quoted(m):
    return "`%s` → `%s`" % (m.old, m.new)


def survivors_text(live):
    """By file and line; several changes of one line stand together."""
    files, out = collections.OrderedDict(), []
    for m in live:
        code = m.source.written.split("\n")[m.line - 1].strip()
        files.setdefault(m.path, collections.OrderedDict()).setdefault(code, []).append(m)
    for path, lines in files.items():
        out.append("- `%s`" % path[4:])
        for code, changes in lines.items():
            code = code if len(code) <= 90 else code[:90] + " …"
            out.append("    - `%s`: %s" % (code, ", ".join(quoted(m) for m in changes)))
    return out


VERDICTS = ("caught", "timed out", "survived", "not reached", "did not compile")


def table_text(title, place, mutants, known, harmless):
    """A row for each place. What the journal does not know counts as not tried."""
    share = lambda caught, all_: "%.1f %%" % (100 * caught / all_) if all_ else "-"
    table = collections.defaultdict(collections.Counter)
    for m in mutants:
        record = known.get(m.key)
        for row in (table[place(m)], table["all"]):
            row["mutants"] += 1
            row[record["verdict"] if record else "not tried"] += 1
            row["harmless"] += bool(record and record["verdict"] in LIVE and reason_of(m, harmless))
    out = ["| %s | mutants | tried | " % title + " | ".join(VERDICTS) + " | caught of those that compile | harmless survivors | caught of the others |",
           "| --- |" + " --- |" * (len(VERDICTS) + 5)]
    for name in sorted(n for n in table if n != "all") + ["all"]:
        row = table[name]
        compiled, caught = sum(row[n] for n in VERDICTS[:4]), row["caught"] + row["timed out"]
        out.append("| %s | %d | %d | %s | %s | %d | %s |" % (
            name, row["mutants"], row["mutants"] - row["not tried"], " | ".join(str(row[n]) for n in VERDICTS), share(caught, compiled),
            row["harmless"], share(caught, compiled - row["harmless"])))
    return out, table["all"]


def report(o, mutants, known, harmless):
    """Prints what is known, and writes it into build/mutants; whether 95 % of those that are not harmless are caught."""
    folders, all_ = table_text("folder", lambda m: os.path.dirname(m.path), mutants, known, harmless)
    files, _ = table_text("file", lambda m: "`%s`" % m.path[4:], [m for m in mutants if m.key in known], known, harmless)
    rest, reasons = [], collections.OrderedDict((reason, []) for reason, _, _, _ in harmless)
    for m in mutants:
        record = known.get(m.key)
        if record and record["verdict"] not in LIVE:
            continue
        reason = reason_of(m, harmless)
        if reason:
            reasons[reason].append(m)
        elif record:
            rest.append(m)
    out = folders + [""] + files + ["", "### Survivors that are harmless", "",
                                    "Also those that these runs did not meet, or that were not tried again."]
    for reason, live in reasons.items():
        if live:
            out += ["", "**%s**" % reason, ""] + survivors_text(live)
    out += ["", "### Survivors without a reason", ""] + (survivors_text(rest) or ["There is none."])
    text = "\n".join(out)
    print(text)
    with open(os.path.join(o.build, "mutants", "readers.md" if o.of_readers else "report.md"), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return len(rest) <= 0.05 * (sum(all_[n] for n in VERDICTS[:4]) - all_["harmless"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=[], help="files or folders (default: bound, certify and audit)")
    parser.add_argument("--build", default="build", help="where the library and the tests are built")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--kinds", choices=("required", "all"), default="required", help="numbers and comparisons, or more")
    parser.add_argument("--sample", type=int, default=0, help="how many mutants to try, drawn at random; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--effort", type=float, default=0.02, help="TEMPER_TEST_EFFORT of the tests")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so many; 0: never")
    parser.add_argument("--journal", default="")
    parser.add_argument("--again", action="store_true", help="try the survivors in the journal again, and nothing else")
    parser.add_argument("--open", action="store_true", help="leave out those that the list of harmless ones has a reason for")
    parser.add_argument("--tests", default="", help="only these tests, separated by blanks")
    parser.add_argument("--skip-failing", action="store_true", help="leave out tests that fail without any change")
    parser.add_argument("--longest", type=float, default=0, help="leave out tests of more seconds; --again then tries all; 0: none")
    parser.add_argument("--only", choices=("plain", "sanitized"), default="", help="one of the two passes")
    parser.add_argument("--since", default="", help="only mutants of lines that this commit did not have")
    parser.add_argument("--inside", action="store_true", help="leave out mutants that need a build of their own")
    parser.add_argument("--sanitized", type=float, default=2, help="seconds of tests with sanitizers, the quickest first, that a mutant meets")
    parser.add_argument("--listed", type=float, default=0, help="seconds of tests that a mutant meets if the list has a reason for it; 0: all tests")
    parser.add_argument("--report", action="store_true", help="print what the journal knows")
    parser.add_argument("--harmless", default="scripts/mutants.harmless", help="survivors that were looked at, with reasons")
    parser.add_argument("--stale", action="store_true", help="print what of the list of harmless ones is about no survivor any more")
    parser.add_argument("--list", action="store_true", help="print the mutants")
    o = parser.parse_args()
    scratch = os.path.join(o.build, "mutants")
    os.makedirs(scratch, exist_ok=True)
    journal = o.journal or os.path.join(scratch, "journal")
    asked = [f for f in TESTS if any(p.startswith(f) for p in o.paths)]
    o.of_readers = bool(set(asked) & set(READERS))
    o.folders = asked if o.of_readers else [f for f in TESTS if f not in READERS]
    numbers = file_numbers(files_of([f for f in o.folders if os.path.isdir(f)]))
    chosen = set(files_of([p.rstrip("/") for p in o.paths] or DEFAULT))
    if o.of_readers:  # a few files of many folders: the others need no switches
        numbers = {path: n for path, n in numbers.items() if path in chosen}
    everything = [m for path, n in numbers.items() for m in mutants_of(path, n) if o.kinds == "all" or m.kind != "other"]
    mutants = [m for m in everything if m.path in chosen and m.counted]
    if o.since:
        old = {m.key for path in chosen for m in mutants_of(path, 0, o.since)}
        mutants = [m for m in mutants if m.key not in old]
    journal = Journal(journal)
    known = journal.known
    if o.list:
        for m in mutants:
            print("%s:%d: %s -> %s" % (m.path, m.line, m.old, m.new))
        return 0
    if o.stale:
        stale = stale_entries(mutants, known, read_harmless(o.harmless))
        for entry in stale:
            print("%s: %s ## %s: %s" % entry)
        return 1 if stale else 0
    if o.report:
        told = {key: record for key, record in known.items() if not record.get("stopped")}  # a run that was stopped gives no verdict
        return 0 if report(o, mutants, told, read_harmless(o.harmless)) else 1

    if o.again:
        todo = [m for m in mutants if known.get(m.key, {}).get("verdict") in LIVE]
    else:
        todo = sampled(mutants, o.sample, o.seed) if o.sample else mutants
        todo = [m for m in todo if m.key not in known or known[m.key].get("stopped")]
    harmless = read_harmless(o.harmless)
    wanted = lambda m: not o.open or not reason_of(m, harmless)
    todo = [m for m in todo if wanted(m)]
    end, again = time.time() + (60 * o.minutes or 1e9), {m.key for m in todo} if o.again else set()
    for sanitize in (False, True):
        if o.only and sanitize != (o.only == "sanitized"):
            continue
        if sanitize:  # what survived without sanitizers, now or in an earlier call
            todo = [m for m in mutants if known.get(m.key, {}).get("verdict") in LIVE
                    and (m.key in again or not known[m.key].get("sanitized")) and wanted(m)]
        bench = prepare(o, everything, mutants, todo, harmless, known, sanitize)
        random.Random(1).shuffle(todo)
        try_all(o, bench, todo, journal, end)
    return 0 if report(o, mutants, known, harmless) else 1


def sampled(mutants, count, seed):
    """So many of them, as if drawn at random; a line that changes changes no other choice."""
    return sorted(mutants, key=lambda m: hashlib.sha256(("%d %s" % (seed, m.key)).encode()).hexdigest())[:count]


def prepare(o, everything, mutants, todo, harmless, known, sanitize):
    tree = Tree(o, everything, sanitize)
    bench = Bench(o, tree, {m.key for m in todo if reason_of(m, harmless)}, known)
    bench.measure(sorted({t for m in todo for t in bench.tests_of(m.path)}))
    print("%d mutants, %d to try %s sanitizers, %d of them apart" % (
        len(mutants), len(todo), "with" if sanitize else "without", sum(m.key in tree.apart for m in todo)), file=sys.stderr, flush=True)
    return bench


class Journal:
    """What is known of each mutant, on disk: its verdict, and the digests of the tests that it passed."""

    def __init__(self, path):
        self.path, self.lock = path, threading.Lock()
        self.known, self.passed = read_journal(path)
        for key in self.passed:  # a run that was stopped
            self.known.setdefault(key, {"key": key, "verdict": "survived", "test": "", "sanitized": False, "stopped": True})

    def append(self, record):
        with self.lock, open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def verdict(self, mutant, verdict, test, sanitized):
        self.known[mutant.key] = {"key": mutant.key, "verdict": verdict, "test": test, "sanitized": sanitized}
        self.append(self.known[mutant.key])

    def passes(self, digest, mutants):
        for m in mutants:
            self.passed[m.key].add(digest)
        if mutants:
            self.append({"passed": digest, "keys": [m.key for m in mutants]})


CHUNK, SAMPLE = 100, 10  # mutants of one run that forks; of the first one of a test with a file


class Guesses:
    """How many mutants of a file a test may catch in a second, from what it caught so far; all workers share it."""

    def __init__(self, bench):
        self.bench, self.lock = bench, threading.Lock()
        self.pairs = collections.defaultdict(lambda: [0, 0, 0.0])  # (file, test): tried, caught, seconds
        self.tests = collections.defaultdict(lambda: [0, 0, 0.0])

    def rate(self, path, test):
        tried, caught, seconds = self.pairs[path, test]
        share = (self.tests[test][1] + 1) / (self.tests[test][0] + 2)
        return (caught + 2 * share) / (seconds + 2 * (self.bench.seconds[test] + 0.01))

    def size(self, path, test):
        return CHUNK if self.pairs[path, test][0] else SAMPLE

    def learn(self, path, test, tried, caught, seconds):
        with self.lock:
            for row in (self.pairs[path, test], self.tests[test]):
                row[0] += tried
                row[1] += caught
                row[2] += seconds


def try_share(o, bench, todo, journal, end, worker, guesses):
    """Whichever test may catch most in a second, with mutants of one file that are still alive, until none is left."""
    folder, sanitized = os.path.join(bench.tree.top, "worker-%d" % worker), bool(bench.tree.sanitize)
    alive = {m for m in todo if m.key not in bench.tree.apart}
    left = collections.defaultdict(dict)  # (file, test): mutants that have not met it, in a random order
    for m in todo:
        for test in bench.order(m, False) if m in alive else []:
            if bench.digest(test) not in journal.passed[m.key]:
                left[m.path, test][m] = True
    told = time.time()
    while left:
        path, test = pair = max(left, key=lambda p: guesses.rate(*p))
        here = list(left[pair])[:guesses.size(path, test)]
        if time.time() > end:
            return
        results, seconds = bench.try_many(folder, test, here)
        journal.passes(bench.digest(test), [m for m, result in results.items() if not result])
        for m in here:
            del left[pair][m]
        if not left[pair]:
            del left[pair]
        for m, result in results.items():
            if result:
                journal.verdict(m, "timed out" if result == "time" else "caught", test, sanitized)
                alive.discard(m)
                for other in [p for p in left if p[0] == path and m in left[p]]:
                    del left[other][m]
                    if not left[other]:
                        del left[other]
        guesses.learn(path, test, len(here), sum(bool(r) for r in results.values()), seconds)
        if time.time() > told + 20:
            told = time.time()
            print("worker %d: %d alive, %d runs left at most; now %s of %s" % (
                worker, len(alive), sum(len(x) for x in left.values()), test, path), file=sys.stderr, flush=True)
    for m in alive:
        journal.verdict(m, "survived" if journal.passed[m.key] else "not reached", "", sanitized)
    for m in todo:
        if m.key in bench.tree.apart and time.time() < end and not o.inside:
            verdict, test = bench.try_apart(folder, m, journal)
            journal.verdict(m, verdict, test, sanitized)


def try_all(o, bench, todo, journal, end):
    guesses = Guesses(bench)
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        shares = [pool.submit(try_share, o, bench, todo[k::o.jobs], journal, end, k, guesses) for k in range(o.jobs)]
        for share in shares:
            share.result()


if __name__ == "__main__":
    sys.exit(main())
