#!/bin/sh
# The order of folders as the linker sees it: no object of the library refers to a symbol that is defined in a folder to the right of its own. Calls
# through temper.h count, too. And no function that tests share has the name of one of the library, which it would hide from every test.
# usage: scripts/check-links.sh LIBRARY, as build/libtemper.a
set -eu
order=$(sed -n '/^order="/,/"$/p' scripts/check-includes.sh | sed 's/order=//; s/"//g' | tr '\n' ' ')
# Export asks the auditor, as any caller of the library would: a folder must not carry a certificate that is not true.
# So do proofs of ordinary transformers: a length is called proved if the audit of its file says so, too.
allowed="export:temper_audit ordinary:temper_audit ordinary/proof:temper_audit"
{
    find src -name '*.c' | awk -F/ '{ file = $NF; sub(/\.c$/, ".o", file); sub(/^src\//, ""); sub(/\/[^\/]*$/, ""); print "file", file, $0 }'
    nm -A "$1" 2>/dev/null | sed 's/^[^:]*:\([^:]*\):/\1 /'
} | awk -v order="$order" -v allowed="$allowed" '
    BEGIN { count = split(order, names, " "); for (k = 1; k <= count; k++) rank[names[k]] = k
            count = split(allowed, names, " "); for (k = 1; k <= count; k++) fine[names[k]] = 1 }
    $1 == "file" { folder[$2] = $3; next }
    !($1 in folder) { next }
    NF == 4 && $3 ~ /^[TDRBVWC]$/ { home[$4] = folder[$1]; next }
    NF == 3 && $2 == "U" { object[++uses] = $1; symbol[uses] = $3 }
    END {
        if (!uses) { print "no objects to look at"; exit 1 }
        for (k = 1; k <= uses; k++) {
            from = folder[object[k]]
            to = home[symbol[k]]
            if (to == "" || to == from || (from ":" symbol[k]) in fine) continue
            foreign = from ~ /^audit/ && to !~ /^(base|number|logic|model|ordinary\/files|ordinary\/lift|audit)$/
            asks = to ~ /^audit/ && from !~ /^audit/
            if (rank[to] > rank[from] || asks || foreign) {
                print "src/" from "/" object[k] " calls " symbol[k] " of src/" to
                bad = 1
            }
        }
        exit bad
    }'
rooms=$(sed -n 's/^TEST_ROOMS *:= *//p' Makefile)
aids=$(for room in $rooms; do ls "$(dirname "$1")/tests/$room"/*.o 2>/dev/null; done | grep -v '/\(t\|long\)-[^/]*$' || true)
for aid in $aids; do nm "$aid" | awk '$2 == "T" { print $3 }'; done | sort > "$(dirname "$1")/tests/shared-names"
nm "$1" 2>/dev/null | awk '$2 == "T" { print $3 }' | sort -u | comm -12 - "$(dirname "$1")/tests/shared-names" | {
    bad=0
    while read -r name; do
        echo "tests share a function $name, which hides the library's"
        bad=1
    done
    exit $bad
}
