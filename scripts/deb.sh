#!/bin/sh
# make deb: Debian packages of the program, the library and what is needed to build with it, in BUILD/deb; lintian must find no error.
# usage: deb.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
room=$build/deb
rm -rf "$room"
mkdir -p "$room/debian"
cd "$root"
# The path as it was given: dependency files name objects by it, so another spelling would hide what is out of date.
make --no-print-directory -j"$(nproc)" BUILD="$1" all
arch=$(dpkg --print-architecture)
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
stage=$room/stage
make --no-print-directory -s BUILD="$1" DESTDIR="$stage" PREFIX=/usr install
version=$("$build/temper" --version | awk '{print $2}')
abi=$(readelf -d "$build/libtemper.so" | sed -n 's/.*SONAME.*libtemper\.so\.\(.*\)\]/\1/p')
runtime=libtemper$abi

put() { # package, file of the stage, place
    mkdir -p "$room/$1/$(dirname "$3")"
    cp -P "$stage/usr/$2" "$room/$1/$3"
}
put temper bin/temper usr/bin/temper
put temper share/man/man1/temper.1 usr/share/man/man1/temper.1
put temper share/bash-completion/completions/temper usr/share/bash-completion/completions/temper
put temper share/zsh/site-functions/_temper usr/share/zsh/vendor-completions/_temper
put temper share/fish/vendor_completions.d/temper.fish usr/share/fish/vendor_completions.d/temper.fish
# The proved checker, if `make checker` has made it: audit asks the one beside temper. It is one file that needs no other, on purpose.
if [ -x "$stage/usr/bin/temper-checker" ]; then
    put temper bin/temper-checker usr/bin/temper-checker
    put temper share/man/man1/temper-checker.1 usr/share/man/man1/temper-checker.1
    strip --strip-all --remove-section=.comment --remove-section=.note "$room/temper/usr/bin/temper-checker"
    chmod 755 "$room/temper/usr/bin/temper-checker"
    gzip -9n "$room/temper/usr/share/man/man1/temper-checker.1"
    mkdir -p "$room/temper/usr/share/lintian/overrides"
    echo 'temper: statically-linked-binary [usr/bin/temper-checker]' >"$room/temper/usr/share/lintian/overrides/temper"
fi
put "$runtime" "lib/libtemper.so.$version" "usr/lib/$triplet/libtemper.so.$version"
put "$runtime" "lib/libtemper.so.$abi" "usr/lib/$triplet/libtemper.so.$abi"
put libtemper-dev lib/libtemper.so "usr/lib/$triplet/libtemper.so"
put libtemper-dev lib/libtemper.a "usr/lib/$triplet/libtemper.a"
put libtemper-dev lib/libtemper-lab.a "usr/lib/$triplet/libtemper-lab.a"
for file in temper temper-lab; do
    put libtemper-dev lib/pkgconfig/$file.pc "usr/lib/$triplet/pkgconfig/$file.pc"
    sed -i "s|/lib\$|/lib/$triplet|" "$room/libtemper-dev/usr/lib/$triplet/pkgconfig/$file.pc"
done
put libtemper-dev include/temper.h usr/include/temper.h
put libtemper-dev include/temper_lab.h usr/include/temper_lab.h
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$room/temper/usr/bin/temper" "$room/$runtime/usr/lib/$triplet/libtemper.so.$version"
strip --strip-debug "$room"/libtemper-dev/usr/lib/"$triplet"/*.a
chmod 755 "$room/temper/usr/bin/temper"
chmod 644 "$room/$runtime/usr/lib/$triplet/libtemper.so.$version"
gzip -9n "$room/temper/usr/share/man/man1/temper.1"

who="The temper authors <${DEBEMAIL:-temper@localhost.localdomain}>" # nobody can be written to yet; DEBEMAIL says who can
printf 'Source: temper\nMaintainer: %s\n\nPackage: temper\nArchitecture: any\n' "$who" >"$room/debian/control"
needs() { (cd "$room" && dpkg-shlibdeps -O "$1" 2>/dev/null | sed 's/^shlibs:Depends=//'); }

pack() { # package, section, depends, title, text
    folder=$room/$1
    doc=$folder/usr/share/doc/$1
    mkdir -p "$doc" "$folder/DEBIAN"
    { echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'; echo 'Upstream-Name: temper'; echo; echo 'Files: *'
      echo 'Copyright: 2026 the temper authors'; echo 'License: Expat'; sed '1,4d; s/^$/./; s/^/ /' LICENSE; } >"$doc/copyright"
    printf 'temper (%s-1) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$version" "$who" \
        "$(date -u -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}" '+%a, %d %b %Y %H:%M:%S +0000')" | gzip -9n >"$doc/changelog.Debian.gz"
    { echo "Package: $1"; echo "Source: temper"; echo "Version: $version-1"; echo "Architecture: $arch"; echo "Maintainer: $who"
      echo "Installed-Size: $(du -sk "$folder/usr" | cut -f1)"; echo "Depends: $3"; echo "Section: $2"; echo "Priority: optional"
      [ "$1" = temper ] || echo "Multi-Arch: same"
      echo "Description: $4"; printf '%s\n' "$5" | sed 's/^/ /'; } >"$folder/DEBIAN/control"
    if [ "$1" = "$runtime" ]; then
        echo "libtemper $abi $runtime (>= $version)" >"$folder/DEBIAN/shlibs"
        echo 'activate-noawait ldconfig' >"$folder/DEBIAN/triggers"
    fi
    (cd "$folder" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
    find "$folder" -type d -exec chmod 755 {} +
    find "$folder" -type f ! -perm -u+x -exec chmod 644 {} +
    fakeroot dpkg-deb -Zxz --root-owner-group --build "$folder" "$room/$1_$version-1_$arch.deb" >/dev/null
}
about='It compiles temporal logic, counting, C-RASP, B-RASP, regular expressions
and hard-attention transformers into softmax transformers, and proves
their answers for every string up to a length.'
pack "$runtime" libs "$(needs "$room/$runtime/usr/lib/$triplet/libtemper.so.$version")" "specifications compiled to softmax transformers (library)" "$about
.
This package has the shared library."
pack libtemper-dev libdevel "$runtime (= $version-1), libflint-dev, libflint-arb-dev, libmpfr-dev, libgmp-dev, libprotobuf-c-dev" \
    "specifications compiled to softmax transformers (development)" "$about
.
This package has the header and the static libraries."
# The program loads what the library links (cli/lazy), so it depends on the same packages.
pack temper math "$(printf '%s, %s' "$(needs "$room/temper/usr/bin/temper")" "$(needs "$room/$runtime/usr/lib/$triplet/libtemper.so.$version")" | tr ',' '\n' |
    sed 's/^ *//' | sort -u | paste -sd, | sed 's/,/, /g')" "specifications compiled to softmax transformers" "$about
.
This package has the program, its manual and completions."
ls -l "$room"/*.deb
# Nothing was uploaded, so no bug is closed; and see the address above.
if lintian --no-cfg --allow-root --fail-on error --suppress-tags initial-upload-closes-no-bugs,bogus-mail-host,bogus-mail-host-in-debian-changelog \
    "$room"/*.deb >"$room/lintian.log" 2>&1; then echo "lintian: no errors"; else code=1; fi
cat "$room/lintian.log"
exit ${code:-0}
