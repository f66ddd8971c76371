"""Limits of number formats and gaps of scores, against the command line."""
import json
import math
import unittest

import temper
from common import temper_program


def number(value):
    """What JSON has of a real number."""
    return math.nan if value is None else float(value)


class Lengths(unittest.TestCase):
    def test_limits(self):
        types = ["f32", "bf16/f32", "e4m3"]
        found = temper.compile("a S b", alphabet="abc").limits(types, effort=0.02)
        self.assertEqual([row.type for row in found], types)
        for row in found:
            with self.subTest(row.type):
                out, err = temper_program("limits", "-f", "a S b", "--alphabet", "abc", "--method", "temperature", "--effort", "0.02",
                                          "--type", row.type, "--json")
                expected = json.loads(out)["rows"][0]
                self.assertEqual((row.proved_length, row.wrong, row.tried),
                                 (expected["proved_length"], expected.get("first_wrong"), expected["tried"]), err)
                self.assertEqual((row.method, row.string), ("temperature", expected.get("string")))
                if row.wrong is not None:
                    self.assertEqual((row.why, row.layer, row.head, row.label, row.position),
                                     tuple(expected[k] for k in ("why", "layer", "head", "label", "position")))
        self.assertIsNone(found[0].wrong)
        self.assertIsNotNone(found[2].wrong)
        self.assertEqual([row["type"] for row in json.loads(found.json)["rows"]], types)
        self.assertEqual(len(found.csv.splitlines()), 4)
        self.assertIn("<svg", found.svg("a title"))

    def test_limits_refused(self):
        model = temper.compile("a S b", alphabet="abc")
        for types, effort in ((["exact"], 1), (["f99"], 1), ([], 1), (["f32"], -1)):
            with self.assertRaises(temper.RangeError):
                model.limits(types, effort=effort)
        with self.assertRaises(temper.LimitError):
            model.limits(["f32"], progress=lambda done, total: True)
        with self.assertRaises(ZeroDivisionError):
            model.limits(["f32"], progress=lambda done, total: 1 // 0)

    def test_soften_limit(self):
        found = temper.gallery.model("two-averages").soften_limit(30)
        self.assertEqual((found.obstacle, found.works, found.fails, found.layer, found.head), ("gap", 27, 28, 3, 1))
        self.assertTrue(found.exponential and found.bits == 0 and not found.gates_would_do)
        seen = temper.gallery.model("two-averages").gaps([found.witness], random=0, exhaustive=0, proved=0)
        self.assertAlmostEqual(seen.at(3, 1, len(found.witness)).measured, found.log2_seen)
        fine = temper.gallery.model("parity").soften_limit(12)
        self.assertEqual((fine.obstacle, fine.works, fine.witness), ("none", 12, None))

    def test_gaps(self):
        for arguments, model in ((["-f", "a S b", "--alphabet", "abc"], temper.compile("a S b", alphabet="abc")),
                                 (["-f", "#[a] > #[b]", "--alphabet", "ab"], temper.compile("#[a] > #[b]", alphabet="ab"))):
            found = model.gaps()
            rows = [json.loads(line) for line in temper_program("gap", *arguments, "--json")[0].splitlines()]
            self.assertEqual(found.longest, 32)
            for row in rows[:-1]:
                gap = found.at(row["layer"], row["head"], row["length"])
                for mine, theirs in zip((gap.measured, gap.exhaustive, gap.proved), ("measured", "exhaustive", "proved")):
                    wanted = number(row["log2_" + theirs])
                    self.assertTrue(math.isnan(mine) and math.isnan(wanted) or math.isclose(mine, wanted, abs_tol=1e-5)
                                    or mine == wanted, row)
            for head, wanted in zip(found.heads, rows[-1]["heads"]):
                self.assertEqual((head.layer, head.head, head.tie), (wanted["layer"], wanted["head"], wanted["class"]))
                self.assertEqual(head.witness, wanted.get("witness"))

    def test_gaps_of_strings(self):
        model = temper.gallery.model("tied")
        found = model.gaps(["aab"], random=0, exhaustive=0, proved=0)
        self.assertTrue(math.isfinite(found.at(1, 1, 3).measured))
        self.assertTrue(math.isnan(found.at(1, 1, 3).exhaustive))
        self.assertEqual(model.gaps().heads[1].witness, "aa")
        with self.assertRaises(temper.RangeError):
            found.at(4, 1, 3)
        with self.assertRaises(temper.RangeError):
            model.gaps(["x"])
        with self.assertRaises(temper.LimitError):
            model.gaps(progress=lambda done, total: True)
