#!/bin/sh
# make test-html: pages of `temper show --html` in headless Chromium. usage: tests/html/run.sh BUILD
# Pictures to look at are left in BUILD/html.
set -eu

here=$(dirname "$0")
build=$1
work=$build/html

sh "$here/../../scripts/setup.sh" html
driver=$(bash "$here/../clients/install.sh" browser) || {
    echo "test-html: npm could not install playwright-core, which needs a network" >&2
    exit 1
}
mkdir -p "$work"
work=$(cd "$work" && pwd)
program=$(cd "$build" && pwd)/temper
NODE_PATH=$driver/node_modules exec node "$here/pages.js" "$program" "$work"
