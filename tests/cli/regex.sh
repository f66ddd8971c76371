#!/bin/bash
# Real regular expressions against Python's re. Usage: tests/cli/regex.sh path/to/temper
set -u
export LC_ALL=C.UTF-8 NO_COLOR=1
temper=$(realpath "${1:?usage: tests/cli/regex.sh path/to/temper}")
tests=$(cd "$(dirname "$0")/.." && pwd)
failed=0
. "$tests/bare/oracle.sh"
oracle python3 'no expression is compared' || {
    echo "regex: 0 passed, $failed failed"
    exit $failed
}
exec python3 -W ignore "$tests/cli/regex_match.py" "$temper" "$tests/automata/regexes.txt" "$tests/automata/regexes_look.txt"
