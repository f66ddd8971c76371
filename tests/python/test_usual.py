"""Python as people expect it: names that are functions, number formats by any name, strings of any kind, pickles, tables, charts."""
import hashlib
import inspect
import multiprocessing
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
import types
import typing
import unittest
from unittest import mock

import numpy as np

import temper
from common import FORMULAS, optional, options, temper_program
from temper import _types, logic
from temper.logic import Expression, count, count_after, letter, letters


class Names(unittest.TestCase):
    def test_commands_are_functions(self):
        """What the program's commands are called is no module."""
        given = dict(alphabet="abc")
        strings = ["caab", "cba", ""]
        model = temper.compile("H(b -> O a)", **given)
        self.assertEqual(temper.run("H(b -> O a)", strings, **given).tolist(), model.run(strings).tolist())
        self.assertIs(temper.run("H(b -> O a)", "caab", type="float32", **given), True)
        self.assertEqual(temper.run(model, strings, hard=True).tolist(), model.run(strings).tolist())
        self.assertEqual(str(temper.explain("H(b -> O a)", **given)), str(model.explain()))
        self.assertEqual(temper.check("a S b", random=5, exhaustive=3, **given), temper.compile("a S b", **given).check(random=5, exhaustive=3))
        self.assertEqual(temper.certify("a S b", 84, "bf16/f32", **given).json, temper.compile("a S b", **given).certify(84, "bf16/f32").json)
        self.assertEqual(list(temper.limits("a S b", "e4m3", effort=0.01, **given)), list(temper.compile("a S b", **given).limits(["e4m3"], effort=0.01)))
        self.assertEqual(str(temper.gaps("a S b", random=3, **given)), str(temper.compile("a S b", **given).gaps(random=3)))
        self.assertEqual(temper.run(None, "abab", regex="(ab)*"), True)
        for wrong in (lambda: temper.run(model, "a", alphabet="ab"), lambda: temper.explain(3), lambda: temper.run("a", "a", alphabt="a")):
            self.assertRaises(TypeError, wrong)

    def test_dir(self):
        names = [name for name in dir(temper) if not name.startswith("__")]
        self.assertEqual(sorted(names), sorted(temper.__all__))
        modules = {name for name in names if isinstance(getattr(temper, name), types.ModuleType)}
        self.assertEqual(modules, {"errors", "gallery", "logic", "testing"})
        for module in (temper.errors, temper.gallery, temper.logic, temper.testing):
            for name in module.__all__:
                self.assertTrue(getattr(module, name).__doc__, name)
        for name in names:
            thing = getattr(temper, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                self.assertIn(thing.__module__, ("temper", "temper.errors"), name)


class Formats(unittest.TestCase):
    def setUp(self):
        self.model = temper.compile("a S b", alphabet="abc")

    def test_names_of_the_command_line(self):
        """Every name that --type takes, alone and in pairs, is the same format here."""
        known = _types.aliases()
        self.assertEqual(sorted(typing.get_args(_types.TypeName)), sorted({*temper.types, *known}))
        self.assertEqual(set(typing.get_args(_types.Method)), set(temper.methods))
        draw = random.Random(7)
        pairs = [f"{draw.choice(known)}/{draw.choice(known)}" for _ in range(40)]
        tiles = [f"{draw.choice(known)}@tile{draw.choice((64, 128, 512, 100))}" for _ in range(15)]
        shown = [draw.choice((str.upper, str.title))(name) for name in known]
        for name in {*known, *pairs, *tiles, *shown, "f32/f32@tile64", "half/float@tile64", "", "/", "f16/"}:
            with self.subTest(name):
                out, err = temper_program("certify", "-f", "a S b", "--alphabet", "abc", "--length", "3", "--type", name, "--json")
                try:
                    found = self.model.certify(3, name, search=False)
                except temper.TemperError as error:
                    if "is not one of" in str(error):
                        self.assertIn("is not one of", err)
                    else:  # such as exact, of which there is no certificate
                        self.assertIn(error.text, err)
                else:
                    self.assertNotIn("is not one of", err)
                    self.assertIn(found.type, temper.types)
                    if found.proved:
                        self.assertIn(f'"type":"{found.type}"', out.replace('": "', '":"'))

    def test_dtypes(self):
        for dtype, name in ((np.float32, "f32"), (np.float64, "f64"), (np.dtype("float16"), "f16"), (np.zeros(1, "f4").dtype, "f32"),
                            (float, "f64"), ((np.float16, np.float32), "f16/f32"), (("bf16", "single"), "bf16/f32")):
            self.assertEqual(self.model.proof(dtype).type, name)
            self.assertEqual(self.model.inspect("ab", type=dtype).type, name)
        self.assertEqual([row.type for row in self.model.limits([np.float32, "half"], effort=0.01)], ["f32", "f16"])
        self.assertEqual(temper.compile("a", method="digits", digits=np.float16).info.digits, "f16")
        self.assertEqual(temper.parse("O a", alphabet="ab").certify(4, as_="gpt2", kv="float32", weights=np.float16).length, 4)
        for wrong, kind in ((np.int32, temper.RangeError), ("fp8", temper.RangeError), (3, TypeError), (None, TypeError), (("f32",), TypeError)):
            self.assertRaises(kind, lambda: self.model.run("a", type=wrong))
        with self.assertRaisesRegex(temper.RangeError, "did you mean fp8_e4m3 or fp8_e5m2"):
            self.model.run("a", type="fp8")
        with self.assertRaisesRegex(temper.RangeError, "did you mean float32"):
            self.model.run("a", type="flaot32")

    @optional("torch")
    def test_torch_dtypes(self):
        import torch
        for dtype, name in ((torch.float32, "f32"), (torch.bfloat16, "bf16"), (torch.half, "f16"), (getattr(torch, "float8_e4m3fn", "e4m3"), "e4m3"),
                            ((torch.bfloat16, torch.float32), "bf16/f32")):
            self.assertEqual(self.model.proof(dtype).type, name)
        self.assertRaises(temper.RangeError, lambda: self.model.run("a", type=torch.int32))
        self.assertIs(next(self.model.to_torch("float32").parameters()).dtype, torch.float32)
        self.assertRaises(temper.RangeError, lambda: self.model.to_torch("e4m3"))

    def test_torch_is_not_imported(self):
        code = "import sys, temper; temper.run('O a', ['a'], type='bfloat16', unchecked=True); print([m for m in ('torch', 'pandas', 'matplotlib', 'polars', 'cairosvg') if m in sys.modules])"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout, b"[]\n")


