#!/bin/bash
# Real regular expressions against Python's re. Usage: tests/regex.sh path/to/temper
set -u
export LC_ALL=C.UTF-8 NO_COLOR=1
temper=$(realpath "${1:?usage: tests/regex.sh path/to/temper}")
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v python3 >/dev/null; then
    echo "regex: 0 passed, 1 failed (there is no python3: nothing was compared)"
    exit 1
fi
exec python3 -W ignore "$here/regex_match.py" "$temper" "$here/regexes.txt" "$here/regexes_look.txt"
