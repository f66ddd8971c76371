#!/bin/bash
# The tables of doc/limits.md. Proved lengths are proved again and must be those of the page. First wrong lengths are only compared with
# them, because the search takes minutes. $1: the binary.
#
#     bash tests/pages/limits-page.sh build/temper --update      writes the lengths that are proved now into the page (seconds)
#     bash tests/pages/limits-page.sh build/temper --print 0.3   prints all tables anew, with a search of that effort (minutes)
set -u
export TEMPER_PROGRESS=0 # on a slow machine, too, only what the page shows
temper=$1
page=doc/limits.md
passed=0
failed=0

tables="once|O a
since|a S b
yesterday|Y a
compare|#[a] >= #[b]
balance|#[a] = #>[b]
look-up|#[a] % 2 = 1"

# limits FORMULA EFFORT: lines "type method proved-length first-wrong tried why", "-" where there is none. Columns go by their names.
limits() {
    "$temper" limits -f "$1" --alphabet abc --at last --effort "$2" --csv | tr -d '\r' |
        awk -F, '
            function field(name) { return $(column[name]) == "" ? "-" : $(column[name]) }
            NR == 1 { for (k = 1; k <= NF; k++) column[$k] = k; next }
            { print field("type"), field("method"), field("proved_length"), field("first_wrong"), field("tried"), field("why") }'
}

# The table of a page: a line a type, a cell a method: "proved / first wrong why".
print_table() {
    awk '
        function commas(n,  s) {
            if (n == "-") return "–"
            if (n == 1000000000000) return "10¹²"
            if (n == 1099511627776) return "2⁴⁰"
            for (s = ""; length(n) > 3; n = substr(n, 1, length(n) - 3)) s = "," substr(n, length(n) - 2) s
            return n s
        }
        function cell(method) {
            if (!((type, method) in proved)) return ""
            if (wrong[type, method] == "-") return commas(proved[type, method]) " / > " commas(tried[type, method])
            return commas(proved[type, method]) " / " commas(wrong[type, method]) " " why[type, method]
        }
        !($1 in seen) { seen[$1] = 1; types[++count] = $1 }
        { proved[$1, $2] = $3; wrong[$1, $2] = $4; tried[$1, $2] = $5; why[$1, $2] = substr($6, 1, 1) }
        $6 == "lost" { why[$1, $2] = "t" }
        END {
            print "| | temperature | positions | digits |\n| --- | --- | --- | --- |"
            for (k = 1; k <= count; k++) {
                type = types[k]
                printf "| %s | %s | %s | %s |\n", type, cell("temperature"), cell("positions"), cell("digits")
            }
        }'
}

if [ "${2:-}" = --print ]; then
    while IFS='|' read -r name formula; do
        printf '**%s**, `%s`\n\n' "$name" "$formula"
        limits "$formula" "$3" | print_table
        echo
    done <<<"$tables"
    exit
fi

if [ "${2:-}" = --update ]; then
    while IFS='|' read -r name formula; do
        fresh=$(limits "$formula" 0.001 | print_table | sed 's| /[^|]*| /|g')
        awk -v fresh="$fresh" -v start="**$name**, " '
            BEGIN {
                count = split(fresh, lines, "\n")
                for (k = 3; k <= count; k++) { split(lines[k], parts, / *[|] */); row[parts[2]] = lines[k] }
            }
            /^\*\*/ || /^What/ { inside = index($0, start) == 1 }
            inside && split($0, old, / *[|] */) > 4 && old[2] in row {
                split(row[old[2]], new, / *[|] */)
                for (k = 3; k <= 5; k++) if (new[k] != "") { sub(/ \/$/, "", new[k]); sub(/^.* \//, new[k] " /", old[k]) }
                $0 = "| " old[2] " | " old[3] " | " old[4] " | " old[5] " |"
            }
            { print }' "$page" >"$page.new" && mv "$page.new" "$page"
    done <<<"$tables"
    exit
fi

fail() {
    failed=$((failed + 1))
    echo "$page: $*"
}

# check NAME FORMULA: what `limits` proves, and the first wrong answers that it finds at once, against the page
check() {
    local shown
    shown=$(sed -n "/^\*\*$1\*\*, \`/,/^\*\*\|^What/p" "$page" | grep '^| [fbe]')
    [ "$(grep -c . <<<"$shown")" = 12 ] || fail "$1: not a table of 12 types"
    while read -r type method proved wrong _; do
        local column=2 cell page_proved page_wrong
        [ "$method" = positions ] && column=3
        [ "$method" = digits ] && column=4
        cell=$(awk -F ' *[|] *' -v type="$type" -v column=$((column + 1)) '$2 == type { print $column }' <<<"$shown")
        page_proved=$(sed 's| /.*||; s/,//g; s/10¹²/1000000000000/; s/2⁴⁰/1099511627776/; s/–/-/' <<<"$cell")
        page_wrong=$(sed -n 's|.* / \([0-9,]*\) .*|\1|p' <<<"$cell" | tr -d ,)
        if [ "$page_proved" != "$proved" ]; then
            fail "$1 in $type by $method: the page says '$cell', but $proved is proved"
        elif [ -n "$page_wrong" ] && [ "$page_proved" != - ] && [ "$page_wrong" -le "$page_proved" ]; then
            fail "$1 in $type by $method: the page says '$cell', a wrong answer within the proved length"
        elif [ "$wrong" != - ] && { [ -z "$page_wrong" ] || [ "$page_wrong" -gt "$wrong" ]; }; then
            fail "$1 in $type by $method: the page says '$cell', but an answer is wrong at $wrong letters"
        else
            passed=$((passed + 1))
        fi
    done < <(limits "$2" 0.001)
}

while IFS='|' read -r name formula; do
    grep -qF "**$name**, \`$formula\`" "$page" || fail "no table of $name, $formula"
    check "$name" "$formula"
done <<<"$tables"
[ "$failed" = 0 ] || echo "bash tests/pages/limits-page.sh build/temper --update writes the lengths that are proved into $page"
echo "limits-page: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -ge 200 ]