class Alphabets(unittest.TestCase):
    def test_lists(self):
        for alphabet in (["a", "b"], ("a", "b"), np.array(["a", "b"]), "ab"):
            model = temper.compile("O a", alphabet=alphabet)
            self.assertEqual((model.letters, model.info.tokens), (("a", "b"), False))
        words = temper.compile("H(grant -> O request)", alphabet=["request", "grant", "wait"])
        self.assertEqual((words.letters, words.info.tokens), (("request", "grant", "wait"), True))
        self.assertEqual(words.run(["request grant", ["wait", "grant"]]).tolist(), [True, False])
        self.assertEqual(temper.eval("O ' '", ["a b", "ab"], alphabet=["a", "b", " "]).tolist(), [True, False])
        self.assertEqual(temper.parse("O a", alphabet=["a", "b"], tokens=True).eval("b a"), True)
        for wrong, kind, part in (({"a", "b"}, TypeError, "a set has none"), (["a", 1], TypeError, "1 is none"), (5, TypeError, "not int"),
                                  ([], temper.RangeError, "at least one"), (["a", ""], temper.RangeError, "empty"),
                                  (["a", "a"], temper.RangeError, "twice"), (["a\0"], temper.RangeError, "NUL")):
            with self.assertRaisesRegex(kind, part):
                temper.compile("O a", alphabet=wrong)
        with self.assertRaises(temper.TemperError):
            temper.compile("O a", alphabet=["a", "long"], tokens=False)


