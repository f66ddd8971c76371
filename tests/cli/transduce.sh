#!/bin/bash
# Transducers, from outside. Usage: tests/cli/transduce.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- transducers -----------------------------------------------------------------------------------------------------

cat >add.spec <<'EOF'
alphabet a b c d
transduce
emit '1' = [bc] ^ Y([bc] S d)
emit '0' otherwise
EOF
run 0 eval -F add.spec bd ddb ''
same 'eval writes' "10${tab}bd
010${tab}ddb
${tab}" "$out"
run 0 run -F add.spec bd ddb ''
same 'run writes' "10${tab}bd
010${tab}ddb
${tab}" "$out"
# A proof of verdicts only: the answer at the letters before the last stands on the threshold.
sed 's/^channel 3 .*/&\nchannel 4 "before the end" position "[i < n]"/; s/^read 3:1/read 3:1 4:0.5/' \
    "$root/examples/first-a.temper" >verdict-hard.temper
run 0 soften verdict-hard.temper --length 8 -o verdict.temper
has 'soften, the verdict only' "$out$err" 'the verdict only'
run 0 run verdict.temper ab
same 'run, the verdict only' "accept${tab}ab" "$out"
run 4 run verdict.temper --per-position ab
same 'run --per-position, the verdict only' "error${tab}ab" "$out"
has 'run --per-position, the verdict only' "$err" 'only the verdict is proved of this model'
run 0 run verdict.temper --unchecked --per-position ab
same 'run --unchecked --per-position, the verdict only' "accept (unproved)${tab}ab${tab}11" "$out"

run 0 run -F add.spec --per-position dca
same 'what is written where' "001${tab}dca${tab}0 0 1" "$out"
run 0 eval --json -F add.spec --per-position dca
same 'as JSON' '{"string":"dca","output":"001","positions":["0","0","1"]}' "$out"
run 0 run --json -F add.spec dca
has 'run as JSON' "$out" '{"string":"dca","output":"001","proved":'
run 0 run -q -F add.spec dca
same 'quiet' '' "$out"
run 0 run -F add.spec --stream <<<'ddb'
same 'letter by letter' "0${tab}1
1${tab}2
0${tab}3" "$out"
run 0 run --json -F add.spec --stream <<<'d'
has 'letter by letter as JSON' "$out" '{"length":1,"output":"0","proved":'
run 0 explain -F add.spec
has 'its kind' "$out" 'kind           transducer, 2 outputs'
has 'one output' "$out" 'exactly one holds at each position: proved for strings of every length'
has 'the outputs' "$out" 'output        read-out                          formula'
has 'where one is' "$out" '1             channel '
run 0 show -F add.spec ddb
has 'where outputs hold' "$out" 'outputs (1: it holds)
             d d b
1            . 1 .
0            1 . 1'
run 0 show --json -F add.spec ddb
has 'the same as JSON' "$out" '{"output":"1","from":1,"holds":[0,1,0]}'
run 0 show -F add.spec -o add.svg ddb
has 'outputs in a picture' "$(cat add.svg)" '1, position 2 d: holds</title>'
has 'what is written in a picture' "$(cat add.svg)" '>writes 010</text>'
run 0 explain --json -F add.spec
has 'outputs as JSON' "$out" '"kind":"output","output":"1","read_out":"channel '
run 0 check -F add.spec --exhaustive 3 --random 20
has 'checked' "$out" 'agreed'
has 'and proved to write one thing' "$out" "proved${tab}exactly one output at each position${tab}for strings of every length"
run 0 compile -F add.spec -o add.temper
run 0 compile -F add.spec -o add.safetensors
for file in add.temper add.safetensors; do
    run 0 run $file ddb
    same "$file writes" "010${tab}ddb" "$out"
done
same 'version 2' 'temper-model 2 kind transducer' "$(head -n 2 add.temper | tr '\n' ' ' | sed 's/ $//')"
sed '/^digest/d; s/^read "1"/read "0"/; t; s/^read "0"/read "1"/' add.temper >turned.temper
run 1 check turned.temper -F add.spec
has 'outputs that changed places' "$out" "counterexample${tab}a${tab}temperature: at position 1 of output '"
sed '/^digest/d; s/^read "1"/read "2"/' add.temper >other.temper
run 2 check other.temper -F add.spec
has 'another output' "$err" "output '2' of the model is none of the formula"
run 2 check add.temper -f 'O a & !O b & !O c & !O d'
has 'another kind' "$err" 'the kind of the model is transducer, but that of the specification is acceptor'
cat >open.spec <<'EOF'
alphabet a b
transduce
emit x = a & O b
emit y = b
emit z = Y Y b
EOF
run 2 eval -F open.spec ba bab a
same 'no guess' "yx${tab}ba
error${tab}bab
error${tab}a" "$out"
has 'two outputs' "$err" "string 2: at position 3, 2 outputs hold: 'y' and 'z'"
has 'no output' "$err" 'string 3: at position 1 no output holds'
run 2 run --hard -F open.spec bab
has 'nor when it runs' "$err" "at position 3, 2 outputs hold: 'y' and 'z'"
run 2 run --unchecked -F open.spec --stream <<<'bab'
has 'nor letter by letter' "$out" "error${tab}3"
has 'which says why' "$err" 'at position 3 several outputs hold'
run 0 compile -F open.spec -o open.temper
has 'compile warns' "$err" "not exactly one output holds at each position: at position 1 no output holds of 'a'"
run 1 check -F open.spec --exhaustive 3 --random 5
has 'the shortest string' "$out" "counterexample${tab}a${tab}at position 1 no output holds"
run 1 check --json -F open.spec --exhaustive 3 --random 5
has 'as JSON, too' "$out" '"one_output":"refuted","counterexample":"a","position":1'
run 0 check -f 'transduce
emit x = #[a] > #[b]
emit y = #[a] < #[b]
emit z otherwise' --exhaustive 3 --random 5
has 'tested, not proved' "$out" "tested${tab}exactly one output at each position${tab}on "
run 0 eval -f 'tokens yes
transduce
emit ok = ack & Y req
emit nothing otherwise' 'req ack ack req ack'
same 'tokens with blanks' "ok ok${tab}req ack ack req ack" "$out"
run 4 run -f 'transduce
emit x = F a
emit y otherwise' --alphabet ab --stream <<<'ab'
run 0 compile -f "transduce
emit letter = rightmost[j<=i, Y letter is letter] letter
emit '.' otherwise" --alphabet abcdefgh -o induction.temper
has 'induction over any alphabet' "$out$err" '2 layers, 2 heads'
run 0 run induction.temper abcadbfhea
same 'a line for each letter' "...b.c...d${tab}abcadbfhea" "$out"
run 4 automaton -F add.spec
has 'no automaton of strings' "$err" 'a transducer accepts no strings, it writes them'

finish
