#!/bin/bash
# Help, options, completion, numbers as people write them, typing on a terminal, output that cannot be written, from outside. Usage: tests/cli/usage.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- usage ----------------------------------------------------------------------------------------------------------

run 2 eval -f 'a & (b &' a
same 'caret' "temper: formula:1:9: expected a formula or a count after '&', found end of text
    a & (b &
            ^" "$err"
run 2
same 'no command' 'temper: a command is missing
hint: temper help lists the commands' "$err"
run 2 evla
same 'near command' "temper: there is no command 'evla'
hint: did you mean eval?" "$err"
run 2 eval --alphabt ab
same 'near option' 'temper: there is no option --alphabt
hint: did you mean --alphabet?' "$err"
run 2 eval -f 'O a' -x
has 'short option' "$err" 'there is no option -x'
run 2 eval -f
has 'missing value' "$err" '--formula needs a value: FORMULA'
run 2 eval -f a -f b a
has 'twice' "$err" '--formula is given twice'
run 2 eval -f a -F dyck.spec a
has 'both' "$err" '-f and -F are both given'
run 2 eval -f a
has 'no string' "$err" 'eval needs a string'
run 2 eval
has 'no formula' "$err" 'eval needs a formula or a model'
run 2 eval -f a - -
has 'two dashes' "$err" 'standard input can be read only once'
run 2 eval -f a --method positions a
has 'not its option' "$err" 'eval does not take --method'
run 2 --tokens eval -f a a
has 'before the command' "$err" '--tokens stands before the command'
run 2 eval -f a --at middle a
same 'choice' "temper: --at: 'middle' is not one of first|last" "$err"
for number in x 1x -1 '' ' 1' 0x10 99999999999999999999 1000000000001; do
    run 2 check -f a --random "$number"
    has "number '$number'" "$err" '--random: '
done
run 2 eval --json=yes -f a a
has 'flag with a value' "$err" '--json takes no value'
run 2 check -f a b c
run 2 compile a
run 2 compile -f a --dump formula,sotf
has 'dump' "$err" "'sotf' is not one of formula, hard, soft"
run 0 --json eval -qfa a
run 0 --version
has 'version' "$out" 'temper '
run 0 --help
run 0 help
has 'help' "$out" 'Prove and break:'
same 'help: every command once' "$("$temper" help --options | sed -n 's/^command\t//p' | sort)" "$(printf '%s\n' "$out" | sed -n '/^Ask:/,/^Options/s/^  \([a-z]*\)  *.*/\1/p' | sort)"
run 0 run -h
has 'help: -h has examples' "$out" 'Examples:'
lacks 'help: -h is short' "$out" 'Options:'
run 0 -h
has 'help: -h alone has the commands' "$out" 'Take it elsewhere:'
lacks 'help: -h alone is short, too' "$out" '--max-memory'
run 0 run --help
has 'help: --help is long' "$out" '--per-position'
run 0 help language
has 'help language: in words' "$out" 'H (b -> O a)  so far, at every b there has been an a'
same 'help language: every formula is one' '' "$(printf '%s\n' "$out" | grep -E '^  [^ ].{12} *$')"
same 'help language: one screen' yes "$([ "$(printf '%s\n' "$out" | wc -l)" -le 50 ] && echo yes)"
run 0 explain -f 'H(b -> O a)'
has 'explain: in words' "$out" 'in words       so far, at every b there has been an a'
run 0 explain -f 'H(b -> O a)' --json
has 'explain: in words, as JSON' "$out" '"words":"so far, at every b there has been an a"'
for case in "--type fp8|e4m3 and e5m2" "--temperature 2|--scale is what multiplies scores" "--dtype f32|did you mean --type" "--alphabet [a-z]|is no class"; do
    run 2 run -f 'O a' ${case%%|*} a
    has "did you mean: ${case%%|*}" "$err" "${case#*|}"
done
run 2 run -f 'always a' a
has 'did you mean: always' "$err" "'always' is written 'H' so far, 'G' from here on"
run 2 run -f 'aggregate(select(indices, indices, ==), tokens)' a
has 'did you mean: RASP' "$err" "RASP's selectors are not read"
run 1 limits -f 'a S b' --alphabet abc --type bf16/f32 --method temperature --effort 0.001 --min-length 85
has 'limits: --min-length' "$err" 'bf16/f32 by temperature is proved for 84 letters, fewer than --min-length 85'
run 0 limits -f 'a S b' --alphabet abc --type bf16/f32 --method temperature --effort 0.001 --min-length 84
run 1 limits -f 'O a' --alphabet ab --as gpt2 --weights f32 --kv f32 --min-length 1Mi -q
run 0 show -f 'O a' --alphabet ab -o said.html ab
same 'show -o says what it wrote' 'wrote said.html' "$err"
run 0 show -f 'O a' --alphabet ab -o said.svg -q ab
same 'show -o -q says nothing' '' "$err"
for command in $("$temper" help --options | sed -n 's/^command\t//p'); do
    run 0 help $command
    first=$out
    same "help $command: lines of at most 100 columns" '' "$(printf '%s\n' "$out" | awk 'length($0) > 100')"
    case $(printf '%s\n' "$out" | sed -n 3p) in Examples:) pass ;; *) fail "help $command: examples first" ;; esac
    run 0 $command --help
    same "$command --help" "$first" "$out"
