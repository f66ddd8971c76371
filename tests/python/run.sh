#!/bin/sh
# make test-python: the Python package over the library of a build. usage: tests/python/run.sh BUILD
# PYTHON names the interpreter, which needs cffi and numpy; parts that need PyTorch are skipped where it is not.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
TEMPER_BUILD=$build TEMPER_LIBRARY=$build/libtemper.so PYTHONPATH=$root/python PYTHONDONTWRITEBYTECODE=1 \
    exec "${PYTHON:-/usr/bin/python3}" -W error::ResourceWarning -m unittest discover -s "$root/tests/python" -t "$root/tests/python"
