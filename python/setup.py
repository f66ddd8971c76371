"""What pyproject.toml cannot say: the version is that of temper.h; the package gets a copy of that header, the library and the program, which
make builds from the sources beside it; and a source distribution gets these sources, as git lists them.

    TEMPER_LIBRARY_INSIDE=no   leaves library and program out: then the system's are used
    TEMPER_BUILT=DIR           takes them from there: scripts/wheel.sh builds them on another system
    TEMPER_NOTICES=DIR         licences of the libraries that a wheel will carry
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
# In a source distribution the sources are inside, in a clone around.
ROOT = HERE / "sources" if (HERE / "sources").is_dir() else HERE.parent
HEADER = ROOT / "include" / "temper.h"
INSIDE = os.environ.get("TEMPER_LIBRARY_INSIDE") != "no"
# What `make` builds library and program from.
NEEDED = ("Makefile", "LICENSE", "include", "src", "lab", "cli", "completions", "examples", "scripts", "man", "web/*.mk", "web/libc.list",
          "tests/*.mk")


def version():
    text = HEADER.read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define TEMPER_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def made():
    """The shared library and the program, built now if need be."""
    folder = Path(os.environ.get("TEMPER_BUILT") or ROOT / "build")
    paths = folder / f"libtemper.so.{version()}", folder / "temper"
    if "TEMPER_BUILT" not in os.environ:
        done = subprocess.run(["make", "-C", str(ROOT), f"-j{os.cpu_count() or 1}", *(f"build/{path.name}" for path in paths)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f"{done.stdout}\ntemper could not be built. What it needs is installed, or listed, by: make -C {ROOT} setup")
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        raise SystemExit("not built: " + ", ".join(missing))
    return paths


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        package = Path(self.build_lib) / "temper"
        shutil.copy(HEADER, package / "temper.h")
        (package / "licenses").mkdir(exist_ok=True)
        shutil.copy(ROOT / "LICENSE", package / "licenses" / "temper.txt")
        if not INSIDE:
            return
        library, program = made()
        shutil.copy(library, package / "libtemper.so")
        (package / "program").mkdir(exist_ok=True)
        shutil.copy(program, package / "program" / "temper")
        # What `make checker` has made, if it was called: Coq is not asked for here.
        checker = program.parent / "temper-checker"
        if checker.is_file():
            shutil.copy(checker, package / "program" / "temper-checker")
        notices = os.environ.get("TEMPER_NOTICES")
        if notices:
            shutil.copytree(notices, package / "licenses", dirs_exist_ok=True)


class WithSources(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", *NEEDED], stdout=subprocess.PIPE, check=True)
        for name in listed.stdout.decode().split("\0")[:-1]:
            target = Path(base_dir) / "sources" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)


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
setup(version=version(), cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel, "sdist": WithSources}, distclass=WithLibrary)
