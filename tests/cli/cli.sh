#!/bin/bash
# The command line from outside: answers, messages, exit codes, streams. Usage: tests/cli/cli.sh path/to/temper
set -u
export TEMPER_PROGRESS=0 # nothing is said on slow machines but where a test asks for it
export LC_ALL=C NO_COLOR=1
unset COLUMNS
temper=$(realpath "${1:?usage: tests/cli/cli.sh path/to/temper}")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
tab=$'\t'
# Under sanitizers some commands take a minute; others do the same there.
case ${TEMPER_TEST_EFFORT:-1} in 0.*) brief=yes ;; *) brief= ;; esac
. "$root/tests/bare/oracle.sh"
python=
oracle python3 'JSON, certificates and safetensors have no second reader' && python=python3

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$1"
    shift
    [ $# -gt 0 ] && printf '    %s\n' "$@"
}

# same NAME EXPECTED ACTUAL
same() { if [ "$2" == "$3" ]; then pass; else fail "$1" "expected: $2" "got:      $3"; fi; }
# has NAME TEXT PART
has() { case $2 in *"$3"*) pass ;; *) fail "$1" "no '$3' in: $2" ;; esac; }
lacks() { case $2 in *"$3"*) fail "$1" "'$3' in: $2" ;; *) pass ;; esac; }

# run CODE ARGS...: runs temper, checks the exit code, leaves $out and $err. Standard input is passed on.
run() {
    local want=$1 code
    shift
    "$temper" "$@" >out 2>err
    code=$?
    { out=$(<out) err=$(<err); } 2>/dev/null # it warns of bytes 0, which are left out
    if [ $code == "$want" ]; then pass; else fail "exit code of: temper $*" "expected $want, got $code" "stderr: $err"; fi
    # A crash of the sanitizer kind is never expected.
    case $err in *Sanitizer* | *"runtime error"*) fail "sanitizer: temper $*" "$err" ;; esac
}

# ---- eval ---------------------------------------------------------------------------------------------------------

run 0 eval -f 'O a & #[b] >= 2' abab ba ''
same 'answers in order' "accept${tab}abab
reject${tab}ba
reject${tab}" "$out"
same 'no messages' '' "$err"

run 0 eval -f 'O a & #[b] >= 2' --per-position abab ''
same 'per position' "accept${tab}abab${tab}0001
reject${tab}${tab}" "$out"

run 2 eval -f 'O a' --alphabet=ab ab axb b
same 'an unknown letter, and on' "accept${tab}ab
error${tab}axb
reject${tab}b" "$out"
same 'its message' "temper: string 2: unknown letter 'x' at position 2
    axb
     ^
hint: the letters are a b; --alphabet abx adds x" "$err"

run 2 eval --tokens -f 'F ack' 'ack' 'ack  nack'
same 'token message' "temper: string 2: unknown token 'nack' at position 2
    ack  nack
         ^
hint: the only token is ack; --alphabet 'ack nack' adds it; --other NAME reads unknown ones as NAME" "$err"

run 0 eval -q -f 'O a' --alphabet ab ab a
same 'quiet' '' "$out"
run 1 eval -q -f 'O a' --alphabet ab ab b
same 'quiet, rejected' '' "$out$err"
run 2 eval -q -f 'O a' --alphabet ab x b
same 'quiet, error' '' "$out"

run 0 eval -f 'O a' --alphabet ab --empty accept ''
same 'empty string' "accept${tab}" "$out"

run 0 eval -f "O '-'" -- - --
same 'after --' "accept${tab}-
accept${tab}--" "$out"

run 2 eval -f 'O a' $'a\nb\t\\\x01'
same 'one line each' "error${tab}a\\nb\\t\\\\\\x01" "$out"

run 2 eval --json -f 'O a' --per-position aa $'b"\\\xff\n'
same 'json' '{"string":"aa","accept":true,"positions":[1,1]}
{"string":"b\"\\\ufffd\n","error":"unknown letter '"'b'"' at position 1"}' "$out"
same 'json message' '{"error":"unknown letter '"'b'"' at position 1","where":"string 2","column":1,"hint":"the only letter is a; --alphabet gives others","exit":2}' "$err"

# ---- standard input -----------------------------------------------------------------------------------------------

printf 'ab\nba\r\n\nb' >in
run 0 eval -f 'Y b' --alphabet ab - <in
same 'lines' "reject${tab}ab
accept${tab}ba
reject${tab}
reject${tab}b" "$out"

printf '' >in
run 0 eval -f 'O a' - <in
same 'no lines' '' "$out"

printf 'a\n' >in
run 0 eval -f 'O a' --alphabet ab b - b <in
same 'lines between arguments' "reject${tab}b
accept${tab}a
reject${tab}b" "$out"

printf 'a\0a\n\xc3\n\xe6\xbc\xa2\na\n' >in
run 2 eval -f 'O a' - <in
same 'NUL, half a character, a character' "error${tab}a\\x00a
error${tab}\\xC3
error${tab}漢
accept${tab}a" "$out"
has 'NUL named' "$err" "standard input:1:2: unknown letter '\\x00' at position 2"
has 'UTF-8 named' "$err" "standard input:2:1: byte \\xC3 at position 1 is not valid UTF-8"

run 3 eval -f 'O a' - </
has 'reading a folder' "$err" 'cannot read standard input: Is a directory'
run 3 eval -f 'O a' - <&-
has 'closed input' "$err" 'cannot read standard input'

# A line beyond the limit of 64 MiB is cut, named, and the next one is answered; memory stays bounded.
{
    head -c 80000000 /dev/zero | tr '\0' a
    printf '\naa\n'
} | (
    ulimit -v 1000000
    "$temper" eval -f 'O a' - >out 2>err
    echo $? >code
) 2>/dev/null
if grep -q Sanitizer err; then # the sanitizers need more address space
    { head -c 80000000 /dev/zero | tr '\0' a; printf '\naa\n'; } | "$temper" eval -f 'O a' - >out 2>err
    echo $? >code
fi
same 'long line' "error${tab}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa... (cut)
accept${tab}aa" "$(cat out)"
same 'long line: code' 4 "$(cat code)"
same 'long line: message' 'temper: standard input:1: the line is longer than the limit of 64 MiB' "$(cat err)"

# Answers come as lines come, not at the end.
mkfifo pipe answers
"$temper" eval -f 'O a' --alphabet ab - <pipe >answers &
pid=$!
exec 7>pipe 8<answers
printf 'a\nb' >&7
if IFS= read -r -t 10 first <&8; then same 'streaming' "accept${tab}a" "$first"; else fail 'streaming: no answer'; fi
exec 7>&-
IFS= read -r -t 10 second <&8
exec 8<&-
wait $pid
same 'the last line needs no end' "reject${tab}b" "$second"

# ---- files ----------------------------------------------------------------------------------------------------------

printf "alphabet ( )\nlow = #['('] < #[')']\n#['('] = #[')'] & #[low] = 0\n" >dyck.spec
run 0 eval -F dyck.spec '(())' '())('
same 'a file' "accept${tab}(())
reject${tab}())(" "$out"
printf 'C_open = # "("\nC_close = # ")"\nV = C_open == C_close\n' >even.crasp
run 0 eval -F even.crasp '(())' '())'
same 'syntax by extension' "accept${tab}(())
reject${tab}())" "$out"
cp even.crasp even.txt
run 0 eval -F even.txt --syntax crasp '()'
run 2 eval -F even.txt '()'
printf 'P(i) := rightmost [j<i, Q_a(j)] Q_a(j) : 0\n' >prev.brasp
run 0 eval -F prev.brasp 'aa'
same 'B-RASP' "accept${tab}aa" "$out"
run 3 eval -F missing.spec a
same 'missing file' "temper: cannot read 'missing.spec': No such file or directory
hint: -F takes a file, such as temper examples prints; a formula goes after -f" "$err"
run 3 run missing.temper a
has 'missing model' "$err" "cannot read 'missing.temper': No such file or directory
hint: the first argument is a MODEL file; a formula goes after -f"
run 3 eval -F . a
has 'a folder' "$err" 'Is a directory'
printf 'not a model\n' >junk.temper
run 2 run junk.temper a
has 'junk model' "$err" 'temper: junk.temper:1'
head -c 300 /dev/urandom >noise.temper
run 2 run noise.temper a

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
    typed=$(printf '%s\n' 'O' 'H(b -> O a)' caab "''" cba :alphabet 'a b' help :language :show ':certify --type f32 --length 10' '' 'a S b' :quit |
        TERM=dumb ASAN_OPTIONS=detect_leaks=0 script -qec "'$temper'" /dev/null 2>&1 | tr -d '\r')
    has 'typed: the prompt' "$typed" 'formula> '
    has 'typed: a wrong formula' "$typed" "expected a formula or a count after 'O'"
    has 'typed: the transformer' "$typed" '2 layers, 2 heads, letters b a'
    has 'typed: letters join' "$typed" 'added to the letters: c'
    has 'typed: a string' "$typed" "accept${tab}caab${tab}1111"
    has 'typed: the empty string' "$typed" "reject${tab}${tab}"
    has 'typed: another string' "$typed" "reject${tab}cba${tab}100"
    has 'typed: a string with a blank' "$typed" 'a string has no blanks here'
    has 'typed: a plea' "$typed" 'one screen of operators'
    has 'typed: in words' "$typed" 'so far, at every b there has been an a'
    has 'typed: what the letters are' "$typed" '2 layers, 2 heads, letters b a c'
    has 'typed: a picture' "$typed" '2.1  not H (b -> O a)'
    has 'typed: a command' "$typed" 'proved'
    has 'typed: another formula' "$typed" '1 layer, 1 head, letters a b'
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