class Strings(unittest.TestCase):
    """Letter numbers in every shape."""

    def setUp(self):
        self.model = temper.compile("H(b -> O a)", alphabet="abc")

    def test_integers(self):
        model, formula = self.model, temper.parse("H(b -> O a)", alphabet="abc")
        draw = np.random.default_rng(3)
        for dtype in (np.int64, np.uint8, np.int32):
            rows = draw.integers(0, 3, (50, 6)).astype(dtype)
            expected = model.run(["".join("abc"[k] for k in row) for row in rows])
            for run in (model.run, formula.eval):
                self.assertEqual(run(rows).tolist(), expected.tolist())
                self.assertEqual(run(rows.tolist()).tolist(), expected.tolist())
                self.assertEqual(run(list(rows)).tolist(), expected.tolist())
                self.assertEqual([run(row) for row in rows], expected.tolist())
                self.assertEqual([run(row.tolist()) for row in rows], expected.tolist())
            self.assertIsInstance(model.run(rows[0]), bool)
            self.assertEqual(model.truth(rows[0]).tolist(), model.truth(rows[0].tolist()).tolist())
        self.assertEqual(temper.gallery.oracle("dyck-1", np.array([0, 1])), True)
        self.assertEqual(model.run([[2, 0, 1], [1], "ab", ("c",), []]).tolist(), [True, False, True, True, False])
        self.assertIs(model.run(np.zeros(0, int)), False)
        self.assertIs(model.run(range(2)), True)
        self.assertEqual(model.run(np.array(["ab", "b"])).tolist(), [True, False])
        self.assertEqual(model.run(np.zeros((0, 4), int)).tolist(), [])
        for wrong in (np.zeros((2, 2)), np.zeros(3), np.zeros((1, 1, 1), int), np.zeros(2, bool), [True, False], b"ab", [b"ab"], [[0, "a"]], [[True]]):
            with self.assertRaisesRegex(TypeError, "string"):
                model.run(wrong)
        for wrong in ([0, 3], [-1], [1 << 70], [[0], [3]], np.array([3])):
            with self.assertRaisesRegex(temper.RangeError, "from 0 to 2"):
                model.run(wrong)

    @optional("torch", "pandas")
    def test_tensors(self):
        import pandas
        import torch
        rows = torch.tensor([[0, 1, 2], [1, 0, 2], [2, 2, 2]])
        self.assertEqual(self.model.run(rows).tolist(), [True, False, True])
        self.assertIs(self.model.run(rows[1]), False)
        self.assertEqual(self.model.run([rows[0], rows[1, :2]]).tolist(), [True, False])
        self.assertEqual(self.model.truth(rows[1].to(torch.int32)).tolist(), [False, False, False])
        self.assertEqual(self.model.run(pandas.Series(["ab", "b"])).tolist(), [True, False])
        self.assertRaises(TypeError, lambda: self.model.run(rows.float()))
        self.assertRaises(temper.RangeError, lambda: self.model.run(rows + 1))


def answers_elsewhere(model, strings):
    """For a process of its own."""
    return model.run(strings).tolist(), repr(model)


class Pickles(unittest.TestCase):
    def test_everything(self):
        model = temper.compile("a S b", alphabet="abc")
        soft = temper.gallery.model("dyck-1").soften(length=8)
        things = [model, soft, temper.compile(regex="(ab)*"), temper.compile("O go", alphabet=["go", "stop"], other="stop"),
                  model.certify(84, "bf16/f32"), model.certify(200, "e4m3"), soft.certify(8), model.certify(10, "e5m2", search=False),
                  model.limits(["e4m3", "f16"], effort=0.01), model.gaps(random=3), model.attention("cab"), model.inspect("cab"),
                  model.check("O b"), model.explain(), model.info, model.proof(), temper.parse("a S b", alphabet="abc").automaton(),
                  temper.gallery.entries()[0], temper.compile("O a", alphabet="ab", kind="next").next("b"), temper.gallery.model("first").soften_limit(5),
                  temper.compile("alphabet a b\ntransduce\nemit x = a\nemit y = !a\n").inspect("ab")]
        for thing in things:
            again = pickle.loads(pickle.dumps(thing))
            self.assertIs(type(again), type(thing))
            self.assertEqual((repr(again), str(again)), (repr(thing), str(thing)))
            self.assertEqual(again._repr_html_(), thing._repr_html_(), repr(thing))
            self.assertEqual(pickle.dumps(again), pickle.dumps(pickle.loads(pickle.dumps(again))))
        again = pickle.loads(pickle.dumps(model.certify(84, "bf16/f32")))
        temper.audit(again, model)
        self.assertEqual((again.json, again.proved), (model.certify(84, "bf16/f32").json, True))
        self.assertRaises(temper.RangeError, lambda: pickle.loads(pickle.dumps(things[5])).json)
        limits, kept = things[8], pickle.loads(pickle.dumps(things[8]))
        self.assertEqual((kept.csv, kept.json, kept.svg("A < B"), kept.svg()), (limits.csv, limits.json, limits.svg("A < B"), limits.svg()))
        self.assertEqual(pickle.loads(pickle.dumps(soft)).proof(), soft.proof())

    def test_formulas(self):
        for source, alphabet, more in FORMULAS:
            given, _ = options(source, alphabet, more)
            formula = temper.parse(source, **given)
            again = pickle.loads(pickle.dumps(formula))
            self.assertEqual((str(again), again.letters, again.at, again.accepts_empty), (str(formula), formula.letters, formula.at, formula.accepts_empty))
            model = temper.compile(formula)
            self.assertEqual(pickle.loads(pickle.dumps(model)).text, model.text)

    def test_errors(self):
        found = []
        for action in (lambda: temper.compile("H(b -> ", alphabet="ab"), lambda: temper.load("/nowhere"), lambda: temper.run("O a", "x"),
                       lambda: temper.compile("a S b").run("a", type="f99")):
            try:
                action()
            except temper.TemperError as error:
                found.append(error)
        self.assertEqual(len(found), 4)
        for error in found:
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), again.hint), (type(error), str(error), error.hint))

    def test_not_streams(self):
        with self.assertRaisesRegex(TypeError, "a stream cannot be pickled"):
            pickle.dumps(temper.compile("O a").stream())

    def test_other_processes(self):
        model = temper.compile("H(b -> O a)", alphabet="abc")
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.apply(answers_elsewhere, (model, ["caab", "cba"])), ([True, False], repr(model)))


