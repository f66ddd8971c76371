#!/bin/bash
# make release: all that is handed out, of the last commit, in BUILD/release, with SHA256SUMS. usage: release.sh BUILD
# Times in archives are that of the commit (SOURCE_DATE_EPOCH). make test-release REFERENCE=FOLDER says which files have the bytes of another
# release of the same commit.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
mkdir -p "$1"
build=$(cd "$1" && pwd)
out=$build/release
commit=$(git rev-parse --verify HEAD) || { echo "release: this is no clone with a commit" >&2; exit 1; }
changed=$(git status --porcelain)
if [ -n "$changed" ]; then
    echo "release: these files are not as in the last commit, of which the artefacts are:" >&2
    echo "$changed" | head -n 10 >&2
    exit 1
fi
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
version=$(awk '/define TEMPER_VERSION_(MAJOR|MINOR|PATCH)/ {printf "%s%s", s, $3; s="."}' include/temper.h)
umask 022
rm -rf "$out" "$build/deb" "$build/npm"
mkdir -p "$out"

times=
stage() { # what, command ...: its log is in BUILD/release-logs
    local what=$1 from=$SECONDS log=$build/release-logs/${1// /-}.log
    shift
    mkdir -p "${log%/*}"
    echo "release: $what"
    "$@" >"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        echo "release: $what failed; all of it is in $log" >&2
        exit 1
    }
    times+=$(printf '%6d s  %s' $((SECONDS - from)) "$what")$'\n'
}
target() { make --no-print-directory BUILD="$given" "$@"; }
given=$1
pack() { # folder of the parent, name in it, archive
    tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -c "$2" | gzip -9n >"$3"
}
sdist() {
    local room=$build/sdist name=temper_softmax-$version
    rm -rf "$room"
    mkdir -p "$room/info"
    (cd python && "$build/wheel/tools/bin/python" setup.py -q egg_info --egg-base "$room/info" sdist --formats=tar --dist-dir "$room")
    tar -C "$room" -xf "$room"/*.tar
    # Older versions of setuptools keep the dash of the name.
    [ -d "$room/$name" ] || mv "$room/${name/_/-}" "$room/$name"
    chmod -R u=rwX,go=rX "$room/$name"
    pack "$room" "$name" "$out/$name.tar.gz"
    "$build/wheel/tools/bin/twine" check --strict "$out/$name.tar.gz"
}
sources() { git archive --format=tar --prefix="temper-$version/" "$commit" | gzip -9n >"$out/temper-$version.tar.gz"; }
site() {
    rm -rf "$build/site-room/temper-$version-site"
    cp -r "$build/site" "$build/site-room/temper-$version-site"
    pack "$build/site-room" "temper-$version-site" "$out/temper-$version-site.tar.gz"
}

stage "library and program" target all
stage "proved checker" target checker
stage "playground" target web-file web
stage "wheel" target wheel
stage "source distribution for pip" sdist
stage "Debian packages" target deb
stage "npm package" target web-npm
stage "site" target site
stage "site as an archive" site
stage "theory as PDF" target theory.pdf
stage "sources" sources
cp "$build"/wheel/dist/*.whl "$build"/deb/*.deb "$build/npm/temper-softmax-$version.tgz" "$out"
cp "$build/temper-checker" "$out/temper-checker-$version-linux-$(uname -m)"
cp "$build/theory.pdf" "$out/temper-$version-theory.pdf"
cp "$build/temper-playground.html" "$out/temper-$version-playground.html"
(cd "$out" && sha256sum -- * >SHA256SUMS.part && mv SHA256SUMS.part SHA256SUMS)
printf '%s' "$times"
(cd "$out" && wc -c -- *)
echo "release: $version, commit $commit, in $out; make test-release uses each of them"
