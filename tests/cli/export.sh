#!/bin/bash
# export, also as ordinary transformers, from outside. Usage: tests/cli/export.sh path/to/temper
. "$(dirname "$0")/common.bash"
python=
oracle python3 'JSON, certificates and safetensors have no second reader' && python=python3

# ---- export ---------------------------------------------------------------------------------------------------------

run 0 export -f 'H(b -> O a)' --alphabet abc -o made/
same 'export: summary' 'made/: temperature, 2 layers, 2 heads, 6 channels, ONNX in f64; proved length 2^40 in f64 (formula)' "$out$err"
same 'export: the files' 'README.md config.json configuration_temper.py lens_temper.py model.safetensors model.temper modeling_temper.py onnx testvectors.jsonl tokenizer.json tokenizer_config.json vocab.json' "$(ls made | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
run 0 run made caab cba
same 'export: the folder runs' "accept${tab}caab
reject${tab}cba" "$out"
mkdir -p nothing
run 3 run nothing caab
has 'export: another folder' "$err" 'this folder holds no model.safetensors and no model.gguf'
run 0 export -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 8 -o ordinary
for what in ordinary ordinary/model.gguf; do
    run 0 run $what caab cba
    same "export --as: $what runs" "accept${tab}caab
reject${tab}cba" "$out"
    has "export --as: what $what runs as" "$err" 'the hard-attention transformer that these weights stand for'
done
run 0 run made/model.safetensors caab cba
same 'export: temper reads the weights' "accept${tab}caab
reject${tab}cba" "$out"
same 'export: vocabulary' '{ "a": 0, "b": 1, "c": 2, "<start>": 3 }' "$(tr -s '\n ' ' ' <made/vocab.json | sed 's/ $//')"
if [ -n "$python" ]; then
    $python -c 'import json; json.load(open("made/config.json")); [json.loads(x) for x in open("made/testvectors.jsonl")]' && pass || fail 'export: JSON'
fi
echo mine >made/notes.txt
run 0 --json export made/model.safetensors --type f32 --outputs patterns,channels,heads -o made
same 'export: json summary' '{"folder":"made","type":"f32","method":"temperature","layers":2,"heads":2,"channels":6,"proved_length":{"type":"f32","length":2410413,"claim":"formula"}}' "$out"
same 'export: other files stay' mine "$(cat made/notes.txt)"
if ls made | grep -qE '\.(json|onnx|py|md|jsonl|safetensors)\.'; then fail 'export: temporary files left'; else pass; fi
run 0 export -q made/model.safetensors -o g.onnx
same 'export: quiet' '' "$out$err"
if [ -s g.onnx ]; then pass; else fail 'export: only the graph'; fi
run 0 certify -q made/model.safetensors --length 1000 --type f32 -o c.json
run 0 export made/model.safetensors -q --certificate c.json -o made2
same 'export: the certificate' "$(cat c.json)" "$(cat made2/certificate.json)"
run 0 audit made2/certificate.json made2/model.safetensors
has 'export: the audit' "$out" 'every string up to length 1000 in f32'
run 0 certify -q -f 'H(b -> O a)' --alphabet abc --length 7 -o c.json
run 0 export made/model.safetensors -q --certificate c.json -o made2
run 0 $(sed -n 's/^ *temper \(audit .*\)/\1/p' made2/README.md)
has 'export: the audit of the text' "$out" 'made2/model.temper: the answer at every position is the source'
run 2 export -f 'H(b -> O a)' --alphabet ab -q --certificate c.json -o made3
has 'export: the certificate of another model' "$err" 'the certificate is about other bytes'
if [ -e made3 ]; then fail 'export: a refused certificate leaves no folder'; else pass; fi
sed 's/"length": 7/"length": 8/' c.json >changed.json
run 2 export made/model.safetensors -q --certificate changed.json -o made2
has 'export: a changed certificate' "$err" 'changed.json:17: the certificate does not pass the audit: heads[0].logit'
echo '{"format": 1}' >c.json
run 2 export made/model.safetensors -q --certificate c.json -o made2
has 'export: no certificate of temper' "$err" "'c.json' is JSON, but not a certificate of temper"
run 2 export made/model.safetensors -o made2
has 'export: an old certificate' "$err" 'the folder has a certificate.json, which need not be about this model'
echo '[1' >c.json
run 2 export made/model.safetensors --certificate c.json -o made3
has 'export: a certificate that is none' "$err" 'the certificate: expected an object'
if [ -e made3 ]; then fail 'export: a refused export leaves no folder'; else pass; fi
run 3 export made/model.safetensors --certificate none.json -o made3
has 'export: no certificate' "$err" "cannot read 'none.json'"
run 2 export made/model.safetensors --certificate c.json -o x.onnx
has 'export: a certificate without a folder' "$err" '--certificate needs a folder'