class CheckedBy(unittest.TestCase):
    """Who checked a proof: the audit always, the proved checker where there is one that accepts."""

    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = room.name
        self.model = temper.compile("H(b -> O a)", alphabet="abc")
        self.digest = hashlib.sha256(self.model.text.encode()).hexdigest()

    def program(self, said, status, folder=""):
        path = os.path.join(self.room, folder, "temper-checker")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\necho x >>{self.room}/asked\necho '{said}'\nexit {status}\n")
        os.chmod(path, 0o755)
        return path

    def asked(self):
        return os.path.exists(os.path.join(self.room, "asked"))

    def found(self, **environment):
        with mock.patch.dict(os.environ, environment):
            return self.model.certify(100, "f32").checked_by

    def test_answers(self):
        """Only the status 0 and the line about the same file count."""
        right = f"m: proved: (check_sound, SHA-256 {self.digest})"
        for said, status, both in ((right, 0, True), (right, 4, False), (right.replace(self.digest[0], "x"), 0, False), ("proved", 0, False)):
            found = self.found(TEMPER_CHECKER=self.program(said, status))
            self.assertEqual(found, "audit and proved checker" if both else "audit", (said, status))
        self.assertTrue(self.asked())
        self.assertEqual(self.found(TEMPER_CHECKER=os.path.join(self.room, "missing")), "audit")
        self.assertEqual(self.model.certify(10**17, "f32", search=False).checked_by, "")

    def test_not_of_the_working_folder(self):
        """A program of that name in the working folder is not run, also if PATH has this folder."""
        right = f"m: proved: (check_sound, SHA-256 {self.digest})"
        self.program(right, 0)
        before = os.getcwd()
        os.chdir(self.room)
        try:
            self.found(PATH=f"{os.environ['PATH']}:{self.room}::.")
        finally:
            os.chdir(before)
        self.assertFalse(self.asked())

    def test_file_and_pickle(self):
        """It is asked about the file that the certificate names, also after pickling."""
        path = os.path.join(self.room, "m.safetensors")
        self.model.save(path)
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        certificate = pickle.loads(pickle.dumps(temper.load(path).certify(100, "f32")))
        with mock.patch.dict(os.environ, TEMPER_CHECKER=self.program(f"(check_sound, SHA-256 {digest})", 0)):
            self.assertEqual(certificate.checked_by, "audit and proved checker")

    def test_real_one(self):
        """Where `make checker` has built one, it accepts this model and declines what it does not know."""
        real = os.path.join(os.environ["TEMPER_BUILD"], "temper-checker")
        if not os.path.exists(real):
            return
        self.assertEqual(self.found(TEMPER_CHECKER=real), "audit and proved checker")


