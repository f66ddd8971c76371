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
cat >cases <<'CASES'
-f|(a S b) & #[a] % 3 = 1|--method|positions|--exhaustive|15|--random|3000
-f|(a U b) & #>[a] % 3 = 1|--method|temperature|--exhaustive|15|--random|0
-f|F a & O b & #[a] = #>[b]|--at|last|--method|temperature|--exhaustive|12
forward.temper|-f|#>[b] >= 11|--exhaustive|14|--random|0
forward.temper|-f|#>[b] >= 12 & #>[a] < 60|--exhaustive|8|--random|4000|--length|200
-f|a|--exhaustive|3
gallery.temper|--exhaustive|8|--random|0
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
head -n 9 limits >limits.part
ranks 2 "${job[@]}" --journal limits.part >got 2>&1
same 'limits from a part of a journal' got expected
"$build/temper" "${job[@]}" --csv >got 2>got.err
check 'limits: --csv and --json are refused together' $(($? != 2))

# ---- killed ----

job=(check -f 'O a & (a S b) & Y b & #[a] >= #[b] & H(a | b)' --alphabet ab --method temperature --exhaustive 19 --random 4000 --json)
ranks 1 "${job[@]}" --journal whole >expected 2>&1
"$build/temper" "${job[@]}" >got
same 'temper and one rank' got expected
units=$(($(wc -l <whole) - 1))
done_kills=0 midway=0 trials=0

# Kills a random rank of the mpirun with process number $1 once the journal has so many lines.
kill_one() { # mpirun, lines
    local mpirun=$1 lines=$2 children
    while kill -0 "$mpirun" 2>/dev/null; do
        if [ "$lines" = 0 ] || { [ -f journal ] && [ "$(wc -l <journal)" -ge "$lines" ]; }; then
            read -r -a children < <(ps -o pid= --ppid "$mpirun" | tr '\n' ' ')
            [ ${#children[@]} -gt 0 ] || continue
            kill -9 "${children[RANDOM % ${#children[@]}]}" 2>/dev/null && done_kills=$((done_kills + 1))
            return
        fi
        sleep 0.01
    done
}

while [ "$done_kills" -lt "$kills" ] && [ "$trials" -lt $((2 * kills)) ]; do
    trials=$((trials + 1))
    rm -f journal
    for attempt in 1 2 3 4 5 6 7 8; do
        n=$((1 + RANDOM % 4))
        ranks $n "${job[@]}" --journal journal >got 2>got.err &
        mpirun=$! before=$done_kills
        if [ "$attempt" -le $((1 + RANDOM % 3)) ] && [ "$done_kills" -lt "$kills" ]; then
            case $((RANDOM % 4)) in
            0) sleep 0.$((RANDOM % 9)) && kill_one $mpirun 0 ;;
            *) kill_one $mpirun $((1 + RANDOM % units)) ;;
            esac
        fi
        wait $mpirun
        code=$?
        if [ $code = 0 ]; then break; fi
        if [ "$done_kills" -gt "$before" ] && [ -f journal ] && [ "$(wc -l <journal)" -gt 1 ]; then midway=$((midway + 1)); fi
        grep -q 'in use by another process' got.err && sleep 0.3 # rank 0 of the last attempt is still dying
        # now and then the machine takes the end of the file with it
        if [ $((RANDOM % 4)) = 0 ] && [ -s journal ]; then truncate -s -$((RANDOM % 70)) journal; fi
    done
    check "trial $trials ends: $(head -c 300 got.err)" $code
    same "trial $trials on $n ranks after kills" got expected
    sort journal | uniq -d | grep -q .
    check "trial $trials: no unit is recorded twice" $(($? == 0))
done
check "$done_kills kills, $midway of them midway, in $trials trials" $((done_kills < kills || midway < kills / 4))
echo "mpi: $done_kills kills in $trials trials, $midway with a part of the work done"
echo "mpi: $passed passed, $failed failed"
[ "$failed" = 0 ]
