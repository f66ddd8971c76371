#!/bin/bash
# The alphabet: one letter, other letters, and what it makes simpler, from outside. Usage: tests/cli/alphabet.sh path/to/temper
. "$(dirname "$0")/common.bash"
"$temper" compile -q -f 'a S b' --alphabet abc -o m.temper

# ---- the alphabet: one letter, other letters, and what it makes simpler ----------------------------------------------

run 0 compile -f 'O a' -o one.temper
has 'one letter is mentioned' "$err" 'the alphabet is the only letter that is named, a; --alphabet ab adds others'
run 0 compile -f 'O a' --alphabet a -o one.temper
same 'one letter on purpose' '' "$err"
run 0 eval --tokens --other x -f 'O a' 'b c' 'b a'
same 'other tokens' "reject${tab}b c
accept${tab}b a" "$out"
run 0 run -f 'O a' --other z axb xx
same 'other letters' "accept${tab}axb
reject${tab}xx" "$out"
printf 'GET /x\nrequest 17 grant\ngrant again\n' >log
run 0 run -F "$root/examples/requests.spec" --stream <log
same 'a real log' 7 "$(grep -c accept out)"
sed '/^other/d' "$root/examples/requests.spec" >strict.spec
run 0 run -F strict.spec --other release --stream <log
same 'a real log, by the option' 7 "$(grep -c accept out)"
run 2 run -F strict.spec --stream <log
has 'a real log without --other' "$err" '--other NAME reads tokens that are not in the alphabet as NAME'
run 2 run m.temper --other z ab
has 'other: of a model' "$err" "--other: the alphabet has no letter 'z'"
for file in other.temper other.safetensors; do
    run 0 compile -f 'O a' --other z -o $file
    run 0 run $file q qa
    same "other: $file keeps it" "reject${tab}q
accept${tab}qa" "$out"
    run 0 run $file --other a q
    same "other: $file, another one" "accept${tab}q" "$out"
    run 0 eval $file q qa
    same "other: $file, its formula" "reject${tab}q
accept${tab}qa" "$out"
    run 0 run --stream $file <<<qa
    same "other: $file, a stream" "reject${tab}1
accept${tab}2" "$out"
    run 0 explain $file
    has "other: $file explained" "$out" 'a z; others are read as z'
done
run 0 export other.temper -o other.folder
has 'other: a tokenizer reads unknown ones as it' "$(cat other.folder/tokenizer.json)" '"unk_token": "z"'
lacks 'other: a letter is no special token' "$(cat other.folder/tokenizer_config.json)" unk_token
for formula in 'a S b' 'a U b' 'a T b' 'a R b'; do
    run 0 explain -f "$formula"
    told=$(sed -n 's/^simplified     //p' out)
    has "explain says what is simpler: $formula" "$told" "$formula is "
    simple=${told#* is }
    run 0 check -f "$formula" --against "${simple%%:*}"
    has "and it is the same: $formula" "$out" same
    case $formula in *T* | *R*) continue ;; esac # no position has two letters
    run 0 explain -f "$formula" --alphabet abc
    lacks "with a third letter nothing is simpler: $formula" "$out" simplified
done

finish
