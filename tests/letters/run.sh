#!/bin/bash
# Odd letters and words in the clients: strings mean there what `temper run` says, or an export was refused by name.
# usage: tests/letters/run.sh BUILD WORK NODE PYTHON SHARE KIND...: every SHARE-th group of table.txt; KIND is folder or ordinary. An empty
# PYTHON leaves out Python's clients.
set -u
here=$(dirname "$0")
build=$1 work=$2 node=$3 python=$4 share=$5
shift 5
status=0
export PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error TOKENIZERS_PARALLELISM=false ONEDNN_MAX_CPU_ISA=AVX512_CORE

in_python() { # kind
    py=$python/venv/bin/python
    "$py" -W ignore "$here/check.py" transformers "$work/$1" && "$py" "$here/check.py" tokenizers "$work/$1" &&
        PYTHONPATH=$python/old "$py" -W ignore "$here/check.py" transformers "$work/$1" || return 1
    [ "$1" = ordinary ] || { "$py" -W ignore "$here/check.py" loader "$work/$1" && "$py" "$here/check.py" onnxruntime "$work/$1"; }
}

in_node() { # kind
    node "$here/check.mjs" transformers.js "$work/$1" "$node" && { [ "$1" = folder ] || node "$here/check.mjs" llama.cpp "$work/$1" "$node"; }
}

mkdir -p "$work"
for kind; do
    python3 "$here/cases.py" "$build/temper" "$work/$kind" "$kind" "$share" >"$work/$kind.log" || status=1
    in_node "$kind" >"$work/$kind-node.log" 2>"$work/$kind-node.errors" &
    job=$!
    if [ -n "$python" ]; then
        in_python "$kind" >"$work/$kind-python.log" 2>"$work/$kind-python.errors" || { status=1; tail -5 "$work/$kind-python.errors"; }
    fi
    wait $job || { status=1; tail -5 "$work/$kind-node.errors"; }
    grep -v "^refused: " "$work/$kind.log"
    cat "$work/$kind"-*.log
done
exit $status
