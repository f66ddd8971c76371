#!/usr/bin/env bash
# The program loads FLINT only for what needs it: what runs without it, and what is said where it cannot be loaded. usage: tests/cli/lazy.sh PROGRAM
set -u
temper=$(realpath "${1:?usage: tests/cli/lazy.sh PROGRAM}")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
passed=0
failed=0
check() { # what, command ...
    local what=$1
    shift
    if "$@" >"$room/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        head -n 20 "$room/log"
    fi
}
library=$(ldd "$temper" | awk '/flint|arb/ {print $1}' | head -n 1)
if [ -n "$library" ]; then # linked as usual: sanitizers, other machines
    check "a program that is linked with FLINT runs" "$temper" certify -f 'O a' --alphabet ab --length 9
    echo "lazy.sh: $passed passed, $failed failed"
    exit "$failed"
fi
# A file by the name of the first library that is no library.
strings -a "$temper" | grep -E '^lib(flint|flint-arb|arb)[-.a-z0-9]*$' >"$room/names"
check "the program knows a library by name" test -s "$room/names"
mkdir "$room/broken"
while read -r name; do echo nothing >"$room/broken/$name"; done <"$room/names"
without() { LD_LIBRARY_PATH=$room/broken "$temper" "$@"; }
gives() { # text, command ...
    local text=$1
    shift
    [ "$("$@" 2>&1)" = "$text" ]
}
tab=$(printf '\t')
check "--version needs no FLINT" without --version
check "eval needs no FLINT" gives "accept${tab}ab" without eval -f 'O a' --alphabet ab ab
check "a short run needs no FLINT" gives "accept${tab}ab" without run -f 'O a' --alphabet ab ab
check "a hard transformer to look at" "$temper" compile --gallery majority -o "$room/m.temper"
refused() { # command ...: a status of its own, and a message that says what to do
    without "$@" >"$room/out" 2>&1
    local code=$?
    cat "$room/out"
    [ $code -eq 4 ] && grep -q 'need FLINT, which does not load: .*lib' "$room/out" && grep -q '^hint: install FLINT' "$room/out"
}
check "a certificate needs it, and says so" refused certify -f 'O a' --alphabet ab --length 9
check "an exact run needs it, and says so" refused run -f 'O a' --alphabet ab --hard --type exact ab
check "gaps need it, and say so" refused gap "$room/m.temper" --length 3
check "threads that need it first at once" "$temper" check -f 'a S b' --alphabet ab --exhaustive 6 --threads 8
check "with all names bound at the start" env LD_BIND_NOW=1 "$temper" certify -f 'O a' --alphabet ab --length 9
echo "lazy.sh: $passed passed, $failed failed"
exit "$failed"
