#!/bin/bash
# make test-stock: ordinary GPT-2s and Llamas in llama.cpp, transformers, TransformerLens, transformers.js and onnxruntime.
# usage: tests/stock/run.sh BUILD [sample|long]. sample: an eighth of it, for continuous integration; long: 4,096 and 16,384 letters.
set -u
here=$(dirname "$0")
build=$1
size=${2-all}
work=$build/stock
started=$(date +%s)
status=0

node=$(bash "$here/../clients/install.sh" node) || {
    echo "test-stock: llama.cpp and transformers.js for node could not be installed" >&2
    exit 1
}
python=$(bash "$here/../clients/install.sh" python) || {
    echo "test-stock: torch and transformers could not be installed" >&2
    exit 1
}

rm -rf "$work"
mkdir -p "$work"
export PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error TOKENIZERS_PARALLELISM=false

# Two at a time, each on one thread: the machine is busy all the way.
llama() { # folder, parts, samples
    for part in 1 2; do
        node "$here/llama_check.mjs" "$node" "$1" --share "$part/$2" --samples "$3" >"$1-llama-$part.log" 2>&1 &
        eval "job_$part=\$!"
    done
    wait "$job_1" || status=1
    wait "$job_2" || status=1
    cat "$1"-llama-*.log
    "$build/tests/stock/make_cases" "$1" members || status=1
}

make_cases() { # folder, length, [far]
    "$build/tests/stock/make_cases" "$@" >"$1.log" 2>&1 || status=1
    cat "$1.log"
}

if [ "$size" = long ]; then
    make_cases "$work/4096" 4096 far
    llama "$work/4096" 2 0
    make_cases "$work/16384" 16384 far
    llama "$work/16384" 2 0
else
    "$build/tests/stock/make_random" "$work/random" >"$work/random.log" || status=1
    node "$here/llama_random.mjs" "$node" "$work/random" 2>&1 | tee "$work/llama_random.log"
    [ "${PIPESTATUS[0]}" = 0 ] || status=1
    make_cases "$work/256" 256
    if [ "$size" = sample ]; then
        llama "$work/256" 16 5
    else
        llama "$work/256" 2 20
        make_cases "$work/1024" 1024 far
        llama "$work/1024" 2 0
    fi
    share=$([ "$size" = sample ] && echo 16 || echo 4)
    {
        "$python/venv/bin/python" "$here/python_random.py" "$work/random" &&
            "$python/venv/bin/python" "$here/python_check.py" "$work/256" "$share" &&
            PYTHONPATH=$python/old "$python/venv/bin/python" "$here/python_random.py" "$work/random" old &&
            PYTHONPATH=$python/old "$python/venv/bin/python" "$here/python_check.py" "$work/256" "$((2 * share))" old
    } >"$work/python.log" 2>&1 &
    in_python=$!
    node "$here/transformers_check.mjs" "$node" "$work/256" "$share" >"$work/transformers.log" 2>&1 || status=1
    wait $in_python || status=1
    cat "$work/transformers.log" "$work/python.log"
    "$build/tests/stock/make_cases" "$work/256" members || status=1
fi
cat "$work"/*.log | awk '/: [0-9]+ passed, [0-9]+ failed/ {for (k = 2; k <= NF; k++) {
    if ($k ~ /^passed/) p += $(k - 1); if ($k ~ /^failed/) f += $(k - 1)}}
    END {printf "test-stock: %d passed, %d failed\n", p, f}'
echo "test-stock: $(($(date +%s) - started)) s"
exit $status
