#!/bin/bash
# make fuzz: runs fuzz targets for some seconds each, one after the other. usage: tests/fuzz/run.sh BUILD SECONDS ROUNDS TARGET...
# What they start from is made here. What they find stays in BUILD/fuzz/corpus; an input that ends a target in
# BUILD/fuzz/found: it becomes a case of tests/bad. BUILD/fuzz/log and tests/fuzz/runs add up executions over all runs; from the
# second round on a target rests that has as many as are asked for.
set -u
build=$(realpath "$1")
seconds=$2
rounds=$3
shift 3
root=$(cd "$(dirname "$0")/../.." && pwd)
temper=$build/temper
work=$build/fuzz
start=$work/start
status=0
mkdir -p "$start" "$work/found"
touch "$work/log"

put() { # target, name, [first byte]: standard input becomes an input of the target
    mkdir -p "$start/$1"
    { [ $# -lt 3 ] || printf "%b" "$3"; cat; } >"$start/$1/$2"
}

asked() { # target: how many executions
    case $1 in
    spec | model | tensors | certificate) echo 50000000 ;;
    compare) echo 1000000 ;;
    *) echo 5000000 ;;
    esac
}

made() { # target: how many there have been
    awk -v t="$1" '$1 == t {sum += $2} END {printf "%d\n", sum}' "$root/tests/fuzz/runs" "$work/log"
}

longest() { # target: bytes of an input
    case $1 in
    gguf | import | journal) echo 8192 ;;
    tensors) echo 3072 ;; # the shortest that are read have 2,200, and most time goes into reading bytes
    spec | compare | regex | expression) echo 400 ;;
    *) echo 2048 ;;
    esac
}

