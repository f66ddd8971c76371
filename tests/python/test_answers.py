"""The Python package gives the answers of the command line, on formulas of every kind."""
import json
import math
import random
import re
import tempfile
import unittest
from pathlib import Path

import numpy as np

import temper
from common import FORMULAS, options, temper_program


def strings_for(formula, seed):
    """Short and long ones, the empty one too; the program reads one a line."""
    draw = random.Random(seed)
    joint = " " if formula.tokens else ""
    return [joint.join(draw.choices(formula.letters, k=n)) for n in [0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 13, 40, 130]]


class Other(unittest.TestCase):
    """The letter that unknown ones are read as."""

    def test_other(self):
        for model in (temper.compile("O a", other="z"), temper.compile("other z\nO a"), temper.compile("O a", alphabet="az").with_other("z")):
            self.assertEqual((model.letters, model.other), (("a", "z"), "z"))
            self.assertEqual(model.run(["q", "qa", "\u20aca", ["many", "a"], np.array([1, 0])]).tolist(), [False, True, True, True, True])
            self.assertEqual(model.stream().feed("qa?").tolist(), [False, True, True])
            with tempfile.TemporaryDirectory() as room:
                for name in ("m.temper", "m.safetensors"):
                    model.save(Path(room) / name)
                    self.assertEqual(temper.load(Path(room) / name).run(["q", "qa"]).tolist(), [False, True])
            with self.assertRaises(temper.RangeError):
                model.with_other(None).run("q")
            with self.assertRaises(temper.RangeError):
                model.with_other("b")
        formula = temper.parse("H (grant -> O request)", tokens=True, other="rest")
        self.assertEqual((formula.letters, formula.other), (("grant", "request", "rest"), "rest"))
        self.assertEqual(formula.eval(["boot grant", "boot request now grant", ["x", "grant"]]).tolist(), [False, True, False])
        self.assertEqual(temper.eval("O a", ["q", "qa"], other="z").tolist(), [False, True])
        self.assertIsNone(temper.parse("O a", alphabet="ab").other)


class Automata(unittest.TestCase):
    """All strings at once."""

    def test_automaton(self):
        formula = temper.parse("a S b", alphabet="abc")
        automaton = formula.automaton()
        self.assertEqual((automaton.states, automaton.dead, automaton.accepts), (2, None, (False, True)))
        self.assertTrue(automaton.language["star-free"].holds)
        self.assertFalse(automaton.language["R-trivial"].holds)
        self.assertIn("(cb)^n", automaton.language["R-trivial"].because)
        for string in ["", "b", "ba", "bac", "abcba"]:
            state = 0
            for letter in string:
                state = automaton.next(state, letter)
            self.assertEqual(automaton.accepts[state], formula.eval(string))
        self.assertIsNone(formula.difference(temper.parse(str(automaton), syntax="dfa")))
        self.assertIn("doublecircle", automaton.dot())
        self.assertIn("<svg", automaton.svg())
        with self.assertRaises(temper.UnsupportedError):
            temper.parse("#[a] > #[b]").automaton()

    def test_difference(self):
        formula = temper.parse("a S b", alphabet="abc")
        self.assertIsNone(formula.difference("b | (a & Y (a S b))"))
        self.assertEqual(formula.difference("O b"), "bc")


class Languages(unittest.TestCase):
    """Regular expressions and automata instead of formulas."""

    def test_regex(self):
        formula = temper.parse(regex="[a-z]+( [a-z]+)*", ascii=True)
        self.assertEqual(len(formula.letters), 95)
        self.assertEqual(list(formula.eval(["a bc", "a  b", "", "A"])), [True, False, False, False])
        whole, prefixes = (temper.compile(regex="[ab]c*", alphabet="abc", whole=w) for w in (True, False))
        self.assertTrue(whole.info.whole and whole.info.at == "first" and not prefixes.info.whole)
        self.assertLess(whole.info.layers, prefixes.info.layers)
        for string in ("", "a", "bcc", "bca", "c"):
            self.assertEqual(whole.run(string), prefixes.run(string))
        with self.assertRaisesRegex(temper.errors.UnsupportedError, "without whole=True"):
            whole.stream()
        for ask in (whole.truth, whole.inspect, whole.output_truth):  # positions would be about what is left of the string
            with self.assertRaisesRegex(temper.errors.UnsupportedError, "(?s)whole strings only.*without whole=True"):
                ask("acc")
            with self.assertRaises(temper.errors.UnsupportedError):
                ask("")
        self.assertTrue(temper.parse(regex="(<a><b>)*", tokens=True).eval("a b a b"))
        self.assertEqual(temper.parse("O a", alphabet="ab ").letters, ("a", "b", " "))
        self.assertTrue(temper.compile("O a", alphabet="ab ").run("b a"))
        with self.assertRaisesRegex(temper.errors.RangeError, "letters stand side by side"):
            temper.parse("O a", alphabet="a b c")

    def test_dfa(self):
        with tempfile.TemporaryDirectory() as folder:
            table, spec = Path(folder) / "door.dfa", Path(folder) / "door.spec"
            table.write_text("start shut\naccept shut\nshut o open\nopen c shut\n")
            spec.write_text("dfa door.dfa\nmatches & #[o] >= 2\n")
            self.assertEqual(list(temper.parse(dfa=table).eval(["oc", "o", ""])), [True, False, True])
            self.assertEqual(list(temper.parse(file=table).eval(["oc", "o", ""])), [True, False, True])
            self.assertEqual(list(temper.parse(file=spec).eval(["oc", "ococ"])), [False, True])

    def test_refusals(self):
        with self.assertRaises(TypeError):
            temper.parse("a", regex="a")
        with self.assertRaises(TypeError):
            temper.parse(regex="a", syntax="spec")
        with self.assertRaisesRegex(temper.TemperError, "back reference"):
            temper.parse(regex="(a)\\1")


