#!/bin/bash
# The example of doc/import.md: its script writes the weights, its JSON is the config, its commands are run one by one. What the
# imported model says is compared with the language. $1: the binary.
set -u
temper=$(realpath "$1")
page=$(realpath doc/import.md)
passed=0
failed=0
pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    echo "import.sh: $*"
}
same() { if [ "$2" == "$3" ]; then pass; else fail "$1: expected '$2', got '$3'"; fi; }
has() { case $2 in *"$3"*) pass ;; *) fail "$1: no '$3' in '$2'" ;; esac; }

. tests/bare/oracle.sh
oracle python3 'the example of doc/import.md is not run' || {
    echo "import.sh: 0 passed, $failed failed"
    exit $failed
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '1d;$d'; }
block python >make.py
block json >induction.json
python3 make.py || fail 'the script of the page fails'

count=0
while IFS= read -r line; do
    count=$((count + 1))
    out=$(NO_COLOR=1 eval "\"$temper\" $line" 2>&1) || fail "temper $line: $out"
    case $line in
    import*) same 'import' 'hard.temper: hard, 2 layers, 2 heads, 8 channels, 0 units, 17 parameters' "$out" ;;
    run*) same "$line" "reject	a accept	aa reject	ab reject	aba accept	abab accept	baab" "$(tr '\n' ' ' <<<"$out" | sed 's/ $//')" ;;
    gap*) has "$line" "$out" 'uniform-tieless: yes' ;;
    soften*) has "$line" "$out" 'proved length 16' ;;
    *) fail "$line: not checked" ;;
    esac
done < <(sed -n 's/^    \$ temper //p' "$page")
same 'commands of the page' 5 $count

# The language: every string up to length 7, from both models and from safetensors.
python3 - >want <<'END'
from itertools import product
for n in range(8):
    for w in map("".join, product("ab", repeat=n)):
        at = w.rfind(w[-1], 0, n - 1) if n else -1
        print(("accept" if at >= 0 and w[at + 1] == "a" else "reject") + "\t" + w)
END
cut -f 2 want >strings
"$temper" import -q induction.safetensors induction.json -o again.safetensors || fail 'import as safetensors'
for words in 'hard.temper' '--hard soft.temper' 'soft.temper' 'again.safetensors' '--type exact hard.temper'; do
    # shellcheck disable=SC2086
    if "$temper" run $words - <strings | cmp -s - want; then pass; else fail "run $words: other answers"; fi
done

echo "import.sh: $passed passed, $failed failed"
[ $failed == 0 ]