# ---- compile, run, explain, check, show -----------------------------------------------------------------------------

formula='(a S b) & #[a] >= 1'
run 0 compile -f "$formula" -o m.temper
has 'summary' "$out" 'm.temper: temperature, '
run 0 compile -f "$formula" --method positions -o p.temper
run 0 compile -f "$formula" --hard -o h.temper
run 0 compile -f "$formula" --method digits -o d.temper
has 'summary of digits' "$out" 'd.temper: digits, '
has 'digits are of bf16' "$(cat d.temper)" 'method digits bf16'
run 0 compile -f "$formula" --method digits --digits e4m3 -o d.safetensors
run 0 explain d.safetensors
has 'digits: the format is explained' "$out" 'method         digits, numbers stored in e4m3'
run 0 explain --json d.safetensors
has 'digits in JSON' "$out" '"method":"digits","digits":"e4m3"'
run 2 compile -f "$formula" --digits f16 -o d.safetensors
has 'digits need their method' "$err" '--digits needs --method digits'
run 2 run d.temper --digits f16 ab
has 'digits of a model are fixed' "$err" '--digits cannot be given with a MODEL'
for type in f64 f32; do
    run 0 run -q --type $type d.temper ba
    run 1 run -q --type $type d.temper b
done
run 0 run --type bf16/f32 --unchecked d.temper ba
run 0 soften -f 'a S b' --method digits --digits f16 -o soft.temper
run 0 compile -f 'a S b' --method digits --digits f16
same 'soften as compile does, digits' "$out" "$(cat soft.temper)"
run 2 soften -f 'a S b' --method digits --length 5 -o soft.temper
has 'digits have no length' "$err" 'has no length to prove'
run 0 compile -f 'O a & Y b' --hard -o fused.temper
run 4 soften fused.temper --method digits -o soft.temper
has 'a fused gate has no digits' "$err" 'which is not exact in bf16'
run 0 compile -f "$formula"
same 'printed = written' "$(cat m.temper)" "$out"
run 0 compile -f "$formula" --dump hard
same 'dump = written' "$(cat h.temper)" "$out"
run 0 compile -f "$formula" --dump formula
printf '%s\n' "$out" >again.spec
run 0 compile -F again.spec --hard
run 0 compile -f "$formula" --dump formula,hard,soft
has 'titles' "$out" '== soft =='
run 0 --json compile -f "$formula" -o j.temper
has 'json summary' "$out" '"file":"j.temper"'

run 0 eval -f "$formula" --per-position ba aba bab aab ''
want=$out
for call in "run -f|$formula" "run --hard -f|$formula" "run --method positions -f|$formula" 'run m.temper' \
    'run --hard m.temper' 'run p.temper' 'run --hard p.temper' 'run h.temper' 'eval m.temper' 'eval h.temper'; do
    IFS=' ' read -ra words <<<"${call%%|*}"
    case $call in *'|'*) words+=("${call#*|}") ;; esac
    run 0 "${words[@]}" --per-position ba aba bab aab ''
    same "answers of: $call" "$want" "$out"
done
run 0 run m.temper --margins ba
has 'margins' "$out" 'largest error before rounding'
run 0 run --json m.temper ba
same 'json run' '{"string":"ba","accept":true,"proved":true,"claim":"formula"}' "$out"
run 2 run m.temper --alphabet ab ba
has 'not with a model' "$err" '--alphabet cannot be given with a MODEL'
run 2 run -f a --hard --method positions a
run 1 run -q m.temper aaa
run 2 run m.temper bxa ba
same 'run goes on' "error${tab}bxa
accept${tab}ba" "$out"

# A model cut anywhere is refused, never misread: as malformed (2), or, cut between lines, as unproved (4).
size=$(stat -c %s m.temper)
for part in 1 2 3 5 8 9; do
    head -c $((size * part / 10)) m.temper >cut.temper
    "$temper" run cut.temper ba >out 2>err
    case $? in 2 | 4) pass ;; *) fail "a model cut at $part/10" "$(cat out err)" ;; esac
done

