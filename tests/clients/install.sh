#!/bin/bash
# Installs the programs that other people run models with, into a folder outside the clone, once, and prints where they are.
# usage: tests/clients/install.sh node|browser|python|lens|jax|notebook|version NAME
#
#   node     node-llama-cpp (llama.cpp, built) and transformers.js with onnxruntime
#   browser  playwright-core, which drives Chromium, and axe-core
#   python   a virtual environment: torch, transformers 5 and TransformerLens 3, safetensors, gguf, onnxruntime; FOLDER/old has
#            transformers 4 for PYTHONPATH
#   lens     TransformerLens 2 and 4 for PYTHONPATH, beside that environment: FOLDER/2 and FOLDER/4
#   jax      JAX for PYTHONPATH, beside that environment, for make bench
#   notebook a virtual environment over that one: what the Python package uses if it is there (matplotlib, pandas, polars,
#            cairosvg), and Jupyter
#   version  prints the version of a client: TORCH, LENS_4, ...
#
# The versions are those of src/export/tested_clients.h, or with TEMPER_CLIENTS=newest those that the registries have today; 2, 3 and
# transformers 4 stay as they are. TEMPER_CACHE names another folder than ~/.cache/temper. Exit status 3: the packages could not be fetched.
set -eu

BROWSER_PACKAGES="playwright-core@1.56 axe-core@4" # later ones want a Node.js that Debian 12 does not have
NOTEBOOK_PACKAGES="numpy==2.4.6 cffi==2.1.1 matplotlib==3.11.2 pandas==3.1.1 polars==2.1.0 cairosvg==2.9.1 nbconvert==7.17.2
    ipykernel==7.4.0 setuptools wheel"
here=$(dirname "$0")
cache=${TEMPER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/temper}
newest=
[ "${TEMPER_CLIENTS-}" != newest ] || newest=yes
# Two tests that run side by side ask for the same environment: the second one waits. What this calls is not to wait for it.
if [ "${1-}" != version ] && [ -z "${TEMPER_CLIENTS_LOCKED-}" ] && command -v flock >/dev/null; then
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock 9
    export TEMPER_CLIENTS_LOCKED=1
fi

# The package of a client that has a newest version; npm's are marked.
package_of() {
    case $1 in
    TORCH | TRANSFORMERS | TOKENIZERS | SAFETENSORS | GGUF | ONNXRUNTIME) echo "$1" | tr '[:upper:]' '[:lower:]' ;;
    LENS_4) echo transformer-lens ;;
    LLAMA) echo npm:node-llama-cpp ;;
    TRANSFORMERS_JS) echo npm:@huggingface/transformers ;;
    esac
}

registry_version() { # package
    case $1 in
    npm:*) npm view "${1#npm:}" version 2>/dev/null ;;
    *)
        [ -e "$cache/pip/bin/pip" ] || python3 -m venv "$cache/pip" >&2
        "$cache/pip/bin/pip" index versions "$1" 2>/dev/null | sed -n '1s/.*(\(.*\))/\1/p'
        ;;
    esac
}

version() { # client
    package=$(package_of "$1")
    if [ -n "$newest" ] && [ -n "$package" ]; then
        found=$(registry_version "$package")
    else
        found=$(sed -n "s/^#define TESTED_$1  *\"\(.*\)\"/\1/p" "$here/../../src/export/tested_clients.h")
    fi
    if [ -z "$found" ]; then
        echo "clients: no version of $1 is known${newest:+ to the registry}" >&2
        exit 3
    fi
    echo "$found"
}

# Sets the lists of packages.
choose() {
    # sharp, which transformers.js loads, has its library in optional packages.
    sharp=0.35.5 vips=1.3.4 cuda===13.4.92 hub===2.4.0
    if [ -n "$newest" ]; then
        sharp=$(registry_version npm:sharp) vips=$(registry_version npm:@img/sharp-libvips-linux-x64) cuda= hub=
    fi
    for client in LLAMA TRANSFORMERS_JS TORCH TRANSFORMERS TRANSFORMERS_4 SAFETENSORS GGUF ONNXRUNTIME LENS_2 LENS_3 LENS_4; do
        value=$(version $client)
        eval "$client=\$value"
    done
    # The newest transformers decides which tokenizers it takes.
    tokenizers=
    [ -n "$newest" ] || tokenizers===$(version TOKENIZERS)
    NODE_PACKAGES="node-llama-cpp@$LLAMA @node-llama-cpp/linux-x64@$LLAMA @huggingface/transformers@$TRANSFORMERS_JS sharp@$sharp
    @img/sharp-linux-x64@$sharp @img/sharp-libvips-linux-x64@$vips"
    PYTHON_PACKAGES="filelock typing-extensions sympy networkx jinja2 fsspec numpy==2.4.6 transformers==$TRANSFORMERS tokenizers$tokenizers
    huggingface-hub$hub safetensors==$SAFETENSORS gguf==$GGUF onnxruntime==$ONNXRUNTIME onnx==1.23.2"
    # What TransformerLens imports, without all that these packages would bring themselves.
    LENS_PACKAGES="transformer-lens==$LENS_3 accelerate beartype einops fancy-einsum jaxtyping sentencepiece typeguard better-abc
    transformers-stream-generator wadler-lindig psutil datasets pandas python-dateutil pytz six dill multiprocess xxhash pyarrow
    wandb"
    JAX_PACKAGES="jax==0.10.2 jaxlib==0.10.2 ml_dtypes opt_einsum scipy"
    OLD_PACKAGES="transformers==$TRANSFORMERS_4 tokenizers==0.21.4 huggingface-hub==0.36.0"
}

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
                "$dir/venv/bin/pip" install -q --no-deps "torch==$TORCH" "nvidia-cuda-runtime$cuda" &&
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

install_lens() {
    environment=$(install_python)
    dir=$cache/lens-$(stamp_of "$LENS_2" "$LENS_4")
    if [ ! -e "$dir/complete" ]; then
        say "installing TransformerLens $LENS_2 and $LENS_4 into $dir"
        rm -rf "$dir"
        mkdir -p "$dir"
        for each in "$LENS_2" "$LENS_4"; do
            if ! "$environment/venv/bin/pip" install -q --no-deps --target "$dir/${each%%.*}" "transformer-lens==$each" >>"$dir/pip.log" 2>&1; then
                tail -5 "$dir/pip.log" >&2
                rm -rf "$dir"
                exit 3
            fi
        done
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
version) version "${2-}" ;;
browser) install_npm browser "playwright-core and axe-core" "$BROWSER_PACKAGES" ;;
node)
    choose
    install_npm node "llama.cpp and transformers.js" "$NODE_PACKAGES"
    ;;
python | lens | jax | notebook)
    choose
    "install_$1"
    ;;
*)
    echo "usage: tests/clients/install.sh node|browser|python|lens|jax|notebook|version NAME" >&2
    exit 2
    ;;
esac
