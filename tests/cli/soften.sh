#!/bin/bash
# gap and soften, from outside. Usage: tests/cli/soften.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- gap and soften -------------------------------------------------------------------------------------------------

# hand NAME: a hard model over a, b with the channels 0 one, 1 a, 2 first letter, 3 out; its layers come from standard input.
hand() {
    {
        printf 'temper-model 1\nalphabet "a" "b"\nchannel 0 "one" position "1"\nchannel 1 "a"\n'
        printf 'channel 2 "first letter" position "[i = 1]"\nchannel 3 "out"\n'
        printf 'embed "a" 1:1\nembed "b"\nembed start\nembed end\nlayer 1\n'
        cat
        printf 'read 3:1\n'
    } >"$1"
}
hand first.temper <<'MODEL'
head "the first letter" mask j<=i choice leftmost
query 0:1
key 2:1
value 1:1
output 3:1
MODEL
hand seen.temper <<'MODEL'
head "an a so far" mask j<=i choice average
query 0:1
key 1:1
value 1:1
output 3:1
MODEL
hand share.temper <<'MODEL'
head "share of a" mask j<=i choice average
value 1:1
output 3:1
MODEL

run 0 gap first.temper
has 'gap: tieless' "$out" '  tieless: one largest score in every row, '
has 'gap: no average head' "$out" 'uniform-tieless: yes, there is no average head'
same 'gap: the table' '  length           measured   exhaustive       proved
  0                    none         none         none
  1-6                2^0.00       2^0.00       2^0.00
  7-32               2^0.00            -       2^0.00' "$(printf '%s\n' "$out" | sed -n '/^  length/,/^  7-/p')"
run 0 gap seen.temper
has 'gap: tied' "$out" '  tied: on "'
has 'gap: a witness' "$out" 'uniform-tieless: no: head 1.1 ties on "'
run 0 gap share.temper
has 'gap: uniform' "$out" '  uniform: all scores of a row are equal, at every length'
has 'gap: uniform-tieless' "$out" 'uniform-tieless: yes, at every length'
run 1 gap -q seen.temper
same 'gap: quiet' '' "$out$err"
run 0 gap -q share.temper
run 0 gap seen.temper abab '' --length 3 --exhaustive 2
has 'gap: on strings' "$out" '  measured    on the strings given
  exhaustive  on all strings up to length 2
  proved      from denominators, a lower bound for every string up to length 3'
has 'gap: a length that was only measured' "$out" '  4                  2^0.00            -            -'
printf 'ab\nb\n' >in
run 0 gap seen.temper - --random 5 --length 9 <in
has 'gap: on lines and random strings' "$out" 'on the strings given and on 5 random strings up to length 9'
run 0 gap seen.temper --random 0
has 'gap: not measured' "$out" '  measured    on nothing'
run 0 gap seen.temper --exhaustive 0 --random 0 --length 4
has 'gap: not exhaustive' "$out" '  exhaustive  on nothing'
has 'gap: not known' "$out" 'uniform-tieless: not known: no tie was found in head 1.1, but none is excluded'
run 0 gap -f 'O a' --alphabet ab b --exhaustive 1
has 'gap: of a formula' "$out" 'head 1.1  average, keys j<=i: O a'
run 0 --json gap seen.temper ab --exhaustive 1 --length 2
has 'gap json: nothing to tell' "$out" '{"kind":"gap","layer":1,"head":1,"length":0,"log2_measured":null,"log2_exhaustive":"Infinity","log2_proved":"Infinity"}'
has 'gap json: not looked at' "$out" '"log2_exhaustive":null,"log2_proved":'
same 'gap json: lengths' 3 "$(printf '%s\n' "$out" | grep -c '"kind":"gap"')"
has 'gap json: summary' "$out" '{"kind":"summary","uniform_tieless":false,"strings":1,"random":0,"length":2,"seed":1,"exhaustive":1,"proved":2,"heads":[{"layer":1,"head":1,"label":"an a so far","choice":"average","class":"tied","witness":"'
run 0 --json gap share.temper
has 'gap json: yes' "$out" '"uniform_tieless":true,"proved_length":"Infinity"'
run 2 gap seen.temper axb
has 'gap: unknown letter' "$err" "string 1: unknown letter 'x' at position 2"
run 2 gap
has 'gap: nothing' "$err" 'gap needs a formula or a model'
run 2 gap seen.temper --hard
has 'gap: not its option' "$err" 'gap does not take --hard'
run 2 gap seen.temper --alphabet ab
run 3 gap missing.temper
run 3 gap seen.temper - </
run 4 gap seen.temper --exhaustive 100
{ sed '/^layer/,$d' seen.temper | sed 's/^alphabet/method temperature\n&/'; printf 'layer 1\nhead "x" mask all choice softmax\nread 3:1\n'; } >plain.temper
run 4 gap plain.temper

