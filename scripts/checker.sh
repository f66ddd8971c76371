#!/bin/sh
# make checker: proves the checker of proofs/checker/ and builds it as a program, BUILD/temper-checker.
# usage: scripts/checker.sh BUILD JOBS VERSION
set -eu
here=$(pwd)
made=$here/$1/checker
sh scripts/proofs-compile.sh "$1" "$2" checker/Check.vo checker/Exists.vo
mkdir -p "$made"
cd "$1/proofs"
coqc -Q . Temper checker/Extract.v
mv kernel.ml kernel.mli "$made/"
cp "$here/proofs/checker/main.ml" "$made/"
cd "$made"
printf 'let version = "%s"\n' "$3" >version.ml
# Of what Coq writes, warnings are not asked for.
ocamlfind ocamlopt -package unix -linkpkg -w -a kernel.mli kernel.ml -w +a-4-9-40..42-44-45-70 version.ml main.ml \
    -o temper-checker
mv temper-checker "../temper-checker"
