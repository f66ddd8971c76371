#!/bin/bash
# gallery, from outside. Usage: tests/cli/gallery.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- gallery --------------------------------------------------------------------------------------------------------

run 0 gallery
has 'gallery: header' "$out" 'name             class                 language'
has 'gallery: a line' "$out" 'dyck-2           AHAT uniform-tieless  balanced strings of ( ) [ ]'
count=$(printf '%s\n' "$out" | wc -l)
names=$(printf '%s\n' "$out" | sed '1d; s/ .*//')
run 0 --json gallery
same 'gallery: one object a line' "$((count - 1))" "$(printf '%s\n' "$out" | grep -c '^{"name":".*}$')"
run 0 -q gallery
same 'gallery: quiet' '' "$out$err"
run 0 gallery first dyck-2
for part in 'first: FIRST' 'language    strings of 0 and 1 that begin with 1' 'class       UHAT' 'Chiang and Cholak' \
    "O (first & '1')" '1 layer, 1 head,' '1.1  leftmost   j<=i  the first letter' 'accepted    ' 'rejected    ' \
    'temper compile --gallery first -o first.temper' 'dyck-2: Dyck-2' 'formula     none'; do
    has 'gallery: details' "$out" "$part"
done
run 0 --json gallery tied
has 'gallery: json details' "$out" '"heads":[{"layer":1,"head":1,"choice":"average"'
run 2 gallery dick-2
same 'gallery: near names' "temper: the gallery has no model 'dick-2'
hint: did you mean dyck-2?" "$err"
run 2 compile --gallery parrity -o new.temper
has 'compile --gallery: near names' "$err" 'did you mean parity?'
if [ -e new.temper ]; then fail 'a wrong name leaves no file'; else pass; fi
run 0 compile --gallery dyck-2 -o dyck-2.temper
has 'compile --gallery' "$out" 'dyck-2.temper: hard, 4 layers, '
same 'compile --gallery: what it is' 'temper: this model is hard: its heads choose the largest scores
hint: temper soften dyck-2.temper -o soft.temper --length 20 makes a softmax model of it' "$err"
run 0 compile --gallery dyck-2
same 'compile --gallery: printed = written' "$(cat dyck-2.temper)" "$out"
run 0 run dyck-2.temper '([])' '([)]' '' '('
same 'a gallery model answers' "accept${tab}([])
reject${tab}([)]
accept${tab}
reject${tab}(" "$out"
for option in '-f a' '-F dyck.spec' '--method positions' '--alphabet ab' '--dump hard'; do
    IFS=' ' read -ra words <<<"$option"
    run 2 compile --gallery first "${words[@]}"
    has "--gallery with $option" "$err" '--gallery and --'
done
run 2 compile --gallery first b
for name in $names; do
    run 0 compile -q --gallery "$name" -o any.temper
    same "gallery: $name is quiet" '' "$out$err"
    if grep -q "^| \`$name\`" "$root/doc/gallery.md"; then pass; else fail "doc/gallery.md: no $name"; fi
    grep -q '^source ""' any.temper || run 0 check any.temper --exhaustive 3 --random 20 --length 30
done

finish
