#!/bin/sh
# The table of doc/schedules.md: which softmax schedules decide the hardest strings of 8k, 128k and 1M letters rightly, stored in bf16 and summed in f32.
# tests/readme.sh compares the page with it. usage: schedule-table.sh TEMPER [LENGTHS]; '8Ki 128Ki' leaves out the slow column.
set -eu
temper=$1
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
lengths=${2:-8Ki 128Ki 1M}
base=11.3137085 # the root of 128

letters() { case $1 in 8Ki) echo 8192 ;; 128Ki) echo 131072 ;; 1M) echo 1000000 ;; esac; }
copies() { head -c "$2" /dev/zero | tr '\0' "$1"; }
for length in $lengths; do
    n=$(letters $length)
    { printf a; copies c $((n - 1)); echo; copies c "$n"; echo; } >"$room/once.$length"                       # accept, reject
    { printf cb; copies a $((n - 2)); echo; printf bc; copies a $((n - 2)); echo; } >"$room/since.$length"    # accept, reject
done

# right FORMULA NAME LENGTH OPTIONS...: yes if the first string is accepted and the second rejected
right() {
    formula=$1 name=$2 length=$3
    shift 3
    found=$("$temper" run -f "$formula" --alphabet abc --type bf16/f32 --unchecked "$@" - <"$room/$name.$length" 2>/dev/null | cut -c1-6 | tr '\n' ' ')
    case $found in 'accept reject ') printf ' yes |' ;; *error*) printf ' not run |' ;; *) printf ' no |' ;; esac
}

row() { # name, options ...
    printf '| %s |' "$1"
    shift
    for length in $lengths; do right 'O a' once $length "$@"; done
    for length in $lengths; do right 'a S b' since $length "$@"; done
    echo
}

line() { # the first cell, the first one of each operator, the others: 'LENGTH' is a length
    printf '| %s |' "$1"
    for first in "$2" "$3"; do
        for length in $lengths; do
            printf ' %s |' "$(echo "$first" | sed "s/LENGTH/$length/")"
            first=$4
        done
    done
    echo
}
line schedule 'once LENGTH' 'since LENGTH' LENGTH
line --- --- --- ---
row constant --scale "$base"
row 'Llama 4' --scale "$base*(1 + 0.1*ln(1 + floor(N/8192)))" # of the last row, where the answer is read: i + 1 is N
row YaRN --scale "$base*(0.1*max(0, ln(N/4096)) + 1)*(0.1*max(0, ln(N/4096)) + 1)"
row 'SSMax 0.43 ln N' --scale "$base*0.43*ln(N)"
row 'log n' --scale "$base*ln(N)"
row 'temper: temperature'
row 'temper: digits' --method digits
