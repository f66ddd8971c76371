#!/bin/bash
# make test-newest: exported models in the newest release of every client, beside the versions that are pinned, and a table of both. It
# needs a network, and fails where a client does. usage: tests/clients/newest.sh BUILD
set -u
here=$(dirname "$0")
build=$1
work=$build/newest
status=0
rm -rf "$work"
mkdir -p "$work/results"
export PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error TOKENIZERS_PARALLELISM=false
# Matrix units need a permission that virtual machines may not give, and end the program without it.
export ONEDNN_MAX_CPU_ISA=AVX512_CORE

fetch() { TEMPER_CLIENTS=$1 bash "$here/install.sh" "$2" || exit 1; }
library() { "$py" -W ignore "$here/../interop/library_check.py" "$build" "$work/$set-$1" "$node" "$1"; }
in_torch() { "$py" "$here/../interop/torch_check.py" "$work/cases" 8; }
in_transformers() { library transformers && "$py" -W ignore "$here/../runtimes/python_random.py" "$work/random" old; }
in_tokenizers() { "$py" "$here/../letters/check.py" tokenizers "$work/letters"; }
in_safetensors() { library safetensors; }
in_gguf() { "$py" "$here/../runtimes/python_random.py" "$work/random" files; }
in_onnxruntime() { library onnxruntime; }
in_lens() { PYTHONPATH=$lens library lens && PYTHONPATH=$lens "$py" -W ignore "$here/../runtimes/python_random.py" "$work/random" lens; }
in_llama() { node "$here/../runtimes/llama_check.mjs" "$node" "$work/ordinary"; }
in_transformers_js() { node "$here/../interop/transformers_check.mjs" "$node" "$work/$set-transformers"/*/; }

python_version() { PYTHONPATH=$lens "$py" -c "from importlib.metadata import version; print(version('$1'))"; }
node_version() { node -p "require('$node/node_modules/$1/package.json').version"; }

# What it printed is in $work/results; a check that passes prints how much it compared.
try() { # client, installed version, what the registry has
    log=$work/results/$set-$1
    if "in_$1" >"$log" 2>&1; then result=passed; else result=FAILED status=1; fi
    [ "$2" = "$3" ] || set -- "$1" "$2 (there is $3)"
    echo "$2|$result" >"$log.row"
    echo "test-newest: $1 $2, $set: $result"
    [ $result = passed ] || tail -n 5 "$log"
}

CLIENTS="torch transformers tokenizers safetensors gguf onnxruntime lens llama transformers_js"
package_of() { # client
    case $1 in
    lens) echo transformer-lens ;;
    llama) echo node-llama-cpp ;;
    transformers_js) echo @huggingface/transformers ;;
    *) echo "$1" ;;
    esac
}

try_all() { # pinned or newest
    set=$1
    python=$(fetch "$set" python) && node=$(fetch "$set" node) && lens=$(fetch "$set" lens) || exit 1
    py=$python/venv/bin/python
    major=$(TEMPER_CLIENTS=$set bash "$here/install.sh" version LENS_4)
    lens=$lens/${major%%.*}
    for client in $CLIENTS; do
        name=$(echo $client | tr '[:lower:]' '[:upper:]')
        [ $client != lens ] || name=LENS_4
        wanted=$(TEMPER_CLIENTS=$set bash "$here/install.sh" version "$name") || exit 1
        case $client in
        llama | transformers_js) found=$(node_version "$(package_of $client)") ;;
        *) found=$(python_version "$(package_of $client)") ;;
        esac
        try $client "${found%%+*}" "$wanted"
    done
}

"$build/tests/interop/make_cases" "$work/cases" >"$work/cases.log" &&
    "$build/tests/runtimes/make_random" "$work/random" >"$work/random.log" &&
    "$build/tests/runtimes/make_cases" "$work/ordinary" 256 12 >"$work/ordinary.log" 2>&1 &&
    python3 "$here/../letters/cases.py" "$build/temper" "$work/letters" folder 7 >"$work/letters.log" || exit 1
try_all pinned
try_all newest
row() { printf '| %-25s | %-24s | %-6s | %-24s | %-6s |\n' "$@"; }
row client pinned result newest result
row --- --- --- --- ---
for client in $CLIENTS; do
    IFS='|' read -r pinned at_pinned <"$work/results/pinned-$client.row"
    IFS='|' read -r newest at_newest <"$work/results/newest-$client.row"
    row "$(package_of $client)" "$pinned" "$at_pinned" "$newest" "$at_newest"
done
exit $status
