#!/usr/bin/env bash
# What the proof of a softened model costs: seconds of processor time of soften, certify and audit at two lengths, and the
# power of the length with which they grow. The table of doc/soften.md. Usage: bench/proofs.sh BUILD [entry:length ...]
set -eu -o pipefail
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- first:16384 majority:16384 parity:16384 exact-half:16384 palindrome:2000 copy:2000 dyck-1:2000 \
    sort:2000 shuffle-dyck-2:2000 dyck-2:2000
work=$(mktemp -d)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT=%U

seconds() { { time "$@" >out 2>err; } 2>&1 | tail -n 1; }

measure() { # length: seconds of soften, certify, audit; "-" where one fails
    local soften certify audit
    soften=$(seconds "$build/temper" soften hard.temper --threads 1 --length "$1" -o soft.temper) || soften=-
    certify=$(seconds "$build/temper" certify soft.temper --threads 1 --length "$1" -o certificate.json) || certify=-
    audit=$(seconds "$build/temper" audit --threads 1 certificate.json soft.temper) || audit=-
    echo "$soften $certify $audit"
}

echo "| model | length | soften | certify | audit | power of the length |"
echo "| --- | --- | --- | --- | --- | --- |"
for entry in "$@"; do
    name=${entry%:*} length=${entry#*:}
    "$build/temper" compile --gallery "$name" --hard -o hard.temper >out 2>err
    half=$(measure $((length / 2)))
    whole=$(measure "$length")
    echo "$half $whole" | awk -v name="$name" -v n="$length" '{
        printf "| %s | %d | %s | %s | %s | %.1f, %.1f, %.1f |\n", name, n, $4, $5, $6,
            log(($4 + .005) / ($1 + .005)) / log(2), log(($5 + .005) / ($2 + .005)) / log(2), log(($6 + .005) / ($3 + .005)) / log(2) }'
done
