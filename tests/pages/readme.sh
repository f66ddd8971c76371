#!/bin/bash
# Every "$ temper ..." of README.md and of the pages below is run, and its output compared with what the page shows. The lists
# of make targets in CONTRIBUTING.md are compared with the Makefile and with .ci/run. $1: the binary.
#
#     bash tests/pages/readme.sh build/temper --update   writes what the commands print now into the pages
set -u
export TEMPER_PROGRESS=0 # on a slow machine, too, only what the page shows
temper=$1
program=$(realpath "$1")
room=$(mktemp -d) # where commands run, and leave their files
mkdir "$room/bad"
"$(dirname "$program")/tests/t-bad" --write "$room/bad" >/dev/null
cp "$room/bad/safetensors-weight-nan.safetensors" "$room/m.safetensors" # of doc/model.md
pages="README.md doc/lesson.md doc/schedules.md doc/limits.md doc/lab.md doc/numerics.md doc/scale.md doc/automaton.md doc/sequence.md doc/gallery.md doc/model.md doc/ordinary.md"
passed=0
failed=0
command=
expected=

compare() {
    [ -n "$command" ] || return 0
    local got
    got=$(cd "$room" && NO_COLOR=1 eval "\"$program\" ${command#temper }" 2>&1)
    if [ "$got" = "$(printf '%s' "$expected" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}')" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$page: $command"
        diff <(printf '%s\n' "$expected") <(printf '%s\n' "$got") | head -n 10
    fi
    command=
    expected=
}

# The page with the output of every command as it is now. An example ends where text that is not indented follows.
update() {
    local inside= blank=
    while IFS= read -r line; do
        case $line in
        '    $ temper '*)
            [ -z "$blank" ] || echo
            blank=
            inside=1
            printf '%s\n' "$line"
            (cd "$room" && NO_COLOR=1 eval "\"$program\" ${line#'    $ temper '}") 2>&1 </dev/null | sed 's/^\(.\)/    \1/'
            ;;
        '    '*)
            if [ -z "$inside" ]; then
                [ -z "$blank" ] || echo
                printf '%s\n' "$line"
            fi
            blank=
            ;;
        '')
            [ -z "$blank" ] || [ -n "$inside" ] || echo
            blank=1
            ;;
        *)
            [ -z "$blank" ] || echo
            blank=
            inside=
            printf '%s\n' "$line"
            ;;
        esac
    done <"$1"
}

if [ "${2:-}" = --update ]; then
    for page in $pages; do
        update "$page" >"$page.new" && mv "$page.new" "$page"
    done
    "$temper" show -f 'H(b -> O a)' --alphabet abc -o doc/figures/attention.svg caab
    "$temper" show -f 'a S b' --alphabet abc -o doc/figures/since.svg bcbaa
    "$temper" limits -f 'a S b' --alphabet abc --effort 0.1 -q -o doc/figures/limits.svg
    made=$(mktemp -d)
    "$temper" lab schedules --quick -q -o "$made" && cp "$made/schedules-scales.svg" doc/figures/schedules.svg
    "$temper" lab ordinary --quick -q -o "$made" && cp "$made/ordinary-leaks.svg" doc/figures/ordinary.svg
    rm -rf "$made" "$room"
    exit
fi

for page in $pages; do
    while IFS= read -r line; do
        case $line in
        '    $ temper '*)
            compare
            command=${line#'    $ '}
            ;;
        '    '*) [ -n "$command" ] && expected+=${line#'    '}$'\n' ;;
        '') [ -n "$command" ] && expected+=$'\n' ;;
        *) compare ;;
        esac
    done <$page
    compare
done

# same NAME EXPECTED GOT
same() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1"
        diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -n 10
    fi
}

# README.md: as long as it should be, and the proved lengths of the three methods.
words=$(wc -w <README.md)
same "README.md has 1,300 to 1,700 words" yes "$([ "$words" -ge 1300 ] && [ "$words" -le 1700 ] && echo yes || echo "$words")"
for method in temperature positions digits; do
    same "README.md: proved lengths of $method" \
        "$("$temper" explain -f 'a S b' --alphabet abc --method $method | awk '/^proved length/ {print $4} /^  *(f32|bf16\/f32) / {print $2}' | tr '\n' ' ')" \
        "$(awk -F'|' -v m="$method" '$2 ~ "`" m "`" {gsub(/ /, ""); gsub(/2⁴⁰/, "2^40"); print $4 " " $5 " " $6 " "}' README.md)"
done

parity=$("$temper" explain -f '#[a] % 2 = 1' --alphabet ab | awk '/^proved length/ {print $4} /^  *f32 / {print $2}' | tr '\n' ' ')
same "README.md: how far remainders are proved" "$parity" "$(sed -n 's/^- Remainders .* to \([0-9,]*\) letters in f64, and to \([0-9,]*\) in f32.*/\1 \2 /p' README.md | tr -d ,)"

# The commands of README.md that stand without their output: they do what they say.
rm -rf "$room" && mkdir "$room"
while IFS= read -r line; do
    (cd "$room" && eval "$program ${line#temper }") >"$room/said" 2>&1
    same "a command of README.md or doc/export.md: $line" 0 "$?$([ -s "$room/said" ] || echo ", in silence")"