done
run 2 help rnu
has 'help suggests' "$err" 'did you mean run?'

# ---- one table of options: completion and man page agree with it ---------------------------------------------------

"$temper" help --options >options.txt
ln -s "$temper" temper
(
    PATH=$work:$PATH
    # shellcheck disable=SC1091
    source "$root/completions/temper.bash"
    for command in $(sed -n 's/^command\t//p' options.txt); do
        COMP_WORDS=(temper "$command" --) COMP_CWORD=2
        _temper
        printf '%s\n' "${COMPREPLY[@]}" | sort >got
        awk -F'\t' -v c="$command" '$1 == c || $1 == "*" {print $2}' options.txt | sort >want
        cmp -s want got || echo "completion of $command"
    done
    COMP_WORDS=(temper ev) COMP_CWORD=1
    _temper
    [ "${COMPREPLY[*]}" == eval ] || echo 'completion of commands'
    COMP_WORDS=(temper run --method po) COMP_CWORD=3
    _temper
    [ "${COMPREPLY[*]}" == positions ] || echo 'completion of choices'
    COMP_WORDS=(temper soften --gap '') COMP_CWORD=3
    _temper
    [ "${COMPREPLY[*]}" == 'proved exhaustive' ] || echo 'completion of choices without VALUE'
) >complaints 2>&1
same 'completion' '' "$(cat complaints)"
"$temper" completion bash >script
cmp -s script "$root/completions/temper.bash" && pass || fail 'completion bash prints the script'
run 2 completion tcsh
has 'completion: which shells' "$err" 'bash, zsh or fish'
complete() { "$temper" help --complete -- "$@" | tr '\n' ' '; }
same 'completion: a command' 'examples explain export ' "$(for w in ex; do "$temper" help --complete -- $w | sort | tr '\n' ' '; done)"
same 'completion: --option=value in one word' '--method=positions ' "$(complete run --method=po)"
same 'completion: types of certify' 'bf16/f32 bf16 bf16/f64 ' "$(complete certify --type bf)"
same 'completion: types in tiles' 'bf16/f32@tile64 bf16/f32@tile128 bf16/f32@tile512 ' "$(complete run --type bf16/f32@)"
run 0 lab schedules --scale 'sqrt(N)' --head-size 64 --type f32
has 'own schedules' "$out" "$(printf '%-16s %16s %16s' 'sqrt(N)' '> 4000' 32)"
run 2 lab zoo --scale N
has 'scales are for schedules' "$err" 'goes with lab schedules and a --scale, --bias or --at'
run 0 lab schedules --bias '-2*(i - j)' --head-size 64
has 'own biases' "$out" "$(printf '%-18s %10s %10s %10s %10s' '-2*(i - j)' 4 4 every 1)"
run 2 lab schedules --bias '2*i'
has 'a bias is of the distance' "$err" 'written (i - j) or d'
run 2 lab schedules --base 3
has 'a base is for scales' "$err" 'goes with lab schedules and a --scale'
run 0 lab schedules --scale llama4 --scale N --at 84,8Ki --base 8 --type bf16/f32
has 'at lengths: yes' "$out" "$(printf '%-8s %8s %16s %16s' N 84 yes yes)"
has 'at lengths: no' "$out" "$(printf '%-8s %8s %16s %16s' '' 8Ki yes no)"
has 'at lengths: a string' "$out" 'O a & O b: a c^8190 b, at letter 8192'
run 0 lab schedules --scale N --at 85 --base 8 --type bf16/f32 --json
has 'at lengths: the string of limits' "$out" '"length":85,"answer":"no","formula":"(b S a) & (d S a)","string":"c^64 a c^20","letter":65}'
run 2 lab schedules --scale N --at 8Kb
has 'at lengths: how they are written' "$err" '8Ki,128Ki,1M'
run 2 lab zoo --at 8Ki
has 'lengths are for schedules' "$err" '--at goes with lab schedules'
run 2 lab schedules --scale 'ln(n - 7)' --at 7
has 'a scale that is infinite' "$err" 'minus infinity at n = 7: there ln(n - 7) is the logarithm of 0'
run 2 lab schedules --scale llama5
has 'names of schedules' "$err" 'schedules with names: constant, llama4, yarn'
run 0 lab schedules --scale 'log2(N)' --as pytorch
has 'scales as code' "$out" 'return T(torch.log(T(N)) / 0.6931471805599453) * torch.ones_like(i)'
run 2 lab schedules --scale N --as pytorch --type f32
has 'scales as code: nothing else' "$err" '--as takes only --scale, not --type'
run 2 run -f 'O a' --alphabet ab --scale '1/(n - 2)' ab
has 'run: a scale that is infinite' "$err" "the scale '1/(n - 2)' of head 1.1 is infinite at n = 2: there 1/(n - 2) divides by 0"
same 'completion: what --at means to lab' '' "$(complete lab --at '')"
same 'completion: a file' 'FILES ' "$(complete run -F '')"
same 'completion: an example' 'dyck.spec dyck.crasp ' "$(complete examples dy)"
same 'completion: a model of the gallery' 'dyck-2 dyck-2-depth-3 ' "$(complete compile --gallery dyck-2)"
if oracle zsh 'its completions are not read'; then
    same 'completion: zsh reads the script' '' "$(zsh -f -n "$root/completions/temper.zsh" 2>&1)"
