// Every folder of make_cases in llama.cpp: after each prefix, exactly the legal tokens have a probability that is not 0. Strings
// go in as batches; one string of each model also token by token, which is another kernel: of long ones the last tokens. Then strings are drawn from the model:
// each that ends must be one that the specification accepts, which temper is asked about afterwards.
// usage: llama_check.mjs MODULES FOLDER [--share K/N] [--samples K]
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import fs from "node:fs";
import path from "node:path";

const [, , modules, folder, ...rest] = process.argv;
const option = (name, otherwise) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : otherwise);
const [part, parts] = option("--share", "1/1").split("/").map(Number);
const samples = Number(option("--samples", 0));
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const {getLlama} = await import(pathToFileURL(require.resolve("node-llama-cpp")).href);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", progressLogs: false, maxThreads: 1});

let verdicts = 0, wrong = 0, models = 0, single = 0, texts = 0, drawn = 0, ended = 0;
const FAR = 2000; // letters of a long model
const last = (length) => (length > 4 * FAR ? 200 : 600); // tokens at the end of a long string that go in one by one
const ask = {generateNext: {probabilities: true}};

function complain(what) {
    wrong++;
    if (wrong <= 20) console.log("WRONG " + what);
}

// The tokens that may come, as the oracle has them.
function compare(name, string, i, row, size) {
    const found = row.next.probabilities;
    let dead = true;
    for (let id = 0; id < size - 1; id++) {
        const legal = id === 0 ? false : id === 1 ? string.end[i] === "1" : Boolean((string.legal[i] >> (id - 2)) & 1);
        dead &&= !legal;
        if ((found.get(id) ?? 0) > 0 !== legal)
            complain(`${name}: after ${JSON.stringify(string.ids.slice(0, i + 1))} token ${id} is ${legal ? "" : "not "}legal`);
    }
    if ((found.get(size - 1) ?? 0) > 0.5 !== dead) complain(`${name}: dead after ${JSON.stringify(string.ids.slice(0, i + 1))}`);
    verdicts += 1;
}

let state = 2463534242;
function random() { // xorshift32: the same strings in every run
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    return (state >>> 0) / 4294967296;
}

async function draw(sequence, size, length) {
    const ids = [0];
    await sequence.clearHistory();
    for (let i = 0; i < length; i++) {
        const [row] = (await sequence.controlledEvaluate([[ids[i], ask]])).filter(Boolean);
        let u = random(), next = size - 1;
        for (let id = 0; id < size; id++) {
            u -= row.next.probabilities.get(id) ?? 0;
            if (u < 0) { next = id; break; }
        }
        if (next === 1 || next === size - 1) return {ids: ids.slice(1), ended: next === 1};
        ids.push(next);
    }
    return {ids: ids.slice(1), ended: false};
}

const names = fs.readdirSync(folder).filter((n) => fs.existsSync(path.join(folder, n, "oracle.json"))).sort();
const drawings = [];
for (const [at, name] of names.entries()) {
    if (at % parts !== part - 1) continue;
    const oracle = JSON.parse(fs.readFileSync(path.join(folder, name, "oracle.json"), "utf8"));
    const letters = oracle.tokens;
    const size = letters.length + 3;
    const isFar = oracle.length > FAR;
    for (const kind of fs.readdirSync(path.join(folder, name)).filter((k) => k !== "oracle.json").sort()) {
        const label = `${name}/${kind}`;
        const model = await llama.loadModel({modelPath: path.join(folder, name, kind, "model.gguf")});
        const context = await model.createContext({contextSize: oracle.length + 9, batchSize: isFar ? 512 : oracle.length + 9});
        models++;
        let sequence = context.getSequence();
        for (const [k, string] of oracle.strings.entries()) {
            await sequence.clearHistory();
            const rows = await sequence.controlledEvaluate(string.ids.map((id) => [id, ask]));
            for (let i = oracle.from; i < string.ids.length; i++) compare(label, string, i, rows[i], size);
            const text = string.ids.slice(1).map((id) => letters[id - 2]).join(oracle.words ? " " : "");
            if (k % 4 === 0) {
                texts++;
                if (JSON.stringify(model.tokenize(text)) !== JSON.stringify(string.ids.slice(1)))
                    complain(`${label}: tokens of ${JSON.stringify(text)} are ${JSON.stringify(model.tokenize(text))}`);
            }
        }
        // The last string is still there.
        const slow = isFar ? oracle.strings.at(-1) : oracle.strings.find((s) => s.ids.length > 40) ?? oracle.strings[0];
        const begin = isFar ? slow.ids.length - last(oracle.length) : 0;
        if (begin) await sequence.eraseContextTokenRanges([{start: begin, end: slow.ids.length}]);
        else await sequence.clearHistory();
        for (let i = begin; i < slow.ids.length; i++) {
            const [row] = (await sequence.controlledEvaluate([[slow.ids[i], ask]])).filter(Boolean);
            if (i < oracle.from) continue;
            compare(label + " token by token", slow, i, row, size);
            single++;
        }
        if (samples && oracle.draws && kind.endsWith("f32"))
            for (let k = 0; k < samples; k++) {
                const made = await draw(sequence, size, oracle.length);
                drawn++;
                ended += made.ended;
                if (made.ended) drawings.push(`${name}\t${made.ids.map((id) => letters[id - 2]).join(oracle.words ? " " : "")}`);
            }
        if (isFar) console.log(`${label}: ${verdicts} prefixes so far, ${single} token by token, ${wrong} wrong`);
        sequence.dispose();
        await context.dispose();
        await model.dispose();
    }
}
fs.writeFileSync(path.join(folder, `llama-${part}.drawn`), drawings.map((line) => line + "\n").join(""));
console.log(`llama_check: ${models} models, ${verdicts} prefixes (${single} token by token), ${texts} texts, ${drawn} strings drawn, `
    + `${ended} ended: ${verdicts + texts - Math.min(wrong, verdicts)} passed, ${wrong} failed`);
process.exit(wrong ? 1 : 0);
