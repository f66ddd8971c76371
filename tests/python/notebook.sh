#!/bin/sh
# make test-notebook: executes python/temper.ipynb with the library of a build; the result, with its pictures, is left in BUILD/notebook as a page.
# usage: tests/python/notebook.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
room=$build/notebook
mkdir -p "$room"
[ -x "$room/tools/bin/jupyter-nbconvert" ] || {
    echo "test-notebook: installing nbconvert and a kernel into $room/tools"
    python3 -m venv "$room/tools"
    "$room/tools/bin/pip" install -q nbconvert ipykernel numpy cffi
}
cp "$root/python/temper.ipynb" "$room/temper.ipynb"
cd "$room"
PYTHONPATH=$root/python TEMPER_LIBRARY=$build/libtemper.so JUPYTER_PLATFORM_DIRS=1 HOME=$room \
    ./tools/bin/jupyter-nbconvert --log-level=WARN --execute --to html temper.ipynb
pictures=$(grep -o '<svg\|class="temper card"' temper.html | wc -l)
echo "notebook: $([ "$pictures" -ge 8 ] && echo "1 passed, 0 failed" || echo "0 passed, 1 failed")"
[ "$pictures" -ge 8 ]
