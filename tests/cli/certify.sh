#!/bin/bash
# certify and audit, from outside. Usage: tests/cli/certify.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- audit ----------------------------------------------------------------------------------------------------------

run 0 compile -f 'a S b | Y c' -o audit.temper
run 0 certify audit.temper --length 1000 --type f32 -o audit.json
run 0 audit audit.json audit.temper
same 'audit: what is proved' "audit.json: proved for audit.temper: the answer at every position is the source's, for every string up to length 1000 in f32 (largest error $(sed -n 's/^  "error": "\(.*\)",/\1/p' audit.json) of 2.500e-01 allowed)" "${out%%; *proved checker*}"
run 0 -q audit audit.json audit.temper
same 'audit: quiet' '' "$out$err"
run 0 --json audit audit.json audit.temper
has 'audit: json' "$out" '"proved":true,"claim":"formula","length":1000,"type":"f32"'
# The proved checker: what it is asked, and what is said of each of its answers.
printf '#!/bin/sh\necho "$@" >%s/asked\ncat "$3" >%s/given\necho noise\ncat %s/said\nexit $(cat %s/answer)\n' "$work" "$work" "$work" "$work" >fake-checker
echo "audit.temper: proved (check_sound, SHA-256 $(sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p' audit.json))" >said
chmod +x fake-checker
cp fake-checker temper-checker # in the working folder, where nobody looks for it
echo 0 >answer
run 0 audit --checker "$work/fake-checker" audit.json audit.temper
has 'audit: proved checker' "$out" ' allowed); checked by a proved checker'
same 'audit: what a checker is asked' '-- audit.temper /dev/stdin' "$(cat asked)"
same 'audit: the certificate that a checker reads' "$(cat audit.json)" "$(cat given)"
mkfifo pipe # what is audited is what is checked, whatever stands at its path a moment later
{ cat audit.json >pipe; sleep 0.2; echo another >pipe & } &
run 0 audit --checker "$work/fake-checker" pipe audit.temper
same 'audit: a certificate that is read once' "$(cat audit.json)" "$(cat given)"
timeout 1 cat pipe >/dev/null || true
lacks 'audit: a checker is silent' "$out$err" noise
run 0 --json audit --checker "$work/fake-checker" audit.json audit.temper
has 'audit: proved checker, json' "$out" '"checked_by":"audit and proved checker"}'
sed 's/SHA-256 ./SHA-256 x/' said >other && mv said right
for said in other /dev/null answer; do # of another file, nothing, no checker's words
    cp "$said" said
    run 3 audit --checker "$work/fake-checker" audit.json audit.temper
    has 'audit: no checker of this file' "$err" 'the program says nothing about this model'
    lacks 'audit: no checker of this file' "$out" 'checked by'
done
mv right said
echo 2 >answer
run 0 audit --checker "$work/fake-checker" audit.json audit.temper
has 'audit: a checker does not read' "$out" '; not checked by the proved checker, which refutes nothing'
echo 4 >answer
run 0 audit --checker "$work/fake-checker" audit.json audit.temper
has 'audit: a checker declines' "$out" '; not checked by the proved checker, which refutes nothing'
run 0 --json audit --checker "$work/fake-checker" audit.json audit.temper
has 'audit: a checker declines, json' "$out" '"checked_by":"audit"}'
echo 1 >answer
run 3 audit --checker "$work/fake-checker" audit.json audit.temper
has 'audit: a checker fails' "$err" 'the checker ends with the exit status 1'
lacks 'audit: a checker fails' "$out" 'checked by'
run 3 audit --checker "$work/no-checker" audit.json audit.temper
has 'audit: no checker' "$err" 'the checker cannot be run'
rm asked
{ cat audit.temper; echo; } >edited.temper
run 1 audit --checker "$work/fake-checker" audit.json edited.temper
run 0 audit audit.json audit.temper
same 'audit: no checker is asked about what is wrong, nor one of the working folder' '' "$(ls asked 2>&1 | grep -v 'No such')"
sed '/^source/d;/^digest/d' audit.temper >sourceless.temper
run 0 certify sourceless.temper --length 100 -o sourceless.json
has 'certify: read off' "$out" "proved${tab}the model's own hard choices: every string up to length 100 in f64${tab}"
run 0 audit sourceless.json sourceless.temper
has 'audit: every position' "$out" 'the answer at every position is that of its hard choices, for every string up to length 100'
run 0 --json audit sourceless.json sourceless.temper
has 'audit: every position, json' "$out" '"claim":"hard choices","length":100,"type":"f64","every_position":true,'
sed 's/"length": 1000/"length": 1001/' audit.json >other.json
run 1 audit other.json audit.temper
has 'audit: another length' "$err" 'other.json:'
has 'audit: another length' "$err" 'but the audit finds'
run 1 --json audit other.json audit.temper
has 'audit: json refusal' "$out" '"proved":false,"reason":"'
run 0 compile -f 'a S b | Y b' --alphabet abc -o other.temper
run 1 audit audit.json other.temper
has 'audit: another model' "$err" 'it is about another model'
echo '{' >broken.json
run 2 audit broken.json audit.temper
run 3 audit nothing.json audit.temper
run 2 audit audit.json
has 'audit: usage' "$err" 'audit takes a certificate and a model'

