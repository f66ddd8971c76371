#!/bin/bash
# Every "$ temper ..." of README.md and of the pages below is run, and its output compared with what the page shows. The lists
# of make targets in CONTRIBUTING.md are compared with the Makefile and with .ci/run. $1: the binary.
#
#     bash tests/readme.sh build/temper --update   writes what the commands print now into the pages
set -u
temper=$1
pages="README.md doc/limits.md doc/lab.md doc/numerics.md doc/scale.md doc/automaton.md doc/sequence.md"
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
        echo "$page: $command"
        diff <(printf '%s\n' "$expected") <(printf '%s\n' "$got") | head -n 10
    fi
    command=
    expected=
}

# The page with the output of every command as it is now. An example ends where text that is not indented follows.
update() {
    local inside= blank=
    while IFS= read -r line; do
        case $line in
        '    $ temper '*)
            [ -z "$blank" ] || echo
            blank=
            inside=1
            printf '%s\n' "$line"
            NO_COLOR=1 eval "\"$temper\" ${line#'    $ temper '}" 2>&1 </dev/null | sed 's/^\(.\)/    \1/'
            ;;
        '    '*)
            if [ -z "$inside" ]; then
                [ -z "$blank" ] || echo
                printf '%s\n' "$line"
            fi
            blank=
            ;;
        '')
            [ -z "$blank" ] || [ -n "$inside" ] || echo
            blank=1
            ;;
        *)
            [ -z "$blank" ] || echo
            blank=
            inside=
            printf '%s\n' "$line"
            ;;
        esac
    done <"$1"
}

if [ "${2:-}" = --update ]; then
    for page in $pages; do
        update "$page" >"$page.new" && mv "$page.new" "$page"
    done
    exit
fi

for page in $pages; do
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
    done <$page
    compare
done

# same NAME EXPECTED GOT
same() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "CONTRIBUTING.md: $1"
        diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -n 10
    fi
}

# A list that was merged twice shows as a target that is listed twice; a target that went shows as one that has no rule.
listed=$(sed -n 's/^    make \([a-z-]*\) .*/\1/p' CONTRIBUTING.md | sort)
rules=$(sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile | sort -u)
same "each make target is listed once and has a rule" "$(comm -12 <(sort -u <<<"$listed") <(echo "$rules"))" "$listed"
same "what .ci/run runs" "$(sed '/^#/d' .ci/run | grep -o 'make [a-z-]*' | sort)" \
    "$(sed -n '/^`.ci\/run` /,/^$/p' CONTRIBUTING.md | grep -o '`make [a-z-]*`' | tr -d '`' | sort -u)"
same "one paragraph says what .ci/run runs" 1 "$(grep -c '^`.ci/run`' CONTRIBUTING.md)"

[ "$failed" = 0 ] || echo "bash tests/readme.sh build/temper --update writes what the commands print into the pages"
echo "readme: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -ge 4 ]
