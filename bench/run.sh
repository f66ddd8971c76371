#!/bin/sh
# make bench: sets up what is missing, then measures. usage: bench/run.sh BUILD [options of bench.py]
# The opponents are those that people have today: PyTorch 2, onnxruntime, JAX and llama.cpp, pinned, in folders outside of the clone.
set -eu

here=$(dirname "$0")
build=$1
shift

sh "$here/../scripts/setup.sh" node venv
python=$(bash "$here/../tests/clients/install.sh" python)
jax=$(bash "$here/../tests/clients/install.sh" jax)
llama=$(bash "$here/../tests/clients/install.sh" node)

PYTHONPATH=$jax exec "$python/venv/bin/python" -B "$here/bench.py" --build "$build" --llama "$llama" "$@"
