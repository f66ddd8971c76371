"""Wrong use: every message is the command line's, with line and caret, and hints in Python's words; libraries that do not fit are refused."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import temper
from common import BUILD, ROOT, optional, temper_program
from temper._header import declarations, header_path
from temper._library import ffi, is_compatible
from temper._remedies import REMEDIES



def message_of(action):
    """What an action's exception says; None if there is none."""
    try:
        action()
    except temper.TemperError as error:
        return str(error)
    return None


def without_hint(message):
    """What is wrong, without what may help: that is said in other words here."""
    return [line for line in message.strip().split("\n") if not line.startswith("hint: ")]


def hint_in(message):
    return next((line[6:] for line in message.strip().split("\n") if line.startswith("hint: ")), "")


class Remedies(unittest.TestCase):
    def test_each_has_words(self):
        """Every code of the library has words in Python, and none of them names an option of the command line."""
        codes = set(ffi.typeof("temper_remedy").elements.values()) - {"TEMPER_REMEDY_NONE"}
        self.assertEqual(codes, set(REMEDIES))
        for words in REMEDIES.values():
            self.assertNotIn("--", words)


class BadInput(unittest.TestCase):
    """Everything in tests/bad, beside what the program says about it."""

    @classmethod
    def setUpClass(cls):
        room = tempfile.TemporaryDirectory()
        cls.addClassCleanup(room.cleanup)
        subprocess.run([BUILD / "tests" / "t-bad", "--write", room.name], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        cls.paths = [path for path in sorted(Path(room.name).iterdir()) if path.with_suffix(".expect").exists()]

    def compare(self, work):
        with ThreadPoolExecutor(max_workers=4) as pool:
            said = list(pool.map(lambda item: temper_program(*item[1])[1], work))
        for (name, _, action), expected in zip(work, said):
            with self.subTest(name):
                found = message_of(action)
                self.assertIsNotNone(found)
                self.assertEqual(without_hint("temper: " + found), without_hint(expected))
                self.assertEqual(bool(hint_in(found)), bool(hint_in(expected)))
                self.assertTrue(hint_in(found) in REMEDIES.values() or hint_in(found) == hint_in(expected))

    def test_specifications(self):
        work = []
        for path in self.paths:
            if path.suffix not in (".spec", ".crasp", ".brasp"):
                continue
            extra, given = path.with_suffix(".options"), {}
            for word in extra.read_text().split() if extra.exists() else ():
                name, _, value = word.partition("=")
                if name != "folder":  # both take the folder of the file
                    given[name] = value or True
            arguments = ["eval", "-F", str(path)]
            for name, value in given.items():
                arguments += ["--" + name] if value is True else ["--" + name, value]
            work.append((path.name, arguments, lambda path=path, given=given: temper.parse(file=path, **given)))
        self.assertGreater(len(work), 200)
        self.compare(work)

    def test_models(self):
        work = [(path.name, ["explain", str(path)], lambda path=path: temper.load(path)) for path in self.paths
                if path.suffix == ".temper" or (path.suffix == ".safetensors" and not path.name.startswith("import-") and
                                                len(path.name) % 4 == 0)]
        self.assertGreater(len(work), 100)
        self.compare(work)


class Messages(unittest.TestCase):
    def fails(self, kind, action, *parts):
        with self.assertRaises(kind) as caught:
            action()
        for part in parts:
            self.assertIn(part, str(caught.exception))
        self.assertIsInstance(caught.exception, temper.TemperError)
        return caught.exception

    def test_syntax(self):
        error = self.fails(temper.SpecSyntaxError, lambda: temper.compile("H(b -> ", alphabet="ab"))
        self.assertEqual(str(error), "formula:1:7: expected a formula or a count after '->', found end of text\n"
                                     "    H(b -> \n"
                                     "          ^")
        self.assertEqual((error.line, error.column, error.where, error.hint), (1, 7, "formula", ""))
        self.assertIsInstance(error, ValueError)
        # A place in the middle of a long line, and after characters that are wide or hidden.
        for formula in ("a & " * 40 + "§ b" + " | b" * 40, "'\u6f22\u5b57' | )", "'\u200b' & \t ]", "a\n& b\n& (c"):
            found = message_of(lambda: temper.parse(formula))
            self.assertEqual(without_hint("temper: " + found), without_hint(temper_program("eval", "-f", formula, "x")[1]))

    def test_unknown_letters(self):
        model = temper.compile("O a", alphabet="ab")
        error = self.fails(temper.RangeError, lambda: model.run(["ab", "", "aXb"]),
                           "string 3: unknown letter 'X' at position 2", "    aXb\n     ^", "hint: the letters are a b")
        told = temper_program("run", "-f", "O a", "--alphabet", "ab", "ab", "", "aXb")[1]  # which adds an option
        self.assertEqual("temper: " + str(error) + "; --alphabet abX adds X\n", told)
        self.fails(temper.RangeError, lambda: model.run("X"), "string: unknown letter 'X' at position 1")
        self.fails(temper.RangeError, lambda: model.run(["a", "\ud800"]), "string 2: ")
        self.fails(temper.RangeError, lambda: model.run(["a\0b"]), "string 1: ", "at position 2")
        self.fails(temper.RangeError, lambda: model.run([["a", "c"]]), "string 1: unknown letter 'c' at position 2")
        self.fails(temper.RangeError, lambda: model.run([np.array([0, 2])]), "from 0 to 1")
        self.fails(temper.RangeError, lambda: model.run(np.array([[0, -1]])), "from 0 to 1")
        tokens = temper.compile("O go", alphabet="go stop", tokens=True)
        self.fails(temper.RangeError, lambda: tokens.run(["go stop  halt"]), "unknown", "\n    go stop  halt\n             ^",
                   "the tokens are go stop")
        for wrong in ([[1.5]], [1.5], 3, None, [None]):
            with self.assertRaisesRegex(TypeError, "string"):
                model.run(wrong)

    def test_too_long(self):
        model = temper.gallery.model("dyck-1").soften(length=6)
        self.fails(temper.LimitError, lambda: model.run(["()", "()()()()"]), "6")
        self.fails(temper.LimitError, lambda: model.truth("()()()()"), "6", "hint: unchecked=True runs it without proof")
        self.assertEqual(model.run(["()()()()"], unchecked=True).dtype, np.bool_)
        model = temper.compile("O a", alphabet="ab")
        self.fails(temper.RangeError, lambda: model.run(["a"], type="bf17"), "bf16/f32")
        self.assertTrue(model.run(["a"], type="bf16")[0])  # proved
        parity = temper.compile("#[a] % 2 = 0", alphabet="ab")
        self.fails(temper.LimitError, lambda: parity.run(["a" * 50], type="bf16"), "bf16")

    def test_files(self):
        error = self.fails(temper.FileError, lambda: temper.load("/nowhere/at/all"), "/nowhere/at/all", "No such file")
        self.assertIsInstance(error, OSError)
        self.fails(temper.FileError, lambda: temper.parse(file="/nowhere"), "/nowhere")
        self.fails(temper.FileError, lambda: temper.compile("a").save("/nowhere/at/all"), "/nowhere")
        self.fails(temper.FormatError, lambda: temper.load(__file__), "test_errors.py:1:1: not a temper model", "\n    ^")
        self.fails(temper.RangeError, lambda: temper.load("a\0b"), "NUL")
        with tempfile.TemporaryDirectory() as room:
            path = Path(room) / "m.temper"
            path.write_text(temper.compile("a").text.replace("temper-model 1", "temper-model 3"))
            self.fails(temper.FormatError, lambda: temper.load(path), str(path) + ":1")

    def test_options(self):
        self.fails(temper.RangeError, lambda: temper.compile("a", method="warm"), "temperature")
        self.fails(temper.RangeError, lambda: temper.compile("a", at="middle"), "first, last")
        self.fails(temper.RangeError, lambda: temper.gallery.model("dick-1"), "dick-1")
        self.fails(temper.RangeError, lambda: temper.compile("a", alphabet="a\0b"), "NUL")
        self.fails(temper.RangeError, lambda: temper.compile("a").draw("a", "gif"), "svg")
        self.fails(temper.RangeError, lambda: temper.gallery.model("palindrome").check(), "no specification")
        self.fails(temper.UnsupportedError, lambda: temper.gallery.model("best-prefix").run("abaababaAAbA" * 3),
                   'hint: type="exact" decides it')
        self.fails(temper.RangeError, lambda: temper.parse("Y a & X b"), 'at="first" or at="last"')
        self.fails(temper.RangeError, lambda: temper.compile("a").certify(-1), "length must be 0 to 2^63 - 1, not -1")
        self.fails(temper.RangeError, lambda: temper.compile("a").check(random=-1), "random must be 0 to")
        self.assertRaises(TypeError, lambda: temper.compile("a").certify(1.5))
        self.assertRaises(TypeError, lambda: temper.compile("a", alphabt="ab"))
        for wrong in (lambda: temper.compile(), lambda: temper.compile("a", file="b"),
                      lambda: temper.compile(temper.parse("a"), alphabet="a")):
            self.assertRaises(TypeError, wrong)


class Library(unittest.TestCase):
    """Which library is taken, and which is not."""

    def imported(self, library, code="import temper", path=ROOT / "python"):
        environment = dict(os.environ, PYTHONPATH=str(path), TEMPER_LIBRARY=str(library))
        return subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, check=False)

    def build(self, room, version, more=""):
        source, library = Path(room) / "fake.c", Path(room) / "libfake.so"
        source.write_text(f'const char *temper_version(void) {{ return "{version}"; }}\n' + more)
        subprocess.run([os.environ.get("CC", "cc").split()[-1], "-shared", "-fPIC", "-o", library, source], check=True)
        return library

    def test_versions(self):
        for header, library, fits in (((0, 1, 0), "0.1.7", True), ((0, 1, 0), "0.2.0", False), ((1, 2, 0), "1.3.0", True),
                                      ((1, 2, 0), "1.1.9", False), ((1, 2, 0), "2.2.0", False), ((1, 2, 0), "?", False)):
            self.assertEqual(is_compatible(header, library), fits, (header, library))

    def test_other_version(self):
        with tempfile.TemporaryDirectory() as room:
            done = self.imported(self.build(room, "9.9.9"))
            self.assertIn("libfake.so is temper 9.9.9, but this Python package is for temper " + temper.__version__, done.stderr)
            self.assertIn("ImportError", done.stderr)

    def test_not_a_library(self):
        self.assertIn("cannot load library", self.imported("/nowhere.so").stderr)
        self.assertIn("not libtemper", self.imported("libm.so.6").stderr)

    def test_missing_function(self):
        names = "const char *temper_type_name(int t) { return t ? \"\" : \"f64\"; }\n" \
                "const char *temper_method_name(int m) { return m ? \"soft\" : \"hard\"; }\n"
        with tempfile.TemporaryDirectory() as room:
            library = self.build(room, temper.__version__, names)
            done = self.imported(library, "import temper\ntemper.parse('a')")
            self.assertIn("MissingFunctionError: this libtemper has no temper_spec_parse", done.stderr)

    def test_header(self):
        text = header_path().read_text(encoding="utf-8")
        found = declarations(text)
        for unwanted in ("#", "/*", "TEMPER_API", 'extern "C"', "__"):
            self.assertNotIn(unwanted, found.declarations)
        self.assertEqual(found.version, tuple(int(part) for part in temper.__version__.split(".")))
        functions = re.findall(r"\b(temper_\w+)\(", found.declarations)
        self.assertEqual(len(functions), len(re.findall(r"^TEMPER_API ", text, re.MULTILINE)))
        self.assertRaises(ImportError, declarations, "int main(void);")
        tricky = text.replace("#ifdef __cplusplus", "#define TWO_LINES \\\n    1 /* a /* comment\n */\n#ifdef __cplusplus", 1)
        self.assertEqual(declarations(tricky).declarations, found.declarations)

    def test_installed_layout(self):
        """A copy with its own header, as pip installs it, away from the source tree."""
        with tempfile.TemporaryDirectory() as room:
            folder = Path(room) / "temper"
            folder.mkdir()
            for path in (ROOT / "python" / "temper").iterdir():
                if path.suffix in (".py", ".typed"):
                    (folder / path.name).write_bytes(path.read_bytes())
            code = "import temper\nprint(temper.compile('O a', alphabet='ab').run(['ba', 'b']).tolist())"
            without = self.imported(BUILD / "libtemper.so", code, room)
            self.assertIn("temper.h is neither in", without.stderr)
            (folder / "temper.h").write_bytes(header_path().read_bytes())
            self.assertEqual(self.imported(BUILD / "libtemper.so", code, room).stdout, "[True, False]\n")

    @optional("pip", "setuptools", "wheel")
    def test_pip(self):
        """pip install, without a network, of a copy of the sources."""
        with tempfile.TemporaryDirectory() as room:
            shutil.copytree(ROOT / "python", Path(room) / "python", ignore=shutil.ignore_patterns("__pycache__", "build"))
            shutil.copytree(ROOT / "include", Path(room) / "include")
            shutil.copy(ROOT / "LICENSE", room)
            site = Path(room) / "site"
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps", "-q",
                                   "--target", site, Path(room) / "python"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  universal_newlines=True, check=False, env={**os.environ, "TEMPER_LIBRARY_INSIDE": "no"})
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual({path.name for path in (site / "temper").iterdir() if path.is_file()},
                             {path.name for path in (ROOT / "python" / "temper").iterdir() if path.is_file()} | {"temper.h"})
            code = "import temper\nprint(temper.__file__, temper.compile('O a', alphabet='ab').run('ba'))"
            found = self.imported(BUILD / "libtemper.so", code, site)
            self.assertEqual(found.stdout, f"{site / 'temper' / '__init__.py'} True\n", found.stderr)


if __name__ == "__main__":
    unittest.main()
