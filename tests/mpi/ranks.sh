#!/usr/bin/env bash
# temper-mpi against temper: the same bytes on 1 to 4 ranks, and after ranks were killed at random, again and again.
# Usage: tests/mpi/ranks.sh BUILD; ends with "mpi: N passed, M failed".
set -u
build=$(cd "$1" && pwd)
kills=${TEMPER_TEST_KILLS:-20}
RANDOM=${TEMPER_TEST_SEED:-1}
work=$(mktemp -d)
cd "$work" || exit 1
trap 'cd /; rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
passed=0 failed=0

check() { # what, condition's exit code
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
    fi
}

ranks() { # number, arguments of temper-mpi
    local n=$1
    shift
    mpirun --oversubscribe -n "$n" "$build/temper-mpi" "$@"
}

same() { # what, file, file
    cmp -s "$2" "$3"
    check "$1: $(head -c 300 "$2") instead of $(head -c 300 "$3")" $?
}

# ---- undisturbed: back, forward, both ways, one by one; agreeing and not; random strings ----

{
    "$build/temper" compile -f '#>[b] >= 12' --alphabet ab -o forward.temper
    "$build/temper" compile --gallery dyck-1 -o hard.temper
    "$build/temper" soften hard.temper --length 8 -o gallery.temper
} >/dev/null 2>&1
printf 'transduce\nalphabet a b\nemit 1 = Y a\nemit 0 otherwise\n' >written.spec
printf 'next\nprobabilities uniform\nregex (ab|ba)*\n' >next.spec
printf 'start q0\naccept q0\nq0 a q1\nq1 b q0\nq1 a q1\n' >table.dfa
cat >cases <<'CASES'
-f|(a S b) & #[a] % 3 = 1|--method|positions|--exhaustive|15|--random|3000
-f|(a U b) & #>[a] % 3 = 1|--method|temperature|--exhaustive|15|--random|0
-f|F a & O b & #[a] = #>[b]|--at|last|--method|temperature|--exhaustive|12
forward.temper|-f|#>[b] >= 11|--exhaustive|14|--random|0
forward.temper|-f|#>[b] >= 12 & #>[a] < 60|--exhaustive|8|--random|4000|--length|200
-f|a|--exhaustive|3
gallery.temper|--exhaustive|8|--random|0
-F|written.spec|--exhaustive|9|--random|500
-F|next.spec|--exhaustive|9|--random|500
--regex|(ab)*c?[ab]{2,5}|--method|temperature|--exhaustive|8|--random|500
--dfa|table.dfa|--exhaustive|10|--random|500
CASES
while IFS= read -r line; do
    IFS='|' read -r -a arguments <<<"$line"
    "$build/temper" check --json "${arguments[@]}" >expected 2>expected.err
    code=$?
    for n in 1 2 3 4; do
        ranks $n check --json "${arguments[@]}" >got 2>got.err
        check "$line on $n ranks: exit code, not $code; $(head -c 300 got.err)" $(($? != code))
        same "$line on $n ranks" got expected
    done
done <cases

# ---- journals are shared with temper, whatever made them ----

job=(check -f '(a S b) & #[a] % 3 = 1' --alphabet ab --method temperature --exhaustive 17 --random 2000 --json)
"$build/temper" "${job[@]}" >expected
ranks 3 "${job[@]}" --journal made >got 2>&1
same 'with a journal' got expected
head -n 30 made >part
"$build/temper" "${job[@]}" --journal part >got 2>&1
same 'a journal begun by temper-mpi, ended by temper' got expected
sort made >made.sorted
sort part | cmp -s - made.sorted
check 'the two journals have the same records' $?
ranks 2 "${job[@]}" --exhaustive 16 --journal made >got 2>got.err
check 'an option twice is refused' $(($? != 2))
ranks 2 check -f 'a S b' --method temperature --journal made >got 2>got.err
check 'the journal of another job is refused' $(($? != 2))
grep -q 'another job' got.err
check "and named: $(head -n 3 got.err)" $?
[ "$(grep -c 'is the journal of another job' got.err)" = 1 ]
check 'once, not by every rank' $?
mpirun --oversubscribe -n 1 "$build/temper-mpi" check -f a --hard : -n 1 "$build/temper-mpi" check -f b --hard >got 2>got.err
check 'ranks with different jobs: exit code' $(($? == 0))
grep -q 'rank 1 has another job' got.err
check "ranks with different jobs: $(head -n 5 got.err)" $?
mpirun --oversubscribe -n 1 "$build/temper-mpi" check -f a --hard : -n 1 "$build/temper-mpi" check none.temper >got 2>got.err
grep -q "cannot read 'none.temper'" got.err
check "a rank that cannot read its file says so: $(head -n 5 got.err)" $?
ranks 2 run -f a b >got 2>got.err
check 'only commands with jobs' $(($? != 2))

