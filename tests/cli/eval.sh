#!/bin/bash
# eval: answers, standard input, files, from outside. Usage: tests/cli/eval.sh path/to/temper
. "$(dirname "$0")/common.bash"

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

finish
