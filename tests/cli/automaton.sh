#!/bin/bash
# automaton, two specifications compared, and pages of show --html, from outside. Usage: tests/cli/automaton.sh path/to/temper
. "$(dirname "$0")/common.bash"
usual_model

# ---- automaton ----

run 0 automaton -f 'a S b' --alphabet abc
same 'an automaton' "-- the minimal automaton: 2 states, 3 letters in 3 classes
-- finite             no: a^n b is accepted, for every n
-- definite           no: b a^n is accepted, a^n is not, for every n
-- reverse definite   no: a^n b is accepted, a^n is not, for every n
-- locally testable   no: a^n b a^n c a^n b a^n is accepted, a^n b a^n c a^n is not, for every n
-- piecewise testable no: b (cb)^n is accepted, b (cb)^n c is not, for every n
-- R-trivial          no: b (cb)^n is accepted, b (cb)^n c is not, for every n
-- star-free          yes
-- solvable           yes
alphabet [a-c]
start q0
accept q1
q0 [ac] q0
q0 b q1
q1 [ab] q1
q1 c q0" "$out"
"$temper" automaton -f 'F (a & X b)' --alphabet ab >back.dfa
run 0 automaton --json -f 'O a' --alphabet ab
has 'as JSON' "$out" '{"states":2,"classes":2,"start":0,"dead":null,"letters":["a","b"],"class_of":[0,1],"accepts":[false,true],"next":[[1,0],[1,1]],'
has 'piecewise testable' "$out" '"piecewise testable":{"holds":true,"because":""}'
run 0 automaton --dot -f 'O a' --alphabet ab
has 'for Graphviz' "$out" '    q1 [shape=doublecircle];'
has 'its moves' "$out" '    q1 -> q1 [label="[ab]"];'
run 0 automaton -f 'O a' --alphabet ab -o a.dot
same 'by its name' '' "$out"
has 'by its name' "$(cat a.dot)" 'digraph automaton'
run 0 automaton -f 'H(b -> O a)' --alphabet abc -o a.svg
has 'a picture' "$(cat a.svg)" 'Moves that are not drawn lead to q'
run 0 automaton -f '#[a] % 2 = 1' --alphabet ab
has 'parity' "$out" 'star-free          no: (aa)^n a is accepted, (aa)^n is not, for every n'
run 4 automaton -f '#[a] > #[b]'
has 'no automaton' "$err" "'#[a] > #[b]' compares counts that grow without a bound"
run 0 automaton -f '#[a] % 65536 = 1' --json
has 'the largest' "$out" '"states":65536,'
run 4 automaton -f '#[a] % 65537 = 1'
has 'too large' "$err" 'more than 65536 states'
run 2 automaton --dot --json -f a
run 2 automaton -f a b

# two specifications, strings of every length
run 0 check -f 'a S b' --against 'b | (a & Y (a S b))' --alphabet abc
same 'the same' "same${tab}strings of every length${tab}the minimal automaton has 2 states" "$out"
run 1 check -f 'a S b' --against 'O b' --alphabet abc
same 'not the same' "counterexample${tab}bc${tab}the specification says reject, the one of --against accept\
 (length 2, none is shorter)" "$out"
run 1 check --json -f 'a S b' --against 'O b' --alphabet abc
same 'not the same, as JSON' '{"same":false,"states":2,"against_states":2,"counterexample":"bc","length":2,"accept":false,"against_accept":true}' "$out"
run 1 check -q -f 'a S b' --against 'O b' --alphabet abc
same 'quiet' '' "$out$err"
run 0 check -f 'F a' --against 'F (a | (b & !b))'
printf 'alphabet a b\nempty accept\nO b\n' >once.spec
run 1 check -f 'O b' --alphabet ab --against once.spec
same 'the empty string' "counterexample${tab}${tab}the specification says reject, the one of --against accept\
 (length 0, none is shorter)" "$out"
run 0 compile -F once.spec -o once.temper
run 0 check once.temper --against once.spec
run 0 check -F once.spec --against once.temper
run 4 check -f 'a S b' --against '#[a] > #[b]'
same 'no automaton' "temper: --against:1:6: '#[a] > #[b]' compares counts that grow without a bound: no finite automaton was found for it
    #[a] > #[b]
         ^
hint: counts compared with a constant, and remainders, have finite automata" "$err"
run 4 check -f '#[a] > #[b]' --against 'a S b'
has 'which of the two' "$err" 'formula:1:6:'
run 2 check -f 'a' --against 'a S' --alphabet ab
has 'a formula that is none' "$err" '--against:1:4:'
run 3 check -f 'a' --against nothing.spec
run 2 check -f 'a' --against 'a' --hard
has 'no transformer' "$err" '--hard cannot be given with --against'