# ---- export --as: ordinary transformers -------------------------------------------------------------------------------

run 0 export -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 32 -o ordinary/
same 'export --as: summary' 'ordinary/: gpt2 for up to 32 letters, 2 layers of 8 heads, width 128, weights f32, cache f16; proved' "$out$err"
same 'export --as: the files' 'Modelfile README.md certificate.json config.json generation_config.json model.gguf model.safetensors onnx testvectors.jsonl tokenizer.json tokenizer_config.json' "$(ls ordinary | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
same 'export --as: the file for llama.cpp' GGUF "$(head -c 4 ordinary/model.gguf)"
has 'export --as: an answer' "$(grep -F '"string": "b"' ordinary/testvectors.jsonl)" '"end": [0, 0], "legal": [[2, 4], []]'
has 'export --as: proved' "$(cat ordinary/README.md)" 'after every prefix of every string of up to 32 letters'
if [ -n "$python" ]; then
    $python - <<'CHECK' && pass || fail 'export --as: JSON, or the certificate'
import hashlib, json
for name in ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"):
    json.load(open("ordinary/" + name))
for line in open("ordinary/testvectors.jsonl"):
    json.loads(line)
c = json.load(open("ordinary/certificate.json"))
assert c["temper-stock-certificate"] == 1 and c["length"] == 32 and c["allowed"] == 32
assert [f["name"] for f in c["files"]] == ["model.gguf", "model.safetensors", "onnx/model.onnx"]
assert all(hashlib.sha256(open("ordinary/" + f["name"], "rb").read()).hexdigest() == f["sha256"] for f in c["files"])
CHECK
fi
tr '\n' ' ' <ordinary/certificate.json >one-line.json
run 0 audit one-line.json ordinary
has 'audit: a certificate in one line' "$out" 'every string up to length 32 each logit is within 32 of what the source says, as a gpt2 with f32 weights and an f16 cache'
run 0 certify -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 32
has 'certify --as' "$out" "proved${tab}formula: every string up to length 32 as gpt2, weights f32, cache f16"
printf 'tokens yes\nalphabet a b c\nH(b -> O a)\n' >words.spec
for as in gpt2 llama; do # words of one character are words
    run 0 certify -F words.spec --as $as --length 32
    has 'certify --as, short words' "$out" "proved${tab}formula: every string up to length 32 as $as"
