#!/bin/bash
# make test-ordinary: ordinary GPT-2s and Llamas in llama.cpp, transformers, TransformerLens, transformers.js and onnxruntime.
# usage: tests/runtimes/run.sh BUILD [sample|long]. sample: a part of it, for continuous integration; long: 4,096 and 16,384 letters.
set -u
here=$(dirname "$0")
build=$1
size=${2-all}
work=$build/ordinary
started=$(date +%s)
status=0

node=$(bash "$here/../clients/install.sh" node) || {
    echo "test-ordinary: npm could not install llama.cpp and transformers.js, which needs a network" >&2
    exit 1
}
if ! python=$(bash "$here/../clients/install.sh" python) || ! lens=$(bash "$here/../clients/install.sh" lens); then
    python=
    echo "test-ordinary: SKIPPED: transformers, TransformerLens, onnxruntime, gguf and safetensors for Python: PyPI is not reached"
    # Continuous integration must not skip: it sets TEMPER_NO_SKIP.
    [ -z "${TEMPER_NO_SKIP-}" ] || exit 1
fi

rm -rf "$work"
mkdir -p "$work"
export PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error TOKENIZERS_PARALLELISM=false
# Matrix units need a permission that virtual machines may not give, and end the program without it.
export ONEDNN_MAX_CPU_ISA=AVX512_CORE

# Two at a time, each on one thread: the machine is busy all the way.
llama() { # folder, samples
    for part in 1 2; do
        node "$here/llama_check.mjs" "$node" "$1" --share "$part/2" --samples "$2" >"$1-llama-$part.log" 2>&1 &
        eval "job_$part=\$!"
    done
    wait "$job_1" || status=1
    wait "$job_2" || status=1
    cat "$1"-llama-*.log
    cat "$1"/llama-*.drawn >"$1/drawn-llama.txt"
    rm "$1"/llama-*.drawn
}

make_cases() { # folder, length, which
    "$build/tests/runtimes/make_cases" "$@" >"$1.log" 2>&1 || status=1
    cat "$1.log"
}

# Every SHARE-th specification in the Python clients, the newest and one of version 4; half: 16 letters in f16 and bf16.
in_python() { # share
    "$python/venv/bin/python" "$here/facts_check.py" &&
        "$python/venv/bin/python" "$here/onnx_facts.py" &&
        "$python/venv/bin/python" "$here/python_random.py" "$work/random" &&
        "$python/venv/bin/python" "$here/python_check.py" "$work/256" "$1" &&
        "$python/venv/bin/python" "$here/python_check.py" "$work/16" 1 half &&
        "$python/venv/bin/python" "$here/readme_check.py" "$node/node_modules" "$work"/readme/* &&
        PYTHONPATH=$python/old "$python/venv/bin/python" "$here/python_random.py" "$work/random" old &&
        PYTHONPATH=$python/old "$python/venv/bin/python" "$here/python_check.py" "$work/256" "$((2 * $1))" old &&
        { [ "$size" = sample ] || in_lens; }
}

in_lens() {
    for version in 2 4; do
        PYTHONPATH=$lens/$version "$python/venv/bin/python" "$here/python_random.py" "$work/random" lens || return 1
    done
}

# Models for where settings end.
make_beyond() {
    mkdir "$work/beyond"
    for case in "ramp-1492 f16" "ramp-1493 f32"; do
        set -- $case
        "$build/temper" export -q -f 'a S b' --alphabet abc --as llama --positions ramp --kv "$2" --length "${1#ramp-}" -o "$work/beyond/$1" ||
            return 1
    done
    "$build/temper" export -q -f '#[a] >= #[b]' --alphabet ab --as gpt2 --length 1023 -o "$work/beyond/counts-1023" &&
        "$build/temper" export -q -f '#[a] >= #[b]' --alphabet ab --as gpt2 --kv f32 --length 6000 -o "$work/beyond/counts-6000"
}

make_readmes() {
    mkdir "$work/readme"
    "$build/temper" export -q -f 'H(b -> O a)' --alphabet abc --as llama --length 32 -o "$work/readme/once" || return 1
    [ "$size" = all ] || return 0
    "$build/temper" export -q -f '#[a] >= #[b]' --alphabet ab --as gpt2 --length 32 --kv f32 -o "$work/readme/count" &&
        "$build/temper" export -q -f 'H(b -> Y a)' --alphabet ab --as llama --length 32 --positions digits -o "$work/readme/digits" &&
        "$build/temper" export -q -f $'transduce\nemit "10" = "1" & Y "0"\nemit x otherwise' --alphabet 01 --as gpt2 --length 32 -o "$work/readme/writes"
}

if [ "$size" = long ]; then
    make_cases "$work/4096" 4096 far
    llama "$work/4096" 0
    make_cases "$work/16384" 16384 far
    llama "$work/16384" 0
else
    every=1 share=4 samples=20 draws=60 least=2000 letters="1 folder ordinary"
    [ "$size" = all ] || every=12 share=5 samples=5 draws=10 least=20 letters="7 ordinary"
    "$build/tests/runtimes/make_random" "$work/random" >"$work/random.log" || status=1
    node "$here/llama_random.mjs" "$node" "$work/random" 2>&1 | tee "$work/llama_random.log"
    [ "${PIPESTATUS[0]}" = 0 ] || status=1
    "$build/tests/runtimes/make_probes" "$work/probes" || status=1
    node "$here/llama_facts.mjs" "$node" "$work/probes" 2>&1 | tee "$work/llama_facts.log"
    [ "${PIPESTATUS[0]}" = 0 ] || status=1
    mkdir "$work/texts"
    node "$here/llama_texts.mjs" "$node" "$build/temper" "$work/texts" 2>&1 | tee "$work/llama_texts.log"
    [ "${PIPESTATUS[0]}" = 0 ] || status=1
    make_cases "$work/256" 256 $every
    make_cases "$work/16" 16 $((3 * every))
    make_readmes || status=1
    python_job=
    if [ -n "$python" ]; then
        in_python $share >"$work/python.log" 2>&1 &
        python_job=$!
    fi
    llama "$work/256" $samples
    bash "$here/../letters/run.sh" "$build" "$work/letters" "$node" "$python" $letters >"$work/letters.log" 2>&1 || status=1
    cat "$work/letters.log"
    if [ "$size" = all ]; then
        make_cases "$work/1024" 1024 far
        llama "$work/1024" 0
        make_cases "$work/1020" 1020 counts
        llama "$work/1020" 0
        make_beyond || status=1
        node "$here/beyond_check.mjs" "$node" "$work/beyond" 2>&1 | tee "$work/beyond.log"
        [ "${PIPESTATUS[0]}" = 0 ] || status=1
    fi
    node "$here/transformers_check.mjs" "$node" "$work/256" $share $draws >"$work/transformers.log" 2>&1 || status=1
    cat "$work/transformers.log"
    if [ -n "$python_job" ]; then
        wait $python_job || status=1
        cat "$work/python.log"
    fi
    "$build/tests/runtimes/make_cases" "$work/256" members $least | tee "$work/members.log"
    [ "${PIPESTATUS[0]}" = 0 ] || status=1
fi
cat "$work"/*.log | awk '/: [0-9]+ passed, [0-9]+ failed/ {for (k = 2; k <= NF; k++) {
    if ($k ~ /^passed/) p += $(k - 1); if ($k ~ /^failed/) f += $(k - 1)}}
    END {printf "test-ordinary: %d passed, %d failed\n", p, f}'
echo "test-ordinary: $(($(date +%s) - started)) s"
exit $status
