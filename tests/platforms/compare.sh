#!/bin/sh
# Compares what a build of tests/platforms/digests.c prints with the stored table. usage: compare.sh NAME COMMAND... ,
# where the command runs it, or compare.sh --update COMMAND... , which stores what it prints (read the difference first).
set -u
table=$(dirname "$0")/table
name=$1
shift
found=$(mktemp)
trap 'rm -f "$found"' EXIT
if ! "$@" >"$found"; then
    echo "platforms: $name: the program failed" >&2
    exit 1
fi
if [ "$name" = --update ]; then
    cp "$found" "$table"
    exit 0
fi
if cmp -s "$found" "$table"; then
    echo "platforms: $name: $(wc -l <"$table") digests are equal"
    exit 0
fi
diff "$table" "$found" | grep '^[<>]' | head -n 20 >&2
echo "platforms: $name: these differ from tests/platforms/table (< there, > here). If models, proofs or files were meant to change:" >&2
echo "    make build/tests/platforms/digests && sh tests/platforms/compare.sh --update build/tests/platforms/digests" >&2
exit 1
