#!/bin/bash
# limits, limits of work, and progress, from outside. Usage: tests/cli/limits.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- limits -------------------------------------------------------------------------------------------------------

run 0 limits -f 'a S b' --alphabet abc --type bf16/f32 --effort 0.05
has 'limits: the head line' "$out" 'type      method      proved length       first wrong at letter  ratio  head why              string'
has 'limits: certified and wrong' "$out" 'bf16/f32  temperature            84                85        65   1.01  1.1  representability '
has 'limits: the other method' "$out" 'bf16/f32  positions '
has 'limits: the head is named' "$out" 'head 1.1: a S b'
table=$out
run 0 limits -f 'a S b' --alphabet abc --type bf16/f32 --effort 0.05 --threads 1 --journal limits.journal -o limits.svg
same 'limits: threads and a journal change nothing' "$table" "$out"
has 'limits: a chart' "$(cat limits.svg)" '>Limits of a S b</text>'
head -n 2 limits.journal >part.journal
run 0 limits -f 'a S b' --alphabet abc --type bf16/f32 --effort 0.05 --journal part.journal
same 'limits: from a part of the journal' "$table" "$out"
run 2 limits -f 'a S b' --alphabet abc --type f64 --method digits
has 'limits: no row' "$err" 'there is no model by this method in this type'
run 2 limits -f 'a S b' --alphabet abc --type bf16/f32 --effort 0.06 --journal limits.journal
has 'limits: the journal of another job' "$err" 'another job'
run 0 limits -f 'a S b' --alphabet abc --type bf16 --method positions --effort 0.05 --csv -o limits.json
has 'limits: csv' "$out" 'bf16,positions,'
same 'limits: csv has one row' 2 "$(printf '%s\n' "$out" | wc -l)"
has 'limits: json in a file' "$(cat limits.json)" '"type":"bf16","method":"positions"'
run 0 limits -f 'O a' --alphabet ab --type bf16 --method temperature --effort 0.02 --length 300
has 'limits: none' "$out" 'none to 300'
run 0 -q limits -f 'O a' --type e5m2 --effort 0.01
same 'limits: quiet' '' "$out"
run 0 compile -f 'a S b' --alphabet abc --method positions -o positions.temper
run 0 limits positions.temper --type bf16 --effort 0.02 --json
has 'limits of a model: its own method' "$out" '"type":"bf16","method":"positions"'
has 'limits of a model: the other, from its formula' "$out" '"type":"bf16","method":"temperature"'
run 2 limits positions.temper -f a
has 'limits: model and formula' "$err" 'one at a time'
run 2 limits positions.temper --type exact
has 'limits: exact' "$err" 'there is no rounding'
run 2 limits -f a -o limits.txt
has 'limits: suffix' "$err" '-o FILE must end in .csv, .json, .svg, .png or .pdf'
run 2 limits -f a --effort none
has 'limits: effort' "$err" '--effort must be a number'
run 2 limits -f a --json --csv
has 'limits: one output' "$err" '--csv and --json exclude each other'
run 2 limits
has 'limits: nothing given' "$err" 'limits needs a formula or a model'

# ---- limits of work, and progress ----

run 0 automaton --timeout 200 --alphabet abc --regex '((.|[bc]b)[^a]b){2,}(.[ab][^a]|[ab]bb.)([ab]|[bc])[^a][^a][bc]b(.|)'
has 'an automaton whose loop cancels a move' "$out" 'the minimal automaton: 398 states'
has 'and its groups' "$out" 'star-free          no: '
same 'all is decided' '' "$err"
run 0 next --timeout 200 -f '#[a] % 65535 = 1' a
same 'a large remainder' "a \$${tab}a" "$out"
run 4 next -f '#[a] % 65536 = 1' a
same 'a larger one names the limit and the option' 'temper: formula: its automaton has more than 65536 states before it is made minimal
hint: --effort 10 raises the limit tenfold' "$err"
run 0 automaton -f '#[a] <= 3000'
has 'too large to classify' "$out" '-- star-free          unknown: it has more than 4000000 pairs of states'
has 'and what to do' "$err" 'not decided: finite, definite, reverse definite, locally testable, piecewise testable, R-trivial, star-free, solvable; --effort 10 raises'
for words in "run --regex (a{1,100}b){1,30} ab" "explain --regex (a{1,100}b){1,30}" "check --regex (a{1,100}b){1,30}"; do
    # shellcheck disable=SC2086
    run 4 $words
    has "too much work is no theorem: $words" "$err" 'too much work to compile it here: words lead to more than 4000 sets of states'
    has "and what raises it: $words" "$err" '--effort 10 raises the limit tenfold'
    lacks "no theorem: $words" "$err" 'constant depth'
done
printf 'start 0\naccept 0\n0 a 1\n1 a 0\n2 a 2\n3 a 3\n4 a 4\n0 b 1\n1 b 2\n2 b 3\n3 b 4\n4 b 0\n' >s5.dfa
run 4 run --dfa s5.dfa --effort 10 ab
has 'a theorem, with its group' "$err" 'no transformer of constant depth: '
has 'which is not solvable' "$err" 'as S5, of order 120, which is not solvable'
lacks 'no effort helps' "$err" '--effort'
run 0 compile --per-position --effort 4 --regex '(a|b)*a(a|b){10}' -o effort.temper
run 0 run effort.temper --effort 4 abababababa bbbbbbbbbbb
same 'with more effort' "accept${tab}abababababa
reject${tab}bbbbbbbbbbb" "$out"
run 2 run -f a --effort 0.5 a
has 'too little effort' "$err" '--effort must be a number from 1 to 1000000'
run 2 limits -f a --effort 1e3
has 'effort in other words' "$err" '--effort must be a number from 0.001 to 1000000'
strings=(check -f 'a S b' --alphabet abc --method positions --exhaustive 12 --random 0 --threads 1)
TEMPER_PROGRESS=0.02 run 0 "${strings[@]}"
has 'progress, not on a terminal' "$err" ' s so far; positions: '
has 'how far' "$err" ' of 797161 strings, about '
TEMPER_PROGRESS=0.02 run 0 "${strings[@]}" --json
has 'progress as an object' "$err" '"command":"check","seconds":'
has 'of a total' "$err" '"total":797161'
TEMPER_PROGRESS=0.02 run 0 "${strings[@]}" -q
same 'quiet' '' "$err"

finish
