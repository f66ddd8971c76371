#!/bin/sh
# make site: README.md, doc/, examples/ and proofs/ as a static site in BUILD/site that needs no network, a check of its links, and of its
# copy buttons in headless Chromium. usage: site.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
room=$build/site-room
source=$room/source
rm -rf "$source" "$build/site"
mkdir -p "$source"
export PYTHONDONTWRITEBYTECODE=1
[ -e "$room/tools/complete" ] || {
    echo "site: installing MkDocs Material into $room/tools"
    python3 -m venv "$room/tools"
    "$room/tools/bin/pip" install -q 'mkdocs-material<10' 'mkdocs<2' 'markdown-it-py<5'
    touch "$room/tools/complete"
}
cd "$root"
git ls-files -co --exclude-standard '*.md' | xargs "$room/tools/bin/python" scripts/check-renderings.py
# The pages, and every file that a page links to.
cp README.md "$source/index.md"
git ls-files -co --exclude-standard '*.md' | grep -v '^README.md$' | while read -r page; do mkdir -p "$source/$(dirname "$page")" && cp "$page" "$source/$page"; done
for page in $(git ls-files -co --exclude-standard '*.md'); do
    grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^[a-z]*:' | grep '[./]' | while read -r target; do
        path=$(realpath --relative-to=. "$(dirname "$page")/$target" 2>/dev/null) || continue
        if [ -f "$path" ] && [ ! -e "$source/$path" ] && [ "$path" != README.md ]; then mkdir -p "$source/$(dirname "$path")" && cp "$path" "$source/$path"; fi
    done
done
# Links to the page in the root, and to folders, are links to pages of the site; a folder without a page is only named.
git ls-files -co --exclude-standard '*.md' | while read -r page; do
    copy=$source/$page
    [ "$page" != README.md ] || copy=$source/index.md
    sed -i 's|](\.\./README\.md|](../index.md|g' "$copy"
    for folder in $(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//' | sort -u); do
        [ -d "$(dirname "$page")/$folder" ] || continue
        if [ -e "$(dirname "$page")/$folder/README.md" ]; then
            sed -i "s|]($folder)|]($folder/README.md)|g" "$copy"
        else
            sed -i "s|\[\([^]]*\)\]($folder)|\1|g" "$copy"
        fi
    done
done
# Tables, transcripts and figures may be wide, so the column of text is wider than usual; figures are drawn on white.
printf '.md-grid{max-width:78rem}\n.md-typeset pre{font-size:.72rem}\n.md-typeset img{background:#fff;border-radius:4px}\n.md-typeset pre>code{white-space:pre}\n.md-typeset table:not([class]) td{min-width:3rem}\n' >"$source/site.css"
cp scripts/site-copy.js "$source"
if [ -f "$build/web/index.html" ]; then # make web
    cp -r "$build/web" "$source/playground"
    sed -i 's|^\[doc/README.md\](doc/README.md) lists every page.|[The playground](playground/index.html) runs in the browser. &|' "$source/index.md"
else
    echo "site: without the playground; make web before make site puts it in"
fi
sed "s|SOURCE|$source|; s|SITE|$build/site|; s|SCRIPTS|$root/scripts|" scripts/mkdocs.yml >"$room/mkdocs.yml"
NO_MKDOCS_2_WARNING=1 "$room/tools/bin/mkdocs" build -q -f "$room/mkdocs.yml" 2>"$room/mkdocs.log" || { cat "$room/mkdocs.log" >&2; exit 1; }
# In tables a bar is written with a backslash, in code, too, and MkDocs leaves it there.
find "$build/site" -name '*.html' -exec sed -i ':again; /<td/s,\(<code>[^<]*\)\\|,\1|,; t again' {} +
rm -f "$build/site/404.html" # its links are for one address only
python3 scripts/check-site.py "$build/site"
driver=$(bash tests/clients/install.sh browser)
NODE_PATH=$driver/node_modules node tests/site/copy.js "$build/site" "$source"
echo "site: file://$build/site/index.html"
