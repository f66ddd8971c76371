#!/bin/sh
# A folder with what temper links, built for another machine: Debian's packages, unpacked. Nothing is installed, and
# this system's list of packages stays as it is. usage: tests/platforms/sysroot.sh FOLDER ARCHITECTURE [RELEASE]
set -eu
folder=$1 architecture=$2 release=${3-}
[ ! -e "$folder/complete" ] || exit 0
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/root"
: >"$folder/apt/status"
sh "$(dirname "$0")/../../scripts/debian-sources.sh" $release >"$folder/apt/sources.list"
cat >"$folder/apt/config" <<END
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
Dir::Etc::sourcelist "$folder/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::status "$folder/apt/status";
Dir::State::lists "$folder/apt/lists";
Dir::Cache "$folder/apt";
Dir::Cache::archives "$folder/apt/archives";
APT::Sandbox::User "root";
APT::Get::Download-Only "true";
APT::Install-Recommends "false";
Debug::NoLocking "true";
Acquire::Languages "none";
END
export APT_CONFIG="$folder/apt/config"
apt-get update -qq
arb=$(apt-cache madison libflint-arb-dev | grep -q . && echo libflint-arb-dev || true)
# shellcheck disable=SC2086
apt-get install -qq -y libc6-dev libflint-dev $arb libmpfr-dev libgmp-dev libprotobuf-c-dev >/dev/null
for package in "$folder"/apt/archives/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
# Later releases have /lib in /usr.
[ -e "$folder/root/lib" ] || ln -s usr/lib "$folder/root/lib"
rm -rf "$folder/apt"
touch "$folder/complete"