# What a model carries: syntax, alphabet, tokens, reading position, the empty string.
while IFS=';' read -r options string; do
    IFS=' ' read -ra words <<<"$options"
    for word in "${!words[@]}"; do words[word]=${words[word]//_/ }; done
    run 0 compile "${words[@]}" -o own.temper
    run 0 eval "${words[@]}" --per-position -- "$string" ''
    want=$out
    for call in eval run 'run --hard'; do
        IFS=' ' read -ra verb <<<"$call"
        run 0 "${verb[@]}" own.temper --per-position -- "$string" ''
        same "$call of a model from: $options" "$want" "$out"
    done
    run 0 check own.temper --random 50 --length 30
done <<'LIST'
-F dyck.spec;(()())
-F even.crasp;(())
-F prev.brasp;aa
-f F_ack --tokens --alphabet req_ack;req ack req
-f X_a --alphabet ba --empty accept;ba
-f Y_a_|_X_b --at first;ab
-f O_'_'_&_O_'\\';\ \
-f #[a]_%_3_=_2 --alphabet ba;abab
-f true --alphabet ab --empty accept;ab
LIST

# Beyond the proved length: a huge coefficient, so that f64 gives up early.
huge='10000000000000*#[a] - 9999999999999*#[b] >= 0'
run 0 explain -f "$huge" --json
safe=$(printf '%s\n' "$out" | sed -n 's/.*"proved_length":\[{"type":"f64","length":\([0-9]*\).*/\1/p')
if [ -n "$safe" ] && [ "$safe" -gt 10 ] && [ "$safe" -lt 100000 ]; then
    pass
    long=$(head -c $((safe + 1)) /dev/zero | tr '\0' a)
    run 4 run -f "$huge" "$long" a
    same 'refused, and on' "error${tab}$long
accept${tab}a" "$out"
    has 'names the proved length' "$err" "$safe"
    run 0 run -f "$huge" --unchecked "$long" a
    same 'unproved' "accept (unproved)${tab}$long
accept${tab}a" "$(printf '%s\n' "$out" | sed 's/^reject (un/accept (un/')"
    has 'warned' "$err" 'temper: warning: '
    run 0 run --json -f "$huge" --unchecked "$long"
    has 'unproved json' "$out" '"proved":false'
    run 0 check -f "$huge" --random 10
    run 4 check -f "$huge" --length $((safe + 1)) --random 100
else
    fail 'a huge coefficient has a small proved length' "$out"
fi

# Hard choices without a proof of the model: proved string by string, refused where rounding hides a tie, exact on request.
{
    printf 'temper-model 1\nalphabet "a" "b"\nchannel 0 "one" position "1"\nchannel 1 "part" position "1/10"\n'
    printf 'channel 2 "start"\nchannel 3 "b"\nchannel 4 "score"\nchannel 5 "out"\n'
    printf 'embed "a"\nembed "b" 3:1\nembed start 2:1\nembed end\nlayer 1\n'
    for _ in 1 2 3 4 5 6 7 8 9 10; do printf 'unit 0 1:1 2:-2 3:-2 -> 4:1\n'; done
    printf 'unit 0 3:1 -> 4:1\nlayer 2\nhead "last" mask j<=i choice rightmost\n  query 0:1\n  key 4:1\n  value 3:1\n'
    printf '  output 5:1\nread 5:1\n'
} >tenths.temper
run 4 run tenths.temper bb ba ab
same 'ten tenths tie with 1, and rounding cannot tell' "accept${tab}bb
error${tab}ba
error${tab}ab" "$out"
has 'names head and positions' "$err" 'head 2.1 (last) at position 2: positions 1 and 2 may tie, and rounding cannot tell'
has 'and what to do' "$err" 'hint: --type exact decides it'
run 0 run tenths.temper --type exact bb ba ab ''
same 'exactly' "accept${tab}bb
reject${tab}ba
accept${tab}ab
reject${tab}" "$out"
run 0 run tenths.temper --unchecked ba
same 'plain arithmetic is wrong, and says that nothing is proved' "accept (unproved)${tab}ba" "$out"
printf 'bb\nba\nab\nbb\n' >tenths.txt
run 4 run tenths.temper - <tenths.txt
same 'many strings, some refused' "accept${tab}bb
error${tab}ba
error${tab}ab
accept${tab}bb" "$out"
run 0 run --json tenths.temper bb
has 'proved without a proof of the model' "$out" '"proved":true'
run 0 run --type exact --hard m.temper ba ab
want=$out
run 0 run --hard m.temper ba ab
same 'exact = fast' "$out" "$want"
run 4 run --type exact m.temper ba
has 'softmax is never exact' "$err" 'hint: --hard'
run 2 run --type bf16/f32@128 m.temper ba
has 'tiles: did you mean' "$err" 'did you mean bf16/f32@tile128?'
run 0 run --type BFLOAT16/float32@tile64 -f 'O a' --alphabet ab ba
same 'tiles, by other names of formats' "accept${tab}ba" "$out"
run 4 run --type f32@tile128 --stream -f 'O a' --alphabet ab </dev/null
has 'tiles: no stream' "$err" 'not in f32@tile128'
run 2 run --type f8 m.temper ba
has 'the number formats' "$err" 'is not one of f64|f32|exact|bf16/f32|bf16|f16/f32|f16|e4m3/f32|e4m3|e5m2/f32|e5m2|f32/f64|bf16/f64'
for type in bf16/f32 bf16 f16/f32 f16 e4m3/f32 e4m3 e5m2/f32 e5m2 f32/f64 bf16/f64; do
    run 4 run --type $type -f '(a S b) & Y a & #[a] % 5 = 1' --alphabet abc "$(printf 'bca%.0s' $(seq 400))"
    same "$type is refused" "error${tab}$(printf 'bca%.0s' $(seq 400))" "$out"
    has "$type is not proved" "$err" "in $type: "
    has "$type: what to do" "$err" 'hint: --unchecked'
    run 4 run --type $type --unchecked -f 'O a' --alphabet ab --stream <<<ba
    has "$type: no stream" "$err" "a stream runs in f64 or f32, not in $type"
done
printf 'ba\nbb\n' >two.txt
run 0 run --type f16 -f 'O a' --alphabet ab - <two.txt
same 'many strings, as far as certify goes' "accept${tab}ba
reject${tab}bb" "$out"
run 0 run --type bf16/f32 --per-position --json -f 'a S b' --alphabet abc bca
has 'certified: proved' "$out" '"proved":true'
has 'certified: every position' "$out" '"positions":[1,0,0]'
run 4 run --type bf16 -f 'a S b' --alphabet abc bca "$(printf 'bca%.0s' $(seq 10))"
same 'certified up to a length' "reject${tab}bca
error${tab}$(printf 'bca%.0s' $(seq 10))" "$out"
has 'certified, and beyond' "$err" 'string 2: length 30 is beyond the proved length 23 in bf16: head 1.1 (a S b): two logits may be off by'
run 0 run --type bf16 --unchecked --json -f 'a S b' --alphabet abc "$(printf 'bca%.0s' $(seq 10))"
has 'json: unproved' "$out" '"proved":false,"claim":"none"'
run 0 run --type f32 --unchecked -f '#[a] % 2 = 1' --alphabet ab "$(printf 'a%.0s' $(seq 700))"
has 'the warning is about the type that is run' "$err" 'beyond the proved length 637 in f32 ('

# One proved length, whoever prints it.
for f in 'a S b' 'O a' '#[a] % 2 = 1' '#[a] >= #[b]' 'Y a' 'H (a -> O b)' 'a S (b & Y a)' '2*#[a] > 3*#[b]'; do
    for type in f64 f32 bf16/f32; do
        run 0 explain --json -f "$f" --alphabet ab
        told=$(printf '%s\n' "$out" | sed -n "s|.*{\"type\":\"$type\",\"length\":\([0-9a-z]*\).*|\1|p" | head -1)
        [ "$told" = null ] && continue
        run 0 certify -f "$f" --alphabet ab --type $type --json
        has "$f in $type: certify" "$out" "\"verdict\":\"proved\",\"length\":$told,"
        if [ "$told" -lt 5000 ]; then
            run 0 run --unchecked --json --type $type -f "$f" --alphabet ab "$(head -c "$told" /dev/zero | tr '\0' a)"
            has "$f in $type: run" "$out" '"proved":true'
            run 4 run --json --type $type -f "$f" --alphabet ab "$(head -c $((told + 1)) /dev/zero | tr '\0' a)"
            has "$f in $type: refused" "$err" "beyond the proved length $told in $type"
        fi
    done
done
run 0 run --type bf16/f32 --unchecked --margins -f 'a S b' --alphabet abc bcaa
has 'errors in a short format' "$out" '0.000404   0.000335  a S b'
run 0 run --type bf16/f32 --unchecked --plan dense --margins -f 'a S b' --alphabet abc bcaa
has 'the same by all pairs' "$out" '0.000404   0.000335  a S b'
run 2 run --type f16 --unchecked -f '#[a] % 2 = 1' --alphabet ab aaaaaaaaaaaaaaa
has 'overflow' "$err" 'in f16 head 2.1 overflows at position 0: its weights have no finite sum'
bc=$(printf 'bc%.0s' $(seq 42))
run 0 run --type bf16/f32 --unchecked --per-position -f 'a S b' --alphabet abc "${bc}"
has 'bf16 is right at length 84' "$out" "$(printf '10%.0s' $(seq 42))"
run 0 run --type bf16/f32 --unchecked --per-position -f 'a S b' --alphabet abc "${bc}b"
lacks 'and wrong at 85' "$out" "$(printf '10%.0s' $(seq 42))"
run 0 explain -f "$formula"
for part in 'specification' 'proved length' 'growth' 'layer   head  channel  subformula' 'scale'; do
    has 'explain' "$out" "$part"
done
run 0 explain -f 'O [0123456]' --alphabet '-.0123456789'
has 'labels have ranges' "$out" '  O [0-6]'
run 0 explain -f 'O [abcd] & H [abdefg]' --alphabet abcdefg
has 'a short set is listed' "$out" '  O [abcd]'
has 'a set by its other side where that is much shorter' "$out" '  H [^c]'
run 0 explain m.temper --json
has 'explain json' "$out" '"kind":"subformula"'
has 'explain json' "$out" '"kind":"head"'
if [ -n "$python" ]; then
    for call in "explain m.temper" "run --margins m.temper ba" "show m.temper ba" "show --row 1.1@1 m.temper ba" \
        "check m.temper --random 10" "compile -f a --dump formula,hard" "gap h.temper --length 4" \
        "soften h.temper" "limits -f a --type e5m2 --effort 0.01"; do
        IFS=' ' read -ra words <<<"$call"
        if "$temper" --json "${words[@]}" | $python -c 'import json, sys
for line in sys.stdin: json.loads(line)' 2>err; then pass; else fail "json of: $call" "$(tail -n 1 err)"; fi
    done
fi

run 0 check -f "$formula" --exhaustive 4 --random 50 --length 40
same 'check, both methods' "agreed${tab}81 strings${tab}temperature
agreed${tab}81 strings${tab}positions" "$(printf '%s\n' "$out" | sed 's/:.*//')"
run 0 check m.temper --exhaustive 3 --random 20
run 0 check p.temper --exhaustive 3 --random 0
run 0 check d.temper --exhaustive 3 --random 20
run 0 check -f "$formula" --method digits --digits e5m2 --exhaustive 3 --random 20
run 0 check h.temper --exhaustive 3 --random 0
run 1 check m.temper -f 'a S b' --exhaustive 3 --random 0
has 'counterexample' "$out" "counterexample${tab}b${tab}temperature: "
run 1 check -q m.temper -f 'a S b'
same 'quiet check' '' "$out$err"
run 1 --json check m.temper -f 'a S b'
has 'counterexample json' "$out" '"counterexample":"b"'
run 2 check m.temper -f 'a S c'
has 'a letter the model does not have' "$err" "formula:1:5: the letter 'c' is not in the alphabet
    a S c
        ^
hint: the letters are a b"
run 4 check -f 'a | b' --exhaustive 100
has 'too many strings' "$err" 'more than 2^62 strings'
run 0 check --regex '[a-z]+@[a-z]+' --ascii --method temperature --random 10
has 'by default as many strings as classes make' "$out" "1103 strings${tab}temperature: all up to length 6 over 3 classes of letters"
run 0 check -f 'O a' --ascii --method temperature --random 0
has 'two classes' "$out" "127 strings${tab}temperature: all up to length 6 over 2 classes of letters"

run 0 compile -f 'a S b' --alphabet abc -o since.temper
run 0 explain since.temper --hard
has 'what is proved of hard runs' "$out" '16777215  formula       head 1.1 (a S b): f32 counts only up to 2^24'

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

# ---- other scales ---------------------------------------------------------------------------------------------------

run 0 run -f 'a S b' --alphabet abc --scale 0.2x --margins bcbcb
has 'a scale: unproved' "$out" 'accept (unproved)'
has 'a scale: the leak' "$out" '1.1           0.168'
same 'a scale: one warning' 'temper: warning: the softmax scales are those of --scale: nothing is proved of the answers' "$err"
run 0 run -f 'a S b' --alphabet abc --scale 1x --json bca
same 'a scale, JSON' '{"string":"bca","accept":false,"proved":false,"claim":"none"}' "$out"
run 0 run -f 'a S b' --alphabet abc --scale 0 bcca
run 0 run -f 'a S b' --alphabet abc --method positions --scale 1.1=1 bca
run 0 run -f 'a S b' --alphabet abc --type bf16/f32 --scale 3 --scale 1.1=8*N bca
run 0 show -f 'a S b' --alphabet abc --scale '1 + i/2' bca
has 'a scale by row' "$out" 'scale 1 + i/2'
has 'a scale, shown' "$out" 'scales chosen by hand, nothing is proved'
run 0 show -f 'a S b' --alphabet abc --scale '1 + i/2' --row 1.1@3 bca
has 'the scale of a row' "$out" 'scale     2.5 = 1 + i/2'
run 0 check -f 'a S b' --alphabet abc --scale 0.2x
run 1 check -f 'a S b' --alphabet abc --scale 'i + 1' --method temperature
has 'a wrong temperature is found' "$out" 'counterexample'
run 0 limits -f 'a S b' --alphabet abc --type f64 --method temperature --scale 2 --effort 0.01
has 'limits of a wrong temperature' "$out" 'f64       temperature             -'
run 0 compile -f 'a S b' --alphabet abc --scale '8*(i + 1)' -o rows.temper
same 'version 2' 'temper-model 2' "$(head -n 1 rows.temper)"
run 4 run rows.temper bca
run 0 run rows.temper --unchecked bca
run 4 run rows.temper --unchecked --stream
run 4 certify rows.temper --length 2
run 4 export rows.temper --unchecked -o rows
has 'export: the scale' "$err" 'reads the position'
run 2 run -f 'a S b' --alphabet abc --scale 2.1=1 bca
run 2 run -f 'a S b' --alphabet abc --scale 8* bca
run 2 run -f 'a S b' --alphabet abc --scale 1x --hard bca
run 2 eval -f 'a S b' --alphabet abc --scale 1x bca

run 0 show m.temper --row 1.1@2 ba
for part in query scale score weight hard output rounded; do has 'row' "$out" "$part"; done
run 2 show m.temper --row 9.1@2 ba
run 2 show m.temper --row 1.99@2 ba
run 2 show m.temper --row 1.1@99 ba
run 2 show m.temper --row 1.1 ba
run 2 show m.temper --layer 99 ba
run 2 show m.temper ba ab
run 2 show m.temper
run 2 show m.temper bxa

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
run 0 run -f 'O a' --alphabet ab --stream --margins <<<'ba'
has 'stream margins' "$out" 'largest error before rounding over 1 string'
run 2 run -f 'O a' --stream abc
has 'stream takes no strings' "$err" '--stream takes no strings'
run 2 run -f 'O a' --stream --per-position </dev/null
run 0 check -f 'a S b' --exhaustive 9 --random 0 --threads 2
run 2 check -f 'a S b' --threads 0

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

# ---- audit ----------------------------------------------------------------------------------------------------------

run 0 compile -f 'a S b | Y c' -o audit.temper
run 0 certify audit.temper --length 1000 --type f32 -o audit.json
run 0 audit audit.json audit.temper
same 'audit: what is proved' "audit.json: proved for audit.temper: the answer at every position is the source's, for every string up to length 1000 in f32 (largest error $(sed -n 's/^  "error": "\(.*\)",/\1/p' audit.json) of 2.500e-01 allowed)" "$out"
run 0 -q audit audit.json audit.temper
same 'audit: quiet' '' "$out$err"
run 0 --json audit audit.json audit.temper
has 'audit: json' "$out" '"proved":true,"claim":"formula","length":1000,"type":"f32"'
sed '/^source/d;/^digest/d' audit.temper >sourceless.temper
run 0 certify sourceless.temper --length 100 -o sourceless.json
has 'certify: read off' "$out" "proved${tab}the model's own hard choices: every string up to length 100 in f64${tab}"
run 0 audit sourceless.json sourceless.temper
has 'audit: every position' "$out" 'the answer at every position is that of its hard choices, for every string up to length 100'
run 0 --json audit sourceless.json sourceless.temper
has 'audit: every position, json' "$out" '"claim":"hard choices","length":100,"type":"f64","every_position":true,'
sed 's/"length": 1000/"length": 1001/' audit.json >other.json
run 1 audit other.json audit.temper
has 'audit: another length' "$err" 'other.json:'
has 'audit: another length' "$err" 'but the audit finds'
run 1 --json audit other.json audit.temper
has 'audit: json refusal' "$out" '"proved":false,"reason":"'
run 0 compile -f 'a S b | Y b' --alphabet abc -o other.temper
run 1 audit audit.json other.temper
has 'audit: another model' "$err" 'it is about another model'
echo '{' >broken.json
run 2 audit broken.json audit.temper
run 3 audit nothing.json audit.temper
run 2 audit audit.json
has 'audit: usage' "$err" 'audit takes a certificate and a model'

# ---- gallery --------------------------------------------------------------------------------------------------------

run 0 gallery
has 'gallery: header' "$out" 'name             class                 language'
has 'gallery: a line' "$out" 'dyck-2           AHAT uniform-tieless  balanced strings of ( ) [ ]'
count=$(printf '%s\n' "$out" | wc -l)
names=$(printf '%s\n' "$out" | sed '1d; s/ .*//')
run 0 --json gallery
same 'gallery: one object a line' "$((count - 1))" "$(printf '%s\n' "$out" | grep -c '^{"name":".*}$')"
run 0 -q gallery
same 'gallery: quiet' '' "$out$err"
run 0 gallery first dyck-2
for part in 'first: FIRST' 'language    strings of 0 and 1 that begin with 1' 'class       UHAT' 'Chiang and Cholak' \
    "O (first & '1')" '1 layer, 1 head,' '1.1  leftmost   j<=i  the first letter' 'accepted    ' 'rejected    ' \
    'temper compile --gallery first -o first.temper' 'dyck-2: Dyck-2' 'formula     none'; do
    has 'gallery: details' "$out" "$part"
