#!/bin/sh
# No file of the repository names the host of a package mirror: packages come from where the system is configured to get them.
set -u
cd "$(dirname "$0")/.."
# Hosts by their usual names, and whatever stands where a source, an index or a registry is set.
hosts='(^|[^a-z])((deb|ftp|security|archive|snapshot|ports)[a-z0-9.-]*\.(debian|ubuntu)\.[a-z]|mirrors?\.[a-z0-9-]+\.[a-z]|pythonhosted\.|pypi\.org/simple|registry\.npmjs|dl\.fedoraproject)'
places='deb(-src)? (\[[^]]*\] )?(https?|ftp)://|(index-url|extra-index-url|find-links|registry|proxy)[ =]+"?https?://'
found=$(git grep -nIiE "$hosts|$places" -- . ':!scripts/check-hosts.sh')
if [ -n "$found" ]; then
    echo "$found"
    echo "hosts: these lines name the host of a package mirror; scripts/debian-sources.sh asks the system" >&2
    exit 1
fi
echo "hosts: no file names a package mirror"
