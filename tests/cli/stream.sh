#!/bin/bash
# Streams, from outside. Usage: tests/cli/stream.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- streams --------------------------------------------------------------------------------------------------------

run 0 run -f 'a S b' --alphabet abc --stream <<<"baca
ba"
same 'stream' "accept${tab}1
accept${tab}2
reject${tab}3
reject${tab}4
accept${tab}5
accept${tab}6" "$out"
run 0 run -f 'H (ack -> O req)' --tokens --stream - <<<"req  ack
ack"
same 'stream of tokens' "accept${tab}1
accept${tab}2
accept${tab}3" "$out"
run 2 run -f "O 'é'" --alphabet 'aé' --stream <<<'aéxa'
same 'stream: unknown letter' "reject${tab}1
accept${tab}2
error${tab}3" "$out"
has 'stream: unknown letter named' "$err" "standard input:1: unknown letter 'x' at position 3"
run 0 run --type f32 -f 'a S b' --alphabet abc --stream <<<'baca'
same 'stream in f32' "accept${tab}1
accept${tab}2
reject${tab}3
reject${tab}4" "$out"
run 4 run -f 'O a & F b' --at last --stream <<<'ab'
has 'stream: looks forward' "$err" '(F b) looks forward'
run 0 run --json -f 'O a' --alphabet ab --stream <<<'ba'
same 'stream json' '{"length":1,"accept":false,"proved":true,"claim":"formula"}
{"length":2,"accept":true,"proved":true,"claim":"formula"}' "$out"
run 0 compile -f 'O a' --alphabet ab -o plain.temper
sed '/^digest/d;s/^embed "a"/channel 99 "odd" position "3*i + 1"\n&/' plain.temper >odd.temper
sed -i "s/^channel 99/channel $(grep -c '^channel [0-8]' odd.temper)/" odd.temper
run 0 run odd.temper --unchecked --stream <<<'b'
has 'stream: whole strings only' "$err" 'proved of whole strings, not of runs letter by letter'
run 0 run -f 'O a' --alphabet ab --scale 1x --stream <<<'b'
has 'stream: other scales' "$err" 'the softmax scales are those of --scale'
sed '/^digest/d;s/^source "O a"/source "H a"/' plain.temper >lies.temper
run 0 run lies.temper --stream <<<'b'
has 'stream: which claim' "$err" "proved are only the model's own hard choices"
run 1 run -q -f 'O a' --alphabet ab --stream <<<'bb'
same 'quiet stream' '' "$out"
run 0 run -q -f 'O a' --alphabet ab --stream <<<'ba'
run 0 run -f 'O a' --alphabet ab --stream --errors <<<'ba'
has 'stream errors' "$out" 'largest error before rounding over 1 string'
run 2 run -f 'O a' --stream abc
has 'stream takes no strings' "$err" '--stream takes no strings'
run 2 run -f 'O a' --stream --per-position </dev/null
run 0 check -f 'a S b' --exhaustive 9 --random 0 --threads 2
run 2 check -f 'a S b' --threads 0

finish
