#!/bin/sh
# make checker: proves the checker of proofs/checker/ and builds it: BUILD/temper-checker, and BUILD/checker/checker.js for the playground.
# usage: scripts/checker.sh BUILD JOBS VERSION
set -eu
here=$(pwd)
made=$here/$1/checker
sh scripts/proofs-compile.sh "$1" "$2" checker/Check.vo checker/Exists.vo checker/Language.vo
mkdir -p "$made"
cd "$1/proofs"
coqc -Q . Temper checker/Extract.v
mv kernel.ml kernel.mli "$made/"
cp "$here/proofs/checker/hint.ml" "$here/proofs/checker/ask.ml" "$here/proofs/checker/main.ml" "$here/proofs/checker/browser.ml" "$made/"
cd "$made"
printf 'let version = "%s"\n' "$3" >version.ml
build() { # compiler, its options ...
    # Of what Coq writes, warnings are not asked for.
    compiler=$1
    shift
    ocamlfind "$compiler" -linkpkg -w -a kernel.mli kernel.ml -w +a-4-9-40..42-44-45-70 hint.ml ask.ml "$@" >"$compiler.log" 2>&1 || {
        cat "$compiler.log" >&2
        exit 1
    }
}
# Linked with everything inside on Linux, so that the same program runs in every distribution (wheels carry it). The linker warns of
# functions of the library unix that this program does not call.
static=
if [ "$(uname -s)" = Linux ]; then static='-ccopt -static'; fi
# shellcheck disable=SC2086
build ocamlopt -package unix $static version.ml main.ml -o temper-checker
if grep -i warning ocamlopt.log | grep -v 'statically linked applications' >&2; then exit 1; fi
mv temper-checker "../temper-checker"
build ocamlc -package js_of_ocaml browser.ml -o browser.byte
js_of_ocaml --target-env=browser --opt=3 browser.byte -o browser.js
# As a module, for a worker.
{
    echo '// The extracted checker (doc/checker.md), by js_of_ocaml.'
    cat browser.js
    echo 'export const temperProvedChecker = globalThis.temperProvedChecker;'
} >checker.js.new
mv checker.js.new checker.js