# ---- limits: the same table on any number of ranks, and from a part of its journal ----

job=(limits -f '(a S b) & #[a] >= #[b]' --alphabet abc --effort 0.005 --json)
"$build/temper" "${job[@]}" >expected
for n in 1 2 3 4; do
    ranks $n "${job[@]}" >got 2>got.err
    same "limits on $n ranks" got expected
done
ranks 3 "${job[@]}" --journal limits >got 2>&1
same 'limits with a journal' got expected
"$build/temper" limits -F next.spec --type bf16 --effort 0.01 --json >several
ranks 3 limits -F next.spec --type bf16 --effort 0.01 --json >got 2>&1
same 'limits of several outputs on 3 ranks' got several
head -n 9 limits >limits.part
ranks 2 "${job[@]}" --journal limits.part >got 2>&1
same 'limits from a part of a journal' got expected
"$build/temper" "${job[@]}" --csv >got 2>got.err
check 'limits: --csv and --json are refused together' $(($? != 2))

# ---- lab: the same answers and files on any number of ranks, seeds and all ----

job=(lab zoo gap schedules --quick --seed 3 -o out)
"$build/temper" "${job[@]}" --threads 1 >expected
mv out whole.out
for n in 1 2 3 4; do
    ranks $n "${job[@]}" >got 2>got.err
    same "lab on $n ranks" got expected
    diff -r out whole.out >differences
    check "lab on $n ranks: $(head -c 300 differences)" $?
    rm -rf out
done
job=(lab gap schedules --quick --seeds 3-5 --json)
"$build/temper" "${job[@]}" >expected
for n in 2 3; do
    ranks $n "${job[@]}" >got 2>got.err
    same "a sweep on $n ranks" got expected
done
ranks 3 "${job[@]}" --journal sweep >got 2>&1
head -n 9 sweep >sweep.part
"$build/temper" "${job[@]}" --journal sweep.part >got 2>&1
same 'a sweep from a part of a journal' got expected

# all, into a folder that is empty, has a part of it, or all of it
"$build/temper" lab all --quick -o all.expected >expected
check 'lab all: every claim holds' $?
grep -q ' 0 failed, seed 1; the page is all.expected/report.html' expected
check "lab all: $(tail -n 1 expected)" $?
sed -i s/all.expected/all/ expected
mkdir all
cp all.expected/schedules* all
ranks 3 lab all --quick -o all >got 2>got.err
sed -i 's/ (kept from before)//' got
same 'lab all' got expected
diff -r all all.expected >differences
check "lab all: $(head -c 300 differences)" $?
ranks 2 lab all --quick -o all >got 2>got.err
[ "$(grep -c 'kept from before' got)" = "$("$build/temper" lab | wc -l)" ]
check "lab all, again: $(head -c 300 got)" $?

# ---- killed: check, limits and the lab ----

records() { # in the journal, whole or not
    local lines=0
    [ -f journal ] && lines=$(wc -l <journal)
    echo $((lines > 0 ? lines - 1 : 0))
}

