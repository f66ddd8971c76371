#!/bin/bash
# Every "$ temper ..." of README.md is run, and its output compared with what the page shows. $1: the binary.
set -u
temper=$1
passed=0
failed=0
command=
expected=

compare() {
    [ -n "$command" ] || return 0
    local got
    got=$(NO_COLOR=1 eval "\"$temper\" ${command#temper }" 2>&1)
    if [ "$got" = "$(printf '%s' "$expected" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}')" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "README.md: $command"
        diff <(printf '%s\n' "$expected") <(printf '%s\n' "$got") | head -n 10
    fi
    command=
    expected=
}

while IFS= read -r line; do
    case $line in
    '    $ temper '*)
        compare
        command=${line#'    $ '}
        ;;
    '    '*) [ -n "$command" ] && expected+=${line#'    '}$'\n' ;;
    '') [ -n "$command" ] && expected+=$'\n' ;;
    *) compare ;;
    esac
done <README.md
compare
echo "readme: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -ge 4 ]
