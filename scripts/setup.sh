#!/bin/sh
# Installs the Debian packages that are missing for the given jobs, which are listed below, saying what and why. Without apt,
# or for a user who is neither root nor may use sudo, it prints the command to run and stops. What is there already, from
# whatever source, is left alone.
set -eu

missing=""
why=""

need() { # package, what it is for, test command
    if ! sh -c "$3" >/dev/null 2>&1; then
        missing="$missing $1"
        why="$why
  $1: $2"
    fi
}

header() { # a C header can be included
    printf 'printf "#include <%s>\\n" | ${CC:-cc} -E - -o /dev/null' "$1"
}

for job in "$@"; do
    case $job in
    build)
        need gcc "compiles temper" "command -v \${CC:-cc}"
        need libc6-dev "headers of the C library" "$(header stdio.h)"
        need make "builds temper" "command -v make"
        need pkg-config "builds the examples against an installed copy" "command -v pkg-config"
        need libflint-dev "exact arithmetic" "$(header flint/fmpq.h)"
        need libflint-arb-dev "rigorous bounds" "$(header arb.h) || $(header flint/arb.h)"
        need libmpfr-dev "rounds exact numbers" "$(header mpfr.h)"
        need libgmp-dev "integers of any size" "$(header gmp.h)"
        need libprotobuf-c-dev "writes ONNX files" "$(header protobuf-c/protobuf-c.h)"
        need protobuf-c-compiler "makes C of ONNX's schema" "command -v protoc-c"
        need libonnx-dev "ONNX's schema" "test -e \${ONNX_PROTO:-/usr/include/onnx/onnx.proto}"
        ;;
    test)
        need python3 "the other side of comparisons: JSON, regular expressions, tables" "python3 -c 'import json, re, subprocess'"
        need locales "locales with a decimal comma, and others" "command -v localedef && test -e /usr/share/i18n/locales/de_DE"
        ;;
    oracles) # what some tests compare with; they say so where it is missing
        need g++ "reads temper.h as C++" "command -v g++ || command -v c++"
        need zsh "reads its completions" "command -v zsh"
        need fish "completes" "command -v fish"
        need librsvg2-bin "makes PNG and PDF of pictures" "command -v rsvg-convert"
        ;;
    clang)
        need clang "builds the tests a second time" "command -v clang"
        need libclang-rt-dev "clang's sanitizers" "printf 'int main(void) { return 0; }' | clang -fsanitize=address,undefined -x c - -o /dev/null"
        ;;
    platforms)
        need gcc-aarch64-linux-gnu "compiles for another machine" "command -v aarch64-linux-gnu-gcc"
        need gcc-riscv64-linux-gnu "compiles for another machine" "command -v riscv64-linux-gnu-gcc"
        need gcc-s390x-linux-gnu "compiles for another machine, with bytes in the other order" "command -v s390x-linux-gnu-gcc"
        need gcc-i686-linux-gnu "compiles for a machine that is refused" "command -v i686-linux-gnu-gcc"
        need qemu-user "runs what was compiled for other machines" "command -v qemu-aarch64"
        ;;
    lint)
        need clang-format "checks the formatting" "command -v clang-format"
        need cppcheck "looks for mistakes" "command -v cppcheck"
        ;;
    mpi)
        need libopenmpi-dev "compiles temper-mpi" "command -v \${MPICC:-mpicc}"
        need openmpi-bin "runs temper-mpi" "command -v mpirun"
        ;;
    ccache) need ccache "compiles nothing twice" "command -v ccache" ;;
    mpfr) need libmpfr-dev "judges exp and log" "$(header mpfr.h)" ;;
    torch)
        need python3-torch "runs exported models" "/usr/bin/python3 -c 'import torch'"
        need python3-numpy "arrays of the benchmark and of exported models" "/usr/bin/python3 -c 'import numpy'"
        # Debian's PyTorch runs on any BLAS, also on the slow reference one: not a fair opponent.
        need libopenblas0-openmp "a fast BLAS for PyTorch" "test -e /usr/lib/*/openblas-openmp/libblas.so.3"
        ;;
    onnx) need python3-onnx "checks ONNX graphs" "/usr/bin/python3 -c 'import onnx'" ;;
    node)
        need nodejs "runs onnxruntime" "command -v node"
        need npm "installs onnxruntime" "command -v npm"
        ;;
    python)
        need python3-cffi "calls libtemper from Python" "/usr/bin/python3 -c 'import cffi; cffi.FFI().cdef(\"int f(void);\")'"
        need python3-numpy "the arrays of the Python package" "/usr/bin/python3 -c 'import numpy'"
        ;;
    cairo) need libcairo2 "draws pictures in pixels" "ldconfig -p | grep -q libcairo.so.2" ;;
    pip)
        need python3-pip "installs the Python package" "/usr/bin/python3 -c 'import pip'"
        need python3-setuptools "builds the Python package" "/usr/bin/python3 -c 'import setuptools'"
        need python3-wheel "builds the Python package" "/usr/bin/python3 -c 'import wheel'"
        ;;
    proofs)
        need coq "checks the proofs" "command -v coqc"
        need libcoq-flocq "floating-point numbers for Coq" "test -d \"\$(coqc -where)/user-contrib/Flocq\""
        need libcoq-coquelicot "real analysis for Coq" "test -d \"\$(coqc -where)/user-contrib/Coquelicot\""
        need libcoq-interval "numbers with bounds for Coq" "test -d \"\$(coqc -where)/user-contrib/Interval\""
        ;;
    ocaml) # the checker as a program
        need ocaml "compiles the checker" "command -v ocamlopt"
        need ocaml-findlib "compiles the checker" "command -v ocamlfind"
        need js-of-ocaml "compiles the checker for browsers" "command -v js_of_ocaml"
        need libjs-of-ocaml-dev "compiles the checker for browsers" "ocamlfind query js_of_ocaml"
        ;;
    deb)
        need dpkg-dev "finds what packages depend on" "command -v dpkg-shlibdeps"
        need lintian "looks at packages" "command -v lintian"
        need fakeroot "makes files of root" "command -v fakeroot"
        ;;
    venv) need python3-venv "virtual environments for other people's programs" "python3 -c 'import ensurepip, venv'" ;;
    types) need mypy "checks the types of the Python package" "command -v mypy" ;;
    html)
        need chromium "opens the pages" "test -n \"\${CHROMIUM-}\" || command -v chromium || command -v google-chrome"
        need nodejs "drives the browser" "command -v node"
        need npm "installs playwright-core" "command -v npm"
        ;;
    pdf)
        need fonts-freefont-ttf "a font with the letters of mathematics" "fc-list | grep -q FreeSerif"
        need fonts-dejavu-core "a font for code" "fc-list | grep -q DejaVuSansMono"
        need poppler-utils "looks into PDF files" "command -v pdftotext && command -v pdffonts"
        ;;
    web)
        need emscripten "headers and C library of WebAssembly" "test -d \${EMSCRIPTEN:-/usr/share/emscripten}/system/lib"
        need clang-14 "compiles to WebAssembly" "command -v clang-14"
        need lld-14 "links WebAssembly" "command -v wasm-ld-14"
        need llvm-14 "archives of WebAssembly" "command -v llvm-ar-14"
        need binaryen "64-bit to 32-bit addresses" "command -v wasm-opt"
        need gcc "configures GMP and MPFR" "command -v gcc"
        need m4 "configures GMP" "command -v m4"
        need dpkg-dev "unpacks source packages" "command -v dpkg-source"
        need python3 "makes one file of the playground, and serves it" "command -v python3"
        ;;
    bare)
        need debootstrap "makes a root with nothing but the system" "command -v debootstrap"
        need git "clones into it" "command -v git"
        ;;
    container) need buildah "builds and runs containers without a daemon" "command -v buildah" ;;
    *)
        echo "setup: unknown job '$job'" >&2
        exit 2
        ;;
    esac
done

if [ -z "$missing" ]; then
    echo "setup: everything needed is here"
    exit 0
fi
echo "setup: missing packages:$why"

if ! command -v apt-get >/dev/null 2>&1; then
    sh "$(dirname "$0")/packages.sh" $missing >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    # sudo may ask for a password where there is somebody to ask.
    if command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root=sudo
    else
        echo "setup: please run this as root, then try again:" >&2
        echo "    apt-get update && apt-get install -y --no-install-recommends$missing" >&2
        exit 1
    fi
fi
echo "setup: installing$missing${as_root:+ (by sudo)}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() { # command ...: what it said is shown where it failed
    $as_root "$@" >"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        echo "setup: this failed: $*" >&2
        exit 1
    }
}
quietly apt-get update -qq
# FLINT 3 has Arb inside: later releases have no package of its own.
if ! apt-cache madison libflint-arb-dev 2>/dev/null | grep -q .; then missing=$(echo "$missing" | sed 's/ libflint-arb-dev//'); fi
# shellcheck disable=SC2086
quietly env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $missing