# Kills a random rank of the mpirun with process number $1 once the journal has so many records.
kill_one() { # mpirun, records
    local mpirun=$1 wanted=$2 children
    while kill -0 "$mpirun" 2>/dev/null; do
        if [ "$(records)" -ge "$wanted" ]; then
            read -r -a children < <(ps -o pid= --ppid "$mpirun" | tr '\n' ' ')
            [ ${#children[@]} -gt 0 ] || continue
            kill -9 "${children[RANDOM % ${#children[@]}]}" 2>/dev/null
            return
        fi
        sleep 0.01
    done
}

# The job, killed again and again and started again on another number of ranks, until it has been killed often enough; each trial ends
# with a run that is left alone. A kill counts if it hit a run that had not ended: mpirun failed, and the journal lacks units.
killed_job() { # name, whether it writes into out, arguments of temper-mpi
    local name=$1 files=$2 units step done_kills=0 midway=0 trials=0 attempts n last=0 mpirun code had
    shift 2
    rm -rf journal out
    ranks 1 "$@" --journal journal >expected 2>&1
    units=$(records)
    "$build/temper" "$@" >got
    same "$name: temper and one rank" got expected
    rm -rf whole.out
    if [ "$files" = yes ]; then mv out whole.out; fi
    step=$((units / 5 + 1))
    while [ "$done_kills" -lt "$kills" ] && [ "$trials" -lt "$kills" ]; do
        trials=$((trials + 1)) attempts=0
        rm -rf journal out
        while :; do
            attempts=$((attempts + 1))
            n=$((1 + RANDOM % 4))
            [ $n = $last ] && n=$((n % 4 + 1))
            last=$n had=$(records)
            ranks $n "$@" --journal journal >got 2>got.err &
            mpirun=$!
            if [ "$done_kills" -lt "$kills" ] && [ $attempts -le 8 ] && [ $((had + step)) -lt "$units" ]; then
                case $((RANDOM % 5)) in
                0) sleep 0.$((2 + RANDOM % 4)) && kill_one $mpirun 0 ;; # perhaps before it has begun
                *) kill_one $mpirun $((had + 1 + RANDOM % step)) ;;
                esac
            fi
            wait $mpirun
            code=$?
            [ $code = 0 ] && break
            if grep -q 'in use by another process' got.err; then # rank 0 of the last attempt is still dying
                sleep 0.3
                continue
            fi
            if [ "$(records)" -lt "$units" ] && ! [ -s got ]; then
                done_kills=$((done_kills + 1))
                if [ "$(records)" -gt "$had" ]; then midway=$((midway + 1)); fi
            fi
            # now and then the machine takes the end of the file with it; mpirun may end before its ranks do, so wait for the one that writes
            if [ $((RANDOM % 4)) = 0 ] && [ -s journal ]; then flock journal truncate -s -$((RANDOM % 70)) journal; fi
            if [ $attempts -gt 40 ]; then break; fi
        done
        check "$name, trial $trials ends: $(head -c 300 got.err)" $code
        same "$name, trial $trials on $n ranks after kills" got expected
        sort journal | uniq -d | grep -q .
        check "$name, trial $trials: no unit is recorded twice" $(($? == 0))
        [ "$(records)" = "$units" ]
        check "$name, trial $trials: $(records) units recorded, not $units" $?
        if [ "$files" = yes ]; then
            diff -r out whole.out >differences
            check "$name, trial $trials: $(head -c 300 differences)" $?
        fi
    done
    check "$name: $done_kills kills, after $midway of which work was done, in $trials trials" \
        $((done_kills < kills || midway < kills / 2))
    echo "mpi: $name: $units units, $done_kills kills before the end in $trials trials, $midway with new results kept"
}

killed_job check no check -f 'O a & (a S b) & Y b & #[a] >= #[b] & H(a | b)' --alphabet ab --method temperature \
    --exhaustive 19 --random 4000 --json
killed_job limits no limits -f '(a S b) & #[a] >= #[b]' --alphabet abc --effort 0.01 --json
killed_job lab yes lab zoo gap --quick -o out
echo "mpi: $passed passed, $failed failed"
[ "$failed" = 0 ]
