#!/bin/sh
# One formula from text to a page in the browser. $1: the temper binary.
set -eu
temper=$1
formula='H(b -> O a)'
folder=$(cd "$(dirname "$temper")" && pwd)
page=$folder/demo/page.html

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
if [ -n "${NO_COLOR:-}" ] || [ ! -t 1 ]; then say() { printf '\n%s\n' "$*"; }; fi
run() { printf '$ %s' "$temper"; for word in "$@"; do case $word in *[!A-Za-z0-9_./=-]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac; done
    echo; "$temper" "$@"; }

say "The language: every b has an a at or before it (H: always so far, O: once)."
run eval -f "$formula" --alphabet abc caab cba

say "Compiled into a softmax transformer, it gives the same answers ..."
run run -f "$formula" --alphabet abc caab cba

say "... and this is the transformer: which head computes what, and how sharp its softmax must be."
run explain -f "$formula" --alphabet abc

say "Where its heads look on 'caab':"
run show -f "$formula" --alphabet abc caab

say "The formula, the hard and both soft transformers compared on every string up to length 8, and on random ones:"
run check -f "$formula" --alphabet abc --exhaustive 8 --random 300

say "The same as a page, with exact numbers where you point:"
mkdir -p "$folder/demo"
run show -f "$formula" --alphabet abc -o "$page" caab

say "Next:"
echo "    export PATH=\"$folder:\$PATH\"  # then the program is called temper"
echo "    temper help                     # what it can do; temper examples: specifications to begin with"
echo "    temper                          # asks for formulas and strings"
say "Open this page in a browser:"
echo "file://$page"
