#!/bin/bash
# Installs the programs that other people run models with, pinned, into a folder outside the clone, once, and prints where they
# are. usage: tests/clients/install.sh node|browser|python|jax|notebook
#
#   node     node-llama-cpp (llama.cpp, built) and transformers.js with onnxruntime
#   browser  playwright-core, which drives Chromium, and axe-core
#   python   a virtual environment: torch, transformers 5 and TransformerLens, safetensors, gguf, onnxruntime; FOLDER/old has
#            transformers 4 for PYTHONPATH
#   jax      JAX for PYTHONPATH, beside that environment, for make bench
#   notebook a virtual environment over that one: what the Python package uses if it is there (matplotlib, pandas, polars,
#            cairosvg), and Jupyter
#
# TEMPER_CACHE names another folder than ~/.cache/temper. Exit status 3: the packages could not be fetched.
set -eu

# sharp, which transformers.js loads, has its library in optional packages.
NODE_PACKAGES="node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1 @huggingface/transformers@4.3.1 sharp@0.35.5
    @img/sharp-linux-x64@0.35.5 @img/sharp-libvips-linux-x64@1.3.4"
BROWSER_PACKAGES="playwright-core@1.56 axe-core@4" # later ones want a Node.js that Debian 12 does not have
TORCH=2.15.0
PYTHON_PACKAGES="filelock typing-extensions sympy networkx jinja2 fsspec numpy==2.4.6 transformers==5.22.2 tokenizers==0.23.3
    huggingface-hub==2.4.0 safetensors==0.8.0 gguf==0.19.0 onnxruntime==1.31.1 onnx==1.23.2"
# What TransformerLens imports, without all that these packages would bring themselves.
LENS_PACKAGES="transformer-lens==3.9.0 accelerate beartype einops fancy-einsum jaxtyping sentencepiece typeguard better-abc
    transformers-stream-generator wadler-lindig psutil datasets pandas python-dateutil pytz six dill multiprocess xxhash pyarrow
    wandb"
JAX_PACKAGES="jax==0.10.2 jaxlib==0.10.2 ml_dtypes opt_einsum scipy"
NOTEBOOK_PACKAGES="numpy==2.4.6 cffi==2.1.1 matplotlib==3.11.2 pandas==3.1.1 polars==2.1.0 cairosvg==2.9.1 nbconvert==7.17.2
    ipykernel==7.4.0 setuptools wheel"
OLD_PACKAGES="transformers==4.49.0 tokenizers==0.21.4 huggingface-hub==0.36.0"

cache=${TEMPER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/temper}
say() { echo "clients: $*" >&2; }

# A folder that is complete has the stamp of these versions.
stamp_of() { printf '%s\n' "$@" | sha256sum | cut -c1-12; }

install_npm() { # name of the folder, what it is, packages
    dir=$cache/$1-$(stamp_of "$3")
    if [ ! -e "$dir/complete" ]; then
        say "installing $2 for node into $dir"
        rm -rf "$dir"
        mkdir -p "$dir"
        echo '{"private": true}' >"$dir/package.json"
        # Optional packages are CUDA and Vulkan; scripts would fetch and build more.
        # shellcheck disable=SC2086
        if ! (cd "$dir" && npm install --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error $3 >npm.log 2>&1); then
            tail -5 "$dir/npm.log" >&2
            rm -rf "$dir"
            exit 3
        fi
        touch "$dir/complete"
    fi
    echo "$dir"
}

