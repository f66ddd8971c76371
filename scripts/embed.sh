#!/bin/sh
# Prints a C file that holds the given files as bytes: the Python files that `temper export` puts into every folder.
set -eu
echo '#include "export/export_parts.h"'
k=0
for file in "$@"; do
    echo "static const unsigned char file_$k[] = {"
    od -An -v -tu1 "$file" | sed 's/  */,/g; s/^,//; s/$/,/'
    echo "};"
    k=$((k + 1))
done
echo "const export_python_file export_python_files[] = {"
k=0
for file in "$@"; do
    echo "    {\"$(basename "$file")\", file_$k, sizeof file_$k},"
    k=$((k + 1))
done
echo "};"
echo "const size_t export_python_file_count = $k;"
