#!/bin/bash
# Journals, and work that is stopped before its end, from outside. Usage: tests/cli/journal.sh path/to/temper
. "$(dirname "$0")/common.bash"
usual_model

# ---- journals ----

rm -f j1 j2
run 0 check --json -f 'a S b' --method positions --exhaustive 16 --random 1500
whole=$out
run 0 check --json -f 'a S b' --method positions --exhaustive 16 --random 1500 --journal j1
same 'with a journal' "$whole" "$out"
head -n 9 j1 >j2
printf '8 00ff' >>j2 # a record that was not finished
run 0 check --json -f 'a S b' --method positions --exhaustive 16 --random 1500 --journal j2
same 'from a part of a journal' "$whole" "$out"
has 'damaged end' "$err" '6 bytes are cut off, 8 of'
same 'the same records' "$(sort j1)" "$(sort j2)"
run 2 check -f 'a S b' --method temperature --exhaustive 16 --random 1500 --journal j1
has 'another job' "$err" 'is the journal of another job: check'
run 2 check -f 'a S b' --journal j3
has 'both methods' "$err" 'a journal is of one comparison'
printf 'precious\n' >notes
run 2 check -f 'a S b' --hard --journal notes
same 'a file that is no journal' 'precious' "$(cat notes)"
run 3 check -f 'a S b' --hard --journal nowhere/at/all
run 1 check m.temper -f 'a S b' --exhaustive 3 --random 0 --journal j4
run 1 check m.temper -f 'a S b' --exhaustive 3 --random 0 --journal j4

# Proofs of hard choices: the same files from a whole journal, from a part of one, and after a kill.
run 0 compile --gallery dyck-2 --hard -o stack.temper
run 0 soften stack.temper --length 90 -o whole.temper
run 0 certify whole.temper --length 90 -o whole.json
rm -f j6 j7 j8 j9
run 0 soften stack.temper --length 90 --threads 2 --journal j6 -o kept.temper
same 'soften with a journal' "$(cat whole.temper)" "$(cat kept.temper)"
head -n 5 j6 >j7
printf '7 00ff' >>j7
run 0 soften stack.temper --length 90 --journal j7 -o part.temper
same 'soften from a part of a journal' "$(cat whole.temper)" "$(cat part.temper)"
has 'soften: a damaged end' "$err" '6 bytes are cut off, 4 of 11 units are kept'
run 0 certify whole.temper --length 90 --journal j8 -o kept.json
same 'certify with a journal' "$(cat whole.json)" "$(cat kept.json)"
run 2 soften stack.temper --length 91 --journal j6 -o part.temper
has 'soften: another length' "$err" 'is the journal of another job: facts'
run 2 certify whole.temper --length 90 --journal j6
has 'certify: another model' "$err" 'is the journal of another job: facts'
run 2 soften stack.temper --length 9 --gap exhaustive --journal j9
has 'soften: strings have no journal' "$err" '--gap exhaustive runs strings'
run 2 certify -f 'O a' --journal j9
has 'certify: roles need no journal' "$err" 'the heads of this model have roles'
run 2 certify -f 'O a' --as gpt2 --journal j9
if [ -e j9 ]; then fail 'no journal where there is no use for it'; else pass; fi
"$temper" soften stack.temper --length 600 --threads 1 --journal j9 -q -o killed.temper 2>/dev/null &
while [ "$(wc -l 2>/dev/null <j9 || echo 0)" -lt 4 ]; do sleep 0.02; done
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
cp j9 j10
run 0 soften stack.temper --length 600 --threads 1 -q -o whole.temper
run 0 soften stack.temper --length 600 --threads 2 --journal j9 -q -o killed.temper
if cmp -s whole.temper killed.temper; then pass; else fail 'soften goes on after a kill'; fi
same 'what was done is kept' "$(grep -c . j10)" "$(head -c "$(stat -c %s j10)" j9 | grep -c .)"

# Each answer comes before the next letter is waited for.
mkfifo letters verdicts
"$temper" run -f 'O a' --alphabet ab --stream <letters >verdicts &
pid=$!
exec 7>letters 8<verdicts
printf 'b' >&7
if IFS= read -r -t 10 first <&8; then same 'live stream' "reject${tab}1" "$first"; else fail 'live stream: no answer'; fi
printf 'a' >&7
if IFS= read -r -t 10 first <&8; then same 'live stream' "accept${tab}2" "$first"; else fail 'live stream: no answer'; fi
exec 7>&- 8<&-
wait $pid

# ---- stopped before the end ----

run 4 compile -f 'a S b' --max-memory 10k
has 'too little memory' "$err" 'this takes more than 10000 bytes of memory, which is the limit'
run 0 compile -f 'a S b' --max-memory 100M
run 2 compile -f 'a S b' --timeout 0
sleep 3 | "$temper" run -f 'a S b' --alphabet ab --stream --timeout 1 >/dev/null 2>stopped
same 'the time is up' 4 "${PIPESTATUS[1]}"
same 'and says so' 'temper: stopped after 1 second (--timeout): files are as they were, or complete' "$(cat stopped)"
rm -f j5
long=(check -f 'a S b' --alphabet abc --method positions --exhaustive 25 --random 0 --threads 1 --journal j5)
"$temper" "${long[@]}" 2>stopped &
while [ ! -s j5 ]; do sleep 0.05; done
kill -TERM $!
wait $! 2>/dev/null
same 'ended by the signal' 143 $?
same 'interrupted' "temper: interrupted: 'j5' has what was done, and the same command goes on from there" "$(cat stopped)"
run 4 "${long[@]}" --timeout 1 --json
has 'again, from the journal' "$err" '{"error":"stopped after 1 second (--timeout)","hint":"'

finish
