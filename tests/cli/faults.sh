#!/bin/bash
# A sample of tests/faults: commands whose memory or files fail. Usage: tests/cli/faults.sh path/to/temper [options of faults.py]
# Without options one failure in 60 is tried; make test-faults tries all.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
temper=$(realpath "${1:?usage: tests/cli/faults.sh path/to/temper}")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
. "$here/bare/oracle.sh"
oracle python3 'no failures are tried' || {
    echo "faults.sh: 0 passed, $failed failed"
    exit $failed
}
# The sanitizers have an allocator of their own.
if ldd "$temper" | grep -q 'lib[at]san'; then
    echo "faults.sh: 0 passed, 0 failed (another build is for this)"
    exit 0
fi
${CC:-cc} -std=gnu17 -O1 -shared -fPIC -o "$work/preload.so" "$here/faults/preload.c" -ldl || exit 1
[ $# -gt 0 ] || set -- --share 7/60
python3 "$here/faults/faults.py" "$temper" "$work/preload.so" "$@"