make_inputs() {
    mkdir -p "$start/proved"
    local n=0 text regex method type
    # The examples of the language's page: a formula in the first line of each block.
    while IFS= read -r text; do
        n=$((n + 1))
        printf '%s' "$text" | put spec "formula-$n" '\000'
        printf '%s' "$text" | put compare "formula-$n" '\000'
    done < <(awk '/^```(formula|spec)/ {on = 1; next} /^```/ {on = 0} on == 1 {print; on = 2}' "$root/doc/language.md" | head -n 200)
    for text in 'a S b' 'O a & #[b] >= 2' '#[a] % 3 = 1' 'a U b | X c' '2*#[a] - 3*#>[b] + 1 >= #[c]' 'Y(a T b)' 'F(a & wX b)' \
        'rightmost[j<i, Y letter is letter] a' 'a @ #>[true]' '(a -> O b) <-> H(c | first)' '/(ab|c)*/ & last'; do
        n=$((n + 1))
        printf '%s' "$text" | put spec "plain-$n" '\000'
        printf '%s' "$text" | put compare "plain-$n" '\000'
        for method in temperature positions digits; do
            "$temper" compile -f "$text" --alphabet abc --method $method 2>/dev/null | put model "$method-$n"
            cp "$start/model/$method-$n" "$start/proved"
            "$temper" compile -f "$text" --alphabet abc --method $method -o "$work/m.safetensors" 2>/dev/null &&
                put tensors "$method-$n" <"$work/m.safetensors"
        done
        "$temper" compile -f "$text" --alphabet abc --hard 2>/dev/null | put model "hard-$n"
    done
    printf 'A = # a\nB = # b\nV = A < B\nC = # V\nD = C == 0 && A == B' | put spec crasp '\001'
    printf 'P(i) := rightmost [j<i, 1] Q_a(j) : 0\nQ(i) := leftmost [j>i, P(j)] Q_b(j) : 1' | put spec brasp '\002'
    cp "$start/spec/crasp" "$start/spec/brasp" "$start/compare"
    while IFS= read -r regex; do
        n=$((n + 1))
        printf '%s' "$regex" | put spec "regex-$n" '\003'
        printf '%s' "$regex" | put regex "regex-$n"
    done < <(cut -f 2 "$root/tests/automata/regexes.txt" | head -n 60; printf '%s\n' '(ab|c)*' 'a{2,3}(b|c)?' '(a|bc){1,2}.' 'a+b*c?')
    "$temper" automaton --regex '(ab|c)*' --alphabet abc 2>/dev/null | put spec table '\004'
    n=0
    for text in 'a S b' 'O a & #[b] >= 2' '#[a] % 3 = 1' 'Y(a S b)' '/(ab)*c/'; do
        method=$(sed -n "$((n + 1))p" <<<$'temperature\ntemperature\npositions\ndigits\ntemperature')
        for type in f64 f32 bf16/f32; do
            "$temper" certify -f "$text" --alphabet abc --method "$method" --type $type --length 3 -o - 2>/dev/null |
                put certificate "$n-${type%/*}" "\\00$n"
        done
        n=$((n + 1))
    done
    awk '/^```json/ {on = 1; next} /^```/ {on = 0} on' "$root/doc/import.md" | put import page
    awk '/^```json/ {on = 1; next} /^```/ {on = 0} on' "$root/doc/import.md" | put json page
    cp "$start"/certificate/0-f64 "$start/json/certificate"
    (cd "$work" && awk '/^```python/ {on = 1; next} /^```/ {on = 0} on' "$root/doc/import.md" | python3 -)
    for architecture in gpt2 llama; do
        "$temper" export -f 'a S b' --alphabet abc --as $architecture --length 4 -o "$work/ordinary" >/dev/null 2>&1 &&
            put gguf $architecture <"$work/ordinary/model.gguf"
        rm -rf "$work/ordinary"
    done
    rm -f "$work/j"
    "$temper" compile -f 'a S b' --alphabet ab -o "$work/m.temper" 2>/dev/null
    "$temper" check "$work/m.temper" --exhaustive 3 --random 2 --length 5 --journal "$work/j" >/dev/null 2>&1 && put journal whole <"$work/j"
    for text in '8*N' 'ln(N) + 8' 'i/N' '[i % 4 = 1]*[1 <= n]' '-4*floor(-(ln(N) + 8)/4)' 'max(i - floor(N/2), floor(N/2) - i) % 16' 'ceil2(16*N)/1024'; do
        n=$((n + 1))
        printf '%s' "$text" | put expression "e-$n"
    done
    # Words of all languages together.
    {
        printf '%s\n' '"#["' '"#>["' '" S "' '" U "' '">="' '"->"' '"alphabet "' '"output "' '"next"' '"viable "' '"probabilities "' '"rightmost["' '"j<=i, "' \
            '" @ "' '"sum"' '"temper-model 1"' '"softmax"' '"scale "' '"feature "' '"unit "' '"0x1p-1074"' '"9007199254740993"' '"\"claim\": "' '"hard choices"'
        awk '/^layer|^head|^read|^channel|^embed/ {print "\"" $1 " \""}' "$start"/model/* | sort -u
    } >"$work/words"
}

[ -d "$start/spec" ] || make_inputs
FUZZ_WEIGHTS=$(find "$work" -maxdepth 1 -name '*.safetensors' ! -name m.safetensors | head -n 1)
# No stack is kept of an allocation and little memory of what was freed, which doubles the executions a second: an input that was
# found shows both without these options.
export FUZZ_WEIGHTS ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:malloc_context_size=0:quarantine_size_mb=8
fuzz_once() { # target
    local target=$1 verdict=fine runs
    mkdir -p "$work/corpus/$target" "$start/$target"
    # Inputs that take long are changed less often: else letters by the thousand take nine tenths of the time.
    if ! "$work/fuzz_$target" "$work/corpus/$target" "$start/$target" -max_total_time="$seconds" -dict="$work/words" -entropic=1 -entropic_scale_per_exec_time=1 -timeout=120 -rss_limit_mb=4096 \
        -max_len="$(longest "$target")" -print_final_stats=1 -artifact_prefix="$work/found/$target-" >"$work/$target.out" 2>&1; then
        verdict=FOUND
        status=1
        tail -n 40 "$work/$target.out"
    fi
    runs=$(awk '/stat::number_of_executed_units/ {print $2}' "$work/$target.out")
    echo "$target ${runs:-0} $verdict" >>"$work/log"
    printf 'fuzz: %-12s %10d executions, %d of them read, %11d of %8d asked for: %s\n' "$target" "${runs:-0}" \
        "$(awk '/^fuzz: .* were read/ {n = $2} END {print n + 0}' "$work/$target.out")" "$(made "$target")" "$(asked "$target")" $verdict
}

for ((round = 1; round <= rounds; round++)); do
    for target in "$@"; do
        if [ "$round" = 1 ] || [ "$(made "$target")" -lt "$(asked "$target")" ]; then fuzz_once "$target"; fi
    done
done
exit $status
