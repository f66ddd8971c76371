#!/bin/sh
# make theorems: Coq proves the theorem about the bytes of one model file. usage: scripts/theorem.sh BUILD JOBS MODEL LENGTH TYPE
set -eu
test -n "$3" || { echo "usage: make theorems MODEL=model.temper [LENGTH=1000] [TYPE=f32]" >&2; exit 2; }
sh scripts/proofs-compile.sh "$1" "$2" checker/Check.vo Instances.vo
python3 scripts/theorem.py "$3" "$4" "$5" >"$1/proofs/Theorem_file.v.new"
cd "$1/proofs"
mv Theorem_file.v.new Theorem_file.v
sed -n 1p Theorem_file.v
coqc -Q . Temper Theorem_file.v
echo "theorems: $1/proofs/Theorem_file.v"
