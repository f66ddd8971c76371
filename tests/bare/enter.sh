#!/bin/sh
# Runs a command in a root, with devices, terminals and processes of its own. usage: tests/bare/enter.sh ROOT COMMAND...
# Everything that is mounted goes with the namespace, so that the root can be removed whatever happened.
set -eu
if [ "${1-}" != --inside ]; then exec unshare --mount --pid --fork --kill-child --propagation private sh "$0" --inside "$@"; fi
root=$2
shift 2
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 devices "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 terminals "$root/dev/pts"
mount -t tmpfs -o mode=1777 memory "$root/dev/shm"
for device in null:3 zero:5 full:7 random:8 urandom:9; do
    mknod -m 666 "$root/dev/${device%:*}" c 1 "${device#*:}"
done
mknod -m 666 "$root/dev/tty" c 5 0
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for k in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${k%:*}" "$root/dev/${k#*:}"; done
cp /etc/resolv.conf /etc/hosts "$root/etc/"
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8 chroot "$root" "$@"
