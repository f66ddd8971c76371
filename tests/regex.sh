#!/bin/bash
# Real regular expressions against Python's re. Usage: tests/regex.sh path/to/temper
set -u
export LC_ALL=C.UTF-8 NO_COLOR=1
temper=$(realpath "${1:?usage: tests/regex.sh path/to/temper}")
here=$(cd "$(dirname "$0")" && pwd)
failed=0
. "$here/bare/oracle.sh"
oracle python3 'no expression is compared' || {
    echo "regex: 0 passed, $failed failed"
    exit $failed
}
exec python3 -W ignore "$here/regex_match.py" "$temper" "$here/regexes.txt" "$here/regexes_look.txt"
