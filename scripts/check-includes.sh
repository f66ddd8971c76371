#!/bin/sh
# A folder of src/ includes only itself and folders before it; lab/ includes
# folders of src/ and itself; cli/ includes only the public headers, mpi/ also those of cli/; file names are unique. Tests live in rooms,
# tests/ROOM/, of which none has more than 60 files.
set -eu
# A folder in a folder, as ordinary/lift, has a place of its own.
order="base number automata logic decide model ordinary/files ordinary/lift audit audit/ordinary import gallery recognise job run ordinary/run
    compile facts bound answer sequence soften build ordinary/lower ordinary/proof limits certify check export ordinary/write ordinary draw"
# Folders at the same height that must not see each other. Nothing sees the auditor, and it sees few.
peers="audit:automata audit:decide audit/ordinary:automata audit/ordinary:decide check:draw draw:check check:certify certify:check import:gallery
    gallery:import export:draw draw:export import:recognise recognise:import gallery:recognise recognise:gallery draw:ordinary ordinary:check"
fail=0
rank() {
    r=0
    for f in $order; do
        r=$((r + 1))
        if [ "$f" = "$1" ]; then echo $r; return; fi
    done
    echo 0
}
for folder in src/*/ src/*/*/; do
    ls "$folder"*.[ch] >/dev/null 2>&1 || continue
    from=${folder#src/}
    from=${from%/}
    from_rank=$(rank "$from")
    if [ "$from_rank" = 0 ]; then echo "src/$from is not in the order of scripts/check-includes.sh"; fail=1; fi
    for to in $(cat "$folder"*.[ch] | sed -n 's|^ *# *include "\([a-z][a-z/]*\)/.*|\1|p' | sort -u); do
        [ "$to" = "$from" ] && continue
        to_rank=$(rank "$to")
        if [ "$to_rank" = 0 ] || [ "$to_rank" -gt "$from_rank" ]; then
            echo "src/$from includes $to/, which comes after it:"
            grep -n "include \"$to/" "$folder"*.[ch]
            fail=1
        fi
        case $from in audit*) ;; *)
            case $to in audit*)
                echo "src/$from includes the auditor, $to/"
                fail=1
            esac
        esac
        for pair in $peers; do
            if [ "$pair" = "$from:$to" ]; then echo "src/$from includes its neighbour $to/"; fail=1; fi
        done
    done
done
if grep -rnE --include='*.[ch]' 'include "(lab/|temper_lab)' src; then echo "src/ may not know the lab"; fail=1; fi
if grep -nE 'include "(audit|cli|mpi)/' lab/*.[ch]; then echo "lab/ may not include these"; fail=1; fi
if grep -nE '^ *# *include "[a-z]+/' cli/*.[ch]; then echo "cli/ may include only temper.h, temper_lab.h and its own headers"; fail=1; fi
if ls mpi/*.[ch] >/dev/null 2>&1 && grep -nE '^ *# *include "[a-z]+/' mpi/*.[ch]; then
    echo "mpi/ may include only temper.h, temper_lab.h and headers of cli/"
    fail=1
fi
twice=$(find src lab cli mpi -name '*.[ch]' -exec basename {} \; | sort | uniq -d)
if [ -n "$twice" ]; then echo "file names used twice: $twice"; fail=1; fi
rooms=$(sed -n 's/^TEST_ROOMS *:= *//p' Makefile)
stray=$(find tests -maxdepth 1 -type f ! -name '*.mk')
if [ -n "$stray" ]; then echo "a test lives in a room, tests/ROOM/: $stray"; fail=1; fi
twice=$(for room in $rooms; do find "tests/$room" -name '*.[ch]' -exec basename {} \;; done | sort | uniq -d)
if [ -n "$twice" ]; then echo "file names used twice in tests: $twice"; fail=1; fi
for folder in tests/*/; do
    count=$(find "$folder" -maxdepth 1 -type f | wc -l)
    if [ "$count" -gt 60 ]; then echo "$folder has $count files: at most 60, so that one can look at them"; fail=1; fi
done
for test in tests/*/t-*.c; do
    room=$(basename "$(dirname "$test")")
    case " $rooms " in *" $room "*) ;; *) echo "$test is in no room of the Makefile (TEST_ROOMS), so nothing runs it"; fail=1 ;; esac
done
exit $fail