done
run 0 --json gallery tied
has 'gallery: json details' "$out" '"heads":[{"layer":1,"head":1,"choice":"average"'
run 2 gallery dick-2
same 'gallery: near names' "temper: the gallery has no model 'dick-2'
hint: did you mean dyck-2?" "$err"
run 2 compile --gallery parrity -o new.temper
has 'compile --gallery: near names' "$err" 'did you mean parity?'
if [ -e new.temper ]; then fail 'a wrong name leaves no file'; else pass; fi
run 0 compile --gallery dyck-2 -o dyck-2.temper
has 'compile --gallery' "$out" 'dyck-2.temper: hard, 4 layers, '
same 'compile --gallery: what it is' 'temper: this model is hard: its heads choose the largest scores
hint: temper soften dyck-2.temper -o soft.temper --length 20 makes a softmax model of it' "$err"
run 0 compile --gallery dyck-2
same 'compile --gallery: printed = written' "$(cat dyck-2.temper)" "$out"
run 0 run dyck-2.temper '([])' '([)]' '' '('
same 'a gallery model answers' "accept${tab}([])
reject${tab}([)]
accept${tab}
reject${tab}(" "$out"
for option in '-f a' '-F dyck.spec' '--method positions' '--alphabet ab' '--dump hard'; do
    IFS=' ' read -ra words <<<"$option"
    run 2 compile --gallery first "${words[@]}"
    has "--gallery with $option" "$err" '--gallery and --'
done
run 2 compile --gallery first b
for name in $names; do
    run 0 compile -q --gallery "$name" -o any.temper
    same "gallery: $name is quiet" '' "$out$err"
    if grep -q "^| \`$name\`" "$root/doc/gallery.md"; then pass; else fail "doc/gallery.md: no $name"; fi
    grep -q '^source ""' any.temper || run 0 check any.temper --exhaustive 3 --random 20 --length 30
done

# ---- safetensors ----------------------------------------------------------------------------------------------------

for kind in temperature positions hard; do
    method="--method $kind"
    [ $kind == hard ] && method=--hard
    # shellcheck disable=SC2086
    run 0 compile -f "$formula" $method -o s.temper
    # shellcheck disable=SC2086
    run 0 compile -f "$formula" $method -o s.safetensors
    has "$kind: summary of safetensors" "$out" "s.safetensors: $kind, "
    same "$kind: safetensors by content" '{"__metadata__"' "$(tail -c +9 s.safetensors | head -c 15)"
    for words in 'run MODEL ba aba bab aab' 'run --hard --per-position MODEL ba aba bab' 'run --json MODEL ba' 'explain MODEL' \
        'explain --json MODEL' 'show MODEL abab' 'check MODEL --random 20' 'eval MODEL ba ab'; do
        # shellcheck disable=SC2086
        run 0 ${words/MODEL/s.temper}
        want=$out
        # shellcheck disable=SC2086
        run 0 ${words/MODEL/s.safetensors}
        same "$kind: ${words/MODEL/s.safetensors}" "$want" "$out"
    done
    if [ -n "$python" ]; then
        has "$kind: a second reader" "$($python "$root/tests/model/safetensors.py" s.safetensors s.temper 2>&1)" 'same weights in '
    fi
done
cp s.safetensors other.temper
run 0 run other.temper ba
same 'the name does not matter when reading' "accept${tab}ba" "$out"
run 0 run <(cat s.safetensors) ba
same 'safetensors from a pipe' "accept${tab}ba" "$out"
run 0 --json compile -f "$formula" -o j.safetensors
has 'json summary with the size' "$out" "\"bytes\":$(stat -c %s j.safetensors),"
head -c 200 s.safetensors >cut.safetensors
run 2 run cut.safetensors ba
has 'a cut file' "$err" 'temper: cut.safetensors: byte 0: a header of '
run 3 compile -f a -o missing/m.safetensors
same 'no temporary files of safetensors' '' "$(find . -name '*.safetensors.*' | tr '\n' ' ')"

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

# ---- export ---------------------------------------------------------------------------------------------------------

run 0 export -f 'H(b -> O a)' --alphabet abc -o made/
same 'export: summary' 'made/: temperature, 2 layers, 2 heads, 6 channels, ONNX in f64; proved length 1099511627776 in f64 (formula)' "$out$err"
same 'export: the files' 'README.md config.json configuration_temper.py lens_temper.py model.safetensors model.temper modeling_temper.py onnx testvectors.jsonl tokenizer.json tokenizer_config.json vocab.json' "$(ls made | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
run 0 run made caab cba
same 'export: the folder runs' "accept${tab}caab
reject${tab}cba" "$out"
mkdir -p nothing
run 3 run nothing caab
has 'export: another folder' "$err" 'this folder holds no model.safetensors and no model.gguf'
run 0 export -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 8 -o ordinary
for what in ordinary ordinary/model.gguf; do
    run 0 run $what caab cba
    same "export --as: $what runs" "accept${tab}caab
reject${tab}cba" "$out"
    has "export --as: what $what runs as" "$err" 'the hard-attention transformer that these weights stand for'
done
run 0 run made/model.safetensors caab cba
same 'export: temper reads the weights' "accept${tab}caab
reject${tab}cba" "$out"
same 'export: vocabulary' '{ "a": 0, "b": 1, "c": 2, "<start>": 3 }' "$(tr -s '\n ' ' ' <made/vocab.json | sed 's/ $//')"
if [ -n "$python" ]; then
    $python -c 'import json; json.load(open("made/config.json")); [json.loads(x) for x in open("made/testvectors.jsonl")]' && pass || fail 'export: JSON'
fi
echo mine >made/notes.txt
run 0 --json export made/model.safetensors --type f32 --outputs patterns,channels,heads -o made
same 'export: json summary' '{"folder":"made","type":"f32","method":"temperature","layers":2,"heads":2,"channels":6,"proved_length":{"type":"f32","length":2410413,"claim":"formula"}}' "$out"
same 'export: other files stay' mine "$(cat made/notes.txt)"
if ls made | grep -qE '\.(json|onnx|py|md|jsonl|safetensors)\.'; then fail 'export: temporary files left'; else pass; fi
run 0 export -q made/model.safetensors -o g.onnx
same 'export: quiet' '' "$out$err"
if [ -s g.onnx ]; then pass; else fail 'export: only the graph'; fi
run 0 certify -q made/model.safetensors --length 1000 --type f32 -o c.json
run 0 export made/model.safetensors -q --certificate c.json -o made2
same 'export: the certificate' "$(cat c.json)" "$(cat made2/certificate.json)"
run 0 audit made2/certificate.json made2/model.safetensors
has 'export: the audit' "$out" 'every string up to length 1000 in f32'
run 0 certify -q -f 'H(b -> O a)' --alphabet abc --length 7 -o c.json
run 0 export made/model.safetensors -q --certificate c.json -o made2
run 0 $(sed -n 's/^ *temper \(audit .*\)/\1/p' made2/README.md)
has 'export: the audit of the text' "$out" 'made2/model.temper: the answer at every position is the source'
run 2 export -f 'H(b -> O a)' --alphabet ab -q --certificate c.json -o made3
has 'export: the certificate of another model' "$err" 'the certificate is about other bytes'
if [ -e made3 ]; then fail 'export: a refused certificate leaves no folder'; else pass; fi
sed 's/"length": 7/"length": 8/' c.json >changed.json
run 2 export made/model.safetensors -q --certificate changed.json -o made2
has 'export: a changed certificate' "$err" 'changed.json:17: the certificate does not pass the audit: heads[0].logit'
echo '{"format": 1}' >c.json
run 2 export made/model.safetensors -q --certificate c.json -o made2
has 'export: no certificate of temper' "$err" "'c.json' is JSON, but not a certificate of temper"
run 2 export made/model.safetensors -o made2
has 'export: an old certificate' "$err" 'the folder has a certificate.json, which need not be about this model'
echo '[1' >c.json
run 2 export made/model.safetensors --certificate c.json -o made3
has 'export: a certificate that is none' "$err" 'the certificate: expected an object'
if [ -e made3 ]; then fail 'export: a refused export leaves no folder'; else pass; fi
run 3 export made/model.safetensors --certificate none.json -o made3
has 'export: no certificate' "$err" "cannot read 'none.json'"
run 2 export made/model.safetensors --certificate c.json -o x.onnx
has 'export: a certificate without a folder' "$err" '--certificate needs a folder'

# ---- export --as: ordinary transformers -------------------------------------------------------------------------------

run 0 export -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 32 -o stock/
same 'export --as: summary' 'stock/: gpt2 for up to 32 letters, 2 layers of 8 heads, width 128, weights f32, cache f16; proved' "$out$err"
same 'export --as: the files' 'Modelfile README.md certificate.json config.json generation_config.json model.gguf model.safetensors onnx testvectors.jsonl tokenizer.json tokenizer_config.json' "$(ls stock | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
same 'export --as: the file for llama.cpp' GGUF "$(head -c 4 stock/model.gguf)"
has 'export --as: an answer' "$(grep -F '"string": "b"' stock/testvectors.jsonl)" '"end": [0, 0], "legal": [[2, 4], []]'
has 'export --as: proved' "$(cat stock/README.md)" 'after every prefix of every string of up to 32 letters'
if [ -n "$python" ]; then
    $python - <<'CHECK' && pass || fail 'export --as: JSON, or the certificate'
import hashlib, json
for name in ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"):
    json.load(open("stock/" + name))
for line in open("stock/testvectors.jsonl"):
    json.loads(line)
c = json.load(open("stock/certificate.json"))
assert c["temper-stock-certificate"] == 1 and c["length"] == 32 and c["allowed"] == 32
assert [f["name"] for f in c["files"]] == ["model.gguf", "model.safetensors", "onnx/model.onnx"]
assert all(hashlib.sha256(open("stock/" + f["name"], "rb").read()).hexdigest() == f["sha256"] for f in c["files"])
CHECK
fi
tr '\n' ' ' <stock/certificate.json >one-line.json
run 0 audit one-line.json stock
has 'audit: a certificate in one line' "$out" 'every string up to length 32 each logit is within 32 of what the source says, as a gpt2 with f32 weights and an f16 cache'
run 0 certify -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 32
has 'certify --as' "$out" "proved${tab}formula: every string up to length 32 as gpt2, weights f32, cache f16"
printf 'tokens yes\nalphabet a b c\nH(b -> O a)\n' >words.spec
for as in gpt2 llama; do # words of one character are words
    run 0 certify -F words.spec --as $as --length 32
    has 'certify --as, short words' "$out" "proved${tab}formula: every string up to length 32 as $as"
done
run 4 certify -f '#[a] >= #[b]' --alphabet ab --as gpt2 --length 1100
has 'certify --as: a shorter length' "$out" "shorter${tab}proved up to length 1022"
run 4 --json certify -f '#[a] >= #[b]' --alphabet ab --as gpt2 --length 1100
has 'certify --as: a shorter length, in JSON' "$out" '"shorter":1022'
run 4 export -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length 1100 -o none
has 'export --as: what goes least far' "$err" 'looks up a position by its square: as gpt2 with f32 weights and an f16 cache it goes up to 300 letters'
run 0 --json certify -f 'H(b -> O a)' --alphabet abc --as llama --length 32 --weights f16 --kv f32
has 'certify --as: json' "$out" '"verdict":"proved","length":32,"as":"llama","weights":"f16","kv":"f32","positions":"auto","proved":true'
run 4 certify -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length 290
has 'certify --as: unable' "$out" "unable${tab}length 290 as gpt2, weights f32, cache f16: "
run 2 certify -f a --alphabet ab --as gpt2 --length 9 -o c.json
has 'certify --as: no file' "$err" 'certify --as writes no file'
run 2 certify -f a --alphabet ab --kv f16
has 'certify: --kv' "$err" '--kv goes with --as'
run 0 limits -f 'a S b' --alphabet abc --as llama --positions ramp --kv f16 --weights f32 --length 300
has 'limits --as' "$out" 'llama  ramp      f32      f16 '
run 0 export -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length 290 -o stock
has 'export --as: not proved' "$(cat stock/README.md)" 'Nothing is proved of this file'
has "export --as: not proved, and which head" "$(cat stock/README.md)" "Nothing is proved of this file**: head 3.1: "
shorter=$(sed -n 's/^proved up to \([0-9]*\) letters: --length \1$/\1/p' <<<"$out")
has 'export --as: the length that is proved' "$(cat stock/README.md)" "An export with \`--length ${shorter:-none}\` is proved."
run 4 certify -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length 290
has 'export --as: the length that certify names' "$out" "shorter${tab}proved up to length $shorter"
run 0 certify -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length "$shorter"
run 0 limits -f '#[a] % 3 = 1' --alphabet ab --as llama --positions ramp --kv f16 --weights f32 --length 300
has 'limits --as: a setting that is refused' "$out" 'f16                -             -  head 2.1'
run 0 export -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length 290 -o stock
if [ -e stock/certificate.json ]; then fail 'export --as: a certificate of another model'; else pass; fi
run 0 export -q -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 32 -o stock/
run 0 export -q -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 32 -o stock2
if diff -r stock/onnx stock2/onnx && cmp stock/model.safetensors stock2/model.safetensors && cmp stock/testvectors.jsonl stock2/testvectors.jsonl; then pass; else fail 'export --as: other bytes'; fi
run 0 --json export -f '#[a] >= #[b]' --alphabet ab --as llama --length 100 --weights f16 --kv f32 -o stock
has 'export --as: json' "$out" '"as":"llama","length":100,"weights":"f16","kv":"f32"'
has 'export --as: json flags' "$out" '"mirrored":false,"only_gguf":false,"every_letter":true'
run 0 export -f 'H(b -> Y a)' --alphabet ab --as llama --length 100 --positions digits -o stock
has 'export --as: digits' "$out" 'only GGUF'
if [ -e stock/config.json ] || [ -e stock/onnx/model.onnx ]; then fail 'export --as: files of an earlier model'; else pass; fi
run 0 export -f '#>[a] >= #>[b]' --alphabet ab --as gpt2 --length 100 -o stock
has 'export --as: mirrored' "$out" 'feed every string from right to left'
run 4 export -f '#[a] >= #>[b]' --at last --alphabet ab --as gpt2 --length 100 -o stock3
has 'export --as: both ways' "$err" 'looks both ways'
if [ -e stock3 ]; then fail 'export --as: a refused export leaves no folder'; else pass; fi
run 4 export -f 'Y(a S b)' --alphabet ab --as llama --length 4000 --positions ramp -o stock3
has 'export --as: too long' "$err" 'as llama with f32 weights and an f16 cache it goes up to 1492 letters'
run 2 export -f a --alphabet ab --as gpt2 --length 0 -o stock3
has 'export --as: length 0' "$err" '1 to 16384 letters'
run 2 export -f a --alphabet ab --as gpt2 -o stock3
has 'export --as: no length' "$err" '--as needs the longest string: --length N'
run 2 export -f a --alphabet ab --as gpt2 --length 9
has 'export --as: no folder' "$err" 'export --as needs a folder'
run 2 export -f a --alphabet ab --as gpt2 --length 9 --type f32 -o stock3
has 'export --as: --type' "$err" '--type does not go with --as'
run 2 export -f a --alphabet ab --as gpt2 --length 9 --method digits -o stock3
has 'export --as: --method' "$err" '--method does not go with --as'
run 2 export -f a --alphabet ab --as gpt2 --length 9 --positions ramp -o stock3
has 'export --as: --positions' "$err" '--positions goes with --as llama'
run 2 export -f a --alphabet ab --weights f16 -o stock3
has 'export: --weights' "$err" '--weights goes with --as'
for option in --weights --kv; do
    for name in bf16 bfloat16; do
        run 2 export -f a --alphabet ab --as gpt2 --length 9 $option $name -o stock3
        has "export --as: $option $name" "$err" 'bf16 keeps 8 bits: positions and counts above 256 are rounded'
    done
done
run 2 export -f a --alphabet ab --as bert --length 9 -o stock3
has 'export --as: another architecture' "$err" 'gpt2'
run 2 export made/model.safetensors
has 'export: no folder' "$err" 'export needs a folder: -o FOLDER'
run 2 export made/model.safetensors -o made3 more
has 'export: further arguments' "$err" 'export takes no further arguments'
run 2 export made/model.safetensors --hard -o made3
has 'export: hard' "$err" '--hard goes with a formula'
run 2 export made/model.safetensors --type bf16 -o made3
has 'export: type' "$err" 'the ONNX graph is f64 or f32'
run 2 export made/model.safetensors --outputs patterns,x -o made3
has 'export: outputs' "$err" "'x' is not one of patterns, channels, heads"
run 3 export made/model.safetensors -o none/out
has 'export: no parent' "$err" "cannot make the folder 'none/out': No such file or directory"
run 3 export made/model.safetensors -o c.json
has 'export: a file in the way' "$err" "'c.json' is there, but is not a folder"
run 3 export none.temper -o made3
has 'export: no model' "$err" "cannot read 'none.temper': No such file or directory"
echo "temper-model 7" >other-version.temper
run 2 export other-version.temper -o made3
has 'export: another version' "$err" 'version'
run 0 compile -q --gallery dyck-1 -o dyck.temper
run 4 export dyck.temper -o made3
has 'export: nothing proved' "$err" 'no length is proved in'
has 'export: nothing proved, hint' "$err" 'hint: --unchecked exports it without proof'
run 0 export dyck.temper --unchecked -o made3
has 'export: unchecked' "$out" 'no proved length in'
has 'export: unchecked, in the page' "$(cat made3/README.md)" 'Nothing is proved of this model'
run 0 soften -q dyck.temper --length 8 -o soft.temper
run 0 export soft.temper --type f32 -o made4
has 'export: f32 is proved anew' "$out" 'in f32 (hard choices)'
# A counting specification is read where it looks from: what a causal transformer says of a prefix is about its last letter.
run 4 certify -f '#[a] >= #[b]' --at first --alphabet ab --as gpt2 --length 8
has 'read at the wrong end' "$err" 'looks back, but is read at the first position'
run 4 export -f '#>[a] >= #>[b]' --at last --alphabet ab --as llama --length 8 -o wrong-end
has 'read at the wrong end, mirrored' "$err" 'looks ahead, but is read at the last position'
run 0 export -f '#[a] >= #[b]' --alphabet ab --as gpt2 --length 8 -o right-end
run 0 audit right-end/certificate.json right-end
sed 's/"at": "last"/"at": "first"/' right-end/certificate.json >forged-end.json
run 1 audit forged-end.json right-end
has 'a forged end' "$err" 'not read where the transformer stands'

# ---- lab ------------------------------------------------------------------------------------------------------------

run 0 lab
has 'lab: the list' "$out" 'zoo        What can stand where softmax stands'
run 0 --json lab
has 'lab: json list' "$out" '{"name":"zoo","title":"What can stand where softmax stands","claim":"A softmax head'
run 0 -q lab
same 'lab: quiet list' '' "$out$err"
run 2 lab zo
has 'lab: near names' "$err" 'did you mean zoo?'
run 2 lab zoo nothing
has 'lab: names are looked at first' "$err" "there is no experiment 'nothing'"
run 0 lab zoo --quick -o lab
has 'lab: claims' "$out" "holds Softmax's leak is r/(1+r)"
lacks 'lab: no claim fails' "$out" 'FAILS'
has 'lab: summary' "$out" 'failed, seed 1; report in lab/zoo.md'
for name in zoo.md zoo.json zoo-mechanisms.csv zoo-heads.svg; do
    if [ -s lab/$name ]; then pass; else fail "lab: no $name"; fi
done
has 'lab: the report says how' "$(cat lab/zoo.md)" 'temper lab zoo --seed 1 --quick -o DIR'
cut -d, -f1 lab/zoo-lengths.csv | sed 1d >names.txt
while IFS= read -r name; do
    if grep -q "^| \`$name\` |" "$root/doc/zoo.md" && grep -qE "^### (.*, )?$name(,|\$)" "$root/doc/zoo.md"; then pass; else fail "doc/zoo.md: no $name"; fi
done <names.txt
run 0 --json lab gap --quick --seed 2
has 'lab: json claims' "$out" '{"experiment":"gap","claim":"'
has 'lab: json summary' "$out" '{"experiment":"gap","seed":2,"quick":true,"claims":'
run 0 lab gap --quick -o lab --threads 1
mv lab/gap.json one-thread.json
run 0 lab gap --quick -o lab --threads 3 --journal lab.journal
if cmp -s lab/gap.json one-thread.json; then pass; else fail 'lab: the same with three threads and a journal'; fi
head -n 3 lab.journal | head -c -5 >part.journal
run 0 lab gap --quick -o lab --journal part.journal
has 'lab: a cut journal' "$err" 'the end of the journal was damaged'
if cmp -s lab/gap.json one-thread.json; then pass; else fail 'lab: the same from a part of a journal'; fi
run 2 lab gap --quick --seed 2 --journal lab.journal
has 'lab: the journal of another seed' "$err" 'is the journal of another job'
run 0 lab gap --quick --seeds 4-5 -o lab
has 'lab: a sweep' "$out" '      with 2 of 2 seeds'
has 'lab: a sweep in all' "$out" ' 0 failed, seeds 4-5; report in lab/sweep.md'
same 'lab: lines of a sweep' "$(($(wc -l <lab/sweep-claims.csv) * 2 - 1))" "$(wc -l <lab/sweep-seeds.csv)"
run 0 --json lab gap --quick --seeds 7
has 'lab: a sweep, json' "$out" '{"experiment":"sweep","seed":7,"seeds":1,"quick":true,"claims":'
for seeds in '' 2-1 x 1- -3 1-2x 99999999999999999999 1-99999999; do run 2 lab gap --seeds "$seeds"; done
has 'lab: bad seeds' "$err" '--seeds must be as 1-20'
run 2 lab gap --seeds 1-2 --seed 1
run 2 lab --seeds 1-2
run 2 lab all gap
has 'lab: all and a name' "$err" 'all has every experiment'
run 3 lab gap --quick -o missing/lab
has 'lab: missing folder' "$err" "cannot make the folder 'missing/lab'"
# ---- certify --------------------------------------------------------------------------------------------------------
run 0 certify -f 'O a' --alphabet ab --type bf16/f32 --length 1000000
has 'certify: proved' "$out" "proved${tab}formula: every string up to length 1000000 in bf16/f32${tab}largest error 4.700e-03 of 2.500e-01 allowed"
has 'certify: heads' "$out" "head 1.1${tab}once${tab}bound${tab}error <= 4.700e-03${tab}logits <= 2.182e+01${tab}O a"
run 0 certify -f 'O a' --alphabet ab --type bf16/f32 --length 1000000 -o -
has 'certify: the certificate' "$out" '  "length": 1000000,'
same 'certify: as on the page' "$(sed -n '/^    {$/,/^    }$/ s/^    //p' "$root/doc/certificate.md")" "$out"
run 0 compile -f 'a S b' --alphabet abc -o since.temper
run 0 certify since.temper --type f32 --length 1000 -o since.json
has 'certify: bound to the bytes' "$(cat since.json)" "$(sha256sum since.temper | cut -d' ' -f1)"
run 0 certify since.temper --type f32 --length 1000 --json -o -
same 'certify: the same bytes again' "$(cat since.json)" "$out"
run 0 certify since.temper --type bf16
has 'certify: the longest' "$out" "proved${tab}formula: every string up to length 23 in bf16"
has 'certify: by trying' "$out" "head 1.1${tab}nearest${tab}every length${tab}"
run 1 certify since.temper --type bf16 --length 90 -o refuted.json
has 'certify: refuted' "$out" "refuted${tab}"
has 'certify: and why' "$out" 'head 1.1 (a S b): two logits may be off by '
[ -e refuted.json ] && fail 'certify: no certificate if refuted' || pass
run 1 certify since.temper --type e4m3 --length 20 -q
same 'certify: quiet' '' "$out"
run 1 certify since.temper --type e4m3 --length 20 --json
has 'certify: json' "$out" '"verdict":"refuted"'
run 4 certify -f 'Y a & Y b' --alphabet ab --type bf16/f32 --length 10 -o unable.json
has 'certify: unable' "$out" 'a gate of layer 1 reads 2 unrounded values, which bf16/f32 cannot round exactly'
[ -e unable.json ] && fail 'certify: no certificate if unable' || pass
sed 's/8\*N/9*N/' since.temper >edited.temper
run 0 certify edited.temper --length 10
has 'certify: edited, and still the formula' "$out" "proved${tab}formula: every string"
sed -e 's/^source .*/source ""/' -e '/^digest/d' since.temper >edited.temper
run 0 certify edited.temper --length 10
has 'certify: no source' "$out" "note${tab}it carries no source"
has 'certify: read off' "$out" "read off${tab}a S b"
run 0 certify edited.temper --length 10 --json
has 'certify: the claim in json' "$out" '"claim":"hard choices","every_position":true,"note":"it carries no source","read_off":"a S b"'
run 0 certify edited.temper --length 10 -o edited.json
has 'certify: read off in the certificate' "$(cat edited.json)" '  "read-off": "a S b",'
run 0 audit edited.json edited.temper
sed -e 's/^source .*/source "a S c"/' -e '/^digest/d' since.temper >edited.temper
run 0 certify edited.temper --length 10
has 'certify: another source' "$out" "proved${tab}the model's own hard choices: "
sed 's|i/N|i*0x1p-1070/N*0x1p535*0x1p535|g' since.temper >edited.temper
run 4 certify edited.temper --length 4
has 'certify: an odd feature' "$out" "is none that is known"
run 0 compile -f 'a S b' --alphabet abc --hard -o hard.temper
run 4 certify hard.temper --length 4
has 'certify: hard' "$out" 'the model is hard'
run 2 certify since.temper --type exact
has 'certify: exact' "$err" 'a certificate is for a floating-point type'
run 2 certify since.temper abc
run 2 certify
run 3 certify since.temper --length 10 -o no/such/folder.json
run 0 certify -f 'O a' --alphabet ab --length 0

# All experiments with their claims, one page; what is whole is not run again, what was changed is.
lab_all() {
    run 0 lab all --quick -o labs
    lacks 'lab all: no claim fails' "$out" 'FAILS'
    lacks 'lab all: nothing is kept at first' "$out" 'kept'
    has 'lab all: summary' "$out" ' 0 failed, seed 1; the page is labs/report.html'
    cp labs/report.html first.html
    names=$("$temper" lab | sed 's/ .*//')
    for name in $names; do
        has "lab all: $name" "$(cat labs/report.html)" "<section id=\"$name\">"
        has "doc/lab.md: $name" "$(cat "$root/doc/lab.md")" "| \`$name\` |"
    done
    lacks 'lab all: no network' "$(cat labs/report.html)" 'src='
    echo >>labs/gap-law.csv
    run 0 lab all --quick -o labs
    has 'lab all: a changed file' "$(grep '^gap ' <<<"$out")" ' 0 failed'
    lacks 'lab all: a changed file' "$(grep '^gap ' <<<"$out")" 'kept'
    has 'lab all: the others are kept' "$(grep '^zoo ' <<<"$out")" 'kept from before'
    if cmp -s labs/report.html first.html; then pass; else fail 'lab all: the same page'; fi
    run 0 --json lab all --quick -o labs
    has 'lab all: json' "$out" '{"experiment":"zoo","claims":31,"failed":0,"kept":true}'
    has 'lab all: json summary' "$out" '{"experiment":"all","seed":1,"quick":true,"claims":'
    sed -i 's/^failed 0$/failed 1/; /^end /d' labs/zoo.stamp
    digest=$(sha256sum labs/zoo.stamp | cut -d' ' -f1)
    echo "end $digest" >>labs/zoo.stamp
    run 1 lab all --quick -o labs
    has 'lab all: a claim that fails' "$(grep '^zoo ' <<<"$out")" ' 1 failed (kept from before)'
    has 'lab all: the page says so' "$(cat labs/report.html)" '1 does not hold'
}
# Half a minute: make test-long has it. make test-mpi runs all experiments, too, and t-lab-job keeps, changes and fails some.
case ${TEMPER_TEST_EFFORT:-1} in 0.* | 1) ;; *) lab_all ;; esac
run 3 lab all --quick -o missing/labs
has 'lab all: missing folder' "$err" "cannot make the folder 'missing/labs'"

