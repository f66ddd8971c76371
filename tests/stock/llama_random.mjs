// Random models in llama.cpp: probabilities against those of the forward pass in double precision.
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import fs from "node:fs";
import path from "node:path";

const [, , modules, folder] = process.argv;
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const {getLlama} = await import(pathToFileURL(require.resolve("node-llama-cpp")).href);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", progressLogs: false});

let passed = 0, failed = 0;
// An f16 cache rounds keys and values, f16 weights all activations, and a GPT-2's GELU comes from a table in f16. What is left
// is a Llama in f32. Flash attention turns an f32 cache into f16: the same numbers as with an f16 cache.
const settings = [
    {cache: "F16", flash: true, tolerance: {gpt2: 0.005, llama: 0.005}},
    {cache: "F32", flash: true, tolerance: {gpt2: 0.005, llama: 0.005}},
    {cache: "F32", flash: false, tolerance: {gpt2: 0.002, llama: 2e-5}},
];
for (const name of fs.readdirSync(folder).sort()) {
    const expected = JSON.parse(fs.readFileSync(path.join(folder, name, "expected.json"), "utf8"));
    const model = await llama.loadModel({modelPath: path.join(folder, name, "model.gguf")});
    for (const {cache, flash, tolerance} of settings) {
        const context = await model.createContext({
            contextSize: expected.ids.length + 8,
            flashAttention: flash,
            experimentalKvCacheKeyType: cache,
            experimentalKvCacheValueType: cache
        });
        const sequence = context.getSequence();
        const rows = await sequence.controlledEvaluate(
            expected.ids.map((id) => [id, {generateNext: {probabilities: true}}]));
        let worst = 0;
        for (let i = 0; i < expected.ids.length; i++) {
            const logits = expected.logits[i], most = Math.max(...logits);
            const sum = logits.reduce((s, x) => s + Math.exp(x - most), 0);
            const found = rows[i].next.probabilities;
            for (let k = 0; k < logits.length; k++)
                worst = Math.max(worst, Math.abs((found.get(k) ?? 0) - Math.exp(logits[k] - most) / sum));
        }
        const ok = worst < (name.includes("f16") ? 0.02 : tolerance[name.split("-")[0]]);
        ok ? passed++ : failed++;
        console.log(`${name}, cache ${cache}, flash ${flash}: worst difference of a probability ${worst.toExponential(2)}${ok ? "" : "  WRONG"}`);
        await context.dispose();
    }
    await model.dispose();
}
console.log(`llama_random: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