done
# What is too large for the audit is not refuted: a limit, and the option that raises it.
cat >large.spec <<'SPEC'
alphabet a b c d e f g h i
transduce
emit a = Y Y true & #[true] % 7 = 1 & #[true] % 11 = 1 & O a & O b & O c & O d & O e & O f & O g & O h & O i
emit nothing otherwise
SPEC
run 0 export --effort 10 -F large.spec --as gpt2 --length 280 -o large
run 4 audit large/certificate.json large
same 'audit: too large' "temper: too large for the audit, which follows at most 131072 states
hint: --effort 10 raises the limit tenfold" "$out$err"
run 4 audit --json large/certificate.json large
has 'audit: too large, in JSON' "$out" '"proved":false,"reason":"too large for the audit, which follows at most 131072 states"'
run 0 audit --effort 10 large/certificate.json large
run 4 certify -f '#[a] >= #[b]' --alphabet ab --as gpt2 --length 1100
has 'certify --as: a shorter length' "$out" "shorter${tab}proved up to length 1022"
run 4 --json certify -f '#[a] >= #[b]' --alphabet ab --as gpt2 --length 1100
has 'certify --as: a shorter length, in JSON' "$out" '"shorter":1022'
run 4 export -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length 1100 -o none
has 'export --as: what goes least far' "$err" 'looks up a position by its square: as gpt2 with f32 weights and an f16 cache it goes up to 300 letters'
run 0 --json certify -f 'H(b -> O a)' --alphabet abc --as llama --length 32 --weights f16 --kv f32
has 'certify --as: json' "$out" '"verdict":"proved","length":32,"as":"llama","weights":"f16","kv":"f32","positions":"auto","proved":true'
run 4 certify -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length 290
has 'certify --as: unable' "$out" "unable${tab}length 290 as gpt2, weights f32, cache f16: "
run 2 certify -f a --alphabet ab --as gpt2 --length 9 -o c.json
has 'certify --as: no file' "$err" 'certify --as writes no file'
run 2 certify -f a --alphabet ab --kv f16
has 'certify: --kv' "$err" '--kv goes with --as'
run 0 limits -f 'a S b' --alphabet abc --as llama --positions ramp --kv f16 --weights f32 --length 300
has 'limits --as' "$out" 'llama  ramp      f32      f16 '
run 0 export -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length 290 -o ordinary
has 'export --as: not proved' "$(cat ordinary/README.md)" 'Nothing is proved of this file'
has "export --as: not proved, and which head" "$(cat ordinary/README.md)" "Nothing is proved of this file**: head 3.1: "
shorter=$(sed -n 's/^proved up to \([0-9]*\) letters: --length \1$/\1/p' <<<"$out")
has 'export --as: the length that is proved' "$(cat ordinary/README.md)" "An export with \`--length ${shorter:-none}\` is proved."
run 4 certify -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length 290
has 'export --as: the length that certify names' "$out" "shorter${tab}proved up to length $shorter"
run 0 certify -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length "$shorter"
run 0 limits -f '#[a] % 3 = 1' --alphabet ab --as llama --positions ramp --kv f16 --weights f32 --length 300
has 'limits --as: a setting that is refused' "$out" 'f16                -             -  head 2.1'
run 0 export -f '#[a] % 3 = 1' --alphabet ab --as gpt2 --length 290 -o ordinary
if [ -e ordinary/certificate.json ]; then fail 'export --as: a certificate of another model'; else pass; fi
run 0 export -q -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 32 -o ordinary/
run 0 export -q -f 'H(b -> O a)' --alphabet abc --as gpt2 --length 32 -o ordinary2
if diff -r ordinary/onnx ordinary2/onnx && cmp ordinary/model.safetensors ordinary2/model.safetensors && cmp ordinary/testvectors.jsonl ordinary2/testvectors.jsonl; then pass; else fail 'export --as: other bytes'; fi
run 0 --json export -f '#[a] >= #[b]' --alphabet ab --as llama --length 100 --weights f16 --kv f32 -o ordinary
has 'export --as: json' "$out" '"as":"llama","length":100,"weights":"f16","kv":"f32"'
has 'export --as: json flags' "$out" '"mirrored":false,"only_gguf":false,"every_letter":true'
run 0 export -f 'H(b -> Y a)' --alphabet ab --as llama --length 100 --positions digits -o ordinary
has 'export --as: digits' "$out" 'only GGUF'
if [ -e ordinary/config.json ] || [ -e ordinary/onnx/model.onnx ]; then fail 'export --as: files of an earlier model'; else pass; fi
run 0 export -f '#>[a] >= #>[b]' --alphabet ab --as gpt2 --length 100 -o ordinary
has 'export --as: mirrored' "$out" 'feed every string from right to left'
run 4 export -f '#[a] >= #>[b]' --at last --alphabet ab --as gpt2 --length 100 -o ordinary3
has 'export --as: both ways' "$err" 'looks both ways'
if [ -e ordinary3 ]; then fail 'export --as: a refused export leaves no folder'; else pass; fi
run 4 export -f 'Y(a S b)' --alphabet ab --as llama --length 4000 --positions ramp -o ordinary3
has 'export --as: too long' "$err" 'as llama with f32 weights and an f16 cache it goes up to 1492 letters'
run 2 export -f a --alphabet ab --as gpt2 --length 0 -o ordinary3
has 'export --as: length 0' "$err" '1 to 16384 letters'
run 2 export -f a --alphabet ab --as gpt2 -o ordinary3
has 'export --as: no length' "$err" '--as needs the longest string: --length N'
run 2 export -f a --alphabet ab --as gpt2 --length 9
has 'export --as: no folder' "$err" 'export --as needs a folder'
run 2 export -f a --alphabet ab --as gpt2 --length 9 --type f32 -o ordinary3
has 'export --as: --type' "$err" '--type does not go with --as'
run 2 export -f a --alphabet ab --as gpt2 --length 9 --method digits -o ordinary3
has 'export --as: --method' "$err" '--method does not go with --as'
run 2 export -f a --alphabet ab --as gpt2 --length 9 --positions ramp -o ordinary3
has 'export --as: --positions' "$err" '--positions goes with --as llama'
run 2 export -f a --alphabet ab --weights f16 -o ordinary3
has 'export: --weights' "$err" '--weights goes with --as'
for option in --weights --kv; do
    for name in bf16 bfloat16; do
        run 2 export -f a --alphabet ab --as gpt2 --length 9 $option $name -o ordinary3
        has "export --as: $option $name" "$err" 'bf16 keeps 8 bits: positions and counts above 256 are rounded'
    done
