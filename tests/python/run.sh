#!/bin/sh
# make test-python: the Python package over the library of a build. usage: tests/python/run.sh BUILD
# All tests run with the packages that the package can use (tests/clients/install.sh notebook), and what people expect of it again with
# Debian's Python, which has the oldest cffi and numpy. PYTHON names another interpreter for all of it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
export TEMPER_BUILD="$build" TEMPER_LIBRARY="$build/libtemper.so" PYTHONPATH="$root/python" PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg
if [ -z "${PYTHON-}" ]; then
    if notebook=$(bash "$root/tests/clients/install.sh" notebook); then
        PYTHON=$notebook/venv/bin/python
        export TEMPER_NO_SKIP=1 # everything is here
    else
        echo "test-python: PyPI is not reached: torch, matplotlib, pandas, polars and cairosvg are left out" >&2
        [ -z "${TEMPER_NO_SKIP-}" ] || exit 1
    fi
fi
tests() { # interpreter, pattern
    "$1" -W error::ResourceWarning -m unittest discover -s "$here" -t "$here" -p "$2"
}
# Side by side, in two halves.
log=$build/test-python.log
tests "${PYTHON:-/usr/bin/python3}" 'test_e*.py' >"$log" 2>&1 &
half=$!
status=0
tests "${PYTHON:-/usr/bin/python3}" 'test_[!e]*.py' || status=1
TEMPER_NO_SKIP='' tests /usr/bin/python3 'test_usual.py' || status=1
wait $half || status=1
cat "$log"
exit $status