done < <(sed -n 's/^    \(temper [a-z]* .*[^ ]\)  .*/\1/p' README.md | sed 's/   *$//; s/  .*//'
    sed -n 's/^    \(temper .*\(proof\|certificate\)\.json.*\)/\1/p' doc/export.md)
same "README.md: files of its commands" "dyck.temper ordinary out proof.json soft.temper" "$(cd "$room" && ls | grep -v said | tr '\n' ' ' | sed 's/ $//')"
rm -rf "$room"

# Pictures in the repository are what the program draws now. With --update they are drawn again.
figure() { # file, temper's arguments
    local file=$1
    shift
    "$temper" "$@" -o "$figures/$(basename "$file")" >/dev/null 2>&1
    same "$file is what temper $* draws" "$(cat "$figures/$(basename "$file")")" "$(cat "$file")"
}
figures=$(mktemp -d)
figure doc/figures/attention.svg show -f 'H(b -> O a)' --alphabet abc caab
figure doc/figures/since.svg show -f 'a S b' --alphabet abc bcbaa
case ${TEMPER_TEST_EFFORT:-1} in # under sanitizers it takes long, and other commands of the pages do the same
0*) ;;
*) figure doc/figures/limits.svg limits -f 'a S b' --alphabet abc --effort 0.1 ;; # as the table beside it
esac
"$temper" lab schedules --quick -q -o "$figures" >/dev/null 2>&1
same "doc/figures/schedules.svg is that of temper lab schedules --quick" "$(cat "$figures/schedules-scales.svg")" "$(cat doc/figures/schedules.svg)"
"$temper" lab ordinary --quick -q -o "$figures" >/dev/null 2>&1
same "doc/figures/ordinary.svg is that of temper lab ordinary --quick" "$(cat "$figures/ordinary-leaks.svg")" "$(cat doc/figures/ordinary.svg)"
rm -rf "$figures"
# The column of a million letters takes its time: make test-long has it.
schedules=$(sed -n '/^| schedule /,/^$/p' doc/schedules.md | sed '/^$/d')
case ${TEMPER_TEST_EFFORT:-1} in
0*) ;;
1) same "doc/schedules.md has the table of scripts/schedule-table.sh, but for 1M" "$(sh scripts/schedule-table.sh "$temper" 8Ki,128Ki)" \
    "$(cut -d'|' -f1-4,6,7,9,10,12 <<<"$schedules")" ;;
*) same "doc/schedules.md has the table of scripts/schedule-table.sh" "$(sh scripts/schedule-table.sh "$temper")" "$schedules" ;;
esac

# Behind a list an indented block belongs to its last entry, and is no transcript.
same "no transcript follows a list" "" "$(awk 'FNR == 1 {last = ""} /^$/ {next} /^    [$] / && last ~ /^([0-9]+[.]|-) / {print FILENAME ": " $0} {last = $0}' README.md doc/*.md)"

# Links between pages lead somewhere.
dead=
for file in README.md CONTRIBUTING.md CHANGELOG.md doc/*.md examples/*.md proofs/*.md python/*.md; do
    for target in $(grep -o '](\([^)]*\))' "$file" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^[a-z]*:' | grep '[./]'); do
        [ -e "$(dirname "$file")/$target" ] || dead="$dead $file:$target"
    done
done
same "links between pages" "" "$dead"
listed=$(sed -n 's/.*](\([a-z-]*\.md\)).*/\1/p' doc/README.md; grep -o '](\([a-z-]*\.md\))' doc/README.md | sed 's/](//; s/)//')
# A page that only says where it went is an address of before.
same "doc/README.md lists every page" "$(cd doc && grep -L '^This page is now' *.md | grep -v README.md)" "$(sort -u <<<"$listed")"

# A list that was merged twice shows as a target that is listed twice; a target that went shows as one that has no rule.
listed=$(sed -n 's/^    make \([a-z.-]*\) .*/\1/p' CONTRIBUTING.md | sort)
rules=$(cat Makefile web/*.mk tests/*.mk | sed -n 's/^\([a-z.-]*\):.*/\1/p' | sort -u)
same "CONTRIBUTING.md: each make target is listed once and has a rule" "$(comm -12 <(sort -u <<<"$listed") <(echo "$rules"))" "$listed"
same "CONTRIBUTING.md: what .ci/run runs" "$(sed '/^#/d' .ci/run | grep -o 'make [a-z-]*' | sort)" \
    "$(sed -n '/^`.ci\/run` /,/^$/p' CONTRIBUTING.md | grep -o '`make [a-z-]*`' | tr -d '`' | sort -u)"
same "CONTRIBUTING.md: one paragraph says what .ci/run runs" 1 "$(grep -c '^`.ci/run`' CONTRIBUTING.md)"

[ "$failed" = 0 ] || echo "bash tests/pages/readme.sh build/temper --update writes what the commands print into the pages"
echo "readme: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -ge 4 ]
