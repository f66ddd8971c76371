#!/bin/sh
# make test-notebook: executes python/temper.ipynb with the library of a build, compares what its cells show with what is committed, and
# looks at its cards in Chromium; pages and pictures are left in BUILD/notebook. usage: tests/python/notebook.sh BUILD [--update]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
room=$build/notebook
rm -rf "$room"
mkdir -p "$room"
venv=$(bash "$root/tests/clients/install.sh" notebook)/venv
PYTHONPATH=$root/python TEMPER_LIBRARY=$build/libtemper.so PYTHONDONTWRITEBYTECODE=1 JUPYTER_PLATFORM_DIRS=1 HOME=$room \
    exec "$venv/bin/python" -W ignore "$root/tests/python/notebook.py" "$room" "$@"
