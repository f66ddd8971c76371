#!/bin/bash
# A root of Debian with git and make and nothing else, by debootstrap, as a tarball that is kept outside the clone. Prints its
# path. usage: tests/bare/root.sh SUITE
# Packages come from where this system gets its own; TEMPER_CACHE names another folder than ~/.cache/temper.
set -eu
suite=$1
here=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" = 0 ] || { echo "bare: debootstrap and chroot need root: sudo make ..." >&2; exit 1; }
sources=$(sh "$here/scripts/debian-sources.sh" "$suite")
proxies=$(apt-config dump | grep -iE '^Acquire::(http|https|ftp)::Proxy' || true)
cache=${TEMPER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/temper}
tarball=$cache/bare-$suite-$(dpkg --print-architecture)-$(printf '%s\n' "$sources" "$proxies" | sha256sum | cut -c1-12).tar.gz
if [ ! -e "$tarball" ]; then
    archive=$(echo "$sources" | awk '{print $(NF - 2); exit}')
    extra=git,make
    case $sources in *https://*) extra=$extra,ca-certificates ;; esac
    echo "bare: debootstrap --variant=minbase --include=$extra $suite, into $tarball (once)" >&2
    mkdir -p "$cache"
    room=$(mktemp -d "$cache/bare.XXXXXX")
    trap 'rm -rf --one-file-system "$room"' EXIT
    debootstrap --variant=minbase --include=$extra "$suite" "$room/root" "$archive" >"$room/log" 2>&1 || {
        tail -n 20 "$room/log" >&2
        exit 1
    }
    # What the host knows about packages and the network, not what it has.
    echo "$sources" >"$room/root/etc/apt/sources.list"
    [ -z "$proxies" ] || echo "$proxies" >"$room/root/etc/apt/apt.conf.d/proxy"
    rm -rf "$room/root/var/cache/apt/archives/"*.deb "$room/root/var/lib/apt/lists/"*
    mkdir "$room/root/var/lib/apt/lists/partial"
    tar -C "$room/root" --numeric-owner -c . | gzip -1 >"$room/tarball"
    mv "$room/tarball" "$tarball"
fi
echo "$tarball"
