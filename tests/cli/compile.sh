#!/bin/bash
# compile, run, explain, check and show; other scales; safetensors; nothing half-written, from outside. Usage: tests/cli/compile.sh path/to/temper
. "$(dirname "$0")/common.bash"
python=
oracle python3 'JSON, certificates and safetensors have no second reader' && python=python3
printf 'C_open = # "("\nC_close = # ")"\nV = C_open == C_close\n' >even.crasp
printf 'P(i) := rightmost [j<i, Q_a(j)] Q_a(j) : 0\n' >prev.brasp

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
run 0 run m.temper --errors ba
has 'errors' "$out" 'largest error before rounding'
expected=$out
run 0 run m.temper --margins ba
same 'the name of --errors before' "$expected" "$out"
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
run 0 run --type bf16/f32 --unchecked --errors -f 'a S b' --alphabet abc bcaa
has 'errors in a short format' "$out" '0.000404   0.000335  a S b'
run 0 run --type bf16/f32 --unchecked --plan dense --errors -f 'a S b' --alphabet abc bcaa
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
    for call in "explain m.temper" "run --errors m.temper ba" "show m.temper ba" "show --row 1.1@1 m.temper ba" \
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

# ---- other scales ---------------------------------------------------------------------------------------------------

run 0 run -f 'a S b' --alphabet abc --scale 0.2x --errors bcbcb
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

finish
