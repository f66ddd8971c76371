#!/bin/bash
# make test-interop: exports models, then runs them in PyTorch and onnxruntime side by side, and checks the loaders and their
# messages. usage: tests/interop/run.sh BUILD
set -u
here=$(dirname "$0")
build=$1
work=$build/interop
node=$work/node
started=$(date +%s)

if [ ! -d "$node/node_modules/onnxruntime-node" ]; then
    echo "interop: installing onnxruntime-node into $node"
    mkdir -p "$node"
    # Its CPU library is inside the package; without this line it would fetch the CUDA one as well.
    echo "onnxruntime-node-install=skip" >"$node/.npmrc"
    echo '{"private": true}' >"$node/package.json"
    if ! (cd "$node" && npm install --no-audit --no-fund --loglevel=error onnxruntime-node >npm.log 2>&1); then
        cat "$node/npm.log" >&2
        echo "interop: npm could not install onnxruntime-node. When there is a network, please run:" >&2
        echo "    cd $node && npm install onnxruntime-node" >&2
        exit 1
    fi
fi

rm -rf "$work/cases" "$work/loaders" "$work"/*.log
"$build/tests/interop/make_cases" "$work/cases" | tee "$work/make.log"
[ "${PIPESTATUS[0]}" = 0 ] || exit 1

status=0
export PYTHONDONTWRITEBYTECODE=1
# Large tensors come and go by the thousand: their memory is kept rather than given back, which would cost a third of the time.
export MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=1073741824
node "$here/onnx_check.js" "$node" "$work/cases" >"$work/onnx.log" 2>&1 &
in_node=$!
{
    /usr/bin/python3 "$here/torch_check.py" "$work/cases" &&
        /usr/bin/python3 "$here/graph_check.py" "$work/cases" "$node" &&
        /usr/bin/python3 "$here/loader_check.py" "$build" "$work/loaders" "$node"
} >"$work/python.log" 2>&1 || status=1
# The libraries themselves, where they can be fetched; above are Debian's torch and stand-ins for the others.
if python=$(bash "$here/../clients/install.sh" python); then
    {
        HF_HUB_OFFLINE=1 "$python/venv/bin/python" -W ignore "$here/real_clients.py" "$build/temper" "$work/real" &&
            HF_HUB_OFFLINE=1 PYTHONPATH=$python/old "$python/venv/bin/python" -W ignore "$here/real_clients.py" "$build/temper" "$work/real-old" old
    } >"$work/real.log" 2>&1 || status=1
else
    # Continuous integration must not skip: it sets TEMPER_NO_SKIP.
    echo "interop: SKIPPED: torch 2, transformers and TransformerLens from PyPI, which is not reached" >"$work/real.log"
    [ -z "${TEMPER_NO_SKIP-}" ] || status=1
fi
wait $in_node || status=1
cat "$work/python.log" "$work/real.log" "$work/onnx.log"
cat "$work"/*.log | awk '/: [0-9]+ passed, [0-9]+ failed/ {for (k = 2; k <= NF; k++) {
    if ($k ~ /^passed/) p += $(k - 1); if ($k ~ /^failed/) f += $(k - 1)}}
    END {printf "test-interop: %d passed, %d failed\n", p, f}'
echo "interop: $(($(date +%s) - started)) s"
exit $status