fi
if oracle fish 'it completes nothing'; then
    same 'completion: fish' 'eval ' "$(PATH=$work:$PATH HOME=$work fish --no-config -c "temper completion fish | source; complete -C 'temper ev'" 2>&1 | tr '\n' ' ')"
fi
sed 's/\\-/-/g; s/\\fI//g; s/\\fR//g' "$root/man/temper.1" >page
missing=''
while IFS=$'\t' read -r kind option _ _; do
    [ "$kind" == command ] && { grep -q "^.B $option\$" page || missing+=" $option"; continue; }
    grep -Eq -e "^\.(B|BR|TP).*$option( |\$)" page || missing+=" $option"
done <options.txt
same 'man page names every command and option' '' "$missing"
extra=''
for option in $(grep -Eo -e '^\.BR? .*' page | grep -Eo -e '--[a-z-]+[a-z]' | sort -u); do
    cut -f2 options.txt | grep -qxe "$option" || extra+=" $option"
done
same 'man page names no other option' '' "$extra"

# ---- numbers and number formats as people write them ---------------------------------------------------------------

sample() { "$temper" sample --regex 'a*' --by strings --length "$1" | tr -d '\n' | wc -c; }
for number in 2000 2_000 2e3 2k 0.2e4 2.0e+3; do same "number $number" 2000 "$(sample $number)"; done
same 'number 2Ki' 2048 "$(sample 2Ki)"
for number in 1.5 1e-3 1__0 _1 1_ 1kk 1.5e0 e3 1e 1e99 20000000T; do
    run 2 check -f a --random "$number"
    has "number '$number'" "$err" '--random: '
done
has 'how to write a number' "$err" 'hint: write it as 1000, 1_000_000, 1e6, 128k (128,000) or 128Ki (131,072)'
for pair in fp32:f32 float32:f32 FP64:f64 double:f64 bfloat16:bf16 half:f16 bfloat16/float32:bf16/f32 half/float:f16/f32 float8_e4m3fn:e4m3; do
    "$temper" certify -f 'O a' --alphabet ab --length 3 --type "${pair%%:*}" >out 2>&1
    "$temper" certify -f 'O a' --alphabet ab --length 3 --type "${pair#*:}" >want 2>&1
    cmp -s out want && pass || fail "the type ${pair%%:*}" "$(cat out)"
done
run 2 run -f 'O a' --type f46 a
has 'type: did you mean' "$err" 'hint: did you mean f64?'
run 2 run -f 'O a' --type bfloat61 a
has 'type: did you mean, by another name' "$err" 'hint: did you mean bf16?'
run 2 compile -f 'O a' --method temprature
has 'method: did you mean' "$err" 'hint: did you mean temperature?'

# ---- examples, and typing on a terminal -----------------------------------------------------------------------------

