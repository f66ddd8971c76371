// Random models in llama.cpp: probabilities against those of the forward pass in double precision, and against the emulator of its
// kernels, which must be nearer: this is how facts about kernels (doc/ordinary.md) are seen in them.
// usage: llama_random.mjs MODULES FOLDER
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import fs from "node:fs";
import path from "node:path";

const [, , modules, folder] = process.argv;
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const {getLlama} = await import(pathToFileURL(require.resolve("node-llama-cpp")).href);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", progressLogs: false, maxThreads: 1});

let passed = 0, failed = 0;
function check(ok, what) {
    ok ? passed++ : failed++;
    if (!ok) console.log("WRONG " + what);
}

// An f16 cache rounds keys and values, f16 weights all activations, and a GPT-2's GELU comes from a table in f16. What is left
// is a Llama in f32. Token by token, fused attention with an f16 cache adds up values in f16.
const settings = [
    {name: "batch, default"},
    {name: "batch, fused, f16", cache: "F16", flash: true},
    {name: "batch, fused, f32", cache: "F32", flash: true},
    {name: "batch, plain, f16", cache: "F16", flash: false, emulator: "plain-f16"},
    {name: "batch, plain, f32", cache: "F32", flash: false, emulator: "plain-f32"},
    {name: "tokens, fused, f16", cache: "F16", flash: true, single: true, emulator: "fused-f16"},
    {name: "tokens, fused, f32", cache: "F32", flash: true, single: true},
];
const ask = {generateNext: {probabilities: true}};

async function probabilities(model, ids, size, {cache, flash, single}) {
    const context = await model.createContext({
        contextSize: ids.length + 8, flashAttention: flash, experimentalKvCacheKeyType: cache, experimentalKvCacheValueType: cache
    });
    const sequence = context.getSequence(), rows = [];
    for (const part of single ? ids.map((id) => [id]) : [ids])
        rows.push(...(await sequence.controlledEvaluate(part.map((id) => [id, ask]))).filter(Boolean));
    await context.dispose();
    return rows.map((row) => Array.from({length: size}, (_, k) => row.next.probabilities.get(k) ?? 0)).flat();
}

function softmax(rows) {
    return rows.map((logits) => {
        const most = Math.max(...logits), sum = logits.reduce((s, x) => s + Math.exp(x - most), 0);
        return logits.map((x) => Math.exp(x - most) / sum);
    }).flat();
}

const spread = (x, y) => Math.sqrt(x.reduce((s, p, k) => s + (p - y[k]) ** 2, 0) / x.length);
const worst = (x, y) => x.reduce((s, p, k) => Math.max(s, Math.abs(p - y[k])), 0);
const same = (x, y) => x.every((p, k) => p === y[k]);
const shares = {};

for (const name of fs.readdirSync(folder).sort()) {
    const expected = JSON.parse(fs.readFileSync(path.join(folder, name, "expected.json"), "utf8"));
    const exact = softmax(expected.logits), size = expected.logits[0].length;
    const model = await llama.loadModel({modelPath: path.join(folder, name, "model.gguf")});
    const found = {};
    for (const setting of settings) {
        const p = found[setting.name] = await probabilities(model, expected.ids, size, setting);
        const off = worst(p, exact), is_exact = name.startsWith("llama") && name.includes("f32") && setting.emulator === "plain-f32";
        check(off < (is_exact ? 2e-5 : name.includes("f16") ? 0.02 : 0.005), `${name}, ${setting.name}: a probability is off by ${off}`);
        if (!setting.emulator) continue;
        const far = spread(p, exact), near = spread(p, softmax(expected.emulated[setting.emulator]));
        console.log(`${name}, ${setting.name}: ${far.toExponential(2)} from the exact model, ${near.toExponential(2)} from the emulator`);
        // With f16 weights kernels round what they multiply in some products and not in others: the emulator does in all.
        if (!is_exact && name.includes("f32")) (shares[setting.emulator] ??= []).push(near / far);
    }
    check(same(found["batch, default"], found["batch, fused, f16"]), `${name}: the default is not fused attention with an f16 cache`);
    check(same(found["batch, fused, f16"], found["batch, fused, f32"]), `${name}: fused attention makes no f16 of an f32 cache`);
    check(same(found["tokens, fused, f16"], found["tokens, fused, f32"]), `${name}: nor token by token`);
    check(!same(found["batch, plain, f32"], found["batch, fused, f32"]), `${name}: fused attention makes no difference`);
    await model.dispose();
}
for (const [setting, all] of Object.entries(shares)) {
    const mean = Math.exp(all.reduce((s, x) => s + Math.log(x), 0) / all.length);
    console.log(`${setting}: the emulator leaves ${(100 * mean).toFixed(1)} % of what roundings do`);
    check(mean < 0.25, `${setting}: the emulator is not near`);
}
console.log(`llama_random: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
