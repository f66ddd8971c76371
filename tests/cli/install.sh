#!/usr/bin/env bash
# An installed copy: what `make install` puts where, that the shared library exports exactly the functions of temper.h, and that the examples build
# against it through pkg-config, shared and static, as C and as C++, and run. usage: tests/cli/install.sh PROGRAM
set -u

: "${1:?usage: tests/cli/install.sh PROGRAM}"
build=$(cd "$(dirname "$1")" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
stage=$room/stage
prefix=/opt/temper
passed=0
failed=0

check() { # what, command ...
    local what=$1
    shift
    if "$@" >"$room/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        head -n 20 "$room/log"
    fi
}

same() { # what, expected, found
    check "$1" test "$2" = "$3" || true
    [ "$2" = "$3" ] || printf 'expected:\n%s\nfound:\n%s\n' "$2" "$3"
}

# The variables of the make that runs the tests (CFLAGS of the sanitizers, ...) reach this one through MAKEFLAGS; its jobs do not.
install() {
    MAKEFLAGS=$(printf '%s' "${MAKEFLAGS-}" | sed 's/--jobserver-[a-z]*=[^ ]*//g; s/ -j[0-9]*//g') \
        make --no-print-directory -C "$root" BUILD="$build" DESTDIR="$stage" PREFIX="$prefix" "$1"
}

. "$root/tests/bare/oracle.sh"
cd "$room" || exit 1
check "make install" install install
version=$("$stage$prefix/bin/temper" --version | awk '{print $2}')
soname=$(readelf -d "$stage$prefix/lib/libtemper.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')

# ---- files, version and symbols ----

same "the soname has the version that binary compatibility goes by" \
    "libtemper.so.$(echo "$version" | awk -F. '{print $1 == 0 ? $1 "." $2 : $1}')" "$soname"
same "the soname is a file" "libtemper.so.$version" "$(basename "$(readlink -f "$stage$prefix/lib/$soname")")"
export PKG_CONFIG_PATH=$stage$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage
same "pkg-config knows the version" "$version" "$(pkg-config --modversion temper)"
for file in bin/temper include/temper.h include/temper_lab.h lib/libtemper.a lib/libtemper-lab.a share/man/man1/temper.1 share/bash-completion/completions/temper \
    share/zsh/site-functions/_temper share/fish/vendor_completions.d/temper.fish; do
    check "$file is installed" test -f "$stage$prefix/$file"
done

header=$stage$prefix/include/temper.h
declared() { awk '/^TEMPER_API / {on = 1} on {text = text $0 " "} /;/ && on {if (match(text, /temper_[a-z0-9_]+\(/)) print substr(text, RSTART, RLENGTH - 1)
    text = ""; on = 0}' "$1" | sort; }
declared "$header" >declared
nm -D --defined-only "$stage$prefix/lib/libtemper.so" | awk '{print $3}' | grep -v '^__' | sort >exported
same "the library exports exactly the functions of temper.h" "" "$(diff declared exported)"
check "there are functions to compare" test "$(wc -l <declared)" -gt 50
declared "$stage$prefix/include/temper_lab.h" >declared-lab
nm --defined-only "$stage$prefix/lib/libtemper-lab.a" | awk '$2 == "T" && $3 ~ /^temper_/ {print $3}' | sort >defined-lab
same "the lab's library defines exactly the functions of temper_lab.h" "" "$(diff declared-lab defined-lab)"
same "every struct of options says how it is initialised" "" \
    "$(awk '/^typedef struct temper_[a-z_]*_options \{/ && before !~ /Zero-initialise/ {print $3} /^\/\*/ {before = ""} {before = before $0}
        /^}/ {before = ""}' "$header")"
same "every function has a contract: its own comment, or that of the block it stands in" "" \
    "$(awk '/^$/ {known = 0} /\/\*/ {known = 1} /^TEMPER_API / && !known && $0 !~ /free\(/ {print}' "$header")"

# ---- the header in other dialects ----

printf '#include <temper.h>\n#include <temper_lab.h>\n' >alone.c
for standard in c99 c11 c17; do
    check "temper.h is $standard" ${CC:-cc} -std=$standard -Wall -Wextra -pedantic-errors -Werror -I"$stage$prefix/include" -c alone.c -o alone.o
done
cplusplus=
if oracle c++ 'neither temper.h nor the examples are read as C++'; then
    cplusplus=c++
    check "temper.h is C++11" "$cplusplus" -std=c++11 -Wall -Wextra -pedantic-errors -Werror -I"$stage$prefix/include" -x c++ -c alone.c -o alone.o
fi

# ---- the examples ----

# The library without its shared form, for linking it in.
mkdir static
cp "$stage$prefix/lib/libtemper.a" static/
extra="-Wall -Wextra -Werror ${CFLAGS-} ${LDFLAGS-}"
export LD_LIBRARY_PATH=$stage$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

build_all() { # folder, compiler ... with %: the source
    local folder=$1 name
    shift
    mkdir -p "$folder"
    for name in answer stream attention certify export; do
        check "examples/$name.c as $folder" sh -c "$(echo "$*" | sed "s|%|'$root/examples/$name.c'|") -o '$folder/$name'"
    done
}

shared=$(pkg-config --cflags --libs temper)
static="$(pkg-config --cflags temper) -L$room/static $(pkg-config --static --libs temper)"
build_all shared "${CC:-cc} -std=c17 $extra % $shared"
build_all static "${CC:-cc} -std=c99 $extra % $(echo "$static" | sed "s|-L$stage$prefix/lib||")"
folders="shared static"
if [ -n "$cplusplus" ]; then
    build_all cplusplus "$cplusplus -std=c++11 $extra -x c++ % -x none $shared"
    folders="$folders cplusplus"
fi

"$stage$prefix/bin/temper" compile -f 'H(b -> O a)' --alphabet abc -o model.temper
for folder in $folders; do
    if [ $folder = static ]; then
        same "static examples do not need libtemper.so" "" "$(readelf -d static/answer | grep NEEDED | grep temper)"
    fi
    same "answer ($folder)" "$(printf 'accept\tcaab\t1111\nreject\tcba\t100')" "$("$folder/answer" 'H(b -> O a)' abc caab cba 2>&1)"
    same "answer, a mistake ($folder)" "1:2: expected a formula or a count after 'O', found end of text" "$("$folder/answer" 'O ' ab 2>&1)"
    same "stream ($folder)" "$(printf '1\twait\tfine\n2\tgrant\ta grant without a request')" "$(echo wait grant | "$folder/stream" 2>&1)"
    same "attention ($folder)" "  b   0.0000 0.0000 0.4999 0.4999 0.0000   -> 0.9999" \
        "$("$folder/attention" model.temper caab 2>&1 | sed -n '/head 1.1, O a/,/head 2.1/p' | grep '^  b')"
    same "certify ($folder)" "proved and audited: every string up to length 10000, in f32" \
        "$("$folder/certify" model.temper 10000 "$folder.json" 2>&1)"
    check "the certificate is written ($folder)" grep -q '"length": 10000' "$folder.json"
    check "export ($folder)" "$folder/export" dyck-1 8 "$folder.out"
    check "the folder is written ($folder)" test -s "$folder.out/onnx/model.onnx"
done

cat >lab.c <<'END'
#include <stdio.h>
#include <temper_lab.h>
int main(void) {
    temper_lab_info info;
    for (size_t k = 0; k < temper_lab_count(); k++)
        if (!temper_lab_about(&info, k, NULL)) puts(info.name);
    return 0;
}
END
check "a program with the lab" sh -c "${CC:-cc} $extra lab.c $(pkg-config --cflags --libs temper-lab) -o lab"
same "what it prints" "$("$stage$prefix/bin/temper" lab --json | sed "s|.*\"name\":\"\([a-z]*\)\".*|\1|")" "$(./lab)"

# The program in doc/api.md, and what the page says that it prints.
sed -n '/^```c$/,/^```$/p' "$root/doc/api.md" | sed '/^```/d' >readme.c
check "the program of doc/api.md" sh -c "${CC:-cc} $extra readme.c $shared -o readme"
same "what it prints" "$(sed -n '/&& \.\/answer *#/{n;s/^    //;p;}' "$root/doc/api.md")" "$(./readme)"

check "make uninstall" install uninstall
same "uninstall leaves no file" "" "$(find "$stage" -type f -o -type l)"

echo "install: $passed passed, $failed failed"
[ $failed -eq 0 ]
