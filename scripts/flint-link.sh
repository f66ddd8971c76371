#!/bin/sh
# Writes DIR/flint_link.h and DIR/flint_link.c: the functions that OBJECTS need of FLINT and the libraries below it, each as a jump through a
# table that cli/lazy/flint_open.c fills. usage: flint-link.sh CC DIR "LIBS" OBJECT ...
# CC may have options. The program of `$0 --can CC "LIBS"` ends with 0 where that works: x86-64, with shared libraries.
set -eu
shared() { # CC LIBS: the libraries' files and their names for the loader
    for flag in $2; do
        file=$($1 -print-file-name="lib${flag#-l}.so")
        [ -e "$file" ] || return 1
        printf '%s %s\n' "$file" "$(objdump -p "$file" 2>/dev/null | sed -n 's/^ *SONAME *//p')"
    done
}
if [ "$1" = --can ]; then
    case $($2 -dumpmachine) in x86_64-*linux-gnu) ;; *) exit 1 ;; esac
    shared "$2" "$3" | awk 'NF != 2 { bad = 1 } END { exit bad || NR == 0 }'
    exit
fi
cc=$1 dir=$2 libs=$3
shift 3
shared "$cc" "$libs" >"$dir/flint_link.libraries"
nm -u "$@" | awk '$1 == "U" {print $2}' | LC_ALL=C sort -u >"$dir/flint_link.needed"
cut -d' ' -f1 "$dir/flint_link.libraries" | xargs nm -D --defined-only | awk 'NF == 3 {sub(/@.*/, "", $3); print $3, $2}' | LC_ALL=C sort -u >"$dir/flint_link.defined"
# Only functions can be jumped to.
LC_ALL=C join "$dir/flint_link.needed" "$dir/flint_link.defined" >"$dir/flint_link.both"
if awk '$2 !~ /^[TWi]$/ {print "flint-link.sh: " $1 " is no function"; bad = 1} END {exit !bad}' "$dir/flint_link.both" >&2; then exit 1; fi
names=$(cut -d' ' -f1 "$dir/flint_link.both" | uniq)
{
    echo "/* Made by scripts/flint-link.sh. */"
    echo "enum { FLINT_FUNCTIONS = $(echo "$names" | wc -l) };"
    printf '#define FLINT_LIBRARIES'
    awk '{printf "%s \"%s\"", k++ ? "," : "", $2} END {print ""}' "$dir/flint_link.libraries"
    printf '#define FLINT_NAMES'
    echo "$names" | awk '{printf "%s \"%s\"", k++ ? "," : "", $1} END {print ""}'
    echo 'extern __attribute__((visibility("hidden"))) void *flint_link[FLINT_FUNCTIONS];'
} >"$dir/flint_link.h"
{
    echo "/* Made by scripts/flint-link.sh. */"
    echo '#include "flint_link.h"'
    printf '%s\n' '__asm__(".text\n"'
    echo "$names" | awk '{
        printf "\".p2align 4\\n.globl %s\\n.hidden %s\\n.type %s, @function\\n%s: endbr64\\njmp *flint_link+%d(%%rip)\\n.size %s, . - %s\\n\"\n", $1, $1, $1, $1, 8 * k++, $1, $1 }'
    echo ');'
} >"$dir/flint_link.c"
