#!/bin/sh
# Prints a C file that holds the given files as bytes, with a NUL byte after each, in an array NAME_files of NAME_file and a number
# NAME_file_count, which HEADER declares: the Python files that `temper export` puts into every folder, the style and the script of
# pages, and the texts that the program prints.
# usage: embed.sh HEADER NAME FILE...
set -eu
echo "#include \"$1\""
name=$2
shift 2
k=0
for file in "$@"; do
    echo "static const unsigned char file_$k[] = {"
    od -An -v -tu1 "$file" | sed 's/  */,/g; s/^,//; s/$/,/'
    echo "0};"
    k=$((k + 1))
done
echo "const ${name}_file ${name}_files[] = {"
k=0
for file in "$@"; do
    echo "    {\"$(basename "$file")\", file_$k, sizeof file_$k - 1},"
    k=$((k + 1))
done
echo "};"
echo "const size_t ${name}_file_count = $k;"
