"""This package is the distribution temper-softmax. PyPI has another one that is called temper, is about HTML, and puts its files
into a folder of the same name: pip lets them overwrite each other, and removes what is left of both with either."""
from __future__ import annotations

import os
import re
import warnings

_RECORD = re.compile(r"(temper-[^-]+)(-py[^-]*)?\.(dist-info|egg-info)", re.IGNORECASE)


def warn_of_other_package(init: str) -> None:
    """Warns if the other one is installed in the folder that holds this package, whose __init__.py is given."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(init)))
    try:
        names = os.listdir(folder)
    except OSError:  # a zip file, say
        return
    found = next(filter(None, map(_RECORD.fullmatch, names)), None)
    if found:
        warnings.warn(f"this is temper-softmax, but another distribution, {found[1]}, is installed in {folder}, too, and they overwrite "
                      "each other's files; to repair it: pip uninstall temper temper-softmax, then install temper-softmax again",
                      RuntimeWarning, stacklevel=3)