# ---- certify --------------------------------------------------------------------------------------------------------
run 0 certify -f 'O a' --alphabet ab --type bf16/f32 --length 1000000
has 'certify: proved' "$out" "proved${tab}formula: every string up to length 1000000 in bf16/f32${tab}largest error 4.700e-03 of 2.500e-01 allowed"
has 'certify: heads' "$out" "head 1.1${tab}once${tab}bound${tab}error <= 4.700e-03${tab}logits <= 2.182e+01${tab}O a"
run 0 certify -f 'O a' --alphabet ab --type bf16/f32 --length 1000000 -o -
has 'certify: the certificate' "$out" '  "length": 1000000,'
same 'certify: as on the page' "$(sed -n '/^    {$/,/^    }$/ s/^    //p' "$root/doc/certificate.md")" "$out"
run 0 compile -f 'a S b' --alphabet abc -o since.temper
run 0 certify since.temper --type f32 --length 1000 -o since.json
has 'certify: bound to the bytes' "$(cat since.json)" "$(sha256sum since.temper | cut -d' ' -f1)"
run 0 certify since.temper --type f32 --length 1000 --json -o -
same 'certify: the same bytes again' "$(cat since.json)" "$out"
run 0 certify since.temper --type bf16
has 'certify: the longest' "$out" "proved${tab}formula: every string up to length 23 in bf16"
has 'certify: by trying' "$out" "head 1.1${tab}nearest${tab}every length${tab}"
run 1 certify since.temper --type bf16 --length 90 -o refuted.json
has 'certify: refuted' "$out" "refuted${tab}"
has 'certify: and why' "$out" 'head 1.1 (a S b): two logits may be off by '
[ -e refuted.json ] && fail 'certify: no certificate if refuted' || pass
run 1 certify since.temper --type e4m3 --length 20 -q
same 'certify: quiet' '' "$out"
run 1 certify since.temper --type e4m3 --length 20 --json
has 'certify: json' "$out" '"verdict":"refuted"'
run 4 certify -f 'Y a & Y b' --alphabet ab --type bf16/f32 --length 10 -o unable.json
has 'certify: unable' "$out" 'a gate of layer 1 reads 2 unrounded values, which bf16/f32 cannot round exactly'
[ -e unable.json ] && fail 'certify: no certificate if unable' || pass
sed 's/8\*N/9*N/' since.temper >edited.temper
run 0 certify edited.temper --length 10
has 'certify: edited, and still the formula' "$out" "proved${tab}formula: every string"
sed -e 's/^source .*/source ""/' -e '/^digest/d' since.temper >edited.temper
run 0 certify edited.temper --length 10
has 'certify: no source' "$out" "note${tab}it carries no source"
has 'certify: read off' "$out" "read off${tab}a S b"
run 0 certify edited.temper --length 10 --json
has 'certify: the claim in json' "$out" '"claim":"hard choices","every_position":true,"note":"it carries no source","read_off":"a S b"'
run 0 certify edited.temper --length 10 -o edited.json
has 'certify: read off in the certificate' "$(cat edited.json)" '  "read-off": "a S b",'
run 0 audit edited.json edited.temper
sed -e 's/^source .*/source "a S c"/' -e '/^digest/d' since.temper >edited.temper
run 0 certify edited.temper --length 10
has 'certify: another source' "$out" "proved${tab}the model's own hard choices: "
sed 's|i/N|i*0x1p-1070/N*0x1p535*0x1p535|g' since.temper >edited.temper
run 4 certify edited.temper --length 4
has 'certify: an odd feature' "$out" "is none that is known"
run 0 compile -f 'a S b' --alphabet abc --hard -o hard.temper
run 4 certify hard.temper --length 4
has 'certify: hard' "$out" 'the model is hard'
run 2 certify since.temper --type exact
has 'certify: exact' "$err" 'a certificate is for a floating-point type'
run 2 certify since.temper abc
run 2 certify
run 3 certify since.temper --length 10 -o no/such/folder.json
run 0 certify -f 'O a' --alphabet ab --length 0

finish
