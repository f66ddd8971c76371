#!/bin/sh
# make test-html: pages of `temper show --html` in headless Chromium. usage: tests/html/run.sh BUILD
# playwright-core, which drives the browser, lives in BUILD/html; pictures to look at are left there, too.
set -eu

here=$(dirname "$0")
build=$1
work=$build/html

sh "$here/../../scripts/setup.sh" html
mkdir -p "$work"
driver=playwright-core@1.56 # later ones want a Node.js that Debian 12 does not have
if ! (cd "$work" && node -e 'require("playwright-core")' >/dev/null 2>&1); then
    echo "test-html: installing playwright-core into $work"
    echo '{"private": true}' >"$work/package.json"
    if ! (cd "$work" && npm install --no-audit --no-fund --loglevel=error $driver >npm.log 2>&1); then
        cat "$work/npm.log" >&2
        echo "test-html: npm could not install playwright-core. When there is a network, please run:" >&2
        echo "    cd $work && npm install $driver" >&2
        exit 1
    fi
fi
work=$(cd "$work" && pwd)
program=$(cd "$build" && pwd)/temper
NODE_PATH=$work/node_modules exec node "$here/pages.js" "$program" "$work"