# ---- import ---------------------------------------------------------------------------------------------------------

bad=$work/bad
mkdir bad
(cd "$root" && "$(dirname "$temper")/tests/t-bad" --write "$bad" >/dev/null)
run 0 import "$bad/import-plain.safetensors" "$bad/import-plain.json" -o i.temper
same 'import: summary' 'i.temper: hard, 1 layer, 1 head, 3 channels, 1 unit, 10 parameters' "$out"
run 0 run i.temper ab ba ''
want=$out
run 0 import -q "$bad/import-plain.safetensors" "$bad/import-plain.json" -o i.safetensors
same 'import: quiet' '' "$out$err"
run 0 run i.safetensors ab ba ''
same 'import: the same answers from safetensors' "$want" "$out"
run 0 --json import "$bad/import-plain.safetensors" "$bad/import-plain.json" -o i.temper
has 'import: json summary' "$out" "{\"file\":\"i.temper\",\"bytes\":$(stat -c %s i.temper),\"method\":\"hard\",\"layers\":1,"
run 0 import <(cat "$bad/import-plain.safetensors") "$bad/import-plain.json"
same 'import: from a pipe, printed' "$(cat i.temper)" "$out"
run 4 import "$bad/import-layer-norm.safetensors" "$bad/import-plain.json" -o refused.temper
has 'import: layer norm' "$err" "tensor 'blocks.0.ln1.w': not supported: layer norm"
if [ -e refused.temper ]; then fail 'a refused import leaves no file'; else pass; fi
cp "$bad/import-activation-gelu.json" gelu.json
run 4 import "$bad/import-plain.safetensors" gelu.json
same 'import: the place in the config' "temper: gelu.json:5:17: activation: 'gelu' is not supported
      \"activation\": \"gelu\",
                    ^
