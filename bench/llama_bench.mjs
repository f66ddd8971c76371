// Seconds that llama.cpp takes for a string, all tokens in one batch, and its verdict.
// usage: llama_bench.mjs MODULES model.gguf STRING THREADS REPEATS
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import path from "node:path";

const [, , modules, file, string, threads, repeats] = process.argv;
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const {getLlama} = await import(pathToFileURL(require.resolve("node-llama-cpp")).href);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", progressLogs: false, maxThreads: Number(threads)});
const model = await llama.loadModel({modelPath: file});
const ids = [model.tokens.bos, ...model.tokenize(string)];
// A cache in f32, as the model is made for; flash attention would make it f16.
const context = await model.createContext({
    contextSize: ids.length + 8, batchSize: ids.length + 8, threads: Number(threads), flashAttention: false,
    experimentalKvCacheKeyType: "F32", experimentalKvCacheValueType: "F32",
});
const sequence = context.getSequence();
const seconds = [];
for (let turn = 0; turn <= Number(repeats); turn++) {
    await sequence.clearHistory();
    const start = process.hrtime.bigint();
    await sequence.evaluateWithoutGeneratingNewTokens(ids);
    if (turn) seconds.push(Number(process.hrtime.bigint() - start) * 1e-9); // the first warms up
}
await sequence.clearHistory();
const asked = ids.map((id, at) => (at === ids.length - 1 ? [id, {generateNext: {probabilities: true}}] : id));
const last = (await sequence.controlledEvaluate(asked)).filter(Boolean).at(-1);
console.log(JSON.stringify({seconds, accept: (last.next.probabilities.get(model.tokens.eos) ?? 0) > 0}));
process.exit();