class Shown(unittest.TestCase):
    """What objects say of themselves is short, and says what matters."""

    def test_refuted(self):
        found = temper.compile("a S b", alphabet="abc").certify(100, "bf16/f32")
        self.assertEqual((found.verdict, found.position, len(found.letters)), ("refuted", 65, 85))
        self.assertEqual("".join(found.letters), found.counterexample)
        self.assertRegex(repr(found), r"^<temper.Certificate refuted: length 100 in bf16/f32; wrong at letter 65 of 85: …[bc]+»b«[bc]+…; head 1.1 .*>$")
        first, string, caret, why = str(found).split("\n")
        self.assertIn("wrong at letter 65 of 85", first)
        place = caret.index("^")
        start = found.counterexample.index(string.strip(" …"))
        self.assertEqual(string[place], found.letters[64])
        self.assertEqual(string[5:place + 1], found.counterexample[64 - (place - 5):65])
        self.assertLess(start, 65)
        self.assertIn("logit", why)
        page = found._repr_html_()
        self.assertEqual(len(re.findall('<td class="x"', page)), 1)
        self.assertIn("<small>65</small>", page)
        # tokens, and a string that is shown whole
        words = temper.compile("a S b", alphabet=["a", "b", "c"], tokens=True).certify(100, "e4m3")
        self.assertIn("wrong at letter 5 of 5: a a a c »b«;", repr(words))
        self.assertIn("\n    a a a c b\n            ^\n", str(words))

    def test_gaps(self):
        found = temper.gallery.model("two-averages").gaps()
        lines = repr(found).split("\n")
        self.assertEqual(lines[0], "<temper.Gaps of 3 heads, up to length 32>")
        self.assertEqual(lines[1].split(), ["head", "measured", "exhaustive", "proved", "ties", "computes"])
        least = min(found.at(3, 1, n).measured for n in range(33))
        self.assertEqual(lines[4].split()[:2], ["3.1", f"2^{least:.2f}"])
        self.assertIn("the sign of the mean", lines[4])
        self.assertIn("tied on 'a'", str(temper.compile("a S b", alphabet="abc").gaps()))

    def test_long_strings(self):
        """No repr is longer than a few lines, whatever it is about."""
        long = "ab" * 5000
        model = temper.compile(" | ".join(["(a S b)"] + [f"Y^{k} a" for k in range(1, 60)]), alphabet="ab")
        other = temper.compile("#[a] < 30 | #[b] >= 1", alphabet="ab").check(temper.compile("true", alphabet="ab"), random=0)
        far = temper.compile("#[a] < 150", alphabet="a").check(temper.compile("true", alphabet="a"), random=50)
        self.assertGreater(len(far.counterexample), 140)
        for thing in (model, temper.parse("O " * 3000 + "a"), model.explain(), temper.compile("O a", alphabet="ab").inspect(long), far, other,
                      temper.compile("O a", alphabet="ab").attention("ab" * 300), model.info, model.explain().heads[0], model.explain().parts[-1],
                      temper.compile("a S b", alphabet="abc").limits(["f16"], effort=0.05), model.stream(),
                      temper.gallery.model("two-averages").soften_limit(30), logic.Expression("O " * 3000 + "a")):
            self.assertLess(len(repr(thing)), 1000, type(thing))
        self.assertIn("…", repr(far))
        self.assertLess(len(str(far)), 200)


