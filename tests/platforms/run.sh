#!/bin/bash
# make test-platforms: the same digests from every compiler, every option and every machine that Debian can emulate.
# usage: tests/platforms/run.sh BUILD JOBS [NAME...]. Each build lies in BUILD/platforms/NAME; nothing is installed there.
set -u
build=$(realpath "$1")
jobs=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
only=" $* "
passed=0 failed=0

wanted() { [ "$only" = "  " ] || [[ $only == *" $1 "* ]]; }

result() { # status
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

try() { # name, compiler, settings of make, command that runs programs
    local name=$1 compiler=$2 settings=$3 emulator=${4-} log=$build/platforms/$1/log
    wanted "$name" || return 0
    mkdir -p "$build/platforms/$name"
    # shellcheck disable=SC2086
    if ! eval make --no-print-directory -j"$jobs" BUILD="$build/platforms/$name/build" 'CC="$compiler"' $settings \
        "$build/platforms/$name/build/tests/platforms/digests" >"$log" 2>&1; then
        tail -n 20 "$log"
        echo "platforms: $name: it does not build" >&2
        result 1
        return
    fi
    # shellcheck disable=SC2086
    sh "$here/compare.sh" "$name" $emulator "$build/platforms/$name/build/tests/platforms/digests"
    result $?
}

cross() { # name, compiler's prefix, Debian's name of the machine, emulator, [release]
    wanted "$1" || return 0
    local root=$build/platforms/$3
    if ! sh "$here/sysroot.sh" "$root" "$3" ${5-}; then
        echo "platforms: $1: no libraries for it" >&2
        result 1
        return
    fi
    try "$1" "$2-gcc --sysroot=$root/root" 'OPT=-O1' "$4 -L $root/root"
}

refused() { # name, words that the compiler must say, compiler, file
    local name=$1 words=$2 compiler=$3 file=$4
    wanted "$name" || return 0
    # shellcheck disable=SC2086
    if $compiler -std=c17 -Iinclude -Isrc -c "$file" -o /dev/null 2>&1 | grep -q "$words"; then
        echo "platforms: $name: refused: $words"
        result 0
    else
        echo "platforms: $name: $file is not refused with '$words'" >&2
        result 1
    fi
}

if wanted here; then
    sh "$here/compare.sh" here "$build/tests/platforms/digests"
    result $?
    TEMPER_KERNELS=avx2 sh "$here/compare.sh" 'here, without AVX-512' "$build/tests/platforms/digests"
    result $?
    TEMPER_KERNELS=reference sh "$here/compare.sh" 'here, without AVX2' "$build/tests/platforms/digests"
    result $?
fi
try gcc-O0 gcc 'OPT=-O0 FAST='
try gcc-O3 gcc 'OPT=-O3'
try gcc-lto gcc 'OPT="-O2 -flto" AR=gcc-ar LDFLAGS=-flto'
try clang-O2 clang 'OPT=-O2'
try clang-O0 clang 'OPT=-O0 FAST='
cross aarch64 aarch64-linux-gnu arm64 qemu-aarch64
cross s390x s390x-linux-gnu s390x qemu-s390x
cross riscv64 riscv64-linux-gnu riscv64 qemu-riscv64 trixie # not a machine of Debian 12
refused i386 '64-bit sizes' 'i686-linux-gnu-gcc -ffreestanding -msse2 -mfpmath=sse' src/base/version.c
refused x87 'no excess precision' 'gcc -mfpmath=387' src/number/exp.c
if wanted wasm; then
    node "$here/digests.mjs" "$build/web" "$here/table"
    result $?
fi
echo "platforms: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
