// Folders of make_cases in transformers.js: tokenizer, every prefix verdict and legal set, generate.
// usage: transformers_check.mjs MODULES FOLDER SHARE DRAWS: every SHARE-th specification; so many strings of each model
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import fs from "node:fs";
import path from "node:path";

const [, , modules, folder, share, draws] = process.argv;
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const {AutoModelForCausalLM, AutoTokenizer, Tensor, env} = await import(pathToFileURL(require.resolve("@huggingface/transformers")).href);
env.allowRemoteModels = false;

let passed = 0, failed = 0, drawn = 0, ended = 0;
const drawings = [];
function check(ok, what) {
    ok ? passed++ : failed++;
    if (!ok && failed <= 20) console.log("WRONG " + what);
}

const names = fs.readdirSync(folder).filter((n) => fs.existsSync(path.join(folder, n, "oracle.json"))).sort();
for (const [at, name] of names.entries()) {
    const oracle = JSON.parse(fs.readFileSync(path.join(folder, name, "oracle.json"), "utf8"));
    const letters = oracle.tokens;
    if (at % Number(share) && !oracle.words && !/[^\x00-\x7f]/.test(letters.join(""))) continue;
    for (const kind of ["gpt2-f32", "llama-f32"]) {
        const where = path.resolve(folder, name, kind);
        if (!fs.existsSync(path.join(where, "onnx"))) continue;
        const tokenizer = await AutoTokenizer.from_pretrained(where);
        const model = await AutoModelForCausalLM.from_pretrained(where, {dtype: "fp32", device: "cpu"});
        for (const string of oracle.strings.filter((_, k) => k % 6 === 0)) {
            const text = string.ids.slice(1).map((id) => letters[id - 2]).join(oracle.words ? " " : "");
            const inputs = tokenizer(text);
            const ids = Array.from(inputs.input_ids.data, Number);
            check(JSON.stringify(ids) === JSON.stringify(string.ids), `${where}: ids of ${JSON.stringify(text)} are ${ids}`);
            check(tokenizer.decode(string.ids, {skip_special_tokens: true}) === text, `${where}: text of ${string.ids}`);
            const {logits} = await model(inputs);
            const size = logits.dims[2];
            for (let i = oracle.from; i < string.ids.length; i++) {
                const row = logits.data.subarray(i * size, (i + 1) * size);
                let ok = true, dead = true;
                for (let id = 0; id < size - 1; id++) {
                    const legal = id === 0 ? false : id === 1 ? string.end[i] === "1" : Boolean((string.legal[i] >> (id - 2)) & 1);
                    dead &&= !legal;
                    ok &&= row[id] > -64 === legal;
                }
                ok &&= dead === row.every((x, id) => id === size - 1 || x <= -64);
                check(ok, `${where}: after ${string.ids.slice(0, i + 1)}: ${row}`);
            }
        }
        // With its cache, token by token.
        for (let k = 0; k < draws && oracle.draws; k++) {
            const out = await model.generate({
                input_ids: new Tensor("int64", [0n], [1, 1]), attention_mask: new Tensor("int64", [1n], [1, 1]),
                do_sample: true, top_k: 0, max_length: Math.min(24, oracle.length + 1)
            });
            const ids = Array.from(out.data, Number).slice(1);
            drawn++;
            if (ids.includes(1)) {
                ended++;
                drawings.push(`${name}\t${ids.slice(0, ids.indexOf(1)).map((id) => letters[id - 2]).join(oracle.words ? " " : "")}`);
            }
        }
        await model.dispose();
    }
}
fs.writeFileSync(path.join(folder, "drawn-js.txt"), drawings.map((line) => line + "\n").join(""));
console.log(`transformers_check (${drawn} strings drawn, ${ended} ended): ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
