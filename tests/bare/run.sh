#!/bin/bash
# make test-bare: the last commit, cloned into a root by debootstrap that has git and make and nothing else: `make demo` and
# `make test`, as root, and as a user with sudo. usage: tests/bare/run.sh BUILD SUITE [root|sudo]
# What they print is left in BUILD/bare. Ends with the times and "test-bare: N passed, M failed".
set -u
build=$(mkdir -p "$1/bare" && cd "$1/bare" && pwd)
suite=$2
only=${3-}
here=$(cd "$(dirname "$0")/../.." && pwd)
tarball=$(bash "$here/tests/bare/root.sh" "$suite") || exit 1
passed=0 failed=0 times=

check() { # what, command ...
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
    fi
}
says() { grep -qE -e "$2" "$1"; }
silent_about() { ! grep -nE -e "$2" "$1"; }

enter() { sh "$here/tests/bare/enter.sh" "$root" "$@"; }
visit() { # as whom, command for a shell in that user's home
    if [ "$1" = root ]; then enter sh -c "cd && $2"; else enter su - visitor -c "$2"; fi
}
timed() { # as whom, name of log, what it is, command
    local log=$build/$suite-$1-$2.log code spent
    TIMEFORMAT='%R %U %S'
    spent=$({ time visit "$1" "$4" >"$log" 2>&1 </dev/null; } 2>&1; exit $?)
    code=$?
    times+=$(echo "$spent" | awk -v what="$suite, $1: $3" '{printf "%7.1f s (%.1f s of processor time)  %s", $1, $2 + $3, what}')$'\n'
    [ $code = 0 ] || tail -n 30 "$log"
    return $code
}

both_commands() { # as whom
    local who=$1 log=$build/$suite-$1
    root=$(mktemp -d "${TMPDIR:-/tmp}/temper-bare.XXXXXX")
    tar -C "$root" -xzf "$tarball"
    git clone -q --bare "$here" "$root/srv/temper.git"
    if [ "$who" != root ]; then
        enter sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends sudo &&
            useradd -m -s /bin/bash visitor && echo "visitor ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/visitor &&
            chown -R visitor /srv/temper.git' >"$log-user.log" 2>&1 || cat "$log-user.log"
    fi
    check "$who: the root is bare" visit "$who" '! command -v cc && ! command -v python3'
    check "$who: make demo passes" timed "$who" demo 'git clone and make demo, packages installed on the way' \
        'git clone -q /srv/temper.git temper && cd temper && make demo'
    check "$who: make demo complains of nothing" silent_about "$log-demo.log" 'not found|No such file|[Ww]arning|^E:'
    check "$who: its last lines name the page" sh -c "tail -n 1 '$log-demo.log' | grep -q '^file://.*/build/demo/page.html'"
    check "$who: the page is there" visit "$who" 'test -s temper/build/demo/page.html'
    # There is no python3 yet: whoever compares with it must say so, and fail where nothing may be left out.
    check "$who: a test without its oracle says so" visit "$who" 'cd temper && bash tests/cli/regex.sh build/temper | grep -q "^SKIPPED: no python3"'
    check "$who: and fails where nothing may be left out" visit "$who" \
        'cd temper && ! TEMPER_NO_SKIP=1 bash tests/cli/regex.sh build/temper >/dev/null'
    check "$who: once more" timed "$who" again 'git clone and make demo, packages there' \
        'git clone -q /srv/temper.git again && cd again && make demo'
    check "$who: make test passes" timed "$who" test 'make test' 'cd temper && make test'
    check "$who: and counts" says "$log-test.log" '^[0-9]+ passed, 0 failed$'
    check "$who: make test complains of nothing" silent_about "$log-test.log" 'command not found|No such file'
    grep '^SKIPPED: ' "$log-test.log" | sed "s/^/$suite, $who: /"
    tail -n 1 "$log-test.log"
    rm -rf --one-file-system "$root"
}

for who in ${only:-root sudo}; do both_commands "$who"; done
printf '%s' "$times"
echo "test-bare: $passed passed, $failed failed"
[ $failed = 0 ]
