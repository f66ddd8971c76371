#!/bin/bash
# libtemper and the program for wheels, built in a root of an older Debian by debootstrap, so that they run with its C library and later ones.
# Into FOLDER: both, the libraries they need in libs/, what Debian says of these in notices/, and the system's name.
# usage: wheel-native.sh SUITE FOLDER      (root; network)
# The root with its compiler is kept outside the clone; it is set up again where scripts/setup.sh changes.
set -eu
suite=$1
here=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$2"
mkdir -p "$2"
out=$(cd "$2" && pwd)
bare=$(bash "$here/tests/bare/root.sh" "$suite")
tarball=${bare%/*}/wheel-$(sha256sum <"$here/scripts/setup.sh" | cut -c1-12)-${bare##*/}
root=$(mktemp -d "${TMPDIR:-/tmp}/temper-wheel.XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
enter() { sh "$here/tests/bare/enter.sh" "$root" "$@"; }
if [ -e "$tarball" ]; then
    tar -C "$root" -xzf "$tarball"
else
    echo "wheel: installing a compiler and FLINT of $suite, into $tarball (once)"
    tar -C "$root" -xzf "$bare"
    cp "$here/scripts/setup.sh" "$root/setup.sh"
    enter sh /setup.sh build >"$out/log" 2>&1 || { tail -n 20 "$out/log" >&2; exit 1; }
    rm -rf "$root/var/cache/apt/archives/"*.deb "$root/var/lib/apt/lists/"*
    tar -C "$root" --exclude ./dev/\* --numeric-owner -c . | gzip -1 >"$tarball.part"
    mv "$tarball.part" "$tarball"
fi
mkdir "$root/src"
git -C "$here" ls-files -z -co --exclude-standard | (cd "$here" && xargs -0 ls -d 2>/dev/null) | tar -C "$here" -c -T - | tar -C "$root/src" -x
# An older Debian has ONNX's schema in a form that protoc-c does not read; it is the same text everywhere.
cp "${ONNX_PROTO:-/usr/include/onnx/onnx.proto}" "$root/onnx.proto"
# FLINT is linked as usual: the wheel gives its libraries names of its own, which the program could not open by theirs.
enter make -C /src -j"$(nproc)" BUILD=/build LAZY= ONNX_PROTO=/onnx.proto all /build/tests/platforms/digests >"$out/log" 2>&1 || {
    tail -n 20 "$out/log" >&2
    exit 1
}
# Another compiler and another FLINT: the bits of models, proofs, answers and files must be the same.
enter sh -c 'cd /src && sh tests/platforms/compare.sh wheel /build/tests/platforms/digests'
cp "$root"/build/libtemper.so.*.*.* "$root/build/temper" "$out"
strip --strip-unneeded "$out"/libtemper.so.* "$out/temper"
mkdir "$out/libs" "$out/notices"
enter sh -c "ldd /build/libtemper.so /build/temper" | awk '$3 ~ /^\// {print $3}' | sort -u | while read -r library; do
    package=$(enter sh -c "dpkg -S '$library' '/usr$library' 2>/dev/null || true" | head -n 1 | cut -d: -f1)
    # What is a part of every system that wheels are for.
    case $package in libc6 | libgcc* | libstdc++6) continue ;; esac
    [ -n "$package" ] || { echo "wheel: no package has $library" >&2; exit 1; }
    cp -L "$root$library" "$out/libs"
    cp "$root/usr/share/doc/$package/copyright" "$out/notices/$package.txt"
done
# The licences that these texts name.
grep -h -o '/usr/share/common-licenses/L\?GPL-[0-9.]*[0-9]' "$out"/notices/* | sort -u | while read -r licence; do
    cp -L "$root$licence" "$out/notices/${licence##*/}.txt"
done
. "$root/etc/os-release"
echo "$PRETTY_NAME" >"$out/system"
