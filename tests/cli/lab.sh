#!/bin/bash
# lab, from outside. Usage: tests/cli/lab.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- lab ------------------------------------------------------------------------------------------------------------

run 0 lab
has 'lab: the list' "$out" 'zoo        What can stand where softmax stands'
run 0 --json lab
has 'lab: json list' "$out" '{"name":"zoo","title":"What can stand where softmax stands","claim":"A softmax head'
run 0 -q lab
same 'lab: quiet list' '' "$out$err"
run 2 lab zo
has 'lab: near names' "$err" 'did you mean zoo?'
run 2 lab zoo nothing
has 'lab: names are looked at first' "$err" "there is no experiment 'nothing'"
run 0 lab zoo --quick -o lab
has 'lab: claims' "$out" "holds Softmax's leak is r/(1+r)"
lacks 'lab: no claim fails' "$out" 'FAILS'
has 'lab: summary' "$out" 'failed, seed 1; report in lab/zoo.md'
for name in zoo.md zoo.json zoo-mechanisms.csv zoo-heads.svg; do
    if [ -s lab/$name ]; then pass; else fail "lab: no $name"; fi
done
has 'lab: the report says how' "$(cat lab/zoo.md)" 'temper lab zoo --seed 1 --quick -o DIR'
cut -d, -f1 lab/zoo-lengths.csv | sed 1d >names.txt
while IFS= read -r name; do
    if grep -q "^| \`$name\` |" "$root/doc/zoo.md" && grep -qE "^### (.*, )?$name(,|\$)" "$root/doc/zoo.md"; then pass; else fail "doc/zoo.md: no $name"; fi
done <names.txt
run 0 --json lab gap --quick --seed 2
has 'lab: json claims' "$out" '{"experiment":"gap","claim":"'
has 'lab: json summary' "$out" '{"experiment":"gap","seed":2,"quick":true,"claims":'
run 0 lab gap --quick -o lab --threads 1
mv lab/gap.json one-thread.json
run 0 lab gap --quick -o lab --threads 3 --journal lab.journal
if cmp -s lab/gap.json one-thread.json; then pass; else fail 'lab: the same with three threads and a journal'; fi
head -n 3 lab.journal | head -c -5 >part.journal
run 0 lab gap --quick -o lab --journal part.journal
has 'lab: a cut journal' "$err" 'the end of the journal was damaged'
if cmp -s lab/gap.json one-thread.json; then pass; else fail 'lab: the same from a part of a journal'; fi
run 2 lab gap --quick --seed 2 --journal lab.journal
has 'lab: the journal of another seed' "$err" 'is the journal of another job'
run 0 lab gap --quick --seeds 4-5 -o lab
has 'lab: a sweep' "$out" '      with 2 of 2 seeds'
has 'lab: a sweep in all' "$out" ' 0 failed, seeds 4-5; report in lab/sweep.md'
same 'lab: lines of a sweep' "$(($(wc -l <lab/sweep-claims.csv) * 2 - 1))" "$(wc -l <lab/sweep-seeds.csv)"
run 0 --json lab gap --quick --seeds 7
has 'lab: a sweep, json' "$out" '{"experiment":"sweep","seed":7,"seeds":1,"quick":true,"claims":'
for seeds in '' 2-1 x 1- -3 1-2x 99999999999999999999 1-99999999; do run 2 lab gap --seeds "$seeds"; done
has 'lab: bad seeds' "$err" '--seeds must be as 1-20'
run 2 lab gap --seeds 1-2 --seed 1
run 2 lab --seeds 1-2
run 2 lab all gap
has 'lab: all and a name' "$err" 'all has every experiment'
run 3 lab gap --quick -o missing/lab
has 'lab: missing folder' "$err" "cannot make the folder 'missing/lab'"

# All experiments with their claims, one page; what is whole is not run again, what was changed is.
lab_all() {
    run 0 lab all --quick -o labs
    lacks 'lab all: no claim fails' "$out" 'FAILS'
    lacks 'lab all: nothing is kept at first' "$out" 'kept'
    has 'lab all: summary' "$out" ' 0 failed, seed 1; the page is labs/report.html'
    cp labs/report.html first.html
    names=$("$temper" lab | sed 's/ .*//')
    for name in $names; do
        has "lab all: $name" "$(cat labs/report.html)" "<section id=\"$name\">"
        has "doc/lab.md: $name" "$(cat "$root/doc/lab.md")" "| \`$name\` |"
    done
    lacks 'lab all: no network' "$(cat labs/report.html)" 'src='
    echo >>labs/gap-law.csv
    run 0 lab all --quick -o labs
    has 'lab all: a changed file' "$(grep '^gap ' <<<"$out")" ' 0 failed'
    lacks 'lab all: a changed file' "$(grep '^gap ' <<<"$out")" 'kept'
    has 'lab all: the others are kept' "$(grep '^zoo ' <<<"$out")" 'kept from before'
    if cmp -s labs/report.html first.html; then pass; else fail 'lab all: the same page'; fi
    run 0 --json lab all --quick -o labs
    has 'lab all: json' "$out" '{"experiment":"zoo","claims":31,"failed":0,"kept":true}'
    has 'lab all: json summary' "$out" '{"experiment":"all","seed":1,"quick":true,"claims":'
    sed -i 's/^failed 0$/failed 1/; /^end /d' labs/zoo.stamp
    digest=$(sha256sum labs/zoo.stamp | cut -d' ' -f1)
    echo "end $digest" >>labs/zoo.stamp
    run 1 lab all --quick -o labs
    has 'lab all: a claim that fails' "$(grep '^zoo ' <<<"$out")" ' 1 failed (kept from before)'
    has 'lab all: the page says so' "$(cat labs/report.html)" '1 does not hold'
}
# Half a minute: make test-long has it. make test-mpi runs all experiments, too, and t-lab-job keeps, changes and fails some.
case ${TEMPER_TEST_EFFORT:-1} in 0.* | 1) ;; *) lab_all ;; esac
run 3 lab all --quick -o missing/labs
has 'lab all: missing folder' "$err" "cannot make the folder 'missing/labs'"

finish