class Logic(unittest.TestCase):
    """Formulas by operators are those of their texts."""

    def test_operators(self):
        a, b, c = letters("abc")
        for expression, source in ((a.since(b) & ~c, "(a S b) & !c"), (a.triggered(b), "a T b"), (a.once() | b.historically(), "O a | H b"),
                                   (a.yesterday() ^ b.weak_yesterday(3), "Y a ^ Z^3 b"), (a.until(b).always(), "G(a U b)"),
                                   (a.release(b).eventually(), "F(a R b)"), (a.weak_until(b) >> a.strong_release(c), "(a W b) -> (a M c)"),
                                   (a.next(2).iff(b.weak_next()), "X^2 a <-> wX b"), (a & b & c, "a & b & c"), (a & (b | c) & ~(a >> b), "a & (b | c) & !(a -> b)"),
                                   (a | b & c | a, "a | (b & c) | a"), (a ^ b ^ c, "(a ^ b) ^ c"), ((a >> b) >> c, "(a -> b) -> c"), (~~a, "!!a"),
                                   (logic.first & logic.last | logic.true & ~logic.false, "first & last | true & !false"),
                                   (count(a) - 2 * count(b) + 1 >= 0, "#[a] - 2*#[b] + 1 >= 0"), (3 - count(a) < count_after(b) * 2, "3 - #[a] < 2*#>[b]"),
                                   (-(count(a) - count(b)) != -1, "-(#[a] - #[b]) != -1"), ((count(a) + 2 * count(b)) % 5 == 0, "(#[a] + 2*#[b]) % 5 = 0"),
                                   ((2 * count(a)) % 3 <= 1, "(2*#[a]) % 3 <= 1"), (2 <= count(a), "#[a] >= 2"), (count(a) - -1 > 0, "#[a] - (-1) > 0"),
                                   (2 * (count(a) + count(b)) > 3, "2*(#[a] + #[b]) > 3"), (count(count(a) > count(b)) == 1, "#[#[a] > #[b]] = 1"),
                                   (1 + count(a) - (count(b) - 2) > 0, "1 + #[a] - (#[b] - 2) > 0"), (count(a) + (-count(b)) >= 0, "#[a] + (-#[b]) >= 0"),
                                   (a.at(count(logic.true) - 3), "a @ #[true] - 3"), ((a | b).at(2) & c, "((a | b) @ 2) & c"),
                                   (logic.any_of("ab").since(logic.none_of("ab")), "(a | b) S !(a | b)"), (logic.any_of([]), "false")):
            with self.subTest(source):
                given = dict(alphabet="abc", at="last")
                mine, theirs = temper.parse(expression, **given), temper.parse(source, **given)
                self.assertEqual(str(mine), str(theirs), f"{expression}")
                self.assertEqual(str(pickle.loads(pickle.dumps(expression))), str(expression))

    def test_random(self):
        """An expression and a formula that is built beside it, in the printer's own text."""
        draw = random.Random(11)
        unary = {"!": lambda x: ~x, "O": Expression.once, "H": Expression.historically, "Y": Expression.yesterday, "Z": Expression.weak_yesterday,
                 "F": Expression.eventually, "G": Expression.always, "X": Expression.next, "wX": Expression.weak_next}
        binary = {"&": lambda x, y: x & y, "|": lambda x, y: x | y, "^": lambda x, y: x ^ y, "->": lambda x, y: x >> y, "<->": Expression.iff,
                  "S": Expression.since, "T": Expression.triggered, "U": Expression.until, "R": Expression.release, "W": Expression.weak_until,
                  "M": Expression.strong_release}
        for _ in range(200):
            pool = [(letter(one), one) for one in "abc"]
            for _ in range(12):
                (x, tx), (y, ty) = draw.choice(pool), draw.choice(pool)
                kind = draw.randrange(4)
                if kind == 0:
                    sign = draw.choice(list(unary))
                    pool.append((unary[sign](x), f"({sign} ({tx}))"))
                elif kind == 1:
                    k, m = draw.randint(-3, 3), draw.randint(2, 4)
                    pool.append(((count(x) * k + count_after(y) - m) % m == 1, f"(({k}*#[{tx}] + #>[{ty}] - {m}) % {m} = 1)"))
                else:
                    sign = draw.choice(list(binary))
                    pool.append((binary[sign](x, y), f"(({tx}) {sign} ({ty}))"))
            expression, source = pool[-1]
            self.assertEqual(str(temper.parse(expression, alphabet="abc", at="last")), str(temper.parse(source, alphabet="abc", at="last")), source)

    def test_letters(self):
        for one in ("(", "'", "\\", " ", "\n", "0", "P", "é", "漢", "\u200b", "\U0001f600", "#"):
            model = temper.compile(letter(one).once(), alphabet=["a", one])
            self.assertEqual(model.run(["a" + one, "aa"]).tolist(), [True, False], repr(one))
        go, stop = letters(["go", "stop"])
        self.assertEqual(temper.parse((stop >> go.once()).historically()).letters, ("stop", "go"))
        self.assertTrue(temper.run(letter("first").once(), "x first", alphabet=["x", "first"]))
        a, b = letters("ab")
        model = temper.compile(a.since(b), alphabet="abc")
        self.assertTrue(model.check(a.since(b), random=10, exhaustive=4))
        self.assertEqual(temper.parse(a.once(), alphabet="ab").difference(b.once()), "a")
        self.assertEqual(temper.eval(count(a) > 1, ["aa", "a"]).tolist(), [True, False])

    def test_refusals(self):
        a, b = letters("ab")
        for wrong in (lambda: a and b, lambda: not a, lambda: a == b, lambda: a != b, lambda: 1 < count(a) < 3, lambda: a & True, lambda: a | "b",
                      lambda: count(a) * count(b), lambda: count(a) + 1.5, lambda: count(a) % True, lambda: letter(3), lambda: letter(""),
                      lambda: temper.compile(count(a)), lambda: a.yesterday(1.5), lambda: temper.compile(3)):
            self.assertRaises(TypeError, wrong)
        with self.assertRaises(temper.SpecSyntaxError):  # the parser's words, not ours
            temper.parse(count(a) % 3 == count(b) % 3)
        x = a
        with self.assertRaises(temper.LimitError):
            for _ in range(64):
                x = x & x


