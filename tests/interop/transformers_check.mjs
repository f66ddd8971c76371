// Exported folders in transformers.js, from text: its tokenizer, then the graph, against testvectors.jsonl.
// usage: transformers_check.mjs MODULES FOLDER...
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import fs from "node:fs";
import path from "node:path";

const [, , modules, ...folders] = process.argv;
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const {AutoModel, AutoTokenizer, env} = await import(pathToFileURL(require.resolve("@huggingface/transformers")).href);
env.allowRemoteModels = false;

let passed = 0, failed = 0;
function check(ok, what) {
    ok ? passed++ : failed++;
    if (!ok && failed <= 20) console.log("FAILED: " + what);
}

console.error = () => {}; // it repeats the inputs of a run that was refused
for (const folder of folders.filter((f) => fs.existsSync(path.join(f, "tokenizer.json")))) {
    const where = path.resolve(folder);
    const tokenizer = await AutoTokenizer.from_pretrained(where);
    const model = await AutoModel.from_pretrained(where);
    const lines = fs.readFileSync(path.join(where, "testvectors.jsonl"), "utf8").trim().split("\n");
    for (const vector of lines.map((line) => JSON.parse(line))) {
        const inputs = tokenizer(vector.string);
        const ids = Array.from(inputs.input_ids.data, Number);
        check(JSON.stringify(ids) === JSON.stringify(vector.tokens), `${folder}: ids of ${JSON.stringify(vector.string)} are ${ids}`);
        check(tokenizer.decode(vector.tokens, {skip_special_tokens: true}) === vector.string, `${folder}: text of ${vector.tokens}`);
        const {truth, accept, outputs} = await model(inputs);
        if (truth) {
            check(JSON.stringify(Array.from(truth.data)) === JSON.stringify(vector.truth), `${folder}: ${vector.string}`);
            check(Boolean(accept.data[0]) === vector.accept, `${folder}: accepts ${vector.string}`);
        } else {
            const count = vector.outputs.length;
            check(vector.outputs.every((row, k) => row.every((x, i) => outputs.data[i * count + k] === x)), `${folder}: ${vector.string}`);
        }
    }
    await model(tokenizer("\u2603")).then(() => check(false, `${folder}: a letter that is none`), () => check(true, ""));
    await model.dispose();
}
console.log(`transformers.js: ${passed} passed, ${failed} failed`);
process.exit(failed || passed < 100 ? 1 : 0);
