"""What the tests of the Python package share: the command line program of the same build, and formulas of every kind."""
import importlib.util
import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("TEMPER_BUILD", ROOT / "build")).resolve()
PROGRAM = str(BUILD / "temper")


# (formula, alphabet, further options of parse): every operator, all three syntaxes, tokens, both reading positions
FORMULAS = [
    ("true", "ab", {}),
    ("first | last", "ab", {"at": "first"}),
    ("[^ab]", "abc", {}),
    ("O a", "ab", {}),
    ("H(b -> O a)", "abc", {}),
    ("Y a & Z b", "ab", {}),
    ("a S (b | Y c)", "abc", {}),
    ("a T b", "ab", {}),
    ("F(a & X b)", "abc", {"at": "first"}),
    ("G(a -> F b)", "ab", {"at": "first"}),
    ("a U (b R c)", "abc", {"at": "first"}),
    ("(a W b) ^ (a M c) & wX a", "abc", {"at": "first", "empty": "accept"}),
    ("#[a] > #[b]", "ab", {}),
    ("2*#[O a] + #>[b] >= 3", "abc", {"at": "last"}),
    ("#[a] = #[b] & H(#[a] >= #[b])", "ab", {"empty": "accept"}),
    ("#[a] % 2 = 1", "ab", {}),
    ("(2*#[a] + 3*#[b]) % 7 = 3", "abc", {}),
    ("H(grant -> O request)", "request grant wait", {"tokens": True}),
    ("O (Y '\u00e9' & '\u03b1')", "\u00e9\u03b1\u6f22\U0001f600", {}),
    ("A := # a\nB := # b\nA <= B", "ab", {"syntax": "crasp"}),
]


def optional(*packages):
    """For tests that need packages of others: left out where these are not installed, but not where nothing may be (TEMPER_NO_SKIP)."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing and not os.environ.get("TEMPER_NO_SKIP"), f"{' and '.join(missing)}: not installed")


def options(formula, alphabet, more):
    """The same for temper.parse and for the program."""
    arguments = ["-f", formula, "--alphabet", alphabet]
    for name, value in more.items():
        arguments += ["--tokens"] if name == "tokens" else ["--" + name, value]
    return dict(more, alphabet=alphabet), arguments


def temper_program(*arguments, text=None):
    """Runs the program; what it printed, and its messages."""
    done = subprocess.run([PROGRAM, *arguments], input=None if text is None else text.encode("utf-8"),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL if text is None else None,
                          check=False)
    return done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode("utf-8", "surrogateescape")
