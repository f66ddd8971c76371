#!/bin/bash
# Lines are the same strings for every command that reads them: ends, carriage returns, NUL, byte-order marks, blanks.
# Usage: tests/cli/lines.sh path/to/temper
set -u
export LC_ALL=C NO_COLOR=1
temper=$(realpath "${1:?usage: tests/cli/lines.sh path/to/temper}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

# same NAME EXPECTED ACTUAL
same() {
    if [ "$2" == "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n    expected: %s\n    got:      %s\n' "$1" "$2" "$3"
    fi
}

printf 'next\nalphabet a b x\nother x\nprobabilities uniform\n/.*/\n' >chars.spec
printf 'tokens yes\nnext\nalphabet a b x\nother x\nprobabilities uniform\n/.*/\n' >words.spec
printf 'next\nalphabet a b "\\r"\nprobabilities uniform\n/.*/\n' >returns.spec
for spec in chars words returns; do
    "$temper" compile -F $spec.spec -o $spec.temper >/dev/null || exit 1
    sed -e '/^next$/d' -e '/^probabilities/d' $spec.spec >$spec.plain
done

# the number of letters of each line, from the third field of --per-position
sizes() { awk -F'\t' '{printf "%s%d", (NR > 1 ? " " : ""), length($3)}'; }

# case_of SPEC BYTES LETTERS... : bytes as printf has them, and how many letters each line has
case_of() {
    local spec=$1 bytes=$2 count sum=0 k
    shift 2
    printf "$bytes" >text
    for k in "$@"; do sum=$((sum + k)); done
    same "run, $spec: $bytes" "$*" "$("$temper" run --per-position -F $spec.plain - <text | sizes)"
    same "eval, $spec: $bytes" "$*" "$("$temper" eval --per-position -F $spec.plain - <text | sizes)"
    same "stream, $spec: $bytes" $sum "$("$temper" run --stream -F $spec.plain <text | wc -l)"
    same "next --stream, $spec: $bytes" $sum "$("$temper" next --stream $spec.temper <text | wc -l)"
    same "next, $spec: $bytes" $# "$("$temper" next $spec.temper - <text | wc -l)"
    same "next and run print the same, $spec: $bytes" "$("$temper" run -F $spec.plain - <text | cut -f2)" \
        "$("$temper" next $spec.temper - <text | cut -f2)"
    count=$("$temper" perplexity --json $spec.temper text 2>/dev/null | sed 's/.*"lines":\([0-9]*\),"symbols":\([0-9]*\),.*/\1 \2/')
    [ $# -gt 0 ] || count="0 0$count"
    same "perplexity, $spec: $bytes" "$# $((sum + $#))" "$count"
    same "perplexity of standard input, $spec: $bytes" "$("$temper" perplexity $spec.temper text 2>/dev/null)" \
        "$("$temper" perplexity $spec.temper - <text 2>/dev/null)"
}

case_of chars ''
case_of chars '\n' 0
case_of chars '\r\n' 0
case_of chars 'ab\nb' 2 1
case_of chars 'ab\r\nb\r\n' 2 1
case_of chars 'ab\r\n\r\nb' 2 0 1
case_of chars 'a\rb\n' 3
case_of chars 'ab\r' 3
case_of chars '\r' 1
case_of chars 'a\r\r\nb' 2 1
case_of chars 'a\0b\n\0' 3 1
case_of chars '\xEF\xBB\xBFab\r\nb' 2 1
case_of chars '\xEF\xBB\xBF'
case_of chars '\xEF\xBB\xBF\n' 0
case_of chars '\xEF\xBB\xBF\xEF\xBB\xBFa\n' 2
case_of chars 'a\n\xEF\xBB\xBFb\n' 1 2
case_of chars '\xEF\xBB\n' 2
case_of chars '\xEF\xBB' 2
case_of chars 'a b\n' 3
case_of returns 'a\rb\r\nb\r' 3 2
case_of returns 'a\r\r\n' 2
case_of words 'a b\r\nb\n' 2 1
case_of words 'a\rb\n' 2
case_of words 'a \r' 1
case_of words '\xEF\xBB\xBFa\0a b' 2
case_of words '\n' 0

# A line or a mark that is cut by the buffer, and one that comes in pieces.
head -c 65535 /dev/zero | tr '\0' a >long
{ cat long; printf '\r\nb\r\n'; } >text
same 'an end across the buffer' '65535 1' "$("$temper" eval --per-position -F chars.plain - <text | sizes)"
same 'an end across the buffer of a stream' 65536 "$("$temper" run --unchecked --stream -F chars.plain <text | wc -l)"
same 'pieces' '2 1' "$({ printf '\xEF'; sleep 0.1; printf '\xBB\xBFab\r'; sleep 0.1; printf '\nb'; } |
    "$temper" eval --per-position -F chars.plain - | sizes)"
same 'pieces of a stream' 4 "$({ printf '\xEF'; sleep 0.1; printf '\xBB\xBFa\r'; sleep 0.1; printf '\nb\r'; sleep 0.1; printf 'a'; } |
    "$temper" run --stream -F chars.plain | wc -l)"
head -c 70000 /dev/zero | tr '\0' q >text
same 'a word beyond the buffer of a stream' '4 error	1' \
    "$("$temper" run --stream -F words.plain <text 2>err >out; echo "$?" "$(<out)")"
same 'it is named' 'temper: standard input:1: the token is longer than the limit of 64 KiB' "$(<err)"

# Without other letters a lone CR is refused, and named, by all of them.
for command in 'run -f /.*/ --alphabet ab -' 'eval -f /.*/ --alphabet ab -' 'next --regex .* --alphabet ab -' \
    'run --stream -f /.*/ --alphabet ab' 'perplexity -F open.spec -'; do
    printf 'next\nalphabet a b\nprobabilities uniform\n/.*/\n' >open.spec
    printf 'a\rb\n' | "$temper" $command >out 2>err
    same "exit code: $command" 2 $?
    case $(<err) in *"unknown letter '\\"*"' at position 2"*) passed=$((passed + 1)) ;; *) same "$command" 'unknown letter' "$(<err)" ;; esac
done

# An expression does not end at a NUL: it was read as "a".
printf 'a\0b' >nul.regex
"$temper" eval -F nul.regex a >out 2>err
same 'exit code of an expression with NUL' 2 $?
case $(<err) in *'nul.regex:1:2:'*'0x00'*) passed=$((passed + 1)) ;; *) same 'an expression with NUL' 'control byte' "$(<err)" ;; esac

echo "lines: $passed passed, $failed failed"
[ $failed == 0 ]
