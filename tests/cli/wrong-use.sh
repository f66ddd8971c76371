#!/bin/bash
# Wrong uses: the message says what to do, from outside. Usage: tests/cli/wrong-use.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- wrong uses: the message says what to do -------------------------------------------------------------------------

"$temper" compile -q -f 'a S b' --alphabet abc -o m.temper
"$temper" compile -q -f 'a S b' --alphabet abc --hard -o h.temper
"$temper" compile -q -f 'F a' --alphabet ab -o ahead.temper
wrong=0
while IFS= read -r use; do
    case $use in
    'eval "O a"'* | *nothere* | 'run -F . '* | 'compile -f "O a" -o . '* | 'explain "a S b" '*) code=3 ;;
    *ahead.temper* | automaton* | *99999999*) code=4 ;;
    *) code=2 ;;
    esac
    eval "run $code ${use%% ;; *}" </dev/null
    has "wrong use: ${use%% ;; *}" "$err" "${use##* ;; }"
    wrong=$((wrong + 1))
done <<'EOF'
evaluate -f a a ;; did you mean eval?
"O a" ab ;; a command comes first: temper run -f 'O a' STRING
m.temper ab ;; a command comes first: temper run m.temper STRING
eval "O a" ab ;; a formula goes after -f
eval -f O a ab ;; a formula with blanks stands in quotes: -f 'O a'
eval -f "O a" --alphabet ;; --alphabet needs a value: LETTERS
eval -f "O a" --alphabet "" a ;; such as --alphabet abc
eval -f "O a" --alphabet ab --ascii a ;; leave one of them out
run m.temper ;; '' is the empty string
run m.temper -f "O a" a ;; a MODEL is given without -f
run m.temper --type fp23 a ;; did you mean f32?
run m.temper --type bfloat61 a ;; did you mean bf16?
run m.temper --method digits a ;; it was fixed when the model was compiled
run m.temper --alphabet ab a ;; it was fixed when the model was compiled
run m.temper --stream a ;; letters come from standard input
run ahead.temper --stream ;; it runs on whole strings: temper run without --stream
run m.temper --scale "ln(" a ;; such as 8*N, or a factor such as 0.2x
run m.temper --scale 9.9=2 a ;; temper explain lists the heads
run m.temper --threads 0 a ;; is not between 1 and 64
run m.temper --layer 1 a ;; temper help run lists what it takes
show m.temper ;; show needs a string
show m.temper ab ba ;; show draws one string at a time
show m.temper -o picture ab ;; such as -o attention.svg or -o page.html
show m.temper --html -o a.svg ab ;; name the file FILE.html
show m.temper --row 1 ab ;; for example --row 1.1@3
show m.temper --row 9.1@1 ab ;; temper explain lists the heads
show m.temper --row 1.1@99 ab ;; 0 is the start sentinel, 1 the first letter
show m.temper --layer 7 ab ;; temper explain lists the heads
show m.temper --layer x ab ;; write it as 1000
show m.temper --row 1.1@1 -o a.svg ab ;; without -o the row is printed
compile ;; temper compile -f 'O a' -o model.temper
compile -f "O a" --dump all ;; a list such as --dump formula,soft
compile --gallery dick-1 ;; did you mean dyck-1?
compile -f "O a" --method temprature ;; did you mean temperature?
compile -f "O a" --digits f16 ;; --digits needs --method digits
check m.temper ab ;; check makes its own strings
check -f "O a" --exhaustive many ;; write it as 1000, 1_000_000, 1e6
check -f "O a" --length -5 ;; write it as 1000, 1_000_000, 1e6
certify m.temper --type exact ;; such as --type f32
certify m.temper --length 1e13 ;; is not between 0 and 1099511627776
certify m.temper certificate.json ;; -o CERTIFICATE writes the proof
audit m.temper ;; temper audit CERTIFICATE MODEL
audit m.temper m.temper ;; the certificate comes first
limits m.temper -o table.txt ;; .csv, .json, .svg, .png or .pdf
limits m.temper --effort fast ;; a number from 0.001 to 1000000
limits m.temper ab ba ;; --length and --effort say how far it looks
lab precison ;; did you mean precision?
gallery dyck3 ;; did you mean dyck-1 or dyck-2?
soften h.temper --gap big --length 5 ;; such as --gap exhaustive
export m.temper ;; such as temper export m.temper -o out/
export m.temper -o out --type bf16 ;; model.to(torch.bfloat16)
export m.temper --as bert -o out ;; is not one of
export -f "O a" --alphabet ab --as gpt2 -o out ;; such as --length 256
next --regex "(ab)*" ;; '' is the empty string
sample --regex "(ab)*" --by strings ;; strings of exactly N letters are counted
sample -f "O a" --count x ;; write it as 1000
import a.safetensors ;; such as temper import weights.safetensors config.json
examples parityy ;; did you mean parity?
completion tcsh ;; bash, zsh or fish
help me ;; temper help lists the commands
--frobnicate ;; a string that begins with '-' goes after '--'
eval -f "O a" --tokens=yes a ;; --tokens takes no value
eval -f "F a & O b" ab ;; say where to read it: --at first or --at last
eval -f "O a" --at frist a ;; did you mean first?
eval -f true a ;; give an alphabet: --alphabet abc
eval -f "a b" ab ;; 'a, then b' is written 'a & X b'
eval -f "a)" a ;; no bracket is open here
eval -f "x = a" a ;; add a last line such as 'x'
eval -f 1 a ;; a digit as a letter is quoted: '1'
eval -f "#a > 1" a ;; a count is written '#[a]'
eval -f "(ab)*" ab ;; for a regular expression write --regex '(ab)*', or /(ab)*/ in a formula
eval -f "select(a, b)" ab ;; B-RASP and C-RASP programs are
eval -f "count(a) > 2" a ;; is '#[a]'
eval -f "Once a" a ;; 'Once' is written 'O'
eval -f "a Until b" ab ;; 'Until' is written 'U'
eval -f "a - > b" ab ;; the arrow is '->', without a blank in it
eval -f "O a" ab ;; --alphabet ab adds b
eval -f "O a" --tokens "a b" ;; --other NAME reads unknown ones as NAME
eval -f "O a" --alphabet ab --other z ab ;; add it to the alphabet option
eval --regex "a(" a ;; the letter '(' is '\('
run -f "G(a -> F b)" --lenght 5 ab ;; did you mean --length?
run -f "a and b" ab ;; 'and' is written '&'
run -f "not a" ab ;; 'not' is written '!'
run -f "a == b" ab ;; formulas are compared by '<->'
run -f "eventually a" ab ;; 'eventually' is written 'F'
run -f "‘a’" ab ;; quotes are the plain ones
run -f "O A" AB ;; a letter in upper case is quoted: 'A'
run -f "^a.*b$" ab ;; for a regular expression write --regex
run -f "/a|b" ab ;; a regular expression is /a|b/, on one line
run -f "select_width(a)" ab ;; B-RASP and C-RASP programs are
run -f "sum(a) > 2" ab ;; is '#[a]'
run -f "|a| > |b|" ab ;; the number of a's so far is '#[a]'
run -f "X^a a" a ;; 'X^3 a' is 'X X X a'
run -f "" ab ;; the last line of a specification is its answer
run -F nothere.spec ab ;; a formula goes after -f
run -F . ab ;; a formula goes after -f
run --dfa nothere.dfa ab ;; temper examples door.dfa shows one
run nothere.temper ab ;; the first argument is a MODEL file
run m.temper --threads 1000000000000000000000 a ;; is not a whole number from 1 to 64
show m.temper -o nothere/pic.svg ab ;; in a folder that is there
compile -f "O a" -o . ;; name a file
certify m.temper --length 10x ;; write it as 1000
certify m.temper --length 1e400 ;; write it as 1000
export -f "O a" --alphabet ab --as GPT-2 --length 64 -o out ;; did you mean gpt2?
explain "a S b" ;; a formula goes after -f
soften m.temper ;; such as --length 32
version ;; temper --version prints it
--verbose ;; temper help COMMAND lists the options
eval -f "O a" --alphabet aa a ;; each letter stands once
eval -f "request -> F grant" "request grant" ;; with the option --tokens
eval -f "#[a] % 0 = 1" a ;; the remainder is then 0 up to the modulus minus 1
eval -f "#[a] > 99999999999999999999" a ;; write a smaller one
eval -f "#[a] + 1" a ;; compare the count with something
automaton -f "#[a] > #[b]" ;; counts compared with a constant
eval --regex "" a ;; the empty string alone is ()
eval --regex "a{5,2}" a ;; swap the two numbers
eval --regex "[z-a]" a ;; swap its ends
eval --regex "a**" a ;; put parentheses around the first
EOF
same 'at least 60 wrong uses' yes "$([ $wrong -ge 60 ] && echo yes)"
run 0 eval -f 'O a' --alphabet a,b ab
has 'a comma is a letter' "$err" 'the comma in --alphabet is a letter, too'
run 0 eval -f 'O a' --alphabet 'a b' ab
has 'a blank is a letter' "$err" 'the blank in --alphabet is a letter, too: --alphabet ab has two letters'
run 0 eval -f 'O a' --alphabet a-c ac
has 'a dash is a letter' "$err" 'the dash in --alphabet is a letter, too'

finish
