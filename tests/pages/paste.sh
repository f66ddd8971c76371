#!/bin/bash
# What pages and help show can be pasted: every command line of README.md, doc/, examples/, of each help text and of the READMEs
# that export writes is run in an empty folder where only the program is found, page by page, in the order of the page. A line
# passes if the shell finds its commands and temper does not call it wrong input: exit status 0 or 1, or any other
# where the page goes on with the message that temper prints.
#
# A remark behind a command marks what is not run here: "# a minute", "# minutes", "# an hour" (make test-paste runs the first),
# "# network", "# needs ...", "# your own ...". Targets of make are looked up, not made; make test-bare and .ci/run make them.
#
#     bash tests/pages/paste.sh build/temper [all]       all: also lines marked "# a minute" or "# minutes"; prints the marked ones
set -u
export LC_ALL=C NO_COLOR=1
program=$(realpath "$1")
everything=${2-}
root=$(cd "$(dirname "$0")/../.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
passed=0 failed=0 marked=0
make --no-print-directory -C "$root" help | awk '{print $2}' >"$room/targets"
mkdir "$room/bin" && ln -s "$program" "$room/bin/temper"
# Pages whose lines "$ temper ..." another test runs, and compares what they print.
compared=$(sed -n 's/^pages="\(.*\)"$/\1/p' "$root/tests/pages/readme.sh")

# Commands of a page, a line each: "command", a tab, and "message" if the page shows one of temper's behind it. A block is indented by
# four blanks or fenced as sh, console or nothing. Where a line of it begins with "$ ", only such lines are commands.
commands_of() { # page
    awk -v compared="$(case " $compared doc/language.md doc/regex.md doc/import.md " in *" $1 "*) echo 1 ;; esac)" '
        function flush(  k, dollars, first) {
            for (k = 1; k <= n; k++) dollars += block[k] ~ /^\$ /
            first = block[1]
            if (dollars) {
                for (k = 1; k <= n; k++)
                    if (block[k] ~ /^\$ / && !(compared && block[k] ~ /^\$ temper /))
                        print substr(block[k], 3) "\t" (block[k + 1] ~ /^temper: /)
            } else if (first ~ /^(temper|make|git|cd|export|pip|python3|npm|npx|node|ollama|llama-completion|lms|cc|mpirun|printf|echo|eval|bash|sh)( |$)/) {
                for (k = 1; k <= n; k++)
                    if (block[k] != "") print block[k] "\t0"
            }
            n = 0
            delete block
        }
        /^```/ { fence = !fence; wanted = fence && $0 ~ /^```(sh|bash|console)?$/; if (!fence) flush(); next }
        fence { if (wanted) block[++n] = $0; next }
        /^    / && (n || blank) { block[++n] = substr($0, 5); blank = 0; next }
        { if ($0 != "" && n) flush(); else if (n) block[++n] = ""; blank = $0 == "" }
        END { flush() }' "$2"
}

# A model that the page shows with its name, "-- NAME.temper", is saved as a reader would.
save_models() { # page folder
    awk -v folder="$2" '/^```/ { fence = !fence; text = ""; name = ""; next }
        fence { text = text $0 "\n"; if ($0 ~ /^-- [a-z-]*\.temper$/) name = $2; if (name) printf "%s", text >(folder "/" name); if (name) text = "" }' "$1"
}

# Sets seconds: the processor time of all that this shell has called. Others may work on the machine.
worked() {
    times >"$room/times"
    seconds=$(awk -F'[ms ]' 'NR == 2 {print int(60 * ($1 + $4) + $2 + $5)}' "$room/times")
}

# Runs the lines of standard input in the folder, in one shell, as a person would.
paste_lines() { # name [page]
    local folder line message code began
    folder=$(mktemp -d "$room/page.XXXX")
    [ -z "${2-}" ] || save_models "$2" "$folder"
    case $1 in exported/*) cp -r "$room/exported" "$folder" ;; esac
    # shellcheck disable=SC2030
    (
        cd "$folder" || exit 1
        export PATH="$room/bin:$PATH" HOME="$folder"
        # No line runs for ever; one marked "# minutes" has an hour, since others may work on the machine.
        temper() { timeout $((${#everything} ? 3600 : 600)) "$program" "$@"; }
        while IFS=$'\t' read -r line message; do
            case $line in
            *'# network'* | *'# needs '* | *'# your own'* | *'# an hour'*)
                echo "marked $1: $line"
                continue
                ;;
            *'# a minute'* | *'# minutes'*)
                [ -n "$everything" ] || { echo "marked $1: $line"; continue; }
                ;;
            temper | 'temper  '*'#'*) # asks on a terminal: tests/cli/usage.sh types there
                continue
                ;;
            make\ * | 'git clone '*)
                # In make help, not by make -n, which wants what a target installs first.
                unknown=$(printf '%s' "$line" | sed 's/#.*//' | grep -oE '(^|&& )make [a-z.-]+' | sed 's/.*make //' | grep -vxFf "$room/targets")
                if [ -n "$unknown" ]; then
                    echo "FAILED: $1: $line: make help has no $unknown"
                else
                    echo passed
                fi
                continue
                ;;
            esac
            worked
            began=$seconds
            eval "$line" >"$room/out" 2>"$room/err" </dev/null
            code=$?
            if [ $code -gt 1 ] && ! { [ "$message" = 1 ] && [ $code -lt 5 ]; }; then
                echo "FAILED: $1: $line (exit status $code)"
                sed 's/^/    /' "$room/err" | head -n 3
            elif worked && [ -z "$everything" ] && [ $((seconds - began)) -gt ${TEMPER_PASTE_SECONDS:-60} ]; then
                echo "FAILED: $1: $line takes $((seconds - began)) s of processor time; mark it with '# a minute'"
            else
                echo passed
            fi
        done
    ) >"$room/said"
    passed=$((passed + $(grep -c '^passed$' "$room/said")))
    failed=$((failed + $(grep -c '^FAILED' "$room/said")))
    marked=$((marked + $(grep -c '^marked' "$room/said")))
    grep -v '^passed$' "$room/said" | grep -v "${everything:+^$}${everything:-^marked}"
    grep '^marked' "$room/said" >>"$room/marked"
}

cd "$root" || exit 1
: >"$room/marked"
for page in README.md doc/*.md examples/*.md; do
    # Pages for those who work in a clone of the repository.
    case $page in doc/mutants.md | doc/coverage.md) continue ;; esac
    commands_of "$page" "$page" >"$room/lines"
    if [ -s "$room/lines" ]; then paste_lines "$page" "$page" <"$room/lines"; fi
done
for name in '' $("$program" help --options | sed -n 's/^command\t//p'); do
    "$program" help $name | sed -n '/^Examples:/,/^Usage:/s/^  //p' | sed '/^temper COMMAND/d; s/$/\t0/' >"$room/lines"
    [ -s "$room/lines" ] || { failed=$((failed + 1)); echo "FAILED: help $name has no examples"; }
    paste_lines "temper help${name:+ $name}" <"$room/lines"
done
(cd "$room" && "$program" export -q -f 'H(b -> O a)' --alphabet abc -o exported && "$program" export -q -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 16 -o ordinary)
for page in exported/README.md ordinary/README.md; do
    commands_of "$page" "$room/$page" >"$room/lines"
    if [ -s "$room/lines" ]; then paste_lines "$page" <"$room/lines"; fi
done
sed 's/^marked/    not run:/' "$room/marked"
echo "paste: $marked lines are marked and were not run"
echo "paste: $passed passed, $failed failed"
[ "$failed" = 0 ]
