#!/bin/sh
# make bench: sets up what is missing, then measures. usage: bench/run.sh BUILD [options of bench.py]
# PyTorch and onnx are Debian's, so the interpreter is Debian's too; onnxruntime-node lives in BUILD/bench/node.
set -eu

here=$(dirname "$0")
build=$1
shift
node=$build/bench/node

sh "$here/../scripts/setup.sh" torch onnx node

if [ ! -d "$node/node_modules/onnxruntime-node" ]; then
    echo "bench: installing onnxruntime-node into $node"
    mkdir -p "$node"
    # Its CPU library is inside the package; without this line it would fetch the CUDA one as well.
    echo "onnxruntime-node-install=skip" >"$node/.npmrc"
    echo '{"private": true}' >"$node/package.json"
    if ! (cd "$node" && npm install --no-audit --no-fund --loglevel=error onnxruntime-node >npm.log 2>&1); then
        cat "$node/npm.log" >&2
        echo "bench: npm could not install onnxruntime-node. When there is a network, please run:" >&2
        echo "    cd $node && npm install onnxruntime-node" >&2
        exit 1
    fi
fi

exec /usr/bin/python3 -B "$here/bench.py" --build "$build" "$@"
