"""Certificates, exported folders, PyTorch, and the tutorial."""
import contextlib
import doctest
import io
import json
import os
import re
import runpy
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

import temper
from common import FORMULAS, ROOT, optional, options, temper_program


class Simplified(unittest.TestCase):
    def test_two_letters(self):
        told, = temper.parse("a S b").simplified
        self.assertEqual(told, "a S b is O b: every position has 'a' or 'b' in this alphabet")
        self.assertEqual(temper.parse("a S b", alphabet="abc").simplified, ())


class Certificates(unittest.TestCase):
    def test_against_the_program(self):
        with tempfile.TemporaryDirectory() as room:
            for source, alphabet, more in FORMULAS[3:18:2]:
                given, arguments = options(source, alphabet, more)
                path = str(Path(room) / "certificate.json")
                for kind, length in (("f64", 1000), ("bf16/f32", 200), ("e4m3", 50)):
                    with self.subTest(source, type=kind):
                        out, err = temper_program("certify", *arguments, "--length", str(length), "--type", kind, "--json",
                                                  "-o", path)
                        row = json.loads(out)
                        model = temper.compile(source, **given)
                        found = model.certify(length, kind)
                        self.assertEqual((found.verdict, found.reason), (row["verdict"], row.get("reason", "")))
                        self.assertEqual(bool(found), found.proved)
                        if found:
                            self.assertEqual(found.json, Path(path).read_text(encoding="utf-8"))
                            self.assertEqual(found.data["length"], length)
                            self.assertEqual([head.error for head in found.heads], [head["error"] for head in row["heads"]])
                        else:
                            self.assertRaises(temper.RangeError, lambda: found.json)
                            self.assertEqual(found.counterexample, row.get("string"))

    def test_threads(self):
        hard = temper.gallery.model("parity")
        soft = [hard.soften(length=40, threads=k) for k in (1, 3)]
        self.assertEqual(soft[0].text, soft[1].text)
        found = [soft[0].certify(40, threads=k) for k in (1, 3)]
        self.assertEqual(found[0].verdict, "proved")
        self.assertEqual(found[0].json, found[1].json)
        steps = []
        for k in (1, 3):
            temper.audit(found[0], soft[0], threads=k, progress=lambda done, total: steps.append((done, total)))
        self.assertTrue(steps and all(done <= total for done, total in steps))
        with self.assertRaises(temper.AuditError):
            temper.audit(found[0], soft[0], progress=lambda done, total: True)
        with self.assertRaises(ZeroDivisionError):
            temper.audit(found[0], soft[0], progress=lambda done, total: 1 // 0)
        with self.assertRaises(temper.RangeError):
            temper.audit(found[0], soft[0], threads=-1)

    def test_audit(self):
        with tempfile.TemporaryDirectory() as room:
            model, claim = temper.compile("H(b -> O a)", alphabet="abc"), Path(room) / "certificate.json"
            found = model.certify(500)
            self.assertEqual(found.length, 500)
            found.save(claim)
            temper.audit(found, model)
            for name in ("m.temper", "m.safetensors"):
                path = Path(room) / name
                model.save(path)
                for certificate in (model.certify(500, file=path), temper.load(path).certify(500)):
                    certificate.save(claim)
                    temper.audit(claim, path)
                    temper.audit(claim.read_bytes(), path.read_bytes())
            other = temper.compile("O a", alphabet="abc")
            with self.assertRaises(temper.AuditError):
                temper.audit(found, other)
            with self.assertRaises(temper.AuditError):
                temper.audit(found.json.replace('"error": "3.', '"error": "2.', 1).encode(), model)
            with self.assertRaises(temper.AuditError):
                temper.audit(b"{", model)
            with self.assertRaises(temper.RangeError):
                other.certify(10, file=Path(room) / "m.temper")

    def test_longest(self):
        model = temper.compile("O a", alphabet="ab")
        most = model.proved_length("f32")
        self.assertTrue(model.certify(most, "f32"))
        self.assertEqual(model.certify(type="f32").length, most)


class Export(unittest.TestCase):
    def test_folder(self):
        model = temper.compile("H(b -> O a)", alphabet="abc")
        with tempfile.TemporaryDirectory() as room:
            mine, other = Path(room) / "mine", Path(room) / "other"
            model.export(mine, certificate=model.certify(100), outputs=["patterns"])
            out, err = temper_program("export", "-f", "H(b -> O a)", "--alphabet", "abc", "-o", str(other))
            self.assertTrue(other.is_dir(), err)
            for name in ("config.json", "model.safetensors", "vocab.json", "testvectors.jsonl", "modeling_temper.py"):
                self.assertEqual((mine / name).read_bytes(), (other / name).read_bytes(), name)
            self.assertEqual((mine / "certificate.json").read_text(), model.certify(100).json)
            temper.audit(mine / "certificate.json", mine / "model.temper")
            with self.assertRaisesRegex(temper.RangeError, "about other bytes"):
                temper.compile("O a", alphabet="ab").export(mine, certificate=mine / "certificate.json")
            with self.assertRaisesRegex(temper.FormatError, "vocab.json' is JSON, but not a certificate"):
                model.export(mine, certificate=mine / "vocab.json")
            with self.assertRaisesRegex(temper.FormatError, "README.md:1:1: the certificate: expected a value"):
                model.export(mine, certificate=mine / "README.md")
            with self.assertRaisesRegex(temper.RangeError, "a certificate needs a folder"):
                model.export(mine / "graph.onnx", certificate=mine / "certificate.json")
            model.export(Path(room) / "graph.onnx", type="f32")
            self.assertGreater((Path(room) / "graph.onnx").stat().st_size, 1000)
            with self.assertRaises(temper.RangeError):
                model.export(mine, outputs=["everything"])
            with self.assertRaises(temper.FileError):
                model.export(Path(room) / "no" / "such")
            with self.assertRaises(temper.LimitError):
                temper.gallery.model("dyck-1").export(Path(room) / "hard")

    def test_ordinary(self):
        """Ordinary transformers, with the same bytes as the command line's."""
        formula = temper.parse("H(b -> O a)", alphabet="abc")
        with tempfile.TemporaryDirectory() as room:
            for place in ("mine", "other"):
                (Path(room) / place).mkdir()
            mine, other = Path(room) / "mine" / "m", Path(room) / "other" / "m"
            for as_, weights, kv in (("gpt2", "f32", "f16"), ("llama", "f16", "f32")):
                about = formula.export(mine, as_=as_, length=20, weights=weights, kv=kv)
                self.assertEqual((about.vocabulary, about.mirrored, about.only_gguf, about.every_letter), (6, False, False, False))
                out, err = temper_program("export", "-f", "H(b -> O a)", "--alphabet", "abc", "--as", as_, "--length", "20",
                                          "--weights", weights, "--kv", kv, "-o", str(other))
                self.assertTrue((other / "model.gguf").is_file(), err)
                files = sorted(p.relative_to(other) for p in other.rglob("*") if p.is_file())
                self.assertEqual(len(files), 11)  # with the certificate
                for name in files:
                    self.assertEqual((mine / name).read_bytes(), (other / name).read_bytes(), str(name))
                claim, gguf = (mine / "certificate.json").read_bytes(), (mine / "model.gguf").read_bytes()
                temper.audit(claim, gguf)
                with self.assertRaises(temper.AuditError):
                    temper.audit(claim, gguf[:-1])
            self.assertTrue(formula.export(mine, as_="llama", length=20, positions="digits").only_gguf)
            self.assertTrue(temper.parse("#>[a] >= #>[b]").export(mine, as_="gpt2", length=20).mirrored)
            with self.assertRaisesRegex(temper.LimitError, "head 1.1 .* counts: as gpt2 .* up to 1023 letters"):
                temper.parse("#[a] >= #[b]").export(mine, as_="gpt2", length=2000)
            with self.assertRaisesRegex(temper.UnsupportedError, "looks both ways"):
                temper.parse("#[a] >= #>[b]", at="last").export(mine, as_="gpt2", length=20)
            with self.assertRaisesRegex(temper.RangeError, "as_ 'phi' is not one of gpt2, llama"):
                formula.export(mine, as_="phi", length=20)

    def test_former_names(self):
        """Names of before are the classes of now, with a warning."""
        for former, name in (("Stock", "Ordinary"), ("StockLimit", "OrdinaryLimit"), ("StockProof", "OrdinaryProof")):
            with self.assertWarnsRegex(DeprecationWarning, f"temper.{former} is now temper.{name}"):
                self.assertIs(getattr(temper, former), getattr(temper, name))
            self.assertNotIn(former, dir(temper))
        with self.assertRaisesRegex(AttributeError, "no attribute 'Stocks'"):
            temper.Stocks

    def test_ordinary_proofs(self):
        """Proofs, limits and audits of ordinary transformers say what the command line says."""
        formula, count = temper.parse("H(b -> O a)", alphabet="abc"), temper.parse("#[a] >= #[b]", alphabet="ab")
        for f, source, letters, as_, length, kv in ((formula, "H(b -> O a)", "abc", "gpt2", 40, "f16"),
                                                    (count, "#[a] >= #[b]", "ab", "llama", None, "f16"),
                                                    (count, "#[a] >= #[b]", "ab", "gpt2", 2000, "f16")):
            proof = f.certify(length, as_=as_, kv=kv)
            more = [] if length is None else ["--length", str(length)]
            out, _ = temper_program("certify", "-f", source, "--alphabet", letters, "--as", as_, "--kv", kv, "--json", *more)
            said = json.loads(out.splitlines()[0])
            self.assertEqual(bool(proof), said["verdict"] == "proved")
            if proof:
                self.assertEqual(proof.length, said["length"])
                self.assertLess(proof.logits, 32)
        self.assertEqual(count.certify(as_="llama").length, 1022)
        self.assertFalse(count.certify(2000, as_="gpt2"))
        self.assertIn("counts", count.certify(2000, as_="gpt2").reason)
        self.assertEqual(count.certify(2000, as_="gpt2").shorter, 1022)
        limit = temper.parse("a S b", alphabet="abc").limits(as_="llama", positions="ramp", length=1600)
        self.assertTrue(limit.proof.length <= limit.wrong <= 2 * limit.proof.length, limit)
        with tempfile.TemporaryDirectory() as room:
            folder = Path(room) / "m"
            self.assertTrue(formula.export(folder, as_="llama", length=20).proof)
            temper.audit(folder / "certificate.json", folder)
            temper.audit((folder / "certificate.json").read_bytes(), str(folder / "model.gguf"))
            longer = (folder / "certificate.json").read_bytes().replace(b'"length": 20', b'"length": 21')
            with self.assertRaises(temper.AuditError):
                temper.audit(longer, folder)
            weights = bytearray((folder / "model.gguf").read_bytes())
            weights[-2] ^= 0x40
            (folder / "model.gguf").write_bytes(weights)
            with self.assertRaisesRegex(temper.AuditError, "model.gguf"):
                temper.audit(folder / "certificate.json", folder)

    @optional("torch")
    def test_torch(self):
        import torch
        model = temper.compile("H(b -> O a)", alphabet="abc")
        module = model.to_torch()
        strings = ["", "a", "b", "caab", "cab", "cba"]
        self.assertEqual(module.answer(strings), model.run(strings).tolist())
        found = module(module.encode(["caab"]), output_attentions=True).attentions
        for theirs, ours in zip(found, model.attention("caab")):
            np.testing.assert_allclose(theirs[0].numpy(), ours, rtol=0, atol=1e-15)
        small = temper.compile("#[a] > #[b]").to_torch(torch.float32)
        self.assertEqual(small.answer(["aab", "ab"]), [True, False])
        self.assertIs(type(module), type(small))


class Pages(unittest.TestCase):
    def test_guide(self):
        """The code of README.md and of pages, beside what it promises to print."""
        text = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "doc/python.md", "doc/tutorial.md"))
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        self.assertGreater(len(blocks), 6)
        for block in blocks:
            out = io.StringIO()
            try:
                with contextlib.redirect_stdout(out):
                    exec(block, {})
            except temper.MissingPackageError:
                if os.environ.get("TEMPER_NO_SKIP"):
                    raise
                continue
            self.assertEqual(out.getvalue().splitlines(), re.findall(r"# -> (.*)$", block, re.MULTILINE))

    def test_notebooks(self):
        """What objects show in a notebook is well-formed, and has what it should."""
        model = temper.compile("a S b", alphabet="abc")
        shown = {"explain": model, "formula": temper.parse("a S b"), "certificate": model.certify(50, "bf16/f32"),
                 "attention": model.attention("caab"), "limits": model.limits(["bf16/f32"], effort=0.01),
                 "automaton": temper.parse("a S b", alphabet="abc").automaton(), "explanation": model.explain(),
                 "check": model.check(exhaustive=3, random=5), "gaps": model.gaps(["ab"]), "run": model.inspect("caab"),
                 "transducer": temper.compile("alphabet a b\ntransduce\nemit x = a\nemit y = !a\n").inspect("ab"),
                 "wrong run": model.inspect(42 * "bc" + "b", type="bf16/f32", unchecked=True)}
        parts = {"explain": "f64: 2^40 (formula); f32: ", "formula": "is O b", "certificate": "every string up to 50", "attention": "nearest",
                 "limits": "proved length", "automaton": "<svg", "explanation": "nearest", "check": "agreed on", "gaps": "Least gaps", "run": "accepts",
                 "transducer": "writes &#x27;xy&#x27;", "wrong run": "✗ wrong"}
        for name, thing in shown.items():
            with self.subTest(name):
                found = thing._repr_html_()
                ElementTree.fromstring(f"<div>{found}</div>")
                self.assertIn(parts[name], found)
                self.assertRegex(found, '^<div class="temper card t[0-9a-f]{8}"><style>', "it has the look of the playground")
        for name in temper.__all__:
            thing = getattr(temper, name)
            if isinstance(thing, type) and not issubclass(thing, Exception) and not issubclass(thing, tuple):
                self.assertTrue(hasattr(thing, "_repr_html_"), name)
        with tempfile.TemporaryDirectory() as folder:
            ordinary = temper.parse("O a", alphabet="ab").export(Path(folder) / "x", as_="gpt2", length=8)
        facts = [temper.compile("O a", alphabet="ab", kind="next").next("b"), model.proof("f32"), model.info, ordinary, model.explain().heads[0],
                 temper.gallery.model("first").soften_limit(5), temper.gallery.entries()[0], model.stream()]
        for thing in facts:
            found = thing._repr_html_()
            ElementTree.fromstring(f"<div>{found}</div>")
            self.assertIn('<dl class="facts">', found)
        self.assertIn("<dt>legal</dt><dd>a b</dd>", facts[0]._repr_html_())
        self.assertIn("<dt>length</dt><dd>1,048,574</dd>", facts[1]._repr_html_())
        self.assertIn("<dt>proof: proved</dt><dd>yes</dd>", facts[3]._repr_html_())

    def test_docstrings(self):
        """Everything public has one; the example of the package is right."""
        self.assertEqual(doctest.testmod(temper).failed, 0)
        for name in temper.__all__:
            thing = getattr(temper, name)
            if callable(thing):
                self.assertTrue(thing.__doc__, name)
                for method, value in vars(thing).items() if isinstance(thing, type) else ():
                    if not method.startswith("_") and callable(value):
                        self.assertTrue(value.__doc__, f"{name}.{method}")


class Tutorial(unittest.TestCase):
    def test_tutorial(self):
        """Comments `# -> text` after a print are what it prints."""
        path = ROOT / "python" / "tutorial.py"
        source = path.read_text(encoding="utf-8")
        claims = [line.split("# -> ", 1)[1] for line in source.splitlines() if "# -> " in line]
        self.assertGreater(len(claims), 15)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(path), run_name="__main__")
        printed = out.getvalue().splitlines()
        place = 0
        for claim in claims:
            self.assertIn(claim, printed[place:], "not printed, or not in this order")
            place = printed.index(claim, place) + 1


if __name__ == "__main__":
    unittest.main()
