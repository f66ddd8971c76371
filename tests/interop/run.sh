#!/bin/bash
# make test-interop: exports models, then runs them in PyTorch and onnxruntime side by side, and checks the loaders and their
# messages. usage: tests/interop/run.sh BUILD
set -u
here=$(dirname "$0")
build=$1
work=$build/interop
started=$(date +%s)

node=$(bash "$here/../clients/install.sh" node) || {
    echo "interop: npm could not install onnxruntime and transformers.js, which needs a network" >&2
    exit 1
}

rm -rf "$work/cases" "$work/loaders" "$work/libraries"* "$work/letters" "$work/imports" "$work"/*.log
mkdir -p "$work"
"$build/tests/interop/make_cases" "$work/cases" | tee "$work/make.log"
[ "${PIPESTATUS[0]}" = 0 ] || exit 1

status=0
export PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1
# Large tensors come and go by the thousand: their memory is kept rather than given back, which would cost a third of the time.
export MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=1073741824
node "$here/onnx_check.js" "$node" "$work/cases" >"$work/onnx.log" 2>&1 &
in_node=$!
debian=/usr/bin/python3
if python=$(bash "$here/../clients/install.sh" python) && lens=$(bash "$here/../clients/install.sh" lens); then
    {
        "$python/venv/bin/python" "$here/regex_check.py" "$build" &&
            "$python/venv/bin/python" "$here/torch_check.py" "$work/cases" &&
            "$python/venv/bin/python" "$here/schedule_check.py" "$build" &&
            "$python/venv/bin/python" "$here/library_check.py" "$build" "$work/libraries" "$node" &&
            PYTHONPATH=$python/old "$python/venv/bin/python" "$here/library_check.py" "$build" "$work/libraries-old" "$node" transformers &&
            PYTHONPATH=$lens/2 "$python/venv/bin/python" "$here/library_check.py" "$build" "$work/libraries-lens-2" "$node" lens &&
            PYTHONPATH=$lens/4 "$python/venv/bin/python" "$here/library_check.py" "$build" "$work/libraries-lens-4" "$node" lens &&
            "$python/venv/bin/python" "$here/import_check.py" "$build" "$work/imports" &&
            node "$here/transformers_check.mjs" "$node" "$work/libraries"/*/ &&
            $debian "$here/torch_check.py" "$work/cases" 4
    } >"$work/python.log" 2>&1 || status=1
else
    python=
    $debian "$here/torch_check.py" "$work/cases" >"$work/python.log" 2>&1 || status=1
    # Continuous integration must not skip: it sets TEMPER_NO_SKIP.
    echo "interop: SKIPPED: torch 2, transformers, TransformerLens, onnxruntime for Python, and transformers.js: PyPI is not reached" \
        >>"$work/python.log"
    [ -z "${TEMPER_NO_SKIP-}" ] || status=1
fi
{
    $debian "$here/graph_check.py" "$work/cases" "$node" && $debian "$here/loader_check.py" "$build" "$work/loaders"
} >"$work/debian.log" 2>&1 || status=1
bash "$here/../letters/run.sh" "$build" "$work/letters" "$node" "$python" 7 folder >"$work/letters.log" 2>&1 || status=1
wait $in_node || status=1
cat "$work/letters.log" "$work/python.log" "$work/debian.log" "$work/onnx.log"
cat "$work"/*.log | awk '/: [0-9]+ passed, [0-9]+ failed/ {for (k = 2; k <= NF; k++) {
    if ($k ~ /^passed/) p += $(k - 1); if ($k ~ /^failed/) f += $(k - 1)}}
    END {printf "test-interop: %d passed, %d failed\n", p, f}'
echo "interop: $(($(date +%s) - started)) s"
exit $status
