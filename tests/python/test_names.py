"""The distribution is temper-softmax, the package temper, and PyPI has another package of that name."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common import BUILD, PROGRAM, ROOT

OTHER = 'from textwrap import dedent\n\n\nclass Temper:\n    pass\n'  # how temper 0.1 begins


class Names(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.addCleanup(self.room.cleanup)
        self.site = Path(self.room.name) / "site-packages"
        shutil.copytree(ROOT / "python" / "temper", self.site / "temper", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "python" / "_temper_program.py", self.site)
        shutil.copy(ROOT / "include" / "temper.h", self.site / "temper")
        (self.site / "temper" / "program").mkdir()
        shutil.copy(PROGRAM, self.site / "temper" / "program" / "temper")

    def run_python(self, *words, **variables):
        environment = {**os.environ, "PYTHONPATH": str(self.site), "TEMPER_LIBRARY": str(BUILD / "libtemper.so"), **variables}
        return subprocess.run([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                              check=False, env=environment, cwd=self.room.name)

    def test_alone(self):
        for name in ("temper_softmax-0.1.0.dist-info", "temper_extras-1.0.dist-info", "Temper.py", "tempera-1.0.dist-info"):
            (self.site / name).mkdir()
        done = self.run_python("-W", "error", "-c", "import temper; print(temper.run('O a', 'ba', alphabet='ab'))")
        self.assertEqual((done.stdout, done.stderr), ("True\n", ""))

    def test_beside_the_other_one(self):
        for name in ("Temper-0.1.dist-info", "temper-0.1.egg-info", "Temper-0.1-py3.9.egg-info"):
            with self.subTest(name):
                (self.site / name).mkdir()
                done = self.run_python("-c", "import temper; print(temper.run('O a', 'ba', alphabet='ab'))")
                self.assertEqual(done.stdout, "True\n")
                self.assertIn(f"RuntimeWarning: this is temper-softmax, but another distribution, {name[:10]}, is installed in {self.site}, too",
                              done.stderr)
                self.assertIn("pip uninstall temper temper-softmax", done.stderr)
                (self.site / name).rmdir()

    def test_overwritten(self):
        """The other package came last, or was taken away and took the common file with it: the program says so, and runs."""
        init = self.site / "temper" / "__init__.py"
        for text in (OTHER, None):
            init.unlink()
            if text is not None:
                init.write_text(text, encoding="utf-8")
            for how in (["-m", "temper"], ["-c", "from _temper_program import main; main()"]):
                done = self.run_python(*how, "run", "-f", "O a", "--alphabet", "ab", "ba")
                self.assertEqual(done.stdout, "accept\tba\n", done.stderr)
                self.assertIn("another package of that name has overwritten its files", done.stderr)
                self.assertIn("hint: pip uninstall temper temper-softmax", done.stderr)
        init.write_bytes((ROOT / "python" / "temper" / "__init__.py").read_bytes())
        self.assertEqual(self.run_python("-m", "temper", "--version").stderr, "")

    def test_program(self):
        """It is that of the package, then that of PATH, if it is a program and no script, such as the one that asks for it."""
        program = self.site / "temper" / "program" / "temper"
        folder = Path(self.room.name) / "bin"
        folder.mkdir()
        script = folder / "temper"
        script.write_text("#!/bin/sh\necho a script\n", encoding="ascii")
        script.chmod(0o755)
        done = self.run_python("-m", "temper", "eval", "-f", "O(", "--alphabet", "ab", "a")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected", done.stderr)
        elsewhere = Path(self.room.name) / "elsewhere"
        elsewhere.mkdir()
        program.rename(elsewhere / "temper")
        found = self.run_python("-m", "temper", "--version", PATH=f"{folder}:{elsewhere}")
        self.assertTrue(found.stdout.startswith("temper "), found)
        missing = self.run_python("-m", "temper", "--version", PATH=str(folder))
        self.assertEqual(missing.returncode, 1)
        self.assertIn("has no program inside, and none is on PATH", missing.stderr)


if __name__ == "__main__":
    unittest.main()
