// Models of cases.py in JavaScript's clients: every string has the verdict of `temper run`, by the calls that README.md of the folder
// shows. Where temper run refuses a string, a client refuses or rejects it, and never accepts.
// usage: check.mjs CLIENT WORK MODULES, with CLIENT transformers.js or llama.cpp
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import fs from "node:fs";
import path from "node:path";

const [, , client, work, modules] = process.argv;
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
let passed = 0, failed = 0, refused = 0;

function check(ok, what) {
    ok ? passed++ : failed++;
    if (!ok && failed <= 40) console.log(`WRONG ${client} ${what}`);
}

// Each gives, of a string, its ids with what stands around them, and a function that says whether it is accepted.
const readers = {
    "transformers.js": async (folder, ordinary) => {
        const {AutoModel, AutoModelForCausalLM, AutoTokenizer, env} = await load("@huggingface/transformers");
        env.allowRemoteModels = false;
        const tokenizer = await AutoTokenizer.from_pretrained(folder);
        const model = ordinary ? await AutoModelForCausalLM.from_pretrained(folder, {dtype: "fp32"}) : await AutoModel.from_pretrained(folder);
        const read = (string) => {
            const inputs = tokenizer(string);
            return [Array.from(inputs.input_ids.data, Number), async () => {
                const {logits, accept} = await model(inputs);
                return ordinary ? logits.tolist()[0].at(-1)[1] > -64 : accept.data[0] === 1;
            }];
        };
        return [read, () => model.dispose()];
    },
    "llama.cpp": async (folder) => {
        const {getLlama} = await load("node-llama-cpp");
        llama ??= await getLlama({gpu: false, build: "never", logLevel: "error", progressLogs: false, maxThreads: 1});
        const model = await llama.loadModel({modelPath: path.join(folder, "model.gguf")});
        const context = await model.createContext({contextSize: 64});
        const sequence = context.getSequence();
        const read = (string) => {
            const ids = [model.tokens.bos, ...model.tokenize(string)];
            return [ids, async () => {
                await sequence.clearHistory();
                const rows = await sequence.controlledEvaluate(ids.map((id) => [id, {generateNext: {probabilities: true}}]));
                return (rows.at(-1).next.probabilities.get(model.tokens.eos) ?? 0) > 0;
            }];
        };
        return [read, async () => { await context.dispose(); await model.dispose(); }];
    }
};
let llama;

function expectedIds(folder, ordinary, ids) {
    if (ordinary) return [0, ...ids.map((k) => k + 2)];
    const config = JSON.parse(fs.readFileSync(path.join(folder, "config.json"), "utf8"));
    return [config.bos_token_id, ...ids, ...(config.eos_token_id === null ? [] : [config.eos_token_id])];
}

async function ask(folder, about, item, read) {
    const what = `${folder} (${about.name}): ${JSON.stringify(item.string)}`;
    let found;
    try {
        const [ids, accepts] = read(item.string);
        if (item.ids) {
            const expected = expectedIds(folder, about.ordinary, item.ids);
            check(JSON.stringify(ids) === JSON.stringify(expected), `${what}: ids ${ids}, not ${expected}`);
        }
        found = await accepts();
    } catch (error) { // a refusal
        refused += item.accept === null;
        check(item.accept === null, `${what}: ${error}`);
        return;
    }
    check(found === Boolean(item.accept), `${what}: ${found}, but temper run says ${item.accept}`);
}

console.error = () => {}; // transformers.js repeats the inputs of a run that was refused
console.warn = () => {};
for (const name of fs.readdirSync(work).sort()) {
    const file = path.join(work, name, "strings.json");
    if (!fs.existsSync(file)) continue;
    const about = JSON.parse(fs.readFileSync(file, "utf8"));
    const folder = path.resolve(work, name, "model");
    const [read, end] = await readers[client](folder, about.ordinary);
    for (const item of about.cases) await ask(folder, about, item, read);
    await end();
}
console.log(`letters in ${client} (${refused} strings refused, as by temper run): ${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
