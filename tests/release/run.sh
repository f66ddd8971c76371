#!/bin/bash
# make test-release: each artefact of make release is used as somebody would who has nothing else: pip and npm install theirs, the Debian
# packages go into a root by debootstrap, sources are built, the playground proves a run in Chromium. usage: tests/release/run.sh BUILD [REFERENCE]
# REFERENCE is a folder of another release of the same commit, made elsewhere: what differs is named.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
out=$build/release
room=$(mktemp -d "${TMPDIR:-/tmp}/temper-release.XXXXXX")
trap 'rm -rf --one-file-system "$room"' EXIT
passed=0 failed=0
export PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONPATH TEMPER_LIBRARY VIRTUAL_ENV
export LC_ALL=C.UTF-8 NO_COLOR=1
version=$(awk '/define TEMPER_VERSION_(MAJOR|MINOR|PATCH)/ {printf "%s%s", s, $3; s="."}' "$root/include/temper.h")

check() { # what, command ...
    local what=$1 from=$SECONDS
    shift
    if "$@" >"$room/log" 2>&1; then
        passed=$((passed + 1))
        printf '%6d s  %s\n' $((SECONDS - from)) "$what"
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        tail -n 20 "$room/log"
    fi
    return 0
}
accepts() { [ "$("$@" run -f 'H(b -> O a)' --alphabet abc caab cba)" = $'accept\tcaab\nreject\tcba' ]; }

cd "$out" || exit 1
check "checksums" sh -c 'sha256sum -c --quiet SHA256SUMS && [ "$(ls | wc -l)" = "$(($(wc -l <SHA256SUMS) + 1))" ] && [ "$(ls | wc -l)" = 12 ]'

old_enough() { # the wheel is for glibc 2.31 or older
    case $(echo ./*.whl) in *-manylinux_2_[0-9]_* | *-manylinux_2_[12][0-9]_* | *-manylinux_2_3[01]_*) ;; *) echo ./*.whl; false ;; esac
}
check "the wheel is for manylinux_2_31 or older" old_enough
installed() { # name, file
    python3 -m venv "$room/$1" && "$room/$1/bin/pip" install -q "$2" && accepts "$room/$1/bin/temper" &&
        cd "$room" && "$room/$1/bin/python" "$root/tests/release/use.py"
}
check "pip installs the wheel" installed wheel "$out"/temper_softmax-*.whl
checked_by() { "$1" -c 'import sys, temper
sys.exit(temper.compile("O a", alphabet="ab").certify(100, "f32").checked_by != "audit and proved checker")'; }
check "the wheel carries the proved checker, which accepts" checked_by "$room/wheel/bin/python"
alone() {
    cp "$out/temper-checker-$version-linux-$(uname -m)" "$room/temper-checker" && chmod +x "$room/temper-checker" &&
        "$room/wheel/bin/temper" compile -f 'O a' --alphabet ab -o "$room/o.temper" && "$room/temper-checker" "$room/o.temper" --length 100 --type f32 &&
        ! ldd "$room/temper-checker"
}
check "the proved checker runs alone" alone
check "pip builds and installs the source distribution" installed sdist "$out/temper_softmax-$version.tar.gz"

built() {
    tar -C "$room" -xzf "$out/temper-$version.tar.gz" && make -C "$room/temper-$version" -j"$(nproc)" all && accepts "$room/temper-$version/build/temper"
}
check "make builds the sources" built

debian() {
    bare=$(bash "$root/tests/bare/root.sh" "${SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}") && mkdir "$room/debian" &&
        tar -C "$room/debian" -xzf "$bare" && cp "$out"/*.deb "$room/debian/root" && cp "$root/examples/answer.c" "$room/debian/root" || return 1
    inside() { sh "$root/tests/bare/enter.sh" "$room/debian" "$@"; }
    inside sh -c 'apt-get update -qq && cd /root && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends ./temper_*.deb ./libtemper0*.deb' &&
        accepts inside temper && inside temper certify -f 'O a' --alphabet ab --length 9 | grep '^proved' &&
        inside sh -c 'cd /root && temper compile -f "O a" --alphabet ab -o o.temper && temper certify o.temper --length 9 -o o.json &&
            temper audit o.json o.temper | grep "checked by a proved checker"' &&
        inside sh -c 'cd /root && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends ./libtemper-dev_*.deb gcc libc6-dev pkg-config &&
            cc answer.c $(pkg-config --cflags --libs temper) -o answer && ./answer "H(b -> O a)" abc caab cba | grep "^reject.cba.100\$" && dpkg -L temper | grep man1/temper.1.gz &&
            apt-get purge -qq -y temper libtemper0.1 libtemper-dev && ! command -v temper'
}
check "the Debian packages install, run, link and go" debian

npm_package() {
    mkdir "$room/npm" && cd "$room/npm" && echo '{"private": true}' >package.json && npm install --no-audit --no-fund --loglevel=error "$out/temper-softmax-$version.tgz" &&
        sed -n '/^```js/,/^```/p' node_modules/temper-softmax/README.md | sed '/^```/d' >use.mjs &&
        echo 'const again = await compile("a S b", { alphabet: "ab" });
              if (!again.run("ba").accept || again.run("aa").accept || again.certify(1000).verdict !== "proved") process.exit(1);' >>use.mjs &&
        node use.mjs
}
check "npm installs its package, and its example runs" npm_package

site() {
    tar -C "$room" -xzf "$out/temper-$version-site.tar.gz" && python3 "$root/scripts/check-site.py" "$room/temper-$version-site" &&
        NODE_PATH=$(bash "$root/tests/clients/install.sh" browser)/node_modules node "$root/tests/release/playground.js" "$room/temper-$version-site" "$build/release-playground.png"
}
check "the site's links lead somewhere, and its playground proves" site
playground_file() {
    mkdir "$room/lecture" && cp "$out/temper-$version-playground.html" "$room/lecture/index.html" &&
        NODE_PATH=$(bash "$root/tests/clients/install.sh" browser)/node_modules node "$root/tests/release/playground.js" --file "$room/lecture/index.html" \
            "$build/release-playground-file.png"
}
check "the playground in one file proves, without a server" playground_file
check "the PDF has pages" sh -c "pdfinfo '$out/temper-$version-theory.pdf' | grep '^Pages: *1[0-9]'"

citation() {
    [ -x "$build/release-tools/bin/cffconvert" ] || { python3 -m venv "$build/release-tools" && "$build/release-tools/bin/pip" install -q cffconvert; } || return 1
    tar -C "$room" -xzf "$out/temper-$version.tar.gz" "temper-$version/CITATION.cff" && "$build/release-tools/bin/cffconvert" --validate -i "$room/temper-$version/CITATION.cff"
}
check "cffconvert finds CITATION.cff valid" citation

if [ -n "${2-}" ]; then
    same=0
    for file in $(cut -d' ' -f3 SHA256SUMS); do
        if cmp -s "$file" "$2/$file"; then same=$((same + 1)); else echo "differs: $file"; fi
    done
    echo "$same of $(wc -l <SHA256SUMS) files have the same bytes as in $2"
fi
echo "test-release: $passed passed, $failed failed"
[ $failed = 0 ]
