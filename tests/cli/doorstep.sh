#!/bin/bash
# What a new machine meets: names of packages where there is no apt, tests that lack what they compare with, make help.
# Usage: tests/cli/doorstep.sh path/to/temper
set -u
temper=$(realpath "${1:?usage: tests/cli/doorstep.sh path/to/temper}")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
passed=0 failed=0
same() { # what, expected, found
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\nexpected: %s\nfound:    %s\n' "$1" "$2" "$3"
    fi
}
has() { case $2 in *"$3"*) same "$1" "" "" ;; *) same "$1" "... $3 ..." "$2" ;; esac; }

# ---- packages by other names ----

same "every package of setup.sh has its row in packages.sh, and no other" "" \
    "$(diff <(grep -oE '(^|[ )])need [a-z0-9+-]+' scripts/setup.sh | awk '{print $NF}' | sort -u) \
        <(sed -n "/^table='/,/^'/p" scripts/packages.sh | awk 'NF > 1 {print $1}' | sort))"
same "every row has four names" "" "$(sed -n "/^table='/,/^'/p" scripts/packages.sh | awk 'NF > 1 && NF != 4')"
# A folder of programs in which nothing is but what the script itself needs.
mkdir "$room/bin"
for program in sh awk sed dirname id; do ln -s "$(command -v $program)" "$room/bin/$program"; done
setup() { PATH=$room/bin sh scripts/setup.sh "$@" 2>&1; }
for case in "dnf:sudo dnf install gcc glibc-devel make" "pacman:sudo pacman -S --needed gcc glibc make" "brew:brew install gcc make pkgconf flint"; do
    manager=${case%%:*}
    ln -s "$room/bin/awk" "$room/bin/$manager"
    said=$(setup build)
    same "$manager: it stops" 1 "$(setup build >/dev/null; echo $?)"
    has "$manager: its command" "$said" "    ${case#*:}"
    same "$manager: nothing of apt" "" "$(grep apt-get <<<"$said")"
    has "$manager: what it lacks" "$(setup web)" "$manager has no package that we know of for Debian's"
    rm "$room/bin/$manager"
done
has "no manager that is known" "$(setup build)" 'there is no apt-get, dnf, pacman or brew here'

# ---- tests without their oracle ----

# All programs but Python.
mkdir "$room/without"
for folder in /bin /usr/bin; do
    find $folder/ -maxdepth 1 ! -name 'python*' -exec ln -sft "$room/without" {} +
done
for script in tests/cli/regex.sh tests/cli/import.sh tests/pages/tables.sh tests/cli/faults.sh; do
    test=$(basename $script .sh)
    said=$(PATH=$room/without TEMPER_NO_SKIP='' bash $script "$temper" 2>&1)
    same "$test.sh without Python: left out" "0" "$?"
    case $(grep -c '^SKIPPED: no python3: ' <<<"$said")$(tail -n 1 <<<"$said") in
    1*": 0 passed, 0 failed" | *"(another build is for this)") same "" "" "" ;;
    *) same "$test.sh without Python says so" "SKIPPED: ..." "$said" ;;
    esac
    said=$(PATH=$room/without TEMPER_NO_SKIP=1 bash $script "$temper" 2>&1)
    code=$?
    case $(tail -n 1 <<<"$said") in
    *": 0 passed, 1 failed") same "$test.sh without Python fails where nothing may be left out" 1 $code ;;
    *"(another build is for this)") same "" "" "" ;;
    *) same "$test.sh without Python fails where nothing may be left out" "0 passed, 1 failed" "$said" ;;
    esac
done
same "no test asks for a program in another way" "" "$(grep -lE 'command -v|which [a-z]' tests/cli/*.sh tests/pages/*.sh | grep -v tests/cli/doorstep.sh |
    xargs -r grep -nE '^[^#]*(command -v|\$\(which )')"

# ---- the first block of the README ----

block=$(awk '/^## Try it in 60 seconds/ {on = 1; next} /^## / {on = 0} on && /^    / {print NR "\t" substr($0, 5)}' README.md)
same "it can be pasted: a shell reads it" "" "$(cut -f2- <<<"$block" | bash -n 2>&1)"
for command in 'make demo' 'make test'; do
    same "$command stands in it once, on the first screen, with its time" 1 \
        "$(awk -F'\t' -v c="$command" '$1 <= 40 && index($2, c " ") == 1 && $2 ~ /# [0-9]+ (s|minutes)/' <<<"$block" | wc -l)"
done
same "nothing in it waits for input" "" "$(cut -f2- <<<"$block" | grep -E '^(temper|python3|make web-serve)[[:space:]]*(#|$)')"

# ---- make demo ----

last=$(sh scripts/demo.sh "$temper" 2>&1 | tail -n 1)
same "its last line names the page" "file://$(dirname "$temper")/demo/page.html" "$last"
same "which is there" "<!DOCTYPE html>" "$(head -c 15 "${last#file://}")"

# ---- make help ----

make --no-print-directory help | awk '{print $2}' | sort >"$room/helped"
mentioned=$(cat README.md CONTRIBUTING.md doc/*.md .ci/run | grep -oE '(`|    |&& |stage |")make [a-z]+[a-z-]*(\.[a-z]+)?' | sed 's/.*make //' | sort -u)
same "make help lists every target that a page or .ci/run names" "" "$(comm -23 <(echo "$mentioned") "$room/helped" | tr '\n' ' ')"
same "make help lists targets of every makefile" "demo test-bare web" "$(echo $(grep -xE 'demo|test-bare|web' "$room/helped"))"
same "make help lists a target once" "" "$(uniq -d "$room/helped")"

echo "doorstep.sh: $passed passed, $failed failed"
[ $failed = 0 ]
