#!/bin/sh
# One formula from text to picture. $1: the temper binary.
set -eu
temper=$1
formula='H(b -> O a)'

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
if [ -n "${NO_COLOR:-}" ] || [ ! -t 1 ]; then say() { printf '\n%s\n' "$*"; }; fi
run() { printf '$ temper'; for word in "$@"; do case $word in *[!A-Za-z0-9_.=-]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac; done
    echo; "$temper" "$@"; }

say "The language: every b has an a at or before it (H: always so far, O: once)."
run eval -f "$formula" aab ba b

say "Compiled into a softmax transformer, it gives the same answers ..."
run run -f "$formula" aab ba b

say "... and this is the transformer: which head computes what, and how sharp its softmax must be."
run explain -f "$formula"

say "Where its heads look on 'caab':"
run show -f "$formula" --alphabet abc caab

say "The formula, the hard and both soft transformers compared on every string up to length 8, and on random ones:"
run check -f "$formula" --exhaustive 8 --random 300
say "Next: temper help, man man/temper.1, README.md"