# soften CALL MODEL: softened for length 8 it answers as the hard model does, and no further.
strings=(a ab ba bb abababab bbbbbbbb bbbbbbba '')
soften() {
    local words
    IFS=' ' read -ra words <<<"$1"
    run 0 soften "$2" --length 8 "${words[@]}" -o soft.temper
    has "soften $1" "$out" 'soft.temper: '
    has "soften $1" "$out" ' proved length 8 in f64 (hard choices): error <= '
    run 0 run soft.temper --per-position "${strings[@]}"
    local answers=$out
    run 0 run "$2" --unchecked --per-position "${strings[@]}"
    same "soft = hard: soften $1 $2" "${out//' (unproved)'/}" "$answers"
    run 4 run soft.temper ababababa
    has 'beyond its length' "$err" 'length 9 is beyond the proved length 8'
    run 0 run soft.temper --unchecked ababababa
    same 'beyond its length: unproved' "accept (unproved)${tab}ababababa" "$out"
    has 'beyond its length: warned' "$err" 'temper: warning: length 9 is beyond the proved length 8 in f64'
    case $1 in --adaptive) ;; *) return ;; esac # explain looks for a second for the longest length in other types
    run 0 explain soft.temper
    has 'explain: softened' "$out" 'output         recorded by soften: within '
    has 'explain: adaptive' "$out" ' (adaptive) '
}
for call in '' '--method positions' '--gap exhaustive' '--adaptive' '--gap proved --method temperature'; do
    soften "$call" first.temper
done
soften '--gap exhaustive' seen.temper
soften '--gap exhaustive --method positions' seen.temper
run 0 soften first.temper --length 8 --adaptive -o soft.temper
run 0 check soft.temper
has 'check: hard against soft, without a formula' "$out" "agreed${tab}1127 strings"
run 2 check first.temper
has 'check: nothing to compare' "$err" 'the model carries no specification'
run 0 --json explain soft.temper
has 'explain json: adaptive' "$out" '"adaptive":true'
has 'explain json: bound' "$out" '"output_margin":0.5,"verdict_only":false'
run 0 show soft.temper --row 1.1@2 ba
has 'row: adaptive' "$out" ', divided by the gap 1 of this row'

# At positions before the last this one reads exactly 1/2: only the verdict can be proved.
sed 's/^embed "a"/channel 4 "last" position "[i = n]"\n&/; s/^query .*/query 4:1/; s/^read .*/read 0:0.5 3:1 4:-0.5/' first.temper >verdict.temper
run 0 soften verdict.temper --length 8 -o soft.temper
has 'verdict only' "$out" 'temperature, proved length 8 in f64 (hard choices, the verdict only): error <= '
run 0 run soft.temper ab ba
same 'verdict only: answers' "accept${tab}ab
reject${tab}ba" "$out"
if [ ! "$brief" ]; then
    run 0 explain soft.temper
    has 'verdict only: explain' "$out" 'where the verdict is read, not at every position'
    run 0 --json explain soft.temper
    has 'verdict only: explain json' "$out" '"verdict_only":true'
fi

run 0 soften first.temper --length 8 -o soft.temper
run 0 soften first.temper --length 8
same 'softened: printed = written' "$(cat soft.temper)" "$out"
run 0 soften first.temper --length 8 -o -
same 'softened: -o -' "$(cat soft.temper)" "$out"
run 0 -q soften first.temper --length 8 -o quiet.temper
same 'softened: quiet' '' "$out$err"
same 'softened: the same' "$(cat soft.temper)" "$(cat quiet.temper)"
run 0 --json soften first.temper --length 8 -o soft.temper
has 'soften json' "$out" '{"file":"soft.temper","bytes":'
has 'soften json' "$out" '"proved_length":{"type":"f64","length":8,"claim":"hard choices"}'
has 'soften json' "$out" '"gap":"proved","error":'
has 'soften json' "$out" '"scale_layer":1,"scale_head":1}'
run 0 --json soften first.temper --length 8
has 'soften json: printed' "$out" '{"stage":"soft","text":"temper-model 1\n'

# A gap that was given proves nothing; one that a string refutes is refused.
for value in 1/4 .25; do
    run 0 soften first.temper --length 8 --gap "$value" -o given.temper
    has 'a given gap' "$out" "; the gap $value was given"
