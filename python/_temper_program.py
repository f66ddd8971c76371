"""The commands `temper` and `python -m temper` of the Python package: the program takes over from here. The package itself is not imported, so
`temper` starts as fast as Python does."""
import os
import sys
from typing import Iterator, List, NoReturn

_HERE = os.path.dirname(os.path.abspath(__file__))
_FIRST = b'"""temper: '  # how temper/__init__.py begins


def _candidates() -> Iterator[str]:
    """Where the program may be: in a wheel, in the source tree, in the system."""
    yield os.path.join(_HERE, "temper", "program", "temper")
    if os.path.isfile(os.path.join(_HERE, "..", "include", "temper.h")):
        yield os.path.join(_HERE, "..", "build", "temper")
    for folder in os.get_exec_path():
        yield os.path.join(folder, "temper")


def _is_program(path: str) -> bool:
    """Whether it is one for this system; a script of that name would be this one."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def _other_package() -> bool:
    """Whether `import temper` no longer finds this package, since that of another distribution has taken its file."""
    try:
        with open(os.path.join(_HERE, "temper", "__init__.py"), "rb") as file:
            return file.read(len(_FIRST)) != _FIRST
    except OSError:
        return True


def main(arguments: "List[str] | None" = None) -> NoReturn:
    """Becomes the program, with the arguments of this one."""
    found = next(filter(_is_program, _candidates()), None)
    if found is None:
        sys.exit("temper: this installation of temper-softmax has no program inside, and none is on PATH; "
                 "install its wheel, or build temper and run `make install`")
    if _other_package():
        print("temper: `import temper` does not find temper-softmax: another package of that name has overwritten its files.\n"
              "  hint: pip uninstall temper temper-softmax, then install temper-softmax again", file=sys.stderr, flush=True)
    os.execv(found, ["temper", *(sys.argv[1:] if arguments is None else arguments)])