class Answers(unittest.TestCase):
    def test_runs_and_formulas(self):
        for number, (source, alphabet, more) in enumerate(FORMULAS):
            with self.subTest(source):
                given, arguments = options(source, alphabet, more)
                formula = temper.parse(source, **given)
                strings = strings_for(formula, number)
                text = "".join(s + "\n" for s in strings)
                expected = {}
                for command in (["eval"], ["run"], ["run", "--hard"], ["run", "--method", "positions"], ["run", "--type", "f32"],
                                ["run", "--digits", "f16", "--method", "digits"]):
                    out, err = temper_program(*command, *arguments, "--json", "--per-position", "-", text=text)
                    rows = [json.loads(line) for line in out.splitlines()]
                    self.assertEqual([row["string"] for row in rows], strings, err)
                    expected[command[-1]] = rows
                models = {"run": temper.compile(formula), "--hard": temper.compile(formula, method="hard"),
                          "positions": temper.compile(source, method="positions", **given),
                          "digits": temper.compile(source, method="digits", digits="f16", **given)}
                self.compare(expected["eval"], strings, formula.eval, formula.truth)
                for name, model in models.items():
                    self.compare(expected[name], strings, model.run, model.truth)
                soft = models["run"]
                self.compare(expected["--hard"], strings, lambda s: soft.run(s, hard=True), lambda s: soft.truth(s, hard=True))
                self.compare(expected["f32"], strings, lambda s: soft.run(s, type="f32"), lambda s: soft.truth(s, type="f32"))

    def compare(self, rows, strings, run, truth):
        answers = run(strings)
        self.assertEqual(answers.dtype, np.bool_)
        self.assertEqual(answers.tolist(), [row["accept"] for row in rows])
        for string, row in zip(strings, rows):
            self.assertEqual(truth(string).astype(int).tolist(), row["positions"], string)

    def test_transducer(self):
        formula = temper.parse("transduce\nalphabet a b c d\nemit '1' = [bc] ^ Y([bc] S d)\nemit '0' otherwise\n")
        model = temper.compile(formula)
        self.assertEqual((formula.kind, model.info.kind, model.outputs), ("transducer", "transducer", ("1", "0")))
        for string in ("", "d", "dba", "cdab", "ddddba"):
            left = sum((letter in "cd") << k for k, letter in enumerate(string))
            right = sum((letter in "bd") << k for k, letter in enumerate(string))
            digits = "".join(str((left + right) >> k & 1) for k in range(len(string)))
            self.assertEqual((formula.write(string), model.write(string, unchecked=True)), (digits, digits))
            holds = model.output_truth(string, unchecked=True)
            self.assertEqual(holds.shape, (2, len(string) + 1))
            self.assertEqual("".join("1" if one else "0" for one in holds[0, 1:]), digits)
        with self.assertRaises(temper.errors.UnsupportedError):
            temper.parse("O a", alphabet="ab").write("ab")

    def test_language_model(self):
        model = temper.compile(regex="(ab|ba)*c?", kind="next")
        self.assertEqual((model.info.kind, model.outputs), ("next", ("a", "b", "c", "")))
        for prefix, legal, end in (("", "abc", True), ("a", "b", False), ("ab", "abc", True), ("abc", "", True), ("aa", "", False)):
            after = model.next(prefix)
            self.assertEqual((after.legal, after.end, after.proved, after.probabilities), (tuple(legal), end, True, None))
        pattern = re.compile("(ab|ba)*c?")
        for by, length in (("letters", 20), ("strings", 8)):
            strings = model.sample(40, by=by, length=length, seed=3)
            self.assertEqual(strings, model.sample(40, by=by, length=length, seed=3))
            self.assertTrue(all(pattern.fullmatch(string) and len(string) <= length for string in strings))
        self.assertTrue(all(len(string) == 8 for string in strings))
        likely = temper.compile("next\nprobabilities uniform\nregex a*b\n")
        self.assertEqual(likely.next("a").probabilities, {"a": 0.5, "b": 0.5, "": 0.0})
        found = likely.likelihood("aab")
        self.assertTrue(abs(found.log_probability - 3 * math.log(0.5)) <= found.error < 1e-9)
        self.assertEqual(likely.likelihood("aa").log_probability, -math.inf)
        counts = [temper.compile(regex="a*", kind="next").sample(1500, length=3, seed=1).count(k * "a") for k in range(4)]
        self.assertLess(sum((n - 100 * of) ** 2 / (100 * of) for n, of in zip(counts, (8, 4, 2, 1))), 16)  # the end is not forced
        with self.assertRaisesRegex(temper.errors.LimitError, "none of 5 strings"):
            temper.compile(regex="a{9}", kind="next").sample(length=3, tries=5)
        with self.assertRaisesRegex(temper.errors.RangeError, 'by="strings"'):
            temper.compile(regex="a*", kind="next").sample(length=0)
        with self.assertRaises(temper.errors.UnsupportedError):
            temper.compile("O a", alphabet="ab").next("a")

    def test_explain(self):
        for source, alphabet, more in FORMULAS:
            for method in temper.methods[1:]:
                with self.subTest(source, method=method):
                    given, arguments = options(source, alphabet, more)
                    model = temper.compile(source, method=method, **given)
                    out, err = temper_program("explain", *arguments, "--method", method)
                    self.assertEqual(str(model.explain()) + "\n", out, err)
        out, _ = temper_program("explain", "-f", "a S b", "--json")
        rows = [json.loads(line) for line in out.splitlines()]
        found = temper.compile("a S b").explain()
        heads = [row for row in rows if row["kind"] == "head"]
        self.assertEqual([(h.label, h.mask, h.scale, h.bound) for h in found.heads],
                         [(h["label"], h["mask"], h["scale"], h["bound"]) for h in heads])
        self.assertEqual([c.label for c in found.channels], [row["label"] for row in rows if row["kind"] == "channel"])

    def test_check(self):
        for source, alphabet, more in FORMULAS:
            with self.subTest(source):
                given, arguments = options(source, alphabet, more)
                out, _ = temper_program("check", *arguments, "--json", "--random", "50", "--length", "40")
                row = json.loads(out.splitlines()[0])
                model = temper.compile(source, method=row["method"], **given)
                found = model.check(random=50, length=40)
                self.assertTrue(found)
                self.assertEqual((found.agreed, found.strings, found.margin), (row["agreed"], row["strings"], row["margin"]))
        # 26 letters of two classes: all strings up to length 6 over two letters
        self.assertEqual(temper.compile("O a", alphabet="abcdefghijklmnopqrstuvwxyz").check(random=0).strings, 127)

    def test_check_counterexamples(self):
        model = temper.compile("O a", alphabet="ab")
        found = model.check("O b")
        self.assertFalse(found)
        self.assertEqual((found.counterexample, found.left, found.right), ("a", "formula", "hard"))
        self.assertEqual((found.left_value, found.right_value), (False, True))
        self.assertTrue(model.check(temper.compile("O a", alphabet="ab", method="positions")))
        other = model.check(temper.compile("O(a & Y a)", alphabet="ab"))
        self.assertEqual((other.counterexample, other.left_value, other.right_value), ("a", True, False))
        # Models that agree up to length 6 and are told apart by a random string.
        far = temper.compile("#[a] < 8 | #[b] >= 1", alphabet="ab")
        self.assertTrue(far.check(temper.compile("true", alphabet="ab"), random=0))
        everything = temper.compile("true", alphabet="a")
        self.assertFalse(temper.compile("#[a] < 8", alphabet="a").check(everything, random=50))
        stopped = model.check(random=100000, length=100, progress=lambda done, total: True)
        self.assertTrue(stopped.stopped)

        def broken(done, total):
            raise KeyError("from progress")
        with self.assertRaises(KeyError):
            model.check(random=100000, length=100, progress=broken)
        with self.assertRaises(temper.RangeError):
            model.check(temper.compile("O a", alphabet="abc"))

    def test_ways_to_write_strings(self):
        model = temper.compile("H(b -> O a)", alphabet="abc")
        expected = [True, False, True, False]
        self.assertEqual(model.run(["caab", "cba", "c", ""]).tolist(), expected)
        self.assertEqual(model.run([["c", "a", "a", "b"], np.array([2, 1, 0]), ("c",), []]).tolist(), expected)
        self.assertEqual(model.run(np.array([[0, 1], [1, 0]])).tolist(), [True, False])
        self.assertIs(model.run("ab"), True)
        self.assertEqual(model.run([]).tolist(), [])
        tokens = temper.compile("O go", alphabet="go stop", tokens=True)
        self.assertEqual(tokens.run(["stop go", "  stop\tstop ", ["go"], ""]).tolist(), [True, False, True, False])
        blank = temper.compile("O (' ' & Y a)")
        self.assertEqual(blank.run(["a a", "a"]).tolist(), [True, False])

    def test_types(self):
        model = temper.compile("a S b", alphabet="ab")
        strings = ["", "a", "b", "ba", "baaab"]
        for name in temper.types:
            with self.subTest(name):
                expected = temper_program("run", "-f", "a S b", "--type", name, *(["--hard"] if name == "exact" else ["--unchecked"]), *(s for s in strings if s))[0]
                expected = [line.startswith("accept") for line in expected.splitlines() if not line.startswith("error")]
                found = model.run(strings, type=name, hard=name == "exact", unchecked=True).tolist()
                self.assertEqual(found[1:], expected)

    def test_attention(self):
        for source, alphabet, more in FORMULAS:
            given, _ = options(source, alphabet, more)
            model = temper.compile(source, **given)
            string = [model.letters[k % len(model.letters)] for k in (0, 1, 2, 1, 0)]
            for hard in (False, True):
                found = model.attention(string, hard=hard)
                size = len(found.positions)
                self.assertEqual(size, 6 + model.info.has_end)
                self.assertEqual(found.positions[1:6], string)
                self.assertEqual(len(found), model.info.layers)
                for layer, labels, scores in zip(found, found.labels, found.scores):
                    self.assertEqual(layer.shape, (len(labels), size, size))
                    sees = np.isfinite(scores)
                    self.assertTrue((layer[~sees] == 0).all())
                    sums, rows = layer.sum(-1), sees.any(-1)
                    np.testing.assert_allclose(sums[rows], 1, rtol=1e-12)
                    self.assertTrue((sums[~rows] == 0).all())
                self.assertEqual(found.truth[1:6].tolist(), model.truth(string, hard=hard).tolist())
                self.assertEqual(found.accept, bool(model.run([string], hard=hard)[0]))
        # The weights are those of softmax: scores, the scale, and the mask.
        found = temper.compile("H(b -> O a)", alphabet="abc").attention("caab")
        logits = found.scores[0][0] * found.scales[0][0]
        weights = np.exp(logits - logits.max(-1, keepdims=True))
        np.testing.assert_allclose(found[0][0], weights / weights.sum(-1, keepdims=True), rtol=1e-12)
        np.testing.assert_allclose(found.outputs[0][0][:, 0], found[0][0] @ found.channels[0][:, 0], rtol=1e-12)

    def test_inspect(self):
        """One run: what Model.run and Model.truth say, what Formula.truth says, what Model.proof says."""
        random = np.random.default_rng(5)
        for text, options in (("a S b", {}), ("#[a] >= 2 & Y b", {}), ("X a | c", {}), ("c", {"at": "first"})):
            model, formula = temper.compile(text, alphabet="abc", **options), temper.parse(text, alphabet="abc", **options)
            for n in (0, 1, 2, 7, 40):
                string = "".join(random.choice(list("abc"), n))
                run = model.inspect(string, type="f32")
                self.assertEqual((bool(run), run.accept), (model.run(string), formula.eval(string)), string)
                self.assertEqual((run.truth.tolist(), run.expected.tolist()), (model.truth(string).tolist(), formula.truth(string).tolist()))
                self.assertEqual((run.right, run.wrong_at, run.proved, run.claim), (True, [], True, model.proof("f32").claim))
                self.assertEqual("".join(run.letters), string)
        model = temper.compile("a S b", alphabet="abc")
        with self.assertRaises(temper.LimitError):
            model.inspect(42 * "bc" + "b", type="bf16/f32")
        run = model.inspect(42 * "bc" + "b", type="bf16/f32", unchecked=True)
        self.assertEqual((run.accept, run.right, run.wrong_at, run.proved, run.claim), (True, False, [65], False, ""))
        self.assertIn("wrong at letter 65", repr(run))
        seen = model.attention(42 * "bc" + "b", type="bf16/f32", unchecked=True)
        self.assertEqual(seen.truth[1:86].tolist(), run.truth.tolist())
        self.assertNotEqual(seen[0][0, 65].tolist(), model.attention(42 * "bc" + "b")[0][0, 65].tolist())
        self.assertIsNone(temper.compile("O a", alphabet="ab", kind="next").inspect("ba").right)
        self.assertIn("'b a'", repr(temper.compile("O a", alphabet="a b", tokens=True).inspect("b  a")))  # words, though short
        legal = temper.compile("H(b -> Y a) & (a | b)", alphabet="ab", kind="next").inspect("ab")
        self.assertEqual({name: truth.tolist() for name, truth in legal.outputs.items()}, {"a": [True, True], "b": [True, False], "": [True, True]})

    def test_draw(self):
        model = temper.compile("H(b -> O a)", alphabet="abc")
        arguments = ["show", "-f", "H(b -> O a)", "--alphabet", "abc", "caab"]
        self.assertEqual(model.draw("caab"), temper_program(*arguments)[0])
        self.assertEqual(model.draw("caab", "svg"), temper_program(*arguments, "-o", "-")[0])
        self.assertEqual(model.draw("caab", "html"), temper_program(*arguments, "--html", "-o", "-")[0])

    def test_stream(self):
        model = temper.compile("#[a] > #[b]", alphabet="ab")
        stream, string = model.stream(), "abbaaab"
        self.assertEqual(stream.feed(string).tolist(), [model.run(string[:k + 1]) for k in range(len(string))])
        self.assertEqual((stream.length, stream.accept, stream.proved), (7, True, True))
        stream.reset()
        self.assertEqual((stream.length, stream.accept), (0, model.run("")))
        with self.assertRaises(temper.UnsupportedError):
            temper.compile("F X a").stream()

    def test_gallery(self):
        out, _ = temper_program("gallery", "--json")
        names = [json.loads(line)["name"] for line in out.splitlines()]
        self.assertEqual([entry.name for entry in temper.gallery.entries()], names)
        strings = ["", "()", ")(", "(())()", "(()"]
        model = temper.gallery.model("dyck-1")
        self.assertEqual(model.run(strings).tolist(), temper.gallery.oracle("dyck-1", strings).tolist())
        soft = model.soften(length=8)
        self.assertEqual(soft.run(strings).tolist(), [True, True, False, True, False])
        self.assertGreater(soft.info.output_margin, soft.info.output_error)
        hard = temper.compile("a S b", method="hard")
        self.assertEqual(hard.soften("positions").text, temper.compile("a S b", method="positions").text)

    def test_scales(self):
        model = temper.compile("a S b", alphabet="abc")
        word = "b" + "a" * 40
        self.assertTrue(model.run(word))
        flat = model.with_scale("0")
        self.assertIsNone(flat.proof().length)
        with self.assertRaises(temper.LimitError):
            flat.run(word)
        self.assertFalse(flat.run("c" * 9 + "b" + "a" * 2, unchecked=True))
        one = model.with_scale({(1, 1): "0x"})
        self.assertEqual(one.run(["ab", "ba", "c" * 9 + "ba"], unchecked=True).tolist(),
                         flat.run(["ab", "ba", "c" * 9 + "ba"], unchecked=True).tolist())
        self.assertEqual(model.with_scale("1x").run(word, unchecked=True), True)
        for wrong, error in (("8*Q", temper.SpecSyntaxError), ({(9, 1): "N"}, temper.RangeError)):
            with self.assertRaises(error):
                model.with_scale(wrong)

    def test_files(self):
        with tempfile.TemporaryDirectory() as room:
            for name in ("m.temper", "m.safetensors"):
                path = Path(room) / name
                model = temper.compile("a S b")
                model.save(path)
                self.assertEqual(temper.load(path).text, model.text)
                self.assertEqual(temper.Model.load(str(path)).run(["b", "ba", "a"]).tolist(), [True, True, False])
            path = Path(room) / "spec.crasp"
            path.write_text("A := # a\nB := # b\nA <= B\n")
            self.assertEqual(temper.compile(file=path).run(["ab", "a"]).tolist(), [True, False])
            self.assertEqual(str(temper.parse(str(temper.parse("a S (b|Y a)")))), str(temper.parse("a S (b | Y a)")))


if __name__ == "__main__":
    unittest.main()