class Testing(unittest.TestCase):
    def test_agreement(self):
        found = temper.testing.assert_equivalent("O a", lambda s: "a" in s, 10, alphabet="ab")
        self.assertEqual((found.strings, found.exhaustive, found.length), (2 ** 11 - 1, 10, 10))
        found = temper.testing.assert_equivalent("O a", lambda s: "a" in s, 60, alphabet="abc", most=400, random=50)
        self.assertEqual((found.strings, found.exhaustive, found.length), (1 + 3 + 9 + 27 + 81 + 243 + 50, 5, 60))
        temper.testing.assert_equivalent(letter("a").once(), lambda s: np.bool_("a" in s), 3, alphabet="ab")
        temper.testing.assert_equivalent(temper.parse("O a", alphabet="ab"), lambda s: 0 in s, 4, arguments="numbers")
        temper.testing.assert_equivalent(temper.compile("O a", alphabet="ab"), lambda s: "a" in s, 4, arguments="letters")
        seen = []
        temper.testing.assert_equivalent("O go", lambda s: (seen.append(s), "go" in s.split())[1], 2, alphabet=["go", "stop"])
        self.assertEqual(seen[:4], ["", "go", "stop", "go go"])
        temper.testing.assert_equivalent("true", lambda s: True, 5, alphabet="ab", empty="accept")

    def test_differences(self):
        def fails(part, *arguments, **given):
            with self.assertRaisesRegex(AssertionError, part):
                temper.testing.assert_equivalent(*arguments, **given)
        fails("they differ on 'bbb' \\(3 letters\\): the specification rejects it, the function accepts it", "O a", lambda s: "a" in s or "bbb" in s, 8, alphabet="ab")
        fails("they differ on '' \\(0 letters\\): the specification rejects", "O a", lambda s: "b" not in s, 8, alphabet="ab")
        fails("differ on 'a' \\(1 letter\\): the specification accepts", temper.compile("O a", alphabet="ab"), lambda s: False, 8)
        # Only a random string tells them apart, and a shortest of those is shown.
        with self.assertRaises(AssertionError) as caught:
            temper.testing.assert_equivalent("#[a] < 9", lambda s: s != "" and s.count("a") < 10, 40, alphabet="ab", most=100)
        string = re.search("differ on '([ab]*)'", str(caught.exception))[1]
        self.assertEqual(string.count("a"), 9)
        fails("the function failed on 'a': ZeroDivisionError", "O a", lambda s: 1 // (s != "a") and "a" in s, 3, alphabet="ab")
        for answer in (None, "yes", 2, 0.5, [True, False], np.array(["a"])):
            fails("neither True nor False", "O a", lambda s: answer, 3, alphabet="ab")
        self.assertRaises(temper.LimitError, lambda: temper.testing.assert_equivalent(temper.compile("a S b", alphabet="abc").with_scale("0"), lambda s: True, 3))
        self.assertRaises(TypeError, lambda: temper.testing.assert_equivalent(temper.parse("O a"), lambda s: True, 3, alphabet="ab"))

    @optional("torch")
    def test_modules(self):
        module = temper.compile("a S b", alphabet="abc").to_torch("f32")
        temper.testing.assert_equivalent("a S b", lambda s: module.answer([s])[0], 4, alphabet="abc")
        temper.testing.assert_equivalent("a S b", lambda s: module(module.encode([s])).accept, 4, alphabet="abc")


class Inside(unittest.TestCase):
    def test_weights(self):
        """The arrays of the file, by the names of TransformerLens: the attention can be computed from them."""
        model = temper.compile("H(b -> O a)", alphabet="abc")
        weights, seen = model.weights(), model.attention("caab")
        self.assertEqual(sum(v.size for k, v in weights.items() if k.startswith("embed")), 5 * model.info.channels)
        for layer in range(model.info.layers):
            stream = seen.channels[layer]
            queries, keys = (np.einsum("nc,hcd->hnd", stream, weights[f"blocks.{layer}.attn.W_{q}"]) for q in "QK")
            scores = np.einsum("hqd,hkd->hqk", queries, keys)
            sees = np.isfinite(seen.scores[layer])
            np.testing.assert_allclose(scores[sees], seen.scores[layer][sees], atol=1e-12)
            values = np.einsum("nc,hcd->hnd", stream, weights[f"blocks.{layer}.attn.W_V"])
            out = stream + np.einsum("hqk,hkd,hdc->qc", seen[layer], values, weights[f"blocks.{layer}.attn.W_O"])
            hidden = np.maximum(out @ weights[f"blocks.{layer}.mlp.W_in"] + weights[f"blocks.{layer}.mlp.b_in"], 0)
            np.testing.assert_allclose(out + hidden @ weights[f"blocks.{layer}.mlp.W_out"], seen.channels[layer + 1], atol=1e-9)
        answers = seen.channels[-1] @ weights["unembed.W_U"]
        self.assertEqual((answers[:, 0] > 0.5).tolist()[1:], seen.truth.tolist()[1:])
        weights["embed.W_E"][:] = 7  # a copy
        self.assertNotEqual(model.weights()["embed.W_E"][0, 0], 7)

    @optional("torch")
    def test_weights_of_torch(self):
        for source in ("H(b -> O a)", "#[a] > #[b]", "true"):
            model = temper.compile(source, alphabet="abc")
            theirs = dict(model.to_torch().named_parameters())
            self.assertEqual(set(model.weights()), set(theirs))
            for name, array in model.weights().items():
                np.testing.assert_array_equal(array, theirs[name].detach().numpy())

    def tables(self):
        model = temper.compile("a S b", alphabet="abc")
        yield model.attention("cab"), 2 + 3 * 4 // 2 + 2, {"weight", "score", "query_letter"}
        yield model.limits(["f32", "e4m3"], effort=0.01), 2, {"type", "proved_length", "wrong"}
        yield model.gaps(random=2), 33, {"layer", "length", "proved"}
        yield model.inspect("cab"), 3, {"letter", "truth", "expected"}
        yield model.explain(), 1, {"label", "scale", "bound"}
        yield model.certify(10), 1, {"label", "error"}

    @optional("pandas")
    def test_pandas(self):
        import pandas
        for thing, rows, columns in self.tables():
            for frame in (thing.frame(), thing.frame("pandas")):
                self.assertIsInstance(frame, pandas.DataFrame)
                self.assertEqual(len(frame), rows, thing)
                self.assertLessEqual(columns, set(frame.columns))
        model = temper.compile("a S b", alphabet="abc")
        sums = model.attention("cab").frame().groupby(["layer", "head", "query"]).weight.sum()
        np.testing.assert_allclose(sums, 1)

    @optional("polars")
    def test_polars(self):
        import polars
        for thing, rows, columns in self.tables():
            frame = thing.frame("polars")
            self.assertIsInstance(frame, polars.DataFrame)
            self.assertEqual(frame.height, rows)
            self.assertLessEqual(columns, set(frame.columns))

    @optional("matplotlib")
    def test_plots(self):
        import matplotlib
        matplotlib.use("agg")
        from matplotlib import pyplot
        model = temper.compile("H(b -> O a)", alphabet="abc")
        seen = model.attention("caab")
        figure = seen.plot()
        pictures = [axes for axes in figure.axes if axes.images]
        self.assertEqual([axes.get_title() for axes in pictures], ["1.1  O a", "2.1  not H (b -> O a)"])
        shown = pictures[0].images[0].get_array()
        np.testing.assert_array_equal(shown.filled(0), seen[0][0])
        self.assertEqual([t.get_text() for t in pictures[0].get_xticklabels()], seen.positions)
        axes = pyplot.figure().add_subplot()
        self.assertIs(seen.plot(2, 1, ax=axes), axes)
        for wrong in (lambda: seen.plot(3), lambda: seen.plot(1, 2), lambda: seen.plot(ax=axes), lambda: temper.compile("a").attention("a").plot()):
            self.assertRaises(temper.RangeError, wrong)
        limits = temper.compile("a S b", alphabet="abc").limits(["f32", "bf16/f32", "e5m2"], effort=0.02)
        axes = limits.plot()
        self.assertEqual([t.get_text() for t in axes.get_yticklabels()], [f"{row.type}, temperature" for row in limits])
        marks = {line.get_xdata()[0] for line in axes.lines if line.get_marker() == "D"}
        self.assertEqual(marks, {row.wrong for row in limits if row.wrong is not None})
        gaps = temper.gallery.model("two-averages").gaps(random=20)
        axes = gaps.plot()
        proved = axes.lines[0].get_ydata()
        self.assertEqual(proved[5:9].tolist(), [gaps.at(3, 1, n).proved for n in range(5, 9)])
        self.assertIn("no row", temper.compile("O a", alphabet="ab").gaps([""], random=0, exhaustive=0, proved=0).plot().get_title())
        pyplot.close("all")

    @optional("cairosvg")
    def test_png(self):
        model = temper.compile("H(b -> O a)", alphabet="abc")
        small, large = (model.draw("caab", "png", scale=k) for k in (1, 2))
        sizes = [(int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) for data in (small, large)]
        self.assertTrue(small.startswith(b"\x89PNG") and sizes[0][0] > 100)
        self.assertEqual((2 * sizes[0][0], 2 * sizes[0][1]), sizes[1])
        for wrong in (0, -1, float("nan")):
            self.assertRaises(temper.RangeError, lambda: model.draw("a", "png", scale=wrong))

    def test_missing_packages(self):
        """What is not installed is named, with the line that installs it."""
        model = temper.compile("H(b -> O a)", alphabet="abc")
        seen = model.attention("ab")
        for package, action in (("matplotlib", seen.plot), ("pandas", lambda: seen.frame("pandas")), ("polars", lambda: seen.frame("polars")),
                                ("cairosvg", lambda: model.draw("ab", "png")), ("torch", model.to_torch)):
            with mock.patch.dict(sys.modules, {package: None, "matplotlib.pyplot": None}):
                with self.assertRaises(temper.MissingPackageError) as caught:
                    action()
                self.assertIn(f"needs {package}", str(caught.exception))
                self.assertIn(f"hint: pip install {package}", str(caught.exception))
                self.assertIsInstance(caught.exception, ImportError)
        self.assertRaises(temper.RangeError, lambda: seen.frame("spark"))


if __name__ == "__main__":
    unittest.main()
