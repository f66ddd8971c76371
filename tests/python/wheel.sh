#!/bin/bash
# A wheel in fresh environments: of the oldest and the newest CPython that is found (on PATH, or by pyenv), and, as root, of the Python that
# the oldest and the newest Debian have, in roots by debootstrap. With it, what happens where PyPI's other package temper is installed,
# too. usage: tests/python/wheel.sh BUILD WHEEL
set -u
room=$1/wheel/tried
wheel=$2
here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/../bare
rm -rf "$room"
mkdir -p "$room/wheels"
passed=0 failed=0
unset PYTHONPATH TEMPER_LIBRARY TEMPER_BUILD VIRTUAL_ENV
export PIP_DISABLE_PIP_VERSION_CHECK=1

check() { # what, command ...
    local what=$1
    shift
    if "$@" >"$room/log" 2>&1; then
        passed=$((passed + 1))
        grep '^the wheel works' "$room/log"
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        tail -n 15 "$room/log"
    fi
    return 0
}
says() { # words, command ...: what it prints has them
    local words=$1
    shift
    "$@" >"$room/said" 2>&1
    cat "$room/said"
    grep -qF -e "$words" "$room/said"
}
silent() { ! grep . <("$@" 2>&1); }

# Versions and paths of CPython 3.8 and later that can make environments, the oldest first.
interpreters() {
    local folder python
    for folder in ${PATH//:/ } "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin; do
        for python in "$folder"/python3.[0-9] "$folder"/python3.[0-9][0-9]; do
            [ -x "$python" ] && "$python" -c 'import ensurepip, platform, sys, venv
if sys.version_info >= (3, 8) and platform.python_implementation() == "CPython" and sys.prefix == sys.base_prefix:
    print(platform.python_version(), sys.executable)' 2>/dev/null
        done
    done | sort -V -u
}
in_environment() { # name, interpreter
    "$2" -m venv "$room/$1" && "$room/$1/bin/pip" install -q "$wheel" && cd "$room/$1" && LD_BIND_NOW=1 ./bin/python "$here/wheel_check.py"
}

interpreters >"$room/interpreters"
{ head -n 1 "$room/interpreters" && tail -n 1 "$room/interpreters"; } | uniq >"$room/chosen"
while read -r version python; do
    check "Python $version" in_environment "python-$version" "$python"
done <"$room/chosen"

# ---- the other package named temper ----

bin=$room/python-$(tail -n 1 "$room/chosen" | cut -d' ' -f1)/bin
other="'temper' has no attribute 'compile'"
check "the other package is installed after this one" "$bin/pip" install -q temper==0.1
check "import temper finds the other one" says "$other" "$bin/python" -c 'import temper; temper.compile'
check "the program says so" says "another package of that name" "$bin/temper" --version
check "and goes on" says "temper 0" "$bin/temper" --version
check "this one is installed after the other" "$bin/pip" install -q --no-deps --force-reinstall "$wheel"
check "import temper says so" says "emper-0.1, is installed in" "$bin/python" -c 'import temper'
check "the remedy" "$bin/pip" uninstall -q -y temper temper-softmax
check "leaves nothing" says "No module named 'temper'" "$bin/python" -c 'import temper'
check "and the wheel again" "$bin/pip" install -q --no-deps "$wheel"
check "repairs it" silent "$bin/python" -c 'import temper; temper.compile("O a", alphabet="ab")'

# ---- the oldest and the newest system ----

in_root() { # suite
    local root version
    root=$(mktemp -d "${TMPDIR:-/tmp}/temper-wheel.XXXXXX")
    tar -C "$root" -xzf "$(bash "$scripts/root.sh" "$1")" &&
        sh "$scripts/enter.sh" "$root" sh -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends python3-venv' >"$room/apt" 2>&1 &&
        version=$(sh "$scripts/enter.sh" "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])') &&
        python3 -m pip download -q --dest "$root/wheels" --only-binary :all: --python-version "$version" --platform manylinux_2_28_x86_64 \
            --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 'cffi>=1.12' 'numpy>=1.20' &&
        cp "$wheel" "$root/wheels" && cp "$here/wheel_check.py" "$root/root" &&
        sh "$scripts/enter.sh" "$root" sh -c 'cd /root && python3 -m venv try && ./try/bin/pip install -q --no-index /wheels/*.whl &&
            LD_BIND_NOW=1 ./try/bin/python wheel_check.py'
    local code=$?
    [ $code = 0 ] || tail -n 5 "$room/apt"
    rm -rf --one-file-system "$root"
    return $code
}
if [ "$(id -u)" = 0 ]; then
    for suite in ${WHEEL_SYSTEMS-bullseye trixie}; do check "Debian's $suite" in_root "$suite"; done
else
    echo "SKIPPED: no root: the oldest and the newest Debian by debootstrap"
    [ -z "${TEMPER_NO_SKIP-}" ] || failed=$((failed + 1))
fi
echo "wheel: $passed passed, $failed failed"
[ $failed = 0 ]
