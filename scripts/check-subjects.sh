#!/bin/sh
# The subject of a commit has at most 72 characters, and a line without words stands behind it.
# usage: check-subjects.sh [BASE]            the commits since BASE; without it since the first one that this was asked of
#        check-subjects.sh --message FILE    one message (scripts/hooks/commit-msg)
set -eu
longest=72
if [ "${1-}" = --message ]; then
    sed '/^#/d' "$2" | awk -v longest="$longest" '
        NR == 1 && !/^(Merge|fixup!|squash!) / && length($0) > longest {
            print "a subject of " length($0) " characters; it has at most " longest ": the effect here, the reason in the body"; bad = 1 }
        NR == 2 && $0 != "" { print "a blank line is missing behind the subject"; bad = 1 }
        END { exit bad }'
    exit
fi
base=${1:-2c87f07d}
if ! git cat-file -e "$base^{commit}" 2>/dev/null; then
    echo "subjects: this clone does not have $base: subjects of commits are not looked at"
    exit 0
fi
git log --no-merges --format='%h %s' "$base..HEAD" | awk -v longest="$longest" '
    length($0) - length($1) - 1 > longest { print $1 ": a subject of " length($0) - length($1) - 1 " characters, at most " longest ": " $0; bad = 1 }
    END { print "subjects: " NR " looked at"; exit bad }'
