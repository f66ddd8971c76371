#!/usr/bin/env bash
# What exhaustive checking costs: strings and nodes a second of processor time, and lengths that are affordable. The tables of
# doc/scale.md. Usage: bench/scale.sh BUILD [letters to the power of n: how many strings to measure with, default 4000000]
set -eu
build=$(cd "$1" && pwd)
most=${2:-4000000}
work=$(mktemp -d)
cd "$work"
trap 'cd /; rm -rf "$work"' EXIT
TIMEFORMAT=%U

alphabet() { printf 'abcdefghijklmnopqrstuvwxyz' | head -c "$1"; }

longest() { # letters, strings: the largest length whose strings are at most so many
    awk -v k="$1" -v most="$2" 'BEGIN { n = 0; p = 1; while (p * k <= most) { p *= k; n++ } print n }'
}

row() { # name, letters, length, arguments of temper check: one measurement, processor time of one thread
    local name=$1 letters=$2 length=$3 seconds
    shift 3
    seconds=$({ time "$build/temper" check --threads 1 --exhaustive "$length" --random 0 --json "$@" >out; } 2>&1 | tail -n 1)
    awk -v name="$name" -v k="$letters" -v n="$length" -v t="$seconds" 'BEGIN {
        strings = 0; nodes = 0; p = 1
        for (i = 0; i <= n; i++) { strings += p; tree = 0; q = 1; for (j = 0; j <= i; j++) { tree += q; q *= k }; nodes += tree; p *= k }
        printf "| %s | %d | %d | %.3g | %.2f | %.3g | ", name, k, n, strings, t, strings / t
        if (name ~ /both|one by/) print "- |"; else printf "%.3g |\n", nodes / t }'
}

five='O a & (a S b) & Y b & #[a] >= #[b] & H(a | b)'
mirror='F a & (a U b) & X b & #>[a] >= #>[b] & G(a | b)'
both='O a & F b & (a S b) & #[a] >= #>[b] & X b'
echo "| what | letters | up to length | strings | seconds | strings/s | nodes/s |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for letters in 2 4 8 26; do
    n=$(longest $letters "$most")
    row "back, five heads" $letters "$n" -f "$five" --alphabet "$(alphabet $letters)" --method temperature
done
row "back, five heads, hard" 2 "$(longest 2 "$most")" -f "$five" --alphabet ab --hard
row "back, one head" 2 "$(longest 2 "$most")" -f 'O a' --alphabet ab --method temperature
row "forward, five heads" 2 "$(longest 2 "$most")" -f "$mirror" --alphabet ab --method temperature
row "both ways, five heads" 2 "$(longest 2 $((most / 8)))" -f "$both" --at last --alphabet ab --method temperature
"$build/temper" compile --gallery dyck-1 -o hard.temper >out 2>&1
"$build/temper" soften hard.temper --length 12 -o one.temper >out 2>&1
row "one by one (gallery dyck-1)" 2 12 one.temper

echo
echo "The law, five heads, two letters: nodes/s at each length"
for back in 8 6 4 2 0; do
    n=$(($(longest 2 "$most") - back))
    row "back, five heads" 2 "$n" -f "$five" --alphabet ab --method temperature
done
