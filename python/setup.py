"""What pyproject.toml cannot say: the version is that of temper.h, and the package gets a copy of that header."""
import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HEADER = Path(__file__).resolve().parent.parent / "include" / "temper.h"


def version():
    text = HEADER.read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define TEMPER_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


class BuildWithHeader(build_py):
    def run(self):
        super().run()
        shutil.copy(HEADER, Path(self.build_lib) / "temper" / "temper.h")


if not HEADER.is_file():
    raise SystemExit(f"{HEADER} is missing: run `pip install .` in the folder python of temper's sources")
setup(version=version(), cmdclass={"build_py": BuildWithHeader})
