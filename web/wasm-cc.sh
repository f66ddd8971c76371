#!/bin/sh
# The C compiler for WebAssembly: Debian's clang with the headers of its emscripten. Addresses, size_t and long have 64 bits, as in
# the native library, so that lengths up to 2^40 and certificates come out the same; the linked program is lowered to 32-bit
# addresses, which every browser has. One pass of clang 14 is left out, because it leaves out loops (tests/base/t-compiler.c).
emscripten=${EMSCRIPTEN:-/usr/share/emscripten}
exec "${WASM_CLANG:-clang-14}" --target=wasm64-unknown-emscripten --sysroot="$emscripten/cache/sysroot" -D__EMSCRIPTEN__ \
    -isystem "$emscripten/cache/sysroot/include/compat" -mbulk-memory -mmutable-globals -msign-ext -mnontrapping-fptoint \
    -mllvm -enable-split-backedge-in-load-pre=false -ffp-contract=off -fvisibility=hidden "$@"