done
run 2 export -f a --alphabet ab --as bert --length 9 -o ordinary3
has 'export --as: another architecture' "$err" 'gpt2'
run 2 export made/model.safetensors
has 'export: no folder' "$err" 'export needs a folder: -o FOLDER'
run 2 export made/model.safetensors -o made3 more
has 'export: further arguments' "$err" 'export takes no further arguments'
run 2 export made/model.safetensors --hard -o made3
has 'export: hard' "$err" '--hard goes with a formula'
run 2 export made/model.safetensors --type bf16 -o made3
has 'export: type' "$err" 'the ONNX graph is f64 or f32'
run 2 export made/model.safetensors --outputs patterns,x -o made3
has 'export: outputs' "$err" "'x' is not one of patterns, channels, heads"
run 3 export made/model.safetensors -o none/out
has 'export: no parent' "$err" "cannot make the folder 'none/out': No such file or directory"
run 3 export made/model.safetensors -o c.json
has 'export: a file in the way' "$err" "'c.json' is there, but is not a folder"
run 3 export none.temper -o made3
has 'export: no model' "$err" "cannot read 'none.temper': No such file or directory"
echo "temper-model 7" >other-version.temper
run 2 export other-version.temper -o made3
has 'export: another version' "$err" 'version'
run 0 compile -q --gallery dyck-1 -o dyck.temper
run 4 export dyck.temper -o made3
has 'export: nothing proved' "$err" 'no length is proved in'
has 'export: nothing proved, hint' "$err" 'hint: --unchecked exports it without proof'
run 0 export dyck.temper --unchecked -o made3
has 'export: unchecked' "$out" 'no proved length in'
has 'export: unchecked, in the page' "$(cat made3/README.md)" 'Nothing is proved of this model'
run 0 soften -q dyck.temper --length 8 -o soft.temper
run 0 export soft.temper --type f32 -o made4
has 'export: f32 is proved anew' "$out" 'in f32 (hard choices)'
# A counting specification is read where it looks from: what a causal transformer says of a prefix is about its last letter.
run 4 certify -f '#[a] >= #[b]' --at first --alphabet ab --as gpt2 --length 8
has 'read at the wrong end' "$err" 'looks back, but is read at the first position'
run 4 export -f '#>[a] >= #>[b]' --at last --alphabet ab --as llama --length 8 -o wrong-end
has 'read at the wrong end, mirrored' "$err" 'looks ahead, but is read at the last position'
run 0 export -f '#[a] >= #[b]' --alphabet ab --as gpt2 --length 8 -o right-end
run 0 audit right-end/certificate.json right-end
sed 's/"at": "last"/"at": "first"/' right-end/certificate.json >forged-end.json
run 1 audit forged-end.json right-end
has 'a forged end' "$err" 'not read where the transformer stands'

finish
