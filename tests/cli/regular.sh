#!/bin/bash
# Regular languages, also from the right, from outside. Usage: tests/cli/regular.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- regular languages ------------------------------------------------------------------------------------------------
run 0 eval --regex '(ab)*' --per-position ab '' aba
same "regex: answers at every prefix" "accept${tab}ab${tab}01
accept${tab}${tab}
reject${tab}aba${tab}010" "$out"
run 0 eval --regex '[^,]*,.*' --ascii 'a b,c' 'ab'
same "regex: printable letters, the blank among them" "accept${tab}a b,c
reject${tab}ab" "$out"
run 0 eval --regex '<req>(<wait>)*<ack>' --tokens 'req wait ack' 'req wait'
same "regex: tokens" "accept${tab}req wait ack
reject${tab}req wait" "$out"
run 0 eval --regex '(?&)[a-c]*&~(.*bb.*)' --alphabet abc abcb abba
same "regex: and, not" "accept${tab}abcb
reject${tab}abba" "$out"
mkdir -p tables
printf 'start shut\naccept shut\nshut o open\nopen c shut -- back\n' >tables/door.dfa
printf 'a+b\n' >tables/word.regex
printf 'dfa door.dfa\n' >tables/door.spec
printf 'at last\ndfa "door.dfa"\ncount = #[o]\nmatches & count >= 2\n' >tables/twice.spec
printf 'word = /[a-z]+/ -- \\/ is a slash\nword & !dfa "door.dfa" & /[^\\/]*/\n' >tables/mixed.spec
printf 'regex a--//b\n' >tables/comment.spec
run 0 eval --dfa tables/door.dfa ococ o ''
same "dfa: a table" "accept${tab}ococ
reject${tab}o
accept${tab}" "$out"
run 0 eval -F tables/word.regex aab aa
same "regex: a file" "accept${tab}aab
reject${tab}aa" "$out"
run 0 eval -F tables/door.spec oc oo
same "dfa: a file named in a specification lies beside it" "accept${tab}oc
reject${tab}oo" "$out"
run 0 eval -F tables/twice.spec ococ oc
same "dfa: a line, then definitions" "accept${tab}ococ
reject${tab}oc" "$out"
run 0 eval -F tables/mixed.spec oo oc
same "regex: definitions and tables mix" "accept${tab}oo
reject${tab}oc" "$out"
run 0 eval -F tables/comment.spec 'a--//b'
same "regex: no comments inside" "accept${tab}a--//b" "$out"
run 0 eval -f 'dfa { start q0; accept q1; q0 [ab] q1 } | /()/' b bb ''
same "dfa: in braces; the empty string by its language" "accept${tab}b
reject${tab}bb
accept${tab}" "$out"
run 0 eval --tokens -f 'regex U b' 'regex b' 'b regex'
same "regex stays a letter where it was one" "accept${tab}regex b
accept${tab}b regex" "$out"
run 0 eval --alphabet ab -f 'regex = F a
regex' ba b
same "regex stays a name where it was one" "accept${tab}ba
reject${tab}b" "$out"
run 4 eval --regex '(a)\1' a
has "regex: a back reference by name" "$err" "regex:1:4: '\\1' is a back reference"
has "regex: with a caret" "$err" "(a)\\1
       ^"
run 2 eval --regex 'a*' --empty reject a
has "regex: --empty must agree" "$err" "the empty string is in the language"
run 2 eval --regex a -f a a
has "regex: one specification" "$err" "-f and --regex are both given"
run 2 eval --regex a --syntax spec a
has "regex: its own syntax" "$err" "--regex and --syntax exclude each other"
run 2 eval --regex a --ascii --alphabet a a
has "regex: one alphabet" "$err" "--alphabet and --ascii exclude each other"
run 0 eval --regex 'straße' --ignore-case STRASSE STRAẞE Straße
same "regex: --ignore-case" "reject	STRASSE
accept	STRAẞE
accept	Straße" "$out"
run 0 eval --regex '(?&)a&~b' --ignore-case A b
same "regex: --ignore-case behind (?&)" "accept	A
reject	b" "$out"
run 4 eval --regex 'a\1' --ignore-case a
has "regex: --ignore-case shows what is read" "$err" '(?i)a\1
         ^'
run 2 eval -f 'O a' --ignore-case a
has "regex: --ignore-case is for expressions" "$err" "in a formula write /(?i)abc/"
run 2 run m.temper --ignore-case a
has "regex: a model knows its letters" "$err" "--ignore-case cannot be given with a MODEL"
run 3 eval --dfa tables/none.dfa a
has "dfa: no such file" "$err" "tables/none.dfa"
run 4 eval --regex '(a|b)*a(a|b){20}' a
has "regex: too large by name" "$err" "more than 20000 derivatives"

run 0 check --regex '[a-z]+(-[a-z0-9]+)*' --ascii --exhaustive 7 --random 200
has 'check: one string for each of its class' "$out" "all up to length 7 over 4 classes of letters, which stand for 7.06e+13"

# ---- regular languages from the right -------------------------------------------------------------------------------

run 0 compile --regex '[ab]c*' --alphabet abc -o right.temper
has 'from the right: one layer' "$out" 'right.temper: temperature, 1 layer, 1 head'
run 0 compile --regex '[ab]c*' --alphabet abc --per-position -o prefixes.temper
has 'for prefixes: two layers' "$out" 'prefixes.temper: temperature, 2 layers'
run 0 run right.temper a bcc cb '' bca
same 'from the right: verdicts' "accept${tab}a
accept${tab}bcc
reject${tab}cb
reject${tab}
reject${tab}bca" "$out"
run 4 run right.temper --per-position a
has 'from the right: no prefixes' "$err" 'it answers for whole strings only'
has 'from the right: what to do' "$err" 'temper compile --per-position'
printf 'a' >right.input
run 4 run right.temper --stream <right.input
has 'from the right: no stream' "$err" 'it answers for whole strings only'
run 0 run prefixes.temper --per-position bca
same 'for prefixes: every position' "reject${tab}bca${tab}110" "$out"
run 0 run --regex '[ab]c*' --alphabet abc --per-position bca
same 'compiled here for prefixes' "reject${tab}bca${tab}110" "$out"
run 0 eval right.temper --per-position bca
same 'what it was made from is about prefixes' "reject${tab}bca${tab}110" "$out"
run 0 check right.temper --exhaustive 5
has 'from the right: checked' "$out" 'agreed'
run 0 check right.temper --regex '[ab]c*' --exhaustive 5
has 'from the right: checked with the expression' "$out" 'agreed'
run 1 check right.temper --regex '[ab]c?' --exhaustive 5
has 'from the right: another expression' "$out" 'acc'
run 4 check right.temper -f 'O a'
has 'from the right: no formula' "$err" 'compared with a regular expression or an automaton only'
run 0 check --regex '[ab]c*' --alphabet abc --against right.temper
run 0 explain right.temper
has 'from the right: explained' "$out" 'the first position, for whole strings: from the right'
has 'from the right: its route' "$out" 'reverse '
run 0 certify right.temper --length 1000 -o right.json
has 'from the right: proved' "$out" "proved${tab}formula"
run 0 audit right.json right.temper
run 0 export prefixes.temper -o exported
run 0 automaton right.temper
has 'from the right: its automaton' "$out" '3 states'

finish
