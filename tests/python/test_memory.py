"""Nothing leaks, threads may share models, and long strings are quick."""
import gc
import signal
import threading
import time
import unittest

import numpy as np

import temper


def resident():
    """Kilobytes of memory in use."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4


class Memory(unittest.TestCase):
    def test_a_limit(self):
        temper.limit_memory(10_000)
        try:
            with self.assertRaises(temper.OutOfMemoryError):
                temper.compile("a S b", alphabet="ab")
        finally:
            temper.limit_memory(None)
        self.assertTrue(temper.compile("a S b", alphabet="ab").run("b"))

    def test_a_limit_of_work(self):
        regex = "(a|b)*a(a|b){10}"
        with self.assertRaises(temper.LimitError) as caught:
            temper.compile(regex, syntax="regex", alphabet="ab")
        self.assertIn("temper.limit_work(10)", str(caught.exception))
        temper.limit_work(4)
        try:
            self.assertTrue(temper.compile(regex, syntax="regex", alphabet="ab").run("abababababa"))
        finally:
            temper.limit_work(1)
        with self.assertRaises(temper.RangeError):
            temper.limit_work(0)

    def test_ten_thousand_compiles(self):
        def work(count):
            for _ in range(count):
                model = temper.compile("O a", alphabet="ab")
                model.run(["ab", "b"])
                try:
                    temper.compile("O (a", alphabet="ab")
                except temper.SpecSyntaxError:
                    pass
            gc.collect()
        work(1000)  # allocators and caches settle
        before = resident()
        work(10000)
        grown = resident() - before
        # A model takes some 20 kilobytes: kept ones would be 200 megabytes.
        self.assertLess(grown, 4096, f"{grown} kB after 10,000 compiles")

    def test_everything_else_again_and_again(self):
        model = temper.compile("H(b -> O a)", alphabet="abc")

        def work(count):
            for _ in range(count):
                model.attention("caab")
                model.explain()
                model.draw("caab")
                model.check("O a", random=10)
                model.stream().feed("abc")
                model.certify(100).json
                temper.audit(model.certify(10), model)
                model.truth("abc" * 100)
                str(temper.parse("a S b"))
            gc.collect()
        work(10)
        before = resident()
        work(100)
        grown = resident() - before
        self.assertLess(grown, 4096, f"{grown} kB")

    def test_threads(self):
        model = temper.compile("#[a] > #[b]", alphabet="ab")
        rows = np.random.default_rng(1).integers(0, 2, (200, 50))
        expected = model.run(rows)
        wrong = []

        def work():
            for _ in range(20):
                if (model.run(rows, threads=1) != expected).any():
                    wrong.append("run")
                if temper.compile("a S b").run("ba") is not True:
                    wrong.append("compile")
                try:
                    model.run("x")
                    wrong.append("x")
                except temper.RangeError:
                    pass
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_interrupt(self):
        """What Ctrl-C does, by a timer: work that would take hours ends."""
        model = temper.compile("a S b", alphabet="ab")
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with self.assertRaises(KeyboardInterrupt):
                model.check(random=10 ** 10, length=300)
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertTrue(model.run("ba"))

    def test_a_million_letters(self):
        model = temper.compile("H(b -> O a)", alphabet="abc")
        string = "c" + "ab" * 500_000
        start = time.process_time()
        batch = model._alphabet.one(string)
        encoding = time.process_time() - start
        self.assertEqual(len(batch.numbers), 1_000_001)
        self.assertLess(encoding, 0.5)
        self.assertTrue(model.run(string))
        self.assertTrue(model.truth(string).all())
        self.assertFalse(model.truth("b" + string).any())

    def test_objects_outlive_what_made_them(self):
        stream = temper.compile("O a", alphabet="ab").stream()
        gc.collect()
        self.assertEqual(stream.feed("ba").tolist(), [False, True])
        certificate = temper.compile("O a", alphabet="ab").certify(50)
        gc.collect()
        self.assertEqual(certificate.heads[0].label, "O a")


if __name__ == "__main__":
    unittest.main()
