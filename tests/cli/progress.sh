#!/bin/bash
# What works for long says how far it is and about how long it will go on, or which share of its limit is used; and an
# interrupt ends it at once. Usage: tests/cli/progress.sh path/to/temper
set -u
export LC_ALL=C NO_COLOR=1 TEMPER_PROGRESS=0.4
temper=$(realpath "${1:?usage: tests/cli/progress.sh path/to/temper}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

check() { # condition's exit code, what
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n' "$2"
    fi
}

# says PATTERN FILE COMMAND...: a command that would take much longer says so; then it is interrupted.
says() {
    local pattern=$1 file=$2 job from
    shift 2
    : >said
    env --default-signal=INT "$temper" "$@" >/dev/null 2>said <"$file" &
    job=$!
    for _ in {1..600}; do
        grep -qE "so far; $pattern" said || ! kill -0 "$job" 2>/dev/null && break
        sleep 0.1
    done
    grep -qE "so far; $pattern" said
    check $? "$*: $(head -c 300 said)"
    from=$SECONDS
    kill -INT "$job" 2>/dev/null
    check $? "$*: it ended before it was interrupted"
    wait "$job" 2>/dev/null
    check $((SECONDS - from > 5)) "$*: it went on after an interrupt"
}

letters() { head -c "$1" /dev/zero | tr '\0' "$2"; }
deep=$'alphabet a b\nO (a & Y O (b & Y O (a & Y O (b & Y O (a & Y O (b & Y O (a & Y b)))))))'
letters 60000000 a >long
letters 60000 b >middle
letters 8000 b >short
yes abbabaabbbab | head -n 3000000 >lines
printf 'next\nprobabilities uniform\nregex (a|b)*\n' >next.spec

more='about .* more' part='[0-9]+ % done, about .* more'
# A busy machine is still reading the letters by then.
TEMPER_PROGRESS=1.5 says "running the string: $part|answered: 0 of 60000000 bytes" long run -f "$deep" -
says "running the string: $part" middle run -f "$deep" --plan dense -
says "running the string: $part" short run -f "$deep" --hard --type exact -
says "answered: [0-9]+ of [0-9]+ bytes, $more" lines run -f "$deep" -
says "answered: [0-9]+ of [0-9]+ bytes, $more" lines eval -f "$deep" -
says "[a-z]+: [0-9]+ of [0-9]+ bytes, $more" /dev/null perplexity -F next.spec lines
says "drawing: [0-9]+ of 1000000000 strings, $more" /dev/null sample -F next.spec --count 1000000000
says "gap: [0-9]+ of [0-9]+ strings, $more" /dev/null gap -f "$deep" --exhaustive 20
says "temperature: [0-9]+ of [0-9]+ strings, $more" /dev/null check -f "$deep" --exhaustive 24
says "running .*more|the table: [0-9]+ of 4 settings|running strings .*|looking for .*|following .*" /dev/null \
    limits -f 'O a' --alphabet ab --as gpt2 --length 16384

# The audit has a limit of work, says how much of it is used, and --effort raises it.
"$temper" compile --regex 'word ([a-zA-Z0-9]+ ){0,60}otherword' -o words.temper >/dev/null 2>&1
"$temper" certify words.temper --length 100 -o words.cert >/dev/null 2>&1
TEMPER_PROGRESS=0 "$temper" audit words.cert words.temper >answer 2>said
code=$?
case $code in
0) check 1 "audit: the model is not too large any more: $(cat answer)" ;;
4) check 0 '' ;;
*) check 1 "audit: exit code $code: $(cat said)" ;;
esac
grep -q 'too large to audit' said && grep -q -e '--effort 10 raises the limit tenfold' said
check $? "audit: $(cat said)"
"$temper" audit --effort 4 words.cert words.temper >answer 2>said
check $? "audit --effort 4: $(cat said)"
grep -q 'proved for words.temper' answer
check $? "audit --effort 4: $(cat answer)"
"$temper" audit --effort 0.5 words.cert words.temper >answer 2>said
check $(($? != 2)) "audit --effort 0.5: $(cat said)"
echo "progress.sh: $passed passed, $failed failed"
[ "$failed" = 0 ]
