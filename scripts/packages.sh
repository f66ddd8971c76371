#!/bin/sh
# How packages are called where there is no apt: prints the command that installs them. usage: scripts/packages.sh DEBIAN'S NAME...
# Only Debian's names are tested (make test-bare). A dash: that system has no such package, or we know of none. TEMPER_MANAGER
# names a manager that is not asked for.
set -eu

table='
gcc                    gcc                    gcc                    gcc
libc6-dev              glibc-devel            glibc                  -
make                   make                   make                   make
pkg-config             pkgconf-pkg-config     pkgconf                pkgconf
libflint-dev           flint-devel            flint                  flint
libflint-arb-dev       flint-devel            flint                  flint
libmpfr-dev            mpfr-devel             mpfr                   mpfr
libgmp-dev             gmp-devel              gmp                    gmp
libprotobuf-c-dev      protobuf-c-devel       protobuf-c             protobuf-c
protobuf-c-compiler    protobuf-c-compiler    protobuf-c             protobuf-c
libonnx-dev            onnx-devel             python-onnx            onnx
python3                python3                python                 python
g++                    gcc-c++                gcc                    gcc
zsh                    zsh                    zsh                    zsh
fish                   fish                   fish                   fish
librsvg2-bin           librsvg2-tools         librsvg                librsvg
ccache                 ccache                 ccache                 ccache
locales                glibc-locale-source    glibc                  -
libcairo2              cairo                  cairo                  cairo
clang                  clang                  clang                  llvm
libclang-rt-dev        compiler-rt            compiler-rt            llvm
gcc-aarch64-linux-gnu  gcc-aarch64-linux-gnu  aarch64-linux-gnu-gcc  -
gcc-riscv64-linux-gnu  gcc-riscv64-linux-gnu  riscv64-linux-gnu-gcc  -
gcc-s390x-linux-gnu    gcc-s390x-linux-gnu    -                      -
gcc-i686-linux-gnu     -                      -                      -
qemu-user              qemu-user              qemu-user              -
clang-format           clang-tools-extra      clang                  clang-format
cppcheck               cppcheck               cppcheck               cppcheck
libopenmpi-dev         openmpi-devel          openmpi                open-mpi
openmpi-bin            openmpi                openmpi                open-mpi
python3-torch          python3-torch          python-pytorch         pytorch
python3-numpy          python3-numpy          python-numpy           numpy
libopenblas0-openmp    openblas-openmp        openblas               openblas
python3-onnx           python3-onnx           python-onnx            -
nodejs                 nodejs                 nodejs                 node
npm                    nodejs-npm             npm                    node
python3-cffi           python3-cffi           python-cffi            cffi
python3-pip            python3-pip            python-pip             python
python3-setuptools     python3-setuptools     python-setuptools      python-setuptools
python3-wheel          python3-wheel          python-wheel           -
python3-venv           python3                python                 python
mypy                   python3-mypy           mypy                   mypy
coq                    coq                    coq                    coq
libcoq-flocq           flocq                  -                      -
libcoq-coquelicot      coq-coquelicot         -                      -
libcoq-interval        -                      -                      -
ocaml                  ocaml                  ocaml                  ocaml
ocaml-findlib          ocaml-findlib          ocaml-findlib          ocaml-findlib
js-of-ocaml            -                      -                      -
libjs-of-ocaml-dev     -                      -                      -
dpkg-dev               dpkg-dev               dpkg                   dpkg
lintian                lintian                -                      -
fakeroot               fakeroot               fakeroot               -
chromium               chromium               chromium               -
emscripten             emscripten             emscripten             emscripten
clang-14               -                      -                      -
lld-14                 -                      -                      -
llvm-14                -                      -                      -
binaryen               binaryen               binaryen               binaryen
m4                     m4                     m4                     m4
fonts-freefont-ttf     gnu-free-serif-fonts   gnu-free-fonts         -
fonts-dejavu-core      dejavu-sans-mono-fonts ttf-dejavu             -
poppler-utils          poppler-utils          poppler                poppler
debootstrap            debootstrap            debootstrap            -
git                    git                    git                    git
buildah                buildah                buildah                -
'

manager=${TEMPER_MANAGER-}
for found in dnf pacman brew; do
    [ -n "$manager" ] || ! command -v $found >/dev/null 2>&1 || manager=$found
done
case $manager in
dnf) column=2 install="sudo dnf install" ;;
pacman) column=3 install="sudo pacman -S --needed" ;;
brew) column=4 install="brew install" ;;
*)
    echo "setup: there is no apt-get, dnf, pacman or brew here. Please install what these are, by their Debian names, then try again:"
    echo "    $*"
    exit 0
    ;;
esac
names="" none=""
for package; do
    name=$(echo "$table" | awk -v p="$package" -v c=$column '$1 == p {print $c}')
    case $name in
    "" | -) none="$none $package" ;;
    *) case " $names " in *" $name "*) ;; *) names="$names $name" ;; esac ;;
    esac
done
if [ -n "$names" ]; then
    echo "setup: please run this, then try again (doc/install.md; nobody has tested these names):"
    echo "    $install$names"
fi
if [ -n "$none" ]; then
    echo "setup: $manager has no package that we know of for Debian's$none; doc/install.md has a container"
fi
