#!/bin/sh
# make theory.pdf: doc/theory.md as BUILD/theory.pdf, printed by Chromium, and a look at it: every heading is there, every letter has a
# glyph, all fonts are inside. usage: theory.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
room=$build/theory
mkdir -p "$room"
[ -x "$room/tools/bin/markdown_py" ] || {
    python3 -m venv "$room/tools"
    "$room/tools/bin/pip" install -q 'markdown<4'
}
driver=$(bash "$root/tests/clients/install.sh" browser)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH PYTHONDONTWRITEBYTECODE=1
version=$(awk '/define TEMPER_VERSION_(MAJOR|MINOR|PATCH)/ {printf "%s%s", s, $3; s="."}' "$root/include/temper.h")
"$room/tools/bin/python" "$root/scripts/theory.py" "$version" "$(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%-d %B %Y')" >"$room/theory.html"
NODE_PATH=$driver/node_modules node "$root/scripts/print.js" "$room/theory.html" "$build/theory.pdf"

failed=0
fault() { echo "theory.pdf: $*" >&2; failed=1; }
# Spaces and hyphens at the ends of lines are the printer's.
letters() { tr -d ' \n\f-' | sed 's/\xc2[\xad\xa0]//g'; }
pdftotext "$build/theory.pdf" "$room/text"
letters <"$room/text" >"$room/letters"
sed -n 's/^##* //p' "$root/doc/theory.md" | tr -d '`' | while read -r heading; do
    grep -qF -e "$(printf '%s' "$heading" | letters)" "$room/letters" || echo "$heading"
done >"$room/missing"
[ ! -s "$room/missing" ] || fault "headings are missing: $(cat "$room/missing")"
python3 - "$root/doc/theory.md" "$room/letters" <<'PY' || fault "these letters are lost"
import sys
source, printed = (set(open(name, encoding="utf-8").read()) for name in sys.argv[1:])
lost = sorted(c for c in source - printed if ord(c) > 127)
print("".join(lost), file=sys.stderr, end="\n" if lost else "")
sys.exit(bool(lost))
PY
pdffonts "$build/theory.pdf" >"$room/fonts"
awk 'NR > 2 && $(NF - 4) != "yes"' "$room/fonts" | grep . && fault "fonts are not inside"
grep -q FreeSerif "$room/fonts" || fault "no FreeSerif: its letters are set in another font"
[ $failed = 0 ] || exit 1
echo "theory.pdf: $(pdfinfo "$build/theory.pdf" | awk '/^Pages/ {print $2}') pages, $(wc -c <"$build/theory.pdf") bytes: $build/theory.pdf"
