"""The proved checker: the program temper-checker, whose soundness is a theorem (doc/checker.md), as one more opinion."""
from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Iterator, Optional

from ._library import library_path

_ACCEPTS = 0
_HERE = Path(__file__).resolve().parent


def _candidates() -> Iterator[Path]:
    """Where it may be: the one that is named, that of a wheel, of this source tree, beside the library, on PATH."""
    named = os.environ.get("TEMPER_CHECKER")
    if named is not None:
        yield Path(named)
        return
    yield _HERE / "program" / "temper-checker"
    tree = _HERE.parent.parent
    if (tree / "proofs" / "checker").is_dir():
        yield tree / "build" / "temper-checker"
    if os.path.isabs(library_path):
        yield Path(library_path).parent / "temper-checker"
    for folder in os.get_exec_path():
        if os.path.isabs(folder):
            yield Path(folder) / "temper-checker"


def _is_of_working_folder(path: Path) -> bool:
    """Whoever fills that folder must not say what is proved."""
    try:
        return os.path.samefile(path.parent, os.curdir)
    except OSError:
        return False


def find() -> Optional[Path]:
    """The program, or None. One of the working folder counts only if TEMPER_CHECKER names it."""
    named = "TEMPER_CHECKER" in os.environ
    for path in _candidates():
        if os.access(path, os.X_OK) and path.is_file() and (named or not _is_of_working_folder(path)):
            return path
    return None


def accepts(model: bytes, certificate: bytes, digest: str) -> bool:
    """Whether there is a checker, and it accepts what the certificate claims of the model with that SHA-256."""
    program = find()
    if program is None:
        return False
    with tempfile.TemporaryDirectory(prefix="temper-") as room:
        files = [os.path.join(room, "model.temper"), os.path.join(room, "certificate.json")]
        for path, data in zip(files, (model, certificate)):
            with open(path, "xb") as out:
                out.write(data)
        try:
            done = subprocess.run([str(program), "--", *files], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=False)
        except OSError:
            return False
    return done.returncode == _ACCEPTS and done.stdout.rstrip().endswith(f"_sound, SHA-256 {digest})".encode())