run 0 show -f "$formula" ba
has 'show' "$out" 'a S b'
case $out in *$'\033'*) fail 'colour in a file' ;; *) pass ;; esac
run 0 show m.temper --hard ba
run 2 show m.temper -o a.gif ba
has 'show: the name says what' "$err" '-o FILE must end in .svg, .png, .pdf or .html'
run 2 show m.temper --html -o a.svg ba
has 'show: a page is no picture' "$err" 'name the file FILE.html'
run 0 show m.temper -o named.html ba
has 'show: a page by its name' "$(head -c 100 named.html)" '<!DOCTYPE html>'
if oracle rsvg-convert 'no PNG and no PDF is made'; then
    run 0 show m.temper -o a.png ba
    same 'show: PNG' '89504e47' "$(head -c 4 a.png | od -An -tx1 | tr -d ' ')"
    run 0 show m.temper -o a.pdf ba
    same 'show: PDF' '%PDF' "$(head -c 4 a.pdf)"
    run 0 automaton -f 'a S b' --alphabet abc -o a.png
    run 3 show m.temper -o missing/a.png ba
fi
(
    PATH=$work/nowhere
    "$temper" show m.temper -o none.png ba >out 2>err
    echo $? >code
)
same 'show: PNG without rsvg-convert' 3 "$(cat code)"
has 'show: what to do then' "$(cat err)" 'hint: install librsvg2-bin, or write FILE.svg instead'
run 0 show m.temper -o a.svg ba
has 'svg' "$(cat a.svg)" '<svg'
run 0 show m.temper -o - ba
same 'svg on standard output' "$(cat a.svg)" "$out"
run 0 show m.temper --html -o a.html ba
same 'a page is a file' '' "$out"
has 'html' "$(cat a.html)" '<table id="string"'
run 0 show m.temper --html ba
same 'html on standard output' "$(cat a.html)" "$out"
run 0 show m.temper --html -o - ba
same 'html on -' "$(cat a.html)" "$out"
run 0 show m.temper --html --hard ba
has 'hard page' "$out" 'hard attention, numbers in f64, length 2: proved'
run 0 show m.temper --html --layer 1 --head 1 ''
has 'one head' "$out" 'id="head-1-1"'
run 2 show m.temper --html --row 1.1@2 ba
has 'html or row' "$err" '--html and --row exclude each other'
run 2 show m.temper --html --json ba
has 'html or json' "$err" '--html and --json exclude each other'
run 3 show m.temper --html -o /no/such/folder/a.html ba
run 4 show -f 'O a' --alphabet ab --html "$(printf 'a%.0s' $(seq 2048))"
has 'html: too long' "$err" '2049 positions are too many for a page: the limit is 2048'
# Refused before it is run, which would take 320 gigabytes.
head -c 200000 /dev/zero | tr '\0' a >long.txt
run 4 show -f 'O a' --alphabet ab --html - <long.txt
has 'html: refused before the run' "$err" '200001 positions are too many for a page: the limit is 2048'
run 4 show -f 'O a' --alphabet ab -o long.svg - <long.txt
has 'svg: refused before the run' "$err" '200001 positions are too many for an SVG picture: the limit is 512'
# In every number type. At 85 letters bf16 stores the same key for positions 64 and 65 of a S b, and the head shares its weight.
run 0 show -f 'a S b' --alphabet abc --type f32 bca
has 'show in f32' "$out" 'numbers in f32'
run 0 show -f 'a S b' --alphabet abc --type bf16/f32 --unchecked --html bca
has 'show in bf16/f32' "$out" 'numbers in bf16/f32, length 3'
run 0 show -f 'a S b' --alphabet abc --type bf16/f32 --unchecked -o - bca
has 'show in bf16/f32 as SVG' "$out" 'numbers in bf16/f32'
long=$(printf 'bc%.0s' $(seq 42))
run 0 show -f 'a S b' --alphabet abc --type bf16/f32 --unchecked --row 1.1@65 "${long}b"
has 'a tie at 85 letters' "$out" '65  b          1.75       1.75      1204     0.499995     1  1'
run 0 show -f 'a S b' --alphabet abc --method digits --html bca
has 'a page by digits' "$out" 'digits: softmax is made sharp by'
run 0 run -f 'a S b' --alphabet abc --type f32 --plan dense bca
same 'dense in f32' "reject	bca" "$out"

finish