hint: the units of temper's transformers are relu(w.x + b)" "$err"
run 2 import "$bad/import-plain.safetensors"
has 'import: one argument' "$err" 'import takes WEIGHTS and CONFIG, or a folder or GGUF file of export --as'
# what export --as wrote, back
for as in gpt2 llama; do
    for weights in f32 f16; do
        run 0 export -f '(Y a) S (b & Y c)' --alphabet abc --as "$as" --weights "$weights" --length 40 -o back
        run 0 import back -o folder.temper
        run 0 import back/model.gguf -o gguf.temper
        same "import: folder and GGUF file of $as in $weights" "$(cat folder.temper)" "$(cat gguf.temper)"
        run 0 run --hard gguf.temper cab cabaaa cabaab acabaaaa
        same "import: the answers of $as in $weights" "$("$temper" eval -f '(Y a) S (b & Y c)' --alphabet abc cab cabaaa cabaab acabaaaa)" "$out"
    done
done
# and its certificate, against the file that other programs load
run 0 export -f '(Y a) S (b & Y c)' --alphabet abc --as gpt2 --weights f32 --kv f32 --length 40 -o proved
run 0 audit proved/certificate.json proved
has 'audit: a folder of export --as' "$out" 'proved/certificate.json: proved for proved: after every prefix of every string up to length 40 each logit is within 32 of what the source says, as a gpt2 with f32 weights and an f32 cache'
run 0 --json audit proved/certificate.json proved/model.gguf
has 'audit: the GGUF file alone, json' "$out" '"proved":true,"claim":"formula","architecture":"gpt2","length":40,"weights":"f32","cache":"f32","within":32'
sed 's/"length": 40/"length": 41/' proved/certificate.json >longer.json
run 1 audit longer.json proved/model.gguf
has 'audit: a longer length' "$err" 'length is 41, but the file has 41 positions'
sed 's/(Y a) S (b/(Y a) S (c/' proved/certificate.json >other.json
run 1 audit other.json proved/model.gguf
has 'audit: another source' "$err" 'the model says otherwise'
cp proved/model.gguf other.gguf && printf x >>other.gguf
run 1 audit proved/certificate.json other.gguf
has 'audit: another file' "$err" 'it is about another model.gguf'
run 3 audit proved/certificate.json nowhere.gguf
# The last weight of a file of f16 is 1: an output reads a column that nobody writes.
{ head -c -2 back/model.gguf && printf '\0\074'; } >changed.gguf
run 2 import changed.gguf -o refused.temper
has 'import: a changed weight' "$err" "changed.gguf: tensor 'output.weight', row 5, column 63: a column is read that nobody writes"
run 2 import "$root/README.md"
has 'import: no GGUF file' "$err" "byte 0: no GGUF file"
run 3 import nowhere.gguf
run 3 import "$bad/import-plain.safetensors" none.json
same 'import: no config' "temper: cannot read 'none.json': No such file or directory" "$err"
run 3 import none.safetensors gelu.json

