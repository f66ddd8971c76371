#!/bin/sh
# The table of doc/schedules.md: which softmax schedules carry once, since and compare, stored in bf16 and summed in f32.
# tests/pages/readme.sh compares the page with it. usage: schedule-table.sh TEMPER [LENGTHS]; 8Ki,128Ki leaves out the slow columns.
set -eu
lengths=${2:-8Ki,128Ki,1M}
echo "$lengths" | tr ',' '\n' | awk '
    {at[NR] = $1}
    END {
        split("once since compare", name, " ")
        printf "| schedule |"
        for (op = 1; op <= 3; op++) for (k = 1; k <= NR; k++) printf " %s%s |", k == 1 ? name[op] " " : "", at[k]
        printf "\n| --- |"
        for (k = 0; k < 3 * NR; k++) printf " --- |"
        printf "\n"
    }'
"$1" lab schedules --scale constant --scale llama4 --scale yarn --scale yarn:4 --scale ssmax:0.43 --scale log --scale linear \
    --at "$lengths" --type bf16/f32 --json | tr -d '{}"' | awk -F '[,:]' -v count="$(echo "$lengths" | tr ',' '\n' | wc -l)" '
    {
        line = $0
        gsub(/^scale:|,factor:.*/, "", line)
        answer = $0
        gsub(/.*,answer:|,.*/, "", answer)
        operator = $0 ~ /operator:once/ ? 1 : $0 ~ /operator:since/ ? 2 : $0 ~ /operator:compare/ ? 3 : 0
        if (!(line in seen)) order[++rows] = line
        seen[line] = 1
        if (operator) cells[line, operator] = cells[line, operator] " " answer " |"
    }
    END {for (k = 1; k <= rows; k++) print "| `" order[k] "` |" cells[order[k], 1] cells[order[k], 2] cells[order[k], 3]}'
