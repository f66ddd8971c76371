#!/bin/sh
# Copies proofs/ to BUILD/proofs and compiles it there, or only what TARGETs need. usage: scripts/proofs-compile.sh BUILD JOBS [TARGET...]
set -eu
build=$1/proofs
jobs=$2
shift 2
mkdir -p "$build/checker"
for folder in . checker; do
    for old in "$build/$folder"/*.v; do
        case ${old##*/} in Certificate* | Theorem_* | Sheet.v) continue ;; esac
        if [ -e "$old" ] && [ ! -e "proofs/$folder/${old##*/}" ]; then rm -f "${old%.v}".*; fi
    done
    for new in "proofs/$folder"/*.v; do
        cmp -s "$new" "$build/$folder/${new##*/}" || cp "$new" "$build/$folder/"
    done
done
python3 scripts/sheet-to-coq.py >"$build/Sheet.new"
if cmp -s "$build/Sheet.new" "$build/Sheet.v"; then rm "$build/Sheet.new"; else mv "$build/Sheet.new" "$build/Sheet.v"; fi
cd "$build"
lemmas=$(ls ./*.v checker/*.v | grep -vE '^\./(Theorem|Certificate)|Extract\.v$')
coq_makefile -Q . Temper $lemmas -o lemmas.mk >/dev/null
make --no-print-directory -f lemmas.mk -j"$jobs" "$@" >compile.log 2>&1 || { tail -40 compile.log; exit 1; }