run 0 examples
has 'examples are listed' "$out" 'dyck.spec          balanced brackets'
run 0 examples dyck
same 'an example' "$(cat "$root/examples/dyck.spec")" "$out"
run 0 examples dyck.crasp
same 'an example by its whole name' "$(cat "$root/examples/dyck.crasp")" "$out"
run 2 examples parityy
has 'examples: did you mean' "$err" 'did you mean parity?'
same 'the table of examples names every file' "$(cd "$root/examples" && ls | grep -v README.md | sort)" \
    "$(sed -n 's/^| \[\([^]]*\)\].*/\1/p' "$root/examples/README.md" | sort)"
while IFS='|' read -r _ name _ accepted rejected _; do # every claim of the table, of the formula and of the transformer
    file=$(sed 's/.*(\(.*\)).*/\1/' <<<"$name")
    for verdict in accept reject; do
        strings=$accepted
        [ $verdict == reject ] && strings=$rejected
        while IFS= read -r string; do
            [ -n "$string" ] || continue
            case $file in
            first-a.temper) same "examples/$file: $string" "$verdict${tab}$string" "$("$temper" run "$root/examples/$file" -- "$string" 2>&1)" ;;
            *.temper | *.c) ;;
            weather.spec) # its verdicts are the legal letters
                [ "$("$temper" next -F "$root/examples/$file" -- "$string" 2>&1 | cut -f1)" == - ] && got=reject || got=accept
                same "examples/$file: $string" $verdict $got ;;
            *)
                for command in eval run; do
                    same "examples/$file: $command $string" "$verdict${tab}$string" "$("$temper" $command -F "$root/examples/$file" -- "$string" 2>/dev/null)"
                done ;;
            esac
        done < <(grep -o '`[^`]*`' <<<"$strings" | tr -d '`')
    done
done < <(grep '^| \[' "$root/examples/README.md")
run 0 run -F "$root/examples/add.spec" ddba
same "examples/add.spec: 3 + 7 is 10, lowest digit first" "0101${tab}ddba" "$out"
if oracle script 'nothing is typed at a terminal'; then
    typed=$(printf '%s\n' 'O' 'H(b -> O a)' caab "''" cba :alphabet 'a b' 'show caab' help :language :show ':certify --type f32 --length 10' ':alphabet [a-z]' \
        ":alphabet 'cab'" d '' 'a S b' exit |
        TERM=dumb ASAN_OPTIONS=detect_leaks=0 script -qec "'$temper'" /dev/null 2>&1 | tr -d '\r')
    has 'typed: the prompt' "$typed" 'formula> '
    has 'typed: a wrong formula' "$typed" "expected a formula or a count after 'O'"
    has 'typed: the transformer' "$typed" '2 layers, 2 heads, letters b a'
    has 'typed: letters join' "$typed" 'added to the letters: c'
    has 'typed: a string' "$typed" "accept${tab}caab${tab}1111"
    has 'typed: the empty string' "$typed" "reject${tab}${tab}"
    has 'typed: another string' "$typed" "reject${tab}cba${tab}100"
    has 'typed: a string with a blank' "$typed" 'a string has no blanks here'
    has 'typed: a command without its colon' "$typed" 'commands begin with a colon: :show caab'
    has 'typed: a class as letters' "$typed" "temper: :alphabet '[a-z]' is no class"
    has 'typed: letters in quotes' "$typed" '2 layers, 2 heads, letters c a b'
    has 'typed: a hint that exists there' "$typed" ':alphabet cabd adds d'
    has 'typed: the proved length' "$typed" 'proved for every string of up to 2^40 letters, in f64'
    has 'typed: a plea' "$typed" 'one screen of operators'
    has 'typed: in words' "$typed" 'so far, at every b there has been an a'
    has 'typed: what the letters are' "$typed" '2 layers, 2 heads, letters b a c'
    has 'typed: a picture' "$typed" '2.1  not H (b -> O a)'
    has 'typed: a command' "$typed" 'proved'
    has 'typed: another formula' "$typed" '1 layer, 1 head, letters c a b'
fi

# ---- output that cannot be written ----------------------------------------------------------------------------------

"$temper" eval -f 'O a' a >/dev/full 2>err
same 'full disk: code' 3 $?
same 'full disk' 'temper: cannot write standard output: No space left on device' "$(cat err)"
"$temper" eval -f 'O a' a >&- 2>err
same 'closed output: code' 3 $?
has 'closed output' "$(cat err)" 'temper: cannot write standard output'
yes a | "$temper" eval -f 'O a' - 2>err | head -n 3 >out
same 'closed pipe' '0 3' "${PIPESTATUS[2]} ${PIPESTATUS[1]}"
same 'closed pipe is no news' '' "$(cat err)"
"$temper" help >/dev/full 2>/dev/null
same 'help to a full disk' 3 $?

finish
