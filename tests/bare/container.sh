#!/bin/bash
# make test-container: builds the Containerfile on a base by debootstrap, with buildah, which needs no daemon, and runs what it
# says in its first line. usage: tests/bare/container.sh BUILD SUITE
# Images are kept in BUILD/container alone; where containers cannot be isolated from the system, chroot has to do.
set -u
work=$(mkdir -p "$1/container" && cd "$1/container" && pwd)
suite=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
tarball=$(bash "$here/tests/bare/root.sh" "$suite") || exit 1
started=$(date +%s)
passed=0 failed=0
export BUILDAH_ISOLATION=chroot
images() { buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$@"; }
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
finish() {
    images rm --all >/dev/null 2>&1
    images rmi --all --force >/dev/null 2>&1
    rm -rf --one-file-system "$work/images" "$work/run"
}
trap finish EXIT

base=$(images from scratch) && images add -q "$base" "$tarball" / >/dev/null && images commit -q --rm "$base" localhost/temper-base >/dev/null || exit 1
check "the Containerfile builds on $suite" images build --network host --build-arg BASE=localhost/temper-base -t localhost/temper -f "$here/Containerfile" "$here" \
    >"$work/build.log" 2>&1
[ $failed = 0 ] || { tail -n 30 "$work/build.log"; exit 1; }
temper=$(images from --pull-never localhost/temper)
entry=$(images inspect --format '{{range .OCIv1.Config.Entrypoint}}{{.}} {{end}}' "$temper")
# shellcheck disable=SC2086
inside() { images run "$temper" -- $entry "$@"; }
same() { [ "$1" = "$2" ] || { printf 'expected: %s\nfound:    %s\n' "$1" "$2"; false; }; }
command=$(sed -n "s/^# .*podman run --rm temper //p" "$here/Containerfile")
check "the command of its first line" same $'accept\tcaab\nreject\tcba' "$(eval "inside $command")"
check "a certificate, which needs FLINT" same proved "$(inside certify -f 'O a' --alphabet ab --length 9 | sed -n '1s/\t.*//p')"
check "a picture, which needs librsvg" inside show -f 'O a' --alphabet ab -o /tmp/a.png ba
check "no compiler is left in it" images run "$temper" -- sh -c '! command -v cc'
images images --format '{{.Name}} {{.Size}}'
echo "container: $suite, $(($(date +%s) - started)) s"
echo "test-container: $passed passed, $failed failed"
[ $failed = 0 ]
