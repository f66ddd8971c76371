#!/bin/sh
# Runs every test program of BUILD, JOBS at a time, and the scripts that look from outside; ends with "N passed, M failed".
# usage: run-tests.sh BUILD JOBS [ROOM]: with a room, the tests of tests/ROOM only.
set -u
build=$1
jobs=$2
room=${3:-*}
logs=$build/tests/logs
rm -rf "$logs"
mkdir -p "$logs"

# One test: its output goes to a log, its last line to the terminal. A test that dies counts as one failure.
one='
name=$(basename "$1")
case $1 in
*.sh) bash "$1" "$2/temper" >"$3/$name" 2>&1 ;;
*) "$1" >"$3/$name" 2>&1 ;;
esac
code=$?
line=$(grep -E "^[^ ]+: [0-9]+ passed, [0-9]+ failed" "$3/$name" | tail -n 1)
if [ -z "$line" ]; then
    line="$name: 0 passed, 1 failed (exit code $code, no count)"
elif [ $code -ne 0 ] && echo "$line" | grep -q " 0 failed"; then
    line="$name: 0 passed, 1 failed (exit code $code)"
fi
echo "$line" >"$3/$name.count"
echo "$line"
if [ $code -ne 0 ]; then
    head -n -30 "$3/$name" | grep -A 3 "^FAILED" | head -n 40
    tail -n 30 "$3/$name"
fi
'
# The slow ones first, the slowest at the very beginning, so that the cores are busy to the end.
slow="paste.sh t-sum-hunt t-certify-hunt t-run-hunt t-html t-lab readme.sh soften.sh compile.sh lab.sh usage.sh limits.sh journal.sh regex.sh t-agree-corpus t-audit-edges t-certify t-proved-length t-agree-random
    t-lab-job t-certify-next t-stream t-digits t-format-run t-plan faults.sh t-certify-wild t-format-limits t-recognise t-ordinary-import
    t-ordinary-proof t-choice-bound t-limits limits-page.sh t-audit-ordinary t-audit-ordinary-sources t-certify-regex"
{ for name in $slow; do ls tests/$room/"$name" tests/$room/"$name.c" 2>/dev/null; done
  ls tests/$room/t-*.c tests/$room/*.sh 2>/dev/null; } | grep -E '\.c$|^tests/(cli|pages)/' | awk '!seen[$0]++' |
    sed "s|.*/\(.*\)\.c$|$build/tests/\1|" |
    xargs -P "$jobs" -I '{}' sh -c "$one" one '{}' "$build" "$logs"
sum() {
    cat "$logs"/*.count | awk '{p += $2; f += $4} END {printf "%d passed, %d failed\n", p, f; exit f > 0 || p == 0}'
}
if [ "$room" != '*' ]; then sum; exit; fi
# The sources themselves: the order of folders, in includes and in calls, and comments.
look() { # name, command ...
    name=$1
    shift
    if "$@" >"$logs/$name" 2>&1; then
        echo "$name: 1 passed, 0 failed" >"$logs/$name.count"
    else
        echo "$name: 0 passed, 1 failed" >"$logs/$name.count"
        cat "$logs/$name"
    fi
}
look includes sh scripts/check-includes.sh
look links sh scripts/check-links.sh "$build/libtemper.a"
# The same bits as everywhere (make test-platforms); the sanitizers change none, and are slow.
ldd "$build/temper" | grep -q 'lib[at]san' || look platforms sh tests/platforms/compare.sh here "$build/tests/platforms/digests"
failed=0
. tests/bare/oracle.sh
if [ ! -e .git ]; then
    echo "SKIPPED: no .git: comments are not looked at" >"$logs/sources"
elif oracle python3 'comments are not looked at' >"$logs/sources"; then
    look prose python3 scripts/check-prose.py
    look locale python3 scripts/check-locale.py
    look proved python3 scripts/check-proved.py
    look order python3 scripts/check-order.py
    look pages python3 scripts/wrap-pages.py --check
fi
echo "sources: 0 passed, $failed failed" >"$logs/sources.count"
# What a test left out because something is missing: the list, and what installs it.
if grep -h '^SKIPPED: ' "$logs"/* | sort -u; then echo "sh scripts/setup.sh test oracles installs what was missing"; fi
sum
