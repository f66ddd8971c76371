#!/bin/bash
# import, from outside. Usage: tests/cli/import-weights.sh path/to/temper
. "$(dirname "$0")/common.bash"

# ---- import ---------------------------------------------------------------------------------------------------------

bad=$work/bad
mkdir bad
(cd "$root" && "$(dirname "$temper")/tests/t-bad" --write "$bad" >/dev/null)
run 0 import "$bad/import-plain.safetensors" "$bad/import-plain.json" -o i.temper
same 'import: summary' 'i.temper: hard, 1 layer, 1 head, 3 channels, 1 unit, 10 parameters' "$out"
run 0 run i.temper ab ba ''
want=$out
run 0 import -q "$bad/import-plain.safetensors" "$bad/import-plain.json" -o i.safetensors
same 'import: quiet' '' "$out$err"
run 0 run i.safetensors ab ba ''
same 'import: the same answers from safetensors' "$want" "$out"
run 0 --json import "$bad/import-plain.safetensors" "$bad/import-plain.json" -o i.temper
has 'import: json summary' "$out" "{\"file\":\"i.temper\",\"bytes\":$(stat -c %s i.temper),\"method\":\"hard\",\"layers\":1,"
run 0 import <(cat "$bad/import-plain.safetensors") "$bad/import-plain.json"
same 'import: from a pipe, printed' "$(cat i.temper)" "$out"
run 4 import "$bad/import-layer-norm.safetensors" "$bad/import-plain.json" -o refused.temper
has 'import: layer norm' "$err" "tensor 'blocks.0.ln1.w': not supported: layer norm"
if [ -e refused.temper ]; then fail 'a refused import leaves no file'; else pass; fi
cp "$bad/import-activation-gelu.json" gelu.json
run 4 import "$bad/import-plain.safetensors" gelu.json
same 'import: the place in the config' "temper: gelu.json:5:17: activation: 'gelu' is not supported
      \"activation\": \"gelu\",
                    ^
hint: the units of temper's transformers are relu(w.x + b)" "$err"
run 2 import "$bad/import-plain.safetensors"
has 'import: one argument' "$err" 'import takes WEIGHTS and CONFIG, or a folder or GGUF file of export --as'
# what export --as wrote, back
for as in gpt2 llama; do
    for weights in f32 f16; do
        run 0 export -f '(Y a) S (b & Y c)' --alphabet abc --as "$as" --weights "$weights" --length 40 -o back
        run 0 import back -o folder.temper
        run 0 import back/model.gguf -o gguf.temper
        same "import: folder and GGUF file of $as in $weights" "$(cat folder.temper)" "$(cat gguf.temper)"
        run 0 run --hard gguf.temper cab cabaaa cabaab acabaaaa
        same "import: the answers of $as in $weights" "$("$temper" eval -f '(Y a) S (b & Y c)' --alphabet abc cab cabaaa cabaab acabaaaa)" "$out"
    done
done
# and its certificate, against the file that other programs load
run 0 export -f '(Y a) S (b & Y c)' --alphabet abc --as gpt2 --weights f32 --kv f32 --length 40 -o proved
run 0 audit proved/certificate.json proved
has 'audit: a folder of export --as' "$out" 'proved/certificate.json: proved for proved: after every prefix of every string up to length 40 each logit is within 32 of what the source says, as a gpt2 with f32 weights and an f32 cache'
run 0 --json audit proved/certificate.json proved/model.gguf
has 'audit: the GGUF file alone, json' "$out" '"proved":true,"claim":"formula","architecture":"gpt2","length":40,"weights":"f32","cache":"f32","within":32'
sed 's/"length": 40/"length": 41/' proved/certificate.json >longer.json
run 1 audit longer.json proved/model.gguf
has 'audit: a longer length' "$err" 'length is 41, but the file has 41 positions'
sed 's/(Y a) S (b/(Y a) S (c/' proved/certificate.json >other.json
run 1 audit other.json proved/model.gguf
has 'audit: another source' "$err" 'the model says otherwise'
cp proved/model.gguf other.gguf && printf x >>other.gguf
run 1 audit proved/certificate.json other.gguf
has 'audit: another file' "$err" 'it is about another model.gguf'
run 3 audit proved/certificate.json nowhere.gguf
# The last weight of a file of f16 is 1: an output reads a column that nobody writes.
{ head -c -2 back/model.gguf && printf '\0\074'; } >changed.gguf
run 2 import changed.gguf -o refused.temper
has 'import: a changed weight' "$err" "changed.gguf: tensor 'output.weight', row 5, column 63: a column is read that nobody writes"
run 2 import "$root/README.md"
has 'import: no GGUF file' "$err" "byte 0: no GGUF file"
run 3 import nowhere.gguf
run 3 import "$bad/import-plain.safetensors" none.json
same 'import: no config' "temper: cannot read 'none.json': No such file or directory" "$err"
run 3 import none.safetensors gelu.json

finish
