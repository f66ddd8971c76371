#!/bin/sh
# Builds GMP, MPFR, FLINT and Arb for WebAssembly from Debian's source packages, once: web/build-flint.sh CACHE.
# What is there already is kept, so that a build that was stopped goes on; objects of another web/wasm-cc.sh are not.
# It leaves CACHE/lib/libflint-web.a, CACHE/include and CACHE/licences, and in CACHE/lib/made-by what they were made by. Only the files that
# temper needs are compiled: those of web/flint.list.
#
# GMP and MPFR are configured for this machine, without assembly: sizes of types are the same there, and nothing else of the
# configuration depends on the machine, but for long double, which has 128 bits in WebAssembly. Then the sources are compiled by web/wasm-cc.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=$1
# The folder is shared by all clones: one builds at a time, and who waited finds everything there.
mkdir -p "$cache"
if command -v flock >/dev/null; then
    exec 9>"$cache/lock"
    flock 9
fi
cmp -s "$here/wasm-cc.sh" "$cache/objects/wasm-cc.sh" || rm -rf "$cache/objects" "$cache/lib"
mkdir -p "$cache/sources/lists/partial" "$cache/objects" "$cache/lib" "$cache/include/flint" "$cache/licences"
cp "$here/wasm-cc.sh" "$cache/objects/"
cd "$cache/sources"

say() { echo "web: $*"; }

fetch() {
    say "source packages of gmp, mpfr4, flint, flint-arb into $cache/sources"
    sh "$here/../scripts/debian-sources.sh" "" deb-src | sed 1q >sources.list # the archive; updates are further lines
    apt="apt-get -qq -o Dir::Etc::SourceList=$PWD/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$PWD/lists
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=$(id -un)"
    $apt update
    $apt source --download-only gmp mpfr4 flint flint-arb
}
if ! ls -d gmp/debian mpfr4/debian flint/debian flint-arb/debian >/dev/null 2>&1; then fetch; fi
for name in gmp mpfr4 flint flint-arb; do
    [ -e "$name/debian" ] || dpkg-source -x "$name"_*.dsc "$name" >/dev/null 2>&1
done

say "configuring"
[ -e gmp/mpn/perfsqr.h ] || (
    cd gmp
    mkdir -p doc # Debian leaves it out, because its licence is not free
    echo 'all install check clean distclean:' >doc/Makefile.in
    ./configure --host=none-unknown-linux-gnu --build="$(gcc -dumpmachine)" --disable-assembly --disable-shared \
        CC=gcc CFLAGS=-O1 CC_FOR_BUILD=gcc >configure.log 2>&1
    make -s fac_table.h fib_table.h mp_bases.h trialdivtab.h mpn/fib_table.c mpn/mp_bases.c mpn/jacobitab.h mpn/perfsqr.h >make.log 2>&1
)
[ -e mpfr4/config.status ] || (
    cd mpfr4
    ./configure --disable-shared --disable-thread-safe --disable-decimal-float --disable-float128 --with-gmp-include="$PWD/../gmp" CC=gcc CFLAGS=-O1 >configure.log 2>&1
    make -s -C src mparam.h get_patches.c >make.log 2>&1 || true
)
(
    cd flint
    cp fmpz-conversions-single.in fmpz-conversions.h
    cat fmpz/link/fmpz_single.c >fmpz/fmpz.c
    cp fft_tuning64.in fft_tuning.h
    for feature in FLINT_USES_BLAS FLINT_USES_TLS FLINT_USES_FENV FLINT_USES_PTHREAD FLINT_BIG_ENDIAN FLINT_USES_GC \
        FLINT_USES_CPUSET FLINT_REENTRANT FLINT_WANT_ASSERT; do echo "#define $feature 0"; done >flint-config.h
    echo '#define FLINT_DLL' >>flint-config.h
    cp flint-config.h config.h
)
cp gmp/gmp.h mpfr4/src/mpfr.h "$cache/include"
cp flint/*.h "$cache/include/flint"
cp flint-arb/*.h "$cache/include"
# Each with its name in front, so that files of the same name do not meet.
for name in gmp mpfr4 flint flint-arb; do
    cp "$name/debian/copyright" "$cache/licences/$name.txt"
done
cp /usr/share/common-licenses/LGPL-3 "$cache/licences/LGPL-3.txt"
cp /usr/share/common-licenses/LGPL-2.1 "$cache/licences/LGPL-2.1.txt"

say "compiling"
compile() { # package, prefix of objects, flags; names of files follow on standard input
    WASM_CC="$here/wasm-cc.sh" PACKAGE=$1 OBJECTS="$cache/objects" FLAGS="$2" \
        xargs -P"${JOBS:-$(nproc)}" -n 8 sh -c '
            cd "$PACKAGE"
            for file; do
                name=$(echo "$PACKAGE/$file" | tr / _)
                base=$(basename "$file" .c)
                [ -e "$OBJECTS/${name%.c}.o" ] || "$WASM_CC" -O2 -w -DOPERATION_$base $FLAGS -c "$file" -o "$OBJECTS/${name%.c}.o" || exit 255
            done' sh
}
files_of() { # package
    sed -n "s,^$1/,,p" "$here/flint.list"
}
files_of gmp | compile gmp "-DHAVE_CONFIG_H -D__GMP_WITHIN_GMP -I. -Impn"
files_of mpfr4 | compile mpfr4 "$(sed -n 's/^DEFS = //p' mpfr4/src/Makefile | sed 's/-DLT_OBJDIR=[^ ]*//; s/LDOUBLE_IEEE_EXT_LITTLE/LDOUBLE_IEEE_QUAD_LITTLE/') \
    -D__MPFR_WITHIN_MPFR -I. -Isrc -I$cache/include"
files_of flint | compile flint "-I. -I$cache/include"
files_of flint-arb | compile flint-arb "-I. -I$cache/include"
rm -f "$cache/lib/libflint-web.a" "$cache/lib/made-by"
sed -n '/^[^#]/{s,/,_,g;s,c$,o,;p;}' "$here/flint.list" | (cd "$cache/objects" && xargs llvm-ar-14 rcs "$cache/lib/libflint-web.a")
cat "$here/build-flint.sh" "$here/flint.list" "$here/wasm-cc.sh" >"$cache/lib/made-by"
say "done: $cache/lib/libflint-web.a"
