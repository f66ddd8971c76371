"""What pyproject.toml cannot say: the version is that of temper.h, and the package gets a copy of that header and of the library, which
make builds from the sources beside it. TEMPER_LIBRARY_INSIDE=no leaves the library out: then the system's is used."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "include" / "temper.h"
INSIDE = os.environ.get("TEMPER_LIBRARY_INSIDE") != "no"


def version():
    text = HEADER.read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define TEMPER_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def library():
    """The shared library, built now if need be."""
    path = ROOT / "build" / f"libtemper.so.{version()}"
    made = subprocess.run(["make", "-C", str(ROOT), f"-j{os.cpu_count() or 1}", f"build/{path.name}"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode or not path.is_file():
        raise SystemExit(f"{made.stdout}\nlibtemper could not be built. What it needs is installed, or listed, by: make -C {ROOT} setup")
    return path


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        package = Path(self.build_lib) / "temper"
        shutil.copy(HEADER, package / "temper.h")
        if not INSIDE:
            return
        shutil.copy(library(), package / "libtemper.so")
        notices = os.environ.get("TEMPER_NOTICES")  # of the libraries that a wheel will carry, too
        if notices:
            shutil.copytree(notices, package / "licenses", dirs_exist_ok=True)


class PlatformWheel(bdist_wheel):
    """The library is for one platform, the package for every Python 3."""

    def get_tag(self):
        _, _, platform = super().get_tag()
        return "py3", "none", platform if INSIDE else "any"


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return INSIDE


if not HEADER.is_file():
    raise SystemExit(f"{HEADER} is missing: run `pip install .` in the folder python of temper's sources")
setup(version=version(), cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel}, distclass=WithLibrary)
