#!/bin/bash
# next and sample, from outside. Usage: tests/cli/next.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- next, sample ----

run 0 next --unchecked --regex '(ab|ba)*' a ab '' aa
out=${out// (unproved)/}
same 'next' "b${tab}a
a b \$${tab}ab
a b \$${tab}
-${tab}aa" "$out"
run 0 next --json --unchecked --regex '(ab|ba)*' ab
out=${out// (unproved)/}
has 'next, json' "$out" '"prefix":"ab","legal":["a","b"],"end":true,"proved":'
run 1 next -q --unchecked --regex '(ab|ba)*' aa
run 0 next -q --unchecked --regex '(ab|ba)*' a
run 0 next --unchecked --regex '[$]*-?' --alphabet '$-' ''
out=${out// (unproved)/}
same 'quoted letters' "'\$' '-' \$${tab}" "$out"
run 2 next --unchecked --regex '(ab)*' ac
out=${out// (unproved)/}
has 'unknown letter' "$out" "error${tab}ac"
run 2 next --regex '(ab)*'
out=${out// (unproved)/}
has 'no prefix' "$err" 'next needs a string'
run 4 next -f '#[a] = #[b]' a
out=${out// (unproved)/}
has 'no viable' "$err" 'what can be completed is not known'
run 2 next -f 'next
viable #[a] >= #[b]
#[a] = #[b]' ab
out=${out// (unproved)/}
has 'wrong viable' "$err" "the line 'viable' is not right: 'b'"
run 0 next --unchecked -f 'next
viable H(#[a] >= #[b])
H(#[a] >= #[b]) & #[a] = #[b]' a ab b
out=${out// (unproved)/}
same 'viable' "a b${tab}a
a \$${tab}ab
-${tab}b" "$out"
has 'tested' "$err" "the line 'viable' was tested on "
printf 'next\nregex (ab)*\n' >ab.spec
run 0 compile -F ab.spec -o ab.temper
run 0 next ab.temper --unchecked a
out=${out// (unproved)/}
same 'a model' "b${tab}a" "$out"
run 0 compile -f 'O a' --alphabet ab -o acceptor.temper
run 2 next acceptor.temper a
out=${out// (unproved)/}
has 'no language model' "$err" 'does not say what comes next'
printf abc >abc.txt
run 2 next ab.temper --stream --unchecked <abc.txt
out=${out// (unproved)/}
same 'stream' "b${tab}1
a \$${tab}2
error${tab}3" "$out"
run 2 next ab.temper --stream a
run 0 sample --unchecked --regex '(ab|ba)*' --count 3 --seed 5
first=$out
run 0 sample --unchecked --regex '(ab|ba)*' --count 3 --seed 5
same 'the same seed' "$first" "$out"
run 0 sample --unchecked --regex '(ab)*' --by strings --length 6 --count 2
same 'counted' "ababab
ababab" "$out"
run 2 sample --unchecked --regex '(ab)*' --by strings --length 5
has 'none of this length' "$err" 'the language has no string of 5 letters'
run 2 sample --unchecked --regex '(ab)*' --by strings
run 4 sample --unchecked --regex 'a{9}' --length 3 --tries 20
has 'no string ends in time' "$err" 'none of 20 strings came to an end within 3 letters
hint: a larger length, more tries, or strings of one length by counting'
run 2 sample --unchecked --regex 'a*' --length 0
has 'at most 0 letters' "$err" '--by strings --length 0 draws the empty string'
run 0 sample --unchecked --regex 'a*' --by strings --length 0
run 2 sample --unchecked --regex '(ab)*' x
run 4 sample --unchecked --regex 'a{8}' --length 7
has 'too short' "$err" 'none of 1000 strings came to an end within 7 letters'

printf 'next\nprobabilities {\n a 3\n b 1\n end 1/2\n}\nregex (a|b)*a\n' >weighted.spec
run 0 next --unchecked -F weighted.spec a b
out=${out// (unproved)/}
same 'probabilities' "a:0.666667 b:0.222222 \$:0.111111${tab}a
a:0.75 b:0.25${tab}b" "$out"
run 0 next --unchecked --json -F weighted.spec b
out=${out// (unproved)/}
has 'probabilities, json' "$out" '"probabilities":{"a":0.75,"b":0.25},"end_probability":0'
run 0 sample --unchecked -F weighted.spec --by weights --count 2
run 4 sample --unchecked --regex 'a*' --by weights
has 'no weights' "$err" 'the model has no probabilities'
printf 'aba\na\n' >text.txt
run 0 perplexity --unchecked -F weighted.spec text.txt
out=${out// (unproved)/}
has 'perplexity' "$out" "1.62581458 bits${tab}+- "
has 'perplexity' "$out" "perplexity 3.08616369${tab}2 lines, 6 letters and ends"
run 0 perplexity --unchecked --json -F weighted.spec text.txt
out=${out// (unproved)/}
has 'perplexity, json' "$out" '{"lines":2,"symbols":6,"impossible":0,"bits":1.6258145'
printf 'aba\nab\n' >text.txt
run 1 perplexity --unchecked -F weighted.spec text.txt
out=${out// (unproved)/}
has 'impossible' "$err" 'text.txt:2: the model says that this line cannot be'
printf 'abc\n' >text.txt
run 2 perplexity --unchecked -F weighted.spec text.txt
run 3 perplexity --unchecked -F weighted.spec missing.txt
run 2 perplexity --unchecked -F weighted.spec
run 4 perplexity --unchecked --regex '[abc]*' text.txt

# weights are read exactly, however many digits they have
printf 'next\nalphabet a b\nprobabilities {\n  a 0.333333333333333333333333333333\n  b 333333333333333333333333333333\n  end 1/1000000000000000000000000000000\n}\n/.*/\n' >long.spec
printf 'next\nalphabet a b\nprobabilities {\n  a 1\n  b 1000000000000000000000000000000\n  end 3/999999999999999999999999999999\n}\n/.*/\n' >same.spec
run 0 next -F same.spec a
sames=$out
run 0 next -F long.spec a
same 'long weights' "$sames" "$out"
run 0 compile -F long.spec -o long.temper
run 0 certify long.temper --length 50 -o long.json
run 0 audit long.json long.temper
has 'long weights are audited' "$out" "of the logarithms of the source's probabilities"

# the blank is a letter of --alphabet
run 0 eval -f 'O a' --alphabet 'ab ' 'b a' 'b '
same 'the blank is a letter' "accept${tab}b a
reject${tab}b " "$out"
run 2 eval -f 'O a' --alphabet ab 'b a'
has 'and what the hint says works' "$err" "hint: the letters are a b; --alphabet 'ab ' adds ' '"
run 2 eval -f 'O a' --alphabet 'a b c' 'b a'
has 'blanks between letters' "$err" 'letters stand side by side, as in abc; only words, with tokens, stand between blanks'
run 0 eval -f 'O a' --tokens --alphabet 'a b c' 'b a'

# without its digest a model is proved as before, but for what it recorded
run 0 compile -f 'O a' --alphabet ab -o whole.temper
sed '/^digest/d' whole.temper >edited.temper
for model in whole edited; do
    run 0 run --json $model.temper ba
    has "a proof and no digest: $model" "$out" '"proved":true,"claim":"formula"'
done

# what is proved of logits
run 0 compile -F weighted.spec -o weighted.temper
run 0 certify weighted.temper --length 100 -o weighted.json
has 'logits are proved' "$out" 'of the logarithms of its source'"'"'s probabilities; what never comes has probability 0'
run 0 audit weighted.json weighted.temper
has 'logits are audited' "$out" 'of the logarithms of the source'"'"'s probabilities, and those of what never comes give 0'
run 0 audit --json weighted.json weighted.temper
has 'logits are audited, json' "$out" '"log_probabilities":"'
run 0 certify weighted.temper --length 100 --json
has 'logits, json' "$out" '"log_probabilities":"'
sed -e '/^digest /d' -e 's/^\(logit "" .*\):-1024/\1:-1023/' weighted.temper >edited.temper
run 0 certify edited.temper --length 100 --json
has 'logits that were edited' "$out" '"log_probabilities":"not proved","logits_note":"'
printf 'aba\na\n' >text.txt
run 0 perplexity edited.temper text.txt
has 'logits that were edited: perplexity' "$out" " bits (unproved)${tab}+- inf"
run 0 next edited.temper a
has 'logits that were edited: next' "$out" "(probabilities unproved)${tab}a"
run 0 next --json edited.temper a
has 'logits that were edited: next, json' "$out" '"logit_error":"Infinity"'
run 0 next --json weighted.temper a
has 'the error of a logit, json' "$out" '"logit_error":'
run 0 perplexity weighted.temper text.txt
has 'the bound of nine digits' "$out" "1.62581458 bits${tab}+- 3.7e-09"
sed -e '/^digest /d' -e 's/^read "a" .*/read "a"/' weighted.temper >edited.temper
run 0 limits edited.temper --type f64 --effort 0.01 --json
has 'limits of a language model: its source says what is right' "$out" '"first_wrong":0,'
printf 'next\nalphabet a b\nviable H(#[a] >= #[b])\n#[a] = #[b] & H(#[a] >= #[b])\n' >viable.spec
run 0 explain -F viable.spec
has 'viable: explain' "$out" 'formula if viable is right'
run 0 next -F viable.spec --json a
has 'viable: next' "$out" '"claim":"formula if viable is right"'
run 0 compile -F viable.spec -o viable.temper
run 0 certify viable.temper --length 9 -o viable.json
has 'viable: certify' "$out" 'formula if viable is right: every string up to length 9'
has 'viable: the certificate' "$(cat viable.json)" '"claim": "formula if viable is right"'
run 0 audit viable.json viable.temper
has 'viable: audit' "$out" 'if viable is right, which no audit looks at'

finish