done
run 0 soften first.temper --length 8 --gap 2^-2
has 'a given gap: warned' "$err" 'temper: warning: the gap 2^-2 was given, so softening proves nothing of the soft model'
run 0 --json soften first.temper --length 8 --gap 2^-2 -o given.temper
has 'a given gap: json' "$out" '"proved_length":{"type":"f64",'
has 'a given gap: json' "$out" '"gap":"given","gap_value":0.25'
run 0 run given.temper ab
same 'a given gap: proved anew' "accept${tab}ab" "$out"
run 2 soften first.temper --length 8 --gap 2 -o given.temper
has 'a refuted gap' "$err" 'head 1.1 has the gap 1 on a string of length 1: smaller than the 2 that was given'
for value in 0 -1 '' x 1/0 1/ /2 2^ 2^x 2^-2000 2^-1.5 inf nan 0x1 1e999 1e-320 1/2/3 ' 1' exhausted; do
    run 2 soften first.temper --length 8 --gap "$value"
    has "gap value '$value'" "$err" 'is not proved, exhaustive or a positive number'
done

# Models of formulas know their scales.
run 0 compile -f 'a S b' --hard -o since.temper
run 0 compile -f 'a S b' -o compiled.temper
run 0 soften since.temper -o soft.temper
has 'the scales of the formula' "$out" 'by the scales of the formula'
same 'as compile does' "$(cat compiled.temper)" "$(cat soft.temper)"
run 0 soften -f 'a S b' --method positions -o soft.temper
run 0 compile -f 'a S b' --method positions
same 'as compile does, positions' "$out" "$(cat soft.temper)"
run 0 --json soften since.temper -o soft.temper
has 'the scales of the formula: json' "$out" '"gap":"formula"'
run 2 soften since.temper --gap proved
has 'a gap needs a length' "$err" 'soften needs --length N'
run 2 soften since.temper --adaptive
sed '/^digest/d' since.temper >edited.temper
run 0 soften edited.temper

run 2 soften first.temper
has 'a missing length' "$err" 'soften needs --length N'
run 2 soften
has 'soften: nothing' "$err" 'soften needs a formula or a model'
run 2 soften first.temper ab --length 8
has 'soften: strings' "$err" 'soften takes one MODEL and no strings'
run 2 soften first.temper --length 8 --adaptive --method positions
has 'adaptive positions' "$err" '--adaptive and --method positions exclude each other'
run 2 soften first.temper --length x
run 2 soften first.temper --length 0
has 'soften: no length' "$err" 'a length of at least 1'
run 2 soften first.temper --length 8 --random 5
has 'soften: not its option' "$err" 'soften does not take --random'
run 2 soften first.temper --length 8 --alphabet ab
run 2 check -f a --adaptive
run 3 soften missing.temper --length 8
run 3 soften first.temper --length 8 -o missing/soft.temper
run 2 soften compiled.temper --length 8
has 'soft already' "$err" 'the model is soft already'
run 4 soften share.temper --length 8 -o refused.temper
has 'no margin' "$err" 'exactly at the threshold 1/2'
run 4 soften first.temper --length 100000000
run 4 soften first.temper --length 60 --gap exhaustive
run 0 compile --gallery two-averages --hard -q -o two-averages.temper
run 4 soften two-averages.temper --length 30 --why --json -o refused.temper
has 'why not further' "$out" '"kind":"limit","obstacle":"gap","works":27,"fails":28,"layer":3,"head":1,'
run 0 gap two-averages.temper --length 20 --random 0 --why
has 'as far as asked' "$out" 'softening: nothing stands in the way up to length 20'
run 0 compile --gallery dyck-2 --hard -q -o dyck-2.temper
run 4 soften dyck-2.temper --length 4000 --timeout 1 -o refused.temper
has 'the cost comes first' "$err" 'soften: about '
if [ -e refused.temper ]; then fail 'a refused model leaves no file'; else pass; fi

# The guide: its models, its commands, what they print.
mkdir guide
(
    cd guide || exit 1
    awk '/^```model/ {on = 1; text = ""; name = ""; next} /^```/ {if (on) printf "%s", text >name; on = 0}
        on {text = text $0 "\n"; if ($1 == "--" && name == "") name = $2}' "$root/doc/soften.md"
    command='' want='' count=0
    compare() {
        [ -z "$command" ] && return
        while [[ $want == *$'\n\n' ]]; do want=${want%$'\n'}; done
        got=$(eval "\"$temper\" ${command#temper }" 2>&1)
        [ "$got" == "${want%$'\n'}" ] || printf '%s\n' "doc/soften.md: $command" "$(diff <(printf '%s' "$want") <(printf '%s\n' "$got"))"
        count=$((count + 1)) command=''
    }
    while IFS= read -r text; do
        case $text in
        '    $ temper '*) compare && command=${text#'    $ '} want='' ;;
        '    '*) want+=${text#'    '}$'\n' ;;
        '') [ -n "$command" ] && want+=$'\n' ;;
        *) compare ;;
        esac
    done <"$root/doc/soften.md"
    compare
    [ $count -ge 5 ] || echo "only $count commands in doc/soften.md"
) >complaints 2>&1
same 'the guide to softening' '' "$(cat complaints)"

finish
