#!/bin/sh
# Prints a C file that holds the given Markdown files as prose of the lab (lab/prose.h): a heading and the text below it, its lines joined.
set -eu
echo '#include "lab/prose.h"'
for file in "$@"; do
    awk -v name="$(basename "$file" .md)" '
        function quoted(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return "\"" s "\"" }
        function finish() { if (symbol) print "const lab_prose " symbol " = {" quoted(title) ", " quoted(body) "};" }
        /^# / { finish(); title = substr($0, 3); symbol = "prose_" name; body = ""; next }
        /^## / { finish(); title = substr($0, 4); slug = tolower(title); gsub(/[^a-z0-9]+/, "_", slug)
                 symbol = "prose_" name "_" slug; body = ""; next }
        /^$/ { next }
        { body = body (body ? " " : "") $0 }
        END { finish() }' "$file"
done
