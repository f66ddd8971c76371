#!/usr/bin/env bash
# How often a command parses, lowers, recognises and softens: once each, where nothing else is said; and the order of passes. The program
# tests/walks counts.
# usage: tests/cli/walks.sh PROGRAM
. "$(dirname "$0")/common.bash"
walks=$(dirname "$temper")/tests/walks/temper
counts() { TEMPER_WALKS=1 "$walks" "$@" 2>&1 >/dev/null | grep '^parse '; }
since=(-f 'a S b' --alphabet abc) sums=(-f '#[a] > #[b] | H(c -> O a)' --alphabet abc)
once='parse 1 lower 1 recognise 1 soften 1'
same 'run' "$once" "$(counts run "${since[@]}" abc)"
same 'run of sums' "$once" "$(counts run "${sums[@]}" abc)"
same 'run, by hard choices' 'parse 1 lower 1 recognise 1 soften 0' "$(counts run "${since[@]}" --hard abc)"
same 'certify' "$once" "$(counts certify "${since[@]}" --length 100 -o c.json)"
same 'certify in f32' "$once" "$(counts certify "${since[@]}" --length 100 --type f32 -o d.json)"
same 'compile' "$once" "$(counts compile "${since[@]}" -o m.temper)"
same 'explain' "$once" "$(counts explain "${since[@]}")"
same 'show' 'parse 1 lower 1 recognise 1 soften 1' "$(counts show "${since[@]}" abc)"
same 'a model file is parsed and recognised' 'parse 1 lower 0 recognise 1 soften 0' "$(counts run m.temper abc)"
same 'audit reads by itself' 'parse 1 lower 0 recognise 0 soften 0' "$(counts audit c.json m.temper)"
same 'run by positions, with a pattern' "$once" "$(counts run -f 'O(a & Y(b & Y c))' --alphabet abc --method positions abc)"
same 'a dump proves nothing' 'parse 1 lower 1 recognise 0 soften 1' "$(counts compile "${since[@]}" --dump hard,soft)"
same 'check of two methods, each with soft and with hard choices' 'parse 1 lower 1 recognise 4 soften 2' "$(counts check "${since[@]}")"
same 'export' 'parse 1 lower 1 recognise 1 soften 1' "$(counts export "${since[@]}" -o out)"

# doc/design.md lists the passes of the compiler: those, in that order.
listed=$(sed -n '/^`temper_build`/,/^Where sums/s/^| `\([a-z_]*\)` .*/\1/p' "$root/doc/design.md" | tr '\n' ' ')
called=$(TEMPER_WALKS=1 "$walks" compile "${since[@]}" -o m.temper 2>&1 >/dev/null | sed -n 's/^passes //p')
same 'the passes of doc/design.md' "${listed% }" "$called"
finish