# ---- regular languages ------------------------------------------------------------------------------------------------
run 0 eval --regex '(ab)*' --per-position ab '' aba
same "regex: answers at every prefix" "accept${tab}ab${tab}01
accept${tab}${tab}
reject${tab}aba${tab}010" "$out"
run 0 eval --regex '[^,]*,.*' --ascii 'a b,c' 'ab'
same "regex: printable letters, the blank among them" "accept${tab}a b,c
reject${tab}ab" "$out"
run 0 eval --regex '<req>(<wait>)*<ack>' --tokens 'req wait ack' 'req wait'
same "regex: tokens" "accept${tab}req wait ack
reject${tab}req wait" "$out"
run 0 eval --regex '(?&)[a-c]*&~(.*bb.*)' --alphabet abc abcb abba
same "regex: and, not" "accept${tab}abcb
reject${tab}abba" "$out"
mkdir -p tables
printf 'start shut\naccept shut\nshut o open\nopen c shut -- back\n' >tables/door.dfa
printf 'a+b\n' >tables/word.regex
printf 'dfa door.dfa\n' >tables/door.spec
printf 'at last\ndfa "door.dfa"\ncount = #[o]\nmatches & count >= 2\n' >tables/twice.spec
printf 'word = /[a-z]+/ -- \\/ is a slash\nword & !dfa "door.dfa" & /[^\\/]*/\n' >tables/mixed.spec
printf 'regex a--//b\n' >tables/comment.spec
run 0 eval --dfa tables/door.dfa ococ o ''
same "dfa: a table" "accept${tab}ococ
reject${tab}o
accept${tab}" "$out"
run 0 eval -F tables/word.regex aab aa
same "regex: a file" "accept${tab}aab
reject${tab}aa" "$out"
run 0 eval -F tables/door.spec oc oo
same "dfa: a file named in a specification lies beside it" "accept${tab}oc
reject${tab}oo" "$out"
run 0 eval -F tables/twice.spec ococ oc
same "dfa: a line, then definitions" "accept${tab}ococ
reject${tab}oc" "$out"
run 0 eval -F tables/mixed.spec oo oc
same "regex: definitions and tables mix" "accept${tab}oo
reject${tab}oc" "$out"
run 0 eval -F tables/comment.spec 'a--//b'
same "regex: no comments inside" "accept${tab}a--//b" "$out"
run 0 eval -f 'dfa { start q0; accept q1; q0 [ab] q1 } | /()/' b bb ''
same "dfa: in braces; the empty string by its language" "accept${tab}b
reject${tab}bb
accept${tab}" "$out"
run 0 eval --tokens -f 'regex U b' 'regex b' 'b regex'
same "regex stays a letter where it was one" "accept${tab}regex b
accept${tab}b regex" "$out"
run 0 eval --alphabet ab -f 'regex = F a
regex' ba b
same "regex stays a name where it was one" "accept${tab}ba
reject${tab}b" "$out"
run 4 eval --regex '(a)\1' a
has "regex: a back reference by name" "$err" "regex:1:4: '\\1' is a back reference"
has "regex: with a caret" "$err" "(a)\\1
       ^"
