// Where settings end, in llama.cpp itself: a Llama's ramp and counts are right as far as they go in an f16 cache, are wrong somewhere
// beyond that, and are right there with the f32 cache that they were made for.
// usage: beyond_check.mjs MODULES FOLDER: FOLDER/ramp-N and FOLDER/counts-N, by run.sh
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import path from "node:path";

const [, , modules, folder] = process.argv;
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const {getLlama} = await import(pathToFileURL(require.resolve("node-llama-cpp")).href);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", progressLogs: false, maxThreads: 1});
const F32 = {flashAttention: false, experimentalKvCacheKeyType: "F32", experimentalKvCacheValueType: "F32"};
const ask = {generateNext: {probabilities: true}};

let passed = 0, failed = 0;
function check(ok, what) {
    ok ? passed++ : failed++;
    console.log(`${ok ? "" : "WRONG "}${what}`);
}

// The first letter after which the end is legal where it should not be, or the other way round; 0: there is none.
async function first_wrong(name, ids, ends, options, step) {
    const model = await llama.loadModel({modelPath: path.join(folder, name, "model.gguf")});
    const context = await model.createContext({contextSize: ids.length + 8, batchSize: ids.length + 8, ...options});
    const sequence = context.getSequence();
    let first = 0;
    for (let at = 0; at < ids.length && !first; at += step) {
        const rows = await sequence.controlledEvaluate(ids.slice(at, at + step).map((id) => [id, ask]));
        for (const [k, row] of rows.entries())
            if (at + k && (row.next.probabilities.get(1) ?? 0) > 0 !== ends(at + k)) first ||= at + k;
    }
    await context.dispose();
    await model.dispose();
    return first;
}

// a S b on b c b c ...: the nearest letter that is no a is the letter itself, and the one before says the opposite.
const turns = (n) => [0, ...Array.from({length: n}, (_, i) => (i % 2 ? 4 : 3))];
const is_b = (i) => i % 2 === 1;
check(await first_wrong("ramp-1492", turns(1492), is_b, {}, 1493) === 0, "ramp, 1492 letters, f16: right");
check(await first_wrong("ramp-1493", turns(1493), is_b, {}, 1494) === 1129, "ramp, 1493 letters, f16: wrong after 1129 letters");
check(await first_wrong("ramp-1493", turns(1493), is_b, F32, 1494) === 0, "ramp, 1493 letters, f32: right");

// #[a] >= #[b] on a ... a b ... b: the sum of values goes up to half the length, and comes back to 0.
const halves = (n) => [0, ...Array.from({length: n}, (_, i) => (i < n / 2 ? 2 : 3))];
const enough = (n) => (i) => i <= n;
check(await first_wrong("counts-1023", halves(1023), enough(1023), {}, 1) === 0, "counts, 1023 letters, f16, token by token: right");
const found = await first_wrong("counts-6000", halves(6000), enough(6000), {}, 1);
check(found > 1024, `counts, 6000 letters, f16, token by token: wrong after ${found} letters`);
check(await first_wrong("counts-6000", halves(6000), enough(6000), F32, 6001) === 0, "counts, 6000 letters, f32: right");
console.log(`beyond_check: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