# The wheel of torch for this machine wants gigabytes of CUDA libraries, none of which is called without a GPU, but all of
# which must be there to load it. In their place come libraries whose functions do nothing but fail.
without_cuda() { # site-packages
    lib=$1/torch/lib
    work=$(mktemp -d)
    cp "$1"/nvidia/*/lib/libcudart.so.* "$lib/"
    for f in "$lib"/*.so; do objdump -p "$f" | awk '/NEEDED/ {print $2}'; done | sort -u >"$work/needed"
    for f in "$lib"/*.so; do nm -D --undefined-only "$f"; done |
        awk '$1 == "U" && $2 !~ /GLIBC|CXXABI|GCC_|GOMP|OMP_|libcudart/ {sub(/@+/, " ", $2); print $2}' | sort -u >"$work/undefined"
    while read -r name; do
        if [ -e "$lib/$name" ] || ldconfig -p | grep -q "$name "; then continue; fi
        versions=$(for f in "$lib"/*.so; do
            objdump -p "$f" | awk -v n="$name:" '/required from/ {on = ($3 == n)} /^ +0x/ && on {print $4}'
        done | sort -u)
        : >"$work/map"
        for v in $versions; do echo "$v { global: *; };" >>"$work/map"; done
        case $name in libnccl*) pattern='^(nccl|cusparseLt|cuFile|nvshmem|cu[A-Z])' ;; *) pattern='^$' ;; esac
        awk -v v=" $versions " -v p="$pattern" '(NF == 2 && index(v, " " $2 " ")) || (NF == 1 && $1 ~ p) {
            print "int " $1 "(void) { return 1; }"}' "$work/undefined" | sort -u >"$work/stub.c"
        script=
        [ -s "$work/map" ] && script=-Wl,--version-script=$work/map
        # shellcheck disable=SC2086
        "${CC:-cc}" -w -shared -fPIC "$work/stub.c" -o "$lib/$name" "-Wl,-soname,$name" $script
    done <"$work/needed"
    rm -rf "$work"
}

install_python() {
    dir=$cache/python-$(stamp_of "$TORCH" "$PYTHON_PACKAGES" "$LENS_PACKAGES" "$OLD_PACKAGES")
    if [ ! -e "$dir/complete" ]; then
        say "installing torch, transformers and TransformerLens into $dir (some minutes)"
        rm -rf "$dir"
        mkdir -p "$dir"
        # shellcheck disable=SC2086
        if ! {
            python3 -m venv "$dir/venv" &&
                "$dir/venv/bin/pip" install -q --no-deps "torch==$TORCH" nvidia-cuda-runtime==13.4.92 &&
                "$dir/venv/bin/pip" install -q $PYTHON_PACKAGES &&
                "$dir/venv/bin/pip" install -q --no-deps $LENS_PACKAGES &&
                "$dir/venv/bin/pip" install -q --no-deps --target "$dir/old" $OLD_PACKAGES requests urllib3 certifi idna charset_normalizer
        } >"$dir/pip.log" 2>&1; then
            tail -5 "$dir/pip.log" >&2
            rm -rf "$dir"
            exit 3
        fi
        site=$("$dir/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
        if ! "$dir/venv/bin/python" -c 'import torch' 2>/dev/null; then
            without_cuda "$site" >>"$dir/pip.log" 2>&1 || true
            if ! "$dir/venv/bin/python" -c 'import torch' 2>>"$dir/pip.log"; then
                say "torch wants its CUDA libraries: gigabytes"
                if ! "$dir/venv/bin/pip" install -q "torch==$TORCH" >>"$dir/pip.log" 2>&1; then
                    tail -5 "$dir/pip.log" >&2
                    rm -rf "$dir"
                    exit 3
                fi
            fi
        fi
        touch "$dir/complete"
    fi
    echo "$dir"
}

install_jax() {
    environment=$(install_python)
    dir=$cache/jax-$(stamp_of "$JAX_PACKAGES")
    if [ ! -e "$dir/complete" ]; then
        say "installing JAX into $dir"
        rm -rf "$dir"
        mkdir -p "$dir"
        # shellcheck disable=SC2086
        if ! "$environment/venv/bin/pip" install -q --no-deps --target "$dir" $JAX_PACKAGES >"$dir/pip.log" 2>&1; then
            tail -5 "$dir/pip.log" >&2
            rm -rf "$dir"
            exit 3
        fi
        touch "$dir/complete"
    fi
    echo "$dir"
}

install_notebook() {
    environment=$(install_python)
    dir=$cache/notebook-$(stamp_of "$NOTEBOOK_PACKAGES" "$environment")
    if [ ! -e "$dir/complete" ]; then
        say "installing matplotlib, pandas, polars, cairosvg and Jupyter into $dir"
        rm -rf "$dir"
        mkdir -p "$dir"
        # shellcheck disable=SC2086
        if ! { python3 -m venv "$dir/venv" && "$dir/venv/bin/pip" install -q $NOTEBOOK_PACKAGES; } >"$dir/pip.log" 2>&1; then
            tail -5 "$dir/pip.log" >&2
            rm -rf "$dir"
            exit 3
        fi
        # torch is large: it is found where it is.
        "$environment/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
            >"$("$dir/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/clients.pth"
        touch "$dir/complete"
    fi
    echo "$dir"
}

case ${1-} in
node) install_npm node "llama.cpp and transformers.js" "$NODE_PACKAGES" ;;
browser) install_npm browser "playwright-core and axe-core" "$BROWSER_PACKAGES" ;;
jax) install_jax ;;
python) install_python ;;
notebook) install_notebook ;;
*)
    echo "usage: tests/clients/install.sh node|browser|python|jax|notebook" >&2
    exit 2
    ;;
esac
