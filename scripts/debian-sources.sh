#!/bin/sh
# The sources of Debian's packages that this system is configured with, a line each, as sources.list has them.
# usage: scripts/debian-sources.sh [RELEASE [TYPE]]
# Of another release than the system's it is the archive alone, without updates; TYPE is deb or deb-src.
set -eu
release=${1-} type=${2-deb}
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e $keys ] || keys=

configured() {
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
        awk '$3 == "main" && $4 == "Debian" && !seen[$0]++ {print $1, $2}'
}
found=$(configured)
# Whose archive it is stands in its list, which a new system may not have fetched.
if [ -z "$found" ] && [ "$(id -u)" = 0 ]; then
    apt-get update -qq
    found=$(configured)
fi
if [ -z "$found" ]; then
    echo "debian-sources: apt knows no archive of Debian on this system (or not yet: apt-get update)" >&2
    exit 1
fi
own=$(echo "$found" | awk '$2 !~ /-/ {print $2; exit}')
echo "$found" | awk -v type="$type" -v wanted="${release:-$own}" -v own="$own" -v keys="${keys:+[signed-by=$keys] }" '
    wanted == own {print type " " keys $1, $2, "main"}
    wanted != own && $2 == own && !done++ {print type " " keys $1, wanted, "main"}'