run 2 eval --regex 'a*' --empty reject a
has "regex: --empty must agree" "$err" "the empty string is in the language"
run 2 eval --regex a -f a a
has "regex: one specification" "$err" "-f and --regex are both given"
run 2 eval --regex a --syntax spec a
has "regex: its own syntax" "$err" "--regex and --syntax exclude each other"
run 2 eval --regex a --ascii --alphabet a a
has "regex: one alphabet" "$err" "--alphabet and --ascii exclude each other"
run 0 eval --regex 'straße' --ignore-case STRASSE STRAẞE Straße
same "regex: --ignore-case" "reject	STRASSE
accept	STRAẞE
accept	Straße" "$out"
run 0 eval --regex '(?&)a&~b' --ignore-case A b
same "regex: --ignore-case behind (?&)" "accept	A
reject	b" "$out"
run 4 eval --regex 'a\1' --ignore-case a
has "regex: --ignore-case shows what is read" "$err" '(?i)a\1
         ^'
run 2 eval -f 'O a' --ignore-case a
has "regex: --ignore-case is for expressions" "$err" "in a formula write /(?i)abc/"
run 2 run m.temper --ignore-case a
has "regex: a model knows its letters" "$err" "--ignore-case cannot be given with a MODEL"
run 3 eval --dfa tables/none.dfa a
has "dfa: no such file" "$err" "tables/none.dfa"
run 4 eval --regex '(a|b)*a(a|b){20}' a
has "regex: too large by name" "$err" "more than 20000 derivatives"

run 0 check --regex '[a-z]+(-[a-z0-9]+)*' --ascii --exhaustive 7 --random 200
has 'check: one string for each of its class' "$out" "all up to length 7 over 4 classes of letters, which stand for 7.06e+13"

# ---- regular languages from the right -------------------------------------------------------------------------------

run 0 compile --regex '[ab]c*' --alphabet abc -o right.temper
has 'from the right: one layer' "$out" 'right.temper: temperature, 1 layer, 1 head'
run 0 compile --regex '[ab]c*' --alphabet abc --per-position -o prefixes.temper
has 'for prefixes: two layers' "$out" 'prefixes.temper: temperature, 2 layers'
run 0 run right.temper a bcc cb '' bca
same 'from the right: verdicts' "accept${tab}a
accept${tab}bcc
reject${tab}cb
reject${tab}
reject${tab}bca" "$out"
run 4 run right.temper --per-position a
has 'from the right: no prefixes' "$err" 'it answers for whole strings only'
has 'from the right: what to do' "$err" 'temper compile --per-position'
printf 'a' >right.input
run 4 run right.temper --stream <right.input
has 'from the right: no stream' "$err" 'it answers for whole strings only'
run 0 run prefixes.temper --per-position bca
same 'for prefixes: every position' "reject${tab}bca${tab}110" "$out"
run 0 run --regex '[ab]c*' --alphabet abc --per-position bca
same 'compiled here for prefixes' "reject${tab}bca${tab}110" "$out"
run 0 eval right.temper --per-position bca
same 'what it was made from is about prefixes' "reject${tab}bca${tab}110" "$out"
run 0 check right.temper --exhaustive 5
has 'from the right: checked' "$out" 'agreed'
run 0 check right.temper --regex '[ab]c*' --exhaustive 5
has 'from the right: checked with the expression' "$out" 'agreed'
run 1 check right.temper --regex '[ab]c?' --exhaustive 5
has 'from the right: another expression' "$out" 'acc'
run 4 check right.temper -f 'O a'
has 'from the right: no formula' "$err" 'compared with a regular expression or an automaton only'
run 0 check --regex '[ab]c*' --alphabet abc --against right.temper
run 0 explain right.temper
has 'from the right: explained' "$out" 'the first position, for whole strings: from the right'
has 'from the right: its route' "$out" 'reverse '
run 0 certify right.temper --length 1000 -o right.json
has 'from the right: proved' "$out" "proved${tab}formula"
run 0 audit right.json right.temper
run 0 export prefixes.temper -o exported
run 0 automaton right.temper
has 'from the right: its automaton' "$out" '3 states'

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
run 0 eval -f 'O a' --alphabet a-c ac
has 'a dash is a letter' "$err" 'the dash in --alphabet is a letter, too'

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

# ---- nothing half-written -------------------------------------------------------------------------------------------

run 3 compile -f a -o missing/m.temper
has 'missing folder' "$err" "cannot write 'missing/m.temper': No such file or directory"
mkdir folder
run 3 compile -f a -o folder
run 3 compile -f a -o /dev/full
printf 'old' >kept.temper
(
    ulimit -f 0
    trap '' XFSZ
    "$temper" compile -f a -o kept.temper >/dev/null 2>&1
    echo $? >"$work/folder/code"
) 2>/dev/null
same 'the old file stays' old "$(cat kept.temper)"
run 2 compile -f 'a &' -o new.temper
if [ -e new.temper ]; then fail 'a wrong formula leaves no file'; else pass; fi
if [ "$(id -u)" != 0 ]; then
    mkdir locked && chmod 500 locked
    run 3 compile -f a -o locked/m.temper
    chmod 700 locked
fi
same 'no temporary files' '' "$(find . -name '*.temper.*' | tr '\n' ' ')"
"$temper" compile -f a -o kept.temper >&- 2>/dev/null
case $(head -n 1 kept.temper) in old*) fail 'written with a closed output' ;; *) pass ;; esac
run 0 run kept.temper a

echo "cli: $passed passed, $failed failed"
[ $failed == 0 ]
